"""The component `names`: marks people, places and organizations by rules, then by the other names of the document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Literal, cast

from ...pipeline.contract.component import Annotator, component
from ...typesystem import PhiCandidate, PhiKind, Sentence, Token, View
from . import cues, words
from .cued import find_cued, find_roled
from .cues import CAPITAL, SHOUT, SMALL
from .initials import find_initials
from .inverted import find_inverted
from .non_names import is_sized
from .organization import find_organizations
from .person import find_people
from .place import find_places
from .scoring import is_eponym
from .sequences import is_subject
from .sites import find_sites, is_department
from .token_context import NameSpan, TokenContext, span_of
from .words import Words

_SURE = 0.55
_ROW = frozenset([", ", " and ", ", and ", " & ", " or ", ",\n", "\n"])


def repeated(doc: TokenContext, kept: list[NameSpan]) -> Iterator[NameSpan]:
    """Yield the other occurrences of the words of certain people and cities, if capitalized or if the text has no capitals.

    Label consistency, after Aramaki et al. 2006 (i2b2 de-identification challenge).
    """
    known: dict[str, NameSpan] = {}
    for span in kept:
        if span.confidence >= _SURE and (span.kind.top is PhiKind.PERSON or span.kind is PhiKind.LOCATION_CITY):
            for i in range(span.first, span.last):
                if doc.bits[i] & (CAPITAL | SHOUT | SMALL) and len(doc.forms[i]) > 2:
                    known.setdefault(doc.forms[i].lower(), span)
    if not known:
        return
    covered = {i for span in kept for i in range(span.first, span.last) if _is_kept(span)}
    for i in [i for i, low in enumerate(doc.lowers) if low in known]:
        if i in covered or is_eponym(doc, [i], i + 1) or is_sized(doc, i, [i]):
            continue
        bits, facts, form, source = doc.bits[i], doc.facts(i), doc.forms[i], known[doc.lowers[i]]
        level = facts >> words.LEVEL
        if facts & words.TERM and not facts & words.NAME:  # a word of `Glasgow Coma Scale`
            continue
        if bits & SMALL:
            confidence = _small_repeat(doc, i, source.confidence)
        elif bits & SHOUT and not doc.shouted:
            confidence = 0.6 if not level and len(form) > 3 else 0.0
        else:
            free = level < 2 and not facts & words.BLOCKED
            spoken = level < 3 and source.confidence >= 0.75 and is_subject(doc, i)
            confidence = 0.75 if free else 0.6 if level < 3 and not doc.starts(i) else 0.5 if spoken else 0.0
        if confidence:
            yield span_of(doc, i, i + 1, source.kind, confidence, "repeated name")


def _small_repeat(doc: TokenContext, i: int, source: float) -> float:
    """Return the confidence in a known name in small letters at token i: no word at all, or a word where only a person fits."""
    facts = doc.facts(i)
    level = facts >> words.LEVEL
    if not doc.is_free(i) or facts & words.TERM:
        return 0.0
    if not level:
        return 0.7 if doc.small or facts & words.OFTEN else 0.55
    owner = doc.form(i + 1) in ("'s", "’s") or doc.bit(i + 1) & cues.PERSON_VERB
    return 0.4 if level < 3 and source >= 0.75 and owner and facts & words.GIVEN else 0.0


def _is_kept(span: NameSpan) -> bool:
    """Return True if a span keeps its kind and confidence even if the same word is a certain name elsewhere."""
    return span.last > span.first + 1 or span.confidence >= _SURE or span.kind.top is not PhiKind.PERSON


def enumerated(doc: TokenContext, people: list[NameSpan]) -> list[NameSpan]:
    """Return the people, with more confidence for those next to another person: `Ann, Bob and Qwertz`."""
    raised: list[NameSpan] = []
    for i, span in enumerate(people):
        if span.confidence < 0.75:
            near = people[max(0, i - 1) : i] + people[i + 1 : i + 2]
            if any(_in_row(doc, span, other) and other.confidence >= 0.25 for other in near):
                span = span._replace(confidence=round(span.confidence + 0.15, 2))
        raised.append(span)
    return raised


def _in_row(doc: TokenContext, one: NameSpan, other: NameSpan) -> bool:
    left, right = (one, other) if one.begin < other.begin else (other, one)
    return 0 < right.begin - left.end < 7 and doc.text[left.end : right.begin] in _ROW


_THRESHOLDS = {"recall": 0.2, "balanced": 0.3, "precision": 0.7}


@component("names", inputs=[Token, Sentence], outputs=[PhiCandidate])
class NameAnnotator(Annotator):
    """Marks names of people, places and organizations by word lists and by the words around them.

    People: after titles (`Dr.`), before credentials (`MD`), after roles and labels (`her husband`, `Patient:`, `signed by`),
    given names with surnames, initials; each name supports the other names of the document. Places: cities with their states
    or after `in`, states, counties, countries. Organizations: hospitals, pharmacies, schools, employers. Eponyms, drugs,
    manufacturers and months are not names. The confidence tells how much evidence there is, the rule which.
    """

    mode: Literal["recall", "balanced", "precision"] = "balanced"
    """How much evidence a name needs: `recall` accepts doubtful names, `precision` only certain ones."""
    kinds: list[PhiKind] = field(default_factory=lambda: [PhiKind.PERSON, PhiKind.LOCATION, PhiKind.ORGANIZATION])
    """Kinds to mark, and all kinds below them."""
    words: Words = cast(Words, "english")  # a name until `open` loads it
    """The lists that distinguish names from words."""

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        doc = TokenContext(view, self.words)
        spans = [
            *enumerated(doc, [*find_people(doc)]),
            *find_cued(doc),
            *find_roled(doc),
            *find_inverted(doc),
            *find_initials(doc),
            *find_places(doc),
            *(span for span in (*find_organizations(doc), *find_sites(doc)) if not is_department(doc, span)),
        ]
        if not spans:
            return
        threshold = _THRESHOLDS[self.mode]
        kept = outermost(spans, threshold)
        for f in outermost([*kept, *repeated(doc, kept)], threshold):
            if any(map(f.kind.is_a, self.kinds)):
                yield PhiCandidate(f.begin, f.end, kind=f.kind, confidence=f.confidence, rule=f.rule)


def _rank(span: NameSpan) -> tuple[int, int, bool, bool, float, str]:
    """Order spans by their place; of the same extent, the one with the most specific kind comes first, then the surest."""
    unspecific = span.kind is span.kind.top or span.kind is PhiKind.PERSON_INITIALS
    return span.begin, -span.end, span.confidence < 0.3, unspecific, -span.confidence, span.kind.name


def outermost(spans: Iterable[NameSpan], threshold: float) -> list[NameSpan]:
    """Return the spans with enough confidence that are not inside another one, in text order.

    Spans that overlap in part are both kept; the resolver decides between them.
    """
    kept: list[NameSpan] = []
    reached = -1
    certain = [span for span in spans if span.confidence >= threshold]
    for span in sorted(certain, key=_rank):
        if span.end > reached:
            kept.append(span)
            reached = span.end
        elif kept[-1][:2] == span[:2] and kept[-1].confidence < span.confidence and kept[-1].kind.top is span.kind.top:
            kept[-1] = kept[-1]._replace(confidence=span.confidence)
    return kept
