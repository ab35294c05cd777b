"""Reader of JSON CAS, UIMA's JSON format of documents."""

from __future__ import annotations

from ...pipeline.contract.component import component
from ...typesystem import Cas, FeatureStructure
from ...typesystem.json_cas.reader import read_jsoncas
from ...typesystem.typesystem import TypeSystem
from ..files.selection import Source
from .cas_files import CasFileReader


@component("jsoncas", outputs=[FeatureStructure])
class JsonCasReader(CasFileReader):
    """Reads JSON CAS files, plain, gzipped or in archives, with all their views.

    Documents usually contain their types. Otherwise the type system is found as for XMI: `typesystem`; else
    `<file>.typesystem.xml` beside the file; else the nearest `TypeSystem.xml`; else it is inferred from the document.
    """

    pattern: str = "*.json"

    suffixes = (".json",)

    def types_for(self, source: Source, data: bytes) -> TypeSystem | str | None:
        if self.typesystem is None and _contains_types(data):
            return None
        return super().types_for(source, data)

    def parse(self, data: bytes, types: TypeSystem | None, document: str, infer: bool) -> Cas:
        return read_jsoncas(data, types, lenient=self.lenient, infer=infer and not _contains_types(data), id=document)


def _contains_types(data: bytes) -> bool:
    return b'"%TYPES"' in data
