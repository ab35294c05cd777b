"""Consumer that writes a page for each document with its spans and their outcome."""

from __future__ import annotations

import dataclasses
import hashlib
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from ...pipeline.contract.component import Scope, component
from ...pipeline.contract.output import Locate, Output
from ...pipeline.storage.file_names import safe_parts
from ...typesystem import INITIAL_VIEW, Cas
from ..files.content import Content
from ..files.folder import FolderConsumer, StagedFiles
from ..files.slices import Slices, slice_of
from .document_page import ShownSpan, document_page, shown_spans
from .rendering import render_fragment, render_page

INDEX = "index.html"
"""Name of the list of all documents in the folder of the pages."""
_ROWS = "<!-- rows -->"
_NAME = "\0"
"""Placeholder in a row for the name of the page."""


@component("html")
class HtmlConsumer(FolderConsumer):
    """Writes an HTML page for each document, original and masked text side by side with every span, and a list of all documents.

    The pages contain the original text: folder and files are readable by their owner only. They load nothing and work offline.
    """

    folder: Path = Path("restricted/html")

    scope = Scope.RUN

    def __post_init__(self) -> None:
        super().__post_init__()
        self._index: Slices | None = None

    def open(self) -> None:
        super().open()
        self.open_folder(".html", reserved=[INDEX])
        self._index = Slices(self.files.folder / INDEX, private=True, header=_list_page()[0])
        self._documents = 0

    def open_worker(self, *, shares_disk: bool = True) -> None:
        self._shares_disk = shares_disk
        self.open_resources()
        self.open_folder(".html")

    def content(self, cas: Cas) -> Content:
        """Return the page, and the row for the list with a placeholder for the name that the page gets later."""
        spans = shown_spans(cas)
        depth = len(safe_parts(cas.id)) - 1
        row = _row(cas, spans, _NAME)
        return Content(document_page(cas, spans, "../" * depth + INDEX), extra=(depth, row))

    def commit(self, document_id: str, prepared: StagedFiles) -> list[Output]:
        outputs = super().commit(document_id, prepared)
        assert self._index is not None
        depth, row = prepared.extra
        name = self._page_name(outputs)
        if len(name.parts) - 1 != depth:  # its name was taken, and the new one is in another folder
            outputs = [self._moved(outputs[0], name, depth)]
        position = self._index.append(document_id, row.replace(_NAME, quote(name.as_posix()), 1).encode())
        self._documents += 1
        return [*outputs, Output(self.id, self._path(PurePosixPath(INDEX)).as_posix(), *position, False)]

    def restore(self, outputs: list[Output], state: Any, locate: Locate) -> StagedFiles | None:
        row = next((o for o in outputs if not o.whole), None)
        files = super().restore(outputs, state, locate)
        data = slice_of(locate(row), row) if row is not None and files is not None else None
        if files is None or data is None:
            return None
        name = self._page_name(outputs)
        link = f'<a href="{quote(name.as_posix())}">'
        extra = len(name.parts) - 1, data.decode().replace(link, f'<a href="{_NAME}">', 1)
        return dataclasses.replace(files, extra=extra)

    def _page_name(self, outputs: list[Output]) -> PurePosixPath:
        """Return the name of a document's page in the folder."""
        return PurePosixPath(outputs[0].path).relative_to(self._place)

    def shared_files(self) -> dict[str, Path]:
        return {} if self._index is None else {self._path(PurePosixPath(INDEX)).as_posix(): self._index.file.temporary}

    def _moved(self, output: Output, name: PurePosixPath, depth: int) -> Output:
        """Write the page again, with a link to the list that fits its name."""
        path = self.files.folder / name
        link, right = (f'<a href="{"../" * n}{INDEX}">'.encode() for n in (depth, len(name.parts) - 1))
        data = path.read_bytes().replace(link, right, 1)
        self.files.add(str(name), data)
        return self._output(name, len(data), hashlib.sha256(data).hexdigest())

    def rollback(self, document_id: str) -> None:
        super().rollback(document_id)
        if self._index is not None and self._index.rollback(document_id):
            self._documents -= 1

    def close(self) -> None:
        """Give the list of all documents its name."""
        index, self._index = self._index, None
        if index is not None:
            index.close(_list_page(self._documents)[1])
        super().close()

    def abort(self) -> None:
        """Keep the earlier list."""
        index, self._index = self._index, None
        if index is not None:
            index.file.discard()


def _list_page(documents: int = 0) -> tuple[bytes, bytes]:
    """Return the list of documents before and after its rows, which are written one by one to save memory."""
    page = render_page(
        "document_list.html.j2",
        title="Documents",
        styles=["document_list.css"],
        rows=Markup(_ROWS),
        documents=documents,
    )
    before, _, after = page.partition(f'<tr><th scope="row">{_ROWS}</th></tr>'.encode())
    return before.rstrip(), after.lstrip()


def _row(cas: Cas, spans: list[ShownSpan], link: str) -> str:
    states = Counter(s.state for s in spans)
    kinds = Counter(s.kind.partition("_")[0] for s in spans if s.state in ("masked", "found"))
    characters = len(cas.text) if cas.has_view(INITIAL_VIEW) else 0
    return render_fragment(
        "document_row.html.j2",
        link=Markup(link),
        name=cas.id or "(no id)",
        counts=[characters, states["masked"], states["kept"], states["vetoed"], states["missed"]],
        kinds=sorted(kinds.items()),
    )
