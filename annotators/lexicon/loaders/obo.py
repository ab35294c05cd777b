"""OBO ontologies such as the Human Phenotype Ontology and the Disease Ontology: names and synonyms of live terms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ....pipeline.errors import ResourceError
from ..delimited_files import head, numbered
from ..term import GROUPS, Format, Term, TermSource

SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)" (EXACT|NARROW|BROAD|RELATED)([^\[]*)')
DEFAULT_GROUPS = {"HP": "SIGN_SYMPTOM", "UBERON": "ANATOMICAL_SITE", "FMA": "ANATOMICAL_SITE", "CHEBI": "MEDICATION"}
"""Prefix of the identifiers -> group; other ontologies are taken for ontologies of diseases (DOID, MONDO)."""
Stanza = dict[str, list[tuple[int, str]]]


def detect(path: Path) -> bool:
    return ".obo" in path.suffixes or head(path, 256).startswith("format-version:")


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    scopes = frozenset(options.get("scopes", "EXACT").upper().split(","))
    given = options.get("group", "")
    if given and given not in GROUPS:
        raise ResourceError(f"option group: expected one of {', '.join(sorted(GROUPS))}, got {given!r}")

    def terms() -> Iterator[Term]:
        for stanza in _stanzas(path):
            if any(value == "true" for _, value in stanza.get("is_obsolete", ())):
                continue
            if "id" not in stanza or "name" not in stanza:
                raise ResourceError(
                    f"{path}:{min(n for v in stanza.values() for n, _ in v)}: expected id and name in a term"
                )
            concept, name = stanza["id"][0][1], stanza["name"][0][1]
            group = given or DEFAULT_GROUPS.get(concept.partition(":")[0], "DISEASE_DISORDER")
            umls = next((x[5:] for _, x in stanza.get("xref", ()) if x.startswith("UMLS:")), "").split(" ")[0]
            yield Term(name, group, concept, name, columns=umls)
            for number, value in stanza.get("synonym", ()):
                match = SYNONYM.match(value)
                if not match:
                    raise ResourceError(f'{path}:{number}: expected synonym: "text" SCOPE [xrefs]')
                if match[2] in scopes:
                    case = "exact" if "abbreviation" in match[3] else "auto"
                    yield Term(re.sub(r"\\(.)", r"\1", match[1]), group, concept, name, case, umls)

    return TermSource(path.name.split(".")[0], terms(), {}, ("umls",))


def _stanzas(path: Path) -> Iterator[Stanza]:
    """Yield the `[Term]` stanzas: the values of each tag with their line numbers."""
    stanza: Stanza | None = None
    for number, line in numbered(path):
        if line.startswith("["):
            if stanza:
                yield stanza
            stanza = {} if line.startswith("[Term]") else None
        elif stanza is not None:
            tag, _, value = line.partition(": ")
            stanza.setdefault(tag, []).append((number, value.strip()))
    if stanza:
        yield stanza


FORMAT = Format(
    "obo",
    "OBO ontology (HPO, DOID, MONDO ...)",
    detect,
    read,
    options={
        "scopes": "synonym scopes to keep, separated by commas; default EXACT",
        "group": "group of every term; by default by the prefix of its identifier",
    },
)
