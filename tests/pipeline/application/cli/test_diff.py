"""`caspipe diff` as a person and a build server meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app
from caspipe.typesystem import GOLD_VIEW, Cas, Phi, PhiKind, save_xmi

NOTE = "Seen on 3/4/2020 by Dr. Featherstone, aged 65 years."
DATE, NAME, AGE = (8, 16, "DATE"), (24, 36, "PERSON_DOCTOR"), (43, 51, "AGE")
Spans = list[tuple[int, int, str]]


def diff(*arguments: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["diff", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def run(folder: Path, found: dict[str, Spans], gold: dict[str, Spans] | None = None, text: str = NOTE) -> Path:
    """A folder of XMI files: what was found, and the reference where there is one."""
    folder.mkdir(parents=True)
    for name, spans in found.items():
        cas = Cas(text, id=name)
        cas.view().add_all([Phi(b, e, kind=PhiKind.of(k)) for b, e, k in spans])
        if gold is not None:
            view = cas.create_view(GOLD_VIEW, text)
            view.add_all([Phi(b, e, kind=PhiKind.of(k)) for b, e, k in gold[name]])
        save_xmi(cas, folder / f"{name}.xmi")
    return folder


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return run(tmp_path / "old", {"a": [DATE, NAME], "b": [DATE, AGE]})


def test_two_runs_that_say_the_same_do_not_differ(old: Path, tmp_path: Path) -> None:
    new = run(tmp_path / "new", {"a": [DATE, NAME], "b": [DATE, AGE]})
    out = diff(old, new, "--fail-on", "change", "--fail-on", "new-leak", "--fail-on", "missing")
    assert "2 documents compared (found against found), 0 changed; 4 spans in the first, 0 changes" in out
    assert "0 new leaks, 0 cured" in out


def test_two_references_without_anything_found_are_compared(tmp_path: Path) -> None:
    one, two = (run(tmp_path / n, {"a": []}, {"a": g}) for n, g in (("one", [DATE, NAME]), ("two", [DATE])))
    out = diff(one, two, "--fail-on", "new-leak", code=1)
    assert "1 documents compared (reference against reference), 1 changed; 2 spans in the first, 1 changes" in out
    assert "warning" not in out


def test_optional_marks_are_compared_like_others(tmp_path: Path) -> None:
    for name, day in (("one", "[[?DATE_WEEKDAY|Tue]]"), ("two", "Tue")):
        (tmp_path / f"{name}.txt").write_text(f"=====\n#id: a\nOn {day} [[DATE|3 May]].\n", encoding="utf-8")
    out = diff(tmp_path / "one.txt", tmp_path / "two.txt", "--reader", "marked")
    assert "1 changed; 2 spans in the first, 1 changes" in out


def test_references_that_are_passed_over_are_told(tmp_path: Path) -> None:
    anna, ben = (run(tmp_path / n, {"a": [DATE]}, {"a": g}) for n, g in (("anna", [DATE, NAME]), ("ben", [DATE])))
    out = diff(anna, ben)
    assert "(found against found), 0 changed" in out
    assert "--first-view gold --second-view gold compares the references" in out
    asked = diff(anna, ben, "--first-view", "gold", "--second-view", "gold")
    assert "1 new leaks" in asked and "warning" not in asked


def test_what_the_second_run_leaves_bare_is_a_new_leak(old: Path, tmp_path: Path) -> None:
    new = run(tmp_path / "new", {"a": [DATE], "b": [DATE, AGE]})
    assert "1 new leaks, 0 cured" in diff(old, new)
    out = diff(old, new, "--fail-on", "new-leak", code=1)
    assert "--fail-on new-leak: 1 new leak\n" in out
    assert diff(new, old, "--fail-on", "new-leak").count("0 new leaks, 1 cured") == 1


def test_another_kind_is_a_change_and_no_leak(old: Path, tmp_path: Path) -> None:
    new = run(tmp_path / "new", {"a": [DATE, (24, 36, "PERSON")], "b": [DATE, AGE]})
    diff(old, new, "--fail-on", "new-leak")
    assert "--fail-on change: 1 change\n" in diff(old, new, "--fail-on", "change", code=1)
    diff(old, new, "--level", "top", "--fail-on", "change")


def test_a_shorter_span_leaks_only_where_letters_or_digits_come_bare(old: Path, tmp_path: Path) -> None:
    whole = run(tmp_path / "whole", {"a": [DATE, (20, 37, "PERSON_DOCTOR")]})
    bare_comma = run(tmp_path / "comma", {"a": [DATE, (20, 36, "PERSON_DOCTOR")]})
    bare_title = run(tmp_path / "title", {"a": [DATE, (24, 37, "PERSON_DOCTOR")]})
    diff(whole, bare_comma, "--fail-on", "new-leak")
    diff(whole, bare_title, "--fail-on", "new-leak", code=1)


def test_a_run_is_held_against_the_reviewed_reference(tmp_path: Path) -> None:
    reviewed = run(tmp_path / "reviewed", {"a": [DATE]}, {"a": [DATE, NAME]})
    found = run(tmp_path / "found", {"a": [DATE]})
    out = diff(reviewed, found, "--fail-on", "new-leak", code=1)
    assert "(reference against found)" in out


def test_where_both_sides_have_a_reference_what_was_found_is_compared(tmp_path: Path) -> None:
    first = run(tmp_path / "first", {"a": [DATE, NAME]}, {"a": [DATE, NAME]})
    second = run(tmp_path / "second", {"a": [DATE]}, {"a": [DATE, NAME]})
    assert "(found against found), 1 changed" in diff(first, second)
    assert "(reference against found), 1 changed" in diff(second, second, "--first-view", "gold")


def test_with_a_reference_only_lost_phi_is_a_leak(old: Path, tmp_path: Path) -> None:
    gold = run(tmp_path / "gold", {"a": [], "b": []}, {"a": [NAME], "b": []})
    without_date = run(tmp_path / "date", {"a": [NAME], "b": [AGE]})
    without_name = run(tmp_path / "name", {"a": [DATE], "b": [DATE, AGE]})
    assert "0 new leaks of the reference, 0 cured" in diff(old, without_date, "--gold", gold, "--fail-on", "new-leak")
    assert "1 new leaks of the reference" in diff(old, without_name, "--gold", gold, "--fail-on", "new-leak", code=1)


def test_documents_of_one_side_are_listed_and_a_lost_one_may_hide_a_leak(old: Path, tmp_path: Path) -> None:
    new = run(tmp_path / "new", {"a": [DATE, NAME], "c": [DATE]})
    out = diff(old, new)
    assert "1 documents only in the first: b" in out and "1 documents only in the second: c" in out
    assert "--fail-on new-leak: 1 document only in the first" in diff(old, new, "--fail-on", "new-leak", code=1)
    assert "only in the second" in diff(old, new, "--fail-on", "missing", code=1)


def test_documents_with_another_text_cannot_be_compared(old: Path, tmp_path: Path) -> None:
    new = run(tmp_path / "new", {"a": [DATE], "b": [DATE]}, text=NOTE + " Well.")
    out = diff(old, new, "--fail-on", "change", code=1)
    assert "2 documents with another text" in out and "0 documents compared" in out


def test_the_json_holds_offsets_and_no_text(old: Path, tmp_path: Path) -> None:
    new = run(tmp_path / "new", {"a": [DATE], "b": [DATE, (41, 51, "AGE")]})
    diff(old, new, "--json", tmp_path / "changes.json", "-q")
    data = (tmp_path / "changes.json").read_text()
    assert "Featherstone" not in data
    found = json.loads(data)
    assert found["changes"] == {"missed": 1, "bounds": 1, "kind": 0, "false": 0}
    gone = found["changed"][0]
    assert (gone["id"], gone["new_leaks"], gone["cured_leaks"]) == ("a", [[24, 36]], [])
    assert gone["changes"][0]["first"]["kind"] == "PERSON_DOCTOR" and gone["changes"][0]["second"] is None
    assert (tmp_path / "changes.json").stat().st_mode & 0o77 == 0


def test_the_page_shows_every_change_in_its_words(old: Path, tmp_path: Path) -> None:
    new = run(tmp_path / "new", {"a": [DATE], "b": [DATE, AGE]})
    diff(old, new, "--html", tmp_path / "changes.html", "-q")
    page = (tmp_path / "changes.html").read_text()
    assert "<h1>Changes</h1>" in page and "in the first only" in page and "PHI, not found" not in page
    assert "2 documents · 1 changes" in page
    assert (tmp_path / "changes.html").stat().st_mode & 0o77 == 0


def test_other_readers_serve_as_well(tmp_path: Path) -> None:
    def file(name: str, spans: Spans) -> Path:
        listed = [{"begin": b, "end": e, "kind": k} for b, e, k in spans]
        path = tmp_path / name
        path.write_text(json.dumps({"id": "a", "text": NOTE, "spans": listed}) + "\n")
        return path

    out = diff(file("a.jsonl", [DATE, NAME]), file("b.jsonl", [DATE]), "--reader", "jsonl")
    assert "1 changed; 2 spans in the first, 1 changes" in out


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--fail-on", "leak"], "--fail-on: nothing called 'leak'; did you mean new-leak?"),
        (["--level", "tip"], "--level: no level called 'tip'; did you mean top?"),
        (["--kinds", "PER"], "--kinds PER: expected LABEL=KIND"),
    ],
)
def test_wrong_options_are_told(given: list[str], told: str, old: Path) -> None:
    assert told in diff(old, old, *given, code=2)


def test_a_document_that_cannot_be_read_ends_the_comparison(old: Path, tmp_path: Path) -> None:
    new = run(tmp_path / "new", {"a": [DATE, NAME]})
    (new / "b.xmi").write_text("<xmi:XMI")
    assert "document b could not be read" in diff(old, new, code=4)
