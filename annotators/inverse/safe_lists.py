"""The rule-based part of the inverse approach: a verdict for every token from lists of safe and unsafe words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from typing import cast

from ...pipeline.contract.component import Annotator, component
from ...typesystem import FeatureStructure, FormTable, MedicalTerm, Sentence, Token, TokenVerdict, View
from ..dates.numerals import TENS, UNITS
from ..lexicon import Lexicon
from ..lexicon.match import Matcher
from .features import BIT, NEVER_SAFE, SAFE, UNSAFE, Feature, mask_of, names_of
from .word_lists import Case, alphanumeric_runs, case_matches, in_bag, in_lists, is_punctuation

_CLITICS = frozenset("'s 'm 'd 'll 're 've n't ’s ’m ’d ’ll ’re ’ve n’t".split())
_STREETS = "drive street avenue"
_NUMBERS = " ".join([*UNITS, *TENS, "hundred", "thousand", "million"])
_DOMAINS = (
    "com org net edu gov mil int info biz eu uk us ca au nz ie de fr es it nl be ch at se no dk fi pt pl in jp cn br mx"
)
_MAX_PARTS = 12
"""Maximum number of parts of a token that are looked up, to limit the running time."""

_CITY, _HOLIDAY = BIT["is-possibly-city"], BIT["is-holiday"]
_BEGINNING, _DOMAIN = BIT["is-sentence-beginning"], BIT["is-top-level-domain"]
_COMMON, _MEDICAL = BIT["is-common-word"], BIT["is-medical-term"]


def _lists(names: str) -> list[Lexicon]:
    return cast(list[Lexicon], names.split())  # names until `open` loads them


@component("safe_lists", inputs=[Token, Sentence], outputs=[TokenVerdict])
class SafeLists(Annotator):
    """Assigns a verdict to every token: `safe`, `unsafe`, `never_safe`, or `unknown` if it is in no list.

    A token is safe if it is in a list of safe words and in no list of unsafe ones; a token with a digit never is. Lists of safe
    words are bags of words: each word of a phrase counts, in any order. Cities and holidays of several words must occur in the
    text as in the list. Tokens are looked up in lower case; if a token with hyphens or apostrophes is in no list of safe words,
    its parts are looked up. Tokens of punctuation are safe.

    The rule-based de-identifier of the inverse hybrid system (§4.3.3), with its fifteen features.
    """

    stop_words: list[Lexicon] = field(default_factory=lambda: _lists("stop_words"))
    """Safe: words of grammar."""
    common: list[Lexicon] = field(default_factory=lambda: _lists("common_words"))
    """Safe: words of everyday language."""
    drugs: list[Lexicon] = field(default_factory=lambda: _lists("drug_names"))
    """Safe: words of names of drugs."""
    medical: list[Lexicon] = field(default_factory=lambda: _lists("medical"))
    """Safe: words of medical terms."""
    phrases: bool = False
    """Safe: the words of medical terms that `terms` marked. Unlike in `medical`, a word counts only as part of the whole term."""
    cities: list[Lexicon] = field(default_factory=lambda: _lists("cities"))
    """Unsafe: names of places, whole phrases."""
    names: list[Lexicon] = field(default_factory=lambda: _lists("given_names surnames"))
    """Unsafe: first and last names."""
    weekdays: list[Lexicon] = field(default_factory=lambda: _lists("weekdays"))
    """Unsafe: days of the week and their abbreviations."""
    months: list[Lexicon] = field(default_factory=lambda: _lists("months"))
    """Unsafe: months and their abbreviations."""
    holidays: list[Lexicon] = field(default_factory=lambda: _lists("holidays"))
    """Unsafe: names of holidays, whole phrases."""
    streets: list[str] = field(default_factory=_STREETS.split)
    """Unsafe: words of street names that are everyday words (lower case)."""
    numbers: list[str] = field(default_factory=_NUMBERS.split)
    """Unsafe: numbers as words (lower case)."""
    domains: list[str] = field(default_factory=_DOMAINS.split)
    """Unsafe directly after a full stop: top-level domains (lower case)."""
    case: Case = "any"
    """Names, cities, weekdays, months and holidays that must be capitalized in the text: `any`: none; `ambiguous`: those that are
    also everyday words (`May`, `Price`, `On`); `all`: those that are capitalized in their list. Texts without capitals are
    treated as with `any`."""
    unsafe: list[Feature] = field(default_factory=lambda: list(UNSAFE))
    """Features that make a token unsafe even if it is in a safe list."""
    never_safe: list[Feature] = field(default_factory=lambda: list(NEVER_SAFE))
    """Features that make a token `never_safe`, regardless of a network."""

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        return (Token, Sentence, MedicalTerm) if self.phrases else (Token, Sentence)

    def explain_need(self, need: type[FeatureStructure] | str) -> str:
        return "phrases" if need is MedicalTerm else ""

    def annotate(self, view: View) -> Iterator[TokenVerdict]:
        tokens, text = view.tokens, view.text
        begins, ends, forms = tokens.begins, tokens.ends, tokens.forms
        case: Case = "any" if self.case == "any" or text == text.lower() else self.case
        marks = list(map((self._of_form if case == self.case else self._of_any).__getitem__, forms))
        for phrases, bit in ((self._cities, _CITY), (self._holidays, _HOLIDAY)):
            for first, last, entry, _ in phrases.find(forms):
                if case_matches(entry, forms[first], case, bool(marks[first] & _COMMON)):
                    for i in range(first, last):
                        marks[i] |= bit
        for term in view.select(MedicalTerm) if self.phrases else ():
            for i in range(tokens.at(term.begin), len(begins)):
                if begins[i] >= term.end:
                    break
                marks[i] |= _MEDICAL
        for begin in view.spans(Sentence)[0]:
            index = tokens.at(begin)
            while index < len(forms) and is_punctuation(forms[index]):
                index += 1
            if index < len(forms):
                marks[index] |= _BEGINNING
        for i, low in enumerate(tokens.lowers):
            if low in self._domains and text[begins[i] - 1 : begins[i]] == ".":
                marks[i] |= _DOMAIN
        unsafe, never, safe = self._masks
        for begin, end, form, mark in zip(begins, ends, forms, marks, strict=True):
            if not mark & ~_BEGINNING and is_punctuation(form):
                yield TokenVerdict(begin, end, verdict="safe")
                continue
            if mark & never:
                verdict = "never_safe"
            elif mark & unsafe:
                verdict = "unsafe"
            else:
                verdict = "safe" if mark & safe else "unknown"
            yield TokenVerdict(begin, end, verdict=verdict, evidence=names_of(mark))

    @cached_property
    def _masks(self) -> tuple[int, int, int]:
        """The features that make a token unsafe, never safe, and safe."""
        return mask_of(self.unsafe), mask_of(self.never_safe), mask_of(SAFE)

    @cached_property
    def _cities(self) -> Matcher:
        return Matcher(*self.cities, longest="list", plurals=False)

    @cached_property
    def _holidays(self) -> Matcher:
        return Matcher(*self.holidays, longest="list", plurals=False)

    @cached_property
    def _domains(self) -> frozenset[str]:
        return frozenset(map(str.lower, self.domains))

    @cached_property
    def _words(self) -> tuple[tuple[frozenset[str], int], ...]:
        lists = (self.streets, "is-street"), (self.numbers, "is-written-out-number")
        return tuple((frozenset(map(str.lower, words)), BIT[name]) for words, name in lists)

    @cached_property
    def _of_form(self) -> FormTable[int]:
        """The features of a form that do not depend on its context."""
        return FormTable(lambda form: self._marks(form, self.case))

    @cached_property
    def _of_any(self) -> FormTable[int]:
        """The features of a form in texts without capitals."""
        return self._of_form if self.case == "any" else FormTable(lambda form: self._marks(form, "any"))

    def _marks(self, form: str, case: Case) -> int:
        if is_punctuation(form):
            return 0
        mask = self._safe_marks(form)
        whole = mask & (_COMMON | _MEDICAL)
        parts = [] if whole else alphanumeric_runs(form)[:_MAX_PARTS]
        mask |= self._unsafe_marks(form, case, bool(mask & _COMMON))
        for part in parts:
            if part != form:
                mask |= self._unsafe_marks(part, case, bool(self._safe_marks(part) & _COMMON))
        if len(parts) > 1 and not whole:
            mask |= self._safe_by_parts(parts)
        for name, holds in (
            ("has-capital-beginning", form[:1].isupper()),
            ("is-digit", form.isdigit()),
            ("contains-digit", any(map(str.isnumeric, form))),
            ("is-single-letter", len(form) == 1 and form.isalpha()),
        ):
            mask |= BIT[name] * holds
        return mask

    def _safe_marks(self, word: str) -> int:
        common = word.lower() in _CLITICS or in_bag(word, self.stop_words) or in_bag(word, self.common)
        medical = in_bag(word, self.drugs) or in_bag(word, self.medical)
        return _COMMON * common | _MEDICAL * medical

    def _safe_by_parts(self, parts: list[str]) -> int:
        """Return _COMMON if all parts are common words (`follow-up`), _MEDICAL if some are medical, 0 if one is in no list."""
        marks = [self._safe_marks(part) for part in parts]
        if not all(marks):
            return 0
        return _COMMON if all(mark & _COMMON for mark in marks) else _MEDICAL

    def _unsafe_marks(self, word: str, case: Case, everyday: bool) -> int:
        mask, lower = 0, word.lower()
        for lists, name in (
            (self.names, "is-possibly-name"),
            (self.weekdays, "is-weekday"),
            (self.months, "is-month"),
        ):
            if in_lists(word, lists, case, everyday):
                mask |= BIT[name]
        for words, bit in self._words:
            if lower in words:
                mask |= bit
        return mask
