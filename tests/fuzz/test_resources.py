"""Every resource over damaged files: models, lexicons, vectors, rules, type systems. It is rejected by name, or it works.

They are loaded in a process of their own, because native libraries map and run these files: if one of them crashes, the test
says so.
"""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import EDITS, case, cases
from damage import damaged
from hypothesis import given
from hypothesis import strategies as st
from resource_seeds import SEEDS, WITHOUT, resealed
from seeds import kind_of

from caspipe.pipeline.contract import registry
from caspipe.pipeline.contract.resources import Resource

pytestmark = pytest.mark.slow

NATIVE = ("lexicon, compiled", "gliner")
"""Resources that native libraries map or run directly: after loading, any error of a document except a crash is accepted."""


class Loader:
    """The loading process, restarted if it ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def load(self, seed: str, folder: Path) -> dict[str, str]:
        """Return the result of loading. Raises AssertionError if the process crashed."""
        if self._process is None:
            worker = [sys.executable, "-W", "ignore", str(Path(__file__).with_name("resource_worker.py"))]
            self._process = subprocess.Popen(worker, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"seed": seed, "folder": str(folder)}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            self.close()
            raise AssertionError(f"the process that loaded it ended with {code}")
        found: dict[str, str] = json.loads(line)
        return found

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(BrokenPipeError):
                    if pipe is not None:
                        pipe.close()
            process.wait(30)


@pytest.fixture(scope="module")
def loader() -> Iterator[Loader]:
    made = Loader()
    yield made
    made.close()


@cache
def files(name: str) -> dict[str, bytes]:
    """The files of a seed, by their names."""
    with tempfile.TemporaryDirectory() as folder:
        SEEDS[name].make(Path(folder))
        return {p.name: p.read_bytes() for p in sorted(Path(folder).iterdir()) if p.suffix != ".md"}


def _skipped(name: str) -> None:
    if SEEDS[name].of == "GlinerFolder":
        pytest.importorskip("onnxruntime", reason="needs the extra `onnx`")
        pytest.importorskip("tokenizers", reason="needs the extra `onnx`")


def classes() -> set[str]:
    """The resource classes of caspipe itself."""
    registry.discover()
    found, waiting = set[str](), [Resource]
    while waiting:
        below = waiting.pop().__subclasses__()
        waiting += below
        found |= {cls.__name__ for cls in below if cls.__module__.startswith("caspipe.")}
    return found


def test_every_resource_has_seeds() -> None:
    missing = sorted(classes() - {seed.of for seed in SEEDS.values()} - set(WITHOUT))
    assert not missing, f"no seeds for {', '.join(missing)}: add Resources of each to tests/fuzz/resource_seeds.py"


@pytest.mark.parametrize("name", SEEDS)
def test_a_seed_is_loaded(name: str, loader: Loader, tmp_path: Path) -> None:
    _skipped(name)
    SEEDS[name].make(tmp_path)
    assert loader.load(name, tmp_path) == {"raised": "", "said": "", "watched": "", "used": "yes"}


def held(name: str, said: dict[str, str], folder: Path) -> None:
    """Check an answer."""
    assert not said["watched"], said["watched"]
    told = f"{said['raised']}: {said['said'].replace(str(folder), '')[:300]}"
    if said["raised"] and not said["used"]:
        assert said["raised"] in ("ResourceError", "ConfigError", "TypeSystemError", "FormatError"), told
        named = str(folder) in said["said"] or re.match(
            r"/\S+:\d", said["said"]
        )  # what a type system imports lies anywhere
        assert named, f"a message that names no file: {told}"
    elif said["raised"] and name not in NATIVE:
        assert said["raised"].endswith("Error"), told
        assert " at " not in said["said"], f"loaded, and broken when used: {told}"
    assert len(said["said"]) < 20_000


@pytest.mark.parametrize("name", SEEDS)
def test_a_spoilt_one_is_refused_by_its_name_or_works(name: str, loader: Loader) -> None:
    _skipped(name)
    seed, whole = SEEDS[name], files(name)
    names = list(whole)

    @cases(seed.count)
    @given(number=st.integers(0, len(names) - 1), edits=EDITS, sealed=st.booleans())
    def whatever_the_bytes(number: int, edits: list[int], sealed: bool) -> None:
        with case(name=name, file=names[number], edits=edits, sealed=sealed), tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            for n, (file, data) in enumerate(whole.items()):
                new = damaged(data, kind(file, data), edits, most=8_000 if file.endswith(".yaml") else 400_000)
                (folder / file).write_bytes(new if n == number else data)
            if sealed:
                resealed(folder)
            held(name, loader.load(name, folder), folder)

    whatever_the_bytes()


def kind(file: str, data: bytes) -> str:
    if data.startswith(b"PK"):
        return "zip"
    return "yaml" if file.endswith(".yaml") else kind_of(file)


class Runs:
    """Runs a program when it is unpickled."""

    def __reduce__(self) -> Any:
        return print, ("this ran",)


@pytest.mark.parametrize(
    "name", ["vectors of a feature", "vectors, our own", "linear model", "network", "lexicon, compiled"]
)
def test_a_pickle_in_a_file_of_arrays_is_never_read(name: str, loader: Loader, tmp_path: Path) -> None:
    SEEDS[name].make(tmp_path)
    array = np.array([Runs(), Runs()], dtype=object)
    changed = 0
    for path in sorted(tmp_path.iterdir()):
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as found:
                whole = {key: found[key] for key in found.files}
            np.savez(path, **dict.fromkeys(whole, array), allow_pickle=True)
            changed += 1
        elif path.suffix == ".npy":
            np.save(path, array, allow_pickle=True)
            changed += 1
    assert changed
    resealed(tmp_path)
    said = loader.load(name, tmp_path)
    assert (said["raised"], said["used"], said["watched"]) == ("ResourceError", "", "")
    assert str(tmp_path) in said["said"]
