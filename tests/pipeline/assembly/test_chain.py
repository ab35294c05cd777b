"""Several readers in one pipeline, and consumers that need the whole of a run."""

from __future__ import annotations

from pathlib import Path

import parts
import pytest

from caspipe.pipeline.assembly.assemble import RunOptions
from caspipe.pipeline.contract.component import Scope, component
from caspipe.pipeline.errors import ConfigError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas

TWO = """\
reader:
  - t_reader: {texts: [a 1, b 2]}
  - t_reader: {texts: [c 3], prefix: other}
engines: [t_numbers]
run: {output: %s, names: id}
"""


@component("t_whole")
class WholeConsumer(parts.CasConsumer):
    """Writes nothing unless the run came to its end."""

    scope = Scope.COLLECTION

    def open(self) -> None:
        self.ending = ""

    def process(self, cas: Cas) -> None: ...

    def close(self) -> None:
        self.ending = "closed"

    def abort(self) -> None:
        self.ending = "aborted"


def load(folder: Path, text: str, *overrides: str) -> Pipeline:
    path = folder / "p.yaml"
    path.write_text(text, encoding="utf-8")
    return Pipeline.load(path, overrides)


def test_readers_in_a_list_follow_each_other(tmp_path: Path) -> None:
    pipeline = load(tmp_path, TWO % tmp_path)
    report = pipeline.run()
    assert (report.documents.read, report.documents.released) == (3, 3)
    assert [r["id"] for r in report.config["readers"]] == ["t_reader-1", "t_reader-2"]


def test_a_document_id_that_came_before_is_a_failure(tmp_path: Path) -> None:
    report = load(tmp_path, TWO % tmp_path, "reader.t_reader-2.prefix=doc").run()
    assert (report.documents.read, report.documents.quarantined) == (3, 1)
    assert [f.cause for f in report.failures] == ["DuplicateError"]


def test_a_reader_in_a_list_is_overridden_by_its_id(tmp_path: Path) -> None:
    assert load(tmp_path, TWO % tmp_path, "reader.t_reader-2.texts=[c 3, d 4]").run().documents.read == 4
    with pytest.raises(
        ConfigError, match=r"t_reader is ambiguous; expected one of reader\.t_reader-1, reader\.t_reader-2"
    ):
        load(tmp_path, TWO % tmp_path, "reader.t_reader.texts=[]")


def test_an_empty_list_of_readers_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="reader: expected at least one reader"):
        load(tmp_path, "reader: []\nengines: [t_numbers]\n")


@pytest.mark.parametrize(
    ("options", "texts", "ending"),
    [
        ({}, ["one 1", "four 2"], "closed"),
        ({"limit": 1}, ["one 1", "four 2"], "closed"),
        ({"on_error": "stop"}, ["one 1", "two 2"], "aborted"),
        ({"on_error": "quarantine"}, ["one 1", "two 2"], "closed"),
    ],
)
def test_a_consumer_that_needs_the_whole_run_is_aborted_if_it_was_stopped(
    tmp_path: Path, options: dict[str, object], texts: list[str], ending: str
) -> None:
    consumer = WholeConsumer()
    Pipeline(
        [parts.NumberAnnotator(), parts.CrashingEngine(), parts.TrustingResolver()],
        reader=parts.ListReader(texts=texts),
        consumers=[consumer],
        options=RunOptions(output=tmp_path, **options),  # type: ignore[arg-type]
    ).run()
    assert consumer.ending == ending
