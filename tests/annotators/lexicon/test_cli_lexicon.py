"""`caspipe lexicon`: build, info, lookup."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from caspipe.annotators.lexicon import Lexicon
from caspipe.pipeline.application.cli.lexicon import app

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")


def run(*arguments: str, given: str = "") -> Result:
    return CliRunner().invoke(app, list(arguments), input=given)


def test_build_makes_a_folder_that_loads_as_a_lexicon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASPIPE_CACHE", str(tmp_path / "cache"))
    done = run("build", f"{FIXTURES / 'MedAscii'}::meddra?currency=all", str(tmp_path / "meddra"))
    assert done.exit_code == 0, done.output
    assert f"{tmp_path / 'meddra'}: 4 terms under 4 keys, " in done.output
    assert "LAB_PROCEDURE                 1" in done.output
    assert Lexicon.load(str(tmp_path / "meddra")).has("wobble obsolete")
    again = run("build", str(FIXTURES / "MedAscii"), str(tmp_path / "meddra"))
    assert again.exit_code == 0
    assert not Lexicon.load(str(tmp_path / "meddra")).has("wobble obsolete")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cache", "meddra"]


def test_build_replaces_no_foreign_folder(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("precious", encoding="utf-8")
    for target in (tmp_path, tmp_path / "note.txt"):
        done = run("build", "weekdays", str(target))
        assert done.exit_code == 4
        assert "expected a new or empty folder, or one that holds a compiled lexicon" in done.output
    assert (tmp_path / "note.txt").read_text(encoding="utf-8") == "precious"


def test_info_shows_source_licence_and_counts() -> None:
    done = run("info", "weekdays")
    assert done.exit_code == 0
    assert "weekdays: 25 terms under 25 keys of 25 different words" in done.output
    assert "  licence  same as caspipe" in done.output
    assert "  columns  weekday, kind, ambiguous" in done.output


def test_info_without_a_name_lists_names_and_formats() -> None:
    done = run("info")
    assert done.exit_code == 0
    for word in ("surnames", "together: given_names, surnames", "meddra", "MedDRA: folder with llt.asc", "tuis:"):
        assert word in done.output


def test_lookup_shows_entries_and_what_a_text_holds() -> None:
    done = run("lookup", "surnames", "smith")
    assert done.exit_code == 0
    assert "ambiguous=1" in done.output and "Smith" in done.output
    done = run("lookup", "medical", "--fuzzy", "-", given="severe hedache, MI\n")
    assert done.exit_code == 0
    assert "headache" in done.output and "0.86" in done.output and "myocardial infarction" in done.output
    assert "urine culture" in run("lookup", "medical", "--skip", "urine and blood cultures").output
    inside = run("lookup", "medical", "--all", "chest x-ray").output
    assert len([line for line in inside.splitlines() if "LAB_PROCEDURE" in line]) == 2


def test_lookup_of_nothing_says_so() -> None:
    done = run("lookup", "surnames", "qqqq")
    assert (done.exit_code, done.output) == (1, "nothing found\n")


def test_a_wrong_name_is_told_with_the_nearest() -> None:
    done = run("lookup", "surname", "x")
    assert done.exit_code == 4
    assert "no lexicon or file called 'surname'; did you mean surnames?" in done.output


@pytest.mark.parametrize("command", ["build", "info", "lookup"])
def test_help_has_examples(command: str) -> None:
    assert f"caspipe lexicon {command}" in run(command, "--help").output.replace("\n", " ")
