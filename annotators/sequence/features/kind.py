"""The type of a form by its capitals, digits, hyphens and placeholders."""

from __future__ import annotations

import unicodedata

from ....pipeline.contract.component import part
from ....pipeline.storage.lazy_regex import lazy_regex
from ..feature import FormFeature, normalize

_HYPHEN = lazy_regex("[-\u2010\u2011\ufe63\uff0d]")
_ROMAN = lazy_regex(r"(?=.)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})|[\u2160-\u2188]+")
_YEAR = lazy_regex(r"1...|2[01]..")


@part("capital_type")
class CapitalType(FormFeature):
    """The capitalization of the form: ALL_UPPERCASE, ALL_LOWER_CASE, INITIAL_UPPERCASE or MIXED_CASE; no value if no
    character has case. A single capital is ALL_UPPERCASE.

    Example: `Smith` gives `capital_type=INITIAL_UPPERCASE`.

    Source: VigiBase de-identifier, §5.5.2; names and tests follow ClearTK's CapitalType.
    """

    def of(self, form: str) -> str | None:
        form = normalize(form)
        lower, upper = form.lower(), form.upper()
        if lower == upper:
            return None
        if form == lower:
            return "ALL_LOWER_CASE"
        if form == upper:
            return "ALL_UPPERCASE"
        rest = form[1:]
        initial = form[0] != lower[0] and rest == rest.lower()
        return "INITIAL_UPPERCASE" if initial else "MIXED_CASE"


@part("numeric_type")
class NumericType(FormFeature):
    """The class of a form with digits of any script: ALL_DIGITS; YEAR_DIGIT (four digits that begin with 1, 20 or 21);
    ALPHANUMERIC (letters, digits and hyphens); SOME_DIGITS (digits and other characters); or ROMAN_NUMERAL (capitals).

    Example: `1998` gives `numeric_type=YEAR_DIGIT`, `B-12` ALPHANUMERIC, `3/4` SOME_DIGITS, `XIV` ROMAN_NUMERAL.

    Source: VigiBase de-identifier, §5.5.2; the classes are those of ClearTK's NumericType.
    """

    def of(self, form: str) -> str | None:
        form = normalize(form)
        if form.isdecimal():
            digits = form if form.isascii() else "".join(str(unicodedata.decimal(c)) for c in form)
            return "YEAR_DIGIT" if len(digits) == 4 and _YEAR.fullmatch(digits) else "ALL_DIGITS"
        if any(map(str.isdecimal, form)):
            bare = _HYPHEN.sub("", form)
            letters = False
            for char in bare:
                if char.isalpha() or unicodedata.category(char)[0] == "M":
                    letters = True
                elif not char.isdecimal():
                    return "SOME_DIGITS"
            return "ALPHANUMERIC" if letters else "SOME_DIGITS"
        return "ROMAN_NUMERAL" if _ROMAN.fullmatch(form) else None


@part("hyphen")
class Hyphen(FormFeature):
    """The form contains a hyphen. Dashes are not hyphens.

    Example: `Smith-Jones` gives `hyphen`.

    Source: VigiBase de-identifier, Table 8 (contains hyphen).
    """

    def of(self, form: str) -> str | None:
        return "" if _HYPHEN.search(form) else None


@part("has_xyz")
class HasXyz(FormFeature):
    """The form contains X, Y or Z, which replace names, dates and ages in VigiBase.

    Example: `XX-YEAR-OLD` gives `has_xyz`.

    Source: VigiBase de-identifier, Table 8 (contains X, Y or Z) and appendix D (a strong sign of an age).
    """

    in_label = ("lower",)

    lower: bool = False
    """Ignore case."""

    def of(self, form: str) -> str | None:
        form = normalize(form).upper() if self.lower else normalize(form)
        return "" if "X" in form or "Y" in form or "Z" in form else None
