"""Documents for scoring, from a pipeline or from two annotated collections."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from ....consumers.scoring import Pair, pair_of, pair_of_two
from ....consumers.scoring.schemes.tab import same_documents
from ....typesystem import GOLD_VIEW, INITIAL_VIEW, Cas, MaskedSpan, Phi
from ...assembly.assemble import with_resolver
from ...contract import params, registry
from ...contract.component import Annotator, CollectionReader, Component
from ...errors import ReaderError, ResourceError
from ...pipeline import Pipeline
from ...storage.archives.archive import is_archive
from .run_progress import RunProgress

DocumentCallback = Callable[[int | None], None]
"""A callback for each document. Its argument is the total number of documents, if known."""


def pipeline_pairs(
    pipeline: Pipeline, gold: str = GOLD_VIEW, system: str = INITIAL_VIEW, callback: DocumentCallback | None = None
) -> Iterator[Pair]:
    """Yield the documents of a pipeline with their reference annotations (view `gold`) and system annotations.

    Maskers and consumers do not run, but models of trainers are applied, so that a training configuration with another folder
    evaluates its own model. Raises ReaderError if the reader is missing or a document cannot be read, CasError for a document
    without reference, and ComponentError if an engine fails, because scores of the other documents would be misleading.
    """
    for cas in processed_documents(pipeline, callback):
        yield pair_of(cas, gold, system)


def processed_documents(pipeline: Pipeline, callback: DocumentCallback | None = None) -> Iterator[Cas]:
    """Yield the reader's documents after the engines. Raises as `pipeline_pairs`, but needs no reference."""
    if pipeline.reader is None:
        raise ReaderError(f"pipeline {pipeline.name} has no reader")
    pipeline.engines = with_trained(pipeline)
    with pipeline:
        for cas in _documents(pipeline.reader, callback, pipeline.options.limit):
            yield pipeline.process(cas)


def engine_pairs(
    pipeline: Pipeline,
    reference: Collection,
    system: str = INITIAL_VIEW,
    callback: DocumentCallback | None = None,
) -> Iterator[Pair]:
    """Yield the documents of a reference collection with the annotations of a pipeline's engines over their texts.

    The reader, the maskers and the consumers of the pipeline do not run. If the reference is in the initial view, the engines get
    the text and the metadata only. Raises as `pipeline_pairs`.
    """
    reader = reference.pipeline().reader
    assert reader is not None
    pipeline.engines = with_trained(pipeline)
    with pipeline:
        for cas in _documents(reader, callback):
            gold = reference.annotated(cas, reference=True)
            bare = cas
            if gold == INITIAL_VIEW:
                bare = Cas(cas.text, id=cas.id)
                bare.metadata.update(cas.metadata)
            yield pair_of_two(cas, pipeline.process(bare), gold, system)


def with_trained(pipeline: Pipeline) -> list[Component]:
    """Return the engines of a pipeline without maskers, and with the annotators of the models of its trainers.

    Raises ResourceError if a model is not trained yet.
    """
    engines = [e for e in pipeline.engines if MaskedSpan not in e.outputs]
    components: list[Component] = []
    for consumer in pipeline.consumers:
        annotator = getattr(consumer, "trained_as", "")
        if annotator and issubclass(cls := registry.find(annotator, "engine"), Annotator):
            bundle = str(consumer.output / cast(Any, consumer).model)
            components.append(_trained_annotator(cls, bundle, consumer.id))
    if not components:
        return engines
    return with_resolver(
        [*(e for e in engines if Phi not in e.outputs), *components, *(e for e in engines if Phi in e.outputs)]
    )


def _trained_annotator(cls: type[Component], bundle: str, trainer: str) -> Component:
    faults: list[str] = []
    component = params.build(cls, {"model": bundle}, lambda _, what: faults.append(what))
    if component is None or faults:
        raise ResourceError(f"{trainer}: {faults[0]}: `caspipe train` makes it")
    return cast(Component, component)


@dataclass(slots=True)
class Collection:
    """An annotated collection on disk."""

    path: Path
    """A folder or file."""
    reader: str
    """Name of the reader."""
    kinds: Mapping[str, str | None] = field(default_factory=dict)
    """The kinds of labels that are not names of kinds. None drops a label."""
    overrides: Sequence[str] = ()
    """Further parameters: `i2b2.pattern=*.xml`."""
    view: str = ""
    """View with the annotations; empty for the default of the reader."""
    keep_overlaps: bool = False
    """True to keep overlapping annotations of a system, unless `overrides` set it."""

    def pipeline(self) -> Pipeline:
        """Return a pipeline with the reader and a segmenter. Raises ConfigError for an unknown reader or parameter."""
        single = self.path.is_file() and not is_archive(str(self.path))
        parameters: dict[str, object] = {"files" if single else "folder": str(self.path)}
        known = _parameters(self.reader)
        if self.reader == "jsonl":
            parameters["spans_field"] = "spans"
        if self.reader == "conll":
            parameters["tokens"] = True  # chunks refer to the tokens of the file
        if self.keep_overlaps and "overlaps" in known:
            parameters["overlaps"] = "keep"
        if self.kinds:
            parameters["kinds"] = dict(self.kinds)
        config = json.dumps({"reader": {self.reader: parameters}, "engines": ["segmenter"]})
        pipeline = Pipeline.parse(config, self.overrides)
        pipeline.name = str(self.path)
        return pipeline

    @property
    def holds_views(self) -> bool:
        """True if the documents have their own views. Readers of corpora add all annotations to `gold`."""
        return self.reader in ("xmi", "jsoncas", "xcas")

    def annotated(self, cas: Cas, *, reference: bool) -> str:
        """Return the name of the annotated view: for a reference `gold` if it exists, else that of the system annotations."""
        if self.view:
            return self.view
        initial = self.holds_views and not (reference and cas.has_view(GOLD_VIEW))
        return INITIAL_VIEW if initial else GOLD_VIEW


