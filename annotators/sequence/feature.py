"""Features of tokens: the base classes of the features that models declare in YAML, and the tokens they are computed for.

A feature is of one of three types, by its input:

* `FormFeature`: depends on the token's form alone (lower case, suffix, shape). Computed once for each distinct form.
* `TokenFeature`: depends on the token in its document (part of speech, list hits, terms).
* `ValueFeature`: a real number for each token (its position in the document).

Features of the tokens in a window around the token count, too: the feature `lower` of the previous token is the attribute
`-1:lower=dr.`, that of the token itself `0:lower=smith`. The names of attributes are readable and part of the model format.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, Field, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ...pipeline.contract.component import Part
from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import FeatureStructure, Sentence, View

Values = str | Iterable[str] | None
"""One value, several, or none. The value of a feature that is only present or absent (`hyphen`) is the empty string."""

MAX_LENGTH = 64
"""Maximum length of a value in code points. Longer forms (keys, encoded files, tables without spaces) are truncated."""

_CONTROL = lazy_regex("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Words:
    """The tokens of a view as input of features.

    `forms`, `lowers`, `begins`, `ends` are parallel lists over tokens, as in `view.tokens`; `sentences` are ranges of token
    indexes (first, last + 1), sorted and disjoint, that cover every token: tokens outside of any sentence form ranges of
    their own, so that every token gets a label.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        tokens = view.tokens
        self.forms: list[str] = tokens.forms
        self.lowers: list[str] = tokens.lowers
        self.begins: list[int] = tokens.begins
        self.ends: list[int] = tokens.ends

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def pos(self) -> list[str]:
        """Penn tags; empty strings if no tagger ran."""
        return self.view.tokens.pos

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        begins, ranges, done = self.begins, [], 0
        for begin, end in zip(*self.view.spans(Sentence), strict=True):
            first = max(bisect_left(begins, begin, done), done)
            last = bisect_left(begins, end, first)
            if done < first:
                ranges.append((done, first))
            if first < last:
                ranges.append((first, last))
            done = max(done, last)
        if done < len(begins):
            ranges.append((done, len(begins)))
        return ranges

    @cached_property
    def breaks(self) -> frozenset[int]:
        """Return the tokens that begin a sentence in another line, a paragraph, or a column after three spaces or more."""
        text, ends, begins = self.view.text, self.ends, self.begins
        starts = {first for first, _ in self.sentences}
        return frozenset(
            i
            for i in range(1, len(begins))
            if begins[i] - ends[i - 1] > 2 or (i in starts and begins[i] > ends[i - 1])
            if _is_break(text[ends[i - 1] : begins[i]], i in starts)
        )

    def under(self, begin: int, end: int) -> range:
        """Return the indexes of the tokens that overlap the span."""
        return range(bisect_left(self.ends, begin + 1), bisect_left(self.begins, end))


def _is_break(gap: str, begins_sentence: bool) -> bool:
    """Return whether the white space between two tokens separates lines or columns."""
    return gap.isspace() and (len(gap) > 2 or (begins_sentence and "\n" in gap))


@dataclass(kw_only=True, eq=False, repr=False)
class Feature(Part):
    """A property of a token, declared by name in a model's `features`.

    Attributes begin with its `label`: the name of the part, and the parameters in which two features of that name differ.
    """

    window: tuple[int, int] | None = None
    """First and last token, relative to the token itself: `[-1, 1]`. Default: the window of the model."""

    inputs: ClassVar[tuple[type[FeatureStructure], ...]] = ()
    """Types that earlier components must have added."""
    sets: ClassVar[tuple[str, ...]] = ()
    """UIMA features that earlier components must have set: `Token:pos`."""

    in_label: ClassVar[tuple[str, ...]] = ()
    """Parameters that are part of the label unless they have their default value."""

    @property
    def label(self) -> str:
        """The prefix of attributes of this feature, after the offset: `has_xyz:lower`."""
        details = [_detail(name, getattr(self, name), self.__dataclass_fields__[name]) for name in self.in_label]
        return make_label(self.name, *details) if any(details) else self.name


