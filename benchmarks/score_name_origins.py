"""Score names of twelve origins in sixteen contexts: the share wholly masked, the worst cell, and how far the origins are apart.

    python -m benchmarks.score_name_origins                        the default configuration
    python -m benchmarks.score_name_origins my.yaml --html origins.html --json origins.json
    python -m benchmarks.score_name_origins --checkout FOLDER      the version in another checkout, with its .venv
    python -m benchmarks.score_name_origins --compare old.json     old and new, one after the other
    python -m benchmarks.score_name_origins --markdown             refreshes docs/results/english.md

benchmarks/origins/names.txt has 20 names of each origin, benchmarks/origins/sentences.txt two short texts for each context. Each
text is a document of its own, so that nothing but the sentence and the word lists can tell that a word is a name.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .notes.finding import FindingError, find
from .notes.marked_section import put
from .notes.tables import as_markdown, as_text
from .origins.page import page
from .origins.table import Shares, heads, read, rows, summary, tallied, write
from .origins.texts import cases
from .run import ROOT

PAGE = ROOT / "docs" / "results" / "english.md"
BEFORE = ROOT / "docs" / "results" / "english-origins-before.json"


def measured(config: str, checkout: Path | None = None) -> Shares:
    """Return the shares of a configuration. Raises FindingError."""
    every = list(cases())
    found = find(config, [case.text for case in every], checkout)
    return tallied(Path(config).stem, time.strftime("%Y-%m-%d"), every, found)


def markdown(shares: Sequence[Shares]) -> str:
    """Return the sentences of all programs and the table of the last one, turned: an origin per row."""
    last = shares[-1]
    turned = [list(column) for column in zip(heads(last), *rows(last), strict=True)]
    turned[0][0] = "origin"
    lines = "\n".join(f"* {summary(one)}" for one in shares)
    return f"{lines}\n\n{as_markdown(turned[0], turned[1:])}"


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configurations", nargs="*", default=["deidentify"], metavar="CONFIG")
    parser.add_argument("--checkout", type=Path, metavar="FOLDER", help="run the caspipe of another checkout")
    parser.add_argument("--name", default="", help="name of the first configuration in tables and files")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="shares of --json to put before these")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the shares, without those of --compare")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page with heat maps")
    parser.add_argument("--markdown", nargs="?", type=Path, const=PAGE, metavar="PAGE", help=f"refresh {PAGE.name}")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    given = parsed(arguments)
    try:
        compared = given.compare or (BEFORE if given.markdown and BEFORE.exists() else None)
        before = read(compared, "before") if compared else []
        shares = [measured(config, given.checkout) for config in given.configurations]
        if given.name:
            shares[0].name = given.name
        for one in [*before, *shares]:
            print(f"{summary(one)}\n{as_text(heads(one), rows(one))}\n")
        if given.json:
            write(given.json, shares)
        if given.html:
            given.html.write_bytes(page([*before, *shares]))
        if given.markdown:
            put(given.markdown, "origins", markdown([*before, *shares]))
    except (FindingError, ValueError, OSError) as error:
        print(f"score_name_origins: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
