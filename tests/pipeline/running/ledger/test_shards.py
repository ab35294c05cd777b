"""The parts of a run, done one by one, are together what one run writes, to the byte."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import running

from caspipe.pipeline.errors import CaspipeError, ConsumerError
from caspipe.pipeline.running.ledger import Ledger
from caspipe.pipeline.running.ledger.merging import MergeError, merge

CONSUMERS = "[text, jsonl, {jsonl: {id: single, folder: release/single}}, csv, html, brat, report]"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    texts = running.texts_of(f"n{n}" for n in range(7))
    texts["n3"], texts["n5"] = "do=fails 1", "do=fails 2"
    return running.notes(tmp_path / "notes", texts)


def reader_of(reader: Path | str) -> str:
    return f"{{text: {{folder: {json.dumps(str(reader))}}}}}" if isinstance(reader, Path) else reader


def shards(out: Path, reader: Path | str, parts: int, *overrides: str, consumers: str = CONSUMERS) -> None:
    for part in range(1, parts + 1):
        running.run(out, reader, f"run.shard={part}/{parts}", *overrides, consumers=consumers)


def merged(out: Path, reader: Path | str, *overrides: str, consumers: str = CONSUMERS, keep: bool = False) -> object:
    return merge(running.pipeline(out, reader_of(reader), *overrides, consumers=consumers), keep=keep)


def same(tmp_path: Path, reader: Path | str, parts: int, consumers: str = CONSUMERS) -> None:
    """Checks that the parts, put together, are what one run writes."""
    whole, out = tmp_path / "whole", tmp_path / "out"
    expected, _ = running.run(whole, reader, consumers=consumers)
    shards(out, reader, parts, consumers=consumers)
    report = merged(out, reader, consumers=consumers)
    assert running.files(out) == running.files(whole)
    assert running.plain(report) == running.plain(expected)
    assert not (out / "shards").exists()
    assert report.exit_code == expected.exit_code  # type: ignore[attr-defined]
    with Ledger.read(out) as ledger, Ledger.read(whole) as other:
        one, two = ([(r.number, r.id, r.status, r.reason) for r in found.rows()] for found in (ledger, other))
        assert one == two
        assert ledger.run().state == "done"


@pytest.mark.slow
@pytest.mark.parametrize("parts", [1, 2, 3, 10])
def test_any_number_of_parts_makes_the_same_whole(tmp_path: Path, notes: Path, parts: int) -> None:
    same(tmp_path, notes, parts)


@pytest.mark.slow
def test_parts_go_with_workers(tmp_path: Path, notes: Path) -> None:
    running.run(tmp_path / "whole", notes, consumers=CONSUMERS)
    shards(tmp_path / "out", notes, 2, "run.workers=2")
    merged(tmp_path / "out", notes)
    assert running.files(tmp_path / "out") == running.files(tmp_path / "whole")


COLLIDING = [("a:b", "1"), ("a?b", "2"), ("A:b", "3"), ("", "4"), ("", "5"), ("c", "6"), ("ward", "7"), ("ward/1", "8")]


@pytest.mark.slow
def test_names_that_collide_across_parts_are_those_of_one_run(tmp_path: Path) -> None:
    file = running.records(tmp_path / "r.jsonl", COLLIDING)
    reader = f"{{jsonl: {{files: {json.dumps(str(file))}}}}}"
    same(tmp_path, reader, 2, consumers="[text, jsonl, {jsonl: {id: single, folder: release/single}}, csv, brat]")


@pytest.mark.slow
def test_pages_whose_names_collide_across_parts_are_those_of_one_run(tmp_path: Path) -> None:
    file = running.records(tmp_path / "r.jsonl", COLLIDING)
    same(tmp_path, f"{{jsonl: {{files: {json.dumps(str(file))}}}}}", 2, consumers="[html]")


@pytest.mark.slow
def test_documents_without_types_of_their_own_merge_as_xmi(tmp_path: Path, notes: Path) -> None:
    same(tmp_path, notes, 2, consumers="[xmi]")


@pytest.mark.slow
def test_documents_with_types_of_their_own_merge_as_xmi(tmp_path: Path, notes: Path) -> None:
    running.run(tmp_path / "made", notes, consumers="[xmi]")
    file = tmp_path / "made/restricted/xmi/TypeSystem.xml"
    above = "<description/><supertypeName>uima.tcas.Annotation</supertypeName>"
    own = f"<typeDescription><name>my.Thing</name>{above}</typeDescription>"
    file.write_text(file.read_text().replace("</types>", f"{own}</types>"))
    same(tmp_path, f"{{xmi: {{folder: {json.dumps(str(file.parent))}}}}}", 2, consumers="[xmi]")


@pytest.mark.slow
def test_limits_count_documents_of_the_whole(tmp_path: Path, notes: Path) -> None:
    numbers = []
    for part in (1, 2, 3):
        report, seen = running.run(tmp_path / "out", notes, f"run.shard={part}/3", "run.limit=4", consumers=CONSUMERS)
        numbers += [e.number for e in seen.events]
        assert report.stopped == "limit"
    assert sorted(numbers) == [1, 2, 3, 4]


@pytest.mark.slow
def test_all_parts_that_are_missing_are_named(tmp_path: Path, notes: Path) -> None:
    for part in (2, 4):
        running.run(tmp_path / "out", notes, f"run.shard={part}/5", consumers=CONSUMERS)
    with pytest.raises(MergeError, match="parts that are missing: 1, 3, 5 of 5"):
        merged(tmp_path / "out", notes)


@pytest.mark.slow
def test_all_parts_that_are_not_finished_or_of_another_pipeline_are_named(tmp_path: Path, notes: Path) -> None:
    shards(tmp_path / "out", notes, 4)
    running.run(tmp_path / "out", notes, "run.shard=2/4", "run.limit=2", consumers=CONSUMERS)
    running.run(tmp_path / "out", notes, "run.shard=3/4", "run.on_error=stop", consumers=CONSUMERS)
    running.run(tmp_path / "out", notes, "run.shard=4/4", "trouble.least=3", consumers=CONSUMERS)
    with pytest.raises(MergeError) as caught:
        merged(tmp_path / "out", notes)
    told = str(caught.value).splitlines()
    assert [line.partition("shards/")[2].partition(":")[0] for line in told] == ["2-of-4", "4-of-4"]
    assert not (tmp_path / "out/release").exists()


def record_lines(folder: Path) -> str:
    """The same texts as a table, in the order of their names."""
    files = sorted(folder.glob("*.txt"))
    file = running.records(folder.with_suffix(".jsonl"), [(p.stem, p.read_text()) for p in files])
    return f"{{jsonl: {{files: {json.dumps(str(file))}}}}}"


@pytest.mark.slow
@pytest.mark.parametrize("table", [False, True])
@pytest.mark.parametrize("change", ["comes", "goes", "is another"])
def test_parts_of_an_input_that_was_changed_between_them_are_refused(
    tmp_path: Path, notes: Path, change: str, table: bool
) -> None:
    out = tmp_path / "out"
    shards(out, record_lines(notes) if table else notes, 3)
    if change == "comes":
        (notes / "a.txt").write_text("number 11")
    elif change == "goes":
        (notes / "n0.txt").unlink()
    else:
        (notes / "n0.txt").rename(notes / "z.txt")
    reader = record_lines(notes) if table else notes
    running.run(out, reader, "run.shard=2/3", consumers=CONSUMERS)
    with pytest.raises(MergeError) as caught:
        merged(out, reader)
    told = re.sub(r"begun [-:TZ0-9]+", "begun *", str(caught.value))
    assert "parts 1, 3 (begun *) did not read the same documents as part 2 (begun *)" in told
    assert not (out / "release").exists()
    for part in (1, 3):
        running.run(out, reader, f"run.shard={part}/3", "run.resume=true", consumers=CONSUMERS)
    merged(out, reader)
    running.run(tmp_path / "whole", reader, consumers=CONSUMERS)
    assert running.files(out) == running.files(tmp_path / "whole")


@pytest.mark.slow
def test_parts_of_two_divisions_are_told(tmp_path: Path, notes: Path) -> None:
    shards(tmp_path / "out", notes, 2)
    running.run(tmp_path / "out", notes, "run.shard=1/3", consumers=CONSUMERS)
    with pytest.raises(MergeError, match="parts of 2 and of 3: remove those of older runs"):
        merged(tmp_path / "out", notes)
    with pytest.raises(MergeError, match="no parts of a run"):
        merged(tmp_path / "nothing", notes)


@pytest.mark.slow
@pytest.mark.parametrize("overrides", [["trouble.least=3"], []])
def test_parts_of_another_pipeline_than_that_of_the_merge_are_refused(
    tmp_path: Path, notes: Path, overrides: list[str]
) -> None:
    shards(tmp_path / "out", notes, 2)
    consumers = CONSUMERS if overrides else "[text]"
    with pytest.raises(MergeError, match="another pipeline"):
        merged(tmp_path / "out", notes, *overrides, consumers=consumers)
    assert (tmp_path / "out/shards/1-of-2/release/documents.jsonl").exists()


@pytest.mark.slow
@pytest.mark.parametrize("path", ["release/text/n4.txt", "release/documents.jsonl", "restricted/html/index.html"])
def test_a_part_that_was_changed_merges_to_nothing_half(tmp_path: Path, notes: Path, path: str) -> None:
    out = tmp_path / "out"
    whole = running.run(tmp_path / "whole", notes, consumers=CONSUMERS) and running.files(tmp_path / "whole")
    shards(out, notes, 2)
    file = out / "shards/1-of-2" / path
    file.write_bytes(file.read_bytes().replace(b"n4", b"m4").replace(b"number", b"nimber"))
    before = running.files(out / "shards")
    with pytest.raises(MergeError, match=r"1-of-2: .*not what its ledger says"):
        merged(out, notes)
    assert running.files(out / "shards") == before
    left = {name: data for name, data in running.files(out).items() if not name.startswith("shards/")}
    assert all(whole[name] == data for name, data in left.items())
    assert not [name for name in left if name in ("release/documents.jsonl", "restricted/html/index.html")]
    shutil.rmtree(out / "shards/1-of-2")
    running.run(out, notes, "run.shard=1/2", consumers=CONSUMERS)
    merged(out, notes)
    assert running.files(out) == whole


@pytest.mark.slow
def test_parts_can_be_kept_and_merged_again(tmp_path: Path, notes: Path) -> None:
    running.run(tmp_path / "whole", notes, consumers=CONSUMERS)
    out = tmp_path / "out"
    shards(out, notes, 2)
    for _ in range(2):
        merged(out, notes, keep=True)
        assert (out / "shards/2-of-2/restricted/ledger.sqlite").exists()
    merged(out, notes)
    assert running.files(out) == running.files(tmp_path / "whole")


@pytest.mark.slow
def test_files_of_others_among_the_parts_stay(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    shards(out, notes, 2)
    (out / "shards/README").write_text("mine")
    merged(out, notes)
    assert (out / "shards/README").read_text() == "mine"
    assert not list((out / "shards").glob("*-of-*"))


@pytest.mark.slow
def test_a_merge_takes_the_place_of_an_older_run(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    running.run(out, notes, consumers=CONSUMERS)
    (notes / "n0.txt").unlink()
    (notes / "n3.txt").write_text("number 3")
    same(tmp_path, notes, 2)


@pytest.mark.slow
def test_ledgers_of_parts_can_lie_elsewhere(tmp_path: Path, notes: Path) -> None:
    running.run(tmp_path / "whole", notes, consumers=CONSUMERS)
    ledger = f"run.ledger={tmp_path / 'ledgers/l.sqlite'}"
    shards(tmp_path / "out", notes, 2, ledger)
    assert sorted(p.name for p in (tmp_path / "ledgers").glob("*.sqlite")) == ["l-1-of-2.sqlite", "l-2-of-2.sqlite"]
    merged(tmp_path / "out", notes, ledger)
    assert running.files(tmp_path / "out") == running.files(tmp_path / "whole")
    assert (tmp_path / "ledgers/l.sqlite").exists()


def test_consumers_that_need_all_documents_refuse_to_be_a_part(tmp_path: Path, notes: Path) -> None:
    with pytest.raises(ConsumerError, match=r"shard 1/2: ids needs all documents: run it without --shard"):
        running.run(tmp_path / "out", notes, "run.shard=1/2", consumers="[text, ids]")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_part_can_be_resumed_on_its_own(tmp_path: Path, notes: Path) -> None:
    running.run(tmp_path / "whole", notes, consumers=CONSUMERS)
    out = tmp_path / "out"
    shards(out, notes, 2)
    _, seen = running.run(out, notes, "run.shard=1/2", "run.resume=true", consumers=CONSUMERS)
    assert seen.reused() == [1, 3, 5, 7]
    merged(out, notes)
    assert running.files(out) == running.files(tmp_path / "whole")


@pytest.mark.slow
def test_a_part_knows_how_many_documents_are_its_own(tmp_path: Path, notes: Path) -> None:
    shards(tmp_path / "out", notes, 3)
    for part, total in ((1, 3), (2, 2), (3, 2)):
        with Ledger.read(tmp_path / f"out/shards/{part}-of-3") as ledger:
            run = ledger.run()
            assert (run.shard, run.total, run.read) == (f"{part}/3", total, total)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_a_merged_folder_can_be_resumed(tmp_path: Path, notes: Path, workers: int) -> None:
    out, given = tmp_path / "out", f"run.workers={workers}"
    shards(out, notes, 2)
    merged(out, notes)
    for _ in range(2):
        report, _ = running.run(out, notes, "run.resume=true", given, consumers=CONSUMERS)
        assert report.reused == 7
    (notes / "n2.txt").write_text("Another text with number 5.")
    _, seen = running.run(out, notes, "run.resume=true", given, consumers=CONSUMERS)
    assert seen.done() == [3]
    running.run(tmp_path / "whole", notes, consumers=CONSUMERS)
    assert running.files(out) == running.files(tmp_path / "whole")


@pytest.mark.slow
def test_a_document_that_changed_after_a_merge_is_done_again(tmp_path: Path, notes: Path) -> None:
    shards(tmp_path / "out", notes, 3)
    merged(tmp_path / "out", notes)
    (notes / "n4.txt").write_text("Another text with number 5.")
    _, seen = running.run(tmp_path / "out", notes, "run.resume=true", consumers=CONSUMERS)
    assert seen.done() == [5]


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "a/b", "1/2/3", "-1/2"])
def test_what_is_no_part_is_told(tmp_path: Path, notes: Path, shard: str) -> None:
    with pytest.raises(CaspipeError, match="shard"):
        running.run(tmp_path / "out", notes, f"run.shard={shard}", consumers=CONSUMERS)
