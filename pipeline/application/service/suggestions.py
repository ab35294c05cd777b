"""Suggestions for INCEpTION: the received document with an annotation of the requested layer for each span."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ....annotators.resolving.candidates import trim
from ....typesystem import Annotation, Cas, Phi, PhiCandidate, PhiKind, Sentence, Token, View, write_xmi
from ....typesystem.annotation import REQUIRED
from ....typesystem.errors import TypeSystemError
from ....typesystem.text import Utf16
from ...pipeline import Pipeline
from .documents import check_length, read_document_xmi, text_view, type_system, xml_bytes
from .jobs import Facts
from .labels import TagMap, kind_of, tags_for
from .messages import PredictRequest, RecommenderMetadata
from .problems import Problem
from .settings import Spec

PREDICTED = "inception_internal_predicted"
SCORE, EXPLANATION, AUTO_ACCEPT = "_score", "_score_explanation", "_auto_accept"
"""Suffixes of the features that INCEpTION adds to a layer for suggestions (RecommendationService)."""
_STRINGS = ("uima.cas.String", "uima.cas.StringArray")


def suggested(pipeline: Pipeline, spec: Spec, request: PredictRequest) -> tuple[bytes, Facts]:
    """Return the document with suggestions as XMI, and its counts for the metrics.

    Raises Problem, FormatError, CasError and TypeSystemError for requests that do not fit, ComponentError.
    """
    asked = request.metadata
    types = type_system(request.typeSystem)
    cas = read_document_xmi(xml_bytes(request.document.xmi), types, lenient=True)
    check_length(cas, spec.max_characters)
    cas.metadata.clear()  # notes of the reader, which INCEpTION does not use
    view = text_view(cas)
    layer = _Layer(cas, asked)
    found = pipeline.process(Cas(view.text), stop_after=_last_resolver(pipeline))
    kinds: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    tags = TagMap(tags_for(request.tagsets, asked.layer, asked.feature))
    suggestions: dict[tuple[int, int, str], tuple[float, str]] = {}
    begin, end = _range(view, asked)
    voices = _voices(found)
    for phi in found.select(Phi):
        kinds[phi.kind.name] += 1
        tag = tags.tag(phi.kind)
        if tag is None:
            skipped["no tag"] += 1
            continue
        places = list(anchored(view, phi.begin, phi.end, asked.anchoringMode, asked.crossSentence))
        if not places:
            skipped["no anchor"] += 1
        for b, e in places:
            if not begin <= b <= e <= end:
                skipped["out of range"] += 1
            elif (b, e, tag) not in suggestions or suggestions[b, e, tag][0] < phi.confidence:
                suggestions[b, e, tag] = phi.confidence, _explained(phi, voices)
    view.add_all(
        [layer.suggestion(b, e, tag, *suggestions[b, e, tag], spec.auto_accept) for b, e, tag in sorted(suggestions)]
    )
    facts = Facts(len(view.text), dict(sorted(kinds.items())), dict(sorted(skipped.items())))
    return write_xmi(cas, typesystem=cas.typesystem), facts


class _Layer:
    """The layer of the suggestions, as declared by the received type system."""

    def __init__(self, cas: Cas, asked: RecommenderMetadata) -> None:
        types = cas.typesystem
        try:
            if types is None:
                raise TypeSystemError("no types")
            self.cls: Any = types[asked.layer]
            features = types.features(asked.layer)
        except TypeSystemError:
            raise Problem(422, "no-layer", "#/metadata/layer: the type system has no such type") from None
        if not issubclass(self.cls, Annotation):
            raise Problem(422, "no-layer", "#/metadata/layer: expected a type of annotations (spans)")
        if asked.feature not in features:
            raise Problem(422, "no-feature", "#/metadata/feature: the layer has no such feature")
        if features[asked.feature].range not in _STRINGS:
            raise Problem(422, "no-feature", "#/metadata/feature: expected a feature of strings")
        if PREDICTED not in features:
            raise Problem(
                422, "no-feature", f"the layer has no feature {PREDICTED}; INCEpTION adds it to what it sends"
            )
        self.feature = asked.feature
        self.many = features[asked.feature].range == "uima.cas.StringArray"
        self.declared = features

    def suggestion(
        self, begin: int, end: int, tag: str, score: float, why: str, auto_accept: float | None
    ) -> Annotation:
        required = {name: None for name, default in getattr(self.cls, "_defaults", {}).items() if default is REQUIRED}
        annotation: Annotation = self.cls(begin, end, **required)
        annotation[PREDICTED] = True
        of_kinds = self.cls.features[self.feature].python is PhiKind  # a layer that caspipe defines
        annotation[self.feature] = [tag] if self.many else kind_of(tag) if of_kinds else tag
        wanted: dict[str, Any] = {SCORE: float(score), EXPLANATION: why}
        if auto_accept is not None and score >= auto_accept:
            wanted[AUTO_ACCEPT] = "on-first-access"
        for suffix, value in wanted.items():
            if self.feature + suffix in self.declared:
                annotation[self.feature + suffix] = value
        return annotation


def _range(view: View, asked: RecommenderMetadata) -> tuple[int, int]:
    """Return the requested range in code points. An incomplete surrogate pair at its ends is excluded."""
    if asked.range is None:
        return 0, len(view.text)
    utf16 = Utf16(view.text)
    begin, end = (min(max(x, 0), utf16.length) for x in (asked.range.begin, asked.range.end))
    return utf16.from_utf16(begin, up=True), utf16.from_utf16(end)


def anchored(view: View, begin: int, end: int, mode: str, cross_sentence: bool) -> Iterator[tuple[int, int]]:
    """Yield the spans of the layer for one span, in code points; none if it overlaps no token or sentence of the view.

    A layer may allow whole tokens, one token, sentences, or spans inside sentences only. INCEpTION drops suggestions without a
    whole token, and those of several tokens if only one is allowed, so they are widened and cut here
    (SuggestionExtraction.getOffsets).
    """
    if mode == "sentences":
        hit = view.select(Sentence, overlapping=(begin, end))
        if hit and cross_sentence:
            yield hit[0].begin, hit[-1].end
        else:
            yield from ((s.begin, s.end) for s in hit)
        return
    for b, e in [(begin, end)] if cross_sentence else _cut(view, begin, end):
        if mode == "characters":
            b, e = trim(view.text, b, e)
            if b < e:
                yield b, e
            continue
        tokens = view.select(Token, overlapping=(b, e))
        if mode == "singleToken":
            yield from ((t.begin, t.end) for t in tokens)
        elif tokens:
            yield tokens[0].begin, tokens[-1].end


def _cut(view: View, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts inside sentences; the whole span if the document has no sentences."""
    if not view.count(Sentence):
        yield begin, end
    for sentence in view.select(Sentence, overlapping=(begin, end)):
        yield max(begin, sentence.begin), min(end, sentence.end)


def _last_resolver(pipeline: Pipeline) -> str:
    """Return the engine after which the document has final spans."""
    return next((e.id for e in reversed(pipeline.engines) if Phi in e.outputs), "")


def _voices(cas: Cas) -> dict[int, PhiCandidate]:
    """Return the candidate of each final span: the most confident one of the same source."""
    best: dict[int, PhiCandidate] = {}
    for c in cas.select(PhiCandidate):
        if c.winner is None or c.winner.source != c.source:
            continue
        before = best.get(id(c.winner))
        if before is None or before.confidence < c.confidence:
            best[id(c.winner)] = c
    return best


def _explained(phi: Phi, voices: dict[int, PhiCandidate]) -> str:
    """Return the source and rule of a span and the reason why it was selected, without text of the document."""
    voice = voices.get(id(phi))
    rule = f" ({voice.rule})" if voice is not None and voice.rule else ""
    return f"{phi.source}{rule}: {phi.reason}" if phi.reason else f"{phi.source}{rule}"
