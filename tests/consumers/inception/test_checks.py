"""INCEpTION's import checks: each one finds its fault, where it is, and keeps quiet otherwise."""

from __future__ import annotations

import json
from typing import Any

import pytest
from review_exports import SENTENCE, TOKENS, TYPES, span, type_xml, types_xml, xmi

from caspipe.consumers.inception.checks import Finding, check_document
from caspipe.consumers.inception.raw import from_json, from_xmi
from caspipe.typesystem import FormatError, TypeSystem

PHI = span(9, "review:PHI", 8, 20, label="PERSON")
BASE = SENTENCE + TOKENS + PHI


def findings(data: bytes, types: bytes = TYPES) -> list[Finding]:
    return check_document("f.xmi", from_xmi(data, "f.xmi", TypeSystem.from_xml(types)))


def seen(data: bytes, types: bytes = TYPES) -> list[tuple[str, str, int, int | None, int | None]]:
    return [(f.severity, f.check, f.id, f.begin, f.end) for f in findings(data, types)]


def test_a_document_as_it_should_be_has_no_findings() -> None:
    assert not findings(xmi(BASE))


CASES: list[tuple[str, bytes, list[tuple[str, str, int, int | None, int | None]]]] = [
    ("no text", xmi("", text=""), [("error", "NoText", 0, None, None)]),
    ("blank text", xmi("", text=" \n"), [("error", "NoTokens", 0, None, None)]),
    ("no sentences", xmi(TOKENS + PHI), [("warning", "NoSentences", 0, None, None)]),
    (
        "beyond the text",
        xmi(SENTENCE + TOKENS + span(9, "review:PHI", 8, 22)),
        [
            ("error", "AllAnnotationsWithinDocumentText", 9, 8, 22),
            ("error", "AllAnnotationsStartAndEndWithinSentences", 9, 8, 22),
        ],
    ),
    (
        "before the text",
        xmi(SENTENCE + TOKENS + span(9, "review:PHI", -1, 4)),
        [
            ("error", "AllAnnotationsWithinDocumentText", 9, -1, 4),
            ("error", "AllAnnotationsStartAndEndWithinSentences", 9, -1, 4),
        ],
    ),
    ("backwards", xmi(SENTENCE + TOKENS + span(9, "review:PHI", 7, 5)), [("error", "NegativeSizeAnnotations", 9, 7, 5)]),
    ("an empty token", xmi(BASE + span(5, "seg:Token", 8, 8)), [("error", "NoZeroSizeTokensAndSentences", 5, 8, 8)]),
    ("an empty sentence", xmi(BASE + span(5, "seg:Sentence", 21, 21)), [("error", "NoZeroSizeTokensAndSentences", 5, 21, 21)]),
    ("tokens overlap", xmi(BASE + span(5, "seg:Token", 6, 8)), [
        ("error", "TokensAndSentencesDoNotOverlap", 5, 6, 8), ("error", "AllAnnotationsStartAndEndWithCharacters", 5, 6, 8)
    ]),
    ("sentences overlap", xmi(BASE + span(5, "seg:Sentence", 8, 21)), [("error", "TokensAndSentencesDoNotOverlap", 5, 8, 21)]),
    ("a blank at the begin", xmi(BASE + span(5, "review:PHI", 4, 7)), [
        ("error", "AllAnnotationsStartAndEndWithCharacters", 5, 4, 7)
    ]),
    ("a blank at the end of a built-in layer's", xmi(BASE + span(5, "ner:NamedEntity", 0, 5, value="PER")), [
        ("error", "AllAnnotationsStartAndEndWithCharacters", 5, 0, 5)
    ]),
    ("a type that nobody knows", xmi(BASE + span(5, "custom:Odd", 0, 5)), [("warning", "UnknownTypes", 0, None, None)]),
    ("outside any sentence", xmi(TOKENS + PHI + span(2, "seg:Sentence", 0, 19)), [
        ("error", "AllAnnotationsStartAndEndWithinSentences", 9, 8, 20)
    ]),
    ("a number twice", xmi(BASE + PHI.replace("PERSON", "DATE")), [("warning", "UniqueIds", 9, 8, 20)]),
    ("an unknown feature", xmi(BASE.replace("label=", "odd=")), [("warning", "UnknownFeatures", 0, None, None)]),
]  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_each_fault_is_found_where_it_is(data: bytes, expected: list[tuple[Any, ...]]) -> None:
    assert seen(data) == expected


