"""The types of caspipe: sentences, tokens, terms, PHI. Their UIMA type system is generated from these classes."""

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
    """Penn Treebank tag, empty where no tagger ran. In XMI: DKPro's POS annotation, linked from the token."""


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
    """A word or phrase that stands in a list: countries, holidays, stop words, person titles ..."""

    list: str
    entry: str = ""


@uima_type("caspipe.Phi")
class Phi(Annotation):
    """Protected health information: final, disjoint from every other Phi of its view. Only the resolver makes these."""

    kind: PhiKind
    confidence: float = 1.0
    """0 to 1; what it means is the finder's business: 1 for rules, a marginal probability for models."""
    value: str = ""
    """Normalised: a date as ISO 8601 (EDTF level 1 where parts are missing), an age as `65 years`, a number's digits."""
    reason: str = ""
    """Why this span won: the rule of the resolver that spoke."""


@uima_type("caspipe.PhiCandidate")
class PhiCandidate(Annotation):
    """What one finder takes for PHI. Stays in the CAS, so that every decision can be explained."""

    kind: PhiKind
    confidence: float = 1.0
    value: str = ""
    rule: str = ""
    """Name of the rule, pattern or list entry class that found it."""
    winner: Phi | None = None
    """The final span that took this place; None where a veto removed the candidate or no resolver ran yet."""
    reason: str = ""
    """Why it won, lost or was vetoed."""


@uima_type("caspipe.Leak")
class Leak(Annotation):
    """A place of the masked text that should not be readable. A document that holds one is never given away."""

    kind: PhiKind
    check: str
    """Who found it: `values`, `known_phi`, `rules`, or `fields` for a structured field of the record, which has no place."""


@uima_type("caspipe.KnownPhi")
class KnownPhi(FeatureStructure):
    """What the record itself says about a person: not a span, but something to look for."""

    kind: PhiKind
    value: str
    provenance: str = ""
    """The field it came from: `patient.name`, `D.2.1`, a column."""
    role: str = ""
    """Whose it is: `patient`, `doctor`, `reporter`, `relative`."""


@uima_type("caspipe.RecordField")
class RecordField(FeatureStructure):
    """A structured field of the record that the text came from, which identifies somebody or is a date."""

    kind: PhiKind
    path: str
    """Where it stands in the file; only the reader and the consumer of that format understand it."""
    value: str
    """Normalised: a date as ISO 8601 (`2020`, `2020-03`, `2020-03-04`), an age as `92 years`, else as in the file."""
    masked: str | None = None
    """What is written in its place, in the form of `value`; None: nothing, the format's null."""
    operator: str = ""
    """The masking operator that decided; empty where no masker ran yet, and then the record must not be released."""


@uima_type("caspipe.SpanAttribute")
class SpanAttribute(FeatureStructure):
    """What a tool says of one of its spans beyond its kind: an attribute, or the name that fragments of one span share."""

    of: Annotation | None = None
    name: str
    value: str = ""


@uima_type("caspipe.TokenScore")
class TokenScore(Annotation):
    """What a model thinks of one token, also where it marks nothing: the ground for thresholds beyond its own choice."""

    score: float
    """Probability that the token is PHI (0 to 1)."""
    kind: PhiKind
    """The most probable kind if it is PHI."""


@uima_type("caspipe.TokenVerdict")
class TokenVerdict(Annotation):
    """What rules and lists think of one token, for masking everything that is not shown to be safe."""

    verdict: str
    """`safe`, `unsafe`, `never_safe` or `unknown`."""
    evidence: str = ""
    """Names of the features that hold of the token, with blanks between them."""


@uima_type("caspipe.MaskedSpan")
class MaskedSpan(Annotation):
    """What a replacement in the deidentified view stands for. Never holds the original text."""

    kind: PhiKind
    operator: str
    original_begin: int
    original_end: int
    fallback: str = ""
    """Why the placeholder was used instead of the operator, empty where it was not."""


@uima_type("uima.tcas.DocumentAnnotation")
class DocumentAnnotation(Annotation):
    """UIMA's own record of a view: its language. One for each view at most."""

    language: str = "x-unspecified"


@uima_type(f"{_DKPRO}.metadata.type.DocumentMetaData")
class DocumentMetaData(DocumentAnnotation):
    """Where the document came from."""

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
"""Who comes first among annotations of the same span. Types not named follow, by name."""
