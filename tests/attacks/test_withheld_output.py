"""What components print, log and raise reaches neither terminal nor report, and it is said how much was withheld."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from attacks.printing import WAYS

from caspipe.pipeline import Pipeline
from caspipe.pipeline.running.withheld_output import WithheldOutput

SECRET = "Featherstone"
PRINTING = Path(__file__).with_name("printing.py")
UNSEEN = ("raises", "raises_by_class", "raises_in_generated_code", "warns", "warns_by_class")
"""Ways that print nothing."""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for n in range(3):
        (folder / f"n{n}.txt").write_text(f"Patient {SECRET} number {n}")
    return folder


def run(project: Path, *options: str, way: str = "prints", more: str = "") -> subprocess.CompletedProcess[str]:
    (project / "run.yaml").write_text(
        f"reader: {{text: {{folder: notes}}}}\nengines: [{{quoting: {{way: {way}}}}}, resolver, masker]\n"
        f"consumers: [{{text: {{}}}}, report{more}]\n"
    )
    cli = [sys.executable, "-m", "caspipe.pipeline.application.cli.main", "run", "run.yaml", "--plugin", str(PRINTING)]
    # a second on two cores: every way is a process of its own, since output buffers are flushed when one ends
    return subprocess.run([*cli, *options], cwd=project, capture_output=True, text=True, check=False)


def searched(project: Path, done: subprocess.CompletedProcess[str]) -> str:
    """Return everything that was printed and written, except the ledger, the originals and the quarantined texts."""
    files = [p for p in (project / "out").rglob("*") if p.is_file() and "quarantine" not in p.parts]
    return "".join([done.stdout, done.stderr, *(p.read_bytes().decode("utf-8", "replace") for p in files)])


@pytest.mark.attack("withheld-output")
@pytest.mark.parametrize("workers", ["0", "1"])
@pytest.mark.parametrize("way", WAYS)
def test_nothing_that_a_component_says_is_shown(tmp_path: Path, notes: Path, way: str, workers: str) -> None:
    done = run(tmp_path, "-w", workers, way=way)
    assert SECRET not in searched(tmp_path, done)
    assert done.returncode == (3 if way.startswith("raises") else 0), done.stderr
    if way not in (*UNSEEN, "fails_at_the_end"):
        said = re.findall(r"components printed (\d+) lines?, withheld; --show-output shows them", done.stdout)
        assert len(said) == 1
        assert int(said[0]) >= 3


@pytest.mark.attack("withheld-output")
def test_what_a_consumer_prints_in_the_process_of_the_run_is_withheld(tmp_path: Path, notes: Path) -> None:
    done = run(tmp_path, "-w", "2", more=", quoting_consumer")
    assert SECRET not in searched(tmp_path, done)
    assert "components printed 6 lines, withheld; --show-output shows them" in done.stdout
    done = run(tmp_path, "-w", "2", way="raises", more=", quoting_consumer")
    assert SECRET not in searched(tmp_path, done)


@pytest.mark.attack("withheld-output")
@pytest.mark.parametrize("workers", ["0", "2"])
def test_output_is_shown_when_it_is_asked_for(tmp_path: Path, notes: Path, workers: str) -> None:
    done = run(tmp_path, "-w", workers, "--show-output")
    assert done.stdout.count(SECRET) == 3
    assert "withheld" not in done.stdout


@pytest.mark.attack("withheld-output")
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_the_count_does_not_depend_on_the_number_of_workers(tmp_path: Path, notes: Path, start: str) -> None:
    text = f"reader: {{text: {{folder: {notes}}}}}\nengines: [quoting, resolver, masker]\nconsumers: [text]\n"
    for workers in (0, 1, 2):
        options = [f"run.output={tmp_path / 'out'}", f"run.workers={workers}", f"run.start={start}"]
        assert Pipeline.parse(text, options).run().withheld == 3


@pytest.mark.attack("withheld-output")
def test_a_program_prints_before_after_and_about_its_documents(
    tmp_path: Path, notes: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = f"reader: {{text: {{folder: {notes}}}}}\nengines: [quoting, resolver, masker]\nconsumers: [text]\n"
    print("before")
    os.write(2, b"really\n")
    pipeline = Pipeline.parse(text, [f"run.output={tmp_path / 'out'}", "run.workers=0"])
    pipeline.run(lambda report, total: print(f"{report.documents.read} of {total}"))
    print("after")
    assert capfd.readouterr() == ("before\n1 of 3\n2 of 3\n3 of 3\nafter\n", "really\n")


@pytest.mark.attack("withheld-output")
def test_lines_are_counted(capfd: pytest.CaptureFixture[str]) -> None:
    output = WithheldOutput()
    assert output.take() == 0
    output.begin()
    print("one\ntwo")
    os.write(1, b"three without an end")
    assert output.take() == 3
    assert output.take() == 0
    print("x" * 200_000)
    with output.lifted():
        print("shown")
    assert output.take() == 1
    print("lost")
    output.end()
    print("shown, too")
    assert capfd.readouterr().out == "shown\nshown, too\n"


@pytest.mark.attack("withheld-output")
@pytest.mark.server
@pytest.mark.parametrize("workers", ["0", "1"])
def test_the_service_logs_how_much_was_withheld(tmp_path: Path, workers: str) -> None:
    httpx = pytest.importorskip("httpx")
    pytest.importorskip("uvicorn", reason="needs the extra `server`")
    (tmp_path / "serve.yaml").write_text("engines: [quoting, resolver, masker]\n")
    cli = [sys.executable, "-m", "caspipe.pipeline.application.cli.main", "serve", "serve.yaml", "--port", "0"]
    with subprocess.Popen(
        [*cli, "--plugin", str(PRINTING), "--workers", workers],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as service:
        assert service.stderr is not None
        try:
            url = re.search(r"http://\S+", service.stderr.readline())
            assert url is not None
            while "ready" not in service.stderr.readline():
                pass
            answer = httpx.post(f"{url[0]}/v1/process", json={"text": f"Patient {SECRET}"}, timeout=60)
            assert answer.json()["masked"]["text"] == "[ID]"
        finally:
            service.terminate()
            out, said = service.communicate(timeout=60)
    assert SECRET not in out + said
    assert "components printed 1 line, withheld" in said
