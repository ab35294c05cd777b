"""Consumer that writes a page for each document, to look at what was found and what became of it."""

from __future__ import annotations

import contextlib
import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from ...pipeline.contract.component import Old, Output, component
from ...pipeline.storage.file_names import safe_parts
from ...pipeline.storage.files import AtomicFile, digest_of
from ...typesystem import INITIAL_VIEW, Cas
from ..files.content import Content
from ..files.folder import FolderConsumer, StagedFiles
from ..files.slices import Slices
from .document_page import document_page
from .page import cell, chip, esc, page, table
from .spans import Shown, shown_spans
from .style import INDEX

_INDEX = "index.html"
_ROWS = "<!-- rows -->"
_NAME = "\0"
"""Stands in a row for the name of the page."""


@component("html")
class HtmlConsumer(FolderConsumer):
    """Writes an HTML page for each document, original and masked text side by side with every span, and a list of all.

    The pages hold the original text: folder and files are for their owner only. They load nothing and work offline.
    """

    folder: Path = Path("restricted/html")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._index: Slices | None = None

    def open(self) -> None:
        super().open()
        self.open_folder(".html", restricted=True, reserved=[_INDEX])
        self._index = Slices(self.files.folder / _INDEX, private=True)
        with self._whole(self._index.file):
            self._index.file.write(_index_page()[0])
        self._documents = 0

    def open_part(self) -> None:
        self.open_resources()
        self.open_folder(".html", restricted=True)

    def content(self, cas: Cas) -> Content:
        """The page, and for the list of all its row around the page's name, which it gets later."""
        spans = shown_spans(cas)
        depth = 0 if self.key else len(safe_parts(cas.id)) - 1
        row = _row(cas, spans, _NAME)
        return Content(document_page(cas, spans, "../" * depth + _INDEX), more=(depth, row))

    def take(self, document: str, prepared: StagedFiles) -> list[Output]:
        outputs = super().take(document, prepared)
        assert self._index is not None
        depth, row = prepared.more
        name = PurePosixPath(outputs[0].path).relative_to(self.folder.as_posix())
        if len(name.parts) - 1 != depth:  # its name was taken, and lies elsewhere: so does the list
            outputs = [self._moved(outputs[0], name, depth)]
        data = f"<tr>{row.replace(_NAME, quote(name.as_posix()), 1)}</tr>\n".encode()
        begin, length = self._index.append(document, data)
        self._documents += 1
        return [*outputs, self._slice(begin, length, hashlib.sha256(data).hexdigest())]

    def reuse(self, document: str, outputs: list[Output], memo: Any, old: Old) -> list[Output] | None:
        row = next((o for o in outputs if not o.whole), None)
        own = super().reuse(document, outputs, memo, old)
        assert self._index is not None
        data = _read(old(row), row) if row is not None and own is not None else None
        if own is None or data is None:
            self.files.names.take_back()  # the document comes again, and gets it then
            return None
        before, name = self.page_name([o for o in outputs if o.whole]), self.page_name(own)
        if name != before:  # it comes from another folder, where its name was free
            link, right = (f'<a href="{quote(path.as_posix())}">'.encode() for path in (before, name))
            data = data.replace(link, right, 1)
            own = [self._moved(own[0], name, len(before.parts) - 1)]
        begin, length = self._index.append(document, data)
        self._documents += 1
        return [*own, self._slice(begin, length, hashlib.sha256(data).hexdigest())]

    def page_name(self, outputs: list[Output]) -> PurePosixPath:
        """The name of a document's page in the folder."""
        return PurePosixPath(outputs[0].path).relative_to(self.folder.as_posix())

    def growing(self) -> dict[str, Path]:
        return {} if self._index is None else {(self.folder / _INDEX).as_posix(): self._index.file.temporary}

    def _slice(self, begin: int, length: int, digest: str) -> Output:
        return Output(self.id, (self.folder / _INDEX).as_posix(), begin, length, digest, False)

    def _moved(self, output: Output, name: PurePosixPath, depth: int) -> Output:
        """The page again, with its link to the list from where it lies now."""
        path = self.files.folder / name
        link, right = (f'<a href="{"../" * n}{_INDEX}">'.encode() for n in (depth, len(name.parts) - 1))
        data = path.read_bytes().replace(link, right, 1)
        self.files.add(str(name), data)
        return self._output(name, len(data), hashlib.sha256(data).hexdigest())

    def retract(self, cas: Cas) -> None:
        super().retract(cas)
        if self._index is not None and self._index.retract(cas.id):
            self._documents -= 1

    def close(self) -> None:
        """Gives the list of all documents its name."""
        index, self._index = self._index, None
        if index is not None:
            with self._whole(index.file):
                index.file.write(_index_page(self._documents)[1])
                index.file.commit()
        super().close()

    def abandon(self) -> None:
        """Leaves the list that was there before."""
        index, self._index = self._index, None
        if index is not None:
            index.file.discard()

    @contextlib.contextmanager
    def _whole(self, index: AtomicFile) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._index = None
            index.discard()
            raise


def _read(file: Path, output: Output) -> bytes | None:
    """A slice of an earlier run's list; None where it is not what was written then."""
    if digest_of(file, output.begin, output.length) != output.digest:
        return None
    with file.open("rb") as opened:
        opened.seek(output.begin)
        return opened.read(output.length)


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
