"""Metadata of a document that may be released with its masked text; metadata that would undo the masking are withheld with a
warning.

A true date next to shifted ones reveals the offset of all (the VigiBase system's future work, seed 001, section 9).
"""

from __future__ import annotations

import re
import warnings

from ...pipeline.contract.component import CasConsumer
from ...pipeline.contract.masked_words import MaskedWords
from ...pipeline.errors import ConsumerError
from ...typesystem import Cas, CaspipeWarning, RecordField, source_record
from .released import encodable

_NEVER = re.compile(r"carrier_|patient|date_shift|possible_offsets", re.IGNORECASE)
"""Prefixes of names that tell whose document it is, or by how much its dates were shifted."""
_MONTHS = (
    "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic|janv|févr|avr|juin|juil|août|déc|mär|mai|okt|dez"
)
_DATE = re.compile(
    r"""(?<![\d.]) (?: (?:1[89]|20)\d\d [-/.] \d{1,2} [-/.] \d{1,2}              # 2020-03-04
                     | \d{1,2} [-/.] \d{1,2} [-/.] (?:\d{4}|\d\d)                # 3/4/2020, 3.4.20
                     | (?:1[89]|20)\d\d (?:0[1-9]|1[0-2]) (?:0[1-9]|[12]\d|3[01]) (?:\d{2,6})?   # 20200304, 202003041200
                     | (?:1[89]|20)\d\d-(?:0[1-9]|1[0-2])                        # 2020-03
                     | 1\d{9} (?:\d{3})?                                          # seconds or milliseconds since 1970
                     ) (?!\d)
      | \b (?: \d{1,2} [\s.-]{0,3} )? (?:MONTHS) [a-zäéû]{0,8} [\s.,-]{0,3} (?:\d{1,2} [\s,]{1,2})? (?:\d{4}|\d\d) \b
    """.replace("MONTHS", _MONTHS),
    re.VERBOSE | re.IGNORECASE,
)
_SHORTEST_ID = 4
"""Shorter ids are not searched for: they are numbers that anything can contain."""


class WithheldWarning(CaspipeWarning):
    """Metadata of documents were not written, because they would undo the masking."""


def released_metadata(consumer: CasConsumer, cas: Cas) -> dict[str, str]:
    """Return the metadata of a masked document that may be released, and the masked fields of its record, by name.

    Withheld, with a warning: values with a date, values that show what was masked in the record or what it knows of people, the
    document's own id if it is released under another name, and whose document it is. Raises ConsumerError if no masker decided
    about a field.
    """
    released: dict[str, str] = {}
    masked = MaskedWords.of(cas)
    for name, value in cas.metadata.items():
        if _NEVER.match(name):
            _warn(consumer, name, "tells whose document it is, or by how much its dates were shifted")
        elif _DATE.search(value):
            _warn(
                consumer,
                name,
                f"contains a date that was not shifted; let the reader declare it: structured: {{{name}: DATE}}",
            )
        elif masked.occur_in(value) or masked.occur_in(name):
            _warn(consumer, name, "contains what was masked in the document, or what its record knows of people")
        elif name != source_record.ROW and shows_id(value, cas.source_id):
            _warn(consumer, name, "contains the id of the document")
        else:
            released[name] = value
    for field in cas.select(RecordField):
        if not field.path.startswith(source_record.NAMED):
            continue
        name = field.path.removeprefix(source_record.NAMED)
        if not field.operator:
            raise ConsumerError(f"{consumer.id}: {name}: expected a masked field, found one that was not")
        if field.masked is not None:
            released[name] = field.masked
    return {name: encodable(released[name], cas) for name in sorted(released)}


def shows_id(value: str, document: str) -> bool:
    """Return whether a value contains a document's id, or the last part of it. A short id must be the whole value."""
    folded = value.casefold()
    parts = (document.casefold(), document.rpartition("/")[2].casefold())
    return bool(document) and (
        folded.strip() in parts or any(len(part) >= _SHORTEST_ID and part in folded for part in parts)
    )


def _warn(consumer: CasConsumer, name: str, why: str) -> None:
    if name.startswith(("carrier_", "possible_offsets")):  # not from the source
        return
    warnings.warn(f"{consumer.id}: metadata {name} {why}: not written", WithheldWarning, stacklevel=4)
