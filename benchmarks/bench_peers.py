"""Compare caspipe with other programs that find and mask personal data: speed, memory, start-up and findings, in one run.

    python -m benchmarks.bench_peers --setup FOLDER            creates the environments of the peers, with pinned versions
    python -m benchmarks.bench_peers --peers FOLDER            measures caspipe and every peer that is set up there
    python -m benchmarks.bench_peers --peers FOLDER --write    also writes the section of benchmarks/RESULTS.md
    python -m benchmarks.bench_peers --cold --peers FOLDER --write     new notes, as in benchmarks/bench_cold.py; the section of
                                                               docs/results/speed.md

The texts are the VAERS narratives of the open corpora next to the checkout, or generated ones with --synthetic. Each peer runs in
a separate process on one core; the rounds are interleaved, and figures are medians. Speed is measured by processor time, which
depends little on other load of the machine; with several processes it is measured by wall-clock time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .notes.marked_section import put
from .peers.cold_page import cold_section
from .peers.environments import command, lacking, set_up, versions
from .peers.page import section
from .peers.rows import ROWS, Row
from .peers.table import Measured
from .peers.texts import AbsentError, Texts, cold, synthetic, vaers
from .run import ROOT, SHARED
from .sections import replaced

RESULTS = Path(__file__).with_name("RESULTS.md")
SPEED = ROOT / "docs" / "results" / "speed.md"
COLD = 250
"""Number of new notes with --cold, as in benchmarks/bench_cold.py."""
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
            print(f"{row.title}: first process", file=sys.stderr, flush=True)
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
    timed = [name for name in ("notes", "long") if name in texts.sets]
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        for one in done:
            if one.row.slow and number:
                continue
            one.rounds.append(launched(peers, one.row, folder, timed))
    yield from done


def parsed() -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--setup", type=Path, metavar="FOLDER", help="create the environments and exit")
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="folder of the environments that --setup created")
    parser.add_argument("--rounds", type=int, help="default: 5; with --cold 3")
    parser.add_argument(
        "--documents", type=int, help=f"maximum number of narratives; default: 1000; with --cold {COLD}"
    )
    texts = parser.add_mutually_exclusive_group()
    texts.add_argument("--synthetic", action="store_true", help="generated narratives instead of the open corpora")
    texts.add_argument("--cold", action="store_true", help="the new notes of benchmarks/bench_cold.py")
    parser.add_argument("--corpora", type=Path, default=SHARED, help="folder of the open corpora")
    parser.add_argument("--only", nargs="+", metavar="NAME", help=f"some of {' '.join(r.name for r in ROWS)}")
    parser.add_argument(
        "--write", action="store_true", help="write the section of benchmarks/RESULTS.md, with --cold of speed.md"
    )
    given = parser.parse_args()
    given.rounds = given.rounds or (3 if given.cold else 5)
    given.documents = given.documents or (COLD if given.cold else 1000)
    given.rows = [r for r in ROWS if (not given.only or r.name in given.only) and not (given.cold and r.whole)]
    if not given.rows or set(given.only or ()) - {r.name for r in ROWS}:
        parser.error(f"--only: expected some of {' '.join(r.name for r in ROWS)}")
    return given


def chosen(given: argparse.Namespace) -> Texts:
    """Return the texts of the options. Raises AbsentError."""
    if given.cold:
        return cold(given.corpora, given.documents)
    return synthetic(given.documents) if given.synthetic else vaers(given.corpora, given.documents)


def main() -> None:
    given = parsed()
    if given.setup:
        needed = dict.fromkeys(row.environment for row in ROWS if row.environment != "ours")
        set_up(given.setup.resolve(), lambda text: print(text, flush=True), needed)
        return
    try:
        texts = chosen(given)
    except AbsentError as error:
        print(f"Not run: {error}")
        return
    peers = given.peers.resolve() if given.peers else None
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        texts.write(Path(folder))
        results = list(measured(peers, given.rows, texts, given.rounds, Path(folder)))
    option = " --cold" if given.cold else " --synthetic" if given.synthetic else ""
    shown = f"python -m benchmarks.bench_peers{option} --peers FOLDER"
    used = {
        r.environment: versions(peers, r.environment) for r in given.rows if peers and not lacking(peers, r.environment)
    }
    body = (cold_section if given.cold else section)(results, texts, given.rounds, shown, load, used)
    print(body)
    if given.write and given.cold:
        put(SPEED, "peers", body)
    elif given.write:
        RESULTS.write_text(replaced(RESULTS.read_text(encoding="utf-8"), "bench_peers", body), encoding="utf-8")


if __name__ == "__main__":
    main()
