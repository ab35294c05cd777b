"""Trained models as data: a folder or zip of weights, a description and a model card. Loading one cannot run code.

A bundle holds `model.json` (what the model is, its features, where it comes from), `weights.npz` (NumPy arrays, never
pickles), `README.md` (the model card, after Mitchell et al. 2019, "Model Cards for Model Reporting") and, where the trainer
kept it, `model.crfsuite` (CRFsuite's own format, for other tools).
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from typing import Any, Self, get_args

from ...pipeline.contract import resources
from ...pipeline.contract.component import resource_class
from ...pipeline.contract.params import convert
from ...pipeline.contract.resources import Resource
from ...pipeline.errors import ResourceError, nearest
from ...pipeline.storage.files import cannot, make_folder, write_atomic
from ...pipeline.storage.hashing import below
from ...typesystem import PhiKind
from .extraction import Context, FeatureSet
from .feature import Feature
from .labels import OUTSIDE, Encoding, parts
from .plain_data import as_data as as_data
from .plain_data import plain as plain
from .sharing import opened
from .weights import Weights

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


class TokenModel(Resource):
    """A model that labels tokens: what it is (`meta`, the content of model.json), and weights of whatever sort.

    Found by path (folder or zip), by a name in the folders of `CASPIPE_MODELS`, among those shipped with caspipe, or under
    the entry-point group `caspipe.models` (`name = package:folder/of/the/bundle`).
    """

    kind = "model"

    meta: dict[str, Any]
    place: str

    @classmethod
    def names(cls) -> list[str]:
        return sorted(known())

    @classmethod
    def address(cls, name: str) -> tuple[str, str]:
        return name, ""

    @classmethod
    def files(cls, name: str) -> list[Path]:
        return below(locate(name))

    @classmethod
    def uses(cls, name: str) -> Iterator[tuple[type[Resource], str]]:
        """What its features look words up in, where the bundle does not bring it."""
        place = locate(name)
        for feature in feature_set(head(str(place)), str(place)).features:
            for field in fields(feature):
                kind, value = resource_class(type(feature), field.name), getattr(feature, field.name)  # type: ignore[arg-type]
                for one in value if isinstance(value, list) else [value]:
                    if kind is not None and isinstance(one, str) and not Path(one).is_relative_to(place):
                        yield kind, one

    @property
    def name(self) -> str:
        return str(self.meta.get("name", ""))

    @property
    def labels(self) -> list[str]:
        return list(self.meta["labels"])

    @cached_property
    def features(self) -> FeatureSet:
        """The features the model looks at, opened; shared with other models that look at the same."""
        made = feature_set(self.meta, self.place)
        brought = {n: digest for n, digest in self.meta["files"].items() if n not in (WEIGHTS, CRFSUITE)}
        return opened(made, [plain(f) for f in made.features], brought, self.place)

    @cached_property
    def kinds(self) -> dict[str, PhiKind]:
        """The PHI kind of every label that marks one; kinds this process does not know are defined as the bundle says."""
        return kinds_of(self.meta, self.place)


@dataclass(eq=False)
class ModelBundle(TokenModel):
    """A linear model: its description and its weights."""

    meta: dict[str, Any]
    weights: Weights
    place: str = ""

    @classmethod
    def load(cls, name: str) -> Self:
        """Reads a bundle whole. Raises ResourceError where it is missing, damaged, foreign or of a newer format."""
        path, meta = locate(name), head(name)
        try:
            weights = Weights.from_npz(read_checked(path, meta, WEIGHTS), meta["labels"])
        except ValueError as error:
            raise ResourceError(f"model {path}: {error}") from None
        return cls(meta, weights, str(path))

    @property
    def labels(self) -> list[str]:
        return self.weights.labels

    def ranking(self, label: str, n: int = 20) -> list[tuple[str, float]]:
        """The attributes with the largest absolute weights for a label (appendix D of the VigiBase system)."""
        return self.weights.ranking(label, n)


def known() -> dict[str, Path]:
    """Every bundle that has a name, by name: shipped ones, those of packages, then those of `CASPIPE_MODELS`."""
    found: dict[str, Path] = {}
    folders = [Path(str(files("caspipe.configs"))) / "models"]
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda p: p.name):
        package, _, inside = point.value.partition(":")
        try:
            found[point.name] = Path(str(files(package))) / inside
        except ModuleNotFoundError:
            continue  # asking for it by name will say that there is none
    folders += [Path(p) for p in os.environ.get(FOLDER_VARIABLE, "").split(os.pathsep) if p]
    for folder in folders:
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            if (path / META).is_file() or path.suffix == ".zip":
                found[path.stem if path.suffix == ".zip" else path.name] = path
    return found


def locate(name: str) -> Path:
    """The folder or zip of a bundle. Raises ResourceError with the nearest name where there is none."""
    path = Path(name)
    if path.exists():
        return path
    named = known()
    if name in named:
        return named[name]
    hint = nearest(name, named) or (f"; known models: {', '.join(named)}" if named else "")
    raise ResourceError(f"no model or file called {name!r}{hint}")


def head(name: str) -> dict[str, Any]:
    """The description of a bundle, checked, without its weights. Raises ResourceError as `ModelBundle.load` does."""
    path = locate(name)
    try:
        meta = json.loads(_read(path, META))
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
        if key in meta and not fits(meta[key]):
            raise ResourceError(f"model {path}: {META}: {key}: expected {expected}: damaged")
    return meta


def card(name: str) -> str:
    """The model card, Markdown."""
    return _read(locate(name), CARD).decode("utf-8", "replace")


def read_checked(path: Path, meta: Mapping[str, Any], name: str) -> bytes:
    """A file of a bundle. Raises ResourceError where it is missing or not what the description says."""
    raw = _read(path, name)
    if hashlib.sha256(raw).hexdigest() != meta["files"].get(name):
        raise ResourceError(f"model {path}: {name} is not what {META} says (checksum differs): damaged or changed")
    return raw


def _read(path: Path, name: str) -> bytes:
    try:
        if path.is_dir():
            return (path / name).read_bytes()
        with zipfile.ZipFile(path) as archive:
            inside = [n for n in archive.namelist() if n == name or (n.endswith(f"/{name}") and n.count("/") == 1)]
            return archive.read(inside[0])
    except (OSError, IndexError):
        raise ResourceError(f"model {path}: it holds no {name}: not a model of caspipe, or damaged") from None
    except Exception:  # damaged archives fail in many ways, each way of packing in its own
        raise ResourceError(
            f"model {path}: expected a folder or a zip archive: damaged, truncated or foreign"
        ) from None


def feature_set(meta: Mapping[str, Any], place: str) -> FeatureSet:
    """The features that a description names. Raises ResourceError for those this process does not know."""
    faults: list[str] = []
    inside = _inside(place)
    features = [convert(Feature, inside(given), lambda _, what: faults.append(what), ()) for given in meta["features"]]
    if faults:
        raise ResourceError(f"model {place}: its features cannot be made: {'; '.join(faults)}")
    low, high = meta["window"]
    try:
        return FeatureSet(features, (low, high), meta["context"])
    except ValueError as error:
        raise ResourceError(f"model {place}: its features cannot be made: {error}") from None


def _inside(place: str) -> Callable[[Any], Any]:
    """Turns names of files that a bundle brings for its features into their paths."""
    folder = Path(place) if Path(place).exists() else known().get(place, Path(place))

    def turn(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: turn(v) for k, v in value.items()}
        if isinstance(value, list):
            return [turn(v) for v in value]
        own = isinstance(value, str) and value not in (META, WEIGHTS, CARD, CRFSUITE) and Path(value).name == value
        return str(folder / value) if own and (folder / value).is_file() else value

    def of_feature(given: Any) -> Any:
        return {name: turn(parameters) for name, parameters in given.items()} if isinstance(given, dict) else given

    return of_feature


def brought(features: Iterable[Feature]) -> dict[str, Path]:
    """The files that features were made with, by name: a bundle brings copies, so that it works wherever it goes.

    Raises ResourceError where two have one name.
    """
    found: dict[str, Path] = {}
    for feature in features:
        for f in fields(feature):
            value = getattr(feature, f.name)
            for one in value if isinstance(value, list) else [value]:
                file = Path(getattr(one, "place", "")) if isinstance(one, Resource) else None
                if file is None or not file.is_file():
                    continue
                if found.setdefault(file.name, file).resolve() != file.resolve() or file.name in (META, WEIGHTS, CARD):
                    raise ResourceError(f"feature {feature.label}: a bundle has room for one file called {file.name}")
    return found


def kinds_of(meta: Mapping[str, Any], place: str) -> dict[str, PhiKind]:
    """The PHI kind of each label but `O`, those of the bundle's own defined first."""
    defined: Mapping[str, Any] = meta.get("kinds", {})
    found: dict[str, PhiKind] = {}
    for label in meta["labels"]:
        if label == OUTSIDE:
            continue
        name = parts(label, meta["encoding"])[1]
        try:
            found[label] = PhiKind.of(name)
        except ValueError:
            if name not in defined:
                raise ResourceError(f"model {place}: its label {label} is no PHI kind known here") from None
            try:
                found[label] = PhiKind.define(name, **defined[name])
            except (TypeError, ValueError) as error:
                raise ResourceError(f"model {place}: kind {name} cannot be defined: {error}") from None
    return found


