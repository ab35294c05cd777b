"""What is in the checkout is in the package: a sub-package that setup.cfg forgets would be absent without a word."""

from __future__ import annotations

import configparser
import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOPS = ("typesystem", "pipeline", "annotators", "readers", "consumers", "configs")


def setup() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def test_every_sub_package_is_listed() -> None:
    listed = set(setup()["options"]["packages"].split())
    there = {
        "caspipe." + ".".join(init.parent.relative_to(ROOT).parts)
        for top in TOPS
        for init in (ROOT / top).rglob("__init__.py")
    }
    assert there == listed


def test_every_data_file_is_listed() -> None:
    data = setup()["options.package_data"]
    forgotten = []
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*")):
            if (
                path.is_dir()
                or path.suffix in (".py", ".pyc")
                or path.name == "py.typed"
                or "__pycache__" in path.parts
            ):
                continue
            package = next(p for p in path.parents if (p / "__init__.py").exists())
            name = "caspipe." + ".".join(package.relative_to(ROOT).parts)
            patterns = [p.strip() for p in data.get(name, "").replace("\n", ",").split(",") if p.strip()]
            inside = path.relative_to(package).as_posix()
            if not any(fnmatch.fnmatch(inside, p) for p in patterns):
                forgotten.append(f"{name}: {inside}")
    assert not forgotten
