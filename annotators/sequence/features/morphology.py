"""Binary properties of a form: letters, digits, capitals, a final s."""

from __future__ import annotations

from dataclasses import field
from typing import Literal, get_args

from ....pipeline.contract.component import part
from ....pipeline.storage.lazy_regex import lazy_regex
from ..feature import FormFeature, normalize

Question = Literal[
    "ends_s", "initial_capital", "has_digit", "numeric", "alphabetic", "alphanumeric", "title", "lower", "upper"
]
QUESTIONS: tuple[Question, ...] = get_args(Question)

_NUMERIC = lazy_regex(r"\d+(?:[.,]\d+)*")


@part("morphology")
class Morphology(FormFeature):
    """Binary properties of the form; the values are those that are true. `ends_s`: its last letter is s. `initial_capital`: its
    first character is a capital. `has_digit`. `numeric`: a number, also with `.` and `,`. `alphabetic`: letters only.
    `alphanumeric`: letters and digits only. `title`: every run of letters begins with a capital and continues in lower case.
    `lower`, `upper`: it has letters, all in lower case or all capitals. The last property of the source, whether the form is a
    stop word, is `lexicon:stop_words`.

    Example: `Smiths` gives `morphology=ends_s`, `morphology=initial_capital`, `morphology=alphabetic`,
    `morphology=alphanumeric` and `morphology=title`.

    Source: Lee et al. 2016 (ClinicalNLP), Table 1, morphological features; they follow Filannino and Nenadic 2015 (Data Knowl Eng
    100:19).
    """

    in_label = ("only",)

    only: list[Question] = field(default_factory=list)
    """Properties that are used. Default: all."""

    def of(self, form: str) -> tuple[str, ...]:
        form = normalize(form)
        wanted = self.only or QUESTIONS
        return tuple(question for question in QUESTIONS if question in wanted and _holds(question, form))


def _holds(question: Question, form: str) -> bool:
    match question:
        case "ends_s":
            return form[-1:] in ("s", "S")
        case "initial_capital":
            return form[:1].isupper() or form[:1].istitle()
        case "has_digit":
            return any(map(str.isdecimal, form))
        case "numeric":
            return _NUMERIC.fullmatch(form) is not None
        case "alphabetic":
            return form.isalpha()
        case "alphanumeric":
            return form.isalnum()
        case "title":
            return form.istitle()
        case "lower":
            return form.islower()
        case "upper":
            return form.isupper()
