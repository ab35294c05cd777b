"""A risk report as plain text and as plain data: numbers, kinds and names of corpora only, no text of any document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from .risk_result import CLASSES, Expected, Risk, Share

UNKNOWN = "unknown"


def data(risk: Risk) -> dict[str, object]:
    """Return everything as data for JSON. Unknown shares are null."""
    return asdict(risk)


def text(risk: Risk) -> str:
    """Return three tables and the notes."""
    parts = [
        title(risk),
        _table(KIND_COLUMNS, kind_rows(risk)),
        _table(SHARE_COLUMNS, share_rows(risk)),
    ]
    others = risk.expected[1:]
    if others:
        parts.append(_table(DENSITY_COLUMNS, density_rows(risk)))
    return "\n\n".join([*parts, "\n".join(notes(risk))]) + "\n"


KIND_COLUMNS = ("kind", "identifies", "documents", "identifiers", "leaked", "recall", "leak probability")
SHARE_COLUMNS = ("corpus", "documents", "left", "how", "hold some", "leak", "share at risk")
DENSITY_COLUMNS = ("kind", "corpus", "hold it", "identifiers", "per document")


def title(risk: Risk) -> str:
    return f"risk of re-identification, {risk.documents:,} scored {_units(risk)}"


def kind_rows(risk: Risk) -> Iterator[list[str]]:
    """Yield rows under `KIND_COLUMNS`: leaks by kind."""
    for k in risk.kinds:
        identifies = "directly" if k.direct else "indirectly"
        yield [
            k.kind,
            identifies,
            f"{k.documents:,}",
            f"{k.values:,}",
            f"{k.leaked:,}",
            shown(k.recall),
            f"{k.leak:.4f}",
        ]


def share_rows(risk: Risk) -> Iterator[list[str]]:
    """Yield rows under `SHARE_COLUMNS`: documents at risk, observed and expected."""
    for by in CLASSES:
        seen = risk.observed[by]
        leak = f"{seen.leaking:,}" if seen.share.value is not None else UNKNOWN
        here = risk.expected[0]
        yield [here.name, f"{risk.documents:,}", by, "observed", f"{seen.holding:,}", leak, shown(seen.share)]
    for corpus in risk.expected:
        for by in CLASSES:
            yield [corpus.name, f"{corpus.documents:,}", by, "expected", "", "", shown(corpus.shares[by])]


def density_rows(risk: Risk) -> Iterator[list[str]]:
    """Yield rows under `DENSITY_COLUMNS`: frequency of each kind, by the reference in the scored corpus, as found in others."""
    for kind in sorted({kind for corpus in risk.expected for kind in corpus.found}):
        for corpus in risk.expected:
            documents, values = corpus.found.get(kind, (0, 0))
            share, each = documents / corpus.documents, values / corpus.documents
            yield [kind, corpus.name, f"{share:.3f}", f"{values:,}", f"{each:.3f}"]


def shown(share: Share) -> str:
    """Return `0.012 [0.004, 0.030]`; `unknown`; with `at most` if kinds may add to it of which nothing is known."""
    result = UNKNOWN if share.value is None else _figure(share.value)
    if share.low is not None and share.high is not None:
        result += f" [{_figure(share.low)}, {_figure(share.high)}]"
    return result if share.at_most is None else f"{result}, at most {_figure(share.at_most)}"


def notes(risk: Risk) -> Iterator[str]:
    """Yield what the numbers mean and what they do not include."""
    units, k = _units(risk), risk.settings.at_least
    yield (
        f"At risk: {units} of which 1 direct or {k} different indirect identifiers can still be read in whole or in part. "
        f"Intervals of {100 * risk.settings.level:g} %."
    )
    yield (
        f"Leaks cluster {risk.clustering:.1f} times as strongly as independent ones would (design effect; 1: not at all); "
        "intervals of recall and of what is expected are widened by it."
        if risk.clustering > 1
        else "Leaks do not cluster in documents more than chance would have it."
    )
    none = [k.kind for k in risk.kinds if not k.leaked]
    if none:
        yield f"No leak seen, which is not a risk of 0: {', '.join(none)}."
    if risk.absent:
        yield f"Direct identifiers that the reference never holds; nothing is known of them: {', '.join(risk.absent)}."
    for corpus in risk.expected[1:]:
        yield from _of_corpus(corpus, units)
    if risk.settings.hidden:
        hidden = [f"{100 * share:g} % of {kind or 'all others'}" for kind, share in risk.settings.hidden.items()]
        yield (
            f"Taken as hidden among surrogates: {', '.join(hidden)}. That holds only for kinds that are replaced by "
            "realistic surrogates, never for placeholders."
        )
    yield (
        "Every leak counts as a re-identification; kinds are assumed to leak independently. "
        "See docs/explanation/re-identification-risk.md."
    )


def _of_corpus(corpus: Expected, units: str) -> Iterator[str]:
    if corpus.unknown:
        listed = ", ".join(f"{kind} ({n:,})" for kind, n in corpus.unknown.items())
        yield (
            f"{corpus.name}: kinds without a reference, left out of the estimate (number of {units} that hold them): {listed}; "
            "`at most` takes all of them as leaked."
        )
    if corpus.assumed:
        yield (
            f"{corpus.name}: kinds of which the system sees less than half, taken to be as frequent there as in the scored "
            f"{units}: {', '.join(corpus.assumed)}."
        )


def _units(risk: Risk) -> str:
    return f"{risk.unit}s"


def _figure(share: float) -> str:
    """Return a share with three digits; four below 0.01, where small differences matter."""
    if 0 < share < 0.00005:
        return "<0.0001"
    return f"{share:.4f}" if 0 < share < 0.00995 else f"{share:.3f}"


def _table(head: Sequence[str], rows: Iterator[list[str]]) -> str:
    lines = [list(head), *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    left = [c in _WORDS for c in head]
    return "\n".join(
        "  ".join(c.ljust(w) if side else c.rjust(w) for c, w, side in zip(row, widths, left, strict=True)).rstrip()
        for row in lines
    )


_WORDS = {"kind", "identifies", "corpus", "left", "how", "share at risk", "recall"}
