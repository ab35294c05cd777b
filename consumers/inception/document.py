"""A document that INCEpTION accepts: clean text, sentences that contain every span completely, tokens, spans without blank
edges."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ...typesystem import (
    INITIAL_VIEW,
    Annotation,
    Cas,
    DocumentAnnotation,
    DocumentMetaData,
    MaskedSpan,
    Phi,
    PhiCandidate,
    PhiKind,
    Sentence,
    Token,
    View,
)
from ...typesystem.markup.xml_text import replace_illegal
from ...typesystem.review_layers import (
    ACCEPTED,
    CANDIDATE_LAYER,
    FOUND,
    MAX_SENTENCES,
    MAX_TOKENS,
    Mode,
    layers,
    review_types,
    trimmed,
)
from ...typesystem.tokenize import token_spans
from ..files.annotated import Span

BOM = "\ufeff"
Interval = tuple[int, int]


@dataclass(slots=True)
class ReviewDocument:
    """A document prepared for review, and what was changed in it."""

    cas: Cas | None
    """None if INCEpTION would refuse it; `skipped` gives the reason."""
    text: str
    """The text to review: as long as the original, code point for code point."""
    lost: list[tuple[int, int]] = field(default_factory=list)
    """(offset, code) of each character of the original that was replaced."""
    notes: dict[str, int] = field(default_factory=dict)
    """Changes and their counts."""
    skipped: str = ""
    overlapping: bool = False
    """True if any two of its spans share characters."""


@dataclass(frozen=True, slots=True)
class ReviewDocumentBuilder:
    """Builds documents for review."""

    mode: Mode
    candidates: bool

    def build(
        self, cas: Cas, view: View, spans_of_view: list[Span], label: Callable[[PhiKind], str], title: str
    ) -> ReviewDocument:
        """Build a document. `spans_of_view`: spans of `view`; `label`: the label of a kind; `title`: the name of the document in
        INCEpTION."""
        text, lost = clean(view.text)
        result = ReviewDocument(None, text, lost)
        spans = self._spans(result, spans_of_view, text)
        others = self._candidates(cas, view, text)
        tokens, sentences = segmentation(cas, view, text)
        if not tokens:
            result.skipped = "it has no text: INCEpTION refuses empty documents"
            return result
        borders = sorted({edge for _, b, e in spans for edge in (b, e)})
        if self.mode == "named-entity":
            tokens = self._split(result, tokens, borders, text)
        whole = joined([*sentences, *tokens, *((b, e) for _, b, e in spans), *((b, e) for _, b, e in others)])
        _note(result, "sentences joined", len(sentences) - _holding(whole, sentences))
        for name, items, limit in (("tokens", tokens, MAX_TOKENS), ("sentences", whole, MAX_SENTENCES)):
            if len(items) > limit:
                result.skipped = f"it has {len(items):,} {name}: INCEpTION accepts {limit:,} at most"
                return result
        result.cas = self._cas(text, language(cas, view), title, tokens, whole)
        _note(result, "tokens", len(tokens))
        _note(result, "sentences", len(whole))
        _note(result, "spans", len(spans))
        _note(result, "candidates", len(others))
        _note(result, "characters replaced", len(lost))
        result.overlapping = len(joined((b, e) for _, b, e in spans)) < len(spans)
        self._add(result.cas, spans, others, _rules(cas) if self.mode == "phi-layer" else {}, label)
        return result

    def _spans(self, result: ReviewDocument, spans: list[Span], text: str) -> list[tuple[Span, int, int]]:
        inner = [(s, *trimmed(text, s.begin, s.end)) for s in spans]
        kept = [(s, b, e) for s, b, e in inner if b < e]
        _note(result, "spans of blanks left out", len(inner) - len(kept))
        _note(result, "spans trimmed", sum((b, e) != (s.begin, s.end) for s, b, e in kept))
        return kept

    def _candidates(self, cas: Cas, view: View, text: str) -> list[tuple[PhiCandidate, int, int]]:
        if not self.candidates or not cas.has_view(INITIAL_VIEW) or cas.view().text != view.text:
            return []
        inner = [(c, *trimmed(text, c.begin, c.end)) for c in cas.select(PhiCandidate)]
        return [(c, b, e) for c, b, e in inner if b < e]

    def _split(self, result: ReviewDocument, tokens: list[Interval], borders: list[int], text: str) -> list[Interval]:
        """Split tokens in which a span begins or ends: named entities are anchored at tokens."""
        cut: list[Interval] = []
        for begin, end in tokens:
            i = bisect_left(borders, begin + 1)
            while i < len(borders) and borders[i] < end:
                cut.append((begin, borders[i]))
                begin = borders[i]
                i += 1
            cut.append((begin, end))
        _note(result, "tokens cut at spans", len(cut) - len(tokens))
        return [(b, e) for b, e in (trimmed(text, *piece) for piece in cut) if b < e]

    def _cas(self, text: str, language_code: str, title: str, tokens: list[Interval], sentences: list[Interval]) -> Cas:
        result = Cas(text, typesystem=review_types(self.mode, self.candidates))
        view = result.view()
        view.add(DocumentMetaData(0, len(text), language=language_code, documentTitle=title, documentId=title))
        view.add_spans(Sentence, [b for b, _ in sentences], [e for _, e in sentences])
        view.add_spans(Token, [b for b, _ in tokens], [e for _, e in tokens])
        return result

    def _add(
        self, result: Cas, spans: list[Any], others: list[Any], rules: dict[int, str], label: Callable[[PhiKind], str]
    ) -> None:
        types = review_types(self.mode, self.candidates)
        layer = types[layers(self.mode, self.candidates)[0]]
        for span, begin, end in spans:
            if self.mode == "named-entity":
                result.add(layer(begin, end, value=clean(span.label)[0]))
            else:
                result.add(layer(begin, end, **_features(span, rules.get(id(span.annotation), ""))))
        for candidate, begin, end in others:
            result.add(types[CANDIDATE_LAYER](begin, end, **_of_candidate(candidate, label(candidate.kind))))


def _features(span: Span, rule: str) -> dict[str, Any]:
    of = span.annotation
    gold = isinstance(of, Phi) and of.sofa is not None and of.sofa.name != INITIAL_VIEW
    result: dict[str, Any] = {"label": span.label, "status": ACCEPTED if gold else FOUND, "source": span.source}
    if isinstance(of, Phi):
        result |= {"reason": of.reason, "value": of.value, "rule": rule}
    elif isinstance(of, MaskedSpan):
        result |= {"reason": of.operator}
    return {**{k: clean(v)[0] for k, v in result.items() if v}, "confidence": float(span.confidence)}


def _of_candidate(candidate: PhiCandidate, label: str) -> dict[str, Any]:
    result = {"label": label, "source": candidate.source, "rule": candidate.rule}
    result |= {"reason": candidate.reason, "value": candidate.value}
    return {**{k: clean(v)[0] for k, v in result.items() if v}, "confidence": float(candidate.confidence)}


def _rules(cas: Cas) -> dict[int, str]:
    """Return, by `id()` of each final span, the rule of the candidate that it was result from."""
    rules: dict[int, str] = {}
    if cas.has_view(INITIAL_VIEW):
        for candidate in cas.select(PhiCandidate):
            winner = candidate.winner
            if winner is not None and candidate.rule and candidate.source == winner.source:
                rules.setdefault(id(winner), candidate.rule)
    return rules


def clean(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the text as XML 1.0 and INCEpTION accept it, of the same length, without a byte-order mark at its begin, and what
    was replaced."""
    text, lost = replace_illegal(text)
    if text.startswith(BOM):
        text, lost = f" {text[1:]}", [(0, ord(BOM)), *lost]
    return text, lost


