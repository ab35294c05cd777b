"""The corpora that ship with caspipe, by name: `shipped:phi-notes-dev` is a folder wherever caspipe is installed."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from ..errors import ResourceError, nearest

PREFIX = "shipped:"
"""The beginning of the name of a shipped corpus where a path is expected."""


def corpora() -> dict[str, Path]:
    """Return the folders of the shipped corpora and of their parts by name: `phi-notes`, `phi-notes-dev`."""
    root = Path(str(files("caspipe.configs"))) / "corpora"
    whole = [path for path in root.glob("*") if path.is_dir()]
    folders = [*whole, *(part for path in whole for part in path.glob("*") if part.is_dir())]
    return {"-".join(path.relative_to(root).parts).replace("_", "-"): path for path in sorted(folders)}


def is_shipped(path: str | Path) -> bool:
    """Return whether a path is the name of a shipped corpus, right or wrong."""
    return str(path).startswith(PREFIX)


def corpus_folder(name: str | Path) -> Path:
    """Return the folder of a shipped corpus, `shipped:phi-notes-dev`. Raises ResourceError with the nearest name."""
    known = corpora()
    corpus = str(name).removeprefix(PREFIX)
    if corpus not in known:
        hint = nearest(corpus, known) or f"; shipped ones: {', '.join(known)}"
        raise ResourceError(f"no shipped corpus {corpus!r}{hint}")
    return known[corpus]
