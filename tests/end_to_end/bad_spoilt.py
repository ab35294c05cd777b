"""For every format: a good file spoilt in all the ways that any file can be spoilt, and the reason that must be given."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import e2b_files
import fhir_samples
import review_exports
from bad_files import CANARY, Bad, in_the_way, packed, spoilt
from bad_markup import SPANS, TEXT
from format_samples import FORMATS, VAERS, ann, cas, i2b2, lines, marked, record, region, task, xcas

from caspipe.typesystem import write_jsoncas, write_xmi

_XML = {
    "cut": "damaged XML",
    "empty": ":1:1: damaged XML: no element found",
    "blank": "damaged XML: no element found",
    "noise": ":1:1: damaged XML: not well-formed",
    "nul": "damaged XML: not well-formed",
    "latin": "damaged XML: not well-formed",
    "bom16": "damaged XML: not well-formed",
}
_DECLARED = {**_XML, "utf16": "damaged XML: encoding specified in XML declaration is incorrect"}
_LINES = {
    "cut": "line 1: not valid JSON (column ",
    "noise": "line 1: expected utf-8, found a byte that is not at byte ",
    "nul": "line 1: not valid JSON (column ",
    "latin": "line 1: expected utf-8, found a byte that is not at byte ",
    "bom16": "line 1: expected utf-8, found a byte that is not at byte 0",
}
_MARKED = "expected utf-16, as the byte-order mark says, found a byte that is not at byte "
_UNMARKED = "it looks like utf-16-le without a byte-order mark: say the encoding"
_NO_JSON = {
    "cut": "not valid JSON (",
    "empty": "not valid JSON (column 1)",
    "blank": "not valid JSON (column 1)",
    "noise": "expected utf-8, found a byte that is not at byte ",
    "nul": "not valid JSON (",
    "latin": "expected utf-8, found a byte that is not at byte ",
    "utf16": "not valid JSON (column 2)",
    "bom16": "expected utf-8, found a byte that is not at byte 0",
}


def _e2b(release: str) -> Callable[[str], bytes]:
    if release == "r3":
        return lambda id: e2b_files.r3(e2b_files.r3_report(f"<text>{TEXT}</text>", f"Z-{id}"))
    return lambda id: e2b_files.r2(e2b_files.r2_report(TEXT, f"Z-{id}"), encoding="utf-8")


def _fhir(id: str) -> list[dict[str, Any]]:
    return [fhir_samples.patient(id, family=CANARY), fhir_samples.document(TEXT, f"Patient/{id}")]


def _table(columns: str, row: str) -> Callable[[str], bytes]:
    return lambda id: f"{columns}{row.replace('ID', id)}\r\n".encode()


MAKE: dict[str, tuple[Callable[[str], bytes], str]] = {
    "text": (lambda _: TEXT.encode(), ".txt"),
    "csv": (_table("id,text\r\n", f'ID,"{TEXT}"'), ".csv"),
    "jsonl": (lambda id: lines({"id": id, "text": TEXT}), ".jsonl"),
    "xmi": (lambda id: write_xmi(cas(id, TEXT, SPANS)), ".xmi"),
    "xcas": (lambda _: xcas(TEXT, SPANS), ".xcas"),
    "jsoncas": (lambda id: write_jsoncas(cas(id, TEXT, SPANS)), ".json"),
    "i2b2": (lambda _: i2b2(TEXT, SPANS), ".xml"),
    "meddocan": (lambda _: i2b2(TEXT, SPANS, "MEDDOCAN"), ".xml"),
    "i2b2-2006": (lambda id: f"<ROOT>{record('7', TEXT)}</ROOT>".encode(), ".xml"),
    "brat": (lambda _: ann(TEXT, SPANS), ".ann"),
    "conll": (lambda _: f"Seen O\n{CANARY} B-PER\n".encode(), ".conll"),
    "marked": (lambda id: marked(id, TEXT, SPANS), ".txt"),
    "doccano": (lambda id: lines({"id": id, "text": TEXT, "label": [[5, 18, "PERSON"]]}), ".jsonl"),
    "prodigy": (lambda id: lines({"id": id, "text": TEXT, "spans": []}), ".jsonl"),
    "label_studio": (lambda id: json.dumps([task(id, TEXT, region(5, 18, text=TEXT))]).encode(), ".json"),
    "inception": (lambda _: review_exports.xmi(review_exports.span(2, "seg:Sentence", 0, 5), TEXT), ".xmi"),
    "e2b-r3": (_e2b("r3"), ".xml"),
    "e2b-r2": (_e2b("r2"), ".xml"),
    "fhir": (lambda id: json.dumps(fhir_samples.bundle(*_fhir(id))).encode(), ".json"),
    "fhir-bulk": (lambda id: lines(*_fhir(id)), ".ndjson"),
    "vaers": (_table(VAERS, f'ID,,,"{TEXT}",,'), "VAERSDATA.csv"),
}
_STREAMS = ("csv", "jsonl", "doccano", "prodigy", "label_studio", "vaers")

_REASONS: dict[str, dict[str, str]] = {
    "text": {
        "noise": "neither UTF-8 (from byte ",
        "latin": "neither UTF-8 (from byte 8 on) nor Windows-1252 (byte 8): say the encoding",
        "utf16": _UNMARKED,
        "bom16": _MARKED,
    },
    "csv": {
        "cut": "from row 1 on: a quote is opened and never closed",
        "empty": "expected a header row, found an empty file",
        "blank": "expected a field text, found none",
        "noise": "header row: expected cp1252, found a byte that is not at byte ",
        "latin": "row 1 (line 2): expected cp1252, found a byte that is not at byte 8",
        "utf16": _UNMARKED,
        "bom16": "bytes that are not in the encoding of the byte-order mark",
    },
    "jsonl": _LINES,
    "xmi": _DECLARED,
    "xcas": _DECLARED,
    "jsoncas": {
        "cut": "damaged JSON",
        "empty": ":1:1: damaged JSON: expecting value",
        "blank": "damaged JSON: expecting value",
        "noise": "expected JSON in UTF-8",
        "nul": "damaged JSON: invalid control character",
        "latin": "expected JSON in UTF-8",
        "bom16": "expected JSON in UTF-8",
    },
    "i2b2": _DECLARED,
    "meddocan": _DECLARED,
    "i2b2-2006": {**_XML, "cut": "record 1: 1:", "nul": "record 1: 1:", "latin": "record 1: 1:"},
    "brat": {
        "cut": "T1 (line 1 of the .ann file): 5:18 does not cover the text that the tag names",
        "noise": "expected utf-8, found a byte that is not at byte ",
        "nul": "T1 (line 1 of the .ann file): 5:18 does not cover the text that the tag names",
        "latin": "expected utf-8, found a byte that is not at byte 18",
        "utf16": "line 1 of the .ann file: expected a label, a begin and an end",
        "bom16": "expected utf-8, found a byte that is not at byte 0",
    },
    "conll": {
        "cut": "line 2: expected at least 2 columns, found 1",
        "empty": "expected tokens, found none",
        "blank": "expected tokens, found none",
        "noise": "neither UTF-8 (from byte ",
        "latin": "neither UTF-8 (from byte 10 on) nor Windows-1252 (byte 10): say the encoding",
        "utf16": _UNMARKED,
        "bom16": _MARKED,
    },
    "marked": {
        "cut": "line 3, column 6: expected a mark like [[DATE|3 May]], found [[ before something else",
        "empty": "expected documents, each after a line =====, found none",
        "blank": "expected documents, each after a line =====, found none",
        "noise": "neither UTF-8 (from byte ",
        "latin": "neither UTF-8 (from byte ",
        "utf16": _UNMARKED,
        "bom16": _MARKED,
    },
    "doccano": _LINES,
    "prodigy": _LINES,
    "label_studio": {
        **_LINES,
        "cut": "item 1: from here on: not valid JSON (column ",
        "nul": "item 1: from here on: not valid JSON (column ",
        "latin": "expected utf-8, found a byte that is not at byte ",
        "utf16": "item 1: from here on: not valid JSON (column 2)",
    },
    "inception": _DECLARED,
    "e2b-r3": {
        **_XML,
        "empty": "line 1, column 1: damaged XML",
        "noise": "expected utf-8, as the file says",
        "latin": "expected utf-8, as the file says",
        "bom16": "expected utf-16-le, as the file says",
    },
    "e2b-r2": {
        **_XML,
        "empty": "line 1, column 1: damaged XML",
        "noise": "expected utf-8, as the file says",
        "latin": "expected utf-8, as the file says",
        "bom16": "expected utf-16-le, as the file says",
    },
    "fhir": _NO_JSON,
    "fhir-bulk": {
        **_NO_JSON,
        "cut": "line 1: not valid JSON",
        "empty": "expected FHIR resources, found none",
        "blank": "expected FHIR resources, found none",
        "nul": "line 1: not valid JSON",
        "utf16": "line 1: not valid JSON",
    },
    "vaers": {
        "cut": "from row 1 on: a quote is opened and never closed",
        "empty": "expected a header row, found an empty file",
        "blank": "expected a field SYMPTOM_TEXT, found none",
        "noise": "header row: expected cp1252, found bytes that are not",
        "latin": "row 1 (line 2): expected cp1252, found bytes that are not",
        "utf16": "expected a field SYMPTOM_TEXT, found none",
        "bom16": "expected a field VAERS_ID, found none",
    },
}


def _spoilt(name: str) -> dict[str, Bad]:
    make, suffix = MAKE[name]
    found = spoilt(make, suffix, **_REASONS[name])
    if name == "inception":  # lists folders for itself, and reads no .gz
        none = "expected a regular file, found another kind"
        return found | in_the_way(suffix, {"nowhere": none, "loop": none})
    if name == "brat":
        beside = {"folder": "expected a regular file, found another kind"}
        beside |= {n: f"expected bad-{n}.ann beside it, found none" for n in ("nowhere", "loop")}
        found |= in_the_way(suffix, beside)
    else:
        found |= in_the_way(suffix)
    found |= packed(make, suffix, stream=name in _STREAMS)
    if name not in _STREAMS:
        first = next(n for n in FORMATS[name].files if n.endswith(suffix))
        twice = first if name != "brat" else "a.txt"
        found[f"{twice}.gz"] = make("twice"), "its document id is that of"
    return found


SPOILT: dict[str, dict[str, Bad]] = {name: _spoilt(name) for name in MAKE}
