"""Build components from the steps of a configuration, check them, and report all faults at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ...typesystem import Phi, PhiCandidate
from ..contract import params, registry
from ..contract.component import AnalysisEngine, Annotator, CasConsumer, CollectionReader, Component
from ..contract.limits import Limits
from ..errors import ConfigError, Fault, nearest
from ..storage.secrets import Secret
from ..storage.yaml_source import Text
from .capabilities import check_capabilities
from .chain import Chain
from .originals import clashes, misplaced
from .steps import Config, Step

SECTION_ROLES = {"reader": "reader", "engines": "engine", "consumers": "consumer"}
ROLES: dict[str, tuple[type[Component], ...]] = {
    "reader": (CollectionReader,),
    "engines": (Annotator, AnalysisEngine),
    "consumers": (CasConsumer,),
}


@dataclasses.dataclass(kw_only=True)
class RunOptions:
    """The `run:` section."""

    output: Path = Path("out")
    """Folder for relative paths of consumers, itself relative to the current folder."""
    names: Literal["pseudonym", "id"] = "pseudonym"
    """Names of documents in what contains no original text (files, rows, ids): keyed hashes of their ids with `key`, else their
    numbers in reading order; or the ids. `restricted/names.csv` contains the ids of all names."""
    key: Secret | str = ""
    """Secret for names that stay the same if documents are added or removed. Without it, a name is a number."""
    on_error: Literal["stop", "skip", "quarantine"] = "quarantine"
    """Policy for a document that fails: stop the run, skip the document, or quarantine it with the reason."""
    max_error_rate: float = 1.0
    """Share of failed documents (0 to 1) above which the run stops; checked from the 20th document on."""
    error_window: int | None = None
    """Number of most recent documents for `max_error_rate`; null: all documents of the run."""
    max_errors: int | None = None
    """Number of failed documents above which the run stops."""
    limit: int | None = None
    """Read at most this many documents."""
    workers: Literal["auto"] | int = "auto"
    """Worker processes. 0: documents are processed in the process of the run, which crashes and endless loops would end.
    `auto`: one per processor core, fewer for few documents; 0 if the run does not write files or if the system cannot start
    workers cheaply."""
    start: Literal["auto", "fork", "spawn"] = "auto"
    """How workers are started: as copies of the process that share its models (fork), or as new processes that load their own
    (spawn)."""
    ordered: bool = True
    """Write outputs in reading order. If false, in the order in which documents finish: shared files then differ between runs."""
    limits: Limits = dataclasses.field(default_factory=Limits)
    """Limits of time and memory for a document."""
    retries: int = 1
    """How often a document is retried, alone in a new worker, after its worker died."""
    retry_on: list[Literal["crash", "memory", "time", "error"]] = dataclasses.field(default_factory=lambda: ["crash"])
    """Reasons for which a document is retried."""
    ledger: bool | Path = True
    """Keep a ledger of all documents, which `--resume` needs: `restricted/ledger.sqlite` under the output folder, or
    the given file."""
    runner: Literal["local", "spark"] = "local"
    """The place where documents are processed: on this machine, or on a Spark cluster (extra `spark`)."""
    events: Path | None = None
    """File for events as JSON lines, without text or ids; relative to the current folder."""
    metrics: Path | None = None
    """File for OpenMetrics, updated every few seconds; relative to the current folder."""
    show_output: bool = False
    """Show what components print. By default it is withheld and counted, because it may quote documents."""
    resume: bool = False
    """Adopt the outputs of an earlier run into the same folder if input, configuration, models and code are the same."""
    retry_quarantined: bool = False
    """With `resume`: process documents that failed before again."""
    shard: str = ""
    """`3/64`: process only the third of 64 shards of the documents, into a separate folder, for `caspipe merge`."""

    scan: bool = True
    """Search every byte of `release/` for every value that was masked before the run ends, and withdraw documents with a find."""
    replace_release: bool = False
    """Replace a release that `caspipe release` made from reviewed documents. Otherwise, such a run is refused."""

    def __post_init__(self) -> None:
        self.key = Secret.of(self.key)
        if not 0 <= self.max_error_rate <= 1:
            raise ValueError(f"max_error_rate: expected a share from 0 to 1, got {self.max_error_rate}")
        for name, least in (("limit", 1), ("error_window", 1), ("max_errors", 0), ("retries", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name}: expected {least} or more, got {value}")
        if self.workers != "auto" and self.workers < 0:
            raise ValueError(f"workers: expected auto, 0 or more, got {self.workers}")
        if self.shard:
            parted(self.shard)


def parted(shard: str) -> tuple[int, int]:
    """Return `3/64` as (3, 64). Raises ValueError if it is not a valid shard."""
    part, slash, parts = shard.partition("/")
    if not (slash and part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise ValueError(f"shard: expected a part and the number of parts, as 3/64, got {shard!r}")
    return int(part), int(parts)


@dataclasses.dataclass(slots=True)
class Components:
    """The components of a configuration, not open yet."""

    reader: CollectionReader | None
    engines: list[Component]
    consumers: list[CasConsumer]
    options: RunOptions
    views: dict[str, str]
    """Id of an annotator -> name of the view it works on, if that is not the initial one."""


def assemble(config: Config) -> Components:
    """Build every component of a configuration. Raises ConfigError with all faults, in file order."""
    faults = list(config.faults)
    views: dict[str, str] = {}
    readers = [build_step(step, "reader", config, faults, views) for step in config.readers]
    built_readers = [r for r in readers if r is not None]
    reader = Chain(built_readers) if len(readers) > 1 and built_readers else next(iter(built_readers), None)
    engines = [build_step(step, "engines", config, faults, views) for step in config.engines]
    consumers = [build_step(step, "consumers", config, faults, views) for step in config.consumers]
    options = RunOptions()
    if config.run_step is not None:
        run = config.run_step
        given = dict(config.run)
        if isinstance(given.get("output"), str):
            given["output"] = str(given["output"])  # relative to the current folder, not to the file
        built = params.build(RunOptions, given, lambda at, what: faults.append(run.fault(at, what)))
        options = built or options
    for step, consumer in zip(config.consumers, consumers, strict=True):
        for parameter, what in misplaced(consumer, options.output) if consumer is not None else ():
            faults.append(step.fault((parameter,), what))
    steps = {id(consumer): step for step, consumer in zip(config.consumers, consumers, strict=True)}
    for consumer, parameter, what in clashes([c for c in consumers if c is not None], options.output):
        faults.append(steps[id(consumer)].fault((parameter,), what))
    whole = [e for e in engines if e is not None]
    if not faults:
        whole = with_resolver(whole)
        check_capabilities(reader, whole, [c for c in consumers if c is not None], config, faults)
        check_mentions(whole, config, faults)
    if not faults:
        check_bindings(whole, config, faults)
    if faults:
        raise ConfigError(sorted(dict.fromkeys(faults), key=lambda f: (f.file != config.file, f.file, f.line)))
    for consumer in consumers:
        consumer.output = options.output
    return Components(reader, whole, consumers, options, views)


def build_step(step: Step, section: str, config: Config, faults: list[Fault], views: dict[str, str]) -> Any:
    try:
        cls = registry.find(step.name, SECTION_ROLES[section])
    except LookupError as error:
        faults.append(Fault(step.keys[0] if isinstance(step.keys[0], str) else section, str(error), *step.place))
        return None
    except ConfigError as error:
        faults += error.faults
        return None
    if cls.role != SECTION_ROLES[section]:
        faults.append(Fault(section, f"{step.name} is a {cls.role or 'class without a role'}", *step.place))
        return None
    given = dict(step.given)
    fields = {p.name for p in params.parameters(cls)}
    if issubclass(cls, Annotator) and "view" not in fields and "view" in given:
        views[step.id] = str(given.pop("view"))
    given = config.unaliased(given)
    given = params.with_output_paths(cls, given)
    component = params.build(cls, given, lambda at, what: faults.append(step.fault(at, what)))
    if component is not None:
        component.set_id(step.id)
    return component


def with_resolver(engines: list[Component]) -> list[Component]:
    """Insert the default resolver if there are candidates but no resolver."""
    makes = [i for i, e in enumerate(engines) if PhiCandidate in e.outputs]
    if not makes or any(Phi in e.outputs for e in engines):
        return engines
    users = [i for i, e in enumerate(engines) if Phi in e.inputs and i > makes[-1]]
    at = users[0] if users else len(engines)
    return [*engines[:at], registry.find("resolver")(), *engines[at:]]


def check_mentions(engines: list[Component], config: Config, faults: list[Fault]) -> None:
    """Report names of components in parameters (`priority: [rules, crf]`) that are neither ids here nor known components."""
    here = {part for e in engines for part in (e.id, *e.id.split("/"))} | set(config.aggregates)
    steps = {s.id: s for s in config.engines}
    for engine in engines:
        for parameter, name in engine.referenced_components():
            if name in here or registry.is_known(name):
                continue
            step = steps.get(engine.id)
            shown = _shown(name, step.given if step else None)
            what = f"no component or aggregate called {shown}{nearest(name, here)}"
            faults.append(step.fault((parameter,), what) if step else Fault(engine.id, what, config.file))


def check_bindings(engines: list[Component], config: Config, faults: list[Fault]) -> None:
    """Report engines that cannot work behind those before them."""
    steps = {s.id: s for s in config.engines}
    for engine, what in bind(engines):
        step = steps.get(engine.id)
        faults.append(step.fault((), what) if step else Fault(engine.id, what, config.file))


def bind(engines: Sequence[Component]) -> list[tuple[Component, str]]:
    """Bind every engine to those before it. Returns the engines that cannot work there, and why."""
    bound = [(engine, engine.bind(engines[:n])) for n, engine in enumerate(engines)]
    return [(engine, what) for engine, what in bound if what]


def _shown(name: str, given: Any) -> str:
    """Return a name for a message, without the value of a secret environment variable."""
    if isinstance(given, Mapping):
        given = [*given.values()]
    if isinstance(given, list | tuple):
        return next((shown for g in given if (shown := _shown(name, g)) != repr(name)), repr(name))
    hidden = isinstance(given, Text) and given.hidden and given == name
    return f"the value of {' and '.join(given.variables)}" if hidden else repr(name)
