"""A release that is older than a decision is refused; an interruption leaves the old release or the new one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from releasing import caspipe, holding, make_run, manifest, released, reviewer

from caspipe.pipeline.application.release import publishing
from caspipe.typesystem import DEIDENTIFIED_VIEW, GOLD_VIEW, read_xmi


@pytest.mark.attack("review-stale")
def test_a_manifest_of_a_release_older_than_a_decision_is_refused(run: Path) -> None:
    assert caspipe("audit", "manifest", run).exit_code == 0
    with reviewer(run) as anna:
        anna.add("c", "quellmore")
    refused = caspipe("audit", "manifest", run)
    assert refused.exit_code == 4
    assert refused.stderr.strip().endswith(
        f"the release is older than decisions of its review by anna (1): run `caspipe release {run} --review anna`"
    )
    caspipe("release", run, "--review", "anna")
    assert caspipe("audit", "manifest", run).exit_code == 0
    with reviewer(run, "ben") as ben:
        ben.done("a")
    assert "by ben (1): run `caspipe release" in caspipe("audit", "manifest", run).stderr
    assert f"{run} --review anna --review ben`" in caspipe("audit", "manifest", run).stderr


@pytest.mark.attack("review-stale")
def test_gold_holds_no_masked_text_that_is_older_than_its_decisions(run: Path, tmp_path: Path) -> None:
    with reviewer(run) as anna:
        anna.add("c", "quellmore")
        anna.done("c")
        anna.done("a")
    gold = tmp_path / "gold"
    assert caspipe("review", run / "restricted" / "xmi", "--annotator", "anna", "--export", gold).exit_code == 0
    changed, same = read_xmi(gold / "c.xmi"), read_xmi(gold / "a.xmi")
    assert changed.has_view(GOLD_VIEW) and not changed.has_view(DEIDENTIFIED_VIEW)
    assert same.has_view(DEIDENTIFIED_VIEW)


@pytest.mark.attack("review-stale")
def test_a_new_run_takes_the_place_of_an_older_release(run: Path) -> None:
    with reviewer(run) as anna:
        anna.add("c", "quellmore")
        anna.done("c")
    caspipe("release", run, "--review", "anna")
    time.sleep(1.1)  # the start of a run is kept in seconds
    make_run(run.parent, replace_release=True)
    assert holding(run, "quellmore") != []
    assert "older than decisions of its review by anna" in caspipe("audit", "manifest", run).stderr
    assert caspipe("release", run, "--review", "anna").exit_code == 3
    assert holding(run, "quellmore") == []


@pytest.mark.attack("review-stale")
@pytest.mark.parametrize("step", ["_copy", "_sync", "_exchange", "_settle_quarantine"])
def test_an_error_at_any_step_leaves_the_old_release_or_the_new_one(
    step: str, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = released(run)
    with reviewer(run) as anna:
        anna.add("c", "quellmore")
        anna.reject("b", "617-555-0134")
        anna.done("c")
        anna.done("b")

    def fails(*_: object) -> None:
        raise publishing.OutputError("the disk is full")

    monkeypatch.setattr(publishing, step, fails)
    assert caspipe("release", run, "--review", "anna").exit_code == 4
    new = [old[0], old[1].replace("[PHONE]", "617-555-0134"), old[2].replace("quellmore", "[PERSON]")]
    assert released(run) == (new if step == "_settle_quarantine" else old)
    monkeypatch.undo()
    monkeypatch.setenv("RELEASE_KEY", "0123456789abcdef-release")
    caspipe("release", run, "--review", "anna")
    assert released(run) == new
    assert caspipe("audit", "verify", run).exit_code == 0


@pytest.mark.attack("review-stale")
def test_without_an_exchange_in_one_step_the_release_is_renamed(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with reviewer(run) as anna:
        anna.add("c", "quellmore")
        anna.done("c")
    monkeypatch.setattr(publishing.sys, "platform", "darwin")
    caspipe("release", run, "--review", "anna")
    assert holding(run, "quellmore") == []
    assert caspipe("audit", "verify", run).exit_code == 0
    left = {p.name for p in (run / "restricted" / "reviewed").iterdir()}
    assert left == {"release", "restricted", "published.json"}


PROGRAM = "from caspipe.pipeline.application.cli.main import main; main()"


@pytest.mark.attack("review-stale")
def test_a_killed_release_leaves_a_whole_release(tmp_path: Path) -> None:
    run = make_run(
        tmp_path, {f"n{i:02}": f"Mr. Zorblatt came on {i % 27 + 1} May 2020 with quellmore." for i in range(40)}
    )
    old = released(run)
    with reviewer(run) as anna:
        for i in range(40):
            anna.add(f"n{i:02}", "quellmore")
            anna.done(f"n{i:02}")
    new = [text.replace("quellmore", "[PERSON]") for text in old]
    command = [sys.executable, "-c", PROGRAM, "release", str(run), "--review", "anna", "-q"]
    for delay in (0.5, 0.8, 1.0, 1.2, 1.5):
        process = subprocess.Popen(command, env={**os.environ}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        assert released(run) in (old, new)
    assert caspipe("release", run, "--review", "anna", "-q").exit_code == 0
    assert released(run) == new
    assert caspipe("audit", "verify", run).exit_code == 0


@pytest.mark.attack("review-stale")
def test_a_run_after_a_release_says_so_and_leaves_nothing_of_it(run: Path) -> None:
    with reviewer(run) as anna:
        anna.done("d")  # in quarantine
        anna.add("d", "Z o r b l a t t")
        anna.add("c", "quellmore")
    done = caspipe("release", run, "--review", "anna")
    assert "mode" not in done.stderr
    assert len(released(run)) == 4
    again = caspipe("retry", run.parent / "letters.yaml", "--output", run, "--replace-release")
    assert "without the decisions of their review" in " ".join(again.output.split())
    assert len(released(run)) == manifest(run)["documents"]["released"] == 3
    assert "decisions" not in caspipe("retry", run.parent / "letters.yaml", "--output", run).output
