"""XCAS: the form of version 2 and the one before it, faults with their place, lenient notes. Java's own lies in interop."""

from __future__ import annotations

import pytest

from caspipe.typesystem import (
    Annotation,
    DocumentAnnotation,
    Feature,
    FormatError,
    StringArray,
    Token,
    TypeSystem,
    read_xcas,
    read_xmi,
    write_xmi,
)

SECRET = "Zebulon"
SOFA = f'<uima.cas.Sofa _indexed="0" _id="3" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="{SECRET} seen"/>'


def types() -> TypeSystem:
    ts = TypeSystem()
    features = {"n": "Integer", "d": "Double", "s": "String", "b": "Boolean", "value": "String"}
    collections = ["FSArray", "StringArray", "IntegerArray", "ByteArray", "FSList"]
    more = [Feature("to", "my.T"), Feature("one", "uima.cas.StringArray", None, True), Feature("top", "uima.cas.TOP")]
    own = [Feature(k, f"uima.cas.{v}") for k, v in features.items()]
    ts.create_type("my.T", Annotation, [*own, *(Feature(f"a{c}", f"uima.cas.{c}") for c in collections), *more])
    ts.create_type("my.a_dash_b_colon_c", "uima.cas.TOP")
    return ts


TYPES = types()


def document(*elements: str, sofa: str = SOFA) -> bytes:
    inside = "\n".join((sofa, *elements))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<CAS version="2">\n{inside}\n</CAS>'.encode()


def t(number: int, more: str = "", indexed: str = "1") -> str:
    return f'<my.T _indexed="{indexed}" _id="{number}" _ref_sofa="3" begin="0" end="7" {more}/>'


def test_values_references_arrays_and_lists_are_read() -> None:
    given = [
        t(
            8,
            'n="-5" d="1.0E10" s="&#10; " b="true" _ref_to="9" _ref_aFSArray="20" _ref_aStringArray="21" _ref_aFSList="24"',
        ),
        t(9, '_ref_one="22" _ref_aIntegerArray="23" _ref_aByteArray="25" d="NaN"', ""),
        '<uima.cas.FSArray _id="20" size="3"><i>8</i><i></i><i>9</i></uima.cas.FSArray>',
        '<uima.cas.StringArray _id="21" size="3"><i>a &lt;\n</i><i></i></uima.cas.StringArray>',
        '<uima.cas.StringArray _id="22" size="1"><i>x</i></uima.cas.StringArray>',
        '<uima.cas.IntegerArray _id="23" size="2"><i>1</i></uima.cas.IntegerArray>',
        '<uima.cas.NonEmptyFSList _id="24" _ref_head="8" _ref_tail="26"/>',
        '<uima.cas.ByteArray _id="25" size="2"><i>-1</i><i>0</i></uima.cas.ByteArray>',
        '<uima.cas.EmptyFSList _id="26"/>',
        '<uima.tcas.DocumentAnnotation _indexed="1" _id="30" _ref_sofa="3" begin="0" end="12" language="en"/>',
    ]
    cas = read_xcas(document(*given), TYPES)
    (one,) = cas.select("my.T")
    two = one.to
    assert (one.n, one.d, one.s, one.b, one.covered_text) == (-5, 1e10, "\n ", True, SECRET)
    assert one.aFSArray == [one, None, two]
    assert one.aStringArray == ["a <\n", None, None]
    assert one.aFSList == [one]
    assert (type(two.one), list(two.one), two.aIntegerArray, two.aByteArray) == (
        StringArray,
        ["x"],
        [1, 0],
        b"\xff\x00",
    )
    assert [d.language for d in cas.select(DocumentAnnotation)] == ["en"]
    again = read_xmi(write_xmi(cas), TYPES)
    assert [x.aFSList for x in again.select("my.T")] == [again.select("my.T")]


def test_what_xml_names_cannot_hold_is_spelt_out() -> None:
    cas = read_xcas(document('<my.a-b:c _indexed="1" _id="8"/>'), TYPES)
    assert len(cas.select("my.a_dash_b_colon_c")) == 1


def test_offsets_count_utf_16() -> None:
    cas = read_xcas(document(t(8).replace('end="7"', 'end="3"'), sofa=SOFA.replace(SECRET, "😀 ")), TYPES)
    assert [(x.begin, x.end) for x in cas.select("my.T")] == [(0, 2)]


def test_several_views_are_filled_by_the_numbers_of_their_sofas() -> None:
    second = '<uima.cas.Sofa _indexed="0" _id="4" sofaNum="2" sofaID="b" sofaString="xy"/>'
    record = '<my.a-b:c _indexed="1 2" _id="9"/>'
    cas = read_xcas(
        document(second, t(8).replace('"3"', '"4"').replace('"1"', '"2"').replace('"7"', '"2"'), record), TYPES
    )
    assert [v.name for v in cas.views] == ["_InitialView", "b"]
    assert [x.covered_text for x in cas.view("b").select("my.T")] == ["xy"]
    assert cas.view("b").select("my.a_dash_b_colon_c") == cas.select("my.a_dash_b_colon_c")


