"""Secrets: where they may come from, what is said of those that others can read, and that they are in nothing that is written."""

from __future__ import annotations

import base64
import copy
import json
import os
import pickle
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from caspipe.annotators.masking.operators.shift import Shift
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.assembly.assemble import RunOptions
from caspipe.pipeline.assembly.schema import hint_schema
from caspipe.pipeline.contract import params
from caspipe.pipeline.contract.component import Component, component
from caspipe.pipeline.contract.leaf_values import describe_type
from caspipe.pipeline.contract.type_hints import hints
from caspipe.pipeline.errors import ConfigError, ResourceError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.pipeline.running.released_names import ReleasedNames
from caspipe.pipeline.storage.file_names import pseudonym
from caspipe.pipeline.storage.secrets import Secret, SecretWarning, read_secret, secrets_of
from caspipe.typesystem import Cas, PhiKind

KEY = "Zq7-Wolverine+Sycamore/93~key"
POSIX = pytest.mark.skipif(os.name != "posix", reason="this system has no modes for owner, group and others")
TEXT = "Seen on 3/4/2020 and 5/4/2020 by Dr. Anna Berg, MRN 00417732."
CONFIG = """\
reader:
  text: {folder: notes}
engines:
  - segmenter
  - dates
  - identifiers
  - masker:
      DATE: {shift: {days: [-365, 365], key: KEY}}
      ID: {surrogate: {key: KEY}}
      default: {pseudonym: {key: KEY}}
consumers:
  - text: {folder: release/text}
  - jsonl: {fields: [id, text, spans, counts, metadata]}
  - csv
  - xmi: {folder: restricted/xmi}
  - report: {file: restricted/report.html}
run: {output: OUT, key: KEY}
"""


def key_file(folder: Path, content: str | bytes = f"{KEY}\n", mode: int = 0o600) -> Path:
    path = folder / "caspipe.key"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(mode)
    return path


def written(tmp_path: Path, key: str, text: str = CONFIG) -> Path:
    (tmp_path / "notes").mkdir(exist_ok=True)
    (tmp_path / "notes" / "a.txt").write_text(TEXT)
    path = tmp_path / "pipeline.yaml"
    path.write_text(text.replace("KEY", key).replace("OUT", str(tmp_path / "out")))
    return path


def masker(pipeline: Pipeline) -> Component:
    return pipeline.engines[-1]


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("CASPIPE_KEY", KEY)
    return monkeypatch


