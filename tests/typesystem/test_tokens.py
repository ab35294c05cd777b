"""Tables over token forms: right, bounded, and kind to what is asked for often."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from caspipe.typesystem.tokens import FormTable


@given(st.lists(st.text("abcdef", max_size=2)), st.integers(1, 12))
def test_values_are_right_and_memory_is_bounded_whatever_is_asked(forms: list[str], size: int) -> None:
    table = FormTable(str.upper, size)
    for form in forms:
        assert table[form] == form.upper()
        assert len(table) + len(table._before) <= max(size, 2) + 1
    assert all(table[form] == form.upper() for form in forms)


def test_what_is_asked_for_often_is_computed_once_though_the_table_is_full_of_other_forms() -> None:
    asked: list[str] = []
    table = FormTable(lambda form: asked.append(form) or len(form), 100)  # type: ignore[func-returns-value]
    for i in range(2_000):
        assert table["often"] == 5
        assert table[str(i)] == len(str(i))
    assert asked.count("often") == 1
    assert len(asked) == 2_001


def test_what_was_not_asked_for_lately_is_forgotten() -> None:
    asked: list[str] = []
    table = FormTable(lambda form: asked.append(form) or 0, 10)  # type: ignore[func-returns-value]
    for form in ("once", *map(str, range(50)), "once"):
        table[form]
    assert asked.count("once") == 2


def test_none_is_a_value() -> None:
    asked: list[str] = []
    table: FormTable[None] = FormTable(asked.append, 4)
    for form in "abcab":
        assert table[form] is None
    assert asked == ["a", "b", "c"]


def test_a_pickled_table_is_empty_and_computes_alike() -> None:
    table = FormTable(str.upper, 7)
    assert table["a"] == "A"
    again = pickle.loads(pickle.dumps(table))
    assert (len(again), again.size, again["b"]) == (0, 7, "B")


@given(st.lists(st.lists(st.text("abcdef", max_size=2), max_size=8)), st.integers(1, 12))
def test_new_forms_are_computed_together_within_the_same_memory(documents: list[list[str]], size: int) -> None:
    table = FormTable(str.upper, size)
    for forms in documents:
        computed: list[str] = []
        table.fill(forms, lambda new, computed=computed: computed.extend(new) or map(str.upper, new))  # type: ignore[misc]
        assert len(computed) == len(set(computed)) and set(computed) <= set(forms)
        assert len(table) + len(table._before) <= max(size, 2) + 1
        assert [table[form] for form in forms] == [form.upper() for form in forms]


def test_forms_with_a_value_are_not_computed_again() -> None:
    table = FormTable(str.upper, 10)
    for forms, expected in (("abc", ["a", "b", "c"]), ("bad", ["d"]), ("efg", ["e", "f", "g"]), ("abcdefg", [])):
        asked: list[str] = []
        table.fill(forms, lambda new, asked=asked: asked.extend(new) or map(str.upper, new))  # type: ignore[misc]
        assert asked == expected
