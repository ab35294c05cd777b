"""Trains recommenders in a separate process, with the documents that INCEpTION sends."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from ....typesystem import GOLD_VIEW, Annotation, Cas, Phi, PhiKind
from ....typesystem.errors import class_name
from ...contract.component import CollectionReader
from ...errors import CaspipeError, ComponentError
from ...running.withheld_output import WithheldOutput
from ...running.worker import Handler, Send, Worker, WorkerDied
from .documents import read_document_xmi, text_view, type_system, xml_bytes
from .labels import kind_of
from .messages import NAMES, RecommenderMetadata, TrainRequest
from .metrics import Metrics
from .pipelines import training_pipeline
from .problems import Problem, invalid
from .recommender_store import Key, RecommenderStore
from .settings import Settings, Spec
from .suggestions import PREDICTED
from .workers import quiet

log = logging.getLogger("caspipe.service")
_READ_SECONDS = 120.0


class Example(NamedTuple):
    """A training document. Spans are in code points, disjoint, in text order."""

    text: str
    spans: list[tuple[int, int, PhiKind]]


class TrainingDocuments(CollectionReader):
    """The documents of a training request, with their gold views."""

    name = "received"

    def __init__(self, examples: list[Example]) -> None:
        self._examples = examples

    def open(self) -> None:
        """Do nothing: the documents are in memory."""

    def __iter__(self) -> Iterator[Cas]:
        for number, example in enumerate(self._examples, 1):
            cas = Cas(example.text, id=str(number))
            cas.create_view(GOLD_VIEW, example.text).add_all([Phi(b, e, kind=kind) for b, e, kind in example.spans])
            yield cas


class Trainer:
    """Starts trainings, one at a time, and stores the models."""

    def __init__(self, spec: Spec, settings: Settings, store: RecommenderStore, metrics: Metrics) -> None:
        self._spec, self._settings, self._store, self._metrics = spec, settings, store, metrics
        self._worker: Worker | None = None
        self._task: asyncio.Task[None] | None = None
        self.busy = ""
        """Name of the recommender in training; empty if there is none."""

    async def start(self, name: str, reading: Coroutine[Any, Any, bytes]) -> None:
        """Start a training, and return when its documents were read. Raises Problem: 429 during another training, 422.

        `reading`: returns the request. It is read even if it is rejected, because a client that is sending cannot read.
        """
        if self.busy:
            await reading
            self._metrics.rejected("training")
            raise Problem(429, "training", "a training is under way", headers={"Retry-After": "10"})
        self.busy = name
        try:
            body = await reading
            output = WithheldOutput()
            self._worker = Worker("caspipe-training", "spawn", _set_up, self._spec, output, output=output)
            key = await asyncio.to_thread(_accepted, self._worker, name, body)
        except BaseException:
            await self._end()
            raise
        self._metrics.training("started")
        self._task = asyncio.ensure_future(self._finish(key, self._worker))

    async def _finish(self, key: Key, worker: Worker) -> None:
        draft: Path | None = None
        outcome = "failed"
        began = time.perf_counter()
        try:
            draft = self._store.draft(key)
            worker.send(draft)
            message = await asyncio.to_thread(worker.receive, self._settings.training_seconds)
            if isinstance(message, dict):
                facts = {**message, "seconds": round(time.perf_counter() - began, 1)}
                await asyncio.to_thread(self._store.put, key, draft, facts)
                outcome = "done"
            else:
                outcome = "nothing to learn" if message == NOTHING else "failed"
                log.warning("training: %s", message)
        except TimeoutError:
            outcome = "timeout"
        except (WorkerDied, OSError, CaspipeError) as error:
            log.error("training: %s", class_name(type(error)))
        finally:
            self._metrics.training(outcome)
            if draft is not None:
                self._store.discard(draft)
            await self._end()

    async def _end(self) -> None:
        if self._worker is not None:
            await asyncio.to_thread(self._worker.stop)
        self._worker, self.busy = None, ""

    async def wait(self) -> None:
        """Wait for the training in progress, if there is one."""
        if self._task is not None:
            await asyncio.wait((self._task,))

    async def close(self) -> None:
        """Stop the training in progress. The previous model is kept."""
        if self._worker is not None:
            self._worker.kill()
        await self.wait()


NOTHING = "nothing to learn"


def _accepted(worker: Worker, name: str, body: bytes) -> Key:
    """Send the request to the training process, wait until it was read, and return its key. Raises Problem."""
    try:
        worker.receive(_READ_SECONDS)  # it has started
        worker.send(body)
        message = worker.receive(_READ_SECONDS)
    except TimeoutError:
        raise Problem(504, "training-timeout", "reading the documents took too long") from None
    except WorkerDied:
        raise Problem(500, "training-died", "the training ended before its documents were read") from None
    if isinstance(message, Problem):
        raise message
    return Key(name, *message)


def _set_up(spec: Spec, output: WithheldOutput) -> Handler:
    """Set up the training process. Its tasks: read a request, then train in a folder."""
    quiet(output)
    found: list[Example] = []
    counts: dict[str, int] = {}

    def handle(task: bytes | Path, send: Send) -> None:
        if isinstance(task, Path):
            send(_trained(spec, found, counts, task))
            return
        try:
            request = TrainRequest.model_validate_json(task)
            received, left_out = examples(request)
        except Exception as error:
            send(_problem_of(error))
            return
        found.extend(received)
        counts.update(left_out)
        asked = request.metadata
        user = next((d.userId for d in request.documents[:1] if d.userId), "")
        send((asked.projectId, asked.layer, asked.feature, user))

    return handle


def _trained(spec: Spec, examples: list[Example], counts: dict[str, int], folder: Path) -> dict[str, Any] | str:
    """Return the counts of a training, or the reason of its failure."""
    try:
        return {**_learn(spec, examples, folder), **counts} if examples else NOTHING
    except CaspipeError as error:
        return class_name(type(error))
    except Exception as error:
        return str(ComponentError("training", error))


def _problem_of(error: Exception) -> Problem:
    """Return the problem to report if the documents cannot be read."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, ValidationError):
        return invalid(error, NAMES)
    if isinstance(error, CaspipeError):
        return Problem(422, "format", str(error))
    return Problem(500, "failed", str(ComponentError("training", error)))


