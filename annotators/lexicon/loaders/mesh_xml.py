"""MeSH descriptors in XML: `descYYYY.xml` or `.gz`, read record by record, without entities, DTD or network."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from pathlib import Path

from ....pipeline.errors import ResourceError
from ..delimited_files import head
from ..term import Format, Term, TermSource
from ..term_groups import mesh_groups
from .mesh import LICENCE, uninverted


def detect(path: Path) -> bool:
    return "<DescriptorRecordSet" in head(path, 2048)


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    from lxml import etree

    def terms() -> Iterator[Term]:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            context = etree.iterparse(
                file, tag="DescriptorRecord", resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False
            )
            try:
                for _, record in context:
                    yield from _terms(path, record)
                    record.clear()
                    while record.getprevious() is not None:
                        del record.getparent()[0]
            except etree.XMLSyntaxError as error:
                raise ResourceError(f"{path}:{error.lineno}: expected well-formed MeSH descriptor XML") from None

    return TermSource("MeSH", terms(), {"licence": LICENCE})


def _terms(path: Path, record: object) -> Iterator[Term]:
    from lxml import etree

    assert isinstance(record, etree._Element)
    concept, heading = record.findtext("DescriptorUI"), record.findtext("DescriptorName/String")
    if not concept or not heading:
        raise ResourceError(
            f"{path}:{record.sourceline}: expected DescriptorUI and DescriptorName/String in each record"
        )
    for group in mesh_groups([e.text or "" for e in record.iterfind("TreeNumberList/TreeNumber")]):
        for term in record.iterfind("ConceptList/Concept/TermList/Term"):
            text = term.findtext("String") or ""
            if not text or term.get("IsPermutedTermYN") == "Y":
                continue
            short = term.get("LexicalTag") in ("ABB", "ACR", "ABX", "ACX")
            for form in {text: 0, uninverted(text): 0}:
                yield Term(form, group, concept, heading, "exact" if short else "auto")


FORMAT = Format("mesh_xml", "MeSH descriptors, XML (descYYYY.xml)", detect, read)
