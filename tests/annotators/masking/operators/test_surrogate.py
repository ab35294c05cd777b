"""Surrogates: realistic, consistent, of the same shape, and nobody's."""

from __future__ import annotations

import ipaddress
import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from overlap_cases import document, made

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.masking.operator import KeyedHash
from caspipe.annotators.masking.surrogates import phones, shapes
from caspipe.annotators.masking.surrogates.people import parts_of
from caspipe.annotators.resolving.resolver import Resolver
from caspipe.typesystem import DEIDENTIFIED_VIEW, Cas, MaskedSpan

DRAWS = KeyedHash(b"k").bound("surrogate", "patient", "1")


def surrogates(marked: str, parameters: dict[str, object] | None = None, **metadata: str) -> list[str]:
    """The surrogates of the marked spans, in order."""
    cas = document(marked)
    cas.metadata.update(metadata)
    Resolver(merge=[]).process(cas)
    made(Masker, {"default": {"surrogate": {"key": "k", **(parameters or {})}}}).process(cas)
    return [m.covered_text for m in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan)]


def test_parts_of_a_name_are_the_same_wherever_they_stand() -> None:
    full, surname, titled, comma, given_ = surrogates(
        "<PERSON>John Smith</PERSON>, <PERSON>Smith</PERSON>, <PERSON>Mr. Smith</PERSON>; "
        "<PERSON>Smith, John</PERSON>; <PERSON>John</PERSON>"
    )
    first, last = full.split()
    assert (surname, titled, comma, given_) == (last, f"Mr. {last}", f"{last}, {first}", first)


def test_different_people_stay_different() -> None:
    john, mary, paul = surrogates(
        "<PERSON>John Smith</PERSON>, <PERSON>Mary Smith</PERSON>, <PERSON>Paul Reed</PERSON>"
    )
    assert john.split()[1] == mary.split()[1] != paul.split()[1]
    assert len({john.split()[0], mary.split()[0], paul.split()[0]}) == 3


@pytest.mark.parametrize(("name", "sex"), [("John", "M"), ("Mary", "F"), ("Peter", "M"), ("Susan", "F")])
def test_given_names_keep_their_sex(name: str, sex: str) -> None:
    lexicon = Lexicon.load("given_names")
    for patient in "123456789":
        (new,) = surrogates(f"<PERSON>{name} Lindqvist</PERSON>", patient_id=patient)
        entry = lexicon.entry(new.split()[0])
        assert entry is not None
        assert entry.sex == sex


def test_initials_follow_the_surrogate() -> None:
    full, initial, letters = surrogates(
        "<PERSON>John Smith</PERSON>, <PERSON>J. Smith</PERSON>, <PERSON_INITIALS>J.S.</PERSON_INITIALS>"
    )
    first, last = full.split()
    assert (initial, letters) == (f"{first[0]}. {last}", f"{first[0]}.{last[0]}.")


def test_initials_of_nobody_known_change_their_letters() -> None:
    (new,) = surrogates("<PERSON_INITIALS>JS</PERSON_INITIALS>")
    assert re.fullmatch("[A-Z]{2}", new)
    assert new != "JS"
    assert surrogates("<PERSON_INITIALS>JS</PERSON_INITIALS>", {"initials": "placeholder"}) == ["[PERSON]"]


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("JOHN SMITH", r"[A-Z]+ [A-Z]+"),
        ("john smith", r"[a-z]+ [a-z]+"),
        ("Dr. John Smith, MD", r"Dr\. [A-Z][a-z]+ [A-Z]\w+, MD"),
        ("Anna-Marie O'Brien-Jones", r"[A-Z]\w+-[A-Z]\w+ [A-Z]\w+-[A-Z]\w+"),
        ("van der Berg", r"van der [A-Z]\w+"),
        ("Smith's", r"[A-Z]\w+'s"),
        ("Smith JR", r"[A-Z]\w+ JR"),
        ("J. R. Smith III", r"[A-Z]\. [A-Z]\. [A-Z]\w+ III"),
    ],
)
def test_titles_particles_case_and_punctuation_stay(name: str, shape: str) -> None:
    (new,) = surrogates(f"<PERSON>{name}</PERSON>")
    assert re.fullmatch(shape, new)
    old_words = {w for w in re.findall(r"[^\W\d_]{3,}", name.lower()) if w not in ("van", "der", "iii")}
    assert not old_words & set(re.findall(r"[^\W\d_]{3,}", new.lower()))


def test_a_title_that_is_also_a_name_is_replaced() -> None:
    (new,) = surrogates("<PERSON>Dean Smith</PERSON>")
    assert "Dean" not in new


@pytest.mark.parametrize("name", ["Anh Do", "ANH DO", "Md Rahman", "Sr Maria Lund", "Lund Mr"])
def test_a_word_that_may_be_a_name_is_not_taken_for_a_title(name: str) -> None:
    (new,) = surrogates(f"<PERSON>{name}</PERSON>")
    assert not set(name.casefold().split()) & set(new.casefold().split())


