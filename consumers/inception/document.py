"""A document as INCEpTION accepts it: clean text, sentences that hold every span whole, tokens, spans without blank edges."""

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
class Reviewed:
    """A document made ready for review, and what was done to it."""

    cas: Cas | None
    """None where INCEpTION would refuse it; `skipped` says why."""
    text: str
    """The text that is reviewed: as long as the original, code point for code point."""
    lost: list[tuple[int, int]] = field(default_factory=list)
    """(offset, code) of each character of the original that something else stands for."""
    notes: dict[str, int] = field(default_factory=dict)
    """What was changed, counted."""
    skipped: str = ""
    overlapping: bool = False
    """Whether any two of its spans share characters."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes documents for review."""

    mode: Mode
    candidates: bool

    def make(self, cas: Cas, view: View, found: list[Span], label: Callable[[PhiKind], str], title: str) -> Reviewed:
        """`found`: the spans of `view`; `label`: the label of a kind; `title`: what INCEpTION calls the document."""
        text, lost = clean(view.text)
        made = Reviewed(None, text, lost)
        spans = self._spans(made, found, text)
        others = self._candidates(cas, view, text)
        tokens, sentences = segmentation(cas, view, text)
        if not tokens:
            made.skipped = "it has no text: INCEpTION refuses empty documents"
            return made
        borders = sorted({at for _, b, e in spans for at in (b, e)})
        if self.mode == "named-entity":
            tokens = self._split(made, tokens, borders, text)
        whole = joined([*sentences, *tokens, *((b, e) for _, b, e in spans), *((b, e) for _, b, e in others)])
        _note(made, "sentences joined", len(sentences) - _holding(whole, sentences))
        for what, items, most in (("tokens", tokens, MAX_TOKENS), ("sentences", whole, MAX_SENTENCES)):
            if len(items) > most:
                made.skipped = f"it has {len(items):,} {what}: INCEpTION takes {most:,} at most"
                return made
        made.cas = self._cas(text, language(cas, view), title, tokens, whole)
        _note(made, "tokens", len(tokens))
        _note(made, "sentences", len(whole))
        _note(made, "spans", len(spans))
        _note(made, "candidates", len(others))
        _note(made, "characters replaced", len(lost))
        made.overlapping = len(joined((b, e) for _, b, e in spans)) < len(spans)
        self._add(made.cas, spans, others, _rules(cas) if self.mode == "phi-layer" else {}, label)
        return made

    def _spans(self, made: Reviewed, spans: list[Span], text: str) -> list[tuple[Span, int, int]]:
        found = [(s, *trimmed(text, s.begin, s.end)) for s in spans]
        kept = [(s, b, e) for s, b, e in found if b < e]
        _note(made, "spans of blanks left out", len(found) - len(kept))
        _note(made, "spans trimmed", sum((b, e) != (s.begin, s.end) for s, b, e in kept))
        return kept

    def _candidates(self, cas: Cas, view: View, text: str) -> list[tuple[PhiCandidate, int, int]]:
        if not self.candidates or not cas.has_view(INITIAL_VIEW) or cas.view().text != view.text:
            return []
        found = [(c, *trimmed(text, c.begin, c.end)) for c in cas.select(PhiCandidate)]
        return [(c, b, e) for c, b, e in found if b < e]

    def _split(self, made: Reviewed, tokens: list[Interval], borders: list[int], text: str) -> list[Interval]:
        """Tokens cut where a span begins or ends inside them: named entities are anchored at tokens."""
        cut: list[Interval] = []
        for begin, end in tokens:
            i = bisect_left(borders, begin + 1)
            while i < len(borders) and borders[i] < end:
                cut.append((begin, borders[i]))
                begin = borders[i]
                i += 1
            cut.append((begin, end))
        _note(made, "tokens cut at spans", len(cut) - len(tokens))
        return [(b, e) for b, e in (trimmed(text, *piece) for piece in cut) if b < e]

    def _cas(self, text: str, speech: str, title: str, tokens: list[Interval], sentences: list[Interval]) -> Cas:
        made = Cas(text, typesystem=review_types(self.mode, self.candidates))
        view = made.view()
        view.add(DocumentMetaData(0, len(text), language=speech, documentTitle=title, documentId=title))
        view.add_spans(Sentence, [b for b, _ in sentences], [e for _, e in sentences])
        view.add_spans(Token, [b for b, _ in tokens], [e for _, e in tokens])
        return made

    def _add(
        self, made: Cas, spans: list[Any], others: list[Any], rules: dict[int, str], label: Callable[[PhiKind], str]
    ) -> None:
        types = review_types(self.mode, self.candidates)
        layer = types[layers(self.mode, self.candidates)[0]]
        for span, begin, end in spans:
            if self.mode == "named-entity":
                made.add(layer(begin, end, value=clean(span.label)[0]))
            else:
                made.add(layer(begin, end, **_features(span, rules.get(id(span.annotation), ""))))
        for candidate, begin, end in others:
            made.add(types[CANDIDATE_LAYER](begin, end, **_of_candidate(candidate, label(candidate.kind))))


