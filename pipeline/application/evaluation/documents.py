"""Documents to score: what a pipeline finds in its reader's documents, or two annotated collections side by side."""

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

Step = Callable[[int | None], None]
"""Called for each document with the total, if it is known."""


def found_by(
    pipeline: Pipeline, gold: str = GOLD_VIEW, system: str = INITIAL_VIEW, step: Step | None = None
) -> Iterator[Pair]:
    """Yield each document of the pipeline's reader, with what its engines find against the view `gold`.

    Engines that mask are left out, consumers never run; but what a trainer among them trained is applied, so that a training
    configuration with another folder measures its own model. Raises ReaderError if the reader is missing or a document cannot be
    read, CasError for a document without reference, ComponentError if an engine fails: scores of the remaining documents
    would be those of another corpus.
    """
    for cas in processed(pipeline, step):
        yield pair_of(cas, gold, system)


def processed(pipeline: Pipeline, step: Step | None = None) -> Iterator[Cas]:
    """Yield each document of the pipeline's reader, with what its engines find. Raises as `found_by`, but needs no reference."""
    if pipeline.reader is None:
        raise ReaderError(f"pipeline {pipeline.name} has no reader")
    pipeline.engines = with_trained(pipeline)
    with pipeline:
        for cas in _documents(pipeline.reader, step, pipeline.options.limit):
            yield pipeline.process(cas)


def with_trained(pipeline: Pipeline) -> list[Component]:
    """Return the engines of a pipeline without maskers, and with the annotators that apply what its trainers trained.

    Raises ResourceError if a model is not there: it has not been trained yet.
    """
    engines = [e for e in pipeline.engines if MaskedSpan not in e.outputs]
    components: list[Component] = []
    for consumer in pipeline.consumers:
        applied = getattr(consumer, "trained_as", "")
        if not applied:
            continue
        cls = registry.find(applied, "engine")
        if not issubclass(cls, Annotator):
            continue
        place = str(consumer.output / cast(Any, consumer).model)
        components.append(_applying(cls, place, consumer.id))
    if not components:
        return engines
    return with_resolver(
        [*(e for e in engines if Phi not in e.outputs), *components, *(e for e in engines if Phi in e.outputs)]
    )


def _applying(cls: type[Component], place: str, trainer: str) -> Component:
    faults: list[str] = []
    component = params.build(cls, {"model": place}, lambda _, what: faults.append(what))
    if component is None or faults:
        raise ResourceError(f"{trainer}: {faults[0]}: `caspipe train` makes it")
    return cast(Component, component)


@dataclass(slots=True)
class Collection:
    """An annotated collection on disk."""

    path: Path
    """A folder, or a file."""
    reader: str
    """Name of the reader."""
    kinds: Mapping[str, str | None] = field(default_factory=dict)
    """The kinds of labels that are not kinds themselves; None drops a label."""
    overrides: Sequence[str] = ()
    """Further parameters: `i2b2.pattern=*.xml`."""
    view: str = ""
    """View with the annotations; empty for the one the reader puts them in."""
    keep_overlaps: bool = False
    """True if overlapping annotations are all kept where `overrides` do not say: a system's count as it gave them."""

    def pipeline(self) -> Pipeline:
        """Reader and segmenter. Raises ConfigError for a reader or parameter that does not exist."""
        single = self.path.is_file() and not is_archive(str(self.path))
        given: dict[str, object] = {"files" if single else "folder": str(self.path)}
        takes = _parameters(self.reader)
        if self.reader == "jsonl":
            given["spans_field"] = "spans"
        if self.reader == "conll":
            given["tokens"] = True  # chunks are of the file's tokens
        if self.keep_overlaps and "overlaps" in takes:
            given["overlaps"] = "keep"
        if self.kinds:
            given["kinds"] = dict(self.kinds)
        config = json.dumps({"reader": {self.reader: given}, "engines": ["segmenter"]})
        pipeline = Pipeline.parse(config, self.overrides)
        pipeline.name = str(self.path)
        return pipeline

    @property
    def holds_views(self) -> bool:
        """Return whether its documents have views of their own; readers of corpora put all annotations into `gold`."""
        return self.reader in ("xmi", "jsoncas", "xcas")

    def annotated(self, cas: Cas, *, reference: bool) -> str:
        """Return the view of a document with the annotations: as a reference `gold` if it exists, else the system's."""
        if self.view:
            return self.view
        found = self.holds_views and not (reference and cas.has_view(GOLD_VIEW))
        return INITIAL_VIEW if found else GOLD_VIEW


