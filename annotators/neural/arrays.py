"""Arrays and lists of strings as one archive without pickles: what a network's weights and vocabularies are kept in."""

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
    """The archive; same content, same bytes."""
    found: dict[str, Any] = dict(arrays)
    for name, items in strings.items():
        raw = [item.encode("utf-8", "surrogatepass") for item in items]
        found[f"{name}{_BLOB}"] = np.frombuffer(b"".join(raw), dtype=np.uint8)
        found[f"{name}{_ENDS}"] = np.cumsum([len(r) for r in raw], dtype=np.int64) if raw else np.zeros(0, np.int64)
    into = io.BytesIO()
    np.savez_compressed(into, **{name: found[name] for name in sorted(found)})
    return undated(into.getvalue())


def unpack(data: bytes) -> tuple[dict[str, Array], dict[str, list[str]]]:
    """Undoes `pack`. Raises ValueError where the archive is no such thing, or holds numbers that are none."""
    arrays: dict[str, Array] = {}
    strings: dict[str, list[str]] = {}
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as found:
            for name in found.files:
                if name.endswith(_BLOB):
                    key = name.removesuffix(_BLOB)
                    strings[key] = _strings(found[name].tobytes(), found[f"{key}{_ENDS}"].tolist())
                elif not name.endswith(_ENDS):
                    arrays[name] = np.asarray(found[name])  # a member that is no array comes as its bytes
    except Exception as error:  # damaged archives fail in many ways, all of them ValueError to the caller
        raise ValueError(f"weights cannot be read ({type(error).__name__})") from None
    if any(a.dtype.kind not in "fiu" or not np.isfinite(a).all() for a in arrays.values()):
        raise ValueError("weights: expected numbers, got something else")
    return arrays, strings


def _strings(blob: bytes, ends: list[int]) -> list[str]:
    if ends != sorted(ends) or (ends[-1] if ends else 0) != len(blob):
        raise ValueError("strings do not fill their room")
    return [blob[s:e].decode("utf-8", "surrogatepass") for s, e in zip([0, *ends], ends, strict=False)]
