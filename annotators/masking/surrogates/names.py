"""The parts of a person's name as a text writes it: given names, surnames, initials, titles, suffixes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ....pipeline.storage.lazy_regex import lazy_regex
from . import pools

_RUN = lazy_regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*|[\W\d_]+?(?=[^\W\d_]|$)")
_POSSESSIVE = lazy_regex(r"['’][sS]$")
TITLES_BEFORE = frozenset({"dr", "mr", "mrs", "ms", "miss", "mx", "prof", "professor", "doctor", "sir", "iur", "dipl"})
_AFTER = frozenset({"jr", "sr", "ii", "iii", "iv", "md", "phd", "rn", "dds", "mbbs", "frcp", "facp", "esq"})
_PARTICLES = frozenset(
    "van von de der den del della di da dos du la le ter ten zu af bin ibn al el ó ní nic uí mac".split()
)
_NOT_NAMES = frozenset({"and", "or", "baby", "boy", "girl", "infant", "newborn", "mother", "father"})
"""Words that a finder takes for a part of a name: `Baby Girl Berg`."""
_GENERATIONS = frozenset({"jr", "sr", "ii", "iii", "iv"})


@dataclass(slots=True)
class NamePart:
    text: str
    role: str
    """`given`, `surname`, `single` (one or the other), `initials`, or empty for kept parts: titles, particles, punctuation."""

    @property
    def key(self) -> str:
        return self.text.casefold()


def parts_of(text: str) -> list[NamePart]:
    """Return the parts of a name in order; joined, they are the text."""
    lines = text.splitlines(keepends=True)
    if len(lines) > 1:  # two people in one span
        return [part for line in lines for part in parts_of(line)]
    parts: list[NamePart] = []
    for run in _RUN.findall(text):
        possessive = _POSSESSIVE.search(run)
        if possessive and possessive.start():
            parts += [NamePart(run[: possessive.start()], "name"), NamePart(possessive.group(), "")]
        else:
            parts.append(NamePart(run, "name" if run[0].isalpha() else ""))
    names = [p for p in parts if p.role]
    after_name = False
    for i, part in enumerate(names):
        side = _title_side(part.text)
        is_title = side in ("both", "after" if after_name else "before")
        particle = part.key in _PARTICLES and i + 1 < len(names)
        credential = i > 1 and i + 1 == len(names) and not text.isupper() and _is_credential(part.text)
        if is_title or particle or credential or part.key in _NOT_NAMES or _is_common_noun(parts, part):
            part.role = ""
            continue
        after_name = True
        if len(part.text) == 1:
            part.role = "initials"
    _assign_roles(parts)
    return parts


def generation_of(parts: list[NamePart]) -> str:
    """Return what distinguishes people of one name, folded: `jr`, `iii`."""
    return next((p.key for p in parts if not p.role and p.key in _GENERATIONS), "")


def titles_of(parts: list[NamePart]) -> list[str]:
    """Return the kept words before the name, folded."""
    first = next((i for i, p in enumerate(parts) if p.role), len(parts))
    return [p.key for p in parts[:first] if p.text[0].isalpha()]


def looks_like_initials(text: str) -> bool:
    """Return whether letters stand for words: `J.S.`, `JS`, `tk`, but not `Xi`, and not a short surname in capitals."""
    letters = [c for c in text if c.isalpha()]
    if not letters or len(letters) > 4 or text.replace(".", "").replace(" ", "") != "".join(letters):
        return False
    if "." in text[:-1]:
        return all(len(word) <= 1 for word in re.split(r"[.\s]+", text))
    same_case = text.isupper() or (text.islower() and len(letters) == 2)
    word = text.title()
    return same_case and not (pools.lexicon("surnames").has(word) or pools.lexicon("given_names").has(word))


def is_surname(key: str) -> bool:
    """Return whether a folded word alone is rather a surname than a given name."""
    given = pools.lexicon("given_names").entry(key.title())
    surname = pools.lexicon("surnames").entry(key.title())
    return given is None or (surname is not None and surname.share >= given.share)


def _is_credential(word: str) -> bool:
    """Return whether a last word is letters of a degree: `DCH`, but not a name in capitals."""
    names = [pools.lexicon(name).has(word.title()) for name in ("surnames", "given_names")]
    return 2 <= len(word) <= 5 and word.isupper() and not re.search("[AEIOUY]", word) and not any(names)


def _is_common_noun(parts: list[NamePart], part: NamePart) -> bool:
    """Return whether a word is owned by a person: `clinic` in `Stein's clinic`."""
    index = next(i for i, p in enumerate(parts) if p is part)
    owned = any(_POSSESSIVE.fullmatch(p.text) for p in parts[:index])
    names = [pools.lexicon(name).has(part.text.title()) for name in ("surnames", "given_names")]
    return owned and part.text.islower() and pools.lexicon("common_words").has(part.text) and not all(names)


def _is_common_surname(key: str) -> bool:
    return pools.lexicon("surnames").has(key.title()) and is_surname(key)


def _assign_roles(parts: list[NamePart]) -> None:
    names = [p for p in parts if p.role]
    words = [p for p in names if p.role == "name"]
    comma = next((i for i, p in enumerate(parts) if not p.role and "," in p.text), len(parts))
    after = [p for p in parts[comma:] if p.role]
    before = [p for p in parts[:comma] if p.role]
    titled = any(title in TITLES_BEFORE for title in titles_of(parts))
    between = {p.text for p in parts if not p.role} if names and not titled else {""}
    if len(names) > 1 and names[0] is parts[0] and names[-1] is parts[-1] and between == {"-"}:  # Kwok-Wai alone
        for part in words:
            part.role = "single"
        return
    if not (after and before) and len(words) > 1 and _are_initials(words[-1], words[-2]):  # Smith JA
        words.pop().role = "initials"
    capitals = [p for p in words if p.text.isupper()]
    marked = capitals[0] if len(words) > 1 and len(capitals) == 1 and len(capitals[0].text) > 2 else None  # SMITH John
    for part in words:
        if after and before:
            part.role = "given" if any(p is part for p in after) else "surname"
        elif len(names) == 1:
            part.role = "surname" if titled else "single"
        elif len(words) == 1 and names[0] is part and not _is_common_surname(part.key):  # Michelle L.
            part.role = "given"
        elif marked is not None:
            part.role = "surname" if part is marked else "given"
        else:
            part.role = "surname" if part is words[-1] else "given"
    for i in range(len(parts) - 3, -1, -1):  # O'Brien-Jones: both halves are one surname
        if parts[i].role == "given" and parts[i + 1].text == "-" and parts[i + 2].role == "surname":
            parts[i].role = "surname"


def _are_initials(last: NamePart, before: NamePart) -> bool:
    return len(last.text) <= 2 and last.text.isupper() and not before.text.isupper()


def _title_side(word: str) -> str:
    """Return on which side of a name a title is written, `before`, `after` or `both`; empty for other words and for names."""
    low = word.casefold()
    if low in TITLES_BEFORE or low in _AFTER:
        return "before" if low in TITLES_BEFORE else "after"
    entry = pools.lexicon("person_titles").entry(word)
    if entry is None or pools.lexicon("given_names").has(word) or pools.lexicon("surnames").has(word):
        return ""
    return entry.columns["side"]
