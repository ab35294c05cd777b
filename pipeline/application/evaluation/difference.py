"""Differences between two annotated collections of the same documents: two runs, or a run and its review."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from ....consumers.evaluation.errors import CHANGES, ErrorPage
from ....consumers.scoring import Pair, pair_of_two
from ....consumers.scoring.alignment import GROUPS, Compared, Group, Mistake, mistakes
from ....consumers.scoring.criteria import Span, distinct
from ....consumers.scoring.document import Mark
from ....consumers.scoring.leaks import merged, shared, uncovered
from ....typesystem import GOLD_VIEW, INITIAL_VIEW, Cas, Phi
from ...errors import ReaderError
from .documents import Collection, Step, read_documents

Failing = Literal["new-leak", "change", "missing"]
"""Conditions for failure: text that only the first covers; any change; documents on one side only."""


@dataclass(slots=True)
class Document:
    """One document that both collections hold."""

    id: str
    changes: list[Mistake]
    leaks: list[Span]
    """Text with a letter or digit that the first covers and the second does not; with a reference, only text that is PHI
    in it."""
    cured: list[Span]
    """The same the other way round."""


@dataclass(slots=True)
class Difference:
    """The outcome. Nothing in it but the page holds text."""

    views: tuple[str, str]
    """Views that were compared."""
    page: ErrorPage
    documents: int = 0
    spans: int = 0
    """Spans of the first collection."""
    changed: list[Document] = field(default_factory=list)
    counts: Counter[tuple[str, Group]] = field(default_factory=Counter)
    """(kind, group) -> changes."""
    only_first: list[str] = field(default_factory=list)
    only_second: list[str] = field(default_factory=list)
    other_text: list[str] = field(default_factory=list)
    """Documents of both whose texts differ: their spans cannot be compared."""
    ignored_references: bool = False
    """True if both sides have a reference that was not asked for and not compared."""

    @property
    def leaks(self) -> int:
        return sum(len(d.leaks) for d in self.changed)

    @property
    def cured(self) -> int:
        return sum(len(d.cured) for d in self.changed)

    def fails(self, on: Failing) -> bool:
        """Return whether there is something of the sort. A document that cannot be compared may hide a leak."""
        missing = bool(self.only_first or self.only_second or self.other_text)
        if on == "missing":
            return missing
        return bool(self.leaks if on == "new-leak" else self.counts) or bool(self.other_text or self.only_first)

    def to_json(self) -> bytes:
        """Return everything but the text."""
        return json.dumps(
            {
                "views": self.views,
                "documents": self.documents,
                "spans": self.spans,
                "changes": {g: sum(n for (_, group), n in self.counts.items() if group == g) for g in GROUPS},
                "new_leaks": self.leaks,
                "cured_leaks": self.cured,
                "only_first": self.only_first,
                "only_second": self.only_second,
                "other_text": self.other_text,
                "changed": [_document(d) for d in self.changed],
            },
            ensure_ascii=False,
            indent=1,
        ).encode()


def compare(
    first: Collection,
    second: Collection,
    reference: Collection | None = None,
    *,
    level: Compared = "kind",
    context: int = 60,
    limit: int = 2000,
    step: Step | None = None,
) -> Difference:
    """Compare the documents of two collections, matched by id. A view that a collection does not name is the reference
    (`gold`) where only its side has one, else what was found.

    Where both have one and neither found anything, the references are compared.

    `reference`: what really is PHI; leaks are counted against it then. Raises ReaderError if a document cannot be read or
    an id occurs twice.
    """
    one, truth = _by_id(first), _by_id(reference) if reference is not None else {}
    two = _by_id(second, step)
    views = _views(first, second, one, two)
    difference = Difference(views, ErrorPage(context=context, limit=limit, words=CHANGES))
    difference.ignored_references = (
        not (first.view or second.view) and INITIAL_VIEW in views and _has_gold(one) and _has_gold(two)
    )
    difference.only_first = [name for name in one if name not in two]
    difference.only_second = [name for name in two if name not in one]
    for name, cas in one.items():
        if name not in two:
            continue
        if cas.view(views[0]).text != two[name].view(views[1]).text:
            difference.other_text.append(name)
            continue
        pair = pair_of_two(cas, two[name], *views)
        known = _reference(truth, name, pair, reference)
        _add(difference, pair, mistakes(pair, level), known)
    if not (difference.documents or difference.only_first or difference.only_second or difference.other_text):
        raise ReaderError("no documents to compare")
    return difference


def _add(difference: Difference, pair: Pair, found: list[Mistake], known: list[Mark] | None) -> None:
    difference.documents += 1
    difference.spans += len(pair.gold)
    first, second = merged(distinct(pair.gold)), merged(distinct(pair.system))
    phi = None if known is None else merged(distinct(known))
    leaks = list(_bare(first, second, phi, pair.text))
    cured = list(_bare(second, first, phi, pair.text))
    difference.page.add(pair, found)
    difference.counts.update((m.kind, m.group) for m in found)
    if found or leaks or cured:
        difference.changed.append(Document(pair.id, found, leaks, cured))


def _bare(covered: list[Span], then: list[Span], phi: list[Span] | None, text: str) -> Iterator[Span]:
    """Yield spans with a letter or digit that are covered first but not then."""
    concerned = covered if phi is None else merged(list(shared(covered, phi)))
    for begin, end in uncovered(concerned, then):
        if any(map(str.isalnum, text[begin:end])):
            yield begin, end


def _by_id(collection: Collection, step: Step | None = None) -> dict[str, Cas]:
    documents: dict[str, Cas] = {}
    for cas in read_documents(collection, step):
        if cas.id in documents:
            raise ReaderError(f"{collection.path}: two documents have the id {cas.id}")
        documents[cas.id] = cas
    return documents


def _views(first: Collection, second: Collection, one: dict[str, Cas], two: dict[str, Cas]) -> tuple[str, str]:
    nothing_found = not any(
        cas.view().count(Phi) for cas in (*one.values(), *two.values()) if cas.has_view(INITIAL_VIEW)
    )

    def only_gold(documents: dict[str, Cas], other: dict[str, Cas], collection: Collection) -> str:
        reference = _has_gold(documents) and (nothing_found or not _has_gold(other))
        return GOLD_VIEW if reference or not collection.holds_views else INITIAL_VIEW

    return first.view or only_gold(one, two, first), second.view or only_gold(two, one, second)


def _has_gold(documents: dict[str, Cas]) -> bool:
    return any(cas.has_view(GOLD_VIEW) for cas in documents.values())


def _reference(truth: dict[str, Cas], name: str, pair: Pair, reference: Collection | None) -> list[Mark] | None:
    """Return the reference spans of a document; None without a reference. Raises ReaderError if it lacks the document."""
    if reference is None:
        return None
    if name not in truth:
        raise ReaderError(f"{reference.path}: no document {name}, which both others hold")
    cas = truth[name]
    view = reference.annotated(cas, reference=True)
    return pair_of_two(cas, cas, view, view).gold if cas.view(view).text == pair.text else _other(reference, name)


def _other(reference: Collection, name: str) -> list[Mark]:
    raise ReaderError(f"{reference.path}: document {name} has another text there")


def _document(document: Document) -> dict[str, Any]:
    return {
        "id": document.id,
        "changes": [
            {
                "group": m.group,
                "first": _mark(m.gold),
                "second": _mark(m.system),
                "leaked": [list(s) for s in m.leaked],
            }
            for m in document.changes
        ],
        "new_leaks": [list(s) for s in document.leaks],
        "cured_leaks": [list(s) for s in document.cured],
    }


def _mark(mark: Mark | None) -> dict[str, Any] | None:
    if mark is None:
        return None
    return {"begin": mark.begin, "end": mark.end, "kind": mark.kind, "source": mark.source}
