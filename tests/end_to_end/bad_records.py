"""Bad records: JSON of annotation tools, tables, brat and CoNLL, each file with one bad record, most with a good name."""

from __future__ import annotations

import json
from typing import Any

import fhir_samples
from bad_files import CANARY, NOISE, Bad
from bad_markup import SPANS, TEXT
from format_samples import VAERS, cas, lines, parquet, region, task

from caspipe.typesystem import write_jsoncas

DEEP = f'{"[" * 100_000}"{CANARY}"{"]" * 100_000}'.encode()
DIGITS = f'{{"{CANARY}": {"9" * 10_000}}}'.encode()


def _lines(make: Any, twice: Any, **records: tuple[Any, str]) -> dict[str, Bad]:
    """JSON Lines of any tool: what is no record, and `records` of its own. `make(id, text)` makes a good one; `twice`
    has an id that is there already."""
    good = json.dumps(make("x", TEXT))
    shared: dict[str, tuple[Any, str]] = {
        "list": ([CANARY], "line 1: expected a JSON object"),
        "string": (CANARY, "line 1: expected a JSON object"),
        "deep": (DEEP, "line 1: nested too deeply"),
        "deep-field": (good.replace(f'"{TEXT}"', DEEP.decode()).encode(), "line 1: nested too deeply"),
        "digits": (DIGITS, "line 1: a number with too many digits"),
        "key-twice": (
            good[:-1].encode() + f', "id": "{CANARY}"}}'.encode(),
            "line 1: a field occurs twice in one object",
        ),
        "two-in-one": (f"{good}{good}".encode(), "line 1: not valid JSON (column "),
        "infinite": (good.replace(f'"{TEXT}"', "-Infinity").encode(), "line 1: field "),
        "no-text": ({"id": "n1", CANARY: 1}, "line 1: expected a field"),
        "number": (make("n2", 5), "expected text, found a number"),
        "null": (make("n3", None), "expected text, found nothing"),
        "object": (make("n4", {CANARY: 1}), "expected text, found an object"),
    }
    return {f"bad-{name}.jsonl": (lines(record), reason) for name, (record, reason) in (shared | records).items()} | {
        "z-id-twice.jsonl": (lines(twice), "line 1: an earlier document has the same id")
    }


def _spans(span: Any, make: Any) -> dict[str, tuple[Any, str]]:
    """Records with bad spans. `span(begin, end, label)` makes one, `make(id, spans)` a record; texts are TEXT."""
    return {
        "beyond": (make("s1", [span(5, 9999)]), "5:9999 is not a span of the text (0:31)"),
        "negative": (make("s2", [span(-5, 18)]), "-5:18 is not a span of the text"),
        "reversed": (make("s3", [span(18, 5)]), "18:5 is not a span of the text"),
        "empty-span": (make("s4", [span(5, 5)]), "5:5 is not a span of the text"),
        "huge": (make("s5", [span(5, 10**400)]), "is not a span of the text"),
        "fraction": (make("s6", [span(5, 18.5)]), "expected integers as begin and end"),
        "word": (make("s7", [span(5, CANARY)]), "expected integers as begin and end"),
        "label": (make("s8", [span(5, 18, "PERSONN")]), "no PHI kind called 'PERSONN'"),
        "text-as-label": (make("s9", [span(5, 18, TEXT)]), "its label is not the name of a kind"),
        "no-label": (make("s10", [span(5, 18, None)]), "expected integers as begin and end and a string"),
        "overlap": (make("s11", [span(5, 18), span(0, 7, "DATE")]), "overlap; `overlaps` can say which to keep"),
        "no-list": (make("s12", CANARY), "expected a list"),
        "no-span": (make("s13", [CANARY]), "expected "),
    }


def _jsonl() -> dict[str, Bad]:
    def make(id: Any, text: Any) -> dict[str, Any]:
        return {"id": id, "text": text}

    return _lines(
        make,
        make("a", TEXT),
        id=(make([CANARY], TEXT), "field id: expected a document id, found a list"),
        **{"blank-id": (make("  ", TEXT), "field id: expected a document id, found only spaces")},
        **_spans(
            lambda b, e, k="PERSON": {"begin": b, "end": e, "kind": k},
            lambda id, spans: {**make(id, TEXT), "spans": spans},
        ),
    )


