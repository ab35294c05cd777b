"""Record the characters that a format cannot express in the metadata of the document, so that reading restores them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..markup.xml_text import Escaper, replace_illegal, restore
from .plan import Plan, text_of

TEXT_KEY = "xmi:lost:text:"
"""Followed by the view's name: `offset:code` of each character, in code points, hexadecimal."""
_PAIR = re.compile(r"([0-9]{1,10}):(0[0-9A-F]{3}|D[89A-F][0-9A-F]{2}|FFF[EF])\Z", re.ASCII)
FEATURE_KEY = "xmi:lost:features"
"""`id.feature:offset:code` of each character, `id.feature[i]` in collections, `id.feature[i]:null` for null strings."""


Replace = Callable[[str], tuple[str, list[tuple[int, int]]]]


class Losses:
    """Collects the losses of one document.

    `replace` replaces what the format cannot express; `nulls`: whether null strings in arrays are losses.
    """

    def __init__(self, replace: Replace = replace_illegal, *, nulls: bool = True) -> None:
        self._replace, self._nulls = replace, nulls
        self._texts: dict[str, str] = {}
        self._features: list[str] = []

    def text(self, view: str, text: str) -> None:
        lost = self._replace(text)[1]
        if lost:
            self._texts[TEXT_KEY + view] = " ".join(f"{offset}:{code:04X}" for offset, code in lost)

    def features(self, plan: Plan, items: Iterable[Any], numbers: Sequence[int], lossy: set[str]) -> None:
        """Record the losses of a batch. `lossy`: the strings that lost characters."""
        for item, number in zip(items, numbers, strict=True):
            for f in plan.texts:
                value = getattr(item, f.attribute)
                if value is None:
                    continue
                if f.kind == "text":
                    self._string(f"{number}.{f.name}", text_of(value, f.python), lossy)
                elif f.kind == "array":
                    self._strings(f"{number}.{f.name}", value, lossy)

    def array(self, number: int, values: Iterable[Any], lossy: set[str]) -> None:
        self._strings(f"{number}.elements", values, lossy)

    def _strings(self, feature: str, values: Iterable[Any], lossy: set[str]) -> None:
        for i, value in enumerate(values):
            if value is None:
                if not self._nulls:
                    continue
                self._features.append(f"{feature}[{i}]:null")
            elif isinstance(value, str):
                self._string(f"{feature}[{i}]", value, lossy)

    def _string(self, feature: str, value: str, lossy: set[str]) -> None:
        if value in lossy:
            self._features += [f"{feature}:{offset}:{code:04X}" for offset, code in self._replace(value)[1]]

    def entries(self, metadata: dict[str, str], number: int, esc: Escaper) -> dict[str, str]:
        """Return the metadata entries for the losses. `metadata`: the other entries of the same record, whose id is `number`."""
        for feature, strings in (("keys", metadata.keys()), ("values", metadata.values())):
            for i, text in enumerate(strings):
                if isinstance(text, str) and not esc.strict:
                    lost = self._replace(text)[1]
                    self._features += [f"{number}.{feature}[{i}]:{o}:{c:04X}" for o, c in lost]
        entries = {key: value for key, value in sorted(self._texts.items()) if key not in metadata}
        if self._features:
            entries[FEATURE_KEY] = " ".join(self._features)
        return entries


def parse_pairs(text: str) -> list[tuple[int, int]]:
    """Parse the record of a text. Entries that another tool damaged are skipped."""
    return [(int(m.group(1)), int(m.group(2), 16)) for m in map(_PAIR.match, text.split()) if m]


def lost_texts(entries: Iterable[tuple[Any, Any]]) -> dict[str, str]:
    """Return the records of the characters that texts lost, by view, among the entries of a metadata record."""
    strings = [(k, v) for k, v in entries if isinstance(k, str) and isinstance(v, str)]
    return {k.removeprefix(TEXT_KEY): v for k, v in strings if k.startswith(TEXT_KEY)}


def restore_text(text: str, record: str) -> str:
    """Return the text as it was before writing, as far as the record fits it."""
    return restore(text, parse_pairs(record))
