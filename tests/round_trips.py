"""Reads, writes and reads again: what the tests of several formats share."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from caspipe.pipeline.contract.component import CasConsumer, CollectionReader
from caspipe.typesystem import GOLD_VIEW, Cas, CaspipeWarning, Phi, PhiKind, SpanAttribute

PIECES = (
    "a", "Zé", "e\u0301", "\U0001f600", "\U0001f468\u200d\U0001f469", "\r\n", "\n", "\r", " ", "  ", "\t", "]]>", "<b>", "&amp;",
    '"', "'", "3/4/2020", ".", "-", ",", "\u2028", "\x85", "\u00a0", "Dr. Ivy", "O'Hara", "\u05e0\u05d1", "\ufeff",
)  # fmt: skip
KINDS = [PhiKind.of(name) for name in ("PERSON_PATIENT", "DATE", "LOCATION_HOSPITAL", "ID", "AGE", "OTHER")]
Spans = list[tuple[int, int, PhiKind]]


@st.composite
def annotated(draw: Any, *, overlaps: bool, kinds: Sequence[PhiKind] = KINDS) -> tuple[str, Spans]:
    """A text and spans in it, each once, in order."""
    text = "".join(draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=20)))
    edges = st.integers(0, len(text))
    if overlaps:
        pairs = draw(st.lists(st.tuples(edges, edges), max_size=6))
    else:
        cuts = sorted(draw(st.sets(edges, max_size=8)))
        pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    found = {(min(p), max(p), draw(st.sampled_from(kinds))) for p in pairs if p[0] != p[1]}
    return text, sorted(found, key=lambda s: (s[0], s[1], s[2].name))


def document(text: str, spans: Spans, said: Iterable[tuple[int, str, str]] = (), id: str = "ward/note-1") -> Cas:
    """A document with reference annotations; `said`: (number of the span, name, value)."""
    cas = Cas(text, id=id)
    view = cas.create_view(GOLD_VIEW, text)
    made = [Phi(b, e, kind=kind) for b, e, kind in spans]
    view.add_all(made)
    view.add_all([SpanAttribute(of=made[n], name=name, value=value) for n, name, value in said])
    return cas


def written(consumer: CasConsumer, output: Path, cases: Iterable[Cas]) -> None:
    """Writes documents; warnings of what a format has no place for are no faults here."""
    consumer.output = output
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaspipeWarning)
        consumer.open()
        for cas in cases:
            consumer.process(cas)
        consumer.close()


def read(reader: CollectionReader) -> list[Cas]:
    """All documents, where every one can be read."""
    found = list(reader)
    assert reader.failed == []
    return found


def gold(cas: Cas) -> Spans:
    spans = [(p.begin, p.end, p.kind) for p in cas.view(GOLD_VIEW).select(Phi)]
    return sorted(spans, key=lambda s: (s[0], s[1], s[2].name))


def said(cas: Cas) -> list[tuple[int, int, str, str, str]]:
    """What is said of the spans: offsets and kind, name, value."""
    found = []
    for a in cas.view(GOLD_VIEW).select(SpanAttribute):
        assert isinstance(a.of, Phi)
        found.append((a.of.begin, a.of.end, a.of.kind.name, a.name, a.value))
    return sorted(found)
