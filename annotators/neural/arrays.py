"""Arrays and lists of strings as one archive without pickles, for the weights and vocabularies of a network."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..sequence.weights import undated

Array = npt.NDArray[Any]
_BLOB, _ENDS = "/bytes", "/ends"


def pack(arrays: Mapping[str, Array], strings: Mapping[str, list[str]]) -> bytes:
    """Return the archive; the same content gives the same bytes."""
    members: dict[str, Any] = dict(arrays)
    for name, items in strings.items():
        raw = [item.encode("utf-8", "surrogatepass") for item in items]
        members[f"{name}{_BLOB}"] = np.frombuffer(b"".join(raw), dtype=np.uint8)
        members[f"{name}{_ENDS}"] = np.cumsum([len(r) for r in raw], dtype=np.int64) if raw else np.zeros(0, np.int64)
    into = io.BytesIO()
    np.savez_compressed(into, **{name: members[name] for name in sorted(members)})
    return undated(into.getvalue())


def unpack(data: bytes) -> tuple[dict[str, Array], dict[str, list[str]]]:
    """Undo `pack`. Raise ValueError if it is not such an archive, or if a number is not finite."""
    arrays: dict[str, Array] = {}
    strings: dict[str, list[str]] = {}
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            for name in archive.files:
                if name.endswith(_BLOB):
                    key = name.removesuffix(_BLOB)
                    strings[key] = _strings(archive[name].tobytes(), archive[f"{key}{_ENDS}"].tolist())
                elif not name.endswith(_ENDS):
                    arrays[name] = np.asarray(archive[name])  # NumPy returns bytes for a member that is not an array
    except Exception as error:  # damaged archives fail in many ways, all of them ValueError to the caller
        raise ValueError(f"weights cannot be read ({type(error).__name__})") from None
    if any(a.dtype.kind not in "fiu" or not np.isfinite(a).all() for a in arrays.values()):
        raise ValueError("weights: expected numbers, got something else")
    return arrays, strings


def _strings(blob: bytes, ends: list[int]) -> list[str]:
    if ends != sorted(ends) or (ends[-1] if ends else 0) != len(blob):
        raise ValueError("strings do not fill their bytes")
    return [blob[s:e].decode("utf-8", "surrogatepass") for s, e in zip([0, *ends], ends, strict=False)]