def _doccano() -> dict[str, Bad]:
    def make(id: Any, text: Any) -> dict[str, Any]:
        return {"id": id, "text": text, "label": []}

    return _lines(
        make,
        make("a", TEXT),
        **_spans(lambda b, e, k="PERSON": [b, e, k], lambda id, spans: {**make(id, TEXT), "label": spans}),
    )


def _prodigy() -> dict[str, Bad]:
    def make(id: Any, text: Any) -> dict[str, Any]:
        return {"id": id, "text": text, "answer": "accept"}

    return _lines(
        make,
        make("a", TEXT),
        **{
            "other-text": (
                {**make("p1", TEXT), "spans": [{"start": 4, "end": 17, "label": "PERSON", "text": CANARY}]},
                "does not cover the text",
            )
        },
        **_spans(
            lambda b, e, k="PERSON": {"start": b, "end": e, "label": k},
            lambda id, spans: {**make(id, TEXT), "spans": spans},
        ),
    )


def _label_studio() -> dict[str, Bad]:
    def span(begin: Any, end: Any, label: Any = "PERSON") -> dict[str, Any]:
        value = {"start": begin, "end": end, "labels": [label]}
        return {**region(0, 1), "value": value}

    good = task("x", TEXT, region(5, 18, text=TEXT))
    made = _lines(
        task,
        task(1, TEXT),
        **{
            "other-text": (
                task(
                    "l1",
                    TEXT,
                    region(4, 17, text=TEXT) | {"value": {"start": 4, "end": 17, "text": CANARY, "labels": ["DATE"]}},
                ),
                "4:17 does not cover the text",
            )
        },
        several=(
            {**good, "id": "l3", "annotations": good["annotations"] * 2},
            "expected one of annotations, found 2",
        ),
        audio=(
            task("l2", TEXT, {"type": "labels", "value": {"audio": CANARY}}),
            "result 1: expected a region with labels in plain text",
        ),
        **_spans(
            span,
            lambda id, spans: (
                task(id, TEXT, *spans) if isinstance(spans, list) else {**task(id, TEXT), "annotations": spans}
            ),
        ),
    )
    made |= {
        "bad-list.jsonl": (lines([CANARY]), "item 1: expected a JSON object"),
        "bad-deep.jsonl": (DEEP, "item 1: from here on: nested too deeply"),
        "bad-null.jsonl": (lines(task("n3", None)), "line 1: expected a field data.text, found none"),
    }
    twice = task(1, CANARY)
    return made | {
        "bad-array-cut.json": (
            json.dumps([CANARY, good]).encode()[:-9],
            "item 1: expected a JSON object",
            "item 2: from here on: not valid JSON",
        ),
        "bad-array-comma.json": (
            json.dumps([CANARY, 0]).encode().replace(b", 0]", b" 0]"),
            "item 1: ",
            "item 2: from here on: expected a comma or the end of the array",
        ),
        "z-array-twice.json": (
            json.dumps([twice, twice]).encode(),
            "item 1: an earlier document has the same id",
            "item 2: an earlier document has the same id",
        ),
        "bad-array-more.json": (b"[] " + CANARY.encode(), "item 1: expected nothing after the array"),
    }


