"""Split text into tokens, by the same rules for documents, dictionaries and training data.

A token is a word, a number or a punctuation mark. Offsets are code points of the text as given, without any normalization.
The rules follow cTAKES and the Penn Treebank if that helps lookup and tagging, and split more finely where protected health
information can begin or end. They ignore case (`covid19` and `COVID19` are split in the same way), except to distinguish
elided articles from names, and they look at one run of non-space characters at a time.

| text | tokens | why |
|---|---|---|
| `follow-up`, `O'Brien`, `Guillain–Barré` | 1 | words keep inner hyphens (en dash too) and apostrophes |
| `patient's`, `didn't` | `patient` `'s`, `did` `n't` | Treebank clitics `'s 'm 'd 'll 're 've n't`: a name ends before `'s` |
| `d'Angers`, `L'hôpital` | `d'` `Angers`, `L'` `hôpital` | an elided article ends before a name; `D'Angelo` stays |
| `19-Jul-2011`, `65-year-old`, `COVID-19` | cut at hyphens beside digits | days, ages and ranges become units |
| `3/4/20`, `y/o`, `12:30` | cut at slashes and colons | as above |
| `2.5`, `2,5`, `12,500`, `1,234.5` | 1 | decimals and thousands |
| `03.04.2020`, `192.168.0.1`, `3,4,5` | cut at the marks | a date, an address, a list |
| `3/4/21.2`, `2021.2`, `3/21,3/22` | cut at `.` and `,` | a date and a missing space |
| `5mg`, `65yo`, `11Jan2021` | `5` `mg`, `65` `yo`, `11` `Jan` `2021` | a number and what it counts |
| `20th`, `1970s` | 1 | ordinals and decades, as in the Treebank |
| `BNT162b2`, `B12`, `011L20A` | 1 | codes: at most four letters in a row among digits |
| `Jan2021`, `12enero2015`, `since2020` | cut between letters and digits | a month, or five letters: a word ran into a number |
| `Dr.`, `e.g.`, `hepatitis.XXOn` | the full stop is a token | a name may end before it; the Treebank keeps `Dr.` whole |
| `...`, `--`, `____` | 1 | a run of one mark; but two stops are two, and brackets and quotes stay single |
| combining marks, variation selectors | with the character they follow | |
| zero-width characters | inside a word part of it, else a token | `Jo<U+200B>hn` is one name |
| emoji with modifiers, ZWJ sequences, flags | 1 | what is drawn as one sign |
| Chinese characters and Hiragana | 1 each | no spaces: each border of a name must be a border of tokens |

Measured on 2026-11-21: the share of the borders of gold spans that are borders of tokens is 1.0000 in `vaers_dev` (296) and
`presidio_synth` (5,726) and .9995 in MEDDOCAN (34,268); `tests/typesystem/test_tokenize.py` requires more than .999.

White space is defined by `str.isspace`. Every other character, including control characters and lone surrogates, belongs to
exactly one token. Time and memory are linear in the length of the text.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, cast

from .tokens import FormTable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

# Character classes: letters for the patterns below, with distinct low four bits, so that two of them make one byte.
STOP, APOSTROPHE, BRACKET, COMMA, DIGIT, FLAG, FORMAT, SIGN = b"PABCDEFG"
HAN, HYPHEN, SLASH, LETTER, MARK, SPACE = b"HIKLM_"

_LISTED = {
    **dict.fromkeys(".", STOP),
    **dict.fromkeys(",", COMMA),
    **dict.fromkeys("/:", SLASH),
    **dict.fromkeys("'`´ʼ‘’‛′＇", APOSTROPHE),
    **dict.fromkeys("-\u2010\u2011\u2012\u2013\ufe63\uff0d", HYPHEN),
    **dict.fromkeys('"', BRACKET),
}
_BY_CATEGORY = {"L": LETTER, "M": MARK, "Nd": DIGIT, "Nl": LETTER, "Cf": FORMAT} | dict.fromkeys(
    ("Ps", "Pe", "Pi", "Pf"), BRACKET
)
_RANGES = (
    (0x1F3FB, 0x1F3FF, MARK),  # skin tones
    (0xE0020, 0xE007F, MARK),  # tags, which spell the flags of regions
    (0x1F1E6, 0x1F1FF, FLAG),
    (0x3041, 0x3096, HAN),
    (0x3400, 0x4DBF, HAN),
    (0x4E00, 0x9FFF, HAN),
    (0xF900, 0xFAFF, HAN),
    (0x20000, 0x3FFFF, HAN),
)


def _class_of(char: str) -> int:
    if char.isspace():
        return SPACE
    if char in _LISTED:
        return _LISTED[char]
    code = ord(char)
    for first, last, class_ in _RANGES:
        if first <= code <= last:
            return class_
    category = unicodedata.category(char)
    return _BY_CATEGORY.get(category) or _BY_CATEGORY.get(category[0]) or SIGN


_CLASS: FormTable[int] = FormTable(_class_of)
_LATIN = bytes(_class_of(chr(i)) for i in range(256))

_PIECE = re.compile(
    rb"""
      (?<!DK)(?<!D[PC]) D{1,3}+ (?:C D{3}+ (?!D))++ (?:P D++)? (?![CP]?D)      # 12,500  1,234,567.89
    | (?P<decimal> (?<!DK)(?<!D[PC]) D++ (?: P D++ (?![CP]D) | C D{1,2}+ (?![CPKD]) ) )      # 2.5  2,5
    | L [LM]*+ (?= D{1,3} P D )                                                # pH of pH7.4
    | (?P<clitic> (?: (?<=[DLM]) | \A (?= A L{1,2} \Z ) ) A L [LM]*+ (?!D) )   # 's of 1990's, 's alone
    | (?P<word> L (?:[LM]++ | F++(?=[LD]))*+ (?!D) (?:[AI] L (?:[LM]++ | F++(?=[LD]))*+ (?!D))*+ )
    | D++ (?! [LMF] )                                                          # 7
    | (?P<mixed> [LD] (?:[LDM]++ | F++(?=[LD]))*+ )                            # 5mg  11Jan2021  B12
    | G M*+ (?:F G M*+)++                                                      # emoji joined by U+200D
    | (?P<run> [GPIKC]++ (?! [MF] ) | (?:[GPIKC] (?! M | F++G ))++ )           # ...  --  ?!
    | E E M*+                                                                  # two regional indicators: a flag
    | F++
    | M++
    | . M*+
    """,
    re.VERBOSE | re.DOTALL,
)
_LETTERS_OR_DIGITS = re.compile(rb"L[LMF]*+|D[DMF]*+")
_SAME = re.compile(r"(.)\1*+", re.DOTALL)
_YEAR_AND_STOP = re.compile(r"(?:19|20)\d\d[.,]")

_STRAIGHT = str.maketrans(dict.fromkeys("`´ʼ‘’‛′＇", "'"))
_CLITICS = frozenset(("'s", "'m", "'d", "'ll", "'re", "'ve", "n't"))
_ELISIONS = frozenset(  # French, Catalan, Italian
    "c d j l m n s t qu jusqu lorsqu puisqu quoiqu un all dall dell nell quell sull bell sant".split()
)
_MONTHS = frozenset(  # names of at most four letters: English, Spanish, French, German, Portuguese, Swedish
    re.findall(
        r"\w+",
        "jan feb mar apr may jun jul aug sep sept oct nov dec june july ene abr mayo ago dic mai juin août aoû avr fév déc "
        "juni juli okt dez fev maio maj",
    )
)
_ORDINAL_OR_DECADE = frozenset(("st", "nd", "rd", "th", "s"))
_SHORT = 300  # code points; below, arrays cost more time than they save
_BLOCK = 1 << 18  # code points processed at once
_LONGEST_KEPT = 64  # code points of the runs that are cached
_NO_SPACE = re.compile(r"\S++")
_ONE_SPACE = re.compile(r"\s")


def token_spans(text: str) -> tuple[list[int], list[int]]:
    """Return begins and ends of the tokens of a text, in order, as two lists of code point offsets.

    For long texts, they are arrays, which take a tenth of the memory and are read as lists are.
    """
    if len(text) < _SHORT:
        return _short(text)
    if len(text) <= _BLOCK:
        return _long(text, 0)
    begins, ends = array("i"), array("i")
    for low, high in _blocks(text):
        more_begins, more_ends = _long(text[low:high], low)
        begins.fromlist(more_begins)
        ends.fromlist(more_ends)
    return cast("list[int]", begins), cast("list[int]", ends)


def _short(text: str) -> tuple[list[int], list[int]]:
    """Split run by run: less setup than `_long`, for dictionary entries and short texts."""
    begins: list[int] = []
    ends: list[int] = []
    for run in _NO_SPACE.finditer(text):
        begin, end = run.span()
        begins.append(begin)
        for cut in _cuts_of(run[0]):
            begins.append(begin + cut)
            ends.append(begin + cut)
        ends.append(end)
    return begins, ends


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Divide the text into blocks of about `_BLOCK` code points that end before white space, to limit memory."""
    low = 0
    while len(text) - low > _BLOCK:
        high = max(text.rfind(" ", low, low + _BLOCK), text.rfind("\n", low, low + _BLOCK))
        if high <= low:
            space = _ONE_SPACE.search(text, low + _BLOCK)
            high = space.start() if space else len(text)
        yield low, high
        low = high
    yield low, len(text)


