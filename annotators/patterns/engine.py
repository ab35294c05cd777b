"""Finds the spans that rules describe: one combined pass tells which patterns occur, then each of these is searched.

Time is linear in the text: google-re2 never backtracks, and long texts are processed in windows, so that no search looks
further than one window. A match that reaches the end of its window is repeated with more room, up to `LONGEST`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ...typesystem import PhiKind
from .byte_text import Offsets, character, end_of_run, free_after, free_before, plain
from .gate import Gate, head, names_words
from .lists import StringList
from .outline import outline
from .rule import AllowList, DenyList, Rule, SentenceSource, Surroundings
from .validators import Check, NamedCheck, digits, find_filter, find_validator

WINDOW = 4_096
OVERLAP = 1_024
LONGEST = 16_384
"""Bytes of UTF-8: a window, the overlap of two windows, and the longest match."""
GATE_SIZE = 24
"""Patterns in one combined pass. Patterns of one kind share their states; hundreds of different ones multiply them, and each new
text needs new states."""
NAME_GATE_SIZE = 8
"""Patterns in one pass if they contain words of any letters: they are active at every capital, so that few have many states."""
DIGIT_GATE_SIZE = 24
"""Patterns in one pass if they begin with a digit. All of them are active wherever there are digits, and the states would be too
many: 47 in one pass built 13 MB of them after 20,000 short notes. So the pass takes their outlines."""

Passes = Sequence[tuple[list[int], list[str]]]
"""Combined passes: the numbers of their patterns, and these patterns broadened."""


class RuleMatch(NamedTuple):
    """A span that a rule matched: code points `begin:end`. `kind` is None for rules that feed a list."""

    begin: int
    end: int
    rule: str
    kind: PhiKind | None
    confidence: float
    order: int
    """Position of the rule in its file, to resolve ties."""
    list: str = ""
    value: str = ""
    """Normalized text of the match."""

    def __repr__(self) -> str:
        return f"<RuleMatch {self.begin}:{self.end} {self.rule}>"


class _Checks(dict[str, Check]):
    """Checks by name, each looked up when it is first needed: that of a national number imports a library."""

    def __init__(self, find: Callable[[str], NamedCheck]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, name: str) -> Check:
        check = self[name] = self._find(name).check
        return check


class RuleMatcher:
    """The rules and lists of a rule file, compiled. `passes` are those of an earlier matcher of the same rules."""

    def __init__(
        self, rules: Sequence[Rule], deny: Sequence[DenyList], allow: AllowList, passes: Passes | None = None
    ) -> None:
        self._rules, self._deny_lists, self._allow_patterns = rules, deny, allow.patterns
        self.compiled = [
            (rule, order, compiled, compiled.groupindex[rule.group] if isinstance(rule.group, str) else rule.group)
            for order, rule in enumerate(rules)
            for compiled in rule.patterns
        ]
        self._checks, self._filters = _Checks(find_validator), _Checks(find_filter)
        self._deny = StringList((s, i) for i, deny_list in enumerate(deny) for s in deny_list.strings)
        self._allow = StringList((s, 0) for s in allow.strings)
        # the patterns that may mark some kinds, and the others
        self._kinds: dict[tuple[PhiKind, ...], tuple[frozenset[int], ...]] = {}
        self.gates = (
            self._combine()
            if passes is None
            else [(numbers, Gate(patterns, are_broadened=True)) for numbers, patterns in passes]
        )

    @property
    def passes(self) -> Passes:
        return [(numbers, gate.patterns) for numbers, gate in self.gates]

    def find(
        self, text: str, sentences: SentenceSource = None, rule: str | None = None, kinds: Sequence[PhiKind] = ()
    ) -> list[RuleMatch]:
        """Return all matches by begin, length (longest first) and rule, except those inside a match of equal confidence or more.

        `sentences` are begins and ends for `within: sentence`, or what returns them; without them a sentence ends at a full stop
        or line break.
        With `rule`, only that rule runs, and no list. With `kinds`, only matches of these kinds and of those below them.
        """
        if kinds:
            return self._find_kinds(text, sentences, tuple(kinds))
        return self._outermost(text, list(self._rule_matches(text, sentences, rule)), rule)

    def _find_kinds(self, text: str, sentences: SentenceSource, kinds: tuple[PhiKind, ...]) -> list[RuleMatch]:
        """Return the matches of some kinds. The other rules, whose matches may contain these, run only if there are any."""
        if kinds not in self._kinds:
            marks = [_marks(rule, kinds) for rule, *_ in self.compiled]
            self._kinds[kinds] = (
                frozenset(n for n, mark in enumerate(marks) if mark),
                frozenset(n for n, mark in enumerate(marks) if not mark),
            )
        wanted, others = self._kinds[kinds]
        matches = list(self._rule_matches(text, sentences, None, wanted))
        if not matches and not self._deny_lists:
            return []
        matches += self._rule_matches(text, sentences, None, others)
        return [m for m in self._outermost(text, matches, None) if m.kind is not None and any(map(m.kind.is_a, kinds))]

    def _outermost(self, text: str, matches: list[RuleMatch], rule: str | None) -> list[RuleMatch]:
        if rule is None:
            matches = self._without_allowed(text, [*matches, *self._denied(text)])
        matches.sort(key=lambda m: (m.begin, -m.end, -m.confidence, m.order))
        return [m._replace(value=self._value(text, m)) for m in outermost(matches)]

    def _value(self, text: str, match: RuleMatch) -> str:
        form = self._rules[match.order].value if match.order < len(self._rules) else "compact"
        return value_of(plain(text[match.begin : match.end]), form)

    def _combine(self) -> list[tuple[list[int], Gate]]:
        """Return gates over patterns of one automaton, with the numbers of these patterns.

        Patterns are grouped by their beginning: in running text those that wait for a word rest while those that wait for
        digits are active, and an automaton over both has a state for each pair, more than the processor's cache holds. Those of
        places are apart, so that a search for other kinds does not need them.
        """
        groups: dict[tuple[str, str, bool, bool], list[int]] = {}
        for number, (rule, _, compiled, _) in enumerate(self.compiled):
            start, named = head(compiled.pattern), names_words(compiled.pattern)
            automaton = rule.automaton if start == "other" or (start == "digit" and named) else ""
            place = rule.kind is not None and rule.kind.top is PhiKind.LOCATION
            groups.setdefault((automaton, start, named, place), []).append(number)
        gates = []
        for (_, beginning, named, _), group in groups.items():
            figures = beginning == "digit" and not named
            size = NAME_GATE_SIZE if named else DIGIT_GATE_SIZE if figures else GATE_SIZE
            for numbers in (group[i : i + size] for i in range(0, len(group), size)):
                patterns = [self.compiled[n][2].pattern for n in numbers]
                gates.append((numbers, Gate(map(outline, patterns) if figures else patterns)))
        return gates

    def _rule_matches(
        self, text: str, sentences: SentenceSource, only: str | None, wanted: frozenset[int] | None = None
    ) -> Iterator[RuleMatch]:
        """Yield the matches of all patterns, of one rule, or of the patterns with these numbers."""
        if not self.compiled or not text:
            return
        text = plain(text)
        data = text.encode("utf-8", "surrogatepass")
        spans: list[tuple[int, int, int]] = []
        resume: dict[int, int] = {}
        for low, high, limit in _windows(data):
            for number in self._occurring(data, low, high, wanted):
                if only is None or self.compiled[number][0].name == only:
                    start = max(low, resume.get(number, 0))
                    resume[number] = self._search(data, start, high, limit, number, spans)
        spans.sort()
        offsets = Offsets(data, len(text) == len(data))
        for begin, end, number in spans:
            rule, order, _, _ = self.compiled[number]
            begin, end = offsets.code_point(begin), offsets.code_point(end, advance=False)
            match = self._evaluate(text, begin, end, rule, order, sentences)
            if match is not None:
                yield match

    def _occurring(self, data: bytes, low: int, high: int, wanted: frozenset[int] | None = None) -> Iterator[int]:
        """Yield the numbers of the patterns that can occur between two offsets; with `wanted`, only of these."""
        piece = data if low == 0 and high == len(data) else data[max(0, low - 4) : high]
        for numbers, gate in self.gates:
            if wanted is not None and wanted.isdisjoint(numbers):
                continue
            for i in gate.occurring(piece):
                if wanted is None or numbers[i] in wanted:
                    yield numbers[i]

    def _search(
        self, data: bytes, offset: int, high: int, limit: int, number: int, spans: list[tuple[int, int, int]]
    ) -> int:
        """Add all matches of one pattern that begin before `limit`; return the offset to resume at in the next window.

        After a match that breaks the boundary rule, the search continues after its first word.
        """
        rule, _, compiled, group = self.compiled[number]
        while offset < limit:
            match = compiled.search(data, offset, high)
            if match is None or match.start() >= limit:
                break
            begin, end = match.span(group)
            if begin >= end:
                offset = max(match.end(), offset + 1)
                continue
            if not free_before(data, begin, rule.boundary):
                offset = end_of_run(data, begin, high)
                continue
            if match.end() == high < len(data):
                begin, end = compiled.search(data, match.start(), character(data, match.start() + LONGEST)).span(group)
            if free_after(data, end, rule.boundary):
                spans.append((begin, end, number))
                offset = end
            else:
                offset = end_of_run(data, begin, high)
        return offset

    def _evaluate(
        self, text: str, begin: int, end: int, rule: Rule, order: int, sentences: SentenceSource
    ) -> RuleMatch | None:
        covered = text[begin:end]
        if not all(self._filters[name](covered) for name in rule.filters):
            return None
        confidence = rule.confidence
        if rule.context:
            surroundings = Surroundings(text, begin, end, sentences)
            for condition in rule.context:
                present = surroundings.holds(condition)
                if (condition.required and not present) or (condition.forbidden and present):
                    return None
                if present:
                    confidence += condition.adds
        kind = rule.kind
        if rule.validator:
            if self._checks[rule.validator](covered):
                confidence += rule.valid_adds
            elif rule.otherwise is not None:
                kind = rule.otherwise
        confidence = round(min(1.0, max(0.0, confidence)), 4)
        return RuleMatch(begin, end, rule.name, kind, confidence, order, rule.list)

    def _denied(self, text: str) -> Iterator[RuleMatch]:
        for begin, end, number in self._deny.find(text):
            deny = self._deny_lists[number]
            yield RuleMatch(begin, end, deny.name, deny.kind, deny.confidence, len(self._rules) + number)

    def _without_allowed(self, text: str, matches: list[RuleMatch]) -> list[RuleMatch]:
        if not matches or not (self._allow or self._allow_patterns):
            return matches
        allowed = [(b, e) for b, e, _ in self._allow.find(text)]
        kept = []
        for match in matches:
            covered = plain(text[match.begin : match.end])
            if any(b <= match.begin and match.end <= e for b, e in allowed) or covered in self._allow:
                continue
            if not any(p.fullmatch(covered) for p in self._allow_patterns):
                kept.append(match)
        return kept


def _marks(rule: Rule, kinds: Iterable[PhiKind]) -> bool:
    """Return whether a match of a rule may have one of some kinds."""
    return any(kind is not None and kind.is_a(wanted) for kind in (rule.kind, rule.otherwise) for wanted in kinds)


def outermost(matches: list[RuleMatch]) -> Iterator[RuleMatch]:
    """Yield the matches that are not inside another with at least their confidence; of equal spans the best, then the first rule.

    Every character stays covered. `matches` must be sorted by begin, then length, longest first.
    """
    open_: list[RuleMatch] = []
    for match in matches:
        open_ = [m for m in open_ if m.end > match.begin]
        around = [m for m in open_ if m.end >= match.end and bool(m.list) == bool(match.list)]
        if not any(m.confidence >= match.confidence for m in around):
            open_.append(match)
            yield match


def value_of(covered: str, form: str) -> str:
    """Return the normalized text: `compact` (upper case, letters and digits), `digits`, `lower`, or the `text` itself."""
    if form == "compact":
        return "".join(c for c in covered.upper() if c.isalnum())
    if form == "digits":
        return digits(covered)
    return covered.lower() if form == "lower" else covered


def _windows(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield (begin, end, limit) of overlapping windows; matches that begin at or after `limit` belong to the next one."""
    size = len(data)
    low = 0
    while True:
        high = size if low + WINDOW + OVERLAP >= size else character(data, low + WINDOW)
        limit = size if high == size else character(data, high - OVERLAP)
        yield low, high, limit
        if high == size:
            return
        low = limit