@given(st.text("abÅÉ'’-., \u0301JM1", max_size=20))
@settings(max_examples=200, deadline=None)
def test_the_parts_of_a_name_join_to_the_name(text: str) -> None:
    assert "".join(part.text for part in parts_of(text)) == text


def test_a_title_alone_becomes_a_placeholder() -> None:
    assert surrogates("<PERSON>Dr.</PERSON>") == ["[PERSON]"]


def test_patients_keep_their_surrogates_across_documents() -> None:
    first = surrogates("<PERSON>John Smith</PERSON>", patient_id="77")
    second = surrogates("<PERSON>Smith</PERSON> and <PERSON>John</PERSON>", patient_id="77")
    other = surrogates("<PERSON>John Smith</PERSON>", patient_id="78")
    assert first == [f"{second[1]} {second[0]}"]
    assert other != first


def test_consistency_can_be_given_up() -> None:
    text = ", ".join(["<PERSON>Smith</PERSON>"] * 12)
    assert len(set(surrogates(text))) == 1
    assert len(set(surrogates(text, {"consistency": "random"}))) == 12
    changing = surrogates(text, {"consistency": "markov"})
    assert 2 < len(set(changing)) < 12
    assert sum(a == b for a, b in itertools.pairwise(changing)) > 1
    assert len(set(surrogates(text, {"consistency": "markov", "switch": 0}))) == 1


def test_surrogates_keep_the_sort_of_place() -> None:
    state, code, people, city, country, county = surrogates(
        "<LOCATION_STATE>Ohio</LOCATION_STATE> or <LOCATION_STATE>OH</LOCATION_STATE>, "
        "<LOCATION_COUNTRY>Swedish</LOCATION_COUNTRY> from <LOCATION_CITY>Uppsala</LOCATION_CITY>, "
        "<LOCATION_COUNTRY>Sweden</LOCATION_COUNTRY>; later <LOCATION_COUNTY>Ada County</LOCATION_COUNTY>"
    )
    states, countries = Lexicon.load("us_states"), Lexicon.load("countries")
    assert (states.entry(state).kind, states.entry(code).kind) == ("name", "code")  # type: ignore[union-attr]
    assert (countries.entry(country).kind, countries.entry(people).kind) == ("name", "demonym")  # type: ignore[union-attr]
    iso = countries.entry(country).columns["iso2"]  # type: ignore[union-attr]
    assert iso == countries.entry(people).columns["iso2"] != "SE"  # type: ignore[union-attr]
    assert iso in {e.columns["country"] for e in Lexicon.load("cities").entries(city)}
    assert states.entry(state).columns["state"] == code  # type: ignore[union-attr]
    assert Lexicon.load("us_counties").has(county)


def test_words_that_say_what_it_is_stay_in_organisations_and_streets() -> None:
    hospital, street, company, room = surrogates(
        "<LOCATION_HOSPITAL>St. Mary's General Hospital</LOCATION_HOSPITAL>, "
        "<LOCATION_STREET>123 Main Street, Apt 4B</LOCATION_STREET>, "
        "<ORGANIZATION_EMPLOYER>Lindqvist Widgets Inc.</ORGANIZATION_EMPLOYER>, <LOCATION_ROOM>room 12</LOCATION_ROOM>"
    )
    assert re.fullmatch(r"St\. [A-Z]\w+'s General Hospital", hospital)
    assert "Mary" not in hospital
    assert re.fullmatch(r"\d{3} [A-Z]\w+ Street, Apt \d[A-Z]", street)
    assert "Main" not in street
    assert re.fullmatch(r"[A-Z]\w+ [A-Z]\w+ Inc\.", company)
    assert "Lindqvist" not in company
    assert re.fullmatch(r"room \d\d", room)
    assert room != "room 12"


@pytest.mark.parametrize(
    ("address", "gone", "kept"),
    [
        ("220 Orchard Street, Dover, DE 19901", {"220", "Orchard", "Dover", "DE", "19901"}, {"Street"}),
        ("7 Park Ave NE, Omaha, NE 68102", {"7", "Park", "Omaha", "68102"}, {"Ave", "NE"}),
        ("12 Lake Shore Drive Apt 3", {"12", "Lake", "Shore", "3"}, {"Drive", "Apt"}),
    ],
)
def test_no_proper_word_of_an_address_stays(address: str, gone: set[str], kept: set[str]) -> None:
    (new,) = surrogates(f"<LOCATION_STREET>{address}</LOCATION_STREET>")
    words = re.findall(r"\w+", new)
    assert not gone & set(words)
    assert kept <= set(words)
    assert words.count("NE") == ("NE" in kept)


def test_a_name_of_common_words_alone_becomes_another_name() -> None:
    (new,) = surrogates("<LOCATION_HOSPITAL>the General Hospital</LOCATION_HOSPITAL>")
    assert re.fullmatch("the [A-Z][a-z]+ Hospital", new)


