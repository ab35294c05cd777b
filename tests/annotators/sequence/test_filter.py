"""The false-positive filter: learnt from gold, takes false candidates away, says why, and leaves known PHI alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.annotators.sequence.candidate_features import candidate_attributes
from caspipe.annotators.sequence.extraction import FeatureSet
from caspipe.annotators.sequence.feature import Feature
from caspipe.annotators.sequence.filter import CandidateFilter
from caspipe.annotators.sequence.filter_trainer import FilterTrainer
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.pipeline.contract.apply import apply
from caspipe.pipeline.contract.component import Annotator, component
from caspipe.pipeline.contract.params import convert
from caspipe.pipeline.errors import ConsumerError, ResourceError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import GOLD_VIEW, Cas, Phi, PhiCandidate, PhiKind, View

SURNAMES = ("Rose", "Hill", "Stone", "Marsh", "Field", "Brook", "Wood", "Lake")
TRUE = "Seen by Dr. {} at noon."
FALSE = "Given {} tablets at noon."


@component("f_capitals", outputs=[PhiCandidate])
class Capitals(Annotator):
    """Takes every capitalised word for a person, except at the beginning of the text and titles."""

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        for m in re.finditer(r"(?<=\s)(?!Dr)[A-Z]\w+", view.text):
            yield PhiCandidate(m.start(), m.end(), kind=PhiKind.PERSON_DOCTOR, confidence=0.6, rule="capital")


def parsed(name: str) -> Feature:
    faults: list[str] = []
    made = convert(Feature, name, lambda _, what: faults.append(what), ())
    assert not faults
    assert isinstance(made, Feature)
    return made


def document(text: str, name: str, right: bool, number: int) -> Cas:
    cas = Cas(text.format(name), id=f"d{number}")
    begin = text.index("{}")
    gold = cas.create_view(GOLD_VIEW, cas.text)
    if right:
        gold.add(Phi(begin, begin + len(name), kind=PhiKind.PERSON_DOCTOR))
    for engine in (Segmenter(), Capitals()):
        engine.open()
        apply(engine, cas)
    return cas


def corpus() -> list[Cas]:
    pairs = [(text, right, name) for name in SURNAMES for text, right in ((TRUE, True), (FALSE, False))]
    return [document(text, name, right, n) for n, (text, right, name) in enumerate(pairs)]


def trained(folder: Path, documents: list[Cas], **options: object) -> Path:
    trainer = FilterTrainer(
        model=Path("filter"), features=[parsed("lower"), parsed("capital_type")], window=(-2, 2), C=1.0, **options
    )
    trainer.output = folder
    trainer.open()
    for cas in documents:
        trainer.process(cas)
    trainer.close()
    return folder / "filter"


def filtered(model: Path, cas: Cas, **options: object) -> list[str]:
    engine = CandidateFilter(model=str(model), sources=["f_capitals"], **options)  # type: ignore[arg-type]
    engine.open()
    engine.process(cas)
    return [c.reason for c in cas.select(PhiCandidate)]


def test_it_takes_false_candidates_away_and_says_why(tmp_path: Path) -> None:
    model = trained(tmp_path, corpus(), keep=1.0)
    assert filtered(model, document(TRUE, "Birch", True, 90)) == [""]
    (reason,) = filtered(model, document(FALSE, "Birch", False, 91))
    assert re.fullmatch(r"vetoed: filter \(0\.\d\d likely, 0\.\d\d asked\)", reason)


def test_running_it_again_changes_nothing(tmp_path: Path) -> None:
    model = trained(tmp_path, corpus(), keep=1.0)
    cas = document(FALSE, "Birch", False, 91)
    assert filtered(model, cas) == filtered(model, cas)


def test_its_model_says_how_many_it_would_take_away_on_documents_left_out(tmp_path: Path) -> None:
    meta = LinearModel.load(str(trained(tmp_path, corpus(), keep=1.0))).meta
    assert meta["training"]["candidates"]["PERSON"] == {
        "right": 8,
        "false": 8,
        "false_removed": 8,
        "right_removed": 0,
    }


def test_known_phi_and_sources_not_named_stay(tmp_path: Path) -> None:
    model = trained(tmp_path, corpus())
    with pytest.raises(ValueError, match="known_phi is never filtered"):
        CandidateFilter(model=str(model), sources=["known_phi"])  # type: ignore[arg-type]
    cas = document(FALSE, "Birch", False, 91)
    engine = CandidateFilter(model=str(model), sources=["others"], threshold=1.0)  # type: ignore[arg-type]
    engine.open()
    engine.process(cas)
    assert [c.reason for c in cas.select(PhiCandidate)] == [""]


def test_kinds_not_asked_for_stay(tmp_path: Path) -> None:
    model = trained(tmp_path, corpus())
    cas = document(FALSE, "Birch", False, 91)
    assert filtered(model, cas, kinds=[PhiKind.LOCATION], threshold=1.0) == [""]


def test_what_was_vetoed_elsewhere_keeps_its_reason(tmp_path: Path) -> None:
    model = trained(tmp_path, corpus())
    cas = document(FALSE, "Birch", False, 91)
    (candidate,) = cas.select(PhiCandidate)
    candidate.reason = "vetoed: medical term"
    assert filtered(model, cas) == ["vetoed: medical term"]


def test_a_kind_with_right_candidates_only_is_never_filtered(tmp_path: Path) -> None:
    with pytest.raises(ConsumerError, match="nothing to learn: no kind has both right and false candidates"):
        trained(tmp_path, [document(TRUE, name, True, n) for n, name in enumerate(SURNAMES)])


def test_another_models_bundle_is_refused(tmp_path: Path) -> None:
    from caspipe.annotators.sequence.crf import CrfAnnotator

    model = trained(tmp_path, corpus())
    with pytest.raises(ResourceError, match="trained as filter"):
        CrfAnnotator(model=str(model)).open()  # type: ignore[arg-type]


def test_attributes_name_what_stands_inside_and_around() -> None:
    cas = document(TRUE, "Birch", True, 1)
    features = lower_only()
    (found,) = candidate_attributes(cas.view(), cas.select(PhiCandidate), features)
    assert [a for a in found if not a.startswith("candidate")] == [
        "-1:lower=.",
        "-2:lower=dr",
        "1:lower=at",
        "2:lower=noon",
        "in:lower=birch",
    ]
    assert "candidate:rule=f_capitals capital" in found
    assert "candidate:tokens=1" in found


def lower_only() -> FeatureSet:
    return FeatureSet([parsed("lower")], (-2, 2))


def test_the_resolver_leaves_filtered_candidates_alone(tmp_path: Path) -> None:
    model = trained(tmp_path, corpus(), keep=1.0)
    pipeline = Pipeline.parse(
        f"engines: [segmenter, f_capitals, {{filter: {{model: '{model}', sources: [f_capitals]}}}}, resolver]"
    )
    assert [phi.kind for phi in pipeline.process(TRUE.format("Birch")).select(Phi)] == [PhiKind.PERSON_DOCTOR]
    assert pipeline.process(FALSE.format("Birch")).select(Phi) == []
