"""Consumer that lists every error against the reference on one page: with its context, filters, and keys to step through them."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from ...pipeline.contract.component import Scope, component
from ...pipeline.storage.files import restricted_folder, write_atomic
from ...typesystem import GOLD_VIEW, INITIAL_VIEW, Cas
from ..files.packed import refuse_packed
from ..pages.rendering import kind_class, render_page
from ..scoring.alignment import GROUPS, Group, Level, Mistake, mistakes
from ..scoring.document import Mark, Pair, pair_of
from .delayed import DelayedConsumer


@component("errors")
class ErrorsConsumer(DelayedConsumer):
    """Writes an HTML page of every miss, false hit, wrong kind and wrong bound against the reference, with its context.

    The page contains original text: file and folder are readable by their owner only. It loads nothing and works offline.
    """

    file: Path = Path("restricted/errors.html")
    """The page, under the run's output folder. Written when the run has ended."""
    gold: str = GOLD_VIEW
    """View with the reference spans."""
    system: str = INITIAL_VIEW
    """View with the spans that were found."""
    level: Level = "kind"
    """Level at which kinds are compared: every kind, the first level, or the categories of a scheme."""
    context: int = 60
    """Text shown before and after each error (code points)."""
    limit: int = 2000
    """Number of errors shown of each group; all are counted."""

    scope = Scope.COLLECTION

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_packed(self.file)
        for name in ("context", "limit"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name}: expected 0 or more, got {getattr(self, name)}")
        self.result: Counter[str] = Counter()
        """Number of errors by group, after `close`."""
        self._page: ErrorPage | None = None

    @property
    def path(self) -> Path:
        return self.output / self.file

    def open(self) -> None:
        super().open()
        restricted_folder(self.path.parent, self.output)
        self._page = ErrorPage(context=self.context, limit=self.limit)

    def result_of(self, cas: Cas) -> tuple[Pair, list[Mistake]]:
        pair = pair_of(cas, self.gold, self.system)
        return pair, mistakes(pair, self.level)

    def add(self, result: tuple[Pair, list[Mistake]]) -> None:
        self.page.add(*result)

    @property
    def page(self) -> ErrorPage:
        """The page, opened at first use."""
        if self._page is None:
            last = self._last
            self.open()
            self._last = last
        assert self._page is not None
        return self._page

    def close(self) -> None:
        """Write the page."""
        self.add_last()
        page = self.page
        self._page = None
        self.result = Counter({g: sum(n for (_, group), n in page.counts.items() if group == g) for g in GROUPS})
        write_atomic(self.path, page.html(), private=True)
        super().close()

    def abort(self) -> None:
        """Keep the earlier page."""
        self._page = self._last = None


