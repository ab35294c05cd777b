"""Places in surrogates agree with each other: state and ZIP code, town and state, town and country, names and hosts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from overlap_cases import made, read_marked

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.masking.surrogates.postal import REGIONS, towns_of
from caspipe.annotators.masking.surrogates.regions import ZIP3, state_of_zip, zip3_of
from caspipe.typesystem import DEIDENTIFIED_VIEW, Cas, MaskedSpan, Phi, PhiKind

ADDRESSES = [
    ("12 Main St", "Boston", "MA", "02115"),
    ("7 Park Ave NE", "Omaha", "NE", "68102"),
    ("1400 5th Avenue, Apt 3", "New York", "NY", "10001"),
    ("PO Box 12", "Washington", "DC", "20001"),
    ("9 Elm Ct", "Zorbville", "Tex.", "75001-1234"),
    ("3 Oak Rd", "Concord", "New Hampshire", "03301"),
]


def masked(marked: str, patient: str = "1") -> Cas:
    text, spans = read_marked(marked)
    cas = Cas(text, id="document")
    cas.metadata["patient_id"] = patient
    for begin, end, kind in spans:
        cas.add(Phi(begin, end, kind=PhiKind.of(kind)))
    made(Masker, {"default": {"surrogate": {"key": "k"}}}).process(cas)
    return cas


def replaced(marked: str, patient: str = "1") -> list[str]:
    return [m.covered_text for m in masked(marked, patient).view(DEIDENTIFIED_VIEW).select(MaskedSpan)]


def place(kind: str, text: str) -> str:
    return f"<LOCATION_{kind}>{text}</LOCATION_{kind}>"


def state_of(text: str) -> str:
    entry = Lexicon.load("us_states").entry(text) or Lexicon.load("us_states").entry(text.rstrip("."))
    assert entry is not None, "no state"
    return entry.columns["state"]


def assert_valid(town: str, state: str, code: str) -> None:
    assert state_of_zip(code) == state_of(state)
    assert state_of(state) in {e.columns.get("state") for e in Lexicon.load("cities").entries(town)}


@pytest.mark.attack("surrogates")
@given(st.sampled_from(ADDRESSES), st.integers(0, 100_000))
@settings(max_examples=300, deadline=None)
def test_street_town_state_and_zip_code_of_an_address_agree(address: tuple[str, str, str, str], patient: int) -> None:
    street, town, state, code = address
    city = place("CITY", town)
    marked = f"{place('STREET', street)}, {city}, {place('STATE', state)} {place('ZIP', code)}; from {city}"
    new_street, new_town, new_state, new_code, again = replaced(marked, str(patient))
    assert_valid(new_town, new_state, new_code)
    assert again == new_town
    assert (len(new_code), len(new_state) == 2) == (len(code), len(state) == 2)
    assert not set(re.findall(r"\w{3,}", f"{street} {town}".lower())) & set(re.findall(r"\w{3,}", new_town.lower()))
    assert new_street != street


@pytest.mark.attack("surrogates")
@pytest.mark.parametrize("address", ADDRESSES, ids=[a[2] for a in ADDRESSES])
@pytest.mark.parametrize("kind", ["STREET", "CITY", "LOCATION"])
def test_a_span_of_a_whole_address_is_replaced_as_a_whole(kind: str, address: tuple[str, str, str, str]) -> None:
    street, town, state, code = address
    text = f"{street}, {town}, {state} {code}" if kind == "STREET" else f"{town}, {state} {code}"
    marked = place(kind, text) if kind != "LOCATION" else f"<LOCATION>{text}</LOCATION>"
    for patient in "123456789":
        (new,) = replaced(marked, patient)
        found = re.fullmatch(r"(?:.*, )?([A-Za-z ]+), ([A-Z]{2}|[A-Za-z. ]+) (\d{5}(?:-\d{4})?)", new)
        assert found
        assert_valid(*found.groups())
        assert not {town, code} & set(re.split(", | (?=[0-9])", new))


@pytest.mark.parametrize("text", ["Washington, DC", "Boston, MA", "Memphis, Mississippi", "Portland, ME"])
def test_no_half_of_a_place_is_replaced_by_another_kind_of_place(text: str) -> None:
    for patient in "12345678":
        (new,) = replaced(f"<LOCATION>{text}</LOCATION>", patient)
        town, state = new.split(", ")
        assert state_of(state) in {e.columns.get("state") for e in Lexicon.load("cities").entries(town)}
        assert (len(state) == 2) == (len(text.split(", ")[1]) == 2)


@pytest.mark.attack("surrogates")
@pytest.mark.parametrize("country", ["Sweden", "Germany", "India", "Brazil", "Japan"])
def test_town_and_country_agree(country: str) -> None:
    town = {"Sweden": "Uppsala", "Germany": "Köln", "India": "Pune", "Brazil": "Recife", "Japan": "Osaka"}[country]
    for patient in "12345678":
        new_town, new_country = replaced(f"{place('CITY', town)}, {place('COUNTRY', country)}", patient)
        entry = Lexicon.load("countries").entry(new_country)
        assert entry is not None
        assert new_country != country
        there = {e.columns["country"] for e in Lexicon.load("cities").entries(new_town)}
        assert entry.columns["iso2"] in there or new_town in towns_of(entry.columns["iso2"])


def test_an_address_in_the_usa_moves_with_its_country() -> None:
    for patient in "12345678":
        town, state, code, country = replaced(
            f"{place('CITY', 'Boston')}, {place('STATE', 'MA')} {place('ZIP', '02115')}, {place('COUNTRY', 'USA')}",
            patient,
        )
        region = next(r for r in REGIONS if r.code == state)
        assert town in region.towns
        assert code.startswith(region.codes[town])
        assert country == {"CA": "Canada", "AU": "Australia"}[region.country]


def test_a_country_beside_no_address_leaves_the_addresses_where_they_are() -> None:
    state, country = replaced(f"lives in {place('STATE', 'Ohio')}, left {place('COUNTRY', 'Norway')} in 1990")
    assert state_of(state)
    assert Lexicon.load("countries").has(country)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("LS29 4QX", r"[A-Z]{1,2}\d{1,2} \d[A-Z]{2}"),
        ("K7M 2X4", r"[A-Z]\d[A-Z] \d[A-Z]\d"),
        ("CH-5999", r"CH-\d{4}"),
        ("V95 X0X0", r"[A-Z]\d\d [A-Z\d]{4}"),
    ],
)
def test_postal_codes_of_other_countries_keep_their_form(text: str, shape: str) -> None:
    (new,) = replaced(place("ZIP", text))
    assert re.fullmatch(shape, new)
    assert new != text


@pytest.mark.parametrize(
    "text", ["27 Beech Grove, Louth LN11 9ZZ", "2 Chapel Row, Newport NP11 0XX", "3 Elm Rd, Kingston K7M 2X4"]
)
def test_town_and_postal_area_agree_outside_the_usa(text: str) -> None:
    listed = [region.codes for region in REGIONS if region.country in ("GB", "CA")]
    for patient in map(str, range(60)):
        (new,) = replaced(place("STREET", text), patient)
        found = re.fullmatch(r".*, (\D+) (\S+ ?\S+)", new)
        assert found
        assert any(found[2].startswith(codes[found[1]]) for codes in listed if found[1] in codes)


def test_the_table_of_zip_codes_is_whole_and_unambiguous() -> None:
    prefixes = [p for state in ZIP3 for p in zip3_of(state)]
    assert len(prefixes) == len(set(prefixes))
    assert len(ZIP3) == 51
    known = {
        "021": "MA",
        "100": "NY",
        "606": "IL",
        "900": "CA",
        "331": "FL",
        "995": "AK",
        "968": "HI",
        "200": "DC",
        "770": "TX",
    }
    assert {p: state_of_zip(p + "01") for p in known} == known
    assert state_of_zip("00000") == ""


@pytest.mark.attack("surrogates")
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("St. Mary's Hospital", r"St\. [A-Z]\w+'s Hospital"),
        ("Massachusetts General Hospital", r"[A-Z][\w ]+ General Hospital"),
        ("Royal Calder Infirmary", r"Royal [A-Z]\w+ Infirmary"),
        ("Bayou Crossing Birth Center", r"[A-Z]\w+ [A-Z]\w+ Birth Center"),
        ("Good Samaritan Medical Center", r"[A-Z][\w ]+ Medical Center"),
        ("Levine-Shuford", r"[A-Z]\w+-[A-Z]\w+"),
        ("MERCY HOSPITAL", r"[A-Z ]+ HOSPITAL"),
        ("the General Hospital", r"the [A-Z]\w+ Hospital"),
        ("Wexcombe DGH", r"[A-Z]\w+ DGH"),
        ("Main St Family Practice", r"[A-Z]\w+( [A-Z]\w+)? Family Practice"),
    ],
)
def test_facilities_read_like_facilities(name: str, shape: str) -> None:
    for patient in "123456":
        (new,) = replaced(place("HOSPITAL", name), patient)
        assert re.fullmatch(shape, new)
        assert not {"Mary", "Massachusetts", "Calder", "Bayou", "Samaritan", "Levine", "Shuford", "MERCY"} & set(
            re.findall(r"\w+", new)
        )


@pytest.mark.attack("surrogates")
def test_short_forms_of_a_facility_agree_with_it() -> None:
    full, short, letters = replaced(
        " ... ".join(place("HOSPITAL", name) for name in ("Bayou Crossing Birth Center", "Bayou Crossing", "BCBC"))
    )
    assert full == f"{short} Birth Center"
    assert letters == "".join(word[0] for word in full.split())
    full, short = replaced(f"{place('HOSPITAL', 'St. Mary’s Hospital')} ... {place('HOSPITAL', 'St. Mary’s')}")
    assert full == f"{short} Hospital"


def test_a_town_in_the_name_of_a_hospital_is_the_town_of_the_text() -> None:
    town, hospital = replaced(f"{place('CITY', 'Torhampton')}; {place('HOSPITAL', 'Torhampton General Hospital')}")
    assert hospital == f"{town} General Hospital"


def test_addresses_of_mail_and_pages_name_the_surrogate_of_the_facility() -> None:
    hospital, mail, page = replaced(
        f"{place('HOSPITAL', 'Quellmore Clinic')} <EMAIL>info@quellmore.org</EMAIL> <URL>www.quellmore.org/visit</URL>"
    )
    host = re.sub("[^a-z]", "", hospital.lower())
    assert mail.endswith(f"@{host}.example.org")
    assert page.startswith(f"www.{host}.example.org/")


@pytest.mark.parametrize("text", ["Dept. of Cardiology", "Emergency Department", "Oncology"])
def test_words_that_name_only_the_type_of_department_stay(text: str) -> None:
    assert masked(place("DEPARTMENT", text)).deidentified == text


@pytest.mark.parametrize(("text", "shape"), [("Ward 7B", r"Ward \d[A-Z]"), ("Whitfield Ward", r"[A-Z]\w+ Ward")])
def test_wards_with_a_name_or_number_become_other_wards(text: str, shape: str) -> None:
    (new,) = replaced(place("DEPARTMENT", text))
    assert re.fullmatch(shape, new)
    assert new != text


def test_ordinals_of_streets_stay_ordinals() -> None:
    for patient in "123456789":
        (new,) = replaced(place("STREET", "221 E 51st Street"), patient)
        number = re.fullmatch(r"\d{3} E (\d+)(st|nd|rd|th) Street", new)
        assert number
        last = (
            {"1": "st", "2": "nd", "3": "rd"}.get(number[1][-1], "th") if number[1] not in ("11", "12", "13") else "th"
        )
        assert number[2] == last


@given(st.integers(2000000000, 9999999999))
@settings(max_examples=100, deadline=None)
def test_area_codes_are_none_that_the_plan_reserves(number: int) -> None:
    (new,) = replaced(f"<PHONE>{number}</PHONE>")
    assert re.fullmatch(r"(?!37|96|555)[2-9](?!11)[0-8]\d55501\d\d", new)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("07700 912345", r"07700 900\d{3}"),
        ("020 7123 4567", r"02(?:0 7946|8 9018|9 2018) 0\d{3}"),
        ("01633 960712", r"01632 960\d{3}"),
        ("0141 271 0300", r"01\d1 496 0\d{3}|011\d 496 0\d{3}"),
        ("+44 161 271 0300", r"\+44 1\d\d 496 0\d{3}|\+44 163 296 0\d{3}"),
        ("0412 345 678", r"0491 57\d \d{3}"),
        ("(03) 9123 4567", r"\(0[2378]\) 5550 \d{4}"),
    ],
)
def test_national_numbers_of_other_countries_lie_in_ranges_for_fiction(text: str, shape: str) -> None:
    (new,) = replaced(f"<PHONE>{text}</PHONE>")
    assert re.fullmatch(shape, new)


def test_a_box_stays_a_box() -> None:
    (new,) = replaced(place("STREET", "P.O. Box 77"))
    assert re.fullmatch(r"P\.O\. Box \d\d", new)
