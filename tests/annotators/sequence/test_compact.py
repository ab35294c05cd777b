"""Columns of values in little memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.sequence.compact import CompactColumn

VALUES = st.lists(
    st.one_of(st.none(), st.just(""), st.text(max_size=2), st.tuples(st.text(max_size=1), st.text(max_size=1)))
)


@given(VALUES, st.slices(20))
def test_slices_are_those_of_the_list(values: list[object], part: slice) -> None:
    column = CompactColumn(values)
    assert len(column) == len(values)
    assert column[part] == values[part]
    assert column[:] == values


def test_a_column_may_have_more_values_than_two_bytes_can_number() -> None:
    values = [str(i // 2) for i in range(200_000)]
    assert CompactColumn(values)[131_000:131_100] == values[131_000:131_100]
    assert CompactColumn(values)[:] == values
