"""A small folder of good documents in every format that can be read, made by hand or by what writes the format elsewhere."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import e2b_files
import fhir_samples
import review_exports

from caspipe.typesystem import GOLD_VIEW, Cas, Phi, PhiKind, write_jsoncas, write_xmi

TEXT = "Seen 😀 by Ivy Fern on 3/4/2020."
SPANS = ((10, 18, "PERSON"), (22, 30, "DATE"))
SECOND = "Ivy Fern, phoned on 5 May 2021."
LATER = ((0, 8, "PERSON"), (20, 30, "DATE"))
IDS_KEY = "a-key-of-the-tests"
DOCUMENTS = {"a": (TEXT, SPANS), "b": (SECOND, LATER)}

_REPORTS = '1,OH,65.0,"Fell ill in Ohio on 3/4/2020, née Fern.",03/04/2020,\r\n2,,,"Well.",,\r\n'
VAERS = "VAERS_ID,STATE,AGE_YRS,SYMPTOM_TEXT,VAX_DATE,LAB_DATA\r\n"


@dataclass(frozen=True)
class Format:
    """A reader with files it can read, and the consumer that writes the like."""

    reader: str
    files: Mapping[str, Any]
    """Name -> bytes; or, for an SQL database, rows."""
    consumer: str | dict[str, Any] = "jsonl"
    options: Mapping[str, Any] = field(default_factory=dict)
    documents: int = 2

    def parameters(self, folder: Path) -> dict[str, Any]:
        """Those of the reader, for files in `folder`."""
        if "url" in self.options:
            return {**self.options, "url": f"sqlite:///{folder}/notes.db"}
        return {"folder": str(folder), **self.options}


def put(folder: Path, files: Mapping[str, Any]) -> None:
    """Writes files: bytes, rows of a database, or what a function does with the path."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(path)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            connection = sqlite3.connect(path)
            with connection:
                connection.execute("CREATE TABLE notes (id, text, spans)")
                connection.executemany("INSERT INTO notes VALUES (?, ?, ?)", content)
            connection.close()


def cas(id: str, text: str, spans: Any) -> Cas:
    """A document with reference annotations."""
    made = Cas(text, id=id)
    made.create_view(GOLD_VIEW, text).add_all([Phi(b, e, kind=PhiKind.of(k)) for b, e, k in spans])
    return made


def xcas(text: str, spans: Any = ()) -> bytes:
    """XCAS as UIMA 2 writes it; UTF-16 offsets of texts without astral characters are code points."""
    inside = "".join(
        f'<caspipe.PhiCandidate _indexed="1" _id="{n}" _ref_sofa="1" begin="{b}" end="{e}" kind="{k}"/>'
        for n, (b, e, k) in enumerate(spans, 2)
    )
    sofa = f'<uima.cas.Sofa _indexed="0" _id="1" sofaNum="1" sofaID="_InitialView" sofaString="{text}"/>'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<CAS version="2">{sofa}{inside}</CAS>'.encode()


def i2b2(text: str, spans: Any, root: str = "deIdi2b2", label: str = "") -> bytes:
    """i2b2-2014, or MEDDOCAN."""
    labels = (
        {"PERSON": "DOCTOR", "DATE": "DATE"}
        if root == "deIdi2b2"
        else {"PERSON": "NOMBRE_PERSONAL_SANITARIO", "DATE": "FECHAS"}
    )
    tags = "".join(
        f'<{"NAME" if k == "PERSON" else "DATE"} id="P{n}" start="{b}" end="{e}" text="{text[b:e]}" '
        f'TYPE="{label or labels[k]}" comment=""/>\n'
        for n, (b, e, k) in enumerate(spans)
    )
    inside = f"<TEXT><![CDATA[{text}]]></TEXT>\n<TAGS>\n{tags}</TAGS>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{root}>\n{inside}\n</{root}>\n'.encode()


def record(id: str, inside: str) -> str:
    """A record of i2b2-2006."""
    return f'<RECORD ID="{id}"><TEXT>{inside}</TEXT></RECORD>\n'


def ann(text: str, spans: Any) -> bytes:
    return "".join(f"T{n}\t{k} {b} {e}\t{text[b:e]}\n" for n, (b, e, k) in enumerate(spans, 1)).encode()


