"""Find the place of an output below the output folder of a run, and tell if that is in `release/`.

The configuration check, the consumers and the release scanner all ask here, so that they agree.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from .file_names import folded

RELEASE = "release"
"""The folder below the output folder of a run whose files may leave the site."""


def place_in(output: Path, path: Path) -> str:
    """Return a path relative to the output folder, with `/`, if it leads below it after links and `..` are resolved.

    `path` is absolute or relative to `output`. What is below `release/` as written stays so, also if a link in it leads out.
    Another path outside of the output folder is returned in full.
    """
    if not path.is_absolute() and path.parts[:1] == (RELEASE,) and ".." not in path.parts:
        return path.as_posix()
    if "\0" in str(path):  # the name of no file, which the consumer refuses
        return path.as_posix()
    target = (output / path).resolve()
    for folder, name in ((output / RELEASE, RELEASE), (output, "")):
        rest = _below(target, folder.resolve())
        if rest is not None:
            return PurePosixPath(name, *rest).as_posix()
    return target.as_posix() if path.is_absolute() or ".." in path.parts else path.as_posix()


def is_released(place: str) -> bool:
    """Return whether a place is `release/` or below it. Case is ignored, because some file systems ignore it."""
    return folded(place.partition("/")[0]) == RELEASE


def is_outside(place: str) -> bool:
    """Return whether a place is outside of the output folder."""
    return Path(place).is_absolute() or place.startswith("../") or place == ".."


def _below(path: Path, folder: Path) -> tuple[str, ...] | None:
    """Return the parts of a path below a folder; None if it is elsewhere. A folder may have another name, as by a mount."""
    n = len(folder.parts)
    if path.parts[:n] == folder.parts:
        return path.parts[n:]
    for n, parent in enumerate((path, *path.parents)):
        try:
            if parent.samefile(folder):
                return path.parts[len(path.parts) - n :]
        except OSError:  # it does not exist, or we may not look
            continue
    return None
