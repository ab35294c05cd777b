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
from ..errors import CaspipeError, ComponentError, ConfigError, ConsumerError, Fault, nearest
from . import params, registry
from .apply import apply
from .component import AnalysisEngine, Annotator, CasConsumer, CollectionReader, Component, Spans
from .conformance_io import check_consumer, check_reader

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
    """One check of one component; `fault` is empty if it passed, `note` says what the check could not cover."""

    component: str
    check: str
    fault: str = ""
    note: str = ""


def check_module(name: str, *texts: str) -> list[Finding]:
    """Run the checks over the components of a module or Python file, or over one component by name.

    texts: see `check_component`. Raises ConfigError if the module does not exist or does not contain components.
    """
    if name.endswith(".py"):
        module = registry.load_file(name)
    else:
        known = [c.name for c in registry.components()]
        if name in known:
            return [finding for cls in registry.find_all(name) for finding in check_component(cls, *texts)]
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
    return [finding for cls in found for finding in check_component(cls, *texts)]


def check_component(cls: type[Component], *texts: str, **given: Any) -> list[Finding]:
    """Run the checks over one component class.

    texts: documents in which an annotator finds something, beside those of the battery. given: values of parameters; without
    those that are required, a component is not opened.
    """
    findings = [Finding(cls.name, *result) for check in STATIC_CHECKS for result in check(cls, given)]
    if any(p.required and p.name not in given for p in params.parameters(cls)):
        return [*findings, _not_opened(cls, "give values for the required parameters")]
    if params.build(cls, given, lambda at, what: None) is None:
        return findings  # the faults are among the findings
    if issubclass(cls, Annotator | AnalysisEngine):
        findings += _check_engine(cls, given, texts)
    elif issubclass(cls, CollectionReader | CasConsumer):
        findings += _check_input_or_output(cls, given)
    return findings


def _check_input_or_output(cls: type[CollectionReader | CasConsumer], given: dict[str, Any]) -> Iterator[Finding]:
    try:
        if issubclass(cls, CollectionReader):
            reader: Any = params.build(cls, given, lambda at, what: None)
            checks = check_reader(reader)
        else:
            checks = check_consumer(cls, given)
        for check, fault in checks:
            yield Finding(cls.name, check, fault)
    except CaspipeError as error:
        if given and not isinstance(error, ConsumerError):
            yield Finding(cls.name, "works with its parameters", _short(error))
        else:  # it needs a file, or documents of another kind
            yield _not_opened(cls, _short(error))
    except Exception as error:
        yield Finding(cls.name, "raises errors of caspipe only", str(ComponentError(cls.name, error)))


def _not_opened(cls: type[Component], reason: str) -> Finding:
    return Finding(cls.name, "was not run", note=reason)


def _short(error: Exception) -> str:
    """Return the class and the message of an error, at most 200 characters."""
    message = f"{type(error).__name__}: {error}"
    return message if len(message) <= 200 else f"{message[:200]} ..."


Check = Callable[[type[Component], dict[str, Any]], Iterator[tuple[str, str]]]


def _is_documented(cls: type[Component], given: dict[str, Any]) -> Iterator[tuple[str, str]]:
    doc = (cls.__doc__ or "").strip()
    generated = doc.startswith(f"{cls.__name__}(")
    yield "has a docstring", "" if doc and not generated else "expected a docstring whose first line says what it does"
    bare = [p.name for p in params.parameters(cls) if not p.doc]
    yield "documents its parameters", f"no docstring after {', '.join(bare)}" if bare else ""
    role = issubclass(cls, Annotator | AnalysisEngine | CollectionReader | CasConsumer)
    yield (
        "has a role",
        "" if role else "expected a subclass of Annotator, AnalysisEngine, CollectionReader or CasConsumer",
    )
    if issubclass(cls, Annotator):
        yield "declares its outputs", "" if cls.outputs else "an annotator without outputs cannot add annotations"


def _defaults_are_valid(cls: type[Component], given: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if any(p.required and p.name not in given for p in params.parameters(cls)):
        return
    faults: list[str] = []
    component = params.build(cls, given, lambda at, what: faults.append(f"{'.'.join(map(str, at))}: {what}"))
    yield "its defaults are valid", "; ".join(faults)
    if component is None:
        return
    try:
        copy = pickle.loads(pickle.dumps(component))
        fault = "" if vars(copy).keys() == vars(component).keys() else "it lost fields on the way"
    except Exception as error:
        fault = f"{type(error).__name__}: {error}"
    yield "can be pickled before it is opened", fault
    yield (
        "rejects an unknown parameter",
        "" if _rejects(cls, given) else "it accepted a parameter that it does not have",
    )


def _rejects(cls: type[Component], given: dict[str, Any]) -> bool:
    faults: list[Any] = []
    params.build(cls, {**given, "no_such_parameter_": 1}, lambda at, what: faults.append(what))
    return bool(faults)


def _check_engine(cls: type[Component], given: dict[str, Any], texts: tuple[str, ...]) -> Iterator[Finding]:
    engine: Any = params.build(cls, given, lambda at, what: None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine.open()
        try:
            annotated = False
            for name, text in [*TEXTS.items(), *((f"text {n}", text) for n, text in enumerate(texts, 1))]:
                fault, created = _run(engine, text)
                annotated = annotated or created
                yield Finding(cls.name, f"survives {name}", fault)
            if isinstance(engine, Annotator) and not annotated:
                note = "it found nothing in these texts, so its offsets were not checked: give a text of your own"
                yield Finding(cls.name, "finds something", note=note)
        finally:
            engine.close()


def _run(engine: Component, text: str) -> tuple[str, bool]:
    """Return the fault with one text (an error, an impure annotator, a different second result), and if anything was found."""
    bare = Token in engine.outputs
    cas, again = _document(text, bare), _document(text, bare)
    try:
        before = _spans(cas)
        if isinstance(engine, Annotator):
            first = _snapshot(engine, cas)
            if before != _spans(cas):
                return "annotate() changed the view; it must only yield", False
            if len(text) < LONG and first != _snapshot(engine, again):
                return "annotate() gave another result the second time", False
        apply(engine, cas)
        once = _content(cas)
        if len(text) < LONG:
            apply(engine, cas)
        if _content(cas) != once:
            return "running it twice changes the result; it must be idempotent", False
    except Exception as error:
        quotes = SECRET in str(error) or (len(text) > 40 and text[:40] in str(error))
        if quotes:
            return f"{type(error).__name__}, whose message holds text of the document", False
        return str(error if isinstance(error, ComponentError) else ComponentError(engine.id, error)), False
    quoted = any(SECRET in repr(a) for v in cas.views for a in v.select(Annotation)) or SECRET in repr(engine)
    return "a repr holds text of the document" if quoted else "", before != _spans(cas)


def _spans(cas: Cas) -> list[tuple[str, type[Annotation], int, int]]:
    return [(v.name, type(a), a.begin, a.end) for v in cas.views for a in v.select(Annotation)]


def _snapshot(engine: Annotator, cas: Cas) -> list[tuple[Any, ...]]:
    """Return what an annotator yields, as plain data."""
    return [
        (item.type.__name__, tuple(item.begins), tuple(item.ends))
        if isinstance(item, Spans)
        else (type(item).__name__, item.begin, item.end, *_features(item))
        for item in engine.annotate(cas.view())
    ]


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


STATIC_CHECKS: tuple[Check, ...] = (_is_documented, _defaults_are_valid)

__all__ = ["TEXTS", "Finding", "check_component", "check_module"]
