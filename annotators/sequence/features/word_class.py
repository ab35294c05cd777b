"""One class for each word, by its digits and capitals: the word feature of the PHI scrubber's two networks."""

from __future__ import annotations

from ....pipeline.contract.component import part
from ..feature import FormFeature
from ..tidy import tidy


@part("word_class")
class WordClass(FormFeature):
    """The one class of the form: NUMERIC, MOSTLY_NUMERIC (more than half of it digits), ALL_LOWER, ALL_UPPER, INITIAL_UPPER,
    CONTAINS_DIGIT or OTHER, the first that fits. With `classes: 4` ALL_UPPER, INITIAL_UPPER, CAMEL (a capital after a small
    letter) or OTHER. A single capital is ALL_UPPER.

    Example: `Smith` gives `word_class=INITIAL_UPPER`, `12mg` `word_class=CONTAINS_DIGIT`.

    Source: PHI Scrubber: A Deep Learning Approach (2018), word features; 7 classes are those of the BiLSTM-CNN, 4 those of
    the ID-CNN. It does not say what `mostly` is.
    """

    in_label = ("classes",)

    classes: int = 7
    """How many classes there are: 7 or 4."""

    def __post_init__(self) -> None:
        if self.classes not in (7, 4):
            raise ValueError(f"classes: expected 7 or 4, got {self.classes}")

    def of(self, form: str) -> str:
        form = tidy(form)
        digits = sum(map(str.isdecimal, form))
        return _of_seven(form, digits) if self.classes == 7 else _of_four(form)


def _of_seven(form: str, digits: int) -> str:
    if digits == len(form) > 0:
        return "NUMERIC"
    if 2 * digits > len(form):
        return "MOSTLY_NUMERIC"
    if digits:
        return "CONTAINS_DIGIT"
    return "ALL_LOWER" if form.islower() else _capitals(form) or "OTHER"


def _of_four(form: str) -> str:
    capitals = _capitals(form)
    if capitals:
        return capitals
    small = False
    for char in form:
        if small and char.isupper():
            return "CAMEL"
        small = small or char.islower()
    return "OTHER"


def _capitals(form: str) -> str:
    if form.isupper():
        return "ALL_UPPER"
    rest = form[1:]
    return "INITIAL_UPPER" if form[:1].isupper() and rest == rest.lower() else ""
