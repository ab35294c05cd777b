"""The scored documents: phi_notes dev, which ships with caspipe, and MTSamples from the folder of the open corpora."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from caspipe.consumers.scoring import Mark
from caspipe.pipeline.application.evaluation.documents import Collection, read_documents
from caspipe.pipeline.storage.shipped_corpora import corpus_folder
from caspipe.typesystem import GOLD_VIEW, Cas, Phi, PhiKind, optional_spans

ORDINARY = frozenset({"06", "09", "14", "15", "16"})
"""Parts of phi_notes with ordinary notes; the others hold more marks and more difficult ones."""
NAMES = frozenset({"PERSON", "LOCATION", "LOCATION_HOSPITAL", "ORGANIZATION"})
"""Groups of kinds that are names."""
HOSPITAL = "LOCATION_HOSPITAL"
GENRES = {
    "machine formats": r"hl7|json|key=value|export|flowsheet|\bocr\b|laboratory|capitals",
    "safety reports": r"adverse|side effect|\bsae\b|\bae\b|trial|literature|yellow card|cioms|vaccine event|exposure"
    r"|registry|national centre|coroner|death report|error report|hepatotoxicity|leaflet",
    "letters and messages": r"letter|e-?mail|chat|\bsms\b|message|correspondence|telephone",
    "nursing, ambulance, home": r"nurs|hando|i-pass|ambulance|\bhha\b|home|hospice|midwi|sister|sick call|transport",
    "mind and social": r"psych|counsel|social|case management|outreach|interpreter|couple|occupational|\badhd\b",
    "procedures and diagnostics": r"operati|procedure|endoscopy|colonoscopy|radiology|\bmri\b|pathology|ultrasound|\bemg\b"
    r"|catheter|device|mammogram|lung function|pulmonary function|anaesth|theatre|electrophys",
    "hospital stay": r"discharge|inpatient|\bicu\b|\bnicu\b|history and physical|consult|progress|round|ward|ed note|\ba&e\b"
    r"|ed provider|ed physician|on-call|transfer",
    "visits": r"visit|clinic|follow-up|physical|prescription|urgent care|check|diabetes|medical report|prenatal",
}
"""Groups of genres by words of the genre; the first that fits counts."""
_GENRES = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in GENRES.items()}


class AbsentError(Exception):
    """A corpus is not there."""


@dataclass(frozen=True)
class Document:
    """One scored text with its reference spans, by group of kinds."""

    id: str
    text: str = field(repr=False)
    gold: tuple[Mark, ...] | None = None
    """Reference spans; None if the text has none."""
    optional: tuple[Mark, ...] = ()
    part: str = ""
    genre: str = ""


@cache
def kind_group(kind: str) -> str:
    """Return the group of a kind: its first level, with hospitals apart."""
    if kind == HOSPITAL:
        return kind
    top = next((k.top.name for k in PhiKind if k.name == kind), kind.partition("_")[0])
    return "PHONE" if top == "PAGER" else top


def genre_group(genre: str) -> str:
    """Return the group of a genre, a free description of a document."""
    return next((name for name, pattern in _GENRES.items() if pattern.search(genre)), "other")


def letter_case(text: str) -> str:
    """Return `lower`, `upper` or `mixed`; a single capital counts as mixed, because it is how a name begins."""
    letters = [c for c in text if c.isalpha()]
    if not any(c.isupper() or c.istitle() for c in letters):
        return "lower"
    return "upper" if len(letters) > 1 and not any(c.islower() for c in letters) else "mixed"


def phi_notes(part: str = "dev", pattern: str = "*.txt") -> list[Document]:
    """Return the documents of phi_notes."""
    reference = Collection(
        corpus_folder(f"shipped:phi-notes-{part}"), "marked", overrides=[f"marked.pattern={pattern}"]
    )
    return [_document(cas) for cas in read_documents(reference)]


def _document(cas: Cas) -> Document:
    view = cas.view(GOLD_VIEW)
    flagged = optional_spans(view)
    needed: list[Mark] = []
    free: list[Mark] = []
    for phi in view.select(Phi):
        (free if id(phi) in flagged else needed).append(Mark(phi.begin, phi.end, kind_group(phi.kind.name)))
    part = cas.metadata["file"].removeprefix("part")
    return Document(cas.id, cas.text, tuple(needed), tuple(free), part, cas.metadata.get("genre", ""))


def mtsamples(corpora: Path, file: str) -> list[Document]:
    """Return the documents of a file of MTSamples: `unlabelled`, or `annotated_dev` with spans. Raises AbsentError."""
    path = corpora / "mtsamples" / f"{file}.jsonl.gz"
    if not path.is_file():
        raise AbsentError(f"no mtsamples/{path.name} among the open corpora")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    documents = []
    for number, row in enumerate(rows, 1):
        name = str(row.get("id", number))
        if "spans" not in row:
            documents.append(Document(name, row["text"]))
            continue
        spans = [
            (s["begin"], s["end"], s.get("kind") or s["label"]) if isinstance(s, dict) else s for s in row["spans"]
        ]
        needed = tuple(Mark(b, e, kind_group(k)) for b, e, k in spans if k[0] != "?")
        free = tuple(Mark(b, e, kind_group(k[1:])) for b, e, k in spans if k[0] == "?")
        documents.append(Document(name, row["text"], needed, free))
    return documents


@dataclass(frozen=True)
class Corpus:
    """A set of documents, and how to get it."""

    name: str
    title: str
    load: Callable[[Path], list[Document]]


CORPORA = {
    c.name: c
    for c in (
        Corpus("notes", "phi_notes, dev", lambda _: phi_notes()),
        Corpus("mtsamples", "MTSamples, without marks", lambda corpora: mtsamples(corpora, "unlabelled")),
        Corpus("mtsamples-marked", "MTSamples, with marks", lambda corpora: mtsamples(corpora, "annotated_dev")),
    )
}
