"""The run loop: nothing is lost, nothing half-done is released, and no text reaches a message."""

from __future__ import annotations

import json
import os
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path

import parts
import pytest

from caspipe.pipeline.assembly.assemble import RunOptions
from caspipe.pipeline.contract import registry
from caspipe.pipeline.contract.component import CollectionReader, TwoPhaseConsumer
from caspipe.pipeline.contract.handle import Handle
from caspipe.pipeline.contract.report import RunReport, Timings
from caspipe.pipeline.errors import ComponentError, ReaderError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas, CaspipeWarning, Phi, PhiCandidate, View


def pipeline(tmp_path: Path, *, reader: CollectionReader | None = None, **options: object) -> Pipeline:
    return Pipeline(
        [parts.NumberAnnotator(), parts.CrashingEngine(), parts.TrustingResolver()],
        reader=reader or parts.ListReader(),
        consumers=[parts.ListConsumer()],
        options=RunOptions(output=tmp_path, **options),  # type: ignore[arg-type]
    )


def accounted(report: RunReport) -> bool:
    d = report.documents
    return d.read == d.released + d.quarantined + d.skipped


def test_a_failed_document_is_kept_aside_and_the_run_goes_on(tmp_path: Path) -> None:
    p = pipeline(tmp_path)
    report = p.run()
    assert (report.documents.read, report.documents.released, report.documents.quarantined) == (3, 2, 1)
    assert report.exit_code == 3
    assert p.consumers[0].log == ["open", "doc1", "doc3", "close"]  # type: ignore[attr-defined]
    folder = tmp_path / "restricted" / "quarantine"
    assert json.loads((folder / "000002.json").read_text())["cause"] == "KeyError"
    assert (folder / "000002.txt").read_text() == "two 22"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert report.kinds == {"ID": 2}
    assert report.sources == {"t_numbers": {"ID": 2}}


def test_no_text_of_a_document_reaches_a_message(tmp_path: Path) -> None:
    report = pipeline(tmp_path).run()
    assert report.failures[0].message.startswith("t_crash: KeyError at parts.py:")
    assert "two 22" not in json.dumps(report.to_json())
    with pytest.raises(ComponentError, match=r"^t_crash: KeyError at parts.py:\d+$") as caught:
        pipeline(tmp_path).process("two 22")
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_document_the_reader_cannot_read_counts(tmp_path: Path) -> None:
    report = pipeline(tmp_path, reader=parts.ListReader(broken=3)).run()
    assert (report.documents.read, report.documents.released, report.documents.quarantined) == (3, 1, 2)
    assert [f.component for f in report.failures] == ["t_crash", "reader/t_reader"]
    assert accounted(report)


def test_skip_leaves_failed_documents_out(tmp_path: Path) -> None:
    report = pipeline(tmp_path, on_error="skip").run()
    assert (report.documents.skipped, report.documents.quarantined) == (1, 0)
    assert not (tmp_path / "restricted").exists()
    assert report.exit_code == 3


def test_stop_ends_the_run_and_closes_the_consumers(tmp_path: Path) -> None:
    p = pipeline(tmp_path, on_error="stop")
    report = p.run()
    assert report.documents.read == 2
    assert report.stopped == "document 2 failed in t_crash (KeyError) and on_error is stop"
    assert report.exit_code == 4
    assert p.consumers[0].log == ["open", "doc1", "close"]  # type: ignore[attr-defined]
    assert accounted(report)


def test_too_many_failures_stop_the_run(tmp_path: Path) -> None:
    reader = parts.ListReader(texts=["one"] * 18 + ["two"] * 30)
    report = pipeline(tmp_path, reader=reader, max_error_rate=0.1).run()
    assert report.documents.read == 21
    assert report.stopped == "3 of 21 documents failed: more than max_error_rate 0.1"


def test_a_consumer_that_fails_takes_the_document_back_from_the_others(tmp_path: Path) -> None:
    good, bad = parts.ListConsumer(), parts.ListConsumer(fail_on="doc2")
    p = Pipeline(
        [parts.NumberAnnotator(), parts.TrustingResolver()],
        reader=parts.ListReader(),
        consumers=[good, bad],
        options=RunOptions(output=tmp_path),
    )
    report = p.run()
    assert good.log == bad.log == ["open", "doc1", "doc3", "close"]
    assert report.failures[0].message.startswith("consumers/t_consumer-2: OSError at parts.py:")
    assert report.documents.quarantined == 1


def test_an_annotator_must_declare_what_it_makes() -> None:
    with pytest.raises(
        ComponentError, match=r"t_liar: UndeclaredError: made Sentence, but declares PhiCandidate as outputs"
    ):
        Pipeline([parts.LyingAnnotator(), parts.TrustingResolver()]).process("text")


def test_annotations_are_stamped_with_the_component_that_made_them() -> None:
    cas = Pipeline([parts.NumberAnnotator(), parts.TrustingResolver()]).process("a 12")
    assert [(p.covered_text, p.source) for p in cas.select(Phi)] == [("12", "t_numbers")]


