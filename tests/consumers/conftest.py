"""Masked documents for the consumers' tests, made by hand so that every offset is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from caspipe.typesystem import (
    DEIDENTIFIED_VIEW,
    Cas,
    MaskedSpan,
    Phi,
    PhiCandidate,
    PhiKind,
    Replacement,
    replace_spans,
)

Make = Callable[..., Cas]
TEXT = "Dr. Ivy Featherstone saw her on 3/4/2020, aged 41.\r\nParkinson disease."
NAME = "Featherstone"


def candidate(cas: Cas, words: str, kind: str, source: str, rule: str, confidence: float = 1.0) -> PhiCandidate:
    begin = cas.text.index(words)
    made = PhiCandidate(begin, begin + len(words), kind=PhiKind.of(kind), rule=rule, confidence=confidence)
    made._source = source
    cas.add(made)
    return made


def settle(cas: Cas, winner: PhiCandidate, *losers: PhiCandidate) -> Phi:
    phi = Phi(winner.begin, winner.end, kind=winner.kind, confidence=winner.confidence, reason="won: rules come first")
    phi._source = winner.source
    winner.winner, winner.reason = phi, phi.reason
    for loser in losers:
        loser.winner, loser.reason = phi, "lost: rules come first"
    cas.add(phi)
    return phi


def masked(id: str = "ward/note-1", text: str = TEXT, *, mask: bool = True) -> Cas:
    """Two masked spans (a name, a date that fell back), one left readable (an age), one candidate that was vetoed."""
    cas = Cas(text, id=id)
    name = settle(
        cas,
        candidate(cas, "Ivy Featherstone", "PERSON_DOCTOR", "regex/names", "title_name"),
        candidate(cas, "Featherstone", "PERSON", "models/crf", "NAME", 0.75),
    )
    date = settle(cas, candidate(cas, "3/4/2020", "DATE", "regex/dates", "numeric"))
    settle(cas, candidate(cas, "41", "AGE", "regex/ages", "aged"))
    candidate(cas, "Parkinson", "PERSON", "models/crf", "NAME", 0.5).reason = "vetoed: a disease"
    if mask:
        replacements = [Replacement(name.begin, name.end, "[PERSON]"), Replacement(date.begin, date.end, "[DATE]")]
        new, offsets = replace_spans(text, replacements)
        view = cas.create_view(DEIDENTIFIED_VIEW, new)
        view.offset_map = offsets
        for phi, operator, fallback in ((name, "placeholder", ""), (date, "shift", "no key")):
            begin, end = offsets.to_new(phi.begin, phi.end)
            view.add(
                MaskedSpan(
                    begin,
                    end,
                    kind=phi.kind,
                    operator=operator,
                    original_begin=phi.begin,
                    original_end=phi.end,
                    fallback=fallback,
                )
            )
    return cas


@pytest.fixture
def make() -> Make:
    """Makes a masked document."""
    return masked


@pytest.fixture
def listing() -> Callable[[Path], list[str]]:
    """Every file below a folder, hidden ones too, by relative path."""
    return lambda folder: sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
