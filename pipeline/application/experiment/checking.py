"""Checks of an experiment's file as a whole: unknown names, and components whose inputs nothing produces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from ....consumers.scoring import CRITERIA, SCHEMES
from ...assembly import assemble, config
from ...contract.component import CasConsumer
from ...errors import Fault, nearest
from ...storage.yaml_source import Keys, Source, dotted
from .experiment import experiment_of
from .model_steps import MODEL, build, check_untrained, with_parameters
from .plan import Model, Plan, finders, pieces


def checked(plan: Plan, source: Source) -> list[Fault]:
    """Return the faults of a plan whose parts were built. Models are looked at only where all names are right."""
    faults = [Fault(dotted(keys), what, *source.place(keys)) for keys, what in _names(plan)]
    if faults or plan.train not in plan.corpora:
        return faults
    try:
        for model in plan.models.values():
            faults += _of_model(plan, model, source)
    except RecursionError:  # models made of themselves, which is a fault already told
        return faults
    at: Keys = ("experiment", plan.experiment.name)
    for keys, what in experiment_of(plan).check(plan):
        faults.append(Fault(dotted((*at, *keys)), what, *source.place((*at, *keys))))
    return faults


def _names(plan: Plan) -> Iterable[tuple[Keys, str]]:

    for key in ("train", "test"):
        named = getattr(plan.settings, key)
        if named is not None and named not in plan.corpora:
            yield (key,), f"no corpus called {named!r}{nearest(named, plan.corpora)}"
    for key, known in (("criteria", CRITERIA), ("schemes", SCHEMES)):
        for name in getattr(plan.settings, key):
            if name not in known:
                hint = nearest(name, known) or f"; expected one of {', '.join(known)}"
                yield (key,), f"no {'criterion' if key == 'criteria' else 'scheme'} {name!r}{hint}"
    for name in getattr(plan.experiment, "models", []):
        if name not in plan.models:
            yield ("experiment",), f"models: no model called {name!r}{nearest(name, plan.models)}"


def _of_model(plan: Plan, model: Model, source: Source) -> list[Fault]:
    """Return whether everything of a model finds what it needs behind the engines of the training corpus."""
    faults: list[Fault] = []
    built: list[Fault] = []  # told when the file was read
    corpus = plan.corpora[plan.train].config
    system = pieces(plan.models, model.name)
    whole = config.Config(source.file, source.base, aggregates={name: [] for name in plan.models})
    whole.engines = [*corpus.engines, *(piece.step for piece in system)]
    prepared = [build(step, "engines", corpus, built) for step in corpus.engines]
    found = prepared + [
        check_untrained(piece.step, built) if piece.trained else build(piece.step, "engines", whole, built)
        for piece in system
    ]
    reader = build(corpus.readers[0], "reader", corpus, built) if corpus.readers else None
    if built:
        return []
    if model.trainer is not None:
        step = with_parameters(model.trainer, {MODEL: "model"})
        trainer = build(step, "consumers", whole, built)
        if trainer is None:  # told when the file was read
            return []
        whole.consumers.append(step)
        taught = [
            check_untrained(p.step, built) if p.trained else build(p.step, "engines", whole, built)
            for p in finders(plan.models, model)
        ]
        engines = [c for c in [*prepared, *taught] if c is not None]
        consumers = [cast(CasConsumer, trainer)]
        assemble.check_capabilities(reader, engines, consumers, whole, faults)  # type: ignore[arg-type]  # built as a reader
    there = assemble.with_resolver([c for c in found if c is not None])
    assemble.check_capabilities(reader, there, [], whole, faults)  # type: ignore[arg-type]  # built as a reader
    assemble.check_mentions(there, whole, faults)
    return faults
