"""The masker: writes the deidentified view, each PHI span replaced by what its operator says."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from ...pipeline.contract.component import AnalysisEngine, component
from ...pipeline.errors import CasError
from ...typesystem import (
    DEIDENTIFIED_VIEW,
    INITIAL_VIEW,
    Cas,
    MaskedSpan,
    Phi,
    PhiKind,
    Policy,
    RecordField,
    Replacement,
    replace_spans,
)
from . import KEPT, NO_KEY, Context, Fallback, Mention, MissingKeyWarning, Operator, Outcome
from .annotation_copies import carry
from .operators.age import Age
from .operators.placeholder import Placeholder
from .readable_overlaps import overruling


@dataclass(frozen=True, slots=True)
class _Piece:
    """One replacement to be made."""

    begin: int
    end: int
    text: str
    kind: PhiKind
    operator: str
    fallback: str = ""


@component("masker", inputs=[Phi], outputs=[MaskedSpan], extra_field="kinds")
class Masker(AnalysisEngine):
    """Makes the `deidentified` view: the text with each Phi replaced, an offset map back to the original, a MaskedSpan for
    each replacement, and the other annotations carried over. Running it again replaces the view.

    Where a Phi would stay readable (`keep`, an age at or below the threshold, a kind outside the policy) but a candidate of
    a masked kind overlaps it, the text under that candidate is masked (law 3).

    The structured fields of the record (RecordField) are decided alike: dates move by the document's own offset, what has no
    masked form becomes null.
    """

    kinds: dict[PhiKind, Operator] = field(default_factory=dict)
    """Operator for each kind, `DATE: {shift: {...}}`; a kind without one uses its parent's."""
    default: Operator = field(default_factory=Placeholder)
    """Operator of all other kinds."""
    policy: str | dict[Literal["keep", "mask"], list[PhiKind]] = "everything"
    """Which kinds are masked: the name of a policy, or one of your own, `{keep: [DATE], mask: [DATE_BIRTH]}`: everything is
    masked but the kinds that `keep` names and those below them, unless `mask` names them."""
    carry: bool | list[str] = True
    """Annotations that the deidentified view gets: sentences, tokens, chunks and medical terms; none; or types by name."""

    _warned: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        _ = self._policy

    @cached_property
    def _policy(self) -> Policy:
        if isinstance(self.policy, str):
            return Policy.of(self.policy)
        kept, masked = (frozenset(k.name for k in self.policy.get(what, [])) for what in ("keep", "mask"))
        if not kept:
            raise ValueError("policy: expected kinds to keep; everything that is not kept is masked")
        return Policy("own", keep=kept, mask=masked)

    @cached_property
    def _placeholder(self) -> Placeholder:
        return self.default if isinstance(self.default, Placeholder) else Placeholder()

    def open(self) -> None:
        super().open()
        for operator in (*self.kinds.values(), self.default):
            operator.open()

    def process(self, cas: Cas) -> None:
        if not cas.has_view(INITIAL_VIEW):
            return
        if cas.has_view(DEIDENTIFIED_VIEW):  # first of all: nothing stale may stay where this run fails
            cas.drop_view(DEIDENTIFIED_VIEW)
        view = cas.view()
        spans = view.select(Phi)
        for before, after in itertools.pairwise(spans):
            if after.begin < before.end:
                raise CasError(f"{before!r} and {after!r} overlap: a resolver must run before the masker")
        mentions = [Mention(p.begin, p.end, p.kind, p.covered_text, p.value) for p in spans if p.begin < p.end]
        context = Context(cas, mentions)
        pieces = list(_apart(p for mention in mentions for p in self._pieces(mention, context)))
        text, offsets = replace_spans(view.text, [Replacement(p.begin, p.end, p.text) for p in pieces])
        target = cas.create_view(DEIDENTIFIED_VIEW, text)
        target.offset_map = offsets
        for piece, (_, _, begin, end) in zip(pieces, offsets.segments(), strict=True):
            masked = MaskedSpan(
                begin,
                end,
                kind=piece.kind,
                operator=piece.operator,
                original_begin=piece.begin,
                original_end=piece.end,
                fallback=piece.fallback,
            )
            masked._source = self.id
            target.add(masked)
        if self.carry:
            carry(view, target, None if self.carry is True else self.carry)
        for item in view.select(RecordField):
            operator = self._field_operator(item.kind)
            item.masked = item.value if operator is None else operator.field(item.value, item.kind, context)
            item.operator = "keep" if operator is None else operator.name

    def _field_operator(self, kind: PhiKind) -> Operator | None:
        """Who decides about a structured field of this kind; None: the policy lets it stay."""
        operator = self.kinds.get(kind) or self.kinds.get(kind.top) or self.default
        if self._policy.masks(kind):
            return operator
        if kind is PhiKind.AGE and self._policy.masks(PhiKind.AGE_OVER_89):
            return operator if isinstance(operator, Age) else Age()
        return None

    def _pieces(self, mention: Mention, context: Context) -> Iterator[_Piece]:
        outcome, operator = self._outcome(mention, context)
        if outcome is not KEPT:
            yield self._piece(mention, outcome, operator)
            return
        for claim, outcome, operator in overruling(mention, context, self._outcome):
            yield self._piece(claim, outcome, operator, f"over a readable {mention.kind.name}")

    def _outcome(self, mention: Mention, context: Context) -> tuple[Outcome, Operator]:
        kind = mention.kind
        operator = self.kinds.get(kind) or self.kinds.get(kind.top) or self.default
        if self._policy.masks(kind):
            return operator.mask(mention, context), operator
        if kind is PhiKind.AGE and self._policy.masks(PhiKind.AGE_OVER_89):  # no finder said how old: the number does
            operator = operator if isinstance(operator, Age) else Age()
            return operator.mask(mention, context), operator
        return KEPT, operator

    def _piece(self, mention: Mention, outcome: Outcome, operator: Operator, note: str = "") -> _Piece:
        if outcome is NO_KEY and not self._warned:
            self._warned = True
            warnings.warn(
                f"{self.id}: {operator.name} has no key: placeholders are written instead of {mention.kind.top.name}; set "
                "CASPIPE_KEY where the configuration says ${CASPIPE_KEY:-}, or give key: file:PATH",
                MissingKeyWarning,
                stacklevel=2,
            )
        text = outcome if isinstance(outcome, str) else self._placeholder.write(mention)
        reason = outcome.reason if isinstance(outcome, Fallback) else ""
        notes = "; ".join(filter(None, (reason, note)))
        return _Piece(mention.begin, mention.end, text, mention.kind, operator.name, notes)


def _apart(pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """The pieces, with a blank before one that would grow together with the piece it touches."""
    last: _Piece | None = None
    for piece in pieces:
        if last and last.end == piece.begin and _grown(last.text[-1:], piece.text[:1]):
            piece = replace(piece, text=f" {piece.text}")
        yield piece
        last = piece


def _grown(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum()
