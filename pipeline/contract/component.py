"""The contract: what a reader, an annotator, an engine and a consumer are, and the decorators that register them."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

from ...typesystem import Annotation, Cas, FeatureStructure, View
from ..errors import Fault
from ..storage.secrets import Secret
from . import registry
from .resources import Resource, load

if TYPE_CHECKING:
    from ..storage.files import Staged
    from .report import RunReport

C = TypeVar("C", bound="type[Component]")
P = TypeVar("P", bound="type[Part]")


class Component:
    """A part of a pipeline. Its dataclass fields are its parameters: type, default, unit and documentation in one place.

    Life cycle: construct (parameters only, touches no file) -> `open()` -> work -> `close()`. Components are picklable
    before they are opened.
    """

    name: ClassVar[str] = ""
    """What YAML calls this kind of component."""
    inputs: ClassVar[tuple[type[FeatureStructure], ...]] = ()
    """Types that must have been made upstream."""
    outputs: ClassVar[tuple[type[FeatureStructure], ...]] = ()
    """Types this component makes; anything else it yields is an error."""
    sets: ClassVar[tuple[str, ...]] = ()
    """Features of annotations made upstream that this component fills in: `Token:pos`."""
    role: ClassVar[str] = ""
    """Where it stands in a pipeline: reader, engine or consumer."""
    rest: ClassVar[str] = ""
    """Name of the field that takes the YAML keys which are no parameters (`DATE: ...` of the masker)."""

    @property
    def id(self) -> str:
        """This instance in its pipeline, aggregates before it: `regex/dates`. The component's name outside a pipeline."""
        return self.__dict__.get("_id") or self.name

    def open(self) -> None:
        """Loads files and models. Resources given as names are loaded here; call `super().open()` first."""
        self.open_resources()

    def open_resources(self) -> None:
        """Loads the resources that were given as names."""
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            cls = resource_class(type(self), field.name)
            value = getattr(self, field.name)
            if isinstance(value, Secret):
                value.open()
            if cls is None:
                continue
            if isinstance(value, str):
                setattr(self, field.name, load(cls, value))
            elif isinstance(value, list):
                setattr(self, field.name, [load(cls, v) if isinstance(v, str) else v for v in value])

    def close(self) -> None:
        """Lets go of what `open` took."""

    def may_fork(self) -> bool:
        """Whether it works in a copy of the process that opened it: not what keeps threads or a graphics card."""
        return True

    def check(self) -> list[Fault]:
        """Faults that only the contents of parameters show (`caspipe validate`): a rule file's own examples, for one."""
        return []

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        """What must be there upstream: types, and features as `Token:pos`. More than `inputs` where parameters ask for it."""
        return self.inputs

    def because(self, need: type[FeatureStructure] | str) -> str:
        """What of this component needs it, for messages: `feature pos of model en-phi`. Empty: the component itself."""
        return ""

    def mentions(self) -> Iterator[tuple[str, str]]:
        """(parameter, name) of every other component that the parameters name, so that a misspelt one is told."""
        yield from ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"


@dataclasses.dataclass(frozen=True, slots=True)
class Handle:
    """A document that has not been read yet."""

    id: str
    """What the document will be called."""
    data: Any
    """What the reader needs to read it: small and picklable."""


class CollectionReader(Component):
    """Yields documents one by one, lazily: a corpus need not fit in memory."""

    role = "reader"

    def __iter__(self) -> Iterator[Cas]:
        raise TypeError(f"{type(self).__name__} must define __iter__")

    def handles(self) -> Iterator[Handle] | None:
        """What `load` makes a document of, one for each document, in order; None where documents can only be read one after
        the other. With handles, workers read for themselves."""
        return None

    def load(self, handle: Any) -> Cas:
        """The document of a handle's `data`; called in any process, in any order. Raises ReaderError."""
        raise TypeError(f"{type(self).__name__} must define load(handle)")

    def __len__(self) -> int:
        """Number of documents, for the progress bar. Raises TypeError where it is not known beforehand."""
        raise TypeError(f"{type(self).__name__} does not know its length")

    @cached_property
    def failed(self) -> list[tuple[str, Exception]]:
        """(document id, error) of documents that could not be read; the run takes them out and reports them."""
        return []


