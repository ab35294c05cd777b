"""Consumer that lists every error against the reference on one page."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from ...pipeline.contract.component import Scope, component
from ...pipeline.storage.files import restricted_folder, write_atomic
from ...typesystem import GOLD_VIEW, INITIAL_VIEW, Cas
from ..scoring.alignment import Level
from ..scoring.document import Pair, pair_of
from ..scoring.mistakes import GROUPS, Mistake, mistakes
from .delayed import DelayedConsumer
from .error_page import ErrorPage


@component("errors")
class ErrorsConsumer(DelayedConsumer):
    """Writes an HTML page of every miss, false hit, wrong kind and wrong bound against the reference, with its context.

    The page contains original text: file and folder are readable by their owner only. It loads nothing and works offline.
    """

    file: Path = Path("restricted/errors.html")
    """The page, under the run's output folder. Written when the run has ended."""
    gold: str = GOLD_VIEW
    """View with the reference spans."""
    system: str = INITIAL_VIEW
    """View with the spans that were found."""
    level: Level = "kind"
    """Level at which kinds are compared: every kind, the first level, or the categories of a scheme."""
    context: int = 60
    """Text shown before and after each error (code points)."""
    limit: int = 2000
    """Number of errors shown of each group; all are counted."""

    scope = Scope.COLLECTION

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("context", "limit"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name}: expected 0 or more, got {getattr(self, name)}")
        self.result: Counter[str] = Counter()
        """Number of errors by group, after `close`."""
        self._page: ErrorPage | None = None

    @property
    def path(self) -> Path:
        return self.output / self.file

    def open(self) -> None:
        super().open()
        restricted_folder(self.path.parent, self.output)
        self._page = ErrorPage(context=self.context, limit=self.limit)

    def result_of(self, cas: Cas) -> tuple[Pair, list[Mistake]]:
        pair = pair_of(cas, self.gold, self.system)
        return pair, mistakes(pair, self.level)

    def add(self, result: tuple[Pair, list[Mistake]]) -> None:
        self.page.add(*result)

    @property
    def page(self) -> ErrorPage:
        """The page, opened at first use."""
        if self._page is None:
            last = self._last
            self.open()
            self._last = last
        assert self._page is not None
        return self._page

    def close(self) -> None:
        """Write the page."""
        self.add_last()
        page = self.page
        self._page = None
        self.result = Counter({g: sum(n for (_, group), n in page.counts.items() if group == g) for g in GROUPS})
        write_atomic(self.path, page.html(), private=True)
        super().close()

    def abort(self) -> None:
        """Keep the page that was there before."""
        self._page = self._last = None
