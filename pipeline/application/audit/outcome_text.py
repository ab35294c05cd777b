"""Texts and tables of an audit for the command line and the page. They contain only numbers and kinds."""

from __future__ import annotations

from collections.abc import Iterator

from .outcome import Outcome
from .two_readers import Recapture

COLUMNS = ("documents with", "found", "estimate", "at most", "share", "if unlimited")
GOAL_COLUMNS = ("bound", "more to read", "if unlimited")
PAIR_COLUMNS = ("", "first", "second", "both", "estimate of all", "missed by both", "at most")


def summary(o: Outcome) -> str:
    """Return the result of the audit as text for a protocol."""
    b = o.any
    found = "none of them contains" if not b.found else f"{b.found:,} of them contain{'s' * (b.found == 1)}"
    return (
        f"{o.read:,} of {b.population:,} released documents, drawn at random, were read; {found} a leak. With {level(o)} "
        f"confidence, at most {b.documents:,} of the {b.population:,} documents ({percent(b.of_release)}) contain a leak that "
        "such readers notice."
    )


def percent(share: float) -> str:
    """Return a share as a percentage with about three significant digits: `1.49 %`."""
    value = 100 * share
    digits = 0 if value >= 99.95 or value == 0 else 1 if value >= 10 else 2 if value >= 0.1 else 3
    return f"{value:.{digits}f} %"


def level(o: Outcome) -> str:
    return f"{100 * o.confidence:g} %"


def bound_rows(o: Outcome) -> Iterator[list[str]]:
    """Yield the rows of the table with `COLUMNS`."""
    with_missed = {} if o.with_missed is None else {"any leak, including missed": o.with_missed}
    for name, b in (o.bounds | with_missed).items():
        rate = percent(b.rate) if o.sample.by == "none" else ""
        yield [name, f"{b.found:,}", percent(b.share), f"{b.documents:,}", percent(b.of_release), rate]


def goal_rows(o: Outcome) -> Iterator[list[str]]:
    """Yield the rows of the table with `GOAL_COLUMNS`."""
    for goal in o.goals:
        more = (
            "not possible with this number of finds"
            if goal.more is None
            else f"{goal.more:,}"
            if goal.more
            else "reached"
        )
        yield [f"{100 * goal.target:g} %", more, f"{goal.unlimited:,}" if goal.unlimited else "reached"]


def pair_rows(o: Outcome) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the agreement of every two readers as text, and rows of the table with `PAIR_COLUMNS`."""
    for p in o.pairs:
        statements = [f"both read {p.documents:,} documents", f"agreement {percent(p.agreement)}"]
        if p.agreement_on_leaks is not None:
            statements.append(f"on documents with a leak {percent(p.agreement_on_leaks)}")
        if p.kappa is not None:
            statements.append(f"kappa {p.kappa:.2f}")
        names = " and ".join(name or "(no initials)" for name in p.names)
        rows = [_recaptured("documents", p.leaking, o), _recaptured("leaks", p.leaks, o)]
        yield f"{names}: {', '.join(statements)}", rows


def _recaptured(name: str, r: Recapture, o: Outcome) -> list[str]:
    counts = [f"{n:,}" for n in (r.first, r.second, r.both)]
    return [name, *counts, f"{r.chapman:,.1f}", f"{r.missed:,.1f}", f"{r.missed_at_most(o.confidence):,.1f}"]


def leaks(o: Outcome) -> str:
    """Return the mean number of leaks in a document, found and as an upper bound, as text."""
    sentence = f"{o.leaks:,} leak{'s' * (o.leaks != 1)} found, {o.leaks_per_document:.3g} in a document on average"
    sentence += f", {o.leaks_most:,} in the worst" if o.leaks else ""
    if o.leaks_at_most is None:
        return f"{sentence}. No bound on the mean: no document was read in some stratum."
    whole = o.leaks_at_most * o.sample.population
    sentence += f"; at most {o.leaks_at_most:.3g} in a document, {whole:,.0f} in the release"
    return f"{sentence}, if no document contains more than {o.worst:,} (Fay and Feuer 1997)."


def cautions(o: Outcome) -> Iterator[str]:
    """Yield the conditions under which the figures are not valid."""
    if o.unread:
        yield f"{o.unread:,} of {len(o.sample.numbers):,} documents drawn were not read. They count as unread, not as clean."
    if not o.in_order:
        yield (
            "The documents read are not the first ones drawn. The bound holds only without a selection: read the documents "
            "that were skipped."
        )
    if o.sample.by == "kind":
        yield (
            "The sample is stratified by the rarest kind masked in a document. The bound assumes that leaks are in the stratum "
            "with the smallest share read, so it is higher than for a simple random sample of the same size."
        )
    if o.pairs:
        yield (
            "The estimate of leaks that both readers missed assumes that they find leaks independently. It is too low if some "
            "leaks are hard to notice."
        )


def notes(o: Outcome) -> Iterator[str]:
    """Yield the cautions and the explanations of the figures."""
    yield from cautions(o)
    if o.any.found:
        b = o.any
        rest = b.documents - b.found
        yield (
            f"If the {o.any.found:,} found are withdrawn, at most {rest:,} of the other {b.population - b.found:,} contain a "
            "leak. If rules or models are changed because of them, the release is a new one: draw a new sample."
        )
    yield (
        f"The bounds apply to the {o.sample.population:,} documents of the release; the last column applies to an unlimited "
        "population of such documents."
    )
    yield f"The confidence of {level(o)} applies to each row alone, not to all rows together."
    yield "The bound is valid for a number of documents fixed in advance, not if you read until the bound is low enough."
    yield (
        "The bound covers only leaks that readers notice. Among realistic surrogates, readers overlook most leaks: use "
        "placeholders in the documents to read."
    )
