"""Reader of XCAS, UIMA's older XML form of documents."""

from __future__ import annotations

from ...pipeline.contract.component import component
from ...typesystem import Cas, FeatureStructure
from ...typesystem.typesystem import TypeSystem
from .cas_files import CasFileReader


@component("xcas", outputs=[FeatureStructure])
class XcasReader(CasFileReader):
    """Reads XCAS files, plain, gzipped or in archives, with all their views: those of UIMA 2 and later, and older ones.

    The type system is `typesystem`; else `<file>.typesystem.xml` beside the file; else the nearest `TypeSystem.xml` in its
    folder or those above, up to `folder` or the top of its archive; else caspipe's own types and what occurs in the document.
    """

    pattern: str = "*.xcas"

    suffixes = (".xcas", ".xcas.xml", ".xml")

    def parse(self, data: bytes, types: TypeSystem | None, document: str, infer: bool) -> Cas:
        from ...typesystem.xcas.reader import read_xcas

        return read_xcas(data, types, lenient=self.lenient, infer=infer, id=document)
