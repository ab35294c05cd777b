"""The types of caspipe: sentences, tokens, terms, PHI. The UIMA type system is generated from these classes."""

from __future__ import annotations

from enum import Enum

from .annotation import Annotation, FeatureStructure, uima_type
from .phi import PhiKind

_DKPRO = "de.tudarmstadt.ukp.dkpro.core.api"


class TermGroup(Enum):
    """Semantic groups of medical terms, as in cTAKES."""

    SIGN_SYMPTOM = "SIGN_SYMPTOM"
    DISEASE_DISORDER = "DISEASE_DISORDER"
    MEDICATION = "MEDICATION"
    ANATOMICAL_SITE = "ANATOMICAL_SITE"
    LAB_PROCEDURE = "LAB_PROCEDURE"


@uima_type(f"{_DKPRO}.segmentation.type.Sentence")
class Sentence(Annotation):
    """A sentence, without the white space around it."""

    id: str = ""


@uima_type(f"{_DKPRO}.segmentation.type.Token")
class Token(Annotation):
    """A word, number or punctuation mark."""

    pos: str = ""
    """Penn Treebank tag, empty if no tagger ran. In XMI: DKPro's POS annotation, linked from the token."""


@uima_type("caspipe.Chunk")
class Chunk(Annotation):
    """A phrase: `NP`, `VP`, `PP`."""

    tag: str


@uima_type("caspipe.MedicalTerm")
class MedicalTerm(Annotation):
    """A term of a medical terminology."""

    group: TermGroup
    concept_id: str = ""
    terminology: str = ""
    preferred_name: str = ""
    confidence: float = 1.0
    """1 for an exact match, less for a fuzzy one (0 to 1)."""


@uima_type("caspipe.ListHit")
class ListHit(Annotation):
    """A word or phrase of a list: countries, holidays, stop words, person titles ..."""

    list: str
    entry: str = ""


@uima_type("caspipe.Phi")
class Phi(Annotation):
    """Protected health information: final, disjoint from every other Phi of its view. The resolver makes these, and the leak gate
    adds those that were missed."""

    kind: PhiKind
    confidence: float = 1.0
    """0 to 1: 1 for rules, a marginal probability for models."""
    value: str = ""
    """Normalized: a date as ISO 8601 (EDTF level 1 where parts are missing), an age as `65 years`, a number's digits. After the
    masker: what decided about the replacement of a date or an age, empty if it cannot be parsed."""
    reason: str = ""
    """Why this span won: the rule of the resolver that decided."""


@uima_type("caspipe.PhiCandidate")
class PhiCandidate(Annotation):
    """A span that one finder considers PHI. It stays in the CAS, so that every decision can be explained."""

    kind: PhiKind
    confidence: float = 1.0
    value: str = ""
    rule: str = ""
    """Name of the rule, pattern or list entry class that found it."""
    winner: Phi | None = None
    """The final span that replaced the candidate; None if a veto removed it or no resolver ran yet."""
    reason: str = ""
    """Why it won, lost or was vetoed."""


@uima_type("caspipe.Leak")
class Leak(Annotation):
    """A span of the masked text that should not be readable. A document with a leak is never released."""

    kind: PhiKind
    check: str
    """The check that found it: `values`, `known_phi`, `rules`, `site`, or `fields` for a structured field, which has no span."""
    original_begin: int = -1
    """Begin of its span in the original text; -1 for a structured field."""
    original_end: int = -1
    """End of its span in the original text; -1 for a structured field."""


@uima_type("caspipe.KnownPhi")
class KnownPhi(FeatureStructure):
    """A fact about a person in the source record: not a span, but something to search for."""

    kind: PhiKind
    value: str
    provenance: str = ""
    """The field it came from: `patient.name`, `D.2.1`, a column."""
    role: str = ""
    """The person: `patient`, `doctor`, `reporter`, `relative`."""


@uima_type("caspipe.RecordField")
class RecordField(FeatureStructure):
    """A structured field of the source record that identifies a person or is a date."""

    kind: PhiKind
    path: str
    """The location in the file, in the notation of the format's reader and consumer."""
    value: str
    """Normalized: a date as ISO 8601 (`2020`, `2020-03`, `2020-03-04`), an age as `92 years`, else as in the file."""
    masked: str | None = None
    """The replacement, in the form of `value`; None: the null of the format."""
    operator: str = ""
    """The masking operator that decided; empty if no masker ran yet, and then the record must not be released."""


@uima_type("caspipe.SpanAttribute")
class SpanAttribute(FeatureStructure):
    """An attribute of another tool's span, or the name that the fragments of one span share."""

    of: Annotation | None = None
    name: str
    value: str = ""


OPTIONAL = "optional"
"""Name of the SpanAttribute of a reference span that need not be found: it is neither missed nor, if found, a false hit."""


@uima_type("caspipe.TokenScore")
class TokenScore(Annotation):
    """The score of a model for one token, even if the model marks nothing, so that other thresholds can be applied."""

    score: float
    """Probability that the token is PHI (0 to 1)."""
    kind: PhiKind
    """The most probable kind if it is PHI."""


@uima_type("caspipe.TokenVerdict")
class TokenVerdict(Annotation):
    """The decision of rules and lists about one token, for masking everything that is not known to be safe."""

    verdict: str
    """`safe`, `unsafe`, `never_safe` or `unknown`."""
    evidence: str = ""
    """Names of the features of the token, separated by spaces."""


@uima_type("caspipe.MaskedSpan")
class MaskedSpan(Annotation):
    """A replacement in the deidentified view. It never contains the original text."""

    kind: PhiKind
    operator: str
    original_begin: int
    original_end: int
    fallback: str = ""
    """Why the placeholder was used instead of the operator; empty if it was not."""


@uima_type("uima.tcas.DocumentAnnotation")
class DocumentAnnotation(Annotation):
    """UIMA's own record of a view: its language. A view has at most one."""

    language: str = "x-unspecified"


@uima_type(f"{_DKPRO}.metadata.type.DocumentMetaData")
class DocumentMetaData(DocumentAnnotation):
    """The origin of the document."""

    documentTitle: str | None = None
    documentId: str | None = None
    documentUri: str | None = None
    collectionId: str | None = None
    documentBaseUri: str | None = None
    isLastSegment: bool = False


TYPE_PRIORITY: tuple[type[Annotation], ...] = (
    DocumentAnnotation,
    DocumentMetaData,
    Sentence,
    Chunk,
    MaskedSpan,
    Phi,
    PhiCandidate,
    MedicalTerm,
    ListHit,
    Token,
)
"""The order of types among annotations of the same span. All other types follow, by name."""