# -- where they come from ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ['"${CASPIPE_KEY}"', '"${CASPIPE_KEY:-}"', "file:caspipe.key", "{file: caspipe.key}"])
def test_every_form_gives_the_same_bytes_wherever_the_current_folder_is(
    tmp_path: Path, environment: pytest.MonkeyPatch, form: str
) -> None:
    key_file(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    environment.chdir(tmp_path / "elsewhere")
    masked = Pipeline.load(written(tmp_path, form)).process(Cas(TEXT, id="a")).deidentified
    by_hand = Pipeline.parse(written(tmp_path, repr(KEY)).read_text()).process(Cas(TEXT, id="a")).deidentified
    assert masked == by_hand
    assert "[DATE]" not in masked


def test_a_key_file_on_the_command_line_is_relative_to_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    (path, secret), *_ = secrets_of(
        masker(Pipeline.parse("engines: [dates, masker: {DATE: shift}]", ["masker.DATE.shift.key=file:caspipe.key"]))
    )
    assert (path, secret.reveal()) == ("kinds.DATE.key", KEY.encode())


def test_without_the_variable_there_is_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CASPIPE_KEY", raising=False)
    text = 'engines: [dates, masker: {DATE: {shift: {key: "${CASPIPE_KEY:-}"}}}]'
    assert list(secrets_of(masker(Pipeline.load(written(tmp_path, "", text))))) == []


@pytest.mark.parametrize(
    ("form", "got"),
    [("12345678901234567890", "a whole number"), ("[a, b]", "a list"), ("{path: a}", "a mapping"), ("", "nothing")],
)
def test_what_cannot_be_a_secret_is_refused_and_not_shown(tmp_path: Path, form: str, got: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Pipeline.load(written(tmp_path, form, "engines:\n  - dates\n  - masker: {DATE: {shift: {key: KEY}}}\n"))
    assert str(caught.value) == (
        f'{tmp_path}/pipeline.yaml:3: masker.DATE.shift.key: expected secret in quotes: "${{VARIABLE}}", or file:PATH; got {got}'
    )


def test_parameters_of_plug_ins_hold_secrets_by_their_type(tmp_path: Path) -> None:
    @component("t_salted")
    class Salted(Component):
        """Takes salt."""

        role = "engine"
        salt: Secret | str = ""
        """Salt."""
        more: list[Secret]
        """More of it."""

    faults: list[object] = []
    made = params.build(Salted, {"salt": KEY, "more": ["file:a", {"file": "b"}]}, lambda *f: faults.append(f))
    assert faults == []
    assert [path for path, _ in secrets_of(made)] == ["salt", "more.0", "more.1"]
    assert describe_type(hints(Salted)["salt"]) == "secret"
    assert hint_schema(Secret | str, {})["anyOf"][0] == {"type": "string"}
    assert str(made.more) == "[(secret), (secret)]"


# -- what is said of them ------------------------------------------------------------------------------------------------


def told(path: Path, overrides: list[str] | None = None) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pipeline = Pipeline.load(path, overrides or [])
        for engine in pipeline.engines:
            engine.open()
    return sorted({str(w.message) for w in caught if issubclass(w.category, SecretWarning)})


def test_a_secret_in_clear_is_told_with_its_place(tmp_path: Path, environment: pytest.MonkeyPatch) -> None:
    text = "engines:\n  - dates\n  - masker:\n      DATE: {shift: {key: KEY}}\n"
    clear = 'a secret in clear: write "${CASPIPE_KEY}", or file:PATH, and keep it out of the YAML file'
    assert told(written(tmp_path, repr(KEY), text)) == [f"{tmp_path}/pipeline.yaml:4: {clear}"]
    assert told(written(tmp_path, f'"${{NO_SUCH_KEY:-{KEY}}}"', text)) == [f"{tmp_path}/pipeline.yaml:4: {clear}"]
    for fine in ('"${CASPIPE_KEY}"', "file:caspipe.key", "''"):
        key_file(tmp_path)
        assert told(written(tmp_path, fine, text)) == []


@pytest.mark.parametrize("weak", ["hospital-2026", "aaaaaaaaaaaaaaaaaaaaaaaa"])
def test_a_secret_that_can_be_guessed_is_told_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weak: str
) -> None:
    monkeypatch.setenv("CASPIPE_KEY", weak)
    text = "engines: [dates, masker: {DATE: {shift: {key: KEY}}}]\n"
    what = "characters can be guessed; `openssl rand -hex 32` makes a good one"
    (message,) = told(written(tmp_path, '"${CASPIPE_KEY}"', text))
    assert message.startswith("CASPIPE_KEY: a secret of fewer than ") and message.endswith(what)
    file = key_file(tmp_path, weak)
    (message,) = told(written(tmp_path, "file:caspipe.key", text))
    assert message.startswith(f"key file {file}: a secret of fewer than ") and weak not in message


def test_a_url_with_its_password_is_no_key_and_stays_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTES_PASSWORD", KEY)
    text = "reader: {sql: {url: 'postgresql://reader:${NOTES_PASSWORD}@db/notes', table: notes}}\nengines: []\n"
    pipeline = Pipeline.load(written(tmp_path, "", text))
    assert KEY not in json.dumps(pipeline.describe())
    clear = text.replace("${NOTES_PASSWORD}", "hunter2")
    assert told(written(tmp_path, "", clear)) == [
        f"{tmp_path}/pipeline.yaml:1: a password in clear: write ${{VARIABLE}} in its place, or as the whole URL"
    ]


def test_a_secret_on_the_command_line_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, "''", "engines:\n  - dates\n  - masker: {DATE: {shift: {key: KEY}}}\n")
    result = CliRunner().invoke(app, ["validate", str(path), "--set", f"masker.DATE.shift.key={KEY}"])
    assert "--set masker.kinds.DATE.key: a secret on the command line is seen in the list of processes" in result.stderr
    assert KEY not in result.output + result.stderr


def test_a_secret_at_a_wrong_place_is_not_shown(tmp_path: Path, environment: pytest.MonkeyPatch) -> None:
    for text in (
        "engines: [dates, masker: {key: KEY}]",
        "engines: [dates, masker: {DATE: KEY}]",
        "engines: [dates, masker: {DATE: {shift: {style: KEY}}}]",
        "engines: [dates, masker: {policy: KEY}]",
        "engines: [dates, masker: {DATE: {shift: {days: KEY}}}]",
    ):
        with pytest.raises(ConfigError) as caught:
            Pipeline.load(written(tmp_path, '"${CASPIPE_KEY}"', text))
        assert KEY not in str(caught.value), text


# -- files -----------------------------------------------------------------------------------------------------------------


@POSIX
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o644, 0o666])
def test_a_key_file_that_others_can_use_is_refused(tmp_path: Path, mode: int) -> None:
    path = key_file(tmp_path, mode=mode)
    with pytest.raises(ResourceError) as caught:
        read_secret(path)
    assert str(caught.value) == (
        f"key file {path}: others than its owner may use it (mode {mode:04o}): expected 0600, as after chmod 600"
    )


def test_key_files_that_hold_no_secret_are_refused(tmp_path: Path) -> None:
    for content, what in (
        ("", "found nothing"),
        (" \n", "found nothing"),
        ("x" * 70_000, "found more than 65,536 bytes"),
    ):
        path = key_file(tmp_path, content)
        with pytest.raises(ResourceError, match=what):
            read_secret(path)
    with pytest.raises(ResourceError, match="No such file"):
        read_secret(tmp_path / "none")


