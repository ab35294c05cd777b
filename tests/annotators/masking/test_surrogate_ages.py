"""Ages beside shifted birth dates, ages above the threshold, and the articles before surrogates."""

from __future__ import annotations

import datetime
import re

import pytest
from overlap_cases import made, read_marked

from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.masking.surrogates.ages import generalized
from caspipe.annotators.masking.surrogates.articles import article_before, begins_with_vowel_sound
from caspipe.typesystem import DEIDENTIFIED_VIEW, Cas, MaskedSpan, Phi, PhiKind


def masked(marked: str, patient: str = "1") -> Cas:
    text, spans = read_marked(marked)
    cas = Cas(text, id="document")
    cas.metadata["patient_id"] = patient
    for begin, end, kind in spans:
        cas.add(Phi(begin, end, kind=PhiKind.of(kind)))
    made(Masker, {"default": {"surrogate": {"key": "k"}}}).process(cas)
    return cas


@pytest.mark.attack("surrogates")
@pytest.mark.parametrize(
    ("born", "seen", "age"),
    [("04/03/1951", "02/01/2024", 72), ("02/01/1951", "02/01/2024", 73), ("12/31/2010", "01/01/2024", 13)],
)
def test_a_stated_age_is_that_of_the_shifted_birth_date_at_the_shifted_visit(born: str, seen: str, age: int) -> None:
    for patient in map(str, range(60)):
        text = masked(
            f"DOB <DATE_BIRTH>{born}</DATE_BIRTH>, seen <DATE>{seen}</DATE>, <AGE>{age}-year-old</AGE>", patient
        ).deidentified
        assert f"{age}-year-old" in text
        first, second = (datetime.datetime.strptime(d, "%m/%d/%Y") for d in re.findall(r"\d+/\d+/\d{4}", text))
        old_first, old_second = (datetime.datetime.strptime(d, "%m/%d/%Y") for d in (born, seen))
        assert second - first == old_second - old_first
        years = second.year - first.year - ((second.month, second.day) < (first.month, first.day))
        if (second.month, second.day) != (
            first.month,
            first.day,
        ):  # a leap day between them may move the birthday by one
            assert abs(years - age) <= (abs((second.replace(year=2001) - first.replace(year=2001)).days) <= 1)


@pytest.mark.parametrize(
    ("text", "following", "expected"),
    [
        ("92 years old", "", "over 89 years old"),
        ("92-year-old", " woman", "over-89-year-old"),
        ("92 year old", "", "over 89 year old"),
        ("92", "-year-old", "over-89"),
        ("92", "F", ">89"),
        ("92yo", "", ">89yo"),
        ("92 y/o", "", "over 89 y/o"),
        ("ninety-two", " years", "over 89"),
        ("ninety-two-year-old", "", "over-89-year-old"),
        ("90s", "", "later years (over 89)"),
        ("late nineties", "", "later years (over 89)"),
        ("nonagenarian", "", "over-89-year-old"),
        ("1,100 months", "", "over 89 years"),
        ("1100-month-old", "", "over-89-year-old"),
        ("90 to 95 years", "", "over 89 years"),
        ("92nd", " birthday", "over 89"),
        ("aged 101", "", "aged over 89"),
        ("90+", "", "over 89"),
    ],
)
def test_ages_above_the_threshold_still_read(text: str, following: str, expected: str) -> None:
    assert generalized(text, 89, following) == expected


@pytest.mark.attack("surrogates")
@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("She is a <AGE>92-year-old</AGE> woman.", "She is an over-89-year-old woman."),
        ("A <AGE>92 year old</AGE> woman.", "An over 89 year old woman."),
        ("Is a <AGE>65-year-old</AGE> man.", "Is a 65-year-old man."),
        ("Is an <AGE>85-year-old</AGE> man.", "Is an 85-year-old man."),
        ("hepatitis A <AGE>92 years</AGE>", "hepatitis A over 89 years"),
        ("Vitamin a<AGE>92 years</AGE>", "Vitamin aover 89 years"),
    ],
)
def test_the_article_before_a_surrogate_agrees(marked: str, expected: str) -> None:
    assert masked(marked).deidentified == expected


def test_articles_agree_with_whatever_is_drawn() -> None:
    kinds = ("PROFESSION", "LOCATION_COUNTRY", "PERSON", "LOCATION_HOSPITAL")
    words = ("engineer", "Indian", "Mr. Orr", "Elm Clinic")
    seen = set()
    for patient in map(str, range(25)):
        for kind, word in zip(kinds, words, strict=True):
            cas = masked(f"He is an <{kind}>{word}</{kind}> x", patient)
            article, new = re.fullmatch(r"He is (an?) (.+) x", cas.deidentified).groups()  # type: ignore[union-attr]
            assert (article == "an") == begins_with_vowel_sound(new)
            seen.add(article)
            spans = [(m.kind.name, m.operator) for m in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan)]
            assert spans[0] == ("OTHER", "article") if article == "a" else spans[0][1] == "surrogate"
    assert seen == {"a", "an"}


def test_articles_stay_before_placeholders() -> None:
    text, spans = read_marked("an <PERSON>Orr</PERSON> and an <ID>1</ID>")
    cas = Cas(text)
    for begin, end, kind in spans:
        cas.add(Phi(begin, end, kind=PhiKind.of(kind)))
    made(Masker, {}).process(cas)
    assert cas.deidentified == "an [PERSON] and an [ID]"


@pytest.mark.parametrize(
    ("text", "vowel"),
    [
        ("8-year-old", True), ("18", True), ("11", True), ("80", True), ("11,000", True), ("18000", True),
        ("10-month-old", False), ("1100", False), ("118", False), ("180", False), ("1", False), ("hour", True), ("honest",
        True), ("hospital", False), ("European", False), ("university", False), ("uninsured", True), ("Ulster", True),
        ("Utah", False), ("one", False), ("Ohio", True), ("MGH", True), ("NHS", True), ("GP", False), ("Ashford", True),
        ("(8", True), ("", None), ("...", None),
    ],
)  # fmt: skip
def test_vowel_sounds(text: str, vowel: bool | None) -> None:
    assert begins_with_vowel_sound(text) is vowel


@pytest.mark.parametrize(
    ("text", "new", "expected"),
    [
        ("a ", "8", (0, 1, "an")),
        ("An ", "10", (0, 2, "A")),
        ("AN ", "10", (0, 2, "A")),
        ("is a\n", "8", (3, 4, "an")),
        ("type a ", "8", (5, 6, "an")),
        ("Apt A ", "8", None),
        ("e.g. ", "8", None),
        ("via ", "8", None),
        ("data ", "8", None),
        ("the ", "8", None),
        ("an ", "8", None),
    ],
)
def test_only_articles_change(text: str, new: str, expected: tuple[int, int, str] | None) -> None:
    assert article_before(text, len(text), new) == expected
