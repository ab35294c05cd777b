"""PHI that is found in the cleaned text is masked in the original one, whatever white space is inside it."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from caspipe.pipeline import Pipeline
from caspipe.pipeline.assembly.shipped import locate
from caspipe.typesystem import Cas, KnownPhi, OffsetMap, Phi, PhiKind, Token
from caspipe.typesystem.xmi.reader import read_xmi
from caspipe.typesystem.xmi.writer import write_xmi

RULES = "{aggregate: {id: rules, engines: [dates, ages, identifiers, names]}}"
PLAIN = f"engines: [segmenter, {RULES}, masker, leak_gate]"
CLEANED = (
    f"engines: [cleaner, {{aggregate: {{view: cleaned, engines: [segmenter, {RULES}]}}}}, copier, masker, leak_gate]"
)
NOTE = (
    "Seen by Dr.  Anna\r\n   Smith on 13\n   August\t2005: a 92\n  year  old \U0001f600 man & his wife, from St.\n  Mary's "
    "  Hospital.\n\n\nTel. 555\n 123\u00a0 4567; CRP <5,  R&D."
)
MASKED = "Seen by Dr.  [PERSON] on [DATE]: a [AGE] \U0001f600 man & his wife, from [LOCATION].\n\n\nTel. [PHONE]; CRP <5,  R&D."


def kinds(cas: Cas) -> dict[str, str]:
    return {phi.covered_text: phi.kind.top.name for phi in cas.select(Phi)}


def test_a_name_and_a_date_across_lines_are_masked_in_the_original_text() -> None:
    cas = Pipeline.parse(CLEANED).process(NOTE)
    assert cas.text == NOTE
    assert cas.deidentified == MASKED
    assert kinds(cas)["Anna\r\n   Smith"] == "PERSON"
    assert kinds(cas)["13\n   August\t2005"] == "DATE"
    assert [v.name for v in cas.views] == ["_InitialView", "deidentified"]


def test_the_same_rules_miss_some_of_it_without_the_cleaned_text() -> None:
    found = kinds(Pipeline.parse(PLAIN).process(NOTE))
    assert "Anna\r\n   Smith" not in found and "92\n  year  old" not in found


@pytest.mark.parametrize("gap", [" ", "  ", "\n", "\r\n  ", "\t", "\u00a0 ", "\f", " \n\n "])
@pytest.mark.parametrize(
    "note", ["Seen by Dr. Anna Smith today.", "Born on 13 August 2005 in town.", "She is a 91 year old woman."]
)
def test_white_space_within_phi_makes_no_difference(note: str, gap: str) -> None:
    pipeline = Pipeline.parse(CLEANED)
    expected = [(p.kind.name, p.covered_text.split(), p.value) for p in pipeline.process(note).select(Phi)]
    assert expected
    found = pipeline.process(note.replace(" ", gap)).select(Phi)
    assert [(p.kind.name, p.covered_text.split(), p.value) for p in found] == expected


def test_a_note_with_regular_white_space_has_the_same_result() -> None:
    note = "Dr. Anna Smith saw the 65 year old man on 13 August 2005. Call 555 123 4567."
    plain, cleaned = (Pipeline.parse(yaml).process(note) for yaml in (PLAIN, CLEANED))
    assert cleaned.deidentified == plain.deidentified
    assert [(t.begin, t.end) for t in cleaned.select(Token)] == [(t.begin, t.end) for t in plain.select(Token)]


def test_what_the_record_knows_is_found_across_lines() -> None:
    cas = Cas("Mrs\nQuimby   -\n Zorro came.")
    cas.add(KnownPhi(kind=PhiKind.PERSON, value="Quimby-Zorro", role="patient"))
    Pipeline.parse("engines: [cleaner, {known_phi: {view: cleaned}}, copier, masker]").process(cas)
    assert "Quimby" not in cas.deidentified and "Zorro" not in cas.deidentified


def test_the_shipped_configuration_masks_the_original(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text(NOTE, encoding="utf-8", newline="")
    out = tmp_path / "out"
    changes = [f"reader.text.folder={folder}", f"run.output={out}", "masker.DATE=placeholder", "run.names=id"]
    assert Pipeline.load(locate("deidentify-cleaned"), changes).run().exit_code == 0
    written = (out / "release/text/a.txt").read_bytes().decode()
    assert re.sub(r"\[AGE > 89\]", "[AGE]", written) == MASKED
    back = read_xmi((out / "restricted/xmi/a.xmi").read_bytes())
    assert [v.name for v in back.views] == ["_InitialView", "deidentified"]


def test_a_kept_view_and_its_map_survive_a_change_of_process_and_xmi() -> None:
    yaml = CLEANED.replace("copier", "{copier: {keep: true}}")
    cas = Cas(NOTE)
    cas.add(KnownPhi(kind=PhiKind.PERSON, value="Anna Smith", role="patient"))
    Pipeline.parse(yaml).process(cas)
    again = pickle.loads(pickle.dumps(cas))
    assert isinstance(again.view("cleaned").offset_map, OffsetMap)
    assert again.view("cleaned").offset_map.segments() == cas.view("cleaned").offset_map.segments()
    assert again.view("cleaned").select(KnownPhi)[0] is again.view().select(KnownPhi)[0]
    back = read_xmi(write_xmi(cas))
    assert back.view("cleaned").text == cas.view("cleaned").text
    assert back.text == NOTE
