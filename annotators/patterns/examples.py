"""Runs the examples and counter-examples of a rule file: the rules' own tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...pipeline.errors import Fault
from .engine import RuleMatcher
from .rule import Rule, unmark


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
