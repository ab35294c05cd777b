"""Confusion between kinds: sums that must hold, and a small case counted by hand."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from caspipe.consumers.scoring.confusion import MISSED, SPURIOUS, confusion_of
from caspipe.consumers.scoring.document import Mark, Pair

MARKS = st.lists(
    st.builds(
        lambda begin, length, kind: Mark(begin, begin + length, kind),
        st.integers(0, 40),
        st.integers(1, 12),
        st.sampled_from(["DATE", "PERSON_PATIENT", "PERSON_DOCTOR"]),
    ),
    max_size=6,
)


def pair(gold: list[Mark], system: list[Mark]) -> Pair:
    return Pair("a", "x" * 60, gold, system, ([], []))


EXAMPLE = pair(
    [Mark(0, 4, "DATE"), Mark(10, 20, "PERSON_DOCTOR"), Mark(30, 34, "ID"), Mark(40, 44, "ID")],
    [Mark(0, 4, "DATE"), Mark(12, 20, "PERSON"), Mark(30, 34, "PHONE"), Mark(50, 54, "DATE")],
)


def test_a_small_case_counted_by_hand() -> None:
    made = confusion_of([EXAMPLE])
    assert made.counts == {
        ("DATE", "DATE"): 1,
        ("PERSON", "PERSON"): 1,
        ("ID", "PHONE"): 1,
        ("ID", MISSED): 1,
        (SPURIOUS, "DATE"): 1,
    }
    assert made.mixed_up == [("ID", "PHONE", 1)]
    assert confusion_of([EXAMPLE], "kind").mixed_up == [("ID", "PHONE", 1), ("PERSON_DOCTOR", "PERSON", 1)]


def test_all_forms_say_the_same() -> None:
    made = confusion_of([EXAMPLE, EXAMPLE])
    kinds = ["DATE", "ID", "PERSON", "PHONE"]
    assert list(made.matrix) == [*kinds, SPURIOUS]
    assert list(made.matrix["DATE"]) == [*kinds, MISSED]
    assert json.loads(made.to_json()) == made.matrix
    header, *rows = csv.reader(io.StringIO(made.to_csv()))
    assert {row[0]: dict(zip(header[1:], map(int, row[1:]), strict=True)) for row in rows} == made.matrix
    lines = [line.split() for line in str(made).splitlines()]
    assert lines[2] == ["ID", ".", ".", ".", "2", "2"]


def test_no_documents_make_an_empty_matrix() -> None:
    assert confusion_of([]).matrix == {SPURIOUS: {MISSED: 0}}
    assert str(confusion_of([])).splitlines()[0].split() == ["gold", "\\", "system", MISSED]


@given(st.lists(st.tuples(MARKS, MARKS), max_size=3))
def test_rows_sum_to_gold_and_columns_to_system(documents: list[tuple[list[Mark], list[Mark]]]) -> None:
    made = confusion_of([pair(g, s) for g, s in documents], "kind")
    gold = Counter(m.kind for g, _ in documents for m in g)
    system = Counter(m.kind for _, s in documents for m in s)
    for kind in made.kinds:
        assert sum(made.matrix[kind].values()) == gold[kind]
        assert sum(row[kind] for row in made.matrix.values()) == system[kind]
