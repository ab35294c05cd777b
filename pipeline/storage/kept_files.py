"""Files in the user's cache that save a command work which an earlier one did.

A file is used only if its checksum is right and nobody else can write to it. Whatever is wrong with it, the work is done again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat

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
