"""Checks of the contract that every component must pass, ours and those of plug-ins."""

from __future__ import annotations

import importlib
import pickle
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ...typesystem import INITIAL_VIEW, Annotation, Cas, Phi, PhiCandidate, PhiKind, Sentence, Token
from ...typesystem.tokenize import token_spans
from ..errors import ComponentError, ConfigError, Fault, nearest
from . import params, registry
from .apply import apply
from .component import AnalysisEngine, Annotator, CasConsumer, CollectionReader, Component, Spans

SECRET = "Zyqqvandermeulen"
"""A word that must not appear in anything but the document."""

TEXTS = {
    "empty text": "",
    "one blank": " ",
    "plain text": f"Dr. {SECRET} saw the 91-year-old patient on 3/4/2020. MRN: 00123456, call 617-555-0134.",
    "emoji at every offset": "\U0001f600a\U0001f468\u200d\U0001f469\u200d\U0001f467b\U0001f1e9\U0001f1ea 3/4/2020 \U0001f600",
    "control characters": "a\x00b\x0cc\x1bd\u2028e\u00a0f on 3/4/2020\r\nby Dr. Smith\r",
    "lone surrogates": "Seen \ud800 on 3/4/2020 \udfff by Dr. Smith.",
    "right-to-left text": "\u05e0\u05d1\u05d3\u05e7 \u05d1-3/4/2020 \u0641\u064a \u0662\u0660\u0662\u0660",
    "half a phrase": "Mr\nBoston came late ",
    "a line of 1 MB": "Seen on 3/4/2020 by Dr. Smith at 617-555-0134, aged 65 years. " * 16_000,
}


LONG = 100_000
"""Texts of this length are processed fewer times."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One check of one component; `fault` is empty if it passed."""

    component: str
    check: str
    fault: str = ""


def check_module(name: str) -> list[Finding]:
    """Runs the battery over the components of a module, a Python file, or over one component by name.

    Raises ConfigError if it does not exist or does not contain components.
    """
    if name.endswith(".py"):
        module = registry.load_file(name)
    else:
        known = [c.name for c in registry.components()]
        if name in known:
            return [finding for cls in registry.find_all(name) for finding in check_component(cls)]
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            raise ConfigError([Fault("", f"no module or component {name!r}: {error}{nearest(name, known)}")]) from error
        registry.import_package(name)
    found = [
        c
        for c in registry.components()
        if c.__module__ == module.__name__ or c.__module__.startswith(f"{module.__name__}.")
    ]
    if not found:
        raise ConfigError([Fault("", f"{name} declares no component: expected a class made with @component")])
    return [finding for cls in found for finding in check_component(cls)]


def check_component(cls: type[Component], **given: Any) -> list[Finding]:
    """Runs the battery over one component class. `given`: values for parameters that have no default."""
    findings = []
    for check in CHECKS:
        for name, fault in check(cls, given):
            findings.append(Finding(cls.name, name, fault))
    return findings


Check = Callable[[type[Component], dict[str, Any]], Iterator[tuple[str, str]]]


def _is_documented(cls: type[Component], given: dict[str, Any]) -> Iterator[tuple[str, str]]:
    doc = (cls.__doc__ or "").strip()
    generated = doc.startswith(f"{cls.__name__}(")
    yield "says what it is", "" if doc and not generated else "expected a docstring whose first line says what it does"
    bare = [p.name for p in params.parameters(cls) if not p.doc]
    yield "documents its parameters", f"no docstring after {', '.join(bare)}" if bare else ""
    role = issubclass(cls, Annotator | AnalysisEngine | CollectionReader | CasConsumer)
    yield (
        "has a role",
        "" if role else "expected a subclass of Annotator, AnalysisEngine, CollectionReader or CasConsumer",
    )
    if issubclass(cls, Annotator):
        yield "declares what it makes", "" if cls.outputs else "an annotator without outputs can make nothing"


