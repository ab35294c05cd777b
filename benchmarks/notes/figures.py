"""The figures of one program on the scored documents, by group of documents and of spans; as JSON they contain no text.

Counted by the scorer of caspipe: a reference span is covered if every letter and digit of it is in a found span of any kind
(criterion `covered`), a document is clean if all its reference spans are (`documents`), a found span is false if it shares no
character with a reference span, optional ones included (`false-spans`). Words are runs of letters and digits.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from caspipe.consumers.scoring import Mark, Pair, score

from .documents import NAMES, ORDINARY, Document, genre_group, kind_group, letter_case
from .finding import Found

ALL = "all"
CRITERIA = ("covered", "documents", "false-spans")
SIZE = 1400
"""Characters of the note for which processor time is given."""
Label = Callable[[str, Mark], str]
"""Function of a text and a span that returns the group of the span, empty for none."""


@dataclass(frozen=True)
class Counts:
    """Counts of a group."""

    spans: int = 0
    """Reference spans."""
    covered: int = 0
    documents: int = 0
    """Documents with a reference span of the group."""
    clean: int = 0
    false: int = 0
    words: int = 0

    @property
    def recall(self) -> float | None:
        """Return the share of covered spans."""
        return self.covered / self.spans if self.spans else None

    @property
    def cleanness(self) -> float | None:
        """Return the share of clean documents."""
        return self.clean / self.documents if self.documents else None

    @property
    def alarms(self) -> float | None:
        """Return the number of false spans per 1,000 words."""
        return 1000 * self.false / self.words if self.words else None


Groups = dict[str, dict[str, Counts]]
"""Dimension (`kind`, `part`) -> group -> counts. The dimension `all` has one group, `all`."""


@dataclass
class Fate:
    """Numbers of refused, repaired and failed documents of a corpus, and the time."""

    documents: int = 0
    refused: int = 0
    """Documents that the leak gate did not release."""
    repaired: int = 0
    """Documents in which the leak gate added spans."""
    added: int = 0
    """Spans that it added."""
    failed: int = 0
    """Documents in which an engine failed; they are not scored."""
    ms: float = 0.0
    """Processor milliseconds for a note of 1,400 characters."""


@dataclass
class Figures:
    """The figures of one program on several corpora."""

    name: str
    date: str = ""
    machine: str = ""
    groups: dict[str, Groups] = field(default_factory=dict)
    """Corpus -> counts."""
    fates: dict[str, Fate] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return plain data. The counts of a group are in the order of `Counts`."""
        told = dataclasses.asdict(self)
        told["groups"] = {
            corpus: {d: {g: list(dataclasses.astuple(c)) for g, c in by.items()} for d, by in groups.items()}
            for corpus, groups in self.groups.items()
        }
        return told

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Figures:
        """Return the figures of `to_json`."""
        groups = {
            corpus: {d: {g: Counts(*c) for g, c in by.items()} for d, by in dimensions.items()}
            for corpus, dimensions in told["groups"].items()
        }
        fates = {corpus: Fate(**fate) for corpus, fate in told["fates"].items()}
        return cls(told["name"], told["date"], told["machine"], groups, fates)


def write(path: Path, runs: Iterable[Figures]) -> None:
    """Write figures as JSON: one line per group, so that versions can be compared."""
    path.write_text(compact([run.to_json() for run in runs]), encoding="utf-8")


def read(path: Path, name: str = "") -> list[Figures]:
    """Return the figures of a file; `name` replaces their names. Raises ValueError that names the file."""
    try:
        runs = [Figures.from_json(told) for told in json.loads(path.read_text(encoding="utf-8"))]
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path}: expected figures as --json writes them: {type(error).__name__}") from None
    for number, run in enumerate(runs):
        run.name = (name if not number else f"{name} {number + 1}") if name else run.name
    return runs


def compact(data: object) -> str:
    """Return data as JSON with the innermost lists on one line each."""
    text = json.dumps(data, indent=1)
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        if inside:
            last = line.strip().startswith("]")
            lines[-1] += line.strip() + (" " if line.endswith(",") and not last else "")
            inside = not last
        else:
            lines.append(line)
            inside = line.endswith(": [")
    return "\n".join(lines) + "\n"


