"""A resumed run does again what has changed, and only that; what comes out is what a run from scratch writes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import running
from resuming import ALL, CONSUMERS, NAMES, again, first, killed

from caspipe.pipeline.running.ledger import Ledger
from caspipe.typesystem import Annotation, Cas
from caspipe.typesystem.typesystem import TypeSystem
from caspipe.typesystem.xmi.writer import write_xmi


@pytest.mark.slow
def test_where_nothing_has_changed_nothing_is_done(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes)
    assert again(tmp_path / "out", notes) == []
    assert again(tmp_path / "out", notes, "run.workers=2") == []


@pytest.mark.slow
def test_only_documents_that_changed_are_done_again(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    first(out, notes)
    (notes / "n2.txt").write_text("Another text with number 5.")
    assert again(out, notes) == [3]
    (notes / "n2a.txt").write_text("A new one with number 6.")
    assert again(out, notes) == [4]
    (notes / "n0.txt").unlink()
    assert again(out, notes) == []
    assert not (out / "release/text/n0.txt").exists()
    assert not (out / "restricted/html/n0.html").exists()
    (notes / "n4.txt").rename(notes / "n9.txt")
    assert again(out, notes) == [8]
    assert not (out / "release/text/n4.txt").exists()


@pytest.mark.slow
def test_metadata_are_a_part_of_a_document(tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text("id,text,ward\na,number 1,north\nb,number 2,south\n")
    reader = f"{{csv: {{files: {json.dumps(str(file))}, metadata: [ward]}}}}"
    first(tmp_path / "out", reader)
    file.write_text("id,text,ward\na,number 1,north\nb,number 2,west\n")
    assert again(tmp_path / "out", reader) == [2]


@pytest.mark.slow
def test_another_parameter_does_everything_again(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes)
    assert again(tmp_path / "out", notes, "trouble.least=2") == ALL
    assert again(tmp_path / "out", notes, "trouble.least=2") == []


@pytest.mark.slow
def test_another_byte_of_a_rule_file_does_everything_again(tmp_path: Path, notes: Path) -> None:
    rules = tmp_path / "words.yaml"
    rules.write_text("rules:\n  - {name: numbers, kind: ID, pattern: 'number [0-9]+', confidence: 0.9, examples: []}\n")
    engines = f"[{{patterns: {{rules: {json.dumps(str(rules))}}}}}, trouble, resolver, masker]"
    first(tmp_path / "out", notes, engines=engines)
    assert again(tmp_path / "out", notes, engines=engines) == []
    rules.write_text(rules.read_text() + "# a remark\n")
    assert again(tmp_path / "out", notes, engines=engines) == ALL


@pytest.mark.slow
def test_another_key_does_everything_again(tmp_path: Path, notes: Path) -> None:
    keys = [("run.names=pseudonym", f"run.key={which} key of this test") for which in ("first", "second")]
    first(tmp_path / "out", notes, *keys[0], consumers="[text, jsonl]")
    assert again(tmp_path / "out", notes, *keys[0], consumers="[text, jsonl]") == []
    before = set(running.files(tmp_path / "out"))
    assert again(tmp_path / "out", notes, *keys[1], consumers="[text, jsonl]") == ALL
    same = {"release/documents.jsonl", "release/manifest.json", "restricted/names.csv"}
    assert before & set(running.files(tmp_path / "out")) == same


@pytest.mark.slow
def test_another_source_of_a_plug_in_does_everything_again(tmp_path: Path, notes: Path) -> None:
    plugin = tmp_path / "own.py"
    plugin.write_text(running.TROUBLES.read_text().replace('"trouble"', '"own"').split('@component("ids")')[0])

    def done(*more: str) -> int:
        (tmp_path / "run.yaml").write_text(
            "reader: {text: {folder: notes}}\nengines: [own, resolver, masker]\nconsumers: [text]\n"
        )
        call = [
            sys.executable,
            "-m",
            "caspipe.pipeline.application.cli.main",
            "run",
            "run.yaml",
            "--plugin",
            "own.py",
            "-w",
            "0",
            *more,
        ]
        events = tmp_path / "events.jsonl"
        events.unlink(missing_ok=True)
        done = subprocess.run([*call, "-q", "--events", str(events)], cwd=tmp_path, check=True)
        assert done.returncode == 0
        told = [json.loads(line) for line in events.read_text().splitlines()]
        return sum(1 for e in told if e.get("event") == "document" and not e.get("reused"))

    assert done() == 8
    assert done("--resume") == 0
    plugin.write_text(plugin.read_text() + "\n# a remark\n")
    assert done("--resume") == 8


@pytest.mark.slow
def test_options_of_the_run_and_the_place_of_its_folder_change_nothing(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes)
    given = ["run.max_errors=5", "run.limits.seconds=50", "run.on_error=skip", "run.retries=3"]
    assert again(tmp_path / "out", notes, *given) == []
    (tmp_path / "out").rename(tmp_path / "elsewhere")
    assert again(tmp_path / "elsewhere", notes, "run.workers=2") == []


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize("how", [damage, Path.unlink])
@pytest.mark.parametrize("path", ["release/text/n3.txt", "restricted/html/n3.html"])
def test_an_output_that_is_not_what_was_written_is_written_again(
    tmp_path: Path, notes: Path, path: str, how: Callable[[Path], None]
) -> None:
    first(tmp_path / "out", notes)
    how(tmp_path / "out" / path)
    assert again(tmp_path / "out", notes) == [4]


@pytest.mark.slow
@pytest.mark.parametrize("consumers", [CONSUMERS, "[jsonl, html, text]", "[csv, text, brat, jsonl]"])
@pytest.mark.parametrize("workers", [0, 2])
def test_a_common_file_that_was_changed_in_the_middle_is_written_again_there(
    tmp_path: Path, notes: Path, consumers: str, workers: int
) -> None:
    out = tmp_path / "out"
    first(out, notes, consumers=consumers)
    file = out / "release/documents.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    lines[4] = lines[4].replace(b"n", b"m", 1)
    file.write_bytes(b"".join(lines))
    assert again(out, notes, f"run.workers={workers}", consumers=consumers) == [5]


@pytest.mark.slow
def test_a_common_file_that_is_gone_is_written_again(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes)
    (tmp_path / "out/release/documents.jsonl").unlink()
    assert again(tmp_path / "out", notes) == ALL


@pytest.mark.slow
def test_the_list_of_pages_is_written_again_with_pages_that_keep_their_names(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes, consumers="[text, html, brat]")
    damage(tmp_path / "out/restricted/html/index.html")
    (tmp_path / "out/restricted/html/index.html").unlink()
    assert again(tmp_path / "out", notes, consumers="[text, html, brat]") == ALL


@pytest.mark.slow
def test_documents_with_types_of_their_own_keep_their_names(tmp_path: Path, notes: Path) -> None:
    running.run(tmp_path / "made", notes, consumers="[xmi]")
    reader = f"{{xmi: {{folder: {json.dumps(str(tmp_path / 'made/restricted/xmi'))}}}}}"
    consumers = "[text, jsonl, xmi, html]"
    first(tmp_path / "out", reader, consumers=consumers)
    assert again(tmp_path / "out", reader, consumers=consumers) == []
    (tmp_path / "made/restricted/xmi/n0.xmi").unlink()  # the one that brought the types
    assert again(tmp_path / "out", reader, consumers=consumers) == [1]
    assert again(tmp_path / "out", reader, "run.workers=2", consumers=consumers) == []


def badges(folder: Path, ranges: list[str]) -> str:
    """A reader of a document for each range of a feature that they define each in their way."""
    for n, range_ in enumerate(ranges):
        types = TypeSystem()
        made = types.create_type("org.example.Badge", Annotation, {f"a{n % 3}": "uima.cas.String", "number": range_})
        cas = Cas(f"badge 1{n}", id=f"n{n}", typesystem=types)
        cas.add(made(6, 8))
        (folder / f"n{n}").mkdir(parents=True)
        (folder / f"n{n}" / f"n{n}.xmi").write_bytes(write_xmi(cas, typesystem=types))
        (folder / f"n{n}" / "TypeSystem.xml").write_bytes(types.to_xml())
    return f"{{xmi: {{folder: {json.dumps(str(folder))}}}}}"


@pytest.mark.slow
def test_documents_whose_types_contradict_each_other_are_taken_over(tmp_path: Path) -> None:
    string, integer = "uima.cas.String", "uima.cas.Integer"
    reader = badges(tmp_path / "in", [string, integer, string, integer, integer, string])
    out, consumers = tmp_path / "out", "[xmi, text]"
    first(out, reader, consumers=consumers)
    beside = sorted(p.name for p in out.rglob("*.typesystem.xml"))
    assert beside == ["n1.typesystem.xml", "n3.typesystem.xml", "n4.typesystem.xml"]
    assert again(out, reader, consumers=consumers) == []
    (out / "restricted/xmi/n1/n1.typesystem.xml").unlink()
    assert again(out, reader, consumers=consumers) == []
    (out / "release/text/n1/n1.txt").unlink()
    assert again(out, reader, consumers=consumers) == [2]
    for n in (0, 2, 5):
        shutil.rmtree(tmp_path / f"in/n{n}")
    again(out, reader, consumers=consumers)
    assert not list(out.rglob("*.typesystem.xml"))


@pytest.mark.slow
def test_names_that_collide_stay_with_their_documents(tmp_path: Path) -> None:
    documents = [(i, f"{n} is number {100 + n}") for n, i in enumerate(["a:b", "a?b", "A:b", "c", "", "", "x" * 999])]
    file = running.records(tmp_path / "r.jsonl", documents)
    reader = f"{{jsonl: {{files: {json.dumps(str(file))}}}}}"
    out = tmp_path / "out"
    first(out, reader)
    again(out, reader)
    running.records(file, [documents[1], ("a|b", "new 7"), *documents[2:], documents[0]])
    again(out, reader)
    (out / "release/text/a_b-2.txt").unlink()
    again(out, reader)


@pytest.mark.slow
def test_a_document_that_a_consumer_refused_has_no_name(tmp_path: Path) -> None:
    file = running.records(tmp_path / "r.jsonl", [(i, f"number {n}") for n, i in enumerate(["a:b", "a?b", "a|b"])])
    reader = f"{{jsonl: {{files: {json.dumps(str(file))}}}}}"
    consumers = "[text, html, xmi, jsonl: {folder: release/json}, inception, halves: {fail_in: commit, on: 'a:b'}]"
    out = tmp_path / "out"
    first(out, reader, consumers=consumers)
    assert sorted(p.name for p in (out / "release/text").iterdir()) == ["a_b-2.txt", "a_b.txt"]
    assert (out / "release/text/a_b.txt").read_text() == "number [ID]"
    assert again(out, reader, consumers=consumers) == []
    for path in ("release/json/a_b.json", "restricted/html/a_b-2.html", "release/text/a_b.txt"):
        (out / path).unlink()
    assert again(out, reader, consumers=consumers) == [2, 3]


@pytest.mark.slow
def test_strange_ids_are_taken_over_as_well(tmp_path: Path) -> None:
    ids = ["lone \ud800", "two\nlines", "y" * 1000, "../up", "nul", "a'b\"c", "\u202e", "ward/1", "ward"]
    file = running.records(tmp_path / "r.jsonl", [(i, f"number {n}") for n, i in enumerate(ids)])
    reader = f"{{jsonl: {{files: {json.dumps(str(file))}}}}}"
    first(tmp_path / "out", reader)
    assert again(tmp_path / "out", reader) == []


# -- runs that were cut off ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_goes_on_after_its_limit(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes, "run.limit=3")
    assert again(tmp_path / "out", notes) == [4, 5, 6, 7, 8]


@pytest.mark.slow
def test_a_limited_run_removes_nothing(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes)
    _, seen = running.run(tmp_path / "out", notes, "run.limit=3", "run.resume=true", consumers=CONSUMERS)
    assert seen.reused() == [1, 2, 3]
    assert (tmp_path / "out/release/text/n7.txt").exists()
    assert again(tmp_path / "out", notes) == [4, 5, 6, 7, 8]


@pytest.mark.slow
def test_a_run_goes_on_after_too_many_errors(tmp_path: Path, notes: Path) -> None:
    (notes / "n2.txt").write_text("do=fails 1")
    (notes / "n4.txt").write_text("do=fails 2")
    report, _ = running.run(tmp_path / "out", notes, "run.max_errors=1", consumers=CONSUMERS)
    assert report.exit_code == 4
    (notes / "n4.txt").write_text("number 2")
    assert again(tmp_path / "out", notes) == [5, 6, 7, 8]


@pytest.mark.slow
def test_a_killed_resume_of_a_killed_run_goes_on(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    killed(out, notes, 6)
    killed(out, notes, 3, "run.resume=true")
    killed(out, notes, 7, "run.resume=true")
    again(out, notes)


@pytest.mark.slow
def test_what_a_killed_run_released_of_a_document_that_is_quarantined_now_goes(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    monkeypatch.setattr("caspipe.pipeline.running.ledger.ledger._BATCH_SECONDS", 1e9)  # however slow the disk is
    killed(out, notes, 5)
    assert (out / "release/text/n1.txt").exists()
    (notes / "n1.txt").write_text("do=fails 1")
    running.run(out, notes, "run.resume=true", consumers=CONSUMERS)
    assert not (out / "release/text/n1.txt").exists()


@pytest.mark.slow
@pytest.mark.parametrize("consumer", ["text", "jsonl: {folder: release/text}"])
def test_a_file_that_was_placed_before_its_row_was_written_goes_with_its_document(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch, consumer: str
) -> None:
    out, consumers = tmp_path / "out", f"[{consumer}]"

    def add(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "add", add)
        killed(out, notes, 5, consumers=consumers)
    assert [p.stem for p in out.glob("release/text/n*")] == ["n0"]
    (notes / "n0.txt").write_text("do=fails 1")
    running.run(out, notes, "run.resume=true", consumers=consumers)
    assert sorted(p.stem for p in out.glob("release/text/n*")) == NAMES[1:]


@pytest.mark.slow
def test_a_resume_without_order_loses_nothing(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    consumers = "[text, {jsonl: {folder: release/single}}, html]"
    first(out, notes, consumers=consumers)
    damage(out / "release/single/n3.json")
    given = ["run.workers=2", "run.ordered=false", "run.resume=true"]
    _, seen = running.run(out, notes, *given, consumers=consumers)
    assert (seen.done(), seen.reused()) == ([4], [1, 2, 3, 5, 6, 7, 8])
    assert again(out, notes, consumers=consumers) == []