def test_what_belongs_to_an_initial_view_without_text_is_indexed_there() -> None:
    second = '<uima.cas.Sofa _indexed="0" _id="4" sofaNum="2" sofaID="b" sofaString="xy"/>'
    cas = read_xcas(document('<my.a-b:c _indexed="1" _id="9"/>', sofa=second), TYPES)
    assert [v.name for v in cas.views] == ["_InitialView", "b"]
    assert len(cas.select("my.a_dash_b_colon_c")) == 1


def test_the_form_before_version_2_has_its_text_as_an_element() -> None:
    data = (
        '<CAS>\n<uima.tcas.Document _content="text">Zebulon\nseen &amp; more</uima.tcas.Document>\n'
        '<my.T _indexed="1" _id="1" begin="0" end="7">content here</my.T>\n'
        '<my.T _indexed="true" begin="8" end="12" sofa="1" _content="s">other</my.T></CAS>'
    )
    cas = read_xcas(data.encode(), TYPES)
    assert cas.text == "Zebulon\nseen & more"
    one, two = cas.select("my.T")
    assert (one.covered_text, one.value, two.covered_text, two.s, two.value) == (
        "Zebulon",
        "content here",
        "seen",
        "other",
        None,
    )


def test_sofas_before_version_2_have_other_names_and_are_meant_by_number() -> None:
    sofa = '<uima.cas.SofA _id="5" sofaNum="1" sofaID="_DefaultTextSofaName" sofaString="Zebulon seen"/>'
    cas = read_xcas(document('<my.T _indexed="1" _id="8" sofa="1" begin="0" end="7"/>', sofa=sofa), TYPES)
    assert [x.covered_text for x in cas.select("my.T")] == ["Zebulon"]


