"""Makes an indefinite article agree with the replacement after it: `an 8-year-old`, `a 10-month-old`."""

from __future__ import annotations

import re

from ....pipeline.storage.lazy_regex import lazy_regex

_ARTICLE = lazy_regex(r"(?:(?<=\s)|(?<=[(\"'“‘])|^)(?P<article>an?|An?|AN)[ \t\n]{1,2}[\"'“(]?$")
_SENTENCE_END = lazy_regex(r"(?:^|[.!?:;\n]\s*|[\"'“(])$")
_FIRST = lazy_regex(r"\d[\d,]*|[^\W\d_]+")
_LIKE_CONSONANT = lazy_regex(r"(?i)eu|uni(?!n)|us[aeiu]|ut[aei]|ur[aeio]|ub[aeio]|uk|one\b|once\b|ewe|ou[ia]")
_SILENT_H = lazy_regex(r"(?i)hou?r|honou?r|honest|heir")
_VOWEL_LETTERS = frozenset("AEFHILMNORSX")


def article_before(text: str, begin: int, replacement: str) -> tuple[int, int, str] | None:
    """Return (begin, end, article) of the article before an offset if the replacement there needs the other form, else None.

    A capital `A` counts only where a sentence can begin: it may be a letter (`hepatitis A`).
    """
    start = max(begin - 12, 0)
    found = _ARTICLE.search(text[start:begin])
    if found is None:
        return None
    article, at = found["article"], start + found.start("article")
    if at and start == at and not text[at - 1].isspace():
        return None
    if article[0] == "A" and not _SENTENCE_END.search(text[max(at - 3, 0) : at]):
        return None
    sound = begins_with_vowel_sound(replacement)
    if sound is None or sound == (len(article) == 2):
        return None
    new = article[0] + ("N" if article.isupper() and len(article) > 1 else "n") if sound else article[0]
    return at, at + len(article), new


def begins_with_vowel_sound(text: str) -> bool | None:
    """Return whether the first word or number of a text is pronounced with a vowel first; None if it has neither."""
    found = _FIRST.search(text)
    if found is None:
        return None
    word = found.group()
    if word[0].isdecimal():
        digits = word.replace(",", "")
        return digits[0] == "8" or (digits[:2] in ("11", "18") and len(digits) % 3 == 2)
    if word.isupper() and 1 < len(word) <= 5 and not re.search("[AEIOUY]", word):
        return word[0] in _VOWEL_LETTERS
    if len(word) == 1 and word.isupper():
        return word in _VOWEL_LETTERS
    if word[0].casefold() in "hH":
        return bool(_SILENT_H.match(word))
    return word[0].casefold() in "aeiouàáâäåæèéêëìíîïòóôöøùúûü" and not _LIKE_CONSONANT.match(word)
