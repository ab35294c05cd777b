"""Files in the user's cache that save a command work which an earlier one did.

A file is used only if its checksum is right and no other user can write to it. Otherwise the work is done again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from pathlib import Path
from typing import Any

from ..errors import ConsumerError
from .files import cache_folder, write_atomic

MOST = 32 << 20
"""Maximum number of bytes of a file."""
_CHECKSUM = hashlib.sha256().digest_size


def kept(name: str) -> bytes | None:
    """Return the content of a kept file; None if there is none, or it cannot be trusted."""
    with contextlib.suppress(OSError):
        descriptor = os.open(cache_folder() / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            own = os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)
            if own and stat.S_ISREG(status.st_mode) and status.st_size <= MOST:
                checksum, content = file.read(_CHECKSUM), file.read()
                if hashlib.sha256(content).digest() == checksum:
                    return content
    return None


def keep(name: str, content: bytes) -> None:
    """Write a kept file atomically, or replace it. Does nothing if the cache is not writable."""
    file = cache_folder() / name
    with contextlib.suppress(OSError, ConsumerError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomic(file, hashlib.sha256(content).digest() + content, private=True, durable=False)


def kept_json(name: str, valid_for: list[str]) -> Any:
    """Return the value of a kept file, if it is one for exactly these places and versions; else None."""
    content = kept(name)
    if content is not None:
        with contextlib.suppress(ValueError):
            places, value = json.loads(content)
            return value if places == valid_for else None
    return None


def keep_json(name: str, valid_for: list[str], value: Any) -> None:
    """Keep a value that holds for places and versions only."""
    keep(name, json.dumps([valid_for, value]).encode())


def short_hash(path: Path) -> str:
    """Return a name for what is kept of a file: another installation of caspipe has another one."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
