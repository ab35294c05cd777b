"""Tests of the benchmark on new notes: its texts, its processes on a handful of notes, and its page."""

from __future__ import annotations

import json
import shutil
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from benchmarks import bench_cold, run
from benchmarks.cold import crf, page, rounds, texts, work
from benchmarks.cold.accuracy import PAGE as ENGLISH
from benchmarks.cold.accuracy import accuracy
from benchmarks.peers.cold_page import cold_section as peers_section
from benchmarks.peers.rows import ROWS
from benchmarks.peers.table import Measured
from benchmarks.peers.texts import Texts, cold
from caspipe.annotators.sequence.crfsuite_file import parse
from caspipe.annotators.sequence.weights import Weights
from caspipe.pipeline.storage.shipped_corpora import corpus_folder

ROOT = Path(__file__).resolve().parents[2]
RULES = str(ROOT / rounds.CONFIGS["rules"])
PART = "part06.txt"


@pytest.fixture
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let phi_notes consist of one small part in both of its folders; return a folder without open corpora."""
    place = tmp_path / "phi"
    place.mkdir()
    shutil.copy(corpus_folder("shipped:phi-notes-dev") / PART, place / PART)
    monkeypatch.setattr(texts, "corpus_folder", lambda name: place)
    monkeypatch.setattr(texts, "SHORTEST", 100)
    monkeypatch.setattr(texts, "WARM", 2)
    return tmp_path


@pytest.fixture
def folder(few: Path) -> Path:
    """Return a folder with two notes to warm up and three new ones."""
    texts.notes(few, 3).write(few)
    return few


def test_every_note_is_given_once_and_the_same_ones_each_time(few: Path) -> None:
    found = texts.notes(few, 40)
    assert len(found.warm) == 2 and len(found.new) == 40
    assert len({*found.warm, *found.new}) == 42
    assert found == texts.notes(few, 40)
    assert texts.notes(few, 5).new == found.new[:5]
    assert sum(found.counts.values()) == 42
    assert found.counts["composed from phi_notes"] > 0


def test_absent_corpora_are_reported(few: Path) -> None:
    assert texts.notes(few, 1).skipped == [
        "MTSamples: no mtsamples/unlabelled.jsonl.gz in the folder of the open corpora (--corpora)",
        "VAERS: no vaers_unlabelled/narratives.jsonl.gz in the folder of the open corpora (--corpora)",
    ]


def test_composed_notes_have_other_names_and_numbers(few: Path) -> None:
    known = [text for _, text in texts.opened(few)[0]]
    made = list(islice(texts.composed(set(known)), 3))
    assert not {*made} & {*known}
    assert all(any(c.isdigit() for c in text) for text in made)


def test_new_forms_are_counted_by_hand() -> None:
    assert texts.new_forms(["a b a", "a c"], ["b"]) == 2 / 5  # a and c are new once
    assert texts.new_forms([]) == 0


def test_texts_travel_as_json_strings(tmp_path: Path) -> None:
    given = ["a\n\u2028", "\U0001f600"]
    texts.write(tmp_path / "x.jsonl", given)
    assert list(texts.read(tmp_path / "x.jsonl")) == given


def test_engines_are_measured_for_new_notes_and_for_the_same_again(folder: Path) -> None:
    found = work.engines(RULES, folder)
    assert list(found["passes"]) == ["cold", "second", "third", "fourth"]
    assert found["documents"] == 3
    cold_pass = found["passes"]["cold"]
    assert list(cold_pass["components"])[:2] == ["segmenter", "known_phi"]
    assert list(cold_pass["components"])[-2:] == ["resolver", "masker"]
    assert 0 < cold_pass["p50"] <= cold_pass["p95"] <= cold_pass["cpu"]
    assert sum(cold_pass["components"].values()) * 3 <= cold_pass["cpu"]


def test_a_whole_run_keeps_the_engines_and_has_two_consumers(tmp_path: Path) -> None:
    found = work.configuration("deidentify", tmp_path / "notes.jsonl", tmp_path / "out", 2)
    assert [*found["consumers"][0], *found["consumers"][1]] == ["text", "xmi"]
    assert "leak_gate" in found["engines"]
    assert found["run"]["workers"] == 2 and found["run"]["on_error"] == "quarantine"


def test_memory_is_read_on_the_way(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "STEPS", {2})
    found = work.memory_of(RULES, folder)
    assert list(found["curve"]) == [2]
    assert 10 < found["curve"][2][1] <= found["peak"] < 2000
    assert found["documents"] == 3


def test_a_process_that_fails_is_reported_with_its_last_line(tmp_path: Path) -> None:
    with pytest.raises(rounds.ProcessError, match=r"exit code 1: .*no configuration 'nothing'"):
        rounds.launched("work", "engines", "nothing", str(tmp_path))


def test_weights_are_written_exactly_for_crfsuite(tmp_path: Path) -> None:
    given = Weights.of(
        ["O", "B-X", "I-X"],
        {("0:a", "O"): 0.25, ("0:a", "B-X"): -1.5, ("0:a", "I-X"): 2.0, ("1:b", "I-X"): 1e-7},
        {("O", "B-X"): 0.125, ("B-X", "I-X"): 3.0},
    )
    crf.crfsuite_model(given, tmp_path / "model")
    written = parse((tmp_path / "model").read_bytes())
    mine, theirs = (dict(zip(crf.pairs(w), w.values.tolist(), strict=True)) for w in (given, written))
    assert {pair: value for pair, value in theirs.items() if value} == mine
    assert crf.transitions(written) == crf.transitions(given)


@pytest.mark.slow
def test_the_crf_and_crfsuite_give_the_same_labels(folder: Path) -> None:
    found = crf.compared(folder)  # raises if they differ
    assert found["documents"] == 3 and found["tokens"] > 100
    assert found["cold labels"] <= found["cold"]


def test_accuracy_is_read_from_the_page_of_english_results() -> None:
    page_ = ENGLISH.read_text(encoding="utf-8")
    found = accuracy(rounds.PROFILES, page_)
    assert next(title for title, _ in found) == "spans covered, phi_notes dev"
    for values in (row for _, row in found):
        assert len(values) == 2 and all(float(v) >= 0 for v in values)
    with pytest.raises(
        ValueError, match=r"english.md: table 'phi_notes, dev: all documents': expected a column 'covered, x'"
    ):
        accuracy(("x",), page_)
    with pytest.raises(ValueError, match=r"english.md: expected a table 'phi_notes, dev: all documents'"):
        accuracy(("x",), "")


def one_round(cpu: float) -> dict[str, Any]:
    passes = {
        name: {
            "cpu": cpu / n,
            "wall": cpu,
            "p50": 0.01,
            "p95": 0.02,
            "components": {"segmenter": 0.001 / n},
            "refused": 0,
        }
        for n, name in enumerate(("cold", "second", "third", "fourth"), 1)
    }
    return {"passes": passes, "documents": 100, "bytes": 100_000}


@pytest.fixture
def results() -> dict[str, Any]:
    """Return results with round numbers."""
    whole = {"cpu": 3.0, "wall": 4.0, "documents": 100, "refused": 1, "peak": 200.0}
    ways = {"engines": [one_round(2.0)], "0": [whole], "1": [whole], "2": [{**whole, "wall": 2.5}]}
    seconds = {"annotate": [{"wall": 1.0, "cpu": 0.5}], "run": [{"wall": 2.0, "cpu": 1.5}]}
    return {
        "date": "2026-01-02",
        "machine": "a machine",
        "processor": "a processor",
        "command": "the command",
        "load": 0.0,
        "warm": 20,
        "notes": {
            "origin": "3 of phi_notes",
            "mean": 1000.0,
            "skipped": ["VAERS: no file"],
            "all": "9 of phi_notes",
            "all_mean": 1000.0,
            "forms": 0.25,
            "last_forms": 0.05,
        },
        "engines": {name: [one_round(1.0), one_round(2.0), one_round(4.0)] for name in rounds.CONFIGS},
        "whole": dict.fromkeys(rounds.PROFILES, ways),
        "first": dict.fromkeys(rounds.CONFIGS, seconds),
        "memory": {name: {"peak": 220.0, "shown": {"1000": 200.0, "10000": 220.0}} for name in rounds.PROFILES},
        "crf": [
            {"tokens": 1000, "documents": 3, "cold": 0.5, "second": 0.25, "cold labels": 0.4, "second labels": 0.2}
            | {"crfsuite": 0.25, "strings": 0.75}
        ],
    }


def test_the_page_shows_medians_and_ratios(results: dict[str, Any]) -> None:
    shown = page.cold_section(results)
    assert "2026-01-02, a processor; a machine. Load of the machine at the start: 0.0.\n\n`the command`" in shown
    assert "Left out: VAERS: no file." in shown
    assert "| rules | new notes | 50 | 0.05 | 10.0 | 20.0 | 1.00 |" in shown
    assert "| rules | the same, second pass | 100 | 0.10 | 10.0 | 20.0 | 0.50 |" in shown
    assert "| segmenter | 1.00 | 0.50 |" in shown
    assert "| deidentify | 50 | 50% | 25 | 25 | 40 | 1.60 | 200 / 200 / 200 | 1 |" in shown
    assert "| deidentify | 1.00 | 0.50 | 2.00 | 1.50 |" in shown
    assert "| deidentify | 200 | 220 | 1.10 |" in shown
    assert "| caspipe, from tokens, new notes | 2 | 2.00 |" in shown
    assert "| sklearn-crfsuite, feature strings made by caspipe | 1 | 4.00 |" in shown


def test_parts_that_were_not_measured_are_left_out(results: dict[str, Any]) -> None:
    shown = page.cold_section({name: value for name, value in results.items() if name not in ("whole", "crf")})
    assert "Whole runs" not in shown and "CRF" not in shown and "Memory" in shown


def test_the_profiles_are_side_by_side(results: dict[str, Any]) -> None:
    shown = page.profiles_section(results, [("spans covered", ["0.9", "1.0"])])
    assert "|  | `deidentify-fast` | `deidentify` |" in shown
    assert "| spans covered | 0.9 | 1.0 |" in shown
    assert "| new notes, documents/s | 50 | 50 |" in shown


def test_the_command_writes_the_page_from_kept_results(
    results: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "results.json").write_text(json.dumps(results), encoding="utf-8")
    written = tmp_path / "speed.md"
    shutil.copy(bench_cold.PAGE, written)
    monkeypatch.setattr(bench_cold, "PAGE", written)
    assert bench_cold.main(["--from", str(tmp_path / "results.json"), "--write"]) == 0
    text = written.read_text(encoding="utf-8")
    assert "| rules | new notes | 50 |" in text and "| `deidentify-fast` | `deidentify` |" in text
    trained = {"wall": 60.0, "cpu": 50.0, "documents": 1800, "peak": 900.0, "notes": 600, "iterations": 70}
    kept = {name: results[name] for name in ("date", "machine", "processor", "command")}
    assert "600 notes of phi_notes and two augmented copies of each (1,800 documents): 60 s" in page.training_section(
        {**kept, "training": trained}
    )


def test_the_page_has_a_place_for_every_section() -> None:
    text = bench_cold.PAGE.read_text(encoding="utf-8")
    for name in ("profiles", "cold", "training", "peers"):
        assert text.count(f"<!-- begin: {name} -->") == text.count(f"<!-- end: {name} -->") == 1


def test_other_programs_get_the_same_notes(few: Path) -> None:
    given = cold(few, 3)
    assert set(given.sets) == {"warm", "notes"}
    assert given.sets["notes"] == texts.notes(few, 3).new
    assert given.told.startswith("3 notes and 2 others to warm up: ")


def test_the_section_of_other_programs_has_ratios_on_new_notes() -> None:
    def measured(name: str, seconds: float) -> Measured:
        both = {"notes": {"cpu": seconds, "wall": seconds}, "notes-again": {"cpu": seconds / 2, "wall": seconds}}
        found = {"passes": both, "first": 0.4, "first_cpu": 0.3, "peak_mb": 100.0, "resident_mb": 90.0}
        return Measured(next(r for r in ROWS if r.name == name), found, [found])

    given = Texts("Some notes.", {"warm": ["x"], "notes": ["x" * 1000] * 10})
    done = [measured("ours-fast", 1.0), measured("presidio-all", 4.0), "scrubadub: not measured: not set up in x."]
    shown = peers_section(done, given, 3, "the command", 0.0, {"presidio": "presidio 1"})
    assert "| caspipe, fast pipeline | 10 | 0.01 | 0.50 | 0.40 | 0.30 | 100 | - |" in shown
    assert "| Presidio, all patterns | 2 | 0.00 | 0.50 | 0.40 | 0.30 | 100 | 4.0 |" in shown
    assert "- scrubadub: not measured: not set up in x." in shown


def test_every_benchmark_is_run_or_left_out_with_a_reason() -> None:
    files = {file.stem for pattern in ("bench_*.py", "score_*.py") for file in (ROOT / "benchmarks").glob(pattern)}
    assert {one.module for one in run.RUNS} | set(run.APART) == files
    assert not {one.module for one in run.RUNS} & set(run.APART)


def test_a_benchmark_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(run, "SHARED", tmp_path)
    assert run.Run("x", ("a/b.jsonl",), True).lacking() == "the corpus is not next to this checkout"
    assert run.Run("x", packages=("no_such_package", "json")).lacking() == "needs no_such_package, not installed"
    assert run.Run("x").lacking() == ""


def test_progress_and_errors_of_a_benchmark_are_passed_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "import sys; print('figure'); print('half', file=sys.stderr); sys.exit(int(sys.argv[-1]))"
    popen = run.subprocess.Popen
    monkeypatch.setattr(run.subprocess, "Popen", lambda given, **k: popen([sys.executable, "-c", code, given[-1]], **k))
    assert run._output(run.Run("x", ("0",))) == (0, "figure\n")
    assert capsys.readouterr().err == "    half\n"
    assert run._output(run.Run("x", ("3",))) == (3, "figure\n\nfailed with exit code 3\nhalf\n")


def test_an_unknown_benchmark_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["bench_nothing"]) == 2
    assert capsys.readouterr().err.startswith("bench_nothing: expected some of bench_cold, bench_cas, ")


def test_the_measurements_keep_sections_of_others_and_name_what_was_not_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "RESULTS.md").write_text("# Old\n\n## bench_peers\n\nkept\n", encoding="utf-8")
    monkeypatch.setattr(run, "HERE", tmp_path)
    monkeypatch.setattr(run, "RUNS", (run.Run("bench_a"), run.Run("bench_b", packages=("no_such_package",))))
    monkeypatch.setattr(run, "_output", lambda one: (0, "figure\n"))
    assert run.main([]) == 0
    page_ = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert "## bench_a\n\n`python -m benchmarks.bench_a`\n\n```\nfigure\n```\n" in page_
    assert "## bench_b\n\n`python -m benchmarks.bench_b`\n\nNot run: needs no_such_package, not installed.\n" in page_
    assert page_.endswith("## bench_peers\n\nkept\n")
    told = capsys.readouterr().out
    assert "[1/2] bench_a ...\nfigure\n" in told
    assert "Not run:\n  bench_b: needs no_such_package, not installed\n  bench_peers: needs environments" in told


def test_a_part_does_not_replace_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench_cold.main(["--only", "crf", "--write"])
    assert "--write: expected no --only" in capsys.readouterr().err
