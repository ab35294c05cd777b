"""The pipeline: components in a row, used from Python or run over a corpus."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from ..typesystem import Annotation, Cas
from .assembly.assemble import Assembly, RunOptions, assemble, parted, with_resolver
from .assembly.chain import Chain
from .assembly.config import Config, read_config, settle, text_of
from .contract.component import (
    AnalysisEngine,
    Annotator,
    CasConsumer,
    CollectionReader,
    Component,
    Spans,
    TwoPhaseConsumer,
)
from .contract.report import ComponentStats, RunReport
from .errors import CaspipeError, ComponentError, ConfigError, Fault, UndeclaredError, guarded
from .running.runners.events import Observer
from .storage.secrets import Secret, secrets_of, without_secrets
from .storage.yaml_source import UNNAMED, Text, parse

_ROLES = (Annotator, AnalysisEngine, CasConsumer, CollectionReader, Component)


class Pipeline:
    """Engines around one CAS, with an optional reader before and consumers behind them.

        pipeline = Pipeline.load("configs/deidentify.yaml")
        cas = pipeline.process("Seen on 3/4/2020 by Dr. Smith.")

    Components open at first use. A pipeline is a context manager; `close` is only needed where consumers were used.
    """

    def __init__(
        self,
        engines: Sequence[Component],
        *,
        reader: CollectionReader | None = None,
        consumers: Sequence[CasConsumer] = (),
        options: RunOptions | None = None,
        name: str = "pipeline",
    ) -> None:
        for components in (engines, consumers):
            seen: dict[str, int] = {}
            for component in components:
                wanted = component.id
                seen[wanted] = seen.get(wanted, 0) + 1
                if seen[wanted] > 1:
                    component.set_id(f"{wanted}-{seen[wanted]}")
        self.engines: list[Component] = with_resolver(list(engines))
        self.reader = reader
        self.consumers = list(consumers)
        self.options = options or RunOptions()
        for consumer in self.consumers:
            consumer.output = self.output
        self.name = name
        self.views: dict[str, str] = {}
        self.config: Config | None = None
        self._open = False
        self.stats: dict[str, ComponentStats] = {}
        for c in [*self.engines, *self.consumers]:
            self._stats_of(c)

    @property
    def output(self) -> Path:
        """Folder that everything is written to: that of the run, or of its shard."""
        if not self.options.shard:
            return self.options.output
        part, parts = parted(self.options.shard)
        return self.options.output / "shards" / f"{part}-of-{parts}"

    @classmethod
    def load(cls, path: str | Path, overrides: Iterable[str] = (), *, verify: Path | None = None) -> Pipeline:
        """The pipeline in a YAML file or in a bundle. `overrides` are `component.parameter=value` as after `--set`; `verify`
        is the public key that a bundle must be signed with.

        Touches no data. Raises ConfigError with every fault of the file, ResourceError or SignatureError for a bundle that is
        not as it was packed.
        """
        from . import packaging as bundle

        if bundle.looks_like_bundle(path):
            return cls.from_config(bundle.load(path, overrides, verify))
        if verify is not None:
            raise ConfigError([Fault("", "only a bundle is signed, this is none", str(path))])
        return cls.from_config(read_config(path, overrides))

    @classmethod
    def parse(cls, text: str, overrides: Iterable[str] = ()) -> Pipeline:
        """The pipeline in a YAML text; paths in it are relative to the current folder. Raises ConfigError."""
        return cls.from_config(settle(parse(text, UNNAMED, Path.cwd()), overrides))

    @classmethod
    def from_config(cls, config: Config) -> Pipeline:
        parts: Assembly = assemble(config)
        made = cls(
            parts.engines, reader=parts.reader, consumers=parts.consumers, options=parts.options, name=config.name
        )
        made.views = parts.views
        made.config = config
        return made

    def _stats_of(self, component: Component) -> ComponentStats:
        key = component.id if not isinstance(component, CasConsumer) else f"consumers/{component.id}"
        if key not in self.stats:
            role = next(b for b in _ROLES if isinstance(component, b)).__name__
            self.stats[key] = ComponentStats(component.id, role)
        return self.stats[key]

    # -- life cycle ----------------------------------------------------------------------------------------------

    def open(self) -> Self:
        """Opens every engine: models and lexicons are loaded. Done by the first `process` otherwise."""
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

    def close(self) -> None:
        """Closes the engines."""
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
        """Runs every engine over one document and returns its CAS.

        `stop_after`: id of the last component that runs. Raises ComponentError, without any text of the document, where
        a component fails: the CAS is then half-done and must not be released.
        """
        cas = document if isinstance(document, Cas) else Cas(document)
        if not self._open:
            self.open()
        for engine in self.engines:
            self._apply(engine, cas)
            if stop_after and engine.id == stop_after:
                break
        return cas

    def stream(self, documents: Iterable[str | Cas]) -> Iterator[Cas]:
        """Processes documents one by one, lazily and in order. Raises ComponentError at the first that fails."""
        for document in documents:
            yield self.process(document)

    def run(self, progress: Any = None, observers: Sequence[Observer] = ()) -> RunReport:
        """Reader, engines, consumers, by the `run:` options. `progress(report, total)` is called after each document.

        Failed documents are kept aside, left out or end the run, as `on_error` says; they are in the report either way.
        """
        from .running.run import run

        return run(self, progress, observers)

    def part(self) -> Pipeline:
        """What a worker needs of it, not open: consumers that work in the run's own process only are there by name."""
        consumers = [c if isinstance(c, TwoPhaseConsumer) else _Elsewhere(c.id) for c in self.consumers]
        made = Pipeline(self.engines, reader=self.reader, consumers=consumers, options=self.options, name=self.name)
        made.views = self.views
        return made

    def _apply(self, engine: Component, cas: Cas) -> None:
        stats = self._stats_of(engine)
        started = time.perf_counter()
        try:
            made = apply(engine, cas, self.views.get(engine.id))
        except CaspipeError as error:
            stats.errors += 1
            raise error if isinstance(error, ComponentError) else ComponentError(engine.id, error) from None
        except Exception as error:
            stats.errors += 1
            raise ComponentError(engine.id, error) from None  # the original message may quote the document
        stats.add(time.perf_counter() - started, made)

    def describe(self) -> dict[str, Any]:
        """The configuration as plain data, for reports."""

        def of(c: Component) -> dict[str, Any]:
            step = (
                next((s for s in self.config.steps() if s.id == c.id and s.name == c.name), None)
                if self.config
                else None
            )
            given = {k: "(secret)" if "key" in k.lower() else v for k, v in step.given.items()} if step else {}
            return {"id": c.id, "component": c.name, "parameters": text_of(_hide_secrets(given, secrets_of(c)))}

        return {
            "name": self.name,
            "reader": of(self.reader) if self.reader is not None and not isinstance(self.reader, Chain) else None,
            **({"readers": [of(r) for r in self.reader.readers]} if isinstance(self.reader, Chain) else {}),
            "engines": [of(e) for e in self.engines],
            "consumers": [of(c) for c in self.consumers],
        }

    def __repr__(self) -> str:
        return f"<Pipeline {self.name}: {' -> '.join(e.id for e in self.engines)}>"


