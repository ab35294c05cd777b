"""Write the tables of the comparison from the measured rows."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .rows import Row
from .scores import counts, false_marks, outermost, recalls
from .texts import Texts

KINDS = ("DATE", "AGE", "PHONE", "EMAIL", "URL", "ID", "PERSON", "LOCATION", "ORGANIZATION")


@dataclass
class Measured:
    """Results of the rounds of a row."""

    row: Row
    found: dict[str, Any] = field(default_factory=dict)
    """Result of the first round, used for the spans and for the time of the second pass over the same texts."""
    rounds: list[dict[str, Any]] = field(default_factory=list)

    def seconds(self, what: str) -> list[float]:
        """Return the seconds of each round: processor time, or wall-clock time for rows with several cores."""
        return [r["passes"][what]["cpu" if self.row.cores == 1 else "wall"] for r in self.rounds]

    @property
    def peak(self) -> float:
        """Return the peak memory in MB; for whole runs it is measured once."""
        told = [r["peak_mb"] for r in self.rounds if r["peak_mb"] is not None]
        return float(statistics.median(told or [self.found["peak_mb"]]))

    def median(self, of: Callable[[dict[str, Any]], float]) -> float:
        return statistics.median(map(of, self.rounds))


def times(mine: Measured, other: Measured, what: str = "long") -> float:
    """Return the speed of `mine` relative to the other: the median of the ratios within each round."""
    pairs = zip(mine.seconds(what), other.seconds(what), strict=False)  # a slow one has fewer rounds
    return statistics.median(theirs / ours for ours, theirs in pairs)


def speed(done: Sequence[Measured], texts: Texts) -> list[str]:
    """Return the table of speed, memory and start-up."""
    lines = [
        "| | narratives: documents/s | MB/s | 2 kB: documents/s | MB/s "
        "| first document, s | of it processor, s | then resident, MB | peak, MB |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for one in done:
        cells = []
        for what in ("notes", "long"):
            seconds = statistics.median(one.seconds(what))
            size = sum(len(t.encode()) for t in texts.sets[what])
            cells += [f"{len(texts.sets[what]) / seconds:,.0f}", f"{size / seconds / 1e6:.2f}"]
        cells += [f"{one.median(lambda r: r['first']):.2f}", f"{one.median(lambda r: r['first_cpu']):.2f}"]
        cells += [f"{one.median(lambda r: r['resident_mb']):.0f}", f"{one.peak:.0f}"]
        lines.append(f"| {one.row.title} | {' | '.join(cells)} |")
    return lines


def ratios(done: Sequence[Measured]) -> list[str]:
    """Return the table of speed ratios on 2 kB texts, and of the cost of a second pass over the same texts."""
    mine = [d for d in done if d.row.environment == "ours" and d.row.cores == 1]
    lines = [
        f"| times as fast as | {' | '.join(m.row.title.replace('caspipe, ', '') for m in mine)} | same texts again |",
        f"|---|{'---:|' * (len(mine) + 1)}",
    ]
    for one in done:
        again = one.found["passes"]
        share = (
            f"{again['notes-again']['cpu'] / max(again['notes']['cpu'], 1e-9):.2f}" if "notes-again" in again else ""
        )
        cells = [f"{times(m, one):.1f}" for m in mine] if one.row.environment != "ours" else ["" for _ in mine]
        lines.append(f"| {one.row.title} | {' | '.join(cells)} | {share} |")
    return lines


def cell(hits: int, total: int) -> str:
    return f"{hits}/{total}" if total < 100 else f"{hits / total:.3f}"


def finds(done: Sequence[Measured], texts: Texts) -> list[str]:
    """Return the table of spans by kind in the narratives and, if gold spans are known, of shares covered and false marks."""
    gold = texts.gold.get("notes", [])
    heads = [*KINDS, "other"] + (["dates covered", "ages covered", "false marks in 100"] if gold else [])
    lines = [f"| spans in the narratives | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for one in done:
        found = one.found["found"]["notes"]
        if not found:
            continue
        by_kind = counts(map(outermost, found))
        cells = [f"{by_kind[k]:,}" for k in KINDS]
        cells.append(f"{sum(n for k, n in by_kind.items() if k not in KINDS):,}")
        if gold:
            shares = recalls(texts.sets["notes"], found, gold)
            wrong, annotated = false_marks(found, gold)
            cells += [cell(*shares.get(k, (0, 0))) for k in ("DATE", "AGE")]
            cells.append(f"{wrong / annotated * 100:.0f}")
        lines.append(f"| {one.row.title} | {' | '.join(cells)} |")
    return lines


def sentences(done: Sequence[Measured], texts: Texts) -> list[str]:
    """Return the table of the shares covered in the sentences of presidio-research."""
    gold = texts.gold.get("sentences", [])
    kinds = ("DATE", "AGE", "PHONE", "EMAIL", "URL", "IP", "ID", "PERSON", "LOCATION", "ORGANIZATION")
    lines = [f"| covered in the sentences | {' | '.join(kinds)} |", f"|---|{'---:|' * len(kinds)}"]
    for one in done:
        found = one.found["found"].get("sentences")
        if found:
            shares = recalls(texts.sets["sentences"], found, gold)
            lines.append(f"| {one.row.title} | {' | '.join(cell(*shares[k]) if k in shares else '' for k in kinds)} |")
    return lines


def goals(by_name: Mapping[str, Measured], texts: Texts) -> list[str]:
    """Return the table of the goals that the measured rows can decide."""
    lines = ["| goal | measured | |", "|---|---:|---|"]

    def add(goal: str, value: float, met: bool, form: str) -> None:
        lines.append(f"| {goal} | {value:{form}} | {'met' if met else 'missed'} |")

    def rate(one: Measured) -> float:
        return len(texts.sets["long"]) / statistics.median(one.seconds("long"))

    rules, full = by_name.get("ours-rules"), by_name.get("ours-full")
    if rules:
        add("rule pipeline: 1,500 documents of 2 kB a second or more", rate(rules), rate(rules) >= 1500, ",.0f")
        for name in ("presidio-same", "presidio-all"):
            if name in by_name:
                ratio = times(rules, by_name[name])
                add(f"rule pipeline: 8 times {by_name[name].row.title} or more", ratio, ratio >= 8, ".1f")
        same, theirs = by_name.get("ours-same"), by_name.get("presidio-same")
        if same and theirs:
            ratio = times(same, theirs)
            add("the same kinds only: 8 times Presidio or more", ratio, ratio >= 8, ".1f")
        first = rules.median(lambda r: r["first"])
        add("rule pipeline: first document within 0.5 s of start", first, first <= 0.5, ".2f")
    if full:
        add("rules, models, masking: 400 documents of 2 kB a second or more", rate(full), rate(full) >= 400, ",.0f")
        first = full.median(lambda r: r["first"])
        add("default pipeline: first document within 1.5 s of start", first, first <= 1.5, ".2f")
    for one in by_name.values():
        if one.row.environment == "ours" and one.row.variant in ("rules", "fast", "full", "run-0"):
            add(f"{one.row.title}: below 300 MB", one.peak, one.peak < 300, ".0f")
    return lines
