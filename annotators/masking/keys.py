"""Numbers and choices derived from a secret, unpredictable without it."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from ...pipeline.storage.secrets import Secret
from ...typesystem import CaspipeWarning
from .operator import Operator

T = TypeVar("T")


class MissingKeyWarning(CaspipeWarning):
    """An operator that needs a secret has none and writes placeholders instead."""


class KeyedHash:
    """HMAC-SHA256 (RFC 2104) with a secret, and values derived from it. The secret is never shown."""

    __slots__ = ("_key", "_prefix")

    def __init__(self, key: bytes, prefix: tuple[str, ...] = ()) -> None:
        self._key = key
        self._prefix = prefix

    def bound(self, *parts: str) -> KeyedHash:
        """Return a hash that adds these parts before all others, so that its values depend on a patient or document."""
        return KeyedHash(self._key, (*self._prefix, *parts))

    def digest(self, *parts: str) -> bytes:
        """Return 32 bytes. Each part is preceded by its length, so that different lists of parts never give the same input."""
        mac = hmac.new(self._key, digestmod=hashlib.sha256)
        for part in (*self._prefix, *parts):
            raw = part.encode("utf-8", "surrogatepass")
            mac.update(len(raw).to_bytes(8, "big") + raw)
        return mac.digest()

    def number(self, below: int, *parts: str) -> int:
        """Return an integer from 0 to `below` - 1, uniformly distributed (by rejection, without modulo bias)."""
        limit = (1 << 256) // below * below
        attempt = 0
        while True:
            number = int.from_bytes(self.digest(*parts, str(attempt)), "big")
            if number < limit:
                return number % below
            attempt += 1

    def choice(self, items: Sequence[T], *parts: str) -> T:
        """Return one of the items, uniformly distributed."""
        return items[self.number(len(items), *parts)]

    def token(self, length: int, *parts: str) -> str:
        """Return `length` characters (at most 51) of lower-case base 32, 5 bits each."""
        return base64.b32encode(self.digest(*parts)).decode("ascii").lower()[:length]

    def __repr__(self) -> str:
        return "<KeyedHash>"


@dataclass(kw_only=True, eq=False, repr=False)
class KeyedOperator(Operator):
    """An operator that depends on a secret. Without one it returns `NO_KEY`."""

    key: Secret | str = ""
    """The secret: `"${CASPIPE_KEY:-}"`, or `file:` and the path of a file that only its owner can read; 32 random characters
    or more. Empty: placeholders are written."""
    patient: str = "patient_id"
    """Name of the document metadata that contains the patient's identifier."""

    def __post_init__(self) -> None:
        self.key = Secret.of(self.key)

    def open(self) -> None:
        _ = self.secret

    @cached_property
    def secret(self) -> KeyedHash | None:
        """Return the hash, or None without a key. Raises ResourceError if a key file is missing, empty or readable by others."""
        key = Secret.of(self.key)
        return KeyedHash(key.reveal()) if key else None