@pytest.mark.parametrize(
    ("kind", "text", "shape"),
    [
        ("PHONE", "(617) 867-5309", r"\([2-9]\d\d\) 555-01\d\d"),
        ("PHONE", "+1 617 867 5309 ext. 22", r"\+1 [2-9]\d\d 555 01\d\d ext\. \d\d"),
        ("PHONE", "867-5309", r"555-01\d\d"),
        ("PHONE", "+46 18 471 00 00", r"\+46 \d\d \d{3} \d\d \d\d"),
        ("PHONE_PAGER", "3 4471", r"\d \d{4}"),
        ("FAX", "617.867.5309", r"[2-9]\d\d\.555\.01\d\d"),
        ("EMAIL", "anna.berg@hospital.example", r"[a-z]+\.[a-z]+@[a-z]+\.example\.com"),
        ("URL", "https://www.hospital.example/berg", r"https://www\.[a-z]+\.example\.com/[a-z2-7]{6}"),
        ("URL", "hospital.org", r"[a-z]+\.example\.org"),
        ("IP_MAC", "AA-BB-CC-DD-EE-FF", r"00-00-5E-00-53-[0-9A-F]{2}"),
        ("IP_MAC", "aabb.ccdd.eeff", r"0000\.5e00\.53[0-9a-f]{2}"),
        ("ID_SSN", "123-45-6789", r"9\d\d-[0-4]\d-\d{4}"),
        ("ID_MEDICAL_RECORD", "MR-00123x", r"[A-Z]{2}-\d{5}[a-z]"),
        ("ID", "Ö-7", r"[A-Z]-\d"),
        ("LOCATION_ZIP", "02139-4307", r"\d{5}-\d{4}"),
        ("PERSON_USERNAME", "aberg77", r"[a-z]{5}\d\d"),
        ("AGE", "92", r"over 89"),
        ("AGE", "92-year-old", r"over-89-year-old"),
        ("AGE", "ninety-two years old", r"over 89 years old"),
        ("AGE", "old", r"\[AGE\]"),
        ("PROFESSION", "teacher", r"(?!teacher)[a-z ]+"),
        ("DATE", "3/4/2020", r"\d{1,2}/\d{1,2}/20(19|20|21)"),
        ("OTHER", "the one with the scar", r"\[OTHER\]"),
        ("LOCATION_DEPARTMENT", "ward 7", r"ward \d"),
        ("LOCATION_COORDINATES", "59.85, 17.63", r"\[LOCATION\]"),
    ],
)
def test_surrogates_have_the_shape_of_the_original_and_differ_from_it(kind: str, text: str, shape: str) -> None:
    (new,) = surrogates(f"<{kind}>{text}</{kind}>")
    assert re.fullmatch(shape, new)
    assert new != text


@pytest.mark.parametrize("text", ["10.1.2.3", "192.0.2.1", "fe80::1", "2001:db8::1"])
def test_addresses_lie_in_the_ranges_for_documentation(text: str) -> None:
    (new,) = surrogates(f"<IP>{text}</IP>")
    ranges = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32"]
    address = ipaddress.ip_address(new)
    assert any(address in ipaddress.ip_network(r) for r in ranges)
    assert new != text


@given(st.text("0123456789ABCabc-/ .Öß٣", max_size=14))
@settings(max_examples=300, deadline=None)
def test_shaped_numbers_keep_length_classes_and_punctuation(text: str) -> None:
    new = shapes.same_shape(text, DRAWS, "id")
    if new is None:
        assert not any(c.isalnum() for c in text)
        return
    assert new != text
    assert len(new) == len(text)
    for old, made_ in zip(text, new, strict=True):
        assert (made_ == old) if not old.isalnum() else (made_.isdecimal() == old.isdecimal())
    assert shapes.same_shape(text, DRAWS, "id") == new


@given(st.from_regex(r"\A\d{12,19}\Z"))
@settings(max_examples=200, deadline=None)
def test_card_numbers_fail_the_check(text: str) -> None:
    new = shapes.card(text, DRAWS)
    assert new is not None
    assert not shapes.luhn(new)
    assert new != text
    assert len(new) == len(text)


def test_luhn_knows_the_number_of_the_standard() -> None:
    assert shapes.luhn("7992 7398 713")
    assert not shapes.luhn("7992 7398 710")


@given(st.integers(2000000000, 9999999999))
@settings(max_examples=200, deadline=None)
def test_phone_numbers_are_fictitious(number: int) -> None:
    new = phones.phone(str(number), DRAWS)
    assert new is not None
    assert re.fullmatch(r"[2-9]\d\d55501\d\d", new)
    assert new != str(number)


def test_a_document_without_people_has_no_surrogate_names() -> None:
    cas = Cas("nothing here")
    made(Masker, "{default: {surrogate: {key: k}}}").process(cas)
    assert cas.deidentified == "nothing here"
