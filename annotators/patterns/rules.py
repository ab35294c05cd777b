"""Rule files: what a rule says, read from YAML with every fault at its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from ...pipeline.contract.resources import Resource
from ...pipeline.errors import ConfigError, Fault, ResourceError
from ...typesystem import PhiKind
from .context import Context

if TYPE_CHECKING:
    from .engine import Matcher

Boundary = Literal["word", "joined", "none"]
Value = Literal["compact", "digits", "lower", "text"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: what it looks for, what speaks for and against a hit, and how sure a hit is. See docs/rules.md."""

    name: str
    kind: PhiKind | None
    """What a hit is marked as; None where the rule feeds a list."""
    list: str
    """Name of the list a hit belongs to (`ListHit.list`), empty for PHI."""
    patterns: tuple[Any, ...]
    """Compiled google-re2 patterns."""
    group: int | str
    """What is marked: a group of the pattern, 0 for all of it."""
    boundary: Boundary
    context: tuple[Context, ...]
    confidence: float
    validator: str
    valid_adds: float
    otherwise: PhiKind | None
    """The kind of a hit that the validator refuses; None keeps `kind`."""
    filters: tuple[str, ...]
    value: Value
    examples: tuple[tuple[str, int], ...]
    """(marked-up line, line of the file)"""
    counter_examples: tuple[tuple[str, int], ...]
    automaton: str
    """Rules with the same name here share a combined pass; by default those of one file."""
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class DenyList:
    """Strings that are always marked."""

    name: str
    kind: PhiKind
    strings: tuple[str, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class AllowList:
    """Strings that are never marked, and patterns whose full matches are not."""

    strings: tuple[str, ...] = ()
    patterns: tuple[Any, ...] = ()


@dataclass(frozen=True)
class RuleFile(Resource):
    """The rules and lists of one rule file and of the files it includes."""

    kind: ClassVar[str] = "rule file"

    file: str
    rules: tuple[Rule, ...]
    deny: tuple[DenyList, ...] = ()
    allow: AllowList = AllowList()

    @cached_property
    def matcher(self) -> Matcher:
        """The compiled rules; made once."""
        from .engine import Matcher

        return Matcher(self)

    def faults(self) -> list[Fault]:
        """What the examples and counter-examples of the rules find wrong; empty where every rule does what it says."""
        from .examples import try_examples

        return list(try_examples(self))

    def __len__(self) -> int:
        return len(self.rules)

    def __getitem__(self, name: str) -> Rule:
        """The rule of that name. Raises KeyError."""
        for rule in self.rules:
            if rule.name == name:
                return rule
        raise KeyError(name)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __repr__(self) -> str:
        return f"<RuleFile {Path(self.file).name}: {len(self.rules)} rules>"

    def __reduce__(self) -> tuple[Callable[[str], RuleFile], tuple[str]]:
        return type(self).load, (self.file,)  # compiled patterns do not pickle: the file is read again

    @classmethod
    def load(cls, name: str) -> Self:
        """Reads a rule file by path or shipped name. Raises ResourceError that lists every fault with file and line."""
        made, faults = cls.read(name)
        if made is None:
            raise ResourceError("\n".join(map(str, faults)))
        return made

    @classmethod
    def read(cls, name: str) -> tuple[Self | None, list[Fault]]:
        """The rule file, or None and everything that is wrong with it, in order of files and lines."""
        from .loader import Loader

        path = shipped().get(name) or Path(name)
        loader = Loader()
        loader.load(path)
        if loader.faults:
            return None, loader.faults
        return cls(str(path), tuple(loader.rules), tuple(loader.deny), loader.allow), []

    @classmethod
    def names(cls) -> list[str]:
        return sorted(shipped())

    @classmethod
    def files(cls, name: str) -> list[Path]:
        """The rule file, the files it includes and the lists they name. Raises ResourceError where it cannot be read."""
        from .loader import files_of

        return files_of(shipped().get(name) or Path(name))[0]

    @classmethod
    def uses(cls, name: str) -> Iterator[tuple[type[Resource], str]]:
        from .loader import files_of

        yield from ((RuleFile, used) for used in files_of(shipped().get(name) or Path(name))[1])

    @classmethod
    def check(cls, name: str) -> str | None:
        """What is wrong with a rule file, all faults with their lines, or None."""
        wrong = super().check(name)
        if wrong:
            return wrong
        _, faults = cls.read(name)
        return str(ConfigError(faults)) if faults else None


def shipped() -> dict[str, Path]:
    """Rule files that come with caspipe, by name."""
    folder = Path(__file__).parent.parent / "identifiers" / "rules"
    return {p.stem: p for p in sorted(folder.glob("*.yaml"))} if folder.is_dir() else {}


_TAG = re.compile(r"<([A-Z][A-Z0-9_]*)>(.*?)</\1>", re.DOTALL)


def unmark(line: str) -> tuple[str, list[tuple[int, int, str]]]:
    """A marked-up line as plain text and its spans (begin, end, name of the tag): `Seen by <PERSON>Ann</PERSON>`."""
    text: list[str] = []
    spans: list[tuple[int, int, str]] = []
    at = length = 0
    for found in _TAG.finditer(line):
        text += [line[at : found.start()], found[2]]
        begin = length + found.start() - at
        length = begin + len(found[2])
        spans.append((begin, length, found[1]))
        at = found.end()
    text.append(line[at:])
    return "".join(text), spans
