"""Known PHI beyond one record: people described in other files, and texts that are not about a single patient."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...typesystem import PhiKind
from ..record_document import KnownValue
from .elements import PLACEHOLDERS
from .walk import Walk

_PREFIX = 3
_WORD = re.compile(r"\w+")
_PART = re.compile(r"[/:#|]")
_NAME = re.compile(r"[^\W\d_]{4,}")
_DESCRIBES = re.compile(rb'"resourceType"\s*:\s*"(?:Patient|RelatedPerson|Practitioner|Organization|Location|Person)"')


class People:
    """Known PHI from all files of a folder, by reference."""

    TYPES = frozenset(("Patient", "RelatedPerson", "Practitioner", "Organization", "Location", "Person"))

    def __init__(self) -> None:
        self._known: dict[str, list[KnownValue]] = {}

    @staticmethod
    def may_describe(data: bytes) -> bool:
        """Return whether a file may describe people."""
        return _DESCRIBES.search(data) is not None

    def remember(self, reference: str, known: Iterable[KnownValue]) -> None:
        if reference:
            self._known.setdefault(reference, []).extend(known)

    def of(self, subject: str, walks: Sequence[Walk]) -> Iterable[KnownValue]:
        """Yield the known PHI of a patient and of everyone that the resources refer to."""
        if self._known:
            references = (r.partition("/_history/")[0] for w in walks for r in w.content.references)
            for key in dict.fromkeys((subject, *("/".join(r.split("/")[-2:]) for r in references))):
                yield from self._known.get(key, ())


class KnownIndex:
    """Known values indexed by the prefixes of their words, so that searching for many takes no longer than for few."""

    def __init__(self, known: Iterable[KnownValue]) -> None:
        self._by_prefix: dict[str, list[KnownValue]] = {}
        for item in dict.fromkeys(known):
            words = [w for w in _WORD.findall(item.value.casefold()) if w not in PLACEHOLDERS]
            for prefix in dict.fromkeys(w[:_PREFIX] for w in words):
                self._by_prefix.setdefault(prefix, []).append(item)

    def candidates(self, text: str) -> list[KnownValue]:
        """Return the values that may occur in a text, because one of their words has the prefix of a word of the text."""
        if not self._by_prefix:
            return []
        prefixes = dict.fromkeys(word[:_PREFIX] for word in _WORD.findall(text.casefold()))
        return list(dict.fromkeys(item for prefix in prefixes for item in self._by_prefix.get(prefix, ())))

    def occurs_in(self, text: str) -> bool:
        """Return whether a text contains a name's word of four letters, or another directly identifying value."""
        folded = text.casefold()
        words = set(_WORD.findall(folded))
        for item in self.candidates(text):
            if item.kind.top is PhiKind.PERSON:
                if any(len(w) > _PREFIX and w in words for w in _WORD.findall(item.value.casefold())):
                    return True
            elif item.kind.direct and item.kind is not PhiKind.URL and item.value.casefold().strip() in folded:
                return True
        return False

    def occurs_in_id(self, id_: str) -> bool:
        """Return whether a part of a logical id or reference is a known value or contains a name's word."""
        for part in _PART.split(id_.casefold()):
            for item in self.candidates(part):
                words = _NAME.findall(item.value.casefold()) if item.kind.top is PhiKind.PERSON else []
                if part == item.value.casefold().strip() or any(w in _NAME.findall(part) for w in words):
                    return True
        return False
