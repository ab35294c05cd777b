"""A release that was made from reviewed documents, and any output folder, stay as they are until someone asks for more."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from releasing import CONFIG, caspipe, make_run, released, reviewer

from caspipe.consumers.files.lines import LineConsumer
from caspipe.pipeline.errors import ConfigError

pytestmark = pytest.mark.attack("review-decisions")


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def reviewed(run: Path, *names: str) -> None:
    """Add a span in the review of each of the names."""
    for name, words in zip(names, ("quellmore", "talk"), strict=False):
        with reviewer(run, name) as one:
            one.add("c", words)
            one.done("c")


def config_of(run: Path) -> Path:
    return run.parent / "letters.yaml"


@pytest.mark.parametrize("command", ["run", "retry", "resume", "python"])
def test_no_run_replaces_a_reviewed_release(run: Path, command: str) -> None:
    reviewed(run, "anna")
    assert caspipe("release", run, "--review", "anna").exit_code == 3
    before = contents(run)
    assert b"quellmore" not in b"".join(data for name, data in before.items() if name.startswith("release/"))
    if command == "python":
        with pytest.raises(ConfigError, match=r"^run\.output: .* made from reviewed documents"):
            make_run(run.parent)
    else:
        arguments = ["run", config_of(run), "--resume"] if command == "resume" else [command, config_of(run)]
        result = caspipe(*arguments, "--output", run)
        assert result.exit_code == 2
        told = " ".join((result.output + result.stderr).split())
        assert "was made from reviewed documents (anna: " in told and "without their decisions" in told
        assert "--replace-release" in told and f"caspipe release {run} --review anna" in told and "--output" in told
    assert contents(run) == before


@pytest.mark.parametrize("command", ["run", "retry"])
def test_the_option_allows_it(run: Path, command: str) -> None:
    reviewed(run, "anna")
    caspipe("release", run, "--review", "anna")
    result = caspipe(command, config_of(run), "--output", run, "--replace-release")
    assert result.exit_code == 3 and "without the decisions of their review" in " ".join(result.output.split())
    assert any("quellmore" in text for text in released(run))
    again = caspipe(command, config_of(run), "--output", run)
    assert again.exit_code == 3  # now it is the release of a run
    assert caspipe("release", run, "--review", "anna").exit_code == 3
    assert not any("quellmore" in text for text in released(run))


def test_no_merge_replaces_a_reviewed_release(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    reviewed(run, "anna")
    caspipe("release", run, "--review", "anna")
    for part in ("1/2", "2/2"):
        assert caspipe("run", config_of(run), "--output", run, "--shard", part).exit_code in (0, 3)
    before = contents(run)
    result = caspipe("merge", config_of(run), "--output", run)
    assert result.exit_code == 2 and "made from reviewed documents" in " ".join((result.output + result.stderr).split())
    assert contents(run) == before
    assert caspipe("merge", config_of(run), "--output", run, "--replace-release").exit_code == 3
    assert any("quellmore" in text for text in released(run))


def test_decisions_that_are_left_out_are_said(run: Path) -> None:
    reviewed(run, "anna", "ben")
    result = caspipe("release", run, "--review", "ben")
    told = " ".join(result.output.split())
    assert "decisions of anna are left out: 2 decisions about 1 document (1 completed)" in told
    assert f"to include them: `caspipe release {run} --review ben --review anna`" in told
    assert any("quellmore" in text for text in released(run))
    result = caspipe("release", run, "--review", "ben", "--review", "anna")
    assert "left out:" not in " ".join(result.output.split())
    assert not any("quellmore" in text or "talk" in text for text in released(run))


def test_an_adjudicator_that_is_left_out_is_said(run: Path) -> None:
    reviewed(run, "anna", "ben")
    with reviewer(run, "eva", ("anna", "ben")) as eva:
        number = eva.number("c")
        for n in range(len(eva.session.opened(number).differences)):
            eva.do("choose", "c", difference=n, side="both")
    told = " ".join(caspipe("release", run, "--review", "ben").output.split())
    assert f"`caspipe release {run} --review ben --review anna --review eva`" in told
    assert "decisions of anna are left out" in told
    assert "are left out" not in " ".join(caspipe("release", run, "--review", "eva").output.split())


def test_edited_documents_leave_out_every_review(run: Path, tmp_path: Path) -> None:
    reviewed(run, "anna")
    edited = tmp_path / "edited"
    shutil.copytree(run / "restricted/xmi", edited, ignore=shutil.ignore_patterns("review"))
    told = " ".join(caspipe("release", run, "--xmi", edited).output.split())
    assert "decisions of anna are left out: 2 decisions about 1 document (1 completed)" in told


@pytest.mark.parametrize("kind", ["reviewed", "plain"])
def test_preparing_a_review_leaves_the_output_folder_of_the_configuration(run: Path, tmp_path: Path, kind: str) -> None:
    if kind == "reviewed":
        reviewed(run, "anna")
        caspipe("release", run, "--review", "anna")
    before = contents(run)
    config = CONFIG.replace("output: out", f"output: {run}, events: {tmp_path}/events, metrics: {tmp_path}/metrics")
    (tmp_path / "my.yaml").write_text(config.replace("folder: notes", f"folder: {tmp_path}/notes"))
    folder, gold = tmp_path / "narratives", tmp_path / "gold"
    result = caspipe("review", folder, "--config", tmp_path / "my.yaml", "--export", gold, "--all", "-q")
    assert result.exit_code == 0 and len(list(gold.glob("*.xmi"))) == 4
    assert contents(run) == before and not (tmp_path / "events").exists() and not (tmp_path / "metrics").exists()
    assert {p.suffix for p in folder.rglob("*") if p.is_file()} <= {".xmi", ".xml", ".jsonl"}


@pytest.mark.parametrize("where", ["notes", "out", "out/restricted"])
def test_a_review_writes_no_xmi_among_other_files(run: Path, where: str) -> None:
    before, folder = contents(run.parent), run.parent / where
    shutil.rmtree(run / "restricted/xmi")
    before = contents(run.parent)
    result = caspipe("review", folder, "--config", config_of(run), "--export", run.parent / "gold", "-q")
    told = " ".join((result.output + result.stderr).split())
    assert result.exit_code == 2
    what = "is the output folder of a run" if where == "out" else "holds other files"
    assert f"--config: {folder} {what}" in told and "name a new folder" in told
    assert contents(run.parent) == before


@pytest.mark.parametrize("way", ["{out}/restricted/xmi", "../out/restricted/xmi", "{out}/xmi", "restricted/./xmi"])
def test_the_originals_are_found_however_their_path_is_written(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = way.format(out=tmp_path / "out")
    run = make_run(tmp_path, config=CONFIG.replace("restricted/xmi", folder))
    reviewed(run, "anna")
    monkeypatch.chdir(tmp_path)
    result = caspipe("release", "out", "--review", "anna")
    assert result.exit_code == 3, result.output + result.stderr
    assert not any("quellmore" in text for text in released(run)) and len(released(run)) == 3


def test_a_reviewed_release_contains_what_was_written_by_an_absolute_path(tmp_path: Path) -> None:
    run = make_run(tmp_path, config=CONFIG.replace("folder: release/text", f"folder: {tmp_path}/out/release/text"))
    reviewed(run, "anna")
    assert caspipe("release", run, "--review", "anna").exit_code == 3
    assert not any("quellmore" in text for text in released(run)) and len(released(run)) == 3


def test_a_document_that_the_scanner_withdraws_takes_no_other_with_it(tmp_path: Path) -> None:
    """The types of all documents are recorded with the first, which the scanner withdraws from the reviewed release."""
    letters = {
        "a": "Mr. Tom Zorblatt called.",
        "b": "Mr. Tom Zorblatt came on 7 July 2020.",
        "c": "Nothing.",
        "d": "Not much.",
    }
    run = make_run(tmp_path, letters, CONFIG.replace("  - leak_gate: {repair: false}\n", ""))
    with reviewer(run) as anna:
        anna.reject("a", "Tom Zorblatt")
        anna.done("a")
    result = caspipe("release", run, "--review", "anna")
    assert result.exit_code == 3 and "3 documents released, 1 withheld" in result.output
    assert len(released(run)) == 3 and not any("Zorblatt" in text for text in released(run))


def test_a_document_that_is_lost_in_a_withdrawal_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If an output that documents share is damaged when one is withdrawn, the others leave the release with all their files."""
    monkeypatch.setattr(LineConsumer, "restore", lambda *_: None)
    config = CONFIG.replace("  - xmi:", "  - jsonl\n  - xmi:").replace("  - leak_gate: {repair: false}\n", "")
    letters = {"a": "Mr. Tom Zorblatt called.", "Zorblatt, Tom": "Mr. Tom Zorblatt came."}
    run = make_run(tmp_path, letters, config, names="id")
    assert released(run) == [] and (run / "release/documents.jsonl").read_bytes() == b""