def _long(text: str, offset: int) -> tuple[list[int], list[int]]:
    """Split by a table over pairs of adjacent classes; only runs with an ambiguous pair are split by the grammar."""
    import numpy as np

    classes = _classes(text)
    pairs = np.frombuffer(classes, np.uint8)
    flags = _pair_table().take((pairs[:-1] << 4) | (pairs[1:] & 15))
    doubts = _where(flags, _DOUBT)
    if doubts.size:
        runs = _where(flags, _RUN)
        numbers = list(dict.fromkeys((runs.searchsorted(doubts, "right") - 1).tolist()))
        borders: list[int] = []
        for begin, end in zip(runs.take(numbers).tolist(), runs[1:].take(numbers).tolist(), strict=True):
            flags[begin + 1 : end] = 0
            run = text[begin:end]
            cuts = _KEPT[run] if end - begin <= _LONGEST_KEPT else _cuts(run, classes[begin + 1 : end + 1])
            borders += [begin + cut for cut in cuts]
        flags[borders] = _BEGIN | _END
    begins, ends = _where(flags, _BEGIN), _where(flags, _END)
    return ((begins + offset).tolist(), (ends + offset).tolist()) if offset else (begins.tolist(), ends.tolist())


def _where(flags: Bytes, flag: int) -> NDArray[np.intp]:
    indexes: NDArray[np.intp] = ((flags & flag) != 0).nonzero()[0]
    return indexes


