"""Documents: gold spans exact by construction, the same for the same seed and number, coherent, and varied."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from caspipe.readers.synthetic import Document, Maker
from caspipe.readers.synthetic.draws import Draws
from caspipe.readers.synthetic.library import library
from caspipe.readers.synthetic.names import names
from caspipe.readers.synthetic.story import Story
from caspipe.typesystem import PhiKind

LAYOUTS = sorted(library("en").layouts)
SAMPLE = [Maker(seed=42, noise=0).document(n) for n in range(1500)]


def squeezed(text: str) -> str:
    return "".join(text.casefold().split())


@settings(max_examples=250)
@given(st.integers(0, 2**40), st.integers(0, 10**9), st.sampled_from(LAYOUTS), st.sampled_from([0.0, 0.3, 1.0]))
def test_spans_carry_their_values_whatever_noise_does(seed: int, number: int, layout: str, noise: float) -> None:
    maker = Maker(seed, layouts={layout: 1}, noise=noise)
    meant = [(text, kind) for text, kind in maker.draft(number)[2] if kind]
    document = maker.document(number)
    assert [kind for _, _, kind in document.spans] == [kind for _, kind in meant]
    at = 0
    for (begin, end, kind), (value, _) in zip(document.spans, meant, strict=True):
        found = document.text[begin:end]
        assert at <= begin < end <= len(document.text)
        assert found == found.strip()
        assert PhiKind.of(kind).name == kind
        assert noise or found == value
        assert OSA.distance(squeezed(found), squeezed(value)) <= 2 + 0.4 * len(value)
        at = end


def test_a_document_depends_on_seed_and_number_only() -> None:
    maker = Maker(seed=7)
    forwards = [maker.document(n) for n in range(40)]
    backwards = [Maker(seed=7).document(n) for n in reversed(range(40))][::-1]
    assert forwards == backwards
    assert [d.text for d in forwards] != [Maker(seed=8).document(n).text for n in range(40)]
    assert len({d.text for d in forwards}) == 40


def test_documents_are_the_same_in_a_process_with_other_hashes() -> None:
    code = (
        "import hashlib; from caspipe.readers.synthetic import Maker; m = Maker(seed=7)\n"
        "print(hashlib.sha256(repr([m.document(n) for n in range(30)]).encode()).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    out = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    maker = Maker(seed=7)
    mine = hashlib.sha256(repr([maker.document(n) for n in range(30)]).encode()).hexdigest()
    assert out.stdout.strip() == mine


def test_noise_changes_the_writing_and_not_the_story() -> None:
    clean, rough = Maker(seed=3, noise=0), Maker(seed=3, noise=1)
    pairs = [(clean.document(n), rough.document(n)) for n in range(60)]
    assert all(Counter(k for *_, k in a.spans) == Counter(k for *_, k in b.spans) for a, b in pairs)
    assert sum(a.text != b.text for a, b in pairs) > 50


def test_density_weighs_sentences_with_phi() -> None:
    def spans(density: float) -> int:
        maker = Maker(seed=5, phi_density=density, layouts={"discharge_summary": 1, "nursing_note": 1})
        return sum(len(maker.document(n).spans) for n in range(60))

    none, usual, much = spans(0), spans(1), spans(10)
    assert none < 0.6 * usual < usual < 0.9 * much


def test_there_are_many_layouts_and_sentences_and_all_kinds_asked_for() -> None:
    assert len(LAYOUTS) >= 15
    assert sum(len({id(e) for e in pool.entries}) for pool in library("en").groups.values()) >= 150
    assert {d.layout for d in SAMPLE} == set(LAYOUTS)
    wanted = """PERSON_PATIENT PERSON_DOCTOR PERSON_RELATIVE PERSON_REPORTER PERSON_INITIALS PERSON_USERNAME DATE DATE_BIRTH
        DATE_WEEKDAY DATE_HOLIDAY DATE_YEAR DATE_DEATH AGE AGE_OVER_89 LOCATION_CITY LOCATION_STATE LOCATION_COUNTRY
        LOCATION_STREET LOCATION_ZIP LOCATION_HOSPITAL LOCATION_DEPARTMENT LOCATION_ROOM ORGANIZATION ORGANIZATION_EMPLOYER
        ORGANIZATION_SCHOOL ORGANIZATION_PHARMACY PROFESSION ID ID_SSN ID_MEDICAL_RECORD ID_HEALTH_PLAN ID_ACCOUNT
        ID_LICENSE ID_PASSPORT ID_VEHICLE ID_DEVICE ID_CASE ID_STUDY PHONE PHONE_PAGER FAX EMAIL URL IP""".split()
    found = {kind for d in SAMPLE for *_, kind in d.spans}
    assert [kind for kind in wanted if kind not in found] == []


@pytest.mark.parametrize(
    "phrase",
    [
        "Parkinson's disease",
        "Foley catheter",
        "Tylenol",
        "Moderna",
        "Whipple procedure",
        "Coumadin",
        "Glasgow Coma Scale",
    ],
)
def test_eponyms_drugs_and_makers_are_nobody(phrase: str) -> None:
    places = [(d, at) for d in SAMPLE if (at := d.text.find(phrase)) >= 0]
    assert places
    assert not [d.id for d, at in places if any(b < at + len(phrase) and at < e for b, e, _ in d.spans)]


def covered(document: Document, kind: str) -> list[str]:
    return [document.text[b:e] for b, e, k in document.spans if k == kind]


def story(number: int, layout: str = "discharge_summary") -> Story:
    lib = library("en")
    return Story(lib, names(), lib.layouts[layout], Draws(9, number, "text"), density=1.0, unlisted=0.4)


@pytest.mark.parametrize("number", range(60))
def test_a_story_agrees_with_itself(number: int) -> None:
    s = story(number)
    years = (s.anchor - s.birth).days / 365.25
    assert 0 <= years < 106
    assert ("minor" in s.facts) == (years < 18)
    assert s.patient.sex in s.facts
    relative = s.person("relative")
    assert s.person("relative") is relative
    if relative.relation in ("husband", "wife"):
        assert relative.sex != s.patient.sex
        assert "grown" in s.facts
    days = [s.ahead(0, 4) for _ in range(10)]
    assert days == sorted(days)
    assert s.home.country in {d[0] for d in library("en").places._countries}


def test_a_patient_is_named_the_same_throughout() -> None:
    for document in SAMPLE:
        if document.layout != "referral_letter":
            continue
        surnames = {name.split()[-1].casefold() for name in covered(document, "PERSON_PATIENT")}
        assert len(surnames) <= 3


def test_a_stay_ends_after_it_begins_and_nothing_happens_after() -> None:
    s = story(1)
    slot = library("en").slot
    slot("date", "anchor iso").run(s)
    slot("date", "discharge iso").run(s)
    for _ in range(20):
        slot("date", "iso").run(s)
    assert s.limit is not None
    assert s.anchor < s.limit == s.days.get("discharge", s.limit)
    assert s.day <= s.limit


def test_invented_surnames_are_in_no_list() -> None:
    draws = Draws(1, 1, "names")
    people = [names().person(draws, "patient", "female", 1.0) for _ in range(300)]
    parts = [p.last.split("-")[0].split()[-1].lower() for p in people]
    assert sum(part in names().listed for part in parts) < 15
    assert len({p.last for p in people}) > 280
    assert {p.origin for p in people} == {o.name for o in names().origins if "surname-begin" in o.lists}


def test_listed_people_only_where_none_are_invented() -> None:
    draws = Draws(1, 2, "names")
    people = [names().person(draws, "doctor", "male", 0.0) for _ in range(200)]
    assert sum(p.last.lower() in names().listed for p in people) > 130  # double, hyphenated and particled ones are not


def test_settings_out_of_range_are_errors() -> None:
    with pytest.raises(ValueError, match=r"noise: expected a number from 0 to 1, got 1\.5"):
        Maker(noise=1.5)
    with pytest.raises(ValueError, match="layouts: no layout 'discharge_sumary'; did you mean discharge_summary"):
        Maker(layouts={"discharge_sumary": 1})
    with pytest.raises(ValueError, match="layouts: expected weights of 0 or more, at least one above 0"):
        Maker(layouts={"email": 0})
    with pytest.raises(ValueError, match="languages: expected at least one, each once"):
        Maker(languages=[])
