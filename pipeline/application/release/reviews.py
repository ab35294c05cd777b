"""Reads the decisions for a release: journals of reviewers and adjudicators, or documents that were edited in another program."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ....typesystem import GOLD_VIEW, INITIAL_VIEW, Cas, Phi
from ....typesystem.typesystem import own_types
from ...errors import ConfigError, Fault, ReaderError, nearest
from ...pipeline import Pipeline
from ..review.history import DocumentDecisions, History
from ..review.store import annotators, journal_path, read_journal
from .decisions import DocumentReview, EditedSpans, Review

EDITED = "edited documents"
READERS = ("xmi", "jsoncas", "inception")


class LeftOut(NamedTuple):
    """The decisions of a reviewer that a release leaves out."""

    decisions: int
    documents: int
    completed: int
    """Documents whose review is completed."""

    @classmethod
    def of(cls, history: History) -> LeftOut:
        documents = [d for d in history.documents.values() if d.own or d.done]
        return cls(sum(len(d.own) for d in documents), len(documents), sum(d.done for d in documents))


@dataclass(slots=True)
class Reviews:
    """The decisions of a release."""

    journals: dict[str, int] = field(default_factory=dict)
    """Number of entries of each journal."""
    of: dict[str, DocumentReview] = field(default_factory=dict)
    """Decisions by the name of the document."""
    notes: list[str] = field(default_factory=list)
    """Notes about ignored annotations."""
    left_out: dict[str, LeftOut] = field(default_factory=dict)
    """Journals with decisions that the release leaves out, by reviewer."""


def read_reviews(home: Path, names: Sequence[str]) -> Reviews:
    """Return the decisions of reviewers. Where two of them have an adjudicator, also that one's; the name of an adjudicator means
    the two as well. Raises ConfigError for an unknown name, ReviewError for a damaged journal."""
    known = annotators(home)
    faults = [Fault("--review", _unknown(name, known)) for name in names if name not in known]
    if faults:
        raise ConfigError(faults)
    headers, histories, reviews = {}, dict[str, History](), Reviews()
    for name in known:
        headers[name], records = read_journal(journal_path(home, name))
        histories[name] = History(records)
        reviews.journals[name] = len(records)
    pairs = {n: tuple(h["between"]) for n, h in headers.items() if h.get("between")}
    wanted = list(dict.fromkeys(r for name in names for r in pairs.get(name, (name,))))
    if missing := [n for n in wanted if n not in histories]:
        raise ConfigError([Fault("--review", _unknown(n, known)) for n in missing])
    judges = [n for n in sorted(pairs) if {*pairs[n]} <= {*wanted}]
    if clash := [n for n in judges if n not in names and [*map(set, pairs.values())].count({*pairs[n]}) > 1]:
        raise ConfigError(
            [Fault("--review", f"expected one of the adjudicators {' and '.join(clash)}: add --review NAME")]
        )
    judges = [n for n in judges if n in names] or judges
    reviews.journals = {n: reviews.journals[n] for n in (*wanted, *judges)}
    reviews.left_out = _left_out({n: h for n, h in histories.items() if n not in reviews.journals})
    documents = dict.fromkeys(d for n in wanted for d in histories[n].documents)
    for document in documents:
        found = tuple(Review(n, histories[n].documents[document]) for n in wanted if document in histories[n].documents)
        judge = next((n for n in judges if {*pairs[n]} == {r.reviewer for r in found if r.decisions.done}), None)
        decided: DocumentDecisions | None = histories[judge].documents.get(document) if judge is not None else None
        if judge is None or decided is None:
            reviews.of[document] = DocumentReview(found)
        else:
            reviews.of[document] = DocumentReview(found, Review(judge, decided), (pairs[judge][0], pairs[judge][1]))
    return reviews


def _left_out(histories: Mapping[str, History]) -> dict[str, LeftOut]:
    found = {name: LeftOut.of(history) for name, history in histories.items()}
    return {name: counts for name, counts in found.items() if counts.documents}


def all_left_out(home: Path) -> dict[str, LeftOut]:
    """Return the decisions of every journal in a folder."""
    return _left_out({name: History(read_journal(journal_path(home, name))[1]) for name in annotators(home)})


def _unknown(name: str, known: Sequence[str]) -> str:
    there = nearest(name, known) or f"; there are: {', '.join(known) or 'none'}"
    return f"{name!r} has reviewed nothing here{there}"


def read_edited(folder: Path, reader: str, overrides: Sequence[str], bundle: Path | None) -> Reviews:
    """Return the annotations of edited documents: `Phi` of the view `gold` or, without it, of the initial view.

    `reader`: xmi, jsoncas or inception; empty: by the suffixes of the files. `bundle`: the review project that was exported to
    INCEpTION, with the ids and exact texts. Raises ReaderError if a document cannot be read or none has an annotation of PHI,
    since this would release everything.
    """
    if not folder.exists():
        raise ReaderError(f"{folder}: no such file or folder: expected edited documents")
    name = reader or _reader_of(folder)
    given: dict[str, Any] = {"folder" if folder.is_dir() else "files": str(folder.absolute())}
    if name != "inception":
        given["lenient"] = True
    elif bundle is not None and bundle.is_file():
        given["bundle"] = str(bundle.absolute())
    pipeline = Pipeline.parse(json.dumps({"reader": {name: given}, "engines": []}), overrides)
    assert pipeline.reader is not None
    reviews = Reviews()
    pipeline.reader.failed = []
    pipeline.reader.open()
    ignored = 0
    try:
        for cas in pipeline.reader:
            if cas.id in reviews.of:
                raise ReaderError(f"{folder}: two documents have the id {cas.id}: expected one version of each")
            reviews.of[cas.id] = DocumentReview(edited=_edited(cas), by=EDITED)
            ignored += _foreign(cas)
    finally:
        pipeline.reader.close()
    if pipeline.reader.failed:
        document, error = pipeline.reader.failed[0]
        more = len(pipeline.reader.failed)
        raise ReaderError(
            f"{folder}: {more:,} edited document{'s' * (more > 1)} cannot be read; the first is {document}: {error}"
        )
    if not any(r.edited is not None and r.edited.spans for r in reviews.of.values()):
        raise ReaderError(
            f"{folder}: no document has an annotation of PHI (caspipe.Phi), so everything would be released: expected the files "
            "that the run wrote, after editing; give --from inception for an export of INCEpTION"
        )
    if ignored:
        reviews.notes.append(f"{ignored:,} edited documents have annotations of other types, which are ignored")
    return reviews


def _reader_of(folder: Path) -> str:
    suffixes = {p.suffix for p in folder.rglob("*") if p.is_file()} if folder.is_dir() else {folder.suffix}
    if ".zip" in suffixes:
        return "inception"
    return "jsoncas" if ".json" in suffixes and ".xmi" not in suffixes else "xmi"


def _edited(cas: Cas) -> EditedSpans:
    view = cas.view(GOLD_VIEW) if cas.has_view(GOLD_VIEW) else cas.view(INITIAL_VIEW)
    digest = hashlib.sha256(view.text.encode("utf-8", "surrogatepass")).hexdigest()
    return EditedSpans(digest, tuple((p.begin, p.end, p.kind.name) for p in view.select(Phi) if p.begin < p.end))


def _foreign(cas: Cas) -> bool:
    """Return whether a document has annotations of types that are not caspipe's own."""
    known = own_types()
    return any(t.uima_name not in known for view in cas.views for t in view.types())
