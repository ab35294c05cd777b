"""Pages of documents: written by a run only if they are wanted, and by `caspipe view` for one document of a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.assembly.config import read_config
from caspipe.pipeline.assembly.shipped import folder as shipped_folder
from caspipe.pipeline.assembly.shipped import names

TEXTS = {"ward/a": "Seen on 3/4/2020.", "b": "Mr. Tom Zorblatt came on 7/7/2020. Then Z o r b l a t t left."}
PIPELINE = """\
reader: {text: {folder: notes}}
engines: [segmenter, dates, names, resolver, masker, leak_gate: {repair: false}]
consumers: [text, xmi, report]
run: {workers: 0}
"""
REFUSED = 'title="PERSON, still readable: the leak gate refused the document">Z o r b l a t t</mark>'


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The output folder of a run without pages: one document released, one in quarantine."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        path = tmp_path / f"notes/{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "run.yaml").write_text(PIPELINE)
    call("run", "run.yaml", "-q", code=3)
    return tmp_path / "out"


def call(*arguments: str | Path, code: int = 0) -> str:
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


def report(run: Path) -> str:
    return (run / "restricted/report.html").read_text()


def pages(run: Path) -> list[str]:
    return sorted(p.relative_to(run).as_posix() for p in run.rglob("*.html") if p.name != "report.html")


def test_no_shipped_pipeline_writes_pages_of_documents() -> None:
    configs = [shipped_folder() / f"{name}.yaml" for name in names()]
    consumers = {step.name for config in configs for step in read_config(config).consumers}
    assert "xmi" in consumers and "html" not in consumers


def test_a_run_writes_pages_only_if_they_are_wanted(run: Path) -> None:
    assert pages(run) == []
    assert "<code>caspipe view</code>" in report(run) and "href" not in report(run)
    call("run", "run.yaml", "-q", "--html", code=3)
    assert pages(run) == ["restricted/html/index.html", "restricted/html/ward/a.html"]
    assert '<a href="html/index.html">Pages of the documents</a>' in report(run)
    assert "<code>caspipe view</code>" not in report(run)


def test_a_pipeline_that_writes_pages_writes_them_once(run: Path) -> None:
    Path("run.yaml").write_text(PIPELINE.replace("xmi, ", "html: {folder: restricted/seen}, "))
    call("run", "run.yaml", "-q", "--html", code=3)
    assert pages(run) == ["restricted/seen/index.html", "restricted/seen/ward/a.html"]
    assert 'href="seen/index.html"' in report(run)


@pytest.mark.usefixtures("run")
def test_a_file_that_includes_another_can_add_a_consumer() -> None:
    Path("base.yaml").write_text(PIPELINE)
    Path("more.yaml").write_text("include: base.yaml\nset: {consumers.html: {folder: restricted/seen}}\n")
    steps = read_config("more.yaml").consumers
    assert [(s.name, s.given) for s in steps][-1] == ("html", {"folder": "restricted/seen"})
    assert [s.name for s in steps] == ["text", "xmi", "report", "html"]


def test_a_consumer_that_does_not_exist_is_named(run: Path) -> None:
    said = call("run", "run.yaml", "--set", "consumers.htlm={}", code=2)
    assert "'htlm'" in said and "did you mean html?" in said


def test_view_writes_the_page_of_a_document_of_a_run(run: Path) -> None:
    said = call("view", run, "ward/a").strip()
    assert said == str(run / "restricted/pages/000002.html")
    page = Path(said)
    assert page.stat().st_mode & 0o77 == 0 and page.parent.stat().st_mode & 0o77 == 0
    shown = page.read_bytes()
    assert call("view", run, "2").strip() == said
    assert call("view", run, "ward/a", "-o", "mine.html").strip() == "mine.html"
    assert Path("mine.html").read_bytes() == shown
    call("run", "run.yaml", "-q", "--html", code=3)
    written = (run / "restricted/html/ward/a.html").read_bytes()
    assert written.partition(b"</h1>")[2] == shown.partition(b"</h1>")[2] != b""  # before it: the link to the list


def test_view_shows_the_page_that_the_run_wrote(run: Path) -> None:
    call("run", "run.yaml", "-q", "--html", code=3)
    page = run / "restricted/html/ward/a.html"
    assert call("view", run, "ward/a").strip() == str(page)
    assert not (run / "restricted/pages").exists()
    page.write_text("another")
    assert call("view", run, "ward/a").strip() == str(run / "restricted/pages/000002.html")
    page.unlink()
    assert call("view", run, "ward/a").strip() == str(run / "restricted/pages/000002.html")


def test_view_shows_why_a_document_is_in_quarantine(run: Path) -> None:
    page = Path(call("view", run, "b").strip())
    assert page == run / "restricted/pages/000001.html"
    assert page.read_text().count(REFUSED) == 2  # in the original and in the masked text


def test_view_names_what_is_missing(run: Path) -> None:
    told = "DOCUMENT: the run has no document with this id or number; restricted/names.csv lists the ids"
    for name in "ward/b", "3", "0", "9" * 30:
        assert told in " ".join(call("view", run, name, code=2).split())
    told = "DOCUMENT: expected the id or the number of a document of the run"
    assert told in " ".join(call("view", run, code=2).split())
    told = "DOCUMENT: expected only with the output folder of a run"
    assert told in " ".join(call("view", "notes/b.txt", "b", code=2).split())
    Path("run.yaml").write_text(PIPELINE.replace("xmi, ", ""))
    call("run", "run.yaml", "-q", code=3)
    said = " ".join(call("view", run, "ward/a", code=4).split())
    assert "document 2: no XMI with its original text" in said and "run it with --html" in said
