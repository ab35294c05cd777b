"""UTF-16 offsets against Python's own encoder."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caspipe.typesystem.text import Utf16

TEXT = st.text(alphabet="ab\n中\ufeff\ud800\udfff😀𝔊\U0010ffff", max_size=30)


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@given(TEXT)
def test_every_offset_agrees_with_the_encoder(text: str) -> None:
    table = Utf16(text)
    assert [table.to_utf16(i) for i in range(len(text) + 1)] == [
        sum(map(units, text[:i])) for i in range(len(text) + 1)
    ]
    assert table.length == table.to_utf16(len(text))


@given(TEXT)
def test_there_and_back_is_the_same_offset(text: str) -> None:
    table = Utf16(text)
    assert all(table.from_utf16(table.to_utf16(i)) == i for i in range(len(text) + 1))


@given(TEXT)
def test_an_offset_inside_a_pair_snaps_outward(text: str) -> None:
    table = Utf16(text)
    starts = {table.to_utf16(i) for i in range(len(text) + 1)}
    for offset in range(table.length + 1):
        assert table.splits_pair(offset) == (offset not in starts)
        low, high = table.from_utf16(offset), table.from_utf16(offset, up=True)
        assert table.to_utf16(low) <= offset <= table.to_utf16(high)
        assert high - low == (offset not in starts)


def test_text_of_the_basic_plane_costs_nothing() -> None:
    assert not Utf16("Gefäß 中文 " * 1000)
    assert Utf16("😀")
    assert Utf16("").length == 0
    assert repr(Utf16("a😀")) == "<Utf16 with 1 pairs>"
