"""Vectors from text with a planted structure: what is learnt, from which tokens, and that it is the same each time."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from caspipe.annotators.neural.vectors import WordVectors
from caspipe.annotators.neural.vectors import corpus as corpus_module
from caspipe.annotators.neural.vectors.corpus import Corpus
from caspipe.annotators.neural.vectors.trainer import VectorsTrainer
from caspipe.pipeline.errors import ConsumerError, ResourceError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas

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


def corpus_of(*made: list[list[str]], **how: bool) -> Corpus:
    corpus = Corpus(**how)
    for segments in made:
        corpus.add(segments)
    corpus.flush()
    return corpus


def test_the_vocabulary_is_in_the_order_of_frequency() -> None:
    corpus = corpus_of([["B", "a", "b"], ["c"]], [["b", "12", "34", "x"]])
    assert list(corpus.vocabulary(1, 100).items()) == [("b", 3), ("00", 2), ("a", 1), ("c", 1), ("x", 1)]
    assert list(corpus.vocabulary(2, 100)) == ["b", "00"]
    assert list(corpus.vocabulary(1, 3)) == ["b", "00", "a"]
    assert list(corpus) == list(corpus) == [["b", "a", "b"], ["c"], ["b", "00", "00", "x"]]
    assert (corpus.counts.total(), corpus.documents) == (8, 2)
    corpus.close()


def test_case_and_digits_can_be_kept() -> None:
    corpus = corpus_of([["Us", "us", "12"]], lower=False, digits=False)
    assert list(corpus.vocabulary(1, 9)) == ["12", "Us", "us"]
    corpus.close()


def test_the_latest_document_can_be_removed() -> None:
    corpus = Corpus()
    corpus.add([["a"]])
    corpus.add([["b"]])
    corpus.rollback()
    corpus.add([["c"]])
    corpus.flush()
    assert list(corpus.vocabulary(1, 9)) == ["a", "c"]
    assert corpus.documents == 2
    corpus.close()


def test_a_lone_surrogate_is_not_a_word() -> None:
    corpus = corpus_of([["\ud800", "a"]])
    assert (list(corpus.vocabulary(1, 9)), corpus.counts.total()) == (["a"], 2)
    corpus.close()


def test_long_segments_are_cut_to_what_gensim_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_module, "LONGEST_SEGMENT", 2)
    corpus = corpus_of([["a", "b", "c", "d", "e"]])
    assert list(corpus) == [["a", "b"], ["c", "d"], ["e"]]
    corpus.close()


def test_words_of_a_kind_are_near_one_another(tmp_path: Path) -> None:
    made = documents()
    trainer = train(tmp_path / "v.npz", made)
    found = WordVectors.load(str(tmp_path / "v.npz"))
    for kind in (DRUGS, FINDINGS):
        for word in kind:
            assert {w for w, _ in found.nearest(word, 7)} == set(kind) - {word}
    assert found.meta["training"]["documents"] == 30
    assert found.meta["training"]["parameters"]["window"] == 5
    trained = trainer.trained
    assert trained is not None
    assert (trained.words, trained.dim, trained.documents) == (len(found), 8, 30)
    assert trained.tokens == trained.covered == sum(len(cas.view().tokens) for cas in made)
    assert np.allclose(np.linalg.norm(found.matrix, axis=1), 1, atol=1e-5)
    assert trained.size == (tmp_path / "v.npz").stat().st_size


def test_the_same_documents_give_the_same_bytes(tmp_path: Path) -> None:
    made = documents(5)
    for name in ("a.npz", "b.npz"):
        train(tmp_path / name, made)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    train(tmp_path / "c.npz", made, seed=2)
    assert (tmp_path / "a.npz").read_bytes() != (tmp_path / "c.npz").read_bytes()


PROGRAM = """
import random, sys
from caspipe.annotators.neural.vectors.trainer import VectorsTrainer
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas
trainer = VectorsTrainer(vectors=sys.argv[1], dim=20, min_count=1)
trainer.open()
pipeline = Pipeline.parse("engines: [segmenter]")
chance = random.Random(1)
for n in range(20):
    words = [f"w{chr(97 + chance.randrange(26))}{chr(97 + chance.randrange(26))}" for _ in range(300)]
    trainer.process(pipeline.process(Cas(" ".join(words) + ".", id=str(n))))
