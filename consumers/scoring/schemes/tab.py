"""TAB, the Text Anonymization Benchmark: recall of entities, mentions and tokens, precision of mentions and tokens.

Source: Pilán et al. 2022, Computational Linguistics 48:4; the script is NorskRegnesentral/text-anonymization-benchmark (MIT). An
entity is masked only if all of its mentions that must be masked are; a mention is masked if every code point of it is, except
punctuation, spaces and some function words. Several annotators count as several references (micro average). Precision is that of
uniform weights: the share of (mask, annotator) pairs in which a mention of the annotator contains the whole mask; `token` splits
masks and mentions into words. Peculiarities of the script, which are kept: the first mention of an entity decides whether it is
a direct identifier; mentions that need no masking count in the recall of tokens and mentions if their entity needs it. In
addition to the script: *entity-macro*, the mean over documents that have such entities.

In documents without linked mentions (`Pair.entities` is None), spans of the same kind and the same text, ignoring case, are
mentions of one entity; its kind decides whether it is direct. If there is nothing to find, the script returns 0; here it is
undefined.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ....pipeline.errors import ReaderError
from ....typesystem import PhiKind
from ....typesystem.tokenize import token_spans
from ..counts import MICRO, Counts, Measure, Shape
from ..criteria import distinct
from ..document import Entity, Mark, Pair
from ..leaks import merged, uncovered
from ..spans import Span, Spans

_WORD = re.compile(r"\w+")
_FUNCTION_WORDS = (
    "mr mrs ms and or from until to about after as at before between by during for in into of on over since with the a an no nr"
).split()
_IGNORED = re.compile(rf"\b(?:{'|'.join(_FUNCTION_WORDS)})\b|\b['’]s\b|[ ,.\-;:/&()\[\]–'\"’“”]", re.IGNORECASE)
"""Text that may stay readable in a masked mention, as the script lists it."""
DIRECT, QUASI = "DIRECT", "QUASI"


def entities_of(pair: Pair) -> list[Entity]:
    """Return the reference entities; if mentions are not linked, spans of one kind and text are one entity."""
    return pair.entities if pair.entities is not None else pair.once("tab entities", lambda: _linked(pair))


def _linked(pair: Pair) -> list[Entity]:
    linked: dict[tuple[str, str], list[tuple[int, int, bool]]] = {}
    for m in pair.gold:
        linked.setdefault((m.kind, pair.text[m.begin : m.end].casefold()), []).append((m.begin, m.end, True))
    return [Entity(kind, _is_direct(kind), tuple(mentions)) for (kind, _), mentions in linked.items()]


def _is_direct(kind: str) -> bool:
    try:
        return PhiKind.of(kind).direct
    except ValueError:
        return kind == DIRECT


def _to_mask(pair: Pair) -> list[Entity]:
    return [e for e in entities_of(pair) if any(needed for _, _, needed in e.mentions)]


class _Masks:
    """The masked spans of one document."""

    def __init__(self, pair: Pair) -> None:
        self._text = pair.text
        self._spans = merged(distinct(pair.system))
        self._cover = Spans(self._spans)

    def covers(self, begin: int, end: int) -> bool:
        """Return whether a mention is masked, except for what may stay."""
        if self._cover.cover((begin, end)):
            return True
        may_stay = [
            (begin + b, begin + e) for b, e in (h.span() for h in _IGNORED.finditer(self._text[begin:end].lower()))
        ]
        near = self._near(begin, end)
        return next(uncovered([(begin, end)], merged(sorted([*near, *may_stay]))), None) is None

    def _near(self, begin: int, end: int) -> list[Span]:
        first = bisect_right(self._spans, begin, key=lambda s: s[1])
        return self._spans[first : bisect_left(self._spans, end, key=lambda s: s[0])]


def _entity(pair: Pair) -> dict[str, Counts]:
    masks = pair.once("tab masks", lambda: _Masks(pair))
    result = {DIRECT: [0, 0], QUASI: [0, 0]}
    for entity in _to_mask(pair):
        cell = result[DIRECT if entity.direct else QUASI]
        cell[0] += 1
        cell[1] += all(masks.covers(b, e) for b, e, needed in entity.mentions if needed)
    return {kind: Counts(*cell) for kind, cell in result.items()}


def _entity_macro(pair: Pair) -> dict[str, Counts]:
    counted = _entity(pair)
    counted[MICRO] = Counts(sum(c.gold for c in counted.values()), sum(c.found for c in counted.values()))
    return {kind: Counts(1, c.found / c.gold) for kind, c in counted.items() if c.gold}


def _words(text: str, begin: int, end: int) -> Iterator[Span]:
    return (hit.span() for hit in _WORD.finditer(text, begin, end))


def _mention(pair: Pair) -> dict[str, Counts]:
    return _units(pair, cut=False)


def _token(pair: Pair) -> dict[str, Counts]:
    return _units(pair, cut=True)


def _units(pair: Pair, *, cut: bool) -> dict[str, Counts]:
    """Count recall of mentions or their words by entity type, and precision and recall over all."""
    masks = pair.once("tab masks", lambda: _Masks(pair))

    def pieces(begin: int, end: int) -> list[Span]:
        return list(_words(pair.text, begin, end)) if cut else [(begin, end)]

    cells: dict[str, list[int]] = {}
    for entity in _to_mask(pair):
        cell = cells.setdefault(entity.kind, [0, 0])
        for begin, end, _ in entity.mentions:
            parts = pieces(begin, end)
            cell[0] += len(parts)
            cell[1] += sum(masks.covers(b, e) for b, e in parts)
    result = {kind: Counts(*cell) for kind, cell in cells.items()}
    masked = [piece for m in pair.system for piece in pieces(m.begin, m.end) if not pair.only_optional(*piece)]
    result[MICRO] = Counts(
        sum(c.gold for c in result.values()), sum(c.found for c in result.values()), *_precision(pair, masked)
    )
    return result


def _precision(pair: Pair, masked: list[Span]) -> tuple[int, int]:
    """Return the number of (mask, annotator) pairs, and of those in which the annotator masked all of it in one mention."""
    annotators: dict[str, list[Span]] = {e.annotator: [] for e in entities_of(pair)}
    if pair.entities is None:
        annotators = {"": []}  # one reference, even if it has nothing to mask
    for entity in _to_mask(pair):
        annotators[entity.annotator] += [(b, e) for b, e, needed in entity.mentions if needed]
    covers = [Spans(sorted(spans)) for spans in annotators.values()]
    return len(masked) * len(covers), sum(cover.cover(span) for cover in covers for span in masked)


_MICRO_IS_WHOLE: dict[str, Shape] = {MICRO: "spans"}
MEASURES = (
    Measure("entity", _entity, "recall", macro="none", always=(DIRECT, QUASI)),
    Measure("entity-macro", _entity_macro, "rate", totals=False, macro="none", always=(DIRECT, QUASI, MICRO)),
    Measure("mention", _mention, "recall", _MICRO_IS_WHOLE, totals=False, macro="none", always=(MICRO,)),
    Measure("token", _token, "recall", _MICRO_IS_WHOLE, totals=False, macro="none", always=(MICRO,)),
)


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
