"""The tagger: tags by column, tags kept, models it refuses, the shipped model on sentences of ours."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pycrfsuite
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.annotators.sequence.feature import Words
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.annotators.sequence.model_files import locate_model
from caspipe.annotators.sequence.tagger_trainer import TaggerTrainer
from caspipe.annotators.sequence.viterbi import viterbi
from caspipe.annotators.tagging.tagger import Tagger
from caspipe.pipeline.contract.apply import apply
from caspipe.pipeline.errors import ConfigError, ResourceError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas, Chunk, Sentence, Token

sys.path.append(str(Path(__file__).resolve().parents[2]))
from treebank import sentences, tagged

SHIPPED = """
    The/DT patient/NN developed/VBD a/DT severe/JJ headache/NN and/CC fever/NN ./.
    She/PRP received/VBD two/CD doses/NNS of/IN the/DT vaccine/NN in/IN January/NNP ./.
    He/PRP was/VBD taken/VBN to/IN the/DT hospital/NN by/IN his/PRP$ wife/NN ./.
    They/PRP did/VBD n't/RB want/VB to/TO stay/VB ./.
    Dr/NNP ./. Almgren/NNP saw/VBD the/DT patient/NN 's/POS rash/NN yesterday/NN ./.
    His/PRP$ arms/NNS were/VBD red/JJ ,/, swollen/JJ and/CC painful/JJ ./.
    There/EX is/VBZ no/DT history/NN of/IN allergies/NNS ./.
    I/PRP can/MD not/RB sleep/VB ,/, and/CC my/PRP$ arm/NN is/VBZ painful/JJ ./.
"""


def segmented(text: str) -> Cas:
    cas = Cas(text)
    apply(Segmenter(), cas)
    return cas


def tags_of(cas: Cas) -> list[str]:
    return cas.view().tokens.pos


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tagger trained on 120 made-up sentences."""
    trainer = TaggerTrainer(model=Path("small"), max_iterations=5)
    trainer.output = tmp_path_factory.mktemp("models")
    trainer.open()
    trainer.process(tagged(sentences()))
    trainer.close()
    return trainer.output / "small"


@pytest.fixture(scope="session")
def shipped() -> Tagger:
    tagger = Tagger()
    tagger.open()
    return tagger


@pytest.mark.parametrize("line", [line.strip() for line in SHIPPED.strip().splitlines()], ids=range(8))
def test_the_shipped_model_knows_english(shipped: Tagger, line: str) -> None:
    pairs = [item.rpartition("/") for item in line.split()]
    text = " ".join(form for form, _, _ in pairs)
    for clitic in ("n't", "'s", "."):
        text = text.replace(f" {clitic}", clitic)
    cas = segmented(text)
    shipped.process(cas)
    found = list(zip(cas.view().tokens.forms, tags_of(cas), strict=True))
    assert found == [(form, tag) for form, _, tag in pairs]


def test_the_shipped_model_is_small_and_says_what_it_is(shipped: Tagger) -> None:
    folder = locate_model("en-tagger")
    assert sum(file.stat().st_size for file in folder.iterdir()) < 3_000_000
    assert shipped.model.meta["licence"] == "CC BY-SA 4.0"
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "CC BY-SA 4.0" in card
    assert "| `NNP` |" in card


def test_it_runs_in_a_pipeline_and_serves_what_comes_after() -> None:
    pipeline = Pipeline.parse("engines: [segmenter, tagger, {chunker: {untagged: nothing}}]")
    cas = pipeline.process("The patient took two tablets.")
    assert [(c.covered_text, c.tag) for c in cas.select(Chunk)] == [
        ("The patient", "NP"),
        ("took", "VP"),
        ("two tablets", "NP"),
    ]


def test_it_needs_tokens() -> None:
    with pytest.raises(ConfigError, match="tagger"):
        Pipeline.parse("engines: [tagger]")


def test_tags_are_set_without_making_objects(small: Path) -> None:
    cas = segmented("She noticed a severe rash.")
    tagger = Tagger(model=LinearModel.load(str(small)))
    tagger.open()
    tagger.process(cas)
    assert tags_of(cas) == ["PRP", "VBD", "DT", "JJ", "NN", "."]
    assert cas.view().indexes.of(Token).spans_only is None  # columns with a feature, no objects
    assert [t.pos for t in cas.select(Token)] == ["PRP", "VBD", "DT", "JJ", "NN", "."]


