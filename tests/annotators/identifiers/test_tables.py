"""Tables, HL7 segments, XML elements and JSON members in the text of a note."""

from __future__ import annotations

import pytest

from caspipe.annotators.identifiers import IdentifierAnnotator
from caspipe.annotators.identifiers.segments import segment_values
from caspipe.annotators.identifiers.tables import table_values
from caspipe.typesystem import Cas, PhiCandidate, PhiKind


def values(text: str) -> list[tuple[str, str]]:
    cells = [*table_values(text), *segment_values(text)]
    return sorted((text[c.begin : c.end], c.kind.name) for c in cells)


def test_columns_of_comma_separated_text_have_the_kind_of_their_heading() -> None:
    text = 'room,name,dob,age,mrn,dx\n401-1,"LI, W",05/12/1958,67,2204418,NSTEMI\n402-2,EMPTY,,,,\n\n7,8,9,10,11,12\n'
    assert values(text) == [
        ("05/12/1958", "DATE"),
        ("2204418", "ID_MEDICAL_RECORD"),
        ("67", "AGE"),
        ("LI, W", "PERSON"),
    ]


def test_columns_of_pipe_tables_have_the_kind_of_their_heading() -> None:
    text = "| IMPLANT | LOT | S/N |\n|---|---|---|\n| tib baseplate | RM77X | 0077-50N13 |\n"
    assert values(text) == [("0077-50N13", "ID_DEVICE")]


def test_a_row_of_a_pipe_table_may_begin_with_its_heading() -> None:
    assert values("| UNOS ID | AJKQ882 | -- |\n") == [("AJKQ882", "ID")]


@pytest.mark.parametrize(
    "text",
    [
        "Name | Dose | Route\nAspirin | 81 mg | PO\n",
        "mild, moderate, severe\n1, 2, 3\n",
        "age, sex and weight were noted\n5, 6, 7\n",
        "| BP | HR |\n| 120/80 | 72 |\n",
    ],
)
def test_tables_of_drugs_and_values_are_left(text: str) -> None:
    assert values(text) == []


def test_fields_of_hl7_segments_have_the_kind_of_their_number() -> None:
    text = "PID|1||00718820^^^PS^MR||BEGAYE^LORENA^T^^^||19620808|F||NA|PO BOX 1140^^CHINLE^AZ^86503||(928)555-0118\r\n"
    assert values(text) == [
        ("(928)555-0118", "PHONE"),
        ("00718820", "ID_MEDICAL_RECORD"),
        ("19620808", "DATE"),
        ("86503", "LOCATION_ZIP"),
        ("AZ", "LOCATION_STATE"),
        ("BEGAYE^LORENA^T", "PERSON"),
        ("CHINLE", "LOCATION_CITY"),
        ("PO BOX 1140", "LOCATION_STREET"),
    ]


def test_staff_in_hl7_segments_are_found_with_their_number() -> None:
    assert values("PV1|1|I|||||1003000126^OBI^EMEKA^J\n") == [("1003000126", "ID_LICENSE"), ("OBI^EMEKA^J", "PERSON")]
    assert values("EVN|A01|20240219144655|||RKUNKEL\n") == [("RKUNKEL", "PERSON_USERNAME")]


def test_xml_elements_and_json_members_have_the_kind_of_their_name() -> None:
    assert values("<given>Kai</given><dx>CHF</dx><mrn>A-77</mrn>") == [("A-77", "ID_MEDICAL_RECORD"), ("Kai", "PERSON")]
    assert values('{"dob": "1962-08-08", "dx": "CHF"}') == [("1962-08-08", "DATE")]


def test_the_annotator_marks_them_and_respects_its_kinds() -> None:
    view = Cas("name,dob,mrn\nLi Wei,05/12/1958,2204418\n").view()
    found = list(IdentifierAnnotator(kinds=(PhiKind.PERSON,)).annotate(view))
    assert [(c.begin, c.end, c.rule) for c in found if isinstance(c, PhiCandidate)] == [(13, 19, "table_column")]
    assert not [c for c in IdentifierAnnotator(min_confidence=0.9).annotate(view) if isinstance(c, PhiCandidate)]
