"""The cache of compiled dictionaries: each is compiled once, written atomically, and found by a hash of its content."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from ...pipeline.errors import ResourceError
from ...pipeline.storage.files import cache_folder
from .compiled import VERSION, Compiled
from .normalization import tokens_of

SMALL = 16 << 20
"""Files up to this many bytes are identified by their content, larger ones by path, size and modification time."""
_PROBE = "Dr. O'Neil-Smith's X-ray, COVID-19 (2.5 mg/dL) on 3/4/2020; e.g. U.S.A. naïve λ-test"
"""Its tokens are a part of every key, so that a change of the tokenizer invalidates every compiled dictionary."""


def key_of_files(files: Iterable[Path], *settings: str) -> str:
    """Return the cache key of a dictionary compiled from these files with these settings."""
    digest = hashlib.sha256()
    for part in (str(VERSION), *tokens_of(_PROBE), *settings):
        digest.update(part.encode() + b"\0")
    for file in files:
        stat = file.stat()
        digest.update(file.name.encode() + b"\0")
        if stat.st_size <= SMALL:
            digest.update(file.read_bytes())
        else:
            digest.update(f"{file.resolve()}\0{stat.st_size}\0{stat.st_mtime_ns}".encode())
    return digest.hexdigest()[:32]


def cached(key: str, build: Callable[[], Compiled]) -> Compiled:
    """Return the dictionary `key` from the cache, or build and store it; it is in memory only if the cache is not writable."""
    target = cache_folder() / "lexicon" / key
    if target.is_dir():
        with contextlib.suppress(ResourceError):
            return Compiled.open(target)
    built = build()
    try:
        save(built, target)
        return Compiled.open(target)
    except (OSError, ResourceError):
        return built


def save(compiled: Compiled, target: Path) -> None:
    """Write a dictionary as folder `target` atomically: a reader sees all of it or nothing. Raises OSError."""
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=target.parent))
    try:
        compiled.save(draft)
        if target.exists():
            old = Path(tempfile.mkdtemp(prefix=".old-", dir=target.parent))
            with contextlib.suppress(OSError):
                target.rename(old / "x")
            shutil.rmtree(old, ignore_errors=True)
        draft.rename(target)
    except OSError:
        if not target.is_dir():
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
