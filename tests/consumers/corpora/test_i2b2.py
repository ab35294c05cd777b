"""Consumer of i2b2-2014 XML and MEDDOCAN's dialect. All texts are ours."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from caspipe.consumers.corpora.i2b2 import I2b2Consumer
from caspipe.readers.corpora.i2b2 import I2b2Reader
from caspipe.typesystem import Cas, CasError, CaspipeWarning, PhiKind

from round_trips import document, gold, read, written  # isort: skip

NAME = "Featherstone"


def spans(*named: tuple[int, int, str]) -> list[tuple[int, int, PhiKind]]:
    return [(b, e, PhiKind.of(kind)) for b, e, kind in named]


def test_a_file_is_as_in_the_corpus(tmp_path: Path) -> None:
    text = f'Dr. {NAME} & "Co", 3 May'
    found = spans((4, 16, "PERSON_DOCTOR"), (19, 23, "ORGANIZATION"), (25, 30, "DATE_BIRTH"))
    written(I2b2Consumer(), tmp_path, [document(text, found, [(2, "comment", "<sic>")])])
    made = tmp_path / "restricted/i2b2/ward/note-1.xml"
    assert made.read_text(encoding="utf-8") == (
        '<?xml version="1.0" encoding="UTF-8" ?>\n<deIdi2b2>\n'
        f'<TEXT><![CDATA[Dr. {NAME} & "Co", 3 May]]></TEXT>\n<TAGS>\n'
        f'<NAME id="P0" start="4" end="16" text="{NAME}" TYPE="DOCTOR" comment="" />\n'
        '<LOCATION id="P1" start="19" end="23" text="&quot;Co&quot;" TYPE="ORGANIZATION" comment="" />\n'
        '<DATE id="P2" start="25" end="30" text="3 May" TYPE="DATE" comment="&lt;sic&gt;" />\n'
        "</TAGS>\n</deIdi2b2>\n"
    )
    assert made.stat().st_mode & 0o777 == 0o600
    assert made.parent.stat().st_mode & 0o777 == 0o700


def test_meddocan_has_its_own_root_ids_and_categories(tmp_path: Path) -> None:
    kinds = [PhiKind.of_scheme("meddocan", label) for label in PhiKind.labels("meddocan")]
    text = " ".join(f"w{n:02}" for n in range(len(kinds)))
    cas = document(text, [(4 * n, 4 * n + 3, kind) for n, kind in enumerate(kinds)])
    written(I2b2Consumer(dialect="meddocan"), tmp_path, [cas])
    root = ET.parse(tmp_path / "restricted/i2b2/ward/note-1.xml").getroot()
    tags = {tag.get("TYPE", ""): tag for tag in root.findall("TAGS/*")}
    assert (root.tag, list(tags)) == ("MEDDOCAN", PhiKind.labels("meddocan"))
    assert [tag.get("id") for tag in tags.values()] == [f"T{n}" for n in range(1, len(kinds) + 1)]
    wanted = {
        "NAME": "NOMBRE_SUJETO_ASISTENCIA NOMBRE_PERSONAL_SANITARIO",
        "AGE": "EDAD_SUJETO_ASISTENCIA",
        "DATE": "FECHAS",
        "PROFESSION": "PROFESION",
        "LOCATION": "CALLE TERRITORIO PAIS HOSPITAL CENTRO_SALUD INSTITUCION",
        "CONTACT": "NUMERO_TELEFONO NUMERO_FAX CORREO_ELECTRONICO",
        "ID": "ID_SUJETO_ASISTENCIA ID_ASEGURAMIENTO ID_TITULACION_PERSONAL_SANITARIO ID_CONTACTO_ASISTENCIAL",
        "OTHER": "SEXO_SUJETO_ASISTENCIA FAMILIARES_SUJETO_ASISTENCIA OTROS_SUJETO_ASISTENCIA",
    }
    assert {element: [tags[label].tag for label in labels.split()] for element, labels in wanted.items()} == {
        element: [element] * len(labels.split()) for element, labels in wanted.items()
    }


@pytest.mark.parametrize(
    "text", ["\r\n\r\nDr. Ivy\rLee ]]> \U0001f600 3 May\r\n", "]]>Dr. Ivy\tLee]", "  Dr. Ivy\nLee]]", "]]\r>Dr. Ivy"]
)
def test_any_xml_parser_sees_the_text_and_the_offsets(tmp_path: Path, text: str) -> None:
    begin = text.index("Ivy")
    written(
        I2b2Consumer(), tmp_path, [document(text, spans((begin, begin + 3, "PERSON_DOCTOR"), (0, len(text), "OTHER")))]
    )
    root = ET.parse(tmp_path / "restricted/i2b2/ward/note-1.xml").getroot()
    assert root.findtext("TEXT") == text
    for tag in root.findall("TAGS/*"):
        assert text[int(tag.get("start", "")) : int(tag.get("end", ""))] == tag.get("text")


def test_what_xml_cannot_carry_is_replaced_one_for_one_or_refused(tmp_path: Path) -> None:
    cas = document("a\x00\x0cIvy\x1f\ud800\uffff", spans((2, 7, "PERSON")))
    written(I2b2Consumer(), tmp_path, [cas])
    (back,) = read(I2b2Reader(folder=tmp_path / "restricted/i2b2"))
    assert (back.text, gold(back)) == ("a\ufffd Ivy \ufffd\ufffd", spans((2, 7, "PERSON_PATIENT")))
    assert cas.metadata == {"lone_surrogates_replaced": "1", "xml_characters_replaced": "4"}
    with pytest.raises(CasError, match=r"^4 characters that XML 1\.0 forbids, the first at 1$"):
        I2b2Consumer(on_illegal="error").process(cas)


def test_the_dialect_settles_the_scheme() -> None:
    assert I2b2Consumer(dialect="meddocan", scheme="meddocan").scheme == "meddocan"
    with pytest.raises(ValueError, match="scheme: expected none, since dialect i2b2-2014 has its own, got 'meddocan'"):
        I2b2Consumer(scheme="meddocan")


def test_attributes_without_a_place_are_counted(tmp_path: Path) -> None:
    consumer = I2b2Consumer()
    consumer.output = tmp_path
    consumer.process(document("Ivy", spans((0, 3, "PERSON")), [(0, "certainty", "low"), (0, "comment", "x")]))
    with pytest.warns(CaspipeWarning, match="i2b2: 1 attributes of spans were left out"):
        consumer.close()


def test_masked_text_needs_no_privacy_and_a_rolled_back_document_leaves_no_file(
    tmp_path: Path, make: Callable[..., Cas], listing: Callable[[Path], list[str]]
) -> None:
    consumer = I2b2Consumer(annotations="masked", folder=Path("release/i2b2"))
    consumer.output = tmp_path
    consumer.open()
    consumer.process(make("a"))
    consumer.process(make("b"))
    consumer.rollback("b")
    consumer.close()
    assert listing(tmp_path) == ["release/i2b2/a.xml"]
    assert NAME not in (tmp_path / "release/i2b2/a.xml").read_text(encoding="utf-8")
    assert (tmp_path / "release/i2b2/a.xml").stat().st_mode & 0o044 == 0o044
