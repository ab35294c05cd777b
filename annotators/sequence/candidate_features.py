"""Attributes of a candidate for a filter or a vote: features of its tokens and their neighbors, and its sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...typesystem import PhiCandidate, View
from .extraction import OUT_AFTER, OUT_BEFORE, FeatureSet
from .feature import Words

INSIDE = "in"


def candidate_attributes(view: View, candidates: Sequence[PhiCandidate], features: FeatureSet) -> Iterator[list[str]]:
    """Yield the attributes of each candidate, sorted: `in:lower=rose`, `-1:lower=dr.`, `candidate:rule=surname`.

    Attributes of tokens in the candidate have the prefix `in`, those of the tokens in the window before and after it their
    distance from the candidate. Real-valued features are not used.
    """
    places = span_features(view, [(c.begin, c.end) for c in candidates], features)
    for candidate, (tokens, seen) in zip(candidates, places, strict=True):
        found = {f"candidate:{name}" for name in _of(candidate, tokens)}
        found.update(f"candidate:with={source}" for source in _others(candidate, candidates))
        yield sorted(found | seen)


def span_features(view: View, spans: Sequence[tuple[int, int]], features: FeatureSet) -> Iterator[tuple[int, set[str]]]:
    """Yield the number of tokens of each span (begin, end), and the attributes of its tokens and their neighbors."""
    words = Words(view)
    columns = features.columns(words)
    forms = list(dict.fromkeys(words.forms))
    bases = dict(zip(forms, features.bases_of(forms), strict=True))
    sequences = columns.sequences
    for begin, end in spans:
        here = words.under(begin, end)
        first, last = here.start, here.stop
        low = max((s for s, _ in sequences if s <= first), default=0)
        high = max(min((e for _, e in sequences if e >= last), default=len(words)), last)
        found: set[str] = set()
        for j in here:
            found.update(f"{INSIDE}:{b}" for b in _bases(j, words, bases, columns.values))
        for d in features.offsets:
            j = first + d if d < 0 else last - 1 + d
            if d and low <= j < high:
                found.update(f"{d}:{b}" for b in _bases(j, words, bases, columns.values))
            elif d:
                found.add(f"{d}:{OUT_BEFORE if d < 0 else OUT_AFTER}")
        yield last - first, found


def _bases(
    j: int, words: Words, bases: dict[str, tuple[str, ...]], columns: list[list[tuple[str, ...]]]
) -> Iterator[str]:
    yield from bases[words.forms[j]]
    for column in columns:
        yield from column[j]


def _of(candidate: PhiCandidate, tokens: int) -> list[str]:
    return [
        f"kind={candidate.kind.name}",
        f"source={candidate.source}",
        f"rule={candidate.source} {candidate.rule}",
        f"tokens={min(tokens, 6)}",
        f"confidence={int(candidate.confidence * 5)}",
    ]


def _others(candidate: PhiCandidate, candidates: Sequence[PhiCandidate]) -> list[str]:
    """Return the sources and kinds of other candidates that overlap it."""
    return sorted(
        {
            f"{c.source} {c.kind.top.name}"
            for c in candidates
            if c is not candidate and c.begin < candidate.end and candidate.begin < c.end
        }
    )
