"""Regular expressions over the text as features, with a set for English clinical notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from typing import Any

from ....pipeline.contract.component import part
from ....pipeline.storage.lazy_regex import lazy_regex
from ...patterns.syntax import PatternError, compile_pattern, expand
from ..feature import Words, make_label, normalize
from .columns import Mark, SpanFeature

_SURROGATE = lazy_regex("[\ud800-\udfff]")
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
PATTERNS: dict[str, str] = {
    "EMAIL": r"\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.[A-Za-z]{2,18}\b",
    "AGE": r"""
        \b(\d{1,3}(?:[ ]\d/\d)?[- ]?(?:year|yr|month|mo|week|wk|day)s?[- ](?:old|of[ ]age))\b     # 45-year-old
      | \b(\d{1,3}[ -]?(?:y/?o|y\.o\.|yo[mf]|y/o[ ]?[mf]?))(?:\W|$)                                # 45 y/o, 45yoM
      | \b(?:[Aa]ged?(?:[ ]of|:)?)[ ]{1,2}(\d{1,3})\b                                              # aged 45, Age: 45
    """,
    "DATE": rf"""
        \b\d{{1,2}}[/.-]\d{{1,2}}[/.-](?:\d{{4}}|\d{{2}})\b                                      # 3/4/2020
      | \b(?:19|20)\d\d[/.-]\d{{1,2}}[/.-]\d{{1,2}}\b                                              # 2020-03-04
      | \b(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12]\d|3[01])\b                                            # 3/4
      | \b{_MONTH}[ ]{{1,2}}\d{{1,2}}(?:st|nd|rd|th)?(?:,?[ ]{{1,2}}\d{{4}})?\b                    # March 4th, 2020
      | \b\d{{1,2}}(?:st|nd|rd|th)?[ -](?:of[ ])?{_MONTH}(?:,?[ -]\d{{2,4}})?\b                    # 4 March 2020
      | \b{_MONTH},?[ ](?:of[ ])?(?:19|20)\d\d\b                                                   # March 2020
    """,
    "PHONE": r"""
        (?:\+?\b1[ .-]?)?\(?\b\d{3}\)?[ .-]{0,2}\d{3}[ .-]{1,3}\|?\d{4}\b(?:[ ,]{0,2}(?:x|ext\.?|extension)[ ]?\d{1,6}\b)?
      | \b\d{3}-\d{4}\b(?:[ ,]{0,2}(?:x|ext\.?|extension)[ ]?\d{1,6}\b)?                           # 555-0123 x12
      | \+\d{1,3}(?:[ .-]\d{2,4}){3,5}\b                                                           # +44 20 7946 0000
    """,
    "ZIP": r"""
        \b[A-Z]{2}[.,]?[ ]{1,2}(\d{5}(?:-\d{4})?)\b                                                # MA 02139
      | \b(\d{5}-\d{4})\b
    """,
    "ID": r"""
        \b\d{3}-\d{2}-\d{4}\b                                                                      # 123-45-6789
      | \b(?i:id|account|acct|case|policy|member|licen[cs]e|ssn|encounter|accession|visit)
        (?:[ ](?i:id|no|nr|number))?[.]?(?:[ ]?[#:])?[ ]?\#?[ ]?([A-Z]{0,4}-?\d[\dA-Z-]{3,18})\b   # Account #: A-12345
      | \b[A-Z]{1,3}-?\d{5,10}\b                                                                   # AB1234567
    """,
    "MRN": r"""
        \b(?i:mrn|mr[ ]?\#|medical[ ]record|med[.]?[ ]rec[.]?|chart|hospital|unit)
        (?:[ ](?i:id|no|nr|number))?[.]?(?:[ ]?[#:])?[ ]?\#?[ ]?([A-Z]{0,3}-?\d[\d-]{3,12})\b      # MRN: 1234567
    """,
}
"""One pattern for each class of Table 1 of the source. If a pattern has groups, the span is the first group that matched."""


@part("regex")
class Regex(SpanFeature):
    """The token is part of a match of a pattern. The value is the name of the pattern, with `B-` for the first token of a match
    and `I-` for the others. The default patterns are for English notes: EMAIL, AGE, DATE, PHONE, ZIP, ID and MRN (medical
    record number).

    Example: `MRN: 1234567` gives `regex=B-MRN` at `1234567`.

    Source: Lee et al. 2016 (ClinicalNLP), Table 1, regular expressions. In addition, extensions and telephone numbers that
    contain a stray character match (both are errors of the source, §4).
    """

    patterns: dict[str, str] = field(default_factory=lambda: dict(PATTERNS))
    """Pattern by name, in the syntax of rule files (google-re2). If it has groups, the span is the first group that matched."""

    def __post_init__(self) -> None:
        if not self.patterns:
            raise ValueError("patterns: expected at least one")
        for name, pattern in self.patterns.items():
            try:
                compile_pattern(expand(pattern, {}))
            except PatternError as error:
                raise ValueError(f"patterns.{name}: {error}") from None

    @property
    def label(self) -> str:
        return make_label(self.name, "+".join(self.patterns) if self.patterns != PATTERNS else "")

    @cached_property
    def _compiled(self) -> list[tuple[str, Any]]:
        return [(normalize(name), compile_pattern(expand(pattern, {}))) for name, pattern in self.patterns.items()]

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_compiled"}

    def marks(self, words: Words) -> Iterator[Mark]:
        text = _SURROGATE.sub("\ufffd", words.view.text)
        for name, pattern in self._compiled:
            for match in pattern.finditer(text):
                group = next((number for number, content in enumerate(match.groups(), 1) if content), 0)
                begin, end = match.span(group)
                yield begin, end, f"B-{name}", f"I-{name}"