def segmentation(cas: Cas, view: View, text: str) -> tuple[list[Interval], list[Interval]]:
    """Return tokens and sentences of a view, without blank edges, sorted and disjoint.

    A view without any uses those of the initial view if the text is the same. If that has none, tokens are result by our
    tokenizer, and each line is a sentence.
    """
    tokens = _disjoint(_intervals(cas, view, Token, text))
    if not tokens:
        tokens = _disjoint(trimmed(text, b, e) for b, e in zip(*token_spans(text), strict=True))
    sentences = joined(s for s in _intervals(cas, view, Sentence, text) if s[0] < s[1])
    return tokens, sentences or _lines(text)


def _intervals(cas: Cas, view: View, type_: type[Annotation], text: str) -> list[Interval]:
    where = view
    if not view.count(type_) and cas.has_view(INITIAL_VIEW) and cas.view().text == view.text:
        where = cas.view()
    return [trimmed(text, a.begin, a.end) for a in where.select(type_)]


def _lines(text: str) -> list[Interval]:
    lines, offset = [], 0
    for line in text.splitlines(keepends=True):
        lines.append(trimmed(text, offset, offset + len(line)))
        offset += len(line)
    return [(b, e) for b, e in lines if b < e]


def _disjoint(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the intervals that are not empty and begin after the end of the previous one."""
    kept: list[Interval] = []
    for begin, end in sorted(intervals):
        if begin < end and (not kept or begin >= kept[-1][1]):
            kept.append((begin, end))
    return kept


def joined(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the smallest disjoint intervals that contain each of the given ones completely; neighbors that only touch stay
    separate."""
    result: list[Interval] = []
    for begin, end in sorted(intervals):
        if result and begin < result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((begin, end))
    return result


def _holding(whole: list[Interval], parts: list[Interval]) -> int:
    """Return how many of the disjoint, sorted `whole` contain at least one of `parts`."""
    begins = [b for b, _ in whole]
    return len({bisect_left(begins, b + 1) for b, _ in parts})


def language(cas: Cas, view: View) -> str:
    """Return the language of the document, if known."""
    for where in (view, *cas.views):
        for document in where.select(DocumentAnnotation):
            if document.language and document.language != "x-unspecified":
                return str(document.language)
    return "x-unspecified"


def _note(result: ReviewDocument, what: str, count: int) -> None:
    if count:
        result.notes[what] = result.notes.get(what, 0) + count
