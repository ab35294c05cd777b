"""What a stacked vote is about: every span that some voter proposes, and what the voters say of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from ...typesystem import PhiKind

BINS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)
"""Borders between bins of confidence: finer where models are sure, since most of their spans are there."""
LONG = 8
"""Words from which on lengths are no longer told apart."""
NONE = "none"


@dataclass(frozen=True, slots=True)
class Vote:
    """A candidate as a vote sees it. Offsets are code points, half-open."""

    begin: int
    end: int
    kind: PhiKind
    voter: str
    confidence: float
    """0 to 1."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A span with a kind, to be judged."""

    begin: int
    end: int
    kind: PhiKind
    united: bool = False
    """Whether no voter proposes it: the union of two that overlap."""


def proposals(votes: Sequence[Vote]) -> list[Proposal]:
    """The distinct spans of votes that hang together by overlaps, and the unions of any two that cross and are of one
    first-level kind, in text order."""
    said = {(v.begin, v.end, v.kind.name): v.kind for v in votes}
    made = [Proposal(begin, end, kind) for (begin, end, _), kind in said.items()]
    united = {
        (min(a.begin, b.begin), max(a.end, b.end), kind.name): kind
        for a in votes
        for b in votes
        if a.kind.top is b.kind.top and a.begin < b.begin < a.end < b.end
        for kind in (a.kind, b.kind)
    }
    made += [
        Proposal(begin, end, kind, True)
        for (begin, end, name), kind in united.items()
        if (begin, end, name) not in said
    ]
    return sorted(made, key=lambda p: (p.begin, -p.end, p.kind.name))


def attributes(proposal: Proposal, votes: Sequence[Vote], voters: Sequence[str], text: str) -> list[str]:
    """What is known of a proposal, sorted: `crf=same`, `crf=same 0.9`, `together=crf:same svm:inside`, `kind=DATE`.

    For each voter, how its nearest vote lies to the proposal (`same`, `around`, `inside`, `across`, `none`; with `!` where it is
    of another kind) and how sure it is; then the voters together, the length in words, and the numbers of those who agree.
    """
    kind = proposal.kind.name
    found = [f"kind={kind}", f"words={min(len(text[proposal.begin : proposal.end].split()), LONG)}"]
    relations = []
    for voter in voters:
        relation, sure = _nearest(proposal, [v for v in votes if v.voter == voter])
        relations.append(f"{voter}:{relation}")
        found += [f"{voter}={relation}", f"{voter}={relation} {kind}"]
        if relation != NONE:
            found += [f"{voter}={relation} {sure}"]
    together = " ".join(relations)
    found += [f"together={together}", f"together={together} {kind}"]
    found.append(f"same={sum(r.endswith(':same') for r in relations)}")
    found.append(f"any={sum(not r.endswith(f':{NONE}') for r in relations)}")
    if proposal.united:
        found.append("united")
    return sorted(found)


def _nearest(proposal: Proposal, votes: Sequence[Vote]) -> tuple[str, str]:
    """The relation of a voter's nearest vote to the proposal, and the bin of its confidence."""
    best = min(_relations(proposal, votes), default=None)
    if best is None:
        return NONE, ""
    _, minus, relation = best
    return relation, f"{BINS[at - 1]:g}" if (at := bisect_left(BINS, -minus)) else "0"


_ORDER = {"same": 0, "same!": 1, "around": 2, "inside": 3, "across": 4, "around!": 5, "inside!": 6, "across!": 7}


def _relations(proposal: Proposal, votes: Sequence[Vote]) -> Iterator[tuple[int, float, str]]:
    """(place in the order of nearness, minus the confidence, relation) of every vote that shares text with a proposal."""
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
