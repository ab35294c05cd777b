"""Criteria and schemes by name: our own criteria and those of shared tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...pipeline.errors import ConsumerError, nearest
from . import criteria as spans
from . import leaks, tokens
from .counts import Measure, Tally
from .document import Pair
from .schemes.conll import MEASURES as CONLL
from .schemes.i2b2 import MEASURES as I2B2
from .schemes.meddocan import MEASURES as MEDDOCAN
from .schemes.tab import MEASURES as TAB
from .scores import Scores

CRITERIA: dict[str, Measure] = {m.name: m for m in (*spans.MEASURES, *tokens.MEASURES, *leaks.MEASURES)}
"""Criteria of our own, by name."""
SCHEMES: dict[str, tuple[Measure, ...]] = {
    "i2b2-2014": I2B2,
    "meddocan": MEDDOCAN,
    "conll": CONLL,
    "tab": TAB,
}
"""The criteria of shared tasks, counted like in their official scripts."""
ALIASES = {"conlleval": "conll", "seqeval": "conll", "i2b2": "i2b2-2014"}
DEFAULT = ("strict", "covering", "overlapping")


def measures(criteria: Sequence[str] = DEFAULT, scheme: str | None = None) -> tuple[Measure, ...]:
    """Return the measures of a scheme, else of some criteria. Raises ConsumerError that gives the nearest name."""
    if scheme is not None:
        known = {**SCHEMES, **{alias: SCHEMES[name] for alias, name in ALIASES.items()}}
        if scheme not in known:
            raise ConsumerError(f"no scheme called {scheme!r}{_hint(scheme, known)}")
        return known[scheme]
    for name in criteria:
        if name not in CRITERIA:
            raise ConsumerError(f"no criterion called {name!r}{_hint(name, CRITERIA)}")
    return tuple(CRITERIA[name] for name in dict.fromkeys(criteria))


def _hint(name: str, known: Iterable[str]) -> str:
    return nearest(name, known) or f"; expected one of {', '.join(known)}"


def score(pairs: Iterable[Pair], criteria: Sequence[str] = DEFAULT, scheme: str | None = None) -> Scores:
    """Score documents under some criteria, or as the official script of a scheme does.

        scores = score(pairs)
        scores.value("strict", "micro", "f1")

    Documents are counted one by one and need not be kept. Kinds are compared as they are; apply `at_level` first for coarser
    ones. Raises ConsumerError for an unknown name, for spans outside their text and for confidences that are not between 0 and
    1.
    """
    tally = Tally(measures(criteria, scheme))
    for pair in pairs:
        tally.add(pair)
    return Scores(tally)
