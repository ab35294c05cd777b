"""The documents under review, which are read on demand and cached up to a size limit."""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from ....readers.files.selection import Source
from ....readers.uima.cas_files import XmiReader
from ....typesystem import INITIAL_VIEW, Cas
from ...errors import ReaderError
from .document import Document, document_of
from .state import ReviewError
from .store import FOLDER

MAX_CACHED_CHARACTERS = 40_000_000
"""Largest total number of code points of the cached texts."""
MAX_FILE_BYTES = 4 * 2**30


class SingleDocumentReader(XmiReader):
    """A reader of XMI files that can read one file of the folder alone."""

    _only: Source | None = None

    def sources(self) -> Sequence[Source]:
        return super().sources() if self._only is None else [self._only]

    def cas(self, source: Source) -> Cas:
        """Return one document. Raises ReviewError with the reason for a failure."""
        reader = copy.copy(self)
        reader._only, reader.failed = source, []
        cas = next(iter(reader), None)
        if cas is None:
            raise ReviewError(str(reader.failed[0][1]) if reader.failed else f"{source.path}: contains no document")
        return cas


class Catalogue:
    """The documents of a folder or of several files, in reading order. Thread-safe."""

    def __init__(
        self,
        paths: list[Path],
        *,
        view: str = INITIAL_VIEW,
        lenient: bool = False,
        sources: Sequence[Source] | None = None,
    ) -> None:
        """List the files, unless `sources` are given. Raises ReviewError without a file and for a folder among several paths."""
        folder = paths[0] if len(paths) == 1 and paths[0].is_dir() else None
        if folder is None and any(p.is_dir() for p in paths):
            raise ReviewError("expected one folder or several files; found a folder among several paths")
        self.home = folder if folder is not None else paths[0].parent
        """The folder whose `review/` contains the journals."""
        self.view = view
        source = {"folder": folder} if folder is not None else {"files": list(paths)}
        self.reader = SingleDocumentReader(**source, lenient=lenient, max_bytes=MAX_FILE_BYTES)
        if sources is None:
            sources = self._listed()
        self.sources = list(sources)
        self.ids = [s.id for s in self.sources]
        self._kept: OrderedDict[int, Document] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()
        self._turns: dict[int, threading.Lock] = {}

    def _listed(self) -> list[Source]:
        try:
            self.reader.open()
        except ReaderError as error:
            raise ReviewError(str(error).removeprefix("reader xmi: ")) from None
        inside = (self.home / FOLDER).resolve()
        return [s for s in self.reader.sources() if inside not in Path(s.path).resolve().parents]

    def __len__(self) -> int:
        return len(self.sources)

    def cas(self, number: int) -> Cas:
        """Return a newly read CAS of a document. Raises ReviewError."""
        return self.reader.cas(self.sources[number])

    def keeps(self, number: int) -> bool:
        """Return whether a document is cached."""
        return number in self._kept

    def document(self, number: int) -> Document:
        """Return a document for the review. Raises ReviewError with the reason if it cannot be read."""
        with self._lock:
            kept = self._kept.get(number)
            if kept is not None:
                self._kept.move_to_end(number)
                return kept
            turn = self._turns.setdefault(number, threading.Lock())
        with turn:  # read a large document only once if the list and the page request it at the same time
            kept = self._kept.get(number)
            return self._keep(number, self.read(number)) if kept is None else kept

    def read(self, number: int) -> Document:
        """Return a newly read document. Raises ReviewError."""
        return document_of(self.cas(number), self.view)

    def _keep(self, number: int, document: Document) -> Document:
        with self._lock:
            if number not in self._kept:
                self._kept[number] = document
                self._characters += len(document.text)
            while self._characters > MAX_CACHED_CHARACTERS and len(self._kept) > 1:
                _, removed = self._kept.popitem(last=False)
                self._characters -= len(removed.text)
        return document
