"""Places outside the USA: the surrogate stays in the country and nation of the document, and its postal code in the town."""

from __future__ import annotations

import re

import pytest
from overlap_cases import made, read_marked

from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.masking.surrogates.area_codes import area_codes_of, place_of_area_code
from caspipe.annotators.masking.surrogates.postal import REGIONS, nation_of, towns_of
from caspipe.annotators.masking.surrogates.regions import ZIP3
from caspipe.typesystem import DEIDENTIFIED_VIEW, Cas, MaskedSpan, Phi, PhiKind

ADDRESSES = [
    ("DE", "Gotha", "99867", r"\d{5}"),
    ("AT", "Innsbruck", "6020", r"\d{4}"),
    ("FR", "Angers", "49000", r"\d{5}"),
    ("NL", "Tilburg", "5038 EA", r"\d{4} [A-Z]{2}"),
    ("SE", "Uppsala", "753 10", r"\d{3} \d{2}"),
    ("PL", "Lublin", "20-079", r"\d{2}-\d{3}"),
    ("PT", "Braga", "4700-030", r"\d{4}-\d{3}"),
    ("NZ", "Timaru", "7910", r"\d{4}"),
    ("ZA", "Rustenburg", "0299", r"\d{4}"),
    ("IN", "Nashik", "422002", r"\d{6}"),
    ("IE", "Kilkenny", "R95 XH00", r"[A-Z]\d[\dW] [A-Z\d]{4}"),
    ("GB", "Louth", "LN11 9ZZ", r"[A-Z]{1,2}\d{1,2} \d[A-Z]{2}"),
    ("CA", "Halifax", "B3H 4R2", r"[A-Z]\d[A-Z] \d[A-Z]\d"),
]


def replaced(marked: str, patient: str = "1") -> list[str]:
    text, spans = read_marked(marked)
    cas = Cas(text, id="document")
    cas.metadata["patient_id"] = patient
    for begin, end, kind in spans:
        cas.add(Phi(begin, end, kind=PhiKind.of(kind)))
    made(Masker, {"default": {"surrogate": {"key": "k"}}}).process(cas)
    return [m.covered_text for m in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan)]


@pytest.mark.attack("surrogates")
@pytest.mark.parametrize(("country", "town", "code", "shape"), ADDRESSES, ids=[a[0] for a in ADDRESSES])
@pytest.mark.parametrize("order", ["{code} {town}", "{town} {code}", "{town}, {code}"])
def test_the_postal_code_is_of_the_surrogate_town(country: str, town: str, code: str, shape: str, order: str) -> None:
    pieces = {
        "town": f"<LOCATION_CITY>{town}</LOCATION_CITY>",
        "code": f"<LOCATION_ZIP>{code}</LOCATION_ZIP>",
    }
    marked = order.format(**pieces) + f"; from <LOCATION_CITY>{town}</LOCATION_CITY>"
    for patient in map(str, range(20)):
        first, second, again = replaced(marked, patient)
        new_town, new_code = (first, second) if order.startswith("{town") else (second, first)
        assert re.fullmatch(shape, new_code)
        assert new_town == again != town
        listed = [r.codes for r in REGIONS if r.country == country] or [towns_of(country)]
        assert any(new_code.startswith(codes[new_town]) for codes in listed if new_town in codes)


@pytest.mark.parametrize(
    ("code", "nation"),
    [("G15 9AA", "SCT"), ("EH1 1AA", "SCT"), ("NP20 9ZZ", "WLS"), ("BT1 1AA", "NIR"), ("LS1 4QX", "")],
)
def test_a_british_address_stays_in_its_nation(code: str, nation: str) -> None:
    marked = f"<LOCATION_CITY>Kelvinbrae</LOCATION_CITY> <LOCATION_ZIP>{code}</LOCATION_ZIP>"
    for patient in map(str, range(20)):
        _, new = replaced(marked, patient)
        assert nation_of(new) == nation


