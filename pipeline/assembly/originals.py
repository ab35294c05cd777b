"""Check that no consumer writes original text below `release/`, the folder that leaves the site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ..contract.component import CasConsumer
from ..errors import ConfigError, Fault
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


def refuse_misplaced(consumers: Iterable[CasConsumer], output: Path, shard: str = "") -> None:
    """Raise ConfigError if a consumer would write original text below `release/`, or if a shard would write to a file of all
    shards. `output`: the output folder of the run."""
    faults = [
        Fault(f"consumers/{consumer.id}.{parameter}", what)
        for consumer in consumers
        for parameter, what in (*misplaced(consumer, output), *(_shared(consumer, output, shard) if shard else ()))
    ]
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
