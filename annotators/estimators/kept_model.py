"""The model of a detector: its files in memory, and in a temporary folder as soon as a pipeline needs them."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from ...pipeline.assembly.config import settle
from ...pipeline.errors import ConsumerError
from ...pipeline.pipeline import Pipeline
from ...pipeline.storage.yaml_source import Source
from ..sequence.card import model_card
from ..sequence.model_files import (
    CARD,
    CRFSUITE,
    META,
    WEIGHTS,
    locate_model,
    read_checked,
    read_description,
    read_member,
    write_model,
)


def assembled(engines: Sequence[Any], **sections: Any) -> Pipeline:
    """Return the pipeline of engines declared as in YAML. Raises ConfigError with all faults.

    `sections` are others of the configuration, as `consumers` and `run`. Paths are relative to the current folder.
    """
    data = {"name": "estimator", "engines": as_declared(engines), **{k: as_declared(v) for k, v in sections.items()}}
    return Pipeline.from_config(settle(Source(data, "", Path.cwd())))


def as_declared(value: Any) -> Any:
    """Return a value as YAML gives it: tuples as lists, numbers of NumPy as numbers of Python."""
    if isinstance(value, Mapping):
        return {name: as_declared(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [as_declared(inner) for inner in value]
    return value.item() if hasattr(value, "item") else value


class KeptModel:
    """The files of a trained model by name, and the engines that run before it. Pickled without the temporary folder."""

    def __init__(self, files: Mapping[str, bytes], meta: Mapping[str, Any], engines: Sequence[Any]) -> None:
        self.files = dict(files)
        self.meta = dict(meta)
        self.engines = list(engines)
        self._folder: Path | None = None
        self._applied: tuple[Mapping[str, Any], Pipeline] | None = None

    @classmethod
    def read(cls, name: str, engines: Sequence[Any] | None = None) -> Self:
        """Read a model: a folder, a zip or a name. `engines`: by default those that ran before its training.

        Raises ResourceError if it is missing, damaged, foreign or in a newer format.
        """
        meta, path = read_description(name), locate_model(name)
        files = {file: read_checked(path, meta, file) for file in meta["files"]}
        files |= {file: read_member(path, file) for file in (META, CARD)}
        return cls(files, meta, _declared(meta.get("preprocessing", [])) if engines is None else engines)

    def pipeline(self, **parameters: Any) -> Pipeline:
        """Return the pipeline of the engines and the annotator with this model. It is kept until the parameters change."""
        applied = self._applied
        if applied is None or applied[0] != parameters:
            given = {"model": str(self._path()), **parameters}
            applied = self._applied = parameters, assembled([*self.engines, {self.meta["type"]: given}])
        return applied[1]

    def write(self, path: Path) -> None:
        """Write the model as a folder, or as a zip if the path ends in `.zip`, under the name of the path.

        Raises ResourceError if the path has something other than a model, ConsumerError if it cannot be written.
        """
        contents = {name: data for name, data in self.files.items() if name not in (META, CARD)}
        attached = sorted(contents.keys() - {WEIGHTS, CRFSUITE})
        if path.suffix == ".zip" and attached:
            raise ConsumerError(
                f"{path}: expected a folder, not a zip: it contains files of its features ({', '.join(attached)})"
            )
        meta = {**self.meta, "name": path.stem if path.suffix == ".zip" else path.name}
        write_model(path, meta, contents, model_card(meta))

    def _path(self) -> Path:
        """Return a folder with the files, which is deleted together with this object."""
        if self._folder is None:
            folder = Path(tempfile.mkdtemp(prefix="caspipe-"))
            weakref.finalize(self, _remove, folder, os.getpid())
            for name, data in self.files.items():
                (folder / name).write_bytes(data)
            self._folder = folder  # last: another thread may look at it
        return self._folder

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_folder": None, "_applied": None}


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # a forked process has the same object, but the folder is not its own
        shutil.rmtree(folder, ignore_errors=True)


def _declared(steps: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the engines of a description as in YAML; `rules/dates` is `dates` in the aggregate `rules`."""
    found: list[Any] = []
    for step in steps:
        *above, id = step["id"].split("/")
        given = step["parameters"] if id == step["component"] else {**step["parameters"], "id": id}
        into = found
        for name in above:
            if not (into and isinstance(into[-1], dict) and into[-1].get("aggregate", {}).get("id") == name):
                into.append({"aggregate": {"id": name, "engines": []}})
            into = into[-1]["aggregate"]["engines"]
        into.append({step["component"]: given} if given else step["component"])
    if found and found[-1] == "resolver":  # a run adds it after the last finder: here, after the model
        found.pop()
    return found
