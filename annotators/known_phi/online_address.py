"""Finds e-mail, web and network addresses of the record as they are, and the parts that give them away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...typesystem import PhiKind
from ..names.words import Words
from .folding import fold, whole_word_offsets
from .searchable_text import PhiMatch, SearchableText

_SCHEME = re.compile(r"^(?:[a-z]+://|mailto:|tel:)?(?:www\.)?")
_PREFIX = re.compile(r"(?:(?:https?|ftp)://)?(?:www\.)?$")
_MASKED_LOCAL = re.compile(r"[a-z0-9]?[x*•#.]{2,}[a-z0-9]?$")
_OFFICES = frozenset(
    "info contact office mail email admin support help webmaster noreply reception safety pharmacovigilance".split()
)


class OnlineAddressMatcher:
    """A string of the record that has one spelling, in any case: an e-mail address, a URL, an IP address, a user name."""

    def __init__(self, value: str, kind: PhiKind, words: Words) -> None:
        self.kind = kind
        self.value = value.strip()
        self.text = _SCHEME.sub("", fold(self.value)).rstrip("/")
        local, at, domain = self.text.partition("@")
        mail = kind.top.name == "EMAIL" and bool(at)
        self.domain = f"@{domain}" if mail else ""
        handle = len(local) >= 5 and local not in _OFFICES and not words.is_word(local)
        self.local = local if mail and handle else ""

    def find(self, document: SearchableText) -> Iterator[PhiMatch]:
        """Every place where it stands, whole, with its user name hidden (`j***@example.org`), or its user name alone."""
        if len(self.text) < 3:
            return
        folded, end = document.folded, -1
        for at in whole_word_offsets(folded, self.text):
            before = _PREFIX.search(folded, max(0, at - 12), at)
            end = at + len(self.text)
            yield PhiMatch(before.start() if before else at, end, self.kind, 1.0, "known address", self.value)
        if self.domain:
            at = folded.find(self.domain)
            while at >= 0:
                masked = _MASKED_LOCAL.search(folded, max(0, at - 24), at)
                if masked:
                    yield PhiMatch(masked.start(), at + len(self.domain), self.kind, 0.9, "known address, masked")
                at = folded.find(self.domain, at + 1)
        if self.local:
            for at in whole_word_offsets(folded, self.local):
                if not folded.startswith(self.domain, at + len(self.local)):
                    yield PhiMatch(at, at + len(self.local), PhiKind.PERSON_USERNAME, 0.8, "known user name")
