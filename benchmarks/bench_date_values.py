"""Measure what dateutil adds to the interpretation of date values: how many more, how many of these are right, and the time.

    python -m benchmarks.bench_date_values [--corpora ../shared/corpora] [--shapes]

A value is the text of a gold DATE span. *rules*: values that the rules interpret in English. *added*: values that only dateutil
interprets. *fuller*: values of which the rules interpret a part (`1960` of `14 abr. 1960`) and dateutil more. *same*: added and
fuller values with the same likeliest date as the rules with the words of the corpus's own language (phi_notes: all languages);
*other*: those with another date; *open*: those that these rules do not interpret. `--shapes` lists the open ones as shapes.
*made*: days in notations of other programs and languages whose true date is known; *same* and *other* refer to it.
Times are for each distinct value, without a cache: the fastest of four passes.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import gzip
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from caspipe.annotators.dates import parse
from caspipe.annotators.dates.calendar import FOREIGN_MONTH_NAMES, LANGUAGES, Calendar
from caspipe.annotators.dates.interpretation import MONTHS, WEEKDAYS, Interpretations
from caspipe.pipeline.application.evaluation.documents import Collection, read_documents
from caspipe.pipeline.storage.shipped_corpora import corpus_folder
from caspipe.readers.synthetic import Maker
from caspipe.typesystem import GOLD_VIEW, Phi, PhiKind

from .notes.documents import AbsentError

CORPORA = Path(__file__).resolve().parents[2] / "shared" / "corpora"
MADE = (
    "{a} {b} {d:02} 00:00:00 EST {y}", "{a} {b} {d:02} 10:30:00 {y}", "{d:02}-{f}-{y}", "{d} {f}. {y2:02}", "{d} de {f} del {y}",
    "{f} {d} {y}", "{f} de {y}", "{d}/{f}", "{m} {d} {y}", "{m}_{d}_{y}", "{y}_{m}_{d}", "--/{m:02}/{y}", "UNK/{m:02}/{y}",
)  # fmt: skip
"""Weekday, month, day and year of the date, `f` a month in another language."""
NO_DATES = "sat 10|10 am|10.5|3.14|120/80|1.2.3|5 of 10|2 and 3|1 on 2|4-5.10.|24/25 ENE|3 ago|118 72 88".split("|")
"""Values that must stay without a date, or with that of the rules."""


@dataclass
class Row:
    """The counts of one corpus."""

    name: str
    values: int = 0
    rules: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    shapes: Counter[str] = field(default_factory=Counter)
    rule_time: float = 0.0
    both_time: float = 0.0


def marked(folder: Path, reader: str, pattern: str, places: Sequence[str] = ()) -> Iterator[str]:
    """Yield the gold dates of a folder. Raises AbsentError if there is none."""
    if not folder.is_dir():
        raise AbsentError(f"no folder {folder.name} among the open corpora")
    for cas in read_documents(Collection(folder, reader, overrides=[f"{reader}.pattern={pattern}", *places])):
        for phi in cas.view(GOLD_VIEW).select(Phi):
            if phi.kind.top is PhiKind.DATE:
                yield phi.covered_text


def spans(path: Path, texts: str, begin: str, end: str, kind: str) -> Iterator[str]:
    """Yield the gold dates of a file of JSON objects. Raises AbsentError if there is none."""
    if not path.is_file():
        raise AbsentError(f"no {path.parent.name}/{path.name} among the open corpora")
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = raw.decode().splitlines()
    for record in json.loads(raw) if lines[0].startswith("[") else map(json.loads, lines):
        for span in record["spans"]:
            if span[kind].startswith("DATE"):
                yield record[texts][span[begin] : span[end]]


def synthetic() -> Iterator[str]:
    """Yield the dates of 1,000 synthetic narratives."""
    maker = Maker(seed=7)
    for number in range(1000):
        document = maker.document(number)
        yield from (document.text[begin:end] for begin, end, kind in document.spans if kind.startswith("DATE"))


def made() -> Iterator[tuple[str, str]]:
    """Yield 200 values of each notation in `MADE`, with their true dates."""
    draw = random.Random(1)
    foreign: dict[int, list[str]] = {}
    for name, number in sorted(FOREIGN_MONTH_NAMES.items()):
        foreign.setdefault(number, []).append(name)
    for notation in MADE:
        for _ in range(200):
            day = datetime.date(1936, 1, 1) + datetime.timedelta(draw.randrange(36_524))
            words = {
                "a": WEEKDAYS[day.weekday()][:3],
                "b": MONTHS[day.month - 1][:3],
                "f": draw.choice(foreign[day.month]),
            }
            text = notation.format(y=day.year, y2=day.year % 100, m=day.month, d=day.day, **words)
            year = f"{day.year}" if "{y" in notation else "XXXX"
            yield text, f"{year}-{day:%m}" + (f"-{day:%d}" if "{d" in notation else "")


def shape(text: str) -> str:
    """Return the notation of a value without its content: digits as 9, months as Mon, weekdays as Day, other letters as a."""
    words = Calendar(LANGUAGES)

    def word(match: re.Match[str]) -> str:
        low = match[0].lower()
        return "Mon" if low in words.months else "Day" if low in words.weekdays else "a" * len(low)

    return re.sub(r"\d", "9", re.sub(r"[^\W\d_]+", word, text))


def interpreted(
    values: Sequence[str], languages: tuple[str, ...], *, rules_only: bool
) -> tuple[list[Interpretations], float]:
    """Return the interpretations of each value, and the seconds for each."""
    distinct = list(dict.fromkeys(values))
    with mock.patch.object(parse, "with_dateutil", lambda *_: ()) if rules_only else contextlib.nullcontext():
        seconds = []
        for _ in range(4):  # the first time compiles patterns and imports dateutil
            parse._parse.cache_clear()
            started = time.perf_counter()
            dates = [parse.parse_date(value, languages=languages) for value in distinct]
            seconds.append((time.perf_counter() - started) / max(len(distinct), 1))
        parse._parse.cache_clear()
    found = dict(zip(distinct, dates, strict=True))
    return [found[value] for value in values], min(seconds)


def likeliest(dates: Interpretations) -> str:
    """Return the first interpretation in ISO 8601, or an empty string."""
    return dates[0].iso() if dates else ""


def row(name: str, values: list[str], languages: tuple[str, ...], truth: Sequence[str] = ()) -> Row:
    """Return the counts of one corpus. `languages` are those of its own rules, `truth` the dates if they are known."""
    own, rule_time = interpreted(values, ("en",), rules_only=True)
    both, both_time = interpreted(values, ("en",), rules_only=False)
    judge = truth or [likeliest(dates) for dates in interpreted(values, languages, rules_only=True)[0]]
    result = Row(name, len(values), sum(map(bool, own)), rule_time=rule_time, both_time=both_time)
    for value, before, after, right in zip(values, own, both, judge, strict=True):
        if before == after:
            continue
        result.counts["fuller" if before else "added"] += 1
        verdict = "open" if not right or (not truth and right == likeliest(before)) else ""
        verdict = verdict or ("same" if right in [d.iso() for d in after] else "other")
        result.counts[verdict] += 1
        if verdict != "same":
            result.shapes[f"{verdict}: {shape(value)} -> {' or '.join(d.layout for d in after)}"] += 1
    return result


def rows(corpora: Path) -> Iterator[Row]:
    """Yield the counts of every corpus that is there."""
    languages = tuple(LANGUAGES)
    sources: list[tuple[str, Callable[[], Iterator[str]], tuple[str, ...]]] = [
        ("phi_notes train", lambda: marked(corpus_folder("shipped:phi-notes-train"), "marked", "*.txt"), languages),
        ("phi_notes dev", lambda: marked(corpus_folder("shipped:phi-notes-dev"), "marked", "*.txt"), languages),
        (
            "VAERS dev",
            lambda: spans(corpora / "vaers_dev" / "narratives.jsonl", "text", "begin", "end", "kind"),
            ("en",),
        ),
        (
            "presidio",
            lambda: spans(
                corpora / "presidio_synth" / "synth_dataset_v2.json.gz",
                "full_text",
                "start_position",
                "end_position",
                "entity_type",
            ),
            ("en",),
        ),
        ("MEDDOCAN train", lambda: marked(corpora / "meddocan" / "train", "i2b2", "*.xml"), ("es",)),
        ("MEDDOCAN dev", lambda: marked(corpora / "meddocan" / "dev", "i2b2", "*.xml"), ("es",)),
        ("synthetic", synthetic, ("en",)),
    ]
    for name, load, own in sources:
        try:
            values = list(load())
        except AbsentError as error:
            print(f"{name}: {error}")
            continue
        yield row(name, values, own)
    pairs = list(made())
    yield row("made", [text for text, _ in pairs], languages, [iso for _, iso in pairs])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="folder with the open corpora")
    parser.add_argument(
        "--shapes", action="store_true", help="list the shapes of the values that are not judged as right"
    )
    given = parser.parse_args()
    print("| corpus | values | rules | added | fuller | same | other | open | µs, rules | µs, with dateutil |")
    print("|---|" + "---:|" * 9)
    shapes: Counter[str] = Counter()
    for r in rows(given.corpora):
        cells = [r.values, r.rules, *(r.counts[c] for c in ("added", "fuller", "same", "other", "open"))]
        times = f"{r.rule_time * 1e6:.0f} | {r.both_time * 1e6:.0f}"
        print(f"| {r.name} | " + " | ".join(f"{c:,}" for c in cells) + f" | {times} |")
        shapes.update({f"{r.name}: {name}": count for name, count in r.shapes.items()})
    kept = [text for text in NO_DATES if any(d.begin.day and d.begin.month for d in parse.parse_date(text))]
    print(f"\n{len(NO_DATES)} measures, intervals and words: {len(kept)} interpreted as a day of a month")
    if given.shapes:
        for name, count in sorted(shapes.items()):
            print(f"{count:5} {name}")


if __name__ == "__main__":
    main()
