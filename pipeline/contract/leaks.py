"""Refusing to release a document in which the leak gate found something: in consumers, service, cluster and command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
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
    """Raises ComponentError, in the name of the gate, where the masked text must not be given away."""
    found = leaks_of(cas)
    if found:
        raise ComponentError(found[0].source or "leak_gate", LeakError(told(found)))


def told(leaks: Iterable[Leak]) -> str:
    """Describe leaks without quoting text: `2 leaks: values PERSON 2; in the masked text at PERSON 12:17, PERSON 40:45`."""
    found = list(leaks)
    counts = Counter((leak.check, leak.kind.name) for leak in found)
    kinds = ", ".join(f"{check} {kind} {count}" for (check, kind), count in sorted(counts.items()))
    places = [f"{leak.kind.name} {leak.begin}:{leak.end}" for leak in found if leak.check != "fields"]
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    at = f"; in the masked text at {', '.join(places[:_SHOWN])}{more}" if places else ""
    return f"{len(found)} leak{'s' * (len(found) != 1)}: {kinds}{at}"
