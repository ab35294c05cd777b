"""The base class of pretrained model folders, and functions that find and read their files."""

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
    """A model folder. Subclasses define its required files. Each part of it is loaded once."""

    required: ClassVar[tuple[str, ...]] = ()
    """Names of the required files."""

    path: Path
    _loaded: dict[tuple[Any, ...], Any] = field(default_factory=dict)

    def cached(self, key: tuple[Any, ...], load: Callable[[], T]) -> T:
        """Return the result of `load`, which is called once for each key."""
        if key not in self._loaded:
            self._loaded[key] = load()
        loaded: T = self._loaded[key]
        return loaded

    @classmethod
    def check(cls, name: str) -> str | None:
        path = Path(name)
        if not path.is_dir():
            fault = f"{name} is a file, not a folder" if path.exists() else f"no folder {name}"
            return (
                f"{fault}: models are folders on disk and never downloaded; download the model yourself "
                "(see docs/how-to/pretrained-models.md) and give the path of its folder"
            )
        missing = [file for file in cls.required if not (path / file).is_file()]
        if missing:
            return f"{name} has no {' and no '.join(missing)}: expected the folder of a {cls.kind}"
        return None

    @classmethod
    def existing_folder(cls, name: str) -> Path:
        """Return the folder. Raises ResourceError if `check` finds a fault."""
        fault = cls.check(name)
        if fault:
            raise ResourceError(f"{cls.kind}: {fault}")
        return Path(name)


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file. Raises ResourceError with the path if it is missing, damaged or not an object."""
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
    """Return the ONNX graph of a folder: `file`, or by default the first existing one of `ONNX_FILES`, else None.

    Raises ResourceError if `file` is missing or outside of the folder.
    """
    if not file:
        return next((folder / name for name in ONNX_FILES if (folder / name).is_file()), None)
    path = folder / file
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ResourceError(f"{folder}: {file} is outside of the folder")
    if not path.is_file():
        graphs = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.onnx"))
        known = f"; it has {', '.join(graphs[:8])}" if graphs else ""
        raise ResourceError(f"{folder}: has no file {file}{nearest(file, graphs) or known}")
    return path