def _defaults_are_valid(cls: type[Component], given: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if any(p.required and p.name not in given for p in params.parameters(cls)):
        return
    faults: list[str] = []
    made = params.build(cls, given, lambda at, what: faults.append(f"{'.'.join(map(str, at))}: {what}"))
    yield "its defaults are valid", "; ".join(faults)
    if made is None:
        return
    try:
        again = pickle.loads(pickle.dumps(made))
        fault = "" if vars(again).keys() == vars(made).keys() else "it lost fields on the way"
    except Exception as error:
        fault = f"{type(error).__name__}: {error}"
    yield "can be pickled before it is opened", fault
    yield "rejects an unknown parameter", "" if _rejects(cls, given) else "it took a parameter it does not have"


def _rejects(cls: type[Component], given: dict[str, Any]) -> bool:
    faults: list[Any] = []
    params.build(cls, {**given, "no_such_parameter_": 1}, lambda at, what: faults.append(what))
    return bool(faults)


def _behaves(cls: type[Component], given: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if not issubclass(cls, Annotator | AnalysisEngine) or any(
        p.required and p.name not in given for p in params.parameters(cls)
    ):
        return
    made: Any = params.build(cls, given, lambda at, what: None)
    if made is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.open()
        try:
            for name, text in TEXTS.items():
                yield f"survives {name}", _run(made, text)
        finally:
            made.close()


def _run(engine: Component, text: str) -> str:
    """Return what fails with one text: an exception, an impure annotator, or a different second result."""
    cuts = Token in engine.outputs
    cas, again = _document(text, cuts), _document(text, cuts)
    try:
        if isinstance(engine, Annotator):
            before = [(type(a), a.begin, a.end) for a in cas.view().select(Annotation)]
            first = _picture(engine, cas)
            if before != [(type(a), a.begin, a.end) for a in cas.view().select(Annotation)]:
                return "annotate() changed the view; it must only yield"
            if len(text) < LONG and first != _picture(engine, again):
                return "annotate() gave another result the second time"
        apply(engine, cas)
        once = _content(cas)
        if len(text) < LONG:
            apply(engine, cas)
        if _content(cas) != once:
            return "running it twice changes the result; it must be idempotent"
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        if SECRET in told or (isinstance(error, ComponentError) and SECRET in str(error)):
            return f"{type(error).__name__}, whose message holds text of the document"
        return told
    leaks = [repr(a) for v in cas.views for a in v.select(Annotation) if SECRET in repr(a)]
    return "a repr holds text of the document" if leaks or SECRET in repr(engine) else ""


def _picture(engine: Annotator, cas: Cas) -> list[tuple[Any, ...]]:
    made: list[tuple[Any, ...]] = []
    for item in engine.annotate(cas.view()):
        if isinstance(item, Spans):
            made.append((item.type.__name__, tuple(item.begins), tuple(item.ends)))
        else:
            made.append((type(item).__name__, item.begin, item.end, *_features(item)))
    return made


def _features(item: Annotation) -> tuple[str, ...]:
    return tuple(
        str(getattr(item, f)) for f in type(item).features if not isinstance(getattr(item, f, None), Annotation)
    )


def _content(cas: Cas) -> list[Any]:
    return [
        (v.name, v.text, [(type(a).__name__, a.begin, a.end, *_features(a)) for a in v.select(Annotation)])
        for v in cas.views
    ]


def _document(text: str, bare: bool = False) -> Cas:
    """Return a document with tokens, one sentence, candidates and final spans, so that every engine has input."""
    cas = Cas(text, id="contract")
    view = cas.view(INITIAL_VIEW)
    if bare:
        return cas
    begins, ends = token_spans(text)
    view.add_spans(Token, begins, ends, "segmenter")
    if begins:
        view.add_spans(Sentence, [begins[0]], [ends[-1]], "segmenter")
        for kind, at in ((PhiKind.PERSON, 0), (PhiKind.DATE, len(begins) // 2)):
            view.add(PhiCandidate(begins[at], ends[at], kind=kind).set_source("contract"))
        view.add(Phi(begins[0], ends[0], kind=PhiKind.PERSON).set_source("contract"))
    return cas


CHECKS: tuple[Check, ...] = (_is_documented, _defaults_are_valid, _behaves)

__all__ = ["CHECKS", "TEXTS", "Finding", "check_component", "check_module"]
