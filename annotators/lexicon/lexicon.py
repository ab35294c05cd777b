"""The lexicon resource: a list or terminology by name or path, compiled once and shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, Self, cast

from ...pipeline.contract.resources import Resource
from ...pipeline.errors import ResourceError, nearest
from ...pipeline.storage.hashing import below
from ...typesystem import FormTable
from .compiled import BY_TOKEN, EXACT, META, Compiled, cached, compile_terms, key_of_files
from .loaders import pack
from .normalization import NORMAL, abbreviations, joined, key_of, tokens_of, words_of
from .term import LexiconAddress, TermSource

PACK = Path(str(files("caspipe.configs"))) / "lexicons"

COMBINED: dict[str, tuple[str, ...]] = {
    "medical": tuple("lab_procedures symptoms diseases anatomical_sites medications wordnet_terms drug_names".split()),
    "names": ("given_names", "surnames"),
    "places": ("cities", "countries", "us_states", "provinces", "us_counties"),
}
"""Names of combinations of several lists of the pack."""


class Entry(NamedTuple):
    """One entry of a lexicon, as written in its source, with the columns of its list."""

    form: str
    list: str
    """Name of its list or terminology."""
    group: str
    """A `TermGroup` value for medical terms, else the name of the list."""
    concept: str
    preferred: str
    """The name of its concept, which may be the form itself."""
    columns: Mapping[str, str]
    exact: str = ""
    """For abbreviations, the text that must match exactly, without hyphens; empty if case does not count."""
    capitals: tuple[tuple[int, str], ...] = ()
    """(index, word) of the words of a longer entry that must keep their case: `CT` of `CT of the head`."""

    @property
    def ambiguous(self) -> bool:
        """True if the form is also an everyday word (or, in other lists, often something else)."""
        return self.columns.get("ambiguous") == "1"

    def number(self, column: str, default: float = 0.0) -> float:
        """Return a column as a number, or the default if it is empty or missing."""
        value = self.columns.get(column, "")
        return float(value) if value else default

    @property
    def kind(self) -> str:
        """The type of the entry within its list, if the list distinguishes types."""
        return self.columns.get("kind", "")

    @property
    def sex(self) -> str:
        """The sex of a given name: `F`, `M` or `U` (both or unknown)."""
        return self.columns.get("sex", "")

    @property
    def share(self) -> float:
        """Share of the population of the USA in 1990 with this name, in percent; 0 if unknown."""
        return self.number("share")

    @property
    def tier(self) -> int:
        """SCOWL size of the form as an English word: 10 for the most common ones, 60 for rare ones, 0 for other words."""
        return int(self.number("tier"))

    @property
    def population(self) -> int:
        """Population of a place; 0 if unknown."""
        return int(self.number("population"))


class Lexicon(Resource):
    """A dictionary of words and phrases with their columns.

    `Lexicon.load` takes the name of a list of the pack (`surnames`), a combination of lists (`medical`), a compiled folder,
    or a path in a known format: `terms.csv`, `MedAscii::meddra`, `META::umls?tuis=current`.
    """

    kind = "lexicon"

    def __init__(self, compiled: Compiled, name: str) -> None:
        self.name = name
        self.compiled = compiled
        self._columns = {h["name"]: tuple(h["columns"]) for h in compiled.meta["lists"]}
        self._frequent = _Strings(compiled)
        self._numbers: dict[str, dict[tuple[int, int], float]] = {}
        self._by_key: FormTable[tuple[Entry, ...]] = FormTable(self._read_key)
        self._by_form: FormTable[tuple[Entry, ...]] = FormTable(self._read_form)

    @classmethod
    def load(cls, name: str) -> Self:
        """Return the lexicon called `name`; lists of the pack are loaded once per process.

        Raises ResourceError for an unknown name, a missing path or a file that is not what its format says.
        """
        if name in COMBINED or name in pack_files():
            if name not in _PACKED:
                _PACKED[name] = Lexicon(_compiled(name), name)
            return cast(Self, _PACKED[name])
        return cls(_compiled(name), name)

    @classmethod
    def of(cls, source: TermSource) -> Self:
        """Return a lexicon of the given terms, in memory."""
        return cls(compile_terms([source], source.name), source.name)

    @classmethod
    def names(cls) -> list[str]:
        return sorted([*pack_files(), *COMBINED])

    @classmethod
    def address(cls, name: str) -> tuple[str, str]:
        if name in cls.names():
            return name, ""
        place, mark, rest = name.partition("::")
        return str(Path(place).expanduser()), mark + rest

    @classmethod
    def files(cls, name: str) -> list[Path]:
        """Return the files of the pack that a name refers to, or those that its format reads."""
        packed = pack_files()
        if name in packed or name in COMBINED:
            return [packed[n] for n in COMBINED.get(name, (name,))]
        place = Path(cls.address(name)[0])
        if (place / META).is_file():
            return below(place)
        address = LexiconAddress.parse(name)
        return address.format.files(address.path)

    @classmethod
    def check(cls, name: str) -> str | None:
        if name in cls.names() or (Path(name.partition("::")[0]) / META).exists():
            return None
        if not Path(name.partition("::")[0]).expanduser().exists():
            return super().check(name)
        try:
            LexiconAddress.parse(name)
        except ResourceError as error:
            return str(error)
        return None

    def __reduce__(self) -> tuple[Callable[[str], Lexicon], tuple[str]]:
        return type(self).load, (self.name,)

    def __repr__(self) -> str:
        return f"<Lexicon {self.name}>"

    def __len__(self) -> int:
        return int(self.compiled.meta["terms"])

    @property
    def is_packed(self) -> bool:
        """True for a list of the pack or a combination of such lists, false for a file, even of the same name."""
        return _PACKED.get(self.name) is self

    def __contains__(self, form: str) -> bool:
        return bool(self._by_form[form])

    def has(self, form: str) -> bool:
        """Return whether a word or phrase is in the lexicon; case counts only for abbreviations."""
        if self._has_abbreviations:
            return bool(self._by_form[form])
        key = _KEYED[form][1]
        return bool(key) and key in self.compiled.trie

    def greatest(self, form: str, column: str) -> float | None:
        """Return the greatest number of the entries of a word in a column, None if it has no entry. Faster than `entries`."""
        if self._has_abbreviations:
            return max([entry.number(column) for entry in self._by_form[form]], default=None)
        return self.greatest_of_key(_KEYED[form][1], column)

    def greatest_of_key(self, key: str, column: str) -> float | None:
        """Return the same for a key (`normalization.key_of`), in any case."""
        compiled = self.compiled
        number = compiled.trie.get(key) if key else None
        if number is None:
            return None
        numbers = self._numbers.get(column)
        if numbers is None:
            numbers = self._numbers[column] = {}
        cells, found = compiled.cells, []
        for row in range(compiled.starts[number], compiled.starts[number + 1]):
            # the numbers of the columns and of their list: few for shares and tiers, many words each
            cell = cells[row, 4], cells[row, 5]
            value = numbers.get(cell)
            if value is None:
                if len(numbers) >= _MOST_NUMBERS:
                    numbers.clear()
                value = numbers[cell] = self._entry(*compiled.rows[row].tolist()).number(column)
            found.append(value)
        return found[0] if len(found) == 1 else max(found)

    def columns_of_key(self, key: str) -> int | None:
        """Return the number of the columns of the only entry with a key; None if it has none or several.

        Entries of a list with the same number have the same columns.
        """
        compiled = self.compiled
        number = compiled.trie.get(key)
        if number is None or compiled.starts[number + 1] - compiled.starts[number] != 1:
            return None
        return compiled.cells[compiled.starts[number], 4]

    @cached_property
    def _has_abbreviations(self) -> bool:
        """True if the case of some entries counts."""
        return bool(self.compiled.rows[:, -1].any())

    def entry(self, form: str) -> Entry | None:
        """Return the first entry of a word or phrase, or None."""
        return next(iter(self._by_form[form]), None)

    def entries(self, form: str) -> tuple[Entry, ...]:
        """Return every entry of a word or phrase, in the order of their sources."""
        return self._by_form[form]

    def all_entries(self) -> Iterator[Entry]:
        """Yield every entry, by key. Slow for a large terminology."""
        for key in sorted(self.compiled.trie.iterkeys()):
            yield from self._read_key(key)

    @property
    def headers(self) -> list[dict[str, Any]]:
        """Name, source, licence, date, columns and number of terms of each list."""
        return list(self.compiled.meta["lists"])

    @cached_property
    def entries_of_key(self) -> Callable[[str], tuple[Entry, ...]]:
        """Entries by key (`normalization.key_of`), in any case."""
        return self._by_key.__getitem__

    def depth(self, form: str) -> int:
        """Return the number of tokens of the longest entry that begins with this token, or 0."""
        return self.compiled.longest(NORMAL[form])

    def _read_form(self, form: str) -> tuple[Entry, ...]:
        tokens, key = _KEYED[form]
        if not tokens or key not in self.compiled.trie:
            return ()
        return tuple([e for e in self._by_key[key] if case_fits(e, tokens)])

    def _read_key(self, key: str) -> tuple[Entry, ...]:
        return tuple([self._entry(*row) for row in self._rows(key)])

    def _rows(self, key: str) -> list[list[int]]:
        compiled = self.compiled
        number = compiled.trie.get(key) if key else None
        if number is None:
            return []
        return compiled.rows[compiled.starts[number] : compiled.starts[number + 1]].tolist()  # type: ignore[no-any-return]

    def _entry(
        self, form: int, group: int, concept: int, preferred: int, columns: int, source: int, case: int
    ) -> Entry:
        """Return the entry of a row: numbers of strings, of which 0 is empty, and the case class."""
        string, frequent = self.compiled.string, self._frequent
        word, list_name = string(form), frequent[source]
        values = dict(zip(self._columns[list_name], string(columns).split("\t"), strict=False)) if columns else {}
        exact = joined(tokens_of(word)) if case == EXACT else ""
        capitals = abbreviations(tokens_of(word)) if case == BY_TOKEN else ()
        own = string(preferred) if preferred else word
        return Entry(word, list_name, frequent[group], string(concept) if concept else "", own, values, exact, capitals)


class _Strings(dict[int, str]):
    """The few strings of a dictionary that most entries share: names of lists and groups."""

    def __init__(self, compiled: Compiled) -> None:
        super().__init__()
        self._compiled = compiled

    def __missing__(self, number: int) -> str:
        text = self[number] = self._compiled.string(number)
        return text


_MOST_NUMBERS = 20_000
"""Numbers of a column that are cached."""
_PACKED: dict[str, Lexicon] = {}


def _keyed(form: str) -> tuple[list[str], str]:
    tokens = tokens_of(form)
    return tokens, key_of(tokens)


_KEYED: FormTable[tuple[list[str], str]] = FormTable(_keyed, 2_000)
"""Tokens and key of recently used forms, since many lexicons look up the same form."""


def case_fits(entry: Entry, tokens: Sequence[str]) -> bool:
    """Return whether the tokens of a text have the case that an abbreviation requires."""
    if entry.exact:
        return joined(tokens) == entry.exact
    if entry.capitals:
        words = words_of(tokens)
        return all(i < len(words) and words[i] == word for i, word in entry.capitals)
    return True


@cache
def pack_files() -> dict[str, Path]:
    """Return the lists of the pack by name."""
    return {file.name.split(".")[0]: file for file in sorted(PACK.glob("*.tsv*"))}


def _compiled(name: str) -> Compiled:
    files = pack_files()
    if name in files or name in COMBINED:
        chosen = [files[n] for n in COMBINED.get(name, (name,))]
        return cached(
            key_of_files(chosen, name), lambda: compile_terms((pack.read(f, {}) for f in chosen), name), Compiled.open
        )
    place = Path(name.partition("::")[0]).expanduser()
    if (place / META).is_file():
        return Compiled.open(place)
    if not place.exists():
        raise ResourceError(f"no lexicon or file called {name!r}{nearest(name, [*files, *COMBINED])}")
    address = LexiconAddress.parse(name)
    options = dict(address.options)
    key = key_of_files(address.format.files(address.path), address.format.name, repr(sorted(options.items())))
    return cached(
        key, lambda: compile_terms([address.format.read(address.path, options)], address.path.name), Compiled.open
    )
