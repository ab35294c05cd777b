"""`caspipe convert` and `caspipe view` as a person meets them."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app
from caspipe.typesystem import GOLD_VIEW, Cas, Phi, PhiKind, TypeSystem, read_xmi, save_xmi

NOTE = "Seen on 3/4/2020 by Dr. Grünwald 😀, aged 65 years.\nNo fever.\n"
SPANS = [(8, 16, "DATE"), (24, 32, "PERSON_DOCTOR"), (41, 49, "AGE")]


def call(*arguments: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Reviewed documents as XMI."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name in ("a", "b"):
        cas = Cas(NOTE, id=name)
        cas.create_view(GOLD_VIEW, NOTE).add_all([Phi(b, e, kind=PhiKind.of(k)) for b, e, k in SPANS])
        save_xmi(cas, folder / f"{name}.xmi")
    (folder / "TypeSystem.xml").write_bytes(TypeSystem().to_xml())
    return folder


def gold(folder: Path) -> dict[str, tuple[str, list[tuple[int, int, str]]]]:
    found = {}
    for path in sorted(folder.rglob("*.xmi")):
        view = read_xmi(path, lenient=True).view(GOLD_VIEW)
        found[path.stem] = view.text, [(p.begin, p.end, p.kind.name) for p in view.select(Phi)]
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "there", "back"),
    [
        ("brat", [], []),
        ("jsoncas", [], []),
        ("i2b2", ["i2b2.dialect=i2b2-2014"], []),
        ("doccano", [], []),
        ("prodigy", [], []),
        ("label_studio", ["label_studio.write=[annotations]"], []),
        ("jsonl", [], []),
    ],
)
def test_documents_go_to_another_form_and_come_back(
    way: str, there: list[str], back: list[str], corpus: Path, tmp_path: Path
) -> None:
    target = tmp_path / ("there" if way in ("brat", "jsoncas", "i2b2") else f"there.{_suffix(way)}")
    call("convert", corpus, target, "--from", "xmi", "--to", way, "-q", *_sets(there))
    call("convert", target, tmp_path / "again", "--from", way, "--to", "xmi", "-q", *_sets(back))
    expected = gold(corpus)
    found = gold(tmp_path / "again")
    assert list(found.values()) == list(expected.values())
    assert target.stat().st_mode & 0o77 == 0, "holds the original text"


def _suffix(way: str) -> str:
    return "json" if way == "label_studio" else "jsonl"


def _sets(values: list[str]) -> list[str]:
    return [part for v in values for part in ("--set", v)]


def test_columns_come_from_any_text(corpus: Path, tmp_path: Path) -> None:
    call("convert", corpus, tmp_path / "c.conll", "--from", "xmi", "--to", "conll", "-q")
    lines = (tmp_path / "c.conll").read_text(encoding="utf-8").split("\n") if (tmp_path / "c.conll").is_file() else []
    lines = lines or "\n".join(p.read_text(encoding="utf-8") for p in (tmp_path / "c.conll").iterdir()).split("\n")
    assert any("Grünwald" in line and "B-PERSON_DOCTOR" in line for line in lines)


def test_an_archive_is_a_folder(corpus: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "corpus.zip", "w") as packed:
        for path in corpus.iterdir():
            packed.write(path, path.name)
    call("convert", tmp_path / "corpus.zip", tmp_path / "again", "--from", "xmi", "--to", "xmi", "-q")
    assert gold(tmp_path / "again") == gold(corpus)


def test_a_database_is_a_url(corpus: Path, tmp_path: Path) -> None:
    base = tmp_path / "notes.db"
    with sqlite3.connect(base) as connection:
        connection.execute("create table notes (id text, text text)")
        connection.execute("insert into notes values ('n1', 'Well.')")
    connection.close()
    out = call(
        "convert", f"sqlite:///{base}", tmp_path / "x", "--from", "sql", "--to", "xmi", "--set", "sql.table=notes"
    )
    assert "1 documents read, 1 written" in out
    assert read_xmi(tmp_path / "x/n1.xmi").text == "Well."


def test_what_cannot_be_read_is_told_and_the_rest_converted(corpus: Path, tmp_path: Path) -> None:
    (corpus / "c.xmi").write_text("<broken")
    out = call("convert", corpus, tmp_path / "x", "--from", "xmi", "--to", "jsoncas", code=3)
    assert "3 documents read, 2 written, 0 quarantined, 1 skipped" in out and "c.xmi" in out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["corpus", "x"], "no quarantine: the originals still lie there"


def test_masked_text_is_never_made_up(corpus: Path, tmp_path: Path) -> None:
    out = call("convert", corpus, tmp_path / "x", "--from", "xmi", "--to", "text", code=3)
    assert "expected a view deidentified, found none" in out
    assert not list((tmp_path / "x").glob("*.txt"))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--from", "xmy", "--to", "brat"], "--from: no reader called 'xmy'; did you mean xmi?"),
        (["--from", "xmi", "--to", "brad"], "--to: no consumer called 'brad'; did you mean brat?"),
        (["--from", "synthetic", "--to", "xmi"], "--from: the reader synthetic reads no folder or file"),
        (
            ["--from", "brat", "--to", "xmi", "--typesystem", "T.xml"],
            "--typesystem: the reader brat takes no type system",
        ),
        (["--from", "xmi", "--to", "xmi", "--set", "reader.xmi.lenent=true"], "lenent: no such parameter"),
    ],
)
def test_wrong_options_are_told(given: list[str], told: str, corpus: Path, tmp_path: Path) -> None:
    assert told in call("convert", corpus, tmp_path / "x", *given, code=2)


def test_a_missing_place_is_told(tmp_path: Path) -> None:
    out = call("convert", tmp_path / "none", tmp_path / "x", "--from", "xmi", "--to", "brat", code=2)
    assert "none: no such folder or file" in out.replace("\n", "")


def test_the_page_of_a_document_shows_its_reference(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("view", corpus / "a.xmi").strip() == "a.xmi.html"
    page = tmp_path / "a.xmi.html"
    assert "All documents" not in page.read_text(encoding="utf-8"), "there is no list to go back to"
    assert "Grünwald" in page.read_text(encoding="utf-8") and page.stat().st_mode & 0o77 == 0


def test_a_text_goes_through_a_pipeline_first(tmp_path: Path) -> None:
    (tmp_path / "n.txt").write_text("Seen on 3/4/2020.")
    config = tmp_path / "c.yaml"
    config.write_text("engines: [segmenter, dates, masker]\n")
    call("view", tmp_path / "n.txt", "-c", config, "-o", tmp_path / "n.html")
    assert "[DATE]" in (tmp_path / "n.html").read_text()


def test_any_document_of_a_file_can_be_shown(tmp_path: Path) -> None:
    (tmp_path / "n.jsonl").write_text("".join(json.dumps({"id": i, "text": f"Note {i}."}) + "\n" for i in "xyz"))
    call("view", tmp_path / "n.jsonl", "--from", "jsonl", "--number", "2", "-o", tmp_path / "n.html")
    assert "Note y." in (tmp_path / "n.html").read_text()
    out = call("view", tmp_path / "n.jsonl", "--from", "jsonl", "--number", "4", code=4)
    assert "holds no document 4" in out.replace("\n", "")


def test_a_suffix_that_tells_nothing_needs_a_reader(tmp_path: Path) -> None:
    (tmp_path / "n.dat").write_text("x")
    assert "--from: expected a reader, since the suffix is none of" in call("view", tmp_path / "n.dat", code=2)
