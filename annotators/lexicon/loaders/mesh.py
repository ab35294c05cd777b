"""MeSH descriptors: `dYYYY.bin`, records of `KEY = VALUE` lines, and `descYYYY.xml` or `.gz`, without DTD or network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ....pipeline.errors import ResourceError
from ..delimited_files import head, numbered, open_bytes
from ..term import Format, Term, TermSource
from ..term_groups import TUI_OPTION, groups_of, mesh_groups, tui_groups

LICENCE = "Medical Subject Headings, courtesy of the U.S. National Library of Medicine (your copy)"
Record = dict[str, list[str]]


def detect(path: Path) -> bool:
    return head(path, 512).startswith("*NEWRECORD")


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    table = tui_groups(options)

    def terms() -> Iterator[Term]:
        for record in _records(path):
            if "MH" not in record or "UI" not in record:
                continue
            concept, heading = record["UI"][0], record["MH"][0]
            # ST holds the semantic types of the descriptor; headings without one go by their place in the tree
            groups = groups_of(record.get("ST", ()), table) or mesh_groups(record.get("MN", ()))
            for group in groups:
                yield Term(heading, group, concept)
                for entry in record.get("PRINT ENTRY", []) + record.get("ENTRY", []):
                    text, tag = _entry(entry)
                    for form in {text: 0, uninverted(text): 0}:
                        yield Term(form, group, concept, heading, "exact" if tag in ("ABB", "ACR") else "auto")

    return TermSource("MeSH", terms(), {"licence": LICENCE})


def _records(path: Path) -> Iterator[Record]:
    record: Record = {}
    for number, line in numbered(path):
        if line.startswith("*NEWRECORD"):
            if record:
                yield record
            record = {}
            continue
        key, equals, value = line.partition(" = ")
        if not equals:
            raise ResourceError(f"{path}:{number}: expected KEY = VALUE or *NEWRECORD")
        record.setdefault(key.strip(), []).append(value.strip())
    if record:
        yield record


def _entry(value: str) -> tuple[str, str]:
    """(term, lexical tag) of an entry `term|TUI|tag|relation|thesaurus|date|letters`.

    The last part says which of the fields a to f exist: a is the term, b the TUI, c the lexical tag.
    """
    parts = value.split("|")
    letters = parts[-1] if len(parts) > 1 else "a"
    fields = dict(zip(letters, parts[:-1] or parts, strict=False))
    text = fields.get("a", parts[0])
    tag = fields.get("c", "")
    if tag in ("ABB", "ACR"):
        text = text.partition(" (")[0]  # `QD (Disease)`: the words in brackets only tell homographs apart
    return text, tag


def uninverted(text: str) -> str:
    """Return a heading in natural order: `Rheumatoid Arthritis` for `Arthritis, Rheumatoid`. Others do not change."""
    head_, comma, rest = text.partition(", ")
    return f"{rest} {head_}" if comma and "," not in rest and not rest[:1].isdigit() else text


FORMAT = Format("mesh", "MeSH descriptors, ASCII (dYYYY.bin)", detect, read, options={"tuis": TUI_OPTION})


def detect_xml(path: Path) -> bool:
    return "<DescriptorRecordSet" in head(path, 2048)


def read_xml(path: Path, options: Mapping[str, str]) -> TermSource:
    from lxml import etree

    def terms() -> Iterator[Term]:
        with open_bytes(path) as file:
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


XML_FORMAT = Format("mesh_xml", "MeSH descriptors, XML (descYYYY.xml)", detect_xml, read_xml)
