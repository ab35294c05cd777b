"""Base class of consumers that add up results of documents and cannot subtract them."""

from __future__ import annotations

import abc
import dataclasses
from typing import Any

from ...pipeline.contract.component import CasConsumer, Scope
from ...typesystem import Cas


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class DelayedConsumer(CasConsumer):
    """A consumer that adds a document when the next one arrives or the run ends, so that the last one can be rolled back."""

    scope = Scope.COLLECTION

    def __post_init__(self) -> None:
        self._last: tuple[str, Any] | None = None

    @abc.abstractmethod
    def result_of(self, cas: Cas) -> Any:
        """Return the result of one document."""

    @abc.abstractmethod
    def add(self, result: Any, /) -> None:
        """Add the result of a document, which cannot be rolled back any more."""

    def open(self) -> None:
        super().open()
        self._last = None

    def process(self, cas: Cas) -> None:
        self.add_last()
        self._last = cas.id, self.result_of(cas)

    def rollback(self, document_id: str) -> None:
        if self._last is not None and self._last[0] == document_id:
            self._last = None

    def add_last(self) -> None:
        """Add the last document."""
        last, self._last = self._last, None
        if last is not None:
            self.add(last[1])
