"""The resource "site list": what is never PHI at a site (`allow`) and what always is (`deny`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from ...pipeline.contract.resources import Resource
from ...pipeline.errors import ConfigError, ResourceError
from ..patterns.byte_text import Offsets, free_after, free_before, plain
from .entry import Entry, SiteMatch
from .loader import Loader, files_of
from .word_index import WordIndex


class Found(NamedTuple):
    """The matches that count, each list in text order and without matches inside others."""

    allow: list[SiteMatch]
    deny: list[SiteMatch]


class SiteList(Resource):
    """The words, phrases and patterns of a site."""

    kind: ClassVar[str] = "site list"

    def __init__(self, file: str, words: WordIndex, patterns: Iterable[tuple[Any, Entry]]) -> None:
        self.file = file
        self._words = words
        self._patterns = tuple(patterns)

    def __len__(self) -> int:
        return len(self._words) + len(self._patterns)

    def __repr__(self) -> str:
        return f"<SiteList {Path(self.file).name}: {len(self):,} entries>"

    def __reduce__(self) -> tuple[Callable[[str], SiteList], tuple[str]]:
        return type(self).load, (self.file,)  # compiled patterns cannot be pickled, so the file is read again

    def find(self, text: str) -> Found:
        """Return what is allowed and what is denied in a text.

        A denied match stands unless it is inside a longer allowed one. An allowed match that overlaps a denied one that stands
        is dropped.
        """
        allow: list[SiteMatch] = []
        deny: list[SiteMatch] = []
        for match in [*self._words.find(text), *self._in_patterns(text)]:
            (allow if match.entry.kind is None else deny).append(match)
        allow = _outermost(allow)
        deny = _outermost(_standing(deny, allow))
        return Found([m for m in allow if not _overlaps(m, deny)] if deny else allow, deny)

    def _in_patterns(self, text: str) -> Iterator[SiteMatch]:
        if not self._patterns or not text:
            return
        data = plain(text).encode("utf-8", "surrogatepass")
        for pattern, entry in self._patterns:
            offsets = Offsets(data, len(data) == len(text))
            for match in pattern.finditer(data):
                begin, end = match.span()
                if begin < end and free_before(data, begin, "word") and free_after(data, end, "word"):
                    yield SiteMatch(offsets.code_point(begin), offsets.code_point(end, advance=False), entry)

    @classmethod
    def load(cls, name: str) -> Self:
        """Read a site list: YAML, or a table in CSV or TSV. Raises ResourceError that lists every fault with file and line."""
        loader = Loader(Path(name))
        if loader.faults:
            raise ResourceError("\n".join(map(str, loader.faults)))
        return cls(name, loader.words, loader.patterns)

    @classmethod
    def check(cls, name: str) -> str | None:
        """Return all faults of a site list with their lines, or None if it has none."""
        wrong = super().check(name)
        if wrong:
            return wrong
        faults = Loader(Path(name)).faults
        return str(ConfigError(faults)) if faults else None

    @classmethod
    def files(cls, name: str) -> list[Path]:
        """Return the site list and the files that it names."""
        return files_of(Path(name))


def _outermost(matches: Iterable[SiteMatch]) -> list[SiteMatch]:
    """Return matches in text order without those inside another one; of equal spans the first."""
    kept: list[SiteMatch] = []
    for match in sorted(matches, key=lambda m: (m.begin, -m.end)):
        if not kept or match.end > kept[-1].end:
            kept.append(match)
    return kept


def _standing(deny: list[SiteMatch], allow: list[SiteMatch]) -> Iterator[SiteMatch]:
    """Yield the denied matches that are not inside a longer allowed one; `allow` is sorted, and none is inside another."""
    first = 0
    for match in sorted(deny, key=lambda m: (m.begin, -m.end)):
        while first < len(allow) and allow[first].end <= match.begin:
            first += 1
        around = False
        for other in allow[first:]:
            if other.begin > match.begin:
                break
            around = around or (other.end >= match.end and other.length > match.length)
        if not around:
            yield match


def _overlaps(match: SiteMatch, others: list[SiteMatch]) -> bool:
    low, high = 0, len(others)
    while low < high:  # the first that ends after the match begins
        middle = (low + high) // 2
        if others[middle].end <= match.begin:
            low = middle + 1
        else:
            high = middle
    return low < len(others) and others[low].begin < match.end
