"""Check where consumers write: no original text below `release/`, the folder that leaves the site, and no two to one output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..contract.component import CasConsumer
from ..errors import ConfigError, Fault
from ..storage.file_names import folded
from ..storage.release_place import RELEASE, is_outside, is_released, place_in


def misplaced(consumer: CasConsumer, output: Path) -> Iterator[tuple[str, str]]:
    """Yield (parameter, fault) for every path below `release/` to which a consumer of original text writes.

    Paths are compared after `..` and symbolic links are resolved, without regard to case, because some file systems ignore it.
    """
    if not consumer.writes_original():
        return
    for parameter, path in consumer.written_paths():
        if is_released(place_in(output, path)):
            name = path.name if path.name not in ("", ".", "..", RELEASE) else consumer.id
            yield (
                parameter,
                f"{path.as_posix()} is in {RELEASE}/, and what {consumer.name or consumer.id} writes may contain original text: "
                f"expected another folder, such as restricted/{name}",
            )


def clashes(consumers: Sequence[CasConsumer], output: Path) -> Iterator[tuple[CasConsumer, str, str]]:
    """Yield (consumer, parameter, fault) for every file that another consumer writes too, and every folder to which another one
    writes files with the same suffix: the second would replace what the first wrote."""
    first: dict[tuple[str, str, str], CasConsumer] = {}
    for consumer in consumers:
        folder, file = getattr(consumer, "folder", None), getattr(consumer, "file", None)
        used = (
            ("folder", folder, f"{consumer.name} {getattr(consumer, 'suffix', '')}")
            if isinstance(folder, Path)
            else ("file", file, "")
        )
        if isinstance(used[1], Path) and used[1] != Path():
            place = place_in(output, used[1])
            other = first.setdefault((used[0], folded(place), used[2]), consumer)
            if other is not consumer:
                yield (
                    consumer,
                    used[0],
                    f"{place} is written by {other.id} too, and one would replace the other: expected another path",
                )


def refuse_misplaced(consumers: Iterable[CasConsumer], output: Path, shard: str = "") -> None:
    """Raise ConfigError if a consumer would write original text below `release/`, or to an output of another consumer, or if a
    shard would write to a file of all shards. `output`: the output folder of the run."""
    consumers = list(consumers)
    faults = [
        Fault(f"consumers/{consumer.id}.{parameter}", what)
        for consumer in consumers
        for parameter, what in (*misplaced(consumer, output), *(_shared(consumer, output, shard) if shard else ()))
    ]
    faults += [Fault(f"consumers/{c.id}.{parameter}", what) for c, parameter, what in clashes(consumers, output)]
    if faults:
        raise ConfigError(faults)


def refuse_options(output: Path, ledger: bool | Path) -> None:
    """Raise ConfigError for an output folder in the release of another run, and for a ledger in a release."""
    faults = []
    whole = output.resolve()
    for folder in (whole, *whole.parents):
        if folded(folder.name) == RELEASE and (folder.parent / "restricted").is_dir():
            what = f"{output} is in {RELEASE}/ of {folder.parent}: expected a folder outside of it"
            faults.append(Fault("run.output", what))
            break
    if isinstance(ledger, Path) and is_released(place_in(output, ledger.absolute())):
        faults.append(Fault("run.ledger", f"{ledger} is in {RELEASE}/, and contains ids: expected another folder"))
    if faults:
        raise ConfigError(faults)


def _shared(consumer: CasConsumer, output: Path, shard: str) -> Iterator[tuple[str, str]]:
    """Yield (parameter, fault) for every path in the output folder of the run that is not in the folder of the shard."""
    for parameter, path in consumer.written_paths():
        if is_outside(place_in(consumer.output, path)) and not is_outside(place := place_in(output, path)):
            yield (
                parameter,
                f"{path.as_posix()} is not in the folder of part {shard}: expected a path relative to the output folder, such as "
                f"{place}",
            )
