"""Run spaCy: blank English pipeline, sentencizer, and an EntityRuler with the token patterns of benchmarks/peers/patterns.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .harness import Span, Work, each, masked
from .patterns import LONG_MONTHS, MONTHS, WEEKDAYS

Token = dict[str, Any]


def rules() -> Iterator[tuple[str, list[Token]]]:
    """Yield (kind, tokens). spaCy's tokenizer splits digits at hyphens but not at slashes: a date is one token or five."""
    month: Token = {"LOWER": {"IN": [*MONTHS, "sept", *LONG_MONTHS, *(f"{m}." for m in MONTHS)]}}
    day: Token = {"LOWER": {"REGEX": r"^[0-9]{1,2}(?:st|nd|rd|th)?$"}}
    year: Token = {"TEXT": {"REGEX": r"^(?:[0-9]{4}|[0-9]{2})$"}}
    full_year: Token = {"SHAPE": "dddd"}
    dash: Token = {"TEXT": "-"}
    comma: Token = {"TEXT": {"IN": [",", "-"]}, "OP": "?"}
    yield "DATE", [{"TEXT": {"REGEX": r"^[0-9]{1,2}[/.][0-9]{1,2}(?:[/.](?:[0-9]{4}|[0-9]{2}))?$"}}]
    yield "DATE", [{"TEXT": {"REGEX": r"^[0-9]{1,2}$"}}, dash, {"TEXT": {"REGEX": r"^[0-9]{1,2}$"}}, dash, year]
    yield "DATE", [full_year, dash, day, dash, day]
    yield "DATE", [{"LOWER": {"REGEX": rf"^[0-9]{{1,2}}-?(?:{'|'.join(MONTHS)})[a-z]*-?(?:[0-9]{{4}}|[0-9]{{2}})$"}}]
    yield "DATE", [day, {**dash, "OP": "?"}, month]
    yield "DATE", [day, {**dash, "OP": "?"}, month, comma, year]
    yield "DATE", [month, day]
    yield "DATE", [month, day, comma, full_year]
    yield "DATE", [month, full_year]
    yield "DATE", [{"LOWER": {"REGEX": rf"^(?:{'|'.join(MONTHS)})[a-z]*[0-9]{{4}}$"}}]
    yield "DATE", [{"LOWER": {"IN": WEEKDAYS}}]
    unit: Token = {"LOWER": {"IN": ["year", "years", "yr", "yrs"]}}
    yield "AGE", [{"IS_DIGIT": True}, {**dash, "OP": "?"}, unit, {**dash, "OP": "?"}, {"LOWER": "old"}]
    yield "AGE", [{"IS_DIGIT": True}, {"LOWER": {"IN": ["yo", "y/o", "y.o", "y.o."]}}]
    yield "AGE", [{"LOWER": {"REGEX": r"^[0-9]{1,3}(?:yo|y/o)$"}}]
    yield "PHONE", [{"SHAPE": "ddd"}, dash, {"SHAPE": "ddd"}, dash, {"SHAPE": "dddd"}]
    yield "PHONE", [{"TEXT": "("}, {"SHAPE": "ddd"}, {"TEXT": ")"}, {"SHAPE": "ddd"}, dash, {"SHAPE": "dddd"}]
    yield "PHONE", [{"SHAPE": "ddd"}, {"SHAPE": "ddd"}, {"SHAPE": "dddd"}]
    yield "PHONE", [{"TEXT": {"REGEX": r"^[0-9]{3}[.][0-9]{3}[.][0-9]{4}$"}}]
    yield "EMAIL", [{"LIKE_EMAIL": True}]
    yield "URL", [{"LIKE_URL": True}]
    yield "ID", [{"SHAPE": "ddd"}, dash, {"SHAPE": "dd"}, dash, {"SHAPE": "dddd"}]
    cue: Token = {"LOWER": {"IN": ["mrn", "case", "record"]}}
    sign: Token = {"LOWER": {"IN": ["number", "no", "no.", "#", ":"]}, "OP": "*"}
    yield "ID", [cue, sign, {"TEXT": {"REGEX": r"^[0-9]{5,12}$"}}]


def load(variant: str) -> Work:
    """`ruler`."""
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": kind, "pattern": tokens} for kind, tokens in rules()])

    def one(text: str) -> tuple[str, Sequence[Span]]:
        found = [(e.start_char, e.end_char, e.label_) for e in nlp(text).ents]
        return masked(text, found), found

    return each(one)
