"""Reader of XCAS, UIMA's older XML format of documents."""

from __future__ import annotations

from ...pipeline.contract.component import component
from ...typesystem import Cas, FeatureStructure
from ...typesystem.typesystem import TypeSystem
from ...typesystem.xcas.reader import read_xcas
from .cas_files import CasFileReader


@component("xcas", outputs=[FeatureStructure])
class XcasReader(CasFileReader):
    """Reads XCAS files of all UIMA versions, plain, gzipped or in archives, with all their views.

    The type system is `typesystem`; else `<file>.typesystem.xml` beside the file; else the nearest `TypeSystem.xml` in its
    folder or those above, up to `folder` or the top of its archive; else caspipe's own types and inferred ones.
    """

    pattern: str = "*.xcas"

    suffixes = (".xcas", ".xcas.xml", ".xml")

    def parse(self, data: bytes, types: TypeSystem | None, document: str, infer: bool) -> Cas:
        return read_xcas(data, types, lenient=self.lenient, infer=infer, id=document)
