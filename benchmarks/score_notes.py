"""Score configurations on clinical notes: covered spans, clean documents, false spans, by kind, part, genre and letter case.

    python -m benchmarks.score_notes                                    the default configuration on phi_notes dev
    python -m benchmarks.score_notes --corpora FOLDER                   also on MTSamples, which has few real names
    python -m benchmarks.score_notes my.yaml deidentify --html notes.html
    python -m benchmarks.score_notes --compare docs/results/english-before.json
    python -m benchmarks.score_notes --checkout FOLDER --json before.json   the version in another checkout, with its .venv
    python -m benchmarks.score_notes --markdown                         refreshes docs/results/english.md

Without a configuration: `deidentify`, and `deidentify-fast` if it is shipped. MTSamples without marks: every name found counts as
false, although placeholders such as `Dr. X` and some invented names are there. Times are processor times of new texts.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from caspipe.pipeline.assembly.shipped import locate
from caspipe.pipeline.errors import CaspipeError

from .notes import examples, figures
from .notes.documents import CORPORA, AbsentError, Document, phi_notes
from .notes.figures import Figures, counted
from .notes.finding import FindingError, Found, find
from .notes.marked_section import put
from .notes.page import page
from .notes.tables import as_markdown, markdown_report, text_report
from .run import ROOT, SHARED, machine

PAGE = ROOT / "docs" / "results" / "english.md"
BEFORE = ROOT / "docs" / "results" / "english-before.json"
WARM = "part06.txt"
"""Notes of the training part that are processed before times are taken."""
LEAST = 3
"""Number of wrong spans from which a class is on the page."""
Results = dict[str, tuple[list[Document], list[Found]]]


def default_configurations() -> list[str]:
    """Return the names of the shipped configurations that are scored by default."""
    names = ["deidentify"]
    try:
        locate("deidentify-fast")
    except CaspipeError:
        return names
    return [*names, "deidentify-fast"]


def corpora(folder: Path) -> dict[str, list[Document]]:
    """Return the documents of the available corpora by name."""
    there = {}
    for corpus in CORPORA.values():
        try:
            there[corpus.name] = corpus.load(folder)
        except AbsentError as error:
            print(f"left out: {corpus.title}: {error}", file=sys.stderr)
    return there


def measured(
    config: str, documents: dict[str, list[Document]], checkout: Path | None = None
) -> tuple[Figures, Results]:
    """Return the figures of a configuration, and what it found in each corpus. Raises FindingError."""
    warm = [d.text for d in phi_notes("train", WARM)]
    every = [d for many in documents.values() for d in many]
    found = iter(find(config, [d.text for d in every], checkout, warm))
    results = {name: (many, [next(found) for _ in many]) for name, many in documents.items()}
    return figures_of(Path(config).stem, results), results


def figures_of(name: str, results: Results) -> Figures:
    """Return the figures of what a program found in each corpus."""
    run = Figures(name, time.strftime("%Y-%m-%d"), machine())
    for corpus, (many, found) in results.items():
        run.groups[corpus], run.fates[corpus] = counted(many, found)
    return run


def failures(results: Results) -> str:
    """Return the classes of what is missed and falsely marked in phi_notes, as Markdown."""
    documents, found = results["notes"]
    heads = ["class", "missed", "partly covered", "spans", "examples"]
    lost = as_markdown(heads, list(examples.rows(examples.missed(documents, found), least=LEAST)))
    heads = ["class", "false", "found", "examples"]
    rows = [[r[0], r[1], r[3], r[4]] for r in examples.rows(examples.false(documents, found), least=LEAST)]
    return f"**Missed** (spans with a readable letter or digit)\n\n{lost}\n\n**False**\n\n{as_markdown(heads, rows)}"


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configurations", nargs="*", metavar="CONFIG", help="shipped name or YAML file")
    parser.add_argument("--corpora", type=Path, default=SHARED, help="folder of the open corpora")
    parser.add_argument("--checkout", type=Path, metavar="FOLDER", help="run the caspipe of another checkout")
    parser.add_argument("--name", default="", help="name of the first configuration in tables and files")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="figures of --json to put before these")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures, without those of --compare")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page with bars")
    parser.add_argument("--markdown", nargs="?", type=Path, const=PAGE, metavar="PAGE", help=f"refresh {PAGE.name}")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    given = parsed(arguments)
    try:
        compared = given.compare or (BEFORE if given.markdown and BEFORE.exists() else None)
        before = figures.read(compared, "before") if compared else []
        documents = corpora(given.corpora)
        scored = [measured(c, documents, given.checkout) for c in given.configurations or default_configurations()]
        runs = [run for run, _ in scored]
        if given.name:
            runs[0].name = given.name
        print(text_report([*before, *runs]), end="")
        if given.json:
            figures.write(given.json, runs)
        if given.html:
            given.html.write_bytes(page([*before, *runs]))
        if given.markdown:
            put(given.markdown, "notes", markdown_report([*before, *runs]))
            put(given.markdown, "failures", failures(scored[0][1]))
    except (FindingError, ValueError, OSError, CaspipeError) as error:
        print(f"score_notes: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
