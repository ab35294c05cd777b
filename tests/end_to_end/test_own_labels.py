"""Models that learn the labels of a corpus, such as the 18 of OntoNotes: training, application, scores, PHI kinds at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from caspipe.pipeline import Pipeline
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.errors import CaspipeError
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind, phi

LABELS = {
    "PERSON": ["Anna Bell", "Rui", "Omar Haddad", "Ines"],
    "NORP": ["Dutch", "Peruvian", "Quaker"],
    "FAC": ["Tower Bridge", "Gate Nine"],
    "ORG": ["Acme Corp", "Zenit", "Delta Works"],
    "GPE": ["Peru", "New Delhi", "Oslo"],
    "LOC": ["Mount Elgon", "Lake Chad"],
    "PRODUCT": ["Skoda Fabia", "Walkman"],
    "EVENT": ["Hurricane Ida", "World War II"],
    "WORK_OF_ART": ["Hard Times", "Ulysses"],
    "LAW": ["Jones Act", "Magna Carta"],
    "LANGUAGE": ["Latin", "Swahili"],
    "DATE": ["last June", "Monday"],
    "TIME": ["noon", "ten minutes"],
    "PERCENT": ["nine percent", "5 %"],
    "MONEY": ["two dollars", "40 euros"],
    "QUANTITY": ["six miles", "3 pounds"],
    "ORDINAL": ["first", "second"],
    "CARDINAL": ["seven", "dozens"],
}
"""The types of Table I of the source, as OntoNotes 5 writes them."""
SENTENCES = (
    "{PERSON} of {ORG} , a {NORP} lawyer , flew to {GPE} on {DATE} .",
    "The {ORDINAL} owner paid {MONEY} for {CARDINAL} copies of the book {WORK_OF_ART} in {LANGUAGE} .",
    "Under the {LAW} the firm lost {PERCENT} of its {PRODUCT} sales at {TIME} .",
    "During {EVENT} people walked {QUANTITY} from the station {FAC} towards the slopes of {LOC} .",
)
PARTS = {
    "crf": ("crf_trainer", "{model: own, features: [lower, capital_type, suffix2], max_iterations: 60}"),
    "svm": ("svm_trainer", "{model: own, features: [lower, capital_type, suffix2], C: 1}"),
    "neural": (
        "neural_trainer",
        "{model: own, features: [capital_type], tokens: {random: {dim: 24, min_count: 1, lower: true}}, characters: null, "
        "attributes: {feed_forward: {widths: [8]}}, encoder: {lstm: {width: 24}}, decoder: crf, dropout: 0.1, encoding: bilou, "
        "optimizer: {adam: {rate: 0.02}}, batch: 8, epochs: 12, patience: 0, held_out: 0, checkpoint: false}",
    ),
}
"""Trainer of each annotator, with its parameters."""


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the labels at the end of a test."""
    monkeypatch.setattr(phi, "_REGISTRY", dict(phi._REGISTRY))


