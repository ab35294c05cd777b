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
from .contract.leaks import refuse_leaks
from .contract.resources import Resource

if TYPE_CHECKING:
    from .contract.report import RunReport
    from .pipeline import Pipeline

__all__ = [
    "AnalysisEngine",
    "Annotator",
    "CasConsumer",
    "CollectionReader",
    "Component",
    "Part",
    "Pipeline",
    "Resource",
    "RunReport",
    "Scope",
    "Spans",
    "TwoPhaseConsumer",
    "component",
    "part",
    "refuse_leaks",
]

_LATER = {"Pipeline": "pipeline", "RunReport": "contract.report"}


def __getattr__(name: str) -> Any:
    """Import the assembler when it is used, so that components and the command line start without it."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_LATER[name]}", __name__), name)
