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
from ....consumers.scoring.criteria import distinct
from ....consumers.scoring.document import Mark
from ....consumers.scoring.leaks import merged, shared, uncovered
from ....consumers.scoring.spans import Span
from ....typesystem import GOLD_VIEW, INITIAL_VIEW, Cas, Phi
from ...errors import ReaderError
from .documents import Collection, DocumentCallback, read_documents

FailureCondition = Literal["new-leak", "change", "missing"]
"""Conditions for failure: text that only the first collection covers, any change, documents of one collection only."""


@dataclass(slots=True)
class ChangedDocument:
    """The changes of a document that is in both collections."""

    id: str
    changes: list[Mistake]
    leaks: list[Span]
    """Spans with a letter or digit that only the first collection covers; with a reference, only PHI of the reference."""
    cured: list[Span]
    """Spans that only the second collection covers, with the same restrictions."""


@dataclass(slots=True)
class Difference:
    """The result of a comparison. Only the page contains document text."""

    views: tuple[str, str]
    """The compared views."""
    page: ErrorPage
    documents: int = 0
    spans: int = 0
    """Spans of the first collection."""
    changed: list[ChangedDocument] = field(default_factory=list)
    counts: Counter[tuple[str, Group]] = field(default_factory=Counter)
    """Number of changes by kind and group."""
    only_first: list[str] = field(default_factory=list)
    only_second: list[str] = field(default_factory=list)
    other_text: list[str] = field(default_factory=list)
    """Documents with different texts, whose spans cannot be compared."""
    ignored_references: bool = False
    """True if both collections have a reference that was not compared."""

    @property
    def leaks(self) -> int:
        return sum(len(d.leaks) for d in self.changed)

    @property
    def cured(self) -> int:
        return sum(len(d.cured) for d in self.changed)

    def fails(self, condition: FailureCondition) -> bool:
        """Return whether a failure condition is met. A document that cannot be compared may contain a leak."""
        missing = bool(self.only_first or self.only_second or self.other_text)
        if condition == "missing":
            return missing
        return bool(self.leaks if condition == "new-leak" else self.counts) or bool(self.other_text or self.only_first)

    def to_json(self) -> bytes:
        """Return the comparison as JSON without document text."""
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
    callback: DocumentCallback | None = None,
) -> Difference:
    """Compare the documents of two collections, matched by id.

    The default view of a collection is `gold` if only this collection has one, or if neither contains system annotations;
    else the initial view. `reference`: the true PHI, to which leaks are limited. Raises ReaderError if a document cannot be
    read or an id is not unique.
    """
    first_documents, gold = _by_id(first), _by_id(reference) if reference is not None else {}
    second_documents = _by_id(second, callback)
    views = _views(first, second, first_documents, second_documents)
    difference = Difference(views, ErrorPage(context=context, limit=limit, words=CHANGES))
    difference.ignored_references = (
        not (first.view or second.view)
        and INITIAL_VIEW in views
        and _has_gold(first_documents)
        and _has_gold(second_documents)
    )
    difference.only_first = [name for name in first_documents if name not in second_documents]
    difference.only_second = [name for name in second_documents if name not in first_documents]
    for name, cas in first_documents.items():
        if (other := second_documents.get(name)) is None:
            continue
        if cas.view(views[0]).text != other.view(views[1]).text:
            difference.other_text.append(name)
            continue
        pair = pair_of_two(cas, other, *views, optional=False)
        _add(difference, pair, mistakes(pair, level), _reference(gold, name, pair, reference))
    if not (difference.documents or difference.only_first or difference.only_second or difference.other_text):
        raise ReaderError("no documents to compare")
    return difference


def _add(difference: Difference, pair: Pair, changes: list[Mistake], reference: list[Mark] | None) -> None:
    difference.documents += 1
    difference.spans += len(pair.gold)
    first, second = merged(distinct(pair.gold)), merged(distinct(pair.system))
    phi = None if reference is None else merged(distinct(reference))
    leaks = list(_uncovered(first, second, phi, pair.text))
    cured = list(_uncovered(second, first, phi, pair.text))
    difference.page.add(pair, changes)
    difference.counts.update((m.kind, m.group) for m in changes)
    if changes or leaks or cured:
        difference.changed.append(ChangedDocument(pair.id, changes, leaks, cured))


def _uncovered(covered: list[Span], other: list[Span], phi: list[Span] | None, text: str) -> Iterator[Span]:
    """Yield spans with a letter or digit that are in `covered` but not in `other`."""
    relevant = covered if phi is None else merged(list(shared(covered, phi)))
    for begin, end in uncovered(relevant, other):
        if any(map(str.isalnum, text[begin:end])):
            yield begin, end


def _by_id(collection: Collection, callback: DocumentCallback | None = None) -> dict[str, Cas]:
    documents: dict[str, Cas] = {}
    for cas in read_documents(collection, callback):
        if cas.id in documents:
            raise ReaderError(f"{collection.path}: two documents have the id {cas.id}")
        documents[cas.id] = cas
    return documents


def _views(first: Collection, second: Collection, firsts: dict[str, Cas], seconds: dict[str, Cas]) -> tuple[str, str]:
    no_system_spans = not any(
        cas.view().count(Phi) for cas in (*firsts.values(), *seconds.values()) if cas.has_view(INITIAL_VIEW)
    )

    def default_view(documents: dict[str, Cas], other: dict[str, Cas], collection: Collection) -> str:
        reference = _has_gold(documents) and (no_system_spans or not _has_gold(other))
        return GOLD_VIEW if reference or not collection.holds_views else INITIAL_VIEW

    return first.view or default_view(firsts, seconds, first), second.view or default_view(seconds, firsts, second)


def _has_gold(documents: dict[str, Cas]) -> bool:
    return any(cas.has_view(GOLD_VIEW) for cas in documents.values())


def _reference(gold: dict[str, Cas], name: str, pair: Pair, reference: Collection | None) -> list[Mark] | None:
    """Return the reference spans of a document; None without a reference. Raises ReaderError if the document differs."""
    if reference is None:
        return None
    if name not in gold:
        raise ReaderError(f"{reference.path}: no document {name}, which both others hold")
    cas = gold[name]
    view = reference.annotated(cas, reference=True)
    if cas.view(view).text == pair.text:
        return pair_of_two(cas, cas, view, view).gold
    raise ReaderError(f"{reference.path}: document {name} has another text there")


def _document(document: ChangedDocument) -> dict[str, Any]:
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
