"""Features of tokens: the family of parts of which models are declared in YAML, and the tokens they look at.

A feature is one of three sorts, by what it depends on:

* `FormFeature`: on the token's form alone (lower case, suffix, shape). Computed once for each distinct form.
* `TokenFeature`: on the token in its document (part of speech, list hits, terms).
* `ValueFeature`: a real number for each token (its position in the document).

Each is looked at from the tokens around, too: the feature `lower` of the token before is the attribute `-1:lower=dr.`, that
of the token itself `0:lower=smith`. So a model's attributes can be read, and stay the same for its lifetime.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, Field, dataclass
from functools import cached_property
from typing import Any, ClassVar

from ...pipeline.contract.component import Part
from ...typesystem import FeatureStructure, Sentence, View
from .tidy import label

Values = str | Iterable[str] | None
"""One value, several, or none. A feature without value (`hyphen`) gives the empty string if it holds."""


class Words:
    """The tokens of a view as features see them.

    `forms`, `lowers`, `begins`, `ends` are parallel lists over tokens, as in `view.tokens`; `sentences` are ranges of token
    indexes (first, last + 1), sorted and disjoint, that hold every token: tokens outside any sentence form ranges of
    their own, so that no token goes without a label.
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
        begins, found, done = self.begins, [], 0
        for begin, end in zip(*self.view.spans(Sentence), strict=True):
            first = max(bisect_left(begins, begin, done), done)
            last = bisect_left(begins, end, first)
            if done < first:
                found.append((done, first))
            if first < last:
                found.append((first, last))
            done = max(done, last)
        if done < len(begins):
            found.append((done, len(begins)))
        return found

    def under(self, begin: int, end: int) -> range:
        """Indexes of the tokens that share a code point with the span."""
        return range(bisect_left(self.ends, begin + 1), bisect_left(self.begins, end))


@dataclass(kw_only=True, eq=False, repr=False)
class Feature(Part):
    """A property of a token, declared by name in a model's `features`.

    The name in attributes is the part's name; two features of one name with other parameters differ in their `label`.
    """

    window: tuple[int, int] | None = None
    """First and last token looked at, relative to the token itself: `[-1, 1]`. Left out: the model's window."""

    inputs: ClassVar[tuple[type[FeatureStructure], ...]] = ()
    """Types that earlier components must have made."""
    sets: ClassVar[tuple[str, ...]] = ()
    """Features that earlier components must have set: `Token:pos`."""

    in_label: ClassVar[tuple[str, ...]] = ()
    """Parameters that are part of the label if they are not the defaults."""

    @property
    def label(self) -> str:
        """How attributes of this feature begin, after the offset: `has_xyz:lower`."""
        details = [_detail(name, getattr(self, name), self.__dataclass_fields__[name]) for name in self.in_label]
        return label(self.name, *details) if any(details) else self.name


def _detail(name: str, value: Any, of: Field[Any]) -> str:
    """Return a parameter as a part of a label: a switch by its name, a list joined with `+`; empty for a default."""
    if value == (of.default_factory() if of.default_factory is not MISSING else of.default):
        return ""
    if isinstance(value, list | tuple):
        return "+".join(str(getattr(v, "value", v)) for v in value)
    return name if value is True else f"{value:g}" if isinstance(value, float) else str(getattr(value, "value", value))


class FormFeature(Feature):
    """A feature of the token's form alone."""

    def of(self, form: str) -> Values:
        """Return the value(s) for a form. Pure; results are kept, so each form is asked for once."""
        raise TypeError(f"{type(self).__name__} must define of(form)")


class TokenFeature(Feature):
    """A feature of the token in its document."""

    varied: ClassVar[bool] = False
    """True if it takes many different values (pairs of words): its values are then kept apart from those of others."""

    def column(self, words: Words) -> Sequence[str | tuple[str, ...] | None]:
        """Return the value(s) of every token: a sequence of `len(words)`."""
        raise TypeError(f"{type(self).__name__} must define column(words)")


class ValueFeature(Feature):
    """A real number for each token, finite; its attribute carries the number as value."""

    def column(self, words: Words) -> Sequence[float]:
        """Return the number of every token: a sequence of `len(words)`."""
        raise TypeError(f"{type(self).__name__} must define column(words)")


def attribute(offset: int, label: str, value: str) -> str:
    """Return the name of an attribute in a model: `-1:lower=dr.`; `0:hyphen` for a feature without value."""
    return f"{offset}:{label}={value}" if value else f"{offset}:{label}"


def each(values: Values) -> tuple[str, ...]:
    """Return values as a tuple."""
    if values is None:
        return ()
    return (values,) if isinstance(values, str) else tuple(values)
