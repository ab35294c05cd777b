"""Splits places into the street, town, county, state, postal code and country of one address."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ....pipeline.storage.lazy_regex import lazy_regex
from ....typesystem import PhiKind
from ..operator import Context, Mention
from . import pools
from .postal import REGIONS

PieceKind = Literal["street", "city", "county", "state", "region", "zip", "country", "other"]

_SEGMENT = lazy_regex(r"[^,\n;]+")
BRITISH_CODE = lazy_regex(r"([A-Z]{1,2})\d[A-Z\d]?\s?\d[A-Z]{2}$")
CANADIAN_CODE = lazy_regex(r"([A-Z])\d[A-Z]\s?\d[A-Z]\d$")
IRISH_CODE = lazy_regex(r"[A-Z]\d[\dW]\s?[A-Z\d]{4}$")
_ZIP = lazy_regex(rf"\d{{5}}(?:-\d{{4}})?$|{BRITISH_CODE.pattern}|{CANADIAN_CODE.pattern}")
_COUNTY = lazy_regex(r"(?i)\b(?:county|parish|borough|census area|co\.?|cty)$")
_GAP = lazy_regex(r"[ \t]*(?:[,;.|/–-][ \t]*)?(?:\n[ \t]*)?(?:\(\s*)?")
_LAST_WORD = lazy_regex(r"(?:[A-Za-z.]+[ \t]+){0,2}[A-Za-z.]+$")
_KINDS: dict[PhiKind, PieceKind] = {
    PhiKind.LOCATION_STREET: "street",
    PhiKind.LOCATION_CITY: "city",
    PhiKind.LOCATION_COUNTY: "county",
    PhiKind.LOCATION_STATE: "state",
    PhiKind.LOCATION_ZIP: "zip",
    PhiKind.LOCATION_COUNTRY: "country",
    PhiKind.LOCATION: "other",
}


@dataclass(slots=True)
class Piece:
    """One part of an address, as the document writes it."""

    begin: int
    end: int
    kind: PieceKind
    text: str

    @property
    def key(self) -> str:
        return " ".join(self.text.casefold().split())


def addresses_of(context: Context) -> list[list[Piece]]:
    """Return the pieces of all places of a document, grouped by address, in text order."""
    groups: list[list[Piece]] = []
    for mention in context.mentions:
        for piece in pieces_of(mention):
            if piece.kind in ("state", "county", "other") and not pools.lexicon("us_states").has(piece.text):
                piece.kind = "region" if is_region(piece.text) else piece.kind
            last = groups[-1][-1] if groups else None
            if (
                last is not None
                and _GAP.fullmatch(context.text, last.end, piece.begin)
                and _continues(groups[-1], piece)
            ):
                groups[-1].append(piece)
            else:
                groups.append([piece])
    return groups


def _continues(group: list[Piece], piece: Piece) -> bool:
    """Return whether a piece belongs to the address before it: each part occurs once, and the country ends it.

    Beside a state, `Washington` before `DC` is a town, and so is a place of unknown type.
    """
    last = group[-1]
    if piece.kind in ("state", "region", "zip"):
        is_town = last.kind == "state" and piece.kind != "zip" and _may_be_town(last.text)
        if is_town or last.kind == "other":
            last.kind = "city"
    kinds = {p.kind for p in group}
    return (
        "country" not in kinds
        and piece.kind not in kinds
        and not (piece.kind == "street" and kinds & {"city", "state", "zip"})
    )


def _may_be_town(text: str) -> bool:
    return text.casefold() in ("new york", "washington") or pools.lexicon("cities").has(text)


def pieces_of(mention: Mention) -> list[Piece]:
    """Return the pieces of a mention of a place; none for hospitals, rooms, organizations and other kinds."""
    kind = _KINDS.get(mention.kind)
    if kind is None:
        return []
    pieces: list[Piece] = []
    for number, segment in enumerate(_SEGMENT.finditer(mention.text)):
        begin, end = segment.start(), segment.start() + len(segment.group().rstrip(" \t-–"))
        begin += len(segment.group()) - len(segment.group().lstrip())
        if begin < end:
            pieces += _pieces(mention.text, begin, end, kind, number)
    for piece in pieces:
        piece.begin += mention.begin
        piece.end += mention.begin
    return pieces


def _pieces(text: str, begin: int, end: int, kind: PieceKind, number: int) -> Iterator[Piece]:
    """Yield the pieces of one part between commas."""
    if kind in ("zip", "country", "state", "county"):
        yield Piece(begin, end, kind, text[begin:end])
        return
    tail: list[Piece] = []
    code = _ZIP.search(text[begin:end])
    if code is not None:
        at = begin + code.start()
        tail.insert(0, Piece(at, end, "zip", text[at:end]))
        end = _rstrip(text, begin, at)
    if begin < end and (code is not None or number or kind == "other"):
        state_at = _state_begin(text, begin, end)
        if state_at is not None and (state_at == begin or kind != "street" or code is not None or number):
            tail.insert(0, Piece(state_at, end, "state", text[state_at:end]))
            end = _rstrip(text, begin, state_at)
    if begin < end:
        yield from _first_pieces(text, begin, end, kind, number, bool(tail) or _is_last_town(text, end))
    yield from tail


def _is_last_town(text: str, end: int) -> bool:
    """Return whether a state or a postal code follows as the next part of an address."""
    rest = text[end:].strip(" ,\n;")
    return bool(rest) and (bool(_ZIP.fullmatch(rest)) or _state_begin(_ZIP.sub("", rest).strip(), 0, len(rest)) == 0)


def _first_pieces(text: str, begin: int, end: int, kind: PieceKind, number: int, in_address: bool) -> Iterator[Piece]:
    """Yield what comes before the state and the postal code. `in_address`: a state or a postal code follows."""
    words = text[begin:end]
    if kind == "street" and (not number or not (in_address or pools.lexicon("cities").has(words)) or _is_street(words)):
        at = _town_begin(words)
        if at is None:
            yield Piece(begin, end, "street", words)
        else:
            yield Piece(begin, begin + len(words[:at].rstrip()), "street", words[:at].rstrip())
            yield Piece(begin + at, end, "city", words[at:])
    elif _COUNTY.search(words) or words.casefold().startswith(("county ", "co. ", "co ")):
        irish = words.casefold().startswith(("county ", "co. ", "co "))
        yield Piece(begin, end, "region" if irish or is_region(words) else "county", words)
    elif (number or kind == "other") and pools.lexicon("countries").has(words):
        yield Piece(begin, end, "country", words)
    elif (number or kind == "other") and is_region(words):
        yield Piece(begin, end, "region", words)
    elif kind == "other" and not number and not pools.lexicon("cities").has(words):
        yield Piece(begin, end, "other", words)
    else:
        yield Piece(begin, end, "city", words)


def is_region(text: str) -> bool:
    """Return whether a text names a province, county or state outside the USA."""
    key = text.casefold()
    return pools.lexicon("provinces").has(text) or any(key in (r.name.casefold(), r.code.casefold()) for r in REGIONS)


def _state_begin(text: str, begin: int, end: int) -> int | None:
    """Return where a state at the end of a text begins: `Dover, DE`, `Concord New Hampshire`."""
    words = _LAST_WORD.search(text[begin:end])
    if words is None:
        return None
    at = words.start()
    while at < end - begin:
        name = text[begin + at : end]
        entry = pools.lexicon("us_states").entry(name.rstrip("."))
        if entry is not None and (entry.kind == "name" or at or name.isupper() or name.endswith(".")):
            return begin + at
        space = re.search(r"[ \t]+", text[begin + at : end])
        if space is None:
            return None
        at += space.end()
    return None


def _town_begin(words: str) -> int | None:
    """Return where a town begins that follows a street without a comma: `12 Main St Omaha`."""
    found = list(re.finditer(r"[^\W\d_]+\.?", words))
    types = [m for m in found[1:] if _street_kind(m.group()) == "type"]
    after = [m for m in found if types and m.start() > types[-1].start()]
    while after and _street_kind(after[0].group()) == "direction":
        after.pop(0)
    if (
        not after
        or any(_street_kind(m.group()) for m in after)
        or any(c.isdecimal() for c in words[after[0].start() :])
    ):
        return None
    return after[0].start()


def _street_kind(word: str) -> str:
    entry = pools.lexicon("street_words").entry(word.rstrip("."))
    return entry.kind if entry else ""


def _is_street(words: str) -> bool:
    return any(c.isdecimal() for c in words) or any(_street_kind(word) for word in words.split()[1:])


def _rstrip(text: str, begin: int, end: int) -> int:
    return begin + len(text[begin:end].rstrip())


def text_with(mention: Mention, pieces: Iterable[Piece], replacements: Iterable[str]) -> str:
    """Return the text of a mention with its pieces replaced."""
    new, at = "", 0
    for piece, replacement in zip(pieces, replacements, strict=True):
        new += mention.text[at : piece.begin - mention.begin] + replacement
        at = piece.end - mention.begin
    return new + mention.text[at:]
