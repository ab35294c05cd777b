"""Run scrubadub with its default detectors."""

from __future__ import annotations

from collections.abc import Sequence

from .harness import Span, Work, each, masked

KINDS = {
    "date_of_birth": "DATE",
    "name": "PERSON",
    "phone": "PHONE",
    "email": "EMAIL",
    "url": "URL",
    "address": "LOCATION",
    "postalcode": "LOCATION",
    "twitter": "OTHER",
    "skype": "OTHER",
}
"""Filth types of scrubadub -> kinds of caspipe; all others are identifying numbers."""


def load(variant: str) -> Work:
    """`default`."""
    import scrubadub

    scrubber = scrubadub.Scrubber(locale="en_US")

    def one(text: str) -> tuple[str, Sequence[Span]]:
        found = [(f.beg, f.end, KINDS.get(f.type, "ID")) for f in scrubber.iter_filth(text)]
        return masked(text, found), found

    return each(one)
