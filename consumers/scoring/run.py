"""What can be scored, by name, and how: criteria of our own and the schemes of shared tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...pipeline.errors import ConsumerError, nearest
from . import criteria as spans
from . import leaks, masking_recall, tokens
from .counts import Measure, Tally
from .document import Pair
from .schemes.conll import MEASURES as CONLL
from .schemes.i2b2 import MEASURES as I2B2
from .schemes.meddocan import MEASURES as MEDDOCAN
from .schemes.tab import MEASURES as TAB
from .scores import Scores

CRITERIA: dict[str, Measure] = {
    m.name: m for m in (*spans.MEASURES, *tokens.MEASURES, *masking_recall.MEASURES, *leaks.MEASURES)
}
"""Criteria of our own, by name."""
SCHEMES: dict[str, tuple[Measure, ...]] = {
    "i2b2-2014": I2B2,
    "meddocan": MEDDOCAN,
    "conll": CONLL,
    "tab": TAB,
}
"""The criteria of shared tasks, each as its official script counts them."""
ALIASES = {"conlleval": "conll", "seqeval": "conll", "i2b2": "i2b2-2014"}
DEFAULT = ("strict", "covering", "overlapping")


def measures(criteria: Sequence[str] = DEFAULT, scheme: str | None = None) -> tuple[Measure, ...]:
    """The measures of a scheme, else of some criteria. Raises ConsumerError that names the nearest one."""
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
    """Scores documents under some criteria, or as a scheme's official script does.

        scores = score(pairs)
        scores.value("strict", "micro", "f1")

    Documents are counted one by one and need not be kept. Kinds are compared as they are; `at_level` makes them coarser first.
    Raises ConsumerError for an unknown name, for spans outside their text and for confidences that are no number from 0 to 1.
    """
    tally = Tally(measures(criteria, scheme))
    for pair in pairs:
        tally.add(pair)
    return Scores(tally)
