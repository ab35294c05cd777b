"""Choices that depend on the secret, on the patient or document, and on the replaced value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ..keys import KeyedHash

T = TypeVar("T")


class KeyedChoices:
    """The secret bound to a subject: equal arguments give equal results for this subject and different ones for others."""

    __slots__ = ("_secret", "_subject")

    def __init__(self, secret: KeyedHash, subject: tuple[str, ...]) -> None:
        self._secret = secret
        self._subject = subject

    def number(self, below: int, *what: str) -> int:
        """Return an integer from 0 to `below` - 1."""
        return self._secret.number(below, "surrogate", *self._subject, *what)

    def choice(self, items: Sequence[T], *what: str) -> T:
        return items[self.number(len(items), *what)]

    def token(self, length: int, *what: str) -> str:
        """Return lower-case letters and digits 2-7."""
        return self._secret.token(length, "surrogate", *self._subject, *what)
