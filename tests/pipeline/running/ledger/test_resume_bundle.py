"""A bundle for review is taken over document by document, to the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import running
from resuming import ALL, NAMES, again, first, killed

from caspipe.pipeline.running.ledger.merging import merge

CONSUMERS = [
    "[text, inception]",
    "[{inception: {format: jsoncas, mode: named-entity}}, html]",
    "[{inception: {annotations: masked, file: release/review.zip}}]",
]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return running.notes(tmp_path / "notes", {**running.texts_of(NAMES), "n3": "", "n5": "Bell \x07 number 1."})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*secret")
@pytest.mark.parametrize("consumers", CONSUMERS)
@pytest.mark.parametrize("workers", [0, 2])
def test_documents_of_a_bundle_are_taken_over(tmp_path: Path, notes: Path, consumers: str, workers: int) -> None:
    out, given = tmp_path / "out", f"run.workers={workers}"
    first(out, notes, given, consumers=consumers)
    assert again(out, notes, given, consumers=consumers) == []
    (notes / "n2.txt").write_text("Another text with number 5 and number 6.")
    assert again(out, notes, given, consumers=consumers) == [3]
    (notes / "n0.txt").unlink()
    (notes / "n4.txt").rename(notes / "n9.txt")
    assert again(out, notes, given, consumers=consumers) == [7]
    (notes / "n6.txt").write_text("do=fails 1")
    assert again(out, notes, given, consumers=consumers) == [5]


@pytest.mark.slow
def test_documents_of_a_bundle_outlive_a_kill(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caspipe.pipeline.running.ledger.ledger._BATCH_SECONDS", -1)
    killed(tmp_path / "out", notes, 6, consumers=CONSUMERS[0])
    assert again(tmp_path / "out", notes, consumers=CONSUMERS[0]) == [7, 8]


@pytest.mark.slow
def test_a_bundle_that_is_not_what_was_written_is_written_again(tmp_path: Path, notes: Path) -> None:
    out, consumers = tmp_path / "out", CONSUMERS[0]
    file = out / "restricted/inception.zip"
    first(out, notes, consumers=consumers)
    data = bytearray(file.read_bytes())
    data[data.index(b"documents/n4.xmi") + 30] ^= 1
    file.write_bytes(data)
    assert again(out, notes, consumers=consumers) == [5]
    (out / "release/text/n6.txt").unlink()
    assert again(out, notes, consumers="[text, inception]") == [7]
    file.unlink()
    assert again(out, notes, consumers=consumers) == [n for n in ALL if n != 4]  # one has no text, and is left out


@pytest.mark.slow
@pytest.mark.parametrize("consumers", ["[inception, text]", "[text, inception]"])
def test_names_that_collide_in_a_bundle_stay_with_their_documents(tmp_path: Path, consumers: str) -> None:
    documents = [(i, f"{i} has number {n}") for n, i in enumerate(["ward/a", "ward__a", "WARD__a", "b", "x" * 900])]
    file = running.records(tmp_path / "r.jsonl", documents)
    reader = f"{{jsonl: {{files: {json.dumps(str(file))}}}}}"
    out = tmp_path / "out"
    first(out, reader, consumers=consumers)
    assert again(out, reader, consumers=consumers) == []
    next(p for p in sorted(out.glob("release/text/**/*.txt")) if "WARD" in p.name).unlink()
    assert again(out, reader, consumers=consumers) == [3]
    running.records(file, documents[1:])
    again(out, reader, consumers=consumers)


@pytest.mark.slow
def test_bundles_of_shards_are_put_together(tmp_path: Path, notes: Path) -> None:
    running.run(tmp_path / "whole", notes, consumers=CONSUMERS[0])
    for part in (1, 2, 3):
        running.run(tmp_path / "out", notes, f"run.shard={part}/3", consumers=CONSUMERS[0])
    reader = f"{{text: {{folder: {json.dumps(str(notes))}}}}}"
    report = merge(running.pipeline(tmp_path / "out", reader, consumers=CONSUMERS[0]))
    assert "inception: a document was left out of the review project" in report.warnings[0]
    assert running.files(tmp_path / "out") == running.files(tmp_path / "whole")
