"""Vectors from text: every step against the same thing done the long way, and the whole on text with a planted structure."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.neural.vectors import WordVectors, cooccurrence, factorising, token_stream
from caspipe.annotators.neural.vectors.token_stream import BREAK, UNKNOWN, TokenStream
from caspipe.annotators.neural.vectors.trainer import VectorsTrainer
from caspipe.pipeline.errors import ConsumerError, ResourceError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas, CaspipeWarning

DRUGS, FINDINGS = [f"drug{c}" for c in "abcdefgh"], [f"pain{c}" for c in "abcdefgh"]


def text(seed: int, sentences: int = 60) -> str:
    """Sentences that are about drugs or about findings: words of a kind stand near the same words."""
    chance = random.Random(seed)
    made = []
    for _ in range(sentences):
        kind, verb, where = chance.choice([(DRUGS, "took", "daily"), (FINDINGS, "reports", "severe")])
        made.append(f"She {verb} {where} {chance.choice(kind)} and {chance.choice(kind)} {where}.")
    return " ".join(made)


def documents(n: int = 30) -> list[Cas]:
    pipeline = Pipeline.parse("engines: [segmenter]")
    return [pipeline.process(Cas(text(seed), id=str(seed))) for seed in range(n)]


def train(path: Path, made: list[Cas], **parameters: object) -> VectorsTrainer:
    trainer = VectorsTrainer(vectors=path, **{"dim": 8, **parameters})  # type: ignore[arg-type]
    trainer.open()
    for cas in made:
        trainer.process(cas)
    trainer.close()
    return trainer


def stream_of(*made: list[list[str]], **how: bool) -> TokenStream:
    stream = TokenStream(**how)
    for segments in made:
        stream.add(segments)
    return stream


def test_forms_become_words_in_order_of_how_often_they_occur() -> None:
    stream = stream_of([["B", "a", "b"], ["c"]], [["b", "12", "34", "x"]])
    found = stream.vocabulary(1, 100)
    assert found.words == ["b", "00", "a", "c", "x"]
    assert found.counts.tolist() == [3, 2, 1, 1, 1]
    assert found.tokens == 8
    assert stream.vocabulary(2, 100).words == ["b", "00"]
    assert stream.vocabulary(1, 3).words == ["b", "00", "a"]
    numbers = np.concatenate(list(stream.words(stream.vocabulary(2, 100)))).tolist()
    assert numbers == [0, UNKNOWN, 0, BREAK, UNKNOWN, BREAK, 0, 1, 1, UNKNOWN, BREAK]
    assert stream.documents == 2
    stream.close()


def test_case_and_digits_can_be_kept() -> None:
    stream = stream_of([["Us", "us", "12"]], lower=False, digits=False)
    assert stream.vocabulary(1, 9).words == ["12", "Us", "us"]
    stream.close()


def test_a_document_can_be_taken_back() -> None:
    stream = stream_of([["a"]], [["b"]])
    stream.rollback()
    stream.add([["c"]])
    assert stream.vocabulary(1, 9).words == ["a", "c"]
    assert stream.documents == 2
    stream.close()


def test_half_a_surrogate_pair_is_no_word() -> None:
    stream = stream_of([["\ud800", "a"]])
    found = stream.vocabulary(1, 9)
    assert (found.words, found.tokens) == (["a"], 2)
    stream.close()


def test_forms_beyond_the_most_are_not_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_stream, "MOST_FORMS", 2)
    stream = stream_of([["a", "b", "c", "a"]])
    assert stream.vocabulary(1, 9).words == ["a", "b"]
    assert stream.overflow
    stream.close()


def long_way(numbers: list[int], window: int) -> Counter[tuple[int, int]]:
    found: Counter[tuple[int, int]] = Counter()
    for i, j in combinations(range(len(numbers)), 2):
        a, b = numbers[i], numbers[j]
        if j - i <= window and a >= 0 and b >= 0 and BREAK not in numbers[i:j]:
            found[a, b] += window + 1 - (j - i)
            found[b, a] += window + 1 - (j - i)
    return found


@given(
    st.lists(st.integers(BREAK, 4), max_size=40),
    st.integers(1, 6),
    st.lists(st.integers(1, 40), max_size=4),
)
def test_pairs_are_counted_as_the_long_way_whatever_the_blocks(
    numbers: list[int], window: int, cuts: list[int]
) -> None:
    blocks = [b.astype(np.int32) for b in np.split(np.array(numbers, dtype=np.int32), sorted(cuts))]
    counts, dropped = cooccurrence.count_pairs(blocks, 5, window)
    assert dropped == 0
    dense = counts.toarray()
    expected = long_way(numbers, window)
    assert {(i, j): int(dense[i, j]) for i, j in zip(*dense.nonzero(), strict=True)} == dict(expected)


def test_when_there_are_too_many_pairs_the_rarest_go() -> None:
    often, rare = [0, 1] * 50, list(range(2, 60))
    blocks = [np.array([*often, BREAK, *rare, BREAK], dtype=np.int32) for _ in range(3)]
    counts, dropped = cooccurrence.count_pairs(blocks, 60, 2, most=20)
    dense = counts.toarray()
    assert dropped > 0
    assert dense[0, 1] == cooccurrence.count_pairs(blocks, 60, 2)[0].toarray()[0, 1]
    assert np.count_nonzero(dense) < 60


def test_information_is_that_of_the_formula() -> None:
    from scipy.sparse import csr_matrix

    dense = np.array([[4, 1, 0], [1, 0, 7], [0, 7, 2]])
    found = factorising.positive_information(csr_matrix(dense)).toarray()
    smooth = dense.sum(axis=0) ** 0.75
    for w in range(3):
        for c in range(3):
            expected = 0.0
            if dense[w, c]:
                p = dense[w, c] / dense[w].sum() / (smooth[c] / smooth.sum())
                expected = max(0.0, math.log(p))
            assert found[w, c] == pytest.approx(expected, abs=1e-6)


def test_the_quick_factorisation_is_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy.sparse import random as sparse

    matrix = sparse(300, 300, density=0.05, random_state=4, format="csr", dtype=np.float32)
    exact = factorising.factorised(matrix, 10)
    monkeypatch.setattr(factorising, "_DENSE", 0)
    quick = factorising.factorised(matrix, 10)
    assert np.allclose(exact, quick, atol=1e-3)
    assert np.allclose(np.linalg.norm(exact, axis=1)[matrix.getnnz(axis=1) > 0], 1, atol=1e-5)


def test_words_near_no_other_and_dimensions_beyond_the_rank_are_zero() -> None:
    from scipy.sparse import csr_matrix

    dense = np.zeros((6, 6), dtype=np.float32)
    dense[:2, :2] = [[1, 2], [2, 1]]
    found = factorising.factorised(csr_matrix(dense), 4)
    assert not found[2:].any()
    assert not found[:, 2:].any()
    assert (found[np.abs(found).argmax(axis=0), np.arange(4)] >= 0).all()


def test_words_of_a_kind_are_near_one_another(tmp_path: Path) -> None:
    made = documents()
    trainer = train(tmp_path / "v.npz", made)
    found = WordVectors.load(str(tmp_path / "v.npz"))
    for kind in (DRUGS, FINDINGS):
        for word in kind:
            assert {w for w, _ in found.nearest(word, 7)} == set(kind) - {word}
    assert found.meta["training"]["documents"] == 30
    assert found.meta["training"]["parameters"]["window"] == 5
    told = trainer.made
    assert told is not None
    assert (told.words, told.dim, told.documents) == (len(found), 8, 30)
    assert told.tokens == told.covered == sum(len(cas.view().tokens) for cas in made)
    assert told.size == (tmp_path / "v.npz").stat().st_size


def test_the_order_of_documents_changes_nothing(tmp_path: Path) -> None:
    made = documents()
    train(tmp_path / "a.npz", made)
    train(tmp_path / "b.npz", made[::-1])
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


PROGRAM = """
import random, sys
from caspipe.annotators.neural.vectors import factorising
from caspipe.annotators.neural.vectors.trainer import VectorsTrainer
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas
factorising._DENSE = 10
trainer = VectorsTrainer(vectors=sys.argv[1], dim=20, min_count=1)
trainer.open()
pipeline = Pipeline.parse("engines: [segmenter]")
chance = random.Random(1)
for n in range(20):
    words = [f"w{chr(97 + chance.randrange(26))}{chr(97 + chance.randrange(26))}" for _ in range(300)]
    trainer.process(pipeline.process(Cas(" ".join(words) + ".", id=str(n))))
