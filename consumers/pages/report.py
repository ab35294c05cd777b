"""Consumer that writes a report of the run as one HTML page: numbers and names of components, no text of any document."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...pipeline.contract.component import Scope, TwoPhaseConsumer, component
from ...pipeline.contract.output import Locate, Output
from ...pipeline.contract.report import RunReport
from ...pipeline.storage.files import make_folder, restricted_folder, write_atomic
from ...typesystem import Cas
from ..files.packed import refuse_packed
from .html import INDEX, HtmlConsumer
from .rendering import render_page
from .report_run import configuration_text, failures, findings, pace_chart, resources, scan, summary, warnings
from .tally import Tally


@component("report")
class ReportConsumer(TwoPhaseConsumer):
    """Writes a report of the run: documents, PHI by kind and source, rules, operators, timings, pace, memory, errors,
    configuration.

    One self-contained HTML file that works offline. The same documents give the same report, apart from timings.
    """

    file: Path = Path("restricted/report.html")
    """The report, under the run's output folder. Written when the run has ended."""
    document_ids: bool = False
    """True if failed documents appear with their id and message, which can contain file names, and warnings that may name
    documents appear in full; else by number only."""
    configuration: bool = True
    """True if the report shows the configuration, without secrets. Turn it off if the configuration contains names of people,
    such as an inline list of names."""
    max_failures: int = 200
    """Number of failed documents listed one by one; all are counted."""

    scope = Scope.RUN

    def __post_init__(self) -> None:
        refuse_packed(self.file)
        if self.max_failures < 0:
            raise ValueError(f"max_failures: expected 0 or more, got {self.max_failures}")
        self._start()

    def _start(self) -> None:
        self._tally = Tally()
        self._last: tuple[str, Tally] | None = None

    def open(self) -> None:
        """Create the folder. Raises ConsumerError if that fails."""
        super().open()
        self._start()
        self._make_folder()

    def prepare(self, cas: Cas) -> dict[str, Any]:
        """Return the counts of a document, as plain data."""
        return Tally.of(cas).to_plain()

    def commit(self, document_id: str, prepared: dict[str, Any]) -> list[Output]:
        """Add the counts of a document. It has no output of its own."""
        tally = Tally.from_plain(prepared)
        self._count_last()
        self._last = document_id, tally
        return []

    def resume_state(self, prepared: dict[str, Any]) -> dict[str, Any]:
        """Return the counts: a later run needs nothing else of the document."""
        return prepared

    def restore(self, outputs: list[Output], state: Any, locate: Locate) -> dict[str, Any] | None:
        try:
            return Tally.from_plain(state).to_plain()
        except ValueError:
            return None

    def rollback(self, document_id: str) -> None:
        if self._last is not None and self._last[0] == document_id:
            self._last = None

    def _count_last(self) -> None:
        """Count the previous document, which cannot be rolled back any more."""
        if self._last is not None:
            self._tally.add(self._last[1])
            self._last = None

    def finish(self, report: RunReport) -> None:
        """Write the page, after everything else is done. Raises ConsumerError that names the path."""
        self._count_last()
        path = self.output / self.file
        self._make_folder()
        write_atomic(path, self.render(report), private=True)

    def _make_folder(self) -> None:
        folder = (self.output / self.file).parent
        if Path(self.file).parts[:1] == ("restricted",):
            restricted_folder(folder, self.output)
        else:
            make_folder(folder)

    def _pages(self, report: RunReport) -> str:
        """Return the address of the list of documents, relative to the report; empty if the run wrote no pages."""
        for consumer in report.config.get("consumers", ()):
            if consumer.get("component") == "html":
                listed = self.output / consumer["parameters"].get("folder", HtmlConsumer.folder) / INDEX
                if listed.is_file():
                    return quote(Path(os.path.relpath(listed, (self.output / self.file).parent)).as_posix())
        return ""

    def render(self, report: RunReport) -> bytes:
        """Return the page."""
        shown, withheld = warnings(report, ids=self.document_ids)
        return render_page(
            "report.html.j2",
            title=f"{report.name or 'pipeline'}: run report",
            styles=["report.css"],
            **summary(report, ids=self.document_ids),
            pace=pace_chart(report.pace, report.pace_seconds, report.seconds),
            found=findings(self._tally),
            scan=scan(report),
            resources=resources(report),
            pages=self._pages(report),
            failures=failures(report, ids=self.document_ids, limit=self.max_failures),
            warnings=shown,
            withheld=withheld,
            configuration=configuration_text(report) if self.configuration else None,
            versions=[list(version) for version in sorted(report.versions.items())],
        )
