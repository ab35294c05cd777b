"""`caspipe selftest` finds what a bad configuration leaks, and leaves the user's folders alone."""

from __future__ import annotations

import base64
import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from attacks.rows import ROWS
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.application.selftest.cases import Case, cases
from caspipe.pipeline.application.selftest.searching import Hit, search

pytestmark = pytest.mark.attack("selftest")

SECRET = "Zürblatt-Öhm"


def selftest(*arguments: str, code: int) -> dict[tuple[str, str], dict[str, Any]]:
    result = CliRunner().invoke(app, ["selftest", *arguments, "--json"])
    assert result.exit_code == code, result.output
    return {(one["row"], one["what"]): one for one in json.loads(result.stdout)}


# -- the search ----------------------------------------------------------------------------------------------------


def zipped(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("member.txt", data)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        f"before {SECRET} after".encode(),
        f"before {SECRET.upper()} after".encode(),
        f"before {SECRET} after".encode("utf-16"),
        f"url={quote(SECRET)}".encode(),
        json.dumps({"name": SECRET}).encode(),
        SECRET.encode("ascii", "xmlcharrefreplace"),
        *(base64.b64encode(b"x" * shift + SECRET.encode() + b"more") for shift in range(3)),
        gzip.compress(SECRET.encode()),
        zipped(SECRET.encode()),
        gzip.compress(zipped(SECRET.encode())),
    ],
    ids=[
        "utf-8",
        "upper",
        "utf-16",
        "url",
        "json",
        "xml",
        "base64-0",
        "base64-1",
        "base64-2",
        "gz",
        "zip",
        "zip in gz",
    ],
)
def test_a_value_is_found_in_every_encoding(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "file").write_bytes(data)
    assert {hit.value for hit in search(tmp_path, ["nothing like it", SECRET])} == {1}


def test_a_value_in_the_name_of_a_file_is_found_and_not_repeated(tmp_path: Path) -> None:
    (tmp_path / f"letter of {SECRET}.txt").write_bytes(b"nothing")
    assert search(tmp_path, [SECRET]) == [Hit("file 0", 0)]


def test_a_value_in_parquet_is_found_in_columns(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(
        arrow.table({"a": ["x", SECRET]}), tmp_path / "t.parquet", compression="zstd", use_dictionary=False
    )
    assert {hit.value for hit in search(tmp_path, [SECRET])} == {0}


def test_near_values_are_not_found(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("Zurblatt Ohm, Zürblatt, Öhm, Zürblatt Öhm\n")
    assert search(tmp_path, [SECRET]) == []


# -- the cases -----------------------------------------------------------------------------------------------------


def test_every_case_attacks_a_row_and_hides_what_its_text_or_name_holds() -> None:
    for case in cases():
        assert case.row in ROWS
        assert case.hidden
        for value in case.hidden:
            assert value.casefold() in (case.text + case.file).replace("\n", " ").casefold()


def test_dates_that_tell_an_age_over_the_limit_break_a_case() -> None:
    case = Case("age-from-dates", "f", "", ("x",), oldest=89)
    assert case.broken("DOB: 3 May 1931. Seen 1 June 2024.") == "two dates tell an age of 93"
    assert case.broken("Born 1931. Seen 06/01/2021.") == "two dates tell an age of 90"
    assert case.broken("DOB: [DATE]. Seen 1 June 2024. Parity 1931000.") == ""
    assert case.broken("DOB: 2 June 1934. Seen 1 June 2024.") == ""
    assert case.broken("DOB: 1 June 1934. Seen 1 June 2024.") == "two dates tell an age of 90"


# -- configurations ------------------------------------------------------------------------------------------------


def test_a_leaking_configuration_fails_row_by_row(tmp_path: Path) -> None:
    config = tmp_path / "leaky.yaml"
    config.write_text(
        "reader: {text: {folder: notes}}\nengines: [segmenter, dates, ages, identifiers, resolver, masker]\n"
        "consumers: [{text: {folder: release/text}}]\n"
    )
    found = selftest(str(config), code=3)
    names = found["names-of-files", "masked texts"]
    assert (names["tried"], names["held"]) == (2, 0)  # no engine finds names
    assert "note-003: hidden value 1 stands" in found["gate-variants", "masked texts"]["failures"]


def test_a_refused_document_holds_but_not_an_ordinary_note(tmp_path: Path) -> None:
    config = tmp_path / "refuses.yaml"
    plugin = tmp_path / "refuse.py"
    plugin.write_text(
        "from caspipe.pipeline.contract.component import Annotator, component\n\n\n@component('refuse_all')\n"
        "class RefuseAll(Annotator):\n    def annotate(self, view):\n        raise ValueError\n"
    )
    config.write_text("reader: {text: {folder: notes}}\nengines: [refuse_all]\n")
    found = selftest(str(config), "--plugin", str(plugin), code=3)
    ordinary = found.pop(("selftest", "masked texts"))
    assert ordinary["failures"] == ["note-026: an ordinary note was refused"]
    assert all(one["refused"] == one["held"] == one["tried"] for one in found.values())


@pytest.mark.server
def test_runs_are_killed_and_nothing_is_written_elsewhere(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    config = tmp_path / "run.yaml"
    config.write_text(
        "reader: {text: {folder: notes}}\n"
        "engines: [segmenter, dates, ages, identifiers, names, resolver, masker, leak_gate]\n"
        f"consumers: [{{text: {{folder: release/text}}}}, {{jsonl: {{id: away, file: {elsewhere}/all.jsonl}}}}]\n"
    )
    found = selftest(str(config), "--attack", "--kills", "2", code=3)  # rules alone miss some names
    assert found["signals", "runs killed by SIGKILL and resumed"]["held"] == 2
    assert found["signals", "runs on a full disk, and resumed"]["held"] == 2
    assert found["release-scanner", "documents accounted for"]["held"] == 1
    assert found["release-scanner", "damaged files"]["held"] == 1
    assert ("release-scanner", "not attacked, as they write elsewhere: away") in found
    assert not elsewhere.exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.yaml"]


@pytest.mark.server
def test_the_shipped_pipeline_holds() -> None:
    selftest("deidentify-fast", "--attack", "--kills", "1", code=0)
