"""The assembled components of a pipeline: opening and closing them, processing single documents, statistics."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from ...typesystem import Cas, PhiKind
from ...typesystem.garbage_collection import garbage_collection_paused
from ..contract.apply import apply
from ..contract.component import (
    AnalysisEngine,
    Annotator,
    CasConsumer,
    CollectionReader,
    Component,
    TwoPhaseConsumer,
)
from ..contract.report import ComponentStats
from ..errors import CaspipeError, ComponentError, ConfigError, Fault, guarded
from ..storage.secrets import Secret, secrets_of, without_secrets
from ..storage.yaml_source import Text, text_of
from .assemble import RunOptions, assemble, bind, parted, with_resolver
from .chain import Chain
from .steps import Config

_KINDS = (Annotator, AnalysisEngine, CasConsumer, CollectionReader, Component)
"""Base classes that name the kind of a component in the statistics."""


class Assembly:
    """Engines around one CAS, with an optional reader before and consumers after them."""

    def __init__(
        self,
        engines: Sequence[Component],
        *,
        reader: CollectionReader | None = None,
        consumers: Sequence[CasConsumer] = (),
        options: RunOptions | None = None,
        name: str = "pipeline",
    ) -> None:
        self.own_kinds: tuple[PhiKind, ...] = ()
        """The kinds that the configuration declares; first, so that a copy in another process defines them before all else."""
        _make_ids_unique(engines)
        _make_ids_unique(consumers)
        self.engines: list[Component] = with_resolver(list(engines))
        if faults := [Fault(engine.id, what) for engine, what in bind(self.engines)]:
            raise ConfigError(faults)
        self.reader = reader
        self.consumers = list(consumers)
        self.options = options or RunOptions()
        for consumer in self.consumers:
            consumer.output, consumer.run_key = self.output, Secret.of(self.options.key)
        self.name = name
        self.views: dict[str, str] = {}
        """Id of an annotator -> name of the view it works on, if that is not the initial one."""
        self.config: Config | None = None
        self.scan_key = b""
        """Key of the hashes with which a run remembers masked values, for the release scanner; empty if it is off."""
        self._open = False
        self.stats: dict[str, ComponentStats] = {}
        for component in [*self.engines, *self.consumers]:
            self.stats_of(component)

    @classmethod
    def from_config(cls, config: Config) -> Self:
        """Build the components of a configuration. Raises ConfigError with all its faults."""
        parts = assemble(config)
        assembly = cls(
            parts.engines, reader=parts.reader, consumers=parts.consumers, options=parts.options, name=config.name
        )
        assembly.views = parts.views
        assembly.config = config
        assembly.own_kinds = tuple(config.own_kinds.kinds.values())
        return assembly

    @property
    def output(self) -> Path:
        """Folder for all outputs of the run, or of its shard."""
        if not self.options.shard:
            return self.options.output
        part, parts = parted(self.options.shard)
        return self.options.output / "shards" / f"{part}-of-{parts}"

    @property
    def reader_name(self) -> str:
        """Name of the reader in messages."""
        return f"reader/{self.reader.id}" if self.reader is not None else "reader"

    @property
    def step_names(self) -> list[str]:
        """Names of all engines and consumers in messages, in the order of processing."""
        return [e.id for e in self.engines] + [f"consumers/{c.id}" for c in self.consumers]

    def two_phase_consumers(self) -> list[TwoPhaseConsumer]:
        """Return the consumers that prepare in workers."""
        return [c for c in self.consumers if isinstance(c, TwoPhaseConsumer)]

    def for_worker(self) -> Assembly:
        """Return an unopened assembly for a worker, with placeholders for consumers that work in the process of the run."""
        consumers = [c if isinstance(c, TwoPhaseConsumer) else _Placeholder(c) for c in self.consumers]
        assembly = Assembly(self.engines, reader=self.reader, consumers=consumers, options=self.options, name=self.name)
        assembly.views, assembly.own_kinds, assembly.scan_key = self.views, self.own_kinds, self.scan_key
        return assembly

    # -- life cycle ----------------------------------------------------------------------------------------------

    @garbage_collection_paused()
    def open(self) -> Self:
        """Open every engine: load models and lexicons."""
        if not self._open:
            opened: list[Component] = []
            try:
                for engine in self.engines:
                    with guarded(engine.id):
                        engine.open()
                    opened.append(engine)
            except BaseException:
                for engine in reversed(opened):
                    engine.close()
                raise
            self._open = True
        return self

    def open_in_worker(self, *, shares_disk: bool = True) -> None:
        """Open every engine, and the consumers that prepare in workers. `shares_disk`: see `TwoPhaseConsumer.open_worker`."""
        self.open()
        for consumer in self.two_phase_consumers():
            with guarded(f"consumers/{consumer.id}"):
                consumer.open_worker(shares_disk=shares_disk)

    def close(self) -> None:
        """Close the engines."""
        if self._open:
            self._open = False
            for engine in reversed(self.engines):
                engine.close()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- work ----------------------------------------------------------------------------------------------------

    def process(self, document: str | Cas, *, stop_after: str = "") -> Cas:
        """Run every engine over one document and return its CAS. Engines are opened if necessary.

        `stop_after`: id of the last component to run. Raises ComponentError, without any text of the document, if a component
        fails: the CAS is then incomplete and must not be released.
        """
        cas = document if isinstance(document, Cas) else Cas(document)
        self.open()
        for engine in self.engines:
            self.apply(engine, cas)
            if stop_after and engine.id == stop_after:
                break
        return cas

    def apply(self, engine: Component, cas: Cas) -> None:
        """Run one engine over a document. Raises ComponentError without any text of the document."""
        stats = self.stats_of(engine)
        started = time.perf_counter()
        try:
            count = apply(engine, cas, self.views.get(engine.id))
        except CaspipeError as error:
            stats.errors += 1
            raise error if isinstance(error, ComponentError) else ComponentError(engine.id, error) from None
        except Exception as error:
            stats.errors += 1
            raise ComponentError(engine.id, error) from None  # the original message may quote the document
        stats.add(time.perf_counter() - started, count)

    def stats_of(self, component: Component) -> ComponentStats:
        """Return the statistics of a component, created at the first call."""
        key = component.id if not isinstance(component, CasConsumer) else f"consumers/{component.id}"
        if key not in self.stats:
            kind = next(k for k in _KINDS if isinstance(component, k))
            self.stats[key] = ComponentStats(component.id, kind.__name__)
        return self.stats[key]

    def merge_stats(self, stats: Mapping[str, ComponentStats]) -> None:
        """Add the statistics of a worker."""
        for key, other in stats.items():
            self.stats.setdefault(key, ComponentStats(other.id, other.kind)).merge(other)

    def describe(self) -> dict[str, Any]:
        """Return the configuration without secrets as plain data, for reports."""
        config = self.config
        given = {
            role: {(s.id, s.name): s.given for s in steps}
            for role, steps in (
                ("reader", config.readers), ("engine", config.engines), ("consumer", config.consumers)
            )
        } if config else {}  # fmt: skip

        def of(c: Component) -> dict[str, Any]:
            own = given.get(c.role, {}).get((c.id, c.name), {})
            shown = {k: "(secret)" if "key" in k.lower() else v for k, v in own.items()}
            return {"id": c.id, "component": c.name, "parameters": text_of(_hide_secrets(shown, secrets_of(c)))}

        return {
            "name": self.name,
            "reader": of(self.reader) if self.reader is not None and not isinstance(self.reader, Chain) else None,
            **({"readers": [of(r) for r in self.reader.readers]} if isinstance(self.reader, Chain) else {}),
            "engines": [of(e) for e in self.engines],
            "consumers": [of(c) for c in self.consumers],
        }

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {' -> '.join(e.id for e in self.engines)}>"


class _Placeholder(CasConsumer):
    """Takes the place of a consumer that works in the process of the run."""

    def __init__(self, consumer: CasConsumer) -> None:
        self.set_id(consumer.id)
        self._original = consumer.writes_original()

    def writes_original(self) -> bool:
        return self._original


def _make_ids_unique(components: Sequence[Component]) -> None:
    """Number the second and later components with the same id: `csv`, `csv-2`."""
    seen: dict[str, int] = {}
    for component in components:
        id = component.id
        seen[id] = seen.get(id, 0) + 1
        if seen[id] > 1:
            component.set_id(f"{id}-{seen[id]}")


def _hide_secrets(value: Any, secrets: Iterable[tuple[str, Secret]]) -> Any:
    """Replace the values of secret parameters wherever they occur, values of environment variables that are named after a
    secret, and user, password and query in URLs."""
    held = list(secrets)
    if isinstance(value, dict):
        return {
            k: "(secret)" if k in ("key", "password", "token") and v else _hide_secrets(v, held)
            for k, v in value.items()
        }
    if isinstance(value, list):
        return [_hide_secrets(v, held) for v in value]
    if isinstance(value, str) and any(secret.holds(value) for _, secret in held):
        return "(secret)"
    if isinstance(value, Text) and value.hidden:
        return "(secret)"
    return without_secrets(value)[0] if isinstance(value, str) and "://" in value else value
