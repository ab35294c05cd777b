"""Sections of an experiment's file read as pipelines: steps that know their lines, components built from
them, and checks of parameters before the first document is read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...assembly import assemble, config
from ...assembly.config import Step
from ...contract import params, registry
from ...contract.component import Component, Part
from ...contract.type_hints import inner_classes
from ...errors import ConfigError, Fault, nearest
from ...storage.yaml_source import Keys, Source
from . import model_steps
from .plan import Plan

MODEL = "model"
"""The parameter of trainers and of the annotators they train that names the bundle; the experiment chooses it."""


def pipeline_config(source: Source, data: dict[str, Any], moved: Mapping[Keys, Keys], name: str) -> config.Config:
    """Return a section as a pipeline's configuration. `moved`: the position in the file of each key of `data`."""
    part = Source(data, source.file, source.base)
    for new, old in moved.items():
        n = len(old)
        part.lines |= {(*new, *keys[n:]): place for keys, place in source.lines.items() if keys[:n] == old}
    settled = config.settle(part)
    settled.name = name
    return settled


def build(step: config.Step, section: str, settled: config.Config, faults: list[Fault]) -> Component | None:
    """Return the component of a step; None if `faults` tell why not."""
    component: Component | None = assemble.build_step(step, section, settled, faults, {})
    return component


def create(step: config.Step, section: str) -> Component:
    """Return the component of a step that was found in order before. Raises ConfigError."""
    faults: list[Fault] = []
    component = build(step, section, config.Config("", step_base(step)), faults)
    if component is None:
        raise ConfigError(faults)
    return component


def step_base(step: config.Step) -> Any:
    """Return the folder that paths of a step are relative to, if one of its parameters has it."""
    return next((v.base for v in step.given.values() if hasattr(v, "base")), None)


def with_parameters(step: config.Step, parameters: Mapping[str, Any]) -> config.Step:
    """Return the step with further parameters, which win over its own."""
    return dataclasses.replace(step, given={**step.given, **parameters})


def model_parameters(step: config.Step, cls: type[Component]) -> Iterator[Keys]:
    """Yield the parameters for a trained model: `model`, or that of a part which a parameter names (`strategy: stacking`)."""
    known = {p.name: p for p in params.parameters(cls)}
    if MODEL in known:
        yield (MODEL,)
    for name, value in step.given.items():
        chosen = next(iter(value), "") if isinstance(value, Mapping) else value
        for family in inner_classes(known[name].hint) if name in known and isinstance(chosen, str) else ():
            if issubclass(family, Part) and family is not Part:
                try:
                    named = registry.find_part(family, chosen)
                except LookupError:
                    continue  # the parameters' own check tells
                if MODEL in {p.name for p in params.parameters(named)}:
                    yield name, chosen, MODEL


def with_model(step: config.Step, bundle: Any) -> config.Step:
    """Return the engine's step with a trained bundle in its place."""
    at = next(model_parameters(step, registry.find(step.name, "engine")), (MODEL,))
    if len(at) == 1:
        return with_parameters(step, {MODEL: bundle})
    name, chosen = str(at[0]), str(at[1])
    value = step.given[name]
    inner = value.get(chosen) if isinstance(value, Mapping) else None
    return with_parameters(step, {name: {chosen: {**(inner or {}), MODEL: bundle}}})


def with_model_name(step: config.Step, model: str) -> config.Step:
    """Return the step with its model's name before its id, so that a resolver's priority can name either."""
    return dataclasses.replace(step, id=model if step.id == model else f"{model}/{step.id}")


class UntrainedAnnotator(Component):
    """Takes the place of an annotator whose model is not trained yet, while the pipeline around it is checked."""

    def __init__(self, step: config.Step, cls: type[Component]) -> None:
        self.set_id(step.id)
        self.__dict__["outputs"] = cls.outputs
        self.__dict__["sets"] = cls.sets


def check_untrained(step: config.Step, faults: list[Fault]) -> Component | None:
    """Check an annotator's parameters but for its model; None if `faults` tell what is wrong."""
    try:
        cls = registry.find(step.name, "engine")
    except LookupError as error:
        faults.append(Fault(step.id, str(error), *step.place))
        return None
    at = next(model_parameters(step, cls), None)
    if at is None:
        faults.append(step.fault((), f"{step.name} takes no parameter {MODEL}, so nothing trained can be put into it"))
        return None
    held: Any = step.given
    for key in at:
        held = held.get(key) if isinstance(held, Mapping) else None
    if held is not None:
        faults.append(step.fault(at, "the experiment chooses it; leave it out"))
        return None
    found: list[Fault] = []
    params.build(cls, step.given, lambda at, what: found.append(step.fault(at, what)))
    found = [f for f in found if not f.what.startswith(f"parameter {MODEL} is missing")]
    faults += found
    return None if found else UntrainedAnnotator(step, cls)


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
