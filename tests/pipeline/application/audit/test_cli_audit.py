"""`caspipe audit` as a data steward meets it: draw, read, bound, manifest, verify."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from audited_run import audit, fill, make_run, masked

from caspipe.pipeline.application.audit.bounds import hypergeometric

SAMPLE = Path("restricted/audit/n10-seed0")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "out", 40, quarantined=(3, 17))


def drawn(run: Path, name: Path = SAMPLE) -> dict[str, Any]:
    return json.loads((run / name / "sample.json").read_bytes())


def held(run: Path, name: Path = SAMPLE) -> dict[str, Any]:
    """The documents in the page."""
    page = (run / name / "read.html").read_text(encoding="utf-8")
    found = page.partition('<script type="application/json" id="data">')[2].partition("</script>")[0]
    return json.loads(found)


# -- sample


def test_a_sample_names_population_and_share_and_lies_where_only_its_owner_goes(run: Path) -> None:
    out = audit("sample", run, "-n", 10)
    assert "10 of 38 released documents drawn (26.3 %), seed 0" in out
    made = drawn(run)
    assert (made["population"], made["size"], made["fraction"]) == (38, 10, 10 / 38)
    assert not {3, 17} & set(made["numbers"])  # in quarantine, so no part of the release
    assert (run / SAMPLE).stat().st_mode & 0o777 == 0o700
    assert all(p.stat().st_mode & 0o777 == 0o600 for p in (run / SAMPLE).iterdir())
    assert sorted(p.name for p in (run / SAMPLE).iterdir()) == ["findings.csv", "read.html", "sample.json"]


def test_the_same_seed_draws_the_same_and_a_larger_sample_begins_with_it(run: Path) -> None:
    audit("sample", run, "-n", 10)
    first = {p.name: p.read_bytes() for p in (run / SAMPLE).iterdir()}
    audit("sample", run, "-n", 10)
    assert first == {p.name: p.read_bytes() for p in (run / SAMPLE).iterdir()}
    audit("sample", run, "-n", 20)
    larger = drawn(run, SAMPLE.with_name("n20-seed0"))
    assert larger["numbers"][:10] == drawn(run)["numbers"] and larger["id"] == drawn(run)["id"]
    audit("sample", run, "-n", 10, "--seed", 5)
    assert drawn(run, SAMPLE.with_name("n10-seed5"))["numbers"] != drawn(run)["numbers"]


def test_the_page_holds_masked_texts_and_numbers_but_no_ids(run: Path) -> None:
    audit("sample", run, "-n", 10)
    documents = held(run)["documents"]
    assert [d["n"] for d in documents] == drawn(run)["numbers"]
    for d in documents:
        assert d["t"] == masked(d["n"]).replace("\r", "\u200b")
        spans = [(d["t"].encode("utf-16-le")[2 * b : 2 * e].decode("utf-16-le"), kind) for b, e, kind in d["s"]]
        assert len(spans) >= 3 and all(words == f"[{kind}]" for words, kind in spans)
    for path in (run / SAMPLE).iterdir():
        assert b"note-" not in path.read_bytes()


def test_texts_and_spans_come_from_json_lines_where_there_are_any(tmp_path: Path) -> None:
    run = make_run(tmp_path / "out", 12, as_text=False, as_jsonl=True)
    audit("sample", run, "-n", 12)
    documents = held(run, SAMPLE.with_name("n12-seed0"))["documents"]
    assert all(d["t"] == masked(d["n"]).replace("\r", "\u200b") and len(d["s"]) >= 2 for d in documents)


def test_a_text_cannot_close_the_script_it_is_held_in(tmp_path: Path) -> None:
    run = make_run(tmp_path / "out", 3, text=lambda n: f"</script><script>alert({n})</script> \u2028\x00")
    audit("sample", run, "-n", 3)
    page = (run / "restricted/audit/n3-seed0/read.html").read_text(encoding="utf-8")
    assert "alert(" in page and "<script>alert(" not in page
    assert held(run, SAMPLE.with_name("n3-seed0"))["documents"][0]["t"].endswith("\u2028\u2400")


def test_by_kind_reads_more_of_rare_kinds(tmp_path: Path) -> None:
    run = make_run(tmp_path / "out", 300)
    out = audit("sample", run, "-n", 60, "--by", "kind")
    made = drawn(run, SAMPLE.with_name("n60-seed0-by-kind"))
    assert sum(made["strata"].values()) == 300 and len(made["numbers"]) == 60
    assert made["strata"] == {"DATE": 130, "FAX": 42, "ID": 64, "LOCATION": 64}
    assert "  FAX: 12 of 42" in out  # its share alone would give it 8
    assert "  DATE: 20 of 130" in out


def test_findings_are_not_overwritten(run: Path) -> None:
    audit("sample", run, "-n", 10)
    fill(run / SAMPLE / "findings.csv", drawn(run))
    assert "holds findings: draw into another folder (-o), or remove it" in audit("sample", run, "-n", 10, code=4)


@pytest.mark.parametrize(
    ("state", "released", "told"),
    [("running", 5, "the run has not ended"), ("done", 0, "the run released no document")],
)
def test_there_must_be_a_release(tmp_path: Path, state: str, released: int, told: str) -> None:
    run = make_run(tmp_path / "out", 5, quarantined=range(1, 6 - released), state=state)
    assert told in audit("sample", run, code=4)


def test_a_changed_or_missing_output_is_told_by_number(run: Path) -> None:
    audit("sample", run, "-n", 10)
    number = drawn(run)["numbers"][0]
    (run / f"release/text/note-{number}.txt").write_text("changed", encoding="utf-8")
    assert f"document {number}: its output has changed since the run" in audit("sample", run, "-n", 10, code=4)
    (run / f"release/text/note-{number}.txt").unlink()
    out = audit("sample", run, "-n", 10, code=4)
    assert f"document {number}: cannot read its output" in out and "note-" not in out


@pytest.mark.parametrize(
    ("folder", "told"),
    [
        ("gold", "has neither text nor JSON in release/: expected the consumer text or jsonl"),
        (
            "restricted/text",
            "has neither text nor JSON in release/: expected the consumer text or jsonl",
        ),
        ("release/../restricted", "its output is outside of"),
    ],
    ids=["elsewhere", "restricted", "roundabout"],
)
def test_original_texts_are_never_taken(tmp_path: Path, folder: str, told: str) -> None:
    run = make_run(tmp_path / "out", 3)
    ledger = run / "restricted" / "ledger.sqlite"
    with sqlite3.connect(ledger) as database:
        database.execute("UPDATE documents SET outputs = replace(outputs, 'release/text', ?)", (folder,))
    database.close()
    assert told in audit("sample", run, code=4)


def test_a_folder_without_a_ledger_is_told(tmp_path: Path) -> None:
    assert "no ledger" in audit("sample", tmp_path, code=4)


def test_an_unknown_way_to_draw_is_told(run: Path) -> None:
    assert "--by: expected none or kind, got 'ward'" in audit("sample", run, "--by", "ward", code=2)


# -- bound


def test_findings_become_bounds(run: Path, tmp_path: Path) -> None:
    audit("sample", run, "-n", 10)
    findings = fill(tmp_path / "f.csv", drawn(run), {2: "PERSON_DOCTOR:2;DATE"})
    out = audit("bound", run, "--findings", findings)
    most = hypergeometric(1, 10, 38)
    assert (
        "10 of 38 released documents, drawn at random, were read; 1 of them contains a leak. With 95 % confidence, at most "
        f"{most}" in out
    )
    made = json.loads((run / SAMPLE / "audit.json").read_bytes())
    assert (made["read"], made["unread"], made["in_order"], made["leaks"]["found"]) == (10, 0, True, 3)
    assert {name: b["found"] for name, b in made["bounds"].items()} == {
        "any leak": 1,
        "direct identifier": 1,
        "quasi-identifier": 1,
        "1 direct or 2 quasi": 1,
        "DATE": 1,
        "PERSON": 1,
    }
    assert made["bounds"]["any leak"]["documents"] == most
    page = (run / SAMPLE / "audit.html").read_text(encoding="utf-8")
    assert page.count('<circle class="find"') == 2  # one find, in the wide picture and the narrow one
    assert "note-" not in page


def test_unread_rows_count_as_unread(run: Path, tmp_path: Path) -> None:
    audit("sample", run, "-n", 10)
    out = audit("bound", run, "--findings", fill(tmp_path / "f.csv", drawn(run), read=6))
    assert "6 of 38 released documents, drawn at random, were read; none of them contains a leak." in out
    assert f"at most {hypergeometric(0, 6, 38)} of the 38 documents" in out
    assert "4 of 10 documents drawn were not read. They count as unread, not as clean." in out


def test_leaving_out_documents_is_told(run: Path, tmp_path: Path) -> None:
    audit("sample", run, "-n", 10)
    path = fill(tmp_path / "f.csv", drawn(run))
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(lines[:2] + lines[5:]), encoding="utf-8")
    assert "The documents read are not the first ones drawn." in audit("bound", run, "--findings", path)


def test_an_untouched_file_is_no_reading(run: Path) -> None:
    audit("sample", run, "-n", 10)
    told = "no document was read: every row lacks a number of leaks (0 if none was found)"
    assert told in audit("bound", run, "--findings", run / SAMPLE / "findings.csv", code=4)


def test_findings_of_another_seed_run_or_release_are_refused(run: Path, tmp_path: Path) -> None:
    audit("sample", run, "-n", 10)
    other = make_run(tmp_path / "other", 40)
    audit("sample", other, "-n", 10)
    foreign = fill(tmp_path / "f.csv", drawn(other))
    told = f"--findings: findings of another sample or another run; samples drawn here: {drawn(run)['id']}"
    assert told in audit("bound", run, "--findings", foreign, code=2)
    mine = fill(tmp_path / "g.csv", drawn(run))
    shutil.rmtree(run / "release")
    shutil.rmtree(run / "restricted" / "ledger.sqlite", ignore_errors=True)
    (run / "restricted" / "ledger.sqlite").unlink()
    make_run(run, 40, quarantined=(3, 18))
    assert "the run has released other documents since the sample was drawn: draw a new one" in audit(
        "bound", run, "--findings", mine, code=2
    )


def test_findings_of_a_smaller_sample_count_for_the_larger_one(run: Path, tmp_path: Path) -> None:
    audit("sample", run, "-n", 10)
    findings = fill(tmp_path / "f.csv", drawn(run))
    audit("sample", run, "-n", 20)
    out = audit("bound", run, "--findings", findings)
    assert "10 of 20 documents drawn were not read" in out and "not the first" not in out


def test_two_readers_are_compared_and_what_both_missed_is_added(run: Path, tmp_path: Path) -> None:
    audit("sample", run, "-n", 20)
    made = drawn(run, SAMPLE.with_name("n20-seed0"))
    one = fill(tmp_path / "a.csv", made, {1: "PERSON", 2: "DATE", 3: "ID"}, reader="ab")
    two = fill(tmp_path / "b.csv", made, {1: "PERSON", 7: "DATE", 8: "AGE", 9: "ID"}, reader="cd")
    out = audit("bound", run, "--findings", one, "--findings", two)
    assert "ab and cd: both read 20 documents, agreement 75.0 %, on documents with a leak 28.6 %" in out
    told = json.loads((run / "restricted/audit/n20-seed0/audit.json").read_bytes())
    assert told["pairs"][0]["leaking"]["chapman"] == pytest.approx(4 * 5 / 2 - 1)
    assert (told["bounds"]["any leak"]["found"], told["missed"], told["with_missed"]["found"]) == (6, 3, 9)
    assert told["with_missed"]["documents"] == hypergeometric(9, 20, 38)


def test_a_stratified_sample_is_bounded_stratum_by_stratum(tmp_path: Path) -> None:
    run = make_run(tmp_path / "out", 300)
    audit("sample", run, "-n", 60, "--by", "kind")
    made = drawn(run, SAMPLE.with_name("n60-seed0-by-kind"))
    out = audit("bound", run, "--findings", fill(tmp_path / "f.csv", made))
    told = json.loads((run / "restricted/audit/n60-seed0-by-kind/audit.json").read_bytes())
    most = told["bounds"]["any leak"]["documents"]
    assert hypergeometric(0, 60, 300) < most < 300 * 0.1
    assert "stratified by the rarest kind" in out
    assert told["to_read"][0]["more"] is not None and told["to_read"][0]["more"] > 0


def test_everything_read_leaves_no_doubt(tmp_path: Path) -> None:
    run = make_run(tmp_path / "out", 12)
    assert "the sample is the whole release" in audit("sample", run)
    made = drawn(run, SAMPLE.with_name("n12-seed0"))
    out = audit("bound", run, "--findings", fill(tmp_path / "f.csv", made, {0: "DATE"}))
    assert "at most 1 of the 12 documents (8.33 %)" in out
    assert "not possible with this number of finds" in out


@pytest.mark.parametrize("confidence", ["0.5", "95"])
def test_a_confidence_out_of_range_is_told(run: Path, tmp_path: Path, confidence: str) -> None:
    audit("sample", run, "-n", 10)
    findings = fill(tmp_path / "f.csv", drawn(run))
    assert "--confidence: expected a number from 0.8" in audit(
        "bound", run, "--findings", findings, "--confidence", confidence, code=4
    )


def test_a_sample_elsewhere_is_found_beside_its_findings_or_by_name(run: Path, tmp_path: Path) -> None:
    audit("sample", run, "-n", 10, "-o", tmp_path / "usb" / "ward")
    made = drawn(tmp_path, Path("usb/ward"))
    beside = fill(tmp_path / "usb" / "ward" / "f.csv", made)
    audit("bound", run, "--findings", beside)
    assert (tmp_path / "usb" / "ward" / "audit.json").is_file()
    away = fill(tmp_path / "f.csv", made)
    assert "samples drawn here: none" in audit("bound", run, "--findings", away, code=2)
    audit("bound", run, "--findings", away, "--sample", tmp_path / "usb" / "ward")