def _jsoncas() -> dict[str, Bad]:
    good = write_jsoncas(cas("x", TEXT, SPANS))

    def changed(old: str, new: str) -> bytes:
        assert old.encode() in good, good
        return good.replace(old.encode(), new.encode())

    return {
        "bad-beyond.json": (
            changed('"end":18', '"end":9999'),
            "%FEATURE_STRUCTURES[3] (%ID 4): caspipe.Phi: offsets 5:9999 lie outside the text (0:31)",
        ),
        "bad-negative.json": (changed('"begin":5', '"begin":-5'), "offsets -5:18 lie outside the text (0:31)"),
        "bad-reversed.json": (
            changed('"begin":5,"end":18', '"begin":18,"end":5'),
            "offsets 18:5 lie outside the text (0:31)",
        ),
        "bad-huge.json": (changed('"end":18', f'"end":{"9" * 10_000}'), "a number of too many digits"),
        "bad-word.json": (
            changed('"end":18', f'"end":"{CANARY}"'),
            "caspipe.Phi: feature end: expected a whole number, got a string",
        ),
        "bad-fraction.json": (changed('"end":18', '"end":18.5'), "feature end: expected a whole number, got a number"),
        "bad-kind.json": (changed('"kind":"PERSON"', f'"kind":"{CANARY}"'), "feature kind: expected a kind of PHI"),
        "bad-type.json": (changed('"%TYPE":"caspipe.Phi"', '"%TYPE":"my.Phi"'), "no type my.Phi in the type system"),
        "bad-deep.json": (
            changed('"kind":"PERSON"', f'"kind":{DEEP.decode()}'),
            "JSON nested deeper than any document",
        ),
        "bad-list.json": (json.dumps([CANARY]).encode(), "expected a JSON object with %FEATURE_STRUCTURES and %VIEWS"),
        "bad-other.json": (
            json.dumps({"text": CANARY}).encode(),
            "expected %HEADER, %TYPES, %FEATURE_STRUCTURES, %VIEWS, got another section",
        ),
    }


def _csv() -> dict[str, Bad]:
    """The good rows behind a bad one come out; so do those before it."""
    head = "id,text\r\n"
    good = f'y1,"{TEXT}"\r\n'
    return {
        "bad-short.csv": (f"{head}{CANARY}\r\n".encode(), "row 1 (line 2): expected 2 columns, found 1"),
        "bad-long.csv": (f"{head}c1,{CANARY},x\r\n".encode(), "row 1 (line 2): expected 2 columns, found 3"),
        "bad-open.csv": (
            f'{head}c2,"{CANARY}\r\nc3,x\r\n{good}'.encode(),
            "from row 1 on: a quoted field continues after its closing quote",
        ),
        "bad-never.csv": (
            f'{head}c3,"{CANARY}\r\nx,y\r\n'.encode(),
            "from row 1 on: a quote is opened and never closed",
        ),
        "bad-behind.csv": (
            f'{head}c4,"{CANARY}"x\r\n{good}'.encode(),
            "from row 1 on: a quoted field continues after its closing quote",
        ),
        "bad-inner.csv": (
            f'{head}c5,"said "{CANARY}" twice"\r\n'.encode(),
            "from row 1 on: a quoted field continues after its closing quote",
        ),
        "bad-no-id.csv": (
            f"{head},{CANARY}\r\n".encode(),
            "row 1 (line 2): field id: expected a document id, found nothing",
        ),
        "z-id-twice.csv": (f"{head}a,{CANARY}\r\n".encode(), "row 1 (line 2): an earlier document has the same id"),
        "bad-header.csv": (
            f"id,txt\r\nc6,{CANARY}\r\n".encode(),
            "expected a field text, found none; did you mean txt?",
        ),
        "bad-header-twice.csv": (f"id,text,text\r\nc7,{CANARY},x\r\n".encode(), "column text occurs twice"),
        "bad-headless.csv": (f"c8,{TEXT}\r\n".encode(), "expected a field text, found none"),
        "bad-tabs.csv": (f"id\ttext\r\nc9\t{CANARY}\r\n".encode(), "expected a field text, found none"),
    }


def _vaers() -> dict[str, Bad]:
    name = "{}VAERSDATA.csv".format
    return {
        name("bad-short"): (f"{VAERS}91,{CANARY}\r\n".encode(), "row 1 (line 2): expected 6 columns, found 2"),
        name("bad-open"): (
            f'{VAERS}92,,,"{CANARY}\r\n93,,,x,,\r\n'.encode(),
            "from row 1 on: a quote is opened and never closed",
        ),
        name("bad-id-twice"): (
            f"{VAERS}1,,,{CANARY},,\r\n".encode(),
            "row 1 (line 2): an earlier document has the same id",
        ),
        name("bad-no-id"): (
            f"{VAERS},,,{CANARY},,\r\n".encode(),
            "field VAERS_ID: expected a document id, found nothing",
        ),
        name("bad-header"): (
            f"VAERS_ID,SYMPTOMS\r\n94,{CANARY}\r\n".encode(),
            "expected a field SYMPTOM_TEXT, found none",
        ),
        name("bad-byte"): (
            f"{VAERS}95,,,{CANARY}".encode() + b"\x81,,\r\n",
            "row 1 (line 2): expected cp1252, found bytes that are not",
        ),
    }


