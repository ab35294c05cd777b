"""Annotated documents for tests of the augmenting reader. All people and places are invented."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

from caspipe.pipeline.contract.component import CollectionReader
from caspipe.pipeline.errors import ReaderError
from caspipe.readers.augmentation.options import Case, Noise, Structure, Wrap
from caspipe.readers.augmentation.pieces import Mark, Piece
from caspipe.typesystem import GOLD_VIEW, Cas, Phi, PhiKind, SpanAttribute

NOTE = """CARDIOLOGY CLINIC
Patient: [[PERSON_PATIENT|Reyes, Anna M.]]    MRN: [[ID_MEDICAL_RECORD|4471-C]]
DOB: [[DATE_BIRTH|03/04/1950]]
Phone: [[PHONE|(919) 555-0142]]

Mrs. [[PERSON_PATIENT|Reyes]] is a [[AGE|72-year-old]] woman from [[LOCATION_CITY|Macon]],
[[LOCATION_STATE|GA]] [[LOCATION_ZIP|31201]],
seen [[DATE|3/4/22]] at [[LOCATION_HOSPITAL|Bayside Medical Center]] by Dr. [[PERSON_DOCTOR|Venkat
Subramanian]]. [[PERSON_PATIENT|Anna]] worked as a [[?PROFESSION|baker]] at [[ORGANIZATION|Hollis & Sons]].
[[LOCATION_HOSPITAL|Bayside]] will call. [[PERSON_DOCTOR|V. Subramanian]], MD
[[EMAIL|areyes@harbor.example]] [[PERSON_DOCTOR|VS]]"""
_MARK = re.compile(r"\[\[(\??)(\w+)\|([^\]]+)\]\]")


def pieces(marked: str) -> list[Piece]:
    """Return the pieces of a text with marks like `[[DATE|3/4]]`; a mark of an optional span begins with `?`."""
    found: list[Piece] = []
    last = 0
    for match in _MARK.finditer(marked):
        attributes = (("optional", "true"),) if match[1] else ()
        found += [(marked[last : match.start()], None), (match[3], Mark(PhiKind.of(match[2]), attributes))]
        last = match.end()
    return [(text, mark) for text, mark in [*found, (marked[last:], None)] if text]


def document(marked: str = NOTE, name: str = "one") -> Cas:
    """Return a document with gold spans."""
    parts = pieces(marked)
    cas = Cas("".join(text for text, _ in parts), id=name)
    cas.metadata["site"] = "north"
    gold = cas.create_view(GOLD_VIEW, cas.text)
    begin = 0
    for text, mark in parts:
        if mark is not None:
            phi = gold.add(Phi(begin, begin + len(text), kind=mark.kind))
            for attribute, value in mark.attributes:
                gold.add(SpanAttribute(of=phi, name=attribute, value=value))
        begin += len(text)
    return cas


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class Documents(CollectionReader):
    """Yields marked texts as documents; `!` stands for one that cannot be read."""

    texts: list[str]
    """Texts with marks."""

    outputs = (Phi,)

    def __iter__(self) -> Iterator[Cas]:
        for number, text in enumerate(self.texts):
            if text == "!":
                self.failed.append((f"d{number}", ReaderError("cannot be read")))
            else:
                yield document(text, f"d{number}")


def spans(cas: Cas) -> list[tuple[str, str]]:
    """Return kind and text of the gold spans."""
    return [(p.kind.name, p.covered_text) for p in cas.view(GOLD_VIEW).select(Phi)]


OFF = {
    "substitute": 0.0,
    "pool": 0.0,
    "case": Case(lower=0, upper=0, lower_names=0, upper_names=0),
    "wrap": Wrap(share=0),
    "noise": Noise(typos=0, names=0, ocr=0, spaces=0, accents=0),
    "structure": Structure(share=0),
}
"""Parameters that switch off every transformation, to switch on single ones."""