def write(
    path: Path,
    meta: dict[str, Any],
    weights: Weights,
    card_text: str,
    crfsuite: bytes | None = None,
    more: Mapping[str, Path] | None = None,
) -> None:
    """Writes a bundle, a zip where the path ends so, else a folder; what was there is replaced at the end, not before.

    `more` are files to copy into it, by name. Raises ResourceError where the path is something else than a model,
    ConsumerError where it cannot be written.
    """
    contents = {WEIGHTS: weights.to_npz()}
    if crfsuite is not None:
        contents[CRFSUITE] = crfsuite
    write_contents(path, meta, contents | {name: file.read_bytes() for name, file in (more or {}).items()}, card_text)


def write_contents(path: Path, meta: dict[str, Any], contents: Mapping[str, bytes], card_text: str) -> None:
    """Writes a bundle of any sort of weights: files by name, the card, and a description that holds their checksums.

    Raises as `write` does.
    """
    refuse_foreign(path)
    contents = {**contents, CARD: card_text.encode("utf-8")}
    files_ = {n: hashlib.sha256(data).hexdigest() for n, data in contents.items() if n != CARD}
    contents[META] = _json({**meta, "files": files_})
    make_folder(path.parent)
    if path.suffix == ".zip":
        write_atomic(path, _zipped(contents), durable=False)
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
    """Raises ResourceError where writing a bundle to the path would overwrite what is no bundle."""
    if path.suffix == ".zip":
        fine = not path.exists() or _is_zip_of_model(path)
    else:
        fine = not path.exists() or (path.is_dir() and ((path / META).is_file() or not any(path.iterdir())))
    if not fine:
        raise ResourceError(f"{path}: exists and is no model: choose another name")


def _is_zip_of_model(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return META in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def _forget(path: Path) -> None:
    """Drop the models that were loaded from this path, because the bundle has changed."""
    resources.forget(lambda cls, name: issubclass(cls, TokenModel) and Path(name).resolve() == path.resolve())


def amend(path: Path, meta: Mapping[str, Any]) -> None:
    """Adds what became known after the bundle at `path` was written: preprocessing, scores."""
    found = {**head(str(path)), **meta}
    if path.is_dir():
        write_atomic(path / META, _json(found), durable=False)
        _forget(path)
        return
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    write_atomic(path, _zipped({**contents, META: _json(found)}), durable=False)
    _forget(path)


def _json(meta: Mapping[str, Any]) -> bytes:
    return (json.dumps(meta, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def _zipped(contents: Mapping[str, bytes]) -> bytes:
    """A zip archive whose bytes depend on the contents only."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(contents):
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), contents[name], zipfile.ZIP_DEFLATED, 9)
    return into.getvalue()
