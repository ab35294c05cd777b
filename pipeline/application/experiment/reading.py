"""Read an experiment's file and the changes of `--set`: report every fault at once, with its line, and read
no data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from ....consumers.scoring import CRITERIA, SCHEMES
from ...assembly import assemble, config
from ...contract import params, registry
from ...contract.component import CasConsumer
from ...errors import ConfigError, Fault, nearest
from ...storage.yaml_source import COMMAND_LINE, Keys, Source, dotted, read, scalar
from . import model_steps
from .experiment import Experiment, experiment_of
from .model_steps import MODEL, build, check_untrained, with_parameters
from .plan import RESOLVER, CorpusPlan, Model, Plan, Settings, finders, pieces

SECTIONS = ("experiment", "corpora", "models")
CORPUS_KEYS = ("reader", "engines", "group")
MODEL_KEYS = ("trainer", "annotator", "of", "engines", "resolver")


def read_plan(path: Path, overrides: Iterable[str] = ()) -> Plan:
    """Read an experiment's file. Raises ConfigError with every fault in it."""
    overrides = list(overrides)
    registry.discover()
    registry.import_package(f"{__package__}.studies")
    source = read(path, str(path))
    fields = [p.name for p in params.parameters(Settings)]
    known = [*SECTIONS, *fields]
    faults = [f for o in overrides if (f := override(source, o, known)) is not None]
    faults += source.faults
    data = source.data
    if not isinstance(data, Mapping) or "experiment" not in data:
        faults.append(Fault("", "expected a mapping with experiment, corpora and models", source.file, 1))
        raise ConfigError(faults)
    reading = _Reading(source, faults)
    for key in data:
        if key not in known:
            reading.fault((key,), f"no such section{nearest(str(key), known) or f'; expected one of {_list(known)}'}")
    settings = params.build(Settings, {k: data[k] for k in fields if k in data}, reading.setting)
    experiment = params.convert(
        Experiment, data["experiment"], lambda at, what: reading.fault(("experiment", *at), what), ()
    )
    corpora = reading.corpora(data.get("corpora"))
    models = reading.models(data.get("models"))
    if settings is not None and experiment is not None:
        text = path.read_text(encoding="utf-8-sig")
        plan = Plan(str(path), path.stem, experiment, settings, corpora, models, text, overrides)
        faults += checked(plan, source)
        if not faults:
            return plan
    raise ConfigError(sorted(dict.fromkeys(faults), key=lambda f: (f.file != source.file, f.file, f.line)))


class _Reading:
    """The sections of one file, and the faults found on the way."""

    def __init__(self, source: Source, faults: list[Fault]) -> None:
        self.source = source
        self.faults = faults

    def fault(self, keys: Keys, what: str) -> None:
        self.faults.append(Fault(dotted(keys), what, *self.source.place(keys)))

    def setting(self, keys: Keys, what: str) -> None:
        """A fault of a plain key; what a check over all of them says begins with the key."""
        name, colon, rest = what.partition(": ")
        self.fault(*(((name,), rest) if colon and not keys else (keys, what)))

    def _section(self, data: Any, at: Keys, known: tuple[str, ...], what: str) -> dict[str, dict[str, Any]]:
        """Return the entries of a section that are mappings with known keys."""
        if data is None:
            return {}
        if not isinstance(data, Mapping):
            self.fault(at, f"expected {what}")
            return {}
        good = {}
        for name, entry in data.items():
            if not isinstance(entry, Mapping) or not entry:
                self.fault((*at, name), f"expected a mapping with {_list(known)}")
                continue
            for key in entry:
                if key not in known:
                    hint = nearest(str(key), known) or f"; expected one of {_list(known)}"
                    self.fault((*at, name, key), f"no such key{hint}")
            good[str(name)] = dict(entry)
        return good

    def corpora(self, data: Any) -> dict[str, CorpusPlan]:
        found = {}
        for name, entry in self._section(data, ("corpora",), CORPUS_KEYS, "names with reader and engines").items():
            at: Keys = ("corpora", name)
            if "reader" not in entry:
                self.fault(at, "expected a reader")
                continue
            steps: dict[str, Any] = {k: entry[k] for k in ("reader", "engines") if k in entry}
            settled = model_steps.pipeline_config(self.source, steps, {(k,): (*at, k) for k in steps}, name)
            found[name] = CorpusPlan(name, settled, str(entry.get("group") or ""))
            try:
                assemble.assemble(settled)
            except ConfigError as error:
                self.faults += error.faults
        if not found and (not data or not self.faults):
            self.fault(("corpora",), "expected at least one corpus")
        return found

    def models(self, data: Any) -> dict[str, Model]:
        entries = self._section(data, ("models",), MODEL_KEYS, "names with trainer and annotator, engines, or of")
        found = {name: self._model(name, entry) for name, entry in entries.items()}
        for name, model in found.items():
            for other in model.of:
                if other not in found:
                    self.fault(("models", name, "of"), f"no model called {other!r}{nearest(other, found)}")
                elif _reaches(other, name, found):
                    self.fault(("models", name, "of"), f"{other} is made of {name} itself")
        return found

    def _model(self, name: str, entry: dict[str, Any]) -> Model:
        at: Keys = ("models", name)
        if ("trainer" in entry) != ("annotator" in entry):
            there, missing = ("trainer", "annotator") if "trainer" in entry else ("annotator", "trainer")
            self.fault(at, f"has a {there}, so it needs the {missing} that goes with it")
        if not {"trainer", "annotator", "engines", "of"} & set(entry):
            self.fault(at, "expected trainer and annotator, engines, or of: [names of models]")
        of = entry.get("of", [])
        if not isinstance(of, list) or not all(isinstance(o, str) for o in of):
            self.fault((*at, "of"), "expected a list of models")
            of = []
        engines = (
            list(entry.get("engines") or []) if isinstance(entry.get("engines"), list | None) else entry["engines"]
        )
        data: dict[str, Any] = {"engines": engines}
        moved: dict[Keys, Keys] = {("engines",): (*at, "engines")}
        if "resolver" in entry and isinstance(engines, list):
            moved["engines", len(engines), "resolver"] = (*at, "resolver")
            moved["engines", len(engines)] = (*at, "resolver")
            engines.append({"resolver": entry["resolver"]})
        elif of and isinstance(engines, list) and RESOLVER not in map(_name, [*engines, entry.get("annotator", "")]):
            engines.append({"resolver": {"priority": [str(o) for o in of]}})  # the first one named has priority: §5.8
        if "trainer" in entry:
            data["consumers"], moved["consumers", 0] = [entry["trainer"]], (*at, "trainer")
        settled = model_steps.pipeline_config(self.source, data, moved, name)
        self.faults += settled.faults
        annotator = self._annotator(entry, at, name)
        trainer = self._trainer(settled)
        for step in settled.engines:
            model_steps.build(step, "engines", settled, self.faults)
        steps = [model_steps.with_model_name(s, name) if s.name != "resolver" else s for s in settled.engines]
        return Model(name, trainer, annotator, [str(o) for o in of], steps)

    def _trainer(self, settled: config.Config) -> config.Step | None:
        step = settled.consumers[0] if settled.consumers else None
        if step is None:
            return None
        if model_steps.MODEL in step.given:
            self.faults.append(step.fault((model_steps.MODEL,), "the experiment chooses it; leave it out"))
        model_steps.build(
            model_steps.with_parameters(step, {model_steps.MODEL: "model"}), "consumers", settled, self.faults
        )
        return step

    def _annotator(self, entry: dict[str, Any], at: Keys, name: str) -> config.Step | None:
        if "annotator" not in entry:
            return None
        data = {"engines": [entry["annotator"]]}
        settled = model_steps.pipeline_config(self.source, data, {("engines", 0): (*at, "annotator")}, name)
        self.faults += settled.faults
        if len(settled.engines) != 1:
            return None
        step = model_steps.with_model_name(settled.engines[0], name)
        if step.name == RESOLVER and "priority" not in step.given:
            step = model_steps.with_parameters(step, {"priority": [str(o) for o in entry.get("of") or []]})
        model_steps.check_untrained(step, self.faults)
        return step


