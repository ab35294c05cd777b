"""The report of an experiment in Markdown, for docs/results: the same tables, figures as links."""

from __future__ import annotations

from collections.abc import Mapping

from .page import QUOTES
from .result import Result, Table, shown
from .run_size import command, first_line, shortfalls
from .runner import ExperimentRunner


def report_markdown(runner: ExperimentRunner, result: Result, missing: str, versions: Mapping[str, str]) -> str:
    """Return the page. Its first line under the heading says how large the run was."""
    settings, plan = runner.settings, runner.plan
    lines = [f"# {settings.title or plan.name}", "", first_line(runner)]
    if shortfalls(runner):
        lines[-1] += f" The full run: `{command(plan, full=True)}`"
    lines += ["", settings.note] if settings.note else []
    lines += ["", QUOTES] if result.quotes else []
    lines += ["", f"After {settings.source}."] if settings.source else []
    lines += ["", *(f"- {finding}" for finding in result.findings)] if result.findings else []
    lines += ["", "```sh", command(plan), "```", ""]
    lines += [missing, ""] if missing and result.figures else []
    for figure in result.figures if not missing else []:
        if not figure.group:
            lines += [f"![{figure.caption}](figures/{figure.name}.svg)", ""]
    for table in result.tables:
        lines += [f"## {table.title}", "", *markdown_table(table), ""]
        lines += [table.note, ""] if table.note else []
    for corpus in runner.corpora.values():
        tokens, spans = corpus.counted()
        used = f"{len(corpus.documents):,} of {corpus.whole:,} documents in {len(set(corpus.groups)):,} groups"
        lines.append(f"Corpus {corpus.name}: {used}, {tokens:,} tokens, {spans:,} gold spans.")
    lines += ["", f"{len(runner.failures):,} jobs failed: {runner.failures[0]}"] if runner.failures else []
    lines += ["", "Versions: " + ", ".join(f"{name} {v}" for name, v in sorted(versions.items())) + "."]
    return "\n".join(lines).rstrip() + "\n"


def markdown_table(table: Table) -> list[str]:
    """Return the lines of a table; common headings go before their columns' own."""
    heads = [c.replace("|", " ") for c in table.columns]
    rule = ["---", *["---:"] * (len(heads) - 1)]
    rows = [[_escaped(shown(cell)) for cell in row] for row in table.rows]
    return ["| " + " | ".join(cells) + " |" for cells in (heads, rule, *rows)]


def _escaped(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|")
