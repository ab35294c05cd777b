"""Damaged shipped configurations and `--set` values: the result is a pipeline, or faults with their places.

Nothing is run, fetched or written, no secret is revealed, and the time is limited. Files are found in configs/, so that new ones
are included.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cases import EDITS, case, cases
from damage import damaged, tokens
from hypothesis import given
from hypothesis import strategies as st
from secret import SECRET, tells
from watch import watched

from caspipe.annotators.patterns.rule_file import RuleFile
from caspipe.pipeline import Pipeline
from caspipe.pipeline.application.experiment.reading import read_plan
from caspipe.pipeline.assembly import shipped
from caspipe.pipeline.errors import ConfigError, Fault
from caspipe.typesystem import CaspipeWarning

pytestmark = pytest.mark.slow

CONFIGS = shipped.folder()


def _found(*patterns: str) -> list[str]:
    return sorted({p.relative_to(CONFIGS).as_posix() for pattern in patterns for p in CONFIGS.glob(pattern)})


PIPELINES = [f"{name}.yaml" for name in shipped.names()]
EXPERIMENTS = _found("experiments/*.yaml")
RULES = _found("rules/*.yaml")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """The folder of damaged configurations, next to the files that they refer to."""
    with tempfile.TemporaryDirectory() as made:
        root = Path(made).resolve() / "configs"
        for path in sorted(CONFIGS.rglob("*.yaml")):
            (root / path.relative_to(CONFIGS).parent).mkdir(parents=True, exist_ok=True)
        for at in sorted(p for p in (root, *root.rglob("*")) if p.is_dir()):
            for beside in sorted((CONFIGS / at.relative_to(root)).iterdir()):
                if not (at / beside.name).exists():
                    (at / beside.name).symlink_to(beside)
        yield root


def _plan(path: Path) -> None:
    read_plan(path)


def _pipeline(path: Path) -> None:
    Pipeline.load(path)


def _rules(path: Path) -> None:
    found, faults = RuleFile.read(str(path))
    if found is None:
        raise ConfigError(faults)
    if len(found.rules) < 40:  # each rule's examples take their time
        found.faults()


LOADERS: dict[str, tuple[list[str], Callable[[Path], None], int]] = {
    "pipelines": (PIPELINES, _pipeline, 300),
    "experiments": (EXPERIMENTS, _plan, 150),
    "rules": (RULES, _rules, 60),
}
"""The file to damage, the function that reads it, and the number of cases."""

OF_THE_FILE = (
    "expected UTF-8", "nested more than", "more than ", "cannot be read", "no such file", "malformed YAML", "expected at most",
    "expected a rule file in YAML", "invalid YAML: a character that YAML does not allow",
)  # fmt: skip
"""Beginnings of faults that no line has."""


def held(faults: list[Fault], folder: Path) -> None:
    """Every fault must name its place, and none may reveal a secret."""
    assert faults
    for fault in faults:
        said = str(fault).replace(str(folder.parent), "")
        assert not tells(said), f"a secret in a message: {fault.where}"
        assert fault.where.startswith("--set") or fault.file, f"a fault without a place: {said[:300]}"
        if fault.file not in ("", "--set", "command line") and not fault.line:
            assert fault.what.startswith(OF_THE_FILE), f"a fault without a line: {said[:300]}"


def told(run: Callable[[], None], folder: Path) -> list[Fault]:
    """The faults that are raised; no other error may be, and no warning but our own."""
    before = sorted(p for p in folder.parent.rglob("*") if not p.is_symlink())
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            with watched(folder / "nowhere"):
                run()
        except ConfigError as error:
            return error.faults
        finally:
            assert sorted(p for p in folder.parent.rglob("*") if not p.is_symlink()) == before, "something was written"
            assert not [w for w in warned if not issubclass(w.category, CaspipeWarning | UserWarning)]
            assert not [w for w in warned if tells(str(w.message))], "a secret in a warning"
    return []


@pytest.mark.parametrize("what", LOADERS)
def test_whole_ones_are_read(what: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names, load, _ = LOADERS[what]
    monkeypatch.chdir(folder)
    assert names
    for name in names:
        faults = told(lambda name=name: load(folder / name), folder)
        assert not [f for f in faults if "no model or file" not in f.what], name


@pytest.mark.parametrize("what", LOADERS)
def test_a_spoilt_one_is_read_or_its_faults_are_reported_with_their_places(
    what: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, load, count = LOADERS[what]
    monkeypatch.setenv("CASPIPE_KEY", SECRET)
    monkeypatch.chdir(folder)

    @cases(count)
    @given(number=st.integers(0, len(names) - 1), edits=EDITS)
    def whatever_stands_there(number: int, edits: list[int]) -> None:
        name = names[number]
        path = folder / Path(name).parent / "spoilt.yaml"
        path.write_bytes(damaged((CONFIGS / name).read_bytes(), "yaml", edits))
        with case(name=name, edits=edits):
            faults = told(lambda: load(path), folder)
            if faults:
                held(faults, folder)

    whatever_stands_there()


OVERRIDES = (
    "reader.text.folder=notes", "run.output=there", "run.limit=5", "models.crf.model=en-phi-svm",
    "rules.dates.language=es", "name=x", "masker.DATE=keep", "masker.default={surrogate: {key: k}}",
    "resolver.priority=[rules, crf]", "resolver.per_kind.PERSON=[crf]", "engines.crf.kinds=[PERSON]",
    "consumers.text.folder=${HOME}", "reader.csv.text_field=[a, b]", "veto.sources=[names]", "run.workers=2",
    "terms.lexicon=medical", "model-veto.keep_above=0.5", "reader.sql.url=postgresql://u:p@h/d",
)  # fmt: skip


def test_whatever_is_set_on_the_command_line_is_taken_or_told_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASPIPE_KEY", SECRET)
    monkeypatch.chdir(folder)

    @cases(150)
    @given(picked=st.lists(st.integers(0, len(OVERRIDES) - 1), min_size=1, max_size=3), edits=EDITS)
    def whatever_is_set(picked: list[int], edits: list[int]) -> None:
        first, *others = [OVERRIDES[n] for n in picked]
        path, _, value = first.partition("=")
        spoilt = f"{path}={tokens(value, edits, 'yaml')}" if edits[0] % 2 else tokens(first, edits)
        with case(override=spoilt[:2_000], others=others):
            faults = told(lambda: Pipeline.load(folder / "deidentify.yaml", [spoilt[:2_000], *others]), folder)
            if faults:
                held(faults, folder)

    whatever_is_set()
