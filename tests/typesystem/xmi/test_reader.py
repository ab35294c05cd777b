"""Reading XMI: strict faults with their place, lenient notes, encodings, what is refused for safety."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caspipe.typesystem import (
    Annotation,
    Cas,
    DocumentMetaData,
    Feature,
    FormatError,
    Phi,
    PhiKind,
    Token,
    TypeSystem,
    read_xmi,
    save_xmi,
    write_xmi,
)

SECRET = "Zebulon"
HEAD = (
    '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:caspipe="http:///caspipe.ecore" '
    'xmlns:my="http:///my.ecore" xmlns:type="http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore" '
    'xmi:version="2.0">\n'
)
SOFA = f'<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text/plain" sofaString="{SECRET} seen"/>\n'


def document(*rows: str, view: str = '<cas:View sofa="1" members=""/>') -> bytes:
    return (HEAD + SOFA + "".join(f"{r}\n" for r in rows) + view + "\n</xmi:XMI>").encode()


def types() -> TypeSystem:
    ts = TypeSystem()
    ts.create_type(
        "my.T",
        Annotation,
        [Feature("to", "my.T"), Feature("all", "uima.cas.FSArray"), Feature("one", "uima.cas.FSArray", None, True)],
    )
    ts.create_type("my.Badge", Annotation, {"number": "uima.cas.String"})
    return ts


FAULTS = {
    "an unknown type, with the nearest": (
        document('<my:Bagde xmi:id="2"/>'),
        "3:1: no type my.Bagde in the type system; did you mean my.Badge?",
    ),
    "an unknown feature, with the nearest": (
        document('<my:Badge xmi:id="2" nmber="1"/>'),
        "3:1: my.Badge has no feature nmber; did you mean number?",
    ),
    "a dangling reference": (
        document('<my:T xmi:id="2" sofa="1" begin="0" end="1" to="9"/>'),
        "3:1: my.T: feature to refers to xmi:id 9, which is not in the document",
    ),
    "a dangling reference in an array": (
        document(
            '<my:T xmi:id="2" sofa="1" begin="0" end="1"/>', '<my:T xmi:id="3" sofa="1" begin="0" end="1" all="2 8"/>'
        ),
        "4:1: my.T: feature all refers to xmi:id 8, which is not in the document",
    ),
    "a reference that is no id": (
        document('<my:T xmi:id="2" sofa="1" begin="0" end="1" to="x"/>'),
        "3:1: my.T: feature to: expected one xmi:id",
    ),
    "a shared array given inline": (
        document('<my:T xmi:id="2" sofa="1" begin="0" end="1" one="2 2"/>'),
        "3:1: my.T: feature one: expected one xmi:id",
    ),
    "offsets beyond the text": (
        document('<my:T xmi:id="2" sofa="1" begin="0" end="99"/>'),
        "3:1: my.T: offsets 0:99 lie outside the text (0:12)",
    ),
    "offsets reversed": (
        document('<my:T xmi:id="2" sofa="1" begin="3" end="1"/>'),
        "3:1: my.T: offsets 3:1 lie outside the text (0:12)",
    ),
    "negative": (
        document('<my:T xmi:id="2" sofa="1" begin="-1" end="1"/>'),
        "3:1: my.T: offsets -1:1 lie outside the text (0:12)",
    ),
    "offsets that are no numbers": (
        document('<my:T xmi:id="2" sofa="1" begin="a" end="1"/>'),
        "3:1: my.T: expected a whole number (uima.cas.Integer)",
    ),
    "an xmi:id twice": (
        document('<my:T xmi:id="2" sofa="1" begin="0" end="1"/>', '<my:T xmi:id="2" sofa="1" begin="0" end="2"/>'),
        "4:1: xmi:id 2 is used twice",
    ),
    "two of a Sofa's xmi:id": (
        document('<my:T xmi:id="1" sofa="1" begin="0" end="1"/>\n<my:T xmi:id="1" sofa="1" begin="0" end="1"/>'),
        "4:1: xmi:id 1 is used twice",
    ),
    "xmi:id 0": (
        document('<my:T xmi:id="0" sofa="1" begin="0" end="1"/>'),
        "3:1: xmi:id 0 means null; expected a number above it",
    ),
    "no xmi:id": (document('<my:T sofa="1" begin="0" end="1"/>'), "3:1: my.T without xmi:id"),
    "an unknown Sofa": (
        document('<my:T xmi:id="2" sofa="7" begin="0" end="1"/>'),
        "3:1: my.T: its sofa is not in the document",
    ),
    "two Sofas of one name": (
        document(SOFA.replace('xmi:id="1"', 'xmi:id="2"').strip()),
        "3:1: two Sofas with the same xmi:id or sofaID",
    ),
    "a member that is not there": (
        document(view='<cas:View sofa="1" members="5"/>'),
        "3:1: View _InitialView: member 5 is not a feature structure of the document",
    ),
    "a view of no Sofa": (
        document(view='<cas:View sofa="5" members=""/>'),
        "3:1: View of a Sofa that is not in the document",
    ),
    "a namespace that is not UIMA's": (
        document('<x:T xmlns:x="urn:x" xmi:id="2"/>'),
        "3:1: element T: its namespace is not one of UIMA's (http:///....ecore)",
    ),
    "a kind of PHI nobody knows": (
        document('<caspipe:Phi xmi:id="2" sofa="1" begin="0" end="1" kind="DAET"/>'),
        "3:1: caspipe.Phi: expected a kind of PHI; did you mean DATE?",
    ),
    "a PHI annotation without its kind": (
        document('<caspipe:Phi xmi:id="2" sofa="1" begin="0" end="1"/>'),
        "3:1: caspipe.Phi: expected feature kind",
    ),
    "an enumeration's value nobody knows": (
        document('<caspipe:MedicalTerm xmi:id="2" sofa="1" begin="0" end="1" group="DRUG"/>'),
        "3:1: caspipe.MedicalTerm: expected one of SIGN_SYMPTOM, DISEASE_DISORDER, MEDICATION, ANATOMICAL_SITE, LAB_PROCEDURE",
    ),
    "XML that ends early": (document()[:-12], "3:1: damaged XML: unclosed token"),
    "tags that do not match": (document().replace(b"</xmi:XMI>", b"</xmi:XMl>"), "4:3: damaged XML: mismatched tag"),
    "an undeclared prefix": (document("<q:T/>"), "3:1: damaged XML: unbound prefix"),
    "a control character in XML 1.0": (
        document('<my:Badge xmi:id="2" number="&#11;"/>'),
        "3:30: damaged XML: reference to invalid character number",
    ),
    "another root": (b"<a/>", "1:1: expected xmi:XMI as root, got a"),
    "the older form XCAS": (b'<CAS version="2"/>', "1:1: this is XCAS, UIMA's older format; expected xmi:XMI"),
    "nothing": (b"", "1:1: damaged XML: no element found"),
    "changes instead of a document": (
        document(view='<cas:View sofa="1" deleted_members="3"/>'),
        "3:1: View with deleted_members: expected a whole document, not the changes to one",
    ),
    "a file elsewhere": (
        document('<my:T xmi:id="2" sofa="1" begin="0" end="1"><to href="other.xmi#2"/></my:T>'),
        '3:45: href to another file; expected href="#id"',
    ),
    "one value given twice": (
        document('<my:Badge xmi:id="2" sofa="1" begin="0" end="1"><number>1</number><number>2</number></my:Badge>'),
        "3:1: my.Badge: feature number is given 2 times",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_strict_reading_names_place_and_fault(fault: str) -> None:
    data, message = FAULTS[fault]
    with pytest.raises(FormatError) as e:
        read_xmi(data, types())
    assert str(e.value) == f"(bytes):{message}"
    assert SECRET not in str(e.value)


def test_the_message_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "d.xmi"
    path.write_bytes(FAULTS["offsets reversed"][0])
    with pytest.raises(FormatError, match=r"d\.xmi:3:1: my\.T: offsets"):
        read_xmi(path, types())


BOMB = (
    b'<?xml version="1.0"?>\n<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'
    b'<xmi:XMI xmlns:xmi="http://www.omg.org/XMI">&b;</xmi:XMI>'
)


@pytest.mark.parametrize(
    "data", [BOMB, b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>', b'<!DOCTYPE x PUBLIC "a" "http://x/"><x/>']
)
@pytest.mark.parametrize("what", ["xmi", "typesystem"])
def test_document_types_and_entities_are_refused(data: bytes, what: str) -> None:
    with pytest.raises(FormatError, match=r"^\(bytes\):\d+:\d+: document type declarations and entities are not read"):
        if what == "xmi":
            read_xmi(data)
        else:
            TypeSystem.from_xml(data)


def test_lenient_reading_notes_what_it_changed() -> None:
    data = document(
        '<my:T xmi:id="2" sofa="1" begin="3" end="99" to="77" all="2 88"/>',
        '<my:T xmi:id="3" sofa="1" begin="5" end="1"/>',
        '<my:T xmi:id="3" sofa="1" begin="0" end="2"/>',
        '<caspipe:Phi xmi:id="4" sofa="1" begin="0" end="1"/>',
        view='<cas:View sofa="1" members="2 3 4 66"/>',
    )
    cas = read_xmi(data, types(), lenient=True)
    first, second, phi = (
        next(a for a in cas.select(Annotation) if a.begin == b and a.end == e) for b, e in ((3, 12), (0, 2), (0, 1))
    )
    assert (first["to"], first["all"]) == (None, [first, None])
    assert second["to"] is None
    assert phi.kind is PhiKind.OTHER
    assert cas.metadata["xmi:notes"].split("; ") == [
        "xmi:id 3 is used twice, the later element counts",
        "my.T 3:99 moved into the text (0:12)",
        "my.T 5:1 moved into the text (0:12)",
        "my.T: feature to refers to xmi:id 77, which is not in the document",
        "my.T: feature all refers to xmi:id 88, which is not in the document",
        "View _InitialView: member 66 is not a feature structure of the document",
    ]
    assert write_xmi(cas)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "iso-8859-1", "windows-1252", "us-ascii"]
)
def test_encodings_are_read_as_declared(encoding: str) -> None:
    text = "Gefäß" if encoding != "us-ascii" else "Gef&#228;&#223;"
    name = {"utf-8-sig": "utf-8", "utf-16-le": "utf-16"}.get(encoding, encoding)
    xml = f'<?xml version="1.0" encoding="{name}"?>\n{HEAD}{SOFA.replace(SECRET, text)}</xmi:XMI>'
    data = (b"\xff\xfe" if encoding == "utf-16-le" else b"") + xml.encode(encoding)
    assert read_xmi(data).text == "Gefäß seen"


def test_an_encoding_nobody_knows_is_a_fault() -> None:
    with pytest.raises(FormatError, match=r"^\(bytes\):1:\d+: .*encoding"):
        read_xmi(b'<?xml version="1.0" encoding="klingon"?><a/>')


def test_xml_1_1_may_refer_to_control_characters() -> None:
    data = b'<?xml version="1.1" encoding="UTF-8"?>\n' + document(
        '<my:Badge xmi:id="2" number="&#1;&#x1F;x" sofa="1" begin="5" end="6"/>'
    )
    data = data.replace(b" seen", b"&#11;&#xC; seen").replace(b'members=""', b'members="2"')
    cas = read_xmi(data, types())
    assert cas.text == f"{SECRET}\x0b\x0c seen"
    assert cas.select("my.Badge")[0].number == "\x01\x1fx"
    assert read_xmi(write_xmi(cas), types()).text == cas.text


def test_another_prefix_for_xmi_and_declarations_further_down_are_read() -> None:
    data = document(
        '<q:Badge xmlns:q="http:///my.ecore" xmi:id="2" sofa="1" begin="0" end="1"/>',
        view='<cas:View sofa="1" members="2"/>',
    )
    data = data.replace(b"xmi:", b"x:").replace(b"xmlns:xmi", b"xmlns:x")
    assert len(read_xmi(data, types()).select("my.Badge")) == 1


def test_an_annotation_without_sofa_belongs_to_the_only_one() -> None:
    data = document(
        '<my:T xmi:id="2" to="3" sofa="1" begin="0" end="1"/>',
        '<my:T xmi:id="3" begin="0" end="7"/>',
        view='<cas:View sofa="1" members="2"/>',
    )
    (item,) = read_xmi(data, types()).select("my.T")
    assert item.to.covered_text == SECRET


def test_rows_with_their_features_in_any_order_and_number_are_read() -> None:
    data = document(
        '<my:Badge xmi:id="2" sofa="1" begin="0" end="1" number="a"/>',
        '<my:Badge end="2" number="b" begin="1" xmi:id="3" sofa="1"/>',
        '<my:Badge xmi:id="4" sofa="1"/>',
        view='<cas:View sofa="1" members="4 3 2"/>',
    )
    assert [(a.begin, a.end, a.number) for a in read_xmi(data, types()).select("my.Badge")] == [
        (0, 1, "a"),
        (0, 0, None),
        (1, 2, "b"),
    ]


def test_the_id_is_the_callers_or_the_documents() -> None:
    cas = Cas("abc", id="inside")
    data = write_xmi(cas)
    assert read_xmi(data).id == "inside"
    assert read_xmi(data, id="given").id == "given"
    assert read_xmi(write_xmi(Cas("abc"))).id == ""


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "d.xmi"
    save_xmi(Cas("abc"), path, pretty=True)
    before = path.read_bytes()
    broken = Cas("abc\x00")
    with pytest.raises(ValueError, match="cannot carry"):
        save_xmi(broken, path, on_illegal="error")
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["d.xmi"]
    assert read_xmi(path).text == read_xmi(str(path)).text == "abc"
    with pytest.raises(FileNotFoundError):
        save_xmi(broken, tmp_path / "missing" / "d.xmi")


# -- our own types at the edge -----------------------------------------------------------------------------------


def test_part_of_speech_is_an_annotation_in_the_file_and_a_tag_in_memory() -> None:
    cas = Cas("She ran.")
    cas.view().add_all([Token(0, 3, pos="PRP"), Token(4, 7, pos="VBD"), Token(7, 8)])
    data = write_xmi(cas)
    assert data.count(b"<pos:POS ") == 2
    assert b'PosValue="PRP" coarseValue="PRON"' in data
    again = read_xmi(data)
    assert [type(t) for t in again.select(Token)] == [Token] * 3
    assert [t.pos for t in again.select(Token)] == ["PRP", "VBD", ""]
    assert len(again.select(Annotation)) == 3
    assert write_xmi(read_xmi(write_xmi(again))).count(b"<pos:POS ") == 2


def test_a_part_of_speech_that_says_more_than_the_tag_is_kept() -> None:
    tag = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"
    head = HEAD.replace(
        "xmlns:my", 'xmlns:pos="http:///de/tudarmstadt/ukp/dkpro/core/api/lexmorph/type/pos.ecore" xmlns:my'
    )
    data = (
        head + SOFA + '<type:Token xmi:id="2" sofa="1" begin="0" end="3" pos="3"/>'
        '<pos:POS xmi:id="3" sofa="1" begin="0" end="3" PosValue="NN" coarseValue="SPECIAL"/>'
        '<cas:View sofa="1" members="2 3"/></xmi:XMI>'
    ).encode()
    cas = read_xmi(data)
    (token,) = cas.select(Token)
    assert token.pos == "NN"
    assert [p.coarseValue for p in cas.select(tag)] == ["SPECIAL"]
    again = read_xmi(write_xmi(cas))
    assert [p.coarseValue for p in again.select(tag)] == ["SPECIAL"]
    token.pos = "VB"
    again = read_xmi(write_xmi(cas))
    assert [(t.pos, len(again.select(tag))) for t in again.select(Token)] == [("VB", 0)]


def test_the_stamp_of_the_engine_and_kinds_come_back() -> None:
    cas = Cas("Seen 3/4/2020")
    phi = cas.add(Phi(5, 13, kind=PhiKind.DATE, value="2020-03-04"))
    phi._source = "dates"
    (again,) = read_xmi(write_xmi(cas)).select(Phi)
    assert (again.source, again.kind, again.value, again.confidence) == ("dates", PhiKind.DATE, "2020-03-04", 1.0)


def test_metadata_and_offset_maps_come_back_when_asked_for() -> None:
    cas = Cas("Ann came", id="d")
    cas.metadata = {"path": "a/b", "empty": "", "odd\x00": "\ud800"}
    from caspipe.typesystem import Replacement, replace_spans

    text, offsets = replace_spans(cas.text, [Replacement(0, 3, "[PERSON]")])
    cas.create_view("deidentified", text).offset_map = offsets
    again = read_xmi(write_xmi(cas, offset_map=True))
    assert again.metadata == cas.metadata
    found = again.view("deidentified").offset_map
    assert found is not None
    assert found.segments() == offsets.segments()
    assert list(again.view()) == again.select(DocumentMetaData)
    assert read_xmi(write_xmi(cas)).view("deidentified").offset_map is None


def test_the_masked_view_alone_carries_nothing_of_the_original() -> None:
    cas = Cas(f"{SECRET} came", id=f"{SECRET}.txt")
    cas.metadata = {"path": SECRET}
    masked = cas.create_view("deidentified", "[PERSON] came")
    phi = cas.add(Phi(0, 7, kind=PhiKind.PERSON, value=SECRET))
    ts = TypeSystem()
    T = ts.create_type("my.Link", Annotation, [Feature("to", "uima.cas.TOP"), Feature("all", "uima.cas.FSArray")])
    cas.set_typesystem(ts)
    masked.add(T(0, 8, to=phi, all=[phi]))
    data = write_xmi(cas, views=["deidentified"])
    assert SECRET.encode() not in data
    again = read_xmi(data, ts)
    assert (again.id, again.metadata) == ("", {})
    assert [v.name for v in again.views] == ["deidentified"]
    (link,) = again.view("deidentified").select(T)
    assert (link.to, link["all"]) == (None, [None])


def test_more_sets_of_attributes_than_functions_are_read_all_the_same() -> None:
    values = {"n": "1", "s": "x", "b": "true", "to": "2", "all": "2 2", "d": "0.5", "f": "2.5", "l": "7"}
    ranges = ("Integer", "String", "Boolean", "TOP", "FSArray", "Double", "Float", "Long")
    types = TypeSystem()
    types.create_type("my.W", Annotation, {n: f"uima.cas.{r}" for n, r in zip(values, ranges, strict=True)})
    wide = []
    for i in range(600):
        given = {n: v for j, (n, v) in enumerate(values.items()) if i >> j & 1} | ({"end": "3"} if i > 511 else {})
        wide.append(f'<my:W xmi:id="{i + 2}" sofa="1"' + "".join(f' {n}="{v}"' for n, v in given.items()) + "/>")
    items = list(origin_of(read_xmi(document(*wide), types)).values())
    assert [a.n for a in items] == [i & 1 for i in range(600)]
    assert [bool(a.s == "x" and a.b and a.to is items[0]) for a in items] == [i & 14 == 14 for i in range(600)]
    assert [a.all == [items[0]] * 2 for a in items] == [bool(i & 16) for i in range(600)]
    assert [(a.begin, a.end) for a in items] == [(0, 3 if i > 511 else 0) for i in range(600)]
    with pytest.raises(FormatError, match=r"my\.W has no feature odd"):
        read_xmi(document(*wide[:599], wide[599].replace(" n=", " odd=")), types)
    with pytest.raises(FormatError, match=r"my\.W without xmi:id"):
        read_xmi(document(*wide[:599], '<my:W sofa="1" end="2" b="true"/>'), types)


def origin_of(cas: Cas) -> dict[int, Any]:
    assert cas.origin is not None
    return cas.origin.items
