"""Resumed runs for tests: what they do again, and that all is as a run from scratch writes it."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import running

NAMES = [f"n{n}" for n in range(8)]
ALL = list(range(1, 9))
CONSUMERS = "[text, jsonl, csv, html, report]"


def again(out: Path, notes: Path | str, *overrides: str, consumers: str = CONSUMERS, **more: str) -> list[int]:
    """Resumes, checks that all is as a run from scratch writes it, and returns which documents were not taken over."""
    report, seen = running.run(out, notes, "run.resume=true", *overrides, consumers=consumers, **more)
    scratch = out.with_name(f"{out.name}-scratch")
    shutil.rmtree(scratch, ignore_errors=True)
    expected, _ = running.run(scratch, notes, *overrides, consumers=consumers, **more)
    assert running.files(out) == running.files(scratch)
    assert running.plain(report) == running.plain(expected)
    assert report.reused == len(seen.reused())
    assert not list(out.rglob("*.tmp"))
    return seen.done()


def first(out: Path, notes: Path | str, *overrides: str, consumers: str = CONSUMERS, **more: str) -> None:
    running.run(out, notes, *overrides, consumers=consumers, **more)


class Killing(running.Seen):
    """Kills the run when it has done so many documents."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after

    def document(self, event: object) -> None:
        self.after -= 1
        if not self.after:
            os.kill(os.getpid(), signal.SIGKILL)


def killed(
    out: Path, notes: Path, after: int, *overrides: str, reader: str = "", consumers: str = CONSUMERS, **more: str
) -> None:
    """A run that was killed after some documents."""
    reader = reader or f"{{text: {{folder: {json.dumps(str(notes))}}}}}"
    child = os.fork()
    if child == 0:
        try:
            running.pipeline(out, reader, *overrides, consumers=consumers, **more).run(observers=[Killing(after)])
        finally:
            os._exit(1)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
