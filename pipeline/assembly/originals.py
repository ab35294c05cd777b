"""Check that no consumer writes original text below `release/`, the folder that leaves the site."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..contract.component import CasConsumer
from ..errors import ConfigError, Fault
from ..storage.file_names import folded

RELEASE = "release"
"""The folder below the output folder of a run whose files may leave the site."""


def misplaced(consumer: CasConsumer, output: Path) -> Iterator[tuple[str, str]]:
    """Yield (parameter, fault) for every path below `release/` to which a consumer of original text writes.

    Paths are compared after `..` and symbolic links are resolved, without regard to case, because some file systems ignore it.
    """
    if not consumer.writes_original():
        return
    release = output / RELEASE
    for parameter, path in consumer.written_paths():
        if _is_below(output / path, release):
            name = path.name if path.name not in ("", ".", "..", RELEASE) else consumer.id
            yield (
                parameter,
                f"{path.as_posix()} is in {RELEASE}/, and what {consumer.name or consumer.id} writes may contain original text: "
                f"expected another folder, such as restricted/{name}",
            )


def refuse_misplaced(consumers: Iterable[CasConsumer], output: Path) -> None:
    """Raise ConfigError if a consumer would write original text below `release/`."""
    faults = [
        Fault(f"consumers/{consumer.id}.{parameter}", what)
        for consumer in consumers
        for parameter, what in misplaced(consumer, output)
    ]
    if faults:
        raise ConfigError(faults)


def _is_below(path: Path, folder: Path) -> bool:
    path, folder = path.resolve(), folder.resolve()
    n = len(folder.parts)
    if list(map(folded, path.parts[:n])) == list(map(folded, folder.parts)):
        return True
    for parent in (path, *path.parents):
        with contextlib.suppress(OSError):
            if parent.samefile(folder):  # under another name, as by a mount
                return True
    return False
