"""Bad input, end to end: configurations, overrides and folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner
from whole_runs import NOTE, put, run

from caspipe.pipeline import Pipeline
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.assembly.shipped import locate
from caspipe.pipeline.errors import ConfigError

pytestmark = pytest.mark.filterwarnings("ignore:.*has no key:UserWarning")

BAD_CONFIGS = {
    "malformed": ("engines:\n  - a: [1, 2\nrun: {}\n", "3: malformed YAML: did not find expected ',' or ']'"),
    "a tab": ("engines:\n\t- dates\n", "2: malformed YAML: found character that cannot start any token"),
    "an unknown section": (
        "engines: [dates]\nconsumer: [text]\n",
        "2: consumer: no such section; did you mean consumers?",
    ),
    "an unknown parameter": (
        "engines:\n  - dates: {langage: en}\n",
        "2: dates.langage: no such parameter; did you mean",
    ),
    "an unknown operator": ("engines:\n- dates\n- masker:\n    DATE: shfit\n", "did you mean shift?"),
    "an unknown kind": ("engines:\n- dates\n- masker:\n    DAET: keep\n", "4: masker.DAET: no PHI kind called 'DAET'"),
    "a wrong type": ("engines: [dates]\nrun:\n  limit: many\n", "3: run.limit: expected whole number, got 'many'"),
    "a component in the wrong place": (
        "engines:\n  - report\n",
        "2: engines: report is a consumer: it goes under consumers",
    ),
    "no list": ("engines: dates\n", "1: engines: expected a list of components"),
    "a list of nothing": ("engines:\n  - \n", "2: engines.0: expected a component"),
    "python objects": ("engines: !!python/object/apply:os.getcwd []\nx: 1\n", "2: x: no such section"),
    "two documents": ("engines: [dates]\n---\nengines: []\n", "malformed YAML"),
    "a variable that is not set": (
        'name: "${NO_SUCH_VARIABLE_HERE}"\n',
        "environment variable NO_SUCH_VARIABLE_HERE is not set",
    ),
    "an include that is not there": (
        "engines:\n  - include: nowhere.yaml\n",
        "2: engines.0.include: include nowhere.yaml: no such",
    ),
    "an include of itself": ("engines:\n  - include: bad.yaml\n", "cyclic include: bad.yaml -> bad.yaml"),
    "a cycle of includes": ("engines:\n  - include: ring.yaml\n", "cyclic include: bad.yaml -> ring.yaml -> bad.yaml"),
    "multiplying aliases": (
        "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
        + "".join(f"{n}: &{n} [{', '.join([f'*{m}'] * 10)}]\n" for m, n in zip("abcdef", "bcdefg", strict=True)),
        "more than 100000 values",
    ),
    "an alias within itself": ("engines: &a [*a]\n", "bad.yaml"),
    "deep nesting": ("engines: " + "[" * 5000 + "]" * 5000 + "\n", "bad.yaml"),
    "resources that are a list": ("resources: [a]\nengines: [dates]\n", "1: resources"),
    "a component without a name": ("engines: [':']\n", "engines"),
    "a number of 5000 digits": ("engines: [dates]\nrun: {limit: " + "9" * 5000 + "}\n", "2: run.limit"),
    "a name that is a mapping": ("name: {a: b}\nengines: [dates]\n", "1: name"),
    "an id that is a list": ("engines:\n  - dates: {id: [a]}\n", "2: dates"),
    "a yes for a number": ("engines: [dates, resolver, {masker: {AGE: {age: {threshold: true}}}}]\n", "threshold"),
    "a veto over nobody": (
        "engines: [segmenter, {terms: {lexicon: medical}}, names, {veto: {sources: [nams]}}]\n",
        "no component or aggregate called 'nams'",
    ),
}
"""What is wrong: the YAML and a part of what must be said."""


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD_CONFIGS)
def test_a_wrong_configuration_ends_with_exit_code_2_and_says_where(tmp_path: Path, name: str) -> None:
    text, said = BAD_CONFIGS[name]
    (tmp_path / "bad.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "ring.yaml").write_text("engines:\n  - include: bad.yaml\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["run", str(tmp_path / "bad.yaml"), "--set", f"run.output={tmp_path / 'out'}"])
    assert isinstance(result.exception, SystemExit), f"a traceback: {type(result.exception).__name__}"
    assert result.exit_code == 2
    assert said in result.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "override", ["", "=", "run=5", "run.limit=[1", "reader=x", "nobody.x=1", "dates=1", "run.limit=" + "9" * 5000]
)
def test_a_wrong_override_is_a_configuration_error(override: str) -> None:
    with pytest.raises(ConfigError):
        Pipeline.load(locate("deidentify"), [override])


def test_bytes_that_are_no_utf_8_in_a_configuration_are_told_by_their_place(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_bytes(b"engines: [dates] # \xff\n")
    result = CliRunner().invoke(app, ["run", str(tmp_path / "bad.yaml")])
    assert result.exit_code == 2
    assert "expected UTF-8, found an invalid byte at 19" in result.output


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("nowhere", "expected a folder, found none at"),
        ("in/a.txt", "expected a folder, found"),
        (".", "no file matches"),
    ],
)
def test_an_input_folder_that_is_none_ends_the_run_before_it_begins(tmp_path: Path, folder: str, said: str) -> None:
    put(tmp_path, {"a.txt": NOTE.encode()})
    arguments = ("--set", f"reader.text.folder={tmp_path / folder}", "--set", "reader.text.pattern=*.nothing")
    result = run(tmp_path, {}, *arguments)
    assert result.code == 4
    assert said in result.said
    assert not result.out.exists()
