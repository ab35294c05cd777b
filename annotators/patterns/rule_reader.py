"""Reads one rule of a rule file and checks every key of it."""

from __future__ import annotations

from typing import Any, cast, get_args

from ...pipeline.errors import nearest
from ...typesystem import PhiKind
from .rule import Boundary, ContextCondition, Rule, Side, Value, unmark
from .rule_source import NAME, KeyPath, RuleSource, shown, sort_of
from .validators import find_filter, find_validator

RULE_KEYS = (
    "name", "description", "kind", "list", "pattern", "patterns", "group", "case", "boundary", "context", "confidence",
    "validator", "valid_adds", "otherwise", "filter", "value", "examples", "counter_examples",
)  # fmt: skip
SIDES = ("before", "after", "near", "not_before", "not_after", "not_near")
CONTEXT_KEYS = (*SIDES, "within", "adds")


class RuleReader:
    """Reads one rule at `path` of a rule file."""

    def __init__(self, source: RuleSource, given: Any, path: KeyPath) -> None:
        self.source, self.given, self.path = source, given, path
        self.where = f"rules[{path[-1]}]"

    def read(self) -> Rule | None:
        """Return the rule, or None after its faults were reported."""
        given, source, path = self.given, self.source, self.path
        if not isinstance(given, dict):
            self._report("", f"expected a mapping with {', '.join(RULE_KEYS)}, got {sort_of(given)}")
            return None
        faults = len(source.shared.faults)
        name = given.get("name")
        if isinstance(name, str) and NAME.fullmatch(name):
            self.where = name
        source.claim("rules", name, (*path, "name"))
        source.keys(given, RULE_KEYS, path, self.where)
        listed = given.get("list", "")
        kind = None if listed else source.kind(given, "kind", path, self.where)
        if listed and ("kind" in given or not isinstance(listed, str)):
            self._report("list", "expected the name of a list without a `kind`")
        otherwise = source.kind(given, "otherwise", path, self.where) if "otherwise" in given else None
        validator = self._validator()
        if otherwise is not None and not validator:
            self._report("otherwise", "expected a `validator` too: `otherwise` is the kind of what it rejects")
        patterns = self._patterns()
        rule = Rule(
            name=self.where,
            kind=kind,
            list=str(listed),
            patterns=tuple(patterns),
            group=self._group(patterns),
            boundary=self._choice("boundary", get_args(Boundary), "word"),
            context=self._context(),
            confidence=source.number(given, "confidence", 0.5, path, self.where),
            validator=validator,
            valid_adds=source.number(given, "valid_adds", 0.4, path, self.where),
            otherwise=otherwise,
            filters=self._filters(),
            value=self._choice("value", get_args(Value), "compact"),
            examples=self._lines("examples", kind, otherwise),
            counter_examples=self._lines("counter_examples", None, None),
            automaton=source.automaton,
            file=source.yaml.file,
            line=source.yaml.line(path),
        )
        return rule if len(source.shared.faults) == faults else None

    def _report(self, key: str, what: str, *more: str | int) -> None:
        path = (*self.path, key, *more) if key else self.path
        self.source.report(path, self.where, f"{key}: {what}" if key else what)

    def _patterns(self) -> list[Any]:
        given = self.given
        if ("pattern" in given) == ("patterns" in given):
            self._report("", "expected either `pattern` or `patterns`")
            return []
        key = "pattern" if "pattern" in given else "patterns"
        ignore_case = self._choice("case", ("exact", "ignore"), "exact") == "ignore"
        items = given[key] if isinstance(given[key], list) else [given[key]]
        if not items:
            self._report(key, "expected at least one pattern")
        patterns = []
        for i, item in enumerate(items):
            more = (i,) if isinstance(given[key], list) else ()
            if not isinstance(item, str) or not item.strip():
                self._report(key, f"expected a pattern as a string, got {sort_of(item)}", *more)
                continue
            compiled = self.source.pattern(item, (*self.path, key, *more), self.where, ignore_case=ignore_case)
            if compiled is not None:
                patterns.append(compiled)
        return patterns

    def _group(self, patterns: list[Any]) -> int | str:
        group: int | str = self.given.get("group", 0)
        if isinstance(group, bool) or not isinstance(group, int | str):
            self._report("group", f"expected the number or name of a group, got {shown(group)}")
            return 0
        for compiled in patterns:
            if isinstance(group, str) and group not in compiled.groupindex:
                self._report("group", f"no group called {group!r} in the pattern{nearest(group, compiled.groupindex)}")
            elif isinstance(group, int) and not 0 <= group <= compiled.groups:
                self._report("group", f"the pattern has {compiled.groups} groups, got {group}")
        return group

    def _choice(self, key: str, choices: tuple[str, ...], default: str) -> Any:
        value = self.given.get(key, default)
        if value not in choices:
            self._report(key, f"expected one of {', '.join(choices)}, got {shown(value)}{nearest(str(value), choices)}")
            return default
        return value

    def _validator(self) -> str:
        value = self.given.get("validator")
        if value is None:
            return ""
        try:
            find_validator(str(value))
        except LookupError as error:
            self._report("validator", str(error))
        return str(value)

    def _filters(self) -> tuple[str, ...]:
        names = self.source.strings(self.given, "filter", self.path, self.where)
        for i, name in enumerate(names):
            try:
                find_filter(name)
            except LookupError as error:
                self._report("filter", str(error), i)
        return tuple(names)

    def _lines(self, key: str, kind: PhiKind | None, otherwise: PhiKind | None) -> tuple[tuple[str, int], ...]:
        numbered = []
        for i, text in enumerate(self.source.strings(self.given, key, self.path, self.where)):
            _, spans = unmark(text)
            if key == "examples" and not spans:
                self._report(key, "expected a marked-up line: `see <ID>123</ID>`", i)
            if key == "counter_examples" and spans:
                self._report(key, "expected a line without marks: the rule finds nothing in it", i)
            for _, _, tag in spans if kind is not None else ():
                if tag not in {k.name for k in (kind, otherwise) if k is not None}:
                    self._report(key, f"marked as {tag}, but the rule marks {kind}", i)
            numbered.append((text, self.source.yaml.line((*self.path, key, i))))
        return tuple(numbered)

    def _context(self) -> tuple[ContextCondition, ...]:
        given = self.given.get("context")
        several = isinstance(given, list)
        conditions = []
        for i, item in enumerate(given if several else [given] if given is not None else []):
            path: KeyPath = (*self.path, "context", i) if several else (*self.path, "context")
            sides = [k for k in item if k in SIDES] if isinstance(item, dict) else []
            if len(sides) != 1:
                self.source.report(
                    path, self.where, f"context: expected one of {', '.join(SIDES)} with a list of words"
                )
            if isinstance(item, dict):
                self.source.keys(item, CONTEXT_KEYS, path, self.where)
            if len(sides) == 1:
                conditions.append(self._condition(item, sides[0], path))
        return tuple(conditions)

    def _condition(self, item: dict[Any, Any], side: str, path: KeyPath) -> ContextCondition:
        within = item.get("within", 5)
        counted = isinstance(within, int) and not isinstance(within, bool) and 1 <= within <= 50
        if not counted and within not in ("line", "sentence"):
            what = f"context: within: expected a number of words from 1 to 50, line or sentence, got {shown(within)}"
            self.source.report((*path, "within"), self.where, what)
            within = 5
        adds = self.source.number(item, "adds", 0.0, path, self.where, low=-1.0)
        forbidden = side.startswith("not_")
        if forbidden and "adds" in item:
            self.source.report(
                (*path, "adds"), self.where, f"context: `adds` has no effect with {side}, which forbids a match"
            )
        phrases = self.source.phrases(item[side], (*path, side), self.where)
        plain = cast(Side, side.removeprefix("not_"))
        return ContextCondition(plain, phrases, within, not forbidden and "adds" not in item, forbidden, adds)
