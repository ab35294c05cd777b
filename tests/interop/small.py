"""Small type systems and documents written by hand, for one point each."""

from __future__ import annotations

from typing import Any

from caspipe.typesystem import Annotation, Cas, TypeSystem, read_xmi, write_xmi

BODY = (
    '<?xml version="1.0"?>\n<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" '
    'xmlns:my="http:///my.ecore" xmi:version="2.0">\n<cas:NULL xmi:id="0"/>\n'
    '<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text/plain" sofaString="{text}"/>\n{rows}'
    '<cas:View sofa="1" members="{members}"/>\n</xmi:XMI>'
)


def types(**features: str) -> tuple[TypeSystem, Any]:
    """A type system with one annotation type `my.T` of these features, and its class."""
    ts = TypeSystem()
    return ts, ts.create_type("my.T", Annotation, features)


def back(cas: Cas, **options: Any) -> Cas:
    return read_xmi(write_xmi(cas, **options), cas.typesystem)


def xmi(rows: str, members: str, text: str = "abc def") -> bytes:
    return BODY.format(rows=rows, members=members, text=text).encode()
