"""Every reader over damaged files: it ends in time, fails with our own errors, quotes no text, and returns consistent documents.

A case is a seed and a few numbers; `damaged` makes the same file of them everywhere, so a falsifying example can be repeated.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from cases import EDITS, case, cases
from damage import damaged
from hypothesis import given
from hypothesis import strategies as st
from laws import Read, read
from secret import SECRET
from seeds import SEEDS, WITHOUT, Seed, kind_of

from caspipe.pipeline.contract import registry

pytestmark = pytest.mark.slow

CASES = 60


def put(folder: Path, seed: Seed, number: int = 0, edits: list[int] | None = None) -> None:
    """Write the files of a seed, one of them damaged."""
    names = list(seed.files)
    at = names[number % len(names)]
    other = names[(number + 1) % len(names)]
    for name, data in {**seed.files, **seed.beside}.items():
        if name == at and edits is not None:
            data = damaged(data, kind_of(name), edits, seed.files[other])
        (folder / name).write_bytes(data)


def spoilt(seed: Seed, number: int, edits: list[int]) -> Read:
    with tempfile.TemporaryDirectory() as folder:
        put(Path(folder), seed, number, edits)
        return read(seed.reader, seed.parameters(Path(folder)), Path(folder), seed.megabytes)


def readers() -> list[str]:
    """The readers of caspipe itself."""
    found = [c for c in registry.components() if c.role == "reader" and c.__module__.startswith("caspipe.")]
    return sorted({c.name for c in found})


def test_every_reader_has_seeds() -> None:
    seeded = {seed.reader for seed in SEEDS.values()} | set(WITHOUT)
    missing = [name for name in readers() if name not in seeded]
    assert not missing, (
        f"no seeds for {', '.join(missing)}: add a Seed of each to tests/fuzz/seeds.py, with SECRET in its text"
    )
    assert not seeded - set(readers()), "seeds of readers that are no more"


@pytest.mark.parametrize("name", SEEDS)
def test_a_seed_is_read_and_holds_the_secret(name: str, tmp_path: Path) -> None:
    seed = SEEDS[name]
    put(tmp_path, seed)
    found = read(seed.reader, seed.parameters(tmp_path), tmp_path)
    assert found.raised == ""
    assert set(seed.good) <= set(found.ids)
    assert any(SECRET.split()[0] in cas.text for cas in found.documents)
    assert found.failed == [] or name in FAULTY


FAULTY = ("sql-query",)
"""Seeds with records that fail before anybody spoils them."""


@pytest.mark.parametrize("name", SEEDS)
def test_a_spoilt_file_is_read_or_told_of(name: str) -> None:
    seed = SEEDS[name]

    @cases(CASES)
    @given(number=st.integers(0, len(seed.files) - 1), edits=EDITS)
    def whatever_the_bytes(number: int, edits: list[int]) -> None:
        with case(name=name, number=number, edits=edits):
            found = spoilt(seed, number, edits)
            missing = set(seed.good) - set(found.ids)
            assert not missing, f"a good file beside it was not read: {found.raised or found.failed}"

    whatever_the_bytes()
