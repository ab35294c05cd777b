"""One rule file while it is read: YAML with line numbers, whose values are checked one by one and whose faults are collected."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ...pipeline.errors import Fault, nearest
from ...pipeline.storage.lazy_regex import lazy_regex
from ...pipeline.storage.yaml_source import MOST_VALUES, bottomless
from ...typesystem import PhiKind
from .rule import Phrases, words_of
from .syntax import PatternError, compile_pattern, expand

KeyPath = tuple[str | int, ...]
"""Keys and list indexes from the top of a YAML document to a value."""
_TAG_PREFIX = "tag:yaml.org,2002:"


class _TooManyError(Exception):
    """The document has more values than can be processed."""


class MarkedYaml:
    """A YAML document as plain data, with the line of each value.

    `data` is the content; `faults` are errors in the YAML itself: syntax, duplicate keys, keys that are not strings.
    Aliases, anchors and merge keys work as in YAML; tags other than YAML's own are faults.
    """

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.faults: list[Fault] = []
        self.data: Any = None
        self._lines: dict[KeyPath, int] = {}
        self._most = max(MOST_VALUES, len(text))  # without aliases, no text holds more values than characters
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        try:
            if bottomless(text):
                raise RecursionError
            node = loader.get_single_node()
            if node is not None:
                self._walk(loader, node, ())
                self.data = loader.construct_document(node)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            problem = error.problem if isinstance(error, yaml.parser.ParserError | yaml.scanner.ScannerError) else ""
            if "nesting depth" in (problem or ""):  # a limit of libyaml since PyYAML 6.0.4
                self._invalid("nested too deeply")
            else:
                self._invalid(problem or "", mark.line + 1 if mark else 1)
        except _TooManyError:
            self._invalid(f"more than {self._most} values: do aliases (*name) multiply?")
        except RecursionError:
            self._invalid("nested too deeply")
        except yaml.YAMLError:
            self._invalid("a character that YAML does not allow")
        except Exception:  # `!!bool x`, a day that does not exist, a number of 5,000 digits
            self._report_misfits(loader, node)
        finally:
            loader.dispose()

    def _invalid(self, problem: str, line: int = 0) -> None:
        self.faults.append(Fault("", f"invalid YAML{': ' if problem else ''}{problem}", self.file, line))

    def _report_misfits(self, loader: Any, root: Any) -> None:
        """Report every value that does not fit its tag, or the file if there is none."""
        faults, waiting, seen = len(self.faults), [root], set[int]()
        while waiting:
            node = waiting.pop()
            if id(node) in seen:  # an alias
                continue
            seen.add(id(node))
            if isinstance(node, yaml.ScalarNode):
                try:
                    loader.yaml_constructors.get(node.tag, loader.yaml_constructors[None])(loader, node)
                except Exception:
                    self._invalid(f"not a valid {node.tag.replace(_TAG_PREFIX, '!!')}", node.start_mark.line + 1)
            else:
                waiting += [n for item in node.value for n in (item if isinstance(item, tuple) else (item,))]
        if len(self.faults) == faults:
            self._invalid("its values cannot be constructed", 1)

    def line(self, path: KeyPath) -> int:
        """Return the line (from 1) of the value at `path`, or of the nearest value around it."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def _walk(self, loader: Any, node: Any, path: KeyPath) -> None:
        if len(path) > 20:
            return
        if len(self._lines) > self._most:
            raise _TooManyError
        self._lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.SequenceNode):
            for i, item in enumerate(node.value):
                self._walk(loader, item, (*path, i))
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                name, line = key.value if isinstance(key, yaml.ScalarNode) else "", key.start_mark.line + 1
                if name and (*path, name) in self._lines and key.tag != f"{_TAG_PREFIX}merge":
                    what = f"key is given twice (first in line {self._lines[(*path, name)]})"
                    self.faults.append(Fault(name, what, self.file, line))
                self._walk(loader, value, (*path, name))
                self._lines[(*path, name)] = line


NAME = lazy_regex(r"[A-Za-z][A-Za-z0-9_-]*")


@dataclass
class SharedNames:
    """The faults, words and fragments that a rule file and the files it includes share."""

    faults: list[Fault] = field(default_factory=list)
    words: dict[str, Phrases] = field(default_factory=dict)
    fragments: dict[str, str] = field(default_factory=dict)
    expanded: dict[str, str] = field(default_factory=dict)
    """Fragments with all references to other fragments replaced."""
    first_uses: dict[tuple[str, str], str] = field(default_factory=dict)
    """File and line where a name was first used, by (sort, name)."""


