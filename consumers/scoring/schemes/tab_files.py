"""TAB's own files: the annotated corpus, and the spans that a system masked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....pipeline.errors import ReaderError
from ....typesystem.tokenize import token_spans
from ..document import Entity, Mark, Pair

_TYPES = ("DIRECT", "QUASI", "NO_MASK")
_MASK = "MASK"
"""Kind of a masked span: TAB's systems give none."""


def read_tab(corpus: Path, masked: Path) -> list[Pair]:
    """Return the documents of a TAB corpus with the spans that a system masked in them, in the order of the corpus.

    `corpus` is a list of objects with `doc_id`, `text` and `annotations`; `masked` maps document ids to lists of [begin, end].
    Raises ReaderError for files of another form and for documents that only one of the two has; it counts and lists them.
    """
    documents, spans = _load(corpus, list), _load(masked, dict)
    ids = [d.get("doc_id") if isinstance(d, Mapping) else None for d in documents]
    if not all(isinstance(i, str) for i in ids):
        raise ReaderError(f"{corpus}: document {[isinstance(i, str) for i in ids].index(False) + 1} has no doc_id")
    duplicate = next((i for i, number in Counter(ids).items() if number > 1), None)
    if duplicate is not None:
        raise ReaderError(f"{corpus}: two documents have the id {duplicate}")
    same_documents([str(i) for i in ids], list(spans), str(corpus), str(masked))
    return [_pair(d, spans[d["doc_id"]], f"{corpus}, document {n}") for n, d in enumerate(documents, 1)]


def same_documents(reference: list[str], system: list[str], gold: str, found: str) -> None:
    """Raise ReaderError if two collections do not have the same documents; it counts them and lists the first ten."""
    problems = []
    for has, lacks, present, absent in ((reference, system, gold, found), (system, reference, found, gold)):
        known = set(lacks)
        missing = [d for d in has if d not in known]
        if missing:
            shown = ", ".join(missing[:10]) + (", ..." if len(missing) > 10 else "")
            problems.append(f"{len(missing):,} of {len(has):,} documents of {present} are not in {absent}: {shown}")
    if problems:
        raise ReaderError("; ".join(problems))


def _load(path: Path, kind: type[Any]) -> Any:
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise ReaderError(f"{path}: {error.strerror or type(error).__name__}") from None
    except ValueError:  # its message can quote the text
        raise ReaderError(f"{path}: not valid JSON") from None
    if not isinstance(data, kind):
        expected = "a list of documents" if kind is list else "a mapping of document ids to masked spans"
        raise ReaderError(f"{path}: expected {expected}")
    return data


def _pair(document: Mapping[str, Any], masked: Any, where: str) -> Pair:
    text, annotations = document.get("text"), document.get("annotations")
    if not isinstance(text, str) or not isinstance(annotations, Mapping):
        raise ReaderError(f"{where}: expected text and annotations")
    entities = [
        e for annotator, given in annotations.items() for e in _entities(given, str(annotator), len(text), where)
    ]
    gold = [Mark(b, e, entity.kind) for entity in entities for b, e, needed in entity.mentions if needed]
    if not isinstance(masked, list):
        raise ReaderError(f"{where}: expected masked spans as a list")
    system = [Mark(*_span(s, len(text), f"{where}: masked span {n}"), _MASK) for n, s in enumerate(masked, 1)]
    return Pair(document["doc_id"], text, gold, system, token_spans(text), entities=entities)


def _entities(given: Any, annotator: str, limit: int, where: str) -> list[Entity]:
    mentions = given.get("entity_mentions") if isinstance(given, Mapping) else None
    if not isinstance(mentions, list):
        raise ReaderError(f"{where}: expected entity_mentions")
    linked: dict[str, tuple[str, bool, list[tuple[int, int, bool]]]] = {}
    for n, m in enumerate(mentions, 1):
        place = f"{where}: mention {n}"
        if not isinstance(m, Mapping) or m.get("identifier_type") not in _TYPES or "entity_id" not in m:
            raise ReaderError(f"{place}: expected entity_id and an identifier_type, one of {', '.join(_TYPES)}")
        type_ = m["identifier_type"]
        entry = linked.setdefault(str(m["entity_id"]), (str(m.get("entity_type", "MISC")), type_ == "DIRECT", []))
        entry[2].append((*_span([m.get("start_offset"), m.get("end_offset")], limit, place), type_ != "NO_MASK"))
    return [Entity(kind, direct, tuple(mentions_of), annotator) for kind, direct, mentions_of in linked.values()]


def _span(value: Any, limit: int, where: str) -> tuple[int, int]:
    if not (isinstance(value, list) and len(value) == 2 and all(type(v) is int for v in value)):
        raise ReaderError(f"{where}: expected begin and end as whole numbers")
    begin, end = value
    if not 0 <= begin < end <= limit:
        raise ReaderError(f"{where}: {begin}:{end} is not a span of the text (0:{limit})")
    return begin, end
