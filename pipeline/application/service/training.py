"""Training a recommender: in a process of its own, from the documents INCEpTION sends, as `caspipe train` does."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import time
from collections import Counter
from collections.abc import Coroutine, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from ....typesystem import GOLD_VIEW, Annotation, Cas, Phi, PhiKind
from ...contract.component import CollectionReader
from ...errors import CaspipeError, ComponentError
from .documents import read_document_xmi, text_view, type_system, xml_bytes
from .labels import kind_of
from .live import training as training_pipeline
from .messages import NAMES, RecommenderMetadata, TrainRequest
from .metrics import Metrics
from .problems import Problem, invalid
from .settings import Settings, Spec
from .shelf import Key, Shelf
from .suggestions import PREDICTED
from .workers import quiet

log = logging.getLogger("caspipe.service")
_SPAWN = multiprocessing.get_context("spawn")
_READ_SECONDS = 120.0


class Example(NamedTuple):
    """A document to learn from: spans in code points, disjoint, in text order."""

    text: str
    spans: list[tuple[int, int, PhiKind]]


class Received(CollectionReader):
    """The documents of a training request, with their gold views."""

    name = "received"

    def __init__(self, examples: list[Example]) -> None:
        self._examples = examples

    def open(self) -> None:
        """Nothing to open."""

    def __iter__(self) -> Iterator[Cas]:
        for number, example in enumerate(self._examples, 1):
            cas = Cas(example.text, id=str(number))
            cas.create_view(GOLD_VIEW, example.text).add_all([Phi(b, e, kind=kind) for b, e, kind in example.spans])
            yield cas


class Trainer:
    """Starts trainings, one at a time, and puts what they make on the shelf."""

    def __init__(self, spec: Spec, settings: Settings, shelf: Shelf, metrics: Metrics) -> None:
        self._spec, self._settings, self._shelf, self._metrics = spec, settings, shelf, metrics
        self._process: Any = None
        self._task: asyncio.Task[None] | None = None
        self.busy = ""
        """Name of the recommender that is being trained; empty: none."""

    async def start(self, name: str, reading: Coroutine[Any, Any, bytes]) -> None:
        """Begins a training; returns when its documents are read. Raises Problem: 429 while one is under way, 422.

        `reading` gives the request. It is read even where it is refused: a client that is still sending would not see why.
        """
        if self.busy:
            await reading
            self._metrics.rejected("training")
            raise Problem(429, "training", "a training is under way", headers={"Retry-After": "10"})
        self.busy = name
        try:
            body = await reading
            here, there = _SPAWN.Pipe()
        except BaseException:
            self.busy = ""
            raise
        try:
            self._process = _SPAWN.Process(
                target=_train, args=(there, self._spec), name="caspipe-training", daemon=True
            )
            self._process.start()
            there.close()
            key = await asyncio.to_thread(_accepted, here, name, body)
        except BaseException:
            await self._ended(here)
            raise
        self._metrics.training("started")
        self._task = asyncio.ensure_future(self._finish(key, here))

    async def _finish(self, key: Key, way: Connection) -> None:
        draft: Path | None = None
        outcome = "failed"
        began = time.perf_counter()
        try:
            draft = self._shelf.draft(key)
            way.send(str(draft))
            said = await asyncio.to_thread(lambda: way.recv() if way.poll(self._settings.training_seconds) else None)
            if said is None:
                outcome = "timeout"
            elif isinstance(said, dict):
                facts = {**said, "seconds": round(time.perf_counter() - began, 1)}
                await asyncio.to_thread(self._shelf.put, key, draft, facts)
                outcome = "done"
            else:
                outcome = "nothing to learn" if said == NOTHING else "failed"
                log.warning("training: %s", said)
        except (EOFError, OSError, CaspipeError) as error:
            log.error("training: %s", type(error).__name__)
        finally:
            self._metrics.training(outcome)
            if draft is not None:
                self._shelf.discard(draft)
            await self._ended(way)

    async def _ended(self, way: Connection) -> None:
        if self._process is not None and self._process.pid is not None:
            self._process.kill()  # first, so that no thread waits at a way that is closed
            await asyncio.to_thread(self._process.join, 10)
        way.close()
        self._process, self.busy = None, ""

    async def settled(self) -> None:
        """Waits for the training under way, if there is one."""
        if self._task is not None:
            await asyncio.wait((self._task,))

    async def close(self) -> None:
        """Ends the training under way; the model before it stays."""
        if self._process is not None:
            self._process.kill()
        await self.settled()


NOTHING = "nothing to learn"


def _accepted(way: Connection, name: str, body: bytes) -> Key:
    """Sends the request to the training process and waits until it has read it. Raises Problem."""
    try:
        way.send(body)
        said = (
            way.recv()
            if way.poll(_READ_SECONDS)
            else Problem(504, "training-timeout", "reading the documents took too long")
        )
    except (EOFError, OSError):
        raise Problem(500, "training-died", "the training ended before its documents were read") from None
    if isinstance(said, Problem):
        raise said
    return Key(name, *said)


def _train(way: Connection, spec: Spec) -> None:
    """The training process: reads the request, says whether it is one, trains, says what came of it."""
    quiet()
    with contextlib.suppress(EOFError, OSError):  # nobody is there to be told; Python itself would print the reason
        try:
            request = TrainRequest.model_validate_json(way.recv())
            found, counts = examples(request)
        except Exception as error:
            way.send(_told(error))
            return
        asked = request.metadata
        user = next((d.userId for d in request.documents[:1] if d.userId), "")
        way.send((asked.projectId, asked.layer, asked.feature, user))
        del request  # all documents once more
        folder = way.recv()
        try:
            said: Any = {**_learn(spec, found, Path(folder)), **counts} if found else NOTHING
        except CaspipeError as error:
            said = type(error).__name__
        except Exception as error:
            said = str(ComponentError("training", error))
        way.send(said)


def _told(error: Exception) -> Problem:
    """What the client is told where its documents cannot be read."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, ValidationError):
        return invalid(error, NAMES)
    if isinstance(error, CaspipeError):
        return Problem(422, "format", str(error))
    return Problem(500, "failed", str(ComponentError("training", error)))


