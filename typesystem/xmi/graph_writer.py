"""What writers of documents share: offsets, numbers of what is referred to, and errors that say what cannot be written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from operator import gt
from typing import Any

from ..annotation import FeatureStructure
from ..cas import INITIAL_VIEW, Cas
from ..errors import CasError
from ..markup.xml_text import Escaper, IllegalCharacterError
from ..text import Sofa, shown
from ..typesystem import TypeSystem
from ..utf16 import Utf16
from .collector import Batch, Graph, document_name
from .loss import Losses
from .plan import Field, Plan, check


class GraphWriter:
    """Writes the graph of one document; subclasses know the form."""

    def __init__(self, cas: Cas, types: TypeSystem, graph: Graph, esc: Escaper, losses: Losses) -> None:
        self.cas, self.types, self.graph, self.esc, self.losses = cas, types, graph, esc, losses
        self.out: list[str] = []
        self.offsets = [Utf16(v.text) for v in graph.views]
        self.sofa_number = {id(v.sofa): n for v, n in zip(graph.views, graph.sofa_numbers, strict=True)}

    def tag(self, number: int) -> str:
        """How a token refers to its POS annotation."""
        raise TypeError(f"{type(self).__name__} must define tag(number)")

    def sofas_needed(self) -> list[bool]:
        """View by view, whether it has a Sofa."""
        needed = {b.view for b in self.graph.batches if b.plan.in_sofa}
        return [self._needs_sofa(i, i in needed) for i in range(len(self.graph.views))]

    def _needs_sofa(self, i: int, has_annotations: bool) -> bool:
        """False for the initial view of a document that never got a text: UIMA writes it without a Sofa."""
        sofa = self.graph.views[i].sofa
        origin = self.cas.origin
        return (
            has_annotations
            or sofa.name != INITIAL_VIEW
            or sofa.text is not None
            or sofa.uri is not None
            or sofa.array is not None
            or (origin is not None and sofa.name in origin.sofas)
        )

    def spans(self, batch: Batch, begins: Sequence[int], ends: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
        if not begins:
            return begins, ends
        view = self.graph.views[batch.view] if batch.view >= 0 else None
        limit = len(view.text) if view is not None and view.sofa.text is not None else 2**31 - 1
        if not set(map(type, begins)) | set(map(type, ends)) <= {int}:
            raise CasError(f"{document_name(self.cas)}: {batch.plan.name}: expected begin and end as int")
        if min(begins) < 0 or max(ends) > limit or any(map(gt, begins, ends)):
            b, e = next((b, e) for b, e in zip(begins, ends, strict=True) if not 0 <= b <= e <= limit)
            place = f"the text of view {shown(view.name)}" if view is not None else "any text"
            raise CasError(f"{document_name(self.cas)}: {batch.plan.name} {b}:{e} lies outside {place} (0:{limit})")
        convert = self.offsets[batch.view] if view is not None else None
        if convert:
            return list(map(convert.to_utf16, begins)), list(map(convert.to_utf16, ends))
        return begins, ends

    def tags(self, tokens: list[Any]) -> Iterator[str]:
        made, number = self.graph.tag_of, self.graph.number
        if not tokens or not (made or hasattr(type(tokens[0]), "_pos_link")):
            return repeat("")
        return (self._tag(token, made, number) for token in tokens)

    def _tag(self, token: Any, made: dict[int, Any], number: dict[int, int]) -> str:
        """What links a token's POS."""
        link = getattr(token, "_pos_link", None) or made.get(id(token))
        n = number.get(id(link)) if link is not None else None
        return self.tag(n) if n else ""

    def ref(self, value: Any) -> int:
        """The number of a feature structure, 0 for one that is not written."""
        n = self.graph.number.get(id(value))
        if n is None:
            if isinstance(value, Sofa):
                return self.sofa_number.get(id(value), 0)
            if not isinstance(value, FeatureStructure | list | bytes | bytearray):
                raise TypeError(f"expected a feature structure, got {type(value).__name__}")
            return 0
        return n

    def explain(self, plan: Plan, items: list[Any]) -> None:
        """Raises the CasError that says which feature cannot be written, and why."""
        for item in items:
            for f in plan.fields:
                try:
                    check(f, getattr(item, f.attribute), self.esc)
                except (TypeError, ValueError, OverflowError, AttributeError, KeyError) as e:
                    self.refuse(plan.name, f, e)

    def refuse(self, name: str, f: Field, error: Exception) -> None:
        why = (
            str(error) if isinstance(error, TypeError | OverflowError | IllegalCharacterError) else type(error).__name__
        )
        raise CasError(f"{document_name(self.cas)}: {name}: feature {f.name} ({f.range}): {why}") from None
