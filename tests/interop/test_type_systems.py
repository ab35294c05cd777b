"""Type system files, before us and before Apache UIMA for Java: the same are taken, the same refused."""

from __future__ import annotations

import pytest
from uima import Uima
from wild import HEAD, NULL

from caspipe.typesystem import CaspipeError, TypeSystem

pytestmark = pytest.mark.java

NAMESPACE = "http://uima.apache.org/resourceSpecifier"


def feature(name: str, range_: str, more: str = "") -> str:
    return f"<featureDescription><name>{name}</name><rangeTypeName>{range_}</rangeTypeName>{more}</featureDescription>"


def described(name: str, above: str = "uima.tcas.Annotation", features: str = "", values: str = "") -> str:
    return (
        f"<typeDescription><name>{name}</name><supertypeName>{above}</supertypeName>{values}"
        f"<features>{features}</features></typeDescription>"
    )


def file(*types: str, header: str = '<?xml version="1.0"?>', more: str = "") -> bytes:
    xml = f'{header}<typeSystemDescription xmlns="{NAMESPACE}"><name>n</name>{more}<types>{"".join(types)}</types>'
    return f"{xml}</typeSystemDescription>".encode()


MANY = "<multipleReferencesAllowed>{}</multipleReferencesAllowed>"
OF = "<elementType>{}</elementType>"
ARRAY, STRING, INTEGER = "uima.cas.FSArray", "uima.cas.String", "uima.cas.Integer"
VALUES = "<allowedValues><value><string>x</string></value></allowedValues>"
TAKEN = {
    "UIMA's own types once more": file(
        described(
            "uima.tcas.Annotation", "uima.cas.AnnotationBase", feature("begin", INTEGER) + feature("end", INTEGER)
        )
    ),
    "more features on DocumentAnnotation": file(
        described("uima.tcas.DocumentAnnotation", features=feature("x", STRING))
    ),
    "a list below UIMA's": file(described("a.L", "uima.cas.NonEmptyFSList", feature("x", STRING))),
    "values below String": file(
        described("a.L", STRING, values=VALUES), described("a.T", features=feature("l", "a.L"))
    ),
    "an empty list of values": file(described("a.T", values="<allowedValues/>")),
    "a type of elements where there are none": file(
        described("a.T", features=feature("x", STRING, OF.format("no.Type")))
    ),
    "several references to what is no array": file(described("a.T", features=feature("x", STRING, MANY.format("yes")))),
    "a range of lists": file(
        described("a.T", features=feature("x", "uima.cas.ListBase") + feature("y", "uima.cas.EmptyFSList"))
    ),
    "a supertype that is refined": file(described("a.S"), described("a.T"), described("a.T", "a.S")),
    "a feature again below": file(
        described("a.S", features=feature("x", STRING)), described("a.T", "a.S", feature("x", STRING))
    ),
    "types in any order": file(described("a.T", "a.S"), described("a.S")),
    "blanks around names": file(described(" a.T\n", "\tuima.tcas.Annotation ")),
    "XML 1.1 with control characters": file(
        described("a.T"), header='<?xml version="1.1"?>', more="<description>&#1;</description>"
    ),
    "Python's words": file(described("a.T", features=feature("class", STRING) + feature("self", STRING))),
}
REFUSED = {
    "more features on Annotation": file(
        described("uima.tcas.Annotation", "uima.cas.AnnotationBase", feature("x", STRING))
    ),
    "an array below UIMA's": file(described("a.L", ARRAY)),
    "a feature with two ranges in one type": file(
        described("a.T", features=feature("x", STRING) + feature("x", INTEGER))
    ),
    "a feature with two ranges": file(
        described("a.T", features=feature("x", STRING)), described("a.T", features=feature("x", INTEGER))
    ),
    "an array that may and may not be shared": file(
        described("a.T", features=feature("x", ARRAY, MANY.format("true"))),
        described("a.T", features=feature("x", ARRAY)),
    ),
    "elements of an unknown type": file(described("a.T", features=feature("x", ARRAY, OF.format("no.Type")))),
    "values below what is no String": file(described("a.T", values=VALUES)),
    "features below String": file(described("a.T", STRING, feature("x", STRING))),
    "a circle": file(described("a.T", "a.S"), described("a.S", "a.T")),
    "supertypes that contradict": file(
        described("a.R"), described("a.S"), described("a.T", "a.R"), described("a.T", "a.S")
    ),
    "a hyphen": file(described("a-b.T")),
    "an underscore first": file(described("a.T", features=feature("_x", STRING))),
    "another range below": file(
        described("a.S", features=feature("x", STRING)), described("a.T", "a.S", feature("x", INTEGER))
    ),
}


@pytest.mark.parametrize("name", TAKEN)
def test_what_java_takes_we_take(name: str) -> None:
    types = TypeSystem.from_xml(TAKEN[name])
    assert TypeSystem.from_xml(types.to_xml()) == types
    assert all(types[t] for t in types if not types.range_kind(t))


@pytest.mark.parametrize("name", REFUSED)
def test_what_java_refuses_we_refuse(name: str) -> None:
    with pytest.raises(CaspipeError):
        TypeSystem.from_xml(REFUSED[name])


def test_java_says_so_too_and_takes_what_we_write(java: Uima) -> None:
    empty = f"{HEAD}{NULL}</xmi:XMI>".encode()
    both = {**TAKEN, **REFUSED}
    for (name, _), answer in zip(both.items(), java.check([(empty, t) for t in both.values()]), strict=True):
        assert ("error" in answer) == (name in REFUSED), (name, answer)
    written = [(empty, TypeSystem.from_xml(t).to_xml()) for t in TAKEN.values()]
    for name, answer in zip(TAKEN, java.check(written), strict=True):
        assert "error" not in answer, (name, answer)