def _reaches(start: str, goal: str, models: Mapping[str, Model]) -> bool:
    """Return whether a model is made of another, directly or through others."""
    seen, left = set(), [start]
    while left:
        name = left.pop()
        if name == goal:
            return True
        if name in models and name not in seen:
            seen.add(name)
            left += models[name].of
    return False


def _name(item: Any) -> str:
    return str(next(iter(item), "")) if isinstance(item, Mapping) else str(item)


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def override(source: Source, text: str, known: list[str]) -> Fault | None:
    """Put `folds=3`, `experiment.repetitions=10` or `models.crf.trainer.C=0.1` into the file's data; a fault if it cannot.

    `known` are the names a path may begin with. Under `corpora` and `models` only what the file has can be changed.
    """
    path, equals, value = text.partition("=")
    keys = path.split(".")
    if not equals or not all(keys):
        return Fault(f"--set {text}", "expected NAME.PARAMETER=VALUE")
    if keys[0] not in known:
        return Fault(f"--set {path}", f"no such section{nearest(keys[0], known)}")
    if not isinstance(source.data, dict):
        return Fault(f"--set {path}", "the file holds no mapping")
    return _put(source.data, (), keys, scalar(value, Path.cwd(), COMMAND_LINE), source, f"--set {path}")


def _put(into: dict[str, Any], at: Keys, keys: list[str], value: Any, source: Source, where: str) -> Fault | None:
    key = keys[0]
    if _is_step(at) and key not in into and len(into) == 1:  # `trainer: {crf_trainer: {...}}`: the name may be left out
        name, inner = next(iter(into.items()))
        into[name] = dict(inner or {})
        return _put(into[name], (*at, name), keys, value, source, where)
    if at and at[0] in ("corpora", "models") and len(at) == 1 and key not in into:
        return Fault(where, f"the file has no {key!r} under {at[0]}{nearest(key, into)}")
    if len(keys) == 1:
        into[key] = value
        source.lines[(*at, key)] = ("--set", 0)
        return None
    inner = into.get(key)
    if isinstance(inner, str):  # a bare name: `experiment: sweep`
        inner = {inner: {}}
    if isinstance(inner, list):
        return _item(inner, (*at, key), keys[1:], value, source, where)
    into[key] = dict(inner) if isinstance(inner, Mapping) else {}
    return _put(into[key], (*at, key), keys[1:], value, source, where)


def _is_step(at: Keys) -> bool:
    """Return whether the value at these keys is a name with parameters."""
    return at == ("experiment",) or (len(at) == 3 and at[2] in ("reader", "trainer", "annotator"))


def _item(items: list[Any], at: Keys, keys: list[str], value: Any, source: Source, where: str) -> Fault | None:
    """Into a list of steps: the step is named by its component or id."""
    for i, item in enumerate(items):
        name, parameters = (item, None) if isinstance(item, str) else next(iter(item.items()), ("", None))
        given: dict[str, Any] = dict(parameters or {})
        if keys[0] in (name, given.get("id")) and len(keys) > 1:
            items[i] = {str(name): given}
            return _put(items[i][str(name)], (*at, i, str(name)), keys[1:], value, source, where)
    return Fault(where, f"{keys[0]!r} is not a component of this list, or no parameter follows it")


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
