"""How files express caspipe's own types: the source of annotations, POS as an annotation, metadata and offset maps as records."""

from __future__ import annotations

from enum import Enum
from typing import Any, cast

from .annotation import Annotation, Feature, FeatureStructure, uima_type
from .phi import PhiKind
from .types import Token

_DKPRO = "de.tudarmstadt.ukp.dkpro.core.api"
_STANDARD = (_DKPRO + ".", "uima.")


@uima_type(f"{_DKPRO}.lexmorph.type.pos.POS")
class Pos(Annotation):
    """The part of speech of a token as in DKPro. Made when a document is written, dropped when it is read."""

    PosValue: str | None = None
    """Penn Treebank tag."""
    coarseValue: str | None = None
    """Universal part of speech: `NOUN`, `VERB`."""


@uima_type("caspipe.Metadata")
class MetadataRecord(FeatureStructure):
    """The metadata of a document in a file."""

    keys: list[str] = []  # noqa: RUF012  a field, not a shared class attribute
    values: list[str] = []  # noqa: RUF012


@uima_type("caspipe.OffsetMap")
class OffsetMapRecord(FeatureStructure):
    """The offset map of a view in a file: for each replacement, its span in the old text and its new length (code points)."""

    view: str
    begins: list[int] = []  # noqa: RUF012
    ends: list[int] = []  # noqa: RUF012
    lengths: list[int] = []  # noqa: RUF012


POS_LINK = Feature("pos", Pos.uima_name, python=Pos)
"""`Token.pos` in files."""

_COARSE = {
    **dict.fromkeys(("JJ", "JJR", "JJS", "AFX"), "ADJ"),
    **dict.fromkeys(("RB", "RBR", "RBS", "WRB"), "ADV"),
    **dict.fromkeys(("IN",), "ADP"),
    **dict.fromkeys(("CC",), "CCONJ"),
    **dict.fromkeys(("DT", "PDT", "WDT"), "DET"),
    **dict.fromkeys(("UH",), "INTJ"),
    **dict.fromkeys(("NN", "NNS"), "NOUN"),
    **dict.fromkeys(("CD",), "NUM"),
    **dict.fromkeys(("POS", "RP", "TO"), "PART"),
    **dict.fromkeys(("PRP", "PRP$", "WP", "WP$", "EX"), "PRON"),
    **dict.fromkeys(("NNP", "NNPS"), "PROPN"),
    **dict.fromkeys((".", ",", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP"), "PUNCT"),
    **dict.fromkeys(("#", "$", "SYM"), "SYM"),
    **dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"), "VERB"),
}


def coarse(tag: str) -> str:
    """Return the universal part of speech (UD version 2) of a Penn Treebank tag; X for an unknown tag."""
    return _COARSE.get(tag, "X")


def supertype(cls: type[FeatureStructure]) -> type[FeatureStructure]:
    """Return the class of the supertype of a type."""
    for base in cls.__mro__[1:]:
        if "uima_name" in base.__dict__ and base.__dict__["uima_name"] != cls.uima_name:
            return cast(type[FeatureStructure], base)
    return FeatureStructure


def has_source(cls: type[FeatureStructure]) -> bool:
    """Return whether files contain the `source` of an annotation: for declared types, not for standard or foreign ones."""
    return "source" not in cls.features and any(
        issubclass(base, Annotation)
        and "uima_name" in base.__dict__
        and "_spec" not in base.__dict__
        and not base.uima_name.startswith(_STANDARD)
        for base in cls.__mro__
    )


SOURCE = Feature("source", "uima.cas.String", python=str, default="", attribute="_source")
"""The component that made an annotation, in files."""


def features_in_files(cls: type[FeatureStructure]) -> list[Feature]:
    """Return the features of a declared class as files contain them, inherited ones first; without begin, end and sofa."""
    features = list(cls.features.values())
    if issubclass(cls, Token):
        features = [POS_LINK if f.name == "pos" else f for f in features]
    if has_source(cls):
        features.append(SOURCE)
    return features


def from_text(python: Any, text: str) -> Any:
    """Return the value of a feature whose Python type is `python`. Raises ValueError or KeyError for an unknown value."""
    if python is str or python is object:
        return text
    if isinstance(python, type) and issubclass(python, Enum):
        return python[text]
    if python is PhiKind:
        return PhiKind.of(text)
    return python(text)
