"""Faulty JSON CAS: strict faults with their place, lenient notes, nothing of the text in either."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jsoncas_documents import SECRET, SOFA, TYPES, data, rows, t

from caspipe.typesystem import (
    Annotation,
    FormatError,
    read_jsoncas,
    write_jsoncas,
)

PLACE = "%FEATURE_STRUCTURES"
ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown type": (
        {"%ID": 2, "%TYPE": "my.Tt"},
        "[1] (%ID 2): no type my.Tt in the type system; did you mean my.T?",
    ),
    "a type that is no name": (
        {"%ID": 2, "%TYPE": f"{SECRET} was seen"},
        "[1] (%ID 2): no type (a name that UIMA does not allow) in the type system",
    ),
    "an unknown feature": (t(2, nn=1), "[1] (%ID 2): my.T has no feature nn"),
    "an unknown feature with the nearest": (
        t(2, aFSAray=1),
        "[1] (%ID 2): my.T has no feature aFSAray; did you mean aFSArray?",
    ),
    "an unknown keyword": (t(2, **{"%X": 1}), "[1] (%ID 2): my.T: a keyword that JSON CAS does not have"),
    "a feature given twice": (
        t(2, **{"d": 1, "#d": "NaN"}),
        "[1] (%ID 2): my.T: a feature is given twice",
    ),
    "no type": ({"%ID": 2}, "[1] (%ID 2): expected an object with %TYPE as a string"),
    "a type that is a number": ({"%ID": 2, "%TYPE": 5}, "[1] (%ID 2): expected an object with %TYPE as a string"),
    "no id": ({"%TYPE": "my.T", "begin": 0, "end": 1}, "[1]: my.T without %ID"),
    "an id that is a string": (t(2) | {"%ID": "2"}, "[1]: my.T: expected a whole number as %ID"),
    "an id that is true": (t(2) | {"%ID": True}, "[1]: my.T: expected a whole number as %ID"),
    "id 0": (t(0), "[1] (%ID 0): %ID 0 means null; expected a number above it"),
    "an id out of range": (t(2**31), "[0] (%ID 1): expected %IDs from 1 to 2147483647"),
    "a string for a number": (
        t(2, n=SECRET),
        "[1] (%ID 2): my.T: feature n: expected a whole number from -2147483648 to 2147483647, got a string",
    ),
    "true for a number": (
        t(2, n=True),
        "[1] (%ID 2): my.T: feature n: expected a whole number from -2147483648 to 2147483647, got a truth value",
    ),
    "a fraction for a whole number": (
        t(2, n=1.5),
        "[1] (%ID 2): my.T: feature n: expected a whole number from -2147483648 to 2147483647, got a number",
    ),
    "a number out of range": (
        t(2, y=200),
        "[1] (%ID 2): my.T: feature y: expected a whole number from -128 to 127, got a number",
    ),
    "a number for a string": (t(2, s=5), "[1] (%ID 2): my.T: feature s: expected a string, got a number"),
    "an array for a string": (t(2, s=[SECRET]), "[1] (%ID 2): my.T: feature s: expected a string, got an array"),
    "a number for a truth value": (t(2, b=1), "[1] (%ID 2): my.T: feature b: expected true or false, got a number"),
    "a string for a float": (t(2, d="NaN"), "[1] (%ID 2): my.T: feature d: expected a number, got a string"),
    "a special float of another spelling": (
        t(2, **{"#d": SECRET}),
        "[1] (%ID 2): my.T: feature d: expected NaN, Infinity or -Infinity",
    ),
    "a float too large": (t(2, d=10**400), "[1] (%ID 2): my.T: a number of too many digits"),
    "a reference without its mark": (t(2, to=2), "[1] (%ID 2): my.T: expected @to, the number of a feature structure"),
    "a value with the mark of references": (t(2, **{"@n": 2}), "[1] (%ID 2): my.T: expected n, a value"),
    "a reference that is a string": (
        t(2, **{"@to": "2"}),
        "[1] (%ID 2): my.T: feature to: expected the number of a feature structure, got a string",
    ),
    "a dangling reference": (
        t(2, **{"@to": 9}),
        "[1] (%ID 2): my.T: feature to refers to %ID 9, which is not in the document",
    ),
    "a dangling array": (
        t(2, **{"@aFSArray": 9}),
        "[1] (%ID 2): my.T: feature aFSArray refers to %ID 9, which is not in the document",
    ),
    "a reference to another type": (
        t(2, **{"@to": 1}),
        "[1] (%ID 2): my.T: feature to refers to %ID 1: expected my.T, got uima.cas.Sofa",
    ),
    "an array that is none": (
        t(2, **{"@aFSArray": 2}),
        "[1] (%ID 2): my.T: feature aFSArray refers to %ID 2: expected uima.cas.FSArray, got my.T",
    ),
    "offsets beyond the text": (t(2, end=99), "[1] (%ID 2): my.T: offsets 0:99 lie outside the text (0:12)"),
    "offsets reversed": (t(2, begin=2, end=1), "[1] (%ID 2): my.T: offsets 2:1 lie outside the text (0:12)"),
    "offsets below 0": (t(2, begin=-1), "[1] (%ID 2): my.T: offsets -1:1 lie outside the text (0:12)"),
    "offsets that are strings": (
        t(2, end="1"),
        "[1] (%ID 2): my.T: feature end: expected a whole number, got a string",
    ),
    "an unknown Sofa": (t(2, **{"@sofa": 8}), "[1] (%ID 2): my.T: its sofa is not in the document"),
    "a Sofa that is a list": (
        t(2, **{"@sofa": []}),
        "[1] (%ID 2): my.T: feature sofa: expected the number of a Sofa, got an array",
    ),
    "two Sofas of one name": (SOFA | {"%ID": 2}, "[1] (%ID 2): two Sofas with the same %ID or sofaID"),
    "a Sofa without name": ({"%ID": 2, "%TYPE": "uima.cas.Sofa"}, "[1] (%ID 2): Sofa without sofaID"),
    "a Sofa whose text is a number": (
        SOFA | {"%ID": 2, "sofaString": 5},
        "[1] (%ID 2): uima.cas.Sofa: feature sofaString: expected a string, got a number",
    ),
    "a Sofa of an absent array": (
        SOFA | {"%ID": 2, "@sofaArray": 9},
        "[1] (%ID 2): feature sofaArray: expected the number of an array of values",
    ),
    "a Sofa with more": (SOFA | {"%ID": 2, "x": 9}, "[1] (%ID 2): uima.cas.Sofa has no feature x"),
    "elements that are no array": (
        {"%ID": 2, "%TYPE": "uima.cas.FSArray", "%ELEMENTS": 5},
        "[1] (%ID 2): uima.cas.FSArray: expected %ELEMENTS as an array, got a number",
    ),
    "elements of another range": (
        {"%ID": 2, "%TYPE": "uima.cas.Short[]", "%ELEMENTS": [40000]},
        "[1] (%ID 2): uima.cas.ShortArray: expected %ELEMENTS of range uima.cas.Short, got a number",
    ),
    "a dangling element": (
        {"%ID": 2, "%TYPE": "uima.cas.FSArray", "%ELEMENTS": [9]},
        "[1] (%ID 2): uima.cas.FSArray: feature elements refers to %ID 9, which is not in the document",
    ),
    "elements that are no references": (
        {"%ID": 2, "%TYPE": "uima.cas.FSArray", "%ELEMENTS": [SECRET]},
        "[1] (%ID 2): uima.cas.FSArray: expected %ELEMENTS as numbers of feature structures, or null",
    ),
    "bytes that are no Base64": (
        {"%ID": 2, "%TYPE": "uima.cas.ByteArray", "%ELEMENTS": "?"},
        "[1] (%ID 2): uima.cas.ByteArray: expected %ELEMENTS in Base64",
    ),
    "an array with features": (
        {"%ID": 2, "%TYPE": "uima.cas.FSArray", "x": 1},
        "[1] (%ID 2): uima.cas.FSArray has no feature x",
    ),
    "a kind of PHI nobody knows": (
        t(2) | {"%TYPE": "caspipe.Phi", "kind": "DAET"},
        "[1] (%ID 2): caspipe.Phi: feature kind: expected a kind of PHI; did you mean DATE?",
    ),
    "a PHI annotation without its kind": (
        t(2) | {"%TYPE": "caspipe.Phi"},
        "[1] (%ID 2): caspipe.Phi: expected feature kind",
    ),
    "an enumeration's value nobody knows": (
        t(2) | {"%TYPE": "caspipe.MedicalTerm", "group": SECRET},
        "[1] (%ID 2): caspipe.MedicalTerm: feature group: expected one of "
        "SIGN_SYMPTOM, DISEASE_DISORDER, MEDICATION, ANATOMICAL_SITE, LAB_PROCEDURE",
    ),
    "a row that is no object": ([SECRET], "[1]: expected an object"),  # type: ignore[dict-item]  # on purpose
}


@pytest.mark.parametrize("fault", ROWS)
def test_strict_reading_names_feature_structure_and_feature(fault: str) -> None:
    row, message = ROWS[fault]
    with pytest.raises(FormatError) as e:
        read_jsoncas(data(rows(row)), TYPES)
    assert str(e.value) == f"(bytes): {PLACE}{message}"
    assert SECRET not in str(e.value)


def with_types(**given: Any) -> dict[str, Any]:
    return rows(**{"%TYPES": given})


DOCUMENTS: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", ":1:1: damaged JSON: expecting value"),
    "a cut": (data(rows(t(2)))[:-30], ":1:225: damaged JSON: expecting value"),
    "a string cut off": (b'{"%TYPES": "Zebulo', ":1:12: damaged JSON: unterminated string starting"),
    "a control character": (b'{"a": "Zebulon\x01"}', ":1:15: damaged JSON: invalid control character"),
    "Latin-1": ('{"a": "Zebulön"}'.encode("latin-1"), ": byte 12: expected JSON in UTF-8"),
    "a half in UTF-8": (b'{"a": "\xed\xa0\x80"}', ": byte 7: expected JSON in UTF-8"),
    "NaN": (b'{"a": NaN}', ": NaN is not JSON; expected it as a string, its feature with # before the name"),
    "a number without end": (b'{"a": ' + b"1" * 5000 + b"}", ": a number of too many digits"),
    "depth": (b'{"%TYPES":' + b"[" * 200_000, ": JSON nested deeper than any document"),
    "depth of objects": (b'{"a":' * 100_000, ": JSON nested deeper than any document"),
    "an array": (b"[]", ": expected a JSON object with %FEATURE_STRUCTURES and %VIEWS"),
    "another JSON file": (
        b'{"Zebulon": 1}',
        ": expected %HEADER, %TYPES, %FEATURE_STRUCTURES, %VIEWS, got another section",
    ),
    "no feature structures": (b"{}", ": %FEATURE_STRUCTURES: expected an array, or an object by id"),
    "no views": (data({PLACE: [SOFA]}), ": %VIEWS: expected an object"),
    "views that are a list": (data({PLACE: [], "%VIEWS": []}), ": %VIEWS: expected an object"),
    "a view that is a list": (
        data({PLACE: [], "%VIEWS": {"a": []}}),
        ": %VIEWS.a: expected an object with %SOFA and %MEMBERS",
    ),
    "members that are strings": (
        data({PLACE: [], "%VIEWS": {"a": {"%MEMBERS": ["2"]}}}),
        ": %VIEWS.a.%MEMBERS: expected an array of numbers of feature structures",
    ),
    "a Sofa that is a name": (
        data({PLACE: [], "%VIEWS": {"a": {"%SOFA": "a"}}}),
        ": %VIEWS.a.%SOFA: expected the number of a Sofa",
    ),
    "a member that is not there": (
        data(rows(members=[5])),
        f": {PLACE}[0] (%ID 1): View _InitialView: member 5 is not a feature structure of the document",
    ),
    "a view of no Sofa": (
        data({PLACE: [SOFA], "%VIEWS": {"a": {"%SOFA": 9}}}),
        f": {PLACE}[0] (%ID 1): view a: its Sofa 9 is not in the document",
    ),
    "a view of another's Sofa": (
        data({PLACE: [SOFA], "%VIEWS": {"a": {"%SOFA": 1}}}),
        f": {PLACE}[0] (%ID 1): view a: its Sofa 1 is that of view _InitialView",
    ),
    "an id twice": (data(rows(t(2), t(2))), f": {PLACE}[2] (%ID 2): %ID 2 is used twice"),
    "an id twice by id": (
        b'{"%FEATURE_STRUCTURES":{"2":{"%TYPE":"my.T"},"2":{"%TYPE":"my.T"}},"%VIEWS":{}}',
        ": a property occurs twice in one object",
    ),
    "an id that is a word": (
        b'{"%FEATURE_STRUCTURES":{"Zebulon":{"%TYPE":"my.T"}},"%VIEWS":{}}',
        f": {PLACE}: expected ids as numbers below 2147483648",
    ),
    "several Sofas and none named": (
        data(
            {
                PLACE: [SOFA, SOFA | {"%ID": 2, "sofaID": "b"}, {"%ID": 3, "%TYPE": "my.T", "begin": 0, "end": 1}],
                "%VIEWS": {"b": {"%SOFA": 2, "%MEMBERS": [3]}},
            }
        ),
        f": {PLACE}[0] (%ID 1): View b: member 3 (my.T) names no Sofa",
    ),
    "a list in a circle": (
        data(
            rows(
                t(2, **{"@aStringList": 3}), {"%ID": 3, "%TYPE": "uima.cas.NonEmptyStringList", "head": "x", "@tail": 3}
            )
        ),
        f": {PLACE}[1] (%ID 2): my.T: feature aStringList: a circular list",
    ),
    "types that are a list": (data(rows(**{"%TYPES": []})), ": %TYPES: expected an object"),
    "a type that is a word": (data(with_types(**{"my.X": "Zebulon"})), ": %TYPES.my.X: expected an object"),
    "a supertype that is not there": (
        data(with_types(**{"my.X": {"%SUPER_TYPE": "my.Y"}})),
        ": %TYPES: type my.X: no supertype my.Y",
    ),
    "a range that is not there": (
        data(with_types(**{"my.X": {"a": {"%RANGE": "my.Y"}}})),
        ": %TYPES: feature my.X:a: no type my.Y for its range",
    ),
    "a feature without range": (
        data(with_types(**{"my.X": {"a": {}}})),
        ": %TYPES.my.X.a: expected an object with %RANGE",
    ),
    "another range": (
        data(with_types(**{"my.T": {"%SUPER_TYPE": "uima.tcas.Annotation", "n": {"%RANGE": "uima.cas.Long"}}})),
        ": %TYPES.my.T.n: range is uima.cas.Long, in the type system uima.cas.Integer",
    ),
    "another supertype": (
        data(with_types(**{"my.T": {"%SUPER_TYPE": "caspipe.Phi"}})),
        ": %TYPES.my.T: supertype is caspipe.Phi, in the type system uima.tcas.Annotation",
    ),
    "more of UIMA's own": (
        data(
            with_types(
                **{"uima.tcas.Annotation": {"%SUPER_TYPE": "uima.cas.AnnotationBase", "x": {"%RANGE": "uima.cas.Long"}}}
            )
        ),
        ": %TYPES.uima.tcas.Annotation: UIMA's own type has no further features",
    ),
    "a circle of types": (
        data(with_types(**{"my.X": {"%SUPER_TYPE": "my.Y"}, "my.Y": {"%SUPER_TYPE": "my.X"}})),
        ": %TYPES: type my.X is its own ancestor: my.X < my.Y < my.X",
    ),
}


@pytest.mark.parametrize("fault", DOCUMENTS)
def test_damaged_documents_are_told_with_their_place(fault: str) -> None:
    given, message = DOCUMENTS[fault]
    with pytest.raises(FormatError) as e:
        read_jsoncas(given, TYPES)
    told = str(e.value)
    assert told.startswith(f"(bytes){message}")
    assert SECRET not in told
    assert len(told) < 300


def test_the_message_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_bytes(data(rows(t(2, end=99))))
    with pytest.raises(FormatError, match=r"d\.json: %FEATURE_STRUCTURES\[1\] \(%ID 2\): my\.T: offsets"):
        read_jsoncas(path, TYPES)


def test_an_offset_between_the_halves_of_a_character_is_a_fault() -> None:
    document = rows(t(2, begin=1, end=2))
    document["%FEATURE_STRUCTURES"][0] = SOFA | {"sofaString": "😀x"}
    with pytest.raises(FormatError, match="divide a character of two units"):
        read_jsoncas(data(document), TYPES)
    cas = read_jsoncas(data(document), TYPES, lenient=True)
    assert cas.metadata["jsoncas:notes"] == "my.T 1:2 widened to whole characters"


def test_lenient_reading_keeps_what_it_does_not_know_and_notes_what_it_changed() -> None:
    document = rows(
        t(2, zzz="kept", number=5, large=2**40, yes=True, end=99, **{"@to": 77, "#real": "NaN", "@more": 4}),
        {"%ID": 3, "%TYPE": "other.Unknown", "@sofa": 1, "begin": 1, "end": 2, "label": "x", "@all": 5, "@list": 6},
        {"%ID": 4, "%TYPE": "other.Record", "value": 1.5, "odd name": 1},
        {"%ID": 5, "%TYPE": "uima.cas.FSArray", "%ELEMENTS": [3, 88]},
        {"%ID": 6, "%TYPE": "uima.cas.EmptyFSList"},
        {"%ID": 7, "%TYPE": "other.Nobody", "word": "refers to me"},
        members=[2, 3, 66],
        **{"%LATER": 1},
    )
    cas = read_jsoncas(data(document), TYPES, lenient=True)
    assert cas.metadata["jsoncas:notes"].split("; ") == [
        "my.T 0:99 moved into the text (0:12)",
        "uima.cas.FSArray: feature elements refers to %ID 88, which is not in the document",
        "my.T: feature to refers to %ID 77, which is not in the document",
        "View _InitialView: member 66 is not a feature structure of the document",
    ]
    again = read_jsoncas(write_jsoncas(cas))
    (one,) = again.select("my.T")
    assert (one["zzz"], one["number"], one["large"], one["yes"], str(one["real"])) == ("kept", 5, 2**40, True, "nan")
    assert one["more"].value == 1.5
    (unknown,) = again.select("other.Unknown")
    assert isinstance(unknown, Annotation)
    assert (unknown["label"], unknown["all"], unknown["list"]) == ("x", [unknown, None], [])
    assert b"refers to me" in write_jsoncas(cas)


def test_lenient_reading_without_views_indexes_by_sofa() -> None:
    document = rows(t(2), {"%ID": 3, "%TYPE": "uima.cas.FSArray", "%ELEMENTS": [2]})
    del document["%VIEWS"]
    cas = read_jsoncas(data(document), TYPES, lenient=True)
    assert len(cas.select("my.T")) == 1
    assert "indexed in the view of its Sofa" in cas.metadata["jsoncas:notes"]


def test_unknown_types_are_made_up_where_asked_and_the_rest_stays_strict() -> None:
    known = {"%ID": 2, "%TYPE": "other.Unknown", "@sofa": 1, "begin": 1, "end": 2, "label": "x"}
    cas = read_jsoncas(data(rows(known, members=[2])), infer=True)
    assert [x["label"] for x in cas.select("other.Unknown")] == ["x"]
    with pytest.raises(FormatError, match="outside the text"):
        read_jsoncas(data(rows(known | {"end": 99})), infer=True)


def test_a_contradicting_type_is_noted_where_reading_is_lenient() -> None:
    given = {"my.T": {"%SUPER_TYPE": "uima.tcas.Annotation", "n": {"%RANGE": "uima.cas.Long"}}}
    cas = read_jsoncas(data(rows(t(2, n=5), members=[2], **{"%TYPES": given})), TYPES, lenient=True)
    assert cas.metadata["jsoncas:notes"] == "%TYPES.my.T.n: range is uima.cas.Long, in the type system uima.cas.Integer"
    assert cas.select("my.T")[0].n == 5


def test_a_list_in_a_circle_is_null_where_reading_is_lenient() -> None:
    node = {"%ID": 3, "%TYPE": "uima.cas.NonEmptyStringList", "head": "x", "@tail": 3}
    cas = read_jsoncas(data(rows(t(2, **{"@aStringList": 3}), node, members=[2])), TYPES, lenient=True)
    assert cas.select("my.T")[0].aStringList is None


def test_lenient_reading_drops_values_that_do_not_fit_with_a_note() -> None:
    row = t(2) | {"n": SECRET, "s": 5, "#d": "no number", "b": 1, "to": 3, "@top": "2", "begin": "x", "%FLAGS": []}
    (found,) = read_jsoncas(data(rows(row, members=[2])), TYPES, lenient=True).select("my.T")
    assert (found.n, found.s, found.d, found.b, found.to, found.top, found.begin) == (0, "5", 0.0, False, None, None, 0)
    cas = read_jsoncas(data(rows(row | {"@s": 4, "d": 10**400}, members=[2])), TYPES, lenient=True)
    assert cas.select("my.T")[0].s == "5"
    notes = cas.metadata["jsoncas:notes"]
    assert SECRET not in notes
    assert "my.T: a value of feature n does not fit" in notes
    kind = {"%ID": 2, "%TYPE": "caspipe.Phi", "@sofa": 1, "begin": 0, "end": 1, "kind": 7, "confidence": "high"}
    (phi,) = read_jsoncas(data(rows(kind, members=[2])), TYPES, lenient=True).select("caspipe.Phi")
    assert (phi.kind.name, phi.confidence) == ("OTHER", 1.0)
    with pytest.raises(FormatError, match="expected a whole number as %ID"):
        read_jsoncas(data(rows(t(2) | {"%ID": "x"})), TYPES, lenient=True)


def test_a_property_that_occurs_twice_loses_nothing_silently() -> None:
    data = b'{"%FEATURE_STRUCTURES": [{"%ID": 1, "%TYPE": "uima.tcas.Annotation", "end": 18, "end": 19}], "%VIEWS": {}}'
    with pytest.raises(FormatError, match="a property occurs twice in one object"):
        read_jsoncas(data)
