"""Random samples of documents. The same seed draws the same sample, and a larger sample begins with the smaller one."""

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

Stratification = Literal["none", "kind"]
FILE = "sample.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Sample:
    """The documents drawn from a release."""

    id: str
    """Identifies the sample by release, seed and `by`, but not by size, so that a sample can be extended."""
    release: str
    """Fingerprint of the released documents."""
    run: Mapping[str, str]
    """Name, start and configuration fingerprint of the run, from the ledger."""
    population: int
    seed: int
    by: Stratification
    numbers: tuple[int, ...]
    """The documents, as positions in the reading order of the run, in the order in which they were drawn."""
    strata: Mapping[str, int] = field(default_factory=dict)
    """Number of documents of the release in each stratum; empty for a simple random sample."""
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
    """Return the sample from a file `sample.json`. Raises ReaderError if the file is not valid."""
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


def sample_id(release: str, seed: int, by: Stratification) -> str:
    """Return the id of a sample. It begins with letters, so that spreadsheets do not read it as a number."""
    return "audit-" + hashlib.sha256(f"{release}\0{seed}\0{by}".encode()).hexdigest()[:16]


def draw(numbers: Sequence[int], size: int, seed: int) -> list[int]:
    """Return a simple random sample of `size` numbers in random order: those with the smallest keyed hashes.

    A larger sample begins with the smaller one. Returns all numbers if there are fewer than `size`.
    """
    return sorted(numbers, key=lambda number: _hash(seed, number))[:size]


def draw_by_stratum(stratum: Mapping[int, str], size: int, seed: int) -> list[int]:
    """Return a random sample from each stratum, together in random order. `stratum`: the stratum of each document.

    The sample sizes are proportional to the square roots of the stratum sizes (Bankier 1988, The American Statistician 42:174)
    and at least 1, so that rare kinds are overrepresented while common kinds still have the largest samples.
    """
    sizes = allocation(Counter(stratum.values()), size)
    drawn = [
        number
        for name in sorted(sizes)
        for number in draw([n for n, of_it in stratum.items() if of_it == name], sizes[name], seed)
    ]
    return draw(drawn, len(drawn), seed)


def allocation(populations: Mapping[str, int], size: int) -> dict[str, int]:
    """Return the sample size of each stratum, at most its population. The sum is `size` unless there are more strata or fewer
    documents."""
    sizes = {name: 1 for name, n in sorted(populations.items()) if n}
    for _ in range(max(0, min(size, sum(populations.values())) - len(sizes))):
        unfilled = [name for name, n in sizes.items() if n < populations[name]]
        # add the document to the stratum with the highest priority sqrt(N) / sqrt(n(n+1)) (divisors of Huntington and Hill)
        best = max(unfilled, key=lambda s: (math.sqrt(populations[s]) / math.sqrt(sizes[s] * (sizes[s] + 1)), s))
        sizes[best] += 1
    return sizes


def strata_of(kinds: Mapping[int, Sequence[str]]) -> dict[int, str]:
    """Return the stratum of each document: its masked kind that occurs in the fewest documents, or `none` if nothing was masked.

    `kinds`: first-level kinds by document.
    """
    frequency = Counter(kind for masked in kinds.values() for kind in set(masked))
    return {
        number: min(masked, key=lambda kind: (frequency[kind], kind)) if masked else "none"
        for number, masked in kinds.items()
    }


def _hash(seed: int, number: int) -> bytes:
    return hmac.new(f"caspipe audit {seed}".encode(), str(number).encode(), hashlib.sha256).digest()
