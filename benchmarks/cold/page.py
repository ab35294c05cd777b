"""Write the sections of docs/results/speed.md from the results of the processes."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from ..notes.tables import as_markdown
from .rounds import PROFILES, WAYS, median

PASSES = (("cold", "new notes"), ("second", "the same, second pass"), ("fourth", "the same, fourth pass"))
Results = dict[str, Any]


def cold_section(results: Results) -> str:
    """Return the section of all measurements of one run."""
    parts = [_top(results)]
    for name, write in _PARTS:
        if results.get(name):
            parts.append(write(results))
    return "\n\n".join(part.strip() for part in parts)


def _top(results: Results) -> str:
    facts = results["notes"]
    lines = [
        f"{results['date']}, {results['processor']}; {results['machine']}. Load of the machine at the start: "
        f"{results['load']:.1f}" + (" (shared with other work: times are too long)." if results["load"] > 0.5 else "."),
        "",
        f"`{results['command']}`",
        "",
        f"Notes of the engines, with {results['warm']} to warm up: {facts['origin']}; {facts['mean']:,.0f} characters on "
        f"average. {facts['forms']:.0%} of their words have a form that the process has not seen before. Notes of whole runs"
        f" and memory: {facts['all']}; {facts['all_mean']:,.0f} characters on average, of the last 500 "
        f"{facts['last_forms']:.0%} of the words are new.",
    ]
    lines += [f"\nLeft out: {reason}." for reason in facts["skipped"]]
    return "\n".join(lines)


def _engines(results: Results) -> str:
    rows, shares = [], []
    for name, rounds in results["engines"].items():
        for key, title in PASSES:
            one = _of(rounds, key)
            seconds = one("cpu")
            again = median(r["passes"][key]["cpu"] / r["passes"]["cold"]["cpu"] for r in rounds)
            rows.append(
                [
                    name,
                    title,
                    f"{rounds[0]['documents'] / seconds:,.0f}",
                    f"{rounds[0]['bytes'] / seconds / 1e6:.2f}",
                    f"{one('p50') * 1e3:.1f}",
                    f"{one('p95') * 1e3:.1f}",
                    f"{again:.2f}",
                ]
            )
        refused = median(r["passes"]["cold"]["refused"] for r in rounds)
        if refused:
            shares.append(f"{name}: the leak gate refused {refused:,.0f} of {rounds[0]['documents']:,} notes.")
    first = next(iter(results["engines"].values()))
    heads = ["engines only", "text", "documents/s", "MB/s", "ms, p50", "ms, p95", "time relative to new notes"]
    told = (
        f"**Engines only**, one process, processor time; {first[0]['documents']:,} notes, medians of {len(first)} interleaved "
        "rounds in new processes."
    )
    return "\n\n".join([told, as_markdown(heads, rows), *shares, _components(results)])


def _of(rounds: Sequence[dict[str, Any]], key: str) -> Callable[[str], float]:
    return lambda name: median(r["passes"][key][name] for r in rounds)


def _components(results: Results) -> str:
    columns = {
        (name, key): {
            part: median(r["passes"][key]["components"].get(part, 0.0) for r in rounds)
            for part in rounds[0]["passes"]["cold"]["components"]
        }
        for name, rounds in results["engines"].items()
        for key, _ in PASSES[:2]
    }
    parts = list(dict.fromkeys(part for found in columns.values() for part in sorted(found, key=_order(results))))
    parts.sort(key=_order(results))
    heads = ["ms for each note", *(f"{name}, {'new' if key == 'cold' else key}" for name, key in columns)]
    rows = [
        [part, *(f"{found[part] * 1e3:.2f}" if part in found else "-" for found in columns.values())] for part in parts
    ]
    return "Mean time by component:\n\n" + as_markdown(heads, rows)


def _order(results: Results) -> Callable[[str], int]:
    """Return the place of a component in the longest pipeline."""
    longest = max((r[0]["passes"]["cold"]["components"] for r in results["engines"].values()), key=len)
    names = list(longest)
    return lambda part: names.index(part) if part in names else names.index("resolver")


def _whole(results: Results) -> str:
    rows = []
    for name, ways in results["whole"].items():
        count = ways["0"][0]["documents"]
        alone = median(r["passes"]["cold"]["cpu"] for r in ways["engines"])
        overhead = median(r["cpu"] for r in ways["0"]) / alone - 1
        seconds = {way: median(r["wall"] for r in ways[way]) for way in WAYS}
        rates = [f"{count / seconds[way]:,.0f}" for way in WAYS]
        rows.append(
            [
                name,
                f"{count / alone:,.0f}",
                f"{overhead:.0%}",
                *rates,
                f"{seconds['0'] / seconds['2']:.2f}",
                " / ".join(f"{median(r['peak'] for r in ways[way]):.0f}" for way in WAYS),
                f"{ways['0'][0]['refused']:,}",
            ]
        )
    heads = ["whole runs", "engines alone, documents/s", "overhead", "one process, documents/s", "`-w 1`", "`-w 2`"]
    heads += ["gain of two workers", "MB of all processes", "refused"]
    some = next(iter(results["whole"].values()))["0"]
    told = (
        f"**Whole runs**: JSON lines in; masked texts, XMI and ledger out, "
        f"{some[0]['documents']:,} new notes, "
        f"{_times(len(some))}. The overhead is that of one process over the engines alone, both by processor time. "
        "The other rates are "
        "by the clock, from the first document to the end of the run."
    )
    return f"{told}\n\n{as_markdown(heads, rows)}"


def _times(rounds: int) -> str:
    return "one round" if rounds == 1 else f"medians of {rounds} rounds"


def _first(results: Results) -> str:
    rows = []
    for name, commands in results["first"].items():
        cells = [f"{median(r[what] for r in done):.2f}" for done in commands.values() for what in ("wall", "cpu")]
        rows.append([name, *cells])
    heads = ["first document, s", "`caspipe annotate`", "of it processor", "`caspipe run`, one file", "of it processor"]
    count = len(next(iter(results["first"].values()))["annotate"])
    told = f"**First document** from the command line, one note, medians of {count} processes, with all files in the page cache."
    return f"{told}\n\n{as_markdown(heads, rows)}"


def _memory(results: Results) -> str:
    counts = list(dict.fromkeys(count for one in results["memory"].values() for count in one["shown"]))
    rows = []
    for name, one in results["memory"].items():
        peaks = [one["shown"][count] for count in counts]
        rows.append([name, *(f"{peak:.0f}" for peak in peaks), f"{peaks[-1] / peaks[0]:.2f}"])
    heads = ["peak memory, MB", *(f"{int(count):,} notes" for count in counts), "ratio"]
    told = "**Memory** of the same run in one process."
    return f"{told}\n\n{as_markdown(heads, rows)}"


def _crf(results: Results) -> str:
    rounds = results["crf"]
    tokens = rounds[0]["tokens"]

    def row(title: str, of: Callable[[dict[str, float]], float]) -> list[str]:
        seconds = median(map(of, rounds))
        ratio = statistics.median(of(r) / r["crfsuite"] for r in rounds)
        return [title, f"{tokens / seconds / 1e3:,.0f}", f"{ratio:.2f}"]

    rows = [
        row("caspipe, from tokens, new notes", lambda r: r["cold"]),
        row("caspipe, from tokens, second pass", lambda r: r["second"]),
        row("caspipe, features known, new notes", lambda r: r["cold labels"]),
        row("caspipe, features known, second pass", lambda r: r["second labels"]),
        row("sklearn-crfsuite, feature strings ready", lambda r: r["crfsuite"]),
        row("sklearn-crfsuite, feature strings made by caspipe", lambda r: r["crfsuite"] + r["strings"]),
    ]
    heads = ["CRF", "1,000 tokens/s", "time relative to ready strings"]
    told = (
        f"**CRF** `en-phi-crf` over {rounds[0]['documents']:,} of these notes, {tokens:,} tokens. sklearn-crfsuite has "
        "the same weights "
        "and gets the same feature strings; the labels of all tokens are identical."
    )
    return f"{told}\n\n{as_markdown(heads, rows)}"


_PARTS: tuple[tuple[str, Callable[[Results], str]], ...] = (
    ("engines", _engines),
    ("whole", _whole),
    ("first", _first),
    ("memory", _memory),
    ("crf", _crf),
)


def profiles_section(results: Results, accuracy: Sequence[tuple[str, list[str]]]) -> str:
    """Return the shipped profiles side by side: accuracy and speed."""
    names = [name for name in PROFILES if name in results.get("engines", {})]
    rows = [[title, *values] for title, values in accuracy]
    rounds = [results["engines"][name] for name in names]
    rows.append(["new notes, documents/s", *(f"{r[0]['documents'] / _of(r, 'cold')('cpu'):,.0f}" for r in rounds)])
    rows.append(["new notes, ms, p50", *(f"{_of(r, 'cold')('p50') * 1e3:.1f}" for r in rounds)])
    if results.get("whole"):
        found = [results["whole"][name]["2"] for name in names]
        rows.append(
            [
                "whole run with two workers, documents/s",
                *(f"{r[0]['documents'] / median(o['wall'] for o in r):,.0f}" for r in found),
            ]
        )
    if results.get("first"):
        starts = [results["first"][name]["annotate"] for name in names]
        rows.append(["first document, s", *(f"{median(r['wall'] for r in done):.2f}" for done in starts)])
    if results.get("memory"):
        rows.append(["peak memory, MB", *(f"{results['memory'][name]['peak']:.0f}" for name in names)])
    told = f"Accuracy from [English clinical notes](english.md); speed from the run of {results['date']} below."
    return f"{told}\n\n{as_markdown(['', *(f'`{name}`' for name in names)], rows)}"


def training_section(results: Results) -> str:
    """Return the time and memory of the training."""
    one = results["training"]
    return (
        f"{results['date']}, {results['processor']}; {results['machine']}. `{results['command']}`\n\n"
        f"`crf_trainer` with the settings of `en-phi-crf`, {one['notes']:,} notes of phi_notes and two augmented copies of each "
        f"({one['documents']:,} documents): {one['wall']:,.0f} s ({one['cpu']:,.0f} s of processor time), peak memory "
        f"{one['peak']:,.0f} MB. The time includes reading, copying, the engines and {one['iterations']} iterations."
    )
