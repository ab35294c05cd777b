"""A new project: a folder with a commented pipeline, a key and a sample note."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from ..errors import ResourceError
from ..storage.signing import write_new
from . import shipped

PIPELINE = "deidentify.yaml"
KEY = "caspipe.key"
NOTES = "notes"
_TEMPLATES = {PIPELINE: PIPELINE, "site.yaml": "site.yaml", "README.md": "README.md", "gitignore": ".gitignore"}
_SAMPLE = "samples/discharge-001.txt"
_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class Project:
    """The files of a project."""

    folder: Path
    files: tuple[Path, ...]
    """Written files, relative to the folder."""


def create(folder: Path) -> Project:
    """Write a project into a new or empty folder. Raises ResourceError if it has files, or cannot be written."""
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ResourceError(f"{folder}: expected a new or empty folder, found one with files")
        (folder / NOTES).mkdir(parents=True, exist_ok=True)
        contents = {to: (shipped.folder() / "project" / name).read_bytes() for name, to in _TEMPLATES.items()}
        contents[f"{NOTES}/sample.txt"] = (shipped.folder() / _SAMPLE).read_bytes()
        for name, data in contents.items():
            (folder / name).write_bytes(data)
    except OSError as error:
        raise ResourceError(f"{folder}: cannot write: {error.strerror or type(error).__name__}") from None
    write_new(folder / KEY, new_secret(), 0o600)
    return Project(folder, tuple(map(Path, sorted([*contents, KEY]))))


def new_secret() -> bytes:
    """Return a random secret of 256 bits as a line of text."""
    return f"{secrets.token_hex(_SECRET_BYTES)}\n".encode("ascii")
