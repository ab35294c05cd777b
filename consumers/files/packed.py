"""Names of files that promise compressed data, which consumers of single files do not write."""

from __future__ import annotations

from pathlib import Path

_SUFFIXES = (".7z", ".br", ".bz2", ".gz", ".lz4", ".tbz", ".tbz2", ".tgz", ".txz", ".xz", ".zip", ".zst")


def refuse_packed(name: str | Path, parameter: str = "file") -> None:
    """Raise ValueError if a name or suffix of a file promises compressed data: what is written there could not be read again.

    The file of many documents is not compressed while it is written, because a document that fails is cut off its end, and a
    resumed run copies documents out of it by their offsets.
    """
    given = Path(name).as_posix()
    plain, dot, ending = given.rpartition(".")
    if dot + ending.lower() in _SUFFIXES:
        instead = f"write {plain}, and compress it after the run" if plain else "compress the files after the run"
        raise ValueError(
            f"{parameter}: expected a name without .{ending}, as nothing is compressed, got {given}: {instead}"
        )
