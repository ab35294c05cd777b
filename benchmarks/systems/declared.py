"""Read `table.yaml`: the rows of the comparison, the trainings of each, and the engines that apply their bundles."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from caspipe.pipeline import Pipeline
from caspipe.pipeline.assembly.shipped import folder, locate

from .corpora import CORPORA, ROOT, AbsentError, Corpus

TABLE = Path(__file__).with_name("table.yaml")


@dataclass(frozen=True)
class Training:
    """A training, which produces one or more bundles."""

    name: str
    config: str
    """Name of a shipped training configuration, or a file relative to the root of the checkout."""
    overrides: tuple[str, ...] = ()
    shipped: bool = False
    """True if the bundle is shipped, so that training is optional."""

    @property
    def path(self) -> Path:
        """Return the configuration file. Raises AbsentError if it is missing."""
        place = ROOT / self.config if self.config.endswith(".yaml") else locate(self.config)
        if not place.is_file():
            raise AbsentError(f"{self.name}: no training configuration {self.config}")
        return place


@dataclass(frozen=True)
class Way:
    """The trainings and engines of a row on one corpus."""

    trainings: tuple[Training, ...]
    engines: Sequence[Any] = ()
    """As in YAML; `@name` is the bundle of a training, `@name/bundle` one of several, `@shipped/…` a shipped configuration."""
    pipeline: str = ""
    """Name of a whole configuration instead of engines."""
    overrides: tuple[str, ...] = ()
    """Overrides of that configuration."""
    note: str = ""


@dataclass(frozen=True)
class Row:
    """One system of the comparison."""

    name: str
    title: str
    """Description in one sentence."""
    binary: bool
    """True if it only separates PHI from other text, without kinds."""
    ways: Mapping[str, Way]
    """Corpus name -> way."""

    def way(self, corpus: Corpus) -> Way:
        """Return the way of this row on a corpus. Raises AbsentError if the table does not declare it."""
        if corpus.name not in self.ways:
            raise AbsentError(f"{self.name}: nothing is declared for {corpus.title}")
        return self.ways[corpus.name]


def rows(file: Path = TABLE) -> dict[str, Row]:
    """Return the rows of the table by name. Raises ValueError for an unknown key, corpus or training."""
    given = yaml.safe_load(file.read_text(encoding="utf-8"))
    _only(given, ("trainings", "rows"), file.name)
    trainings = {name: _training(name, told) for name, told in given["trainings"].items()}
    return {name: _row(name, told, trainings) for name, told in given["rows"].items()}


def _training(name: str, told: Mapping[str, Any]) -> Training:
    _only(told, ("config", "set", "shipped"), f"trainings.{name}")
    return Training(name, told["config"], tuple(told.get("set", ())), told.get("shipped", False))


def _row(name: str, told: Mapping[str, Any], trainings: Mapping[str, Training]) -> Row:
    _only(told, ("title", "binary", "english", *CORPORA), f"rows.{name}")
    ways = {}
    for corpus in CORPORA.values():
        found = told.get(corpus.name, told.get("english") if corpus.language == "en" else None)
        if found is not None:
            ways[corpus.name] = _way(f"rows.{name}.{corpus.name}", found, trainings)
    return Row(name, told["title"], told.get("binary", False), ways)


def _way(where: str, told: Mapping[str, Any], trainings: Mapping[str, Training]) -> Way:
    _only(told, ("trainings", "engines", "pipeline", "set", "note"), where)
    names = told.get("trainings", ())
    unknown = [name for name in names if name not in trainings]
    if unknown:
        raise ValueError(f"{where}: no training {unknown[0]}; declared: {', '.join(trainings)}")
    if ("engines" in told) == ("pipeline" in told):
        raise ValueError(f"{where}: expected either engines or pipeline")
    return Way(
        tuple(trainings[name] for name in names),
        told.get("engines", ()),
        told.get("pipeline", ""),
        tuple(told.get("set", ())),
        told.get("note", ""),
    )


def _only(told: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    unknown = [key for key in told if key not in known]
    if unknown:
        raise ValueError(f"{where}: no key {unknown[0]}; known: {', '.join(known)}")


def assembled(way: Way, places: Mapping[str, str]) -> Pipeline:
    """Return the pipeline of a way, with the paths of its bundles. Raises ConfigError for an invalid configuration."""
    if way.pipeline:
        return Pipeline.load(locate(way.pipeline), [_placed(text, places) for text in way.overrides])
    return Pipeline.parse(json.dumps({"engines": _settled(way.engines, places)}))


def _settled(value: Any, places: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _settled(one, places) for key, one in value.items()}
    if isinstance(value, str):
        return _placed(value, places)
    return [_settled(one, places) for one in value] if isinstance(value, list) else value


def _placed(text: str, places: Mapping[str, str]) -> str:
    """Replace `@name`, alone or after the `=` of an override, with the path of the bundle or shipped configuration."""
    head, sign, name = text.rpartition("@")
    if not sign or (head and not head.endswith("=")):
        return text
    if name.startswith("shipped/"):
        return f"{head}{folder() / name.removeprefix('shipped/')}"
    if name not in places:
        raise ValueError(f"@{name}: not among the trainings of this row: {', '.join(places) or 'it has none'}")
    return f"{head}{places[name]}"


def combinations(row: str, corpus: str, known: Mapping[str, Row]) -> Iterator[tuple[Row, Corpus]]:
    """Yield the combinations of rows and corpora; `all` selects all, in their order. Raises ValueError for an unknown name."""
    for name, among in ((row, known), (corpus, CORPORA)):
        if name != "all" and name not in among:
            raise ValueError(f"no {name}; expected all or one of {', '.join(among)}")
    for one in known.values() if row == "all" else [known[row]]:
        for other in CORPORA.values() if corpus == "all" else [CORPORA[corpus]]:
            yield one, other
