"""Offsets of the values of a JSON text, so that single values can be replaced and every other byte stays."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

_scan = json.JSONDecoder().raw_decode
_SEPARATORS = re.compile(r"[ \t\r\n,:]*")


class ValueSpan(NamedTuple):
    """Offsets in the text (code points): of the property's name (of the value, if it is an element of a list), of the value."""

    start: int
    begin: int
    end: int


def value_spans(text: str) -> dict[str, ValueSpan]:
    """Return every value by its JSON pointer, without escapes of RFC 6901 (`/name/0/given/1`). The text must be valid JSON."""
    spans: dict[str, ValueSpan] = {}
    begin = _next(text, 0)
    _add(text, "", begin, begin, spans)
    return spans


def _add(text: str, pointer: str, start: int, begin: int, spans: dict[str, ValueSpan]) -> int:
    """Add the value at `begin` and all values in it. Returns the offset after it."""
    if text[begin] not in "{[":
        end = _scan(text, begin)[1]
    else:
        index, offset = 0, _next(text, begin + 1)
        while text[offset] not in "}]":
            name, inner_start = index, offset
            if text[begin] == "{":
                name, offset = _scan(text, offset)
            offset = _next(text, _add(text, f"{pointer}/{name}", inner_start, _next(text, offset), spans))
            index += 1
        end = offset + 1
    spans[pointer] = ValueSpan(start, begin, end)
    return end


def _next(text: str, offset: int) -> int:
    """Return the offset of the next name, value or closing bracket."""
    match = _SEPARATORS.match(text, offset)
    assert match is not None
    return match.end()
