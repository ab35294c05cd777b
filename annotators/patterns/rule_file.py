"""The resource "rule file": rules and lists read from YAML with the line of every fault, and the examples that test them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

from ...pipeline.contract.resources import Resource
from ...pipeline.errors import ConfigError, Fault, ResourceError
from .engine import Passes, RuleMatcher
from .kept_rules import Rules, keep_rules, kept_rules
from .loader import Loader, files_of, shipped
from .rule import AllowList, DenyList, Rule, unmark


def check_examples(rules: Iterable[Rule], matcher: RuleMatcher) -> Iterator[Fault]:
    """Yield a fault for each example that its rule marks wrongly and for each counter-example that it marks.

    Only the rule itself runs; messages give offsets and kinds, never the text.
    """
    for rule in rules:
        for marked, line in rule.examples:
            text, spans = unmark(marked)
            actual = _spans(matcher, rule, text)
            expected = [(b, e, tag if rule.kind is not None else rule.list) for b, e, tag in spans]
            if actual != expected:
                message = f"example: expected {_shown(expected)}, found {_shown(actual)}"
                yield Fault(rule.name, message, rule.file, line)
        for text, line in rule.counter_examples:
            if actual := _spans(matcher, rule, text):
                message = f"counter-example: expected nothing, found {_shown(actual)}"
                yield Fault(rule.name, message, rule.file, line)


def _spans(matcher: RuleMatcher, rule: Rule, text: str) -> list[tuple[int, int, str]]:
    matches = matcher.find(text, rule=rule.name)
    return sorted({(m.begin, m.end, m.kind.name if m.kind is not None else m.list) for m in matches})


def _shown(spans: list[tuple[int, int, str]]) -> str:
    return ", ".join(f"{name} {begin}:{end}" for begin, end, name in spans) or "nothing"


@dataclass(frozen=True)
class RuleFile(Resource):
    """The rules and lists of one rule file and of the files it includes."""

    kind: ClassVar[str] = "rule file"

    file: str
    rules: tuple[Rule, ...]
    deny: tuple[DenyList, ...]
    allow: AllowList
    passes: Passes | None = None
    """The combined passes over its patterns, if they are known."""

    @cached_property
    def matcher(self) -> RuleMatcher:
        """The compiled rules."""
        return RuleMatcher(self.rules, self.deny, self.allow, self.passes)

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
        path = shipped().get(name)
        known = kept_rules(path) if path else None
        if known is not None:
            return cls(str(path), *known)
        rule_file, faults = cls.read(name)
        if rule_file is None:
            raise ResourceError("\n".join(map(str, faults)))
        if path:
            keep_rules(path, Rules(rule_file.rules, rule_file.deny, rule_file.allow, rule_file.matcher.passes))
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