class _Elsewhere(CasConsumer):
    """Stands in a worker for a consumer that works in the run's own process."""

    def __init__(self, id_: str) -> None:
        self.set_id(id_)


def apply(engine: Component, cas: Cas, view_name: str | None = None) -> int:
    """One engine over one CAS: checks, stamps and adds what an annotator yields. Returns how many annotations that were."""
    if isinstance(engine, AnalysisEngine):
        engine.process(cas)
        return 0
    if not isinstance(engine, Annotator):
        raise ComponentError(engine.id, TypeError(f"{type(engine).__name__} is no engine"))
    view = cas.view(view_name) if view_name else cas.view()
    outputs, source = engine.outputs, engine.id
    view.remove_from_source(outputs, source)  # what an earlier run of this component left, when the document comes back
    batch: list[Annotation] = []
    columns: list[Spans] = []
    for item in engine.annotate(view):
        if isinstance(item, Spans):
            columns.append(item)
            kind: type[Any] = item.type
        else:
            item._source = source
            batch.append(item)
            kind = item.__class__
        if kind not in outputs:
            declared = ", ".join(o.__name__ for o in outputs) or "nothing"
            raise UndeclaredError(f"made {kind.__name__}, but declares {declared} as outputs")
    for spans in columns:
        view.add_spans(spans.type, spans.begins, spans.ends, source)
    view.add_all(batch)
    return len(batch) + sum(len(s.begins) for s in columns)


def _hide_secrets(value: Any, secrets: Iterable[tuple[str, Secret]]) -> Any:
    """Parameters without what a parameter for secrets holds, wherever it stands, what comes from an environment variable that
    is called after a secret, and in URLs user, password and query."""
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
