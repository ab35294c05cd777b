"""Compare caspipe with other programs that find and mask personal data: speed, memory, start-up and findings, in one run.

    python -m benchmarks.bench_peers --setup FOLDER            creates the environments of the peers, with pinned versions
    python -m benchmarks.bench_peers --peers FOLDER            measures caspipe and every peer that is set up there
    python -m benchmarks.bench_peers --peers FOLDER --write    also writes the section of benchmarks/RESULTS.md

The texts are the VAERS narratives of the open corpora next to the checkout, or generated ones with --synthetic. Each peer runs in
a separate process on one core; the rounds are interleaved, and figures are medians. Speed is measured by processor time, which
depends little on other load of the machine; with several processes it is measured by wall-clock time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .peers.environments import command, lacking, set_up, versions
from .peers.page import section
from .peers.rows import ROWS, Row
from .peers.table import Measured
from .peers.texts import AbsentError, Texts, synthetic, vaers
from .run import ROOT, SHARED
from .sections import replaced

RESULTS = Path(__file__).with_name("RESULTS.md")
SECONDS = 600
"""Time limit for one process of a peer."""


class PeerError(Exception):
    """A peer failed or exceeded the time limit."""


def environment() -> dict[str, str]:
    """Return the environment variables: one thread, no network, the same hash seed for all peers."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1")
    return {**os.environ, **one, "PYTHONHASHSEED": "0", "HF_HUB_OFFLINE": "1"}


def launched(peers: Path | None, row: Row, folder: Path, wanted: Sequence[str]) -> dict[str, Any]:
    """Run one process of a peer; return its results and the seconds until its first text was done. Raises PeerError."""
    cores = sorted(os.sched_getaffinity(0))[-row.cores :]
    arguments = [*command(peers, row.environment, row.module, row.variant), str(folder), *wanted]
    with tempfile.TemporaryFile("w+") as complaints:
        started = time.monotonic()
        with subprocess.Popen(
            arguments,
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        ) as process:
            assert process.stdout is not None
            line = process.stdout.readline()
            first = time.monotonic() - started
            try:
                rest = process.communicate(timeout=SECONDS)[0]
            except subprocess.TimeoutExpired:
                process.kill()
                raise PeerError(f"took more than {SECONDS} s") from None
        if process.returncode or line.strip() != "first":
            complaints.seek(0)
            last = complaints.read().strip().splitlines()[-1:] or ["no error message"]
            raise PeerError(f"exit code {process.returncode}: {last[0][:200]}")
    result: dict[str, Any] = json.loads(rest)
    result["first"] = first
    return result


def measured(
    peers: Path | None, rows: Sequence[Row], texts: Texts, rounds: int, folder: Path
) -> Iterator[str | Measured]:
    """Yield the results of each row, or the reason why it has none. The rounds of all rows are interleaved."""
    done: list[Measured] = []
    for row in rows:
        why = "" if row.environment == "ours" else lacking(peers, row.environment)
        one = Measured(row)
        if not why:
            wanted = ["notes"] if row.slow else ["notes", "notes-again"]
            if "sentences" in texts.sets and not row.whole:
                wanted.append("sentences")
            try:
                one.found = launched(peers, row, folder, wanted)
            except PeerError as error:
                why = str(error)
        if why:
            yield f"{row.title}: not measured: {why}."
        else:
            done.append(one)
    for number in range(rounds):
        for one in done:
            if one.row.slow and number:
                continue
            one.rounds.append(launched(peers, one.row, folder, ["notes", "long"]))
    yield from done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--setup", type=Path, metavar="FOLDER", help="create the environments and exit")
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="folder of the environments that --setup created")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--documents", type=int, default=1000, help="maximum number of narratives")
    parser.add_argument("--synthetic", action="store_true", help="generated narratives instead of the open corpora")
    parser.add_argument("--corpora", type=Path, default=SHARED, help="folder of the open corpora")
    parser.add_argument("--only", nargs="+", metavar="NAME", help=f"some of {' '.join(r.name for r in ROWS)}")
    parser.add_argument("--write", action="store_true", help="write the section of benchmarks/RESULTS.md")
    given = parser.parse_args()
    if given.setup:
        needed = dict.fromkeys(row.environment for row in ROWS if row.environment != "ours")
        set_up(given.setup.resolve(), lambda text: print(text, flush=True), needed)
        return
    try:
        texts = synthetic(given.documents) if given.synthetic else vaers(given.corpora, given.documents)
    except AbsentError as error:
        print(f"Not run: {error}")
        return
    rows = [r for r in ROWS if not given.only or r.name in given.only]
    if not rows or len(rows) < len(given.only or ()):
        parser.error(f"--only: expected some of {' '.join(r.name for r in ROWS)}")
    peers = given.peers.resolve() if given.peers else None
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        texts.write(Path(folder))
        results = list(measured(peers, rows, texts, given.rounds, Path(folder)))
    shown = "python -m benchmarks.bench_peers --peers FOLDER" + (" --synthetic" if given.synthetic else "")
    used = {r.environment: versions(peers, r.environment) for r in rows if peers and not lacking(peers, r.environment)}
    body = section(results, texts, given.rounds, shown, load, used)
    print(body)
    if given.write:
        RESULTS.write_text(replaced(RESULTS.read_text(encoding="utf-8"), "bench_peers", body), encoding="utf-8")


if __name__ == "__main__":
    main()
