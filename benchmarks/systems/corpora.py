"""The four corpora of the comparison: training parts, test parts, and the kinds of PHI that each annotates."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from caspipe.consumers.scoring import Level

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "CASPIPE_CORPORA"
"""Environment variable with the folder of the open corpora."""
NAMES = ("PERSON", "LOCATION", "ORGANIZATION")


class AbsentError(Exception):
    """A corpus, a configuration or a package that a row needs is missing."""


@dataclass(frozen=True)
class Corpus:
    """A corpus on which systems are scored."""

    name: str
    title: str
    """Name in the table of the page."""
    language: str
    folders: tuple[str, ...]
    """Paths in the folder of the open corpora that training and scoring need."""
    told: str
    """Description of the training and test parts, for the page."""
    kinds: tuple[str, ...] = ()
    """First-level kinds that are annotated; empty for all."""
    level: Level = "top"
    """Level at which kinds are compared."""


_ENGLISH = ("wikigold", "btc", "wnut17", "phee")

CORPORA = {
    c.name: c
    for c in (
        Corpus(
            "meddocan",
            "MEDDOCAN dev",
            "es",
            ("meddocan/train", "meddocan/dev"),
            "Spanish clinical cases with invented personal data (Marimon et al. 2019, CC BY 4.0): trained on the 500 documents "
            "of train, scored on the 250 of dev, by the categories of the shared task.",
            level="meddocan",
        ),
        Corpus(
            "names",
            "English names",
            "en",
            _ENGLISH,
            "Wikigold and the Broad Twitter Corpus (CC BY 4.0): every tenth document is the test part, 14 of Wikipedia and 93 of "
            "ten tweets. Only people, places and organizations are annotated, so only these are scored.",
            kinds=NAMES,
        ),
        Corpus(
            "synthetic",
            "synthetic narratives",
            "en",
            _ENGLISH,
            "300 English narratives of the reader `synthetic`, seed 99; training used seed 11. Texts differ, but they come from "
            "the same templates, so these scores show whether a system can learn at all, not how well it works on notes.",
        ),
        Corpus(
            "vaers",
            "VAERS dev",
            "en",
            (*_ENGLISH, "vaers_dev"),
            "100 real adverse-event narratives (public domain), with names removed before publication: 141 dates and 7 ages. "
            "No system is trained on them.",
            kinds=("DATE", "AGE", *NAMES, "ID"),
        ),
    )
}


def default_folder() -> Path:
    """Return the folder of the open corpora: from the environment variable, else the one next to the checkout."""
    return Path(os.environ.get(VARIABLE) or ROOT.parent / "shared" / "corpora")


def check(corpus: Corpus, folder: Path) -> None:
    """Check the folders of the corpus. Raises AbsentError if one is missing."""
    missing = [name for name in corpus.folders if not (folder / name).exists()]
    if missing:
        raise AbsentError(
            f"{corpus.title}: no folder {missing[0]} in {folder}; name the folder of the open corpora by --corpora or {VARIABLE}"
        )


@contextlib.contextmanager
def prepared(corpus: Corpus, folder: Path) -> Iterator[list[dict[str, Any]]]:
    """Yield the readers of the test part; within the context the environment names the training part for configurations.

    Raises AbsentError like `check`.
    """
    check(corpus, folder)
    if corpus.language == "es":
        os.environ["MEDDOCAN"] = str((folder / "meddocan").resolve())
        yield [{"i2b2": {"folder": str(folder.resolve() / "meddocan" / "dev")}}]
        return
    sys.path.insert(0, str(ROOT / "scripts"))
    english_corpora = importlib.import_module("english_corpora")
    with tempfile.TemporaryDirectory() as made:
        english_corpora.prepare(folder, Path(made))
        os.environ["CORPORA"] = made
        yield _english(corpus, folder.resolve(), Path(made) / "held")


def _english(corpus: Corpus, folder: Path, held: Path) -> list[dict[str, Any]]:
    if corpus.name == "names":
        patterns = (("wikigold", "*.txt"), ("btc", "*.conll"))
        return [
            {"conll": {"folder": str(held / name), "pattern": pattern, "kinds": {"MISC": None}}}
            for name, pattern in patterns
        ]
    if corpus.name == "synthetic":
        return [{"synthetic": {"documents": 300, "seed": 99}}]
    return [{"jsonl": {"files": str(folder / "vaers_dev" / "narratives.jsonl"), "spans_field": "spans"}}]
