"""What a plug-in imports counts as the plug-in itself does: by content, without anything being imported for it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from caspipe.pipeline.assembly import dependencies
from caspipe.pipeline.assembly.dependencies import fingerprint
from caspipe.pipeline.assembly.plugin_imports import followed
from caspipe.pipeline.contract import registry
from caspipe.pipeline.pipeline import Pipeline

PLUGIN = "t_imports_plugin"
CASES = {
    "import t_imports_words": "t_imports_words.py",
    "import sys; import t_imports_words as words": "t_imports_words.py",
    "from t_imports_words import WORDS": "t_imports_words.py",
    "def later():\n    import t_imports_words": "t_imports_words.py",
    "try:\n    import t_imports_words\nexcept ImportError:\n    pass": "t_imports_words.py",
    "import t_imports_package": "t_imports_package/inner/words.py",
    "from t_imports_package.inner import words": "t_imports_package/words.txt",
    "import t_imports_bare.words": "t_imports_bare/words.py",
    "from t_imports_bare import words": "t_imports_bare/words.py",
    "from t_imports_bare import relative": "t_imports_bare/words.py",
    "from t_imports_bare.deeper import relative": "t_imports_bare/words.py",
    "import t_imports_chain": "t_imports_words.py",
}
FILES = {
    "t_imports_words.py": "WORDS = []\n",
    "t_imports_chain.py": "import t_imports_chain\nfrom t_imports_package.inner import more\n",
    "t_imports_package/__init__.py": "",
    "t_imports_package/words.txt": "",
    "t_imports_package/inner/__init__.py": "",
    "t_imports_package/inner/words.py": "",
    "t_imports_package/inner/more.py": "from . import words\nfrom t_imports_words import *\n",
    "t_imports_bare/words.py": "",
    "t_imports_bare/relative.py": "from . import words\n",
    "t_imports_bare/deeper/relative.py": "from ..words import __name__ as name\n",
    "t_imports_other.py": "",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if "t_imports" in name:
            del sys.modules[name]


def of(*overrides: str) -> str:
    return fingerprint(Pipeline.parse("engines: [segmenter]", overrides))


def plugged(folder: Path, text: str) -> Path:
    file = folder / f"{PLUGIN}.py"
    file.write_text(f"{text}\n", encoding="utf-8")
    registry.load_file(str(file))
    return file


@pytest.mark.parametrize("line", CASES)
def test_what_a_plug_in_imports_counts(here: Path, line: str) -> None:
    plugged(here, line)
    before = of()
    (here / "t_imports_other.py").write_text("x = 1\n", encoding="utf-8")
    assert of() == before
    file = here / CASES[line]
    was = file.read_text(encoding="utf-8")
    file.write_text(f"{was}# changed\n", encoding="utf-8")
    assert of() != before
    file.write_text(was, encoding="utf-8")
    assert of() == before


def test_what_is_imported_later_changes_nothing(here: Path) -> None:
    plugged(here, "def later():\n    import t_imports_chain, t_imports_bare.relative")
    before = of()
    sys.modules[f"caspipe_plugin_{PLUGIN}"].later()
    assert "t_imports_bare.relative" in sys.modules
    assert of() == before


def test_nothing_is_imported_for_it(here: Path) -> None:
    plugged(here, "def later():\n    import t_imports_chain, t_imports_bare.deeper.relative, t_imports_absent.x")
    of()
    assert not {
        name for name in sys.modules if name.startswith("t_imports") and getattr(sys.modules[name], "__file__", 0)
    }


def test_what_is_installed_counts_by_version(here: Path) -> None:
    file = plugged(here, "import numpy.linalg, yaml, os.path, caspipe.typesystem")
    modules, installed = followed([(file, "")])
    assert not modules
    assert installed["numpy"] == __import__("numpy").__version__
    assert len(installed["yaml"]) == 64  # the distribution has another name
    assert set(installed) == {"numpy", "yaml"}


def test_the_same_in_another_place_and_process(here: Path, tmp_path: Path) -> None:
    file = plugged(here, "import t_imports_chain, t_imports_bare.relative, numpy")
    elsewhere = tmp_path / "elsewhere"
    for name in [*FILES, file.name]:
        (elsewhere / name).parent.mkdir(parents=True, exist_ok=True)
        (elsewhere / name).write_bytes((here / name).read_bytes())
    code = (
        f"import sys; sys.path.insert(0, {str(elsewhere)!r}); "
        "from caspipe.pipeline import Pipeline; from caspipe.pipeline.contract import registry;"
        f"from caspipe.pipeline.assembly.dependencies import fingerprint; registry.load_file({str(elsewhere / file.name)!r});"
        "print(fingerprint(Pipeline.parse('engines: [segmenter]')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in sys.modules if name.startswith("caspipe_plugin_") and not name.endswith(PLUGIN)}
    kept = {name: sys.modules.pop(name) for name in loaded}
    try:
        assert done.stdout.strip() == of()
    finally:
        sys.modules.update(kept)


@pytest.mark.parametrize(
    ("library", "counts"), [("numpy", True), ("google-re2", True), ("python", True), ("caspipe", False)]
)
def test_versions_of_libraries_count(monkeypatch: pytest.MonkeyPatch, library: str, counts: bool) -> None:
    before = of()
    found = dependencies.versions()
    monkeypatch.setattr(dependencies, "versions", lambda: {**found, library: "0.1"})
    assert (of() != before) is counts


def test_a_bugfix_of_python_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    before = of()
    found = dependencies.versions()
    monkeypatch.setattr(dependencies, "versions", lambda: {**found, "python": f"{found['python']}.1"})
    assert of() == before
