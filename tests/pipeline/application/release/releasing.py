"""What the tests of releases share: a run over letters of our own, its review, and the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.application.review.history import History
from caspipe.pipeline.application.review.run_documents import RunCatalogue
from caspipe.pipeline.application.review.session import AnnotatorPair, Session
from caspipe.pipeline.application.review.store import Journal, journal_path, read_journal
from caspipe.pipeline.pipeline import Pipeline

KEY = "0123456789abcdef-release"
LETTERS = {
    "a": "Seen on 3 May 2020 by Dr. Ana Ruiz in clinic. Mr. Zorblatt called. Parkinson signs on 4 May 2020.",
    "b": "Dr. Tom Berg saw her on 5 June 2020. Phone 617-555-0134.",
    "c": "Nothing but 6 June 2020 and a talk with quellmore.",
    "d": "Mr. Tom Zorblatt came on 7 July 2020. Then Z o r b l a t t left.",
}
CONFIG = """
name: letters
reader:
  text: {folder: notes}
engines:
  - segmenter
  - dates
  - identifiers
  - names
  - resolver
  - masker:
      DATE: {shift: {days: [-365, 365], key: "${RELEASE_KEY:-}"}}
      default: placeholder
  - leak_gate: {repair: false}
consumers:
  - text: {folder: release/text}
  - xmi: {folder: restricted/xmi}
run: {output: out, workers: 0}
"""


def make_run(folder: Path, letters: dict[str, str] = LETTERS, config: str = CONFIG, **limits: Any) -> Path:
    """Run the pipeline over letters, and return its output folder."""
    notes = folder / "notes"
    notes.mkdir(exist_ok=True)
    for name, text in letters.items():
        (notes / f"{name}.txt").write_text(text)
    (folder / "letters.yaml").write_text(config)
    out = folder / "out"
    overrides = [f"run.output={out}", *(f"run.{name}={value}" for name, value in limits.items())]
    Pipeline.load(folder / "letters.yaml", overrides).run()
    return out


class Reviewer:
    """A reviewer at work on a run."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def number(self, document: str) -> int:
        return self.session.catalogue.ids.index(document)

    def do(self, op: str, document: str, **values: Any) -> None:
        key = f"key-{self.session.history.number:06}-{self.session.journal.path.stem}"
        self.session.decide(op, self.number(document), key, **values)

    def add(self, document: str, words: str, kind: str = "PERSON") -> None:
        text = self.session.opened(self.number(document)).document.text
        begin = text.index(words)
        self.do("add", document, begin=begin, end=begin + len(words), kind=kind)

    def sid(self, document: str, words: str) -> str:
        opened = self.session.opened(self.number(document))
        spans = opened.table.spans.items()
        here = [sid for sid, s in spans if opened.document.text[s.begin : s.end] == words]
        return (here or [k.sid for k in opened.leaks if opened.document.text[k.begin : k.end] == words])[0]

    def reject(self, document: str, words: str) -> None:
        self.do("reject", document, span=self.sid(document, words))

    def accept(self, document: str, words: str) -> None:
        self.do("accept", document, span=self.sid(document, words))

    def done(self, document: str) -> None:
        self.do("done", document)


@contextmanager
def reviewer(run: Path, name: str = "anna", between: tuple[str, str] | None = None) -> Iterator[Reviewer]:
    """Open the review of a run."""
    catalogue = RunCatalogue(run)
    pair = None
    if between is not None:
        sides = [History(read_journal(journal_path(catalogue.home, n))[1]).documents for n in between]
        pair = AnnotatorPair(*between, (sides[0], sides[1]))
    header = {"annotator": name, "between": list(between) if between else None}
    journal = Journal(journal_path(catalogue.home, name), header)
    try:
        yield Reviewer(Session(catalogue, journal, pair=pair))
    finally:
        journal.close()


def caspipe(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments])


def released(run: Path) -> list[str]:
    """Return the released texts in reading order, whatever their names are."""
    return [path.read_text() for path in sorted((run / "release" / "text").glob("*"))]


def holding(run: Path, words: str) -> list[Path]:
    """Return the files of a release that contain words, in their names or bytes."""
    files = [p for p in (run / "release").rglob("*") if p.is_file()]
    return [p for p in files if words.encode() in p.read_bytes() or words in p.name]


def manifest(run: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((run / "release" / "manifest.json").read_bytes())
    return data
