"""What one name of a document says of the others: repetitions of a sure name, and names in a row.

The second pass is Aramaki's label consistency (Aramaki et al. 2006, i2b2 de-identification challenge).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...typesystem import PhiKind
from . import words as w
from .found import Found, span_of
from .other import is_sized
from .shape import CAPITAL, SHOUT, SMALL
from .sheet import Sheet
from .weight import is_eponym

_SURE = 0.65
_ROW = frozenset([", ", " and ", ", and ", " & ", " or ", ",\n", "\n"])


def repeated(sheet: Sheet, kept: list[Found]) -> Iterator[Found]:
    """The words of sure names of people and cities wherever else they stand capitalised, or in any case where the text
    has no capitals."""
    known: dict[str, Found] = {}
    for found in kept:
        if found.confidence >= _SURE and (found.kind.top is PhiKind.PERSON or found.kind is PhiKind.LOCATION_CITY):
            for i in range(found.first, found.last):
                if sheet.bits[i] & (CAPITAL | SHOUT | SMALL) and len(sheet.forms[i]) > 2:
                    known.setdefault(sheet.forms[i].lower(), found)
    if not known:
        return
    covered = {i for found in kept for i in range(found.first, found.last) if _stands(found)}
    for i in [i for i, low in enumerate(sheet.lowers) if low in known]:
        if i in covered or is_eponym(sheet, [i], i + 1) or is_sized(sheet, i, [i]):
            continue
        bits, facts, form, source = sheet.bits[i], sheet.facts(i), sheet.forms[i], known[sheet.lowers[i]]
        level = facts >> w.LEVEL
        if facts & w.TERM and not facts & w.NAME:  # a word of `Glasgow Coma Scale`
            continue
        if bits & SMALL:
            free = sheet.is_free(i)
            confidence = 0.7 if free and not level and (sheet.small or facts & w.OFTEN) else 0.0
        elif bits & SHOUT and not sheet.shouted:
            confidence = 0.6 if not level and len(form) > 3 else 0.0
        else:
            confidence = (
                0.75 if level < 2 and not facts & w.BLOCKED else 0.6 if not sheet.starts(i) and level < 3 else 0.0
            )
        if confidence:
            yield span_of(sheet, i, i + 1, source.kind, confidence, "repeated name")


def _stands(found: Found) -> bool:
    """Whether a find keeps its kind and confidence when the same word is a sure name elsewhere."""
    return found.last > found.first + 1 or found.confidence >= _SURE or found.kind.top is not PhiKind.PERSON


def enumerated(sheet: Sheet, people: list[Found]) -> list[Found]:
    """The people, each a little surer where another one stands right beside it: `Ann, Bob and Qwertz`."""
    made: list[Found] = []
    for i, found in enumerate(people):
        if found.confidence < 0.75:
            near = people[max(0, i - 1) : i] + people[i + 1 : i + 2]
            if any(_in_row(sheet, found, other) and other.confidence >= 0.25 for other in near):
                found = found._replace(confidence=round(found.confidence + 0.15, 2))
        made.append(found)
    return made


def _in_row(sheet: Sheet, one: Found, other: Found) -> bool:
    left, right = (one, other) if one.begin < other.begin else (other, one)
    return 0 < right.begin - left.end < 7 and sheet.text[left.end : right.begin] in _ROW
