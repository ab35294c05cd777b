"""Proposals of a stacked vote: every span that a voter proposes, and its attributes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from ...typesystem import PhiKind

BINS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)
"""Borders between bins of confidence: finer where models are confident, since most spans have such confidence."""
LONG = 8
"""Maximum length in words that is distinguished."""
NONE = "none"


@dataclass(frozen=True, slots=True)
class Vote:
    """A candidate of a voter."""

    begin: int
    end: int
    kind: PhiKind
    voter: str
    confidence: float
    """0 to 1."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A span and its kind, to be scored."""

    begin: int
    end: int
    kind: PhiKind
    united: bool = False
    """True if it is the union of two overlapping votes and not proposed by a voter."""


def proposals(votes: Sequence[Vote]) -> list[Proposal]:
    """Return the distinct spans of overlapping votes, in text order, and the unions of any two that cross and have the
    same first-level kind."""
    proposed = {(v.begin, v.end, v.kind.name): v.kind for v in votes}
    united = {
        (min(a.begin, b.begin), max(a.end, b.end), kind.name): kind
        for a in votes
        for b in votes
        if a.kind.top is b.kind.top and a.begin < b.begin < a.end < b.end
        for kind in (a.kind, b.kind)
    }
    everything = [Proposal(begin, end, kind) for (begin, end, _), kind in proposed.items()]
    everything += [Proposal(key[0], key[1], kind, True) for key, kind in united.items() if key not in proposed]
    return sorted(everything, key=lambda p: (p.begin, -p.end, p.kind.name))


def attributes(proposal: Proposal, votes: Sequence[Vote], voters: Sequence[str], text: str) -> list[str]:
    """Return the attributes of a proposal, sorted: `crf=same`, `crf=same 0.9`, `together=crf:same svm:inside`, `kind=DATE`.

    For each voter, the relation of its nearest vote to the proposal (`same`, `around`, `inside`, `across`, `none`; with `!` if it
    is of another kind) and its confidence; then the relations of all voters, the length in words, and the numbers that agree.
    """
    kind = proposal.kind.name
    names = [f"kind={kind}", f"words={min(len(text[proposal.begin : proposal.end].split()), LONG)}"]
    relations = []
    for voter in voters:
        relation, confidence = _nearest(proposal, [v for v in votes if v.voter == voter])
        relations.append(f"{voter}:{relation}")
        names += [f"{voter}={relation}", f"{voter}={relation} {kind}"]
        if relation != NONE:
            names += [f"{voter}={relation} {confidence}"]
    together = " ".join(relations)
    names += [f"together={together}", f"together={together} {kind}"]
    names.append(f"same={sum(r.endswith(':same') for r in relations)}")
    names.append(f"any={sum(not r.endswith(f':{NONE}') for r in relations)}")
    if proposal.united:
        names.append("united")
    return sorted(names)


def _nearest(proposal: Proposal, votes: Sequence[Vote]) -> tuple[str, str]:
    """Return the relation of a voter's nearest vote to the proposal, and the bin of its confidence."""
    best = min(_relations(proposal, votes), default=None)
    if best is None:
        return NONE, ""
    _, minus_confidence, relation = best
    bin_ = bisect_left(BINS, -minus_confidence)
    return relation, f"{BINS[bin_ - 1]:g}" if bin_ else "0"


_ORDER = {"same": 0, "same!": 1, "around": 2, "inside": 3, "across": 4, "around!": 5, "inside!": 6, "across!": 7}


def _relations(proposal: Proposal, votes: Sequence[Vote]) -> Iterator[tuple[int, float, str]]:
    """Yield (rank by nearness, minus the confidence, relation) of every vote that overlaps a proposal."""
    for v in votes:
        if v.begin >= proposal.end or proposal.begin >= v.end:
            continue
        if (v.begin, v.end) == (proposal.begin, proposal.end):
            relation = "same"
        elif v.begin <= proposal.begin and proposal.end <= v.end:
            relation = "around"
        elif proposal.begin <= v.begin and v.end <= proposal.end:
            relation = "inside"
        else:
            relation = "across"
        if v.kind is not proposal.kind:
            relation += "!"
        yield _ORDER[relation], 0.0 if isnan(v.confidence) else -v.confidence, relation
