"""Shipped rule files in the user's cache, read and checked before: a command would need a quarter of a second to do it again.

What is kept holds for one version of the code and the rules of caspipe, and of the libraries that check patterns and numbers.
"""

from __future__ import annotations

import contextlib
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from ...pipeline.storage.hashing import code_version
from ...pipeline.storage.kept_files import keep_json, kept_json, short_hash
from ...typesystem import PhiKind
from .engine import Passes
from .lazy_pattern import LazyPattern
from .rule import AllowList, ContextCondition, DenyList, Phrases, Rule

_PLAIN = [f.name for f in fields(Rule) if f.name not in ("kind", "otherwise", "patterns", "context")]


class Rules(NamedTuple):
    """The content of a rule file, and the combined passes over its patterns."""

    rules: tuple[Rule, ...]
    deny: tuple[DenyList, ...]
    allow: AllowList
    passes: Passes


def kept_rules(path: Path) -> Rules | None:
    """Return the content of a rule file as it was kept; None if it must be read."""
    content = kept_json(_name(path), _valid_for(path))
    if content is not None:
        with contextlib.suppress(ValueError, LookupError):
            return _Reading(content).rules()
    return None


def keep_rules(path: Path, rules: Rules) -> None:
    """Keep the content of a rule file that has no fault."""
    keep_json(_name(path), _valid_for(path), _Writing().content(rules))


def _name(path: Path) -> str:
    return f"rules/{short_hash(path)}"


def _valid_for(path: Path) -> list[str]:
    return [str(path), code_version(), version("google-re2"), version("python-stdnum")]


class _Writing:
    """Makes JSON of rules. Lists of words, which many rules share, are written once."""

    def __init__(self) -> None:
        self._numbers: dict[Phrases, int] = {}

    def content(self, rules: Rules) -> dict[str, Any]:
        return {
            "rules": [self._rule(rule) for rule in rules.rules],
            "deny": [[d.name, d.kind.name, d.strings, d.confidence] for d in rules.deny],
            "allow": [rules.allow.strings, [_pattern(p) for p in rules.allow.patterns]],
            "passes": rules.passes,
            "phrases": list(self._numbers),
        }

    def _rule(self, rule: Rule) -> list[Any]:
        conditions = [
            [c.side, self._numbers.setdefault(c.phrases, len(self._numbers)), c.within, c.required, c.forbidden, c.adds]
            for c in rule.context
        ]
        kinds = [kind and kind.name for kind in (rule.kind, rule.otherwise)]
        return [*kinds, [_pattern(p) for p in rule.patterns], conditions, *(getattr(rule, name) for name in _PLAIN)]


def _pattern(compiled: Any) -> tuple[str, int, dict[str, int]]:
    return compiled.pattern, compiled.groups, dict(compiled.groupindex)


class _Reading:
    """Makes rules of JSON. Raises ValueError if they name a kind that does not exist here."""

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content
        self._phrases: list[Phrases] = [tuple(map(tuple, phrases)) for phrases in content["phrases"]]

    def rules(self) -> Rules:
        content = self._content
        rules = tuple(self._rule(*values) for values in content["rules"])
        deny = tuple(DenyList(n, PhiKind.of(k), tuple(strings), c) for n, k, strings, c in content["deny"])
        strings, patterns = content["allow"]
        allow = AllowList(tuple(strings), tuple(LazyPattern(*p) for p in patterns))
        return Rules(rules, deny, allow, [(numbers, broad) for numbers, broad in content["passes"]])

    def _rule(
        self, kind: str | None, otherwise: str | None, patterns: list[Any], context: list[Any], *values: Any
    ) -> Rule:
        plain = dict(zip(_PLAIN, values, strict=True))
        for name in ("examples", "counter_examples"):
            plain[name] = tuple(map(tuple, plain[name]))
        plain["filters"] = tuple(plain["filters"])
        return Rule(
            kind=PhiKind.of(kind) if kind else None,
            otherwise=PhiKind.of(otherwise) if otherwise else None,
            patterns=tuple(LazyPattern(*p) for p in patterns),
            context=tuple(ContextCondition(side, self._phrases[n], *rest) for side, n, *rest in context),
            **plain,
        )
