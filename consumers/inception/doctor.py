"""Looks through files for what INCEpTION would refuse: documents with their type systems, bundles, archives in archives."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from ...typesystem import CaspipeError, FormatError, TypeSystemError
from ...typesystem.markup.safe_xml import is_xml_11
from ...typesystem.typesystem import TypeSystem
from ...typesystem.typesystem_xml import parse
from ...typesystem.xmi.inference import infer_types
from .checks import Checker, Finding
from .raw import Document, from_json, from_xmi
from .schema import KNOWN, Schema, schema_of

LIMIT = 268_435_456
"""Bytes of a single file, unpacked."""
_DEEPEST = 2


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
    """What was looked at, and what was found."""

    documents: int = 0
    typesystems: int = 0
    findings: list[Finding] = field(default_factory=list)

    def count(self, severity: str) -> int:
        return sum(f.severity == severity for f in self.findings)


class Doctor:
    """Examines files; `typesystem` is for documents that have none beside them."""

    def __init__(self, typesystem: TypeSystem | None = None) -> None:
        self.report = Report()
        self._given = typesystem
        self._types: dict[bytes, tuple[TypeSystem, Schema]] = {}

    def examine(self, files: Files, only: str = "", depth: int = 0) -> None:
        """Examines all files, or one of them, and adds to the report."""
        add = self.report.findings.append
        for name, reason in sorted(files.refused.items()):
            if not only:
                add(Finding(files.where(name), "error", "Archive", reason))
        for name in [only] if only else files.names:
            where = files.where(name)
            try:
                self._file(files, name, where, depth)
            except CaspipeError as error:
                self._broken(where, str(error))

    def _file(self, files: Files, name: str, where: str, depth: int) -> None:
        low = name.lower().removesuffix(".gz")
        if low.endswith(".zip"):
            if depth < _DEEPEST:
                self.examine(files.inner(name, LIMIT), depth=depth + 1)
        elif low.endswith(".xmi"):
            self._xmi(files, name, where)
        elif low.endswith("typesystem.xml"):
            self._typesystem(files.read(name, LIMIT), where)
        elif low.endswith(".json"):
            data = _unpacked(files.read(name, LIMIT), name, where)
            if b'"%FEATURE_STRUCTURES"' in data:
                self._json(data, where)
            elif name.startswith("layers/") or "/layers/" in name:
                self.report.findings += _layer_file(data, where)

    # -- documents -------------------------------------------------------------------------------------------------

    def _xmi(self, files: Files, name: str, where: str) -> None:
        data = _unpacked(files.read(name, LIMIT), name, where)
        beside = files.types_of(name.removesuffix(".gz"))
        self.report.documents += 1
        loaded = self._beside(files, beside) if beside else None
        if loaded is not None:
            types, schema = loaded
        elif beside:
            types, schema = self._guessed(data, where)
        elif self._given is not None:
            types, schema = self._given, schema_of(self._given, [t for t, _ in self._given.foreign()])
        else:
            types, schema = self._guessed(data, where)
            message = (
                "no type system beside it: INCEpTION drops what its project does not know; import the layers first"
            )
            self.report.findings.append(Finding(where, "warning", "NoTypeSystem", message))
        self._check(where, from_xmi(data, where, types), schema)

    def _beside(self, files: Files, name: str) -> tuple[TypeSystem, Schema] | None:
        """A type system file, or None and a finding where it is no good."""
        where = files.where(name)
        try:
            return self._loaded(files.read(name, LIMIT), where)
        except (TypeSystemError, FormatError) as error:
            self._broken(where, str(error))
            return None

    def _broken(self, where: str, message: str) -> None:
        found = Finding(where, "error", "Readable", message.removeprefix(f"{where}:").strip())
        if found not in self.report.findings:
            self.report.findings.append(found)

    def _guessed(self, data: bytes, where: str) -> tuple[TypeSystem, Schema]:
        if is_xml_11(data):
            return TypeSystem(), Schema()
        try:
            types = infer_types(data)
        except CaspipeError as error:
            raise FormatError(str(error).replace("(bytes)", where, 1)) from None
        return types, schema_of(types, [t for t, _ in types.foreign()])

    def _json(self, data: bytes, where: str) -> None:
        self.report.documents += 1
        document = from_json(data, where)
        own = [t for t, _ in document.types.foreign()]
        if not own:
            message = "no types in it: INCEpTION drops what its project does not know; import the layers first"
            self.report.findings.append(Finding(where, "warning", "NoTypeSystem", message))
        self._check(where, document, schema_of(document.types, own))

    def _check(self, where: str, document: Document, schema: Schema) -> None:
        self.report.findings += Checker(where, document, schema).run()

    # -- type systems ----------------------------------------------------------------------------------------------

    def _loaded(self, data: bytes, where: str) -> tuple[TypeSystem, Schema]:
        if data not in self._types:
            parsed = parse(data, where)
            types = TypeSystem(parsed.types, parsed.priorities)
            self._types[data] = types, schema_of(types, [t for t, _ in parsed.types])
        return self._types[data]

    def _typesystem(self, data: bytes, where: str) -> None:
        self.report.typesystems += 1
        parsed = parse(data, where)
        for how, value in parsed.imports:
            message = f"import by {how} {value!r}: INCEpTION reads the file alone and finds no other"
            self.report.findings.append(Finding(where, "error", "SelfContained", message))
        if parsed.imports:
            return
        _, schema = self._loaded(data, where)
        for name, reason in schema.refused.items():
            if not name.startswith(KNOWN):
                self.report.findings.append(Finding(where, "warning", "NoLayer", f"the type {reason}", name))
        for name, feature, reason in schema.ignored:
            message = f"feature {feature} is left out: {reason}"
            self.report.findings.append(Finding(where, "warning", "FeaturesLeftOut", message, name))


def _unpacked(data: bytes, name: str, where: str) -> bytes:
    if not name.lower().endswith(".gz"):
        return data
    packer = zlib.decompressobj(31)
    try:
        found = packer.decompress(data, LIMIT)
    except (zlib.error, gzip.BadGzipFile):
        raise FormatError(f"{where}: the gzip data are damaged or cut off") from None
    if packer.unconsumed_tail or not packer.eof:
        raise FormatError(f"{where}: the gzip data are cut off, or longer than {LIMIT:,} bytes")
    return found


_SPAN = ("name", "type", "features", "uiName", "anchoring_mode", "overlap_mode")


def _layer_file(data: bytes, where: str) -> Iterator[Finding]:
    """A layer file is a list of layers; the first is the one that is imported, the others are what it needs."""
    try:
        layers = json.loads(data)
    except (ValueError, RecursionError):
        yield Finding(where, "error", "LayerFile", "damaged JSON")
        return
    if not isinstance(layers, list) or not layers or not all(isinstance(layer, dict) for layer in layers):
        yield Finding(where, "error", "LayerFile", "expected a list of layers")
        return
    for layer in layers:
        absent = [key for key in _SPAN if key not in layer]
        if absent:
            yield Finding(
                where, "error", "LayerFile", f"a layer without {', '.join(absent)}", str(layer.get("name", ""))
            )


__all__ = ["Doctor", "Files", "Report"]
