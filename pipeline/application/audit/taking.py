"""From a run's output folder to a sample, and back from findings to the sample they were made for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...errors import ConfigError, Fault, ReaderError
from .findings import sample_ids
from .released import MaskedText, fingerprint, ledger_of, masked_text, released_texts
from .sampling import FILE, By, Sample, draw, draw_by_stratum, read_sample, sample_id, strata_of

FOLDER = Path("restricted") / "audit"


def take(run: Path, size: int, seed: int, by: By, ledger: Path | None = None) -> tuple[Sample, list[MaskedText]]:
    """Draw a sample from what a run released, and reads its texts. Raises ReaderError if that cannot be done."""
    with ledger_of(run, ledger) as opened:
        released = {document.number: document for document in released_texts(opened, run)}
        release, row = fingerprint(opened), opened.run()
    if not released:
        raise ReaderError(f"{run}: the run released no document: nothing to draw from")
    stratum: dict[int, str] = {}
    if by == "kind":
        kinds = {
            n: sorted({kind.partition("_")[0] for _, _, kind in masked_text(run, d).spans}) for n, d in released.items()
        }
        stratum = strata_of(kinds)
        numbers = draw_by_stratum(stratum, size, seed)
    else:
        numbers = draw(list(released), size, seed)
    made = Sample(
        id=sample_id(release, seed, by),
        release=release,
        run={"name": row.name, "started": row.started, "fingerprint": row.fingerprint},
        population=len(released),
        seed=seed,
        by=by,
        numbers=tuple(numbers),
        strata=dict(sorted(Counter(stratum.values()).items())),
        stratum={n: stratum[n] for n in numbers} if stratum else {},
    )
    return made, [masked_text(run, released[n]) for n in numbers]


def find_sample(
    run: Path, findings: Sequence[Path], folder: Path | None = None, ledger: Path | None = None
) -> tuple[Path, Sample]:
    """Return the sample that findings were made for, and its folder: `folder`, beside the findings, or below `restricted/audit/`.

    Where several sizes of it were drawn, the largest. Raises ConfigError if the findings are of another sample or the run
    has released something else since.
    """
    asked = {name for path in findings for name in sample_ids(path)}
    folders = [folder] if folder is not None else [*(p.parent for p in findings), *sorted((run / FOLDER).glob("*"))]
    found = [(f, read_sample(f / FILE)) for f in dict.fromkeys(folders) if (f / FILE).is_file()]
    fitting = [(f, s) for f, s in found if s.id in asked] if asked else found
    if not fitting:
        there = ", ".join(sorted({s.id for _, s in found})) or "none"
        raise ConfigError(
            [Fault("--findings", f"findings of another sample or another run; samples drawn here: {there}")]
        )
    home, sample = max(fitting, key=lambda one: len(one[1].numbers))
    with ledger_of(run, ledger) as opened:
        release = fingerprint(opened)
    if release != sample.release:
        told = "the run has released other documents since the sample was drawn: draw a new one"
        raise ConfigError([Fault(f"sample {sample.id}", told)])
    return home, sample


def audits(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield what the `audit.json` files of a run say; what is none is passed over."""
    for path in sorted(folder.glob("*/audit.json")):
        try:
            told = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(told, dict) and {"release", "read", "drawn", "sample", "bounds"} <= told.keys():
            yield told
