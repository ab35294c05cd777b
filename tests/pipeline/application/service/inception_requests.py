"""Requests as INCEpTION sends them: a project's type system, documents with tokens and sentences, tag sets."""

from __future__ import annotations

import re
from typing import Any

from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas, Sentence, Token, TypeSystem, read_xmi, write_xmi

LAYER, FEATURE = "webanno.custom.Phi", "label"
PREDICTED = "inception_internal_predicted"
SUFFIXES = {"_score": "uima.cas.Double", "_score_explanation": "uima.cas.String", "_auto_accept": "uima.cas.String"}

_SEGMENTER = Pipeline.parse("engines: [segmenter]")


def types(*, prepared: bool = True, array: bool = False) -> TypeSystem:
    """A project's types: our layer, one of INCEpTION's own records, and the features that it adds before it asks."""
    made = TypeSystem()
    made.create_type(
        "de.tudarmstadt.ukp.clarin.webanno.api.type.CASMetadata",
        "uima.tcas.AnnotationBase" if "uima.tcas.AnnotationBase" in made else "uima.cas.AnnotationBase",
        {"username": "uima.cas.String", "projectId": "uima.cas.Long", "sourceDocumentId": "uima.cas.Long"},
    )
    features: dict[str, Any] = {FEATURE: "uima.cas.StringArray" if array else "uima.cas.String"}
    if prepared:
        features[PREDICTED] = "uima.cas.Boolean"
        features |= {FEATURE + suffix: range_ for suffix, range_ in SUFFIXES.items()}
    made.create_type(LAYER, features=features)
    return made


def document(text: str, spans: list[tuple[int, int, str]] = (), *, ts: TypeSystem | None = None) -> Cas:  # type: ignore[assignment]
    """A document of a project, annotated by a person."""
    ts = ts or types()
    cas = Cas(text, typesystem=ts)
    found = _SEGMENTER.process(text)
    for type_ in (Sentence, Token):
        cas.view().add_all([ts[type_.uima_name](x.begin, x.end) for x in found.select(type_)])
    for begin, end, label in spans:
        item = ts[LAYER](begin, end)
        item[FEATURE] = label
        cas.add(item)
    return cas


def marked(line: str) -> tuple[str, list[tuple[int, int, str]]]:
    """A text with `<LABEL>marks</LABEL>`, taken apart."""
    text, spans, last = "", [], 0
    for match in re.finditer(r"<([A-Z_-]+)>(.*?)</\1>", line):
        text += line[last : match.start()]
        spans.append((len(text), len(text) + len(match[2]), match[1]))
        text += match[2]
        last = match.end()
    return text + line[last:], spans


def metadata(cas: Cas | None = None, **given: Any) -> dict[str, Any]:
    found = {"layer": LAYER, "feature": FEATURE, "projectId": 1, "anchoringMode": "tokens", "crossSentence": False}
    if cas is not None:
        found["range"] = {"begin": 0, "end": len(cas.text.encode("utf-16-le")) // 2}
    return {**found, **given}


def predict(cas: Cas, *, tags: list[str] | None = None, user: str = "anna", **given: Any) -> dict[str, Any]:
    ts = cas.typesystem
    assert ts is not None
    made: dict[str, Any] = {
        "metadata": metadata(cas, **given),
        "document": {"xmi": write_xmi(cas).decode(), "documentId": 7, "userId": user},
        "typeSystem": ts.to_xml().decode(),
    }
    if tags is not None:
        known = [{"tag": tag, "description": None} for tag in tags]
        made["tagsets"] = [
            {"description": "another", "tags": [{"tag": "x"}], "targets": [{"type": LAYER, "feature": "other"}]},
            {"description": "PHI", "tags": known, "targets": [{"type": LAYER, "feature": FEATURE}]},
        ]
    return made


def train(documents: list[Cas], *, user: str = "anna", **given: Any) -> dict[str, Any]:
    ts = documents[0].typesystem if documents else types()
    assert ts is not None
    return {
        "metadata": metadata(**given),
        "documents": [
            {"xmi": write_xmi(cas).decode(), "documentId": n, "userId": user} for n, cas in enumerate(documents)
        ],
        "typeSystem": ts.to_xml().decode(),
    }


def suggestions(answer: dict[str, Any], asked: Cas) -> list[Any]:
    """The suggestions in an answer, which is the document again with nothing else changed."""
    assert set(answer) == {"document"}
    back = read_xmi(answer["document"].encode(), asked.typesystem)
    assert back.text == asked.text
    found = []
    others: dict[str, int] = {}
    for item in back.view():
        if type(item).uima_name == LAYER and item[PREDICTED]:
            found.append(item)
        else:
            name = type(item).uima_name
            others[name] = others.get(name, 0) + 1
    expected: dict[str, int] = {}
    for item in asked.view():
        expected[type(item).uima_name] = expected.get(type(item).uima_name, 0) + 1
    assert others == expected
    return found