FAULTS = {
    "an unknown type, with the nearest": (
        document('<my.Tt _id="8"/>'),
        "4:1: no type my.Tt in the type system; did you mean my.T?",
    ),
    "an unknown feature": (document(t(8, 'nn="1"')), "4:1: my.T has no feature nn"),
    "an unknown feature with the nearest": (
        document(t(8, '_ref_aFSAray="1"')),
        "4:1: my.T has no feature aFSAray; did you mean aFSArray?",
    ),
    "content that is no feature's": (
        document('<my.a-b:c _id="8">Zebulon</my.a-b:c>'),
        "4:1: my.a_dash_b_colon_c has no feature value",
    ),
    "a word for a number": (
        document(t(8, 'n="Zebulon"')),
        "4:1: my.T: feature n: expected a whole number (uima.cas.Integer)",
    ),
    "a number out of range": (
        document(t(8, 'n="2147483648"')),
        "4:1: my.T: feature n: expected a number from -2147483648 to 2147483647",
    ),
    "a reference that is no id": (document(t(8, '_ref_to="x"')), "4:1: my.T: feature to: expected an _id"),
    "a dangling reference": (
        document(t(8, '_ref_to="9"')),
        "4:1: my.T: feature to refers to _id 9, which is not in the document",
    ),
    "a reference to another type": (
        document(t(8, '_ref_to="3"')),
        "4:1: my.T: feature to refers to _id 3: expected my.T, got uima.cas.Sofa",
    ),
    "a feature given twice": (
        document('<my.T _id="8" _ref_sofa="3" _content="s" s="a">Zebulon</my.T>'),
        "4:1: my.T: a feature is given twice",
    ),
    "offsets beyond the text": (
        document(t(8).replace('"7"', '"99"')),
        "4:1: my.T: offsets 0:99 lie outside the text (0:12)",
    ),
    "offsets that are words": (
        document(t(8).replace('"7"', '"x"')),
        "4:1: my.T: feature end: expected a whole number (uima.cas.Integer)",
    ),
    "an _id twice": (document(t(8), t(8)), "5:1: _id 8 is used twice"),
    "an _id that is a word": (document('<my.T _id="x"/>'), "4:1: expected _id as a number"),
    "an unknown Sofa": (document(t(8).replace('"3"', '"77"')), "4:1: my.T: its sofa is not in the document"),
    "an index that is not there": (
        document(t(8, indexed="4")),
        "4:1: my.T is indexed in a view that is not in the document",
    ),
    "an index that is a word": (document(t(8, indexed="x")), "4:1: expected _indexed as a number"),
    "a Sofa without name": (document(sofa='<uima.cas.Sofa _id="3" sofaNum="1"/>'), "3:1: Sofa without sofaID"),
    "a Sofa without number": (
        document(sofa='<uima.cas.Sofa _id="3" sofaID="x"/>'),
        "3:1: expected sofaNum as a number",
    ),
    "two Sofas of one name": (document(SOFA.replace('"3"', '"4"')), "4:1: two Sofas with the same _id or sofaID"),
    "two texts": (document("<uima.tcas.Document>x</uima.tcas.Document>"), "4:1: two texts of one view"),
    "more elements than its size": (
        document('<uima.cas.FSArray _id="8" size="0"><i/></uima.cas.FSArray>'),
        "4:1: uima.cas.FSArray: size 0, but 1 elements",
    ),
    "a size without end": (
        document('<uima.cas.FSArray _id="8" size="999999999"/>'),
        "4:1: uima.cas.FSArray: size 999999999, but 0 elements",
    ),
    "a size that is a word": (document('<uima.cas.FSArray _id="8" size="x"/>'), "4:1: expected size as a number"),
    "an array with features": (
        document('<uima.cas.FSArray _id="8" size="0" x="1"/>'),
        "4:1: uima.cas.FSArray: expected _id, _indexed, size and elements <i>",
    ),
    "an element that is a word": (
        document('<uima.cas.IntegerArray _id="8" size="1"><i>Zebulon</i></uima.cas.IntegerArray>'),
        "4:1: uima.cas.IntegerArray: expected a whole number (uima.cas.Integer)",
    ),
    "elements of what is no array": (
        document('<my.T _id="8"><i>x</i></my.T>'),
        "4:1: elements <i> outside an array",
    ),
    "another element inside": (
        document('<my.T _id="8"><x/></my.T>'),
        "4:15: expected text, or elements <i> of an array",
    ),
    "deeper elements": (
        document('<uima.cas.FSArray _id="8" size="1"><i><i/></i></uima.cas.FSArray>'),
        "4:39: expected text, or elements <i> of an array",
    ),
    "depth": (b"<CAS>" + b"<i>" * 100_000, "1:12: expected text, or elements <i> of an array"),
    "XML that ends early": (document(t(8))[:-9], "4:1: damaged XML: unclosed token"),
    "tags that do not match": (document().replace(b"</CAS>", b"</CAs>"), "4:3: damaged XML: mismatched tag"),
    "a control character": (document(t(8, 's="&#11;"')), "4:63: damaged XML: reference to invalid character number"),
    "half of a character": (document(t(8, 's="&#xD83D;"')), "4:63: damaged XML: reference to invalid character number"),
    "another encoding than it says": (
        document().replace(b"Zebulon", b"Zebul\xf6n"),
        "3:104: damaged XML: not well-formed (invalid token)",
    ),
    "XMI": (b'<xmi:XMI xmlns:xmi="http://www.omg.org/XMI"/>', "1:1: this is XMI; expected XCAS, whose root is CAS"),
    "another root": (b"<Zebulon/>", "1:1: expected CAS as root"),
    "nothing": (b"", "1:1: damaged XML: no element found"),
    "a document type": (
        b'<!DOCTYPE CAS [<!ENTITY a "aaa">]><CAS>&a;</CAS>',
        "1:15: document type declarations and entities are not read; expected XML without <!DOCTYPE",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_strict_reading_names_place_and_fault(fault: str) -> None:
    data, message = FAULTS[fault]
    with pytest.raises(FormatError) as e:
        read_xcas(data, TYPES)
    assert str(e.value) == f"(bytes):{message}"
    assert SECRET not in str(e.value)


def test_lenient_reading_keeps_what_it_does_not_know_and_notes_what_it_changed() -> None:
    given = [
        t(8, 'zzz="kept" number="5" real="1.5" yes="true" _ref_more="9" _ref_to="77"').replace('"7"', '"99"'),
        '<other.Record _id="9" word="x">content</other.Record>',
        '<other.Span _indexed="1 5" _id="10" _ref_sofa="3" begin="1" end="2"/>',
    ]
    cas = read_xcas(document(*given), TYPES, lenient=True)
    assert cas.metadata["xcas:notes"].split("; ") == [
        "other.Span is indexed in a view that is not in the document",
        "my.T 0:99 moved into the text (0:12)",
        "my.T: feature to refers to _id 77, which is not in the document",
    ]
    again = read_xmi(write_xmi(cas), cas.typesystem)
    (one,) = again.select("my.T")
    assert (one["zzz"], one["number"], one["real"], one["yes"], one["more"].word) == ("kept", 5, 1.5, True, "x")
    assert one["more"].value == "content"
    assert [x.covered_text for x in again.select("other.Span")] == ["e"]


def test_unknown_types_are_made_up_where_asked_and_the_rest_stays_strict() -> None:
    span = '<other.Span _indexed="1" _id="10" _ref_sofa="3" begin="1" end="2" label="x"/>'
    assert [x.label for x in read_xcas(document(span), infer=True).select("other.Span")] == ["x"]
    with pytest.raises(FormatError, match="outside the text"):
        read_xcas(document(span.replace('"2"', '"99"')), infer=True)


def test_own_types_and_tags_are_read_as_from_xmi() -> None:
    token = f'<{Token.uima_name} _indexed="1" _id="8" _ref_sofa="3" begin="0" end="7" _ref_pos="9"/>'
    tag = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"
    pos = f'<{tag} _indexed="1" _id="9" _ref_sofa="3" begin="0" end="7" PosValue="NNP" coarseValue="PROPN"/>'
    cas = read_xcas(document(token, pos), id="d1")
    assert cas.id == "d1"
    assert [x.pos for x in cas.select(Token)] == ["NNP"]
    assert cas.view().count(Annotation) == 1
