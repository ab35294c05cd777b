"""Ways to spoil JSON that leave it JSON: values of other types and sizes, members lost, doubled, renamed, moved."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any

_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**70), 1.5, 1e308, float("nan"), float("inf"), "", " ", "0", "-1", "x" * 300,
    "\x00", "\ud800", "\U0010ffff", "😀", "2026-13-45", "../../x", [], {}, [[]], [None], {"": None}, "9" * 5000, [0] * 500,
)  # fmt: skip


_DEEP = "\x01deep\x01"
"""Stands for what is nested deeply, which no tree of Python bears."""


def _nested(random: Random, text: str) -> str:
    levels = random.choice((5, 150, 400, 900, 5000))
    opening, closing = random.choice((("[", "]"), ('{"a":', "}"), ('[{"a":', "}]"), ('{"extension":[{"a":', "}]}")))
    return text.replace(json.dumps(_DEEP), opening * levels + "1" + closing * levels)


Place = tuple[Any, Any]
"""A container, and the key or index of something in it."""


def _places(root: Any) -> list[Place]:
    found: list[Place] = []
    waiting = [root]
    while waiting and len(found) < 5_000:
        at = waiting.pop()
        inside = at.items() if isinstance(at, dict) else enumerate(at) if isinstance(at, list) else ()
        for key, value in inside:
            found.append((at, key))
            if isinstance(value, dict | list):
                waiting.append(value)
    return found


def _value(random: Random, root: Any) -> Any:
    at, key = random.choice(_places(root))
    at[key] = _DEEP if random.random() < 0.15 else copy.deepcopy(random.choice(_VALUES))
    return root


def _shift(random: Random, root: Any) -> Any:
    """A number a little larger or smaller: offsets."""
    numbers = [(at, key) for at, key in _places(root) if type(at[key]) is int]
    if not numbers:
        return _value(random, root)
    at, key = random.choice(numbers)
    at[key] += random.choice((-1000, -1, 1, 1, 1000))
    return root


def _drop(random: Random, root: Any) -> Any:
    at, key = random.choice(_places(root))
    del at[key]
    return root


def _rename(random: Random, root: Any) -> Any:
    places = [(at, key) for at, key in _places(root) if isinstance(at, dict)]
    if not places:
        return _value(random, root)
    at, key = random.choice(places)
    others = [name for _, name in places]
    at[random.choice((key + "x", key.upper(), "", "\ud800", "%TYPES", random.choice(others)))] = at.pop(key)
    return root


def _double(random: Random, root: Any) -> Any:
    lists = [at[key] for at, key in _places(root) if isinstance(at[key], list) and at[key]]
    if isinstance(root, list) and root:
        lists.append(root)
    if not lists:
        return _value(random, root)
    into = random.choice(lists)
    into.insert(random.randrange(len(into) + 1), copy.deepcopy(random.choice(into)))
    return root


def _swap(random: Random, root: Any) -> Any:
    """Two values change places, so that text stands where a label or a number should."""
    places = [(at, key) for at, key in _places(root) if not isinstance(at[key], dict | list)] or _places(root)
    (a, i), (b, j) = random.choice(places), random.choice(places)
    a[i], b[j] = copy.deepcopy(b[j]), copy.deepcopy(a[i])
    return root


def _copy(random: Random, root: Any) -> Any:
    places = _places(root)
    (a, i), (b, j) = random.choice(places), random.choice(places)
    a[i] = copy.deepcopy(b[j])
    return root


def _wrap(random: Random, root: Any) -> Any:
    at, key = random.choice(_places(root))
    at[key] = [at[key]] if random.random() < 0.5 else {random.choice(("value", "a", "text")): at[key]}
    return root


_CHANGES = (_value, _value, _shift, _shift, _drop, _rename, _double, _swap, _swap, _copy, _wrap)


def _twice(random: Random, text: str) -> str:
    """A member named twice, which no tree shows."""
    at = text.find("{", random.randrange(len(text)) if text else 0)
    end = text.find(",", at)
    return text if at < 0 or end < 0 else text[: at + 1] + text[at + 1 : end + 1] + text[at + 1 :]


def _changed(random: Random, data: bytes) -> bytes:
    try:
        root = json.loads(data.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return data[: random.randrange(len(data) + 1)]
    if not _places(root):
        return random.choice((b"{}", b"[]", b"null", b"1", b'""', b"[[]]", b"[{}]"))
    if random.random() < 0.05:
        return _twice(random, data.decode("utf-8", "replace")).encode("utf-8", "surrogatepass")
    indent = random.choice((None, None, 1))
    try:
        root = random.choice(_CHANGES)(random, root)
        text = json.dumps(root, ensure_ascii=random.random() < 0.5, indent=indent)
        return _nested(random, text).encode("utf-8", "surrogatepass")
    except RecursionError:
        return data


def _line(random: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    at = random.choice([n for n, line in enumerate(lines) if line.strip()] or [0])
    lines[at] = _changed(random, lines[at])
    return b"\n".join(lines)


WAYS: tuple[Callable[[Random, bytes], bytes], ...] = (_changed,)
WAYS_OF_LINES: tuple[Callable[[Random, bytes], bytes], ...] = (_line,)
