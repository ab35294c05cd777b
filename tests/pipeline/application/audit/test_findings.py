"""What readers may write into findings.csv, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from caspipe.pipeline.application.audit.findings import COLUMNS, Finding, empty_findings, read_findings
from caspipe.pipeline.application.audit.sampling import Sample
from caspipe.pipeline.errors import ConfigError, ReaderError

SAMPLE = Sample("audit-77", "r", {}, 1_000, 0, "none", (40, 7, 12, 99))
HEAD = ",".join(COLUMNS)


def read(tmp_path: Path, *rows: str, head: str = HEAD, sample: Sample = SAMPLE) -> dict[int, Finding]:
    path = tmp_path / "findings.csv"
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return read_findings([path], sample).merged()


def faults(tmp_path: Path, *rows: str, head: str = HEAD) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, *rows, head=head)
    return [str(f).replace(f"{tmp_path}/", "") for f in caught.value.faults]


def test_the_empty_file_has_a_row_for_each_document_and_says_that_nothing_was_read(tmp_path: Path) -> None:
    path = tmp_path / "findings.csv"
    path.write_bytes(empty_findings(SAMPLE))
    assert path.read_text(encoding="utf-8-sig").splitlines()[2] == "audit-77,7,,,,,,"
    assert read_findings([path], SAMPLE).by_reader == {}


def test_blank_is_unread_and_zero_is_clean(tmp_path: Path) -> None:
    found = read(tmp_path, "audit-77,40,0,,,,ab,", "audit-77,7,,,,,ab,")
    assert found == {40: Finding(40, "ab", 0, 0, 0)}


def test_kinds_say_which_identifiers_are_direct(tmp_path: Path) -> None:
    found = read(tmp_path, "audit-77,40,4,PERSON_DOCTOR:2; date; LOCATION_CITY,,,ab,")[40]
    assert (found.direct, found.quasi) == (2, 2)
    assert found.kinds == {"DATE": 1, "LOCATION_CITY": 1, "PERSON_DOCTOR": 2}


@pytest.mark.parametrize(
    ("row", "direct", "quasi"),
    [
        ("audit-77,40,3,,,,ab,", 3, 0),  # nobody said: on the safe side
        ("audit-77,40,3,DATE,,,ab,", 2, 1),
        ("audit-77,40,1,DATE,direct,,ab,", 1, 0),  # the reader knows better
        ("audit-77,40,2,PERSON:2,quasi,,ab,", 0, 2),
        ("audit-77,40,3,,direct; quasi,,ab,", 2, 1),
        ("audit-77,40,3,DATE:2,both,,ab,", 1, 2),
        ("audit-77,40,2,DATE:2,direct and quasi,,ab,", 1, 1),
    ],
)
def test_the_reader_has_the_last_word_on_what_is_direct(tmp_path: Path, row: str, direct: int, quasi: int) -> None:
    found = read(tmp_path, row)[40]
    assert (found.direct, found.quasi) == (direct, quasi)


def test_a_spreadsheets_semicolons_tabs_order_of_columns_and_bom_are_no_fault(tmp_path: Path) -> None:
    found = read(tmp_path, '2;audit-77;7;"PERSON; DATE"', head="\ufeffLeaks;sample;Document;kinds")
    assert found[7].leaks == 2
    assert read(tmp_path, "audit-77\t7\t0", head="sample\tdocument\tleaks")[7].leaks == 0


def test_findings_of_another_sample_are_refused_row_by_row(tmp_path: Path) -> None:
    told = "sample: expected audit-77, found another: findings of another sample or another run"
    assert faults(tmp_path, "audit-78,40,0,,,,ab,", "audit-77,7,0,,,,ab,", ",12,0,,,,,") == [
        f"findings.csv:2: {told}",
        f"findings.csv:4: {told}",
    ]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("audit-77,41,0,,,,ab,", "document: expected the number of a document of the sample"),
        ("audit-77,x,0,,,,ab,", "document: expected the number of a document of the sample"),
        ("audit-77,40,none,,,,ab,", "leaks: expected a number from 0, or blank if the document was not read"),
        ("audit-77,40,-1,,,,ab,", "leaks: expected a number from 0, or blank if the document was not read"),
        (
            "audit-77,40,,DATE,,,ab,",
            "leaks: expected a number because kinds are given; blank means that the document was not read",
        ),
        ("audit-77,40,1,DATE:2,,,ab,", "kinds: expected 1 leaks at most, found 2"),
        ("audit-77,40,0,,direct,,ab,", "identifier: expected a blank cell for 0 leaks"),
        ("audit-77,40,1,,both,,ab,", "identifier: expected one of direct and quasi for one leak"),
        ("audit-77,40,1,,indirect,,ab,", "identifier: expected direct, quasi, or both"),
        ("audit-77,40,1,,,,ab,9-3:DATE", "places: expected BEGIN-END:KIND, but item 1 is invalid"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, row: str, told: str) -> None:
    assert faults(tmp_path, row) == [f"findings.csv:2: {told}"]


def test_words_typed_by_mistake_are_never_repeated(tmp_path: Path) -> None:
    told = faults(tmp_path, "audit-77,40,1,Featherstone,,,ab,", "audit-77,7,1,PERSN,,,ab,")
    assert told == [
        "findings.csv:2: kinds: expected kinds as in PERSON:2; DATE, but item 1 is invalid",
        "findings.csv:3: kinds: expected kinds as in PERSON:2; DATE, but item 1 is invalid; did you mean PERSON?",
    ]


def test_a_document_may_be_read_by_two_readers_but_not_twice_by_one(tmp_path: Path) -> None:
    found = read(tmp_path, "audit-77,40,2,PERSON; DATE,,,ab,", "audit-77,40,2,PERSON:2,,,cd,")
    assert (found[40].leaks, found[40].direct, found[40].quasi) == (3, 2, 1)
    assert found[40].kinds == {"DATE": 1, "PERSON": 2}
    told = faults(tmp_path, "audit-77,40,0,,,,ab,", "audit-77,40,0,,,,ab,")
    assert told == ["findings.csv:3: document 40 is in an earlier row of the same reader"]


def test_missing_columns_are_named(tmp_path: Path) -> None:
    told = faults(tmp_path, "40,0", head="document,found")
    assert told == [f"findings.csv:1: expected the columns {', '.join(COLUMNS)}; missing: sample, leaks"]


def test_a_file_that_is_not_there_or_no_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReaderError, match="No such file"):
        read_findings([tmp_path / "none.csv"], SAMPLE)
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(ReaderError, match="expected UTF-8, found an invalid byte at 0"):
        read_findings([tmp_path / "x.csv"], SAMPLE)
