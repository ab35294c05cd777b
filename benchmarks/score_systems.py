"""Train, apply and score the systems of the sources on the same open corpora, one command for each row of the comparison.

    python -m benchmarks.score_systems S1-CRF meddocan              # one row; `all` means every row or corpus
    python -m benchmarks.score_systems S4 meddocan --train          # trains again, also shipped bundles
    python -m benchmarks.score_systems page                         # docs/results/systems.md, from all measured rows

benchmarks/systems/table.yaml declares how the rows are trained and applied. Bundles are stored in `--out`. A row is a small JSON
file in `--rows`. It is measured again only with `--again` or `--train`, so that an interrupted series continues at the next row.
The open corpora are in the folder next to the checkout, or in the one that `--corpora` or CASPIPE_CORPORA names. A row without
its corpus is left out, with the reason.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from caspipe.pipeline.errors import CaspipeError

from .run import machine
from .systems import corpora
from .systems.bundles import provided, total
from .systems.corpora import ROOT, AbsentError, Corpus
from .systems.declared import Row, assembled, combinations, rows
from .systems.measure import figures, found
from .systems.page import write_page
from .systems.results import Result, path_of, today

ROWS = ROOT / "docs" / "results" / "systems"
PAGE = ROOT / "docs" / "results" / "systems.md"


def measured(row: Row, corpus: Corpus, given: argparse.Namespace) -> Result:
    """Measure one row. Raises AbsentError if something that it needs is missing."""
    way = row.way(corpus)
    with corpora.prepared(corpus, given.corpora) as readers:
        bundles = [provided(training, given.out, given.train) for training in way.trainings]
        pipeline = assembled(way, {name: place for b in bundles for name, place in b.places.items()})
        one_thread()
        pairs, seconds = found(pipeline, readers)
    size, cpu, wall = total(bundles)
    return Result(
        row=row.name,
        corpus=corpus.name,
        documents=len(pairs),
        figures=figures(pairs, corpus, row.binary),
        documents_per_second=len(pairs) / seconds,
        bytes=size,
        training_cpu_seconds=cpu,
        training_seconds=wall,
        bundles=[b.name for b in bundles],
        date=today(),
        machine=machine(),
    )


def one_thread() -> None:
    """Limit torch to one thread, because the processor time of several threads is not the waiting time."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("row", metavar="ROW", help="a row of the table, all, or page")
    parser.add_argument("corpus", metavar="CORPUS", nargs="?", default="all", help="; ".join(corpora.CORPORA))
    parser.add_argument(
        "--train", action="store_true", help="train the bundles of each row again, also the shipped ones"
    )
    parser.add_argument("--again", action="store_true", help="measure a row again")
    parser.add_argument("--corpora", type=Path, default=corpora.default_folder(), help="folder of the open corpora")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "systems", help="folder of the bundles")
    parser.add_argument("--rows", type=Path, default=ROWS, help="folder of the rows")
    given = parser.parse_args()
    known = rows()
    if given.row == "page":
        print(write_page(PAGE, given.rows, known))
        return
    try:
        wanted = list(combinations(given.row, given.corpus, known))
    except ValueError as error:
        parser.error(str(error))
    raise SystemExit(one(*wanted[0], given) if len(wanted) == 1 else one_by_one(wanted, given))


def one(row: Row, corpus: Corpus, given: argparse.Namespace) -> int:
    """Measure a row unless it is already measured; return 1 if something that it needs is missing."""
    file = path_of(given.rows, row.name, corpus.name)
    if file.exists() and not (given.again or given.train):
        print(f"{row.name}, {corpus.title}: measured before ({file.name}); --again measures it again")
        return 0
    try:
        result = measured(row, corpus, given)
    except (AbsentError, CaspipeError) as error:
        print(f"{row.name}, {corpus.title}: left out: {error}")
        return 1
    result.write(file)
    print(f"{row.name}, {corpus.title}: {result.told()}", flush=True)
    return 0


def one_by_one(wanted: Sequence[tuple[Row, Corpus]], given: argparse.Namespace) -> int:
    """Measure each row in a separate process, because loaded modules and caches would make the next row faster."""
    options = [f"--{name}" for name in ("train", "again") if getattr(given, name)]
    for name in ("corpora", "out", "rows"):
        options += [f"--{name}", str(getattr(given, name))]
    command = [sys.executable, "-m", "benchmarks.score_systems"]
    ended = [subprocess.run([*command, r.name, c.name, *options], check=False).returncode for r, c in wanted]
    return int(any(ended))


if __name__ == "__main__":
    main()