def test_editors_may_end_the_line_or_mark_the_encoding(tmp_path: Path) -> None:
    for content in (KEY, f"{KEY}\n", f"{KEY}\r\n", f"\ufeff{KEY}\r\n"):
        assert read_secret(key_file(tmp_path, content)) == KEY.encode()


def test_a_file_is_read_when_a_run_begins_and_not_before(tmp_path: Path) -> None:
    given = {"key": f"file:{tmp_path / 'caspipe.key'}"}
    options = params.build(RunOptions, given, lambda *f: pytest.fail(str(f)))
    names = ReleasedNames.of(options)
    with pytest.raises(ResourceError, match="No such file"):
        names.name(1, "Berg")
    key_file(tmp_path)
    assert names.name(1, "Berg") == pseudonym("Berg", KEY)


# -- that nobody sees them ---------------------------------------------------------------------------------------------


def test_a_secret_is_no_string_and_shows_nowhere() -> None:
    secret = Secret(KEY, origin="CASPIPE_KEY")
    shown = [
        repr(secret),
        str(secret),
        f"{secret}",
        repr([secret]),
        repr(Shift(key=KEY)),
        repr(vars(Shift(key=KEY))),
    ]
    assert not [text for text in shown if KEY in text]
    with pytest.raises(TypeError):
        json.dumps(secret)
    with pytest.raises(TypeError):
        "".join([secret])  # type: ignore[list-item]
    assert repr(Secret()) == "''"


def test_a_secret_travels_to_workers_and_a_file_by_its_name_only(tmp_path: Path) -> None:
    for made in (pickle.loads(pickle.dumps(Secret(KEY))), copy.deepcopy(Secret(KEY))):
        assert made.reveal() == KEY.encode()
    by_file = Secret(file=key_file(tmp_path))
    assert by_file.reveal() == KEY.encode()
    assert KEY.encode() not in pickle.dumps(by_file)
    assert pickle.loads(pickle.dumps(by_file)).reveal() == KEY.encode()


@given(st.text(max_size=30), st.text(max_size=30))
def test_what_is_drawn_for_one_purpose_is_never_drawn_for_another(one: str, other: str) -> None:
    """File names and what maskers draw are hashes of messages that cannot be equal: the first byte tells them apart."""
    secret = Shift(key=KEY).secret
    assert secret is not None
    assert secret.digest(one).hex()[:24] != pseudonym(other, KEY)


def forms(key: str) -> Iterator[bytes]:
    """A key as it might slip out: as text, in hexadecimal, in base64 at every alignment, escaped, backwards."""
    raw = key.encode()
    yield from (raw, repr(key).encode()[1:-1], json.dumps(key).encode()[1:-1], raw[::-1], raw.hex().encode())
    yield raw.hex().upper().encode()
    yield raw.decode().encode("utf-16-le")
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + raw)
        yield coded[4 if shift else 0 : -4]
        yield base64.urlsafe_b64encode(b"\0" * shift + raw)[4 if shift else 0 : -4]
    yield raw[:16]
    yield raw[-16:]


def leaks(data: bytes) -> list[bytes]:
    return [form for form in forms(KEY) if form in data]


FORMS = {
    "environment": ('"${CASPIPE_KEY}"', []),
    "file": ("file:caspipe.key", []),
    "mapping": ("{file: caspipe.key}", []),
    "clear": (repr(KEY), []),
    "command line": (
        "''",
        [
            *(f"masker.{kind}.key={KEY}" for kind in ("DATE.shift", "ID.surrogate", "default.pseudonym")),
            f"run.key={KEY}",
        ],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_nothing_that_a_run_writes_or_prints_holds_its_key(
    tmp_path: Path, environment: pytest.MonkeyPatch, form: str
) -> None:
    key, overrides = FORMS[form]
    key_file(tmp_path)
    if form != "environment":
        environment.delenv("CASPIPE_KEY")
    text = CONFIG if form != "command line" else CONFIG.replace(", key: KEY}\n\n", "}\n\n")
    path = written(tmp_path, key, text)
    (tmp_path / "notes" / "broken.txt").write_bytes(b"\xff\xfe\x00")
    sets = [word for override in overrides for word in ("--set", override)]
    result = CliRunner().invoke(app, ["run", str(path), *sets])
    assert result.exit_code in (0, 3), result.output
    printed = (result.output + result.stderr).encode()
    assert leaks(printed) == []
    files = [p for p in (tmp_path / "out").rglob("*") if p.is_file()]
    assert {p.suffix for p in files} >= {".txt", ".jsonl", ".csv", ".xmi", ".html"}
    assert [p.name for p in files if leaks(p.read_bytes())] == []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline = Pipeline.load(path, overrides)
    shown = [repr(pipeline), json.dumps(pipeline.describe())]
    shown += [repr(c) + repr(vars(c)) for c in (*pipeline.engines, *pipeline.consumers)]
    shown += [repr(part) for part in masker(pipeline).kinds.values()]  # type: ignore[attr-defined]
    assert leaks("".join(shown).encode()) == []
    assert PhiKind.DATE in masker(pipeline).kinds  # type: ignore[attr-defined]
