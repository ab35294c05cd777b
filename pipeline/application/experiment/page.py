"""The report of an experiment as one HTML file: figures, tables, the command that made it; nothing outside it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from ....consumers.pages.page import esc, page
from .result import Cell, Figure, Result, Table, shown
from .run_size import command, first_line, shortfalls
from .runner import ExperimentRunner
from .svg import inline

STYLE = """
.lead { font-size: 1.05rem; margin: .8rem 0; }
.status { display: inline-block; font-size: .9rem; font-weight: 600; padding: .15rem .6rem; border-radius: 5px; }
.whole.status { color: var(--good); background: var(--goodbg); }
.short.status { color: var(--bad); background: var(--badbg); }
.findings { margin: .6rem 0; padding-left: 1.2rem; }
.figures { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); align-items: start; }
figure { margin: 0; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
figure > svg { display: block; width: 100%; height: auto; background: #fff; }
figcaption { padding: .45rem .8rem .55rem; font-size: .85rem; color: var(--muted); border-top: 1px solid var(--line); }
h3 { margin: 1.5rem 0 .5rem; }
table { font-size: .86rem; }
th, td { padding: .36rem .5rem; }
thead .group { text-align: center; border-left: 1px solid var(--line); }
td.start, thead th.start { border-left: 1px solid var(--line); }
tbody tr.overall > * { font-weight: 650; background: var(--surface); }
td.top { font-weight: 650; color: var(--good); }
td.undefined { color: var(--muted); font-size: .82rem; }
.note { color: var(--muted); font-size: .85rem; margin: .35rem 0 0; }
"""


BARE = "This page holds no text of any document."
QUOTES = (
    "The features on this page are named after words of the training documents: it is as confidential as they are, "
    "and its files can be read by their owner only."
)


def report_page(
    runner: ExperimentRunner, result: Result, drawn: Mapping[str, str], missing: str, versions: Mapping[str, str]
) -> bytes:
    """The page. `drawn`: figures as SVG by name; `missing`: why there are none, empty where there are."""
    settings, plan = runner.settings, runner.plan
    title = settings.title or plan.name
    status = "short" if shortfalls(runner) else "whole"
    told = [esc(settings.note)] if settings.note else []
    told += [f"After {esc(settings.source)}."] if settings.source else []
    head = (
        f'<header><p class="facts">Experiment: {esc(plan.experiment.name)}</p><h1>{esc(title)}</h1>'
        f'<p><span class="{status} status">{esc(first_line(runner))}</span></p>'
        + "".join(f'<p class="lead">{t}</p>' for t in told)
        + (f'<p class="note">{QUOTES}</p>' if result.quotes else "")
        + "</header>"
    )
    body = [head, "<main>", _findings(result.findings), _commands(runner)]
    body += _figures(result.figures, drawn, missing)
    body += _tables(result.tables)
    body += [_corpora(runner), _failures("Jobs that failed", runner.failures), _failures("Warnings", runner.warnings)]
    body += [
        f"<h2>Configuration</h2><details><summary>{esc(plan.name)}.yaml</summary><pre>{esc(plan.text)}</pre></details>",
        f'<h2>Versions</h2><p class="facts">{esc(", ".join(f"{n} {v}" for n, v in sorted(versions.items())))}</p>',
        f"</main><footer>Written by caspipe. {QUOTES if result.quotes else BARE} The same documents, configuration and seed "
        "give the same numbers.</footer>",
    ]
    made = page(f"{title}: experiment", "\n".join(part for part in body if part), style=STYLE)
    return made.replace(b"default-src 'none';", b"default-src 'none';img-src data:;", 1)  # the cells of heat maps


def _findings(findings: Sequence[str]) -> str:
    items = "".join(f"<li>{esc(f)}</li>" for f in findings)
    return f'<ul class="findings">{items}</ul>' if items else ""


def _commands(runner: ExperimentRunner) -> str:
    made = f"<h2>Command</h2><pre>{esc(command(runner.plan))}</pre>"
    full = command(runner.plan, full=True)
    if shortfalls(runner):
        made += f'<p class="note">The full run:</p><pre>{esc(full)}</pre>'
    return made


def _figures(figures: Sequence[Figure], drawn: Mapping[str, str], missing: str) -> list[str]:
    if not figures:
        return []
    if missing:
        return ["<h2>Figures</h2>", f'<p class="muted">{esc(missing)}</p>']
    made = ["<h2>Figures</h2>"]
    for group, members in groupby(sorted(figures, key=lambda f: f.group), key=lambda f: f.group):
        shown_ = "".join(
            f"<figure>{inline(drawn[f.name], f.name, f.caption)}<figcaption>{esc(f.caption)}</figcaption></figure>"
            for f in members
        )
        made.append(_folded(group, f'<div class="figures">{shown_}</div>', len(made) == 1))
    return made


def _tables(tables: Sequence[Table]) -> list[str]:
    made = ["<h2>Tables</h2>"] if tables else []
    for group, members in groupby(sorted(tables, key=lambda t: t.group), key=lambda t: t.group):
        made.append(_folded(group, "".join(_titled(t) for t in members), len(made) == 1))
    return made


def _folded(group: str, content: str, first: bool) -> str:
    opened = " open" if first else ""
    return f"<details{opened}><summary>{esc(group)}</summary>{content}</details>" if group else content


def _titled(table: Table) -> str:
    note = f'<p class="note">{esc(table.note)}</p>' if table.note else ""
    return f"<h3>{esc(table.title)}</h3>{_table(table)}{note}"


def _table(table: Table) -> str:
    rows = "".join(_row(row, table) for row in table.rows)
    rows = rows or f'<tr><td colspan="{len(table.columns)}" class="muted">none</td></tr>'
    label = esc(table.title or table.columns[0])
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table><thead>{_head(table)}</thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _head(table: Table) -> str:
    """One line of headings, or two where columns stand under common ones."""
    numeric = _numeric(table)
    if not any("|" in c for c in table.columns):
        return f"<tr>{''.join(_heading(c, i in numeric) for i, c in enumerate(table.columns))}</tr>"
    above, below = "", ""
    for group, members in groupby(enumerate(table.columns), key=lambda item: item[1].rpartition("|")[0]):
        columns = list(members)
        if group:
            above += f'<th scope="colgroup" colspan="{len(columns)}" class="group">{esc(group)}</th>'
            below += "".join(_heading(c.rpartition("|")[2], True, first=n == 0) for n, (_, c) in enumerate(columns))
        else:
            above += "".join(_heading(c, i in numeric, rows=2) for i, c in columns)
    return f"<tr>{above}</tr><tr>{below}</tr>"


def _heading(text: str, number: bool, rows: int = 1, first: bool = False) -> str:
    css = " ".join(c for c in ("n" if number else "", "start" if first else "") if c)
    return f'<th scope="col"{f" class={chr(34)}{css}{chr(34)}" if css else ""}{" rowspan=2" if rows > 1 else ""}>{esc(text)}</th>'


def _numeric(table: Table) -> set[int]:
    """Columns whose cells are numbers, or numbers with a spread."""

    def is_number(cell: Cell) -> bool:
        return not isinstance(cell, str) or " ± " in cell or cell[:1] in "+-0123456789" or cell == "undefined"

    return {i for i in range(1, len(table.columns)) if all(is_number(row[i]) for row in table.rows)}


def _row(row: Sequence[Cell], table: Table) -> str:
    numbers = [c for c in row[1:] if isinstance(c, float)]
    top = max(numbers) if table.highest and len(numbers) > 1 and max(numbers) > 0 else None
    numeric = _numeric(table)
    first = f'<th scope="row">{esc(shown(row[0]))}</th>'
    css = ' class="overall"' if row[0] == "OVERALL" else ""
    starts = {i for i in range(1, len(row)) if _group(table, i) and _group(table, i) != _group(table, i - 1)}
    cells = "".join(
        _cell(c, i in numeric, top is not None and isinstance(c, float) and c == top, i in starts)
        for i, c in enumerate(row)
        if i
    )
    return f"<tr{css}>{first}{cells}</tr>"


def _group(table: Table, i: int) -> str:
    return table.columns[i].rpartition("|")[0]


def _cell(value: Cell, number: bool, top: bool, start: bool) -> str:
    text = shown(value)
    marks = {"n": number, "top": top, "start": start, "undefined": text == "undefined"}
    css = " ".join(name for name, on in marks.items() if on)
    return f'<td class="{css}">{esc(text)}</td>' if css else f"<td>{esc(text)}</td>"


def _corpora(runner: ExperimentRunner) -> str:
    rows: list[list[Cell]] = [
        [c.name, len(c.documents), c.whole, len(set(c.groups)), *c.counted()] for c in runner.corpora.values()
    ]
    columns = ["corpus", "documents used", "documents", "groups", "tokens", "gold spans"]
    return "<h2>Corpora</h2>" + _table(Table("", columns, rows))


def _failures(title: str, lines: Iterable[str], most: int = 50) -> str:
    told = list(lines)
    if not told:
        return ""
    items = "".join(f"<li>{esc(line)}</li>" for line in told[:most])
    rest = f"<li>and {len(told) - most:,} more</li>" if len(told) > most else ""
    return f"<h2>{esc(title)}</h2><details><summary>{len(told):,}</summary><ul>{items}{rest}</ul></details>"
