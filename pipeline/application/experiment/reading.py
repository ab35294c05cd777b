"""Read an experiment file and the overrides of `--set`. All faults are reported with their lines before any data is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from ....consumers.scoring import CRITERIA, SCHEMES
from ...assembly import assemble
from ...assembly.capabilities import check_capabilities
from ...assembly.steps import Config, Step
from ...contract import params, registry
from ...contract.component import CasConsumer, Component
from ...errors import ConfigError, Fault, nearest
from ...storage.yaml_source import COMMAND_LINE, Keys, Source, dotted, scalar
from .experiment import Experiment, experiment_of
from .extending import EXTENDS, read_extended
from .model_steps import MODEL, build, check_untrained, pipeline_config, with_model_name, with_parameters
from .plan import RESOLVER, CorpusPlan, Model, Plan, Settings, SystemStep, member_steps, system_steps

SECTIONS = ("experiment", "corpora", "models")
CORPUS_KEYS = ("reader", "engines", "group", "stratify")
MODEL_KEYS = ("trainer", "annotator", "of", "engines", "resolver")


def read_plan(path: Path, overrides: Iterable[str] = ()) -> Plan:
    """Read an experiment file, and the file that it extends. Raises ConfigError with all faults."""
    overrides = list(overrides)
    registry.discover()
    registry.import_package(f"{__package__}.studies")
    source, text = read_extended(path, str(path))
    fields = [p.name for p in params.parameters(Settings)]
    known = [*SECTIONS, *fields]
    faults = [f for o in overrides if (f := override(source, o, known)) is not None]
    faults += source.faults
    data = source.data
    if not isinstance(data, Mapping) or "experiment" not in data:
        faults.append(Fault("", "expected a mapping with experiment, corpora and models", source.file, 1))
        raise ConfigError(faults)
    parser = _SectionParser(source, faults)
    for key in data:
        if key not in known:
            parser.fault(
                (key,), f"no such section{nearest(str(key), [*known, EXTENDS]) or f'; expected one of {_list(known)}'}"
            )
    settings = params.build(Settings, {k: data[k] for k in fields if k in data}, parser.setting_fault)
    experiment = params.convert(
        Experiment, data["experiment"], lambda at, what: parser.fault(("experiment", *at), what), ()
    )
    corpora = parser.corpora(data.get("corpora"))
    models = parser.models(data.get("models"))
    if settings is not None and experiment is not None:
        plan = Plan(str(path), path.stem, experiment, settings, corpora, models, text, overrides)
        faults += plan_faults(plan, source)
        if not faults:
            return plan
    raise ConfigError(sorted(dict.fromkeys(faults), key=lambda f: (f.file != source.file, f.file, f.line)))


class _SectionParser:
    """Parser of the sections of an experiment file. It collects faults."""

    def __init__(self, source: Source, faults: list[Fault]) -> None:
        self.source = source
        self.faults = faults

    def fault(self, keys: Keys, what: str) -> None:
        self.faults.append(Fault(dotted(keys), what, *self.source.place(keys)))

    def setting_fault(self, keys: Keys, what: str) -> None:
        """Add a fault of the settings. The message of a check of all settings begins with the key."""
        name, colon, rest = what.partition(": ")
        self.fault(*(((name,), rest) if colon and not keys else (keys, what)))

    def _section(self, data: Any, at: Keys, known: tuple[str, ...], expected: str) -> dict[str, dict[str, Any]]:
        """Return the entries of a section that are mappings with known keys."""
        if data is None:
            return {}
        if not isinstance(data, Mapping):
            self.fault(at, f"expected {expected}")
            return {}
        entries = {}
        for name, entry in data.items():
            if not isinstance(entry, Mapping) or not entry:
                self.fault((*at, name), f"expected a mapping with {_list(known)}")
                continue
            for key in entry:
                if key not in known:
                    hint = nearest(str(key), known) or f"; expected one of {_list(known)}"
                    self.fault((*at, name, key), f"no such key{hint}")
            entries[str(name)] = dict(entry)
        return entries

    def corpora(self, data: Any) -> dict[str, CorpusPlan]:
        corpora: dict[str, CorpusPlan] = {}
        for name, entry in self._section(data, ("corpora",), CORPUS_KEYS, "names with reader and engines").items():
            at: Keys = ("corpora", name)
            if "reader" not in entry:
                self.fault(at, "expected a reader")
                continue
            steps: dict[str, Any] = {k: entry[k] for k in ("reader", "engines") if k in entry}
            configuration = pipeline_config(self.source, steps, {(k,): (*at, k) for k in steps}, name)
            group, stratify = (str(entry.get(key) or "") for key in ("group", "stratify"))
            corpora[name] = CorpusPlan(name, configuration, group, stratify)
            try:
                assemble.assemble(configuration)
            except ConfigError as error:
                self.faults += error.faults
        if not corpora and (not data or not self.faults):
            self.fault(("corpora",), "expected at least one corpus")
        return corpora

    def models(self, data: Any) -> dict[str, Model]:
        entries = self._section(data, ("models",), MODEL_KEYS, "names with trainer and annotator, engines, or of")
        models = {name: self._model(name, entry) for name, entry in entries.items()}
        for name, model in models.items():
            for member in model.members:
                if member not in models:
                    self.fault(("models", name, "of"), f"no model called {member!r}{nearest(member, models)}")
                elif _contains(member, name, models):
                    self.fault(("models", name, "of"), f"{member} contains {name} itself")
        return models

    def _model(self, name: str, entry: dict[str, Any]) -> Model:
        at: Keys = ("models", name)
        if ("trainer" in entry) != ("annotator" in entry):
            present, missing = ("trainer", "annotator") if "trainer" in entry else ("annotator", "trainer")
            self.fault(at, f"has a {present} but no {missing}")
        if not {"trainer", "annotator", "engines", "of"} & set(entry):
            self.fault(at, "expected trainer and annotator, engines, or of: [names of models]")
        members = entry.get("of", [])
        if not isinstance(members, list) or not all(isinstance(member, str) for member in members):
            self.fault((*at, "of"), "expected a list of models")
            members = []
        engines = (
            list(entry.get("engines") or []) if isinstance(entry.get("engines"), list | None) else entry["engines"]
        )
        data: dict[str, Any] = {"engines": engines}
        positions: dict[Keys, Keys] = {("engines",): (*at, "engines")}
        if "resolver" in entry and isinstance(engines, list):
            positions["engines", len(engines), "resolver"] = (*at, "resolver")
            positions["engines", len(engines)] = (*at, "resolver")
            engines.append({"resolver": entry["resolver"]})
        elif (
            members and isinstance(engines, list) and RESOLVER not in map(_name, [*engines, entry.get("annotator", "")])
        ):
            engines.append({"resolver": {"priority": [*members]}})  # the first member has priority: §5.8
        if "trainer" in entry:
            data["consumers"], positions["consumers", 0] = [entry["trainer"]], (*at, "trainer")
        configuration = pipeline_config(self.source, data, positions, name)
        self.faults += configuration.faults
        annotator = self._annotator(entry, at, name)
        trainer = self._trainer(configuration)
        for step in configuration.engines:
            build(step, "engines", configuration, self.faults)
        steps = [with_model_name(s, name) if s.name != RESOLVER else s for s in configuration.engines]
        return Model(name, trainer, annotator, [*members], steps)

    def _trainer(self, configuration: Config) -> Step | None:
        step = configuration.consumers[0] if configuration.consumers else None
        if step is None:
            return None
        if MODEL in step.given:
            self.faults.append(step.fault((MODEL,), "set by the experiment: remove it"))
        build(with_parameters(step, {MODEL: "model"}), "consumers", configuration, self.faults)
        return step

    def _annotator(self, entry: dict[str, Any], at: Keys, name: str) -> Step | None:
        if "annotator" not in entry:
            return None
        data = {"engines": [entry["annotator"]]}
        configuration = pipeline_config(self.source, data, {("engines", 0): (*at, "annotator")}, name)
        self.faults += configuration.faults
        if len(configuration.engines) != 1:
            return None
        step = with_model_name(configuration.engines[0], name)
        if step.name == RESOLVER and "priority" not in step.given:
            step = with_parameters(step, {"priority": [str(o) for o in entry.get("of") or []]})
        check_untrained(step, self.faults)
        return step


def _contains(model: str, member: str, models: Mapping[str, Model]) -> bool:
    """Return whether a model contains another, directly or indirectly."""
    visited, pending = set(), [model]
    while pending:
        name = pending.pop()
        if name == member:
            return True
        if name in models and name not in visited:
            visited.add(name)
            pending += models[name].members
    return False


def _name(item: Any) -> str:
    return str(next(iter(item), "")) if isinstance(item, Mapping) else str(item)


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def override(source: Source, text: str, known: list[str]) -> Fault | None:
    """Apply an override such as `folds=3` or `models.crf.trainer.C=0.1` to the data of a file. Return a fault if it is invalid.

    `known`: valid first keys. The corpora and models must exist in the file.
    """
    path, equals, value = text.partition("=")
    keys = path.split(".")
    if not equals or not all(keys):
        return Fault(f"--set {text}", "expected NAME.PARAMETER=VALUE")
    if keys[0] not in known:
        return Fault(f"--set {path}", f"no such section{nearest(keys[0], known)}")
    if not isinstance(source.data, dict):
        return Fault(f"--set {path}", "the file does not contain a mapping")
    return _set(source.data, (), keys, scalar(value, Path.cwd(), COMMAND_LINE), source, f"--set {path}")


def _set(data: dict[str, Any], at: Keys, keys: list[str], value: Any, source: Source, where: str) -> Fault | None:
    key = keys[0]
    if _is_step(at) and key not in data and len(data) == 1:  # `trainer: {crf_trainer: {...}}`: the name is optional
        name, inner = next(iter(data.items()))
        data[name] = dict(inner or {})
        return _set(data[name], (*at, name), keys, value, source, where)
    if at and at[0] in ("corpora", "models") and len(at) == 1 and key not in data:
        return Fault(where, f"{at[0]} has no {key!r} in this file{nearest(key, data)}")
    if len(keys) == 1:
        data[key] = value
        source.lines[(*at, key)] = ("--set", 0)
        return None
    inner = data.get(key)
    if isinstance(inner, str):  # a bare name: `experiment: sweep`
        inner = {inner: {}}
    if isinstance(inner, list):
        return _set_in_list(inner, (*at, key), keys[1:], value, source, where)
    data[key] = dict(inner) if isinstance(inner, Mapping) else {}
    return _set(data[key], (*at, key), keys[1:], value, source, where)


def _is_step(at: Keys) -> bool:
    """Return whether the value at these keys is a component or experiment with parameters."""
    return at == ("experiment",) or (len(at) == 3 and at[2] in ("reader", "trainer", "annotator"))


def _set_in_list(items: list[Any], at: Keys, keys: list[str], value: Any, source: Source, where: str) -> Fault | None:
    """Set a parameter in a list of steps. The first key is the name or id of a step."""
    for i, item in enumerate(items):
        name, parameters = (item, None) if isinstance(item, str) else next(iter(item.items()), ("", None))
        values: dict[str, Any] = dict(parameters or {})
        if keys[0] in (name, values.get("id")) and len(keys) > 1:
            items[i] = {str(name): values}
            return _set(items[i][str(name)], (*at, i, str(name)), keys[1:], value, source, where)
    return Fault(where, f"{keys[0]!r} is not a component of this list, or the parameter is missing")


def plan_faults(plan: Plan, source: Source) -> list[Fault]:
    """Return the faults of a complete plan. Models are checked only if all names are valid."""
    faults = [Fault(dotted(keys), what, *source.place(keys)) for keys, what in _unknown_names(plan)]
    if faults or plan.train not in plan.corpora:
        return faults
    try:
        for model in plan.models.values():
            faults += _model_faults(plan, model, source)
    except RecursionError:  # models that contain themselves, already reported
        return faults
    at: Keys = ("experiment", plan.experiment.name)
    for keys, what in experiment_of(plan).check(plan):
        faults.append(Fault(dotted((*at, *keys)), what, *source.place((*at, *keys))))
    return faults


def _unknown_names(plan: Plan) -> Iterable[tuple[Keys, str]]:
    for key in ("train", "test"):
        name = getattr(plan.settings, key)
        if name is not None and name not in plan.corpora:
            yield (key,), f"no corpus called {name!r}{nearest(name, plan.corpora)}"
    for key, known in (("criteria", CRITERIA), ("schemes", SCHEMES)):
        for name in getattr(plan.settings, key):
            if name not in known:
                hint = nearest(name, known) or f"; expected one of {_list(known)}"
                yield (key,), f"no {'criterion' if key == 'criteria' else 'scheme'} {name!r}{hint}"
    for name in getattr(plan.experiment, "models", []):
        if name not in plan.models:
            yield ("experiment",), f"models: no model called {name!r}{nearest(name, plan.models)}"


def _model_faults(plan: Plan, model: Model, source: Source) -> list[Fault]:
    """Return the faults of a model whose inputs are not created by the training corpus or an earlier step."""
    faults: list[Fault] = []
    known: list[Fault] = []  # already reported by the parser
    corpus = plan.corpora[plan.train].config
    system = system_steps(plan.models, model.name)
    complete = Config(source.file, source.base, aggregates={name: [] for name in plan.models})
    complete.engines = [*corpus.engines, *(item.step for item in system)]
    prepared = [build(step, "engines", corpus, known) for step in corpus.engines]

    def built(steps: Iterable[SystemStep]) -> list[Component]:
        components = [
            check_untrained(s.step, known) if s.trained else build(s.step, "engines", complete, known) for s in steps
        ]
        return [component for component in [*prepared, *components] if component is not None]

    engines = built(system)
    reader = build(corpus.readers[0], "reader", corpus, known) if corpus.readers else None
    if known:
        return []
    if model.trainer is not None:
        step = with_parameters(model.trainer, {MODEL: "model"})
        trainer = build(step, "consumers", complete, known)
        if trainer is None:
            return []
        complete.consumers.append(step)
        members, consumers = built(member_steps(plan.models, model)), [cast(CasConsumer, trainer)]
        check_capabilities(reader, members, consumers, complete, faults)  # type: ignore[arg-type]  # built as a reader
    engines = assemble.with_resolver(engines)
    check_capabilities(reader, engines, [], complete, faults)  # type: ignore[arg-type]  # built as a reader
    assemble.check_mentions(engines, complete, faults)
    return faults
