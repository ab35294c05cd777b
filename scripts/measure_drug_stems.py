"""Measure how precisely each stem of `drug_stems.tsv` identifies drugs, on the pack's drug names, common words and names.

    python scripts/measure_drug_stems.py            writes the counts into configs/lexicons/drug_stems.tsv
    python scripts/measure_drug_stems.py --check    exit 1 if they are out of date

The stems are facts: those assigned by the INN programme (WHO) and the USAN Council, and a few common endings. To add one, add a
line with the stem, `suffix`, `prefix` or `infix`, and zeros, and run the script. Stems without a drug in the pack are removed.
Run the script after `build_lexicon_pack.py`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.lexicon.loaders.pack import read, read_header

FILE = Path(__file__).resolve().parents[1] / "configs" / "lexicons" / "drug_stems.tsv"
BEYOND = 2
"""Minimum number of letters of a word besides the stem."""
HEADER = {
    "name": "drug_stems",
    "title": "Stems of non-proprietary drug names: drugs, common words and names with the stem; precision: the share of drugs",
    "source": "INN and USAN stems (facts), counted on the pack's drug_names, common_words, surnames, given_names and cities",
    "licence": "same as caspipe (facts; no third-party text)",
    "date": "2026-11-22",
    "columns": "form\tposition\tdrugs\twords\tnames\tprecision",
}


def measured() -> str:
    """Return the up-to-date content of the file."""
    drugs = words_of("drug_names") | words_of("medications")
    common = words_of("common_words") - drugs
    names = (words_of("surnames") | words_of("given_names") | words_of("cities")) - drugs - common
    rows = []
    for stem, position in stems():
        d, w, n = (sum(has(word, stem, position) for word in each) for each in (drugs, common, names))
        if d:
            rows.append("\t".join((stem, position, str(d), str(w), str(n), f"{d / (d + w + n):.2f}")))
    return "\n".join([*(f"# {key}: {value}" for key, value in HEADER.items()), *sorted(rows)]) + "\n"


def stems() -> list[tuple[str, str]]:
    column = read_header(FILE)[1].index("position") - 1  # the first column, the form, is not in `columns`
    return [(term.form, term.columns.split("\t")[column]) for term in read(FILE, {}).terms]


def words_of(name: str) -> set[str]:
    """Return the single words of a list of the pack that consist of letters, in lower case."""
    return {e.form.lower() for e in Lexicon.load(name).all_entries() if e.form.isalpha()}


def has(word: str, stem: str, position: str) -> bool:
    if len(word) < len(stem) + BEYOND:
        return False
    if position == "infix":
        return stem in word
    return word.startswith(stem) if position == "prefix" else word.endswith(stem)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file is out of date")
    options = parser.parse_args()
    text = measured()
    if text == FILE.read_text(encoding="utf-8"):
        return
    if options.check:
        sys.exit(f"{FILE.name} is out of date: run scripts/measure_drug_stems.py")
    FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
