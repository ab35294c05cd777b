"""Start the processes of the measurement in interleaved rounds, one after the other, and collect their results as plain data."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..run import ROOT
from .texts import Notes, new_forms, read

RULES = "rules"
CONFIGS = {
    RULES: str(Path(__file__).with_name("rules.yaml").relative_to(ROOT)),
    "deidentify-fast": "deidentify-fast",
    "deidentify": "deidentify",
}
"""Name on the page -> file or shipped name."""
PROFILES = ("deidentify-fast", "deidentify")
WAYS = ("0", "1", "2")
"""Numbers of workers of whole runs."""
Tell = Callable[[str], None]


class ProcessError(Exception):
    """A measured process failed."""


@dataclass(frozen=True)
class Sizes:
    """Numbers of notes, rounds and processes."""

    notes: int = 250
    rounds: int = 3
    whole: int = 2000
    whole_rounds: int = 1
    first: int = 9
    memory: tuple[int, ...] = (1000, 10_000)
    configs: tuple[str, ...] = field(default=tuple(CONFIGS))
    profiles: tuple[str, ...] = PROFILES


def environment() -> dict[str, str]:
    """Return the environment variables: one thread, no key, the same hash seed for all processes."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1")
    kept = {name: value for name, value in os.environ.items() if name != "CASPIPE_KEY"}
    return {**kept, **one, "PYTHONHASHSEED": "0", "PYTHONWARNINGS": "ignore"}


def launched(module: str, *arguments: str) -> dict[str, Any]:
    """Run a module of benchmarks/cold in a process; return its results. Raises ProcessError with its last line."""
    return _answer(_started(module, *arguments))


def _started(module: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", f"benchmarks.cold.{module}", *arguments]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    told, complaints = process.communicate()
    if process.returncode:
        last = complaints.strip().splitlines()[-1:] or ["no error message"]
        raise ProcessError(f"exit code {process.returncode}: {last[0][:200]}")
    found: dict[str, Any] = json.loads(told)
    return found


def engines(folder: Path, sizes: Sizes, tell: Tell) -> dict[str, list[dict[str, Any]]]:
    """Return the rounds of each configuration: engines over new notes, then over the same ones again."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in sizes.configs}
    for number in range(sizes.rounds):
        for name in sizes.configs:
            tell(f"engines, round {number + 1} of {sizes.rounds}: {name}")
            found[name].append(launched("work", "engines", CONFIGS[name], str(folder)))
    return found


def whole(folder: Path, sizes: Sizes, tell: Tell) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Return the rounds of whole runs by configuration and number of workers, and of the engines alone over the same notes."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {
        name: {way: [] for way in ("engines", *WAYS)} for name in sizes.profiles
    }
    for number in range(sizes.whole_rounds):
        for name, ways in found.items():
            for way, results in ways.items():
                tell(f"whole runs, round {number + 1} of {sizes.whole_rounds}: {name}, {_way(way)}")
                if way == "engines":
                    results.append(launched("work", "once", CONFIGS[name], str(folder)))
                else:
                    results.append(launched("work", "whole", CONFIGS[name], str(folder), way))
    return found


def _way(way: str) -> str:
    return "engines alone" if way == "engines" else f"-w {way}"


def first(note: str, sizes: Sizes, tell: Tell) -> dict[str, dict[str, list[dict[str, float]]]]:
    """Return the seconds of `caspipe annotate` and `caspipe run` for one note, by configuration, for each process."""
    commands = ("annotate", "run")
    found: dict[str, dict[str, list[dict[str, float]]]] = {
        name: {command: [] for command in commands} for name in sizes.configs
    }
    with tempfile.TemporaryDirectory() as made:
        notes = Path(made) / "notes"
        notes.mkdir()
        (notes / "note.txt").write_text(note, encoding="utf-8")
        for number in range(sizes.first):
            tell(f"first document, round {number + 1} of {sizes.first}")
            for name in sizes.configs:
                for command in commands:
                    options = [command, "--config", CONFIGS[name]] if command == "annotate" else None
                    file = CONFIGS[name]
                    if options is None:
                        file = _runnable(file, Path(made))
                        options = [
                            command,
                            file,
                            str(notes),
                            "--output",
                            str(Path(made) / f"{number}-{name}"),
                            "-w",
                            "0",
                        ]
                    found[name][command].append(timed([*_caspipe(), *options], note))
    return found


def _caspipe() -> list[str]:
    script = Path(sys.executable).with_name("caspipe")
    return [str(script)] if script.is_file() else [sys.executable, "-m", "caspipe.pipeline.application.cli.main"]


def _runnable(config: str, folder: Path) -> str:
    """Return a configuration with reader and consumers; the shipped ones have both."""
    if not config.endswith(".yaml"):
        return config
    file = folder / Path(config).name
    if not file.exists():
        more = "reader: {text: {folder: notes}}\nconsumers: [text: {folder: release}]\nrun: {output: out}\n"
        file.write_text((ROOT / config).read_text(encoding="utf-8") + more, encoding="utf-8")
    return str(file)


def timed(command: Sequence[str], given: str) -> dict[str, float]:
    """Run a command with a text as its standard input; return wall-clock and processor seconds. Raises ProcessError."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    done = subprocess.run(
        command, input=given, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
    )
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise ProcessError(f"exit code {done.returncode}: {(done.stderr.strip().splitlines() or ['-'])[-1][:200]}")
    return {"wall": wall, "cpu": after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime}


def memory(folder: Path, sizes: Sizes, tell: Tell) -> dict[str, dict[str, Any]]:
    """Return the memory of a run over many new notes for each profile. The runs take place at the same time."""
    tell(f"memory over {max(sizes.memory):,} new notes: {', '.join(sizes.profiles)} at the same time")
    started = {name: _started("work", "memory", CONFIGS[name], str(folder)) for name in sizes.profiles}
    return {name: _answer(process) for name, process in started.items()}


def crf(folder: Path, sizes: Sizes, tell: Tell) -> list[dict[str, Any]]:
    """Return the rounds of the comparison of the CRF with sklearn-crfsuite."""
    found = []
    for number in range(sizes.rounds):
        tell(f"CRF and sklearn-crfsuite, round {number + 1} of {sizes.rounds}")
        found.append(launched("crf", str(folder)))
    return found


def training(notes: int, tell: Tell, overrides: Iterable[str] = ()) -> dict[str, float]:
    """Return seconds and peak memory in MB of a training of the CRF on notes and two augmented copies of each."""
    tell(f"training on {notes} notes and two copies of each")
    with tempfile.TemporaryDirectory() as made:
        settings = [f"run.limit={3 * notes}", f"run.output={made}", f"crf_trainer.model={made}/model", *overrides]
        return launched("work", "training", "training/en-phi-crf", made, *settings)


def facts(notes: Notes, taken: Notes) -> dict[str, Any]:
    """Return the facts about the notes for the page: those of the engines, and of all."""
    return {
        "origin": notes.origin,
        "mean": notes.mean,
        "skipped": notes.skipped,
        "all": taken.origin,
        "all_mean": taken.mean,
        "forms": new_forms(notes.new, notes.warm),
        "last_forms": new_forms(taken.new[-500:], [*taken.warm, *taken.new[:-500]]),
    }


def median(values: Iterable[float]) -> float:
    return float(statistics.median(values))


def texts_of(folder: Path) -> list[str]:
    return list(read(folder / "new.jsonl"))
