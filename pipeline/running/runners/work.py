"""Process one document: read it, run the engines, and let two-phase consumers prepare. Nothing else is changed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import pickle
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....typesystem import INITIAL_VIEW, Cas, CaspipeWarning, KnownPhi
from ....typesystem.errors import warning_text
from ....typesystem.json_cas.writer import write_jsoncas
from ...assembly.assembly import Assembly
from ...contract.component import CasConsumer, TwoPhaseConsumer
from ...contract.masked_words import MaskedWords
from ...contract.report import Found
from ...errors import CaspipeError, ComponentError, guarded
from ...storage.files import Staged
from ...storage.flushing import settle
from ..release_scan.values import ValueCollector
from ..released_names import ReleasedNames
from ..withheld_output import WithheldOutput

_HASH_SIZE = 16
"""Bytes of the hash of a document."""


@dataclass(frozen=True, slots=True)
class Item:
    """A document to process."""

    number: int
    """In reading order, from 1."""
    id: str
    handle: Any = None
    """Handle from which the reader loads the document."""
    packed: bytes | None = None
    """The pickled document, if the reader does not have handles."""
    cas: Cas | None = None
    """The document, if it is not sent to another process."""
    fault: Exception | None = None
    """The error with which the reader failed."""
    expected: bytes = b""
    """Hash of the content whose outputs exist already. If the content is the same, the document is not processed."""

    @property
    def size(self) -> int:
        """Approximate size of the message to a worker in bytes."""
        return len(self.packed) if self.packed is not None else 200


@dataclass(frozen=True, slots=True)
class Failed:
    """Why a document failed. Does not contain any of its text."""

    component: str
    cause: str
    """Class of the exception."""
    message: str
    reason: str
    """Code: error, undeclared, leak, scan, time, memory, crash, unreadable, unreviewed, duplicate, patient, output."""
    fatal: bool = False
    """True if the run cannot continue."""

    @classmethod
    def of(cls, error: ComponentError) -> Failed:
        return cls(error.component, error.cause, str(error), error.code, error.fatal)


@dataclass(slots=True)
class Result:
    """The outcome of processing a document."""

    number: int
    id: str
    content: bytes = b""
    """Hash of the content."""
    unchanged: bool = False
    """True if the content is as expected, so that the document was not processed."""
    failed: Failed | None = None
    text: str | None = None
    """Original text of a failed document, for quarantine."""
    kept: bytes | None = None
    """A failed document with what was found until then, as JSON CAS, for quarantine."""
    prepared: list[Any] = field(default_factory=list)
    """The data that each consumer prepared, in order; None for consumers that work in one phase."""
    cas: Cas | bytes | None = None
    """The document for consumers that work in one phase, pickled if it was sent by another process."""
    found: Found | None = None
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0
    attempts: int = 1
    worker: int = 0
    withheld: int = 0
    """Lines that components printed."""

    @property
    def size(self) -> int:
        """Approximate size in bytes."""
        lines = sum(len(getattr(p, "data", b"")) for p in self.prepared)
        return (
            lines
            + (len(self.cas) if isinstance(self.cas, bytes) else 0)
            + len(self.text or "")
            + len(self.kept or b"")
            + 500
        )

    def document(self) -> Cas | None:
        """Return the document for consumers that work in one phase."""
        return pickle.loads(self.cas) if isinstance(self.cas, bytes) else self.cas  # created by our own worker


Watch = Callable[[int, int], None]
"""Called before each step with the index of the component (-1: reading) and the length of the text."""


class Work:
    """Processes documents one after the other."""

    def __init__(
        self,
        assembly: Assembly,
        warnings: WarningCollector,
        output: WithheldOutput,
        *,
        travels: bool,
        salt: bytes,
        watch: Watch | None = None,
    ) -> None:
        self.assembly = assembly
        self.names = ReleasedNames.of(assembly.options)
        self.names_in_clear = self.names.clear and not all(c.writes_original() for c in assembly.consumers)
        self.warnings = warnings
        self.output = output
        """Withholds what components print."""
        self.travels = travels
        """True if results are sent to another process."""
        self.salt = salt
        self.watch = watch
        self.needs_cas = any(not isinstance(c, TwoPhaseConsumer) for c in assembly.consumers)
        self.limits = assembly.options.limits
        self.timed = self.limits.seconds is not None or self.limits.component_seconds is not None
        self.collector = ValueCollector(assembly.scan_key, assembly.engines) if assembly.scan_key else None
        self._at = ""

    def do(self, item: Item, attempts: int = 1) -> Result:
        """Process a document. An error is part of the result, not raised."""
        result = Result(item.number, item.id, attempts=attempts)
        began = time.perf_counter()
        self.warnings.target = result.warnings
        cas: Cas | None = None
        try:
            cas = self._read(item, result)
            if not result.unchanged:
                self._process(cas, result, began)
        except ComponentError as error:
            self._fail(result, error, cas)
        except BaseException as error:  # `exit()` in a component ends a worker; otherwise only the document fails
            if self.travels or isinstance(error, KeyboardInterrupt):
                raise
            self._fail(result, ComponentError(self._at, error), cas)
        result.seconds = time.perf_counter() - began
        result.withheld = self.output.take()
        return result

    def _read(self, item: Item, result: Result) -> Cas:
        self._at = self.assembly.reader_name
        if self.watch is not None:
            self.watch(-1, 0)
        try:
            cas = _load(self.assembly, item)
        except ComponentError:
            raise
        except Exception as error:
            raise ComponentError(self.assembly.reader_name, error) from None
        result.id = cas.id
        if self.salt:
            result.content = _content_hash(cas, self.salt)
            result.unchanged = bool(item.expected) and _is_same(cas, result.content, item.expected)
        return cas

    def _process(self, cas: Cas, result: Result, began: float) -> None:
        assembly, watch = self.assembly, self.watch
        size = len(cas.text) if cas.has_view(INITIAL_VIEW) else 0
        deadline = began + self.limits.allowed(size)
        allowed = self.limits.allowed_component(size)
        started = began
        for n, engine in enumerate(assembly.engines):
            if watch is not None:
                watch(n, size)
            self._at = engine.id
            assembly.apply(engine, cas)
            if self.timed:
                now = time.perf_counter()
                if now > deadline or now - started > allowed:
                    raise ComponentError(engine.id, self.limits.late(size, component=now <= deadline))
                started = now
        result.found = Found.of(cas)
        if self.names_in_clear and MaskedWords.of(cas).occur_in(cas.id):
            result.found.odd.append("named")
        if self.collector is not None:
            result.found.values = self.collector.collect(cas).to_plain()
        result.prepared = [None] * len(assembly.consumers)
        for n, consumer in enumerate(assembly.consumers):
            if isinstance(consumer, TwoPhaseConsumer):
                if watch is not None:
                    watch(len(assembly.engines) + n, size)
                self._at = f"consumers/{consumer.id}"
                with self.names.applied(consumer, cas, result.number):
                    result.prepared[n] = self._prepare(consumer, cas)
        if self.needs_cas:
            result.cas = pickle.dumps(cas, protocol=5) if self.travels else cas

    def _prepare(self, consumer: TwoPhaseConsumer, cas: Cas) -> Any:
        stats = self.assembly.stats_of(consumer)
        started = time.perf_counter()
        try:
            prepared = consumer.prepare(cas)
        except Exception as error:
            stats.errors += 1
            raise consumer_error(consumer, error) from None
        stats.add(time.perf_counter() - started)
        return prepared

    def _fail(self, result: Result, error: ComponentError, cas: Cas | None) -> None:
        _fail(self.assembly, result, error)
        if cas is not None and cas.has_view(INITIAL_VIEW):
            result.text, result.kept = cas.text, _kept(cas)


def _load(assembly: Assembly, item: Item) -> Cas:
    """Return the document of an item. Raises the errors of the reader."""
    if item.fault is not None:
        raise item.fault
    if item.handle is not None:
        assert assembly.reader is not None
        return assembly.reader.load(item.handle)
    return item.cas or pickle.loads(item.packed or b"")  # created by our own process


def read_again(assembly: Assembly, item: Item, salt: bytes = b"") -> tuple[str | None, bytes | None, bytes]:
    """Read a document again after a worker lost it, for quarantine and for resuming: its text, the document as JSON CAS, and its
    content hash."""
    try:
        cas = _load(assembly, item)
        content = _content_hash(cas, salt) if salt else b""
        return (cas.text, _kept(cas), content) if cas.has_view(INITIAL_VIEW) else (None, None, content)
    except Exception:  # the document was removed or changed; the reason of the failure is kept
        return None, None, b""


def _kept(cas: Cas) -> bytes | None:
    """Return a document as JSON CAS; None if a component left it in a state that cannot be written."""
    try:
        return write_jsoncas(cas, typesystem=cas.typesystem, offset_map=True)
    except Exception:  # the reason of the failure is kept, and the text
        return None


def _content_hash(cas: Cas, salt: bytes) -> bytes:
    """Return 128 bits over id, text, metadata and annotations of the reader. `salt`: up to 64 bytes, which prevents looking
    up hashes that were computed elsewhere."""
    digest = hashlib.blake2b(key=salt, digest_size=_HASH_SIZE)
    views = cas.views
    plain = len(views) == 1 and views[0].name == INITIAL_VIEW and all(t is KnownPhi for t in views[0].types())
    known = [[k.kind.name, k.value, k.role, k.provenance] for k in cas.known_phi] if plain else []
    head: list[Any] = [cas.id, sorted(cas.metadata.items()), known]
    digest.update(json.dumps(head).encode())
    if plain:
        digest.update(cas.text.encode("utf-8", "surrogatepass"))
    elif views:
        digest.update(write_jsoncas(cas, typesystem=cas.typesystem))
    return digest.digest()


def _is_same(cas: Cas, content: bytes, expected: bytes) -> bool:
    """Return whether a document with the hash `content` is the expected one. If the expected hash comes from another ledger, such
    as that of a shard, it is preceded by its salt."""
    salt, known = expected[:-_HASH_SIZE], expected[-_HASH_SIZE:]
    return known == (_content_hash(cas, salt) if salt else content)


def consumer_error(consumer: CasConsumer, error: Exception) -> ComponentError:
    """Return the error of a consumer. If it refused to write a leak, return the error of the leak gate."""
    if isinstance(error, ComponentError) and error.code == "leak":
        return error
    return ComponentError(f"consumers/{consumer.id}", error)


def discard(assembly: Assembly, result: Result) -> None:
    """Delete what consumers prepared for a document."""
    for consumer, prepared in _prepared(assembly, result):
        try:
            consumer.discard(prepared)
        except Exception as error:  # leftovers are removed at the end of the run
            warnings.warn(str(consumer_error(consumer, error)), CaspipeWarning, stacklevel=2)


def _prepared(assembly: Assembly, result: Result) -> Iterator[tuple[TwoPhaseConsumer, Any]]:
    """Yield each consumer that prepared something for a document, with what it prepared."""
    for consumer, prepared in zip(assembly.consumers, result.prepared, strict=False):
        if prepared is not None and isinstance(consumer, TwoPhaseConsumer):
            yield consumer, prepared


def _fail(assembly: Assembly, result: Result, error: ComponentError) -> None:
    """Make a result one of a failed document."""
    discard(assembly, result)
    result.prepared, result.cas, result.found = [], None, None
    result.failed = Failed.of(error)


def make_sendable(assembly: Assembly, result: Result, item: Item) -> Result:
    """Return a result that can be pickled. If this one cannot, the document has failed."""
    at = "worker"
    try:
        for consumer, prepared in _prepared(assembly, result):
            at = f"consumers/{consumer.id}"
            pickle.dumps(prepared, protocol=5)
        at = "worker"
        pickle.dumps(result, protocol=5)
    except Exception as error:
        _fail(assembly, result, ComponentError(at, error))
        result.text, result.kept, _ = read_again(assembly, item)
    return result


def rollback(consumers: Sequence[CasConsumer], names: ReleasedNames, number: int, document: str) -> None:
    """Undo what consumers wrote for a document. Raises the first ComponentError after all consumers were called."""
    first: CaspipeError | None = None
    for consumer in reversed(consumers):
        try:
            with guarded(f"consumers/{consumer.id}"):
                consumer.rollback(names.name_for(consumer, number, document))
        except CaspipeError as error:
            first = first or error
    if first is not None:
        raise first


def flush_staged(assembly: Assembly, results: Iterable[Result]) -> None:
    """Flush the temporary files that consumers prepared for some documents to disk, all at once."""
    staged: list[Staged] = []
    for result in results:
        for consumer, prepared in _prepared(assembly, result):
            with guarded(f"consumers/{consumer.id}"):
                staged += consumer.staged(prepared)
    settle(staged)


class WarningCollector:
    """Collects each distinct warning once. Foreign warnings are reduced to class and line, since they may quote a document."""

    def __init__(self) -> None:
        self.target: list[str] = []
        """The list to which warnings are added."""

    def add(self, message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any) -> None:
        """Add a warning. Replaces `warnings.showwarning`."""
        text = warning_text(message, category, filename, lineno)
        if text not in self.target and len(self.target) < MOST_WARNINGS:
            self.target.append(text)


@contextlib.contextmanager
def collect_warnings() -> Iterator[WarningCollector]:
    """Collect every UserWarning instead of showing it."""
    collector = WarningCollector()
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = collector.add  # type: ignore[assignment]  # it is called with positional arguments
        yield collector


MOST_WARNINGS = 1_000
"""Limit of distinct warnings that are kept."""