def _brat() -> dict[str, Bad]:
    """The text is TEXT in all of them; the fault is in the annotations."""
    tag = f"T1\tPERSON 5 18\t{CANARY}\n"
    return {
        "bad-beyond.ann": (
            tag.replace("18", "9999"),
            "T1 (line 1 of the .ann file): 5:9999 is not a span of the text (0:31)",
        ),
        "bad-negative.ann": (
            tag.replace("5 ", "-5 "),
            "T1 (line 1 of the .ann file): expected a label, a begin and an end",
        ),
        "bad-reversed.ann": (tag.replace("5 18", "18 5"), "18:5 is not a span of the text"),
        "bad-huge.ann": (tag.replace("18", "9" * 5000), "expected a label, a begin and an end"),
        "bad-other-text.ann": (tag.replace("5 18", "4 17"), "4:17 does not cover the text that the tag names"),
        "bad-label.ann": (
            tag.replace("PERSON", "PERSONN"),
            "T1 (line 1 of the .ann file): no PHI kind called 'PERSONN'",
        ),
        "bad-id-twice.ann": (tag + tag, "T1 (line 2 of the .ann file): line 1 has the same id"),
        "bad-overlap.ann": (tag + f"T2\tDATE 0 18\tSeen {CANARY}\n", "overlap"),
        "bad-pieces.ann": (f"T1\tPERSON 0 4;5 18;22 30\tSeen {CANARY} 3/4/2020\n", "a discontinuous annotation"),
        "bad-dangling.ann": (f"A1\tNegation T7 {CANARY}\n", "its text-bound annotation does not exist"),
        "bad-line.ann": (f"{CANARY}\n", "line 1 of the .ann file: expected a line that begins with T, A"),
        "bad-tab.ann": (f"T1 PERSON 5 18 {CANARY}\n", "line 1 of the .ann file: expected a label, a begin and an end"),
    }


def _conll() -> dict[str, Bad]:
    return {
        "bad-label.conll": (f"{CANARY} B-PERSONN\n", "line 1: no PHI kind called 'PERSONN'"),
        "bad-prefix.conll": (f"{CANARY} X-PERSON\n", "line 1: "),
        "bad-bare.conll": (f"{CANARY} PERSON\n", "line 1: "),
        "bad-token-as-label.conll": (f"x {CANARY}\n", "line 1: "),
        "bad-columns.conll": (f"x O\n{CANARY}\n", "line 2: expected at least 2 columns, found 1"),
    }


def _marked() -> dict[str, Bad]:
    begin = "=====\n#id: {}\n"
    documents = {
        "bad-label.txt": (
            f"[[PERSON_DOCTR|{CANARY}]]",
            "line 3, column 1: no PHI kind called 'PERSON_DOCTR'; did you mean",
        ),
        "bad-word.txt": (f"x [[{CANARY}|x]]", "line 3, column 3: expected the name of a PHI kind, found another word"),
        "bad-open.txt": (f"[[PERSON|{CANARY}", "line 3, column 1: expected a mark like [[DATE|3 May]], found [["),
        "bad-nested.txt": (f"[[PERSON|{CANARY} [[DATE|3]]]]", "line 3, column 1: expected a mark like"),
        "bad-close.txt": (f"{CANARY}]]", f"line 3, column {len(CANARY) + 1}: expected [[ before ]], found none"),
    }
    whole = {
        "bad-before.txt": (f"{CANARY}\n", "line 1: expected a line =====, found another line"),
        "bad-header.txt": (f"=====\n{CANARY}\n", "line 2: expected a header like `#id: note-1`, found another line"),
        "s-bad-id.txt": (f"=====\n#id: a\n{CANARY}\n", "line 2: an earlier document has the same id"),
    }
    return {name: (begin.format(name) + body + "\n", reason) for name, (body, reason) in documents.items()} | whole


