"""Blocks of fields in other forms."""

from __future__ import annotations

import csv

import pytest
from augmented_notes import pieces

from caspipe.readers.augmentation.options import FORMS
from caspipe.readers.augmentation.pieces import text_of
from caspipe.readers.augmentation.structure import restructured
from caspipe.readers.synthetic.draws import Draws

BLOCK = "Patient: [[PERSON_PATIENT|Reyes, Anna]]   MRN: [[ID_MEDICAL_RECORD|4471]]\nDOB: [[DATE_BIRTH|3/4/50]]\nSeen: well.\n"


def written(form: str, seed: int = 1, text: str = BLOCK) -> str:
    return text_of(restructured(pieces(text), form, lambda: Draws(seed, "a", "form")))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_differs_and_keeps_the_values(form: str) -> None:
    for seed in range(8):
        found = written(form, seed)
        assert found != text_of(pieces(BLOCK))
        assert all(value in found for value in ("Reyes, Anna", "4471", "3/4/50"))


def test_csv_quotes_values_with_commas() -> None:
    for seed in range(12):
        found = written("csv", seed).splitlines()
        separator = ";" if ";" in found[0] else ","
        names, row = csv.reader(found[:2], delimiter=separator)
        assert dict(zip(names, row, strict=True)) == {
            "Patient": "Reyes, Anna",
            "MRN": "4471",
            "DOB": "3/4/50",
            "Seen": "well.",
        }


def test_narrative_and_single_fields_stay() -> None:
    for text in (
        "She came in. Plan: rest.\n",
        "Patient: [[PERSON_PATIENT|Reyes]]\n\nShe came in.\n",
        "Note: " + "word " * 40 + "\nDOB: 1\n",
    ):
        assert written("xml", text=text) == text_of(pieces(text))


def test_values_with_characters_of_the_form_stay() -> None:
    assert "<" not in written("xml", text="Na: <135\nK: 4 & rising\n").replace("<135", "")