def _classes(text: str) -> bytes:
    """Return the class of each code point, with a space before and after."""
    import numpy as np

    try:
        return b"_" + text.encode("latin-1").translate(_LATIN) + b"_"
    except UnicodeEncodeError:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    table = _class_table()
    classes = table.take(codes)
    if not classes.all():
        for code in np.unique(codes[classes == 0]).tolist():
            table[code] = _class_of(chr(code))
        classes = table.take(codes)
    return b"_" + classes.tobytes() + b"_"


@cache
def _class_table() -> Bytes:
    """Return the table of the class of each code point, 0 if it is not computed yet."""
    import numpy as np

    return np.zeros(0x110000, np.uint8)


_BEGIN, _END, _DOUBT, _RUN = 1, 2, 4, 8


@cache
def _pair_table() -> Bytes:
    """Return flags by pair of adjacent classes: begin or end of a token, border of a run of non-space, ambiguous."""
    import numpy as np

    together = {(LETTER, LETTER), (LETTER, MARK), (MARK, LETTER), (MARK, MARK), (DIGIT, DIGIT)}
    doubtful = {(LETTER, DIGIT), (DIGIT, LETTER), (MARK, DIGIT), (APOSTROPHE, LETTER), (HYPHEN, LETTER), (FLAG, FLAG)}
    doubtful |= {(STOP, DIGIT), (COMMA, DIGIT)} | {(c, c) for c in (SIGN, STOP, HYPHEN, SLASH, COMMA)}
    table = np.zeros(256, np.uint8)
    every = set(_LATIN) | {HAN, FLAG, FORMAT, MARK}
    for left in every:
        for right in every:
            flags = 0
            if left == SPACE or right == SPACE:
                if left != right:
                    flags = _RUN | (_BEGIN if left == SPACE else _END)
            elif (left, right) not in together:
                flags = _BEGIN | _END
            if (left, right) in doubtful or (right == FORMAT) or (right == MARK and left not in (LETTER, MARK)):
                flags |= _DOUBT
            table[((left << 4) | (right & 15)) & 255] = flags
    return table


