"""Hits of an earlier annotator in lists of countries, names, titles and other words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import ClassVar

from ....pipeline.contract.component import part
from ....typesystem import FeatureStructure, ListHit
from ..feature import Words, as_tuple, normalize
from .columns import Mark, SpanFeature


@part("list")
class InList(SpanFeature):
    """The token is part of an entry of a list. The value is the name of the list; if the feature is declared for a single list
    (`list:countries`), it has no value.

    Example: `Sweden` gives `list=countries`, with `list:countries` `list:countries`.

    Source: VigiBase de-identifier, Table 8 (countries, holidays, stop words, weekdays, months, person titles).
    """

    in_label = ("names", "borders")
    inputs: ClassVar[tuple[type[FeatureStructure], ...]] = (ListHit,)
    argument: ClassVar[str] = "names"

    names: str | list[str] = field(default_factory=list)
    """Names of one or several lists. Default: all lists."""
    borders: bool = False
    """Use different values for the first token of an entry and for the other tokens: `B-countries`, `I-countries`."""

    def __post_init__(self) -> None:
        if not all(name.strip() for name in as_tuple(self.names)):
            raise ValueError("names: expected names of lists, got an empty one")

    def marks(self, words: Words) -> Iterator[Mark]:
        wanted = frozenset(as_tuple(self.names))
        values = dict.fromkeys(wanted, ("", "")) if len(wanted) == 1 else {}
        if self.borders:
            values = dict.fromkeys(values, ("B", "I"))
        for hit in words.view.select(ListHit):
            name = hit.list
            if wanted and name not in wanted:
                continue
            if name not in values:
                value = normalize(name)
                values[name] = (f"B-{value}", f"I-{value}") if self.borders else (value, value)
            first, further = values[name]
            yield hit.begin, hit.end, first, further
