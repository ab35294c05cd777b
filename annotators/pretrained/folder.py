"""The base of folders with foreign models: checks that they exist, and reads their JSON files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from ...pipeline.contract.resources import Resource
from ...pipeline.errors import ResourceError, nearest
from ...typesystem.markup.strict_json import DuplicateKeyError, unique_keys

T = TypeVar("T")
ONNX_FILES = ("model.onnx", "onnx/model.onnx")


@dataclass(eq=False, kw_only=True)
class PretrainedFolder(Resource):
    """A model folder. Subclasses name the files that it must have. What is loaded from it is loaded once."""

    required: ClassVar[tuple[str, ...]] = ()
    """Names of files that every folder of this type has."""

    place: Path
    _loaded: dict[tuple[Any, ...], Any] = field(default_factory=dict)

    def once(self, key: tuple[Any, ...], load: Callable[[], T]) -> T:
        """Return what was loaded for `key`, else load it."""
        if key not in self._loaded:
            self._loaded[key] = load()
        loaded: T = self._loaded[key]
        return loaded

    @classmethod
    def check(cls, name: str) -> str | None:
        path = Path(name)
        if not path.is_dir():
            what = f"{name} is a file, not a folder" if path.exists() else f"no folder {name}"
            return (
                f"{what}: models are folders on disk, nothing is downloaded; fetch the model yourself "
                "(docs/how-to/pretrained-models.md says how) and give the path of its folder"
            )
        missing = [file for file in cls.required if not (path / file).is_file()]
        if missing:
            return f"{name} has no {' and no '.join(missing)}: expected the folder of a {cls.kind}"
        return None

    @classmethod
    def existing(cls, name: str) -> Path:
        """Return the folder. Raises ResourceError if `check` finds fault."""
        fault = cls.check(name)
        if fault:
            raise ResourceError(f"{cls.kind}: {fault}")
        return Path(name)


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file. Raises ResourceError that names the file: missing, damaged, or no object."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=unique_keys)
    except OSError as error:
        raise ResourceError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise ResourceError(f"{path}: damaged: expected JSON") from None
    except DuplicateKeyError:
        raise ResourceError(f"{path}: damaged: a property occurs twice in one object") from None
    if not isinstance(data, dict):
        raise ResourceError(f"{path}: expected a JSON object")
    return data


def onnx_file(folder: Path, file: str) -> Path | None:
    """Return the ONNX graph of a folder: `file` in it, or where exporters put it; None if there is none.

    Raises ResourceError if `file` is named and not there, or lies outside the folder.
    """
    if not file:
        return next((folder / name for name in ONNX_FILES if (folder / name).is_file()), None)
    path = folder / file
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ResourceError(f"{folder}: {file} lies outside the folder")
    if not path.is_file():
        there = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.onnx"))
        known = f"; it has {', '.join(there[:8])}" if there else ""
        raise ResourceError(f"{folder}: has no file {file}{nearest(file, there) or known}")
    return path
