"""Random samples of documents: the same seed draws the same sample, and a larger sample begins with the smaller one."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from ...errors import ReaderError

By = Literal["none", "kind"]
FILE = "sample.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Sample:
    """The documents drawn from a release."""

    id: str
    """Tells samples apart: it depends on release, seed and `by`, not on the size, so that a sample can be drawn larger."""
    release: str
    """Fingerprint of the released documents."""
    run: Mapping[str, str]
    """The run in the ledger: name, start, fingerprint of the configuration."""
    population: int
    seed: int
    by: By
    numbers: tuple[int, ...]
    """Numbers of the documents in reading order of the run, in the order in which they were drawn."""
    strata: Mapping[str, int] = field(default_factory=dict)
    """Documents of the release in each stratum; empty for a simple random sample."""
    stratum: Mapping[int, str] = field(default_factory=dict)
    """The stratum of each document drawn."""

    @property
    def fraction(self) -> float:
        """Share of the released documents that was drawn."""
        return len(self.numbers) / self.population

    def as_json(self) -> dict[str, Any]:
        data = asdict(self)
        data["numbers"] = list(self.numbers)
        return {"format": FORMAT, **data, "size": len(self.numbers), "fraction": self.fraction}


def read_sample(path: Path) -> Sample:
    """Return what `sample.json` says. Raises ReaderError if it is none."""
    try:
        data = json.loads(path.read_bytes())
        if data["format"] != FORMAT:
            raise ReaderError(f"{path}: expected format {FORMAT}, found {data['format']!r}")
        return Sample(
            id=str(data["id"]),
            release=str(data["release"]),
            run={str(k): str(v) for k, v in data["run"].items()},
            population=int(data["population"]),
            seed=int(data["seed"]),
            by="kind" if data["by"] == "kind" else "none",
            numbers=tuple(map(int, data["numbers"])),
            strata={str(k): int(v) for k, v in data["strata"].items()},
            stratum={int(k): str(v) for k, v in data["stratum"].items()},
        )
    except OSError as error:
        raise ReaderError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ReaderError(f"{path}: expected a sample written by `caspipe audit sample`") from None


def sample_id(release: str, seed: int, by: By) -> str:
    """Begin with letters, so that no spreadsheet takes it for a number."""
    return "audit-" + hashlib.sha256(f"{release}\0{seed}\0{by}".encode()).hexdigest()[:16]


def draw(numbers: Sequence[int], size: int, seed: int) -> list[int]:
    """`size` of the numbers, each set as likely as any other, in random order: those whose keyed hashes are the smallest.

    The first of a larger sample are the smaller one. All numbers if there are fewer.
    """
    return sorted(numbers, key=lambda number: _hash(seed, number))[:size]


def draw_by_stratum(stratum: Mapping[int, str], size: int, seed: int) -> list[int]:
    """Return a random sample from each stratum, all together in random order.

    `stratum`: of each document. Sizes are as the square roots of the strata's (Bankier 1988, The American Statistician 42:174),
    at least 1 each: rare kinds are read more often than their share, common ones still most.
    """
    sizes = allocation(Counter(stratum.values()), size)
    drawn = [
        number
        for name in sorted(sizes)
        for number in draw([n for n, of_it in stratum.items() if of_it == name], sizes[name], seed)
    ]
    return draw(drawn, len(drawn), seed)


def allocation(populations: Mapping[str, int], size: int) -> dict[str, int]:
    """Return how many to draw from each stratum. Never more than it has; `size` in all, unless there are more strata or fewer
    documents."""
    sizes = {name: 1 for name, n in sorted(populations.items()) if n}
    for _ in range(max(0, min(size, sum(populations.values())) - len(sizes))):
        room = [name for name, n in sizes.items() if n < populations[name]]
        # the next document goes where the priority sqrt(N) / sqrt(n(n+1)) is highest (Huntington and Hill's divisors)
        best = max(room, key=lambda s: (math.sqrt(populations[s]) / math.sqrt(sizes[s] * (sizes[s] + 1)), s))
        sizes[best] += 1
    return sizes


def strata_of(kinds: Mapping[int, Sequence[str]]) -> dict[int, str]:
    """Return the stratum of each document: of the kinds that were masked in it, the one that the fewest documents hold; `none`
    if nothing was masked. `kinds`: first-level kinds by document."""
    holding = Counter(kind for held in kinds.values() for kind in set(held))
    return {
        number: min(set(held), key=lambda kind: (holding[kind], kind)) if held else "none"
        for number, held in kinds.items()
    }


def _hash(seed: int, number: int) -> bytes:
    return hmac.new(f"caspipe audit {seed}".encode(), str(number).encode(), hashlib.sha256).digest()
