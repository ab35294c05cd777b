"""Sections of an experiment file as pipelines: steps, the components built from them, and checks of their parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...assembly import assemble, config
from ...assembly.steps import Config, Step
from ...contract import params, registry
from ...contract.component import Component, Part
from ...contract.type_hints import inner_classes
from ...errors import ConfigError, Fault, nearest
from ...storage.yaml_source import Keys, Source
from .paths import path_fault, with_path
from .plan import Plan

MODEL = "model"
"""The parameter of trainers and their annotators that names the bundle. The experiment sets it."""
SEED = "seed"
"""The parameter of trainers with random choices."""


def pipeline_config(source: Source, data: dict[str, Any], positions: Mapping[Keys, Keys], name: str) -> Config:
    """Return the pipeline configuration of a section. `positions`: for each key of `data`, its keys in the file."""
    part = Source(data, source.file, source.base)
    for new, old in positions.items():
        n = len(old)
        part.lines |= {(*new, *keys[n:]): place for keys, place in source.lines.items() if keys[:n] == old}
    configuration = config.settle(part)
    configuration.name = name
    return configuration


def build(step: Step, section: str, configuration: Config, faults: list[Fault]) -> Component | None:
    """Return the component of a step; None, and new `faults`, if it cannot be built."""
    component: Component | None = assemble.build_step(step, section, configuration, faults, {})
    return component


def create(step: Step, section: str) -> Component:
    """Return the component of a step. Raises ConfigError if it cannot be built."""
    faults: list[Fault] = []
    component = build(step, section, Config("", step_base(step)), faults)
    if component is None:
        raise ConfigError(faults)
    return component


def step_base(step: Step) -> Any:
    """Return the base folder of the relative paths of a step; None if no parameter has one."""
    return next((v.base for v in step.given.values() if hasattr(v, "base")), None)


def with_parameters(step: Step, parameters: Mapping[str, Any]) -> Step:
    """Return the step with further parameters, which override its own; those of parts by dotted names (`encoder.lstm.width`)."""
    given: dict[str, Any] = dict(step.given)
    for name, value in parameters.items():
        given = with_path(given, name, value)
    return dataclasses.replace(step, given=given)


def with_seed(step: Step, seed: int | None) -> Step:
    """Return the step of a trainer with another seed; the same step without a seed, or if the trainer has no such parameter."""
    known = {p.name for p in params.parameters(registry.find(step.name, "consumer"))}
    return with_parameters(step, {SEED: seed}) if seed is not None and SEED in known else step


def model_parameters(step: Step, cls: type[Component]) -> Iterator[Keys]:
    """Yield the keys of the parameters for a trained model: `model`, or `model` of a part such as `strategy: stacking`."""
    known = {p.name: p for p in params.parameters(cls)}
    if MODEL in known:
        yield (MODEL,)
    for name, value in step.given.items():
        chosen = next(iter(value), "") if isinstance(value, Mapping) else value
        for family in inner_classes(known[name].hint) if name in known and isinstance(chosen, str) else ():
            if issubclass(family, Part) and family is not Part:
                try:
                    part = registry.find_part(family, chosen)
                except LookupError:
                    continue  # reported by the check of the parameters
                if MODEL in {p.name for p in params.parameters(part)}:
                    yield name, chosen, MODEL


def with_model(step: Step, bundle: Any) -> Step:
    """Return the step of an engine with the bundle of a training."""
    at = next(model_parameters(step, registry.find(step.name, "engine")), (MODEL,))
    if len(at) == 1:
        return with_parameters(step, {MODEL: bundle})
    name, chosen = str(at[0]), str(at[1])
    value = step.given[name]
    inner = value.get(chosen) if isinstance(value, Mapping) else None
    return with_parameters(step, {name: {chosen: {**(inner or {}), MODEL: bundle}}})


def with_model_name(step: Step, model: str) -> Step:
    """Return the step with the name of its model before its id, so that the priority of a resolver can contain either."""
    return dataclasses.replace(step, id=model if step.id == model else f"{model}/{step.id}")


class UntrainedAnnotator(Component):
    """Placeholder of an annotator whose model is not trained yet, for checks of the pipeline."""

    def __init__(self, step: Step, cls: type[Component]) -> None:
        self.set_id(step.id)
        self.__dict__["outputs"] = cls.outputs
        self.__dict__["sets"] = cls.sets


def check_untrained(step: Step, faults: list[Fault]) -> Component | None:
    """Return a placeholder after a check of all parameters but the model; None, and new `faults`, if they are invalid."""
    try:
        cls = registry.find(step.name, "engine")
    except LookupError as error:
        faults.append(Fault(step.id, str(error), *step.place))
        return None
    at = next(model_parameters(step, cls), None)
    if at is None:
        faults.append(step.fault((), f"{step.name} has no parameter {MODEL} for a trained model"))
        return None
    value: Any = step.given
    for key in at:
        value = value.get(key) if isinstance(value, Mapping) else None
    if value is not None:
        faults.append(step.fault(at, "set by the experiment: remove it"))
        return None
    own_faults: list[Fault] = []
    params.build(cls, step.given, lambda at, what: own_faults.append(step.fault(at, what)))
    own_faults = [f for f in own_faults if not f.what.startswith(f"parameter {MODEL} is missing")]
    faults += own_faults
    return None if own_faults else UntrainedAnnotator(step, cls)


def model_faults(
    plan: Plan, model: str, owner: str, variants: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[Keys, str]]:
    """Yield the faults of variants of the parameters of a model: (keys below the experiment, message)."""
    step = getattr(plan.models[model], owner)
    if step is None:
        yield ("models",), f"{model} has no {owner}{nearest(model, plan.trainable)}"
        return
    yield from step_faults(step, owner, variants, model)


def step_faults(
    step: Step, owner: str, variants: Iterable[Mapping[str, Any]], model: str
) -> Iterator[tuple[Keys, str]]:
    """Yield the distinct faults of variants of the parameters of a step, as `model_faults`."""
    cls = registry.find(step.name, "consumer" if owner == "trainer" else "engine")
    reported: set[str] = set()
    for variant in variants:
        for name in variant:
            message = path_fault(cls, step.name, step.given, name)
            if message and message not in reported:
                reported.add(message)
                yield ("parameter",), message
        if reported:
            continue
        changed = with_parameters(step, {**variant, **({MODEL: "model"} if owner == "trainer" else {})})
        for message in _messages(cls, changed.given):
            if not message.startswith(f"parameter {MODEL} is missing") and message not in reported:
                reported.add(message)
                yield (), f"{model}: {message}"


def _messages(cls: type[Any], parameters: Mapping[str, Any]) -> list[str]:
    messages: list[str] = []
    params.build(cls, parameters, lambda at, what: messages.append(f"{'.'.join(map(str, at))}: {what}" if at else what))
    return messages
