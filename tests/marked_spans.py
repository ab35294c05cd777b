"""Marked-up one-line cases: `Seen on <DATE>3/4/2020</DATE>.`"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from caspipe.typesystem import PhiCandidate, PhiKind

_CASES = Path(__file__).parent / "cases"
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")
_MARK = re.compile(r"<(?P<end>/?)(?P<kind>[A-Z][A-Z_0-9]*)>")


@dataclass(frozen=True)
class Marked:
    """A text without its marks, and the marked spans (begin, end, kind)."""

    name: str
    text: str
    spans: tuple[tuple[int, int, str], ...]


def plain(line: str) -> str:
    """Replace `\\n` and `\\u200b` of a case by the characters."""
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)), line.replace("\\n", "\n"))


def unmark(line: str, name: str = "") -> Marked:
    """Read one line. Raises ValueError if marks do not pair."""
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


def lines(file: str) -> list[tuple[str, str]]:
    """Return name and content of the lines of a case file, with escapes resolved, without empty lines and comments."""
    found = (_CASES / file).read_text(encoding="utf-8").splitlines()
    return [(f"line-{i}", plain(x)) for i, x in enumerate(found, 1) if x.strip() and not x.startswith("# ")]


def cases(file: str) -> list[Marked]:
    """Return the marked texts of a case file; a case is named by its line number."""
    return [unmark(line, name) for name, line in lines(file)]


def disagreement(case: Marked, found: Iterable[PhiCandidate]) -> str:
    """Describe the differences between marks and candidates, empty if there are none. A first-level kind covers those below."""
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
