"""The work on one document, wherever it is done: read, engines, first half of the consumers. It changes nothing else."""

from __future__ import annotations

import contextlib
import pickle
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ....typesystem import INITIAL_VIEW, Cas, CaspipeWarning
from ....typesystem.errors import warning_text
from ...contract.component import CasConsumer, TwoPhaseConsumer
from ...contract.report import Found
from ...errors import CaspipeError, ComponentError, guarded
from ...storage import files
from .content import content_hash, is_same

if TYPE_CHECKING:
    from ...pipeline import Pipeline
    from ...storage.files import Staged


@dataclass(frozen=True, slots=True)
class Item:
    """A document to be worked on."""

    number: int
    """In reading order, from 1."""
    id: str
    handle: Any = None
    """What the reader makes the document of."""
    packed: bytes | None = None
    """The document itself, pickled, where the reader has no handles."""
    cas: Cas | None = None
    """The document itself, where it need not travel."""
    fault: Exception | None = None
    """Why the reader could not read it."""
    expected: bytes = b""
    """Hash of the content whose outputs are there already: where it is the same, nothing is done."""

    @property
    def size(self) -> int:
        """Bytes on the way to a worker."""
        return len(self.packed) if self.packed is not None else 200


@dataclass(frozen=True, slots=True)
class Failed:
    """What befell a document. Holds no text of it."""

    component: str
    cause: str
    """Class of what was raised."""
    message: str
    reason: str
    """Code: error, undeclared, leak, time, memory, crash, unreadable, duplicate, output."""
    fatal: bool = False
    """Whether the run cannot go on."""

    @classmethod
    def of(cls, error: ComponentError) -> Failed:
        return cls(error.component, error.cause, str(error), error.code, error.fatal)


@dataclass(slots=True)
class Result:
    """What became of a document."""

    number: int
    id: str
    content: bytes = b""
    """Hash of what was read."""
    unchanged: bool = False
    """Whether that is what was expected: nothing else was done."""
    failed: Failed | None = None
    text: str | None = None
    """Original text of a document that failed, for quarantine."""
    prepared: list[Any] = field(default_factory=list)
    """For each consumer in order what it prepared; None for those that work in one phase."""
    cas: Cas | bytes | None = None
    """The document, pickled where it travelled, for consumers that work in one phase."""
    found: Found | None = None
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0
    attempts: int = 1
    worker: int = 0

    @property
    def size(self) -> int:
        """About as many bytes as it takes."""
        lines = sum(len(getattr(p, "data", b"")) for p in self.prepared)
        return lines + (len(self.cas) if isinstance(self.cas, bytes) else 0) + len(self.text or "") + 500

    def document(self) -> Cas | None:
        """The document, for consumers that work in one phase."""
        return pickle.loads(self.cas) if isinstance(self.cas, bytes) else self.cas  # our own bytes, from our own worker


Watch = Callable[[int, int], None]
"""Called before each step with the number of the component (-1: reading) and the length of the text."""


class Work:
    """Does the work on one document after the other."""

    def __init__(
        self, pipeline: Pipeline, noted: Noted, *, travels: bool, salt: bytes, watch: Watch | None = None
    ) -> None:
        self.pipeline = pipeline
        self.noted = noted
        self.travels = travels
        """Whether results go to another process."""
        self.salt = salt
        self.watch = watch
        self.whole = any(not isinstance(c, TwoPhaseConsumer) for c in pipeline.consumers)
        self.limits = pipeline.options.limits
        self.timed = self.limits.seconds is not None or self.limits.component_seconds is not None
        self._at = ""

    def do(self, item: Item, attempts: int = 1) -> Result:
        """The result; never raises for what is the document's fault."""
        result = Result(item.number, item.id, attempts=attempts)
        began = time.perf_counter()
        self.noted.into = result.warnings
        cas: Cas | None = None
        try:
            cas = self._read(item, result)
            if not result.unchanged:
                self._process(cas, result, began)
        except ComponentError as error:
            self._fail(result, error, cas)
        except BaseException as error:  # `exit()` in a component: ends a worker, elsewhere the document only
            if self.travels or isinstance(error, KeyboardInterrupt):
                raise
            self._fail(result, ComponentError(self._at, error), cas)
        result.seconds = time.perf_counter() - began
        return result

    def _read(self, item: Item, result: Result) -> Cas:
        self._at = self._reader_id()
        if self.watch is not None:
            self.watch(-1, 0)
        try:
            if item.fault is not None:
                raise item.fault
            if item.handle is not None:
                assert self.pipeline.reader is not None
                cas = self.pipeline.reader.load(item.handle)
            elif item.cas is not None:
                cas = item.cas
            else:
                cas = pickle.loads(item.packed or b"")  # our own bytes, from our own process
        except ComponentError:
            raise
        except Exception as error:
            raise ComponentError(self._reader_id(), error) from None
        result.id = cas.id
        if self.salt:
            result.content = content_hash(cas, self.salt)
            result.unchanged = bool(item.expected) and is_same(cas, result.content, item.expected)
        return cas

    def _process(self, cas: Cas, result: Result, began: float) -> None:
        pipeline, watch = self.pipeline, self.watch
        size = len(cas.text) if cas.has_view(INITIAL_VIEW) else 0
        deadline = began + self.limits.allowed(size)
        allowed = self.limits.allowed_component(size)
        started = began
        for n, engine in enumerate(pipeline.engines):
            if watch is not None:
                watch(n, size)
            self._at = engine.id
            pipeline._apply(engine, cas)
            if self.timed:
                now = time.perf_counter()
                if now > deadline or now - started > allowed:
                    raise ComponentError(engine.id, self.limits.late(size, component=now <= deadline))
                started = now
        result.found = Found.of(cas)
        result.prepared = [None] * len(pipeline.consumers)
        for n, consumer in enumerate(pipeline.consumers):
            if isinstance(consumer, TwoPhaseConsumer):
                if watch is not None:
                    watch(len(pipeline.engines) + n, size)
                self._at = f"consumers/{consumer.id}"
                result.prepared[n] = self._prepare(consumer, cas)
        if self.whole:
            result.cas = pickle.dumps(cas, protocol=5) if self.travels else cas

    def _prepare(self, consumer: TwoPhaseConsumer, cas: Cas) -> Any:
        stats = self.pipeline._stats_of(consumer)
        started = time.perf_counter()
        try:
            made = consumer.prepare(cas)
        except Exception as error:
            stats.errors += 1
            raise blamed(consumer, error) from None
        stats.add(time.perf_counter() - started)
        return made

    def _fail(self, result: Result, error: ComponentError, cas: Cas | None) -> None:
        discard(self.pipeline, result)
        result.prepared, result.cas, result.found = [], None, None
        result.failed = Failed.of(error)
        if cas is not None and cas.has_view(INITIAL_VIEW):
            result.text = cas.text

    def _reader_id(self) -> str:
        return f"reader/{self.pipeline.reader.id}" if self.pipeline.reader is not None else "reader"