def meanings(options: Iterable[str]) -> dict[str, str | None]:
    """Parse `LABEL=KIND`; a label without a kind is dropped (None)."""
    return {label: kind or None for label, _, kind in (option.rpartition("=") for option in options)}


def _parameters(reader: str) -> tuple[str, ...]:
    """Return names of a reader's parameters; none for a reader that does not exist, which the configuration will tell."""
    try:
        return tuple(p.name for p in params.parameters(registry.find(reader, "reader")))
    except LookupError:
        return ()


def side_by_side(reference: Collection, system: Collection, step: Step | None = None) -> Iterator[Pair]:
    """Yield the documents of two collections, matched by id, in the order of the system's.

    Raises ReaderError if a document cannot be read, where two have one id, and where only one side has a document; it
    counts them and names the first.
    """
    gold: dict[str, Cas] = {}
    for cas in read_documents(reference):
        _once(cas.id, gold, reference.path)
        gold[cas.id] = cas
    ids, found = list(gold), dict[str, None]()
    pipeline = system.pipeline()
    assert pipeline.reader is not None
    with pipeline:
        for cas in _documents(pipeline.reader, step):
            _once(cas.id, found, system.path)
            found[cas.id] = None
            if cas.id in gold:
                right = gold.pop(cas.id)
                views = reference.annotated(right, reference=True), system.annotated(cas, reference=False)
                yield pair_of_two(right, pipeline.process(cas), *views)
    same_documents(ids, list(found), str(reference.path), str(system.path))


def _once(document: str, seen: Mapping[str, object], where: Path) -> None:
    if document in seen:
        raise ReaderError(f"{where}: two documents have the id {document}")


def read_documents(collection: Collection, step: Step | None = None) -> Iterator[Cas]:
    """Yield the documents of a collection, as its reader gives them. Raises ReaderError if one cannot be read."""
    reader = collection.pipeline().reader
    assert reader is not None
    yield from _documents(reader, step)


def _documents(reader: CollectionReader, step: Step | None, limit: int | None = None) -> Iterator[Cas]:
    reader.failed = []
    reader.open()
    try:
        total = _length(reader)
        for number, cas in enumerate(reader, 1):
            yield cas
            if step is not None:
                step(total)
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
"""The folder with MEDDOCAN's sentences, relative to the folder that its script is started in."""


def sentences_near(gold: Path) -> Path | None:
    """Return the folder with MEDDOCAN's sentences: below the working folder, as its script has it, or below one around `gold`."""
    around = (Path(), *(gold / "_").absolute().parents)
    return next((folder / SENTENCES for folder in around if (folder / SENTENCES).is_dir()), None)


def with_sentences(pairs: Iterable[Pair], folder: Path, *, all_there: bool = True) -> Iterator[Pair]:
    """Yield the documents with their number of sentences: the lines of `<id>.ann` in a folder, as MEDDOCAN's script counts them.

    Raises ReaderError that names the file that is missing; unless `all_there`, its document has no number then.
    """
    for pair in pairs:
        path = folder / f"{pair.id}.ann"
        try:
            with path.open(encoding="latin-1") as file:  # only the number of lines matters, not their ends
                pair.sentences = sum(1 for _ in file)
        except OSError as error:
            if all_there or not isinstance(error, FileNotFoundError):
                raise ReaderError(
                    f"{path}: sentences cannot be counted: {error.strerror or type(error).__name__}"
                ) from None
            pair.sentences = None
        yield pair
