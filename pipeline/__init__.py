"""Pipelines: the contract of components, the YAML that assembles them, and the loop that runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .contract.component import (
    AnalysisEngine,
    Annotator,
    CasConsumer,
    CollectionReader,
    Component,
    Part,
    Scope,
    Spans,
    TwoPhaseConsumer,
    component,
    part,
)
from .contract.handle import Handle
from .contract.leaks import refuse_leaks
from .contract.output import Output
from .contract.resources import Resource

if TYPE_CHECKING:
    from .contract.conformance import check_component
    from .contract.report import RunReport
    from .pipeline import Pipeline
    from .storage.files import AtomicFile, make_folder

__all__ = [
    "AnalysisEngine",
    "Annotator",
    "AtomicFile",
    "CasConsumer",
    "CollectionReader",
    "Component",
    "Handle",
    "Output",
    "Part",
    "Pipeline",
    "Resource",
    "RunReport",
    "Scope",
    "Spans",
    "TwoPhaseConsumer",
    "check_component",
    "component",
    "make_folder",
    "part",
    "refuse_leaks",
]

_LATER = {
    "AtomicFile": "storage.files",
    "Pipeline": "pipeline",
    "RunReport": "contract.report",
    "check_component": "contract.conformance",
    "make_folder": "storage.files",
}


def __getattr__(name: str) -> Any:
    """Import the assembler when it is used, so that components and the command line start without it."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_LATER[name]}", __name__), name)