class Annotator(Component):
    """Finds things: `annotate` is pure and yields annotations; the engine checks, stamps and adds them."""

    role = "engine"

    def annotate(self, view: View) -> Iterable[Annotation | Spans]:
        """The annotations of one view. No I/O, no clock, no randomness, no change to the view."""
        raise TypeError(f"{type(self).__name__} must define annotate(view)")


class AnalysisEngine(Component):
    """Works on the whole CAS: for what also removes, replaces or makes views (resolver, masker)."""

    role = "engine"

    def process(self, cas: Cas) -> None:
        raise TypeError(f"{type(self).__name__} must define process(cas)")


class Scope(enum.Enum):
    """What the output of a consumer is complete for; decides what a run may do with it."""

    DOCUMENT = "document"
    """Whatever is written for one document is complete by itself."""
    RUN = "run"
    """One output for all documents of a run. It is also valid for a run that stopped early, and for a shard."""
    COLLECTION = "collection"
    """Valid only if it was made from all documents, such as a model or a score: aborted if the run stops, refused in a shard."""


class CasConsumer(Component):
    """Writes processed documents: files, tables, reports.

    The run calls `open`, `process` for each document in reading order, and `close`. Afterwards it calls `finish`.
    """

    role = "consumer"

    scope: ClassVar[Scope] = Scope.COLLECTION
    """What its output is complete for."""
    output: Path = Path("out")
    """Folder to which relative paths of this consumer refer (`run.output`)."""
    announce_file: Callable[[str], None] | None = None
    """Called with the path of a file, relative to the output folder, before the file is moved there; set by a run."""

    def process(self, cas: Cas) -> None:
        """Write one document completely, or raise an error."""
        raise TypeError(f"{type(self).__name__} must define process(cas)")

    def rollback(self, document_id: str) -> None:
        """Undo the last `process` if it was for this document, because the document failed. Does nothing otherwise."""

    def abort(self) -> None:
        """Replace `close` if the run failed: an incomplete output must not replace a complete one."""
        self.close()

    def finish(self, report: RunReport) -> None:
        """Use the report of the run, after everything else was closed."""


class TwoPhaseConsumer(CasConsumer):
    """A consumer that works in two phases: `prepare` in the worker that processed the document, `commit` in the process of the
    run, in reading order.

    Only such a consumer can continue where an earlier run was interrupted.
    """

    scope = Scope.DOCUMENT

    @property
    def resumable(self) -> bool:
        """Whether a later run can recognize what this one wrote for each document."""
        return True

    def process(self, cas: Cas) -> None:
        """Run both phases."""
        self.commit(cas.id, self.prepare(cas))

    def open_worker(self, *, shares_disk: bool = True) -> None:
        """Replace `open` in a process that only calls `prepare`. Must not create anything that all processes share.

        shares_disk: whether `commit` is called on the same machine. If not, `prepare` must not leave files on the disk.
        """
        self.open_resources()

    def prepare(self, cas: Cas) -> Any:
        """Return what `commit` needs, as plain data that can be pickled. May leave temporary files in `staging` folders."""
        raise TypeError(f"{type(self).__name__} must define prepare(cas)")

    def commit(self, document_id: str, prepared: Any) -> list[Output]:
        """Move what was prepared for a document to its final place. Returns what was written."""
        raise TypeError(f"{type(self).__name__} must define commit(document_id, prepared)")

    def discard(self, prepared: Any) -> None:
        """Delete what was prepared, because the document failed."""

    def staging(self) -> list[Path]:
        """Return the folders in which `prepare` leaves temporary files."""
        return []

    def staged(self, prepared: Any) -> Iterable[Staged]:
        """Return the temporary files of a prepared document, so that many of them can be flushed to disk at once."""
        return ()

    def resume_state(self, prepared: Any) -> Any:
        """Return what a later run must know to adopt the outputs of this document: plain JSON without text, or None.

        A mapping with `together`, a key and a number, means that this many documents make one output: `adopt_previous` then
        receives the outputs of all of them.
        """
        return None

    def adopt_previous(
        self, document_id: str, outputs: list[Output], state: Any, locate: Locate
    ) -> list[Output] | None:
        """Adopt what an earlier run wrote for a document, with the same result as `commit`. None if it is not intact."""
        return None

    def delete_previous(self, document_id: str, states: list[Any], *, removed: bool = False) -> None:
        """Delete what earlier runs wrote for a document, other than files in the output folder.

        A resumed run calls it before it processes a document again, if it does not release the document, and if the document
        no longer exists (`removed`). `states`: the resume states of those runs.
        """

    def shared_files(self) -> dict[str, Path]:
        """Return the files that all documents share and that get their name at the end of the run: path relative to the output
        folder -> current path."""
        return {}


