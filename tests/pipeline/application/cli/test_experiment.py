"""`caspipe experiment` as a person meets it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app

PLUGIN = '''
"""A corpus of somebody else's."""

from caspipe.pipeline.contract.component import CollectionReader, component
from caspipe.typesystem import GOLD_VIEW, Cas, Phi, PhiKind


@component("p_corpus")
class PluginCorpus(CollectionReader):
    """Two sentences, many times."""

    def __iter__(self):
        for i in range(6):
            cas = Cas("Seen on 3/4/2020 by nobody.", id=f"d{i}")
            cas.create_view(GOLD_VIEW, cas.text).add(Phi(8, 16, kind=PhiKind.DATE))
            yield cas
'''

CONFIG = """\
title: By the way
experiment: cross_validation
corpora: {notes: {reader: p_corpus, engines: [segmenter]}}
models: {rules: {engines: [dates]}}
folds: 2
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "corpus_plugin.py").write_text(PLUGIN, encoding="utf-8")
    (tmp_path / "small.yaml").write_text(CONFIG, encoding="utf-8")
    return str(tmp_path / "small.yaml"), str(tmp_path / "corpus_plugin.py")


def caspipe(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["experiment", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_an_experiment_runs_and_says_where_the_report_lies(files: tuple[str, str], tmp_path: Path) -> None:
    config, plugin = files
    out = caspipe(config, "--plugin", plugin, "--output", str(tmp_path / "out"), "--jobs", "1")
    assert "2 jobs done; 0 figures" in out
    assert f"Report: {tmp_path / 'out' / 'report.html'}" in out
    again = caspipe(config, "--plugin", plugin, "--output", str(tmp_path / "out"), "--jobs", "1", "--limit", "4")
    assert "2 jobs done; 0 figures" in again
    assert "4 of 6 documents of notes" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    third = caspipe(config, "--plugin", plugin, "--output", str(tmp_path / "out"), "--jobs", "1")
    assert "2 jobs done, 2 of them finished before" in third
    assert caspipe(config, "--plugin", plugin, "--output", str(tmp_path / "out"), "-q") == ""


@pytest.mark.slow
def test_a_plug_in_works_in_spawned_workers(files: tuple[str, str], tmp_path: Path) -> None:
    config, plugin = files
    code = (
        "import multiprocessing, sys\n"
        "from pathlib import Path\n"
        "if __name__ == '__main__':\n"
        "    multiprocessing.get_all_start_methods = lambda: ['spawn']\n"
        "    from caspipe.pipeline.contract import registry\n"
        "    from caspipe.pipeline.application.experiment import read_plan, run_experiment\n"
        "    registry.load_file(sys.argv[2])\n"
        "    print(run_experiment(read_plan(Path(sys.argv[1])), Path(sys.argv[3]), 2).failures)\n"
    )
    program = tmp_path / "program.py"
    program.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(program), config, plugin, str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "[]\n", done.stderr


def test_a_faulty_file_exits_with_2_and_all_faults(files: tuple[str, str]) -> None:
    config, plugin = files
    out = caspipe(config, "--plugin", plugin, "--set", "fold=2", "--set", "models.rules.engine=1", code=2)
    assert "--set fold: no such section; did you mean folds?" in out
    assert "models.rules.engine: no such key; did you mean engines?" in out


def test_repetitions_of_an_experiment_without_any_are_refused(files: tuple[str, str]) -> None:
    config, plugin = files
    out = caspipe(config, "--plugin", plugin, "--repetitions", "3", code=2)
    assert out == "--repetitions: cross_validation has no repetitions\n"


def test_what_cannot_go_on_exits_with_4(files: tuple[str, str], tmp_path: Path) -> None:
    config, plugin = files
    out = caspipe(config, "--plugin", plugin, "--set", "folds=7", "--output", str(tmp_path / "o"), code=4)
    assert out == "corpus notes: expected at least 7 documents or groups of documents for 7 parts, got 6\n"


def test_a_file_is_checked_without_a_document(files: tuple[str, str], tmp_path: Path) -> None:
    config, plugin = files
    assert caspipe(config, "--plugin", plugin, "--check") == "small: cross_validation over notes; no faults\n"
    assert "no experiment 'smal'" in caspipe("smal", code=2)


def test_the_list_names_shipped_experiments_and_kinds() -> None:
    out = caspipe("--list")
    assert "synthetic-comparison" in out
    assert "learning_curve" in out
    assert caspipe() == out
