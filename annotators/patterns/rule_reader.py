"""Reads one rule of a rule file and checks every key of it."""

from __future__ import annotations

from typing import Any, cast, get_args

from ...pipeline.errors import nearest
from ...typesystem import PhiKind
from .context import Context, Side
from .filters import find_filter
from .rules import Boundary, Rule, Value, unmark
from .source import NAME, At, Source, shown, sort_of
from .validators import find_validator

RULE_KEYS = (
    "name", "description", "kind", "list", "pattern", "patterns", "group", "case", "boundary", "context", "confidence",
    "validator", "valid_adds", "otherwise", "filter", "value", "examples", "counter_examples",
)  # fmt: skip
SIDES = ("before", "after", "near", "not_before", "not_after", "not_near")
CONTEXT_KEYS = (*SIDES, "within", "adds")


class RuleReader:
    """One rule being read."""

    def __init__(self, source: Source, given: Any, at: At) -> None:
        self.source, self.given, self.at = source, given, at
        self.where = f"rules[{at[-1]}]"

    def read(self) -> Rule | None:
        """The rule, or None and its faults were told."""
        given, source, at = self.given, self.source, self.at
        if not isinstance(given, dict):
            self._tell("", f"expected a mapping with {', '.join(RULE_KEYS)}, got {sort_of(given)}")
            return None
        before = len(source.collected.faults)
        name = given.get("name")
        if isinstance(name, str) and NAME.fullmatch(name):
            self.where = name
        source.claim("rules", name, (*at, "name"))
        source.keys(given, RULE_KEYS, at, self.where)
        listed = given.get("list", "")
        kind = None if listed else source.kind(given, "kind", at, self.where)
        if listed and ("kind" in given or not isinstance(listed, str)):
            self._tell("list", "expected the name of a list, and no `kind` beside it")
        otherwise = source.kind(given, "otherwise", at, self.where) if "otherwise" in given else None
        validator = self._validator()
        if otherwise is not None and not validator:
            self._tell("otherwise", "it is the kind of a hit that the validator refuses, and there is no validator")
        patterns = self._patterns()
        rule = Rule(
            name=self.where,
            kind=kind,
            list=str(listed),
            patterns=tuple(patterns),
            group=self._group(patterns),
            boundary=self._choice("boundary", get_args(Boundary), "word"),
            context=self._context(),
            confidence=source.number(given, "confidence", 0.5, at, self.where),
            validator=validator,
            valid_adds=source.number(given, "valid_adds", 0.4, at, self.where),
            otherwise=otherwise,
            filters=self._filters(),
            value=self._choice("value", get_args(Value), "compact"),
            examples=self._lines("examples", kind, otherwise),
            counter_examples=self._lines("counter_examples", None, None),
            automaton=source.automaton,
            file=source.yaml.file,
            line=source.yaml.line(at),
        )
        return rule if len(source.collected.faults) == before else None

    def _tell(self, key: str, what: str, *more: str | int) -> None:
        at = (*self.at, key, *more) if key else self.at
        self.source.tell(at, self.where, f"{key}: {what}" if key else what)

    def _patterns(self) -> list[Any]:
        given = self.given
        if ("pattern" in given) == ("patterns" in given):
            self._tell("", "expected either `pattern` or `patterns`")
            return []
        key = "pattern" if "pattern" in given else "patterns"
        ignore = self._choice("case", ("exact", "ignore"), "exact") == "ignore"
        items = given[key] if isinstance(given[key], list) else [given[key]]
        if not items:
            self._tell(key, "expected at least one pattern")
        found = []
        for i, item in enumerate(items):
            more = (i,) if isinstance(given[key], list) else ()
            if not isinstance(item, str) or not item.strip():
                self._tell(key, f"expected a pattern as a string, got {sort_of(item)}", *more)
                continue
            compiled = self.source.pattern(item, (*self.at, key, *more), self.where, ignore_case=ignore)
            if compiled is not None:
                found.append(compiled)
        return found

    def _group(self, patterns: list[Any]) -> int | str:
        group: int | str = self.given.get("group", 0)
        if isinstance(group, bool) or not isinstance(group, int | str):
            self._tell("group", f"expected the number or name of a group, got {shown(group)}")
            return 0
        for compiled in patterns:
            if isinstance(group, str) and group not in compiled.groupindex:
                self._tell("group", f"no group called {group!r} in the pattern{nearest(group, compiled.groupindex)}")
            elif isinstance(group, int) and not 0 <= group <= compiled.groups:
                self._tell("group", f"the pattern has {compiled.groups} groups, got {group}")
        return group

    def _choice(self, key: str, choices: tuple[str, ...], default: str) -> Any:
        value = self.given.get(key, default)
        if value not in choices:
            self._tell(key, f"expected one of {', '.join(choices)}, got {shown(value)}{nearest(str(value), choices)}")
            return default
        return value

    def _validator(self) -> str:
        value = self.given.get("validator")
        if value is None:
            return ""
        try:
            find_validator(str(value))
        except LookupError as error:
            self._tell("validator", str(error))
        return str(value)

    def _filters(self) -> tuple[str, ...]:
        found = self.source.strings(self.given, "filter", self.at, self.where)
        for i, name in enumerate(found):
            try:
                find_filter(name)
            except LookupError as error:
                self._tell("filter", str(error), i)
        return tuple(found)

    def _lines(self, key: str, kind: PhiKind | None, otherwise: PhiKind | None) -> tuple[tuple[str, int], ...]:
        numbered = []
        for i, text in enumerate(self.source.strings(self.given, key, self.at, self.where)):
            _, spans = unmark(text)
            if key == "examples" and not spans:
                self._tell(key, "expected a marked-up line: `see <ID>123</ID>`", i)
            if key == "counter_examples" and spans:
                self._tell(key, "expected a line without marks: the rule finds nothing in it", i)
            for _, _, tag in spans if kind is not None else ():
                if tag not in {k.name for k in (kind, otherwise) if k is not None}:
                    self._tell(key, f"marked as {tag}, but the rule marks {kind}", i)
            numbered.append((text, self.source.yaml.line((*self.at, key, i))))
        return tuple(numbered)

    def _context(self) -> tuple[Context, ...]:
        given = self.given.get("context")
        many = isinstance(given, list)
        found = []
        for i, item in enumerate(given if many else [given] if given is not None else []):
            at: At = (*self.at, "context", i) if many else (*self.at, "context")
            sides = [k for k in item if k in SIDES] if isinstance(item, dict) else []
            if len(sides) != 1:
                self.source.tell(at, self.where, f"context: expected one of {', '.join(SIDES)} with a list of words")
            if isinstance(item, dict):
                self.source.keys(item, CONTEXT_KEYS, at, self.where)
            if len(sides) == 1:
                found.append(self._condition(item, sides[0], at))
        return tuple(found)

    def _condition(self, item: dict[Any, Any], side: str, at: At) -> Context:
        within = item.get("within", 5)
        counted = isinstance(within, int) and not isinstance(within, bool) and 1 <= within <= 50
        if not counted and within not in ("line", "sentence"):
            what = f"context: within: expected a number of words from 1 to 50, line or sentence, got {shown(within)}"
            self.source.tell((*at, "within"), self.where, what)
            within = 5
        adds = self.source.number(item, "adds", 0.0, at, self.where, low=-1.0)
        forbidden = side.startswith("not_")
        if forbidden and "adds" in item:
            self.source.tell((*at, "adds"), self.where, f"context: {side} forbids; `adds` means nothing beside it")
        phrases = self.source.phrases(item[side], (*at, side), self.where)
        plain = cast(Side, side.removeprefix("not_"))
        return Context(plain, phrases, within, not forbidden and "adds" not in item, forbidden, adds)
