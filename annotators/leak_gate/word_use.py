"""Use of a word of the text that equals a masked value: as a name, or as an ordinary word."""

from __future__ import annotations

import re

from ...pipeline.storage.lazy_regex import lazy_regex
from ..known_phi.person_name import PARTICLES
from ..known_phi.searchable_text import PhiMatch, SearchableText, fold
from ..names.words import NAME, Words

_WORD = lazy_regex(r"[^\W\d_]{2,}")
_CLINICAL_END = lazy_regex(
    r"""[^\W\d_]{4}(?: path(?:y|ies|ic) | (?:ec|os?|s)tom(?:y|ies) | otom(?:y|ies) | plast(?:y|ies) | (?:ur|em|aem|alg|pen|plas)ia
        | itis | osis | oses | scop(?:e|es|y|ic) | graph(?:y|s|ic)? | grams? | hyoid | scapularis | (?:tiv|ic|riz)ally
        | (?:at|ct|it)ively | flex(?:ion)? | iatrics? | omas? | megaly | lysis | troph(?:y|ic) | (?:o|e)?edema )""",
    re.VERBOSE,
)
"""Clinical words in few word lists: `coagulopathy`, `preoperatively`, `arthrotomy`."""
_UNITS = frozenset("min mins max sec secs hrs wks mos yrs".split())
_NOT_NAMES = frozenset("neg pos".split())


class WordUse:
    """Judges matches in one document. `small`: names in small letters count if they are not English words."""

    def __init__(self, document: SearchableText, words: Words, small: bool) -> None:
        self.document = document
        self.words = words
        self.small = small

    def is_name(self, match: PhiMatch) -> bool:
        """Return whether a name of two-letter words is written as one, unlike `is to`: with capitals, or in words that are not
        English. `IS TO` and small letters in a text without capitals need one such word."""
        text = self.document.text[match.begin : match.end]
        words = _WORD.findall(text)
        words = [w for w in words if fold(w) not in PARTICLES] or words
        english = [bool(self.words.level(w) or self.words.is_word(w)) for w in map(fold, words)]
        capitals = all(w[0].isupper() for w in words)
        if capitals and not text.isupper():
            return True
        if capitals or self.document.lower_case:
            return not all(english)
        return self.small and not any(english)

    def is_distinctive(self, match: PhiMatch) -> bool:
        """Return whether a match has a capital, a digit or a non-English word; in a text without capitals every match counts."""
        text = self.document.text[match.begin : match.end]
        if text in _NOT_NAMES or self._is_measure(match, text):
            return False
        if self.document.lower_case or text != text.lower() or any(map(str.isdigit, text)):
            return True
        return self.small and not all(map(self.is_ordinary, _WORD.findall(text)))

    def _is_measure(self, match: PhiMatch, text: str) -> bool:
        """Return whether a match is a unit after a number: `8 min`."""
        return text in _UNITS and self.document.text[max(0, match.begin - 3) : match.begin].rstrip()[-1:].isdigit()

    def is_ordinary(self, word: str) -> bool:
        """Return whether a word in small letters is an English word, or a clinical one that no list of names contains."""
        if self.words.level(word) or self.words.is_word(word):
            return True
        return not self.words.facts[word] & NAME and _CLINICAL_END.search(word) is not None
