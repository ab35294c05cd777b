"""Tests of the scores of configurations on clinical notes: groups, counts, tables, page, and the command."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from benchmarks import score_notes
from benchmarks.notes import examples, figures
from benchmarks.notes.documents import (
    CORPORA,
    AbsentError,
    Document,
    genre_group,
    kind_group,
    letter_case,
    mtsamples,
    phi_notes,
)
from benchmarks.notes.figures import Counts, Figures, counted
from benchmarks.notes.finding import FindingError, Found, find, interpreter
from benchmarks.notes.marked_section import replaced
from benchmarks.notes.page import page
from benchmarks.notes.tables import as_markdown, as_text, markdown_report, shown, tables, text_report
from caspipe.consumers.scoring import Mark

TEXT = "Seen by Anna Reyes on 3/4 at MERCY. Reyes, a cook, agreed."
RULES = "engines:\n  - segmenter\n  - dates\n  - resolver\n  - masker\n"


def at(text: str, surface: str, kind: str, start: int = 0) -> Mark:
    begin = text.index(surface, start)
    return Mark(begin, begin + len(surface), kind)


GOLD = (
    at(TEXT, "Anna Reyes", "PERSON"),
    at(TEXT, "3/4", "DATE"),
    at(TEXT, "MERCY", "LOCATION_HOSPITAL"),
    at(TEXT, "Reyes", "PERSON", 30),
)
NOTE = Document("a", TEXT, GOLD, (at(TEXT, "cook", "PROFESSION"),), "06", "discharge summary")
OTHER = Document("b", "On 5 May he left.", (Mark(3, 8, "DATE"),), (), "01", "JSON snippet")
FOUND = Found(
    (
        at(TEXT, "Anna", "PERSON_PATIENT"),
        at(TEXT, "Reyes", "PERSON_PATIENT"),
        at(TEXT, "3/4", "DATE"),
        at(TEXT, "cook", "PERSON"),
        at(TEXT, "Seen", "PERSON"),
        at(TEXT, "agreed", "ORGANIZATION"),
    ),
    seconds=0.5,
    repaired=2,
    refused=True,
)


@pytest.mark.parametrize(
    ("text", "case"),
    [
        ("reyes", "lower"),
        ("REYES", "upper"),
        ("Reyes", "mixed"),
        ("O'NEIL-2", "upper"),
        ("A.", "mixed"),
        ("J.K.", "upper"),
    ],
)
def test_letter_case(text: str, case: str) -> None:
    assert letter_case(text) == case


@pytest.mark.parametrize(
    ("kind", "group"),
    [
        ("DATE_BIRTH", "DATE"),
        ("PERSON_DOCTOR", "PERSON"),
        ("PERSON_STAFF", "PERSON"),
        ("LOCATION_HOSPITAL", "LOCATION_HOSPITAL"),
        ("LOCATION_CITY", "LOCATION"),
        ("PAGER", "PHONE"),
        ("ID_MRN", "ID"),
    ],
)
def test_kinds_are_grouped_at_their_first_level_with_hospitals_apart(kind: str, group: str) -> None:
    assert kind_group(kind) == group


@pytest.mark.parametrize(
    ("genre", "group"),
    [
        ("Clinic letter", "letters and messages"),
        ("discharge summary", "hospital stay"),
        ("clinical trial SAE narrative, oncology", "safety reports"),
        ("HL7-like result with notes", "machine formats"),
        ("sonnet", "other"),
    ],
)
def test_genres_are_grouped_by_their_words(genre: str, group: str) -> None:
    assert genre_group(genre) == group


def test_counts_are_those_counted_by_hand() -> None:
    groups, fate = counted([NOTE, OTHER], [FOUND, Found((), 0.25)])
    assert groups["all"] == {"all": Counts(spans=5, covered=2, documents=2, clean=0, false=2, words=18)}
    assert groups["kind"] == {
        "DATE": Counts(2, 1, 2, 1, 0, 18),
        "LOCATION_HOSPITAL": Counts(1, 0, 1, 0, 0, 18),
        "ORGANIZATION": Counts(0, 0, 0, 0, 1, 18),
        "PERSON": Counts(2, 1, 1, 0, 1, 18),
    }
    assert groups["case"] == {
        "lower": Counts(0, 0, 0, 0, 1, 18),
        "mixed": Counts(2, 1, 1, 0, 1, 18),
        "upper": Counts(1, 0, 1, 0, 0, 18),
    }
    assert groups["set"] == {"ordinary parts": Counts(4, 2, 1, 0, 2, 13), "other parts": Counts(1, 0, 1, 0, 0, 5)}
    assert list(groups["part"]) == ["01", "06"]
    assert list(groups["genre"]) == ["hospital stay", "machine formats"]
    assert (fate.documents, fate.refused, fate.repaired, fate.added, fate.failed) == (2, 1, 1, 2, 0)
    assert fate.ms == pytest.approx(1000 * 0.75 * 1400 / (len(TEXT) + len(OTHER.text)))


def test_a_span_is_covered_by_two_found_spans_together() -> None:
    note = Document("a", "Anna Reyes left.", (Mark(0, 10, "PERSON"),))
    both = Found((Mark(0, 4, "PERSON"), Mark(5, 10, "DATE")))
    assert counted([note], [both])[0]["all"]["all"].covered == 1
    assert counted([note], [Found((Mark(0, 9, "PERSON"),))])[0]["all"]["all"].covered == 0


def test_a_document_in_which_an_engine_failed_is_told_and_not_scored() -> None:
    groups, fate = counted([NOTE, OTHER], [Found((), failed="ValueError"), Found((Mark(3, 8, "DATE"),))])
    assert fate.failed == 1
    assert groups["all"]["all"] == Counts(1, 1, 1, 1, 0, 5)


def test_of_texts_without_marks_only_names_are_false() -> None:
    text = "Dr. X on 3/4 at Mercy."
    found = Found((at(text, "X", "PERSON_DOCTOR"), at(text, "3/4", "DATE"), at(text, "Mercy", "LOCATION_HOSPITAL")))
    groups, _ = counted([Document("1", text)], [found])
    assert groups["all"]["all"] == Counts(false=2, words=7)
    assert {kind: counts.false for kind, counts in groups["kind"].items()} == {"LOCATION_HOSPITAL": 1, "PERSON": 1}
    assert list(groups) == ["all", "kind"]


def run(name: str = "deidentify") -> Figures:
    made = Figures(name, "2026-11-23", "a machine")
    made.groups["notes"], made.fates["notes"] = counted([NOTE, OTHER], [FOUND, Found(())])
    return made


def test_figures_survive_json_and_hold_no_text(tmp_path: Path) -> None:
    file = tmp_path / "now.json"
    figures.write(file, [run()])
    assert figures.read(file) == [run()]
    assert [r.name for r in figures.read(file, "before")] == ["before"]
    assert "Reyes" not in file.read_text(encoding="utf-8")
    assert '"all": [5, 2, 2, 0, 2, 18]' in file.read_text(encoding="utf-8")


def test_a_file_that_does_not_hold_figures_is_told(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text('[{"title": 1}]', encoding="utf-8")
    with pytest.raises(ValueError, match=r"x\.json: expected figures as --json writes them: KeyError"):
        figures.read(file)


def test_tables_put_programs_side_by_side() -> None:
    every = {t.dimension: t for t in tables([run("before"), run("now")])}
    assert every["kind"].heads() == ["kind", "spans", "covered, before", "covered, now", "false, before", "false, now"]
    assert list(every["kind"].rows())[2] == ["ORGANIZATION", "0", "-", "-", "55.56", "55.56"]
    assert list(every["all"].rows()) == [["all", "5", "2", "0.400", "0.400", "0.000", "0.000", "111.11", "111.11"]]
    assert shown("covered", None) == "-"


def test_a_program_without_spans_of_a_group_has_no_share_but_no_false_ones() -> None:
    one, two = run("one"), run("two")
    del two.groups["notes"]["kind"]["DATE"]
    rows = {row[0]: row for t in tables([one, two]) if t.dimension == "kind" for row in t.rows()}
    assert rows["DATE"] == ["DATE", "2", "0.500", "-", "0.00", "0.00"]


def test_reports_hold_all_dimensions_and_the_fate_of_the_documents() -> None:
    text = text_report([run()])
    assert "phi_notes, dev: letter case of names" in text
    assert text.splitlines()[-1].split()[:8] == ["phi_notes,", "dev", "deidentify", "2", "1", "1", "2", "0"]
    markdown = markdown_report([run()], ["all"])
    assert "| all | 5 | 2 | 0.400 | 0.000 | 111.11 |" in markdown
    assert "letter case" not in markdown


def test_tables_are_aligned_and_escaped() -> None:
    assert as_text(["a", "b"], [["long", "1"]]) == "a     b\nlong  1"
    assert as_markdown(["a", "b"], [["x|y", "1"]]) == "| a | b |\n| --- | ---: |\n| x\\|y | 1 |"


def test_the_page_shows_every_table_and_no_text() -> None:
    shown_page = page([run("before"), run("now")]).decode()
    for word in ("phi_notes, dev", "By kind", "By part", "LOCATION_HOSPITAL", "covered, before", "0.400", "a machine"):
        assert word in shown_page
    assert "Reyes" not in shown_page
    assert shown_page.count('class="front kind run-1"') > 10


def test_the_totals_of_many_programs_are_a_table() -> None:
    two, three = page([run("a"), run("b")]).decode(), page([run("a"), run("b"), run("c")]).decode()
    assert "By all documents" not in two and '<dl class="cards">' in two
    assert "By all documents" in three and '<dl class="cards">' not in three


PAGE = "# A\n\n<!-- begin: notes -->\nold\n<!-- end: notes -->\n\nkept\n"


def test_a_marked_part_of_a_page_is_replaced_twice_alike() -> None:
    once = replaced(PAGE, "notes", "new \\1")
    assert once == "# A\n\n<!-- begin: notes -->\n\nnew \\1\n\n<!-- end: notes -->\n\nkept\n"
    assert replaced(once, "notes", "new \\1") == once
    with pytest.raises(
        ValueError, match=r"p\.md: expected one line <!-- begin: tools --> and after it <!-- end: tools -->"
    ):
        replaced(PAGE, "tools", "new", "p.md")


def test_misses_and_false_spans_are_told_by_class_with_quotations() -> None:
    lost = examples.missed([NOTE, OTHER], [FOUND, Found(())])
    assert [(c.name, c.wrong, c.partly, c.spans) for c in lost if c.wrong] == [
        ("DATE", 1, 0, 2),
        ("LOCATION_HOSPITAL, one word, upper case", 1, 0, 1),
        ("PERSON, one word, mixed case", 1, 0, 1),
    ]
    assert examples.chosen(lost[0], 2) == ["On [5 May] he left."]
    wrong = examples.false([NOTE, OTHER], [FOUND, Found(())])
    assert {c.name: c.wrong for c in wrong if c.wrong} == {
        "ORGANIZATION, one word, lower case": 1,
        "PERSON, one word, mixed case": 1,
    }


def test_a_partly_covered_span_is_told() -> None:
    note = Document("a", "Anna Reyes left.", (Mark(0, 10, "PERSON"),))
    (only,) = examples.missed([note], [Found((Mark(0, 4, "PERSON"),))])
    assert (only.name, only.wrong, only.partly) == ("PERSON, several words, mixed case", 1, 1)


def test_quotations_are_short_of_one_line_and_of_different_documents() -> None:
    assert examples.quoted("a\nb `c` " + "x" * 60, 8, 68) == "a b 'c' [" + "x" * 48 + "…]"
    group = examples.Class("DATE", examples=[("a", "1"), ("a", "2"), ("b", "3"), ("c", "4"), ("d", "5")])
    assert examples.chosen(group, 2) == ["1", "4"]


def test_the_shipped_notes_are_read_with_parts_and_optional_marks() -> None:
    documents = phi_notes("dev", "part06.txt")
    assert {d.part for d in documents} == {"06"}
    assert sum(len(d.gold or ()) for d in documents) > 100
    assert any(d.optional for d in documents)


def test_samples_are_read_with_and_without_marks(tmp_path: Path) -> None:
    with pytest.raises(AbsentError, match=r"no mtsamples/unlabelled\.jsonl\.gz among the open corpora"):
        mtsamples(tmp_path, "unlabelled")
    (tmp_path / "mtsamples").mkdir()
    rows = [
        {"id": "1", "text": "Dr. X", "spans": [{"begin": 4, "end": 5, "kind": "PERSON_STAFF"}]},
        {"id": "2", "text": "in 2020", "spans": [{"begin": 3, "end": 7, "kind": "?DATE_YEAR"}]},
        {"id": "3", "text": "plain"},
    ]
    with gzip.open(tmp_path / "mtsamples" / "unlabelled.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write("".join(json.dumps(row) + "\n" for row in rows))
    one, two, three = CORPORA["mtsamples"].load(tmp_path)
    assert one.gold == (Mark(4, 5, "PERSON"),)
    assert (two.gold, two.optional) == ((), (Mark(3, 7, "DATE"),))
    assert three.gold is None


def test_a_configuration_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    config = tmp_path / "dates.yaml"
    config.write_text(RULES, encoding="utf-8")
    one, two = find(str(config), ["Seen on 3/4/2020.", "plain\u2028text"], warm=["On 5 May."])
    assert [(m.begin, m.end, m.kind) for m in one.spans] == [(8, 16, "DATE")]
    assert one.seconds > 0 and not one.refused and not one.failed
    assert two.spans == ()


def test_a_configuration_that_does_not_load_is_told(tmp_path: Path) -> None:
    config = tmp_path / "bad.yaml"
    config.write_text("engines: [datse]\n", encoding="utf-8")
    with pytest.raises(FindingError, match=r"bad\.yaml: exit code 1: "):
        find(str(config), ["x"])
    with pytest.raises(FindingError, match=r"expected an environment \.venv with caspipe, found none"):
        interpreter(tmp_path)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a configuration; the command scores it on two documents."""
    monkeypatch.setattr(score_notes, "corpora", lambda _: {"notes": [NOTE, OTHER]})
    monkeypatch.setattr(score_notes, "LEAST", 1)
    config = tmp_path / "dates.yaml"
    config.write_text(RULES, encoding="utf-8")
    return config


