"""Records from JSON: an object a line, or, as some tools export, all of them in one array."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any, BinaryIO, ClassVar

from ...pipeline.errors import ReaderError
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas
from ...typesystem.markup.strict_json import DuplicateKeyError, unique_keys
from ..files.decoding import decode
from ..files.file_reader import bounded, too_long
from ..files.selection import Source
from .records import RecordReader

_BLANK = " \t\r\n"
_MARK = b"\xef\xbb\xbf"


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class JsonRecordReader(RecordReader):
    """A reader of JSON objects."""

    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")
    arrays: ClassVar[bool] = False
    """Whether a file may also hold one array of all objects. What stands before a fault in it is read."""

    def _file(self, file: BinaryIO, source: Source, seen: Digests) -> Iterator[Cas]:
        empty = True
        for n, line in enumerate(lines(file, self.max_bytes), 1):
            number, place = f"{source.id}/{n}", f"{source.path}, line {n}"
            if line is None:
                self.fail(number, f"{place}: {too_long(self.max_bytes)}")
                continue
            line = line.removeprefix(_MARK) if n == 1 else line
            if self.arrays and empty and line.lstrip().startswith(b"["):
                yield from self._array(line + bounded(file, self.max_bytes), source, seen)
                return
            if line.strip():
                empty = False
                record, fault = _object(line)
                if record is None:
                    self.fail(number, f"{place}: {fault}")
                else:
                    yield from self.documents(record, number, place, seen)

    def _array(self, data: bytes, source: Source, seen: Digests) -> Iterator[Cas]:
        """The documents of an array, up to the first fault; all behind it are one failed document."""
        if len(data) > self.max_bytes:
            raise ReaderError(f"{source.path}: {too_long(self.max_bytes)}")
        try:
            text, _ = decode(data, "utf-8")
        except ReaderError as error:
            raise ReaderError(f"{source.path}: {error}") from None
        number = 0
        for number, (record, fault) in enumerate(_items(text), 1):
            name, place = f"{source.id}/{number}", f"{source.path}, item {number}"
            if record is None:
                self.fail(name, f"{place}: {fault}")
            else:
                yield from self.documents(record, name, place, seen)


def lines(file: BinaryIO, limit: int) -> Iterator[bytes | None]:
    """The lines of a file, in bounded memory; None for one longer than `limit` bytes."""
    while line := file.readline(limit + 2):
        if len(line.rstrip(b"\r\n")) <= limit:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(1 << 20)
        yield None


def _object(line: bytes) -> tuple[dict[str, Any] | None, str]:
    """The JSON object of a line, or None and what is wrong with it."""
    try:
        text, _ = decode(line, "utf-8")
    except ReaderError as error:
        return None, str(error)
    value, end, fault = _value(text, len(text) - len(text.lstrip(_BLANK)))
    rest = text[end:].lstrip(_BLANK)
    if not fault and rest:
        fault = f"not valid JSON (column {len(text) - len(rest) + 1})"
    if fault:
        return None, fault
    return (value, "") if isinstance(value, dict) else (None, "expected a JSON object")


def _items(text: str) -> Iterator[tuple[dict[str, Any] | None, str]]:
    """The objects of an array that begins the text; a fault in the array itself ends it and comes last."""
    at = _behind_blanks(text, text.index("[") + 1)
    more = not text.startswith("]", at)
    at += not more
    while more:
        value, at, fault = _value(text, at)
        if fault:
            yield None, f"from here on: {fault}"
            return
        yield (value, "") if isinstance(value, dict) else (None, "expected a JSON object")
        at = _behind_blanks(text, at)
        more = text.startswith(",", at)
        if not more and not text.startswith("]", at):
            yield None, f"from here on: expected a comma or the end of the array{_place(text, at)}"
            return
        at = _behind_blanks(text, at + 1)
    if text[at:].strip(_BLANK):
        yield None, f"expected nothing behind the array{_place(text, at)}"


def _value(text: str, at: int) -> tuple[Any, int, str]:
    """The JSON value that begins at `at` and where it ends; or what is wrong with it."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except DuplicateKeyError:
        return None, at, "a field occurs twice in one object"
    except RecursionError:
        return None, at, "nested too deeply"
    except json.JSONDecodeError as error:  # its message can quote the text
        return None, at, "not valid JSON" + _place(text, error.pos)
    except ValueError:
        return None, at, "a number with too many digits"
    return value, end, ""


def _behind_blanks(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t", "\r", "\n"):
        at += 1
    return at


def _place(text: str, at: int) -> str:
    """Where an offset lies: the column, and the line where there are several."""
    column = at - text.rfind("\n", 0, at)
    line = text.count("\n", 0, at) + 1
    return f" (line {line}, column {column})" if "\n" in text.strip() else f" (column {column})"


_DECODER = json.JSONDecoder(object_pairs_hook=unique_keys)
