"""The class of a word by its digits and capitals: the word feature of the two networks of the PHI scrubber."""

from __future__ import annotations

from ....pipeline.contract.component import part
from ..feature import FormFeature, normalize


@part("word_class")
class WordClass(FormFeature):
    """The class of the form: the first that applies of NUMERIC, MOSTLY_NUMERIC (more than half digits), ALL_LOWER, ALL_UPPER,
    INITIAL_UPPER, CONTAINS_DIGIT and OTHER. With `classes: 4`, the first of ALL_UPPER, INITIAL_UPPER, CAMEL (a capital after a
    lower case letter) and OTHER. A single capital is ALL_UPPER.

    Example: `Smith` gives `word_class=INITIAL_UPPER`, `12mg` `word_class=CONTAINS_DIGIT`.

    Source: PHI Scrubber: A Deep Learning Approach (2018), word features; 7 classes as in the BiLSTM-CNN, 4 as in the ID-CNN.
    The source does not define `mostly`.
    """

    in_label = ("classes",)

    classes: int = 7
    """Number of classes: 7 or 4."""

    def __post_init__(self) -> None:
        if self.classes not in (7, 4):
            raise ValueError(f"classes: expected 7 or 4, got {self.classes}")

    def of(self, form: str) -> str:
        form = normalize(form)
        return _of_seven(form) if self.classes == 7 else _of_four(form)


def _of_seven(form: str) -> str:
    digits = sum(map(str.isdecimal, form))
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
    after_lower = False
    for char in form:
        if after_lower and char.isupper():
            return "CAMEL"
        after_lower = after_lower or char.islower()
    return "OTHER"


def _capitals(form: str) -> str:
    if form.isupper():
        return "ALL_UPPER"
    rest = form[1:]
    return "INITIAL_UPPER" if form[:1].isupper() and rest == rest.lower() else ""
