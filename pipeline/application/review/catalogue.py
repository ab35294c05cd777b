"""The documents under review: which there are, read when they are needed, kept while memory allows."""

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

MOST_CHARACTERS = 40_000_000
"""Texts of up to this number of code points in total are kept in memory."""


LARGEST = 4 * 2**30
"""Bytes of one file."""


class Documents(XmiReader):
    """The XMI files, each to be had by its place in the list."""

    _only: Source | None = None

    def sources(self) -> Sequence[Source]:
        return super().sources() if self._only is None else [self._only]

    def cas(self, source: Source) -> Cas:
        """Read one document. Raises ReviewError with the reason for a failure."""
        one = copy.copy(self)
        one._only, one.failed = source, []
        cas = next(iter(one), None)
        if cas is None:
            raise ReviewError(str(one.failed[0][1]) if one.failed else f"{source.path}: holds no document")
        return cas


class Catalogue:
    """The documents of a folder, or some files, in reading order. Safe to use from several threads."""

    def __init__(self, paths: list[Path], *, view: str = INITIAL_VIEW, lenient: bool = False) -> None:
        """List the files. Raises ReaderError if there are none, ReviewError for a folder among several paths."""
        folder = paths[0] if len(paths) == 1 and paths[0].is_dir() else None
        if folder is None and any(p.is_dir() for p in paths):
            raise ReviewError("expected one folder, or files; found a folder among several paths")
        self.home = folder if folder is not None else paths[0].parent
        """The folder whose `review/` contains the journals."""
        self.view = view
        if folder is not None:
            self.reader = Documents(folder=folder, lenient=lenient, max_bytes=LARGEST)
        else:
            self.reader = Documents(files=list(paths), lenient=lenient, max_bytes=LARGEST)
        try:
            self.reader.open()
        except ReaderError as error:
            raise ReviewError(str(error).removeprefix("reader xmi: ")) from None
        inside = (self.home / FOLDER).resolve()
        self.sources = [s for s in self.reader.sources() if inside not in Path(s.path).resolve().parents]
        self.ids = [s.id for s in self.sources]
        self._kept: OrderedDict[int, Document] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()
        self._turns: dict[int, threading.Lock] = {}

    def __len__(self) -> int:
        return len(self.sources)

    def cas(self, number: int) -> Cas:
        """Return the whole document, read again. Raises ReviewError."""
        return self.reader.cas(self.sources[number])

    def keeps(self, number: int) -> bool:
        """Return whether a document is in memory."""
        return number in self._kept

    def document(self, number: int) -> Document:
        """Return a document for the review. Raises ReviewError with the reason if it cannot be read."""
        with self._lock:
            kept = self._kept.get(number)
            if kept is not None:
                self._kept.move_to_end(number)
                return kept
            turn = self._turns.setdefault(number, threading.Lock())
        with turn:  # the list and the page want the same large document at the same time: it is read once
            kept = self._kept.get(number)
            return self._keep(number, document_of(self.cas(number), self.view)) if kept is None else kept

    def _keep(self, number: int, document: Document) -> Document:
        with self._lock:
            if number not in self._kept:
                self._kept[number] = document
                self._characters += len(document.text)
            while self._characters > MOST_CHARACTERS and len(self._kept) > 1:
                _, gone = self._kept.popitem(last=False)
                self._characters -= len(gone.text)
        return document
