"""Check before the first document is read that components accept the parameters of an experiment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....assembly.config import Step
from ....contract import params, registry
from ....errors import nearest
from ....storage.yaml_source import Keys
from .. import model_steps
from ..plan import Plan


def faults_of(plan: Plan, model: str, on: str, tries: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Keys, str]]:
    """Return (keys below the experiment, what is wrong) for a model and every set of parameters it will be given."""
    step = getattr(plan.models[model], on)
    if step is None:
        yield ("models",), f"{model} has no {on}{nearest(model, plan.trainable)}"
        return
    yield from faults_in(step, on, tries, model)


def faults_in(step: Step, on: str, tries: Iterable[Mapping[str, Any]], model: str) -> Iterator[tuple[Keys, str]]:
    """Yield the same for a step of a model."""
    cls = registry.find(step.name, "consumer" if on == "trainer" else "engine")
    names = [p.name for p in params.parameters(cls)]
    seen: set[str] = set()
    for given in tries:
        for name in given:
            if name not in names and name not in seen:
                seen.add(name)
                yield ("parameter",), f"{step.name} has no parameter {name!r}{nearest(name, names)}"
        if seen:
            continue
        for what in _faults(cls, {**step.given, **given, **({model_steps.MODEL: "model"} if on == "trainer" else {})}):
            if not what.startswith(f"parameter {model_steps.MODEL} is missing") and what not in seen:
                seen.add(what)
                yield (), f"{model}: {what}"


def _faults(cls: type[Any], given: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    params.build(cls, given, lambda at, what: found.append(f"{'.'.join(map(str, at))}: {what}" if at else what))
    return found
