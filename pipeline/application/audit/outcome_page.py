"""An audit as an HTML page: the sentence for the protocol, the bound as a picture, tables, and what has to be said about them."""

from __future__ import annotations

from collections.abc import Sequence

from ....consumers.pages.page import chip, esc, page, table
from ....consumers.pages.style import REPORT
from ....typesystem import PhiKind
from . import bound_plot
from .bound_plot import percent
from .outcome import Outcome
from .outcome_text import (
    COLUMNS,
    PAIR_COLUMNS,
    WANTED_COLUMNS,
    bound_rows,
    leaks,
    level,
    notes,
    pair_rows,
    verdict,
    wanted_rows,
)

_STYLE = """
.scroll { margin-top: .8rem; }
.verdict { font-size: 1.12rem; max-width: 62rem; margin: .7rem 0 0; }
ul.notes { padding-left: 1.2rem; max-width: 62rem; }
tbody th { white-space: nowrap; }
.bounds tbody tr:first-child > * { font-weight: 650; }
@media (max-width: 40rem) { .verdict { font-size: 1.02rem; } tbody th { white-space: normal; } }
@media print {
  .cards { grid-template-columns: repeat(5, 1fr); }
  .plot, .scroll { break-inside: avoid; }
  .plot svg { max-width: 85%; }
  h2 { break-after: avoid; margin: 1rem 0 .3rem; }
  th, td { padding: .2rem .6rem; }
  .verdict, ul.notes, main p { font-size: 11px; }
}
"""


def outcome_page(o: Outcome) -> bytes:
    """The whole page; it loads nothing and runs nothing."""
    b = o.any
    cards = [
        ("Documents released", f"{b.population:,}", ""),
        ("Drawn", f"{len(o.sample.numbers):,}", ""),
        ("Read", f"{o.read:,}", ""),
        ("With a leak", f"{b.found:,}", "bad" if b.found else ""),
        (f"At most, {level(o)}", percent(b.of_release), ""),
    ]
    shown = "".join(f'<div class="{css}"><dt>{esc(name)}</dt><dd>{esc(value)}</dd></div>' for name, value, css in cards)
    run = o.sample.run.get("name") or "run"
    pairs = "".join(
        f"<h2>Two readers</h2><p>{_words(told)}.</p>" + table("", _head(PAIR_COLUMNS), [_row(row) for row in rows])
        for told, rows in pair_rows(o)
    )
    bounds = table(f"Upper bounds with {level(o)} confidence", _head(COLUMNS), [_row(r) for r in bound_rows(o)])
    wanted = table("If no further leak is found", _head(WANTED_COLUMNS), [_row(r) for r in wanted_rows(o)])
    said = "".join(f"<li>{_words(note)}</li>" for note in notes(o))
    body = f"""<header><p class="facts">Release audit</p><h1>{esc(run)}</h1>
<p class="verdict">{_words(verdict(o))}</p><dl class="cards">{shown}</dl></header>
<main><h2>The bound as documents are read</h2>{bound_plot.bound_plot(o)}
<section class="bounds"><h2>Documents that may hold a leak</h2>{bounds}</section>
<h2>Leaks</h2><p>{_words(leaks(o))}</p>
<h2>How many more to read</h2>{wanted}
{pairs}<h2>What to know</h2><ul class="notes">{said}</ul></main>
<footer>Sample {esc(o.sample.id)}, seed {o.sample.seed}; release {esc(o.sample.release[:16])}.
Numbers and kinds only: this page holds no text of any document.</footer>"""
    return page(f"{run}: release audit", body, style=REPORT + bound_plot.STYLE + _STYLE)


def _words(text: str) -> str:
    """Running text, no line of which begins with a percent sign."""
    return esc(text).replace(" %", "&nbsp;%")


def _head(columns: Sequence[str]) -> list[str]:
    return [c[:1].upper() + c[1:] if n == 0 else f"#{c[:1].upper()}{c[1:]}" for n, c in enumerate(columns)]


def _row(cells: Sequence[str]) -> str:
    name, *rest = cells
    head = chip(name) if name in {kind.name for kind in PhiKind} else esc(name)
    return f'<th scope="row">{head}</th>' + "".join(f'<td class="n">{esc(c)}</td>' for c in rest)
