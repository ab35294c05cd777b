"""The CAS and its types: what readers, engines and consumers share."""

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
from .cassis_bridge import from_cassis, to_cassis
from .errors import CasError, CaspipeError, CaspipeWarning, FormatError, TypeSystemError
from .jsoncas_reader import read_jsoncas
from .jsoncas_writer import save_jsoncas, write_jsoncas
from .phi import HIPAA, POLICIES, PhiKind, Policy
from .text import OffsetMap, Replacement, Sofa, replace_spans
from .tokens import FormTable, TokenTable
from .types import (
    TYPE_PRIORITY,
    Chunk,
    DocumentAnnotation,
    DocumentMetaData,
    KnownPhi,
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
from .xcas_reader import read_xcas
from .xmi_reader import read_xmi
from .xmi_writer import save_xmi, write_xmi

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