trainer.close()
"""


def test_the_same_bytes_under_every_hash_seed(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("sys.argv[1]", "__import__('pathlib').Path(sys.argv[1])"))
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, program, tmp_path / f"{seed}.npz"], env=environment, check=True)
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()


def test_windows_end_with_the_sentence_unless_asked_otherwise(tmp_path: Path) -> None:
    pipeline = Pipeline.parse("engines: [segmenter]")
    made = [pipeline.process(Cas("alpha beta.\n\nGamma delta.", id="1"))]
    trainer = VectorsTrainer(vectors=tmp_path / "v.npz", dim=1, min_count=1)
    pairs = {}
    for context in ("sentence", "document"):
        trained = train(tmp_path / "v.npz", made, dim=1, min_count=1, context=context).made
        assert trained is not None
        pairs[context] = trained.pairs
    assert pairs["sentence"] == 2 * (3 + 3) - 0  # alpha, beta and the stop; gamma, delta and the stop
    assert pairs["document"] > pairs["sentence"]
    assert len(trainer.needs()) == 2


def test_tokens_outside_sentences_are_learnt_from_too(tmp_path: Path) -> None:
    from caspipe.typesystem import Sentence, Token

    cas = Cas("a b c d e", id="1")
    cas.view().add_spans(Token, [0, 2, 4, 6, 8], [1, 3, 5, 7, 9])
    cas.view().add_spans(Sentence, [2], [5])
    made = train(tmp_path / "v.npz", [cas], dim=1, min_count=1).made
    assert made is not None
    assert (made.tokens, made.words, made.pairs) == (5, 5, 4)  # b c, d e


def test_word2vec_text_is_written_for_other_names(tmp_path: Path) -> None:
    made = documents(5)
    train(tmp_path / "v.txt", made)
    assert (tmp_path / "v.txt").read_text().splitlines()[0].split() == ["23", "8"]
    train(tmp_path / "w.txt", made, format="npz")
    assert np.array_equal(
        WordVectors.load(str(tmp_path / "v.txt")).matrix, WordVectors.load(str(tmp_path / "w.txt")).matrix
    )


def test_too_little_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConsumerError) as caught:
        train(tmp_path / "v.npz", documents(1), dim=100)
    assert str(caught.value) == (
        "vectors_trainer: too little to learn from: 23 words occur 3 times or more in 1 documents, and 100 dimensions "
        "need more than 100: give a smaller dim or min_count, or more text"
    )
    with pytest.raises(ConsumerError, match=r": 0 words occur 1 time or more in 0 documents"):
        train(tmp_path / "v.npz", [], min_count=1)
    pipeline = Pipeline.parse("engines: [segmenter]")
    alone = [pipeline.process(Cas("alpha\n\nbeta", id="1"))]
    with pytest.raises(
        ConsumerError, match=r"^vectors_trainer: nothing to learn from: no two words stand near one another$"
    ):
        train(tmp_path / "v.npz", alone, min_count=1, dim=1)
    assert not list(tmp_path.iterdir())


def test_limits_that_were_reached_are_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = documents(3)
    monkeypatch.setattr(token_stream, "MOST_FORMS", 10)
    with pytest.warns(CaspipeWarning, match=r"^vectors_trainer: more than 4,000,000 different words"):
        train(tmp_path / "v.npz", made)
    assert len(WordVectors.load(str(tmp_path / "v.npz"))) == 10


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("dim", 0, "dim: expected 1 to 10,000, got 0"),
        ("window", 101, "window: expected 1 to 100, got 101"),
        ("min_count", 0, "min_count: expected 1 or more, got 0"),
        ("max_words", 2_000_000, "max_words: expected 1 to 1,000,000, got 2,000,000"),
    ],
)
def test_parameters_out_of_range_are_told(name: str, value: int, told: str) -> None:
    with pytest.raises(ValueError, match=f"^{told}$"):
        VectorsTrainer(vectors=Path("v.npz"), **{name: value})  # type: ignore[arg-type]


def test_a_broken_run_leaves_nothing_and_a_failed_document_is_not_learnt(tmp_path: Path) -> None:
    made = documents(5)
    trainer = VectorsTrainer(vectors=tmp_path / "v.npz", dim=8)
    trainer.open()
    trainer.process(made[0])
    trainer.abort()
    assert not list(tmp_path.iterdir())
    trainer.open()
    for cas in made:
        trainer.process(cas)
    trainer.rollback(made[0].id)  # not the latest: it is no more to be taken back
    trainer.rollback(made[-1].id)
    trainer.rollback(made[-1].id)
    trainer.close()
    train(tmp_path / "four.npz", made[:-1])
    assert (tmp_path / "v.npz").read_bytes() == (tmp_path / "four.npz").read_bytes()


def test_it_refuses_to_overwrite_something_else_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Seen on Monday.")
    trainer = VectorsTrainer(vectors=tmp_path / "notes.txt")
    with pytest.raises(ResourceError, match=r"exists and holds no word vectors: choose another name$"):
        trainer.open()


def test_it_works_in_a_pipeline_also_on_masked_text(tmp_path: Path) -> None:
    for n, name in enumerate(("Smith", "Jones", "Baker")):
        (tmp_path / f"{n}.txt").write_text(f"Dr. {name} saw her on 3/4/2020. " * 5 + text(n), encoding="utf-8")
    for view, known in (("_InitialView", True), ("deidentified", False)):
        pipeline = Pipeline.parse(
            f"""
            reader: {{text: {{folder: {tmp_path}}}}}
            engines: [segmenter, dates, names, resolver, {{masker: {{default: placeholder, DATE: placeholder}}}}]
            consumers: [{{vectors_trainer: {{vectors: v.npz, dim: 8, view: {view}}}}}]
            run: {{output: {tmp_path / "out"}}}
            """
        )
        assert pipeline.run().exit_code == 0
        found = WordVectors.load(str(tmp_path / "out" / "v.npz"))
        assert ("smith" in found) is known
        assert "took" in found
