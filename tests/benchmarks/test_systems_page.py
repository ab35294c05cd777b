"""Tests of the page of the comparison: goals, the table, and rows that are not measured again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import score_systems
from benchmarks.systems.bundles import Bundles, provided, total
from benchmarks.systems.declared import Row, Training
from benchmarks.systems.goals import verdicts
from benchmarks.systems.page import claims, rendered, write_page
from benchmarks.systems.results import Result, path_of
from caspipe.pipeline import Pipeline

ROWS = {name: Row(name, f"About {name}.", name == "S2", {}) for name in ("S2", "S4", "ensemble")}


def result(row: str, corpus: str = "meddocan", **figures: Any) -> Result:
    told = {"strict": {"f1": 0.9, "f1_low": 0.88, "f1_high": 0.92}, "token-binary": {"recall": 0.95}, **figures}
    return Result(row, corpus, 250, told, 12.34, 2_500_000, 61.4, 80.0, ["b"], "2026-11-22", "2 cores")


def told(*results: Result) -> dict[tuple[str, str], tuple[str, str]]:
    return {(goal[:9], corpus): (what, verdict) for goal, corpus, what, verdict in verdicts(results)}


def test_a_goal_is_met_by_the_best_of_its_rows() -> None:
    found = told(result("S4"), result("ensemble", strict={"f1": 0.9731, "f1_low": 0.96, "f1_high": 0.98}))
    assert found["strict en", "MEDDOCAN dev"] == ("ensemble: strict F1 0.9731 [0.9600, 0.9800]", "met")
    assert found["binary to", "MEDDOCAN dev"][1] == "missed by 0.040"


def test_a_goal_missed_by_little_does_not_look_met() -> None:
    found = told(result("S4", strict={"f1": 0.97196}))
    assert found["strict en", "MEDDOCAN dev"] == ("S4: strict F1 0.9720", "missed by 0.00004")


def test_figures_that_belong_together_must_be_reached_together() -> None:
    found = told(
        result("S2", masking={"recall": 0.999, "precision": 0.5}),
        result("S2", "vaers", masking={"recall": 0.995, "precision": 0.8}),
    )
    assert found["S2: maski", "MEDDOCAN dev"][1] == "missed by 0.300"
    assert found["S2: maski", "VAERS dev"][1] == "met"
    assert found["S2: maski", "English names"] == ("", "not measured")


def test_a_row_that_the_goal_is_not_set_for_does_not_meet_it() -> None:
    assert told(result("S2", strict={"f1": 1.0}))["strict en", "MEDDOCAN dev"][1] == "not measured"


def test_a_binary_system_has_no_strict_figures_in_the_table_and_a_star_at_the_others() -> None:
    figures = {"covering-binary": {"precision": 0.5, "recall": 0.25, "f1": None}}
    lines = rendered([result("S2", **figures), result("S4")], ROWS, [], "plot.svg").splitlines()
    binary = next(line for line in lines if line.startswith("| MEDDOCAN dev | S2 |"))
    assert binary.split(" | ")[2:4] == ["n/a", "0.500 / 0.250 / undefined*"]
    plain = next(line for line in lines if line.startswith("| MEDDOCAN dev | S4 |"))
    assert plain.split(" | ")[2] == "undefined / undefined / 0.9000 [0.880, 0.920]"
    assert plain.endswith("| 12 | 2.50 | 61 s |")


def test_every_claim_names_a_page_and_a_verdict() -> None:
    for claim in claims():
        assert sorted(claim) == ["claim", "found", "page", "verdict"]
        assert (Path(score_systems.ROOT) / "docs" / "systems" / claim["page"].partition("#")[0]).is_file()


def test_the_page_and_its_plot_are_written_from_the_rows_there_are(tmp_path: Path) -> None:
    folder = tmp_path / "systems"
    result("S4").write(path_of(folder, "S4", "meddocan"))
    assert write_page(tmp_path / "systems.md", folder, ROWS).startswith("systems.md: 1 rows")
    assert "](systems/systems.svg)" in (tmp_path / "systems.md").read_text(encoding="utf-8")
    plot = folder / "systems.svg"
    first = plot.read_bytes()
    write_page(tmp_path / "systems.md", folder, ROWS)
    assert plot.read_bytes() == first


@pytest.mark.slow
def test_the_page_in_the_docs_is_the_one_of_its_rows(tmp_path: Path) -> None:
    page = tmp_path / "systems.md"
    folder = tmp_path / "systems"
    folder.mkdir()
    for file in score_systems.ROWS.glob("*.json"):
        (folder / file.name).write_bytes(file.read_bytes())
    write_page(page, folder, score_systems.rows())
    assert page.read_text(encoding="utf-8") == score_systems.PAGE.read_text(encoding="utf-8")


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["score_systems", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        score_systems.main()
    return int(ended.value.code or 0)


def test_a_measured_row_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    result("S1-CRF", "vaers").write(path_of(tmp_path, "S1-CRF", "vaers"))
    assert run(monkeypatch, "S1-CRF", "vaers", "--rows", tmp_path, "--corpora", tmp_path) == 0
    assert "measured before (s1-crf-vaers.json)" in capsys.readouterr().out


def test_a_row_without_its_corpus_is_left_out_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "S1-CRF", "meddocan", "--rows", tmp_path, "--corpora", tmp_path) == 1
    assert "S1-CRF, MEDDOCAN dev: left out: MEDDOCAN dev: no folder meddocan/train" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_several_rows_are_measured_in_processes_of_their_own_with_the_same_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []

    def noted(command: list[str], check: bool) -> subprocess.CompletedProcess[bytes]:
        ran.append(command[3:])
        return subprocess.CompletedProcess(command, -9 if len(ran) == 1 else 0)

    monkeypatch.setattr(subprocess, "run", noted)
    assert run(monkeypatch, "S1-CRF", "all", "--again", "--rows", tmp_path, "--corpora", "vaers", "--out", "o") == 1
    corpora = ["meddocan", "names", "synthetic", "vaers"]
    options = ["--again", "--corpora", "vaers", "--out", "o", "--rows", str(tmp_path)]
    assert ran == [["S1-CRF", name, *options] for name in corpora]


def test_a_row_that_does_not_exist_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "S9", "meddocan") == 2
    assert "no S9; expected all or one of S1-RegEx" in capsys.readouterr().err


TRAINING = """
reader: {synthetic: {documents: 12, seed: 3}}
engines: [segmenter]
consumers: [{crf_trainer: {model: small, features: [lower], max_iterations: 5}}]
"""


def test_a_bundle_is_trained_once_and_kept_with_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "small.yaml"
    config.write_text(TRAINING, encoding="utf-8")
    training = Training("mine", str(config))
    first = provided(training, tmp_path / "out")
    assert list(first.places) == ["mine"] and first.bytes > 1000
    assert first.cpu_seconds is not None and first.seconds is not None
    assert sorted(p.name for p in (tmp_path / "out" / "models").iterdir()) == ["mine"]

    def never(*_: object) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr(Pipeline, "run", never)
    assert provided(training, tmp_path / "out") == first
    with pytest.raises(AssertionError, match="trained again"):
        provided(training, tmp_path / "out", again=True)


def test_a_training_may_make_several_bundles(tmp_path: Path) -> None:
    config = tmp_path / "two.yaml"
    trainer = "crf_trainer: {{id: {0}, model: {0}, features: [lower], max_iterations: 3}}"
    both = ", ".join("{" + trainer.format(name) + "}" for name in ("one", "two"))
    config.write_text(
        f"reader: {{synthetic: {{documents: 8, seed: 3}}}}\nengines: [segmenter]\nconsumers: [{both}]\n",
        encoding="utf-8",
    )
    made = provided(Training("pair", str(config)), tmp_path)
    assert sorted(made.places) == ["pair/one", "pair/two"]


def test_a_shipped_bundle_is_taken_as_it_is_and_its_training_time_is_not_known(tmp_path: Path) -> None:
    found = provided(Training("en-phi-crf", "training/en-phi-crf", shipped=True), tmp_path)
    assert found.places == {"en-phi-crf": "en-phi-crf"} and found.bytes > 100_000
    assert total([found, Bundles("x", {}, 5, 1.0, 2.0)]) == (found.bytes + 5, None, None)
