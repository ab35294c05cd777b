"""What is known of people beyond one record: in other files, and in texts that are about nobody in particular."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...typesystem import PhiKind
from .elements import NOBODY
from .found import Known
from .walk import Walk

_BEGIN = 3
_WORD = re.compile(r"\w+")
_PART = re.compile(r"[/:#|]")
_NAME = re.compile(r"[^\W\d_]{4,}")
_SPEAKS = re.compile(rb'"resourceType"\s*:\s*"(?:Patient|RelatedPerson|Practitioner|Organization|Location|Person)"')


class People:
    """What all files of a folder say of people and places, by reference."""

    TYPES = frozenset(("Patient", "RelatedPerson", "Practitioner", "Organization", "Location", "Person"))

    def __init__(self) -> None:
        self._known: dict[str, list[Known]] = {}

    @staticmethod
    def speaks(data: bytes) -> bool:
        """Whether a file can say anything of people."""
        return _SPEAKS.search(data) is not None

    def remember(self, reference: str, known: Iterable[Known]) -> None:
        if reference:
            self._known.setdefault(reference, []).extend(known)

    def of(self, subject: str, walks: Sequence[Walk]) -> Iterable[Known]:
        """What is known of a patient and of all that resources refer to."""
        if self._known:
            references = (r.partition("/_history/")[0] for w in walks for r in w.found.references)
            for key in dict.fromkeys((subject, *("/".join(r.split("/")[-2:]) for r in references))):
                yield from self._known.get(key, ())


class Traces:
    """Values to be looked for in texts, by the beginnings of their words, so that many cost no more than few."""

    def __init__(self, known: Iterable[Known]) -> None:
        self._begins: dict[str, list[Known]] = {}
        for item in dict.fromkeys(known):
            words = [w for w in _WORD.findall(item.value.casefold()) if w not in NOBODY]
            for begin in dict.fromkeys(w[:_BEGIN] for w in words):
                self._begins.setdefault(begin, []).append(item)

    def of(self, text: str) -> list[Known]:
        """Those that may stand in a text: a word of theirs begins as one of the text does. Slips of the pen behind the third
        letter do not matter."""
        if not self._begins:
            return []
        begins = dict.fromkeys(word[:_BEGIN] for word in _WORD.findall(text.casefold()))
        return list(dict.fromkeys(item for begin in begins for item in self._begins.get(begin, ())))

    def name(self, text: str) -> bool:
        """Whether a text holds a name's word of four letters, or another value that identifies as a whole."""
        folded = text.casefold()
        words = set(_WORD.findall(folded))
        for item in self.of(text):
            if item.kind.top is PhiKind.PERSON:
                if any(len(w) > _BEGIN and w in words for w in _WORD.findall(item.value.casefold())):
                    return True
            elif item.kind.direct and item.kind is not PhiKind.URL and item.value.casefold().strip() in folded:
                return True
        return False

    def id(self, written: str) -> bool:
        """Whether a part of a logical id or reference is a value that identifies, or holds a name's word."""
        for part in _PART.split(written.casefold()):
            for item in self.of(part):
                words = _NAME.findall(item.value.casefold()) if item.kind.top is PhiKind.PERSON else []
                if part == item.value.casefold().strip() or any(w in _NAME.findall(part) for w in words):
                    return True
        return False