class RuleSource:
    """One file. `report` adds a fault at the line of a value; the other methods return checked values."""

    def __init__(self, path: Path, yaml: MarkedYaml, shared: SharedNames) -> None:
        self.path, self.yaml, self.shared = path, yaml, shared
        self.automaton = yaml.file

    def report(self, path: KeyPath, where: str, what: str) -> None:
        """Add a fault."""
        self.shared.faults.append(Fault(where, what, self.yaml.file, self.yaml.line(path)))

    def keys(self, given: dict[Any, Any], known: tuple[str, ...], path: KeyPath, where: str) -> None:
        """Report unknown keys."""
        for key in given:
            if key not in known:
                hint = nearest(str(key), known) or f"; expected one of {', '.join(known)}"
                self.report((*path, str(key)), where, f"no such key {key!r}{hint}")

    def claim(self, sort: str, name: Any, path: KeyPath) -> bool:
        """Return True if the name is well-formed and new among names of its sort."""
        if not isinstance(name, str) or not NAME.fullmatch(name):
            self.report(path, sort, f"expected a name of letters, digits, _ and -, got {shown(name)}")
            return False
        line = f"{self.yaml.file}:{self.yaml.line(path)}"
        first = self.shared.first_uses.setdefault((sort, name), line)
        if first != line:
            self.report(path, f"{sort}.{name}", f"the name is taken (first in {first})")
        return first == line

    def items(self, given: dict[Any, Any], key: str) -> list[Any]:
        """Return a list at the top of the file; empty if it is missing or not a list."""
        value = given.get(key)
        if value is not None and not isinstance(value, list):
            self.report((key,), key, f"expected a list, got {sort_of(value)}")
        return value if isinstance(value, list) else []

    def mapping(self, given: Any, path: KeyPath, where: str, content: str) -> dict[Any, Any]:
        """Return a mapping; empty if it is missing or not a mapping."""
        if given is not None and not isinstance(given, dict):
            self.report(path, where, f"expected a mapping of {content}, got {sort_of(given)}")
        return given if isinstance(given, dict) else {}

    def strings(
        self, given: dict[Any, Any], key: str, path: KeyPath, where: str, *, numbers: bool = False
    ) -> list[str]:
        """Return a string or list of strings as a list; `numbers` accepts numbers too."""
        value = given.get(key)
        if value is None:
            return []
        strings = []
        for i, item in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(item, str):
                strings.append(item)
            elif numbers and isinstance(item, int | float) and not isinstance(item, bool):
                strings.append(str(item))
            else:
                self.report((*path, key, i), where, f"{key}: expected a string, got {sort_of(item)}")
        return strings

    def kind(self, given: dict[Any, Any], key: str, path: KeyPath, where: str) -> PhiKind | None:
        """Return a PHI kind, or None with a fault."""
        value = given.get(key)
        if value is None:
            self.report(path, where, f"{key} is missing: expected the name of a PHI kind")
            return None
        try:
            return PhiKind.of(str(value))
        except ValueError as error:
            self.report((*path, key), where, f"{key}: {error}")
            return None

    def number(
        self, given: dict[Any, Any], key: str, default: float, path: KeyPath, where: str, low: float = 0.0
    ) -> float:
        """Return a number from `low` to 1."""
        value = given.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= 1:
            self.report((*path, key), where, f"{key}: expected a number from {low:g} to 1, got {shown(value)}")
            return default
        return float(value)

    def phrases(self, given: Any, path: KeyPath, where: str) -> Phrases:
        """Return the phrases of a list of words, or of the list with that name under `words`."""
        if isinstance(given, str):
            if given in self.shared.words:
                return self.shared.words[given]
            hint = nearest(given, self.shared.words)
            self.report(path, where, f"no word list called {given!r}{hint}; write a list, or name one under `words`")
            return ()
        if not isinstance(given, list) or not given:
            self.report(path, where, f"expected a list of words, got {sort_of(given)}")
            return ()
        phrases = []
        for i, item in enumerate(given):
            words = tuple(words_of(item)) if isinstance(item, str) else ()
            if not words:
                self.report(
                    (*path, i), where, f"expected a word or phrase, got {shown(item)} (quote words such as 'no')"
                )
            else:
                phrases.append(words)
        return tuple(phrases)

    def expanded(self, pattern: str) -> str:
        """Return the pattern with its fragments replaced. Raises PatternError."""
        return expand(pattern, self.shared.fragments, self.shared.expanded)

    def pattern(self, pattern: str, path: KeyPath, where: str, *, ignore_case: bool = False) -> Any:
        """Return the compiled pattern, or None with a fault."""
        try:
            compiled = compile_pattern(self.expanded(pattern), ignore_case=ignore_case)
        except PatternError as error:
            self.report(path, where, str(error))
            return None
        if compiled.fullmatch("") is not None:
            self.report(path, where, "the pattern matches the empty text, so it would match everywhere")
            return None
        return compiled


def sort_of(value: Any) -> str:
    """Describe the type of a YAML value."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false (quote it)"
    names = {str: "a string", int: "a whole number", float: "a number", list: "a list", dict: "a mapping"}
    return names.get(type(value), type(value).__name__)


def shown(value: Any) -> str:
    """Return a value for a message: short ones as they are, others by type."""
    simple = isinstance(value, str | int | float) and not isinstance(value, bool)
    return repr(value) if simple and len(repr(value)) <= 40 else sort_of(value)
