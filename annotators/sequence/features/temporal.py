"""Temporal words and numbers: months, weekdays, seasons, times of day, years, decades and their modifiers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import cast

from ....pipeline.contract.component import part
from ....pipeline.storage.lazy_regex import lazy_regex
from ...lexicon import Lexicon
from ...lexicon.match import Matcher
from ..feature import Words, make_label
from .columns import Mark, SpanFeature
from .gazetteer import find_entries
from .pattern import is_alphanumeric

_YEAR = lazy_regex(r"(?:1[89]|20|21)\d\d")
_SHORT = lazy_regex(r"['’‘`´](\d\d)(?!\d)")
_DECADE = lazy_regex(r"(?:(?:1[89]|20)\d0|\d0)['’]?s")
_LISTS = ("months", "weekdays", "holidays", "words")
_SINGULAR = {"months": "month", "weekdays": "weekday", "holidays": "holiday"}


@part("temporal")
class Temporal(SpanFeature):
    """The token is a `month`, `weekday` or `holiday`, a word of the list of temporal words (`season`, `time_of_day`, `cardinal`,
    `ordinal`, `decade`, `quantifier` such as `about` and `few`, `future` such as `next` and `tomorrow`, `past`, `present`,
    `duration`, `frequency`), a `year` (1800 to 2199), a `short_year` after an apostrophe, or a `decade` in digits. The lists may
    contain phrases.

    Example: `next March` gives `temporal=future` and `temporal=month`; of `summer of '98` the token `98` gives
    `temporal=short_year`.

    Source: Lee et al. 2016 (ClinicalNLP), Table 1, temporal features; after Filannino and Nenadic 2015 (Data Knowl Eng 100:19).
    """

    months: Lexicon = cast(Lexicon, "months")  # all lists are names until they are loaded
    """List of months."""
    weekdays: Lexicon = cast(Lexicon, "weekdays")
    """List of days of the week."""
    holidays: Lexicon = cast(Lexicon, "holidays")
    """List of holidays and feasts."""
    words: Lexicon = cast(Lexicon, "temporal_words")
    """List of other words, with the value in the column `kind`."""

    @property
    def label(self) -> str:
        lexicons = [getattr(self, name) for name in _LISTS]
        names = [lexicon.name if isinstance(lexicon, Lexicon) else str(lexicon) for lexicon in lexicons]
        return make_label(self.name, "" if names == [*_LISTS[:3], "temporal_words"] else "+".join(names))

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(self.months, self.weekdays, self.holidays, self.words, longest="list", plurals=False)

    def marks(self, words: Words) -> Iterator[Mark]:
        values = {header["name"]: _SINGULAR[n] for n in _LISTS[:3] for header in getattr(self, n).headers}
        for begin, end, name, kind in find_entries(self._matcher, words, "ambiguous"):
            value = values.get(name, kind)
            if value:
                yield begin, end, value, value
        text = words.view.text
        for begin, end, form in zip(words.begins, words.ends, words.forms, strict=True):
            if form[:1].isdecimal() and _YEAR.fullmatch(form):
                yield begin, end, "year", "year"
        for pattern, group, value in ((_DECADE, 0, "decade"), (_SHORT, 1, "short_year")):
            for match in pattern.finditer(text):
                if not is_alphanumeric(text, match.start() - 1) and not is_alphanumeric(text, match.end()):
                    yield match.start(group), match.end(group), value, value
