"""Long lists of files: the same as plain lists, in a fraction of their memory."""

from __future__ import annotations

import pickle
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.readers.files.selection import Source, Sources, select_folder, without_duplicates

TEXT = st.text(st.characters(codec=None), max_size=8)


@given(st.lists(st.builds(Source, TEXT, TEXT, TEXT, st.booleans()), max_size=20), st.integers(0, 60))
def test_it_is_the_list_it_was_made_of(some: list[Source], times: int) -> None:
    plain = some * times
    packed = Sources(iter(plain))
    assert packed == plain
    assert list(packed) == plain
    assert len(packed) == len(plain)
    assert packed[1:5] == plain[1:5]
    assert bool(packed) == bool(plain)
    if plain:
        middle = len(plain) // 2
        assert [packed[-1], packed[middle], packed[0]] == [plain[-1], plain[middle], plain[0]]
    with pytest.raises(IndexError):
        packed[len(plain)]
    assert pickle.loads(pickle.dumps(packed)) == plain


def test_two_can_go_through_it_at_once() -> None:
    packed = Sources(Source(f"{i}.txt", str(i)) for i in range(1000))
    assert [(a.id, b.id) for a, b in zip(packed, packed[500:], strict=False)][:2] == [("0", "500"), ("1", "501")]
    one, other = iter(packed), iter(packed)
    for _ in range(300):
        next(one)
    assert next(other).id == "0"
    assert next(one).id == "300"


@pytest.mark.slow
def test_a_hundred_thousand_files_take_little_memory() -> None:
    def files() -> list[Source]:
        return [
            Source(f"/data/notes/ward-{i // 1000}/note-{i:07}.txt", f"ward-{i // 1000}/note-{i:07}")
            for i in range(100_000)
        ]

    tracemalloc.start()
    try:
        packed = Sources(files())
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 40 * 100_000
    assert packed[77_777].id == "ward-77/note-0077777"
    assert repr(packed) == "<Sources: 100,000 files>"


def test_files_are_in_the_order_of_their_parts(tmp_path: Path) -> None:
    for name in ("a/b.txt", "a!.txt", "a.txt", "a/0.txt", "a-/x.txt", "a/b/c.txt", "B.txt", "é.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    there = sorted(p.relative_to(tmp_path).parts for p in tmp_path.rglob("*.txt"))
    found = [s.id + ".txt" for s in select_folder(tmp_path, "*.txt", (".txt",))]
    assert found == ["/".join(parts) for parts in there]
    assert found.index("a/b.txt") < found.index("a!.txt")


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.booleans()), max_size=12))
def test_a_document_id_that_was_there_before_is_a_fault_that_names_both(ids: list[tuple[str, bool]]) -> None:
    sources = [Source(f"{n}.txt", id_, "damaged" if bad else "") for n, (id_, bad) in enumerate(ids)]
    seen: dict[str, str] = {}
    expected = []
    for s in sources:
        if s.id in seen and not s.fault:
            expected.append(Source(s.path, s.id, f"its document id is that of {seen[s.id]} too", duplicate=True))
        else:
            seen.setdefault(s.id, s.path)
            expected.append(s)
    assert list(without_duplicates(Sources(sources))) == expected
