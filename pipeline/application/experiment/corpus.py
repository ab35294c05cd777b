"""A corpus in memory, which is read and processed by its engines once and identified by hashes of its documents."""

from __future__ import annotations

from dataclasses import dataclass, field

from ....annotators.sequence.folds import rarest, shuffled
from ....typesystem import GOLD_VIEW, Cas, Phi, Token
from ...assembly import assemble
from ...contract.component import CollectionReader
from ...errors import ReaderError, guarded, nearest
from ...pipeline import Pipeline
from . import fingerprint
from .plan import CorpusPlan

Documents = tuple[tuple[str, int], ...]
"""Documents by name of their corpus and index in it."""

BY_KINDS = "kinds"
"""The value of `stratify` for the rarest PHI kind of each document."""


@dataclass(slots=True)
class Corpus:
    """The documents of a corpus, with the results of its engines, and with reference annotations."""

    name: str
    documents: list[Cas]
    total: int
    """Number of documents in the corpus, including those excluded by a limit."""
    groups: list[str] = field(default_factory=list)
    """The group of each document, such as a patient: a split never separates a group."""
    strata: list[str] = field(default_factory=list)
    """The stratum of each document, such as a genre: folds have the same mix. Empty: no strata."""
    digests: list[str] = field(default_factory=list)

    @property
    def all(self) -> Documents:
        return tuple((self.name, i) for i in range(len(self.documents)))

    def counts(self) -> tuple[int, int]:
        """Return the numbers of tokens and of gold spans."""
        tokens = sum(cas.view().count(Token) for cas in self.documents)
        return tokens, sum(cas.view(GOLD_VIEW).count(Phi) for cas in self.documents)


def read_corpus(plan: CorpusPlan, limit: int | None, seed: int) -> Corpus:
    """Read and prepare a corpus; `limit` documents drawn by the seed, in the order of the corpus.

    Raises ReaderError if documents cannot be read, have no view `gold` or lack the metadata that groups them, and
    ComponentError if an engine fails: an experiment on part of a corpus has no meaning.
    """
    parts = assemble.assemble(plan.config)
    if parts.reader is None:
        raise ReaderError(f"corpus {plan.name}: has no reader")
    cases = _read(parts.reader, plan.name)
    chosen = list(range(len(cases)))
    if limit is not None and limit < len(cases):
        chosen = sorted(shuffled(chosen, "limit", seed)[:limit])
    documents = [cases[i] for i in chosen]
    for number, cas in enumerate(documents, 1):
        if not cas.has_view(GOLD_VIEW):
            raise ReaderError(
                f"corpus {plan.name}: document {number} has no view {GOLD_VIEW}: an experiment needs reference annotations"
            )
    pipeline = Pipeline(parts.engines, name=plan.name)
    pipeline.views = parts.views
    with pipeline:
        for cas in documents:
            pipeline.process(cas)
    digests = [fingerprint.of_document(cas) for cas in documents]
    for cas in documents:
        cas.id = f"{plan.name}/{cas.id}"  # two corpora in one training may have the same ids
    return Corpus(plan.name, documents, len(cases), _groups(documents, plan), _strata(documents, plan), digests)


def preparation(plan: CorpusPlan) -> list[object]:
    """Return the reader and the engines of a corpus as data for hashes."""
    reader = [fingerprint.of_step(step, "reader")[0] for step in plan.config.readers[:1]]
    return reader + [fingerprint.of_step(step, "engine") for step in plan.config.engines]


def _read(reader: CollectionReader, name: str) -> list[Cas]:
    reader.failed = []
    with guarded(f"corpora.{name}/{reader.id}"):
        reader.open()
        try:
            documents = list(reader)
        finally:
            reader.close()
    if reader.failed:
        document, error = reader.failed[0]
        of = len(reader.failed) + len(documents)
        raise ReaderError(
            f"corpus {name}: {len(reader.failed)} of {of} documents cannot be read; the first, {document}: {error}"
        )
    if not documents:
        raise ReaderError(f"corpus {name}: the reader found no document")
    return documents


def _groups(documents: list[Cas], plan: CorpusPlan) -> list[str]:
    key = plan.group
    if not key:
        return [f"document {i}" for i in range(len(documents))]
    _check_metadata(documents, plan, key, "group by")
    return [
        f"{key} {cas.metadata[key]}" if cas.metadata.get(key) else f"document {i}" for i, cas in enumerate(documents)
    ]


def _strata(documents: list[Cas], plan: CorpusPlan) -> list[str]:
    key = plan.stratify
    if not key:
        return []
    if key == BY_KINDS:
        return rarest([{p.kind.top.name for p in cas.view(GOLD_VIEW).select(Phi)} for cas in documents])
    _check_metadata(documents, plan, key, f"stratify by (or {BY_KINDS})")
    return [str(cas.metadata.get(key, "")) for cas in documents]


def _check_metadata(documents: list[Cas], plan: CorpusPlan, key: str, purpose: str) -> None:
    """Raise ReaderError if no document has the metadata."""
    if not any(cas.metadata.get(key) for cas in documents):
        there = sorted({name for cas in documents for name in cas.metadata})
        raise ReaderError(
            f"corpus {plan.name}: no document has metadata {key!r} to {purpose}{nearest(key, there)}; "
            f"there is {', '.join(there) or 'none'}"
        )
