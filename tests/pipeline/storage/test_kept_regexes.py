"""Patterns that an earlier command compiled: the same patterns, and any fault of the file only costs time."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.pipeline.storage import kept_regexes
from caspipe.pipeline.storage.files import cache_folder
from caspipe.pipeline.storage.kept_regexes import KeptRegexes

PATTERNS = [
    (r"(?P<a>b+)|(c)", re.IGNORECASE),
    (r"\b(?:[a-zß]{2,5}|é)(?<!x)(?=y)\Z", 0),
    (r"(?i)(\d+)(st|nd)\2?", re.MULTILINE),
    ("a  # a comment", re.VERBOSE | re.DOTALL),
    (r"[\w-]+\d", re.ASCII),
    ("\ud800", 0),
]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CASPIPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept_regexes, "WORTHWHILE", 0.0)
    return tmp_path / "cache"


def saved(patterns: list[tuple[str, int]] = PATTERNS) -> Path:
    """Keep patterns in the cache, and return the file."""
    kept = KeptRegexes()
    for pattern, flags in patterns:
        kept.compile(pattern, flags)
    kept.save()
    return cache_folder() / kept_regexes._name()


def compiled_by_python(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list to which each pattern is added that Python compiles from now on."""
    compiled: list[str] = []
    compile_ = re.compile

    def compile_and_note(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return compile_(pattern, flags)

    monkeypatch.setattr(kept_regexes.re, "compile", compile_and_note)
    return compiled


def test_a_kept_pattern_is_the_one_that_python_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    saved()
    expected = [re.compile(pattern, flags) for pattern, flags in PATTERNS]
    compiled = compiled_by_python(monkeypatch)
    kept = KeptRegexes()
    for (pattern, flags), other in zip(PATTERNS, expected, strict=True):
        made = kept.compile(pattern, flags)
        assert made == other  # also compares the code
        assert (made.groups, dict(made.groupindex)) == (other.groups, dict(other.groupindex))
    assert compiled == []


@pytest.mark.filterwarnings("ignore::FutureWarning")
@given(
    st.text(alphabet="ab(|)[]?*+{2,}\\dw^$é.-", max_size=12), st.sampled_from([0, re.IGNORECASE, re.VERBOSE, re.ASCII])
)
def test_any_pattern_keeps_its_code(pattern: str, flags: int) -> None:
    try:
        compiled = re.compile(pattern, flags)
    except re.error:
        return
    code = kept_regexes._code(compiled)
    assert code is not None
    made = kept_regexes._made(pattern, compiled.flags, code, dict(compiled.groupindex), compiled.groups)
    assert made == compiled


def test_the_same_pattern_with_other_flags_is_another_one() -> None:
    saved([("a", 0)])
    assert KeptRegexes().compile("a", re.IGNORECASE).match("A")


def test_later_commands_add_their_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    saved([("a", 0)])
    saved([("b", 0)])
    compiled = compiled_by_python(monkeypatch)
    kept = KeptRegexes()
    assert kept.compile("a", 0).match("a") and kept.compile("b", 0).match("b") and compiled == []
    saved([("a", 0)])


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-5])


def change(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-3] ^= 1
    file.write_bytes(bytes(data))


def open_to_all(file: Path) -> None:
    file.chmod(0o666)


def link(file: Path) -> None:
    file.rename(file.with_name("other"))
    file.symlink_to("other")


@pytest.mark.parametrize("spoil", [cut, change, open_to_all, link, Path.unlink, lambda file: file.write_bytes(b"")])
def test_a_file_with_a_fault_is_not_used(spoil: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(saved())
    compiled = compiled_by_python(monkeypatch)
    kept = KeptRegexes()
    assert [kept.compile(*one).pattern for one in PATTERNS] == compiled


def test_another_build_of_python_has_another_file(monkeypatch: pytest.MonkeyPatch) -> None:
    file = saved()
    monkeypatch.setattr(kept_regexes.sys, "version", "3.99")
    assert cache_folder() / kept_regexes._name() != file


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(cache: Path) -> None:
    cache.write_text("a file")
    saved()
    assert KeptRegexes().compile("a", 0).match("a")


def test_only_its_owner_can_read_the_file() -> None:
    file = saved()
    assert file.stat().st_mode & 0o777 == 0o600
    assert [other for other in file.parent.iterdir() if other != file] == []


def test_python_without_the_way_to_the_code_compiles_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_regexes._sre, "compile", lambda *_: 1 / 0)
    saved()
    assert KeptRegexes().compile("a", 0).match("a")
