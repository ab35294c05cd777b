"""A risk report as plain text, as an HTML page with an interval drawn in every row, and as a figure of the shares at risk.

Numbers, kinds and names of corpora only, no text of any document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ..pages.rendering import render_page
from .drawing import COLORS, MUTED, WIDTH, new_axes, one_line, styled
from .risk_result import CLASSES, SCORED, Expected, Risk, Share
from .table import align_columns

if TYPE_CHECKING:
    from matplotlib.figure import Figure


UNKNOWN = "unknown"
KIND_COLUMNS = ("kind", "identifies", "documents", "identifiers", "leaked", "recall", "leak probability")
SHARE_COLUMNS = ("corpus", "documents", "left", "how", "hold some", "leak", "share at risk")
DENSITY_COLUMNS = ("kind", "corpus", "hold it", "identifiers", "per document")
_WORDS = {"kind", "identifies", "corpus", "left", "how", "share at risk", "recall"}


def text(risk: Risk) -> str:
    """Return three tables and the notes."""
    parts = [title(risk), _table(KIND_COLUMNS, kind_rows(risk)), _table(SHARE_COLUMNS, share_rows(risk))]
    if risk.expected[1:]:
        parts.append(_table(DENSITY_COLUMNS, density_rows(risk)))
    return "\n\n".join([*parts, "\n".join(notes(risk))]) + "\n"


def title(risk: Risk) -> str:
    return f"risk of re-identification, {risk.documents:,} scored {_units(risk)}"


def kind_rows(risk: Risk) -> Iterator[list[str]]:
    """Yield rows under `KIND_COLUMNS`: leaks by kind."""
    for k in risk.kinds:
        counts = [f"{n:,}" for n in (k.documents, k.values, k.leaked)]
        yield [k.kind, "directly" if k.direct else "indirectly", *counts, shown(k.recall), f"{k.leak:.4f}"]


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
    return align_columns(lines, left=[n for n, c in enumerate(head) if c in _WORDS])


def risk_page(risk: Risk) -> bytes:
    """Return the page; it loads nothing and has no script."""
    heading = title(risk)
    return render_page(
        "risk.html.j2",
        title=heading[0].upper() + heading[1:],
        styles=["report.css", "risk.css"],
        unit=risk.unit,
        cards=[(f"{by}, observed", _percent(risk.observed[by].share)) for by in CLASSES],
        shares=_share_rows(risk),
        kinds=_with_chips(kind_rows(risk)),
        densities=_with_chips(density_rows(risk)) if risk.expected[1:] else [],
        density_columns=[c.capitalize() if n < 2 else f"#{c.capitalize()}" for n, c in enumerate(DENSITY_COLUMNS)],
        notes=notes(risk),
    )


def _with_chips(rows: Iterable[list[str]]) -> list[list[Any]]:
    return [[{"kind": kind}, *cells] for kind, *cells in rows]


def _share_rows(risk: Risk) -> list[list[object]]:
    shares = [*(seen.share for seen in risk.observed.values()), *(s for c in risk.expected for s in c.shares.values())]
    longest = max((v for s in shares for v in (s.value, s.high, s.at_most) if v is not None), default=0.0) or 1.0
    rows: list[list[object]] = []
    for by in CLASSES:
        seen = risk.observed[by]
        leaking = f"{seen.leaking:,}" if seen.share.value is not None else "unknown"
        drawn = _draw_interval(seen.share, "dot", longest)
        rows.append([by, "observed", SCORED, f"{seen.holding:,}", leaking, shown(seen.share), drawn])
        for corpus in risk.expected:
            share = corpus.shares[by]
            drawn = _draw_interval(share, "dot open", longest)
            rows.append([by, "expected", corpus.name, "", "", shown(share), drawn])
    return rows


def _draw_interval(share: Share, css: str, longest: float) -> Markup:
    """Draw the interval as a line and the estimate as a dot, on the scale that all rows of the page share."""

    def x(value: float) -> str:
        return f"{4 + 192 * value / longest:.1f}"

    shapes = ['<line class="axis" x1="4" y1="6" x2="196" y2="6"/>']
    if share.low is not None and share.high is not None:
        shapes.append(f'<line class="range" x1="{x(share.low)}" y1="6" x2="{x(share.high)}" y2="6"/>')
    if share.at_most is not None:
        shapes.append(f'<line class="most" x1="{x(share.at_most)}" y1="1" x2="{x(share.at_most)}" y2="11"/>')
    if share.value is not None:
        shapes.append(f'<circle class="{css}" cx="{x(share.value)}" cy="6" r="3.5"/>')
    return Markup(
        '<svg class="interval" viewBox="0 0 200 12" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        f"{''.join(shapes)}</svg>"
    )


def _percent(share: Share) -> str:
    return "unknown" if share.value is None else f"{100 * share.value:.1f} %"


@styled
def risk_plot(risk: Risk) -> Figure:
    """Draw one row for each corpus, class, observed or expected: a dot, its interval, its upper limit. An unknown share has a
    note.

    Filled dots were observed, open ones are expected. Raises ConsumerError if matplotlib is not installed.
    """
    rows: list[tuple[str, int, bool, Share]] = []
    for number, by in enumerate(CLASSES):
        rows.append((f"{by}, observed", number, True, risk.observed[by].share))
        rows += [(f"{by}, expected: {c.name}", number, False, c.shares[by]) for c in risk.expected]
    figure, axes = new_axes(
        title(risk).capitalize(), f"Share of {risk.unit}s at risk", "", size=(WIDTH + 1.2, 1.3 + 0.3 * len(rows))
    )
    for y, (_, number, observed, share) in enumerate(rows):
        color = COLORS[number]
        if share.value is None:
            axes.text(0.01, y, shown(share), transform=axes.get_yaxis_transform(), va="center", color=MUTED, fontsize=8)
        if share.low is not None and share.high is not None:
            axes.plot([share.low, share.high], [y, y], color=color, lw=2, solid_capstyle="round")
        if share.value is not None:
            axes.plot([share.value], [y], "o", color=color, mfc=color if observed else "white", ms=6, mew=1.5)
        if share.at_most is not None:
            axes.plot([share.at_most], [y], "|", color=MUTED, ms=10, mew=1.5)
    axes.set_yticks(range(len(rows)), [one_line(name) for name, *_ in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(left=0)
    axes.tick_params(axis="y", length=0)
    axes.grid(True, axis="x")
    known = [s for *_, s in rows if s.at_most is not None]
    axes.set_xlabel(
        f"Share of {risk.unit}s at risk\n(line: {100 * risk.settings.level:g} % interval; filled: observed; open: expected"
        + ("; bar: if kinds without a reference all leak)" if known else ")")
    )
    return figure