@pytest.mark.attack("surrogates")
@pytest.mark.parametrize(
    ("country", "text"),
    [
        ("DE", "Seen at <LOCATION_CITY>Gotha</LOCATION_CITY>, <LOCATION_ZIP>99867</LOCATION_ZIP>; lives in {}"),
        ("NZ", "NHI ZKT4419, ACC45 VT 88120, MCNZ 77120. Lives in {}"),
        ("IE", "GMS card, Eircode unknown. Lives in {}"),
        ("IN", "UHID 4471, Mediclaim. Lives in {}"),
    ],
)
def test_an_unknown_place_becomes_a_town_of_the_country_of_the_document(country: str, text: str) -> None:
    for patient in map(str, range(20)):
        *_, new = replaced(text.format("<LOCATION>Walterstett</LOCATION>"), patient)
        assert new in towns_of(country)


@pytest.mark.parametrize("text", ["NHS No 4471. Lives in {}", "ACC of 4. Lives in {}", "Lives in {}"])
def test_one_cue_of_a_health_system_is_no_country(text: str) -> None:
    (new,) = replaced(text.format("<LOCATION>Walterstett</LOCATION>"))
    assert new not in towns_of("GB") | towns_of("NZ")


@pytest.mark.attack("surrogates")
@pytest.mark.parametrize(
    ("letter", "number", "shape"),
    [
        (
            "in <LOCATION_CITY>Gotha</LOCATION_CITY>, <LOCATION_ZIP>99867</LOCATION_ZIP>",
            "03621 231201",
            r"0(30|69|40|22|89)\d{8}",
        ),
        ("in <LOCATION_CITY>Gotha</LOCATION_CITY>", "+49 171 2312012", r"\+49 17[16] \d{7}"),
        ("Eircode unknown, HSE", "065 682 4471", r"020 91\d \d{4}"),
        ("NHI ZKT4419, MCNZ 77120", "027 412 7781", r"02\d 555 0\d{3}"),
        ("UHID 4471, Mediclaim", "+91 98412 22018", r"\+91 9\d\d55 50\d{3}"),
        (
            "in <LOCATION_CITY>Angers</LOCATION_CITY> <LOCATION_ZIP>49000</LOCATION_ZIP>",
            "02 41 35 36 37",
            r"0[1-5]( \d\d){4}",
        ),
    ],
    ids=["DE", "DE mobile", "IE", "NZ", "IN", "FR"],
)
def test_a_telephone_number_has_the_plan_of_the_document(letter: str, number: str, shape: str) -> None:
    for patient in "1234":
        *_, new = replaced(f"{letter}; call <PHONE>{number}</PHONE>", patient)
        assert re.fullmatch(shape, re.sub(" ", "", new) if shape.startswith("0(30") else new)
        assert new != number


@pytest.mark.attack("surrogates")
@pytest.mark.parametrize(
    ("state", "code", "number"),
    [("MA", "02115", "617-867-5309"), ("GA", "30303", "(404) 867-5309"), ("ON", "L4N 1A1", "705-867-5309")],
)
def test_the_area_code_is_of_the_surrogate_state(state: str, code: str, number: str) -> None:
    for patient in map(str, range(20)):
        new_state, new_code, first, second = replaced(
            f"<LOCATION_CITY>Zorbville</LOCATION_CITY>, <LOCATION_STATE>{state}</LOCATION_STATE> "
            f"<LOCATION_ZIP>{code}</LOCATION_ZIP>; <PHONE>{number}</PHONE>, <PHONE>{number[:-1]}4</PHONE>",
            patient,
        )[1:]
        area = re.search(r"\d{3}", first)
        assert area is not None
        assert area.group() in area_codes_of(new_state)
        assert area.group() in second
        assert new_code != code


def test_a_free_number_stays_free() -> None:
    (new,) = replaced("<PHONE>800-867-5309</PHONE>")
    assert re.fullmatch(r"8(33|44|55|66|77|88)-555-01\d\d", new)


