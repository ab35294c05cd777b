"""Find phrases that do not read like plain technical English, in docstrings, comments, messages and documentation.

    python scripts/check_english.py                 everything
    python scripts/check_english.py readers docs    some folders or files
    python scripts/check_english.py --counts        the number of hits per phrase

Exits with 1 if it finds anything. A line that must keep such a phrase, such as a quotation, ends with
`# english: ok`.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("typesystem", "pipeline", "annotators", "readers", "consumers", "docs", "scripts", "benchmarks")
FILES = ("README.md", "CONTRIBUTING.md", "TESTING.md")
GENERATED = ("docs/reference/", "docs/decisions/", "docs/results/", "benchmarks/RESULTS.md")

# ruff: noqa: E501
PHRASES = {
    "is no X: write `is not a X`": r"\b(?:is|are|was|were|be) no (?!longer|more|less|fewer|such|one\b|limit|need|way\b|doubt|other)[a-z]",
    "where it/there/one: write `if`": r"\bwhere (?:it|there|one|nothing|none|nobody|somebody|something|they|he|she|that) (?!\w+ed\b to)",
    "whoever, whatever, somebody, nobody": r"\b(?:whoever|whomever|whatever|whichever|somebody|nobody)\b",
    "anew, upon, alike, thereby, hitherto": r"\b(?:anew|upon|alike|hitherto|whence|thence|henceforth|betwixt|amiss|aught|lest)\b",
    "is told, is said: write `is reported`": r"\b(?:is|are|was|were|be|been|being) (?:told|said)\b",
    "stands in/at: write `is`": r"\b(?:stands?|stood) (?:in|at|on|beside|before|behind|there|here|alone|between|under|over|for itself)\b",
    "lies in/at: write `is stored in`": r"\b(?:lies|lie|lay) (?:in|at|on|beside|before|behind|there|here|under|between|below|next)\b",
    "kept aside, held back, let go": r"\b(?:kept aside|keeps? aside|held back|let go|lets go|taken back|takes back|gone on|goes on with)\b",
    "so many, as many as there are": r"\bso (?:many|much) (?=documents|bytes|characters|seconds|tokens|files|rows|lines|words|of\b)",
    "house, room, wing, floor for packages": r"\b(?:the house|rooms? of|wings?\b(?! of a| span)|floors? of (?:the )?(?:docs|architecture))",
    "slip of the pen, mend, spoilt": r"\b(?:slips? of the pen|mended|mends|mending|spoilt)\b",
    "bids, outvoted, stranger, verdict": r"\b(?:outvoted|befell|hired|buried|bereft)\b",
    "what is/was made of": r"\bwhat (?:becomes|became|is to become) of\b",
    "of which there is none": r"\bof which there (?:is|are) (?:none|no)\b",
    "docstring opens with What, Where, Whether, Who": r"^(?:What|Where|Whether|Who|Whose|Which) ",
}
PATTERNS = {
    name: re.compile(pattern, 0 if pattern.startswith("^") else re.IGNORECASE) for name, pattern in PHRASES.items()
}
OPENING = "docstring opens with What, Where, Whether, Who"


def python_texts(source: str) -> Iterator[tuple[int, str, bool]]:
    """Yield (line, text, is docstring) for every docstring, string message and comment of a Python file."""
    tree = ast.parse(source)
    docstrings = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for statement in body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                docstrings.add(id(statement.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            opens = id(node) in docstrings
            for number, line in enumerate(node.value.split("\n")):
                yield node.lineno + number, line, opens and number == 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string, False


def markdown_texts(source: str) -> Iterator[tuple[int, str, bool]]:
    """Yield (line, text, False) for the prose of a Markdown file: code blocks are left out."""
    fenced = False
    for number, line in enumerate(source.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, re.sub(r"`[^`]*`", "``", line), False


def findings(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield (line, phrase, text) for every hit in a file."""
    source = path.read_text(encoding="utf-8")
    lines = source.split("\n")
    texts = python_texts(source) if path.suffix == ".py" else markdown_texts(source)
    for line, text, opens in texts:
        if line <= len(lines) and "english: ok" in lines[line - 1]:
            continue
        for name, pattern in PATTERNS.items():
            if (opens or name != OPENING) and pattern.search(text):
                yield line, name, text.strip()


def files(names: list[str]) -> list[Path]:
    """Return the tracked Python and Markdown files below some folders, without generated pages and this file."""
    run = subprocess.run(["git", "ls-files", *names], cwd=ROOT, capture_output=True, text=True, check=True)
    chosen = [name for name in run.stdout.split("\n") if name.endswith((".py", ".md"))]
    return [
        ROOT / name
        for name in chosen
        if not name.startswith(GENERATED) and name != "scripts/check_english.py" and (ROOT / name).exists()
    ]


def main() -> int:
    """Print the hits; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", default=[])
    parser.add_argument("--counts", action="store_true", help="print the number of hits per phrase only")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for path in files(options.paths or [*FOLDERS, *(name for name in FILES if (ROOT / name).exists())]):
        for line, name, text in findings(path):
            counts[name] += 1
            if not options.counts:
                print(f"{path.relative_to(ROOT)}:{line}: {name}\n    {text[:140]}")
    if options.counts:
        for name, count in counts.most_common():
            print(f"{count:6} {name}")
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())
