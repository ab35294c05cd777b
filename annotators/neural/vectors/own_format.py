"""Our own file of word vectors: a NumPy archive without pickles, stored as it is, with a checksum; same vectors, same bytes."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from ...sequence.arrays import zipped
from .reading import Content, Damaged, Floats32, check_dim, reachable

FORMAT = 1
_META, _WORDS, _ENDS, _MATRIX = "meta.json", "words.npy", "ends.npy", "matrix.npy"
_CHANGED = "its content does not match its description: damaged or changed"


def written(words: list[str], matrix: Floats32, meta: Mapping[str, Any]) -> bytes:
    """Return the bytes of a file. `meta` must be plain data."""
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
    into = io.BytesIO()
    np.lib.format.write_array(into, values, version=(1, 0), allow_pickle=False)
    return into.getvalue()


def _digest(members: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name in (_WORDS, _ENDS, _MATRIX):
        digest.update(members[name])
    return digest.hexdigest()


def meta_of(file: BinaryIO) -> dict[str, Any]:
    """Return the description in a file of our own. Raise Damaged if it is not one."""
    try:
        with zipfile.ZipFile(file) as archive:
            return _meta(archive)
    except Damaged:
        raise
    except Exception:  # damaged archives fail in many ways
        raise Damaged(_CHANGED) from None


def _meta(archive: zipfile.ZipFile) -> dict[str, Any]:
    if _META not in archive.namelist():
        raise Damaged("a zip archive that caspipe did not write: unpack it, and give the file of vectors in it")
    try:
        meta = json.loads(_member(archive, _META))
    except (ValueError, RecursionError):
        raise Damaged(f"{_META} is not valid JSON: damaged") from None
    if not isinstance(meta, dict) or meta.get("type") != "word vectors" or type(meta.get("format")) is not int:
        raise Damaged(f"{_META} does not say that these are word vectors: foreign or damaged")
    if meta["format"] > FORMAT:
        raise Damaged(f"made by a newer caspipe, in format {meta['format']}; this one reads formats up to {FORMAT}")
    return meta


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the bytes of a member, which cannot be more than the file has."""
    if archive.getinfo(name).compress_type != zipfile.ZIP_STORED:
        raise Damaged(_CHANGED)
    return archive.read(name)


def read_own(file: BinaryIO, limit: int | None, only: frozenset[str] | None) -> Content:
    """Read what `written` made. Raises Damaged if it is something else, changed or damaged."""
    try:
        with zipfile.ZipFile(file) as archive:
            meta = _meta(archive)
            members = {name: _member(archive, name) for name in (_WORDS, _ENDS, _MATRIX)}
        if _digest(members) != meta.get("sha256"):
            raise Damaged(_CHANGED)
        blob, ends = _values(members[_WORDS], "u1").tobytes(), _values(members[_ENDS], "<i8").tolist()
        matrix: Floats32 = _values(members[_MATRIX], "<f4")
        words = [blob[a:b].decode("utf-8") for a, b in zip([0, *ends], ends, strict=False)]
    except Damaged:
        raise
    except Exception:  # damaged archives fail in many ways
        raise Damaged(_CHANGED) from None
    if matrix.ndim != 2 or len(matrix) != len(words) or len(set(words)) != len(words) or not words:
        raise Damaged(_CHANGED)
    check_dim(matrix.shape[1], _META)
    if not np.isfinite(matrix).all():
        raise Damaged("a number is infinite or none (NaN)")
    if limit is not None:
        words, matrix = words[:limit], matrix[:limit]
    if only is not None:
        wanted = reachable(only)
        chosen = [i for i, word in enumerate(words) if word in wanted]
        words, matrix = [words[i] for i in chosen], matrix[chosen]
    return Content(words, matrix, meta=meta)


def _values(data: bytes, kind: str) -> np.ndarray[Any, Any]:
    """Return an array whose header fits its bytes. Raises ValueError."""
    file = io.BytesIO(data)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    start = file.tell()
    if fortran or dtype != np.dtype(kind) or any(n < 0 for n in shape):
        raise ValueError
    count = 1
    for n in shape:
        count *= n
    if count * dtype.itemsize != len(data) - start:
        raise ValueError
    return np.frombuffer(data, dtype=dtype, offset=start).reshape(shape)
