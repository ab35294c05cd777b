"""Finds the addresses, places, organizations and other phrases of the record, in full and in their distinctive parts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind
from ..names.words import Words
from .searchable_text import PhiMatch, SearchableText, fold, offsets_of, spelling_variants

_SAME = (
    "street st str", "avenue ave av", "road rd", "drive dr drv", "boulevard blvd", "lane ln", "court ct", "place pl",
    "square sq", "terrace ter terr", "highway hwy", "parkway pkwy", "circle cir", "apartment apt", "suite ste", "floor fl",
    "north n", "south s", "east e", "west w", "northeast ne", "northwest nw", "southeast se", "southwest sw", "saint st",
    "mount mt", "fort ft", "hospital hosp", "center centre ctr", "university univ", "medical med", "and &", "strasse str",
    "number no nr",
)  # fmt: skip
_VARIANTS: dict[str, tuple[str, ...]] = {}
for _line in _SAME:
    for _form in _line.split():
        _VARIANTS[_form] = tuple(dict.fromkeys((_form, *_VARIANTS.get(_form, ()), *_line.split())))

_CUES = frozenset(
    "hospital hosp clinic center centre medical health pharmacy drugstore school college university institute foundation inc "
    "incorporated llc ltd limited corp corporation company co gmbh group associates practice office department dept plc ag "
    "general memorial community the of and".split()
)
_TOKEN = lazy_regex(r"[^\W_]+(?:['’ʼ`´][^\W_]+)?|&")
_GAP = lazy_regex(r"[\s.,;:#()/-]{0,4}")
_ZIP = lazy_regex(r"(?<!\d)(\d{5})(?:-\d{4})?\s*$")
_LETTERED_CODE = lazy_regex(r"\b([A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}|[A-Z]\d[A-Z]\s?\d[A-Z]\d)\s*$")
"""The postcode at the end of a British (`NW1 6XE`) or Canadian (`M5H 2N2`) address."""
_CODE_FIRST = lazy_regex(r"(?:[A-Z]{1,3}-)?(\d{4,6}|\d{3} \d{2}|\d{4} [A-Z]{2})\s+(?=[^\W\d_]{2})")
"""The postcode before a town: `D-80331 München`, `753 10 Uppsala`."""
_HOUSE = lazy_regex(r"\d{1,4}\s?[a-zA-Z]?")
_UNIT = lazy_regex(r"(?:apt|apartment|unit|suite|ste|room|rm|floor|fl|p\.?\s?o\.?\s?box|box|flat|#)\b")
_STATES = frozenset(
    "al ak az ar ca co ct de dc fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok or pa ri "
    "sc sd tn tx ut vt va wa wv wi wy".split()
)


class PhraseMatcher:
    """Finds a phrase of the record. White space, punctuation, case and usual abbreviations (`St` for `Street`) may differ."""

    def __init__(self, value: str, kind: PhiKind, words: Words, rule: str = "known phrase") -> None:
        self.kind = kind
        self.words = words
        self.rule = rule
        self.value = value.strip()
        self.forms = [_spelt(token) for token in _TOKEN.findall(value)]
        self.tokens = [forms[0] for forms in self.forms]
        self.core = max(range(len(self.tokens)), key=self._rarity, default=0)
        self.level = words.level(self.tokens[0]) if len(self.tokens) == 1 else 0
        self.short = len("".join(self.tokens)) < 4

    def _rarity(self, index: int) -> tuple[bool, int]:
        token = self.tokens[index]
        return token not in _VARIANTS and token not in _CUES, len(token)

    def find(self, document: SearchableText) -> Iterator[PhiMatch]:
        """Yield every occurrence of the phrase."""
        if not self.tokens or len("".join(self.tokens)) < 2:
            return
        folded = document.folded
        for begin, end in self._core(document):
            low, high = begin, end
            for forms in reversed(self.forms[: self.core]):
                low = self._left(folded, low, forms)
                if low < 0:
                    break
            for forms in self.forms[self.core + 1 :]:
                high = self._right(folded, high, forms) if high >= 0 else -1
            if low >= 0 and high >= 0 and self._clear(document, low, high):
                yield PhiMatch(low, high, self.kind, 1.0, self.rule, self.value)

    def _core(self, document: SearchableText) -> Iterator[tuple[int, int]]:
        for form in self.forms[self.core]:
            for begin in document.word_offsets(form):
                yield begin, begin + len(form)

    @staticmethod
    def _left(folded: str, begin: int, forms: tuple[str, ...]) -> int:
        stop = begin
        while stop and begin - stop < 4 and folded[stop - 1] in " \t\r\n.,;:#()/-":
            stop -= 1
        for form in forms:
            start = stop - len(form)
            if start >= 0 and folded.startswith(form, start) and not (start and folded[start - 1].isalnum()):
                return start
        return -1

    @staticmethod
    def _right(folded: str, end: int, forms: tuple[str, ...]) -> int:
        gap = _GAP.match(folded, end)
        start = gap.end() if gap else end
        for form in forms:
            stop = start + len(form)
            if folded.startswith(form, start) and not (stop < len(folded) and folded[stop].isalnum()):
                return stop
        return -1

    def _clear(self, document: SearchableText, begin: int, end: int) -> bool:
        """Return whether a phrase of one ordinary word is used as a name here."""
        if self.level == 0 and not self.short:
            return True
        if self.short and len(self.tokens) == 1:
            return document.text[begin:end].isupper() and document.case(begin, end) != "all_capitals"
        case = document.case(begin, end)
        return (
            case == "capital"
            or (case in ("heading", "initial") and self.level < 2)
            or (document.lower_case and self.level < 2)
        )


def _spelt(token: str) -> tuple[str, ...]:
    """Return the folded forms of a token: abbreviated or written out, with and without apostrophe, `ü` as `u` and `ue`."""
    forms: list[str] = []
    for form in spelling_variants(token):
        plain = form.replace("'", "")
        forms += _VARIANTS.get(plain, (plain,))
        if plain != form:
            forms += [form, form.replace("'", " ")]
        elif len(form) > 2 and form.endswith("s"):
            forms.append(form[:-1] + "'s")
        if len(form) > 8 and form.endswith("strasse"):
            forms.append(form[:-4])
    return tuple(dict.fromkeys(forms))


def address_matchers(value: str, kind: PhiKind, words: Words) -> list[PhraseMatcher]:
    """Return matchers of a postal address: street with and without its number, city, ZIP or postal code, name of the state."""
    matchers: list[PhraseMatcher] = []

    def code(written: str) -> None:
        matchers.append(PhraseMatcher(written, PhiKind.LOCATION_ZIP, words, "known ZIP code"))
        if not written.isdigit() and " " in written:
            matchers.append(PhraseMatcher(written.replace(" ", ""), PhiKind.LOCATION_ZIP, words, "known ZIP code"))

    at_end = _ZIP.search(value) or _LETTERED_CODE.search(value)
    rest = value[: at_end.start()] if at_end else value
    if at_end:
        code(at_end.group(1))
    pieces = [p.strip() for p in re.split(r"[,\n;]", rest) if p.strip()]
    if len(pieces) > 1 and _HOUSE.fullmatch(pieces[1]) and not any(map(str.isdigit, pieces[0])):
        pieces[:2] = [f"{pieces[0]} {pieces[1]}"]  # `Via Garibaldi, 7`
    for number, piece in enumerate(pieces):
        first = _CODE_FIRST.match(piece) if number or kind is PhiKind.LOCATION_CITY else None
        if first:
            code(first.group(1))
            piece = piece[first.end() :]
        tokens = _TOKEN.findall(fold(piece))
        if not tokens or (number and (tokens[0] in _STATES and len(tokens) == 1)):
            continue
        if tokens[-1] in _STATES and len(tokens) > 1 and number and piece.split()[-1].isupper():
            piece = piece.rsplit(None, 1)[0]
        if any(c.isdigit() for c in piece):
            if number and _UNIT.match(fold(piece)):
                continue
            matchers.append(PhraseMatcher(piece, PhiKind.LOCATION_STREET, words, "known street"))
            bare = re.sub(r"(?:^\s*#?\d+[\w/-]*\s+|\s+\d+[a-zA-Z]?\s*$)", "", piece)
            bare = re.split(r"(?i)\s+(?:apt|apartment|unit|suite|ste|#)\b", bare)[0]
            if bare != piece and (len(_TOKEN.findall(bare)) > 1 or len(bare) > 8):
                matchers.append(PhraseMatcher(bare, PhiKind.LOCATION_STREET, words, "known street without number"))
        elif number == 0 and len(pieces) > 1:
            matchers.append(PhraseMatcher(piece, PhiKind.LOCATION_STREET, words, "known street"))
        else:
            place = PhiKind.LOCATION_CITY if kind in (PhiKind.LOCATION, PhiKind.LOCATION_STREET) else kind
            matchers.append(PhraseMatcher(piece, place, words, "known place"))
    return matchers


def organization_matchers(value: str, kind: PhiKind, words: Words) -> list[PhraseMatcher]:
    """Return matchers of the whole name and, if it remains distinctive, of the name without `Hospital`, `Inc` etc."""
    whole = PhraseMatcher(value, kind, words)
    tokens = re.findall(r"\S+", value)
    while len(tokens) > 1 and fold(tokens[-1]).strip(".,") in _CUES:
        tokens.pop()
    while len(tokens) > 1 and fold(tokens[0]) == "the":
        tokens.pop(0)
    short = " ".join(tokens).strip(",.")
    if len(tokens) == len(re.findall(r"\S+", value)) or fold(short) in _CUES:
        return [whole]
    return [whole, PhraseMatcher(short, kind, words, "known phrase, short")]


_SCHEME = lazy_regex(r"^(?:[a-z]+://|mailto:|tel:)?(?:www\.)?")
_PREFIX = lazy_regex(r"(?:(?:https?|ftp)://)?(?:www\.)?$")
_MASKED_LOCAL = lazy_regex(r"[a-z0-9]?[x*•#.]{2,}[a-z0-9]?$")
_OFFICES = frozenset(
    "info contact office mail email admin support help webmaster noreply reception safety pharmacovigilance".split()
)


class OnlineAddressMatcher:
    """Finds a string of the record that has one spelling, in any case: an e-mail address, a URL, an IP address, a user name."""

    def __init__(self, value: str, kind: PhiKind, words: Words) -> None:
        self.kind = kind
        self.value = value.strip()
        self.text = _SCHEME.sub("", fold(self.value)).rstrip("/")
        local, at_sign, domain = self.text.partition("@")
        mail = kind.top.name == "EMAIL" and bool(at_sign)
        self.domain = f"@{domain}" if mail else ""
        handle = len(local) >= 5 and local not in _OFFICES and not words.is_word(local)
        self.local = local if mail and handle else ""

    def find(self, document: SearchableText) -> Iterator[PhiMatch]:
        """Yield every occurrence: whole, with its user name hidden (`j***@example.org`), or its user name alone."""
        if len(self.text) < 3:
            return
        folded = document.folded
        for begin in document.word_offsets(self.text):
            prefix = _PREFIX.search(folded, max(0, begin - 12), begin)
            first, end = prefix.start() if prefix else begin, begin + len(self.text)
            yield PhiMatch(first, end, self.kind, 1.0, "known address", self.value)
        if self.domain:
            for begin in offsets_of(folded, self.domain):
                masked = _MASKED_LOCAL.search(folded, max(0, begin - 24), begin)
                if masked:
                    yield PhiMatch(masked.start(), begin + len(self.domain), self.kind, 0.9, "known address, masked")
        if self.local:
            for begin in document.word_offsets(self.local):
                end = begin + len(self.local)
                if not folded.startswith(self.domain, end):
                    yield PhiMatch(begin, end, PhiKind.PERSON_USERNAME, 0.8, "known user name")
