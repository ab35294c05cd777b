"""Zip archives: members are listed by the directory at the end of the file and read in any order."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path
from typing import BinaryIO, cast

from ...pipeline.errors import ReaderError
from .archive import BOMB, DAMAGED, LARGE, RATIO, SPECIAL_FILE, Archive, Budget, Member

_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA}
_WINDOWS = 0


class ZipArchive(Archive):
    """A zip archive, in a file or in memory. Raises ReaderError if it is not one, or if its directory is damaged.

    `root`: an absolute member path is taken as relative to the archive.
    """

    def __init__(self, file: str | Path | io.BytesIO, name: str, *, nested: bool = False, root: bool = False) -> None:
        super().__init__(nested=nested)
        try:
            size = len(file.getbuffer()) if isinstance(file, io.BytesIO) else Path(file).stat().st_size
            self._file = zipfile.ZipFile(file)
        except OSError as error:
            fault = f"cannot read: {error.strerror or type(error).__name__}"
        except Exception:  # hostile bytes raise many kinds of exceptions, whose messages may quote names
            fault = DAMAGED
        else:
            fault = ""
        if fault:
            raise ReaderError(f"{name}: {fault}")
        try:
            self._list(Budget(size), root)
        except BaseException:
            self._file.close()
            raise

    def _list(self, budget: Budget, root: bool) -> None:
        for info in self._file.infolist():
            name = info.filename.replace("\\", "/") if info.create_system == _WINDOWS else info.filename
            if not name.endswith("/"):
                within_limit = budget.spend(info.file_size)
                fault = _fault(info) or ("" if within_limit else BOMB)
                self.add(name.lstrip("/") if root else name, info.file_size, fault, info)

    def open(self, member: Member) -> BinaryIO:
        try:
            return cast(BinaryIO, self._file.open(member.key))
        except Exception:  # hostile headers raise many kinds of exceptions, for example for undecodable names
            raise zipfile.BadZipFile from None

    def close(self) -> None:
        self._file.close()


def _fault(info: zipfile.ZipInfo) -> str:
    mode = info.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return SPECIAL_FILE
    if info.flag_bits & 0x1:
        return "it is encrypted"
    if info.compress_type not in _METHODS:
        return f"its compression method ({info.compress_type}) is not supported"
    if info.file_size > LARGE and info.file_size > RATIO * max(info.compress_size, 1):
        return BOMB
    return ""