def _detail(name: str, value: Any, field: Field[Any]) -> str:
    """Return a parameter as part of a label: the name of a switch, the items of a list joined by `+`, empty for the default."""
    if value == (field.default_factory() if field.default_factory is not MISSING else field.default):
        return ""
    if isinstance(value, list | tuple):
        return "+".join(str(getattr(v, "value", v)) for v in value)
    return name if value is True else f"{value:g}" if isinstance(value, float) else str(getattr(value, "value", value))


class FormFeature(Feature):
    """A feature of the token's form alone."""

    @property
    def words_of(self) -> Any:
        """The lexicon outside of which no form has a value, so that `of` is not called for other forms; None: called for all."""
        return None

    @property
    def is_uniform(self) -> bool:
        """True if all words of the lexicon with the same `capitals` have the same value."""
        return False

    def of(self, form: str) -> Values:
        """Return the value(s) for a form. Must be a pure function: values are cached by form."""
        raise TypeError(f"{type(self).__name__} must define of(form)")

    def of_word(self, form: str, key: str) -> Values:
        """Return what `of` returns for a single word that the lexicon contains in any case, given its key in lexicons."""
        return self.of(form)


class PlainFormFeature(FormFeature):
    """A feature of the form alone that has at most one value, and handles many plain forms in one call."""

    def of_plain(self, forms: list[str]) -> Sequence[str | None]:
        """Return what `of` returns for each of several forms of 1 to 64 printable ASCII characters: not empty, printable."""
        raise TypeError(f"{type(self).__name__} must define of_plain(forms)")


class TokenFeature(Feature):
    """A feature of the token in its document."""

    varied: ClassVar[bool] = False
    """True if it takes many different values (pairs of words): its values are then cached separately."""

    def column(self, words: Words) -> Sequence[str | tuple[str, ...] | None]:
        """Return the value(s) of every token: a sequence of `len(words)`."""
        raise TypeError(f"{type(self).__name__} must define column(words)")


class ValueFeature(Feature):
    """A finite real number for each token: the value of its attribute."""

    def column(self, words: Words) -> Sequence[float]:
        """Return the number of every token: a sequence of `len(words)`."""
        raise TypeError(f"{type(self).__name__} must define column(words)")


def attribute(offset: int, label: str, value: str) -> str:
    """Return the name of an attribute in a model: `-1:lower=dr.`; `0:hyphen` for a feature without value."""
    return f"{offset}:{label}={value}" if value else f"{offset}:{label}"


def as_tuple(values: Values) -> tuple[str, ...]:
    if values is None:
        return ()
    return (values,) if isinstance(values, str) else tuple(values)


def normalize(text: str) -> str:
    """Return the first 64 code points in normal form C; control characters, line ends and lone surrogates become U+FFFD.

    Composed and decomposed spellings of a word have the same value, and CRFsuite, which reads UTF-8 up to the first NUL,
    can store every value.
    """
    if text.isascii() and len(text) <= MAX_LENGTH and text.isprintable():
        return text
    text = text[:MAX_LENGTH]
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)[:MAX_LENGTH]
    return text if text.isprintable() else _CONTROL.sub("\ufffd", text)


def capitals(form: str) -> str:
    """Return `XX` for a form in capitals, `X` for one with an initial capital, else `x`."""
    return "XX" if form.isupper() and len(form) > 1 else "X" if form[:1].isupper() else "x"


def make_label(name: str, *details: str) -> str:
    """Return the label of a feature, with details of parameters other than the defaults: `suffix:4:lower`. `=` becomes `_`."""
    return normalize(":".join((name, *(d for d in details if d)))).replace("=", "_")


def resource_stem(resource: Any) -> str:
    """Return the name, without folder and suffix, of a resource that may be loaded or still be a name."""
    return Path(getattr(resource, "name", None) or getattr(resource, "place", None) or str(resource)).stem


def check_minimum(minimum: int, **parameters: int) -> None:
    """Raise ValueError for a parameter below the minimum."""
    for name, value in parameters.items():
        if value < minimum:
            raise ValueError(f"{name}: expected a whole number of at least {minimum}, got {value}")
