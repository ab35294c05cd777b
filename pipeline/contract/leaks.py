"""Refuses to release documents in which the leak gate found leaks, for consumers, the service, Spark and the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from ...typesystem import DEIDENTIFIED_VIEW, Cas, Leak
from ..errors import CaspipeError, ComponentError

_SHOWN = 12


class LeakError(CaspipeError):
    """The masked text still contains a masked value, known PHI of the record, or a match of a rule for a high-risk kind.

    The message counts the leaks by check and kind and gives the offsets of the first ones, but never text of the document.
    """

    reason: ClassVar[str] = "leak"


def leaks_of(cas: Cas) -> list[Leak]:
    """Return the leaks that the leak gate found, in text order."""
    return cas.view(DEIDENTIFIED_VIEW).select(Leak) if cas.has_view(DEIDENTIFIED_VIEW) else []


def refuse_leaks(cas: Cas) -> None:
    """Raise ComponentError in the name of the leak gate if it found leaks, because the masked text must not be released."""
    leaks = leaks_of(cas)
    if leaks:
        raise ComponentError(leaks[0].source or "leak_gate", LeakError(describe_leaks(leaks)))


def describe_leaks(leaks: Sequence[Leak]) -> str:
    """Describe leaks without quoting text: `2 leaks: values PERSON 2; in the masked text at PERSON 12:17, PERSON 40:45`."""
    counts = Counter((leak.check, leak.kind.name) for leak in leaks)
    kinds = ", ".join(f"{check} {kind} {count}" for (check, kind), count in sorted(counts.items()))
    spans = [f"{leak.kind.name} {leak.begin}:{leak.end}" for leak in leaks if leak.check != "fields"]
    more = f" and {len(spans) - _SHOWN} more" if len(spans) > _SHOWN else ""
    offsets = f"; in the masked text at {', '.join(spans[:_SHOWN])}{more}" if spans else ""
    return f"{len(leaks)} leak{'s' * (len(leaks) != 1)}: {kinds}{offsets}"