trainer.close()
"""


@pytest.mark.slow
def test_the_same_bytes_under_every_hash_seed(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("sys.argv[1]", "__import__('pathlib').Path(sys.argv[1])"))
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, program, tmp_path / f"{seed}.npz"], env=environment, check=True)
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()


def test_windows_end_with_the_sentence_unless_asked_otherwise(tmp_path: Path) -> None:
    pipeline = Pipeline.parse("engines: [segmenter]")
    made = [pipeline.process(Cas("alpha.\n\nBeta.", id="1"))]
    with pytest.raises(ConsumerError, match="no two words occur near each other"):
        train(tmp_path / "v.npz", made, min_count=1, max_words=1, digits=False)
    trainer = train(tmp_path / "v.npz", made, min_count=1, context="document")
    assert (len(trainer.needs()), len(VectorsTrainer(vectors=tmp_path / "w.npz").needs())) == (1, 2)
    sentences, document = Corpus(), Corpus()
    for corpus, context in ((sentences, "sentence"), (document, "document")):
        corpus.add(VectorsTrainer(vectors=tmp_path / "w.npz", context=context)._segments(made[0].view()))  # type: ignore[arg-type]
        corpus.flush()
    assert [s for s in sentences if s] == [["alpha", "."], ["beta", "."]]
    assert list(document) == [["alpha", ".", "beta", "."]]
    sentences.close()
    document.close()


def test_tokens_outside_sentences_are_learnt_from_too(tmp_path: Path) -> None:
    from caspipe.typesystem import Sentence, Token

    cas = Cas("a b c d e", id="1")
    cas.view().add_spans(Token, [0, 2, 4, 6, 8], [1, 3, 5, 7, 9])
    cas.view().add_spans(Sentence, [2], [5])
    trained = train(tmp_path / "v.npz", [cas], dim=1, min_count=1).trained
    assert trained is not None
    assert (trained.tokens, trained.words) == (5, 5)


def test_word2vec_text_is_written_for_other_names(tmp_path: Path) -> None:
    made = documents(5)
    train(tmp_path / "v.txt", made)
    assert (tmp_path / "v.txt").read_text().splitlines()[0].split() == ["23", "8"]
    train(tmp_path / "w.txt", made, format="npz")
    assert np.array_equal(
        WordVectors.load(str(tmp_path / "v.txt")).matrix, WordVectors.load(str(tmp_path / "w.txt")).matrix
    )


def test_too_little_text_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConsumerError) as caught:
        train(tmp_path / "v.npz", documents(1), min_count=1_000)
    assert str(caught.value) == (
        "vectors_trainer: nothing to learn from: no word occurs 1000 times or more in 1 documents: give a smaller min_count, "
        "or more text"
    )
    with pytest.raises(ConsumerError, match=r": no word occurs 1 time or more in 0 documents"):
        train(tmp_path / "v.npz", [], min_count=1)
    pipeline = Pipeline.parse("engines: [segmenter]")
    alone = [pipeline.process(Cas("alpha\n\nbeta", id="1"))]
    with pytest.raises(
        ConsumerError, match=r"^vectors_trainer: nothing to learn from: no two words occur near each other$"
    ):
        train(tmp_path / "v.npz", alone, min_count=1, dim=1)
    assert not list(tmp_path.iterdir())


def test_gensim_is_asked_for_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(ResourceError, match=r"^vectors_trainer: needs gensim: pip install 'caspipe\[vectors\]'$"):
        VectorsTrainer(vectors=tmp_path / "v.npz").open()


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("dim", 0, "dim: expected 1 to 10,000, got 0"),
        ("window", 101, "window: expected 1 to 100, got 101"),
        ("min_count", 0, "min_count: expected 1 or more, got 0"),
        ("epochs", 0, "epochs: expected 1 to 1,000, got 0"),
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
    with pytest.raises(ResourceError, match=r"exists and does not contain word vectors: choose another name$"):
        trainer.open()


@pytest.mark.slow
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
