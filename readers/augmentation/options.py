"""Options of the transformations. Shares are shares of the copies, from 0 to 1."""

from __future__ import annotations

import dataclasses

FORMS = ("key_value", "pipe_table", "pipe_rows", "csv", "hl7", "xml", "json", "tab", "dots", "no_colon", "one_line")
"""Forms of blocks of fields."""


def check_shares(options: object, *names: str) -> None:
    """Raise ValueError for a share that is not between 0 and 1."""
    for name in names:
        value = getattr(options, name)
        if not 0 <= value <= 1:
            raise ValueError(f"{name}: expected a share from 0 to 1, got {value:g}")


@dataclasses.dataclass(kw_only=True)
class Case:
    """Shares of copies in another case."""

    lower: float = 0.15
    """All letters in lower case."""
    upper: float = 0.05
    """All letters in upper case."""
    lower_names: float = 0.05
    """Gold spans in lower case, the rest as it is."""
    upper_names: float = 0.05
    """Names of people in upper case, the rest as it is."""

    def __post_init__(self) -> None:
        check_shares(self, "lower", "upper", "lower_names", "upper_names")
        if self.lower + self.upper + self.lower_names + self.upper_names > 1:
            raise ValueError("expected shares that sum to at most 1")


@dataclasses.dataclass(kw_only=True)
class Wrap:
    """Lines of a fixed width, inside names, too."""

    share: float = 0.15
    """Share of copies with wrapped lines."""
    widths: list[int] = dataclasses.field(default_factory=lambda: [40, 72, 80])
    """Widths in characters, one of which is drawn for each copy."""
    cut: float = 0.1
    """Share of the wrapped copies whose lines are cut at the width exactly, inside words, as terminals do."""
    indent: float = 0.15
    """Share of the wrapped copies whose continued lines are indented."""

    def __post_init__(self) -> None:
        check_shares(self, "share", "cut", "indent")
        if not self.widths or min(self.widths) < 20:
            raise ValueError(f"widths: expected numbers of 20 or more, got {self.widths}")


@dataclasses.dataclass(kw_only=True)
class Noise:
    """Shares of copies with errors of typing and scanning."""

    typos: float = 0.15
    """Typing errors, up to one in a hundred letters."""
    names: float = 0.1
    """One misspelled name."""
    ocr: float = 0.05
    """Letters as text recognition misreads them."""
    spaces: float = 0.1
    """Spaces missing or doubled after punctuation marks."""
    accents: float = 0.1
    """Names and words without accents."""

    def __post_init__(self) -> None:
        check_shares(self, "typos", "names", "ocr", "spaces", "accents")


@dataclasses.dataclass(kw_only=True)
class Structure:
    """Other forms of blocks of lines like `Patient: Reyes, Anna`."""

    share: float = 0.2
    """Share of copies in which such blocks get another form."""
    forms: list[str] = dataclasses.field(default_factory=lambda: list(FORMS))
    """Forms, one of which is drawn for each copy."""

    def __post_init__(self) -> None:
        check_shares(self, "share")
        unknown = [form for form in self.forms if form not in FORMS]
        if unknown or not self.forms:
            raise ValueError(f"forms: expected some of {', '.join(FORMS)}, got {', '.join(unknown) or 'none'}")
