"""Zip archives: members listed by the directory at the end, read in any order."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path
from typing import BinaryIO, cast

from ...pipeline.errors import ReaderError
from .archive import BOMB, DAMAGED, LARGE, RATIO, Archive, Budget, Member

_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA}
_MADE_ON_WINDOWS = 0


class ZipArchive(Archive):
    """A zip file. Raises ReaderError where it is none, or its directory is damaged."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._file = _zip_file(path)
        try:
            budget = Budget(Path(path).stat().st_size)
            for info in self._file.infolist():
                name = info.filename.replace("\\", "/") if info.create_system == _MADE_ON_WINDOWS else info.filename
                if not name.endswith("/"):
                    enough = budget.spend(info.file_size)
                    self.add(name, info.file_size, _fault(info) or ("" if enough else BOMB), info)
        except BaseException:
            self._file.close()
            raise

    def open(self, member: Member) -> BinaryIO:
        try:
            return cast(BinaryIO, self._file.open(member.key))
        except Exception:  # it has many ways to fail over a hostile header, names of no encoding among them
            raise zipfile.BadZipFile from None

    def close(self) -> None:
        self._file.close()


def _zip_file(path: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except OSError:
        raise
    except Exception:  # it has many ways to fail over hostile bytes, and may quote names
        pass
    raise ReaderError(f"{path}: {DAMAGED}")


def _fault(info: zipfile.ZipInfo) -> str:
    mode = info.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "a link or device in an archive is not followed"
    if info.flag_bits & 0x1:
        return "it is encrypted"
    if info.compress_type not in _METHODS:
        return f"its compression method ({info.compress_type}) is not supported"
    if info.file_size > LARGE and info.file_size > RATIO * max(info.compress_size, 1):
        return BOMB
    return ""