def label_kinds(options: Iterable[str]) -> dict[str, str | None]:
    """Parse `LABEL=KIND`; a label without a kind is dropped (None)."""
    return {label: kind or None for label, _, kind in (option.rpartition("=") for option in options)}


def _parameters(reader: str) -> tuple[str, ...]:
    """Return the names of the parameters of a reader; none for an unknown reader, which is reported by the configuration."""
    try:
        return tuple(p.name for p in params.parameters(registry.find(reader, "reader")))
    except LookupError:
        return ()


def collection_pairs(
    reference: Collection,
    system: Collection,
    callback: DocumentCallback | None = None,
    done: RunProgress | None = None,
) -> Iterator[Pair]:
    """Yield the documents of two collections, matched by id, in the order of the system. `done`: those of a run that count.

    Raises ReaderError if a document cannot be read, an id is not unique, or documents are missing on one side.
    """
    gold: dict[str, Cas] = {}
    for cas in read_documents(reference):
        _check_unique(cas.id, gold, reference.path)
        gold[cas.id] = cas
    gold_ids, system_ids = list(gold), dict[str, None]()
    pipeline = system.pipeline()
    assert pipeline.reader is not None
    with pipeline:
        for cas in _documents(pipeline.reader, callback):
            if done is not None and cas.id not in done.released:
                continue
            _check_unique(cas.id, system_ids, system.path)
            system_ids[cas.id] = None
            if cas.id in gold:
                gold_cas = gold.pop(cas.id)
                views = reference.annotated(gold_cas, reference=True), system.annotated(cas, reference=False)
                yield pair_of_two(gold_cas, pipeline.process(cas), *views)
    if done is not None:
        gold_ids = done.without_waiting(gold_ids)
    same_documents(gold_ids, list(system_ids), str(reference.path), str(system.path))


def _check_unique(document: str, ids: Mapping[str, object], path: Path) -> None:
    if document in ids:
        raise ReaderError(f"{path}: two documents have the id {document}")


def read_documents(collection: Collection, callback: DocumentCallback | None = None) -> Iterator[Cas]:
    """Yield the documents of the reader of a collection. Raises ReaderError if one cannot be read."""
    reader = collection.pipeline().reader
    assert reader is not None
    yield from _documents(reader, callback)


def _documents(reader: CollectionReader, callback: DocumentCallback | None, limit: int | None = None) -> Iterator[Cas]:
    reader.failed = []
    reader.open()
    try:
        total = _length(reader)
        for number, cas in enumerate(reader, 1):
            yield cas
            if callback is not None:
                callback(total)
            if number == limit:
                return
    finally:
        reader.close()
    if reader.failed:
        document, error = reader.failed[0]
        if len(reader.failed) == 1:
            raise ReaderError(f"document {document} could not be read: {error}")
        raise ReaderError(f"{len(reader.failed):,} documents could not be read; the first is {document}: {error}")


def _length(reader: CollectionReader) -> int | None:
    try:
        return len(reader)
    except TypeError:
        return None


SENTENCES = Path("annotated_corpora", "sentence_splitted")
"""The folder with the sentences of MEDDOCAN, relative to the working folder of its script."""


def sentences_near(gold: Path) -> Path | None:
    """Return the folder with the sentences of MEDDOCAN, below the working folder or a parent of `gold`; None if missing."""
    parents = (Path(), *(gold / "_").absolute().parents)
    return next((folder / SENTENCES for folder in parents if (folder / SENTENCES).is_dir()), None)


def with_sentences(pairs: Iterable[Pair], folder: Path, *, required: bool = True) -> Iterator[Pair]:
    """Yield the documents with their number of sentences: the lines of `<id>.ann`, as in the script of MEDDOCAN.

    Raises ReaderError with the name of an unreadable file. Unless `required`, a missing file means an unknown number.
    """
    for pair in pairs:
        path = folder / f"{pair.id}.ann"
        try:
            with path.open(encoding="latin-1") as file:  # the encoding does not affect the number of lines
                pair.sentences = sum(1 for _ in file)
        except OSError as error:
            if required or not isinstance(error, FileNotFoundError):
                raise ReaderError(
                    f"{path}: sentences cannot be counted: {error.strerror or type(error).__name__}"
                ) from None
            pair.sentences = None
        yield pair
