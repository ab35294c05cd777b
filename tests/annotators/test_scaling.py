"""The work on dense documents grows in proportion to their length: counted in executed instructions, not in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from caspipe.annotators.consistency.annotator import ConsistencyAnnotator
from caspipe.annotators.leak_gate import LeakGate
from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.resolving.resolver import Resolver
from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.pipeline.contract.apply import apply
from caspipe.pipeline.contract.component import Component
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind

SYLLABLES = "ba ke li mo nu ra si to ve za dor fen gar hul jin kal".split()
SIZES = (60, 120, 240)


def name(n: int) -> str:
    """The n-th of 4,096 names that no list contains."""
    return "".join(SYLLABLES[n >> shift & 15] for shift in (8, 4, 0)).title()


def instructions(work: Callable[[], object]) -> int:
    """The number of bytecode instructions that the code of caspipe executes."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if event == "call":
            if not frame.f_globals.get("__name__", "").startswith("caspipe."):
                return None
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def candidate(cas: Cas, begin: int, end: int, kind: str, source: str) -> None:
    cas.add(PhiCandidate(begin, end, kind=PhiKind.of(kind)).set_source(source))


def roster(n: int) -> Cas:
    """`Smith, John Smith, John ...` with two finders that disagree where a name begins, so that all overlap."""
    cas = Cas("Smith, John " * n)
    for k in range(n):
        begin = 12 * k
        candidate(cas, begin, begin + 11, "PERSON", "crf")
        candidate(cas, begin + 2, begin + 5, "PERSON_DOCTOR", "names")
        if k + 1 < n:
            candidate(cas, begin + 7, begin + 17, "PERSON", "svm")
    apply(Segmenter(), cas)
    return cas


def twice(n: int, before: str = "", kind: str = "PERSON") -> Cas:
    """`n` different names, each of which was found once and stands there once more."""
    cas = Cas("".join(f"Seen by Dr. {before}{name(k)} today.\n" for k in range(n)) * 2)
    begin = 0
    for k in range(n):
        begin = cas.text.index(name(k), begin) - len(before)
        cas.add(Phi(begin, begin + len(before) + len(name(k)), kind=PhiKind.of(kind)))
        candidate(cas, begin, begin + len(before) + len(name(k)), kind, "names")
    apply(Segmenter(), cas)
    return cas


def gate_of(masker: Masker) -> LeakGate:
    gate = LeakGate(checks=("values", "known_phi"))
    gate.bind([masker])
    return gate


def shared_given_names(n: int) -> Cas:
    """As `twice`, with one given name for all; large enough for the index of words."""
    return twice(n * 4, "Zebulon ")


MASKER = Masker()
STEPS: list[tuple[str, Component, Callable[[int], Cas]]] = [
    ("resolver, all overlap", Resolver(priority=["crf", "names"], refine=True), roster),
    ("consistency", ConsistencyAnnotator(), twice),
    ("consistency, one name", ConsistencyAnnotator(), roster),
    ("masker", MASKER, twice),
    ("gate", gate_of(MASKER), lambda n: twice(4 * n)),
    ("gate, shared given names", gate_of(MASKER), shared_given_names),
]


@pytest.mark.parametrize(("engine", "make"), [(e, m) for _, e, m in STEPS], ids=[title for title, _, _ in STEPS])
def test_work_grows_with_the_length(engine: Component, make: Callable[[int], Cas]) -> None:
    engine.open()
    counts = []
    for n in (SIZES[0], *SIZES):  # the first time fills caches of words
        cas = make(n)
        if isinstance(engine, LeakGate):
            MASKER.process(cas)
        counts.append(instructions(lambda cas=cas: apply(engine, cas)))
    _, small, middle, large = counts
    assert large - middle < 2.5 * (middle - small)
