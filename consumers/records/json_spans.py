"""Offsets of the values of a JSON text, so that single values can be replaced and every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(r'[ \t\r\n]*("(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+)', re.DOTALL)


class ValueSpan(NamedTuple):
    """Offsets in the text (code points): of the property's name (of the value, if it is an element of a list), of the value."""

    start: int
    begin: int
    end: int


def value_spans(text: str) -> dict[str, ValueSpan]:
    """Return every value by its JSON pointer, without escapes of RFC 6901 (`/name/0/given/1`). The text must be valid JSON."""
    spans: dict[str, ValueSpan] = {}
    tokens = _tokens(text)
    stack: list[
        tuple[str, bool, int, int]
    ] = []  # open objects and lists: pointer, is a list, offset of the name, offset of the value
    index: list[int] = []
    start, pointer, name = 0, "", ""
    waiting = False  # for a value, after a colon
    for token, begin, end in tokens:
        inside = stack[-1] if stack else None
        if token in ",:":
            waiting = token == ":"
            if token == "," and inside is not None and inside[1]:
                index[-1] += 1
            continue
        if token in "}]":
            path, _, opened_start, opened = stack.pop()
            index.pop()
            spans[path] = ValueSpan(opened_start, opened, end)
            waiting = False
            continue
        if inside is not None and not inside[1] and not waiting:
            name, start = json.loads(token), begin
            continue
        if inside is None:
            pointer, start = "", begin
        elif inside[1]:
            pointer, start = f"{inside[0]}/{index[-1]}", begin
        else:
            pointer = f"{inside[0]}/{name}"
        waiting = False
        if token in "{[":
            stack.append((pointer, token == "[", start, begin))
            index.append(0)
        else:
            spans[pointer] = ValueSpan(start, begin, end)
    return spans


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    for m in _TOKEN.finditer(text):
        yield m[1], m.start(1), m.end(1)
