"""Type system descriptions in XML, made from names: what the tests of type systems load."""

from __future__ import annotations

from caspipe.typesystem import TypeSystem

NS = 'xmlns="http://uima.apache.org/resourceSpecifier"'


RULE = "expected letters, digits and underscores, each part beginning with a letter"


def described(*types: str, imports: str = "") -> str:
    return f"<typeSystemDescription {NS}><name>t</name>{imports}<types>{''.join(types)}</types></typeSystemDescription>"


def a_type(name: str, above: str = "uima.tcas.Annotation", **features: str) -> str:
    inner = "".join(
        f"<featureDescription><name>{n}</name><rangeTypeName>{r}</rangeTypeName></featureDescription>"
        for n, r in features.items()
    )
    return (
        f"<typeDescription><name>{name}</name><description/><supertypeName>{above}</supertypeName>"
        f"<features>{inner}</features></typeDescription>"
    )


def load(*types: str) -> TypeSystem:
    return TypeSystem.from_xml(described(*types).encode(), where="t.xml")