def read_again(pipeline: Pipeline, item: Item | None, salt: bytes = b"") -> tuple[str | None, bytes]:
    """Text and hash of a document that was read before, where both are lost: for quarantine, and for a run that resumes."""
    try:
        if item is None or pipeline.reader is None:
            return None, b""
        cas: Cas = (
            pipeline.reader.load(item.handle)
            if item.handle is not None
            else item.cas or pickle.loads(item.packed or b"")
        )
        return cas.text if cas.has_view(INITIAL_VIEW) else None, content_hash(cas, salt) if salt else b""
    except Exception:  # it is gone, or changed: the reason is kept all the same
        return None, b""


def blamed(consumer: CasConsumer, error: Exception) -> ComponentError:
    """The error of a consumer; for a leak that it refuses to write, that of the gate."""
    if isinstance(error, ComponentError) and error.code == "leak":
        return error
    return ComponentError(f"consumers/{consumer.id}", error)


def discard(pipeline: Pipeline, result: Result) -> None:
    """Forgets what consumers prepared of a document."""
    for consumer, prepared in zip(pipeline.consumers, result.prepared, strict=False):
        if prepared is not None and isinstance(consumer, TwoPhaseConsumer):
            try:
                consumer.discard(prepared)
            except Exception as error:  # what stays of it is removed when the run ends
                warnings.warn(str(blamed(consumer, error)), CaspipeWarning, stacklevel=2)


def travelling(pipeline: Pipeline, result: Result, item: Item) -> Result:
    """A result as it can go to another process: where it cannot, because of what a consumer prepared or of its size, the
    document has failed."""
    at = "worker"
    try:
        for consumer, prepared in zip(pipeline.consumers, result.prepared, strict=False):
            at = f"consumers/{consumer.id}"
            pickle.dumps(prepared, protocol=5)
        at = "worker"
        pickle.dumps(result, protocol=5)
    except Exception as error:
        discard(pipeline, result)
        result.prepared, result.cas, result.found = [], None, None
        result.failed = Failed.of(ComponentError(at, error))
        result.text, _ = read_again(pipeline, item)
    return result


def rollback(consumers: Sequence[CasConsumer], document_id: str) -> None:
    """Takes back what consumers wrote of a document: no half releases. Raises the ComponentError of the first that cannot, when
    all others have."""
    first: CaspipeError | None = None
    for consumer in reversed(consumers):
        try:
            with guarded(f"consumers/{consumer.id}"):
                consumer.rollback(document_id)
        except CaspipeError as error:
            first = first or error
    if first is not None:
        raise first


def settle(pipeline: Pipeline, results: Iterable[Result]) -> None:
    """Brings the files that consumers prepared of some documents onto the disk, all at once."""
    files.settle(
        staged
        for result in results
        for consumer, prepared in zip(pipeline.consumers, result.prepared, strict=False)
        if prepared is not None and isinstance(consumer, TwoPhaseConsumer)
        for staged in _staged(consumer, prepared)
    )


def _staged(consumer: TwoPhaseConsumer, prepared: Any) -> list[Staged]:
    with guarded(f"consumers/{consumer.id}"):
        return list(consumer.staged(prepared))


class Noted:
    """Warnings go into lists, each once; of foreign ones only class and line, since they may quote a document."""

    def __init__(self) -> None:
        self.into: list[str] = []
        """The list that takes warnings now."""

    def note(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: Any = None,
        line: str | None = None,
    ) -> None:
        """Takes a warning, in place of `warnings.showwarning`."""
        text = warning_text(message, category, filename, lineno)
        if text not in self.into and len(self.into) < MOST_WARNINGS:
            self.into.append(text)


@contextlib.contextmanager
def noting() -> Iterator[Noted]:
    """Every UserWarning is noted, not shown."""
    noted = Noted()
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = noted.note
        yield noted


MOST_WARNINGS = 1_000
"""Different warnings that are kept."""