GROUP_LABELS: dict[Group, str] = {
    "missed": "Missed",
    "bounds": "Wrong bounds",
    "kind": "Wrong kind",
    "false": "False hit",
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Words:
    """The wording of the page."""

    one: str = "error"
    many: str = "errors"
    labels: Mapping[Group, str] = dataclasses.field(default_factory=lambda: GROUP_LABELS)
    meanings: Mapping[Group, str] = dataclasses.field(
        default_factory=lambda: {
            "missed": "PHI that nothing touched",
            "bounds": "found, but not all of it, or more than it",
            "kind": "found under another kind",
            "false": "found, but not PHI",
        }
    )
    sides: tuple[str, str] = ("Gold", "System")
    only: tuple[str, str] = ("PHI, not found", "found, not PHI")
    both: str = "PHI, found"
    leaking: str = "PHI spans leak"
    by_kind: str = "By kind: the reference's, for false hits the system's"


ERRORS = Words()
CHANGES = Words(
    one="change",
    many="changes",
    labels={"missed": "Gone", "bounds": "Other bounds", "kind": "Other kind", "false": "New"},
    meanings={
        "missed": "in the first only; nothing in the second touches it",
        "bounds": "in both, with other bounds",
        "kind": "in both, under another kind",
        "false": "in the second only",
    },
    sides=("First", "Second"),
    only=("in the first only", "in the second only"),
    both="in both",
    leaking="spans of the first are not completely covered by the second",
    by_kind="By kind: the first's, for new spans the second's",
)
"""For two runs, or for a run and the corrections of reviewers."""

_BREAKS = str.maketrans({"\n": "↵", "\r": "", "\t": " "})


class ErrorPage:
    """Collects the errors of documents and renders their page. At most `limit` of each group are shown; all are counted."""

    def __init__(self, *, context: int, limit: int, words: Words = ERRORS) -> None:
        self.words = words
        self.context = context
        self.limit = limit
        self.documents = 0
        self.counts: Counter[tuple[str, Group]] = Counter()
        """(kind, group) -> errors."""
        self.leaks: Counter[str] = Counter()
        """Kind -> gold spans that leak a letter or digit."""
        self._entries: dict[Group, list[dict[str, Any]]] = {group: [] for group in GROUPS}

    def add(self, pair: Pair, errors: Sequence[Mistake]) -> None:
        """Add the errors of one document."""
        self.documents += 1
        window = _Window(pair, self.context, self.words)
        leaking = set()
        for mistake in errors:
            self.counts[mistake.kind, mistake.group] += 1
            if mistake.leaked and mistake.gold is not None:
                leaking.add(mistake.gold)
            entries = self._entries[mistake.group]
            if len(entries) < self.limit:
                entries.append(_entry(pair, mistake, window, self.words))
        self.leaks.update(g.kind for g in leaking)

    def html(self, title: str = "Errors", note: str = "") -> bytes:
        """Return the page. `note` is shown below the title."""
        sums = {group: sum(n for (_, g), n in self.counts.items() if g == group) for group in GROUPS}
        kinds = sorted({kind for kind, _ in self.counts})
        return render_page(
            "errors.html.j2",
            title=title,
            styles=["errors.css"],
            scripts=["errors.js"],
            note=note,
            words=self.words,
            documents=self.documents,
            groups=GROUPS,
            sums=sums,
            total=sum(sums.values()),
            leak_count=self.leaks.total(),
            kinds=kinds,
            columns=["Kind", *(f"#{self.words.labels[g]}" for g in GROUPS), "#Leaks"],
            rows=[[{"kind": k}, *(self.counts[k, group] for group in GROUPS), self.leaks[k]] for k in kinds],
            entries=self._entries,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of the context; marked if it has a class."""

    text: str
    css: str = ""
    title: str = ""


class _Window:
    """Marks up the context of any span in one document."""

    def __init__(self, pair: Pair, context: int, words: Words) -> None:
        self.words = words
        self.text = pair.text
        self.context = context
        self.gold = _sorted(pair.gold)
        self.system = _sorted(pair.system)
        self._longest = max((m.end - m.begin for m in (*pair.gold, *pair.system)), default=0)

    def show(self, begin: int, end: int) -> dict[str, Any]:
        """Return the text before, in and after a span in pieces, marked as gold, system or both."""
        low, high = max(0, begin - self.context), min(len(self.text), end + self.context)
        gold, system = self._near(self.gold, low, high), self._near(self.system, low, high)
        edges = {low, high, begin, end}
        edges.update(e for m in (*gold, *system) for e in (m.begin, m.end) if low < e < high)
        pieces: dict[str, list[_Piece]] = {"before": [], "own": [], "after": []}
        for a, b in pairwise(sorted(edges)):
            place = "before" if b <= begin else "after" if a >= end else "own"
            pieces[place].append(self._piece(a, b, _mark_at(gold, a), _mark_at(system, a)))
        return {**pieces, "cut_before": low > 0, "cut_after": high < len(self.text)}

    def _piece(self, begin: int, end: int, gold: Mark | None, system: Mark | None) -> _Piece:
        text = self.text[begin:end].translate(_BREAKS)
        if gold is not None and system is not None:
            return _Piece(text, f"both {kind_class(gold.kind)}", f"{self.words.both}: {gold.kind}")
        if gold is not None:
            return _Piece(text, "leak", f"{self.words.only[0]}: {gold.kind}")
        if system is not None:
            return _Piece(text, f"extra {kind_class(system.kind)}", f"{self.words.only[1]}: {system.kind}")
        return _Piece(text)

    def _near(self, marks: list[Mark], low: int, high: int) -> list[Mark]:
        first = bisect_left(marks, low - self._longest, key=lambda m: m.begin)
        last = bisect_left(marks, high, key=lambda m: m.begin)
        return [m for m in marks[first:last] if m.end > low]


def _entry(pair: Pair, mistake: Mistake, window: _Window, words: Words) -> dict[str, Any]:
    """Return what the template shows of one error."""
    sides = zip(words.sides, (mistake.gold, mistake.system), strict=True)
    return {
        "kind": mistake.kind,
        "document": pair.id or "(no id)",
        "sides": [(side, mark) for side, mark in sides if mark is not None],
        "system": mistake.system,
        "leaked": sum(end - begin for begin, end in mistake.leaked),
        **window.show(mistake.begin, mistake.end),
    }


def _sorted(marks: Sequence[Mark]) -> list[Mark]:
    return sorted(marks, key=lambda m: (m.begin, m.end, m.kind))


def _mark_at(marks: Sequence[Mark], offset: int) -> Mark | None:
    return next((m for m in marks if m.begin <= offset < m.end), None)
