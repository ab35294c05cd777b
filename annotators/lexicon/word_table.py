"""One table of all words of the lexicon pack: which lists contain a word, in one look-up for all of them.

Most words of a text that were not seen before are in none or few of the fifty lists of the pack. A rule or feature that asks list
by list pays for every list; with the table it pays for one look-up, and then only for the lists that contain the word. The
table is compiled once, and mapped into memory from the cache on the disk, as the lists are.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import marisa_trie
import numpy as np

from ...pipeline.errors import ResourceError
from ...typesystem import FormTable
from .compiled import ANY, cached, key_of_files
from .lexicon import COMBINED, Lexicon, pack_files
from .normalization import SEPARATOR, normalize

WORDS, CLASSES, META = "words.marisa", "classes.npy", "word_table.json"
VERSION = "word table 2"
"""Version of the folder's layout; part of the cache key."""


class Lists(NamedTuple):
    """The lists that contain a word, as sets of bits (`WordTable.bits`)."""

    inside: int
    """Lists with an entry that contains the word as a token."""
    whole: int
    """Lists with an entry that is the word alone."""
    longer: int
    """Lists with an entry of several tokens that begins with the word."""
    cased: int
    """Lists with an entry that is the word alone, but only in a certain case: `ALL`, a leukemia."""


NONE = Lists(0, 0, 0, 0)
"""A word in no list."""


class WordTable:
    """Maps words in normal form (`normalization.NORMAL`) to the lists of the pack that contain them.

    `names` are the lists in the order of their bits; `classes[i]` is the index in `lists` of word i of `words`: there are a
    few thousand different ones.
    """

    def __init__(self, words: marisa_trie.Trie, classes: Any, names: list[str], lists: list[Lists]) -> None:
        self.names = names
        self._words, self._classes, self._lists = words, classes, lists
        self._get, self._number = words.get, memoryview(classes)  # an item costs a third of numpy's
        self._bit = {name: 1 << i for i, name in enumerate(names)}
        self.of_form: FormTable[Lists] = FormTable(lambda form: self[normalize(form)])
        """The lists of recently used forms, in any case, which rules and features share."""

    def __getitem__(self, normal: str) -> Lists:
        number = self._get(normal)
        return NONE if number is None else self._lists[self._number[number]]

    def __len__(self) -> int:
        return len(self._words)

    def of_forms(self, forms: Sequence[str]) -> list[Lists]:
        """Return the lists of several forms, in any case; those of new ones are looked up together."""
        self.of_form.fill(forms, self._many)
        return list(map(self.of_form.__getitem__, forms))

    def _many(self, forms: list[str]) -> list[Lists]:
        found = map(self._get, [normalize(form) for form in forms])
        lists, number = self._lists, self._number
        return [NONE if word is None else lists[number[word]] for word in found]

    def bits(self, *names: str) -> int:
        """Return the bits of lists of the pack or of combinations of them (`medical`). Raises KeyError for other names."""
        bits = 0
        for name in names:
            for part in COMBINED.get(name, (name,)):
                bits |= self._bit[part]
        return bits

    def save(self, folder: Path) -> None:
        """Write the parts into an existing empty folder."""
        self._words.save(str(folder / WORDS))
        np.save(folder / CLASSES, self._classes, allow_pickle=False)
        text = json.dumps({"names": self.names, "lists": self._lists})
        (folder / META).write_text(text, encoding="utf-8")

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Map a saved table into memory. Raises ResourceError for a damaged folder."""
        try:
            words = marisa_trie.Trie().mmap(str(folder / WORDS))
            classes = np.asarray(np.load(folder / CLASSES, mmap_mode="r", allow_pickle=False))
            meta = json.loads((folder / META).read_text(encoding="utf-8"))
            lists = [Lists(*row) for row in meta["lists"]]
            valid = (
                classes.shape == (len(words),) and classes.dtype == np.uint16 and classes.max(initial=0) < len(lists)
            )
            if not valid or not all(type(bits) is int for row in lists for bits in row):
                raise ValueError
        except Exception as error:  # damaged arrays raise many types of errors: their headers are Python literals
            raise ResourceError(f"{folder}: not a word table ({type(error).__name__}): build it again") from None
        return cls(words, classes, meta["names"], lists)


@cache
def word_table() -> WordTable:
    """Return the table of the lists of the pack, which is compiled if the cache on the disk does not contain it."""
    files = pack_files()
    return cached(key_of_files(files.values(), VERSION), lambda: compile_lists(list(files)), WordTable.open)


def compile_lists(names: list[str]) -> WordTable:
    """Compile the table of some lists of the pack."""
    inside, whole, longer, cased = (defaultdict[str, int](int) for _ in range(4))
    for i, name in enumerate(names):
        compiled, bit = Lexicon.load(name).compiled, 1 << i
        for word, number in compiled.words.iteritems():
            inside[word] |= bit
            if compiled.depth[number] > 1:
                longer[word] |= bit
        in_case = np.maximum.reduceat(compiled.rows[:, -1] != ANY, compiled.first[:-1].astype(np.intp))
        for key, number in compiled.trie.iteritems():
            if key.find(SEPARATOR) == len(key) - 1:
                whole[key[:-1]] |= bit
                if in_case[number]:
                    cased[key[:-1]] |= bit
    words = marisa_trie.Trie(list(inside))
    known: dict[Lists, int] = {}
    classes = np.zeros(len(words), np.uint16)
    for word, number in words.iteritems():
        lists = Lists(inside[word], whole.get(word, 0), longer.get(word, 0), cased.get(word, 0))
        classes[number] = known.setdefault(lists, len(known))
    return WordTable(words, classes, names, list(known))
