"""Marked-up one-line cases: `Seen on <DATE>3/4/2020</DATE>.`"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from caspipe.typesystem import PhiCandidate, PhiKind

_CASES = Path(__file__).parents[2] / "cases"
_MARK = re.compile(r"<(?P<end>/?)(?P<kind>[A-Z][A-Z_0-9]*)>")


@dataclass(frozen=True)
class Marked:
    """A text without its marks, and the spans they drew: (begin, end, kind)."""

    name: str
    text: str
    spans: tuple[tuple[int, int, str], ...]


def unmark(line: str, name: str = "") -> Marked:
    """Reads one line; `\\n` stands for a line break. Raises ValueError where marks do not pair."""
    line = line.replace("\\n", "\n")
    text, at = "", 0
    spans: list[tuple[int, int, str]] = []
    opened: list[tuple[int, str]] = []
    for mark in _MARK.finditer(line):
        text += line[at : mark.start()]
        at = mark.end()
        if not mark["end"]:
            opened.append((len(text), mark["kind"]))
        elif not opened or opened[-1][1] != mark["kind"]:
            raise ValueError(f"{name}: </{mark['kind']}> closes nothing")
        else:
            begin, kind = opened.pop()
            spans.append((begin, len(text), kind))
    if opened:
        raise ValueError(f"{name}: <{opened[0][1]}> is never closed")
    return Marked(name, text + line[at:], tuple(sorted(spans)))


def cases(file: str) -> list[Marked]:
    """The lines of a case file without blank lines and comments; a case is named by its line number."""
    lines = (_CASES / file).read_text(encoding="utf-8").splitlines()
    return [unmark(line, f"line-{i}") for i, line in enumerate(lines, 1) if line.strip() and not line.startswith("# ")]


def disagreement(case: Marked, found: Iterable[PhiCandidate]) -> str:
    """What differs between the marks and the candidates, empty where nothing does. A first-level kind covers those below."""
    spans = {(c.begin, c.end): c.kind for c in found}
    faults = []
    for begin, end, name in case.spans:
        kind = spans.pop((begin, end), None)
        if kind is None:
            faults.append(f"missed {case.text[begin:end]!r}")
        elif not kind.is_a(PhiKind.of(name)):
            faults.append(f"{case.text[begin:end]!r} is {kind.name}, not {name}")
    faults += [f"false {case.text[begin:end]!r} {kind.name}" for (begin, end), kind in sorted(spans.items())]
    return "; ".join(faults)