def examples(request: TrainRequest) -> tuple[list[Example], dict[str, int]]:
    """Return the training documents, and the counts of excluded parts. Documents without an annotation of the layer are excluded:
    in INCEpTION most of them have not been annotated yet.

    Raises Problem, FormatError, TypeSystemError.
    """
    types = type_system(request.typeSystem)
    counts: Counter[str] = Counter()
    found = []
    for document in request.documents:
        cas = read_document_xmi(xml_bytes(document.xmi), types, lenient=True)
        view = text_view(cas)
        spans = _disjoint(_labeled(cas, request.metadata, counts))
        if spans:
            found.append(Example(view.text, spans))
        else:
            counts["documents_without_annotations"] += 1
    return found, dict(sorted(counts.items()))


def _labeled(cas: Cas, asked: RecommenderMetadata, counts: Counter[str]) -> list[tuple[int, int, PhiKind]]:
    """Return the annotated spans of the layer with the kinds of their labels."""
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
    """Return the longest of overlapping spans, and the first of equal ones."""
    kept: list[tuple[int, int, PhiKind]] = []
    for span in sorted(spans, key=lambda s: (s[0] - s[1], s[0], s[2].name)):
        if not any(span[0] < b[1] and b[0] < span[1] for b in kept):
            kept.append(span)
    return sorted(kept, key=lambda s: s[0])


def _learn(spec: Spec, examples: list[Example], folder: Path) -> dict[str, Any]:
    """Train, write the model `folder`/model, and return the counts to report. Raises CaspipeError."""
    pipeline = training_pipeline(spec, str(folder))
    pipeline.reader = TrainingDocuments(examples)
    report = pipeline.run()
    if not (folder / "model").is_dir():
        raise CaspipeError("no model was written")
    spans = Counter(kind.name for example in examples for _, _, kind in example.spans)
    return {
        "documents": report.documents.released,
        "failed": report.documents.skipped,
        "spans": dict(sorted(spans.items())),
    }
