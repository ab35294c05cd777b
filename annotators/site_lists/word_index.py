"""Finds many words and phrases in one pass; the time does not depend on their number."""

from __future__ import annotations

from collections.abc import Iterator

from ..patterns.lists import inside_word, joins, piece_spans, pieces
from .entry import Entry, SiteMatch


class WordIndex:
    """Words and phrases by their letters and digits. White space, dashes and apostrophes between them do not count."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, ...], list[Entry]] = {}
        self._longest: dict[str, int] = {}

    def __len__(self) -> int:
        return sum(map(len, self._entries.values()))

    def same(self, words: str) -> list[Entry]:
        """Return the entries with the same letters and digits."""
        return self._entries.get(pieces(words), [])

    def add(self, words: str, entry: Entry) -> None:
        """Add an entry; `words` has at least one letter or digit."""
        key = pieces(words)
        self._entries.setdefault(key, []).append(entry)
        self._longest[key[0]] = max(self._longest.get(key[0], 0), len(key))

    def find(self, text: str) -> Iterator[SiteMatch]:
        """Yield every match of every entry, whole words only, in text order."""
        if not self._entries:
            return
        spans = piece_spans(text)
        longest = self._longest
        for i, (begin, _, piece) in enumerate(spans):
            most = longest.get(piece)
            if most is None:
                continue
            key: tuple[str, ...] = ()
            for j in range(i, min(i + most, len(spans))):
                if j > i and not joins(text, spans[j - 1][1], spans[j][0]):
                    break
                key = (*key, spans[j][2])
                end = spans[j][1]
                for entry in self._entries.get(key, ()):
                    if entry.fits(text[begin:end]) and not inside_word(text, begin, end):
                        yield SiteMatch(begin, end, entry)
