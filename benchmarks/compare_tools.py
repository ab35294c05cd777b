"""Compare caspipe with Presidio, scrubadub and pyDeid on the same clinical notes, with the same scorer, by one command.

    python -m benchmarks.compare_tools                                       all tools
    python -m benchmarks.compare_tools --tools presidio scrubadub --corpora FOLDER --html tools.html
    python -m benchmarks.compare_tools --source pydeid=pyDeid-main.zip       install a tool from a file, folder or address
    python -m benchmarks.compare_tools --markdown                            refreshes docs/results/english.md

Each tool runs in a virtual environment of its own below --folder, which is made at the first run. A tool that cannot be installed
is reported and left out. Presidio runs as it is shipped with spaCy's small English model, or all its recognizers without a model
if that one cannot be installed. All tools run with their defaults; their kinds are translated to first-level kinds of caspipe
(benchmarks/peers).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from caspipe.consumers.scoring import Mark
from caspipe.pipeline.errors import CaspipeError

from .bench_peers import PeerError, launched
from .notes import figures
from .notes.documents import Document
from .notes.figures import Figures
from .notes.finding import FindingError, Found
from .notes.marked_section import put
from .notes.page import page
from .notes.tables import markdown_report, text_report
from .peers.environments import PACKAGES, lacking, set_up, versions
from .peers.rows import Row
from .peers.texts import Texts
from .run import ROOT, SHARED
from .score_notes import PAGE, Results, corpora, default_configurations, figures_of, measured

FOLDER = ROOT / "build" / "tools"
TOOLS: dict[str, tuple[Row, ...]] = {
    "presidio": (
        Row(
            "presidio",
            "presidio-model",
            "with_presidio",
            "default",
            "its analyzer as it is shipped, with spaCy's small English model for the large one",
        ),
        Row("presidio", "presidio", "with_presidio", "all", "all its recognizers for English, without a model"),
    ),
    "presidio-organizations": (
        Row(
            "presidio with organizations",
            "presidio-model",
            "with_presidio",
            "model",
            "the same with organizations, which its shipped configuration leaves out because of false ones",
        ),
    ),
    "scrubadub": (
        Row(
            "scrubadub",
            "scrubadub",
            "with_scrubadub",
            "default",
            "its default detectors, which find no names, dates or places",
        ),
    ),
    "pydeid": (Row("pydeid", "pydeid", "with_pydeid", "default", "its defaults"),),
}
"""Variants of each tool; the first that can be run is compared."""
DIMENSIONS = ("all", "set", "kind", "case")
WARM = 5
"""Number of texts that are processed before times are taken."""


class ToolError(Exception):
    """No variant of a tool could be run."""


def run(name: str, documents: Mapping[str, list[Document]], folder: Path) -> tuple[Figures, str]:
    """Return the figures of a tool and its description. Raises ToolError that says why no variant could be run."""
    reason = "could not be installed"
    for row in TOOLS[name]:
        if lacking(folder, row.environment):
            continue
        try:
            told = f"{row.told} ({versions(folder, row.environment)})"
            return figures_of(row.title, _found(row, documents, folder)), told
        except PeerError as error:
            reason = str(error)
    raise ToolError(f"{name}: left out: {reason}")


def _found(row: Row, documents: Mapping[str, list[Document]], folder: Path) -> Results:
    """Return what a tool finds in each corpus."""
    names = {f"set{number}": corpus for number, corpus in enumerate(documents)}
    sets = {key: [d.text for d in documents[corpus]] for key, corpus in names.items()}
    warm = next(iter(sets.values()))[:WARM]
    with tempfile.TemporaryDirectory() as texts:
        Texts("", {"warm": warm, **sets}).write(Path(texts))
        told = launched(folder, row, Path(texts), list(sets))
    return {
        corpus: (documents[corpus], list(parsed(sets[key], told["found"][key], told["passes"][key]["cpu"])))
        for key, corpus in names.items()
    }


def parsed(texts: Sequence[str], found: Sequence[Sequence[Sequence[object]]], seconds: float) -> Iterator[Found]:
    """Yield what a tool found in each text; its time is shared out by length."""
    characters = max(1, sum(map(len, texts)))
    for text, spans in zip(texts, found, strict=True):
        marks = [Mark(int(str(b)), min(int(str(e)), len(text)), str(kind)) for b, e, kind in spans]
        yield Found(tuple(m for m in marks if m.begin < m.end), seconds * len(text) / characters)


def sources(given: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return the packages of each environment, with those of `TOOL=PLACE` replaced. Raises ValueError for another tool."""
    packages: dict[str, Sequence[str]] = dict(PACKAGES)
    for option in given:
        name, equals, place = option.partition("=")
        if not equals or not place or name not in TOOLS:
            raise ValueError(f"--source {option}: expected TOOL=PLACE with one of {', '.join(TOOLS)}")
        packages[name] = (place,)
    return packages


def prepare(
    names: Sequence[str], folder: Path, packages: Mapping[str, Sequence[str]], tell: Callable[[str], None]
) -> None:
    """Create the environments of some tools; further variants of a tool only if its first one failed."""
    for name in names:
        for row in TOOLS[name]:
            set_up(folder, tell, [row.environment], packages)
            if not lacking(folder, row.environment):
                break


def options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configurations", nargs="*", metavar="CONFIG", help="configurations of caspipe")
    parser.add_argument("--tools", nargs="+", choices=tuple(TOOLS), default=list(TOOLS))
    parser.add_argument("--folder", type=Path, default=FOLDER, help="folder of the tools' environments")
    parser.add_argument("--source", action="append", default=[], metavar="TOOL=PLACE", help="what pip installs")
    parser.add_argument("--corpora", type=Path, default=SHARED, help="folder of the open corpora")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page with bars")
    parser.add_argument("--markdown", nargs="?", type=Path, const=PAGE, metavar="PAGE", help=f"refresh {PAGE.name}")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    given = options(arguments)
    try:
        folder = given.folder.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        prepare(given.tools, folder, sources(given.source), lambda text: print(text, file=sys.stderr, flush=True))
        documents = corpora(given.corpora)
        runs = [measured(config, documents)[0] for config in given.configurations or default_configurations()]
        told = []
        for name in given.tools:
            try:
                figured, description = run(name, documents, folder)
            except ToolError as error:
                told.append(str(error))
            else:
                runs.append(figured)
                told.append(f"{figured.name}: {description}")
        notes = "\n".join(f"* {line}" for line in told)
        print(f"{text_report(runs)}\n{notes}")
        if given.json:
            figures.write(given.json, runs)
        if given.html:
            given.html.write_bytes(page(runs, "Clinical notes: caspipe and other programs"))
        if given.markdown:
            put(given.markdown, "tools", f"{notes}\n\n{markdown_report(runs, DIMENSIONS)}")
    except (FindingError, ValueError, OSError, CaspipeError) as error:
        print(f"compare_tools: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
