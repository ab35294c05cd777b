"""Consumer that writes a page for each document, to look at what was found and what became of it."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from ..pipeline.component import component
from ..pipeline.files import AtomicFile
from ..typesystem import INITIAL_VIEW, Cas
from .document_page import document_page
from .folder import FolderConsumer
from .page import cell, chip, esc, page, table
from .spans import Shown, shown_spans
from .style import INDEX

_INDEX = "index.html"
_ROWS = "<!-- rows -->"


@component("html")
class HtmlConsumer(FolderConsumer):
    """Writes an HTML page for each document, original and masked text side by side with every span, and a list of all.

    The pages hold the original text: folder and files are for their owner only. They load nothing and work offline.
    """

    folder: Path = Path("restricted/html")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._index: AtomicFile | None = None
        self._before: tuple[str, int] | None = None

    def open(self) -> None:
        super().open()
        self.open_folder(".html", restricted=True, reserved=[_INDEX])
        self._index = AtomicFile(self.files.folder / _INDEX, private=True)
        with self._whole(self._index):
            self._index.write(_index_page()[0])
        self._before = None
        self._documents = 0

    def process(self, cas: Cas) -> None:
        files = self.files
        assert self._index is not None
        self._before = None
        spans = shown_spans(cas)
        name = files.names.next(cas.id)
        files.write(cas.id, document_page(cas, spans, "../" * (len(name.parts) - 1) + _INDEX), name)
        before = self._index.offset
        self._index.write(f"<tr>{_row(cas, spans, quote(name.as_posix()))}</tr>\n".encode())
        self._before = cas.id, before
        self._documents += 1

    def retract(self, cas: Cas) -> None:
        super().retract(cas)
        if self._index is not None and self._before is not None and self._before[0] == cas.id:
            self._index.truncate(self._before[1])
            self._before = None
            self._documents -= 1

    def close(self) -> None:
        """Gives the list of all documents its name."""
        index, self._index = self._index, None
        if index is not None:
            with self._whole(index):
                index.write(_index_page(self._documents)[1])
                index.commit()
        super().close()

    def abandon(self) -> None:
        """Leaves the list that was there before."""
        index, self._index = self._index, None
        if index is not None:
            index.discard()

    @contextlib.contextmanager
    def _whole(self, index: AtomicFile) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._index = None
            index.discard()
            raise


def _index_page(documents: int = 0) -> tuple[bytes, bytes]:
    """The list of documents before and after its rows, which are written one by one: memory stays flat."""
    columns = ["Document", "#Characters", "#Masked", "#Left readable", "#Taken out", "#Missed", "Kinds"]
    body = (
        '<header><p class="facts">caspipe</p><h1>Documents</h1><p class="facts">Every page shows the original text: '
        f"it is for those who may read it.</p></header>\n<main>{table('In reading order', columns, [_ROWS])}"
        f'<p class="facts">{documents:,} document{"s" * (documents != 1)}</p></main>'
    )
    before, _, after = page("Documents", body, style=INDEX).partition(f"<tr>{_ROWS}</tr>".encode())
    return before, after


def _row(cas: Cas, spans: list[Shown], link: str) -> str:
    states = Counter(s.state for s in spans)
    kinds = Counter(s.kind.partition("_")[0] for s in spans if s.state in ("masked", "found"))
    chips = "".join(chip(kind, n) for kind, n in sorted(kinds.items()))
    characters = len(cas.text) if cas.has_view(INITIAL_VIEW) else 0
    return (
        f'<th scope="row"><a href="{link}">{esc(cas.id or "(no id)")}</a></th>'
        + cell(characters)
        + cell(states["masked"])
        + cell(states["kept"])
        + cell(states["vetoed"])
        + cell(states["missed"])
        + f'<td><div class="chips">{chips}</div></td>'
    )
