"""Where the values of a JSON text stand, so that single ones can be replaced and every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(r'[ \t\r\n]*("(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+)', re.DOTALL)


class Place(NamedTuple):
    """Offsets in the text (code points): of the property's name (of the value, where it is an element of a list) and of
    the value."""

    at: int
    begin: int
    end: int


def places(text: str) -> dict[str, Place]:
    """Every value by its JSON pointer, without the escapes of RFC 6901 (`/name/0/given/1`). The text must be valid JSON."""
    found: dict[str, Place] = {}
    tokens = _tokens(text)
    stack: list[tuple[str, bool, int, int]] = []  # of what is open: pointer, is a list, offset of its name, of itself
    index: list[int] = []
    at, pointer, name = 0, "", ""
    waiting = False  # for a value
    for token, begin, end in tokens:
        inside = stack[-1] if stack else None
        if token in ",:":
            waiting = token == ":"
            if token == "," and inside is not None and inside[1]:
                index[-1] += 1
            continue
        if token in "}]":
            path, _, opened_at, opened = stack.pop()
            index.pop()
            found[path] = Place(opened_at, opened, end)
            waiting = False
            continue
        if inside is not None and not inside[1] and not waiting:
            name, at = json.loads(token), begin
            continue
        if inside is None:
            pointer, at = "", begin
        elif inside[1]:
            pointer, at = f"{inside[0]}/{index[-1]}", begin
        else:
            pointer = f"{inside[0]}/{name}"
        waiting = False
        if token in "{[":
            stack.append((pointer, token == "[", at, begin))
            index.append(0)
        else:
            found[pointer] = Place(at, begin, end)
    return found


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    for m in _TOKEN.finditer(text):
        yield m[1], m.start(1), m.end(1)