def _cuts_of(run: str) -> Sequence[int]:
    """Return the offsets at which a run of non-space characters is split into tokens, without its own borders."""
    if len(run) <= _LONGEST_KEPT:
        return _KEPT[run]
    return _cuts(run, bytes(map(_CLASS.__getitem__, run)))


def _kept_cuts(run: str) -> tuple[int, ...]:
    return tuple(_cuts(run, bytes(map(_CLASS.__getitem__, run))))


_KEPT: FormTable[tuple[int, ...]] = FormTable(_kept_cuts)


def _cuts(run: str, classes: bytes) -> list[int]:
    cuts: list[int] = []
    for piece in _PIECE.finditer(classes):
        begin, end = piece.span()
        kind = piece.lastgroup
        if kind == "word":
            if APOSTROPHE in piece[0]:
                elided = _elided(run[begin:end])
                if elided:
                    cuts.append(begin + elided)
                clitic = _clitic(run[max(begin + 1, end - 3) : end])
                if clitic and end - clitic > begin + elided:
                    cuts.append(end - clitic)
        elif kind == "mixed":
            cuts.extend(_mixed_cuts(run, piece[0], begin))
        elif kind == "run":
            for same in _SAME.finditer(run, begin, end):
                cuts.extend((same.end() - 1, same.end()) if same[0] == ".." else (same.end(),))
            cuts.pop()
        elif kind == "clitic" and _clitic(run[begin:end]) != end - begin:
            cuts.append(begin + 1)
        elif kind == "decimal" and _YEAR_AND_STOP.match(run, begin, begin + 5):
            cuts.extend((begin + 4, begin + 5))
        cuts.append(end)
    return cuts[:-1]


def _clitic(tail: str) -> int:
    """Return the length of the clitic at the end of a word, given its last three characters; 0 if it has none."""
    tail = tail.translate(_STRAIGHT).lower()
    return 3 if tail in _CLITICS and len(tail) == 3 else 2 if tail[-2:] in _CLITICS else 0


def _elided(word: str) -> int:
    """Return the length of an elided article or pronoun with its apostrophe (`d'` of `d'Angers`); 0 if the word has none.

    If capitalized, it is split only before a lower-case letter: `L'hôpital`, but not `D'Angelo`.
    """
    prefix, _, rest = word.translate(_STRAIGHT).partition("'")
    if len(rest) < 2 or prefix.lower() not in _ELISIONS or {f"'{rest}".lower(), f"{prefix}'{rest}".lower()} & _CLITICS:
        return 0
    return len(prefix) + 1 if prefix.islower() or (prefix.istitle() and rest[:1].islower()) else 0


def _mixed_cuts(run: str, classes: bytes, offset: int) -> list[int]:
    """Return the inner borders of adjacent letters and digits at which a piece is split."""
    if len(classes) > _LONGEST_KEPT:
        return []  # a key, a hash, an encoded file
    parts = [part.span() for part in _LETTERS_OR_DIGITS.finditer(classes)]
    if len(parts) == 1:
        return []
    begin, end = parts[1]
    if len(parts) == 2 and classes[0] == DIGIT:
        whole = run[offset + begin : offset + end].lower() in _ORDINAL_OR_DECADE
    else:
        whole = not any(
            classes[b] == LETTER and (e - b > 4 or run[offset + b : offset + e].lower() in _MONTHS) for b, e in parts
        )
    return [] if whole else [offset + b for b, _ in parts[1:]]
