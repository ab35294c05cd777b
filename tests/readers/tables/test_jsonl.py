"""Reader of JSON Lines."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from caspipe.pipeline.errors import ReaderError
from caspipe.readers.tables.json_records import JsonlReader
from caspipe.readers.tables.records import KnownField
from caspipe.typesystem import GOLD_VIEW, Phi, PhiKind

NAME = "Featherstone"


def reader(tmp_path: Path, *lines: Any, **options: Any) -> JsonlReader:
    raw = b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    (tmp_path / "notes.jsonl").write_bytes(raw)
    return JsonlReader(folder=tmp_path, **options)


def reasons(reader: JsonlReader) -> list[tuple[str, str]]:
    return [(document, str(error)) for document, error in reader.failed]


def only(reader: JsonlReader) -> str:
    """The one reason, with nothing read."""
    assert list(reader) == []
    ((_, reason),) = reasons(reader)
    assert NAME not in repr(reader.failed)
    return reason


def test_each_line_is_a_document(tmp_path: Path) -> None:
    r = reader(
        tmp_path, {"id": "a", "text": "one\r\n"}, b"", {"id": 7, "text": ""}, {"id": "c", "text": "\U0001f600\u2028"}
    )
    assert [(c.id, c.text, c.metadata) for c in r] == [
        ("a", "one\r\n", {}),
        ("7", "", {}),
        ("c", "\U0001f600\u2028", {}),
    ]
    assert r.failed == []
    with pytest.raises(TypeError):
        len(r)


def test_a_byte_order_mark_crlf_and_a_missing_last_newline_are_fine(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'\xef\xbb\xbf{"id":"a","text":"x"}\r\n{"id":"b","text":"y"}')
    assert [c.id for c in JsonlReader(folder=tmp_path)] == ["a", "b"]


def test_an_empty_file_holds_no_documents(tmp_path: Path) -> None:
    r = reader(tmp_path)
    assert list(r) == []
    assert r.failed == []


def test_faulty_lines_have_failed_and_the_others_are_read(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "text": "one"},
        b'{"id": "b", "text": "Featherstone',
        b'{"id": "c", "text": "Feather\xffstone"}',
        b'["Featherstone"]',
        b'{"id": "e", "text": "Featherstone", "text": "x"}',
        b'{"text": "Featherstone"}',
        {"id": "g", "note": NAME},
        {"id": "h", "text": [NAME]},
        {"id": "i", "text": None},
        {"id": "", "text": NAME},
        {"id": True, "text": NAME},
        {"id": "a", "text": NAME},
        b"[" * 100_000,
        b'{"id": ' + b"1" * 5000 + b"}",
        b'{"id": "z", "text": "\\x"}',
        {"id": "last", "text": "two"},
    ]
    r = reader(tmp_path, *lines)
    assert [c.id for c in r] == ["a", "last"]
    where = f"{tmp_path}/notes.jsonl, line"
    assert reasons(r) == [
        ("notes/2", f"{where} 2: not valid JSON (column 34)"),
        ("notes/3", f"{where} 3: expected utf-8, found a byte that is not at byte 28"),
        ("notes/4", f"{where} 4: expected a JSON object"),
        ("notes/5", f"{where} 5: a field occurs twice in one object"),
        ("notes/6", f"{where} 6: expected a field id, found none"),
        ("g", f"{where} 7: expected a field text, found none"),
        ("h", f"{where} 8: field text: expected text, found a list"),
        ("i", f"{where} 9: field text: expected text, found nothing"),
        ("notes/10", f"{where} 10: field id: expected a document id, found nothing"),
        ("notes/11", f"{where} 11: field id: expected a document id, found true or false"),
        ("a", f"{where} 12: an earlier document has the same id"),
        ("notes/13", f"{where} 13: nested too deeply"),
        ("notes/14", f"{where} 14: a number with too many digits"),
        ("notes/15", f"{where} 15: not valid JSON (column 22)"),
    ]
    assert NAME not in repr(r.failed)


def test_a_missing_field_names_the_nearest(tmp_path: Path) -> None:
    assert only(reader(tmp_path, {"id": "a", "texts": NAME})).endswith(
        "expected a field text, found none; did you mean texts?"
    )


def test_a_line_beyond_the_limit_has_failed_and_the_next_is_read(tmp_path: Path) -> None:
    r = reader(tmp_path, {"id": "a", "text": "x" * 3_000_000}, {"id": "b", "text": "y"}, max_bytes=1000)
    assert [c.id for c in r] == ["b"]
    assert reasons(r) == [("notes/1", f"{tmp_path}/notes.jsonl, line 1: longer than max_bytes (1,000 bytes)")]
    exact = json.dumps({"id": "a", "text": "x"}).encode()
    assert [c.id for c in reader(tmp_path, exact, max_bytes=len(exact))] == ["a"]
    assert list(reader(tmp_path, exact, max_bytes=len(exact) - 1)) == []


def test_lone_surrogates_are_kept(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path, b'{"id": "a", "text": "x\\ud800y"}')
    assert cas.text == "x\ud800y"


def test_several_files_gzipped_ones_too_and_a_damaged_one(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"id":"a","text":"x"}\n'))
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b'{"id":"b","text":"x"}\n' * 5000)[:-10])
    (tmp_path / "c.jsonl").write_bytes(b'{"id":"c","text":"x"}\n')
    r = JsonlReader(folder=tmp_path)
    assert [c.id for c in r] == ["a", "b", "c"]
    assert reasons(r)[-1] == ("b", f"{tmp_path}/b.jsonl.gz: the gzip data are damaged or cut off")


def test_only_named_fields_become_metadata(tmp_path: Path) -> None:
    line = {"id": "a", "text": "x", "patient": {"mrn": 17}, "ward": "W", "codes": ["a", 1], "gone": None}
    (cas,) = reader(tmp_path, line, metadata=["ward", "codes", "gone", "absent"])
    assert cas.metadata == {"ward": "W", "codes": '["a",1]'}
    (cas,) = reader(tmp_path, line, metadata={"patient": "patient.mrn"})
    assert cas.metadata == {"patient": "17"}


def test_a_dotted_field_can_also_be_a_plain_name(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path, {"a.b": {"c.d": "x"}, "id": "1"}, text_field="a.b.c.d")
    assert cas.text == "x"


def test_fields_become_known_phi(tmp_path: Path) -> None:
    line = {"id": "a", "text": "x", "name": f" {NAME} ", "born": "1930-01-02", "phones": ["1", "", None, 2], "no": ""}
    mapping = {
        "name": PhiKind.PERSON_PATIENT,
        "born": KnownField(PhiKind.DATE_BIRTH, "patient"),
        "phones": PhiKind.PHONE,
        "no": PhiKind.ID,
        "absent": PhiKind.ID,
    }
    (cas,) = reader(tmp_path, line, known_phi=mapping)
    assert [(k.kind.name, k.value, k.provenance, k.role) for k in cas.known_phi] == [
        ("PERSON_PATIENT", NAME, "name", "patient"),
        ("DATE_BIRTH", "1930-01-02", "born", "patient"),
        ("PHONE", "1", "phones", ""),
        ("PHONE", "2", "phones", ""),
    ]
    reason = only(reader(tmp_path, {"id": "a", "text": "x", "name": {"given": NAME}}, known_phi=mapping))
    assert reason.endswith("field name: expected text or a number, found an object")


def test_several_text_fields_make_several_documents(tmp_path: Path) -> None:
    lines = {"id": "v1", "symptom": "one", "lab": "", "history": "two"}, {"id": "v2", "lab": "three"}
    r = reader(tmp_path, *lines, text_field=["symptom", "lab", "history"])
    assert [(c.id, c.text, c.metadata) for c in r] == [
        ("v1/symptom", "one", {"record": "v1", "field": "symptom"}),
        ("v1/history", "two", {"record": "v1", "field": "history"}),
        ("v2/lab", "three", {"record": "v2", "field": "lab"}),
    ]


def test_documents_without_an_id_field_are_numbered(tmp_path: Path) -> None:
    r = reader(tmp_path, {"text": "one"}, {"text": "two"}, id_field=None)
    assert [c.id for c in r] == ["notes/1", "notes/2"]


def test_reference_spans_go_to_the_gold_view(tmp_path: Path) -> None:
    text = "\U0001f600 Ivy on 3/4/2020"
    spans: list[Any] = [
        {"begin": 9, "end": 17, "kind": "DATE"},
        [2, 5, "NAME"],
        {"start": 0, "end": 1, "label": "OTHER"},
    ]
    r = reader(tmp_path, {"id": "a", "text": text, "gold": spans}, spans_field="gold", kinds={"NAME": PhiKind.PERSON})
    (cas,) = r
    gold = cas.view(GOLD_VIEW)
    assert gold.text == text
    assert [(p.covered_text, p.kind.name) for p in gold.select(Phi)] == [
        ("\U0001f600", "OTHER"),
        ("Ivy", "PERSON"),
        ("3/4/2020", "DATE"),
    ]
    assert cas.select(Phi) == []
    (cas,) = reader(tmp_path, {"id": "a", "text": text}, spans_field="gold")
    assert not cas.has_view(GOLD_VIEW)
    (cas,) = reader(tmp_path, {"id": "a", "text": text, "gold": []}, spans_field="gold")
    assert cas.view(GOLD_VIEW).select(Phi) == []


@pytest.mark.parametrize(
    ("spans", "reason"),
    [
        ("Featherstone", "expected a list of spans"),
        ([5], "span 1: expected an object with begin, end and kind"),
        ([{"begin": 0, "end": 1}], "span 1: expected integers as begin and end and a string as kind"),
        ([[0, 1, "ID"], [True, 2, "ID"]], "span 2: expected integers as begin and end and a string as kind"),
        ([[0, 13, "ID"]], "span 1: 0:13 is not a span of the text (0:12)"),
        ([[3, 3, "ID"]], "span 1: 3:3 is not a span of the text (0:12)"),
        ([[0, 5, "ID"], [4, 6, "ID"]], "span 1 and span 2 overlap; `overlaps` can say which to keep"),
        ([[0, 5, "DAT"]], "span 1: no PHI kind called 'DAT'; did you mean DATE?; `kinds` can translate or drop it"),
    ],
)
def test_faulty_reference_spans_fail_the_document(tmp_path: Path, spans: Any, reason: str) -> None:
    told = only(reader(tmp_path, {"id": "a", "text": NAME, "gold": spans}, spans_field="gold"))
    assert told == f"{tmp_path}/notes.jsonl, line 1: field gold: {reason}"


def test_overlapping_spans_can_all_be_kept_in_text_order_each_once(tmp_path: Path) -> None:
    spans = [[4, 6, "ID"], [0, 5, "ID"], [0, 5, "DATE"], [0, 5, "ID"]]
    made = reader(tmp_path, {"id": "a", "text": NAME, "gold": spans}, spans_field="gold", overlaps="keep")
    (cas,) = made
    found = [(p.begin, p.end, p.kind.name) for p in cas.view("gold").select(Phi)]
    assert sorted(found) == [(0, 5, "DATE"), (0, 5, "ID"), (4, 6, "ID")]


def test_faults_of_parameters(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="spans_field: expected one text_field"):
        JsonlReader(folder=tmp_path, text_field=["a", "b"], spans_field="gold")
    with pytest.raises(ValueError, match="text_field: expected at least one field"):
        JsonlReader(folder=tmp_path, text_field=[])
    with pytest.raises(ReaderError, match=r"no file matches \*\.jsonl"):
        JsonlReader(folder=tmp_path).open()


def test_parameters_in_yaml_take_short_and_long_forms(tmp_path: Path) -> None:
    from caspipe.pipeline.contract.params import build

    faults: list[str] = []
    given = {
        "folder": str(tmp_path),
        "known_phi": {"a": "PERSON_PATIENT", "b": {"kind": "DATE_BIRTH", "role": "patient"}},
    }
    made = build(JsonlReader, given, lambda at, what: faults.append(what))
    assert faults == []
    assert made.known_phi == {"a": PhiKind.PERSON_PATIENT, "b": KnownField(PhiKind.DATE_BIRTH, "patient")}
    assert build(JsonlReader, {"known_phi": {"a": "PERSN"}}, lambda at, what: faults.append(f"{at}: {what}")) is None
    assert faults[0].startswith("('known_phi', 'a'): ")


def test_a_label_that_may_be_text_is_not_repeated(tmp_path: Path) -> None:
    line = {"id": "a", "text": "Seen by Maria.", "spans": [{"begin": 8, "end": 13, "kind": "Maria Lindqvist, 3 May"}]}
    (tmp_path / "a.jsonl").write_text(json.dumps(line), encoding="utf-8")
    reader = JsonlReader(folder=tmp_path, spans_field="spans")
    assert list(reader) == []
    assert "Lindqvist" not in str(reader.failed[0][1])
    assert "its label is not the name of a kind" in str(reader.failed[0][1])