def test_tags_that_are_there_are_replaced_or_kept(small: Path) -> None:
    given = ["", "VBD", "", "FW", "XYZ", ""]
    for keep, expected in ((False, "PRP VBD DT JJ NN .".split()), (True, "PRP VBD DT FW XYZ .".split())):
        cas = segmented("She noticed a severe rash.")
        cas.view().set_feature(Token, "pos", list(given))
        tagger = Tagger(model=LinearModel.load(str(small)), keep=keep)
        tagger.open()
        tagger.process(cas)
        assert tags_of(cas) == expected


def test_a_kept_tag_tells_its_neighbours(small: Path) -> None:
    model = LinearModel.load(str(small))
    weights = model.weights
    assert weights.transitions is not None
    cas = segmented("Qq zz.")
    plain, keeping = Tagger(model=model), Tagger(model=model, keep=True)
    after: dict[str, str] = {}
    for tag in ("DT", "JJ", "PRP"):
        cas.view().set_feature(Token, "pos", [tag, "", ""])
        after[tag] = keeping.tags(cas.view())[1]
    columns = plain._scorer.features.columns(Words(cas.view()))
    scores = plain._scorer.scores(columns)
    for tag, found in after.items():
        scores_given = scores.copy()
        scores_given[0] = -1e9
        scores_given[0, weights.labels.index(tag)] = 0.0
        best = viterbi(scores_given, columns.sentences, weights.transitions)
        assert weights.labels[best[1]] == found


def test_labels_are_those_of_crfsuite(tmp_path: Path) -> None:
    trainer = TaggerTrainer(model=tmp_path / "model", max_iterations=3, keep_crfsuite=True)
    trainer.open()
    trainer.process(tagged(sentences(80)))
    trainer.close()
    theirs = pycrfsuite.Tagger()
    theirs.open(str(tmp_path / "model" / "model.crfsuite"))
    tagger = Tagger(model=LinearModel.load(str(tmp_path / "model")))
    tagger.open()
    cas = tagged(sentences(200)[80:])
    words = Words(cas.view())
    columns = tagger._scorer.features.columns(words)
    attributes = list(tagger._scorer.features.attributes(columns))
    expected = [tag for first, last in columns.sentences for tag in theirs.tag(attributes[first:last])]
    assert tagger.tags(cas.view()) == expected


def test_an_empty_text_has_no_tags(shipped: Tagger) -> None:
    for text in ("", " \n "):
        cas = segmented(text)
        shipped.process(cas)
        assert tags_of(cas) == []


@settings(max_examples=60)
@given(st.text(max_size=80))
def test_every_token_of_any_text_gets_a_tag(shipped: Tagger, text: str) -> None:
    cas = segmented(text)
    shipped.process(cas)
    assert set(tags_of(cas)) <= set(shipped.model.labels)
    assert len(tags_of(cas)) == cas.view().count(Token)


@settings(max_examples=30)
@given(
    st.lists(
        st.sampled_from("the patient took 2 mg and did n't sleep . , Dr Almgren yesterday of to".split()), max_size=60
    )
)
def test_tags_are_the_best_path_of_the_plain_viterbi(shipped: Tagger, words: list[str]) -> None:
    cas = segmented(" ".join(words))
    scorer = shipped._scorer
    columns = scorer.features.columns(Words(cas.view()))
    transitions = shipped.model.weights.transitions
    assert transitions is not None
    best = viterbi(scorer.scores(columns), columns.sentences, transitions)
    assert shipped.tags(cas.view()) == [scorer.labels[i] for i in best]


def test_tokens_outside_sentences_are_tagged_too(shipped: Tagger) -> None:
    cas = Cas("He slept. Then she came.")
    view = cas.view()
    view.add_spans(Token, [0, 3, 8, 10, 15, 19, 23], [2, 8, 9, 14, 18, 23, 24])
    view.add_spans(Sentence, [0], [9])
    shipped.process(cas)
    assert tags_of(cas) == ["PRP", "VBD", ".", "RB", "PRP", "VBD", "."]


def test_a_model_of_another_sort_is_refused(small: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(small, other)
    meta = json.loads((other / "model.json").read_text(encoding="utf-8"))
    (other / "model.json").write_text(json.dumps({**meta, "type": "svm"}), encoding="utf-8")
    with pytest.raises(ResourceError, match=r"trained as svm; the component svm applies it, not tagger$"):
        Tagger(model=LinearModel.load(str(other))).open()


def test_a_model_that_is_not_there_is_told_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match=r"en-tagegr.*en-tagger"):
        Pipeline.parse("engines: [segmenter, {tagger: {model: en-tagegr}}]")
