"""Searching a release in several processes finds what one process finds, in the same order, whatever happens to a process."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from caspipe.pipeline.assembly.assemble import RunOptions
from caspipe.pipeline.pipeline import Pipeline
from caspipe.pipeline.running.ledger.reader import LedgerReader
from caspipe.pipeline.running.release_scan import scanner as scanning
from caspipe.pipeline.running.release_scan.key_file import derived_key
from caspipe.pipeline.running.release_scan.scanner import ReleaseScanner
from caspipe.pipeline.running.release_scan.search_pool import search_in_order
from caspipe.pipeline.running.released_names import ReleasedNames
from caspipe.pipeline.running.worker import safe_start_method

pytestmark = pytest.mark.skipif(safe_start_method() != "fork", reason="copies of this process are not safe here")


@pytest.mark.parametrize("processes", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 49, 50, 51, 1_003])
def test_results_are_in_order(processes: int, count: int) -> None:
    assert list(search_in_order(range(count), list, processes)) == list(search_in_order(range(count), list, 1))
    assert [n for chunk in search_in_order(range(count), list, processes) for n in chunk] == list(range(count))


def test_other_processes_search() -> None:
    pids = set(search_in_order(range(500), lambda chunk: os.getpid(), 2))
    assert pids and os.getpid() not in pids


@pytest.mark.parametrize("deadly", [(7,), (7, 60, 110, 400)])
def test_what_a_dead_process_was_searching_is_searched_again(deadly: Sequence[int]) -> None:
    here = os.getpid()

    def search(chunk: Sequence[int]) -> list[int]:
        if os.getpid() != here and not set(deadly).isdisjoint(chunk):
            os.kill(os.getpid(), signal.SIGKILL)
        return list(chunk)

    assert [n for chunk in search_in_order(range(500), search, 2) for n in chunk] == list(range(500))


def test_a_fault_is_that_of_one_process() -> None:
    def search(chunk: Sequence[int]) -> int:
        return sum(1 // (n - 77) for n in chunk)

    with pytest.raises(ZeroDivisionError):
        list(search_in_order(range(100), search, 2))


def test_a_release_is_searched_by_several_processes_as_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, notes = tmp_path / "out", tmp_path / "notes"
    notes.mkdir()
    for i in range(120):
        (notes / f"{i:03}.txt").write_text(f"Patient: Annabel Quell{chr(97 + i % 26) * 3}more, MRN 88{i:06}.\n")
    Pipeline.load("deidentify-fast", [f"reader.text.folder={notes}", f"run.output={out}", "run.names=id"]).run()
    for number in (3, 50, 51, 119):
        (out / f"release/text/{number:03}.txt").write_text("Patient: Annabel Quellaaamore and 88000007 and more.\n")
    monkeypatch.setattr(scanning, "_FEW_FILES", 0)
    with LedgerReader.read(out) as ledger:
        names, keys = ReleasedNames.of(RunOptions()), [derived_key(ledger.salt)]
        one, two = (ReleaseScanner(out, ledger, [], keys, names, processes=n).scan() for n in (1, 2))
    assert len(one.documents) >= 4
    assert list(one.documents.items()) == list(two.documents.items())
    assert (one.files, one.unreadable, one.searched) == (two.files, two.unreadable, two.searched)
