"""Sets of digests: the same answers as a set of the names, in a fraction of its memory."""

from __future__ import annotations

import subprocess
import sys
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.pipeline.storage.digest_set import FEWEST, Digests
from caspipe.pipeline.storage.file_names import FileNames

BITS = (64, 128)


@pytest.mark.parametrize("bits", BITS)
@given(
    names=st.lists(st.text(st.characters(codec=None), max_size=4), max_size=300), fewest=st.sampled_from([1, 5, 1_000])
)
def test_answers_are_those_of_a_plain_set(bits: Literal[64, 128], names: list[str], fewest: int) -> None:
    compact, plain = Digests(bits), set[str]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("caspipe.pipeline.storage.digest_set.FEWEST", fewest)
        _fill(compact, plain, names)
    assert all(name in compact for name in names)


def _fill(compact: Digests, plain: set[str], names: list[str]) -> None:
    for name in names:
        assert (name in compact) == (name in plain)
        assert compact.add(name) == (name not in plain)
        plain.add(name)
        assert len(compact) == len(plain)


@pytest.mark.slow
@pytest.mark.parametrize(("bits", "most"), [(64, 12), (128, 20)])
def test_a_hundred_thousand_names_take_little_and_all_are_found(bits: Literal[64, 128], most: int) -> None:
    digests = Digests(bits)
    names = [f"ward-{i // 1000}/note-{i:07}" for i in range(100_000)]
    assert all(map(digests.add, names))
    assert not any(map(digests.add, names))
    assert not any(name + ".txt" in digests for name in names)
    assert len(digests) == 100_000
    assert digests.size <= most * 100_000


def test_digests_that_share_their_places_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    # every name in one place of the row, at its end: only the second half tells them apart
    monkeypatch.setattr(Digests, "_digest", lambda self, name: (2**64 - 1) << 64 | int(name))
    digests = Digests(128)
    n = 2 * FEWEST + 7
    assert [digests.add(str(i % n)) for i in range(2 * n)] == [True] * n + [False] * n
    assert "7" in digests
    assert str(n) not in digests


def test_a_digest_of_zero_is_a_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    import hashlib

    class Zero:
        def digest(self) -> bytes:
            return bytes(16)

    monkeypatch.setattr(hashlib, "blake2b", lambda *_, **__: Zero())
    digests = Digests(128)
    assert digests.add("a")
    assert not digests.add("a")


def test_answers_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from caspipe.pipeline.storage.digest_set import Digests\n"
        "d = Digests(64)\n"
        "for i in range(3000): d.add(str(i))\n"
        "print(d._high.tobytes().hex(), sorted(d._fresh))"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "7")
    }
    assert len(made) == 1


def test_it_never_shows_a_name() -> None:
    digests = Digests()
    digests.add("Featherstone")
    assert repr(digests) == "<Digests of 1 names>"


@given(st.lists(st.text(st.sampled_from("aAbB/.é2-"), max_size=5), max_size=60))
def test_file_names_are_those_that_a_plain_set_would_give(ids: list[str]) -> None:
    compact, plain = FileNames(".txt", reserved=["a.txt"]), FileNames(".txt")
    plain._taken, plain._folders = _Plain(), _Plain()  # type: ignore[assignment]
    plain._taken.add("a.txt")
    assert [compact.next(i) for i in ids] == [plain.next(i) for i in ids]


class _Plain(set[str]):
    def add(self, name: str) -> bool:  # type: ignore[override]
        new = name not in self
        super().add(name)
        return new