def test_the_command_writes_figures_page_and_markdown(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, html, markdown = (tmp_path / name for name in ("before.json", "page.html", "page.md"))
    markdown.write_text(PAGE + "<!-- begin: failures -->\n<!-- end: failures -->\n", encoding="utf-8")
    assert score_notes.main([str(small), "--name", "old", "--json", str(before)]) == 0
    given = [str(small), "--compare", str(before), "--html", str(html), "--markdown", str(markdown)]
    assert score_notes.main(given) == 0
    assert "covered, before  covered, dates" in capsys.readouterr().out
    assert b"covered, dates" in html.read_bytes()
    told = markdown.read_text(encoding="utf-8")
    assert "| PERSON | 2 | 0.000 | 0.000 |" in told
    assert "`Seen by [Anna Reyes] on 3/4 at MERCY. Reyes, a`" in told
    assert figures.read(before)[0].name == "old"


def test_the_command_tells_what_is_wrong(small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert score_notes.main([str(small), "--checkout", str(tmp_path)]) == 1
    assert "expected an environment .venv with caspipe, found none" in capsys.readouterr().err


def test_the_kept_figures_of_before_are_readable() -> None:
    (before,) = figures.read(score_notes.BEFORE)
    assert before.groups["notes"]["all"]["all"].spans > 2000
