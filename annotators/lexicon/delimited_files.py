"""Lines and rows of text files, with line numbers, and errors that name the line but do not quote it."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, TextIO

from ...pipeline.errors import ResourceError


def open_text(path: Path, encoding: str = "utf-8-sig") -> TextIO:
    """Open a plain or gzipped text file. Raises ResourceError if it cannot be read."""
    try:
        return io.TextIOWrapper(open_bytes(path), encoding=encoding, newline="")
    except OSError as error:
        raise ResourceError(f"{path}: cannot be read ({error.strerror})") from None


def open_bytes(path: Path) -> IO[bytes]:
    """Open a plain or gzipped file. Raises OSError."""
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def encoding_of(path: Path, fallback: str) -> str:
    """Return `utf-8-sig` if the whole file is valid UTF-8, else `fallback`."""
    try:
        with open_text(path) as file:
            while file.read(1 << 20):
                pass
    except UnicodeDecodeError:
        return fallback
    return "utf-8-sig"


def without_nul(path: Path, file: TextIO) -> Iterator[str]:
    """Yield the lines of a file. Raises ResourceError at the first NUL, which ends a key in a trie."""
    for number, line in enumerate(file, 1):
        if "\0" in line:
            raise ResourceError(f"{path}:{number}: expected text, found a NUL character")
        yield line


def numbered(path: Path, encoding: str = "utf-8-sig") -> Iterator[tuple[int, str]]:
    """Yield (line number, line without its end) of each line that is not blank."""
    number = 0
    with open_text(path, encoding) as file:
        try:
            for number, line in enumerate(without_nul(path, file), 1):
                text = line.rstrip("\r\n")
                if text.strip():
                    yield number, text
        except (UnicodeDecodeError, EOFError, OSError):
            raise ResourceError(f"{path}:{number + 1}: expected text in {encoding.removesuffix('-sig')}") from None


def split(path: Path, delimiter: str, columns: str, encoding: str = "utf-8-sig") -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields) of a file without quoting, in which the delimiter may also end each line (RRF, MedDRA).

    `columns` are the names of the expected columns, separated by spaces. Raises ResourceError for a line with fewer.
    """
    expected = columns.split()
    for number, line in numbered(path, encoding):
        fields = line.split(delimiter)
        if len(fields) == len(expected) + 1 and not fields[-1]:
            fields.pop()
        if len(fields) < len(expected):
            raise wrong_columns(path, number, len(fields), expected)
        yield number, fields


def table(
    path: Path, delimiter: str, required: str | Sequence[str], encoding: str = "utf-8-sig"
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (line number, column -> value) of a delimited file with a header line; quoted only if the delimiter is a comma.

    Raises ResourceError if a required column is missing or a row is shorter than the header.
    """
    wanted = required.split() if isinstance(required, str) else required
    with open_text(path, encoding) as file:
        reader = _rows(without_nul(path, file), delimiter)
        try:
            header: list[str] = next(reader, [])
            missing = [c for c in wanted if c not in header]
            if missing:
                raise ResourceError(f"{path}:1: expected a header with {', '.join(wanted)}; no {missing[0]}")
            for row in reader:
                if not row:
                    continue
                if len(row) < len(header):
                    raise wrong_columns(path, reader.line_num, len(row), header)
                yield reader.line_num, dict(zip(header, row, strict=False))
        except UnicodeDecodeError:
            line = reader.line_num + 1
            raise ResourceError(f"{path}:{line}: expected text in {encoding.removesuffix('-sig')}") from None
        except csv.Error as error:
            raise ResourceError(f"{path}:{reader.line_num}: {error}") from None


def columns_of(path: Path, delimiter: str) -> list[str]:
    """Return the columns in the header line of a delimited file, as `table` reads it."""
    return next(_rows(iter([head(path).replace("\r", "\n").split("\n")[0]]), delimiter), [])


def _rows(lines: Iterator[str], delimiter: str) -> Any:
    return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if delimiter == "," else csv.QUOTE_NONE)


def wrong_columns(path: Path, number: int, found: int, expected: list[str]) -> ResourceError:
    names = ", ".join(expected)
    return ResourceError(f"{path}:{number}: expected {len(expected)} columns ({names}), found {found}")


def find_files(path: Path, expected: str, *choices: Sequence[str]) -> list[Path]:
    """Return, for each of several choices of names, the first file below a folder. Raises ResourceError if there is none."""
    files = []
    for names in choices:
        file = next((path / name for name in names if (path / name).is_file()), None)
        if file is None:
            raise ResourceError(f"{path}: expected {expected}; no {names[0]}")
        files.append(file)
    return files


def head(path: Path, size: int = 4096) -> str:
    """Return the beginning of a plain or gzipped file as text, to detect its format; empty for folders and other files."""
    if not path.is_file():
        return ""
    try:
        with open_bytes(path) as file:
            return file.read(size).decode("utf-8", "replace").removeprefix("\ufeff")
    except (OSError, EOFError):
        return ""
