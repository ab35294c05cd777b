"""Training a tagger: carried tags, bundles, what cannot be learnt from, same bytes every time."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.sequence.features.position import SentencePosition
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.annotators.sequence.model_files import read_card, read_description
from caspipe.annotators.sequence.realign import transfer_tags
from caspipe.annotators.sequence.tag_scores import TagScores
from caspipe.annotators.sequence.tagger_trainer import TaggerTrainer, record_scores, tagger_features
from caspipe.annotators.sequence.weights import Weights, mean, slim
from caspipe.annotators.tagging.tagger import Tagger
from caspipe.pipeline.errors import ConsumerError
from caspipe.typesystem import GOLD_VIEW, Cas, CasError, CaspipeWarning, Token
from caspipe.typesystem.tokenize import token_spans

sys.path.append(str(Path(__file__).resolve().parents[2]))
from treebank import sentences, tagged

PENN = frozenset("NN NNP NNS JJ VBN CD HYPH SYM POS RB VBZ VBD PRP DT IN ADD NFP FW . , : -LRB- -RRB-".split())


def train(folder: Path, *documents: Cas, **given: Any) -> Path:
    trainer = TaggerTrainer(model=Path("model"), **given)
    trainer.output = folder
    trainer.open()
    for cas in documents:
        trainer.process(cas)
    trainer.close()
    return folder / "model"


def carried(words: str, tokens: list[str] | None = None, tagset: frozenset[str] = PENN) -> str:
    """`Dr._NNP Who_NNP` as tokens of ours, or of those given, with the tags they get; `+` stands for no blank."""
    text, begins, ends, tags = "", [], [], []
    for item in words.split():
        glued = item.startswith("+") and len(item) > 1
        form, _, tag = item.removeprefix("+").rpartition("_")
        text += "" if glued or not text else " "
        begins.append(len(text))
        text += form
        ends.append(len(text))
        tags.append(tag)
    if tokens is None:
        spans = token_spans(text)
    else:
        starts = [text.index(t) for t in tokens]
        spans = (starts, [b + len(t) for b, t in zip(starts, tokens, strict=True)])
    found = transfer_tags(text, (begins, ends), tags, spans, tagset)
    return " ".join(f"{text[b:e]}_{t}" for b, e, t in zip(*spans, found.tags, strict=True))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Dr._NNP Almgren_NNP", "Dr_NNP ._. Almgren_NNP"),
        ("U.S._NNP", "U_NNP ._. S_NNP ._."),
        ("on_IN 11/28/2000_CD", "on_IN 11_CD /_SYM 28_CD /_SYM 2000_CD"),
        ("RanBP2_NN", "RanBP_NN 2_CD"),
        ("at_IN ward7@clinic.example_ADD", "at_IN ward7_ADD @_ADD clinic_ADD ._ADD example_ADD"),
        (":)_NFP", ":_NFP )_NFP"),
        ("it's_PRP", "it_PRP 's_POS"),
        ("wild_JJ +-_HYPH +type_NN", "wild-type_NN"),
        ("Cre_NN +-_HYPH +mediated_VBN", "Cre-mediated_JJ"),
        ("the_DT doctor_NN +s_POS office_NN", "the_DT doctors_NN office_NN"),
        ("was_VBD mediated_VBN", "was_VBD mediated_VBN"),
        ("al_NNP +-_HYPH +Hamad_NNP 's_POS", "al-Hamad_NNP 's_POS"),
    ],
)
def test_tags_go_over_to_our_tokens(words: str, expected: str) -> None:
    assert carried(words) == expected


def test_parts_get_no_tag_that_the_tag_set_lacks() -> None:
    assert carried("Dr._PROPN", tagset=frozenset(["PROPN", "PUNCT"])) == "Dr_PROPN ._PROPN"


def test_where_borders_cross_the_last_character_decides() -> None:
    assert carried("ab_NN +cd_JJ +ef_RB", ["abc", "def"]) == "abc_JJ def_RB"


def test_what_has_no_counterpart_has_no_tag() -> None:
    text = "one two three"
    found = transfer_tags(text, ([4], [7]), ["CD"], token_spans(text), PENN)
    assert found.tags == ["", "CD", ""]
    assert (found.same, found.untagged) == (1, 2)


@given(st.text("ab.-' ", max_size=30), st.lists(st.integers(0, 30), max_size=12))
def test_every_token_over_a_word_gets_one_of_the_tags(text: str, cuts: list[int]) -> None:
    borders = sorted({0, len(text), *[c for c in cuts if c < len(text)]})
    words = (borders[:-1], borders[1:])
    tags = [("NN", "VBN", "HYPH")[i % 3] for i in range(len(words[0]))]
    tokens = token_spans(text)
    found = transfer_tags(text, words, tags, tokens, PENN)
    assert len(found.tags) == len(tokens[0])
    assert all(found.tags)
    assert found.untagged == 0


def test_a_tagger_learns_what_it_was_shown(tmp_path: Path) -> None:
    path = train(tmp_path, tagged(sentences()), language="en", licence="ours", corpora=["made up"])
    tagger = Tagger(model=LinearModel.load(str(path)))
    tagger.open()
    cas = tagged([[("She", "PRP"), ("noticed", "VBD"), ("a", "DT"), ("severe", "JJ"), ("rash", "NN"), (".", ".")]])
    tagger.process(cas)
    assert cas.view().tokens.pos == ["PRP", "VBD", "DT", "JJ", "NN", "."]
    meta = read_description(str(path))
    assert meta["type"] == "tagger"
    assert meta["training"]["carried"]["cut"] == meta["training"]["tags"]["NNP"] // 2 > 0
    assert "* Licence: ours" in read_card(str(path))
    assert "* made up" in read_card(str(path))


@pytest.mark.parametrize("given", [{}, {"runs": 2}, {"algorithm": "lbfgs"}], ids=["ap", "runs", "lbfgs"])
def test_the_same_data_give_the_same_bytes(tmp_path: Path, given: dict[str, Any]) -> None:
    made = []
    for name in ("first", "second"):
        path = train(tmp_path / name, tagged(sentences(60)), **given)
        made.append({file.name: file.read_bytes() for file in sorted(path.iterdir())})
    assert made[0] == made[1]


def test_sentences_that_differ_are_learnt_in_both_forms(tmp_path: Path) -> None:
    path = train(tmp_path, tagged(sentences(30)))
    doctors = sum(("Dr.", "NNP") in sentence for sentence in sentences(30))
    assert 0 < doctors < 30
    assert read_description(str(path))["crfsuite"]["sequences"] == 30 + doctors
    assert "0:token=Dr." in LinearModel.load(str(path)).weights.attributes
    other = train(tmp_path / "more", tagged(sentences(30)), features=[*tagger_features(), SentencePosition()])
    assert read_description(str(other))["crfsuite"]["sequences"] == 30


def test_scores_are_added_to_description_and_card(tmp_path: Path) -> None:
    path = train(tmp_path, tagged(sentences(30)), keep_crfsuite=True)
    before = LinearModel.load(str(path))
    crfsuite = (path / "model.crfsuite").read_bytes()
    scores = TagScores()
    scores.add(["NN", "NN", "JJ"], ["NN", "JJ", "JJ"])
    record_scores(path, [scores.row("some corpus", "ours", tags=True)])
    after = LinearModel.load(str(path))
    assert np.array_equal(before.weights.values, after.weights.values)
    assert (path / "model.crfsuite").read_bytes() == crfsuite
    assert after.meta["scores"][0]["accuracy"] == 0.6667
    assert "| some corpus | ours | 3 | 0.6667 |" in read_card(str(path))
    assert "| `JJ` | 1 | 0.500 | 1.000 | 0.667 |" in read_card(str(path))


def test_weights_are_kept_in_single_precision_and_in_order() -> None:
    weights = Weights(["A", "B"], ["0:z", "0:a"], np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([0.1, 0.01, -2.0]))
    found = slim(weights, 0.05)
    assert found.attributes == ["0:a", "0:z"]
    assert found.values.tolist() == [-2.0, float(np.float32(0.1))]
    assert (found.rows.tolist(), found.columns.tolist()) == ([0, 1], [0, 0])


def test_the_mean_of_models_scores_as_their_mean() -> None:
    one = Weights(["A", "B"], ["0:x", "0:y"], np.array([0, 1]), np.array([0, 1]), np.array([2.0, 4.0]), np.eye(2))
    two = Weights(
        ["B", "A"],
        ["0:y", "0:z"],
        np.array([0, 1]),
        np.array([0, 1]),
        np.array([6.0, 8.0]),
        np.array([[3.0, 5], [0, 1]]),
    )
    found = mean([one, two])
    named = {
        (found.attributes[r], found.labels[c]): v
        for r, c, v in zip(found.rows.tolist(), found.columns.tolist(), found.values.tolist(), strict=True)
    }
    assert named == {("0:x", "A"): 1.0, ("0:y", "B"): 5.0, ("0:z", "A"): 4.0}
    assert found.labels == ["A", "B"]
    assert found.transitions is not None
    assert found.transitions.tolist() == [[1.0, 0.0], [2.5, 2.0]]
    with pytest.raises(ValueError, match="different labels"):
        mean([one, Weights(["A"], [], np.array([], int), np.array([], int), np.array([]))])


def test_sentences_with_an_untagged_token_are_left_out_and_told(tmp_path: Path) -> None:
    cas = tagged(sentences(20))
    gold = cas.view(GOLD_VIEW)
    gold.set_feature(Token, "pos", ["", *gold.tokens.pos[1:]])
    with pytest.warns(CaspipeWarning, match=r"tagger_trainer: 2 tokens without a reference tag; their sentences"):
        path = train(tmp_path, cas)
    assert read_description(str(path))["crfsuite"]["sequences"] == 19 + 6


def test_one_tag_alone_cannot_be_learnt(tmp_path: Path) -> None:
    with pytest.raises(
        ConsumerError, match=r"^tagger_trainer: only one tag occurs in training, expected at least two$"
    ):
        train(tmp_path, tagged([[("rash", "NN"), ("fever", "NN")]]))


def test_without_tags_there_is_nothing_to_learn(tmp_path: Path) -> None:
    cas = tagged([[("rash", ""), ("fever", "")]])
    with pytest.raises(ConsumerError, match=r"nothing to learn: no tags on tokens in 1 documents \(view gold\)$"):
        train(tmp_path, cas)
    assert not (tmp_path / "model").exists()


def test_a_gold_view_over_another_text_is_an_error(tmp_path: Path) -> None:
    cas = Cas("one")
    cas.create_view(GOLD_VIEW, "two")
    with pytest.raises(CasError, match="another text"):
        train(tmp_path, cas)


def test_a_document_taken_back_is_not_learnt_from(tmp_path: Path) -> None:
    trainer = TaggerTrainer(model=Path("model"))
    trainer.output = tmp_path
    trainer.open()
    first, second = tagged(sentences(20)), tagged(sentences(30))
    for cas in (first, second):
        trainer.process(cas)
    trainer.rollback(second.id)
    trainer.rollback(second.id)
    trainer.close()
    assert read_description(str(tmp_path / "model"))["training"]["documents"] == 1


def test_a_run_that_breaks_down_leaves_no_model(tmp_path: Path) -> None:
    trainer = TaggerTrainer(model=Path("model"))
    trainer.output = tmp_path
    trainer.open()
    trainer.process(tagged(sentences(10)))
    trainer.abort()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"prune": -1.0}, "prune: expected a finite number of 0 or more, got -1.0"),
        ({"prune": float("nan")}, "prune: expected a finite number of 0 or more, got nan"),
        ({"min_count": 0}, "min_count: expected 1 or more, got 0"),
        ({"max_iterations": 0}, "max_iterations: expected 1 or more, got 0"),
        ({"c1": -0.1}, "c1: expected a finite number of 0 or more, got -0.1"),
        ({"runs": 0}, "runs: expected 1 or more, and 1 for lbfgs, got 0"),
        ({"runs": 2, "algorithm": "lbfgs"}, "runs: expected 1 or more, and 1 for lbfgs, got 2"),
        (
            {"runs": 2, "keep_crfsuite": True},
            "keep_crfsuite: expected a single training (runs: 1): the mean of several is not CRFsuite's",
        ),
        ({"features": []}, "features: expected at least one"),
    ],
)
def test_impossible_parameters_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:
        TaggerTrainer(model=Path("model"), **given)
    assert str(error.value) == message


def test_scores_count_by_tag() -> None:
    scores = TagScores()
    scores.add(["NN", "NN", "JJ", ""], ["NN", "JJ", "JJ", "DT"])
    scores.add(["RB"], ["NN"])
    assert scores.tokens == 4
    assert scores.accuracy == 0.5
    assert scores.by_tag()["NN"] == {"support": 2, "precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert scores.by_tag()["RB"]["precision"] is None
    assert scores.confusions() == [("NN", "JJ", 1), ("RB", "NN", 1)]
    assert TagScores().accuracy is None


def test_descriptions_are_plain_json(tmp_path: Path) -> None:
    path = train(tmp_path, tagged(sentences(10)))
    assert json.loads((path / "model.json").read_text(encoding="utf-8"))["labels"]
