"""Finds e-mail, web and network addresses of the record, and the parts that identify them."""

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
    """Finds a string of the record that has one spelling, in any case: an e-mail address, a URL, an IP address, a user name."""

    def __init__(self, value: str, kind: PhiKind, words: Words) -> None:
        self.kind = kind
        self.value = value.strip()
        self.text = _SCHEME.sub("", fold(self.value)).rstrip("/")
        local, at_sign, domain = self.text.partition("@")
        mail = kind.top.name == "EMAIL" and bool(at_sign)
        self.domain = f"@{domain}" if mail else ""
        handle = len(local) >= 5 and local not in _OFFICES and not words.is_word(local)
        self.local = local if mail and handle else ""

    def find(self, document: SearchableText) -> Iterator[PhiMatch]:
        """Yield every occurrence: whole, with its user name hidden (`j***@example.org`), or its user name alone."""
        if len(self.text) < 3:
            return
        folded = document.folded
        for begin in whole_word_offsets(folded, self.text):
            prefix = _PREFIX.search(folded, max(0, begin - 12), begin)
            first, end = prefix.start() if prefix else begin, begin + len(self.text)
            yield PhiMatch(first, end, self.kind, 1.0, "known address", self.value)
        if self.domain:
            begin = folded.find(self.domain)
            while begin >= 0:
                masked = _MASKED_LOCAL.search(folded, max(0, begin - 24), begin)
                if masked:
                    yield PhiMatch(masked.start(), begin + len(self.domain), self.kind, 0.9, "known address, masked")
                begin = folded.find(self.domain, begin + 1)
        if self.local:
            for begin in whole_word_offsets(folded, self.local):
                end = begin + len(self.local)
                if not folded.startswith(self.domain, end):
                    yield PhiMatch(begin, end, PhiKind.PERSON_USERNAME, 0.8, "known user name")
