"""Bad input, end to end: records and XMI documents that are not what they should be."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from whole_runs import MASKED, NOTE, SECRET, run

pytestmark = pytest.mark.filterwarnings("ignore:.*has no key:UserWarning")


def jsonl(*records: Any) -> bytes:
    return b"".join((r if isinstance(r, bytes) else json.dumps(r).encode()) + b"\n" for r in records)


@pytest.mark.slow
def test_records_that_are_none_are_quarantined_with_their_line(tmp_path: Path) -> None:
    records = jsonl(
        {"id": "good", "text": NOTE},
        b'{"id": "x", "text": "Dr. %s' % SECRET.encode(),
        [SECRET],
        {"id": SECRET.lower()},
        {"id": "n", "text": 5},
        {"id": {"a": SECRET}, "text": NOTE},
        b'{"id": "n2", "text": "\xff"}',
        b'{"id": "twice", "text": "a", "text": "%s"}' % SECRET.encode(),
        b"[" * 100_000,
        b'{"id": %s, "text": "a"}' % (b"9" * 5000),
        {"id": "good", "text": NOTE},
        b"",
    )
    ran = run(tmp_path, {"r.jsonl": records}, reader="jsonl")
    assert ran.counts() == (11, 1, 10, 0)
    assert [re.sub(r".*r\.jsonl, ", "", f["message"]) for f in ran.failures()] == [
        "line 2: not valid JSON (column 38)",
        "line 3: expected a JSON object",
        "line 4: expected a field text, found none",
        "line 5: field text: expected text, found a number",
        "line 6: field id: expected a document id, found an object",
        "line 7: expected utf-8, found a byte that is not at byte 22",
        "line 8: a field occurs twice in one object",
        "line 9: nested too deeply",
        "line 10: a number with too many digits",
        "line 11: an earlier document has the same id",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("escape", ["\\ud800", "\\udfff", "\\ud800\\ud800", "\\udc00\\ud800"])
def test_lone_surrogates_become_replacement_characters_one_for_one(tmp_path: Path, escape: str) -> None:
    count = escape.count("\\")
    record = b'{"id": "a", "text": "%s %s %s"}\n' % (escape.encode(), NOTE.encode(), escape.encode())
    ran = run(tmp_path, {"r.jsonl": record}, reader="jsonl")
    assert (ran.code, ran.counts()) == (0, (1, 1, 0, 0))
    marks = "\ufffd" * count
    assert ran.released("a").decode() == f"{marks} {MASKED} {marks}"


@pytest.mark.slow
def test_a_surrogate_inside_phi_shifts_nothing(tmp_path: Path) -> None:
    ran = run(tmp_path, {"r.jsonl": b'{"id": "a", "text": "x\\ud800y. %s"}\n' % NOTE.encode()}, reader="jsonl")
    assert ran.released("a").decode() == f"x\ufffdy. {MASKED}"


XMI = """<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:caspipe="http:///caspipe.ecore" \
xmi:version="2.0"><cas:NULL xmi:id="0"/>{body}<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text/plain" \
sofaString="{text}"/><cas:View sofa="1" members="{members}"/></xmi:XMI>"""
SPAN = '<caspipe:PhiCandidate xmi:id="5" sofa="1" begin="{begin}" end="{end}" kind="DATE" {more}/>'


def xmi(body: str = "", members: str = "", head: str = "") -> bytes:
    return (head + XMI.format(body=body, text=NOTE, members=members)).encode()


def span(begin: object = 0, end: object = 3, more: str = "") -> bytes:
    return xmi(SPAN.format(begin=begin, end=end, more=more), "5")


ENTITIES = f'<!DOCTYPE a [<!ENTITY a "{SECRET}">' + "".join(
    f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
BROKEN_XMI = {
    "an entity bomb": (xmi("<caspipe:Phi>&i;</caspipe:Phi>", head=ENTITIES + "]>"), "document type declarations"),
    "an external entity": (xmi(head='<!DOCTYPE a SYSTEM "file:///etc/passwd">'), "document type declarations"),
    "a parameter entity": (xmi(head='<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>'), "document type"),
    "a file cut off": (xmi()[:-70], "damaged XML"),
    "no XML": (NOTE.encode(), "damaged XML"),
    "nothing": (b"", "damaged XML"),
    "another document": (f"<html>{SECRET}</html>".encode(), "expected xmi:XMI as root"),
    "a reference into nothing": (span(more='winner="99"'), "feature winner refers to xmi:id 99, which is not"),
    "a member that is not there": (xmi(members="77"), "member 77 is not a feature structure of the document"),
    "a member that is no number": (xmi(members=SECRET), "expected members as xmi:ids"),
    "offsets beyond the text": (span(end=9999), f"offsets 0:9999 lie outside the text (0:{len(NOTE)})"),
    "a negative offset": (span(begin=-5), "offsets -5:3 lie outside the text"),
    "an end before the begin": (span(9, 3), "offsets 9:3 lie outside the text"),
    "an offset that is no number": (span(begin=SECRET), "expected a whole number"),
    "an id used twice": (
        xmi((SPAN * 2).format(begin=0, end=3, more=""), "5"),
        "xmi:id 5 is used twice",
    ),
    "an id of 6000 digits": (span().replace(b'"5" sofa', b'"%s" sofa' % (b"9" * 6000)), "too many digits"),
    "an unknown type": (
        span().replace(b":PhiCandidate", b":PhiCandidat"),
        "no type caspipe.PhiCandidat in the type system",
    ),
    "an unknown feature": (span(more='colour="x"'), "caspipe.PhiCandidate has no feature colour"),
    "deep nesting": (xmi("<a>" * 3000 + "</a>" * 3000), "element a inside a feature"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN_XMI)
def test_broken_xmi_is_quarantined_with_the_place_and_the_others_go_on(tmp_path: Path, name: str) -> None:
    data, reason = BROKEN_XMI[name]
    ran = run(tmp_path, {"bad.xmi": data, "good.xmi": xmi()}, "--set", "reader.xmi.infer=false", reader="xmi")
    assert (ran.code, ran.counts()) == (3, (2, 1, 1, 0))
    (failure,) = ran.failures()
    assert "bad.xmi" in failure["message"]
    assert reason in failure["message"]
    assert re.search(r":\d+:\d+: ", failure["message"]), "line and column"
    assert ran.released("good").decode() == MASKED


@pytest.mark.slow
def test_a_deidentified_view_that_came_with_a_document_is_never_released(tmp_path: Path) -> None:
    stale = f'<cas:Sofa xmi:id="2" sofaNum="2" sofaID="deidentified" mimeType="text/plain" sofaString="{NOTE}"/>'
    ran = run(tmp_path, {"a.xmi": xmi(stale)}, reader="xmi")
    assert ran.released("a").decode() == MASKED
