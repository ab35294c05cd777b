"""Tests of the framework benchmark: the stopwatch of a run, and the rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import bench_framework
from benchmarks.bench_framework import MODES, IdleAnnotator, IdleConsumer, Mode, Stopwatch, TinyReader, idle, told
from caspipe.pipeline.assembly.assemble import RunOptions
from caspipe.pipeline.contract.component import Annotator, component
from caspipe.pipeline.pipeline import Pipeline
from caspipe.pipeline.running.ledger import Ledger
from caspipe.typesystem import Annotation, View


@component("fails")
class FailingAnnotator(Annotator):
    """Cannot do it."""

    def annotate(self, view: View) -> list[Annotation]:
        raise ValueError("no")


@pytest.mark.slow
@pytest.mark.parametrize("mode", [m for m in MODES if m.workers < 2], ids=lambda m: m.told)
def test_a_run_over_tiny_documents_is_timed(mode: Mode) -> None:
    watch = idle(mode, 3, 60)
    assert watch.documents == 60
    assert 0 < watch.each() < 1
    assert 0 <= watch.each(wall=False) < 1


@pytest.mark.slow
@pytest.mark.parametrize("ledger", [True, False])
def test_a_ledger_is_kept_of_tiny_documents_where_it_is_asked_for(ledger: bool, tmp_path: Path) -> None:
    options = RunOptions(output=tmp_path, workers=0, ledger=ledger)
    Pipeline([IdleAnnotator()], reader=TinyReader(documents=5), consumers=[IdleConsumer()], options=options).run()
    place = Ledger.place(tmp_path, None, "")
    assert place.is_file() == ledger
    if ledger:
        assert [row.number for row in Ledger.read(place).rows()] == [1, 2, 3, 4, 5]


def test_a_run_that_fails_is_not_measured(tmp_path: Path) -> None:
    options = RunOptions(output=tmp_path, workers=0)
    pipeline = Pipeline(
        [FailingAnnotator()], reader=TinyReader(documents=5), consumers=[IdleConsumer()], options=options
    )
    with pytest.raises(RuntimeError, match="0 of 5 documents released"):
        pipeline.run(observers=[Stopwatch()])


def test_a_component_costs_what_more_of_them_add() -> None:
    row = told("x", {0: [10e-6, 11e-6, 90e-6], 10: [31e-6], 50: [61e-6]})
    assert [float(cell) for cell in row[1].split()] == [11.0, 2.0, 1.0]


def test_memory_of_this_process_is_resident_and_partly_its_own() -> None:
    resident, private = bench_framework.memory("self")
    assert 10 < private <= resident