def is_resumable(component: Component) -> bool:
    """Return whether a component is a consumer that can continue where an earlier run was interrupted."""
    return isinstance(component, TwoPhaseConsumer) and component.resumable


@dataclasses.dataclass(frozen=True, slots=True)
class Output:
    """Something that was written of one document: a file of its own, or a slice of a file that all share."""

    consumer: str
    """Id of the consumer."""
    path: str
    """Relative to the run's output folder, `/` between the parts."""
    begin: int
    """First byte."""
    length: int
    """Bytes."""
    digest: str
    """SHA-256 of the bytes, in hexadecimal."""
    whole: bool
    """A file of its own."""


Locate = Callable[[Output], Path]
"""Returns the current path of an output of an earlier run."""


@dataclasses.dataclass(frozen=True, slots=True)
class Spans:
    """Disjoint sorted spans of one type as columns: what a tokenizer yields instead of one object per token."""

    type: type[Annotation]
    begins: list[int]
    ends: list[int]


class Part:
    """A named, parameterised piece inside a component: a masking operator, a resolver strategy, a feature.

    A family is a direct subclass of Part; its members are registered with `@part("name")` and written in YAML as
    `name` or `name: {parameters}`.
    """

    name: ClassVar[str] = ""
    argument: ClassVar[str] = ""
    """The parameter that `name:value` stands for in YAML: `list:countries`. Empty: the part has no such short form."""

    def __repr__(self) -> str:
        """As in YAML: the name, and the parameters that differ from their defaults; keys are not shown."""
        given = [f"{f.name}={'...' if 'key' in f.name else repr(getattr(self, f.name))}" for f in _changed(self)]
        return f"{self.name}({', '.join(given)})" if given else self.name


def _changed(made: Any) -> Iterator[dataclasses.Field[Any]]:
    """The fields of a part that do not hold their defaults."""
    for f in dataclasses.fields(made) if dataclasses.is_dataclass(made) else ():
        default = f.default_factory() if f.default_factory is not dataclasses.MISSING else f.default
        if getattr(made, f.name) != default:
            yield f


@dataclass_transform(kw_only_default=True, eq_default=False)
def component(
    name: str,
    *,
    inputs: Sequence[type[FeatureStructure]] = (),
    outputs: Sequence[type[FeatureStructure]] = (),
    sets: Sequence[str] = (),
    rest: str = "",
) -> Callable[[C], C]:
    """Makes a class a component called `name` in YAML: a keyword-only dataclass whose fields are its parameters.

    Raises ConfigError where another class has that name.
    """

    def wrap(cls: C) -> C:
        made: Any = dataclasses.dataclass(kw_only=True, eq=False, repr=False)(cls)
        made.name, made.inputs, made.outputs, made.rest = name, tuple(inputs), tuple(outputs), rest
        made.sets = tuple(sets)
        registry.register(made)
        return made  # type: ignore[no-any-return]

    return wrap


@dataclass_transform(kw_only_default=True, eq_default=False)
def part(name: str) -> Callable[[P], P]:
    """Makes a class a member of its family, called `name` in YAML. Raises ConfigError where the name is taken."""

    def wrap(cls: P) -> P:
        made: Any = dataclasses.dataclass(kw_only=True, eq=False, repr=False)(cls)
        made.name = name
        registry.register_part(made, family(made))
        return made  # type: ignore[no-any-return]

    return wrap


def family(cls: type[Part]) -> type[Part]:
    """The direct subclass of Part that a part belongs to."""
    return next(c for c in reversed(cls.__mro__) if issubclass(c, Part) and c is not Part)


def resource_class(cls: type[Component], field: str) -> type[Resource] | None:
    """The Resource class of a parameter, also inside `X | None` and `list[X]`; None for other parameters."""
    from .params import hints, inner_classes

    for found in inner_classes(hints(cls)[field]):
        if issubclass(found, Resource):
            return found
    return None
