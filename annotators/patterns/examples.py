"""Runs the examples and counter-examples of a rule file: the rules' own tests."""

from __future__ import annotations

from collections.abc import Iterator

from ...pipeline.errors import Fault
from .rules import Rule, RuleFile, unmark


def try_examples(file: RuleFile) -> Iterator[Fault]:
    """A fault for each example a rule does not mark as it says, and for each counter-example it marks.

    The rule alone is tried; messages give offsets and kinds, never the text.
    """
    for rule in file.rules:
        for marked, line in rule.examples:
            text, spans = unmark(marked)
            found = _spans(file, rule, text)
            expected = [(b, e, tag if rule.kind is not None else rule.list) for b, e, tag in spans]
            if found != expected:
                yield Fault(rule.name, f"example: expected {_shown(expected)}, found {_shown(found)}", rule.file, line)
        for text, line in rule.counter_examples:
            found = _spans(file, rule, text)
            if found:
                yield Fault(rule.name, f"counter-example: expected nothing, found {_shown(found)}", rule.file, line)


def _spans(file: RuleFile, rule: Rule, text: str) -> list[tuple[int, int, str]]:
    hits = file.matcher.hits(text, rule=rule.name)
    return sorted({(h.begin, h.end, h.kind.name if h.kind is not None else h.list) for h in hits})


def _shown(spans: list[tuple[int, int, str]]) -> str:
    return ", ".join(f"{name} {begin}:{end}" for begin, end, name in spans) or "nothing"
