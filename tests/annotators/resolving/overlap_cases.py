"""Reads marked-up text (`Seen on <DATE>3/4/2020</DATE>.`) and the case files made of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from caspipe.pipeline.contract.params import build
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind

CASES = Path(__file__).resolve().parents[2] / "cases"
_MARK = re.compile(r"<(/?)([A-Z][A-Z0-9_]*)>")

Span = tuple[int, int, str]


def read_marked(marked: str) -> tuple[str, list[Span]]:
    """The text without marks, and (begin, end, kind) of each mark, in order of their beginnings."""
    text, spans, opened, at = "", [], [], 0
    for mark in _MARK.finditer(marked):
        text += marked[at : mark.start()]
        at = mark.end()
        if mark[1]:
            begin, kind = opened.pop()
            assert kind == mark[2], marked
            spans.append((begin, len(text), kind))
        else:
            opened.append((len(text), mark[2]))
    assert not opened, marked
    return text + marked[at:], sorted(spans)


def candidates(cas: Cas, marked: str, source: str = "") -> list[PhiCandidate]:
    """Adds the marks to the document as candidates of a source."""
    text, spans = read_marked(marked)
    assert text == cas.text, marked
    made = []
    for begin, end, kind in spans:
        candidate = PhiCandidate(begin, end, kind=PhiKind.of(kind))
        candidate._source = source
        made.append(cas.add(candidate))
    return made


def document(marked: str, source: str = "rules", id: str = "document") -> Cas:
    """A document with the marks as candidates of one source."""
    cas = Cas(read_marked(marked)[0], id=id)
    candidates(cas, marked, source)
    return cas


def show(cas: Cas) -> str:
    """The text with its final spans as marks."""
    shown, at = "", 0
    for phi in cas.select(Phi):
        shown += cas.text[at : phi.begin] + f"<{phi.kind.name}>{phi.covered_text}</{phi.kind.name}>"
        at = phi.end
    return shown + cas.text[at:]


def made(cls: type[Any], parameters: str | dict[str, Any]) -> Any:
    """A component or part from YAML, as a pipeline file would give it."""
    given = yaml.safe_load(parameters) if isinstance(parameters, str) else parameters
    faults: list[str] = []
    component = build(cls, given, lambda at, what: faults.append(f"{'.'.join(map(str, at))}: {what}"))
    assert not faults, faults
    return component


@dataclass
class Case:
    """A block of a case file: `name: value` lines, then `=> expected`."""

    line: int
    values: list[tuple[str, str]] = field(default_factory=list)
    expected: str = ""

    def __getitem__(self, name: str) -> str:
        return next((value for key, value in self.values if key == name), "")


def read_cases(name: str) -> list[Case]:
    """The blocks of a file in tests/cases; blank lines part them, `#` begins a comment, `\\n` in a text is a line break."""
    cases: list[Case] = []
    for number, line in enumerate((CASES / name).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not cases or cases[-1].expected:
            cases.append(Case(number))
        if line.startswith("=> "):
            cases[-1].expected = line[3:].replace("\\n", "\n")
        else:
            key, _, value = line.partition(": ")
            cases[-1].values.append((key, value.replace("\\n", "\n")))
    assert all(case.expected for case in cases), name
    return cases
