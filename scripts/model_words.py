"""Count how much of its training texts a trained model reveals.

python scripts/model_words.py es-phi-svm CORPORA/meddocan/train

The corpus is read with its reference annotations (reader `i2b2`). Prints counts only, no words of the model or the corpus.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.readers.corpora.i2b2 import I2b2Reader
from caspipe.typesystem import Phi

_WORD = re.compile(r"\w+")
_FORM = re.compile(r"0:(?:token|lower)=(\w+)")
_DIGITS = re.compile(r"\d{5,}")


def counts(attributes: Iterable[str], corpus: Path) -> list[tuple[str, int, int]]:
    """Return (description, count, total)."""
    named = list(attributes)
    forms = list(dict.fromkeys(m[1].lower() for a in named if (m := _FORM.fullmatch(a))))
    place = {form: i for i, form in enumerate(forms)}
    people: list[list[str]] = []
    numbers: list[list[str]] = []
    neighbors: set[tuple[str, str]] = set()
    for cas in I2b2Reader(folder=corpus):
        neighbors.update(pairwise(words(cas.text)))
        for phi in cas.view("gold").select(Phi):
            if phi.kind.name == "PERSON_PATIENT":
                people.append(words(phi.covered_text))
            elif phi.kind.top.name in ("ID", "PHONE"):
                numbers.append(words(phi.covered_text))
    full = [p for p in people if len(p) > 1]
    return [
        ("attributes with a whole word at the token itself", len(forms), len(named)),
        (
            "numbers of five digits or more among these words",
            sum(bool(_DIGITS.fullmatch(f)) for f in forms),
            len(forms),
        ),
        (
            "patients whose names have all their words among these",
            sum(all(w in place for w in p) for p in full),
            len(full),
        ),
        (
            "patients whose names are consecutive attributes",
            sum(in_a_row(p, place) for p in full),
            len(full),
        ),
        (
            "identifiers and phone numbers that are completely contained",
            sum(all(w in place for w in n) for n in numbers),
            len(numbers),
        ),
        (
            "consecutive attributes that are adjacent words of a text",
            sum(p in neighbors for p in pairwise(forms)),
            len(forms) - 1,
        ),
    ]


def words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def in_a_row(name: list[str], place: dict[str, int]) -> bool:
    return all(w in place for w in name) and all(place[b] - place[a] == 1 for a, b in pairwise(name))


def main(model: str, corpus: Path) -> None:
    for what, count, total in counts(LinearModel.load(model).weights.attributes, corpus):
        print(f"{what}: {count:,} of {total:,}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
