"""What hurts the users of other de-identifiers: pseudonyms, dates, ages and ZIP codes in what is released.

The numbers behind the tests are those of our list of 25 complaints, gathered from the issues of such programs.
Texts are synthetic.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import re
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
from whole_pipeline import KEY, ROOT, SHIFT, masked, process

from caspipe.pipeline import Pipeline
from caspipe.pipeline.assembly.shipped import locate
from caspipe.typesystem import MaskedSpan, read_xmi, write_xmi

pytestmark = pytest.mark.filterwarnings("ignore:.*has no key:UserWarning")

PSEUDONYM = f"masker.PERSON={{pseudonym: {{key: '{KEY}'}}}}"
SURROGATE = f"masker.PERSON={{surrogate: {{key: '{KEY}'}}}}"
PEOPLE = "Dr. John Smith saw Mr. Peter Doe today. Mr. Peter Doe asked to see Dr. JOHN SMITH again."


def names(text: str) -> list[str]:
    return re.findall(r"\[PERSON (\w+)\]", text)


def test_the_same_person_has_the_same_pseudonym_and_persons_can_be_told_apart() -> None:  # 11
    smith, doe, doe_again, smith_again = names(masked(PEOPLE, PSEUDONYM))
    assert smith == smith_again
    assert doe == doe_again
    assert smith != doe
    assert names(masked("Seen by Dr. John Smith.", PSEUDONYM, id="another note")) == [smith]


def test_surrogates_keep_who_is_who_in_all_spellings() -> None:  # 11
    text = "Dr. John Smith saw Mr. Peter Doe. Dr. Smith told Mr. Doe to rest. SMITH, JOHN signed for J. Smith."
    new = masked(text, SURROGATE)
    given_, family = re.match(r"Dr\. (\S+) (\S+) saw", new).groups()  # type: ignore[union-attr]
    assert f"Dr. {family} told" in new
    assert f"{family.upper()}, {given_.upper()} signed for {given_[0]}. {family}." in new
    assert re.search(r"told Mr\. (\S+) to", new)[1] == re.search(r"saw Mr\. \S+ (\S+)\.", new)[1]  # type: ignore[index]
    assert not {"John", "Smith", "Peter", "Doe"} & set(re.findall(r"\w+", new.title()))


@pytest.mark.slow
@pytest.mark.parametrize(
    "overrides", [(), (PSEUDONYM,), (SURROGATE, SHIFT)], ids=["placeholder", "pseudonym", "surrogate"]
)
def test_the_offset_map_restores_every_sample_exactly(overrides: tuple[str, ...]) -> None:  # 12
    for path in sorted((locate("deidentify").parent / "samples").glob("*.txt")):
        text = path.read_bytes().decode()
        cas = process(text, *overrides, id=path.stem)
        back = read_xmi(write_xmi(cas, offset_map=True), id=path.stem)
        restored, at, view = "", 0, back.view("deidentified")
        assert view.offset_map is not None
        for m in view.select(MaskedSpan):
            restored += view.text[at : m.begin] + text[m.original_begin : m.original_end]
            assert view.offset_map.to_old(m.begin, m.end) == (m.original_begin, m.original_end)
            at = m.end
        assert restored + view.text[at:] == text


def test_a_pseudonym_depends_on_the_key_and_is_no_plain_hash() -> None:  # 13
    (name,) = names(masked("Seen by Dr. Lindqvist.", PSEUDONYM))
    assert names(masked("Seen by Dr. Lindqvist.", PSEUDONYM.replace(KEY, KEY + "!"))) != [name]
    for value in ("Lindqvist", "lindqvist", "LINDQVIST", "Dr. Lindqvist"):
        for algorithm in ("md5", "sha1", "sha256", "sha512", "blake2b"):
            digest = hashlib.new(algorithm, value.encode()).digest()
            plain = digest.hex() + base64.b32encode(digest).decode().lower() + base64.b64encode(digest).decode().lower()
            assert name not in plain


def test_without_a_key_there_are_placeholders_and_one_warning() -> None:  # 13
    pipeline = Pipeline.load(locate("deidentify"), ["masker.PERSON=pseudonym", "masker.default=surrogate"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        texts = [pipeline.process(f"Dr. Smith on {day}/4/2020, tel 617-555-0199.").deidentified for day in (3, 5, 6)]
    assert set(texts) == {"Dr. [PERSON] on [DATE], tel [PHONE]."}
    assert [w.category.__name__ for w in caught] == ["MissingKeyWarning"]


def dates(text: str) -> list[datetime.date]:
    return [datetime.date.fromisoformat(d) for d in re.findall(r"\d{4}-\d\d-\d\d", text)]


def shifted(text: str, *overrides: str, **given_: Any) -> list[datetime.date]:
    return dates(masked(text, *(overrides or (SHIFT,)), "masker.DATE.shift.style=iso", **given_))


FIRST = "Admitted 3/4/2020, operated on 10 March 2020, discharged 2020-03-31."
FIRST_DATES = [datetime.date(2020, 3, d) for d in (4, 10, 31)]


def by_record(patient: str) -> dict[str, Any]:
    return {"known": {"ID_MEDICAL_RECORD": patient}}


def test_all_documents_of_a_patient_move_by_the_same_days_and_intervals_stay() -> None:  # 14
    one = shifted(FIRST, id="n1", **by_record("0077"))
    two = shifted("Seen again on 5 May 2021.", id="n2", **by_record("0077"))
    moves = {new - old for new, old in zip([*one, *two], [*FIRST_DATES, datetime.date(2021, 5, 5)], strict=True)}
    assert len(moves) == 1
    assert 1 <= abs(moves.pop().days) <= 365
    others = {tuple(shifted(FIRST, id="n1", **by_record(str(n)))) for n in range(8)}
    assert len(others) > 4, "other patients move by other days"
    assert shifted(FIRST, SHIFT + "!", id="n1", **by_record("0077")) != one, "another key, other days"


def test_the_documented_metadata_names_the_patient(tmp_path: Path) -> None:  # 14
    page = (ROOT / "docs" / "reference" / "readers-and-consumers.md").read_text(encoding="utf-8")
    named = re.search(r"The masker uses the metadata `(\w+)` as the patient's identifier", page)
    assert named, "the page says which metadata names the patient"
    one, two = (shifted(FIRST, id=id, **{named[1]: "0077"}) for id in ("n1", "n2"))
    assert one == two


def test_an_offset_decided_elsewhere_comes_first_and_is_the_documents_own() -> None:  # 15
    moved = shifted(FIRST, date_shift_days="-10", **by_record("0077"))
    assert moved == [d - datetime.timedelta(10) for d in FIRST_DATES]
    assert shifted(FIRST, date_shift_days="20") == [d + datetime.timedelta(20) for d in FIRST_DATES]


def test_a_table_of_offsets_is_taken_by_patient(tmp_path: Path) -> None:  # 15
    (tmp_path / "offsets.csv").write_text("0077,30\n0078,-30\n", encoding="utf-8")
    table = f"masker.DATE.shift.table={tmp_path / 'offsets.csv'}"
    assert shifted(FIRST, table, **by_record("0077")) == [d + datetime.timedelta(30) for d in FIRST_DATES]
    assert shifted(FIRST, table, **by_record("0078")) == [d - datetime.timedelta(30) for d in FIRST_DATES]


@pytest.mark.slow
def test_documents_processed_at_the_same_time_do_not_mix() -> None:  # 15
    expected = {n: masked(FIRST, SHIFT, id="n", **by_record(str(n))) for n in range(6)}
    seen: dict[int, set[str]] = {n: set() for n in range(6)}

    def work(n: int) -> None:
        for _ in range(20):
            seen[n].add(masked(FIRST, SHIFT, id="n", **by_record(str(n))))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {n: {text} for n, text in expected.items()}
    assert len(set(expected.values())) > 3


def test_the_season_can_be_kept() -> None:  # 16
    for patient in range(40):
        (day,) = shifted("Seen on 15 July 2020.", SHIFT, "masker.DATE.shift.season=true", **by_record(str(patient)))
        assert datetime.date(day.year, 6, 1) <= day <= datetime.date(day.year, 8, 31)
        assert abs(day.year - 2020) <= 3
        assert day != datetime.date(2020, 7, 15)


HARBOR = ("masker.policy=hipaa-safe-harbor", "masker.DATE=year", "masker.LOCATION_ZIP=zip3")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A 92-year-old woman and a 45-year-old man.", "A [AGE > 89] woman and a 45-year-old man."),
        ("aged 90; aged 89", "[AGE > 89]; aged 89"),
        ("She is ninety-one years old.", "She is [AGE > 89]."),
        ("Born 5/17/1970, seen 3/4/2020.", "Born 1970, seen 2020."),
        ("DOB: 5/17/1920, seen 3/4/2020.", "DOB: [DATE], seen 2020."),
        ("Boston, MA 02139", "[LOCATION], MA 021"),
        ("Boston, MA 03601", "[LOCATION], MA 000"),
        ("Springfield, Ohio, tel 617-555-0199", "[LOCATION], Ohio, tel [PHONE]"),
    ],
)
def test_safe_harbor_keeps_years_states_and_three_digits_and_hides_the_very_old(text: str, expected: str) -> None:  # 23
    assert masked(text, *HARBOR) == expected


def test_a_list_of_zip_codes_after_one_cue_is_masked_code_by_code() -> None:  # 23
    assert masked("ZIP 03601 and 02139.", *HARBOR) == "ZIP 000 and 021."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("census", "small"),
    [("2000", {"063", "830"}), ("2010", {"205", "369"}), ("2020", {"202", "204", "205", "753", "772", "369"})],
)
def test_the_small_zip_areas_are_those_of_a_dated_census(census: str, small: set[str]) -> None:  # 23
    every = sorted({"063", "830", "205", "369", "202", "204", "753", "772", "021"})
    given = f"masker.LOCATION_ZIP={{zip3: {{census: '{census}'}}}}"
    new = [masked(f"ZIP {prefix}01", given) for prefix in every]
    assert {prefix for prefix, line in zip(every, new, strict=True) if line.endswith("000")} == small
