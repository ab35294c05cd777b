"""The resource "rule file": rules and lists read from YAML, with the line of every fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

from ...pipeline.contract.resources import Resource
from ...pipeline.errors import ConfigError, Fault, ResourceError
from .engine import RuleMatcher
from .examples import check_examples
from .loader import Loader, files_of, shipped
from .rule import AllowList, DenyList, Rule


@dataclass(frozen=True)
class RuleFile(Resource):
    """The rules and lists of one rule file and of the files it includes."""

    kind: ClassVar[str] = "rule file"

    file: str
    rules: tuple[Rule, ...]
    deny: tuple[DenyList, ...]
    allow: AllowList

    @cached_property
    def matcher(self) -> RuleMatcher:
        """The compiled rules."""
        return RuleMatcher(self.rules, self.deny, self.allow)

    def faults(self) -> list[Fault]:
        """Return the examples and counter-examples that the rules fail."""
        return list(check_examples(self.rules, self.matcher))

    def __repr__(self) -> str:
        return f"<RuleFile {Path(self.file).name}: {len(self.rules)} rules>"

    def __reduce__(self) -> tuple[Callable[[str], RuleFile], tuple[str]]:
        return type(self).load, (self.file,)  # compiled patterns cannot be pickled, so the file is read again

    @classmethod
    def load(cls, name: str) -> Self:
        """Read a rule file by path or shipped name. Raises ResourceError that lists every fault with file and line."""
        rule_file, faults = cls.read(name)
        if rule_file is None:
            raise ResourceError("\n".join(map(str, faults)))
        return rule_file

    @classmethod
    def read(cls, name: str) -> tuple[Self | None, list[Fault]]:
        """Return the rule file, or None and all its faults in order of files and lines."""
        path = _path(name)
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
        """Return the rule file, the files it includes and the lists they name. Raises ResourceError if one is unreadable."""
        return files_of(_path(name))[0]

    @classmethod
    def uses(cls, name: str) -> Iterator[tuple[type[Resource], str]]:
        yield from ((RuleFile, used) for used in files_of(_path(name))[1])

    @classmethod
    def check(cls, name: str) -> str | None:
        """Return all faults of a rule file with their lines, or None if it has none."""
        wrong = super().check(name)
        if wrong:
            return wrong
        _, faults = cls.read(name)
        return str(ConfigError(faults)) if faults else None


def _path(name: str) -> Path:
    return shipped().get(name) or Path(name)
