"""File names for documents: safe on every system, inside their folder, and unique."""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from collections.abc import Iterable
from pathlib import PurePosixPath

from .digest_set import Digests
from .secrets import Secret

_RESERVED = {"con", "prn", "aux", "nul", *(f"{device}{n}" for device in ("com", "lpt") for n in range(1, 10))}
_LONGEST_PART = 200
_LONGEST_NAME = 1000
_DEEPEST = 20


def pseudonym(document_id: str, key: Secret | str) -> str:
    """Return a name that does not reveal the document without the key: 96 bits of HMAC-SHA256 in hexadecimal."""
    message = b"caspipe document id\0" + document_id.encode("utf-8", "surrogatepass")
    return hmac.new(Secret.of(key).reveal(), message, hashlib.sha256).hexdigest()[:24]


class FileNames:
    """File names for document ids: safe on every system, never outside the folder, and unique.

    `ward/note 1` stays `ward/note 1`. Characters that some system does not allow become `_`; a duplicate name (also if
    only case or Unicode normalization differs) gets `-2`, `-3` ... in the order of documents. `reserved` names are never given.

    Only 64-bit digests of names are stored: one in 10^19 unique names is treated as a duplicate and gets a number.
    """

    def __init__(self, suffix: str, reserved: Iterable[str] = ()) -> None:
        self.suffix = suffix
        self._taken = Digests(64)
        self._folders = Digests(64)
        self._last: list[str] = []
        """The last name, folded, and its folders: not yet stored as taken."""
        for name in reserved:
            self._taken.add(folded(name))

    def next(self, document_id: str) -> PurePosixPath:
        """Return the relative path for the file of the next document."""
        for n, taken in enumerate(self._last):
            (self._folders if n else self._taken).add(taken)
        parts = safe_parts(document_id)
        for n in range(len(parts) - 1, 0, -1):
            if folded("/".join(parts[:n])) in self._taken:  # a file has the name that this folder would need
                parts = ["_".join(parts)]
                break
        stem, number = "/".join(parts), 1
        name = stem + self.suffix
        while (key := folded(name)) in self._folders or key in self._taken:
            number += 1
            name = f"{stem}-{number}{self.suffix}"
        self._last = [key, *(folded("/".join(parts[:n])) for n in range(1, len(parts)))]
        return PurePosixPath(name)

    def release_last(self) -> None:
        """Release the last name, because its document is not written or will be written later."""
        self._last = []


def safe_parts(document_id: str) -> list[str]:
    """Return a document id as names of folders and a file (without suffix) that every system allows: no `..`, no device."""
    parts = [safe_part(p) for p in document_id.split("/") if p not in ("", ".")] or ["document"]
    if len(parts) > _DEEPEST or len("/".join(parts).encode()) > _LONGEST_NAME:
        return [safe_part("_".join(parts))]
    return parts


def safe_part(name: str) -> str:
    """Return a safe part of a path: control and format characters, lone surrogates and `<>:"/\\|?*` become `_`."""
    kept = "".join("_" if c in '<>:"/\\|?*' or unicodedata.category(c) in ("Cc", "Cf", "Cs") else c for c in name)
    kept = kept.rstrip(". ").lstrip(" ") or "_"
    if kept.startswith("."):
        kept = "_" + kept[1:]
    if kept.partition(".")[0].casefold() in _RESERVED:
        kept = f"_{kept}"
    if len(kept.encode()) > _LONGEST_PART:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        kept = f"{kept.encode()[: _LONGEST_PART - 13].decode(errors='ignore')}-{digest}"
    return kept


def folded(name: str) -> str:
    """Return a key that is equal for names that differ only in case or normalization, as some file systems ignore both."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
