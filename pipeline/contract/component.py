"""Base classes of readers, annotators, engines and consumers, and the decorators that register them."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

from ...typesystem import INITIAL_VIEW, Annotation, Cas, FeatureStructure, View
from ..errors import Fault
from ..storage.secrets import Secret
from . import registration
from .handle import Handle
from .output import Locate, Output
from .path_values import paths_in
from .resources import load, resource_class

if TYPE_CHECKING:
    from ..storage.files import Staged
    from .report import RunReport

C = TypeVar("C", bound="type[Component]")
P = TypeVar("P", bound="type[Part]")


class Component:
    """One step of a pipeline. Its dataclass fields are its parameters, each with type, default, unit and documentation.

    Life cycle: construct (parameters only, does not touch any file), `open()`, work, `close()`. Components can be pickled
    before they are opened.
    """

    name: ClassVar[str] = ""
    """Name of this kind of component in YAML."""
    inputs: ClassVar[tuple[type[FeatureStructure], ...]] = ()
    """Types that an earlier component must have created."""
    outputs: ClassVar[tuple[type[FeatureStructure], ...]] = ()
    """Types that this component creates. If it yields any other, an error is raised."""
    sets: ClassVar[tuple[str, ...]] = ()
    """Features of existing annotations that this component sets: `Token:pos`."""
    role: ClassVar[str] = ""
    """Its section of a pipeline: reader, engine or consumer."""
    extra_field: ClassVar[str] = ""
    """Field that receives YAML keys that are not parameters (`DATE: ...` of the masker)."""

    _id = ""

    @property
    def id(self) -> str:
        """The id of this instance in its pipeline, prefixed with aggregates: `regex/dates`. Outside a pipeline, its name."""
        return self._id or self.name

    def set_id(self, id: str) -> None:
        """Give this instance an id of its own."""
        self._id = id

    @property
    def input_view(self) -> str:
        """Name of the view that this component works on. The `view:` of a step has priority."""
        return INITIAL_VIEW

    @property
    def created_view(self) -> str:
        """Name of the view over a changed text that this component creates for those after it; empty if it creates none."""
        return ""

    @property
    def copied_view(self) -> str:
        """Name of the view whose annotations this component copies to the original text; empty if it copies none."""
        return ""

    def bind(self, earlier: Sequence[Component]) -> str:
        """Receive the engines before this one, in order, when a pipeline is assembled; called again for every copy of it.

        Returns what is wrong with them, or an empty string. A pipeline reports it as a configuration error.
        """
        return ""

    def open(self) -> None:
        """Load files and models. Resources given by name are loaded here; call `super().open()` first."""
        self.open_resources()

    def open_resources(self) -> None:
        """Load the resources that were given by name."""
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
        """Release what `open` acquired."""

    def may_fork(self) -> bool:
        """Return whether an open component works in a forked process. It does not if it holds threads or a GPU."""
        return True

    def check(self) -> list[Fault]:
        """Return faults that only the contents of parameters show, such as failing examples in a rule file.

        Called by `caspipe validate`.
        """
        return []

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        """Return the types and features (`Token:pos`) that earlier components must provide: `inputs`, and more if parameters
        require it."""
        return self.inputs

    def explain_need(self, need: type[FeatureStructure] | str) -> str:
        """Say for messages which part of this component needs it: `feature pos of model en-phi`. Empty: the component itself."""
        return ""

    def nested(self) -> Iterator[Component]:
        """Yield the components among the parameters, and theirs, as the reader that another reader wraps."""
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, Component):
                yield value
                yield from value.nested()

    def referenced_components(self) -> Iterator[tuple[str, str]]:
        """Yield (parameter, name) for every component that the parameters name, so that a typo is reported."""
        yield from ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"


class CollectionReader(Component):
    """Yields documents one at a time, so that a corpus need not fit in memory."""

    role = "reader"

    reports_duplicates: ClassVar[bool] = False
    """True if `load` refuses documents with the id of an earlier one, with a better message than that of the run."""

    def __iter__(self) -> Iterator[Cas]:
        raise TypeError(f"{type(self).__name__} must define __iter__")

    def handles(self) -> Iterator[Handle] | None:
        """Return a handle for each document, in order, from which a worker can `load` it. None if documents can only be read
        one after the other."""
        return None

    def load(self, handle: Any) -> Cas:
        """Read the document for the `data` of a handle. Called in any process, in any order. Raises ReaderError."""
        raise TypeError(f"{type(self).__name__} must define load(handle)")

    def __len__(self) -> int:
        """Return the number of documents, for the progress bar. Raises TypeError if it is not known in advance."""
        raise TypeError(f"{type(self).__name__} does not know its length")

    @cached_property
    def failed(self) -> list[tuple[str, Exception]]:
        """(document id, error) of documents that could not be read. The run removes and reports them."""
        return []


class Annotator(Component):
    """Finds spans: `annotate` is a pure function that yields annotations. The pipeline checks and adds them."""

    role = "engine"

    def annotate(self, view: View) -> Iterable[Annotation | Spans]:
        """Yield the annotations of one view, without I/O, clock, randomness or changes to the view."""
        raise TypeError(f"{type(self).__name__} must define annotate(view)")


class AnalysisEngine(Component):
    """Processes the whole CAS: for components that remove or replace annotations or create views (resolver, masker)."""

    role = "engine"

    def process(self, cas: Cas) -> None:
        raise TypeError(f"{type(self).__name__} must define process(cas)")


class Scope(enum.Enum):
    """The set of documents for which the output of a consumer is complete. It determines what a run may do with it."""

    DOCUMENT = "document"
    """The output for each document is complete by itself."""
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
    """The documents for which its output is complete."""
    output: Path = Path("out")
    """Folder to which relative paths of this consumer refer (`run.output`)."""
    run_key: Secret = Secret()
    """The key of the run (`run.key`), for what all its outputs share; it may be empty."""
    announce_file: Callable[[str], None] | None = None
    """Called with the path of a file, relative to the output folder, before the file is moved there; set by a run."""

    def writes_original(self) -> bool:
        """Return whether its outputs may contain original text. If not, it receives documents under their released names, and may
        write below `release/`."""
        return True

    def written_paths(self) -> list[tuple[str, Path]]:
        """Return (parameter, path) of what it writes, relative to `output`: every parameter that can be a path."""
        return [(f.name, path) for f in dataclasses.fields(self) for path in paths_in(getattr(self, f.name))]  # type: ignore[arg-type]

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
    run, in reading order. Only such a consumer can continue where an earlier run was interrupted.
    """

    scope = Scope.DOCUMENT

    @property
    def resumable(self) -> bool:
        """Return whether a later run can recognize what this one wrote for each document."""
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

    def keep_state(self, state: Any, *, leaving: bool) -> Any:
        """Return the resume state to record for a document while others, those that are `leaving`, are withdrawn."""
        return state

    def adopt_previous(
        self, document_id: str, outputs: list[Output], state: Any, locate: Locate
    ) -> list[Output] | None:
        """Adopt what an earlier run wrote for a document, with the same result as `commit`. None if it is not intact."""
        prepared = self.restore(outputs, state, locate)
        return None if prepared is None else self.commit(document_id, prepared)

    def restore(self, outputs: list[Output], state: Any, locate: Locate) -> Any:
        """Return from what an earlier run wrote for a document what `prepare` returned then. None if it is not intact."""
        return None

    def delete_previous(self, document_id: str, states: list[Any], *, removed: bool = False) -> None:
        """Delete what earlier runs wrote for a document, other than files in the output folder.

        A resumed run calls it before it processes a document again, if it does not release it, and if it no longer exists
        (`removed`). `states`: the resume states of those runs.
        """

    def written(self, document_id: str, output: Output) -> bytes | None:
        """Return a document's part of a shared file or table after `close`; None if it cannot be read."""
        return output.read(self.output)

    def shared_files(self) -> dict[str, Path]:
        """Return the files that all documents share and that get their name at the end of the run: path relative to the output
        folder -> current path."""
        return {}


