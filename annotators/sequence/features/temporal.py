"""Words and numbers that say when: months, weekdays, seasons, times of day, years, decades, and how exactly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import cast

from ....pipeline.contract.component import part
from ...lexicon import Lexicon
from ...lexicon.match import Matcher
from ..feature import TokenFeature, Words
from ..tidy import label
from .columns import Column, Mark, spread
from .gazetteer import marks

_YEAR = re.compile(r"(?:1[89]|20|21)\d\d")
_SHORT = re.compile(r"['’‘`´](\d\d)(?!\d)")
_DECADE = re.compile(r"(?:(?:1[89]|20)\d0|\d0)['’]?s")
_LISTS = ("months", "weekdays", "holidays", "words")
_SINGULAR = {"months": "month", "weekdays": "weekday", "holidays": "holiday"}


@part("temporal")
class Temporal(TokenFeature):
    """The token is a `month`, `weekday` or `holiday`, a word of the list of temporal words (`season`, `time_of_day`, `cardinal`,
    `ordinal`, `decade`, `quantifier` as `about` and `few`, `future` as `next` and `tomorrow`, `past`, `present`, `duration`,
    `frequency`), a `year` (1800 to 2199), a `short_year` after an apostrophe, or a `decade` in figures. Phrases count, too.

    Example: `next March` gives `temporal=future` and `temporal=month`; of `summer of '98` the token `98` gives
    `temporal=short_year`.

    Source: Lee et al. 2016 (ClinicalNLP), Table 1, temporal features; after Filannino and Nenadic 2015 (Data Knowl Eng 100:19).
    """

    months: Lexicon = cast(Lexicon, "months")  # a name until it is loaded, as are the others
    """Months by name."""
    weekdays: Lexicon = cast(Lexicon, "weekdays")
    """Days of the week by name."""
    holidays: Lexicon = cast(Lexicon, "holidays")
    """Holidays and feasts by name."""
    words: Lexicon = cast(Lexicon, "temporal_words")
    """Further words; their column `kind` is the value."""

    @property
    def label(self) -> str:
        given = [getattr(self, name) for name in _LISTS]
        names = [g.name if isinstance(g, Lexicon) else str(g) for g in given]
        return label(self.name, "" if names == [*_LISTS[:3], "temporal_words"] else "+".join(names))

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(self.months, self.weekdays, self.holidays, self.words, longest="list", plurals=False)

    def column(self, words: Words) -> Column:
        return spread(words, self._marks(words))

    def _marks(self, words: Words) -> Iterator[Mark]:
        named = {header["name"]: _SINGULAR[n] for n in _LISTS[:3] for header in getattr(self, n).headers}
        for begin, end, name, kind in marks(self._matcher, words, "ambiguous"):
            value = named.get(name, kind)
            if value:
                yield begin, end, value, value
        text = words.view.text
        for begin, end, form in zip(words.begins, words.ends, words.forms, strict=True):
            if form[:1].isdecimal() and _YEAR.fullmatch(form):
                yield begin, end, "year", "year"
        for found in _DECADE.finditer(text):
            if _stands_alone(text, found.start(), found.end()):
                yield found.start(), found.end(), "decade", "decade"
        for found in _SHORT.finditer(text):
            if not _letter(text, found.start() - 1) and not _letter(text, found.end()):
                yield found.start(1), found.end(1), "short_year", "short_year"


def _stands_alone(text: str, begin: int, end: int) -> bool:
    return not _letter(text, begin - 1) and not _letter(text, end)


def _letter(text: str, at: int) -> bool:
    """Return whether there is a letter or digit at the offset."""
    return 0 <= at < len(text) and text[at].isalnum()
