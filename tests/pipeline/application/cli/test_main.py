"""The command line as a person meets it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import parts  # noqa: F401  (registers the test components)
import pytest
from typer.testing import CliRunner

from caspipe.pipeline.application.cli import command as commands
from caspipe.pipeline.application.cli import main
from caspipe.pipeline.application.cli.command import list_examples
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.application.cli.options import choices, consumer_names, reader_names

NOTE = "Seen on 3/4/2020 by Dr. Smith, a 65-year-old man."


def caspipe(*arguments: str, input: str | None = None, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(arguments), input=input)
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.output


def test_the_version_is_told() -> None:
    assert caspipe("--version") == f"caspipe {version('caspipe')}\n"


def test_examples_of_the_help_stand_one_below_the_other() -> None:
    lines = [line.strip() for line in caspipe("validate", "--help").splitlines()]
    assert "• caspipe validate my.yaml" in lines
    told = list_examples("Examples: `caspipe a` | `caspipe b x|y` (twice) | `c`; then `d`. Exit codes: 0; 1.")
    assert told == "Examples:\n\n- `caspipe a`\n\n- `caspipe b x|y` (twice)\n\n- `c`; then `d`\n\nExit codes: 0; 1."
    assert list_examples("Models are found in `x`. And `y`.") == "Models are found in `x`. And `y`."


def test_the_list_holds_whole_sentences() -> None:
    told = " ".join(caspipe("list").split())
    assert (
        "Reads FHIR R4 as JSON: Bundles, single resources, and bulk exports (`.ndjson`, one resource per line)." in told
    )
    assert "Reads brat standoff: text files with `.ann` files, whose text-bound annotations (`T` lines) become" in told


def test_readers_and_consumers_are_completed() -> None:
    assert reader_names("br") == ["brat"] and consumer_names("inc") == ["inception"]
    assert "masker" not in reader_names("") + consumer_names("")
    assert choices("kind", "top", "any")("t") == ["top"]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "p.yaml"
    path.write_text(
        f"""\
