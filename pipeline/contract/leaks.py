"""Refuses to release documents in which the leak gate found leaks, for consumers, the service, Spark and the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from ...typesystem import DEIDENTIFIED_VIEW, INITIAL_VIEW, Cas, Leak, Phi
from ..errors import CaspipeError, ComponentError

REPAIRED = "repaired"
"""Prefix of the reason of a Phi that the leak gate added because its text was still readable after masking."""
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


def repaired(cas: Cas) -> list[Phi]:
    """Return the Phi that the leak gate added, in text order."""
    return [phi for phi in cas.select(Phi) if phi.reason.startswith(REPAIRED)] if cas.has_view(INITIAL_VIEW) else []


def describe_leaks(leaks: Sequence[Leak]) -> str:
    """Describe leaks without quoting text: `2 leaks: values PERSON 2; in the original text at PERSON 12:17, PERSON 40:45`."""
    counts = Counter((leak.check, leak.kind.name) for leak in leaks)
    kinds = ", ".join(f"{check} {kind} {count}" for (check, kind), count in sorted(counts.items()))
    text = "original" if all(leak.original_begin >= 0 or leak.check == "fields" for leak in leaks) else "masked"
    spans = [f"{leak.kind.name} {_place(leak, text)}" for leak in leaks if leak.check != "fields"]
    more = f" and {len(spans) - _SHOWN} more" if len(spans) > _SHOWN else ""
    offsets = f"; in the {text} text at {', '.join(spans[:_SHOWN])}{more}" if spans else ""
    return f"{len(leaks)} leak{'s' * (len(leaks) != 1)}: {kinds}{offsets}"


def _place(leak: Leak, text: str) -> str:
    """Return the offsets of a leak; leaks of older versions have none in the original text."""
    return f"{leak.original_begin}:{leak.original_end}" if text == "original" else f"{leak.begin}:{leak.end}"
