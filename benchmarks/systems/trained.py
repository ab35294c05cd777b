"""Read `configurations.yaml`: how each shipped configuration that trains is scored, or which page does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .corpora import CORPORA
from .declared import Training, Way, rows

TABLE = Path(__file__).with_name("configurations.yaml")
_KEYS = ("corpus", "binary", "engines", "set", "note", "row", "card", "page", "told", "trained")
_EXCLUSIVE = ("engines", "row", "card", "page")


@dataclass(frozen=True)
class Declared:
    """One configuration: how its bundle is applied and scored, or where its row is."""

    name: str
    """As `caspipe train` takes it, such as `systems/s2_crf`."""
    corpus: str = ""
    """The corpus of the comparison whose test part scores the bundle."""
    binary: bool = False
    """True if the system only separates PHI from other text."""
    engines: Sequence[Any] = ()
    """Engines that apply the bundle `@bundle`; empty if the configuration is not trained for this table."""
    set: tuple[str, ...] = ()
    """Overrides of the training."""
    note: str = ""
    row: str = ""
    """Row of the comparison of systems that trains this configuration."""
    card: str = ""
    """Name of the shipped model that it trained."""
    page: str = ""
    """Page that measures it, relative to docs/results."""
    told: str = ""
    """The scores on that page."""
    trained: str = ""
    """Training time, if it was not measured for a row."""

    @property
    def training(self) -> Training:
        return Training("bundle", self.name, self.set)

    @property
    def way(self) -> Way:
        return Way((self.training,), self.engines)

    def of_row(self) -> Training:
        """Return the training of `row`. Raises ValueError if the row does not train this configuration."""
        for training in rows()[self.row].way(CORPORA[self.corpus]).trainings:
            if training.config in (self.name, f"configs/{self.name}.yaml"):
                return training
        raise ValueError(f"{self.name}: {self.row} on {self.corpus} does not train it")


def declared(file: Path = TABLE) -> dict[str, Declared]:
    """Return the configurations of the table by name. Raises ValueError for an unknown key or corpus, or two ways."""
    given: Mapping[str, Mapping[str, Any]] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {name: _declared(name, told) for name, told in given.items()}


def _declared(name: str, told: Mapping[str, Any]) -> Declared:
    unknown = [key for key in told if key not in _KEYS]
    if unknown:
        raise ValueError(f"{name}: no key {unknown[0]}; known: {', '.join(_KEYS)}")
    if len([key for key in _EXCLUSIVE if key in told]) != 1:
        raise ValueError(f"{name}: expected one of {', '.join(_EXCLUSIVE)}")
    if ("engines" in told or "row" in told) and told.get("corpus") not in CORPORA:
        raise ValueError(f"{name}: no corpus {told.get('corpus')}; expected one of {', '.join(CORPORA)}")
    return Declared(name, **{**told, "set": tuple(told.get("set", ()))})


def file_of(folder: Path, name: str) -> Path:
    """Return the file of the row of a configuration."""
    return folder / f"{re.sub(r'[^a-z0-9_]+', '-', name.lower())}.json"
