"""The CAS and its types, which readers, engines and consumers share."""

from typing import TYPE_CHECKING, Any

from .annotation import Annotation, Feature, FeatureStructure, uima_type
from .arrays import (
    BooleanArray,
    ByteArray,
    DoubleArray,
    FloatArray,
    FSArray,
    IntegerArray,
    LongArray,
    ShortArray,
    StringArray,
)
from .cas import DEIDENTIFIED_VIEW, GOLD_VIEW, INITIAL_VIEW, Cas
from .errors import CasError, CaspipeError, CaspipeWarning, FormatError, TypeSystemError
from .optional_spans import optional_spans
from .phi import HIPAA, POLICIES, PhiKind, Policy, counts_for_hipaa, first_level
from .text import OffsetMap, Replacement, Sofa, replace_spans
from .tokens import FormTable, TokenTable
from .types import (
    OPTIONAL,
    TYPE_PRIORITY,
    Chunk,
    DocumentAnnotation,
    DocumentMetaData,
    KnownPhi,
    Leak,
    ListHit,
    MaskedSpan,
    MedicalTerm,
    Phi,
    PhiCandidate,
    RecordField,
    Sentence,
    SpanAttribute,
    TermGroup,
    Token,
    TokenScore,
    TokenVerdict,
)
from .typesystem import TypeSystem
from .view import View

if TYPE_CHECKING:
    from .cassis.from_cassis import from_cassis
    from .cassis.to_cassis import to_cassis
    from .json_cas.reader import read_jsoncas
    from .json_cas.writer import save_jsoncas, write_jsoncas
    from .xcas.reader import read_xcas
    from .xmi.inference import infer_types
    from .xmi.reader import read_xmi
    from .xmi.writer import save_xmi, write_xmi

_FORMATS = {
    "from_cassis": "cassis.from_cassis",
    "to_cassis": "cassis.to_cassis",
    "infer_types": "xmi.inference",
    "read_jsoncas": "json_cas.reader",
    "save_jsoncas": "json_cas.writer",
    "write_jsoncas": "json_cas.writer",
    "read_xcas": "xcas.reader",
    "read_xmi": "xmi.reader",
    "save_xmi": "xmi.writer",
    "write_xmi": "xmi.writer",
}
"""The modules of the functions that read and write files, which are imported on first use: most commands need none."""


def __getattr__(name: str) -> Any:
    if name not in _FORMATS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    function = globals()[name] = getattr(import_module(f"{__name__}.{_FORMATS[name]}"), name)
    return function


__all__ = [
    "DEIDENTIFIED_VIEW",
    "GOLD_VIEW",
    "HIPAA",
    "INITIAL_VIEW",
    "OPTIONAL",
    "POLICIES",
    "TYPE_PRIORITY",
    "Annotation",
    "BooleanArray",
    "ByteArray",
    "Cas",
    "CasError",
    "CaspipeError",
    "CaspipeWarning",
    "Chunk",
    "DocumentAnnotation",
    "DocumentMetaData",
    "DoubleArray",
    "FSArray",
    "Feature",
    "FeatureStructure",
    "FloatArray",
    "FormTable",
    "FormatError",
    "IntegerArray",
    "KnownPhi",
    "Leak",
    "ListHit",
    "LongArray",
    "MaskedSpan",
    "MedicalTerm",
    "OffsetMap",
    "Phi",
    "PhiCandidate",
    "PhiKind",
    "Policy",
    "RecordField",
    "Replacement",
    "Sentence",
    "ShortArray",
    "Sofa",
    "SpanAttribute",
    "StringArray",
    "TermGroup",
    "Token",
    "TokenScore",
    "TokenTable",
    "TokenVerdict",
    "TypeSystem",
    "TypeSystemError",
    "View",
    "counts_for_hipaa",
    "first_level",
    "from_cassis",
    "infer_types",
    "optional_spans",
    "read_jsoncas",
    "read_xcas",
    "read_xmi",
    "replace_spans",
    "save_jsoncas",
    "save_xmi",
    "to_cassis",
    "uima_type",
    "write_jsoncas",
    "write_xmi",
]