def pair(document: Document, found: Found) -> Pair:
    """Return a document for the scorer, with groups of kinds as kinds."""
    system = [dataclasses.replace(m, kind=kind_group(m.kind)) for m in found.spans]
    return Pair(
        document.id, document.text, list(document.gold or ()), system, ([], []), optional=list(document.optional)
    )


def counted(documents: Sequence[Document], found: Sequence[Found]) -> tuple[Groups, Fate]:
    """Return the counts of a corpus by group, and the numbers of its refused and repaired documents."""
    scored = [(d, pair(d, f)) for d, f in zip(documents, found, strict=True) if not f.failed]
    pairs = [p for _, p in scored]
    marked = bool(documents) and documents[0].gold is not None
    if not marked:  # dates, ages and numbers of such texts can be real: only names are counted
        pairs = [dataclasses.replace(p, system=[m for m in p.system if m.kind in NAMES]) for p in pairs]
    groups: Groups = {ALL: {ALL: total(pairs)}, "kind": by_span(pairs, lambda _, mark: mark.kind)}
    if marked:
        groups["case"] = by_span(pairs, lambda text, m: letter_case(text[m.begin : m.end]) if m.kind in NAMES else "")
    if any(d.part for d in documents):
        groups["set"] = by_document(scored, lambda d: "ordinary parts" if d.part in ORDINARY else "other parts")
        groups["part"] = by_document(scored, lambda d: d.part)
        groups["genre"] = by_document(scored, lambda d: genre_group(d.genre))
    characters = sum(len(d.text) for d in documents)
    fate = Fate(
        len(documents),
        sum(f.refused for f in found),
        sum(f.repaired > 0 for f in found),
        sum(f.repaired for f in found),
        sum(bool(f.failed) for f in found),
        1000 * SIZE * sum(f.seconds for f in found) / max(1, characters),
    )
    return groups, fate


def total(pairs: Sequence[Pair]) -> Counts:
    """Return the counts of some documents together."""
    return _by_kind(pairs)["micro"]


def by_document(scored: Sequence[tuple[Document, Pair]], group: Callable[[Document], str]) -> dict[str, Counts]:
    """Return the counts of groups of documents."""
    names = sorted({group(d) for d, _ in scored})
    return {name: total([p for d, p in scored if group(d) == name]) for name in names}


def by_span(pairs: Sequence[Pair], label: Label) -> dict[str, Counts]:
    """Return the counts of groups of spans. False spans are grouped like reference spans; their words are those of all texts."""
    false: dict[str, int] = {}
    relabelled = []
    for p in pairs:
        p = dataclasses.replace(p, gold=_labelled(p.text, p.gold, label))
        gold = [(m.begin, m.end) for m in (*p.gold, *p.optional)]
        for begin, end in dict.fromkeys((m.begin, m.end) for m in p.system):
            if not any(b < end and begin < e for b, e in gold):
                name = label(p.text, next(m for m in p.system if (m.begin, m.end) == (begin, end)))
                false[name] = false.get(name, 0) + 1
        relabelled.append(p)
    counts = _by_kind(relabelled)
    words = counts.pop("micro").words
    names = sorted(name for name in {*counts, *false} if name)
    return {
        name: dataclasses.replace(counts.get(name, Counts()), false=false.get(name, 0), words=words) for name in names
    }


def _labelled(text: str, marks: Sequence[Mark], label: Label) -> list[Mark]:
    return [dataclasses.replace(m, kind=label(text, m)) for m in marks]


def _by_kind(pairs: Sequence[Pair]) -> dict[str, Counts]:
    """Return the counts by kind, with those of all documents as `micro`."""
    scores = score(pairs, CRITERIA)
    told: dict[str, dict[str, int]] = {"micro": {}}
    for criterion, gold, hit in (("covered", "spans", "covered"), ("documents", "documents", "clean")):
        kinds, counts = scores.counts(criterion)
        for kind, sums in zip(kinds, counts.sum(axis=0), strict=True):
            told.setdefault(kind, {}).update({gold: round(sums[0]), hit: round(sums[1])})
    _, counts = scores.counts("false-spans")
    words, false = counts.sum(axis=(0, 1))[:2]
    told["micro"].update(words=round(1000 * words), false=round(false))
    return {kind: Counts(**numbers) for kind, numbers in told.items()}
