"""The steps that all writers of documents share: batches of feature structures, references, offsets, metadata, faults."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from operator import gt
from typing import Any

from ..annotation import FeatureStructure
from ..builtin_mapping import MetadataRecord
from ..cas import INITIAL_VIEW, Cas
from ..errors import CasError
from ..markup.xml_text import Escaper, IllegalCharacterError
from ..text import Sofa, Utf16, shown
from ..typesystem import TypeSystem
from .collector import document_name
from .graph import Batch, Graph
from .loss import Losses
from .plan import Field, Plan, check, plan_for

ROWS = 10_000
"""Maximum number of instances that are written in one piece."""
Rows = Iterable[tuple[int, Any, int, int]]
"""Id, feature structure, begin and end of instances."""


class GraphWriter(ABC):
    """Writes the graph of one document; subclasses implement the format."""

    def __init__(self, cas: Cas, types: TypeSystem, graph: Graph, esc: Escaper, losses: Losses) -> None:
        self.cas, self.types, self.graph, self.esc, self.losses = cas, types, graph, esc, losses
        self.out: list[str] = []
        self.offsets = [Utf16(v.text) for v in graph.views]
        self.sofa_number = {id(v.sofa): n for v, n in zip(graph.views, graph.sofa_numbers, strict=True)}

    @abstractmethod
    def pos_reference(self, number: int) -> str:
        """Return how a token refers to its POS annotation."""

    @abstractmethod
    def write_rows(self, plan: Plan, view: int, rows: Rows, tags: Iterator[str], out: list[str]) -> None:
        """Write instances of one type. `tags`: the POS references of tokens, row by row."""

    @abstractmethod
    def span_frame(self, plan: Plan, view: int) -> tuple[str, str, str]:
        """Return how an annotation begins: the parts before its id, before its begin, before its end."""

    # -- Sofas ---------------------------------------------------------------------------------------------------

    def sofas_needed(self) -> list[bool]:
        """Return for each view whether its Sofa is written.

        UIMA writes the initial view of a document that never got a text without a Sofa.
        """
        with_annotations = {b.view for b in self.graph.batches if b.plan.in_sofa}
        read = self.cas.origin.sofas if self.cas.origin is not None else {}
        return [
            i in with_annotations
            or sofa.name != INITIAL_VIEW
            or any(data is not None for data in (sofa.text, sofa.uri, sofa.array))
            or sofa.name in read
            for i, sofa in enumerate(v.sofa for v in self.graph.views)
        ]

    def record_text_loss(self, sofa: Sofa) -> None:
        """Record the characters that the text of a Sofa lost."""
        if sofa.text is not None and sofa.text in self.esc.lossy:
            self.losses.text(sofa.name, sofa.text)
            self.esc.lossy.discard(sofa.text)
            del self.esc[sofa.text]  # a feature with the same string is a loss of its own

    # -- feature structures --------------------------------------------------------------------------------------

    def write_batch(self, batch: Batch) -> None:
        """Write a batch in pieces of at most ROWS instances."""
        count = len(batch.items if batch.begins is None else batch.begins)
        for first in range(0, count, ROWS):
            part = slice(first, first + ROWS)
            if batch.begins is not None:
                self._write_columns(batch, batch.begins[part], batch.ends[part], batch.numbers[part])
            else:
                self._write_items(batch, batch.items[part], batch.numbers[part])
            self.flush()

    def flush(self) -> None:  # noqa: B027  (most formats join all rows at the end)
        """Convert what was written so far, if the format allows that before the end."""

    def _write_items(self, batch: Batch, items: Sequence[Any], numbers: Sequence[int]) -> None:
        begins: Iterable[int] = repeat(0)
        ends: Iterable[int] = repeat(0)
        if batch.plan.span:
            begins, ends = self._file_offsets(batch, [a._begin for a in items], [a._end for a in items])
        rows = zip(numbers, items, begins, ends)  # noqa: B905  repeat() has no end
        self._write(batch.plan, items, numbers, batch.view, rows, self.out)

    def _write_columns(self, batch: Batch, begins: Sequence[int], ends: Sequence[int], numbers: Sequence[int]) -> None:
        """Write spans without features: one instance is written, and the result repeated with other offsets."""
        begins, ends = self._file_offsets(batch, begins, ends)
        sample: list[str] = []
        self._write(batch.plan, batch.items, (0,), batch.view, [(0, batch.items[0], 0, 0)], sample)
        before_id, before_begin, before_end = self.span_frame(batch.plan, batch.view)
        rest = sample[0][len(f"{before_id}0{before_begin}0{before_end}0") :]
        self.out += [
            f"{before_id}{n}{before_begin}{b}{before_end}{e}{rest}"
            for n, b, e in zip(numbers, begins, ends, strict=True)
        ]

    def _write(
        self, plan: Plan, items: Sequence[Any], numbers: Sequence[int], view: int, rows: Rows, out: list[str]
    ) -> None:
        tags = self._tags(items) if plan.is_token else iter(())
        try:
            self.write_rows(plan, view, rows, tags, out)
        except (TypeError, ValueError, OverflowError, AttributeError, KeyError):
            self._explain(plan, items)
            raise
        if self.esc.lossy or plan.string_arrays:
            self.losses.features(plan, items, numbers, self.esc.lossy)

    def _file_offsets(
        self, batch: Batch, begins: Sequence[int], ends: Sequence[int]
    ) -> tuple[Sequence[int], Sequence[int]]:
        """Return checked offsets in UTF-16 code units."""
        if not begins:
            return begins, ends
        view = self.graph.views[batch.view] if batch.view >= 0 else None
        limit = len(view.text) if view is not None and view.sofa.text is not None else 2**31 - 1
        if not isinstance(begins, array) and not set(map(type, begins)) | set(map(type, ends)) <= {int}:
            raise CasError(f"{document_name(self.cas)}: {batch.plan.name}: expected begin and end as int")
        if min(begins) < 0 or max(ends) > limit or any(map(gt, begins, ends)):
            b, e = next((b, e) for b, e in zip(begins, ends, strict=True) if not 0 <= b <= e <= limit)
            place = f"the text of view {shown(view.name)}" if view is not None else "any text"
            raise CasError(f"{document_name(self.cas)}: {batch.plan.name} {b}:{e} lies outside {place} (0:{limit})")
        convert = self.offsets[batch.view] if view is not None else None
        if convert:
            return list(map(convert.to_utf16, begins)), list(map(convert.to_utf16, ends))
        return begins, ends

    def _tags(self, tokens: Sequence[Any]) -> Iterator[str]:
        if not tokens or not (self.graph.tag_of or hasattr(type(tokens[0]), "_pos_link")):
            return repeat("")
        return map(self._tag, tokens)

    def _tag(self, token: Any) -> str:
        link = getattr(token, "_pos_link", None) or self.graph.tag_of.get(id(token))
        n = self.graph.number.get(id(link)) if link is not None else None
        return self.pos_reference(n) if n else ""

    def ref(self, value: Any) -> int:
        """Return the id of a feature structure, or 0 if it is not written."""
        n = self.graph.number.get(id(value))
        if n is None:
            if isinstance(value, Sofa):
                return self.sofa_number.get(id(value), 0)
            if not isinstance(value, FeatureStructure | list | bytes | bytearray):
                raise TypeError(f"expected a feature structure, got {type(value).__name__}")
            return 0
        return n

    def write_metadata(self) -> bool:
        """Write the record of metadata and losses, indexed in the first view. Return False if there is nothing to record."""
        graph, number = self.graph, self.graph.metadata_number
        entries = {**graph.metadata, **self.losses.entries(graph.metadata, number, self.esc)}
        if not entries:
            return False
        record = MetadataRecord(keys=list(entries), values=list(entries.values()))
        if graph.members:
            graph.members[0].append((number,))
        try:
            self.write_rows(plan_for(MetadataRecord, self.types), -1, [(number, record, 0, 0)], iter(()), self.out)
        except (TypeError, IllegalCharacterError) as e:
            raise CasError(f"{document_name(self.cas)}: metadata: {e}") from None
        return True

    # -- faults --------------------------------------------------------------------------------------------------

    def _explain(self, plan: Plan, items: Sequence[Any]) -> None:
        """Raise the CasError that names the feature that cannot be written, and why."""
        for item in items:
            for f in plan.fields:
                try:
                    check(f, getattr(item, f.attribute), self.esc)
                except (TypeError, ValueError, OverflowError, AttributeError, KeyError) as e:
                    self.refuse(plan.name, f, e)

    def refuse(self, name: str, f: Field, error: Exception) -> None:
        """Raise the CasError for a feature that cannot be written."""
        is_safe = isinstance(error, TypeError | OverflowError | IllegalCharacterError)
        why = str(error) if is_safe else type(error).__name__
        raise CasError(f"{document_name(self.cas)}: {name}: feature {f.name} ({f.range}): {why}") from None
