"""Small good files for every reader, with the secret in their text: what the fuzz tests spoil.

A new reader: add a Seed of it here, one for each form of its files; the text must contain SECRET. Files in `files` are damaged,
one at a time; those in `beside` stay intact, and their documents `good` must always be read.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sqlite3
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import e2b_files
import fhir_samples
import review_exports
from damage_zip import packed
from format_samples import ann, cas, i2b2, lines, parquet, project, record, region, reviewed, task, xcas
from secret import SECRET
from watch import MEGABYTES

from caspipe.typesystem import Cas, PhiKind, Sentence, SpanAttribute, Token, write_jsoncas, write_xmi

WITHOUT: dict[str, str] = {
    "synthetic": "it makes its documents itself and reads no file",
    "augment": "it changes the documents of another reader and reads no file",
    "spark_table": "Spark reads the files; what it gives are records, as sql and parquet have them",
}
"""Readers without seeds, and why."""

HERE = "{folder}"
"""Placeholder in options for the folder of the case."""


@dataclass(frozen=True)
class Seed:
    """Good files for a reader."""

    reader: str
    files: Mapping[str, bytes]
    options: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, bytes] = field(default_factory=dict)
    good: tuple[str, ...] = ()
    alone: bool = False
    """True if the reader takes no folder."""
    megabytes: int = MEGABYTES
    """Memory that reading it may take."""

    def parameters(self, folder: Path) -> dict[str, Any]:
        """Those of the reader, for files in `folder`."""
        given = {name: _placed(value, folder) for name, value in self.options.items()}
        return given if self.alone else {"folder": folder, **given}


def _placed(value: Any, folder: Path) -> Any:
    if isinstance(value, list):
        return [_placed(v, folder) for v in value]
    if isinstance(value, str) and value.startswith(f"{HERE}/"):
        return folder / value.removeprefix(f"{HERE}/")
    return value.replace(HERE, str(folder)) if isinstance(value, str) else value


_ENDS = {
    ".xml": "xml",
    ".xmi": "xml",
    ".xcas": "xml",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".zip": "zip",
}


def kind_of(name: str) -> str:
    """The structure of a file, by its name, as `damage.damaged` knows it."""
    packed_ = name.endswith(".gz") and not name.endswith(".tar.gz")
    return _ENDS.get(Path(name.removesuffix(".gz")).suffix, "text") + (".gz" if packed_ else "")


_OPENING, _CLOSING = "Seen 😀 by ", " on 3/4/2020."
TEXT = f"{_OPENING}{SECRET}{_CLOSING}"
_BEGIN, _END = len(_OPENING), len(_OPENING) + len(SECRET)
SPANS = ((_BEGIN, _END, "PERSON"), (_END + 4, _END + 12, "DATE"))
BARE = f"Seen by {SECRET} on 3/4/2020."
BARE_SPANS = ((8, 8 + len(SECRET), "PERSON"),)
FINE, FINE_SPANS = "Phoned Ivy on 5 May 2021.", ((7, 10, "PERSON"),)
GOOD = "zz-good"


def _rich() -> Cas:
    """A document with tokens, sentences, known PHI, arrays and references."""
    made = cas("a", TEXT, SPANS)
    view = made.view()
    view.add_spans(Token, [0, 5, 7, 10], [4, 6, 9, 18], "segmenter")
    view.add_spans(Sentence, [0], [len(TEXT)], "segmenter")
    made.metadata["ward"] = "7"
    gold = made.view("gold")
    gold.add(SpanAttribute(of=next(iter(gold)), name="Negation", value="true"))
    return made


def _span(begin: int, end: int, kind: str) -> dict[str, Any]:
    return {"begin": begin, "end": end, "kind": kind}


_RECORD = {
    "id": "a",
    "text": TEXT,
    "patient": {"name": "Ivy Fern", "born": "1961-03-12"},
    "ward": 7,
    "spans": [_span(*s) for s in SPANS],
}
_RECORDS = lines(_RECORD, {**_RECORD, "id": "b", "spans": []}, {"id": "c", "text": BARE})
_FINE_RECORD = lines({"id": GOOD, "text": FINE, "spans": [_span(*s) for s in FINE_SPANS]})
_FIELDS = {
    "metadata": ["ward", "patient.born"],
    "known_phi": {"patient.name": PhiKind.of("PERSON_PATIENT")},
    "spans_field": "spans",
}
_CSV = f'id,text,ward\r\na,"{TEXT}",7\r\nb,"{BARE}\r\n{BARE}",8\r\nc,,9\r\n'.encode()
_FINE_CSV = f"id,text,ward\r\n{GOOD},{FINE},1\r\n".encode()
_VAERS = "VAERS_ID,STATE,AGE_YRS,SYMPTOM_TEXT,VAX_DATE,LAB_DATA\r\n"
_CONLL = "".join(
    f"{word}\t{tag}\n" for word, tag in zip(BARE.split(), ("O", "O", "B-PER", "I-PER", "O", "B-DATE"), strict=True)
)
_CONLLU = (
    "# global.columns = ID FORM UPOS MISC\n# newdoc id = d1\n1-2\tdel\t_\t_\n1\tde\tADP\t_\n2\tel\tDET\t_\n"
    f"3\t{SECRET.split()[0]}\tPROPN\tSpaceAfter=No\n4\t.\tPUNCT\t_\n\n# newdoc id = d2\n1\t{SECRET.split()[1]}\tX\t_\n"
)
_MARKED = (
    f"=====\n#id: d1  #genre: letter\nBy [[PERSON|{SECRET}]] on [[?DATE|3/4/2020]], [[U+005B]][[U+005B]]{SECRET}.\n"
    f"=====\n#id: d2\n{SECRET}\n"
).encode()
_BRAT = (
    ann(TEXT, SPANS).decode()
    + f"A1\tNegation T1\n#1\tAnnotatorNotes T1\t{SECRET}?\nR1\tIs Arg1:T1 Arg2:T2\nE1\tPERSON:T1\n*\tEquiv T1 T2\n"
    + f"N1\tReference T1 ICD:1\t{SECRET}\n"
).encode()
_DOCCANO = {"id": 1, "text": TEXT, "label": [list(s) for s in SPANS], "Comments": [SECRET], "relations": []}
_DOCCANO_NEW = {
    "id": 2,
    "text": TEXT,
    "entities": [{"id": n, "label": k, "start_offset": b, "end_offset": e} for n, (b, e, k) in enumerate(SPANS)],
    "relations": [],
}
_PRODIGY = {
    "text": TEXT,
    "spans": [{"start": b, "end": e, "label": k, "token_start": 0, "token_end": 1} for b, e, k in SPANS],
    "tokens": [{"text": "Seen", "start": 0, "end": 4, "id": 0, "ws": True}],
    "answer": "accept",
    "_input_hash": 5,
    "_task_hash": -6,
    "_annotator_id": "me",
    "meta": {"id": "a"},
}
_TASKS = [task(n, TEXT, *(region(*s, text=TEXT) for s in SPANS)) for n in (1, 2)]
_LATER = {
    **_TASKS[0],
    "id": 3,
    "predictions": [{"model_version": "m", "result": _TASKS[0]["annotations"][0]["result"]}],
}
_PATIENT = fhir_samples.patient()
_NOTE = fhir_samples.document(TEXT)
_FHIR = fhir_samples.bundle(
    _PATIENT,
    fhir_samples.PRACTITIONER,
    _NOTE,
    {
        "resourceType": "Observation",
        "id": "o1",
        "subject": {"reference": "Patient/p1"},
        "note": [{"text": TEXT, "time": "2026-04-05"}],
        "text": {
            "status": "generated",
            "div": f'<div xmlns="http://www.w3.org/1999/xhtml"><p>{BARE}<br/>&amp;</p></div>',
        },
        "valueString": BARE,
    },
)
_FINE_FHIR = json.dumps(
    {
        "resourceType": "Bundle",
        "type": "collection",
        "entry": [{"resource": {**fhir_samples.document(FINE), "id": GOOD}}],
    }
).encode()
_PARQUET = parquet(
    {
        "id": ["a", "b", "c"],
        "text": [TEXT, BARE, TEXT],
        "ward": [1, 2, 3],
        "spans": [[_span(*s) for s in SPANS], [], None],
    },
    2,
)


def _database(*rows: tuple[Any, ...]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "notes.db"
        connection = sqlite3.connect(path)
        with connection:
            connection.execute("CREATE TABLE notes (id, text, spans)")
            connection.execute("CREATE INDEX ids ON notes (id)")
            connection.executemany("INSERT INTO notes VALUES (?, ?, ?)", rows)
        connection.close()
        return path.read_bytes()


def _tar(files: Mapping[str, bytes]) -> bytes:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return into.getvalue()


_NOTES = {
    "ward/a.txt": TEXT.encode(),
    "ward/b.txt": BARE.encode(),
    "ward/é😀.txt.gz": gzip.compress(BARE.encode(), mtime=0),
}
_TAR = _tar(_NOTES)
_ARCHIVES = {
    "a.zip": packed(list(_NOTES.items())),
    "stored.zip": packed(list(_NOTES.items()), 0),
    "a.tar": _TAR,
    "a.tar.gz": gzip.compress(_TAR, mtime=0),
    "a.tar.bz2": bz2.compress(_TAR),
    "a.tar.xz": lzma.compress(_TAR),
}


def _archive(name: str, data: bytes) -> Seed:
    return Seed(
        "text",
        {name: data},
        {"files": [f"{HERE}/{name}", f"{HERE}/{GOOD}.txt"]},
        {f"{GOOD}.txt": FINE.encode()},
        (GOOD,),
        True,
    )


def _reviewed_json() -> bytes:
    return packed([("x.json", write_jsoncas(cas("x", TEXT, SPANS)))])


SEEDS: dict[str, Seed] = {
    "text": Seed(
        "text",
        {"a.txt": TEXT.encode(), "b.txt": BARE.encode("utf-16"), "c.txt.gz": gzip.compress(TEXT.encode(), mtime=0)},
        beside={f"{GOOD}.txt": FINE.encode()},
        good=(GOOD,),
    ),
    "text-utf-16": Seed("text", {"a.txt": TEXT.encode("utf-16")}, {"encoding": "utf-16"}),
    "csv": Seed(
        "csv",
        {
            "a.csv": _CSV,
            "b.csv.gz": gzip.compress(
                _CSV.replace(b"\r\na,", b"\r\nd,").replace(b"\r\nb,", b"\r\ne,").replace(b"\r\nc,", b"\r\nf,"), mtime=0
            ),
        },
        {"metadata": ["ward"]},
        {f"{GOOD}.csv": _FINE_CSV},
        (GOOD,),
    ),
    "csv-tabs": Seed(
        "csv", {"a.tsv": _CSV.replace(b",", b"\t")}, {"delimiter": "\\t", "pattern": "*.tsv", "encoding": "utf-8"}
    ),
    "csv-wide": Seed("csv", {"a.csv": _CSV.decode().encode("utf-16")}, {"text_field": ["text", "ward"]}),
    "vaers": Seed(
        "vaers",
        {
            "2026VAERSDATA.csv": (_VAERS + f'1,OH,65.0,"{BARE}",03/04/2020,"{BARE}"\r\n2,,,"{BARE}",,\r\n').encode(
                "cp1252"
            )
        },
        beside={"9999VAERSDATA.csv": (_VAERS + f"77,OH,,{FINE},,\r\n").encode()},
        good=("77/SYMPTOM_TEXT",),
    ),
    "jsonl": Seed("jsonl", {"a.jsonl": _RECORDS}, _FIELDS, {f"{GOOD}.jsonl": _FINE_RECORD}, (GOOD,)),
    "jsonl-several": Seed(
        "jsonl",
        {"a.jsonl": _RECORDS, "b.jsonl.gz": gzip.compress(_RECORDS, mtime=0)},
        {"text_field": ["text", "patient.name"], "id_field": None},
    ),
    "parquet": Seed(
        "parquet",
        {"a.parquet": _PARQUET},
        {"metadata": ["ward"], "spans_field": "spans"},
        {f"{GOOD}.parquet": parquet({"id": [GOOD], "text": [FINE], "ward": [0], "spans": [[_span(7, 10, "PERSON")]]})},
        (GOOD,),
        megabytes=2_200,  # Arrow believes the size that the header of a page says
    ),
    "sql": Seed(
        "sql",
        {"notes.db": _database(("a", TEXT, json.dumps(_RECORD["spans"])), ("b", BARE, None))},
        {"url": f"sqlite:///{HERE}/notes.db", "table": "notes", "spans_field": "spans"},
        alone=True,
    ),
    "sql-query": Seed(
        "sql",
        {"notes.db": _database(("a", TEXT, "[{"), (2, BARE.encode(), 5), (None, None, b"\xff"), (1.5, SECRET, SECRET))},
        {"url": f"sqlite:///{HERE}/notes.db", "query": "SELECT id, text, spans FROM notes", "metadata": ["spans"]},
        alone=True,
    ),
    "xmi": Seed(
        "xmi",
        {"a.xmi": write_xmi(_rich()), "b.xmi.gz": gzip.compress(write_xmi(_rich()), mtime=0)},
        beside={f"{GOOD}.xmi": write_xmi(cas(GOOD, FINE, FINE_SPANS))},
        good=(GOOD,),
    ),
    "xmi-lenient": Seed("xmi", {"a.xmi": write_xmi(_rich())}, {"lenient": True}),
    "xmi-foreign": Seed(
        "xmi",
        {
            "a.xmi": review_exports.xmi(
                review_exports.TOKENS + review_exports.span(5, "custom:X", 0, 4, label=SECRET), BARE
            ),
            "TypeSystem.xml": review_exports.types_xml(
                review_exports.type_xml("webanno.custom.X", ("label", "uima.cas.String"))
            ),
        },
    ),
    "xcas": Seed(
        "xcas", {"a.xcas": xcas(BARE, BARE_SPANS)}, beside={f"{GOOD}.xcas": xcas(FINE, FINE_SPANS)}, good=(GOOD,)
    ),
    "xcas-lenient": Seed("xcas", {"a.xcas": xcas(BARE, BARE_SPANS)}, {"lenient": True}),
    "jsoncas": Seed(
        "jsoncas",
        {"a.json": write_jsoncas(_rich())},
        beside={f"{GOOD}.json": write_jsoncas(cas(GOOD, FINE, FINE_SPANS))},
        good=(GOOD,),
    ),
    "jsoncas-lenient": Seed("jsoncas", {"a.json": write_jsoncas(_rich())}, {"lenient": True}),
    "i2b2": Seed("i2b2", {"a.xml": i2b2(TEXT, SPANS)}, beside={f"{GOOD}.xml": i2b2(FINE, FINE_SPANS)}, good=(GOOD,)),
    "i2b2-meddocan": Seed("i2b2", {"a.xml": i2b2(TEXT, SPANS, "MEDDOCAN")}, {"mismatch": "warn", "overlaps": "keep"}),
    "i2b2-2006": Seed(
        "i2b2",
        {
            "a.xml": (
                "<ROOT>\n" + record("1", f'By <PHI TYPE="DOCTOR">{SECRET}</PHI>.') + record("2", BARE) + "</ROOT>\n"
            ).encode()
        },
    ),
    "brat": Seed(
        "brat",
        {"a.txt": TEXT.encode(), "a.ann": _BRAT},
        {"fragments": "split"},
        {f"{GOOD}.txt": FINE.encode(), f"{GOOD}.ann": ann(FINE, FINE_SPANS)},
        (GOOD,),
    ),
    "brat-lists": Seed(
        "brat",
        {"a.txt": TEXT.encode(), "a.ann": _BRAT},
        {"overlaps": "longest", "mismatch": "warn", "fragments": "cover"},
    ),
    "conll": Seed(
        "conll",
        {"a.conll": f"-DOCSTART- d1\tO\n\n{_CONLL}\n-DOCSTART- d2\tO\n\n{_CONLL}".encode()},
        {"tokens": True},
        {f"{GOOD}.conll": b"Ivy B-PER\nphoned O\n"},
        (GOOD,),
    ),
    "conll-u": Seed(
        "conll",
        {"a.conllu": _CONLLU.encode()},
        {
            "format": "conllu",
            "tokens": True,
            "label": "UPOS",
            "pos": "UPOS",
            "kinds": {"PROPN": PhiKind.PERSON, "X": PhiKind.OTHER, "_": None, "ADP": None, "DET": None, "PUNCT": None},
            "tags": "IO",
        },
    ),
    "marked": Seed(
        "marked",
        {"a.txt": _MARKED},
        beside={f"{GOOD}.txt": f"=====\n#id: {GOOD}\nPhoned [[PERSON|Ivy]].\n".encode()},
        good=(GOOD,),
    ),
    "marked-scheme": Seed("marked", {"a.txt": _MARKED}, {"scheme": "i2b2-2014-sub", "kinds": {"PERSON": None}}),
    "doccano": Seed(
        "doccano",
        {"a.jsonl": lines(_DOCCANO, _DOCCANO_NEW)},
        beside={f"{GOOD}.jsonl": lines({"id": GOOD, "text": FINE, "label": []})},
        good=(GOOD,),
    ),
    "prodigy": Seed(
        "prodigy",
        {"a.jsonl": lines(_PRODIGY, _PRODIGY | {"answer": "reject"})},
        {"tokens": True},
        {f"{GOOD}.jsonl": lines({"id": GOOD, "text": FINE, "answer": "accept"})},
        (GOOD,),
    ),
    "label_studio": Seed(
        "label_studio",
        {"a.json": json.dumps(_TASKS).encode(), "b.jsonl": lines(_LATER)},
        beside={f"{GOOD}.json": json.dumps([task(GOOD, FINE)]).encode()},
        good=(GOOD,),
    ),
    "label_studio-predictions": Seed("label_studio", {"b.jsonl": lines(_LATER)}, {"take": "predictions"}),
    "inception": Seed(
        "inception",
        {"p.zip": project({"x.xmi": reviewed(BARE, BARE_SPANS), "y.json": _reviewed_json()})},
        beside={f"{GOOD}.zip": reviewed(FINE, FINE_SPANS, GOOD)},
        good=(GOOD,),
    ),
    "inception-files": Seed(
        "inception",
        {
            "x.zip": reviewed(BARE, BARE_SPANS),
            "y.xmi": review_exports.xmi(review_exports.span(2, "review:PHI", 0, 4, label="DATE"), BARE),
            "TypeSystem.xml": review_exports.TYPES,
        },
        {"lenient": True, "overlaps": "keep"},
    ),
    "e2b-r3": Seed(
        "e2b",
        {"a.xml": e2b_files.r3(e2b_files.r3_report(f"<text>{BARE}</text>"))},
        beside={f"{GOOD}.xml": e2b_files.r3()},
        good=(f"{GOOD}/1/H.1",),
    ),
    "e2b-r2": Seed("e2b", {"a.xml": e2b_files.r2(e2b_files.r2_report(BARE))}),
    "fhir": Seed("fhir", {"a.json": json.dumps(_FHIR).encode()}, beside={f"{GOOD}.json": _FINE_FHIR}),
    "fhir-bulk": Seed("fhir", {"a.ndjson": lines(*(entry["resource"] for entry in _FHIR["entry"]))}),
    **{f"archive-{name}": _archive(name, data) for name, data in _ARCHIVES.items()},
    "archive-of-records": Seed(
        "jsonl",
        {"a.zip": packed([("r.jsonl", _RECORDS), ("s.jsonl", _RECORDS.replace(b'"id": "', b'"id": "2'))])},
        {"files": [f"{HERE}/a.zip", f"{HERE}/{GOOD}.jsonl"]},
        {f"{GOOD}.jsonl": _FINE_RECORD},
        (GOOD,),
        True,
    ),
    "archive-of-cases": Seed(
        "xmi",
        {"a.zip": packed([("r.xmi", write_xmi(_rich())), ("TypeSystem.xml", review_exports.TYPES)])},
        {"folder": f"{HERE}/a.zip"},
        alone=True,
    ),
}
"""By a name for tests."""