def is_resumable(component: Component) -> bool:
    """Return whether a component is a consumer that can continue where an earlier run was interrupted."""
    return isinstance(component, TwoPhaseConsumer) and component.resumable


@dataclasses.dataclass(frozen=True, slots=True)
class Spans:
    """Disjoint sorted spans of one type as columns. A tokenizer yields them instead of one object per token."""

    type: type[Annotation]
    begins: list[int]
    ends: list[int]


class Part:
    """A named building block of a component with parameters: a masking operator, a resolver strategy, a feature.

    A family is a direct subclass of Part; its members are registered with `@part("name")` and written in YAML as
    `name` or `name: {parameters}`.
    """

    name: ClassVar[str] = ""
    argument: ClassVar[str] = ""
    """The parameter set by the short form `name:value` in YAML (`list:countries`). Empty: no short form."""

    def __repr__(self) -> str:
        """Show the name and the parameters that differ from their defaults, as in YAML. Keys are not shown."""
        given = [f"{f.name}={'...' if 'key' in f.name else repr(getattr(self, f.name))}" for f in _changed(self)]
        return f"{self.name}({', '.join(given)})" if given else self.name


def _changed(part: Any) -> Iterator[dataclasses.Field[Any]]:
    """Yield the fields whose values differ from their defaults."""
    for f in dataclasses.fields(part) if dataclasses.is_dataclass(part) else ():
        default = f.default_factory() if f.default_factory is not dataclasses.MISSING else f.default
        if getattr(part, f.name) != default:
            yield f


@dataclass_transform(kw_only_default=True, eq_default=False)
def component(
    name: str,
    *,
    inputs: Sequence[type[FeatureStructure]] = (),
    outputs: Sequence[type[FeatureStructure]] = (),
    sets: Sequence[str] = (),
    extra_field: str = "",
) -> Callable[[C], C]:
    """Turn a class into a keyword-only dataclass and register it as the component `name`.

    Raises ConfigError if another class has that name.
    """

    def wrap(cls: C) -> C:
        declared: Any = dataclasses.dataclass(kw_only=True, eq=False, repr=False)(cls)
        declared.name, declared.inputs, declared.outputs = name, tuple(inputs), tuple(outputs)
        declared.sets, declared.extra_field = tuple(sets), extra_field
        registration.register(declared)
        return declared  # type: ignore[no-any-return]

    return wrap


@dataclass_transform(kw_only_default=True, eq_default=False)
def part(name: str) -> Callable[[P], P]:
    """Turn a class into a dataclass and register it as a member of its family. Raises ConfigError if the name is taken."""

    def wrap(cls: P) -> P:
        declared: Any = dataclasses.dataclass(kw_only=True, eq=False, repr=False)(cls)
        declared.name = name
        registration.register_part(declared, family(declared))
        return declared  # type: ignore[no-any-return]

    return wrap


def family(cls: type[Part]) -> type[Part]:
    """Return the direct subclass of Part to which a part belongs."""
    return next(c for c in reversed(cls.__mro__) if issubclass(c, Part) and c is not Part)