def examples(request: TrainRequest) -> tuple[list[Example], dict[str, int]]:
    """What is to be learnt, and what was left out. Documents without any annotation of the layer are left out: in
    INCEpTION that mostly means that nobody has looked at them yet.

    Raises Problem, FormatError, TypeSystemError.
    """
    types = type_system(request.typeSystem)
    counts: Counter[str] = Counter()
    found = []
    for document in request.documents:
        cas = read_document_xmi(xml_bytes(document.xmi), types, lenient=True)
        view = text_view(cas)
        spans = _disjoint(_labelled(cas, request.metadata, counts))
        if spans:
            found.append(Example(view.text, spans))
        else:
            counts["documents_without_annotations"] += 1
    return found, dict(sorted(counts.items()))


def _labelled(cas: Cas, asked: RecommenderMetadata, counts: Counter[str]) -> list[tuple[int, int, PhiKind]]:
    """The spans that people annotated in the layer, with the kinds that their labels mean."""
    types = cas.typesystem
    if types is None or asked.layer not in types or not issubclass(types[asked.layer], Annotation):
        raise Problem(422, "no-layer", "#/metadata/layer: the type system has no such type of annotations")
    if asked.feature not in types.features(asked.layer):
        raise Problem(422, "no-feature", "#/metadata/feature: the layer has no such feature")
    spans = []
    for item in text_view(cas).select(types[asked.layer]):
        if PREDICTED in type(item).features and item[PREDICTED]:
            continue
        value = item[asked.feature]
        labels = value if isinstance(value, list) else [value]
        kind = next((k for label in labels if label and (k := kind_of(str(label)))), None)
        if kind is None:
            counts["labels_unknown" if any(labels) else "labels_missing"] += 1
        elif item.begin < item.end:
            spans.append((item.begin, item.end, kind))
    return spans


def _disjoint(spans: list[tuple[int, int, PhiKind]]) -> list[tuple[int, int, PhiKind]]:
    """The longest of overlapping spans, the first of equal ones."""
    kept: list[tuple[int, int, PhiKind]] = []
    for span in sorted(spans, key=lambda s: (s[0] - s[1], s[0], s[2].name)):
        if not any(span[0] < b[1] and b[0] < span[1] for b in kept):
            kept.append(span)
    return sorted(kept, key=lambda s: s[0])


def _learn(spec: Spec, found: list[Example], folder: Path) -> dict[str, Any]:
    """Trains and writes the bundle `folder`/model; what is to be told of it. Raises CaspipeError."""
    pipeline = training_pipeline(spec, str(folder))
    pipeline.reader = Received(found)
    report = pipeline.run()
    if not (folder / "model").is_dir():
        raise CaspipeError("no model was written")
    spans = Counter(kind.name for example in found for _, _, kind in example.spans)
    return {
        "documents": report.documents.released,
        "failed": report.documents.skipped,
        "spans": dict(sorted(spans.items())),
    }