def _fhir(lines_: bool) -> dict[str, Bad]:
    def file(root: Any) -> bytes:
        return root if isinstance(root, bytes) else lines(root) if lines_ else json.dumps(root).encode()

    good = json.dumps(fhir_samples.document(TEXT, "Patient/zz"))
    found: dict[str, tuple[Any, str]] = {
        "list": ([CANARY], "expected a FHIR resource, found no JSON object"),
        "string": (CANARY, "expected a FHIR resource, found no JSON object"),
        "deep": (DEEP, "nested too deeply"),
        "deep-field": (good.replace('"current"', DEEP.decode()).encode(), "nested too deeply"),
        "digits": (DIGITS, "a number with too many digits"),
        "key-twice": (f'{good[:-1]}, "id": "{CANARY}"}}'.encode(), "a field occurs twice in one object"),
        "entry": ({"resourceType": "Bundle", "entry": CANARY}, "/entry: expected a list"),
        "entries": ({"resourceType": "Bundle", "entry": [CANARY]}, "/entry/0: expected an object"),
        "untyped": ({"text": CANARY}, "expected a resourceType"),
        "type": ({"resourceType": [CANARY]}, "expected a resourceType"),
    }
    suffix = "ndjson" if lines_ else "json"
    return {f"bad-{name}.{suffix}": (file(root), reason) for name, (root, reason) in found.items()}


def _parquet() -> dict[str, Bad]:
    import pyarrow as pa

    def file(text: Any, id: Any = "x", spans: Any = None, **more: Any) -> bytes:
        return parquet({"id": [id], "text": [text], "spans": [spans], **more})

    good = file(TEXT)
    at = good.index(CANARY.encode())
    return {
        "bad-cut.parquet": (good[:-20], "the Parquet data are damaged or cut off"),
        "bad-empty.parquet": (b"", "the Parquet data are damaged or cut off"),
        "bad-noise.parquet": (NOISE, "the Parquet data are damaged or cut off"),
        "bad-group.parquet": (
            good[:at] + b"XX" + good[at + 2 :],
            "rows 1 to 1: the Parquet data are damaged or cut off",
        ),
        "bad-column.parquet": (
            parquet({"id": ["x"], "txt": [CANARY], "spans": pa.nulls(1)}),
            "expected a field text, found none; did you mean txt?",
        ),
        "bad-no-id.parquet": (file(CANARY, id=None), "row 1: field id: expected a document id, found nothing"),
        "z-id-twice.parquet": (file(CANARY, id="a"), "row 1: an earlier document has the same id"),
        "bad-null.parquet": (
            file(pa.scalar(None, pa.string()), id="n"),
            "row 1: field text: expected text, found nothing",
        ),
        "bad-number.parquet": (file(5, id="n"), "row 1: field text: expected text, found a number"),
        "bad-bytes.parquet": (file(NOISE, id="n"), "row 1: field text: expected text, found "),
        "bad-latin.parquet": (
            parquet(
                {"id": ["n"], "text": pa.array([b"\xff" + CANARY.encode()]).view(pa.string()), "spans": pa.nulls(1)}
            ),
            "row 1: a value that cannot be read",
        ),
        "bad-beyond.parquet": (
            file(TEXT, "s1", [{"begin": 5, "end": 9999, "kind": "PERSON"}]),
            "span 1: 5:9999 is not a span of the text",
        ),
        "bad-spans.parquet": (file(TEXT, "s2", CANARY), "row 1: field spans: expected a list of spans"),
    }


RECORDS: dict[str, dict[str, Bad]] = {
    "jsonl": _jsonl(),
    "doccano": _doccano(),
    "prodigy": _prodigy(),
    "label_studio": _label_studio(),
    "jsoncas": _jsoncas(),
    "csv": _csv(),
    "vaers": _vaers(),
    "brat": {name: (data.encode(), reason) for name, (data, reason) in _brat().items()},
    "conll": {name: (data.encode(), reason) for name, (data, reason) in _conll().items()},
    "marked": {name: (data.encode(), reason) for name, (data, reason) in _marked().items()},
    "fhir": _fhir(False),
    "fhir-bulk": _fhir(True),
    "parquet": _parquet(),
}
