"""What a command imports before its first document: most of its start."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import ValidationError

from caspipe.pipeline.contract import leaf_values, registry
from caspipe.pipeline.storage.yaml_source import Text

PROBE = """
import sys
from caspipe.pipeline.pipeline import Pipeline
cas = Pipeline.parse("engines: [segmenter, dates, ages, identifiers]").process("Seen on 3/4/2020, aged 64.")
assert len(cas.select("caspipe.Phi")) == 2
print(*sorted(sys.modules))
"""
NOT_NEEDED = [
    "pydantic",
    "typer",
    "rich",
    "lxml",
    "cassis",
    "dateutil",
    "scipy",
    "sklearn",
    "torch",
    "caspipe.readers",
    "caspipe.consumers",
    "caspipe.annotators.neural",
    "caspipe.annotators.sequence",
    "caspipe.typesystem.xmi.reader",
]


@pytest.mark.slow
def test_rules_start_without_what_they_do_not_use() -> None:
    run = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert [name for name in NOT_NEEDED if name in loaded] == []


COMMAND = """
import sys
from caspipe.pipeline.application.cli.main import main
sys.argv = ["caspipe", "run", "rules.yaml", "notes", "--output", "out", "-w", "0", "--quiet"]
try:
    main()
finally:
    print(*sorted(sys.modules))
"""
NOT_NEEDED_BY_A_RUN = ["pydantic", "scipy", "sklearn", "stdnum", "lxml", "jinja2", "cassis", "torch"]
NOT_NEEDED_BY_A_RUN += [name for name in NOT_NEEDED if name.startswith("caspipe.") and name.count(".") > 1]


@pytest.mark.slow
def test_a_run_of_rules_imports_only_what_it_uses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = (Path(__file__).resolve().parents[2] / "benchmarks" / "cold" / "rules.yaml").read_text(encoding="utf-8")
    more = "reader: {text: {folder: notes}}\nconsumers: [text: {folder: release}]\n"
    (tmp_path / "rules.yaml").write_text(rules + more, encoding="utf-8")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "note.txt").write_text("Seen on 3/4/2020 by Dr. Smith, aged 64.", encoding="utf-8")
    monkeypatch.setenv("CASPIPE_CACHE", str(tmp_path / "cache"))
    texts = []
    for _ in range(2):  # the second run uses what the first one kept
        run = subprocess.run([sys.executable, "-c", COMMAND], capture_output=True, text=True, check=False, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
        [released] = (tmp_path / "out" / "release").glob("*.txt")
        texts.append(released.read_text(encoding="utf-8"))
        shutil.rmtree(tmp_path / "out")
    loaded = set(run.stdout.split())
    assert [name for name in NOT_NEEDED_BY_A_RUN if name in loaded] == []
    assert texts[0] == texts[1] and "Smith" not in texts[0]
    assert sorted(folder.name for folder in (tmp_path / "cache").iterdir()) == ["lexicon", "regexes", "rules"]


def test_the_component_index_is_current() -> None:
    script = Path(__file__).resolve().parents[2] / "scripts" / "build_component_index.py"
    run = subprocess.run(
        [sys.executable, "-c", f"import runpy; print(runpy.run_path({str(script)!r})['text'](), end='')"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert registry.INDEX.read_text(encoding="utf-8") == run.stdout, "run python scripts/build_component_index.py"


def test_a_component_missing_from_the_index_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_index", dict)
    registry._import_declaring.cache_clear()
    assert registry.find("ages").name == "ages"


class Kept:
    """What `pydantic` makes of a value."""

    def __new__(cls, hint: Any, value: Any) -> Any:
        return leaf_values.leaf_adapter(hint).validate_python(value)


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (str, "a"),
        (int, 3),
        (float, 3),
        (float, 0.5),
        (bool, True),
        (Path, "a/b"),
        (Literal["a", "b"], "b"),
        (list[str], ["a", "b"]),
        (list[str], []),
        (tuple[int, int], [1, 2]),
        (tuple[str, ...], ["a", "b", "c"]),
        (list[Literal["a", "b"]], [Text("a", Path())]),
    ],
)
def test_a_plain_value_is_what_pydantic_would_make_of_it(hint: Any, value: Any) -> None:
    made, expected = leaf_values.plain_value(hint, value), Kept(hint, value)
    assert made == expected
    assert type(made) is type(expected)
    if isinstance(made, list):
        assert [*map(type, made)] == [*map(type, expected)]


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (int, "3"),
        (int, True),
        (str, 3),
        (Literal["a"], "c"),
        (tuple[int, int], [1]),
        (list[int], ["1"]),
        (float, "0.5"),
    ],
)
def test_a_value_that_asks_for_more_is_left_to_pydantic(hint: Any, value: Any) -> None:
    assert leaf_values.plain_value(hint, value) is leaf_values.NOT_PLAIN


@pytest.mark.parametrize("value", [0, 2, 0.5, True, "auto", "2", None, ["auto"]])
@pytest.mark.parametrize("hint", [Literal["auto"], Literal["a", "b"], Literal["a", 2], int, str])
def test_a_number_is_not_asked_for_among_words(hint: Any, value: Any) -> None:
    if leaf_values.never_holds(hint, value):
        with pytest.raises(ValidationError):
            Kept(hint, value)
    assert leaf_values.never_holds(hint, value) is (
        hint in (Literal["auto"], Literal["a", "b"]) and type(value) in (int, float)
    )
