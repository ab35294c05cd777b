"""`caspipe convert` from every format that is read to every format that is written: it ends well or says why, and what can be
read again has the same texts and spans."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from format_samples import FORMATS, put
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.contract import registry
from caspipe.pipeline.contract.component import CasConsumer, CollectionReader
from caspipe.readers.corpora.brat import BratReader
from caspipe.readers.corpora.conll import ConllReader
from caspipe.readers.corpora.doccano import DoccanoReader
from caspipe.readers.corpora.i2b2 import I2b2Reader
from caspipe.readers.corpora.label_studio import LabelStudioReader
from caspipe.readers.corpora.marked import MarkedReader
from caspipe.readers.corpora.prodigy import ProdigyReader
from caspipe.readers.tables.json_records import JsonlReader
from caspipe.readers.uima.cas_files import JsonCasReader, XmiReader
from caspipe.readers.uima.inception import InceptionReader
from caspipe.typesystem import GOLD_VIEW, Cas, CaspipeWarning, Phi

AGAIN: dict[str, tuple[str, Callable[[Path], CollectionReader]]] = {
    "brat": ("", lambda path: BratReader(folder=path)),
    "conll": (".conll", lambda path: ConllReader(files=path)),
    "doccano": (".jsonl", lambda path: DoccanoReader(files=path)),
    "i2b2": ("", lambda path: I2b2Reader(folder=path)),
    "inception": (".zip", lambda path: InceptionReader(files=path, bundle=path)),
    "jsoncas": ("", lambda path: JsonCasReader(folder=path)),
    "jsonl": (".jsonl", lambda path: JsonlReader(files=path, spans_field="spans")),
    "label_studio": (".json", lambda path: LabelStudioReader(files=path, take="predictions")),
    "marked": (".txt", lambda path: MarkedReader(files=path)),
    "prodigy": (".jsonl", lambda path: ProdigyReader(files=path)),
    "xmi": ("", lambda path: XmiReader(folder=path)),
}
"""Consumers whose files are read again: the suffix of one file, or a folder, and how."""
ONCE = {"csv": ".csv", "html": "", "report": ".html"}
MASKED = {"text": "", "e2b": "", "fhir": "", "parquet": ".parquet", "sql": ""}
"""Consumers that release masked text, and refuse documents without any."""
SCORING = {"breakdown": "", "errors": ".html"}
"""Consumers that need a reference."""
NO_FILES = (
    *(
        "crf_trainer",
        "svm_trainer",
        "tagger_trainer",
        "filter_trainer",
        "neural_trainer",
        "stacking_trainer",
        "vectors_trainer",
    ),
    *("scorer", "utility", "calibrator"),
)
"""Consumers that make no documents."""
WHOLLY = ("xmi", "brat", "sql", "e2b-r3")
"""Formats that are converted to every other one; of the rest each to two, not the same two."""
READ = [name for name in FORMATS if name not in ("meddocan", "e2b-r2", "fhir-bulk")]

Content = dict[str, tuple[str, list[tuple[str, str]]]]
"""Id -> text, and the covered text and first-level kind of each span."""


def convert(source: str, target: str, reader: str, consumer: str, *settings: str) -> tuple[int, str]:
    """Exit code and all that was said."""
    options = [part for setting in settings for part in ("--set", setting)]
    result = CliRunner().invoke(app, ["convert", source, target, "--from", reader, "--to", consumer, *options])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def content(documents: list[Cas], *, squeezed: bool) -> Content:
    """`squeezed`: without white space, of which token columns keep none."""

    def plain(text: str) -> str:
        return "".join(text.split()) if squeezed else text

    made = {}
    for cas in documents:
        view = cas.view(GOLD_VIEW) if cas.has_view(GOLD_VIEW) else cas.view()
        made[cas.id] = plain(cas.text), [(plain(phi.covered_text), phi.kind.top.name) for phi in view.select(Phi)]
    return made


def read(reader: CollectionReader) -> list[Cas]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaspipeWarning)
        reader.open()
        found = list(reader)
        reader.close()
    assert reader.failed == []
    return found


def _some(consumers: dict[str, Any], name: str, count: int) -> dict[str, Any]:
    """All consumers, or for most formats some of them, others for each."""
    first = READ.index(name) * count
    chosen = {(first + n) % len(consumers) for n in range(count)}
    return {c: how for n, (c, how) in enumerate(consumers.items()) if n in chosen or name in WHOLLY}


@dataclass
class Sample:
    """Where a sample lies, its reader, and settings that it needs."""

    name: str
    place: str
    reader: str
    settings: list[str]

    def convert(self, target: str, consumer: str) -> tuple[int, str]:
        return convert(self.place, target, self.reader, consumer, *self.settings)

    def documents(self) -> list[Cas]:
        values: dict[str, Any] = dict(s.removeprefix(f"reader.{self.reader}.").split("=") for s in self.settings)
        where = "url" if self.reader == "sql" else "files" if Path(self.place).is_file() else "folder"
        values[where] = self.place if where == "url" else Path(self.place)
        return read(registry.find(self.reader, "reader")(**values))  # type: ignore[arg-type]


@pytest.fixture
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Sample:
    format_ = FORMATS[request.param]
    put(tmp_path / "in", format_.files)
    if format_.reader == "sql":
        settings = ["reader.sql.table=notes", "reader.sql.spans_field=spans"]
        return Sample(request.param, f"sqlite:///{tmp_path}/in/notes.db", "sql", settings)
    settings = [f"reader.{format_.reader}.spans_field=spans"] if "spans_field" in format_.options else []
    path = tmp_path / "in" / ("p.zip" if format_.reader == "inception" else "")
    return Sample(request.param, str(path), format_.reader, settings)


def test_every_consumer_has_its_place_here() -> None:
    registry.discover()
    there = {
        c.name for c in registry.components() if issubclass(c, CasConsumer) and c.__module__.startswith("caspipe.")
    }
    assert there == {*AGAIN, *ONCE, *MASKED, *SCORING, *NO_FILES}
    readers = {
        c.name for c in registry.components() if issubclass(c, CollectionReader) and c.__module__.startswith("caspipe.")
    }
    assert readers == {format_.reader for format_ in FORMATS.values()} | {"augment", "synthetic", "spark_table"}


@pytest.mark.slow
@pytest.mark.parametrize("source", READ, indirect=True)
def test_what_is_converted_and_read_again_has_the_same_texts_and_spans(source: Sample, tmp_path: Path) -> None:
    before = source.documents()
    for consumer, (suffix, reader) in _some(AGAIN, source.name, 2).items():
        target = tmp_path / f"out-{consumer}{suffix}"
        code, said = source.convert(str(target), consumer)
        assert (consumer, code, said if code else "") == (consumer, 0, "")
        squeezed = consumer == "conll"
        made = content(read(reader(target)), squeezed=squeezed)
        if squeezed:  # ids stand behind the name of the file
            made = {id.partition("/")[2]: value for id, value in made.items()}
        expected = content(before, squeezed=squeezed)
        assert {id: text for id, (text, _) in made.items()} == {id: text for id, (text, _) in expected.items() if text}
        assert all(made[id] == expected[id] for id in made), consumer


@pytest.mark.slow
@pytest.mark.parametrize("source", READ, indirect=True)
def test_what_cannot_be_written_is_told_and_is_no_traceback(source: Sample, tmp_path: Path) -> None:
    for consumer, suffix in _some(ONCE, source.name, 1).items():
        assert source.convert(str(tmp_path / f"once-{consumer}{suffix}"), consumer)[0] == 0
    for consumer, suffix in _some(MASKED, source.name, 1).items():
        target = f"sqlite:///{tmp_path}/out.db" if consumer == "sql" else str(tmp_path / f"masked-{consumer}{suffix}")
        code, said = source.convert(target, consumer)
        assert code == 3
        assert "expected a view deidentified, found none; no masker ran before this consumer" in said
    reference = all(cas.has_view(GOLD_VIEW) for cas in source.documents())
    for consumer, suffix in _some(SCORING, source.name, 1).items():
        code, said = source.convert(str(tmp_path / f"scored-{consumer}{suffix}"), consumer)
        assert code == (0 if reference else 3), said
        assert reference or "has no view gold" in said


@pytest.mark.slow
@pytest.mark.parametrize("consumer", NO_FILES)
def test_consumers_that_make_no_documents_are_refused(consumer: str, tmp_path: Path) -> None:
    code, said = convert(str(tmp_path), str(tmp_path / "out"), "text", consumer)
    assert (code, said) == (2, f"--to: the consumer {consumer} writes no folder or file\n")
