"""Show the progress of reading and training: bars on a terminal, else a line every ten seconds."""

from __future__ import annotations

import contextlib
import logging
import sys
import time
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from ...contract.report import RunReport
from ...running.observers import Progress
from . import console


@contextlib.contextmanager
def show_training(quiet: bool) -> Iterator[Progress | None]:
    """Yield the progress function of the run. The training itself reports to the logger `caspipe.training`."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[text]}"),
            TimeElapsedColumn(),
        )
        with Bars(*columns, console=Console(stderr=True), transient=True) as bars, _listening(_TrainingLog(bars)):
            reading = bars.add_task("documents", total=None, text="")

            def show(report: RunReport, total: int | None) -> None:
                done = report.documents.read
                bars.update(reading, completed=done, total=total, text=f"{done:,}{f' of {total:,}' if total else ''}")

            yield show
    else:
        with console.progress(False) as progress, _listening(_TrainingLog()):
            yield progress


@contextlib.contextmanager
def _listening(handler: logging.Handler) -> Iterator[None]:
    log = logging.getLogger("caspipe.training")
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before)


def describe(record: logging.LogRecord) -> str:
    """Return the text of a log record of a training; empty for records that are not shown."""
    values = record.__dict__
    if record.getMessage() == "iteration":
        of = f" of {values['of']:,}" if values.get("of") else ""
        loss = f", loss {values['loss']:,.1f}" if values.get("loss") is not None else ""
        accuracy = f", {values['accuracy']:.2%} of held-out labels right" if values.get("accuracy") is not None else ""
        return f"iteration {values['iteration']:,}{of}{loss}{accuracy}"
    if record.getMessage() == "epoch":
        seconds = f"{values['seconds']:,.0f} s"
        return f"epoch {values['epoch']:,} of {values['of']:,}, loss {values['loss']:,.3f}{held_out(values, ',')}, {seconds}"
    if record.getMessage() == "matrix":
        return f"{values['tokens']:,} tokens, {values['attributes']:,} attributes"
    return ""


def held_out(values: dict[str, Any], separator: str) -> str:
    """Return the scores on held-out documents, or an empty string if there are none."""
    if "f1" not in values:
        return ""
    tokens = f"token recall {values['token_recall']:.2%}, accuracy {values['token_accuracy']:.2%}"
    return f"{separator} held-out F1 {values['f1']:.2%}, {tokens}"


class _TrainingLog(logging.Handler):
    """Show a training: as a bar in place of the bar for reading, or without bars as at most one line every ten seconds."""

    def __init__(self, bars: Bars | None = None) -> None:
        super().__init__()
        self.bars = bars
        self.task: TaskID | None = None
        self.began = self.last = time.monotonic()

    def emit(self, record: logging.LogRecord) -> None:
        now, text = time.monotonic(), describe(record)
        if text and self.bars is not None:
            if self.task is None:
                self.bars.stop_task(self.bars.task_ids[0])
                self.task = self.bars.add_task("training", total=None, text="")
            values = record.__dict__
            self.bars.update(self.task, completed=values.get("iteration", 0), total=values.get("of") or None, text=text)
        elif text and now - self.last >= 10:
            self.last = now
            sys.stderr.write(f"training: {text}, {now - self.began:,.0f} s\n")
