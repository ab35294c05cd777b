"""Prepare the open corpora for training the English models: split them, and convert formats without a reader to JSON Lines.

    python scripts/english_corpora.py CORPORA FOLDER          FOLDER is what configurations name ${CORPORA}

Every tenth document of Wikigold and of the Broad Twitter Corpus is held out for scoring; ten consecutive tweets are a document.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import medical_samples

PARTS = 10
"""Every tenth document is held out."""
TWEETS = 10
"""Number of tweets in a document: BTC has no document boundaries."""
MARK = "-DOCSTART- O\n\n"
NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy"
    r"|eighty|ninety)\b",
    re.IGNORECASE,
)
"""A number in an age; PHEE also annotates `elderly` and `of reproductive age`, which are ignored here."""


def prepare(corpora: Path, folder: Path) -> None:
    """Write the training documents into `folder`, one sub-folder for each corpus, and the held-out ones into `folder`/held.

    Raises FileNotFoundError for a missing corpus.
    """
    train, held = folder, folder / "held"
    for name, file, documents in (
        ("wikigold", "wikigold.conll.txt", _marked(corpora / "wikigold" / "wikigold.conll.txt")),
        ("btc", "btc.conll", _tweets(corpora / "btc" / "btc.conll.gz")),
    ):
        numbered = list(enumerate(documents, 1))
        _write(train / name / file, [d for n, d in numbered if n % PARTS])
        _write(held / name / file, [d for n, d in numbered if n % PARTS == 0])
    for source in sorted((corpora / "wnut17").glob("*.conll")):
        (train / "wnut17").mkdir(exist_ok=True)
        shutil.copyfile(source, train / "wnut17" / source.name)
    (train / "mtsamples").mkdir()
    with (train / "mtsamples" / "mtsamples.jsonl").open("w", encoding="utf-8", newline="\n") as out:
        for record in medical_samples.records(corpora / "mtsamples" / "unlabelled.jsonl.gz"):
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    (train / "phee").mkdir()
    with (train / "phee" / "phee.jsonl").open("w", encoding="utf-8", newline="\n") as out:
        for part in ("train", "dev"):
            for record in _phee(corpora / "phee" / f"{part}.json.gz"):
                out.write(json.dumps(record, ensure_ascii=False) + "\n")


def _marked(file: Path) -> list[str]:
    """Return the documents of a CoNLL file, without the marks between them."""
    text = file.read_text(encoding="utf-8")
    return [d.strip("\n") for d in re.split(r"(?m)^-DOCSTART-.*\n", text) if d.strip()]


def _tweets(file: Path) -> list[str]:
    text = gzip.decompress(file.read_bytes()).decode("utf-8")
    tweets = [t.strip("\n") for t in re.split(r"\n[ \t]*\n", text) if t.strip()]
    return ["\n\n".join(tweets[first : first + TWEETS]) for first in range(0, len(tweets), TWEETS)]


def _write(file: Path, documents: list[str]) -> None:
    file.parent.mkdir(parents=True)
    file.write_text("".join(f"{MARK}{document}\n\n" for document in documents), encoding="utf-8", newline="\n")


def _phee(file: Path) -> Iterator[dict[str, Any]]:
    """Yield sentences with ages in numbers; sentences with other annotated ages are left out."""
    for line in gzip.decompress(file.read_bytes()).decode("utf-8").splitlines():
        record = json.loads(line)
        text, spans = record["context"], sorted(set(_ages(record)))
        disjoint = all(a[1] <= b[0] for a, b in pairwise(spans))
        if disjoint and all(NUMBER.search(text, *span) for span in spans):
            marks = [{"begin": begin, "end": end, "kind": "AGE"} for begin, end in spans]
            yield {"id": record["id"], "text": text, "spans": marks}


def _ages(record: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    for event in (event for group in record["annotations"] for event in group["events"]):
        age = event.get("Subject", {}).get("Age", {})
        for texts, begins in zip(age.get("text", []), age.get("start", []), strict=True):
            for text, begin in zip(texts, begins, strict=True):
                yield begin, begin + len(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    prepare(Path(sys.argv[1]), Path(sys.argv[2]))