def test_ctrl_c_finishes_the_document_and_closes_the_consumers(tmp_path: Path) -> None:
    class Interrupting(parts.ListReader):  # type: ignore[misc]
        def __iter__(self) -> Iterator[Cas]:
            for n, cas in enumerate(super().__iter__()):
                if n == 1:
                    os.kill(os.getpid(), signal.SIGINT)
                yield cas

    p = pipeline(tmp_path, reader=Interrupting(texts=["a", "b", "c"]))
    report = p.run()
    assert report.documents.read == report.documents.released == 2
    assert (report.stopped, report.exit_code) == ("interrupted", 130)
    assert p.consumers[0].log[-1] == "close"  # type: ignore[attr-defined]


def test_limit_reads_that_many_documents(tmp_path: Path) -> None:
    report = pipeline(tmp_path, limit=1).run()
    assert (report.documents.read, report.stopped, report.exit_code) == (1, "limit", 0)


def test_a_run_without_a_reader_says_so() -> None:
    with pytest.raises(ReaderError, match="pipeline pipeline has no reader"):
        Pipeline([parts.NumberAnnotator(), parts.TrustingResolver()]).run()


def test_documents_stream_through_one_by_one() -> None:
    pulled = []

    def texts() -> Iterator[str]:
        for text in ("a 1", "b 22"):
            pulled.append(text)
            yield text

    stream = Pipeline([parts.NumberAnnotator(), parts.TrustingResolver()]).stream(texts())
    assert len(next(stream).select(Phi)) == 1
    assert pulled == ["a 1"]


