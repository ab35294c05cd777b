"""Every byte of a release is searched for every value that was masked in it, before the run is finished."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from attacks.scanning import ANN, BOB, manifest, pipeline, released, run

from caspipe.pipeline.assembly.assemble import RunOptions
from caspipe.pipeline.running.ledger import LedgerReader, merging
from caspipe.pipeline.running.release_scan.pieces import pieces_of
from caspipe.pipeline.running.release_scan.readings import readings
from caspipe.pipeline.running.release_scan.scanner import ReleaseScanner
from caspipe.pipeline.running.release_scan.tokens import NUMBER, FormTable, Hasher, Tokens, forms_array, words_of
from caspipe.pipeline.running.released_names import ReleasedNames

pytestmark = pytest.mark.attack("release-scanner")


def test_a_value_in_the_name_of_a_file_withdraws_its_document(tmp_path: Path) -> None:
    out = tmp_path / "out"
    consumers = "[text, csv, parquet, jsonl: {fields: [id, text]}]"
    report = run(out, {"Quellmore_Annabel": ANN, "other": BOB}, consumers, "run.names=id")
    assert (report.documents.released, report.documents.quarantined, report.exit_code) == (1, 1, 3)
    assert report.reasons == {"scan": 1} and report.scan.withdrawn == 1
    assert b"uellmore" not in released(out) and b"other" in released(out)
    (reason,) = (out / "restricted/quarantine").glob("*.json")
    told = json.loads(reason.read_text())
    assert told["reason"] == "scan" and "PERSON in the name of a file" in told["message"]
    assert "release/spans.csv at byte" in told["message"]
    assert "uellmore" not in told["message"]
    assert reason.with_suffix(".txt").read_text() == ANN
    assert manifest(out)["documents"] == {"read": 2, "released": 1, "quarantined": 1, "skipped": 0}
    with LedgerReader.read(out) as ledger:
        rows = {row.id: row for row in ledger.rows()}
        for output in rows["other"].outputs:
            if output.path.endswith((".jsonl", ".csv")):
                data = (out / output.path).read_bytes()
                assert b"other" in data[output.begin : output.begin + output.length]


@pytest.mark.parametrize("consumers", ["[text]", "[jsonl: {fields: [text]}]", "[parquet: {fields: [text]}]"])
def test_a_value_of_another_document_withdraws_the_one_that_shows_it(tmp_path: Path, consumers: str) -> None:
    out = tmp_path / "out"
    shown = {
        "b": "Her sister ANNABEL QUELLMORE came.",
        "c": "MRN 88123456 too.",
        "d": "Went to 12 Quarrow Street.",
        "e": BOB,
    }
    report = run(out, {"a": ANN, **shown}, consumers)
    assert {f.document for f in report.failures} == {"b", "c", "d"}
    told = {f.document: f.message for f in report.failures}
    assert told["b"].startswith("the release contains masked values: PERSON in release/") and "ID in" in told["c"]
    assert report.documents.released == 2
    data = released(out)
    assert not any(value in data for value in (b"QUELLMORE", b"88123456", b"Quarrow"))


def test_without_a_gate_a_value_that_still_stands_withdraws_its_document(tmp_path: Path) -> None:
    report = run(tmp_path / "out", {"a": "{PERSON:Quellmore} was seen. Quellmore left.", "b": BOB})
    assert [(f.document, f.reason) for f in report.failures] == [("a", "scan")]
    assert "PERSON in release/text/" in report.failures[0].message
    assert report.failures[0].message.endswith(" at byte 28")


@pytest.mark.parametrize("form", ["plain", "gz", "zip", "tar", "sqlite", "entities", "utf-16"])
def test_a_file_of_no_document_leaves_the_release(tmp_path: Path, form: str) -> None:
    out = tmp_path / "out"
    report = run(out, {"a": ANN, "b": BOB}, f"[text, leaking_files: {{form: {form}, file: release/deep/leaking.bin}}]")
    assert not (out / "release/deep/leaking.bin").exists()
    moved = out / "restricted/withdrawn/deep/leaking.bin"
    assert moved.stat().st_mode & 0o777 == 0o600
    assert (report.scan.moved, report.exit_code, report.documents.released) == (1, 3, 2)


def test_a_table_of_a_database_is_searched_with_its_documents(tmp_path: Path) -> None:
    out = tmp_path / "out"
    consumers = '[sql: {url: "sqlite:///release/notes.db", fields: [id, text]}]'
    report = run(out, {"a": ANN, "b": "Annabel Quellmore again.", "c": BOB}, consumers)
    assert [f.document for f in report.failures] == ["b"]
    with closing(sqlite3.connect(out / "release/notes.db")) as database:
        assert [t for (t,) in database.execute("SELECT text FROM documents WHERE text LIKE '%uellmore%'")] == []
        assert database.execute("SELECT count(*) FROM documents").fetchone() == (2,)


NEAR = {
    "an ordinary word": ("{PERSON:Brown} was seen.", "A brown spot."),
    "a single name of another document": ("{PERSON:Quellmore} was seen.", "Quellmore was seen."),
    "a date of another document": ("On {DATE:3/4/2020}.", "On 3/4/2020."),
    "a short number of another document": ("Room {ID:4512}.", "Dose 4512."),
    "a number inside a longer one": ("MRN {ID:881234}.", "Lot 1881234 and 88123456."),
    "a number inside a digest": ("MRN {ID:881234}.", "Digest a881234bc."),
}


@pytest.mark.parametrize("case", NEAR)
def test_near_misses_are_released(tmp_path: Path, case: str) -> None:
    one, other = NEAR[case]
    report = run(tmp_path / "out", {"a": one, "b": other})
    assert (report.documents.released, report.scan.withdrawn, report.exit_code) == (2, 0, 0), report.failures


def test_surrogates_that_equal_values_of_others_are_released(tmp_path: Path) -> None:
    """Surrogates of many documents equal names that were masked elsewhere, by chance."""
    draw = random.Random(1)
    first, last = "James Mary John Linda".split(), "Smith Johnson Williams Brown".split()
    texts = {f"n{i}": f"Seen by {{PERSON:{draw.choice(first)} {draw.choice(last)}}}.\n" for i in range(60)}
    engines = "{masker: {PERSON: {surrogate: {key: secret}}}}"
    report = run(tmp_path / "out", texts, engines=engines)
    assert (report.documents.released, report.scan.withdrawn) == (60, 0)


def test_the_scanner_can_be_switched_off_and_the_manifest_says_so(tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = run(out, {"a": ANN, "b": "Annabel Quellmore."}, "[text]", "run.scan=false")
    assert report.documents.released == 2 and b"Quellmore" in released(out)
    assert manifest(out)["scan"]["state"] == "off"  # type: ignore[index]


def test_what_was_not_checked_is_said(tmp_path: Path) -> None:
    texts = {"a": "{AGE:50} years, {ID:12}, {PERSON:Brown}, {DATE:May 4}."}
    consumers = f"[text, jsonl: {{file: {tmp_path}/elsewhere.jsonl}}]"
    report = run(tmp_path / "out", texts, consumers)
    assert report.scan.not_searched == {"ages": 2, "common": 1, "short": 1}
    assert report.scan.not_checked == [
        "2 values: ages, years and parts of dates",
        "1 value: ordinary words",
        "1 value: too short",
        "what jsonl writes outside of release/",
    ]


def test_any_number_of_workers_gives_the_same(tmp_path: Path) -> None:
    texts = {f"n{i:02}": ANN.replace("8812", f"88{i:02}") for i in range(8)} | {
        "x": "Annabel Quellmore",
        "Quellmore": ANN,
    }
    seen = []
    for workers, start in ((0, "auto"), (2, "fork"), (2, "spawn")):
        out = tmp_path / f"out-{workers}-{start}"
        run(out, texts, "[text, jsonl, csv]", f"run.workers={workers}", f"run.start={start}")
        files = {p.relative_to(out): p.read_bytes() for p in (out / "release").rglob("*") if p.is_file()}
        quarantine = {p.name: p.read_bytes() for p in (out / "restricted/quarantine").iterdir()}
        seen.append((files, quarantine))
    assert seen[0] == seen[1] == seen[2]
    assert len(seen[0][1]) == 2  # text and reason of x, which shows what is masked in all others


def test_a_resumed_run_scans_again_and_keeps_what_was_withdrawn(tmp_path: Path) -> None:
    out, texts = tmp_path / "out", {"a": ANN, "b": "Annabel Quellmore.", "c": BOB}
    run(out, texts, "[text, jsonl]")
    before = released(out)
    report = run(out, texts, "[text, jsonl]", "run.resume=true")
    assert (report.reused, report.documents.quarantined, report.reasons) == (3, 1, {"scan": 1})
    assert released(out) == before
    texts["d"] = "And Robert Tollivant."
    report = run(out, texts, "[text, jsonl]", "run.resume=true")
    assert sorted(f.document for f in report.failures) == ["b", "d"]
    assert b"Tollivant" not in released(out)


def test_shards_share_the_key_and_the_merged_release_is_scanned(tmp_path: Path) -> None:
    out, texts = tmp_path / "out", {"a": ANN, "b": "Annabel Quellmore.", "c": BOB}
    for n in (1, 2):
        run(out, texts, "[text, jsonl]", f"run.shard={n}/2")
    assert (out / "restricted/scan.key").stat().st_mode & 0o777 == 0o600
    report = merging.merge(pipeline(out, texts, "[text, jsonl]"))
    assert [f.document for f in report.failures] == ["b"]  # found only now: it is in another shard
    run(tmp_path / "single", texts, "[text, jsonl]")
    assert released(out) == released(tmp_path / "single")
    assert manifest(out)["scan"] == manifest(tmp_path / "single")["scan"]


_KILLED = """
import os, signal, sys
sys.path[:0] = [{attacks!r}, {tests!r}]
from pathlib import Path
from caspipe.pipeline.running.release_scan import finish
from attacks import scanning as suite
def killed(*_): os.kill(os.getpid(), signal.SIGKILL)
finish.Withdrawal.{method} = killed
suite.run(Path({out!r}), {texts!r}, "[text, jsonl]")
"""


@pytest.mark.parametrize("method", ["withdraw", "_rebuild", "_fail"])
def test_a_run_that_was_killed_while_it_withdrew_does_so_when_resumed(tmp_path: Path, method: str) -> None:
    out, texts = tmp_path / "out", {"a": ANN, "b": "Annabel Quellmore.", "c": BOB}
    here = Path(__file__).parent
    code = _KILLED.format(attacks=str(here), tests=str(here.parent), method=method, out=str(out), texts=texts)
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, env={**os.environ})
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    with LedgerReader.read(out) as ledger:
        assert ledger.run().state == "running"
    run(out, texts, "[text, jsonl]", "run.resume=true")
    run(tmp_path / "scratch", texts, "[text, jsonl]")
    assert released(out) == released(tmp_path / "scratch")
    assert b"Quellmore" not in released(out)


def test_no_value_is_kept_in_clear(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, {"a": ANN, "b": BOB})
    for path in (out / "restricted").rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        assert not any(value in data for value in (b"Quellmore", b"quellmore", b"88123456", b"Tollivant")), path


def test_a_run_without_a_ledger_is_scanned_too(tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = run(out, {"a": ANN, "b": "Annabel Quellmore."}, "[text, jsonl]", "run.ledger=false")
    assert [f.document for f in report.failures] == ["b"] and b"uellmore" not in released(out)
    assert sorted(p.name for p in (out / "restricted").iterdir()) == ["names.csv", "quarantine"]


def test_many_values_are_searched_for_in_batches(tmp_path: Path) -> None:
    out, texts = tmp_path / "out", {f"n{i}": ANN.replace("Quellmore", f"Quell{chr(97 + i) * 3}") for i in range(12)}
    run(out, {**texts, "x": "Annabel Quellkkk and Annabel Quellaaa."}, "[text]", "run.scan=false")
    run(out, {}, "[text]", "run.limit=12")
    with LedgerReader.read(out) as ledger:
        (out / "release/text/x.txt").write_text("Annabel Quellkkk and Annabel Quellaaa.")
        keys = _keys(out)
        found = [
            ReleaseScanner(out, ledger, [], keys, ReleasedNames.of(RunOptions()), batch).scan()
            for batch in (2, 1_000_000)
        ]
    assert [len(f.files["release/text/x.txt"]) for f in found] == [2, 2]


def _keys(out: Path) -> list[bytes]:
    from caspipe.pipeline.running.release_scan.key_file import derived_key

    with LedgerReader.read(out) as ledger:
        return [derived_key(ledger.salt)]


FOUND = [
    ("Zoë Quéllmore", "zoe QUELLMORE"),
    ("Ann Bell", "Ann\\nBell"),
    ("Ann Bell", "Ann &amp; &#66;ell Ann&nbsp;Bell"),
    ("Ann Bell", "<b>Ann</b> <i>Be</i>ll"),
    ("Ann Bell", "\\u0041nn Bell"),
    ("Ann Bell", "Ann%20Bell"),
    ("Ann Bell", "Ann_Bell.txt"),
    ("Ann Bell", "Ａnn Bell"),
    ("Ann Bell", "Ann Be\u00adll"),
]


@pytest.mark.parametrize(("value", "text"), FOUND)
def test_disguised_values_are_found(value: str, text: str) -> None:
    hasher = Hasher(b"k")
    words = words_of(value)
    table = FormTable(forms_array([(hasher.words(words), len(words), 0, 3)]))
    assert any(list(Tokens(reading, hasher).find(table)) for reading, _ in readings(text)), text


@pytest.mark.parametrize("text", ["555-123-4567", "(555) 123 4567", "5551234567", "ext 7, 555.123.4567 8"])
def test_numbers_are_found_with_any_separators(text: str) -> None:
    hasher = Hasher(b"k")
    table = FormTable(forms_array([(hasher.number("5551234567"), 10 | NUMBER, 0, 3)]))
    assert len(list(Tokens(text, hasher).find(table))) == 1


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("555 x 12345", {"12345"}),
        ("5551 \u00e9 234", {"5551"}),
        ("5551\u00b2 234", {"5551"}),
        ("555\u2013\u0661\u0662\u0663\u0664 now", {"5551234", "1234"}),
    ],
)
def test_letters_divide_numbers_and_digits_of_all_scripts_are_digits(text: str, numbers: set[str]) -> None:
    assert {digits for digits, *_ in Tokens(text, Hasher(b"k")).numbers} == numbers


def test_values_between_chunks_are_found_and_offsets_are_bytes(tmp_path: Path) -> None:
    hasher = Hasher(b"k")
    table = FormTable(forms_array([(hasher.words(["ann", "bell"]), 2, 0, 3)]))
    for before in ((1 << 20) - 6, (1 << 20) - 3, (1 << 20) - 30):
        path = tmp_path / "long.txt"
        path.write_bytes("é ".encode() * (before // 3) + b"Ann Bell" + b" x" * 700_000)
        places = set()
        for piece in pieces_of(path, Counter()):
            for place in Tokens(piece.text, hasher).find(table):
                places.add(piece.begin + len(piece.text[: place.begin].encode()))
        assert places == {before // 3 * 3}


def test_the_work_is_proportional_to_the_text() -> None:
    counts = []
    for size in (1_000, 2_000, 4_000):
        tokens = Tokens("12 34 56 " * size, Hasher(b"k"))
        counts.append(len(tokens.numbers) + len(tokens.words))
    assert counts[2] < 2.1 * counts[1] < 4.4 * counts[0]


@pytest.mark.parametrize("damage", ["gz", "zip"])
def test_a_damaged_archive_is_said_and_not_fatal(tmp_path: Path, damage: str) -> None:
    out = tmp_path / "out"
    run(out, {"a": ANN})
    source = out / "release/damaged.bin"
    source.write_bytes({"gz": b"\x1f\x8b\x08\0", "zip": b"PK\x03\x04broken"}[damage] + b"\0" * 40)
    report = run(out, {"a": ANN})
    assert "a damaged" in " ".join(report.scan.not_checked)
    shutil.rmtree(out)
