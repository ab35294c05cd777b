"""The switch to surrogates, through real runs: the command, a configuration, Python and the service."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.masking.operators.pseudonym import Pseudonym
from caspipe.annotators.masking.operators.shift import Shift
from caspipe.annotators.masking.operators.zip3 import Zip3
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.application.service.settings import Spec
from caspipe.pipeline.errors import ConfigError, ResourceError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas, Phi, PhiKind

KEY = "a-key-of-more-than-thirty-two-characters"
NOTE = """Patient: John Smith
MRN: 00412345
DOB: 03/04/1951
Seen 02/01/2024 by Dr. Mary Quellmore. Mr. Smith is a 72-year-old man.
Call (617) 867-5309. SMITH, JOHN lives at 12 Main Street, Boston, MA 02115.
"""
CONFIG = """
reader: {text: {folder: notes}}
engines:
  - segmenter
  - aggregate: {id: rules, engines: [dates, ages, identifiers, names]}
  - resolver: {priority: [rules]}
  - masker:
      DATE: {shift: {days: [-365, 365], key: "${CASPIPE_KEY:-}"}}
      AGE: {age: {threshold: 89}}
      default: placeholder
  - leak_gate
consumers: [{text: {folder: release/text}}]
run: {workers: 0}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "notes").mkdir()
    for number in range(4):
        (tmp_path / f"notes/{number}.txt").write_text(NOTE.replace("12345", f"1234{number}"))
    (tmp_path / "run.yaml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CASPIPE_KEY", raising=False)
    return tmp_path


def call(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, [*arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def released(folder: Path) -> list[bytes]:
    return sorted(path.read_bytes() for path in folder.glob("**/release/text/**/*.txt"))


@pytest.mark.attack("surrogates")
def test_one_switch_writes_surrogates_for_all_kinds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASPIPE_KEY", KEY)
    code, said = call("run", "run.yaml", "--surrogates", "--set", "run.output=there")
    assert code == 0, said
    texts = released(folder / "there")
    assert len(texts) == 4
    for text in map(bytes.decode, texts):
        assert "[" not in text
        assert "72-year-old" in text
        for old in (
            "John",
            "Smith",
            "SMITH",
            "004123",
            "03/04/1951",
            "Quellmore",
            "867-5309",
            "Main",
            "Boston",
            "02115",
        ):
            assert old not in text
        name = re.search(r"Patient: (\w+) (\w+)", text)
        assert name
        assert f"Mr. {name[2]} is" in text
        assert f"{name[2]}, {name[1]} lives".upper() in text.upper()


@pytest.mark.attack("surrogates")
def test_without_a_key_the_switch_says_what_is_missing_and_releases_nothing(folder: Path) -> None:
    code, said = call("run", "run.yaml", "--surrogates", "--set", "run.output=there")
    assert code != 0
    said = " ".join(said.split())
    assert (
        "masker: surrogates need a key: set CASPIPE_KEY if the configuration says ${CASPIPE_KEY:-}, or give key: file:PATH"
        in said
    )
    assert not released(folder / "there")


def test_the_output_has_the_same_bytes_for_any_number_of_workers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASPIPE_KEY", KEY)
    for workers in ("0", "2"):
        code, said = call(
            "run", "run.yaml", "--surrogates", "-q", "--workers", workers, "--set", f"run.output=w{workers}"
        )
        assert code == 0, said
    assert released(folder / "w0") == released(folder / "w2") != []


@pytest.mark.attack("surrogates")
def test_python_and_the_service_have_the_same_switch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASPIPE_KEY", KEY)
    by_override = Pipeline.load("run.yaml", ["masker.surrogates=true"]).process(Cas(NOTE, id="1")).deidentified
    written = CONFIG.replace("- masker:\n", "- masker:\n      surrogates: true\n")
    assert Pipeline.parse(written).process(Cas(NOTE, id="1")).deidentified == by_override
    assert "John" not in by_override
    assert "[" not in by_override
    spec = Spec(config="run.yaml", overrides=("masker.surrogates=true",))
    assert Pipeline.load(spec.config, spec.overrides).process(Cas(NOTE, id="1")).deidentified == by_override


def test_a_masker_without_a_keyed_operator_is_a_fault_of_the_configuration() -> None:
    with pytest.raises(ConfigError) as told:
        Pipeline.parse(
            "engines: [dates, resolver, masker: {surrogates: true}]".replace("masker: {", "{masker: {").replace(
                "}]", "}}]"
            )
        )
    assert "surrogates: expected an operator with a key, such as DATE: {shift: {key: ...}}; found none" in str(
        told.value
    )


def test_operators_that_a_site_chose_stay() -> None:
    kinds = {PhiKind.DATE: Shift(key=KEY), PhiKind.LOCATION_ZIP: Zip3(), PhiKind.ID: Pseudonym(key=KEY)}
    masker = Masker(kinds=kinds, surrogates=True)
    cas = Cas("Smith 02139 AB-1 3/4/2020", id="d")
    for begin, end, kind in ((0, 5, "PERSON"), (6, 11, "LOCATION_ZIP"), (12, 16, "ID"), (17, 25, "DATE")):
        cas.add(Phi(begin, end, kind=PhiKind.of(kind)))
    masker.open()
    masker.process(cas)
    assert re.fullmatch(r"[A-Z]\w+ 021 \[ID \w{8}\] \d+/\d+/20\d\d", cas.deidentified)


def test_a_missing_key_is_told_when_the_masker_opens() -> None:
    with pytest.raises(ResourceError, match="surrogates need a key"):
        Masker(kinds={PhiKind.DATE: Shift()}, surrogates=True).open()
