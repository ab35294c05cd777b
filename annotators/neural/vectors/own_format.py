"""caspipe's file format of word vectors: an uncompressed NumPy archive without pickles, with a checksum. Reproducible."""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from ...sequence.arrays import zipped
from .reading import Content, DamagedVectors, Floats32, check_dim, lookup_spellings

FORMAT = 1
_META, _WORDS, _ENDS, _MATRIX = "meta.json", "words.npy", "ends.npy", "matrix.npy"
_CHANGED = "its content does not match its description: damaged or changed"


def encode_vectors(words: list[str], matrix: Floats32, meta: Mapping[str, Any]) -> bytes:
    """Return the content of a file. `meta` must be plain data."""
    encoded = [word.encode("utf-8") for word in words]
    members = {
        _WORDS: _array(np.frombuffer(b"".join(encoded), dtype=np.uint8)),
        _ENDS: _array(np.cumsum([len(word) for word in encoded], dtype="<i8")),
        _MATRIX: _array(np.ascontiguousarray(matrix, dtype="<f4")),
    }
    description = {**meta, "format": FORMAT, "type": "word vectors", "sha256": _digest(members)}
    members = {_META: (json.dumps(description, indent=1, sort_keys=True) + "\n").encode(), **members}
    return zipped(members, zipfile.ZIP_STORED)


def _array(values: np.ndarray[Any, Any]) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, values, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def _digest(members: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name in (_WORDS, _ENDS, _MATRIX):
        digest.update(members[name])
    return digest.hexdigest()


def meta_of(file: BinaryIO) -> dict[str, Any]:
    """Return the description in a file of this format. Raise DamagedVectors if it is not one."""
    try:
        with zipfile.ZipFile(file) as archive:
            return _meta(archive)
    except DamagedVectors:
        raise
    except Exception:  # damaged archives fail in many ways
        raise DamagedVectors(_CHANGED) from None


def _meta(archive: zipfile.ZipFile) -> dict[str, Any]:
    if _META not in archive.namelist():
        raise DamagedVectors("a zip archive that caspipe did not write: unpack it, and use the file of vectors in it")
    try:
        meta = json.loads(_member(archive, _META))
    except (ValueError, RecursionError):
        raise DamagedVectors(f"{_META} is not valid JSON: damaged") from None
    if not isinstance(meta, dict) or meta.get("type") != "word vectors" or type(meta.get("format")) is not int:
        raise DamagedVectors(f"{_META} does not describe word vectors: another type of file, or damaged")
    if meta["format"] > FORMAT:
        raise DamagedVectors(
            f"made by a newer caspipe, in format {meta['format']}; this one reads formats up to {FORMAT}"
        )
    return meta


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the bytes of a member. Compressed members are refused, so that the size cannot exceed that of the file."""
    if archive.getinfo(name).compress_type != zipfile.ZIP_STORED:
        raise DamagedVectors(_CHANGED)
    return archive.read(name)


def read_own(file: BinaryIO, limit: int | None, only: frozenset[str] | None) -> Content:
    """Read a file of `encode_vectors`. Raises DamagedVectors if it is another type of file, changed or damaged."""
    try:
        with zipfile.ZipFile(file) as archive:
            meta = _meta(archive)
            members = {name: _member(archive, name) for name in (_WORDS, _ENDS, _MATRIX)}
        if _digest(members) != meta.get("sha256"):
            raise DamagedVectors(_CHANGED)
        blob, ends = _values(members[_WORDS], "u1").tobytes(), _values(members[_ENDS], "<i8").tolist()
        matrix: Floats32 = _values(members[_MATRIX], "<f4")
        words = [blob[a:b].decode("utf-8") for a, b in zip([0, *ends], ends, strict=False)]
    except DamagedVectors:
        raise
    except Exception:  # damaged archives fail in many ways
        raise DamagedVectors(_CHANGED) from None
    if matrix.ndim != 2 or len(matrix) != len(words) or len(set(words)) != len(words) or not words:
        raise DamagedVectors(_CHANGED)
    check_dim(matrix.shape[1], _META)
    if not np.isfinite(matrix).all():
        raise DamagedVectors("a number is infinite or NaN")
    if limit is not None:
        words, matrix = words[:limit], matrix[:limit]
    if only is not None:
        wanted = lookup_spellings(only)
        rows = [i for i, word in enumerate(words) if word in wanted]
        words, matrix = [words[i] for i in rows], matrix[rows]
    return Content(words, matrix, meta=meta)


def _values(data: bytes, kind: str) -> np.ndarray[Any, Any]:
    """Return the array. Raises ValueError if its header does not match the number of bytes."""
    file = io.BytesIO(data)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    start = file.tell()
    if fortran or dtype != np.dtype(kind) or any(n < 0 for n in shape):
        raise ValueError
    if math.prod(shape) * dtype.itemsize != len(data) - start:
        raise ValueError
    return np.frombuffer(data, dtype=dtype, offset=start).reshape(shape)
