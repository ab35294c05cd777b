"""Read JSON CAS 0.4, UIMA's JSON format for documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..cas import Cas
from ..errors import FormatError, TypeSystemError
from ..garbage_collection import garbage_collection_paused
from ..inferred_types import extended
from ..markup.safe_xml import read_bytes
from ..markup.strict_json import DuplicateKeyError, unique_keys
from ..text import shown
from ..typesystem import TypeSystem, own_types
from .flat_reader import FlatDocument, FlatReader, array_class
from .type_table import EmbeddedTypes, extend_types

_SECTIONS = ("%HEADER", "%TYPES", "%FEATURE_STRUCTURES", "%VIEWS")


def read_jsoncas(
    source: bytes | str | Path,
    typesystem: TypeSystem | None = None,
    *,
    lenient: bool = False,
    infer: bool = False,
    id: str = "",
) -> Cas:
    """Return the document of JSON CAS: bytes, or the path of a file.

    `typesystem`: types beyond caspipe's own and those in the document. `id`: name of the document; by default that of its
    DocumentMetaData. Strict reading refuses everything that does not conform; `infer` infers unknown types and features from what
    occurs. Lenient reading does that too, sets dangling references to null and moves offsets into the text, each with a note
    in `metadata["jsoncas:notes"]`. Anchors (`^begin`), a header, and feature structures as an object by id are accepted.

    Raises FormatError, which names file, feature structure and feature, and OSError. Messages contain no text of the document.
    """
    data, where = read_bytes(source)
    with garbage_collection_paused():
        document = _parse(data, where)
        notes: list[str] = []
        types = _types(document, where, typesystem or own_types(), lenient, notes)
        reader = _Reader(where, _flat(document, where, data, lenient, notes), types, lenient)
        if lenient or infer:
            types = extend_types(types, reader.rows, f"{where} (inferred)")
            reader.types = types
        reader.given = types if types is not own_types() else None
        reader.notes = notes
        return reader.read(id)


class _Reader(FlatReader):
    notes_key = "jsoncas:notes"

    def __init__(self, where: str, flat: FlatDocument, types: TypeSystem, lenient: bool) -> None:
        super().__init__(flat, types, None, lenient)
        self.where = where

    def place(self, row: int) -> str:
        number = self.rows[row].get("%ID") if row < len(self.rows) and isinstance(self.rows[row], dict) else None
        known = f" (%ID {number})" if number.__class__ is int else ""
        return f"{self.where}: %FEATURE_STRUCTURES[{row}]{known}"


def _parse(data: bytes, where: str) -> dict[str, Any]:
    try:
        text = data.decode(json.detect_encoding(data))
    except UnicodeDecodeError as e:
        raise FormatError(f"{where}: byte {e.start}: expected JSON in UTF-8") from None
    document = _loads(text.removeprefix("\ufeff"), where)
    if not isinstance(document, dict):
        raise FormatError(f"{where}: expected a JSON object with %FEATURE_STRUCTURES and %VIEWS")
    return document


def _loads(text: str, where: str) -> Any:
    def constant(name: str) -> Any:
        raise FormatError(f"{where}: {name} is not JSON; expected it as a string, its feature with # before the name")

    try:
        return json.loads(text, parse_constant=constant, object_pairs_hook=unique_keys)
    except DuplicateKeyError:
        raise FormatError(f"{where}: a property occurs twice in one object") from None
    except json.JSONDecodeError as e:
        what = e.msg.split(":")[0].split(" at")[0].lower()  # without the text at that position
        raise FormatError(f"{where}:{e.lineno}:{e.colno}: damaged JSON: {what}") from None
    except RecursionError:
        raise FormatError(f"{where}: JSON nested deeper than any document") from None
    except FormatError:
        raise
    except ValueError:
        raise FormatError(f"{where}: a number of too many digits") from None


def _types(document: dict[str, Any], where: str, base: TypeSystem, lenient: bool, notes: list[str]) -> TypeSystem:
    def contradiction(message: str) -> None:
        if not lenient:
            raise TypeSystemError(message)
        notes.append(message.removeprefix(f"{where}: "))

    if document.get("%TYPES") is None:
        return base
    try:
        beyond = EmbeddedTypes(f"{where}: %TYPES", base, contradiction).beyond(document["%TYPES"])
        return extended(base, beyond, f"{where}: %TYPES")
    except TypeSystemError as e:
        raise FormatError(str(e)) from None


def _flat(document: dict[str, Any], where: str, data: bytes, lenient: bool, notes: list[str]) -> FlatDocument:
    unknown = [k for k in document if k not in _SECTIONS]
    if unknown and not lenient:
        raise FormatError(f"{where}: expected {', '.join(_SECTIONS)}, got another section")
    rows = document.get("%FEATURE_STRUCTURES", [] if "%VIEWS" in document else None)
    if isinstance(rows, dict):
        rows = _numbered(rows, where)
    if not isinstance(rows, list):
        raise FormatError(f"{where}: %FEATURE_STRUCTURES: expected an array, or an object by id")
    views = document.get("%VIEWS")
    if views is None and lenient:
        notes.append("%VIEWS is absent: each annotation is indexed in the view of its Sofa")
        return FlatDocument(rows, _implied(rows))
    if not isinstance(views, dict):
        raise FormatError(f"{where}: %VIEWS: expected an object")
    return FlatDocument(rows, [_view(name, body, f"{where}: %VIEWS.{shown(name)}") for name, body in views.items()])


def _view(name: str, body: Any, where: str) -> tuple[str, int, list[int]]:
    if not isinstance(body, dict):
        raise FormatError(f"{where}: expected an object with %SOFA and %MEMBERS")
    sofa, members = body.get("%SOFA"), body.get("%MEMBERS")
    if sofa is not None and sofa.__class__ is not int:
        raise FormatError(f"{where}.%SOFA: expected the number of a Sofa")
    if members is None:
        members = []
    if not isinstance(members, list) or not {m.__class__ for m in members} <= {int}:
        raise FormatError(f"{where}.%MEMBERS: expected an array of numbers of feature structures")
    return name, sofa or 0, members


def _numbered(rows: dict[str, Any], where: str) -> list[Any]:
    """Return feature structures by id as an array."""
    numbered: list[Any] = []
    for key, body in rows.items():
        if not (key.isdecimal() and key.isascii() and len(key) <= 10):
            raise FormatError(f"{where}: %FEATURE_STRUCTURES: expected ids as numbers below 2147483648")
        if not isinstance(body, dict):
            raise FormatError(f"{where}: %FEATURE_STRUCTURES.{key}: expected an object")
        numbered.append({"%ID": int(key), **{k: v for k, v in body.items() if k != "%ID"}})
    return numbered


def _implied(rows: list[Any]) -> list[tuple[str, int, list[int]]]:
    """Return a view for each Sofa, with the annotations that refer to it."""
    views: dict[int, tuple[str, int, list[int]]] = {}
    known = [
        r for r in rows if isinstance(r, dict) and r.get("%ID").__class__ is int and isinstance(r.get("%TYPE"), str)
    ]
    for row in known:
        if row["%TYPE"] == "uima.cas.Sofa" and isinstance(row.get("sofaID"), str):
            views[row["%ID"]] = row["sofaID"], row["%ID"], []
    for row in known:
        sofa = row.get("@sofa")
        if sofa.__class__ is int and sofa in views and not array_class(row["%TYPE"]):
            views[sofa][2].append(row["%ID"])
    return list(views.values())
