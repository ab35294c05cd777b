"""Train the shipped configurations to their end, score them on held-out documents, and write one row for each.

    python -m benchmarks.train_configurations systems/s2_crf         # one configuration; `all` trains each that is declared
    python -m benchmarks.train_configurations page                   # docs/results/trained-configurations.md, from all rows

benchmarks/systems/configurations.yaml declares the engines that apply each bundle, the corpus that scores it, and what was
changed for two cores. The training part and the test part of a corpus are those of `benchmarks.score_systems`. A row is a
small JSON file in `--rows`; a configuration that has one is trained again only with `--again`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from caspipe.pipeline.errors import CaspipeError

from .run import machine
from .score_systems import one_thread
from .systems import corpora
from .systems.bundles import provided
from .systems.corpora import CORPORA, ROOT, AbsentError
from .systems.declared import assembled
from .systems.measure import figures, found
from .systems.results import Result, today
from .systems.trained import Declared, declared, file_of
from .systems.trained_page import write_page

ROWS = ROOT / "docs" / "results" / "trained"
PAGE = ROOT / "docs" / "results" / "trained-configurations.md"


def measured(wanted: Declared, given: argparse.Namespace) -> Result:
    """Train and score one configuration. Raises AbsentError if its corpus is missing, RuntimeError if the training fails."""
    corpus = CORPORA[wanted.corpus]
    with corpora.prepared(corpus, given.corpora) as readers:
        bundles = provided(wanted.training, given.out / file_of(Path(), wanted.name).stem, again=True)
        one_thread()
        pairs, seconds = found(assembled(wanted.way, bundles.places), readers)
    return Result(
        row=wanted.name,
        corpus=corpus.name,
        documents=len(pairs),
        figures=figures(pairs, corpus, wanted.binary),
        documents_per_second=len(pairs) / seconds,
        bytes=bundles.bytes,
        training_cpu_seconds=bundles.cpu_seconds,
        training_seconds=bundles.seconds,
        bundles=sorted(Path(place).name for place in bundles.places.values()),
        date=today(),
        machine=machine(),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configuration", metavar="NAME", help="a configuration of the table, all, or page")
    parser.add_argument("--again", action="store_true", help="train a configuration that has a row again")
    parser.add_argument("--corpora", type=Path, default=corpora.default_folder(), help="folder of the open corpora")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "configurations", help="folder of the bundles")
    parser.add_argument("--rows", type=Path, default=ROWS, help="folder of the rows")
    given = parser.parse_args()
    known = {name: d for name, d in declared().items() if d.engines}
    if given.configuration == "page":
        print(write_page(PAGE, given.rows))
    elif given.configuration == "all":
        options = [f"--{name}={getattr(given, name)}" for name in ("corpora", "out", "rows")]
        options += ["--again"] if given.again else []
        command = [
            sys.executable,
            "-m",
            "benchmarks.train_configurations",
        ]  # a process each, for its own processor time
        raise SystemExit(int(any(subprocess.run([*command, n, *options], check=False).returncode for n in known)))
    elif given.configuration not in known:
        parser.error(f"no {given.configuration}; expected all, page or one of {', '.join(known)}")
    else:
        raise SystemExit(one(known[given.configuration], given))


def one(wanted: Declared, given: argparse.Namespace) -> int:
    """Train and score a configuration unless it has a row; return 1 if something that it needs is missing."""
    file = file_of(given.rows, wanted.name)
    if file.exists() and not given.again:
        print(f"{wanted.name}: trained before ({file.name}); --again trains it again")
        return 0
    try:
        result = measured(wanted, given)
    except (AbsentError, CaspipeError, RuntimeError) as error:
        print(f"{wanted.name}: left out: {error}")
        return 1
    result.write(file, wanted.set)
    print(f"{wanted.name}: {result.told()}, trained in {result.training_cpu_seconds:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    main()
