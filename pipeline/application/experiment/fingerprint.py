"""Hashes of everything that a job depends on. If any of them changes, the job is repeated."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ....consumers import scoring
from ....typesystem import GOLD_VIEW, Cas, KnownPhi, Phi, PhiKind
from ...assembly.steps import Step
from ...contract import registry
from ...storage.yaml_source import Text


def digest(value: Any) -> str:
    """Return a hash of plain data, equal for equal data."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def of_document(cas: Cas) -> str:
    """Return a hash of a document's id, text, reference annotations and known PHI. It reveals neither text nor values."""
    gold = [[p.begin, p.end, p.kind.name] for p in cas.view(GOLD_VIEW).select(Phi)]
    text = hashlib.sha256(cas.text.encode("utf-8", "surrogatepass")).hexdigest()
    known = [[k.kind.name, k.value, k.provenance, k.role] for k in cas.select(KnownPhi)]
    return digest([cas.id, text, gold, *([known] if known else [])])


def of_step(step: Step, role: str) -> list[Any]:
    """Return a component as data: name, id, parameters, the content of files it names, and its code."""
    return [step.name, step.id, _settled(step.given), _code_of(step.name, role)]


_DRAWING = ("drawing.py", "plots.py")


def of_scoring() -> str:
    """Return a hash of the code that counts hits. The code of figures is not part of it: a new figure repeats no job."""
    folder = Path(inspect.getfile(scoring)).parent
    files = [file for file in sorted(folder.rglob("*.py")) if file.name not in _DRAWING]
    return digest([_code(str(file)) for file in (*files, Path(inspect.getfile(PhiKind)))])


def _settled(value: Any) -> Any:
    if isinstance(value, Text):
        path = value.base / value
        return [str(value), _content(str(path))] if value and path.exists() else str(value)
    if isinstance(value, Mapping):
        return {str(k): _settled(v) for k, v in value.items()}
    return [_settled(v) for v in value] if isinstance(value, list | tuple) else value


_BESIDE = re.compile(r"^from \.(\w+)", re.MULTILINE)


@cache
def _content(path: str) -> str:
    """Return a hash of a file's bytes, or of names, sizes and times below a folder."""
    place = Path(path)
    if place.is_file():
        return hashlib.sha256(place.read_bytes()).hexdigest()
    stats = [(str(p.relative_to(place)), p.stat()) for p in sorted(place.rglob("*")) if p.is_file()]
    return digest([[name, stat.st_size, stat.st_mtime_ns] for name, stat in stats])


@cache
def _code_of(name: str, role: str) -> str:
    """Return a hash of a component's code: all files of its package if the package is its own, else its file and the packages
    beside it that this file names (the resolver's strategies)."""
    file = Path(inspect.getfile(registry.find(name, role)))
    alone = file.parent.name in ("annotators", "readers", "consumers") or not (file.parent / "__init__.py").exists()
    if not alone:
        return _code(str(file.parent))
    named = _BESIDE.findall(file.read_text(encoding="utf-8"))
    beside = sorted({str(file.parent / name) for name in named if (file.parent / name).is_dir()})
    return digest([_code(str(file)), *map(_code, beside)])


@cache
def _code(path: str) -> str:
    place = Path(path)
    files: Iterable[Path] = [place] if place.is_file() else sorted(place.rglob("*.py"))
    return digest([[f.name, hashlib.sha256(f.read_bytes()).hexdigest()] for f in files])
