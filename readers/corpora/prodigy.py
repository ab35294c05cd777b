"""Reader of the spans in texts that Prodigy's `db-out` exports."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError
from ...typesystem import GOLD_VIEW, Cas, CasError, KnownPhi, Token
from .standoff import Tag
from .tasks import TaskReader, list_of, tag_of

_SKIPPED = {"accept": "accepted tasks", "reject": "rejected tasks", "ignore": "ignored tasks"}


@component("prodigy", outputs=[KnownPhi])
class ProdigyReader(TaskReader):
    """Reads Prodigy's JSON Lines: `{"text", "spans": [{"start", "end", "label"}], "tokens", "answer"}`. The spans go to the view
    `gold`; an answered task without spans has an empty one. Offsets are code points.

    Format: the annotation interfaces `ner_manual` and `spans_manual` in Prodigy's documentation.
    """

    pattern: str = "*.jsonl"
    answers: list[Literal["accept", "reject", "ignore"]] = dataclasses.field(default_factory=lambda: ["accept"])
    """Answers of the tasks to read. Tasks without an answer are always read; the rest are counted in a warning."""
    annotator: str = ""
    """Read only this annotator's tasks, by `_annotator_id` or `_session_id`."""
    tokens: bool = False
    """Add the tokens of the tasks to the view `gold`."""

    id_fields = ("document_id", "meta.document_id", "id")

    def skipped(self, record: Mapping[str, Any]) -> str:
        answer = record.get("answer")
        if isinstance(answer, str) and answer in _SKIPPED and answer not in self.answers:
            return _SKIPPED[answer]
        if self.annotator and self.annotator not in (record.get("_annotator_id"), record.get("_session_id")):
            return "tasks of other annotators"
        return ""

    def tags(self, record: Mapping[str, Any]) -> list[Tag] | None:
        if "spans" not in record and "answer" not in record:
            return None
        if record.get("relations"):
            self.leave_out("relations", len(list_of(record["relations"], "relations")))
        return [_tag(f"span {n}", span) for n, span in enumerate(list_of(record.get("spans"), "spans"), 1)]

    def _document(self, record: Any, text: str, document_id: str) -> Cas:
        cas = super()._document(record, text, document_id)
        tokens = list_of(record.get("tokens"), "tokens") if self.tokens else []
        if tokens:
            spans = [_bounds(f"token {n}", token) for n, token in enumerate(tokens, 1)]
            spans = [(b, e) for b, e in spans if text[b:e].strip()]  # spaCy has tokens of white space, too
            view = cas.view(GOLD_VIEW) if cas.has_view(GOLD_VIEW) else cas.create_view(GOLD_VIEW, text)
            try:
                view.add_spans(Token, [b for b, _ in spans], [e for _, e in spans], self.id)
            except CasError as error:
                raise ReaderError(f"field tokens: {error}") from None
        return cas


def _tag(name: str, span: Any) -> Tag:
    if not isinstance(span, Mapping):
        raise ReaderError(f"{name}: expected an object with start, end and label")
    covered = span.get("text")
    attributes = list_of(span.get("attributes"), "attributes")
    if not all(isinstance(a, list) and len(a) == 2 and all(isinstance(x, str) for x in a) for a in attributes):
        raise ReaderError(f"{name}: expected attributes as pairs of strings")
    return tag_of(
        name,
        span.get("start"),
        span.get("end"),
        span.get("label"),
        text=covered if isinstance(covered, str) else None,
        attributes=tuple((a, value) for a, value in attributes),
    )


def _bounds(name: str, token: Any) -> tuple[int, int]:
    if not isinstance(token, Mapping) or type(token.get("start")) is not int or type(token.get("end")) is not int:
        raise ReaderError(f"{name}: expected an object with integers as start and end")
    return token["start"], token["end"]
