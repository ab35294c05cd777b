"""Tests of the comparison with other programs on clinical notes; the programs themselves are not installed here."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

from benchmarks import compare_tools
from benchmarks.compare_tools import TOOLS, ToolError, parsed, prepare, run, sources
from benchmarks.notes import figures
from benchmarks.notes.documents import Document
from benchmarks.peers import environments, with_pydeid
from benchmarks.peers.environments import PACKAGES, set_up
from benchmarks.peers.rows import Row
from caspipe.consumers.scoring import Mark

NOTES = [Document("a", "Seen on 3/4/2020 by Anna.", (Mark(8, 16, "DATE"), Mark(20, 24, "PERSON")), (), "06", "letter")]
OURS = Row("patterns", "ours", "ours", "patterns", "the shared patterns")


def test_spans_of_a_tool_are_clipped_to_the_text_and_its_time_is_shared_out() -> None:
    one, two = parsed(["abcd", "ab"], [[[0, 9, "PERSON"], [4, 6, "ID"]], []], 3.0)
    assert [(m.begin, m.end, m.kind) for m in one.spans] == [(0, 4, "PERSON")]
    assert (one.seconds, two.seconds) == (2.0, 1.0)


def test_every_tool_has_packages_and_a_module() -> None:
    for rows in TOOLS.values():
        for row in rows:
            assert row.environment in PACKAGES
            assert (Path(environments.__file__).parent / f"{row.module}.py").is_file()


def test_a_tool_that_is_not_installed_is_left_out(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"^pydeid: left out: could not be installed$"):
        run("pydeid", {"notes": NOTES}, tmp_path)


def test_a_source_replaces_the_packages_of_a_tool() -> None:
    assert sources(["pydeid=x.zip"])["pydeid"] == ("x.zip",)
    assert sources([])["scrubadub"] == PACKAGES["scrubadub"]
    for wrong in ("pydeid", "pydeid=", "philter=x"):
        with pytest.raises(ValueError, match="expected TOOL=PLACE with one of presidio, "):
            sources([wrong])


def test_further_variants_are_set_up_only_if_the_first_one_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    def noted(folder: Path, tell: Any, names: list[str], packages: Any) -> None:
        tried.extend(names)

    monkeypatch.setattr(compare_tools, "set_up", noted)
    prepare(["presidio"], tmp_path, PACKAGES, print)
    assert tried == ["presidio-model", "presidio"]
    (tmp_path / "presidio-model").mkdir()
    (tmp_path / "presidio-model" / "set-up.txt").write_text("x 1\n", encoding="utf-8")
    tried.clear()
    prepare(["presidio"], tmp_path, PACKAGES, print)
    assert tried == ["presidio-model"]


@pytest.mark.slow
def test_a_package_that_cannot_be_installed_is_told_with_the_line_that_says_why(tmp_path: Path) -> None:
    told: list[str] = []
    set_up(tmp_path, told.append, ["pydeid"], {"pydeid": (str(tmp_path / "none.zip"),)})
    assert told[0].startswith("pydeid: could not be set up: ERROR: ")
    assert not (tmp_path / "pydeid" / "set-up.txt").exists()


@pytest.mark.parametrize(
    ("types_", "kind"),
    [
        (["First Name", "Last Name"], "PERSON"),
        (["Day Month Year [dd/mm/yyyy]"], "DATE"),
        (["Street Address"], "LOCATION"),
        (["Telephone/Fax"], "PHONE"),
        (["Email Address"], "EMAIL"),
        (["MRN"], "ID"),
        (["OHIP"], "ID"),
    ],
)
def test_kinds_of_pydeid(types_: list[str], kind: str) -> None:
    assert with_pydeid.kind_of(types_) == kind


def test_pydeid_is_run_by_its_function_for_strings(monkeypatch: pytest.MonkeyPatch) -> None:
    surrogates = [{"phi_start": 8, "phi_end": 16, "types": ["Date"]}]
    module = types.ModuleType("pyDeid")
    module.__dict__["deid_string"] = lambda text: (surrogates if "3/4" in text else None, "x")
    monkeypatch.setitem(sys.modules, "pyDeid", module)
    assert with_pydeid.load("default").batch([NOTES[0].text, "plain"]) == [[(8, 16, "DATE")], []]


def test_the_empty_package_of_the_index_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyDeid", types.ModuleType("pyDeid"))
    with pytest.raises(RuntimeError, match="the installed package pyDeid has no function deid_string"):
        with_pydeid.load("default")


def test_the_command_puts_tools_beside_caspipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "set-up.txt").write_text("caspipe 0\n", encoding="utf-8")
    monkeypatch.setitem(TOOLS, "scrubadub", (OURS,))
    monkeypatch.setattr(compare_tools, "prepare", lambda *_: None)
    monkeypatch.setattr(compare_tools, "corpora", lambda _: {"notes": NOTES})
    config = tmp_path / "dates.yaml"
    config.write_text("engines: [segmenter, dates, resolver, masker]\n", encoding="utf-8")
    markdown, told = tmp_path / "page.md", tmp_path / "tools.json"
    markdown.write_text("<!-- begin: tools -->\n<!-- end: tools -->\n", encoding="utf-8")
    given = [str(config), "--tools", "scrubadub", "pydeid", "--folder", str(tmp_path)]
    given += ["--json", str(told), "--markdown", str(markdown), "--html", str(tmp_path / "tools.html")]
    assert compare_tools.main(given) == 0
    ours, other = figures.read(told)
    assert (ours.name, other.name) == ("dates", "patterns")
    assert other.groups["notes"]["kind"]["DATE"].covered == 1
    assert other.groups["notes"]["kind"]["PERSON"].covered == 0
    assert other.fates["notes"].ms > 0
    lines = markdown.read_text(encoding="utf-8").splitlines()
    assert "* patterns: the shared patterns (caspipe 0)" in lines
    assert "* pydeid: left out: could not be installed" in lines
    assert "| all | 2 | 1 | 0.500 | 0.500 | 0.000 | 0.000 | 0.00 | 0.00 |" in lines
    assert "covered, dates  covered, patterns" in capsys.readouterr().out


def test_the_command_tells_a_wrong_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare_tools.main(["--folder", str(tmp_path), "--source", "x"]) == 1
    assert "compare_tools: --source x: expected TOOL=PLACE" in capsys.readouterr().err
