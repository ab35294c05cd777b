"""Parses a name of the record: `White, Brian`, `D. Flores MD`, `van der Berg`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...pipeline.storage.lazy_regex import lazy_regex
from .searchable_text import fold

PARTICLES = frozenset(
    "van von de der den del della di da das dos du des la las le lo los el al ter ten te zu zur vom af av ibn bin bint ben "
    "abu st saint san santa y e".split()
)
"""Words that belong to a surname but do not identify a person on their own."""

AFFIXES = frozenset(
    "dr doctor prof professor mr mrs ms miss mx mister sir dame lady lord rev reverend fr father sr sister br brother nurse "
    "hon judge capt captain col colonel lt maj major gen sgt jr jnr snr ii iii iv md do phd pharmd dds dmd dvm rn lpn np pa "
    "pac crna cnm fnp aprn dnp bsn msn rph mba mph esq facp facs facc faap frcs frcp mbbs mbchb bsc msc ba ma "
    "herr frau monsieur madame mme mlle senor senora señor señora sra don doña drs ing".split()
)
"""Titles and post-nominals, folded and without full stops."""

EMPTY = frozenset(
    "unknown unk na none null nil masked mask msk privacy redacted anonymous anonymised anonymized confidential withheld asku "
    "nask ni unspecified blank test patient not reported available applicable".split()
)
"""Words of name fields that contain no name."""

_FIRST_NAMES_TOO = frozenset("al ben san la le lo el da di du santa abu e y".split())
_NAMES_TOO = frozenset("do ma ba pa np st fr br sr sister brother major judge dean dame lady lord ing gen".split())

_WORD = lazy_regex(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f'’‐‑-])*")
_NICK = lazy_regex(r"[\"“(]\s*([^\W\d_]{2,20})\s*[\"”)]")


@dataclass(frozen=True, slots=True)
class PersonName:
    """The parts of a name, as written; `either` is a single word that may be a given name or a surname."""

    given: tuple[str, ...] = ()
    family: tuple[str, ...] = ()
    """Surnames without particles."""
    whole_family: str = ""
    """The surname with its particles: `van der Berg`."""
    either: str = ""
    initials: str = ""
    """Folded first letters of given names, then surnames, including those that are initials in the value."""

    @property
    def words(self) -> tuple[str, ...]:
        return (*self.given, *self.family, *((self.either,) if self.either else ()))


def parse_name(value: str) -> PersonName:
    """Return the parts of a name field; all are empty if the field contains no name."""
    nicks = tuple(_NICK.findall(value))
    value = _without_credentials(_NICK.sub(" ", value))
    before, comma, after = value.partition(",")
    if comma and (rest := _words(after)):
        family, given = _words(before), rest
    else:
        words = _words(before)
        if len(words) < 2:
            return _single(words, nicks)
        family_begin = len(words) - 1
        while family_begin > 1 and fold(words[family_begin - 1]) in PARTICLES:
            family_begin -= 1
        if family_begin == 1 and fold(words[0]) in PARTICLES - _FIRST_NAMES_TOO:
            family_begin = 0
        given, family = words[:family_begin], words[family_begin:]
    names = [w for w in family if fold(w) not in PARTICLES or len(family) == 1]
    parts = [*given, *names]
    return PersonName(
        given=(*[w for i, w in enumerate(given) if len(w) > 1 and (not i or fold(w) not in PARTICLES)], *nicks),
        family=tuple(w for w in names if len(w) > 1),
        whole_family=" ".join(family) if len(family) > 1 else "",
        initials="".join(fold(w[0]) for w in parts),
    )


def _without_credentials(value: str) -> str:
    """Return the value without dotted credentials (`M.D.`) and without titles after a comma."""
    pieces = re.split(r"([\s,]+)", value) if "." in value else []
    dotted = [p for p in pieces if "." in p[:-1] and fold(p).replace(".", "") in AFFIXES]
    if dotted and len(dotted) < len([p for p in pieces if p.strip(" ,")]):
        value = "".join(p for p in pieces if p not in dotted)
    before, _, after = value.partition(",")
    titles = [p for p in re.split(r"[\s,]+", fold(after)) if p]
    return before if titles and all(p.replace(".", "") in AFFIXES for p in titles) else value.strip(" ,")


def _single(words: list[str], nicks: tuple[str, ...]) -> PersonName:
    if not words:
        return PersonName(given=nicks)
    word = words[0]
    letters = word.replace("-", "")
    if not (2 <= len(letters) <= 3 and letters.isupper()):
        return PersonName(given=nicks, either=word if len(word) > 1 else "", initials=fold(word[0]))
    pronounceable = any(c in "aeiouy" for c in fold(letters[1:]))  # AB, MRS are initials; LI, LEE may be names
    return PersonName(given=nicks, either=word if pronounceable else "", initials=fold(letters))


def _words(text: str) -> list[str]:
    """Return the words that are names or initials; dotted initials are separated: `B.W.` -> `B`, `W`."""
    words = [w.rstrip("'’‐‑-") for w in _WORD.findall(text)]
    if all(fold(w) in EMPTY for w in words):
        return []
    names = [w for w in words if not _is_affix(w)]
    if len(names) < 2 <= len(words):  # `KIM DO`: a word that could be a title must be a name
        names = [w for w in words if not _is_affix(w) or fold(w) in _NAMES_TOO]
    return names


def _is_affix(word: str) -> bool:
    low = fold(word).replace("'", "")
    if low not in AFFIXES:
        return False
    return len(low) > 2 or low in ("dr", "mr", "ms", "mx", "jr", "rn", "md", "ii", "iv") or word.isupper()