def test_offsets_are_told_in_code_points_and_as_the_file_has_them() -> None:
    body = span(2, "seg:Sentence", 0, 9) + span(9, "review:PHI", 5, 8) + span(8, "review:PHI", 1, 4)
    found = findings(xmi(body.replace('begin="5"', 'begin="4"'), text="😀😀 Fern"))
    assert [(f.check, f.begin, f.end, f.utf16_begin, f.utf16_end) for f in found if f.id == 9] == [
        ("AllAnnotationsStartAndEndWithCharacters", 2, 6, 4, 8)
    ]


def test_types_that_are_no_layer_are_not_checked_for_edges() -> None:
    reference = type_xml("webanno.custom.Ref", ("to", "uima.tcas.Annotation"))
    plain = type_xml("webanno.custom.Plain", ("note", "uima.cas.String"))
    data = xmi(BASE + span(5, "custom:Ref", 4, 7, to="9") + span(6, "custom:Plain", 4, 7))
    assert [(f.check, f.id) for f in findings(data, types_xml(reference, plain))] == [
        ("AllAnnotationsStartAndEndWithCharacters", 6)
    ]


def test_names_that_inception_refuses() -> None:
    document = from_xmi(xmi(BASE), "a#b.xmi", TypeSystem.from_xml(TYPES))
    assert [f.check for f in check_document("folder/a b.xmi", document)] == []
    assert [(f.check, f.message) for f in check_document("x.zip!/a#b{1}.xmi", document)] == [
        ("FileName", "the name has characters that INCEpTION refuses: # { }")
    ]


def test_findings_hold_no_text() -> None:
    for _, data, _ in CASES:
        assert not [f for f in findings(data) if "Fern" in repr(f) or "Seen" in repr(f)]


# -- JSON CAS --------------------------------------------------------------------------------------------------------


def json_cas(*records: dict[str, Any], text: str = "Seen by Fern.") -> bytes:
    sofa = {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "sofaID": "_InitialView", "sofaString": text}
    types = {
        "caspipe.review.PHI": {
            "%NAME": "caspipe.review.PHI",
            "%SUPER_TYPE": "uima.tcas.Annotation",
            "label": {"%NAME": "label", "%RANGE": "uima.cas.String"},
        }
    }
    members = [r["%ID"] for r in records if not r.pop("loose", False)]
    made = {
        "%TYPES": types,
        "%FEATURE_STRUCTURES": [sofa, *records],
        "%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": members}},
    }
    return json.dumps(made).encode()


def in_json(data: bytes) -> list[tuple[str, int, int | None, int | None]]:
    return [(f.check, f.id, f.begin, f.end) for f in check_document("f.json", from_json(data, "f.json"))]


def record(number: int, type_: str, begin: int, end: int, **more: Any) -> dict[str, Any]:
    return {"%ID": number, "%TYPE": type_, "@sofa": 1, "begin": begin, "end": end, **more}


_SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"
_TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"


def test_json_cas_is_checked_alike() -> None:
    whole = [record(2, _SENTENCE, 0, 13), record(3, _TOKEN, 0, 4), record(9, "caspipe.review.PHI", 8, 12)]
    assert not in_json(json_cas(*whole))
    blank = record(9, "caspipe.review.PHI", 7, 12, label="x")
    assert in_json(json_cas(*whole[:2], blank)) == [("AllAnnotationsStartAndEndWithCharacters", 9, 7, 12)]
    anchors = {"%ID": 9, "%TYPE": "caspipe.review.PHI", "@sofa": 1, "^begin": 7, "^end": 12}
    assert in_json(json_cas(*whole[:2], anchors)) == [("AllAnnotationsStartAndEndWithCharacters", 9, 7, 12)]
    assert in_json(json_cas(*whole, text="Seen\x0cby Fern.")) == [("XmlCharacters", 0, None, None)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "f.json:1:2: damaged JSON"),
        (b"[]", "f.json:1:1: expected a UIMA JSON CAS: an object with %FEATURE_STRUCTURES"),
        (b'{"%FEATURE_STRUCTURES": [1]}', "f.json: expected feature structures as objects with %TYPE"),
        (
            b'{"%FEATURE_STRUCTURES": [{"%ID": "a", "%TYPE": "x"}]}',
            "f.json: expected %ID as a number and %TYPE as a name",
        ),
        (b"[" * 100_000, "f.json:1:1: damaged JSON"),
    ],
)
def test_what_is_no_json_cas_is_told(data: bytes, message: str) -> None:
    with pytest.raises(FormatError) as error:
        from_json(data, "f.json")
    assert str(error.value) == message
