"""Arrays and lists of strings as archives without pickles: the weights and vocabularies of models."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
LEVEL = 6
"""Level of compression. 9 takes seven times as long and saves one percent of a model."""
_BLOB, _ENDS = "/bytes", "/ends"


def zipped(contents: Mapping[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip archive whose bytes depend on the contents only."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", compression) as archive:
        for name, data in contents.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, compression, LEVEL)
    return into.getvalue()


def npz(arrays: Mapping[str, Any]) -> bytes:
    """Return a compressed archive as NumPy writes it; the same content gives the same bytes."""
    into = io.BytesIO()
    np.savez(into, **arrays)
    with zipfile.ZipFile(into) as archive:
        return zipped({name: archive.read(name) for name in archive.namelist()})


def joined(strings: Iterable[str]) -> tuple[Array, Array]:
    """Return strings as the bytes of all of them, and where each ends."""
    raw = [string.encode("utf-8", "surrogatepass") for string in strings]
    return np.frombuffer(b"".join(raw), dtype=np.uint8), np.cumsum([len(r) for r in raw], dtype=np.int64)


def separated(blob: Array, ends: Array) -> list[str]:
    """Undo `joined`. Raise ValueError if the strings do not fill their bytes."""
    data, borders = blob.tobytes(), [0, *ends.tolist()]
    if borders != sorted(borders) or borders[-1] != len(data):
        raise ValueError("strings do not fill their bytes")
    return [data[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(borders)]


def pack(arrays: Mapping[str, Array], strings: Mapping[str, Sequence[str]]) -> bytes:
    """Return the archive of a network; the same content gives the same bytes."""
    members: dict[str, Any] = dict(arrays)
    for name, items in strings.items():
        members[f"{name}{_BLOB}"], members[f"{name}{_ENDS}"] = joined(items)
    return npz({name: members[name] for name in sorted(members)})


def unpack(data: bytes) -> tuple[dict[str, Array], dict[str, list[str]]]:
    """Undo `pack`. Raise ValueError if it is not such an archive, or if a number is not finite."""
    arrays: dict[str, Array] = {}
    strings: dict[str, list[str]] = {}
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            for name in archive.files:
                if name.endswith(_BLOB):
                    key = name.removesuffix(_BLOB)
                    strings[key] = separated(archive[name], archive[f"{key}{_ENDS}"])
                elif not name.endswith(_ENDS):
                    arrays[name] = np.asarray(archive[name])  # NumPy returns bytes for a member that is not an array
    except Exception as error:  # damaged archives fail in many ways, all of them ValueError to the caller
        raise ValueError(f"weights cannot be read ({type(error).__name__})") from None
    if any(a.dtype.kind not in "fiu" or not np.isfinite(a).all() for a in arrays.values()):
        raise ValueError("weights: expected numbers, got something else")
    return arrays, strings
