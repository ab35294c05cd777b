"""The texts and tables of an audit that the command line and the page share. Numbers and kinds only."""

from __future__ import annotations

from collections.abc import Iterator

from .outcome import Outcome
from .two_readers import Recapture

COLUMNS = ("documents with", "found", "estimate", "at most", "share", "if unlimited")
WANTED_COLUMNS = ("bound", "more to read", "if unlimited")
PAIR_COLUMNS = ("", "first", "second", "both", "estimate of all", "missed by both", "at most")


def verdict(o: Outcome) -> str:
    """Return the one sentence for the protocol."""
    b = o.any
    found = "none of them holds" if not b.found else f"{b.found:,} of them hold{'s' * (b.found == 1)}"
    return (
        f"{o.read:,} of {b.population:,} released documents, drawn at random, were read; {found} a leak. With {level(o)} "
        f"confidence at most {b.documents:,} of the {b.population:,} documents ({percent(b.of_release)}) hold one that such "
        "readers see."
    )


def percent(share: float) -> str:
    """Format a share with the digits that matter: `1.49 %`."""
    value = 100 * share
    digits = 0 if value >= 99.95 or value == 0 else 1 if value >= 10 else 2 if value >= 0.1 else 3
    return f"{value:.{digits}f} %"


def level(o: Outcome) -> str:
    return f"{100 * o.confidence:g} %"


def bound_rows(o: Outcome) -> Iterator[list[str]]:
    """Under `COLUMNS`."""
    for name, b in o.bounds.items():
        rate = percent(b.rate) if o.sample.by == "none" else ""
        yield [name, f"{b.found:,}", percent(b.share), f"{b.documents:,}", percent(b.of_release), rate]
    if o.with_missed is not None:
        b = o.with_missed
        name = "any, missed ones too"
        yield [name, f"{b.found:,}", percent(b.share), f"{b.documents:,}", percent(b.of_release), percent(b.rate)]


def wanted_rows(o: Outcome) -> Iterator[list[str]]:
    """Under `WANTED_COLUMNS`."""
    for w in o.wanted:
        more = "not with this number found" if w.more is None else "reached" if not w.more else f"{w.more:,}"
        yield [f"{100 * w.target:g} %", more, "reached" if not w.unlimited else f"{w.unlimited:,}"]


def pair_rows(o: Outcome) -> Iterator[tuple[str, list[list[str]]]]:
    """For every two readers what they say of each other, and rows under `PAIR_COLUMNS`."""
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
    """Leaks in a document, found and bounded."""
    sentence = f"{o.leaks:,} leak{'s' * (o.leaks != 1)} found, {o.leaks_per_document:.3g} in a document on average"
    sentence += f", {o.leaks_most:,} in the worst" if o.leaks else ""
    if o.leaks_at_most is None:
        return f"{sentence}. No bound on the mean: of some stratum nothing was read."
    whole = o.leaks_at_most * o.sample.population
    sentence += f"; at most {o.leaks_at_most:.3g} in a document, {whole:,.0f} in the release"
    return f"{sentence}, if none holds more than {o.worst:,} (Fay and Feuer 1997)."


def cautions(o: Outcome) -> Iterator[str]:
    """Yield what would make the figures wrong."""
    if o.unread:
        yield f"{o.unread:,} of {len(o.sample.numbers):,} documents drawn were not read. They count as unread, not as clean."
    if not o.in_order:
        yield (
            "The documents read are not the first of those drawn. The bound holds only if no choice was made: read the "
            "ones that were passed over."
        )
    if o.sample.by == "kind":
        yield (
            "Stratified by the rarest kind that was masked in a document. The bound assumes that leaks lie where the smallest "
            "share was read, so it is higher than a simple random sample of the same size would give."
        )
    if o.pairs:
        yield "What both readers missed is estimated as if each found leaks regardless of the other: hard ones make it too low."


def notes(o: Outcome) -> Iterator[str]:
    """Yield what the figures mean."""
    yield from cautions(o)
    if o.any.found:
        b = o.any
        rest = b.documents - b.found
        yield (
            f"If the {o.any.found:,} found are withdrawn, at most {rest:,} of the other {b.population - b.found:,} hold a leak. "
            "If rules or models are changed because of them, the release is another one: draw a new sample."
        )
    yield (
        f"The bounds are on the {o.sample.population:,} documents of the release; the last column is on the share of all "
        "documents that such a release might have held."
    )
    yield f"Each row has its own confidence of {level(o)}; all of them together have less."
    yield "The bound holds for one look: read as many as you planned, not until it looks good."
    yield (
        "It counts what readers see. Among realistic surrogates people overlook most leaks; read placeholders, or take the bound "
        "for leaks that are noticed."
    )
