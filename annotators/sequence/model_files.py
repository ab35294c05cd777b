"""The files of a trained model: a folder or zip that holds only data, so that loading a model cannot run code.

A model has `model.json` (its type, features, training), `weights.npz` (NumPy arrays, never pickles) or other weights,
`README.md` (the model card, after Mitchell et al. 2019, "Model Cards for Model Reporting") and, if the trainer kept it,
`model.crfsuite` (CRFsuite's own format, for other tools).
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import zipfile
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

from ...pipeline.contract import resources
from ...pipeline.errors import ResourceError, nearest
from ...pipeline.storage.files import cannot, make_folder, write_atomic
from .arrays import zipped
from .extraction import Context
from .labels import Encoding

FORMAT = 1
META, WEIGHTS, CARD, CRFSUITE = "model.json", "weights.npz", "README.md", "model.crfsuite"
FOLDER_VARIABLE = "CASPIPE_MODELS"
ENTRY_POINTS = "caspipe.models"

_REQUIRED = ("format", "type", "labels", "encoding", "features", "window", "context", "files")


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(x, str) for x in value)


_SHAPES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "type": ("a string", lambda value: isinstance(value, str)),
    "labels": ("a list of different strings", lambda value: _strings(value) and 0 < len(value) == len(set(value))),
    "encoding": (f"one of {', '.join(get_args(Encoding))}", lambda value: value in get_args(Encoding)),
    "context": (f"one of {', '.join(get_args(Context))}", lambda value: value in get_args(Context)),
    "features": ("a list", lambda value: isinstance(value, list)),
    "window": (
        "two whole numbers",
        lambda value: isinstance(value, list) and len(value) == 2 and all(type(x) is int for x in value),
    ),
    "files": ("a mapping", lambda value: isinstance(value, dict)),
}


@lru_cache(maxsize=4)
def _announced(_path: tuple[str, ...]) -> list[EntryPoint]:
    """Return the models that packages announce. To read this takes milliseconds, and every look-up of a model asks for it."""
    return sorted(entry_points(group=ENTRY_POINTS), key=lambda p: p.name)


def known_models() -> dict[str, Path]:
    """Return the models that have a name: shipped ones, those of packages, then those of `CASPIPE_MODELS`."""
    paths: dict[str, Path] = {}
    folders = [Path(str(files("caspipe.configs"))) / "models"]
    for point in _announced(tuple(sys.path)):
        package, _, inside = point.value.partition(":")
        try:
            paths[point.name] = Path(str(files(package))) / inside
        except ModuleNotFoundError:
            continue  # loading it by name raises the error
    folders += [Path(p) for p in os.environ.get(FOLDER_VARIABLE, "").split(os.pathsep) if p]
    for folder in folders:
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            if (path / META).is_file() or path.suffix == ".zip":
                paths[path.stem if path.suffix == ".zip" else path.name] = path
    return paths


def locate_model(name: str) -> Path:
    """Return the folder or zip of a model. Raise ResourceError with the nearest name if there is none."""
    path = Path(name)
    if path.exists():
        return path
    known = known_models()
    if name in known:
        return known[name]
    hint = nearest(name, known) or (f"; known models: {', '.join(known)}" if known else "")
    raise ResourceError(f"no model or file called {name!r}{hint}")


def read_description(name: str) -> dict[str, Any]:
    """Return the checked content of model.json, without reading weights.

    Raises ResourceError for a model that is missing, damaged, foreign or in a newer format.
    """
    path = locate_model(name)
    try:
        meta = json.loads(read_member(path, META))
    except (ValueError, RecursionError):
        raise ResourceError(f"model {path}: {META} is not valid JSON: damaged") from None
    if not isinstance(meta, dict) or not isinstance(meta.get("format"), int):
        raise ResourceError(f"model {path}: {META} has no format number: not a model of caspipe")
    if meta["format"] > FORMAT:
        raise ResourceError(
            f"model {path}: made by a newer caspipe ({meta.get('caspipe', 'unknown')}), in format {meta['format']}; "
            f"this one reads formats up to {FORMAT}"
        )
    missing = [key for key in _REQUIRED if key not in meta]
    if missing:
        raise ResourceError(f"model {path}: {META} lacks {', '.join(missing)}: damaged")
    for key, (expected, fits) in _SHAPES.items():
        if not fits(meta[key]):
            raise ResourceError(f"model {path}: {META}: {key}: expected {expected}: damaged")
    return meta


def read_card(name: str) -> str:
    """Return the model card, Markdown."""
    return read_member(locate_model(name), CARD).decode("utf-8", "replace")


def read_checked(path: Path, meta: Mapping[str, Any], name: str) -> bytes:
    """Return the bytes of a file of a model. Raise ResourceError if it is missing or its checksum differs."""
    raw = read_member(path, name)
    if hashlib.sha256(raw).hexdigest() != meta["files"].get(name):
        raise ResourceError(f"model {path}: {name} is not what {META} says (checksum differs): damaged or changed")
    return raw


def read_member(path: Path, name: str) -> bytes:
    """Return the bytes of a file of a model, unchecked. Raise ResourceError if it cannot be read."""
    try:
        if path.is_dir():
            return (path / name).read_bytes()
        with zipfile.ZipFile(path) as archive:
            inside = [n for n in archive.namelist() if n == name or (n.endswith(f"/{name}") and n.count("/") == 1)]
            return archive.read(inside[0])
    except (OSError, IndexError):
        raise ResourceError(f"model {path}: it has no {name}: not a model of caspipe, or damaged") from None
    except Exception:  # damaged archives fail in many ways, each compression method in its own
        raise ResourceError(
            f"model {path}: expected a folder or a zip archive: damaged, truncated or foreign"
        ) from None


def write_model(path: Path, meta: dict[str, Any], contents: Mapping[str, bytes], card_text: str) -> None:
    """Write a model, as a zip if the path ends in `.zip`, else as a folder. An old model is replaced at the very end.

    `contents` are its files by name; their checksums go into model.json. Raises ResourceError if the path has something
    other than a model, ConsumerError if the path cannot be written.
    """
    refuse_foreign(path)
    contents = {**contents, CARD: card_text.encode("utf-8")}
    checksums = {n: hashlib.sha256(data).hexdigest() for n, data in contents.items() if n != CARD}
    contents[META] = _json({**meta, "files": checksums})
    make_folder(path.parent)
    if path.suffix == ".zip":
        write_atomic(path, zipped(dict(sorted(contents.items()))), durable=False)
    else:
        _write_folder(path, contents)
    _forget(path)


def _write_folder(path: Path, contents: Mapping[str, bytes]) -> None:
    fresh = path.with_name(f".{path.name}.new")
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        for name, data in contents.items():
            (fresh / name).write_bytes(data)
        if path.exists():
            shutil.rmtree(path)
        fresh.replace(path)
    except OSError as error:
        raise cannot(path, error) from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def refuse_foreign(path: Path) -> None:
    """Raise ResourceError if writing a model to the path would overwrite something else."""
    if path.suffix == ".zip":
        fine = not path.exists() or _is_zip_of_model(path)
    else:
        fine = not path.exists() or (path.is_dir() and ((path / META).is_file() or not any(path.iterdir())))
    if not fine:
        raise ResourceError(f"{path}: exists and is not a model: choose another name")


def _is_zip_of_model(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return META in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def update_description(path: Path, meta: Mapping[str, Any], card_text: str = "") -> None:
    """Add to model.json what became known after the model was written: preprocessing, scores. Replace the card if given."""
    changed = {META: _json({**read_description(str(path)), **meta})}
    if card_text:
        changed[CARD] = card_text.encode("utf-8")
    if path.is_dir():
        for name, content in changed.items():
            write_atomic(path / name, content, durable=False)
    else:
        with zipfile.ZipFile(path) as archive:
            contents = {name: archive.read(name) for name in archive.namelist()}
        write_atomic(path, zipped(dict(sorted({**contents, **changed}.items()))), durable=False)
    _forget(path)


def _forget(path: Path) -> None:
    """Drop the model at this path from memory, so that the next use in this process reads what was written."""
    place = path.resolve()
    resources.forget(lambda kind, name: kind.kind == "model" and Path(name).resolve() == place)


def _json(meta: Mapping[str, Any]) -> bytes:
    return (json.dumps(meta, ensure_ascii=False, indent=1) + "\n").encode("utf-8")
