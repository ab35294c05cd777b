"""Reads CRFsuite's model files exactly: names as they are and weights in full precision.

python-crfsuite can only dump a model as text, with weights rounded to six decimals and names that break the dump if they
contain `-->`. The format is that of CRFsuite 0.12 (`crf1d_model.c`, `cqdb.c`): a header of twelve fields, then features
(type, source, target, weight), then labels and attributes as constant quark databases (number, length, name).
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from .weights import Weights

_HEADER = struct.Struct("<4sI4sIIIIIIIII")
_CHUNK = struct.Struct("<4sII")
_CQDB = struct.Struct("<4sIIIII")
_FEATURE = np.dtype([("type", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
_STATE, _TRANSITION = 0, 1


def parse(data: bytes) -> Weights:
    """Return the weights in a model file. Raise ValueError if it is not such a file, damaged or truncated."""
    try:
        magic, size, kind, _, _, labels_n, attributes_n, at_features, at_labels, at_attributes, _, _ = (
            _HEADER.unpack_from(data)
        )
        if magic != b"lCRF" or kind != b"FOMC":
            raise ValueError("expected a model of CRFsuite (lCRF, FOMC)")
        if size > len(data):
            raise ValueError(f"truncated: {len(data)} of {size} bytes")
        chunk, _, count = _CHUNK.unpack_from(data, at_features)
        if chunk != b"FEAT":
            raise ValueError("no features where the header says")
        features = np.frombuffer(data, _FEATURE, count, at_features + _CHUNK.size)
        labels = _names(data, at_labels, labels_n)
        attributes = _names(data, at_attributes, attributes_n)
        transitions = np.zeros((len(labels), len(labels)))
        pairs = features[features["type"] == _TRANSITION]
        states = features[features["type"] == _STATE]
        transitions[pairs["source"], pairs["target"]] = pairs["weight"]
    except (struct.error, UnicodeDecodeError, IndexError, OverflowError) as error:
        raise ValueError(f"damaged or truncated ({type(error).__name__})") from None
    rows, columns = states["source"].astype(np.int64), states["target"].astype(np.int64)
    order = np.lexsort((columns, rows))
    found = Weights(labels, attributes, rows[order], columns[order], states["weight"][order].copy(), transitions)
    found.verify()
    return found


def _names(data: bytes, at: int, count: int) -> list[str]:
    """Return the strings of a constant quark database, by number."""
    magic, _, _, _, numbers, to_numbers = _CQDB.unpack_from(data, at)
    if magic != b"CQDB" or numbers < count:
        raise ValueError("no names where the header says")
    offsets: Any = np.frombuffer(data, "<u4", count, at + to_numbers)
    names = []
    for offset in offsets.tolist():
        _, length = struct.unpack_from("<II", data, at + offset)
        start = at + offset + 8
        names.append(data[start : start + length].rstrip(b"\0").decode("utf-8"))
    return names