reader: t_reader
engines: [t_numbers, t_crash, t_phi]
consumers: [t_consumer]
run: {{output: {tmp_path / "out"}}}
""",
        encoding="utf-8",
    )
    return path


def test_run_prints_what_became_of_the_documents_and_exits_by_it(config: Path) -> None:
    out = caspipe("run", str(config), code=3)
    assert "3 documents read, 2 released, 1 quarantined, 0 skipped" in out
    assert "document 2: t_crash: KeyError" in out
    assert "two 22" not in out
    assert caspipe("run", str(config), "--set", "t_crash.word=nothing", "-q") == ""


def test_names_with_brackets_are_printed_as_they_are(config: Path) -> None:
    assert "ward [/b] [red]7: 3 documents read" in caspipe("run", str(config), "--set", "name=ward [/b] [red]7", code=3)


def test_a_faulty_configuration_exits_with_2_and_all_faults(config: Path) -> None:
    out = caspipe("run", str(config), "--set", "t_numbers.lest=2", "--set", "run.out=x", code=2)
    assert "t_numbers.lest: no such parameter; did you mean least?" in out
    assert "run.out: no such parameter" in out


def test_an_unknown_configuration_names_the_shipped_ones() -> None:
    assert "no configuration 'deidentfy'; did you mean deidentify?" in caspipe("run", "deidentfy", code=2)


def test_stop_after_counts_what_is_there(config: Path) -> None:
    out = caspipe("run", str(config), "--stop-after", "t_numbers")
    assert "3 documents, engines up to t_numbers" in out
    assert "PhiCandidate" in out
    assert "no engine called 't_nmbers'; did you mean t_numbers?" in caspipe(
        "run", str(config), "--stop-after", "t_nmbers", code=2
    )


def test_validate_assembles_and_reads_nothing(config: Path) -> None:
    assert "3 engines, 1 consumers; no faults" in caspipe("validate", str(config))
    assert not (config.parent / "out").exists()


def test_annotate_shows_spans_masks_and_speaks_json() -> None:
    assert "[3/4/2020](DATE)" in caspipe("annotate", NOTE)
    assert caspipe("annotate", "-m", input=NOTE) == "Seen on [DATE] by Dr. [PERSON], a 65-year-old man.\n"
    data = json.loads(caspipe("annotate", "--json", NOTE))
    assert {"begin": 8, "end": 16, "kind": "DATE"}.items() <= data["spans"][0].items()


def test_list_and_describe_tell_what_there_is() -> None:
    out = caspipe("list")
    assert "t_numbers" in out
    assert "Marks digits." in out
    out = caspipe("describe", "t_lexicon")
    assert "min_length" in out
    assert "shade" in out
    assert "needs: Sentence" in out
    assert "no component called 't_lexcon'; did you mean t_lexicon?" in caspipe("describe", "t_lexcon", code=2)


def test_schema_and_typesystem_are_printed_whole() -> None:
    assert json.loads(caspipe("schema"))["title"] == "caspipe pipeline"
    assert "caspipe.PhiCandidate" in caspipe("typesystem")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["annotator", "reader", "consumer"])
def test_a_new_plug_in_passes_its_own_test(kind: str, tmp_path: Path) -> None:
    out = caspipe("new", kind, f"my_{kind}", "--into", str(tmp_path))
    assert out.split()[:2] == [str(tmp_path / f"my_{kind}.py"), str(tmp_path / f"test_my_{kind}.py")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env={**__import__("os").environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "checks passed" in caspipe("check", str(tmp_path / f"my_{kind}.py"))
    assert "already exists" in caspipe("new", kind, f"my_{kind}", "--into", str(tmp_path), code=2)


def test_new_refuses_wrong_kinds_and_names(tmp_path: Path) -> None:
    assert "no kind of component 'anotator'; did you mean annotator?" in caspipe("new", "anotator", "x", code=2)
    assert "expected lower-case letters, digits and underscores" in caspipe("new", "reader", "My Reader", code=2)
    assert "name 'dates': another engine has this name" in caspipe("new", "annotator", "dates", code=2)


def test_why_tells_who_saw_what_and_who_won(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text(NOTE, encoding="utf-8")
    out = caspipe("why", "deidentify", str(note), "9")
    assert "offset 9 (line 1, column 10)" in out
    assert "final: DATE 8:16" in out
    assert "3/4/2020" not in out
    assert "3/4/2020" in caspipe("why", "deidentify", str(note), "9", "--show-text")
    assert "no component found anything here" in caspipe("why", "deidentify", str(note), "0")
    assert "offset 99 is outside the text (0 to 48)" in caspipe("why", "deidentify", str(note), "99", code=4)


def test_help_has_examples() -> None:
    for command in ("run", "annotate", "why", "new", "check", "validate", "describe", "schema"):
        assert "Example" in caspipe(command, "--help"), command


@pytest.mark.parametrize("name", main.COMMANDS)
def test_the_help_has_the_summary_of_each_command(name: str) -> None:
    module, summary = main.COMMANDS[name]
    text = main.load_command(module, name).help
    assert " ".join(text.partition("\n\n")[0].split()) == summary


def test_starting_up_imports_nothing_heavy() -> None:
    heavy = ("numpy", "sklearn", "cassis", "lxml", "phonenumbers", "re2", "pydantic")
    program = f"import caspipe.pipeline.application.cli.main, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_commands_load_no_heavy_library_before_they_need_it() -> None:
    heavy = ("sklearn", "scipy", "torch", "pandas", "matplotlib", "fastapi", "uvicorn", "cassis", "pyarrow")
    program = (
        "import importlib, sys; from caspipe.pipeline.application.cli.main import COMMANDS, __package__ as package\n"
        "for module, _ in COMMANDS.values(): importlib.import_module(f'{package}.{module}')\n"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("no_color", ["", "1"])
def test_no_color_is_respected_by_warnings_and_errors(monkeypatch: pytest.MonkeyPatch, no_color: str) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    commands.complain("no such file")
    commands._warn("no key", UserWarning, "my.py", 1)
    assert ("\x1b[3" in terminal.getvalue()) == (not no_color)
