"""The page of errors: every miss and false hit with its context, to be filtered and stepped through."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from ..pages.page import cell, chip, esc, kind_class, page, table
from ..scoring.document import Mark, Pair
from ..scoring.mistakes import GROUPS, Group, Mistake
from .error_style import FILTERING, STYLE

TOLD: dict[Group, str] = {
    "missed": "Missed",
    "bounds": "Wrong bounds",
    "kind": "Wrong kind",
    "false": "False hit",
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Words:
    """What the page calls things."""

    one: str = "error"
    many: str = "errors"
    told: Mapping[Group, str] = dataclasses.field(default_factory=lambda: TOLD)
    meant: Mapping[Group, str] = dataclasses.field(
        default_factory=lambda: {
            "missed": "PHI that nothing touched",
            "bounds": "found, but not all of it, or more than it",
            "kind": "found under another kind",
            "false": "found, but no PHI",
        }
    )
    sides: tuple[str, str] = ("Gold", "System")
    only: tuple[str, str] = ("PHI, not found", "found, no PHI")
    both: str = "PHI, found"
    leaking: str = "PHI spans leak"
    by_kind: str = "By kind: the reference's, for false hits the system's"


ERRORS = Words()
CHANGES = Words(
    one="change",
    many="changes",
    told={"missed": "Gone", "bounds": "Other bounds", "kind": "Other kind", "false": "New"},
    meant={
        "missed": "in the first only; nothing in the second touches it",
        "bounds": "in both, with other borders",
        "kind": "in both, under another kind",
        "false": "in the second only",
    },
    sides=("First", "Second"),
    only=("in the first only", "in the second only"),
    both="in both",
    leaking="spans of the first are not wholly covered by the second",
    by_kind="By kind: the first's, for new spans the second's",
)
"""Two runs side by side, or a run and what reviewers made of it."""

_BREAKS = str.maketrans({"\n": "↵", "\r": "", "\t": " "})


class ErrorPage:
    """Collects the errors of documents and makes the page. At most `limit` of each group are shown; all are counted."""

    def __init__(self, *, context: int, limit: int, words: Words = ERRORS) -> None:
        self.words = words
        self.context = context
        self.limit = limit
        self.documents = 0
        self.counts: Counter[tuple[str, Group]] = Counter()
        """(kind, group) -> errors."""
        self.leaks: Counter[str] = Counter()
        """Kind -> gold spans that leak a letter or digit."""
        self._entries: dict[Group, list[str]] = {group: [] for group in GROUPS}

    def add(self, pair: Pair, found: Sequence[Mistake]) -> None:
        """Adds the errors of one document."""
        self.documents += 1
        window = _Window(pair, self.context, self.words)
        leaking = set()
        for mistake in found:
            self.counts[mistake.kind, mistake.group] += 1
            if mistake.leaked and mistake.gold is not None:
                leaking.add(mistake.gold)
            entries = self._entries[mistake.group]
            if len(entries) < self.limit:
                entries.append(_entry(pair, mistake, window, self.words))
        self.leaks.update(g.kind for g in leaking)

    def html(self, title: str = "Errors", note: str = "") -> bytes:
        """The whole page. `note` stands below its title."""
        sums = {group: sum(n for (_, g), n in self.counts.items() if g == group) for group in GROUPS}
        facts = (
            f"{self.documents:,} document{'s' * (self.documents != 1)} · {sum(sums.values()):,} {self.words.many} · "
        )
        facts += f"{self.leaks.total():,} {self.words.leaking}"
        facts += f"<br>{esc(note)}" if note else ""
        sections = "".join(self._section(group, sums[group]) for group in GROUPS)
        body = (
            f'<header><p class="facts">caspipe</p><h1>{esc(title)}</h1><p class="facts">{facts}</p>'
            f"{_legend(self.words)}</header>\n"
            f"<main>{self._summary()}{self._tools(sums)}{sections}"
            f'<p class="muted" id="empty" hidden>No {self.words.one} fits this choice.</p></main>\n'
            "<footer>This page holds the original text: it is for those who may read it.</footer>"
        )
        return page(title, body, style=STYLE, script=FILTERING)

    @property
    def _kinds(self) -> list[str]:
        return sorted({kind for kind, _ in self.counts})

    def _summary(self) -> str:
        rows = [
            f'<th scope="row">{chip(kind)}</th>'
            + "".join(_count(self.counts[kind, group]) for group in GROUPS)
            + _count(self.leaks[kind])
            for kind in self._kinds
        ]
        return table(self.words.by_kind, ["Kind", *(f"#{self.words.told[g]}" for g in GROUPS), "#Leaks"], rows)

    def _tools(self, sums: dict[Group, int]) -> str:
        buttons = "".join(
            f'<button type="button" data-group="{g}" aria-pressed="true" title="{self.words.meant[g]}">'
            f"{self.words.told[g]} <b>{sums[g]:,}</b></button>"
            for g in GROUPS
        )
        kinds = "".join(f'<option value="{esc(k)}">{esc(k)}</option>' for k in self._kinds)
        return (
            '<div class="tools" id="tools" role="toolbar" aria-label="Choose" hidden>'
            f'<div class="groups" role="group" aria-label="Groups">{buttons}</div>'
            f'<label>Kind <select id="kind"><option value="">all</option>{kinds}</select></label>'
            '<label><input type="checkbox" id="leaks"> leaks only</label>'
            '<span class="steps"><button type="button" id="previous">Previous <kbd>k</kbd></button>'
            '<button type="button" id="next">Next <kbd>j</kbd></button> <span id="count" aria-live="polite"></span></span></div>'
        )

    def _section(self, group: Group, total: int) -> str:
        entries = self._entries[group]
        if not entries:
            return ""
        left = total - len(entries)
        more = f'<p class="muted">{left:,} more are counted above but not shown.</p>' if left else ""
        return (
            f'<section class="group" id="{group}"><h2>{self.words.told[group]} '
            f'<span class="muted">{self.words.meant[group]}</span></h2>\n'
            f"{''.join(entries)}{more}</section>\n"
        )


class _Window:
    """The marked-up surroundings of any place in one document."""

    def __init__(self, pair: Pair, context: int, words: Words) -> None:
        self.words = words
        self.text = pair.text
        self.context = context
        self.gold = _sorted(pair.gold)
        self.system = _sorted(pair.system)
        self._longest = max((m.end - m.begin for m in (*pair.gold, *pair.system)), default=0)

    def show(self, begin: int, end: int) -> str:
        """The text around, where what is reference, what is system and what is both looks different."""
        low, high = max(0, begin - self.context), min(len(self.text), end + self.context)
        gold, system = self._near(self.gold, low, high), self._near(self.system, low, high)
        edges = {low, high, begin, end}
        edges.update(e for m in (*gold, *system) for e in (m.begin, m.end) if low < e < high)
        pieces = {"before": "", "own": "", "after": ""}
        for a, b in pairwise(sorted(edges)):
            place = "before" if b <= begin else "after" if a >= end else "own"
            pieces[place] += self._piece(a, b, _at(gold, a), _at(system, a))
        return (
            f'{"…" * (low > 0)}{pieces["before"]}<span class="own">{pieces["own"]}</span>{pieces["after"]}'
            f"{'…' * (high < len(self.text))}"
        )

    def _piece(self, begin: int, end: int, gold: Mark | None, system: Mark | None) -> str:
        text = esc(self.text[begin:end].translate(_BREAKS))
        if gold is None and system is None:
            return text
        if gold is None:
            assert system is not None
            return f'<mark class="extra {kind_class(system.kind)}" title="{self.words.only[1]}: {esc(system.kind)}">{text}</mark>'
        if system is None:
            return f'<mark class="leak" title="{self.words.only[0]}: {esc(gold.kind)}">{text}</mark>'
        return f'<mark class="both {kind_class(gold.kind)}" title="{self.words.both}: {esc(gold.kind)}">{text}</mark>'

    def _near(self, marks: list[Mark], low: int, high: int) -> list[Mark]:
        first = bisect_left(marks, low - self._longest, key=lambda m: m.begin)
        last = bisect_left(marks, high, key=lambda m: m.begin)
        return [m for m in marks[first:last] if m.end > low]


def _entry(pair: Pair, mistake: Mistake, window: _Window, words: Words) -> str:
    gold, system = mistake.gold, mistake.system
    facts = []
    if gold is not None:
        facts.append((words.sides[0], f"{chip(gold.kind)} {gold.begin}–{gold.end}"))
    if system is not None:
        facts.append((words.sides[1], f"{chip(system.kind)} {system.begin}–{system.end}"))
        facts.append(("Source", esc(system.source or "(unnamed)")))
        facts.append(("Confidence", f"{system.confidence:.2f}"))
    if mistake.leaked:
        leaked = sum(end - begin for begin, end in mistake.leaked)
        facts.append(("Leaks", f'<span class="leaks">{leaked:,} code point{"s" * (leaked != 1)}</span>'))
    listed = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    leaks = " data-leaks" if mistake.leaked else ""
    return (
        f'<article class="error" data-kind="{esc(mistake.kind)}"{leaks} tabindex="-1">'
        f'<h3>{esc(pair.id or "(no id)")}</h3><p class="context">{window.show(mistake.begin, mistake.end)}</p>'
        f"<dl>{listed}</dl></article>\n"
    )


def _legend(words: Words) -> str:
    return (
        f'<div class="legend" role="group" aria-label="Legend"><mark class="leak">{words.only[0]}</mark>'
        f'<mark class="extra k-OTHER">{words.only[1]}</mark><mark class="both k-OTHER">{words.both}</mark>'
        "<span>the place itself is in bold</span></div>"
    )


def _count(n: int) -> str:
    return cell(n) if n else '<td class="n muted">0</td>'


def _sorted(marks: Sequence[Mark]) -> list[Mark]:
    return sorted(marks, key=lambda m: (m.begin, m.end, m.kind))


def _at(marks: Sequence[Mark], offset: int) -> Mark | None:
    return next((m for m in marks if m.begin <= offset < m.end), None)
