"""Builds the document of a request from plain text, XMI or JSON CAS, checks its limits, and adds known PHI and metadata."""

from __future__ import annotations

import json
import re
from functools import lru_cache

from ....typesystem import INITIAL_VIEW, Cas, FormatError, KnownPhi, PhiKind, TypeSystem, View, read_xmi
from ....typesystem.json_cas.reader import read_jsoncas
from ...errors import nearest
from .messages import KnownValue, ProcessRequest
from .problems import Problem

_ENCODING = re.compile(r"""^(\s*<\?xml\s[^>]{0,200}?)\s+encoding\s*=\s*["'][^"']{0,40}["']""")
_CHARSETS = frozenset(
    ("utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin-1", "windows-1252", "utf-16", "utf-16le")
)


def text_of(body: bytes, charset: str) -> str:
    """Return the text of a body. Raises Problem: 415 for an unsupported charset, 422 for bytes that are invalid in it."""
    name = (charset or "utf-8").lower()
    if name not in _CHARSETS:
        raise Problem(415, "charset", f"expected a charset of {', '.join(sorted(_CHARSETS))}")
    try:
        return body.decode(name).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise Problem(422, "encoding", f"expected {name}, found an invalid byte at {error.start}") from None


def xml_bytes(xml: str) -> bytes:
    """Return XML from a JSON string as UTF-8. The encoding in its header is ignored."""
    return _ENCODING.sub(r"\1", xml, count=1).encode("utf-8", "replace")


@lru_cache(maxsize=8)
def type_system(xml: str) -> TypeSystem:
    """Return a type system. The most recent ones are cached, because clients send the same one with each document.

    Raises FormatError or TypeSystemError.
    """
    return TypeSystem.from_xml(xml_bytes(xml), where="type system")


def read_document_xmi(data: bytes, types: TypeSystem | None, *, lenient: bool, name: str = "") -> Cas:
    """Return a CAS from XMI. Raises FormatError, whose message begins with `xmi:`."""

    try:
        return read_xmi(data, types, lenient=lenient, id=name)
    except FormatError as error:
        raise FormatError(str(error).replace("(bytes)", "xmi", 1)) from None


def text_view(cas: Cas) -> View:
    """Return the view with the text: the initial one, else the first one with text. Raises Problem if there is none."""
    if cas.has_view(INITIAL_VIEW) and cas.view().sofa.text is not None:
        return cas.view()
    for view in cas.views:
        if view.sofa.text is not None:
            return view
    raise Problem(422, "no-text", "expected a document with a text, found none")


def check_length(cas: Cas, limit: int) -> None:
    """Raise Problem if the texts of a document are too long."""
    found = sum(len(view.text) for view in cas.views)
    if found > limit:
        raise Problem(413, "text-too-long", f"expected at most {limit} code points in a document, found {found}")


def document(request: ProcessRequest, limit: int, raw: bytes = b"") -> Cas:
    """Return the document of a request. `raw`: XMI in its own encoding. Raises Problem, FormatError, CasError."""
    name = request.id or ""
    if request.text is not None:
        cas = Cas(request.text, id=name)
    else:
        types = type_system(request.typesystem) if request.typesystem is not None else None
        if request.jsoncas is not None:
            cas = _from_jsoncas(request, types, name)
        else:
            data = raw or xml_bytes(request.xmi or "")
            cas = read_document_xmi(data, types, lenient=types is None, name=name)
    check_length(cas, limit)
    if not cas.has_view(INITIAL_VIEW) or cas.view().sofa.text is None:
        raise Problem(422, "no-text", f"expected a document with a text in view {INITIAL_VIEW}, found none")
    cas.metadata.update(request.metadata)
    for number, known in enumerate(request.known_phi):
        cas.add(KnownPhi(kind=_kind(known, number), value=known.value, role=known.role, provenance=known.provenance))
    return cas


def _from_jsoncas(request: ProcessRequest, types: TypeSystem | None, name: str) -> Cas:

    data = json.dumps(request.jsoncas, ensure_ascii=False).encode("utf-8", "replace")
    try:
        return read_jsoncas(data, types, lenient=types is None, id=name)
    except FormatError as error:
        raise FormatError(str(error).replace("(bytes)", "jsoncas", 1)) from None


def _kind(known: KnownValue, number: int) -> PhiKind:
    names = [kind.name for kind in PhiKind]
    if known.kind not in names:
        raise Problem(422, "invalid", f"#/known_phi/{number}/kind: no such PHI kind{nearest(known.kind, names)}")
    return PhiKind.of(known.kind)