def _features(span: Span, rule: str) -> dict[str, Any]:
    of = span.annotation
    gold = isinstance(of, Phi) and of.sofa is not None and of.sofa.name != INITIAL_VIEW
    made: dict[str, Any] = {"label": span.label, "status": ACCEPTED if gold else FOUND, "source": span.source}
    if isinstance(of, Phi):
        made |= {"reason": of.reason, "value": of.value, "rule": rule}
    elif isinstance(of, MaskedSpan):
        made |= {"reason": of.operator}
    return {**{k: clean(v)[0] for k, v in made.items() if v}, "confidence": float(span.confidence)}


def _of_candidate(candidate: PhiCandidate, label: str) -> dict[str, Any]:
    made = {"label": label, "source": candidate.source, "rule": candidate.rule}
    made |= {"reason": candidate.reason, "value": candidate.value}
    return {**{k: clean(v)[0] for k, v in made.items() if v}, "confidence": float(candidate.confidence)}


def _rules(cas: Cas) -> dict[int, str]:
    """`id()` of each final span to the rule of the candidate that it was made from."""
    found: dict[int, str] = {}
    if cas.has_view(INITIAL_VIEW):
        for candidate in cas.select(PhiCandidate):
            winner = candidate.winner
            if winner is not None and candidate.rule and candidate.source == winner.source:
                found.setdefault(id(winner), candidate.rule)
    return found


def clean(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text as XML 1.0 and INCEpTION can carry it, of the same length, and what was lost; no byte-order mark at its begin."""
    text, lost = replace_illegal(text)
    if text.startswith(BOM):
        text, lost = f" {text[1:]}", [(0, ord(BOM)), *lost]
    return text, lost


def segmentation(cas: Cas, view: View, text: str) -> tuple[list[Interval], list[Interval]]:
    """Tokens and sentences of a view, without blank edges, sorted and disjoint.

    A view that has none takes those of the initial view where the text is the same. Without any, tokens are cut as
    everywhere in caspipe, and each line is a sentence.
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
    found, at = [], 0
    for line in text.splitlines(keepends=True):
        found.append(trimmed(text, at, at + len(line)))
        at += len(line)
    return [(b, e) for b, e in found if b < e]


def _disjoint(intervals: Iterable[Interval]) -> list[Interval]:
    """Those that hold something and begin behind the end of the one before."""
    kept: list[Interval] = []
    for begin, end in sorted(intervals):
        if begin < end and (not kept or begin >= kept[-1][1]):
            kept.append((begin, end))
    return kept


def joined(intervals: Iterable[Interval]) -> list[Interval]:
    """The smallest disjoint intervals that hold each of the given ones whole; neighbours that only touch stay apart."""
    made: list[Interval] = []
    for begin, end in sorted(intervals):
        if made and begin < made[-1][1]:
            made[-1] = made[-1][0], max(end, made[-1][1])
        else:
            made.append((begin, end))
    return made


def _holding(whole: list[Interval], parts: list[Interval]) -> int:
    """How many of the disjoint, sorted `whole` hold at least one of `parts`."""
    begins = [b for b, _ in whole]
    return len({bisect_left(begins, b + 1) for b, _ in parts})


def language(cas: Cas, view: View) -> str:
    """The language of the document, as far as known."""
    for where in (view, *cas.views):
        for document in where.select(DocumentAnnotation):
            if document.language and document.language != "x-unspecified":
                return str(document.language)
    return "x-unspecified"


def _note(made: Reviewed, what: str, count: int) -> None:
    if count:
        made.notes[what] = made.notes.get(what, 0) + count
