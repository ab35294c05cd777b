"""Reader of UIMA XMI, written by caspipe or other tools."""

from __future__ import annotations

from ...pipeline.contract.component import component
from ...typesystem import Cas, FeatureStructure
from ...typesystem.typesystem import TypeSystem, own_types
from ...typesystem.xmi.inference import infer_types
from ...typesystem.xmi.reader import read_xmi
from .cas_files import CasFileReader


@component("xmi", outputs=[FeatureStructure])
class XmiReader(CasFileReader):
    """Reads XMI files, plain, gzipped or in archives, with all their views.

    The type system is `typesystem`; else `<file>.typesystem.xml` beside the file; else the nearest `TypeSystem.xml` in its
    folder or those above, up to `folder` or the top of its archive; else caspipe's own types and inferred ones.
    """

    pattern: str = "*.xmi"

    suffixes = (".xmi",)

    def parse(self, data: bytes, types: TypeSystem | None, document: str, infer: bool) -> Cas:
        if infer and not self.lenient:
            types = infer_types(data)
            types = types if types is not own_types() else None
        return read_xmi(data, types, lenient=self.lenient, id=document)
