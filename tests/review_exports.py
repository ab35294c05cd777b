"""Bundles for INCEpTION, and exports as INCEpTION writes them, for tests of both ways and of the checks."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from caspipe.consumers.inception import InceptionConsumer
from caspipe.typesystem import GOLD_VIEW, Cas, Phi, PhiKind, Sentence, Token
from caspipe.typesystem.review_layers import review_types_xml

TYPES = review_types_xml("phi-layer", False)
_DKPRO = "de/tudarmstadt/ukp/dkpro/core/api"


def make_bundle(folder: Path, documents: Iterable[Cas], name: str = "inception.zip", **parameters: Any) -> Path:
    """Writes documents as a bundle and returns its path."""
    made = InceptionConsumer(file=Path("restricted") / name, **parameters)
    made.output = folder
    made.open()
    for cas in documents:
        made.process(cas)
    made.close()
    return folder / "restricted" / name


def member(path: Path, name: str) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name)


def entries(path: Path) -> list[dict[str, Any]]:
    """What a bundle says of its documents."""
    found: list[dict[str, Any]] = json.loads(member(path, "documents.json"))["documents"]
    return found


def zipped(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def exported(name: str, xmi: bytes, types: bytes = TYPES) -> bytes:
    """A document as INCEpTION exports it in the format UIMA CAS XMI: a zip with its type system."""
    return zipped({f"{name}.xmi": xmi, "TypeSystem.xml": types})


def xmi(body: str, text: str = "Seen by Dr. Ivy Fern.", members: str = "") -> bytes:
    """An XMI file with these feature structures; `members` are all of them where it is not given."""
    import re

    ids = members or " ".join(re.findall(r'xmi:id="(\d+)"', body))
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("\n", "&#10;")
    return (
        '<?xml version="1.0" encoding="UTF-8"?><xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" '
        f'xmlns:seg="http:///{_DKPRO}/segmentation/type.ecore" xmlns:ner="http:///{_DKPRO}/ner/type.ecore" '
        f'xmlns:pos="http:///{_DKPRO}/lexmorph/type/pos.ecore" xmlns:tcas="http:///uima/tcas.ecore" '
        f'xmlns:meta="http:///{_DKPRO}/metadata/type.ecore" xmlns:review="http:///caspipe/review.ecore" '
        'xmlns:custom="http:///webanno/custom.ecore" xmi:version="2.0"><cas:NULL xmi:id="0"/>'
        f'{body}<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text/plain" sofaString="{escaped}"/>'
        f'<cas:View sofa="1" members="{ids}"/></xmi:XMI>'
    ).encode()


def span(number: int, type_: str, begin: int, end: int, **features: str) -> str:
    """An annotation of an XMI file."""
    more = "".join(f' {k}="{v}"' for k, v in features.items())
    return f'<{type_} xmi:id="{number}" sofa="1" begin="{begin}" end="{end}"{more}/>'


SENTENCE = span(2, "seg:Sentence", 0, 21)
TOKENS = span(3, "seg:Token", 0, 4) + span(4, "seg:Token", 5, 7)


def types_xml(*types: str) -> bytes:
    """A type system file with these `typeDescription`s beside the types of a review."""
    return TYPES.replace(b"</types>", "".join(types).encode() + b"</types>")


def type_xml(name: str, *features: tuple[str, str], above: str = "uima.tcas.Annotation") -> str:
    """A type with features (name, range)."""
    inside = "".join(
        f"<featureDescription><name>{n}</name><description/><rangeTypeName>{r}</rangeTypeName></featureDescription>"
        for n, r in features
    )
    return (
        f"<typeDescription><name>{name}</name><description/><supertypeName>{above}</supertypeName>"
        f"<features>{inside}</features></typeDescription>"
    )


_ALPHABET = 'abC1. \t\n\r\u00a0\u200b\u200d\u2028\u3000é中😀𝔊-,/&<"' + "\x00\x0c\x1d\ufffe\ud800\ufeff\x85"
_KINDS = ("DATE", "PERSON_DOCTOR", "ID", "LOCATION_CITY")


@st.composite
def documents(draw: st.DrawFn) -> Cas:
    """Documents with sentences and tokens or without, and spans that cross them, begin or end with blanks, or overlap."""
    cas = Cas(draw(st.text(_ALPHABET, max_size=40)), id=draw(st.sampled_from(["a", "ward/b 1", "#x:y@z", ".hidden"])))
    size = len(cas.text)
    for type_ in draw(st.sampled_from([(Sentence, Token), (Sentence,), (Token,), ()])):
        cuts = sorted(draw(st.lists(st.integers(0, size), max_size=8)))
        cas.view().add_all([type_(b, e) for b, e in zip(cuts[::2], cuts[1::2], strict=False)])
    view = cas.create_view(GOLD_VIEW, cas.text) if draw(st.booleans()) else cas.view()
    for _ in range(draw(st.integers(0, 5))):
        begin = draw(st.integers(0, size))
        phi = Phi(begin, draw(st.integers(begin, size)), kind=PhiKind.of(draw(st.sampled_from(_KINDS))), value="a\x00b")
        view.add(phi)
    return cas