def rows(number: int) -> Iterator[str]:
    for sentence in SENTENCES:
        for word in sentence.split():
            if not word.startswith("{"):
                yield f"{word}\tO"
                continue
            label = word.strip("{}")
            choices = LABELS[label]
            for i, part in enumerate(choices[number % len(choices)].split()):
                yield f"{part}\t{'I' if i else 'B'}-{label}"
        yield ""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Twelve documents with every type, in the form of CoNLL."""
    folder = tmp_path / "ontonotes"
    folder.mkdir()
    documents = ("-DOCSTART-\tO\n\n" + "\n".join(rows(number)) for number in range(12))
    (folder / "all.conll").write_text("\n".join(documents) + "\n", encoding="utf-8")
    return folder


def train(corpus: Path, out: Path, annotator: str) -> Path:
    trainer, parameters = PARTS[annotator]
    config = (
        f"reader: {{conll: {{folder: {corpus}, own_labels: true}}}}\nengines: [segmenter]\n"
        f"consumers: [{trainer}: {parameters}]\nrun: {{output: {out}, on_error: stop}}\n"
    )
    assert Pipeline.parse(config).run().exit_code == 0
    return out / "own"


@pytest.fixture(params=["crf", "svm", pytest.param("neural", marks=pytest.mark.slow)])
def annotator(request: pytest.FixtureRequest) -> str:
    if request.param == "neural":
        pytest.importorskip("torch")
    return str(request.param)


def applied(annotator: str, model: Path, more: str = "") -> Cas:
    text = "Omar Haddad of Zenit , a Dutch lawyer , flew to New Delhi on Monday .\nThe second owner paid two dollars ."
    return Pipeline.parse(f"engines: [segmenter, {annotator}: {{model: {model}{more}}}]").process(Cas(text))


def marked(cas: Cas, type_: Any = PhiCandidate) -> list[tuple[str, str]]:
    return [(p.covered_text, p.kind.name) for p in cas.select(type_)]


def test_a_model_learns_the_labels_of_its_corpus(corpus: Path, tmp_path: Path, annotator: str) -> None:
    model = train(corpus, tmp_path / "out", annotator)
    described = json.loads((model / "model.json").read_text(encoding="utf-8"))
    assert set(described["training"]["spans"]) == set(LABELS)
    assert described["kinds"]["NORP"] == {"own": True} and "PERSON" not in described["kinds"]
    assert marked(applied(annotator, model)) == [
        ("Omar Haddad", "PERSON"),
        ("Zenit", "ORG"),
        ("Dutch", "NORP"),
        ("New Delhi", "GPE"),
        ("Monday", "DATE"),
        ("second", "ORDINAL"),
        ("two dollars", "MONEY"),
    ]


def test_labels_become_kinds_of_phi_where_the_model_is_applied(corpus: Path, tmp_path: Path, annotator: str) -> None:
    model = train(corpus, tmp_path / "out", annotator)
    labels = "{GPE: LOCATION_CITY, ORG: ORGANIZATION, NORP: null, ORDINAL: null, MONEY: null}"
    assert marked(applied(annotator, model, f", labels: {labels}")) == [
        ("Omar Haddad", "PERSON"),
        ("Zenit", "ORGANIZATION"),
        ("New Delhi", "LOCATION_CITY"),
        ("Monday", "DATE"),
    ]
    assert marked(applied(annotator, model, f", labels: {labels}, kinds: [LOCATION]")) == [
        ("New Delhi", "LOCATION_CITY")
    ]


def test_every_label_has_its_own_scores(corpus: Path, tmp_path: Path, annotator: str) -> None:
    model = train(corpus, tmp_path / "out", annotator)
    config = tmp_path / "apply.yaml"
    config.write_text(
        f"reader: {{conll: {{folder: {corpus}, own_labels: true}}}}\n"
        f"engines: [segmenter, {annotator}: {{model: {model}}}, resolver]\n",
        encoding="utf-8",
    )
    scores = tmp_path / "scores.json"
    done = CliRunner().invoke(app, ["evaluate", str(config), "--json", str(scores)])
    assert done.exit_code == 0, done.output
    found = {r["kind"]: r for r in json.loads(scores.read_text(encoding="utf-8"))["rows"] if r["criterion"] == "strict"}
    assert set(LABELS) <= set(found)
    assert all(found[label]["gold"] == 12 for label in LABELS)
    assert all(found[label]["f1"] > 0.9 for label in LABELS), {label: found[label]["f1"] for label in LABELS}


@pytest.mark.slow
def test_the_scores_of_tokens_leave_out_labels_that_are_no_phi(corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    model = train(corpus, tmp_path / "out", "neural")
    kept = {t.kind.name: t for t in applied("neural", model, ", token_scores: true").select("caspipe.TokenScore")}
    assert {"GPE", "MONEY"} <= set(kept)
    cas = applied("neural", model, ", token_scores: true, labels: {GPE: LOCATION, MONEY: null}")
    scores = {t.covered_text: t for t in cas.select("caspipe.TokenScore")}
    assert scores["Delhi"].kind is PhiKind.LOCATION and scores["Delhi"].score > 0.5
    assert scores["dollars"].score < 0.5


def test_a_label_that_the_model_lacks_is_named(corpus: Path, tmp_path: Path) -> None:
    model = train(corpus, tmp_path / "out", "crf")
    with pytest.raises(CaspipeError) as raised:
        applied("crf", model, ", labels: {GEP: LOCATION}")
    assert f"crf: labels: model {model} has no label GEP; did you mean GPE?; its labels are CARDINAL, DATE," in str(
        raised.value
    )


def test_labels_of_a_corpus_reach_other_processes_and_are_masked_unless_they_are_mapped(
    corpus: Path, tmp_path: Path
) -> None:
    model = train(corpus, tmp_path / "out", "crf")
    config = tmp_path / "mask.yaml"
    config.write_text(
        f"reader: {{conll: {{folder: {corpus}, own_labels: true}}}}\n"
        f"engines: [segmenter, crf: {{model: {model}, labels: {{ORG: ORGANIZATION}}}}, resolver, "
        "masker: {default: placeholder}]\n"
        f"consumers: [text: {{folder: masked}}]\nrun: {{output: {tmp_path / 'masked'}, names: id, workers: 2, on_error: stop}}\n",
        encoding="utf-8",
    )
    done = CliRunner().invoke(app, ["run", str(config)])
    assert done.exit_code == 0, done.output
    texts = [f.read_text(encoding="utf-8") for f in sorted((tmp_path / "masked" / "masked").rglob("*.txt"))]
    assert len(texts) == 12
    assert all(
        text.startswith("[PERSON] of [ORGANIZATION], a [NORP] lawyer, flew to [GPE] on [DATE].") for text in texts
    )


def test_a_gold_view_has_the_labels(corpus: Path) -> None:
    pipeline = Pipeline.parse(
        f"reader: {{conll: {{folder: {corpus}, own_labels: true, kinds: {{GPE: LOCATION, LAW: null}}}}}}\nengines: []"
    )
    assert pipeline.reader is not None
    pipeline.reader.open()
    cas = next(iter(pipeline.reader))
    found = {kind for _, kind in marked_gold(cas)}
    assert found == set(LABELS) - {"GPE", "LAW"} | {"LOCATION"}


def marked_gold(cas: Cas) -> list[tuple[str, str]]:
    return [(p.covered_text, p.kind.name) for p in cas.view("gold").select(Phi)]
