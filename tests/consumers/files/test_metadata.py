"""Metadata beside masked text: what would undo the masking is withheld."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.consumers.files.metadata import WithheldWarning, released_metadata
from caspipe.consumers.tables.jsonl import JsonlConsumer
from caspipe.pipeline.errors import ConsumerError
from caspipe.typesystem import Cas, KnownPhi, PhiKind, RecordField

Make = Callable[..., Cas]


def told(cas: Cas, **metadata: str) -> tuple[dict[str, str], list[str]]:
    """What is released, and the names of what is withheld."""
    cas.metadata.update(metadata)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = released_metadata(JsonlConsumer(), cas)
    assert all(issubclass(w.category, WithheldWarning) for w in caught)
    return made, [str(w.message).split()[2] for w in caught]


@pytest.mark.parametrize(
    "value",
    """2020-03-04;2020/3/4;20200304;202003041530;2020-03-04T10:15:00Z;3/4/2020;3.4.20;2020-03;3 May 2020;May 2020;May 3, 2020
    1583280000;1583280000000;from 3/4/2020 on;4 mars 2020;12-ENE-2019;{"start":"2020-03-04"}""".replace(
        "\n", ";"
    ).split(";"),
)
def test_a_value_with_a_date_is_withheld(make: Make, value: str) -> None:
    assert told(make(), when=value.strip()) == ({}, ["when"])


@pytest.mark.parametrize("value", ["W3", "2020", "64", "1.25 mg", "utf-8", "", "R3", "41.5", "10.9.1a", "marching on"])
def test_other_values_are_released(make: Make, value: str) -> None:
    assert told(make(), what=value) == ({"what": value}, [])


def test_whose_it_is_and_by_how_much_it_moved_is_withheld(make: Make) -> None:
    made, withheld = told(make(), patient_id="7", date_shift_days="31", patient="Berg", carrier_file="/in/a.xml")
    assert (made, withheld) == ({}, ["patient_id", "date_shift_days", "patient"])


def test_what_the_record_knows_of_people_is_withheld(make: Make) -> None:
    cas = make()
    cas.add(KnownPhi(kind=PhiKind.PERSON_PATIENT, value="Tollivant"))
    assert told(cas, contact="Ms TOLLIVANT", ward="W3") == ({"ward": "W3"}, ["contact"])


def test_fields_are_written_as_they_were_masked_and_nulls_are_left_out(make: Make) -> None:
    cas = make()
    cas.add(
        RecordField(kind=PhiKind.DATE, path="field:begun", value="2020-03-04", masked="2019-08-13", operator="shift")
    )
    cas.add(RecordField(kind=PhiKind.DATE, path="field:ended", value="", masked=None, operator="shift"))
    cas.add(
        RecordField(
            kind=PhiKind.DATE, path="/x[1]/@value#r3-date", value="2020-03-04", masked="2019-08-13", operator="shift"
        )
    )
    assert told(cas) == ({"begun": "2019-08-13"}, [])


def test_fields_that_no_masker_saw_are_refused(make: Make) -> None:
    cas = make()
    cas.add(RecordField(kind=PhiKind.DATE, path="field:begun", value="2020-03-04"))
    with pytest.raises(ConsumerError, match=r"^jsonl: begun: expected a masked field, found one that was not$"):
        released_metadata(JsonlConsumer(), cas)


def line(tmp_path: Path, cas: Cas, **options: Any) -> dict[str, Any]:
    consumer = JsonlConsumer(fields=["id", "metadata"], **options)
    consumer.output = tmp_path
    consumer.open()
    consumer.process(cas)
    consumer.close()
    (file,) = tmp_path.rglob("*.jsonl")
    made: dict[str, Any] = json.loads(file.read_text())
    return made


def test_beside_the_original_text_everything_stays(tmp_path: Path, make: Make) -> None:
    cas = make()
    cas.metadata.update(patient_id="7", begun="2020-03-04")
    made = line(tmp_path, cas, include=["original"])
    assert made["metadata"] == {"begun": "2020-03-04", "patient_id": "7"}


def test_a_short_id_is_withheld_if_it_is_the_whole_value(make: Make) -> None:
    cas = make("")
    cas.source_id = "A1"
    assert told(cas, row="a1", grade="A12")[0].keys() == {"grade"}
