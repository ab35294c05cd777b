"""A consumer and an annotator of a careless plug-in: they write and overlook what the pipeline masks."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import sqlite3
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from caspipe.pipeline.contract.component import Annotator, CasConsumer, Scope, component
from caspipe.typesystem import Cas, PhiCandidate, PhiKind, View


@component("leaking_marks", outputs=[PhiCandidate])
class LeakingMarks(Annotator):
    """Finds the words in braces: `{PERSON:Ann Bell}`. The same words elsewhere are overlooked."""

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        for m in re.finditer(r"\{(\w+):([^{}]*)\}", view.text):
            yield PhiCandidate(m.start(2), m.end(2), kind=PhiKind.of(m[1]), confidence=1.0)


@component("leaking_files")
class LeakingFiles(CasConsumer):
    """Writes the original of every document to one file in `form`."""

    scope = Scope.RUN
    file: Path = Path("release/leaking.txt")
    form: str = "plain"

    def writes_original(self) -> bool:
        return False  # which is not true

    def open(self) -> None:
        super().open()
        self._texts: list[str] = []

    def process(self, cas: Cas) -> None:
        self._texts.append(cas.view("deidentified").text if self.form == "tsv" else cas.text)

    def close(self) -> None:
        path = self.output / self.file
        path.parent.mkdir(parents=True, exist_ok=True)
        data = "\n".join(self._texts).encode()
        write = {
            "plain": _plain,
            "tsv": _plain,
            "gz": _gz,
            "zip": _zip,
            "tar": _tar,
            "sqlite": _sqlite,
            "entities": _entities,
            "utf-16": _utf16,
            "bz2": lambda path, data: _plain(path, bz2.compress(data)),
            "xz": lambda path, data: _plain(path, lzma.compress(data)),
            "latin": lambda path, data: _plain(path, data.decode().encode("latin-1")),
            "sixteen": lambda path, data: _plain(path, data.decode().encode("utf-16-le")),
        }
        write[self.form](path, data)
        super().close()


def _plain(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _gz(path: Path, data: bytes) -> None:
    path.write_bytes(gzip.compress(data))


def _zip(path: Path, data: bytes) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inside.txt", gzip.compress(data))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inside.zip", inner.getvalue())


def _tar(path: Path, data: bytes) -> None:
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo("inside.txt")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))


def _sqlite(path: Path, data: bytes) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE kept(text TEXT)")
        database.execute("INSERT INTO kept VALUES (?)", (data.decode(),))


def _entities(path: Path, data: bytes) -> None:
    path.write_text("".join(f"&#{ord(c)};" if c.isalpha() else c for c in data.decode()))


def _utf16(path: Path, data: bytes) -> None:
    path.write_bytes(data.decode().encode("utf-16"))
