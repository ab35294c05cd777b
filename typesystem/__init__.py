"""The CAS and its types: what readers, engines and consumers share."""

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
from .late_pattern import late_pattern
from .phi import HIPAA, POLICIES, PhiKind, Policy
from .text import OffsetMap, Replacement, Sofa, replace_spans
from .tokens import FormTable, TokenTable
from .types import (
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
    from .cassis_bridge import from_cassis, to_cassis
    from .jsoncas_reader import read_jsoncas
    from .jsoncas_writer import save_jsoncas, write_jsoncas
    from .xcas_reader import read_xcas
    from .xmi_reader import read_xmi
    from .xmi_writer import save_xmi, write_xmi

_FORMATS = {
    "from_cassis": "cassis_bridge",
    "to_cassis": "cassis_bridge",
    "read_jsoncas": "jsoncas_reader",
    "save_jsoncas": "jsoncas_writer",
    "write_jsoncas": "jsoncas_writer",
    "read_xcas": "xcas_reader",
    "read_xmi": "xmi_reader",
    "save_xmi": "xmi_writer",
    "write_xmi": "xmi_writer",
}
"""What reads and writes files, by module: imported when asked for, since most commands start without."""


def __getattr__(name: str) -> Any:
    if name not in _FORMATS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(f"{__name__}.{_FORMATS[name]}"), name)
    return found


__all__ = [
    "DEIDENTIFIED_VIEW",
    "GOLD_VIEW",
    "HIPAA",
    "INITIAL_VIEW",
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
    "from_cassis",
    "late_pattern",
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
