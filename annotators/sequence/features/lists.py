"""Lists: words and phrases that an earlier annotator found in lists of countries, names, titles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import ClassVar

from ....pipeline.contract.component import part
from ....typesystem import FeatureStructure, ListHit
from ..feature import TokenFeature, Words
from ..tidy import tidy
from .columns import Column, Mark, listed, spread


@part("list")
class InList(TokenFeature):
    """The token is in an entry of a list. The value is the list's name, for every list or for those named; of one list
    alone (`list:countries`) it needs no value.

    Example: `Sweden` gives `list=countries`, with `list:countries` `list:countries`.

    Source: VigiBase de-identifier, Table 8 (countries, holidays, stop words, weekdays, months, person titles).
    """

    in_label = ("names", "borders")
    inputs: ClassVar[tuple[type[FeatureStructure], ...]] = (ListHit,)
    argument: ClassVar[str] = "names"

    names: str | list[str] = field(default_factory=list)
    """Lists to look at: one name or several. Left out: every list that something was found in."""
    borders: bool = False
    """Tell the first token of an entry from those after it: `B-countries`, `I-countries`."""

    def __post_init__(self) -> None:
        if not all(name.strip() for name in listed(self.names)):
            raise ValueError("names: expected names of lists, got an empty one")

    def column(self, words: Words) -> Column:
        return spread(words, self._marks(words))

    def _marks(self, words: Words) -> Iterator[Mark]:
        wanted = frozenset(listed(self.names))
        values = dict.fromkeys(wanted, ("", "")) if len(wanted) == 1 else {}
        if self.borders:
            values = dict.fromkeys(values, ("B", "I"))
        for hit in words.view.select(ListHit):
            name = hit.list
            if wanted and name not in wanted:
                continue
            if name not in values:
                value = tidy(name)
                values[name] = (f"B-{value}", f"I-{value}") if self.borders else (value, value)
            first, further = values[name]
            yield hit.begin, hit.end, first, further
