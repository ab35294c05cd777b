"""Measure the default pipeline on dense documents of growing length: whether time stays proportional to the text.

    python -m benchmarks.bench_growing [--sizes 20000,40000,80000,160000] [--config deidentify] [--texts "one name;dense"]

Documents consist of nothing but names: one name over and over, sentences with different names, a list of different names; or
they have a span in about every 20 characters (`dense`). Times are processor times of one pass of engines and consumers, in
milliseconds for each 1,000 characters; a number that grows with the length shows work that is not proportional to it. Memory is
the peak of the process so far, in MB, with all models. The names are invented (seeded).
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from caspipe.pipeline.assembly.shipped import folder
from caspipe.pipeline.pipeline import Pipeline
from caspipe.pipeline.running.memory import peak
from caspipe.typesystem import Cas, Phi

SYLLABLES = "ba ke li mo nu ra si to ve za dor fen gar hul jin kal".split()
SHOWN = 0.05
"""Engines below this share of the time are not listed."""


def one_name(size: int, draw: random.Random) -> str:
    """Return `Smith, John ` repeated."""
    return ("Smith, John " * (size // 12 + 1))[:size]


def sentences(size: int, draw: random.Random) -> str:
    """Return sentences with one name each, every name twice."""
    names = [f"{_name(draw)} {_name(draw)}" for _ in range(size // 60)]
    return "".join(f"Seen by Dr. {name} today. " for name in names) + "".join(f"{name} left.\n" for name in names)


def roster(size: int, draw: random.Random) -> str:
    """Return a list of names."""
    return ", ".join(f"{_name(draw)} {_name(draw)}" for _ in range(size // 16))


def dense(size: int, draw: random.Random) -> str:
    """Return notes with a name, a date or a telephone number in about every 20 characters."""
    lines, length = list[str](), 0
    while length < size:
        number = f"555-{draw.randrange(100, 999)}-{draw.randrange(1000, 9999)}"
        lines.append(f"Dr. {_name(draw)}, {draw.randrange(1, 12)}/{draw.randrange(1, 28)}/2020, call {number}.\n")
        length += len(lines[-1])
    return "".join(lines)


def many_names(size: int, draw: random.Random) -> str:
    """Return 3,000 different names over and over."""
    names = [f"{_name(draw)} {_name(draw)}, " for _ in range(3_000)]
    return ("".join(names) * (size // 30_000 + 1))[:size]


def digits(size: int, draw: random.Random) -> str:
    """Return random digits in groups."""
    groups = (str(draw.randrange(10 ** draw.randrange(1, 12))) for _ in range(size // 4))
    return " ".join(groups)[:size]


def one_line(size: int, draw: random.Random) -> str:
    """Return the dense document without line breaks."""
    return dense(size, draw).replace("\n", " ")


def short_lines(size: int, draw: random.Random) -> str:
    """Return lines with one or two words or a number."""
    makers = (lambda: _name(draw), lambda: "stable", lambda: str(draw.randrange(1_000)), lambda: f"Name: {_name(draw)}")
    return "".join(f"{draw.choice(makers)()}\n" for _ in range(size // 6))[:size]


def long_word(size: int, draw: random.Random) -> str:
    """Return one word."""
    return "".join(draw.choices(SYLLABLES, k=size // 2))[:size]


def dates(size: int, draw: random.Random) -> str:
    """Return dates in several forms."""
    months = "January March May July September November".split()
    forms = (
        lambda d, m, y: f"{m}/{d}/{y}",
        lambda d, m, y: f"{y}-{m:02}-{d:02}",
        lambda d, m, y: f"{d} {months[m // 2 - 1]} {y}",
        lambda d, m, y: f"{months[m // 2 - 1]} {d}",
    )
    made = (
        draw.choice(forms)(draw.randint(1, 28), draw.randint(2, 12), draw.randint(1950, 2024)) for _ in range(size // 8)
    )
    return ", ".join(made)[:size]


def capitals(size: int, draw: random.Random) -> str:
    """Return the dense document in capital letters."""
    return dense(size, draw).upper()


def _name(draw: random.Random) -> str:
    return "".join(draw.choices(SYLLABLES, k=3)).title()


TEXTS: dict[str, Callable[[int, random.Random], str]] = {
    "one name": one_name,
    "sentences": sentences,
    "list of names": roster,
    "dense": dense,
    "3,000 names": many_names,
    "digits": digits,
    "one line": one_line,
    "short lines": short_lines,
    "long word": long_word,
    "dates": dates,
    "capitals": capitals,
}


def measure(pipeline: Pipeline, text: str) -> tuple[dict[str, float], int]:
    """Return the seconds of every engine and consumer for a text, and the number of spans."""
    cas, seconds = Cas(text, id="growing"), dict[str, float]()
    for engine in pipeline.engines:
        began = time.process_time()
        pipeline.apply(engine, cas)
        seconds[engine.id] = time.process_time() - began
    for consumer in pipeline.two_phase_consumers():
        began = time.process_time()
        consumer.discard(consumer.prepare(cas))
        seconds[f"consumers/{consumer.id}"] = time.process_time() - began
    return seconds, len(cas.select(Phi))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="20000,40000,80000,160000", help="lengths in characters")
    parser.add_argument("--config", default="deidentify", help="shipped configuration")
    parser.add_argument("--texts", default=";".join(TEXTS), help="sorts of documents, separated by semicolons")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # no key: dates become placeholders
    with (
        tempfile.TemporaryDirectory() as out,
        Pipeline.load(folder() / f"{given.config}.yaml", [f"run.output={Path(out)}"]) as pipeline,
    ):
        pipeline.process(sentences(5_000, random.Random(0)))  # fills the caches of words
        print(f"{'':16}{'characters':>12}{'spans':>8}{'ms/1,000':>10}{'MB':>7}  by component")
        for title in given.texts.split(";"):
            make = TEXTS[title]
            for size in map(int, given.sizes.split(",")):
                text = make(size, random.Random(size))
                seconds, spans = measure(pipeline, text)
                total = sum(seconds.values())
                per = 1e6 / len(text)
                parts = ", ".join(f"{k} {s * per:.1f}" for k, s in seconds.items() if s > SHOWN * total)
                print(f"{title:16}{len(text):12,}{spans:8,}{total * per:10.1f}{peak() >> 20:7,}  {parts}", flush=True)


if __name__ == "__main__":
    main()
