"""Which metadata of a document may stand beside its masked text: what would undo the masking is withheld, and told.

A true date beside moved ones tells the offset of all (the VigiBase system's future work, seed 001, section 9).
"""

from __future__ import annotations

import re
import warnings

from ...pipeline.contract.component import CasConsumer
from ...pipeline.errors import ConsumerError
from ...typesystem import Cas, CaspipeWarning, RecordField
from ...typesystem import source_record as carrier
from .released import encodable

_NEVER = re.compile(r"carrier_|patient|date_shift", re.IGNORECASE)
"""Begin of names that say whose the document is, or by how much its dates moved."""
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


class WithheldWarning(CaspipeWarning):
    """Metadata of documents were not written, because they would undo the masking."""


def released_metadata(consumer: CasConsumer, cas: Cas) -> dict[str, str]:
    """The metadata of a masked document that may be released, and the fields of its record as they were masked, by name.

    Withheld, with a warning: what holds a date, what the record knows of people, and whose the document is. Raises ConsumerError
    where no masker decided about a field.
    """
    told: dict[str, str] = {}
    known = [k.value.casefold() for k in cas.known_phi if k.kind.direct and len(k.value.strip()) > 1]
    for name, value in cas.metadata.items():
        folded = value.casefold()
        if _NEVER.match(name):
            _tell(consumer, name, "says whose the document is, or by how much its dates moved")
        elif _DATE.search(value):
            _tell(
                consumer,
                name,
                f"holds a date that nobody moved; let the reader declare it: structured: {{{name}: DATE}}",
            )
        elif any(k in folded for k in known):
            _tell(consumer, name, "holds what the record knows of people")
        else:
            told[name] = value
    for field in cas.select(RecordField):
        if not field.path.startswith(carrier.NAMED):
            continue
        name = field.path.removeprefix(carrier.NAMED)
        if not field.operator:
            raise ConsumerError(f"{consumer.id}: {name}: expected a masked field, found one that no masker saw")
        if field.masked is not None:
            told[name] = field.masked
    return {name: encodable(told[name], cas) for name in sorted(told)}


def _tell(consumer: CasConsumer, name: str, why: str) -> None:
    if name.startswith("carrier_"):
        return
    warnings.warn(f"{consumer.id}: metadata {name} {why}: not written", WithheldWarning, stacklevel=4)
