"""The manifest of a package: its files with their hashes, and what it requires from the caspipe that runs it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Self

from ..errors import ResourceError

WHAT = "caspipe bundle"
FORMAT = 1
MANIFEST, SIGNATURE = "manifest.json", "manifest.sig"
CONFIG, TYPES, REQUIREMENTS = "pipeline.yaml", "TypeSystem.xml", "requirements.txt"
RESOURCES, PLUGINS, MODULES, WHEELS = "resources", "plugins", "modules", "wheels"
HERE = "bundle:/"
"""Prefix of names of files in the package in its configuration."""

_HEX = re.compile(r"[0-9a-f]{64}")
_UNSAFE = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|]')
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the package."""

    digest: str
    """SHA-256 in hexadecimal."""
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """A resource that is not in the package because it ships with caspipe."""

    name: str
    files: tuple[tuple[str, str], ...]
    """(name in caspipe's package, SHA-256) of each of its files."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of manifest.json."""

    name: str
    caspipe: str
    """Version of the caspipe that packed it."""
    code: str
    """Its code version (`hashing.code_version`)."""
    files: dict[str, Entry]
    """By name, sorted; all files but the manifest and its signature."""
    shipped: tuple[Shipped, ...] = ()
    requirements: tuple[str, ...] = ()
    """`name==version` of each distribution."""
    plugins: tuple[str, ...] = ()
    """Python files to load, in order."""
    modules: tuple[str, ...] = field(default=())
    """Modules of the folder `modules` that the configuration names by dotted paths."""

    def to_bytes(self) -> bytes:
        """Return the content of manifest.json. Equal manifests give equal bytes."""
        data = {
            "what": WHAT,
            "format": FORMAT,
            "name": self.name,
            "caspipe": self.caspipe,
            "code": self.code,
            "plugins": list(self.plugins),
            "modules": list(self.modules),
            "requirements": list(self.requirements),
            "shipped": [{"name": s.name, "files": dict(s.files)} for s in self.shipped],
            "files": {name: {"sha256": e.digest, "size": e.size} for name, e in sorted(self.files.items())},
        }
        return (json.dumps(data, indent=1, ensure_ascii=True) + "\n").encode("ascii")

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> Self:
        """Parse a manifest. Raises ResourceError if it is invalid, has a newer format, or contains unsafe paths."""
        try:
            fields = json.loads(data)
            if fields["what"] != WHAT or not isinstance(fields["format"], int):
                raise ValueError
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ResourceError(
                f"{where}: {MANIFEST}: expected the manifest of a {WHAT}, found something else"
            ) from None
        if fields["format"] > FORMAT:
            raise ResourceError(
                f"{where}: made by a newer caspipe ({fields.get('caspipe', 'unknown')}), in format {fields['format']}; this one "
                f"reads formats up to {FORMAT}"
            )
        try:
            manifest = cls(
                _text(fields["name"]),
                _text(fields["caspipe"]),
                _text(fields["code"]),
                {safe(name): _entry(entry) for name, entry in fields["files"].items()},
                tuple(
                    Shipped(_text(s["name"]), tuple((safe(n), _digest(d)) for n, d in s["files"].items()))
                    for s in fields["shipped"]
                ),
                tuple(_text(line) for line in fields["requirements"]),
                tuple(safe(name) for name in fields["plugins"]),
                tuple(_text(name) for name in fields["modules"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ResourceError(f"{where}: {MANIFEST}: damaged: {error}") from None
        for name in (CONFIG, *manifest.plugins):
            if name not in manifest.files:
                raise ResourceError(f"{where}: {MANIFEST} lists no {name}: incomplete")
        return manifest


def safe(name: Any) -> str:
    """Return a name if it stays inside its folder on every system. Raises ValueError otherwise."""
    if not isinstance(name, str) or not name or len(name) > _LONGEST or _UNSAFE.search(name):
        raise ValueError("a file name that not every system takes")
    path = PurePosixPath(name)
    parts = name.split("/")
    if path.is_absolute() or any(part in ("", ".", "..") or part != part.rstrip(". ") for part in parts):
        raise ValueError("a file name that leads out of its folder")
    return name


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("expected a string")
    return value


def _digest(value: Any) -> str:
    if not isinstance(value, str) or not _HEX.fullmatch(value):
        raise ValueError("expected a SHA-256 in hexadecimal")
    return value


def _entry(value: Any) -> Entry:
    size = value["size"]
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        raise ValueError("expected a size in bytes")
    return Entry(_digest(value["sha256"]), size)
