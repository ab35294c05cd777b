"""Reads a site list from YAML or a table, and collects every fault with file and line. No message quotes an entry."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...pipeline.errors import Fault, ResourceError, nearest
from ...typesystem import PhiKind
from ..lexicon.delimited_files import numbered, table
from ..patterns.lists import pieces
from ..patterns.rule_source import MarkedYaml, RuleSource, SharedNames, sort_of
from ..patterns.syntax import PatternError, compile_pattern
from .entry import CASES, Case, Entry, plain_form
from .word_index import WordIndex

LISTS = ("allow", "deny")
_PARTS = ("words", "pattern", "file", "column", "kind", "case")
_COLUMNS = "list,word,pattern,kind,case"
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_DEFAULT_CASE: dict[str, Case] = {"allow": "capitals", "deny": "any"}
_ANYTHING = {"name": ("Zorblatt", "Quellmore", "Xandervik"), "number": ("7", "40317", "90210664")}
"""Invented words and numbers: a pattern that allows all of them allows PHI."""


class Loader:
    """The entries of a site list, and its faults."""

    def __init__(self, path: Path) -> None:
        self.words = WordIndex()
        self.patterns: list[tuple[Any, Entry]] = []
        self.faults: list[Fault] = []
        try:
            if path.suffix.lower() in _DELIMITERS:
                self._table(path)
            else:
                self._yaml(path)
        except ResourceError as error:
            self._fault(path, 0, str(error).removeprefix(f"{path}: "))

    # -- YAML ------------------------------------------------------------------------------------------------------

    def _yaml(self, path: Path) -> None:
        source = RuleSource(path, MarkedYaml(_text_of(path), str(path)), SharedNames(faults=self.faults))
        self.faults += source.yaml.faults
        data = source.yaml.data
        if data is None:
            return
        if not isinstance(data, dict):
            source.report((), "", f"expected a mapping with {' and '.join(LISTS)}, got {sort_of(data)}")
            return
        source.keys(data, LISTS, (), "site list")
        for section in LISTS:
            for i, item in enumerate(source.items(data, section)):
                self._item(source, section, item, i)

    def _item(self, source: RuleSource, section: str, item: Any, number: int) -> None:
        path, where = (section, number), f"{section}[{number}]"
        if isinstance(item, str):
            item = {"words": item}
            if section == "deny":
                source.report(path, where, "expected a kind: {words: [...], kind: LOCATION_DEPARTMENT}")
                return
        if not isinstance(item, dict):
            source.report(
                path, where, f"expected a word, or a mapping with words, pattern or file; got {sort_of(item)}"
            )
            return
        source.keys(item, _PARTS, path, where)
        kind = None
        in_table = "file" in item and "kind" not in item and not {"words", "pattern"} & set(item)
        if section == "allow" and "kind" in item:
            source.report((*path, "kind"), where, "kind: what is allowed has no kind")
        elif section == "deny" and not in_table:
            kind = source.kind(item, "kind", path, where)
            if kind is None:
                return
        case = self._case(item.get("case", _DEFAULT_CASE[section]), source.yaml.file, source.yaml.line((*path, "case")))
        if not {"words", "pattern", "file"} & set(item):
            source.report(path, where, "expected words, pattern or file")
        for i, word in enumerate(source.strings(item, "words", path, where, numbers=True)):
            line = source.yaml.line((*path, "words", i)) if isinstance(item["words"], list) else source.yaml.line(path)
            self._word(word, kind, case, source.yaml.file, line, repeats=False)
        for i, pattern in enumerate(source.strings(item, "pattern", path, where)):
            self._pattern(pattern, kind, case, source.yaml.file, source.yaml.line((*path, "pattern", i)))
        for i, name in enumerate(source.strings(item, "file", path, where)):
            file = source.path.parent / name
            if not file.is_file():
                near = nearest(name, [p.name for p in sorted(source.path.parent.iterdir())])
                source.report((*path, "file", i), where, f"no file called {name!r}{near}")
                continue
            self._words_of(file, str(item.get("column", "word")), section, kind, case, in_table)

    def _words_of(self, file: Path, column: str, section: str, kind: PhiKind | None, case: Case, own: bool) -> None:
        """Add the words of a file: one on each line, or those in a column of a table."""
        delimiter = _DELIMITERS.get(file.suffix.lower())
        try:
            if delimiter is None:
                if section == "deny" and own:
                    self._fault(file, 1, "kind is missing where this file is named: expected the name of a PHI kind")
                    return
                for line, text in numbered(file):
                    if not text.lstrip().startswith("#"):
                        self._word(text, kind, case, str(file), line)
                return
            required = [column, "kind"] if section == "deny" and own else [column]
            for line, row in table(file, delimiter, required):
                of_row = self._kind(row["kind"], file, line) if section == "deny" and own else kind
                if row[column].strip() and (section == "allow" or of_row is not None):
                    self._word(row[column], of_row, case, str(file), line)
        except ResourceError as error:
            self.faults.append(Fault(section, str(error)))

    # -- tables ----------------------------------------------------------------------------------------------------

    def _table(self, path: Path) -> None:
        for line, row in table(path, _DELIMITERS[path.suffix.lower()], ["list"]):
            if line == 2 and (unknown := [c for c in row if c not in _COLUMNS.split(",")]):
                hint = nearest(unknown[0], _COLUMNS.split(",")) or f"; expected some of {_COLUMNS}"
                self._fault(path, 1, f"no such column {unknown[0]!r}{hint}")
                return
            self._row(path, line, {name: value.strip() for name, value in row.items()})

    def _row(self, path: Path, line: int, row: dict[str, str]) -> None:
        section, word, pattern = row["list"], row.get("word", ""), row.get("pattern", "")
        if section not in LISTS:
            self._fault(path, line, f"list: expected allow or deny{nearest(section, LISTS)}")
            return
        if bool(word) == bool(pattern):
            self._fault(path, line, "expected a word or a pattern, found " + ("both" if word else "neither"))
            return
        kind = None
        if section == "deny":
            kind = self._kind(row.get("kind", ""), path, line)
            if kind is None:
                return
        elif row.get("kind"):
            self._fault(path, line, "kind: what is allowed has no kind")
        case = self._case(row.get("case") or _DEFAULT_CASE[section], str(path), line)
        if word:
            self._word(word, kind, case, str(path), line)
        else:
            self._pattern(pattern, kind, case, str(path), line)

    # -- entries ---------------------------------------------------------------------------------------------------

    def _word(self, word: str, kind: PhiKind | None, case: Case, file: str, line: int, *, repeats: bool = True) -> None:
        """Add a word or phrase. With `repeats`, a second one of the same kind is not a fault: rosters repeat surnames."""
        if not pieces(word):
            self._fault(Path(file), line, "expected a word or phrase, found no letter or digit")
            return
        entry = Entry(kind, case, f"{Path(file).name}:{line}", plain_form(word))
        for other in self.words.same(word):
            if not entry.meets(other):
                continue
            if (other.kind is None) != (kind is None):
                lists = "allow and deny"
                self._fault(
                    Path(file), line, f"an entry in {lists}, first in {other.place}; give one of them another case"
                )
            elif not repeats or other.kind is not kind:
                what = "is given twice" if other.kind is kind else f"has the kind {other.kind} already"
                self._fault(Path(file), line, f"an entry {what}, first in {other.place}")
            if not repeats or other.kind is not kind or other.forms == entry.forms or other.case == "any":
                return
        self.words.add(word, entry)

    def _pattern(self, pattern: str, kind: PhiKind | None, case: Case, file: str, line: int) -> None:
        try:
            compiled = compile_pattern(pattern, ignore_case=case == "any")
        except PatternError as error:
            self._fault(Path(file), line, f"pattern: {error}")
            return
        if compiled.fullmatch("") is not None:
            self._fault(Path(file), line, "pattern: it matches the empty text, so it would match everywhere")
            return
        for what, examples in _ANYTHING.items() if kind is None else ():
            if all(compiled.fullmatch(example) is not None for example in examples):
                self._fault(Path(file), line, f"pattern: it allows any {what}, so PHI would stand")
                return
        self.patterns.append((compiled, Entry(kind, case, f"{Path(file).name}:{line}")))

    def _case(self, given: Any, file: str, line: int) -> Case:
        for case in CASES:
            if given == case:
                return case
        near = nearest(str(given), CASES) or f"; expected one of {', '.join(CASES)}"
        self._fault(Path(file), line, f"case: no such rule{near}")
        return "exact"

    def _kind(self, name: str, file: Path, line: int) -> PhiKind | None:
        if not name:
            self._fault(file, line, "kind is missing: expected the name of a PHI kind")
            return None
        try:
            return PhiKind.of(name.strip())
        except ValueError as error:
            self._fault(file, line, f"kind: {error}")
            return None

    def _fault(self, file: Path, line: int, what: str) -> None:
        self.faults.append(Fault("", what, str(file), line))


def files_of(path: Path) -> list[Path]:
    """Return a site list and the files that it names. Raises ResourceError if the list cannot be read."""
    return [path, *dict.fromkeys(_named(path))]


def _named(path: Path) -> Iterator[Path]:
    if path.suffix.lower() in _DELIMITERS:
        return
    data = MarkedYaml(_text_of(path), str(path)).data
    for section in LISTS:
        items = data.get(section) if isinstance(data, dict) else None
        for item in items if isinstance(items, list) else ():
            names = item.get("file", []) if isinstance(item, dict) else []
            for name in names if isinstance(names, list) else [names]:
                if isinstance(name, str) and (path.parent / name).is_file():
                    yield path.parent / name


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ResourceError(f"{path}: expected UTF-8") from None
    except OSError as error:
        raise ResourceError(f"{path}: cannot be read ({error.strerror})") from None
