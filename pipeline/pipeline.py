"""The pipeline: load a configuration, process single documents, or run it over a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Self

from ..typesystem import Cas
from .assembly.assembly import Assembly
from .assembly.config import read_config, settle
from .assembly.shipped import locate
from .contract.report import RunReport
from .errors import ConfigError, Fault
from .packaging.loading import load_package, looks_like_package
from .running.observers import Progress
from .running.run import run
from .running.runners.events import Observer
from .storage.yaml_source import UNNAMED, parse


class Pipeline(Assembly):
    """Engines around one CAS, with an optional reader before and consumers after them.

        pipeline = Pipeline.load("deidentify")
        cas = pipeline.process("Seen on 3/4/2020 by Dr. Smith.")

    Components are opened at first use. A pipeline is a context manager, which closes them.
    """

    @classmethod
    def load(
        cls, path: str | Path, overrides: Iterable[str] = (), *, verify: Path | None = None, trust: bool = False
    ) -> Self:
        """Load a YAML file, a shipped pipeline by its name, or a pipeline package.

        `overrides` are `component.parameter=value` as after `--set`; `verify` is the public key with which a package must be
        signed; `trust`: do not confine a package without a signature.

        Does not read any data. Raises ConfigError with every fault of the file, ResourceError or SignatureError if a package
        was changed after it was packed.
        """
        if not Path(path).suffix and not Path(path).exists():
            path = locate(str(path))
        if looks_like_package(path):
            return cls.from_config(load_package(path, overrides, verify, trust=trust))
        if verify is not None:
            raise ConfigError([Fault("", "only a bundle is signed, this is none", str(path))])
        return cls.from_config(read_config(path, overrides))

    @classmethod
    def parse(cls, text: str, overrides: Iterable[str] = ()) -> Self:
        """Load a YAML text. Its paths are relative to the current folder. Raises ConfigError."""
        return cls.from_config(settle(parse(text, UNNAMED, Path.cwd()), overrides))

    def stream(self, documents: Iterable[str | Cas]) -> Iterator[Cas]:
        """Process documents one by one, lazily and in order. Raises ComponentError at the first one that fails."""
        for document in documents:
            yield self.process(document)

    def run(self, progress: Progress | None = None, observers: Sequence[Observer] = ()) -> RunReport:
        """Run reader, engines and consumers with the options under `run:`. Calls `progress(report, total)` after each document.

        Documents that fail are quarantined, skipped, or end the run, depending on `on_error`; the report lists them.
        """
        return run(self, progress, observers)
