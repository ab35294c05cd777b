"""The quarantine opens in the review, with the refused places, and is emptied of what is settled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from releasing import CONFIG, LETTERS, caspipe, holding, make_run, released, reviewer

from caspipe.pipeline.application.review.run_documents import RunCatalogue
from caspipe.pipeline.application.review.state import ReviewError
from caspipe.pipeline.application.review.wire import document_out, why_out

WORDS = "Z o r b l a t t"
BEGIN = LETTERS["d"].index(WORDS)


@pytest.mark.attack("gate-refusals")
def test_a_refused_document_opens_with_the_place_and_the_reason(run: Path) -> None:
    assert holding(run, WORDS) == []
    with reviewer(run) as anna:
        number = anna.number("d")
        shown = document_out(anna.session, number)
        assert shown["quarantined"] == (
            f"leak: leak_gate: LeakError: 1 leak: values PERSON 1; in the original text at PERSON {BEGIN}:{BEGIN + 15}"
        )
        why = "the leak gate refused the document: a value that is masked elsewhere is readable here"
        assert shown["leaks"] == [
            {"id": f"l{BEGIN}-{BEGIN + 15}", "b": BEGIN, "e": BEGIN + 15, "k": "PERSON", "why": why}
        ]
        assert why_out(anna.session.opened(number), f"l{BEGIN}-{BEGIN + 15}")["facts"] == [["Why", why]]
        anna.session.scan()
        rows = {row["id"]: row for row in anna.session.rows()}
        assert (rows["d"]["leaks"], bool(rows["d"]["quarantined"]), rows["a"]["quarantined"]) == (1, True, "")


@pytest.mark.attack("gate-refusals")
def test_the_page_of_a_refused_document_shows_the_place(run: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = caspipe("view", run / "restricted" / "quarantine" / "000004.cas", "-o", page)
    assert result.exit_code == 0, result.output
    html = page.read_text()
    marked = f'title="PERSON, still readable: the leak gate refused the document">{WORDS}</mark>'
    assert html.count(marked) == 2  # in the original and in the masked text
    assert "<dd>values</dd>" in html


@pytest.mark.attack("review-quarantine")
def test_a_document_leaves_the_quarantine_when_it_is_settled(run: Path) -> None:
    quarantine = run / "restricted" / "quarantine"
    with reviewer(run) as anna:
        anna.accept("d", WORDS)
    held = caspipe("release", run, "--review", "anna")
    assert held.exit_code == 3
    assert "in quarantine and not reviewed: 1; `caspipe review" in held.output
    assert (quarantine / "000004.json").is_file()
    with reviewer(run) as anna:
        anna.done("d")
    result = caspipe("release", run, "--review", "anna")
    assert result.exit_code == 0, result.output
    assert released(run)[3] == "Mr. [PERSON] came on 24 May 2021. Then [PERSON] left."
    assert not quarantine.exists()
    assert caspipe("audit", "verify", run).exit_code == 0


@pytest.mark.attack("review-quarantine")
def test_a_settled_document_can_be_reviewed_and_released_again(run: Path) -> None:
    with reviewer(run) as anna:
        anna.accept("d", WORDS)
        anna.done("d")
    caspipe("release", run, "--review", "anna")
    with reviewer(run) as anna:
        assert document_out(anna.session, anna.number("d"))["quarantined"] == ""
        anna.add("d", "left", "PROFESSION")
    result = caspipe("release", run, "--review", "anna")
    assert result.exit_code == 0, result.output
    assert released(run)[3] == "Mr. [PERSON] came on 24 May 2021. Then [PERSON] [PROFESSION]."


@pytest.mark.attack("review-quarantine")
def test_a_dismissed_refusal_that_stays_readable_is_refused_again(run: Path) -> None:
    with reviewer(run) as anna:
        anna.reject("d", WORDS)
        anna.done("d")
    result = caspipe("release", run, "--review", "anna")
    assert result.exit_code == 3
    assert "1 leak: values PERSON 1" in result.output
    assert holding(run, WORDS) == []
    assert (run / "restricted" / "quarantine" / "000004.json").is_file()


@pytest.mark.attack("review-quarantine")
def test_a_number_that_a_reviewer_dismissed_is_released(tmp_path: Path) -> None:
    config = CONFIG.replace("  - identifiers\n", "")
    run = make_run(tmp_path, {"a": "On 3 May 2020 the code 617-555-0134 was used."}, config)
    assert released(run) == []
    with reviewer(run) as anna:
        anna.reject("a", "617-555-0134")
        anna.done("a")
    result = caspipe("release", run, "--review", "anna")
    assert result.exit_code == 0, result.output
    assert released(run) == ["On 8 Jun 2019 the code 617-555-0134 was used."]


CRASHING = """
from caspipe.pipeline.contract.component import AnalysisEngine, component

@component("crashing_for_release")
class Crashing(AnalysisEngine):
    '''Fails on some documents.'''

    def process(self, cas):
        if "quellmore" in cas.text:
            raise ValueError(cas.text)
"""


def crashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    plugin = tmp_path / "crashing.py"
    plugin.write_text(CRASHING)
    from caspipe.pipeline.contract import registry

    registry.load_file(str(plugin))
    return make_run(tmp_path, config=CONFIG.replace("  - masker", "  - crashing_for_release\n  - masker"))


@pytest.mark.attack("review-quarantine")
def test_a_document_that_crashed_an_engine_opens_with_what_was_found(tmp_path: Path, monkeypatch: Any) -> None:
    run = crashed(tmp_path, monkeypatch)
    with reviewer(run) as anna:
        opened = anna.session.opened(anna.number("c"))
        assert opened.document.quarantined.startswith("error: crashing_for_release: ValueError")
        assert [s.kind for s in opened.document.base.values()] == ["DATE"]
        assert "quellmore" not in opened.document.quarantined
    held = caspipe("release", run, "--review", "anna")
    assert held.exit_code == 3
    with reviewer(run) as anna:
        anna.add("c", "quellmore")
        anna.done("c")
        anna.accept("d", WORDS)
        anna.done("d")
    result = caspipe("release", run, "--review", "anna")
    assert result.exit_code == 0, result.output
    assert released(run)[2] == "Nothing but 13 Feb 2021 and a talk with [PERSON]."


@pytest.mark.attack("review-quarantine")
def test_a_document_that_could_not_be_read_says_why_it_cannot_be_shown(run: Path) -> None:
    notes = run.parent / "notes"
    (notes / "e.txt").write_bytes(b"\xff\xfe\xfd")
    make_run(run.parent, {})
    catalogue = RunCatalogue(run)
    with pytest.raises(
        ReviewError, match=r"^document e: quarantined \(unreadable: .*\); it could not be read: it cannot be shown$"
    ):
        catalogue.document(catalogue.ids.index("e"))


@pytest.mark.attack("review-quarantine")
def test_the_quarantine_keeps_everything_private(run: Path) -> None:
    files = [p for p in (run / "restricted").rglob("*") if p.is_file() and p.suffix in (".cas", ".txt", ".json")]
    assert {p.stat().st_mode & 0o077 for p in files} == {0}
    assert WORDS not in json.dumps([p.read_text() for p in files if p.suffix == ".json"])
