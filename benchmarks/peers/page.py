"""The section of benchmarks/RESULTS.md on the peers: how it was measured, speed, what is found, goals."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence

from ..run import machine
from .table import Measured, finds, goals, ratios, sentences, speed
from .texts import Texts

_TOP = """\
`{command}`

{date}; {machine}. {texts}: {size:,.0f} characters on average; the same text joined to {long:,} texts
of 2 kB. {rounds} rounds in which all take turns, medians; for each peer and round a process of its own, pinned to one core, with
one thread. Speed by processor time; the row with two workers by the clock, on two cores. Each process first works on 20 other
texts; the narratives are new to it, their words are not any more when the 2 kB texts come. The last column of the second table is
the time that the narratives take a second time as a share of the first time: what caches and just-in-time compilers gain.
The first document is timed from the start of the process, with its files in the page cache; all get one text at a time
(`pipe` of spaCy and EDS-NLP gains nothing here). Load of the machine when it began: {load:.1f}; processes had {share:.0%} of
their core{busy}.
"""

_FOUND = """\
What they find. Covered: every letter and digit of the reference span lies under a mark of any kind, which is what masking needs.
Of marks that overlap, the one that a masker replaces is counted.{stopped}
"""

_GOLD = """\
False marks share no character with any annotated span: {annotated} narratives are annotated, by two people who agreed on all.
The sentences are 1,500 generated ones of presidio-research (MIT), by the makers of Presidio. Our rules were developed with both
corpora in view, the other programs were not, so that these shares flatter ours. EDS-NLP and scrubadub do not set out to find
most of these kinds. Relative expressions, durations and times of day are no dates to us and to the annotators of the narratives.
"""


def section(
    results: Sequence[str | Measured], texts: Texts, rounds: int, command: str, load: float, used: Mapping[str, str]
) -> str:
    """The section. `results`: rows, or why a row was not measured; `used`: versions by environment."""
    done = [r for r in results if isinstance(r, Measured)]
    shares = [r["passes"]["notes"] for d in done if d.row.cores == 1 for r in d.rounds]
    share = statistics.median(p["cpu"] / p["wall"] for p in shares) if shares else 1.0
    stopped = sum(d.found["refused"]["notes"] for d in done if d.row.name == "ours-full")
    top = _TOP.format(
        command=command,
        date=time.strftime("%Y-%m-%d"),
        machine=machine(),
        texts=texts.told[0].upper() + texts.told[1:],
        size=statistics.mean(map(len, texts.sets["notes"])),
        long=len(texts.sets["long"]),
        rounds=rounds,
        load=load,
        share=share,
        busy=""
        if share > 0.9
        else ": what is told by the clock, the first document and the two workers, is too slow here)",
    )
    peers = [
        f"- {d.row.title}: {d.row.told}" + (f" ({used[d.row.environment]})" if d.row.environment in used else "") + "."
        for d in done
    ]
    absent = [f"- {text}" for text in results if isinstance(text, str)]
    kept = (
        f" The leak gate of the default pipeline kept {stopped} narratives back: none of their spans count."
        if stopped
        else ""
    )
    parts = [
        top,
        "\n".join(speed(done, texts)),
        "\n".join(ratios(done)),
        "What they are:\n",
        "\n".join([*peers, *absent]),
    ]
    parts += [_FOUND.format(stopped=kept), "\n".join(finds(done, texts))]
    if texts.gold:
        parts += [_GOLD.format(annotated=len(texts.gold["notes"])), "\n".join(sentences(done, texts))]
    judged = goals({d.row.name: d for d in done}, texts)
    if len(judged) > 2:
        parts.append("\n".join(judged))
    return "\n\n".join(part.strip() for part in parts)
