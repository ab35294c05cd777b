"""Measure the speed of tokens, sentences and the segmenter relative to `re.finditer`, and the agreement of guessed chunks.

    python -m benchmarks.bench_segmenter                     synthetic narratives of 2 kB
    python -m benchmarks.bench_segmenter --text notes.txt    your own text, cut into pieces of 2 kB
    python -m benchmarks.bench_segmenter --large 50          also one text of 50 MB in a single line, with memory
    python -m benchmarks.bench_segmenter --chunks en_ewt-ud-dev.conllu.gz

Figures are medians of interleaved rounds. spaCy's blank English tokenizer is measured if it is installed.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import platform
import re
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.narratives import narratives
from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.annotators.segmenting.sentences import SentenceRules
from caspipe.annotators.tagging.chunker import Chunker
from caspipe.typesystem import Cas, Sentence, Token
from caspipe.typesystem.tokenize import token_spans

PLAIN = re.compile(r"\w+|[^\w\s]")


def finditer_spans(text: str) -> tuple[list[int], list[int]]:
    begins: list[int] = []
    ends: list[int] = []
    for found in PLAIN.finditer(text):
        begin, end = found.span()
        begins.append(begin)
        ends.append(end)
    return begins, ends


def compare(candidates: dict[str, Callable[[int], object]], count: int, size: int, rounds: int) -> None:
    """Print the median time of each candidate over all documents, and its ratio to the first one."""
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, work in candidates.items():
            start = time.perf_counter()
            for i in range(count):
                work(i)
            seconds[name].append(time.perf_counter() - start)
    base = statistics.median(next(iter(seconds.values())))
    for name, taken in seconds.items():
        median = statistics.median(taken)
        print(
            f"{name:28} {median / count * 1e6:8.0f} us/document {count * size / median / 1e6:7.1f} MB/s {base / median:6.2f} x"
        )


def large(megabytes: int) -> None:
    """Measure one text in a single line: time and growth of peak memory."""
    piece = " ".join(narratives(500))
    text = (piece * (megabytes * 1_000_000 // len(piece) + 1))[: megabytes * 1_000_000]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    spans = {s.type.__name__: len(s.begins) for s in Segmenter().annotate(Cas(text).view())}
    taken = time.perf_counter() - start
    grown = (
        (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * (1 if sys.platform == "darwin" else 1024) / 1e6
    )
    print(
        f"{megabytes} MB in one line: {taken:.1f} s, {megabytes / taken:.1f} MB/s, {spans}, peak memory +{grown:.0f} MB"
    )


def tagged_sentences(path: Path) -> Iterator[list[tuple[str, str]]]:
    words: list[tuple[str, str]] = []
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            columns = line.split("\t")
            if len(columns) > 4 and columns[0].isdigit():
                words.append((columns[1], columns[4]))
            elif not line.strip() and words:
                yield words
                words = []


def chunk_agreement(path: Path) -> None:
    """Compare chunks from guessed tags with chunks from the gold tags of a CoNLL-U file."""

    def chunks(words: list[tuple[str, str]], tags: bool) -> set[tuple[int, int, str]]:
        view, at = Cas(" ".join(word for word, _ in words)).view(), 0
        for word, tag in words:
            view.add(Token(at, at + len(word), pos=tag if tags else ""))
            at += len(word) + 1
        view.add(Sentence(0, at - 1))
        return {(c.begin, c.end, c.tag) for c in Chunker().annotate(view)}

    pairs = [(chunks(words, True), chunks(words, False)) for words in tagged_sentences(path)]
    for kind in ("NP", "VP", "PP"):
        gold = [[c for c in g if c[2] == kind] for g, _ in pairs]
        guessed = [[c for c in s if c[2] == kind] for _, s in pairs]
        both = sum(len(set(g) & set(s)) for g, s in zip(gold, guessed, strict=True))
        within = sum(
            any(b <= x and y <= e for b, e, _ in s) for g, s in zip(gold, guessed, strict=True) for x, y, _ in g
        )
        count, found = sum(map(len, gold)), sum(map(len, guessed))
        print(
            f"{kind}: {count} by gold tags; recall {both / count:.3f}, precision {both / found:.3f}, within {within / count:.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, help="a UTF-8 file instead of synthetic narratives")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--large", type=int, metavar="MB", help="also time one text of this size in a single line")
    parser.add_argument("--chunks", type=Path, metavar="FILE", help="CoNLL-U with Penn tags: measure guessed chunks")
    given = parser.parse_args()
    print(
        f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}, {time.strftime('%Y-%m-%d')}"
    )
    if given.chunks:
        chunk_agreement(given.chunks)
        return
    size = 2000
    if given.text:
        whole = given.text.read_text(encoding="utf-8")
        documents = [whole[i : i + size] for i in range(0, max(1, len(whole) - size + 1), size)]
    else:
        documents = [text[:size] for text in narratives(300, size)]
    views = [Cas(d).view() for d in documents]
    tokens = [token_spans(d) for d in documents]
    rules, segmenter = SentenceRules(), Segmenter()
    candidates: dict[str, Callable[[int], Any]] = {
        "re.finditer tokens": lambda i: finditer_spans(documents[i]),
        "token_spans": lambda i: token_spans(documents[i]),
        "sentences, tokens given": lambda i: rules.spans(documents[i], *tokens[i], 2000),
        "segmenter": lambda i: list(segmenter.annotate(views[i])),
    }
    try:
        spacy = importlib.import_module("spacy")
    except ImportError:
        print("(spaCy is not installed)")
    else:
        blank = spacy.blank("en")
        candidates["spaCy blank tokens"] = lambda i: [(t.idx, t.idx + len(t)) for t in blank.tokenizer(documents[i])]
    compare(candidates, len(documents), size, given.rounds)
    if given.large:
        large(given.large)


if __name__ == "__main__":
    main()
