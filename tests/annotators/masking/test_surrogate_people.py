"""People in surrogates and numbered placeholders: who is who, and what agrees with a name."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from overlap_cases import made, read_marked

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.masking.masker import Masker
from caspipe.typesystem import DEIDENTIFIED_VIEW, Cas, KnownPhi, MaskedSpan, Phi, PhiKind

NUMBERED = {"default": {"placeholder": {"number": True}}}
SURROGATE = {"default": {"surrogate": {"key": "k"}}}


def masked(marked: str, parameters: object, patient: str = "", known: str = "") -> Cas:
    text, spans = read_marked(marked)
    cas = Cas(text, id="document")
    if patient:
        cas.metadata["patient_id"] = patient
    if known:
        cas.add(KnownPhi(value=known, kind=PhiKind.PERSON, role="patient"))
    for begin, end, kind in spans:
        cas.add(Phi(begin, end, kind=PhiKind.of(kind)))
    made(Masker, parameters).process(cas)
    return cas


def replaced(cas: Cas) -> list[str]:
    return [m.covered_text for m in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan) if m.kind is not PhiKind.OTHER]


def numbers(*names: str) -> list[int]:
    """The numbers of people; a name may have a kind before it: `DOCTOR:Smith`."""
    marks = []
    for name in names:
        kind, _, text = name.rpartition(":")
        kind = f"PERSON_{kind}" if kind else "PERSON"
        marks.append(f"<{kind}>{text}</{kind}>")
    return [int(re.fullmatch(r"\[PERSON (\d+)\]", new)[1]) for new in replaced(masked("\n\n".join(marks), NUMBERED))]  # type: ignore[index]


@pytest.mark.attack("surrogates")
def test_the_forms_of_one_name_get_one_number() -> None:
    forms = [
        "Smith",
        "Dr. Smith",
        "John Smith",
        "J. Smith",
        "SMITH, JOHN",
        "Mr. Smith's",
        "John",
        "J.S.",
        "INITIALS:JS",
        "Smith J",
    ]
    forms += ["John A. Smith", "smith, john", "Dr. J. A. Smith, MD", "Johnny", "USERNAME:jsmith"]
    assert numbers(*forms) == [1] * len(forms)


@pytest.mark.attack("surrogates")
@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["John Smith", "Mary Smith", "John", "Mary"], [1, 2, 1, 2]),
        (["John Smith", "Mary Smith", "Mr. Smith", "Mrs. Smith"], [1, 2, 1, 2]),
        (["Mr. Smith", "Mrs. Smith", "Mr. Smith"], [1, 2, 1]),
        (["John Smith Jr.", "John Smith Sr.", "John Smith Jr."], [1, 2, 1]),
        (["John A. Smith", "John B. Smith"], [1, 2]),
        (["PATIENT:John Smith", "DOCTOR:Smith"], [1, 2]),
        (["PATIENT:Smith", "RELATIVE:Smith"], [1, 2]),
        (["John Smith", "Paul Reed", "J. Smith", "P. Reed", "PR", "J.S."], [1, 2, 1, 2, 2, 1]),
        (["John Smith", "Smithson", "Johnson"], [1, 2, 3]),
        (["Robert Hill", "Bob", "Bob Hill", "Rob Lund"], [1, 1, 1, 2]),
        (["Anna Berg-Lund", "Berg"], [1, 1]),
        (["Wing-Kei Chow", "Wing-Kei"], [1, 1]),
    ],
)
def test_people_are_told_apart_where_the_text_allows(names: list[str], expected: list[int]) -> None:
    assert numbers(*names) == expected


def test_a_surname_alone_is_the_person_named_last() -> None:
    assert numbers("John Smith", "Smith", "Jane Smith", "Smith", "John", "Smith") == [1, 1, 2, 2, 1, 1]


def test_numbers_are_those_of_people_only_and_fit_any_format() -> None:
    cas = masked("<PERSON>John Smith</PERSON> of <LOCATION_CITY>Lund</LOCATION_CITY>", NUMBERED)
    assert cas.deidentified == "[PERSON 1] of [LOCATION]"
    numbered = {"default": {"placeholder": {"number": True, "detail": True, "format": "<{kind}>"}}}
    cas = masked("<PERSON_DOCTOR>Lee</PERSON_DOCTOR>; <PERSON_PATIENT>Ng</PERSON_PATIENT>", numbered)
    assert cas.deidentified == "<PERSON_DOCTOR 1>; <PERSON_PATIENT 2>"
    assert masked("<PERSON>Lee</PERSON>", {}).deidentified == "[PERSON]"


def test_thousands_of_names_take_time_in_proportion() -> None:
    def comparisons(count: int) -> int:
        names = "\n\n".join(
            f"<PERSON>{'ABCDEFGHJK'[i % 10]}nna Smith{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}</PERSON>"
            for i in range(count)
        )
        return len(replaced(masked(names, NUMBERED)))

    assert comparisons(2000) == 2000


@pytest.mark.attack("surrogates")
def test_one_person_is_one_surrogate_person() -> None:
    marked = (
        "<PERSON>John Smith</PERSON> | <PERSON>SMITH, JOHN A.</PERSON> | <PERSON>Dr. Smith</PERSON> | <PERSON>J. "
        "Smith</PERSON> | "
        "<PERSON>Mr. Smith's</PERSON> | <PERSON_INITIALS>J.S.</PERSON_INITIALS> | <PERSON_USERNAME>jsmith42</PERSON_USERNAME> | "
        "<EMAIL>john.smith@mercy.org</EMAIL> | <PERSON>john smith, jr.</PERSON>"
    )
    for patient in "12345678":
        full, comma, titled, initial, possessive, letters, user, mail, lower = replaced(
            masked(marked, SURROGATE, patient)
        )
        given_, surname = full.split()
        assert comma.startswith(f"{surname.upper()}, {given_.upper()} ")
        assert re.fullmatch(r"[A-Z]\.", comma.split()[-1])
        assert titled == f"Dr. {surname}"
        assert initial == f"{given_[0]}. {surname}"
        assert possessive == f"Mr. {surname}'s"
        assert letters == f"{given_[0]}.{surname[0]}."
        assert re.fullmatch(f"{given_[0]}{surname}".lower() + r"\d\d", user)
        assert mail.startswith(f"{given_}.{surname}@".lower())
        assert lower == f"{given_} {surname}, jr.".lower()


@pytest.mark.attack("surrogates")
def test_a_person_is_the_same_in_the_documents_of_a_patient_and_another_elsewhere() -> None:
    first = replaced(masked("<PERSON>John Smith</PERSON>", SURROGATE, "7"))[0]
    comma, user = replaced(masked("<PERSON>SMITH, JOHN</PERSON> wrote <PERSON>J. Smith</PERSON>", SURROGATE, "7"))
    given_, surname = first.split()
    assert (comma, user) == (f"{surname}, {given_}".upper(), f"{given_[0]}. {surname}")
    assert replaced(masked("<PERSON>John Smith</PERSON>", SURROGATE, "8"))[0] != first


@pytest.mark.parametrize(
    ("marked", "sex"),
    [
        ("Mrs. <PERSON>Sarangi Kolluru</PERSON>", "F"),
        ("<PERSON>Mr. Sarangi Kolluru</PERSON>", "M"),
        ("her husband <PERSON_RELATIVE>Sarangi</PERSON_RELATIVE>", "M"),
        ("<PERSON_RELATIVE>Sarangi</PERSON_RELATIVE> (his daughter)", "F"),
        ("dtr <PERSON_RELATIVE>Sarangi Kolluru</PERSON_RELATIVE>", "F"),
        ("<PERSON_PATIENT>Sarangi Kolluru</PERSON_PATIENT> said that she fell. She is well.", "F"),
        ("<PERSON_PATIENT>Sarangi Kolluru</PERSON_PATIENT>, 40M. He fell and his arm broke.", "M"),
        ("<PERSON>Mary Kolluru</PERSON>", "F"),
    ],
)
def test_the_sex_that_the_text_shows_stays(marked: str, sex: str) -> None:
    for patient in "123456":
        words = re.findall(r"[A-Z]\w+", replaced(masked(marked, SURROGATE, patient))[0].replace("Mr.", ""))
        entry = Lexicon.load("given_names").entry(words[0])
        assert entry is not None
        assert entry.columns["sex"] == sex


def test_all_given_names_of_a_person_have_one_sex() -> None:
    for patient in "123456":
        (new,) = replaced(masked("<PERSON>Farzanoo-Kamblish Querlo Zaddick</PERSON>", SURROGATE, patient))
        sexes = {Lexicon.load("given_names").entry(w).columns["sex"] for w in re.split("[ -]", new)[:3]}  # type: ignore[union-attr]
        assert len(sexes) == 1


NAMES = [
    "John Smith",
    "SMITH, JOHN",
    "Mary Baker-Hill",
    "Dr. Lee",
    "Chester Rowe",
    "J. Smith",
    "O'Neill",
    "Anna",
    "Rowe",
    "Ng",
]
PLACES = [
    "<LOCATION_CITY>Chester</LOCATION_CITY>",
    "<LOCATION_HOSPITAL>Baker Clinic</LOCATION_HOSPITAL>",
    "<ID>AB12345</ID>",
]


@pytest.mark.attack("surrogates")
@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6), st.sampled_from(PLACES), st.integers(0, 500))
@settings(max_examples=150, deadline=None)
def test_no_word_of_a_masked_value_is_in_a_surrogate(names: list[str], place: str, patient: int) -> None:
    marked = ". ".join(f"<PERSON>{name}</PERSON>" for name in names) + f". {place}"
    cas = masked(marked, SURROGATE, str(patient), known="Wendell Sommer")
    kept = {"clinic"}
    old = {w.casefold() for m in cas.select(Phi) for w in re.findall(r"[^\W_]{3,}", m.covered_text)} | {
        "wendell",
        "sommer",
    }
    for new in replaced(cas):
        assert not (old - kept) & {w.casefold() for w in re.findall(r"[^\W_]{3,}", new)}


@given(st.lists(st.sampled_from(NAMES), min_size=2, max_size=8), st.integers(0, 50))
@settings(max_examples=100, deadline=None)
def test_equal_names_have_equal_surrogates_and_others_other_ones(names: list[str], patient: int) -> None:
    new = replaced(masked(". ".join(f"<PERSON>{name}</PERSON>" for name in names), SURROGATE, str(patient)))
    pairs = set(zip(names, new, strict=True))
    assert len(pairs) == len(set(names)) == len(set(new))


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("Smith and Jones", r"[A-Z]\w+ and [A-Z]\w+"),
        ("Mr. and Mrs. Smith", r"Mr\. and Mrs\. [A-Z]\w+"),
        ("Stein's clinic", r"[A-Z]\w+'s clinic"),
        ("Nirav M. Shah DCH", r"[A-Z]\w+ [A-Z]\. [A-Z]\w+ DCH"),
        ("Smith\n\nJohn Reed", r"[A-Z]\w+\n\n[A-Z]\w+ [A-Z]\w+"),
    ],
)
def test_words_that_are_not_names_stay(name: str, shape: str) -> None:
    for patient in "12345":
        assert re.fullmatch(shape, replaced(masked(f"<PERSON>{name}</PERSON>", SURROGATE, patient))[0])


def test_initials_of_who_dictated_and_who_typed_follow_their_names() -> None:
    for patient in "12345678":
        doctor, typist, both, unknown = replaced(
            masked(
                "<PERSON_DOCTOR>SUSAN L. REINHOLT</PERSON_DOCTOR>, typed by <PERSON>Kim Bell</PERSON> | "
                "<PERSON_INITIALS>SLR/kb</PERSON_INITIALS> <PERSON_INITIALS>QX/vzq</PERSON_INITIALS>",
                SURROGATE,
                patient,
            )
        )
        dictated, _, typed = both.partition("/")
        assert (dictated[0], dictated[-1]) == (doctor[0], doctor.split()[-1][0])
        assert typed == "".join(word[0] for word in typist.split()).lower()
        assert re.fullmatch("[A-Z]{2}/[a-z]{3}", unknown)
        assert "QX" not in unknown


def test_a_letter_after_a_given_name_follows_the_surname_of_the_document() -> None:
    for patient in "12345678":
        _, name, short, other = replaced(
            masked(
                "Dr. <PERSON_DOCTOR>Reed</PERSON_DOCTOR> saw <PERSON_PATIENT>PAPADIMITRIOU, Stavros</PERSON_PATIENT>. "
                "Next of kin <PERSON_RELATIVE>Voula P.</PERSON_RELATIVE>, <PERSON>Wendy K.</PERSON>",
                SURROGATE,
                patient,
            )
        )
        assert re.fullmatch(rf"[A-Z][a-z]+ {name[0]}\.", short)
        assert re.fullmatch(r"[A-Z][a-z]+ [A-Z]\.", other)


def test_an_apostrophe_in_a_name_does_not_separate_it_from_its_address() -> None:
    full, mail, user = replaced(
        masked(
            "<PERSON>Mary O'Brien</PERSON> <EMAIL>mary.o'brien@x.org</EMAIL> <EMAIL>MOBRIEN@X.ORG</EMAIL>", SURROGATE
        )
    )
    given_, surname = full.lower().split()
    assert mail.startswith(f"{given_}.{surname}@")
    assert user.startswith(f"{given_[0]}{surname}@".upper())