def test_progress_is_told_after_every_document(tmp_path: Path) -> None:
    seen = []
    pipeline(tmp_path).run(lambda report, total: seen.append((report.documents.read, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_components_are_timed_and_counted(tmp_path: Path) -> None:
    report = pipeline(tmp_path).run()
    numbers = next(c for c in report.components if c.id == "t_numbers")
    assert (numbers.kind, numbers.documents, numbers.annotations) == ("Annotator", 3, 3)
    crash = next(c for c in report.components if c.id == "t_crash")
    assert (crash.documents, crash.errors) == (2, 1)


def test_quantiles_of_timings_are_right_to_five_percent() -> None:
    timings = Timings()
    for i in range(1, 1001):
        timings.add(i / 1000)
    assert timings.quantile(0.5) == pytest.approx(0.5, rel=0.06)
    assert timings.quantile(0.95) == pytest.approx(0.95, rel=0.06)
    assert timings.quantile(1.0) == 1.0


SECRET = "Featherstone"


class BreakingReader(parts.ListReader):  # type: ignore[misc]
    def __iter__(self) -> Iterator[Cas]:
        yield Cas("one 1", id="doc1")
        raise ValueError(SECRET)


def test_a_reader_that_breaks_down_ends_the_run_without_quoting_itself(tmp_path: Path) -> None:
    p = pipeline(tmp_path, reader=BreakingReader())
    report = p.run()
    assert report.stopped.startswith("reader/t_reader: ValueError at test_run.py:")
    assert (report.documents.released, report.exit_code) == (1, 4)
    assert p.consumers[0].log == ["open", "doc1", "close"]  # type: ignore[attr-defined]


def test_foreign_warnings_are_told_by_class_and_line_only(tmp_path: Path) -> None:
    class Warning_(parts.NumberAnnotator):  # type: ignore[misc]
        def annotate(self, view: View) -> Iterator[PhiCandidate]:
            warnings.warn(view.text, stacklevel=1)
            warnings.warn("a word of ours", CaspipeWarning, stacklevel=1)
            yield from super().annotate(view)

    p = Pipeline([Warning_(), parts.TrustingResolver()], reader=parts.ListReader(), options=RunOptions(output=tmp_path))
    ours, *others = sorted(p.run().warnings, reverse=True)
    assert ours == "a word of ours"
    assert all(w.startswith("UserWarning from test_run.py:") for w in others)
    assert len(others) == 1


def test_what_cannot_be_opened_aborts_what_was(tmp_path: Path) -> None:
    class Stuck(parts.ListConsumer):  # type: ignore[misc]
        def open(self) -> None:
            raise ValueError(SECRET)

    class Noting(parts.ListConsumer):  # type: ignore[misc]
        def abort(self) -> None:
            self.log.append("abort")

    first = Noting()
    p = Pipeline(
        [parts.NumberAnnotator(), parts.TrustingResolver()],
        reader=parts.ListReader(),
        consumers=[first, Stuck()],
        options=RunOptions(output=tmp_path),
    )
    with pytest.raises(ComponentError, match=r"^consumers/t_consumer-2: ValueError at test_run.py:\d+$"):
        p.run()
    assert first.log == ["open", "abort"]


def written(folder: Path) -> dict[Path, bytes]:
    """Every file but the ledger, which tells of every run."""
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file() and not p.name.startswith("ledger.")}


def test_a_broken_run_leaves_the_table_of_the_one_before(tmp_path: Path) -> None:
    def run(*consumers: object) -> None:
        Pipeline(
            [parts.NumberAnnotator(), parts.TrustingResolver(), registry.find("masker")()],
            reader=parts.ListReader(),
            consumers=[registry.find("jsonl", "consumer")(), *consumers],  # type: ignore[list-item]
            options=RunOptions(output=tmp_path),
        ).run()

    class Stuck(parts.ListConsumer):  # type: ignore[misc]
        def open(self) -> None:
            raise ValueError

    run()
    before = written(tmp_path)
    assert before
    with pytest.raises(ComponentError):
        run(Stuck())
    assert written(tmp_path) == before


class Breaking(TwoPhaseConsumer, parts.ListConsumer):
    """A consumer whose errors quote the document, in what is called when one has failed."""

    def __init__(self, **deeds: str) -> None:
        super().__init__()
        self.deeds = deeds
        self.kept: list[str] = []

    def _do(self, what: str) -> None:
        if what in self.deeds:
            raise ValueError(SECRET)

    def prepare(self, cas: Cas) -> str:
        return cas.text

    def resume_state(self, prepared: str) -> object:
        self._do("resume_state")
        return {1, 2} if "odd" in self.deeds else None

    def commit(self, document_id: str, prepared: str) -> list[object]:  # type: ignore[override]
        self.kept.append(document_id)
        self._do("commit")
        return []

    def staged(self, prepared: str) -> list[object]:  # type: ignore[override]
        self._do("staged")
        return []

    def discard(self, prepared: str) -> None:
        self._do("discard")

    def rollback(self, document_id: str) -> None:
        self._do("rollback")
        if document_id in self.kept:
            self.kept.remove(document_id)


SECRET = "two 22"


def breaking(tmp_path: Path, *consumers: Breaking) -> Pipeline:
    reader = parts.ListReader(texts=[SECRET])
    return Pipeline([], reader=reader, consumers=list(consumers), options=RunOptions(output=tmp_path, workers=0))


@pytest.mark.slow
@pytest.mark.parametrize("what", ["rollback", "staged"])
def test_a_consumer_that_cannot_take_a_document_back_ends_the_run_without_quoting_it(tmp_path: Path, what: str) -> None:
    good, last = Breaking(), Breaking(commit="", **{what: ""})
    with pytest.raises(ComponentError, match=r"^consumers/t_consumer-2: ValueError at test_run.py:\d+$") as caught:
        breaking(tmp_path, good, last).run()
    assert caught.value.__suppress_context__
    assert good.kept == []


def test_a_consumer_that_cannot_take_a_document_back_keeps_no_other_from_it(tmp_path: Path) -> None:
    good, bad, last = Breaking(), Breaking(rollback=""), Breaking(commit="", rollback="")
    with pytest.raises(ComponentError, match=r"^consumers/t_consumer-3: ValueError at test_run.py:\d+$"):
        breaking(tmp_path, good, bad, last).run()
    assert good.kept == []


@pytest.mark.slow
@pytest.mark.parametrize("what", ["resume_state", "odd"])
def test_a_document_of_which_nothing_plain_can_be_kept_has_failed(tmp_path: Path, what: str) -> None:
    good, bad = Breaking(), Breaking(**{what: ""})
    report = breaking(tmp_path, good, bad).run()
    assert report.failures[0].message.startswith(
        f"consumers/t_consumer-2: {'TypeE' if what == 'odd' else 'ValueError'}"
    )
    assert good.kept == bad.kept == []


@pytest.mark.slow
def test_what_cannot_be_forgotten_is_a_warning(tmp_path: Path) -> None:
    report = breaking(tmp_path, Breaking(discard=""), Breaking(commit="")).run()
    assert report.documents.quarantined == 1
    assert [w.partition(" at ")[0] for w in report.warnings] == ["consumers/t_consumer: ValueError"]
    assert SECRET not in json.dumps(report.to_json())


class RepeatingReader(parts.ListReader):
    """Yields two documents with the same id, as a plug-in may; with handles if `by_handle`."""

    by_handle = False
    names = ("a", "b", "a")

    def __iter__(self) -> Iterator[Cas]:
        return map(self.load, range(3))

    def handles(self) -> Iterator[Handle] | None:
        return (Handle(name, n) for n, name in enumerate(self.names)) if self.by_handle else None

    def load(self, handle: int) -> Cas:
        return Cas(f"text {handle}", id=self.names[handle])


@pytest.mark.parametrize("by_handle", [False, True])
def test_a_repeated_document_id_is_a_failure_for_any_reader(tmp_path: Path, by_handle: bool) -> None:
    reader = RepeatingReader()
    reader.by_handle = by_handle
    report = pipeline(tmp_path, reader=reader).run()
    assert (report.documents.released, report.documents.quarantined) == (2, 1)
    assert [(f.number, f.document, f.reason) for f in report.failures] == [(3, "a", "duplicate")]
    assert report.failures[0].message.endswith("an earlier document has the same id")
