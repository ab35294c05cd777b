"""Marks words and phrases of lists (countries, holidays, names, titles), as features for models and evidence for rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from typing import Literal, cast

from ...pipeline.contract.component import Annotator, component
from ...typesystem import FormTable, ListHit, Token, View
from . import Entry, Lexicon
from .match import Matcher

PERSON_TITLE = re.compile(r"\b((Dr|Mr|Mrs|Ms|Sr|Jr)\.?|Miss|Phd)\b")
"""The pattern for person titles of the VigiBase de-identifier (its Table 8), applied to single tokens."""
PERSON_TITLES = "person_title_pattern"
DEFAULT_LISTS = (
    "countries holidays stop_words weekdays months given_names surnames cities us_states provinces person_titles"
)


@component("lists", inputs=[Token], outputs=[ListHit])
class ListAnnotator(Annotator):
    """Marks every entry of every list; if entries of one list overlap, the longest."""

    lists: list[Lexicon] = field(default_factory=lambda: cast(list[Lexicon], DEFAULT_LISTS.split()))
    """Lists to search for: names of the pack (`caspipe lexicon info` shows them) or files of your own."""
    title_pattern: bool = True
    """Also mark titles by the pattern `Dr Mr Mrs Ms Sr Jr Miss Phd`, case-sensitive, as list `person_title_pattern`."""
    case: Literal["any", "ambiguous", "all"] = "ambiguous"
    """Entries with a capital that must have one in the text: none (`any`), those that are everyday words too, or all."""

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(*self.lists, longest="list", plurals=False)

    @cached_property
    def _may_be_title(self) -> FormTable[bool]:
        return FormTable(lambda form: PERSON_TITLE.search(form) is not None)

    def annotate(self, view: View) -> Iterator[ListHit]:
        tokens, text = view.tokens, view.text
        begins, ends, forms = tokens.begins, tokens.ends, tokens.forms
        for first, last, entry, _ in self._matcher.find(forms):
            if self._case_fits(entry, forms[first]):
                yield ListHit(begins[first], ends[last - 1], list=entry.list, entry=entry.form)
        if self.title_pattern:
            may_be_title = self._may_be_title
            for i, form in enumerate(forms):
                if may_be_title[form]:
                    # two code points beyond the token: `Dr.` includes its full stop if a word follows directly
                    for match in PERSON_TITLE.finditer(text, begins[i], min(ends[i] + 2, len(text))):
                        if match.start() < ends[i]:
                            yield ListHit(match.start(), match.end(), list=PERSON_TITLES, entry=match[1].rstrip("."))

    def _case_fits(self, entry: Entry, first: str) -> bool:
        if self.case == "any" or (self.case == "ambiguous" and not entry.ambiguous):
            return True
        return not entry.form[:1].isupper() or first[:1].isupper()
