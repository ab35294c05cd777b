"""Which dates and ages of a patient's record go, so that none tells an age over 89."""

from __future__ import annotations

import pytest

from caspipe.consumers.records.age_contract import MaskedText, Mention, PatientRecord
from caspipe.typesystem import PhiKind, RecordField

pytestmark = pytest.mark.attack("age-from-records")


def stated(kind: str, value: str, path: str = "/x", operator: str = "shift") -> RecordField:
    return RecordField(kind=PhiKind.of(kind), path=path, value=value, masked=value, operator=operator)


def left(*fields: RecordField, latest: str = "", onset: str = "") -> list[str]:
    record = PatientRecord(fields, (), latest, onset).within_limit()
    return [f"{f.kind.name} {f.masked}" for f in record.fields if f.masked is not None]


BORN, VISIT = stated("DATE_BIRTH", "1931-03-02"), stated("DATE", "2024-02-01")


def test_a_birth_date_goes_if_a_date_of_the_record_is_too_late_for_it() -> None:
    assert left(BORN, VISIT) == ["DATE 2024-02-01"]
    assert left(BORN, stated("DATE", "2021-03-01")) == ["DATE_BIRTH 1931-03-02", "DATE 2021-03-01"]
    assert left(BORN, stated("DATE", "2021-03-02")) == ["DATE 2021-03-02"]
    assert left(BORN, stated("DATE_DEATH", "2021-04")) == ["DATE_DEATH 2021-04"]
    assert left(BORN, latest="2024") == []


def test_a_record_with_birth_dates_only_counts_until_the_last_day() -> None:
    assert left(BORN) == []
    assert left(BORN, stated("DATE", "9999-12-31")) == ["DATE 9999-12-31"]
    assert left(BORN, stated("DATE", "1931-03-02")) == []
    assert left(BORN, stated("DATE_BIRTH", "1961-03-02")) == ["DATE_BIRTH 1961-03-02"]
    assert left(stated("DATE_BIRTH", "1945-12-31")) == []
    assert left(stated("DATE_BIRTH", "1946-01-01")) == ["DATE_BIRTH 1946-01-01"]
    assert left(BORN, latest="2001") == ["DATE_BIRTH 1931-03-02"]


def test_every_date_goes_that_may_be_a_birth() -> None:
    assert left(stated("DATE", "1931"), VISIT, stated("DATE", "1935")) == ["DATE 2024-02-01", "DATE 1935"]


def test_what_the_configuration_keeps_stays() -> None:
    assert left(stated("DATE_BIRTH", "1931-03-02", operator="keep"), VISIT) == [
        "DATE_BIRTH 1931-03-02",
        "DATE 2024-02-01",
    ]


def test_an_age_goes_if_the_person_became_too_old_later() -> None:
    age = stated("AGE", "85 years", "1/value", "age")
    there, later = stated("DATE", "2015-06-01", "1/date"), stated("DATE", "2024-06-01", "2/date")
    assert left(age, there, later) == ["DATE 2015-06-01", "DATE 2024-06-01"]
    assert left(age, there, stated("DATE", "2019-05-01", "2/date"))[0] == "AGE 85 years"
    assert left(age, there, latest="2024-06-01") == ["DATE 2015-06-01"]
    assert left(age, later, onset="2015-06-01") == ["DATE 2024-06-01"]
    assert left(stated("AGE", "1020 months", "1/value", "age"), there, later) == ["DATE 2015-06-01", "DATE 2024-06-01"]
    young = stated("DATE_BIRTH", "1936-01-01", "3/birthDate")
    assert left(stated("AGE", "79 years", "1/value", "age"), young, there, later)[0] == "AGE 79 years"
    assert left(stated("AGE", "85 years", "1/value", "age"), BORN, there, later) == [
        "DATE 2015-06-01",
        "DATE 2024-06-01",
    ]


def text(original: str, *mentions: tuple[str, str, str, str | None]) -> MaskedText:
    """`mentions`: (words, kind, value, replacement)."""
    found = []
    for words, kind, value, new in mentions:
        begin = original.index(words)
        found.append(Mention(begin, begin + len(words), PhiKind.of(kind), value, new))
    replaced = tuple((m.begin, m.end, m.released) for m in found if m.released is not None)
    masked = original
    for begin, end, new in reversed(replaced):
        masked = masked[:begin] + new + masked[end:]
    return MaskedText("1/text#plain", original, masked, replaced, tuple(found))


def test_dates_and_ages_of_texts_go_with_those_of_the_record() -> None:
    note = text("Born 3 Feb 1931, 85 in May 2015.", ("3 Feb 1931", "DATE_BIRTH", "1931-02-03", "19 Nov 1931"),
                ("85", "AGE", "85 years", None), ("May 2015", "DATE", "2015-05", "Apr 2016"))  # fmt: skip
    record = PatientRecord((VISIT,), (note,)).within_limit()
    assert [t.masked for t in record.texts] == ["Born [DATE], [AGE] in Apr 2016."]
    assert record.texts[0].replacements == ((5, 15, "[DATE]"), (17, 19, "[AGE]"), (23, 31, "Apr 2016"))
    record = PatientRecord((), (note,)).within_limit()
    assert [t.masked for t in record.texts] == ["Born 19 Nov 1931, 85 in Apr 2016."]


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("In 1993, at 60, a stroke. Seen 4 May 2024.", "[AGE]"),
        ("In 1999, at 60, a stroke. Seen 4 May 2024.", "60"),
        ("At 60 he had a stroke, and since 1993 he limps. Seen 4 May 2024.", "60"),
    ],
)
def test_an_age_belongs_to_the_date_beside_it(written: str, left: str) -> None:
    year = written[written.index("19") :][:4]
    note = text(
        written, ("60", "AGE", "60 years", None), (year, "DATE", year, year), ("4 May 2024", "DATE", "2024-05-04", "x")
    )
    (made,) = PatientRecord((), (note,)).within_limit().texts
    assert made.masked == written.replace("60", left).replace("4 May 2024", "x")


def test_dates_of_texts_take_the_birth_date_of_the_record_away() -> None:
    note = text("Seen 4 May 2024.", ("4 May 2024", "DATE", "2024-05-04", "1 May 2025"))
    record = PatientRecord((BORN,), (note,)).within_limit()
    assert record.fields[0].masked is None and record.texts[0].masked == "Seen 1 May 2025."
    note = text("Seen 2023-12-01 to 2024-05-04.", ("2023-12-01 to 2024-05-04", "DATE", "2023-12-01/2024-05-04", "x"))
    assert PatientRecord((BORN,), (note,)).within_limit().fields[0].masked is None


def test_ages_and_dates_that_the_configuration_keeps_in_texts_stay() -> None:
    note = text("85 in 1931.", ("85", "AGE", "85 years", None), ("1931", "DATE", "1931", None))
    kept = stated("AGE", "64 years", operator="keep")
    assert PatientRecord((VISIT, kept), (note,)).within_limit().texts[0].masked == "85 in 1931."
