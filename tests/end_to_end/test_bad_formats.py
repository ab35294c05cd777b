"""Bad input of every format among good documents: the run ends, the good ones come out as ever, the bad ones say what is wrong.

The files are in bad_files.py and beside it. Each run reads a folder with two good documents and every bad file there is for its
format; what it says of each bad file is a test of its own.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from bad_files import CANARY, Bad
from bad_markup import MARKUP, TEXT
from bad_records import RECORDS
from bad_spoilt import SPOILT
from format_samples import FORMATS, Format, put

from caspipe.pipeline import Pipeline
from caspipe.pipeline.application.cli.console import print_report
from caspipe.pipeline.contract.report import RunReport

BAD: dict[str, dict[str, Bad]] = {
    name: SPOILT.get(name, {}) | MARKUP.get(name, {}) | RECORDS.get(name, {}) for name in FORMATS
}
ENGINES = ("segmenter", "dates")
CASES = [(name, file) for name, files in BAD.items() for file in files]


@dataclass
class Ran:
    """What a run said and left."""

    report: RunReport
    said: str
    out: Path

    def released(self) -> dict[str, bytes]:
        folder = self.out / "release"
        files = [p for p in sorted(folder.rglob("*")) if p.is_file() and p.name != "manifest.json"]
        return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}

    def reasons(self, file: str) -> list[str]:
        """What was said of the documents of a file."""
        place = re.compile(re.escape(f"/in/{file}") + "[:,!]")
        return [f.message for f in self.report.failures if place.search(f.message)]


def run(
    folder: Path, format_: Format, files: Mapping[str, Any], engines: Sequence[str] = ENGINES, **options: Any
) -> Ran:
    """A pipeline over files of a format, to texts and to files of that format, and all that it says."""
    put(folder / "in", files)
    steps = {
        "reader": {format_.reader: format_.parameters(folder / "in") | options},
        "engines": [*engines, {"masker": {"default": "placeholder"}}],
        "consumers": ["text", format_.consumer],
        "run": {
            "output": str(folder / "out"),
            "names": "id",
            "scan": False,
            "max_error_rate": 1,
        },  # ids are numbers of cases
    }
    said = io.StringIO()
    with (
        warnings.catch_warnings(record=True) as warned,
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
    ):
        warnings.simplefilter("always")
        pipeline = Pipeline.parse(json.dumps(steps))
        report = pipeline.run()
        print_report(report, pipeline)
    return Ran(report, "\n".join([said.getvalue(), *map(str, warned)]), folder / "out")


def _document(file: str) -> str:
    """The file that a failure names: of brat the text, beside which the fault is."""
    return f"{file.partition('.ann')[0]}.txt" if ".ann" in file else file


Runs = Callable[[str, bool], Ran]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The run of a format, without or with its bad files; each once."""
    done: dict[tuple[str, bool], Ran] = {}

    def ran(name: str, bad: bool) -> Ran:
        if (name, bad) not in done:
            files = dict(FORMATS[name].files)
            if bad:
                files |= {file: content for file, (content, *_) in BAD[name].items()}
                files |= {_document(file): TEXT.encode() for file in files if ".ann" in file and file.startswith("bad")}
            done[name, bad] = run(tmp_path_factory.mktemp(name), FORMATS[name], files)
        return done[name, bad]

    return ran


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_good_documents_alone_are_released(name: str, runs: Runs) -> None:
    ran = runs(name, False)
    assert (ran.report.exit_code, ran.report.failures) == (0, [])
    assert ran.report.documents.released == FORMATS[name].documents
    assert len(ran.released()) > FORMATS[name].documents


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FORMATS if BAD[name]])
def test_bad_files_leave_the_good_ones_as_they_were(name: str, runs: Runs) -> None:
    ran = runs(name, True)
    documents = ran.report.documents
    assert (ran.report.exit_code, ran.report.stopped) == (3, "")
    assert documents.released == FORMATS[name].documents
    assert documents.quarantined == sum(len(reasons) for _, *reasons in BAD[name].values())
    assert ran.released() == runs(name, False).released()
    kept = list((ran.out / "restricted/quarantine").glob("*.json"))
    assert len(kept) == documents.quarantined == len(ran.report.failures)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FORMATS if BAD[name]])
def test_nothing_tells_a_word_of_a_bad_file(name: str, runs: Runs) -> None:
    ran = runs(name, True)
    assert CANARY not in ran.said
    assert CANARY not in json.dumps(ran.report.to_json())
    for path in ran.out.rglob("*"):
        assert CANARY not in path.name
        assert path.is_dir() or CANARY.encode() not in path.read_bytes(), path.name


@pytest.mark.parametrize(("name", "file"), CASES)
def test_each_bad_file_has_its_reason(name: str, file: str, runs: Runs) -> None:
    _, *reasons = BAD[name][file]
    said = runs(name, True).reasons(_document(file))
    assert len(said) == len(reasons), said
    for reason, message in zip(reasons, said, strict=True):
        assert reason in message
