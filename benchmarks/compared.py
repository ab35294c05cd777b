"""Compare caspipe with cassis: interleaved repetitions in one process, medians, and the shared document."""

from __future__ import annotations

import gc
import io
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import cassis

from caspipe.typesystem import Annotation, Cas, Phi, PhiKind, Sentence, Token, TypeSystem

Row = tuple[str, float, float, float]
"""Name, microseconds of caspipe, microseconds of cassis, speed ratio."""


class Shared:
    """A document with 500 annotations for each 2 kB of text: 375 tokens, 24 sentences, 101 entities; spans are precomputed."""

    def __init__(self, pages: int = 1) -> None:
        self.text = "abcd " * (500 * pages)
        self.tokens = [i * 5 for i in range(375 * pages)], [i * 5 + 4 for i in range(375 * pages)]
        self.sentences = [i * 80 for i in range(24 * pages)], [i * 80 + 79 for i in range(24 * pages)]
        self.entities = [(i * 18, i * 18 + 5) for i in range(101 * pages)]
        self.types = cassis.load_typesystem(io.BytesIO(TypeSystem().to_xml()))
        self.cassis_types = [self.types.get_type(c.uima_name) for c in (Token, Sentence, Phi)]

    def ours(self) -> Cas:
        """Build the CAS with tokens and sentences as columns and entities as objects, as the segmenter and finders do."""
        cas = Cas(self.text)
        view = cas.view()
        view.add_spans(Token, *self.tokens)
        view.add_spans(Sentence, *self.sentences)
        kind = PhiKind.DATE
        view.add_all([Phi(b, e, kind=kind) for b, e in self.entities])
        return cas

    def objects(self) -> Cas:
        """Build the CAS with all annotations as objects."""
        cas = self.ours()
        cas.view().select(Annotation)
        return cas

    def theirs(self) -> cassis.Cas:
        cas = cassis.Cas(self.types)
        cas.sofa_string = self.text
        token, sentence, entity = self.cassis_types
        for b, e in zip(*self.tokens, strict=True):
            cas.add(token(begin=b, end=e))
        for b, e in zip(*self.sentences, strict=True):
            cas.add(sentence(begin=b, end=e))
        for b, e in self.entities:
            cas.add(entity(begin=b, end=e, kind="DATE", confidence=1.0))
        return cas


def in_turn(
    pairs: Sequence[tuple[str, Callable[[], Any], Callable[[], Any]]], rounds: int = 15, inner: int = 5
) -> list[Row]:
    """Return medians over `rounds`; in each round every function runs `inner` times, caspipe and cassis in turn."""
    times: dict[tuple[str, bool], list[float]] = {(name, mine): [] for name, *_ in pairs for mine in (True, False)}
    for _ in range(rounds):
        for name, ours, theirs in pairs:
            for mine, call in ((True, ours), (False, theirs)):
                gc.collect()
                call()
                started = time.perf_counter()
                for _ in range(inner):
                    call()
                times[name, mine].append((time.perf_counter() - started) / inner)
    rows = []
    for name, *_ in pairs:
        mine, other = (statistics.median(times[name, m]) * 1e6 for m in (True, False))
        rows.append((name, mine, other, other / mine))
    return rows


def show(rows: Sequence[Row], theirs: str = "cassis") -> None:
    print(f"{'':58} {'caspipe µs':>12} {theirs + ' µs':>12} {'ratio':>8}")
    for name, mine, other, ratio in rows:
        print(f"{name:58} {mine:12,.0f} {other:12,.0f} {ratio:7.1f}x")