def test_every_area_code_belongs_to_one_state() -> None:
    places = [r.code for r in REGIONS if r.country == "CA"] + sorted(ZIP3)
    codes = [code for place in places for code in area_codes_of(place)]
    assert all(area_codes_of(place) for place in places)
    assert len(codes) == len(set(codes)) + 1  # Nova Scotia and Prince Edward Island share one
    assert {place_of_area_code(code) for code in ("617", "212", "604")} == {("US", "MA"), ("US", "NY"), ("CA", "BC")}


FACILITIES = [
    ("HOSPITAL", "Wexcombe Hospital", "Hospital"),
    ("HOSPITAL", "Palmview Nursing Home", "Nursing Home"),
    ("HOSPITAL", "Harlan Rehab", "Rehab"),
    ("HOSPITAL", "Wattle Plains Base Hospital", "Base Hospital"),
    ("HOSPITAL", "Thornveld Provincial Tertiary Hospital", "Provincial Tertiary Hospital"),
    ("HOSPITAL", "Kreiskrankenhaus Gotha", "Kreiskrankenhaus"),
    ("HOSPITAL", "Universitätsklinikum Brenkhausen", "Universitätsklinikum"),
    ("HOSPITAL", "Spital Oberwynen", "Spital"),
    ("HOSPITAL", "Centre hospitalier de Brévigny", "Centre hospitalier de"),
    ("HOSPITAL", "Hôpital Saint-Clair", "Hôpital Saint-"),
    ("HOSPITAL", "Clinique des Ormeaux", "Clinique des"),
    ("HOSPITAL", "Residencia Los Almendros", "Residencia"),
    ("HOSPITAL", "Ospedale Civile Brembati", "Ospedale Civile"),
    ("HOSPITAL", "Ziekenhuis Oudewater", "Ziekenhuis"),
    ("HOSPITAL", "Ysbyty Tri Chwm", "Ysbyty"),
    ("ORGANIZATION", "Alpina Krankenversicherung", "Krankenversicherung"),
    ("ORGANIZATION", "Evergreen Infusion Partners", "Infusion Partners"),
    ("ORGANIZATION", "AirMed Homecare", "Homecare"),
    ("ORGANIZATION", "Ysgol Gynradd Waunfawr", "Ysgol Gynradd"),
    ("ORGANIZATION", "Grundschule Am Hirtenborn", "Grundschule Am"),
    ("ORGANIZATION", "Escuela Primaria Los Robles", "Escuela Primaria"),
    ("ORGANIZATION", "Université de Brévigny", "Université de"),
    ("ORGANIZATION", "Westfield State University", "State University"),
    ("ORGANIZATION", "Pecan Grove Elementary School", "Elementary School"),
    ("LOCATION_CITY", "Usilampatti GH", "GH"),
    ("LOCATION", "Torhampton Clinic", "Clinic"),
]


@pytest.mark.attack("surrogates")
@pytest.mark.parametrize(("kind", "text", "kept"), FACILITIES, ids=[f[2] for f in FACILITIES])
def test_the_type_of_a_facility_stays_in_the_language_of_the_text(kind: str, text: str, kept: str) -> None:
    kind = "LOCATION_HOSPITAL" if kind == "HOSPITAL" else kind
    own = set(re.findall(r"\w+", text)) - set(re.findall(r"\w+", kept)) - {"Los", "Am"}
    for patient in "1234":
        (new,) = replaced(f"<{kind}>{text}</{kind}>", patient)
        assert kept in new
        assert not own & set(re.findall(r"\w+", new))


@pytest.mark.parametrize("town", ["Salt Lake City", "North Bay", "Mount Gambier", "College Station", "Homewood"])
def test_a_word_for_a_type_in_the_name_of_a_town_does_not_stay(town: str) -> None:
    (new,) = replaced(f"<LOCATION_CITY>{town}</LOCATION_CITY>")
    assert not set(town.split()) & set(new.split())
