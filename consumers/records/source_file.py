"""Reading of a source file for writing it back: a plain file, a gzipped one, or a member of a zip or tar archive.

Its fingerprint is known, so this reads one file of that name and does not trust its content.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
import zlib
from pathlib import Path

from ...pipeline.errors import ConsumerError

_MARK = "!/"
_MAX_SIZE = 1 << 30


def read_source_file(path: str) -> bytes:
    """Return the bytes of a file, decompressed. Raises ConsumerError that names the path."""
    message = "cannot read it again"
    try:
        archive, mark, member = path.partition(_MARK)
        while mark and not Path(archive).is_file() and _MARK in member:
            more, _, member = member.partition(_MARK)
            archive = f"{archive}{_MARK}{more}"
        if mark and Path(archive).is_file():
            return _member(archive, member)
        if path.endswith(".gz"):
            with gzip.open(path, "rb") as unpacked:
                return unpacked.read(_MAX_SIZE)
        return Path(path).read_bytes()
    except OSError as error:
        message = f"cannot read it again: {error.strerror or type(error).__name__}"
    except (EOFError, zlib.error, zipfile.BadZipFile, tarfile.TarError, KeyError, RuntimeError, NotImplementedError):
        pass
    raise ConsumerError(f"{path}: {message}")


def _member(archive: str, member: str) -> bytes:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as packed:
            for entry in packed.infolist():  # the first of that name, like the readers
                if _clean(entry.filename) == member:
                    with packed.open(entry) as file:
                        return _unpacked(file.read(_MAX_SIZE), member)
        raise KeyError(member)
    with tarfile.open(archive, "r:*") as packed_tar:
        for info in packed_tar:
            extracted = packed_tar.extractfile(info) if info.isreg() and _clean(info.name) == member else None
            if extracted is not None:
                return _unpacked(extracted.read(_MAX_SIZE), member)
    raise KeyError(member)


def _unpacked(data: bytes, name: str) -> bytes:
    if not name.endswith(".gz"):
        return data
    with gzip.open(io.BytesIO(data), "rb") as unpacked:
        return unpacked.read(_MAX_SIZE)


def _clean(name: str) -> str:
    return "/".join(p for p in name.replace("\\", "/").split("/") if p not in ("", "."))