def lines(*records: Any) -> bytes:
    """JSON Lines; bytes stay as they are."""
    return b"".join((r if isinstance(r, bytes) else json.dumps(r).encode()) + b"\n" for r in records)


def region(begin: int, end: int, label: str = "PERSON", text: str = TEXT) -> dict[str, Any]:
    """A result of Label Studio; offsets in UTF-16 code units."""
    shift = [len(text[:n].encode("utf-16-le")) // 2 for n in (begin, end)]
    value = {"start": shift[0], "end": shift[1], "text": text[begin:end], "labels": [label]}
    return {"id": f"r{begin}", "type": "labels", "from_name": "label", "to_name": "text", "value": value}


def task(id: Any, text: str, *results: Any) -> dict[str, Any]:
    return {"id": id, "data": {"text": text}, "annotations": [{"completed_by": 1, "result": list(results)}]}


def project(documents: Mapping[str, bytes], **more: bytes) -> bytes:
    """A project as INCEpTION exports it, everything annotated by ann."""
    return review_exports.zipped({f"annotation/{name}/ann.zip": data for name, data in documents.items()} | more)


def reviewed(text: str, spans: Any, name: str = "x") -> bytes:
    """A document of such a project."""
    units = [[len(text[:n].encode("utf-16-le")) // 2 for n in s[:2]] for s in spans]
    body = review_exports.span(2, "seg:Sentence", 0, len(text.encode("utf-16-le")) // 2)
    body += "".join(
        review_exports.span(n, "review:PHI", b, e, label=s[2])
        for n, ((b, e), s) in enumerate(zip(units, spans, strict=True), 3)
    )
    return review_exports.exported(name, review_exports.xmi(body, text))


def parquet(columns: Mapping[str, Any], rows: int = 1) -> bytes:
    """A Parquet file with `rows` rows in a group."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), out, row_group_size=rows, write_page_checksum=True)
    return out.getvalue()


def masked(name: str, **more: Any) -> dict[str, Any]:
    """A consumer of annotated text that writes the masked text."""
    place = {"folder": f"release/{name}"} if name in ("brat", "i2b2") else {"file": f"release/{name}.out"}
    return {name: {"annotations": "masked", **place, **more}}


def marked(id: str, text: str, spans: Any) -> bytes:
    """Marked text; the last span is optional."""
    made, last = "", 0
    for n, (b, e, k) in enumerate(spans, 1):
        made += f"{text[last:b]}[[{'?' if n == len(spans) > 1 else ''}{k}|{text[b:e]}]]"
        last = e
    return f"=====\n#id: {id}  #genre: letter\n{made}{text[last:]}\n".encode()


def _each(suffix: str, make: Any) -> dict[str, bytes]:
    return {f"{id}{suffix}": make(text, spans) for id, (text, spans) in DOCUMENTS.items()}


_ROWS = [
    {"id": id, "text": text, "spans": [{"begin": b, "end": e, "kind": k} for b, e, k in spans]}
    for id, (text, spans) in DOCUMENTS.items()
]
_WHOLE = {"views": ["deidentified"]}
_BARE = "Seen by Ivy Fern on 3/4/2020."

FORMATS: dict[str, Format] = {
    "text": Format("text", _each(".txt", lambda text, _: text.encode()), "csv"),
    "csv": Format("csv", {"rows.csv": f'id,text\r\na,"{TEXT}"\r\nb,"{SECOND}"\r\n'.encode()}, "csv"),
    "jsonl": Format("jsonl", {"r.jsonl": lines(*_ROWS)}, "jsonl", {"spans_field": "spans"}),
    "xmi": Format(
        "xmi",
        {f"{i}.xmi": write_xmi(cas(i, *d)) for i, d in DOCUMENTS.items()},
        {"xmi": {"folder": "release/xmi", **_WHOLE}},
    ),
    "xcas": Format(
        "xcas",
        {"a.xcas": xcas(_BARE, [(8, 16, "PERSON")]), "b.xcas": xcas(SECOND, LATER)},
        {"jsoncas": {"folder": "release/cas", **_WHOLE}},
    ),
    "jsoncas": Format(
        "jsoncas",
        {f"{i}.json": write_jsoncas(cas(i, *d)) for i, d in DOCUMENTS.items()},
        {"jsoncas": {"folder": "release/cas", **_WHOLE}},
    ),
    "i2b2": Format("i2b2", _each(".xml", i2b2), masked("i2b2")),
    "meddocan": Format(
        "i2b2", _each(".xml", lambda text, spans: i2b2(text, spans, "MEDDOCAN")), masked("i2b2", dialect="meddocan")
    ),
    "i2b2-2006": Format(
        "i2b2",
        {
            "r.xml": (
                "<ROOT>\n"
                + record("1", 'Seen 😀 by <PHI TYPE="DOCTOR">Ivy Fern</PHI> on 3/4/2020.')
                + record("2", "Phoned.")
                + "</ROOT>\n"
            ).encode()
        },
        masked("i2b2"),
    ),
    "brat": Format("brat", _each(".txt", lambda text, _: text.encode()) | _each(".ann", ann), masked("brat")),
    "conll": Format(
        "conll",
        {
            "a.conll": b"Seen O\nIvy B-PER\nFern I-PER\non O\n3/4/2020 B-DATE\n. O\n",
            "b.conll": b"Ivy B-PER\nphoned O\n",
        },
        masked("conll"),
    ),
    "marked": Format("marked", {"r.txt": b"".join(marked(i, *d) for i, d in DOCUMENTS.items())}, masked("marked")),
    "doccano": Format(
        "doccano",
        {"r.jsonl": lines(*({"id": i, "text": t, "label": [list(s) for s in ss]} for i, (t, ss) in DOCUMENTS.items()))},
        masked("doccano"),
    ),
    "prodigy": Format(
        "prodigy",
        {
            "r.jsonl": lines(
                *(
                    {
                        "id": i,
                        "text": t,
                        "spans": [{"start": b, "end": e, "label": k} for b, e, k in ss],
                        "answer": "accept",
                    }
                    for i, (t, ss) in DOCUMENTS.items()
                )
            )
        },
        masked("prodigy"),
    ),
    "label_studio": Format(
        "label_studio",
        {
            "r.json": json.dumps(
                [task(i, t, *(region(*s, text=t) for s in ss)) for i, (t, ss) in enumerate(DOCUMENTS.values(), 1)]
            ).encode()
        },
        masked("label_studio"),
    ),
    "inception": Format(
        "inception", {"p.zip": project({f"{i}.xmi": reviewed(*d) for i, d in DOCUMENTS.items()})}, masked("inception")
    ),
    "e2b-r3": Format(
        "e2b",
        {"a.xml": e2b_files.r3(), "b.xml": e2b_files.r3(e2b_files.r3_report(case="US-SYNLAB-2"))},
        {"e2b": {"ids_key": IDS_KEY}},
        documents=4,
    ),
    "e2b-r2": Format(
        "e2b",
        {"a.xml": e2b_files.r2(), "b.xml": e2b_files.r2(e2b_files.r2_report(case="US-SYNLAB-2"))},
        {"e2b": {"ids_key": IDS_KEY}},
        documents=4,
    ),
    "fhir": Format(
        "fhir",
        {
            f"{i}.json": json.dumps(
                fhir_samples.bundle(fhir_samples.patient(i), fhir_samples.document(subject=f"Patient/{i}"))
            ).encode()
            for i in "ab"
        },
        {"fhir": {"ids_key": IDS_KEY}},
    ),
    "fhir-bulk": Format(
        "fhir",
        {f"{i}.ndjson": lines(fhir_samples.patient(i), fhir_samples.document(subject=f"Patient/{i}")) for i in "ab"},
        {"fhir": {"ids_key": IDS_KEY}},
    ),
    "vaers": Format(
        "vaers",
        {"2026VAERSDATA.csv": VAERS.encode() + _REPORTS.encode("cp1252")},
        "csv",
    ),
    "parquet": Format(
        "parquet",
        {"r.parquet": parquet({"id": ["a", "b"], "text": [TEXT, SECOND], "spans": [r["spans"] for r in _ROWS]})},
        "parquet",
        {"spans_field": "spans"},
    ),
    "sql": Format(
        "sql",
        {"notes.db": [(r["id"], r["text"], json.dumps(r["spans"])) for r in _ROWS]},
        {"sql": {"url": "sqlite:///release/out.db", "table": "released"}},
        {"url": "", "table": "notes", "spans_field": "spans"},
    ),
}
