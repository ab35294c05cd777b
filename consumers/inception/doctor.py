"""Check files for what INCEpTION would reject: documents with their type systems, review projects, archives in archives."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass, field
from typing import Protocol

from ...typesystem import CaspipeError, FormatError, TypeSystemError
from ...typesystem.markup.safe_xml import is_xml_11
from ...typesystem.typesystem import TypeSystem
from ...typesystem.typesystem_xml import parse
from ...typesystem.xmi.inference import infer_types
from .checks import Finding, check_document
from .raw import from_json, from_xmi

LIMIT = 268_435_456
"""Bytes of a single file, unpacked."""
_MAX_DEPTH = 2


class Files(Protocol):
    """Files by relative path, on the disk or in an archive."""

    @property
    def names(self) -> list[str]: ...
    @property
    def refused(self) -> dict[str, str]: ...
    def read(self, name: str, limit: int) -> bytes: ...
    def where(self, name: str) -> str: ...
    def types_of(self, name: str) -> str: ...
    def inner(self, name: str, limit: int) -> Files: ...


@dataclass(slots=True)
class Report:
    """Number of examined files, and the findings."""

    documents: int = 0
    typesystems: int = 0
    findings: list[Finding] = field(default_factory=list)

    def count(self, severity: str) -> int:
        return sum(f.severity == severity for f in self.findings)


class Doctor:
    """Examines files; `typesystem` is for documents that have no type system beside them."""

    def __init__(self, typesystem: TypeSystem | None = None) -> None:
        self.report = Report()
        self._given = typesystem
        self._types: dict[bytes, TypeSystem] = {}

    def examine(self, files: Files, only: str = "", depth: int = 0) -> None:
        """Examine all files, or one of them, and add to the report."""
        for name, reason in sorted(files.refused.items()):
            if not only:
                self._add(files.where(name), "Archive", reason)
        for name in [only] if only else files.names:
            where = files.where(name)
            try:
                self._file(files, name, where, depth)
            except CaspipeError as error:
                self._add_unreadable(where, str(error))

    def _file(self, files: Files, name: str, where: str, depth: int) -> None:
        lower = name.lower().removesuffix(".gz")
        if lower.endswith(".zip"):
            if depth < _MAX_DEPTH:
                self.examine(files.inner(name, LIMIT), depth=depth + 1)
        elif lower.endswith(".xmi"):
            self._xmi(files, name, where)
        elif lower.endswith("typesystem.xml"):
            self._typesystem(files.read(name, LIMIT), where)
        elif lower.endswith(".json"):
            data = _unpack(files.read(name, LIMIT), name, where)
            if b'"%FEATURE_STRUCTURES"' in data:
                self._json(data, where)

    def _xmi(self, files: Files, name: str, where: str) -> None:
        data = _unpack(files.read(name, LIMIT), name, where)
        beside = files.types_of(name.removesuffix(".gz"))
        self.report.documents += 1
        types = self._read_types(files, beside) if beside else self._given
        if types is None:
            types = _infer(data, where)
            if not beside:
                self._warn_no_types(where, "no type system beside it")
        self.report.findings += check_document(where, from_xmi(data, where, types))

    def _json(self, data: bytes, where: str) -> None:
        self.report.documents += 1
        document = from_json(data, where)
        if not list(document.types.foreign()):
            self._warn_no_types(where, "it describes no types")
        self.report.findings += check_document(where, document)

    def _read_types(self, files: Files, name: str) -> TypeSystem | None:
        """Return the type system of a file, or None, with a finding, if it cannot be read."""
        where = files.where(name)
        try:
            return self._parse_types(files.read(name, LIMIT), where)
        except (TypeSystemError, FormatError) as error:
            self._add_unreadable(where, str(error))
            return None

    def _parse_types(self, data: bytes, where: str) -> TypeSystem:
        if data not in self._types:
            parsed = parse(data, where)
            self._types[data] = TypeSystem(parsed.types, parsed.priorities)
        return self._types[data]

    def _typesystem(self, data: bytes, where: str) -> None:
        self.report.typesystems += 1
        imports = parse(data, where).imports
        for kind, value in imports:
            message = f"import by {kind} {value!r}: INCEpTION reads this file alone and does not resolve imports"
            self._add(where, "SelfContained", message)
        if not imports:
            self._parse_types(data, where)

    def _add(self, where: str, check: str, message: str) -> None:
        finding = Finding(where, "error", check, message)
        if finding not in self.report.findings:
            self.report.findings.append(finding)

    def _add_unreadable(self, where: str, message: str) -> None:
        self._add(where, "Readable", message.removeprefix(f"{where}:").strip())

    def _warn_no_types(self, where: str, reason: str) -> None:
        message = f"{reason}: INCEpTION drops types that its project does not know; import the layers first"
        self.report.findings.append(Finding(where, "warning", "NoTypeSystem", message))


def _infer(data: bytes, where: str) -> TypeSystem:
    if is_xml_11(data):
        return TypeSystem()
    try:
        return infer_types(data)
    except CaspipeError as error:
        raise FormatError(str(error).replace("(bytes)", where, 1)) from None


def _unpack(data: bytes, name: str, where: str) -> bytes:
    if not name.lower().endswith(".gz"):
        return data
    decompressor = zlib.decompressobj(31)
    try:
        unpacked = decompressor.decompress(data, LIMIT)
    except (zlib.error, gzip.BadGzipFile):
        raise FormatError(f"{where}: the gzip data are damaged or cut off") from None
    if decompressor.unconsumed_tail or not decompressor.eof:
        raise FormatError(f"{where}: the gzip data are cut off, or longer than {LIMIT:,} bytes")
    return unpacked
