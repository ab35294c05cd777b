"""One rule file being read: its values checked one by one, its faults collected, its words and fragments at hand."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...pipeline.errors import Fault, nearest
from ...typesystem import PhiKind
from .context import Phrases, words_of
from .marked_yaml import MarkedYaml
from .syntax import PatternError, compile_pattern, expand

At = tuple[str | int, ...]
"""Where a value stands in the YAML: keys and list places from the top."""

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


@dataclass
class Collected:
    """What a rule file and the files it includes share: names in use, words, fragments, faults."""

    faults: list[Fault] = field(default_factory=list)
    words: dict[str, Phrases] = field(default_factory=dict)
    fragments: dict[str, str] = field(default_factory=dict)
    expanded: dict[str, str] = field(default_factory=dict)
    """Fragments in which no other fragment is named any more."""
    places: dict[tuple[str, str], str] = field(default_factory=dict)
    """(sort, name) to the place where the name was first used."""


class Source:
    """One file; `tell` notes a fault at the line of a value, the other methods give checked values."""

    def __init__(self, path: Path, yaml: MarkedYaml, collected: Collected) -> None:
        self.path, self.yaml, self.collected = path, yaml, collected
        self.automaton = yaml.file

    def tell(self, at: At, where: str, what: str) -> None:
        """Notes a fault."""
        self.collected.faults.append(Fault(where, what, self.yaml.file, self.yaml.line(at)))

    def keys(self, given: dict[Any, Any], known: tuple[str, ...], at: At, where: str) -> None:
        """Every key must be known."""
        for key in given:
            if key not in known:
                hint = nearest(str(key), known) or f"; expected one of {', '.join(known)}"
                self.tell((*at, str(key)), where, f"no such key {key!r}{hint}")

    def claim(self, sort: str, name: Any, at: At) -> bool:
        """Whether the name is sound and new among its sort."""
        if not isinstance(name, str) or not NAME.fullmatch(name):
            self.tell(at, sort, f"expected a name of letters, digits, _ and -, got {shown(name)}")
            return False
        first = self.collected.places.setdefault((sort, name), f"{self.yaml.file}:{self.yaml.line(at)}")
        if first != f"{self.yaml.file}:{self.yaml.line(at)}":
            self.tell(at, f"{sort}.{name}", f"the name is taken (first in {first})")
            return False
        return True

    def items(self, given: dict[Any, Any], key: str) -> list[Any]:
        """A list at the top of the file; empty where it is missing or none."""
        value = given.get(key)
        if value is not None and not isinstance(value, list):
            self.tell((key,), key, f"expected a list, got {sort_of(value)}")
        return value if isinstance(value, list) else []

    def strings(self, given: dict[Any, Any], key: str, at: At, where: str, *, numbers: bool = False) -> list[str]:
        """A string or list of strings; with `numbers`, numbers are taken as they are written."""
        value = given.get(key)
        if value is None:
            return []
        found = []
        for i, item in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(item, str):
                found.append(item)
            elif numbers and isinstance(item, int | float) and not isinstance(item, bool):
                found.append(str(item))
            else:
                self.tell((*at, key, i), where, f"{key}: expected a string, got {sort_of(item)}")
        return found

    def kind(self, given: dict[Any, Any], key: str, at: At, where: str) -> PhiKind | None:
        """A PHI kind; None and a fault where there is none."""
        value = given.get(key)
        if value is None:
            self.tell(at, where, f"{key} is missing: expected the name of a PHI kind")
            return None
        try:
            return PhiKind.of(str(value))
        except ValueError as error:
            self.tell((*at, key), where, f"{key}: {error}")
            return None

    def number(self, given: dict[Any, Any], key: str, default: float, at: At, where: str, low: float = 0.0) -> float:
        """A number from `low` to 1."""
        value = given.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= 1:
            self.tell((*at, key), where, f"{key}: expected a number from {low:g} to 1, got {shown(value)}")
            return default
        return float(value)

    def phrases(self, given: Any, at: At, where: str) -> Phrases:
        """Phrases from a list of words, or from the name of a list under `words`."""
        if isinstance(given, str):
            if given in self.collected.words:
                return self.collected.words[given]
            hint = nearest(given, self.collected.words)
            self.tell(at, where, f"no word list called {given!r}{hint}; write a list, or name one under `words`")
            return ()
        if not isinstance(given, list) or not given:
            self.tell(at, where, f"expected a list of words, got {sort_of(given)}")
            return ()
        found = []
        for i, item in enumerate(given):
            words = tuple(words_of(item)) if isinstance(item, str) else ()
            if not words:
                self.tell((*at, i), where, f"expected a word or phrase, got {shown(item)} (quote words such as 'no')")
            else:
                found.append(words)
        return tuple(found)

    def expanded(self, pattern: str) -> str:
        """The pattern without fragments. Raises PatternError."""
        return expand(pattern, self.collected.fragments, self.collected.expanded)

    def pattern(self, pattern: str, at: At, where: str, *, ignore_case: bool = False) -> Any:
        """The compiled pattern; None and a fault where it cannot be used."""
        try:
            compiled = compile_pattern(self.expanded(pattern), ignore_case=ignore_case)
        except PatternError as error:
            self.tell(at, where, str(error))
            return None
        if compiled.fullmatch("") is not None:
            self.tell(at, where, "the pattern matches the empty text: every place would be a hit")
            return None
        return compiled


def sort_of(value: Any) -> str:
    """What sort of YAML value it is, in words."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false (quote it)"
    names = {str: "a string", int: "a whole number", float: "a number", list: "a list", dict: "a mapping"}
    return names.get(type(value), type(value).__name__)


def shown(value: Any) -> str:
    """A value for a message: short ones as they are, others by sort."""
    simple = isinstance(value, str | int | float) and not isinstance(value, bool)
    return repr(value) if simple and len(repr(value)) <= 40 else sort_of(value)
