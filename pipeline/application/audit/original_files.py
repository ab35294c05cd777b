"""Recognize files with original text in a release: by who may read them, and by the view of the original in UIMA files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from ....typesystem import INITIAL_VIEW
from ...errors import ReaderError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_UIMA = {".xmi", ".json", ".xcas", ".xml"}
_VIEW = INITIAL_VIEW.encode()
_CHUNK = 1 << 20
_SHOWN = 5


def refuse_originals(release: Path, names: Iterable[str]) -> None:
    """Raise ReaderError if files of a release contain, or seem to contain, original text.

    A run makes files with original text readable by their owner only, unlike all other files; and UIMA files name the view with
    the original text. Files that were copied lose the first sign: this check finds mistakes, it proves nothing.
    """
    paths = {name: release / name for name in names}
    try:
        private = list(_private(release, paths)) if os.name == "posix" else []
        views = [name for name, path in paths.items() if path.suffix.lower() in _UIMA and _mentions_view(path)]
    except OSError as error:
        raise ReaderError(f"{release}: {error.strerror}") from None
    for found, why in (
        (views, f"have the view {INITIAL_VIEW}, which is the original text"),
        (private, "are readable by their owner only, as a run writes files with original text"),
    ):
        if found:
            more = f" and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
            shown = ", ".join(found[:_SHOWN])
            raise ReaderError(f"{len(found):,} files in {release} {why}: {shown}{more}; move them out of the release")


def _private(release: Path, paths: dict[str, Path]) -> Iterator[str]:
    """Yield the files that others cannot reach, if they can reach another one: then no umask is the reason."""
    modes = {name: _reach(release, path) for name, path in paths.items()}
    if any(modes.values()):
        yield from (name for name, others in modes.items() if not others)


def _reach(release: Path, path: Path) -> int:
    """Return the permissions that others have for a file and for its folders below the release."""
    others = path.stat().st_mode & _OTHERS
    for folder in path.parents:
        if folder == release:
            break
        if not folder.stat().st_mode & _OTHERS:
            return 0
    return others


def _mentions_view(path: Path) -> bool:
    with path.open("rb") as file:
        before = b""
        while chunk := file.read(_CHUNK):
            if _VIEW in before + chunk:
                return True
            before = chunk[-len(_VIEW) :]
    return False
