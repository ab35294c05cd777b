"""Write the section of docs/results/speed.md on the peers: speed on new notes, gain of a second pass, memory, start."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence

from ..notes.tables import as_markdown
from ..run import machine, processor
from .page import programs
from .table import Measured, times
from .texts import Texts

_BASE = ("ours-rules", "ours-fast", "ours-full")


def cold_section(
    results: Sequence[str | Measured], texts: Texts, rounds: int, command: str, load: float, used: Mapping[str, str]
) -> str:
    """Return the section. Arguments as of `section` in benchmarks/peers/page.py."""
    done = [r for r in results if isinstance(r, Measured)]
    absent = [f"- {text}" for text in results if isinstance(text, str)]
    busy = " (shared with other work: seconds by the clock are too long)" if load > 0.5 else ""
    top = (
        f"{time.strftime('%Y-%m-%d')}, {processor()}; {machine()}. Load of the machine at the start: "
        f"{load:.1f}{busy}.\n\n"
        f"`{command}`\n\n"
        f"{texts.told} Medians of {rounds} interleaved rounds. In each round each program runs in a new process on one core with "
        "one thread, and gets one note at a time, each for the first time. Speed by processor time. The programs find different "
        "things: see [English clinical notes](english.md#other-programs) for what each of them finds and misses."
    )
    parts = [top, as_markdown(*_table(done, texts)), "The programs:", "\n".join([*programs(done, used), *absent])]
    return "\n\n".join(parts)


def _table(done: Sequence[Measured], texts: Texts) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows: speed, second pass, start, memory, and how many times as fast the pipelines of caspipe are."""
    mine = [one for one in done if one.row.name in _BASE]
    heads = ["new notes", "documents/s", "MB/s", "second pass", "first document, s", "of it processor", "peak, MB"]
    heads += [f"{one.row.title} is times as fast" for one in mine]
    count, size = len(texts.sets["notes"]), sum(len(text.encode()) for text in texts.sets["notes"])
    rows = []
    for one in done:
        seconds = statistics.median(one.seconds("notes"))
        again = one.found["passes"]
        share = f"{again['notes-again']['cpu'] / again['notes']['cpu']:.2f}" if "notes-again" in again else "-"
        rows.append(
            [
                one.row.title,
                f"{count / seconds:,.0f}",
                f"{size / seconds / 1e6:.2f}",
                share,
                f"{one.median(lambda r: r['first']):.2f}",
                f"{one.median(lambda r: r['first_cpu']):.2f}",
                f"{one.peak:.0f}",
                *(_ratio(times(m, one, "notes")) if one.row.environment != "ours" else "-" for m in mine),
            ]
        )
    return heads, rows


def _ratio(value: float) -> str:
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}"
