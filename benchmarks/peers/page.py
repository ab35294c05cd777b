"""Write the section of benchmarks/RESULTS.md on the peers: method, speed, findings, goals."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence

from ..run import machine
from .table import Measured, finds, goals, ratios, sentences, speed
from .texts import Texts

_TOP = """\
`{command}`

{date}; {machine}. {texts}: {size:,.0f} characters on average; the same text joined to {long:,} texts of 2 kB. Figures are medians
of {rounds} interleaved rounds. In each round, each peer runs in a separate process, pinned to one core, with one thread. Speed is
measured by processor time; the row with two workers by wall-clock time, on two cores. Each process first processes 20 other
texts. The narratives are new to it; the words of the 2 kB texts are not, because they come from the narratives. The last column
of the second table is the time of a second pass over the narratives as a share of the first pass. It shows the gain from caches
and just-in-time compilers. The first document is timed from the start of the process, with its files in the page cache. All peers
get one text at a time (`pipe` of spaCy and EDS-NLP is not faster here). Load of the machine at the start: {load:.1f}; processes
had {share:.0%} of their core{busy}.
"""

_FOUND = """\
Findings. Covered: every letter and digit of the reference span is inside a mark of any kind, which is what masking needs.
Of overlapping marks, only the one that a masker replaces is counted.{stopped}
"""

_GOLD = """\
False marks share no character with any annotated span. {annotated} narratives are annotated, by two people who agreed on all. The
sentences are 1,500 generated ones of presidio-research (MIT), by the authors of Presidio. The rules of caspipe were developed
with both corpora in view, those of the other programs were not, so that these shares favor caspipe. EDS-NLP and scrubadub do not
aim to find most of these kinds. caspipe and the annotators of the narratives do not count relative expressions, durations and
times of day as dates.
"""


def section(
    results: Sequence[str | Measured], texts: Texts, rounds: int, command: str, load: float, used: Mapping[str, str]
) -> str:
    """Return the section. `results`: rows, or the reason why a row was not measured; `used`: versions by environment."""
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
        else ": the wall-clock figures, those of the first document and the two workers, are too slow here)",
    )
    peers = programs(done, used)
    absent = [f"- {text}" for text in results if isinstance(text, str)]
    kept = (
        f" The leak gate of the default pipeline quarantined {stopped} narratives; their spans do not count."
        if stopped
        else ""
    )
    parts = [
        top,
        "\n".join(speed(done, texts)),
        "\n".join(ratios(done)),
        "The programs:\n",
        "\n".join([*peers, *absent]),
    ]
    parts += [_FOUND.format(stopped=kept), "\n".join(finds(done, texts))]
    if texts.gold:
        parts += [_GOLD.format(annotated=len(texts.gold["notes"])), "\n".join(sentences(done, texts))]
    judged = goals({d.row.name: d for d in done}, texts)
    if len(judged) > 2:
        parts.append("\n".join(judged))
    return "\n\n".join(part.strip() for part in parts)


def programs(done: Sequence[Measured], used: Mapping[str, str]) -> list[str]:
    """Return a line for each measured row: what it is, with versions."""
    return [
        f"- {d.row.title}: {d.row.told}" + (f" ({used[d.row.environment]})" if d.row.environment in used else "") + "."
        for d in done
    ]
