"""`init`, `show`, `include` and loading by name work from any folder."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from caspipe.pipeline import Pipeline
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.errors import ConfigError

pytestmark = [
    pytest.mark.attack("projects"),
    pytest.mark.filterwarnings("ignore::caspipe.annotators.masking.operator.MissingKeyWarning"),
]

NOTE = "Seen on 3/4/2020 by Dr. Maria Lindqvist.\n"


def call(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, which has no configuration in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CASPIPE_KEY", raising=False)
    return tmp_path


def released(folder: Path) -> list[str]:
    return sorted(p.read_text() for p in (folder / "release/text").rglob("*.txt"))


def faults(path: Path, text: str) -> list[str]:
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        Pipeline.load(path)
    return [str(f).replace(f"{path}:", "") for f in caught.value.faults]


# -- init ----------------------------------------------------------------------------------------------------------


def test_a_new_project_runs_and_shifts_dates(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call("init", "study")
    assert sorted(p.relative_to("study").as_posix() for p in Path("study").rglob("*") if p.is_file()) == [
        ".gitignore", "README.md", "caspipe.key", "deidentify.yaml", "notes/sample.txt", "site.yaml"
    ]  # fmt: skip
    assert stat.S_IMODE(Path("study/caspipe.key").stat().st_mode) == 0o600
    monkeypatch.chdir("study")
    call("validate", "deidentify.yaml")
    Path("notes/note.txt").write_text(NOTE)
    call("run", "deidentify.yaml", "--quiet", "--set", "run.workers=0")
    texts = released(Path("out"))
    assert len(texts) == 2
    assert not any("Lindqvist" in text or "3/4/2020" in text for text in texts)
    assert any(text.startswith("Seen on ") and "[DATE]" not in text for text in texts)  # the key of the project is used


def test_two_projects_have_different_keys(elsewhere: Path) -> None:
    call("init", "one")
    call("init", "two")
    assert Path("one/caspipe.key").read_bytes() != Path("two/caspipe.key").read_bytes()


def test_nothing_is_overwritten(elsewhere: Path) -> None:
    Path("study").mkdir()
    Path("study/mine.txt").write_text("mine")
    output = call("init", "study", code=4)
    assert "study: expected a new or empty folder, found one with files" in output
    assert [p.name for p in Path("study").iterdir()] == ["mine.txt"]


# -- show ----------------------------------------------------------------------------------------------------------


def test_a_shipped_pipeline_is_printed_as_it_is(elsewhere: Path) -> None:
    printed = call("show", "deidentify")
    assert printed == Path(call("show", "deidentify", "--path").strip()).read_text()
    assert yaml.safe_load(printed)["name"] == "deidentify"


def test_a_misspelt_name_is_told_with_the_nearest_one(elsewhere: Path) -> None:
    assert "no configuration 'deidentfy'; did you mean deidentify?" in call("show", "deidentfy", code=2)


def test_the_resolved_pipeline_has_included_and_set_values_but_no_secret(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASPIPE_KEY", "zorblatt-secret-0123456789abcdef")
    Path("mine.yaml").write_text("include: deidentify-fast\nset: {crf.threshold: 0.25}\n")
    resolved = call("show", "mine.yaml", "--resolved", "--set", "masker.default=redact")
    assert "zorblatt" not in resolved
    steps = [step for step in yaml.safe_load(resolved)["engines"] if isinstance(step, dict)]
    assert {"crf": {"id": "models/crf", "model": "en-phi-crf", "threshold": 0.25}} in steps
    assert any(step.get("masker", {}).get("default") == "redact" for step in steps)


# -- include -------------------------------------------------------------------------------------------------------


def test_a_file_includes_a_shipped_pipeline(elsewhere: Path) -> None:
    Path("texts").mkdir()
    Path("texts/a.txt").write_text(NOTE)
    Path("mine.yaml").write_text("include: deidentify-fast\nreader: {text: {folder: texts}}\nrun: {workers: 0}\n")
    pipeline = Pipeline.load("mine.yaml")
    assert [e.id for e in pipeline.engines] == [e.id for e in Pipeline.load("deidentify-fast").engines]
    assert pipeline.run().documents.released == 1
    assert [text.strip() for text in released(Path("out"))] == ["Seen on [DATE] by Dr. [PERSON]."]


def test_engines_include_the_engines_of_a_shipped_pipeline(elsewhere: Path) -> None:
    Path("mine.yaml").write_text("engines:\n  - include: deidentify-fast\n")
    pipeline = Pipeline.load("mine.yaml")
    assert [e.id for e in pipeline.engines] == [e.id for e in Pipeline.load("deidentify-fast").engines]
    assert pipeline.reader is None
    assert not pipeline.consumers
    assert pipeline.process(NOTE).deidentified.strip() == "Seen on [DATE] by Dr. [PERSON]."


def test_a_file_of_the_same_name_goes_before_the_shipped_one(elsewhere: Path) -> None:
    Path("deidentify").write_text("engines: [segmenter]\n")
    Path("mine.yaml").write_text("include: deidentify\n")
    assert [e.id for e in Pipeline.load("mine.yaml").engines] == ["segmenter"]


def test_own_sections_replace_those_of_the_included_file_and_run_options_add_up(elsewhere: Path) -> None:
    Path("base.yaml").write_text(
        "engines: [segmenter]\nconsumers: [{text: {folder: release/text}}]\nrun: {output: there, workers: 0}\n"
    )
    Path("mine.yaml").write_text(
        "include: base.yaml\nconsumers: [{jsonl: {file: release/all.jsonl}}]\nrun: {limit: 3}\n"
    )
    pipeline = Pipeline.load("mine.yaml")
    assert [c.id for c in pipeline.consumers] == ["jsonl"]
    assert (pipeline.options.output, pipeline.options.workers, pipeline.options.limit) == (Path("there"), 0, 3)


def test_faults_of_includes_and_settings_name_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    assert faults(path, "include: deidentfy\n")[0].startswith("1: include: include deidentfy: no such file")
    assert faults(path, "include: deidentfy\n")[0].endswith("; did you mean deidentify?")
    assert faults(path, "include: mine.yaml\n") == ["1: include: cyclic include: mine.yaml -> mine.yaml"]
    assert faults(path, "include: [a]\n") == ["1: include: expected the name of a YAML file"]
    assert faults(path, "include: deidentify-fast\nset:\n  crff.threshold: 1\n  crf: 3\n  crf.treshold: 1\n") == [
        "3: set.crff.threshold: no component called 'crff'; did you mean crf?",
        "4: set.crf: expected a parameter after the component",
        "5: models/crf.treshold: no such parameter; did you mean threshold?",
    ]
    assert faults(path, "include: deidentify-fast\nset: [a]\n") == [
        "2: set: expected a mapping of NAME.PARAMETER to values, as after --set"
    ]


# -- from anywhere -------------------------------------------------------------------------------------------------


def test_a_shipped_pipeline_loads_by_name(elsewhere: Path) -> None:
    assert Pipeline.load("deidentify-fast").process(NOTE).deidentified.strip() == "Seen on [DATE] by Dr. [PERSON]."


def test_a_folder_or_file_to_read_follows_the_name(elsewhere: Path) -> None:
    Path("2020").mkdir()
    Path("2020/a.txt").write_text(NOTE)
    Path("2020/b.txt").write_text(NOTE)
    call("run", "deidentify-fast", "2020", "--output", "all", "--quiet")
    call("run", "deidentify-fast", "2020/a.txt", "--output", "one", "--quiet")
    assert (len(released(Path("all"))), len(released(Path("one")))) == (2, 1)
    assert "20: SOURCE: no such file or folder; did you mean 2020?" in call("run", "deidentify-fast", "20", code=2)


def test_a_source_for_several_readers_is_refused(elsewhere: Path) -> None:
    Path("notes").mkdir()
    Path("two.yaml").write_text("reader: [{text: {folder: a}}, {text: {folder: b}}]\nengines: [segmenter]\n")
    output = call("run", "two.yaml", "notes", code=2)
    assert "--set reader.folder: folder is ambiguous; expected one of reader.text-1, reader.text-2" in output


def test_every_command_that_a_project_names_exists(elsewhere: Path) -> None:
    call("init", "study")
    lines = [line for path in Path("study").glob("*.[ym]*") for line in path.read_text().splitlines()]
    commands = [re.split(r"\s{2,}|[:`]", line[line.index("caspipe ") :])[0] for line in lines if "caspipe " in line]
    named = [words.split()[1:] for words in commands if words.split()[1:]]
    assert len(named) >= 8
    for command, *rest in named:
        described = call(command, "--help")
        assert [word for word in rest if word.startswith("--") and word not in described] == [], command


def test_a_misspelled_name_of_a_shipped_pipeline_is_corrected(elsewhere: Path) -> None:
    Path("other.yaml").write_text("engines: [dates]\n")
    with pytest.raises(ConfigError, match=r"did you mean deidentify\?"):
        Pipeline.load("deidentfy")
