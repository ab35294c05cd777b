"""Runs of the shipped engines over a folder of given files, and what must hold after each of them.

Each note holds a surname behind a title: a released file that holds it is a leak, and so is a message. Texts are synthetic.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from typer.testing import CliRunner

from caspipe.pipeline import Pipeline
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.assembly.shipped import locate

SECRET = "Featherstone"
NOTE = f"Seen by Dr. {SECRET} on 3/4/2020, phone 617-555-0199."
MASKED = "Seen by Dr. [PERSON] on [DATE], phone [PHONE]."
CONSUMERS = ["text", "jsonl", "csv", "xmi", "html", "report"]


@dataclass
class Ran:
    """What a run left."""

    code: int
    said: str
    out: Path
    exception: BaseException | None

    def released(self, name: str) -> bytes:
        return (self.out / "release" / "text" / f"{name}.txt").read_bytes()

    def failures(self) -> list[dict[str, Any]]:
        return [json.loads(p.read_text()) for p in sorted(self.out.glob("restricted/quarantine/*.json"))]

    def counts(self) -> tuple[int, ...]:
        """(read, released, quarantined, skipped), as the command line says."""
        line = re.search(r"(\d+) documents read, (\d+) released, (\d+) quarantined, (\d+) skipped", self.said)
        assert line, self.said
        return tuple(map(int, line.groups()))


def config(
    folder: Path,
    reader: str = "text",
    consumers: list[Any] | None = None,
    after: list[str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """The shipped configuration with another reader, every consumer there is, and perhaps engines `after` its own."""
    shipped: dict[str, Any] = yaml.safe_load(locate("deidentify").read_text(encoding="utf-8"))
    return shipped | {
        "reader": {reader: {"folder": str(folder / "in"), **options}},
        "engines": [*shipped["engines"], *(after or [])],
        "consumers": CONSUMERS if consumers is None else consumers,
        "run": {"output": str(folder / "out"), "names": "id"},
    }


def put(folder: Path, files: dict[str, bytes]) -> None:
    (folder / "in").mkdir(exist_ok=True)
    for name, data in files.items():
        (folder / "in" / name).write_bytes(data)


def run(folder: Path, files: dict[str, bytes], *arguments: str, **given: Any) -> Ran:
    """Runs the command line over these files and checks what must hold after every run."""
    put(folder, files)
    path = folder / "run.yaml"
    path.write_text(json.dumps(config(folder, **given), indent=1), encoding="utf-8")
    result = CliRunner().invoke(app, ["run", str(path), *arguments])
    exception = None if isinstance(result.exception, SystemExit) else result.exception
    ran = Ran(result.exit_code, result.output, folder / "out", exception)
    assert SECRET not in ran.said
    assert exception is None, "the command line ended with a traceback"
    assert not leaks(ran.out)
    if "documents read" in ran.said:
        read, released, quarantined, skipped = ran.counts()
        assert read == released + quarantined + skipped
        assert quarantined == len(ran.failures())
        assert len(list(ran.out.glob("release/text/**/*.txt"))) == released
        assert len((ran.out / "release" / "documents.jsonl").read_bytes().splitlines()) == released
    return ran


def leaks(out: Path) -> list[str]:
    """Files that hold the secret though they must not, and temporary files that were left."""
    found = []
    for path in sorted(p for p in out.rglob("*") if p.is_file()):
        name = path.relative_to(out).as_posix()
        restricted = name.startswith("restricted/") and not name.endswith(".json")
        if not restricted and SECRET.encode() in path.read_bytes():
            found.append(f"text in {name}")
        if path.suffix == ".tmp":
            found.append(f"left behind: {name}")
    return found


def load(folder: Path, consumers: list[Any] | None = None, *overrides: str) -> Pipeline:
    path = folder / "run.yaml"
    path.write_text(json.dumps(config(folder, consumers=consumers), indent=1), encoding="utf-8")
    return Pipeline.load(path, overrides)


def notes(folder: Path, count: int = 2) -> None:
    put(folder, {f"n{i}.txt": f"{NOTE} Visit {i}.".encode() for i in range(count)})


def whole(out: Path) -> dict[str, bytes]:
    """Every file of a run but the report with its timings and the ledger."""
    told = ("report.html", "ledger.")
    files = [p for p in out.rglob("*") if p.is_file() and not p.name.startswith(told) and "quarantine" not in p.parts]
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in sorted(files)}
