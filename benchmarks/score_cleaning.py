"""Compare the search in the cleaned text with the search in the text as it is, on notes with regular and irregular white space.

    python -m benchmarks.score_cleaning [--rates 0 0.05 0.2] [--documents N]

Notes: phi_notes dev, which ships with caspipe. Of the single spaces between two words, the given share becomes two spaces, a tab,
a line break, or a line break with indentation, drawn with a fixed seed, as in texts from forms and PDF files. `covered`:
reference spans without a readable letter or digit; `clean`: documents of which all spans are covered; `false`: found spans that
share no character with a reference span, per 1,000 words. `ms`: processor time for 1,400 characters.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.notes.documents import Document, phi_notes
from benchmarks.notes.figures import ALL, counted
from benchmarks.notes.finding import find
from caspipe.consumers.scoring import Mark
from caspipe.consumers.scoring.table import format_share
from caspipe.pipeline.assembly.shipped import locate
from caspipe.typesystem import OffsetMap, Replacement, replace_spans

RUNS = ("  ", "\t", "\n", "\n    ", " \n ")
SEED = 5
AS_IT_IS, CLEANED = "deidentify-fast", "deidentify-cleaned"
_SPACE = re.compile(r"(?<=\S) (?=\S)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, help="at most this many notes")
    parser.add_argument(
        "--rates", type=float, nargs="+", default=[0.0, 0.05, 0.2], help="shares of the spaces that change"
    )
    given = parser.parse_args()
    notes = phi_notes("dev")[: given.documents]
    warm = [d.text for d in phi_notes("train", "part06.txt")]
    print("| spaces changed | configuration | covered | clean | false | ms |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        configurations = {AS_IT_IS: AS_IT_IS, **variants(Path(folder))}
        for rate in given.rates:
            documents = [disturbed(note, rate, number) for number, note in enumerate(notes)]
            for name, config in configurations.items():
                row = scored(config, documents, warm)
                print(f"| {rate:.0%} | `{name}` | {row} |", flush=True)


def variants(folder: Path) -> dict[str, str]:
    """Return the file of the shipped configuration with each treatment of line breaks, by name."""
    text = locate(CLEANED).read_text(encoding="utf-8")
    files = {}
    for mode in ("space", "paragraph", "line"):
        path = folder / f"{mode}.yaml"
        path.write_text(re.sub(r"line_breaks: \w+", f"line_breaks: {mode}", text), encoding="utf-8")
        files[f"{CLEANED}, line_breaks: {mode}"] = str(path)
    return files


def disturbed(note: Document, rate: float, number: int) -> Document:
    """Return a note with irregular white space, and its marks moved."""
    draw = random.Random(SEED * 1_000_003 + number)
    changes = [
        Replacement(space.start(), space.end(), draw.choice(RUNS))
        for space in _SPACE.finditer(note.text)
        if draw.random() < rate
    ]
    text, offsets = replace_spans(note.text, changes)
    gold = None if note.gold is None else moved(note.gold, offsets)
    return replace(note, text=text, gold=gold, optional=moved(note.optional, offsets))


def moved(marks: Sequence[Mark], offsets: OffsetMap) -> tuple[Mark, ...]:
    return tuple(Mark(*offsets.to_new(m.begin, m.end), m.kind) for m in marks)


def scored(config: str, documents: Sequence[Document], warm: Sequence[str]) -> str:
    """Return the cells of a row."""
    groups, fate = counted(documents, find(config, [d.text for d in documents], None, warm))
    counts = groups[ALL][ALL]
    return (
        f"{format_share(counts.recall)} ({counts.covered:,} of {counts.spans:,}) | {format_share(counts.cleanness)} | "
        f"{format_share(counts.alarms, 2)} | {fate.ms:.1f}"
    )


if __name__ == "__main__":
    main()
