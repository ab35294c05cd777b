"""Arguments that are not given to typer's conversion: the result is the same, and pydantic is not imported."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.core import TyperCommand
from typer.testing import CliRunner

from caspipe.pipeline.application.cli import main
from caspipe.pipeline.application.cli.command import CommandApp
from caspipe.pipeline.application.cli.main import COMMANDS, load_command
from caspipe.pipeline.application.cli.plain_arguments import LONG_WAY, PlainCommand, plain_value

VALUES: list[Any] = [
    "a",
    "",
    "é",
    "7",
    "-",
    "no/such",
    "/",
    ".",
    "\udcff",
    "a\0b",
    None,
    7,
    True,
    ["a", "é"],
    [],
    ("/",),
    [7],
]


def parameters() -> list[Any]:
    """Return the parameters of all commands, one for each sort."""
    found: dict[str, Any] = {parameter.name: parameter for parameter in typer.main.get_command(main.app).params}
    for name, (module, _) in COMMANDS.items():
        command = load_command(module, name)
        for part in getattr(command, "commands", {"": command}).values():
            for parameter in part.params:
                if hasattr(parameter, "type_descriptor"):
                    sort = f"{parameter.type_descriptor!r}"
                    found.setdefault(f"{sort.partition('ParameterInfo')[0][:80]} {parameter.multiple}", parameter)
    return list(found.values())


def conversion(parameter: Any, value: Any) -> Any:
    command = TyperCommand(name="x", params=[parameter])
    context = typer.Context(command)
    try:
        return type(parameter).process_value(parameter, context, value)
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("value", VALUES, ids=ascii)
def test_a_plain_value_is_what_typer_makes_of_it(value: Any) -> None:
    shortened = 0
    for parameter in parameters():
        if parameter.required:
            continue
        plain = plain_value(parameter, value)
        if plain is not LONG_WAY:
            expected = conversion(parameter, value)
            assert (plain, type(plain)) == (expected, type(expected)), parameter.name
            shortened += 1
    if value in ("a", None, ["a", "é"]):
        assert shortened > 1


def app() -> CommandApp:
    made = CommandApp()

    @made.command()
    def show(
        source: Annotated[Path | None, typer.Argument()] = None,
        place: Annotated[Path, typer.Option(exists=True)] = Path("/"),
        number: int = 1,
        word: str = "w",
        more: Annotated[list[Path] | None, typer.Option()] = None,
    ) -> None:
        typer.echo(repr((source, place, number, word, more)))

    return made


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["."],
        ["no/such", "--word", "x", "--more", "a", "--more", "."],
        ["--number", "3"],
        ["--number", "x"],
        ["--place", "no/such"],
        ["--word", "\udcff"],
        ["--more"],
    ],
)
def test_a_command_gets_the_same_and_complains_about_the_same(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = typer.main.get_command(app())
    assert isinstance(command, PlainCommand)
    short = CliRunner().invoke(app(), arguments)
    monkeypatch.setattr("caspipe.pipeline.application.cli.plain_arguments.plain_value", lambda *_: LONG_WAY)
    long = CliRunner().invoke(app(), arguments)
    assert (short.output, short.exit_code) == (long.output, long.exit_code)


def test_a_path_that_cannot_be_read_is_left_to_typer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    result = CliRunner().invoke(app(), [str(tmp_path)])
    assert result.exit_code == 2 and "readable." in " ".join(result.output.split())
