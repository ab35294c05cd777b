"""Consumer of utility: what it reads off a CAS, what it writes, and what a failed document leaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from caspipe.consumers.evaluation.utility import UtilityConsumer
from caspipe.pipeline.errors import ComponentError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import GOLD_VIEW, Cas, MedicalTerm, Phi, PhiKind, TermGroup

NOTE = "Mr. Quill, seen 3 March 2020 and 14/03/2020, took lorazin 5 mg for two weeks."
CONFIG = """
engines: [segmenter, dates, resolver, {{masker: {{DATE: {{{operator}}}}}}}]
"""


def masked(operator: str = "shift: {key: abc}", id: str = "a") -> Cas:
    return Pipeline.parse(CONFIG.format(operator=operator)).process(Cas(NOTE, id=id))


def consumer(tmp_path: Path, *files: str) -> UtilityConsumer:
    made = UtilityConsumer(files=[Path(f) for f in files])
    made.output = tmp_path
    made.open()
    return made


@pytest.mark.parametrize(
    ("operator", "kept"),
    [
        ("shift: {key: abc}", 1),
        ("shift: {key: abc, style: iso}", 1),
        ("relative: {}", 1),
        ("year: {}", 0),
        ("placeholder: {}", 0),
    ],
)
def test_intervals_survive_what_keeps_distances(tmp_path: Path, operator: str, kept: int) -> None:
    made = consumer(tmp_path)
    made.process(masked(operator))
    made.close()
    assert (made.result.kept["intervals"], made.result.total["intervals"]) == (kept, 1)
    assert (made.result.share("doses"), made.result.share("durations")) == (1.0, 1.0)


def test_terms_and_over_masking_are_read_off_the_views(tmp_path: Path) -> None:
    cas = masked()
    begin = NOTE.index("lorazin")
    cas.add(MedicalTerm(begin, begin + 7, group=TermGroup.MEDICATION))
    gold = cas.create_view(GOLD_VIEW, NOTE)
    gold.add(Phi(4, 9, kind=PhiKind.PERSON))
    gold.add(Phi(NOTE.index("3 March"), NOTE.index(" and"), kind=PhiKind.DATE))
    made = consumer(tmp_path)
    made.process(cas)
    made.close()
    assert made.result.share("terms:MEDICATION") == 1.0
    assert (made.result.masked, made.result.over_masked) == (len("3 March 202014/03/2020"), len("14/03/2020"))


def test_files_of_all_forms_agree(tmp_path: Path) -> None:
    made = consumer(tmp_path, "release/u.json", "release/u.csv", "u.txt")
    for id in ("a", "b"):
        made.process(masked(id=id))
    made.close()
    assert json.loads((tmp_path / "release/u.json").read_text())["documents"] == 2
    assert (tmp_path / "release/u.csv").read_text() == made.result.to_csv()
    assert (tmp_path / "u.txt").read_text() == str(made.result)
    assert "lorazin" not in "".join(p.read_text() for p in tmp_path.rglob("*.*"))


def test_a_document_that_fails_later_does_not_count(tmp_path: Path) -> None:
    made = consumer(tmp_path)
    a, b = masked(id="a"), masked(id="b")
    for cas in (a, b):
        made.process(cas)
    made.rollback(b.id)
    made.rollback(b.id)
    made.rollback(a.id)
    made.close()
    assert made.result.documents == 1


def test_a_run_that_breaks_down_leaves_what_was_there(tmp_path: Path, listing: Callable[[Path], list[str]]) -> None:
    (tmp_path / "u.json").write_text("before")
    made = consumer(tmp_path, "u.json")
    made.process(masked())
    made.abort()
    assert listing(tmp_path) == ["u.json"]
    assert (tmp_path / "u.json").read_text() == "before"


def test_a_document_without_masked_view_or_map_is_an_error(tmp_path: Path) -> None:
    made = consumer(tmp_path)
    with pytest.raises(ComponentError, match="expected a view deidentified, found none"):
        made.process(Cas(NOTE, id="a"))
    cas = masked()
    cas.view("deidentified").offset_map = None
    with pytest.raises(ComponentError, match="view deidentified has no map to the original text"):
        made.process(cas)


def test_a_reference_over_another_text_is_an_error(tmp_path: Path) -> None:
    cas = masked()
    cas.create_view(GOLD_VIEW, NOTE + " ")
    with pytest.raises(ComponentError, match="views gold and _InitialView differ in text"):
        consumer(tmp_path).process(cas)


def test_another_ending_is_told() -> None:
    with pytest.raises(ValueError) as error:
        UtilityConsumer(files=[Path("u.xml")])
    assert str(error.value) == "files: expected names that end in .json, .csv or .txt, got 'u.xml'"


def test_it_works_in_a_run(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text(NOTE)
    config = f"reader: {{text: {{folder: {tmp_path / 'notes'}}}}}\n" + CONFIG.format(operator="shift: {key: abc}")
    Pipeline.parse(f"{config}consumers: [utility]\nrun: {{output: {tmp_path / 'out'}}}\n").run()
    rows = json.loads((tmp_path / "out/release/utility.json").read_text())["measures"]
    assert {"measure": "intervals", "count": 1, "of": 1, "share": 1.0} in rows
