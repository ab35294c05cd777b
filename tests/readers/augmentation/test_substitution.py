"""Substitution: one person stays one person, and values keep their form."""

from __future__ import annotations

import re

import pytest
from augmented_notes import NOTE, OFF, Documents, pieces

from caspipe.readers.augmentation import AugmentReader
from caspipe.readers.augmentation.substitution.ages import OLDEST, Ages
from caspipe.readers.augmentation.substitution.corpus import Corpus
from caspipe.readers.augmentation.substitution.dates import Dates
from caspipe.readers.augmentation.substitution.letters import plain
from caspipe.readers.augmentation.substitution.name_forms import parse
from caspipe.readers.synthetic.draws import Draws


def values(marked: str, seed: int) -> list[str]:
    """Return the values of the spans after substitution of all of them."""
    reader = AugmentReader(reader=Documents(texts=[]), seed=seed, **{**OFF, "substitute": 1.0})
    return [text for text, mark in reader.changed(pieces(marked), "a", Corpus()) if mark is not None]


@pytest.mark.parametrize("seed", range(30))
def test_mentions_of_one_person_agree(seed: int) -> None:
    found = values(
        "[[PERSON_PATIENT|Reyes, Anna M.]], Ms. [[PERSON_PATIENT|Reyes]], [[PERSON_PATIENT|Anna]], [[PERSON_PATIENT|A. Reyes]], "
        "[[PERSON_PATIENT|ANNA REYES]], [[PERSON_PATIENT|anna\nreyes]], her son [[PERSON_RELATIVE|Luis Reyes]], "
        "[[EMAIL|areyes@a.example]], [[PERSON_DOCTOR|R. Anders]]",
        seed,
    )
    surname, given = found[1], found[2]
    assert "Reyes" not in surname
    assert "Anna" not in given
    assert found[0].startswith(f"{surname}, {given} ")
    assert re.fullmatch(r" \w\.", found[0].removeprefix(f"{surname}, {given}"))
    assert found[3] == f"{given[0].upper()}. {surname}"
    assert found[4] == f"{given} {surname}".upper()
    assert found[5].replace("\n", " ") == f"{given} {surname}".lower()
    assert "\n" in found[5]
    assert found[6].endswith(f" {surname}")
    assert found[7].startswith(plain(given)[0] + plain(surname) + "@")
    assert not found[8].endswith(surname)


@pytest.mark.parametrize("seed", range(10))
def test_a_short_form_follows_its_name(seed: int) -> None:
    full, short = values("[[PERSON_PATIENT|Robert Hanley]] or [[PERSON_PATIENT|Bob]]", seed)
    given = full.split()[0]
    assert plain(short)[0] == plain(given)[0] or len(short) > 2
    assert "Bob" not in short or given == "Robert"


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("Reyes, Anna M.", ["surname", "given", "initial"]),
        ("Anna van der Berg", ["given", "surname"]),
        ("van der Berg", ["surname"]),
        ("J. R. O'Brien-Smith Jr.", ["initial", "initial", "surname"]),
        ("Doe^Jane^A", ["surname", "given", "initial"]),
        ("SMITH John", ["surname", "given"]),
        ("Vlachou M", ["surname", "initial"]),
        ("Lily T.", ["given", "initial"]),
        ("JKL", ["initials"]),
        ("R.H.", ["initial", "initial"]),
        ("n a i r", ["single"]),
        ("Kim", ["single"]),
        ("Bay 4", []),
    ],
)
def test_parts_of_names(text: str, roles: list[str]) -> None:
    parts = parse(text)
    assert "".join(p.text for p in parts) == text
    assert [p.role for p in parts if p.role] == roles


def test_a_titled_name_is_a_surname() -> None:
    assert [p.role for p in parse("Kim", "seen by Dr. ")] == ["surname"]


def dates(*texts: str, days: int = 10, reform: float = 0.0) -> list[str]:
    made = Dates(texts, Draws(1, "a", "dates"), reform=reform)
    made.days = days
    return [made.date(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("3/4/2022", "3/14/2022"),
        ("03/04/22", "03/14/22"),
        ("2022-03-04", "2022-03-14"),
        ("25/3/22", "4/4/22"),
        ("20220304", "20220314"),
        ("04-MAR-2022", "14-MAR-2022"),
        ("March 24th, 2022", "April 3rd, 2022"),
        ("24 march", "3 april"),
        ("Sept. 30", "Oct. 10"),
        ("19DEC2021", "29DEC2021"),
        ("3/4-3/6", "3/14-3/16"),
        ("30/2/2022", "30/2/2022"),
        ("99/99", "99/99"),
    ],
)
def test_dates_move_in_their_form(text: str, moved: str) -> None:
    assert dates(text) == [moved]


def test_an_interval_within_a_month_stays_one() -> None:
    assert re.fullmatch(r"(\d+)-(\d+) March", dates("12-14 March")[0])
    assert re.fullmatch(r"May (\d+)-(\d+)", dates("May 28-30")[0])


def test_weekdays_move_with_the_dates() -> None:
    made = Dates([], Draws(1, "a", "dates"), reform=0)
    made.days = 9
    assert [made.weekday(t) for t in ("Tue", "Mondays", "sat", "Wednesday", "MWF")] == [
        "Thu",
        "Wednesdays",
        "mon",
        "Friday",
        "MWF",
    ]


@pytest.mark.parametrize("text", ["72-year-old", "72 y/o", "Seventy-two", "8/12", "3 weeks", "5"])
def test_ages_keep_their_form(text: str) -> None:
    found = {Ages(Draws(seed, "a", "ages")).age(text) for seed in range(40)}
    assert len(found) > 4
    shapes = {re.sub(r"\d+", "9", new) for new in found}
    assert shapes == {re.sub(r"\d+", "9", text)} or text == "Seventy-two"


def test_ages_over_89_occur_and_stay() -> None:
    numbers = [int(Ages(Draws(seed, "a", "ages")).age("60")) for seed in range(300)]
    assert max(numbers) > 89
    assert max(numbers) <= OLDEST
    assert all(int(Ages(Draws(seed, "a", "ages")).age("91", old=True)) > 89 for seed in range(50))


def test_short_names_of_a_hospital_agree() -> None:
    for seed in range(20):
        found = values("[[LOCATION_HOSPITAL|Bayside Medical Center]] ... [[LOCATION_HOSPITAL|Bayside]]", seed)
        assert "Bayside" not in " ".join(found)


def test_forms_of_numbers_stay() -> None:
    for seed in range(20):
        found = values(
            "[[PHONE|(919) 555-0142]] [[ID_MEDICAL_RECORD|00-4471]] [[LOCATION_ZIP|SW16 9QQ]] [[IP|10.0.0.1]]", seed
        )
        assert re.fullmatch(r"\(\d{3}\) \d{3}-\d{4}", found[0])
        assert re.fullmatch(r"0\d-\d{4}", found[1])
        assert re.fullmatch(r"[A-Z]{2}\d\d \d[A-Z]{2}", found[2])
        assert all(int(n) < 256 for n in found[3].split("."))


def test_no_share_means_no_change() -> None:
    reader = AugmentReader(reader=Documents(texts=[]), **OFF)
    assert reader.changed(pieces(NOTE), "a", Corpus()) == pieces(NOTE)
