"""Tests of the comparison with other programs: scores, measurement of a peer, and messages for missing peers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import re2

from benchmarks import bench_peers
from benchmarks.peers import environments
from benchmarks.peers.harness import masked
from benchmarks.peers.page import section
from benchmarks.peers.patterns import PATTERNS
from benchmarks.peers.rows import ROWS, Row
from benchmarks.peers.scores import counts, covered, false_marks, outermost, recalls
from benchmarks.peers.table import Measured, goals, times
from benchmarks.peers.texts import AbsentError, Texts, joined, synthetic, vaers
from benchmarks.sections import kept, replaced, split

ROOT = Path(__file__).resolve().parents[2]
PAGE = "# Measurements\n\nOn a day.\n\n## bench_cas\n\n```\n1\n```\n\n## bench_peers\n\nold\n\n## score_vaers\n\n2\n"
TEXT = "Seen 3/4/2020, again on 5 May."
PATTERNS_ROW = next(r for r in ROWS if r.name == "ours-patterns")


def test_a_section_takes_the_place_of_the_old_one() -> None:
    page = replaced(PAGE, "bench_peers", "new")
    assert page == PAGE.replace("old", "new")
    assert replaced(page, "bench_peers", "new") == page


def test_a_new_section_comes_last() -> None:
    assert list(split(replaced(PAGE, "bench_new", "x"))[1])[-1] == "bench_new"


def test_sections_of_others_are_kept() -> None:
    assert kept(PAGE, ["bench_cas", "score_vaers"]) == "## bench_peers\n\nold\n"
    assert kept(PAGE, ["bench_cas", "bench_peers", "score_vaers"]) == ""


def test_a_span_is_covered_by_marks_of_any_kind_together() -> None:
    assert covered(TEXT, [(5, 8, "PHONE"), (9, 13, "DATE")], (5, 13, "DATE"))  # the slash between them tells nothing
    assert not covered(TEXT, [(5, 12, "DATE")], (5, 13, "DATE"))


def test_recall_is_told_by_kind() -> None:
    gold = [(0, [(5, 13, "DATE"), (24, 29, "DATE"), (0, 4, "PERSON")])]
    assert recalls([TEXT], [[(5, 13, "DATE")]], gold) == {"DATE": (1, 2), "PERSON": (0, 1)}


def test_overlapping_marks_count_as_a_masker_replaces_them() -> None:
    spans = [(5, 9, "DATE"), (5, 13, "DATE"), (12, 20, "ID"), (24, 29, "DATE")]
    assert outermost(spans) == [(5, 13, "DATE"), (24, 29, "DATE")]
    assert counts([outermost(spans)]) == {"DATE": 2}
    assert masked(TEXT, spans) == "Seen [DATE], again on [DATE]."


def test_a_mark_is_false_where_nothing_is_annotated() -> None:
    assert false_marks([[(5, 13, "DATE"), (15, 20, "PERSON")]], [(0, [(6, 8, "DATE")])]) == (1, 1)


def test_joined_texts_are_the_same_text() -> None:
    assert list(joined(["a" * 5, "b" * 5, "c"], 11)) == ["aaaaa\nbbbbb", "c"]


@pytest.mark.parametrize(("name", "pattern"), [(name, pattern) for name, _, pattern in PATTERNS])
def test_a_shared_pattern_means_the_same_to_both_engines(name: str, pattern: str) -> None:
    text = (
        f"{TEXT} 2020-03-04, 11Jan2021, Feb 2 2021, Mar 2021 Friday 3/19 65-year-old 617-555-0199 "
        "a.b@c.org www.x.org 123-45-6789 MRN: 123456"
    )
    found = [m.span() for m in re.finditer(f"(?i){pattern}", text)]
    assert found == [m.span() for m in re2.finditer(f"(?i){pattern}", text)]
    assert found, f"{name} finds nothing"


def test_concepts_hold_every_pattern_as_xml() -> None:
    from lxml import etree

    root = etree.fromstring(environments.concepts().encode())
    rules = root.findall(".//{*}rule")
    assert [r.get("regEx") for r in rules] == [f"(?i){pattern}" for _, _, pattern in PATTERNS]


def test_absent_corpora_and_peers_are_told(tmp_path: Path) -> None:
    with pytest.raises(AbsentError, match=r"no vaers_dev/narratives\.jsonl among the open corpora"):
        vaers(tmp_path, 10)
    assert environments.lacking(None, "spacy") == "no environments given: --peers FOLDER, made by --setup FOLDER"
    assert environments.lacking(tmp_path, "spacy") == f"not set up in {tmp_path.name}"


def test_the_benchmark_without_corpora_says_so_and_ends_well(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.bench_peers", "--corpora", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "Not run: no vaers_dev/narratives.jsonl among the open corpora (--corpora, --synthetic)\n"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tuple[Texts, list[str | Measured]]:
    """Return the results of caspipe with patterns only and of a missing peer, over a few generated texts."""
    folder = tmp_path_factory.mktemp("texts")
    texts = synthetic(6)
    texts.write(folder)
    rows = [PATTERNS_ROW, next(r for r in ROWS if r.environment == "scrubadub")]
    return texts, list(bench_peers.measured(folder, rows, texts, 1, folder))


@pytest.mark.slow
def test_a_process_tells_times_memory_and_spans(results: tuple[Texts, list[str | Measured]]) -> None:
    texts, (absent, one) = results
    assert absent == "scrubadub: not measured: not set up in texts0."
    assert isinstance(one, Measured)
    assert one.found["first_cpu"] > 0
    assert one.found["first"] > 0
    assert 10 < one.rounds[0]["resident_mb"] <= one.peak < 300
    assert set(one.rounds[0]["passes"]) == {"notes", "long"}
    found = one.found["found"]["notes"]
    assert found == one.found["found"]["notes-again"]
    for text, spans in zip(texts.sets["notes"], found, strict=True):
        dates = [text[b:e] for b, e, kind in spans if kind == "DATE"]
        assert all(any(c.isdigit() for c in d) or d.endswith("day") for d in dates)
    assert counts(found)["DATE"] > 0


def test_the_page_names_the_command_and_what_was_not_measured(results: tuple[Texts, list[str | Measured]]) -> None:
    texts, measured = results
    page = section(measured, texts, 1, "the command", 0.5, {})
    assert page.startswith("`the command`\n")
    assert "- scrubadub: not measured: not set up in texts0." in page
    assert "| caspipe, patterns |" in page
    assert "goal" not in page


def test_a_peer_that_breaks_down_is_told_with_its_last_words(tmp_path: Path) -> None:
    synthetic(2).write(tmp_path)
    with pytest.raises(bench_peers.PeerError, match="exit code 1: ModuleNotFoundError"):
        bench_peers.launched(None, Row("x", "ours", "with_nothing", "", ""), tmp_path, ["notes"])


def faked(name: str, seconds: list[float], peak: float = 100.0) -> Measured:
    row = next(r for r in ROWS if r.name == name)
    rounds = [
        {"passes": {"long": {"cpu": s, "wall": s}}, "first": 0.4, "first_cpu": 0.3, "peak_mb": peak} for s in seconds
    ]
    return Measured(row, {}, rounds)


def test_ratios_are_taken_within_a_round() -> None:
    assert times(faked("ours-rules", [1.0, 2.0, 1.0]), faked("presidio-all", [8.0, 20.0, 9.0])) == 9.0


def test_goals_are_judged_from_the_figures() -> None:
    texts = Texts("", {"long": ["x"] * 1600})
    rows = {m.row.name: m for m in (faked("ours-rules", [1.0], 400.0), faked("presidio-all", [7.9]))}
    lines = goals(rows, texts)
    assert lines[2:] == [
        "| rule pipeline: 1,500 documents of 2 kB a second or more | 1,600 | met |",
        "| rule pipeline: 8 times Presidio, all patterns or more | 7.9 | missed |",
        "| rule pipeline: first document within 0.5 s of start | 0.40 | met |",
        "| caspipe, rule pipeline: below 300 MB | 400 | missed |",
    ]


def test_texts_travel_as_json_strings(tmp_path: Path) -> None:
    Texts("", {"notes": ['a\n\u2028"\\ \U0001f600']}).write(tmp_path)
    lines = (tmp_path / "notes.jsonl").read_text(encoding="ascii").splitlines()
    assert [json.loads(line) for line in lines] == ['a\n\u2028"\\ \U0001f600']
