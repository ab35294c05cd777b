"""The requests and responses of the service. They are validated strictly and described in OpenAPI."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Output = Literal["masked", "annotations", "candidates", "xmi", "jsoncas", "typesystem"]
Unit = Literal["codepoint", "utf16", "utf8"]
_ONE_OF = [{"required": [name]} for name in ("text", "xmi", "jsoncas")]


class Message(BaseModel):
    """A message in which unknown fields are errors. Errors never quote the message."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class KnownValue(Message):
    """A value of the record about a person, which is searched for in the text."""

    kind: str = Field(
        description="Name of a PHI kind: PERSON_PATIENT, DATE_BIRTH, ID_MEDICAL_RECORD ...", max_length=100
    )
    value: str = Field(min_length=1, max_length=1000)
    role: str = Field(default="", description="Whose it is: patient, doctor, relative, reporter.", max_length=100)
    provenance: str = Field(default="", description="Field of the record it came from.", max_length=100)


class ProcessRequest(Message):
    """A document and the requested outputs. Exactly one of `text`, `xmi` and `jsoncas` contains the document."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        hide_input_in_errors=True,
        json_schema_extra={"oneOf": _ONE_OF},  # type: ignore[dict-item]
    )

    text: str | None = Field(default=None, description="Plain text.")
    xmi: str | None = Field(default=None, description="UIMA XMI.")
    typesystem: str | None = Field(
        default=None,
        description="UIMA type system of `xmi` or `jsoncas`. Without one, types unknown to caspipe are passed through.",
    )
    jsoncas: dict[str, Any] | None = Field(default=None, description="UIMA JSON CAS 0.4.")
    id: str | None = Field(
        default=None,
        description="Name of the document; returned. Documents with the same id have the same date shift.",
        max_length=1000,
    )
    metadata: dict[str, Annotated[str, Field(max_length=10_000)]] = Field(
        default_factory=dict,
        description="For example `patient_id`: the dates of one patient have the same shift.",
        max_length=100,
    )
    known_phi: list[KnownValue] = Field(default_factory=list, max_length=1000)
    output: list[Output] | None = Field(
        default=None,
        min_length=1,
        description="What is wanted; default `masked`: the masked text and its spans. All others hold or point into the "
        "original: `annotations` (final spans), `candidates` (what each finder found), `xmi`, `jsoncas`, `typesystem`.",
    )
    offsets: Unit = Field(
        default="codepoint", description="Unit of begin and end in the answer, save inside xmi and jsoncas."
    )
    views: list[Annotated[str, Field(max_length=100)]] | None = Field(
        default=None,
        min_length=1,
        max_length=20,
        description="Views in `xmi` and `jsoncas`; default all: the original text too.",
    )

    @model_validator(mode="after")
    def _one_document(self) -> Self:
        if sum(x is not None for x in (self.text, self.xmi, self.jsoncas)) != 1:
            raise ValueError("expected exactly one of text, xmi and jsoncas")
        return self


class MaskedSpanOut(Message):
    """A replacement in the masked text."""

    begin: int
    end: int
    kind: str
    operator: str
    fallback: str | None = Field(default=None, description="Reason for a placeholder instead of the operator's result.")


class MaskedOut(Message):
    """The masked text; offsets of its spans count in this text."""

    text: str
    spans: list[MaskedSpanOut]


class AnnotationOut(Message):
    """A final span of the original text."""

    begin: int
    end: int
    kind: str
    confidence: float
    source: str
    reason: str


class CandidateOut(AnnotationOut):
    """A candidate and its outcome."""

    rule: str
    winner: int | None = Field(default=None, description="Number of the annotation that took its place, from 0.")


class ProcessResponse(Message):
    """The requested outputs. `offsets` is the unit of all begin and end."""

    id: str | None = None
    index: int | None = Field(default=None, description="In a batch: number of the document, from 0.")
    offsets: Unit
    masked: MaskedOut | None = None
    annotations: list[AnnotationOut] | None = None
    candidates: list[CandidateOut] | None = None
    xmi: str | None = None
    jsoncas: dict[str, Any] | None = None
    typesystem: str | None = None


class LeakOut(BaseModel):
    """A place of the original text that was still readable in the masked text."""

    begin: int
    end: int
    kind: str
    check: str = Field(description="What found it: `values`, `known_phi` or `rules`.")


class ProblemOut(BaseModel):
    """RFC 9457 problem details. `code` is for programs."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[dict[str, str]] | None = None
    document: str | None = Field(default=None, description="With the code `leak`: id of the refused document.")
    offsets: Unit | None = Field(default=None, description="With the code `leak`: unit of `begin` and `end`.")
    leaks: list[LeakOut] | None = Field(
        default=None, description="With the code `leak`: the places of the original text that stayed readable."
    )


class BatchError(Message):
    """The line of a batch whose document failed."""

    index: int
    error: ProblemOut


# -- INCEpTION's external recommender: unknown fields are ignored, because newer versions send more ----------------------


class Foreign(BaseModel):
    """A message of INCEpTION."""

    model_config = ConfigDict(extra="ignore", hide_input_in_errors=True)


class Range(Foreign):
    """Offsets in UTF-16 code units."""

    begin: int
    end: int


class RecommenderMetadata(Foreign):
    """The layer and feature to predict, and the anchoring of its annotations."""

    layer: str = Field(min_length=1, max_length=1000)
    feature: str = Field(min_length=1, max_length=1000)
    projectId: int = 0
    anchoringMode: Literal["characters", "singleToken", "tokens", "sentences"] = "characters"
    crossSentence: bool = False
    range: Range | None = None


class RecommenderDocument(Foreign):
    """A document of INCEpTION."""

    xmi: str
    documentId: int | str | None = None
    userId: str | None = None


class Tag(Foreign):
    """A tag."""

    tag: str | None = None
    name: str | None = None
    description: str | None = None


class Target(Foreign):
    """A feature that a tag set applies to."""

    type: str | None = None
    feature: str | None = None


class TagSet(Foreign):
    """A tag set of the project."""

    description: str | None = None
    tags: list[Tag] | None = None
    targets: list[Target] | None = None


class PredictRequest(Foreign):
    """A document to make suggestions for."""

    metadata: RecommenderMetadata
    document: RecommenderDocument
    typeSystem: str
    tagsets: list[TagSet] | None = None


class TrainRequest(Foreign):
    """Documents to learn from."""

    metadata: RecommenderMetadata
    documents: list[RecommenderDocument]
    typeSystem: str
    tagsets: list[TagSet] | None = None


class PredictResponse(Message):
    """The document with suggestions, as XMI."""

    document: str


REQUESTS: tuple[type[BaseModel], ...] = (
    *(ProcessRequest, KnownValue, PredictRequest, TrainRequest, RecommenderMetadata, RecommenderDocument),
    *(Range, TagSet, Tag, Target),
)
NAMES = frozenset(name for model in REQUESTS for name in model.model_fields)
"""Names of fields that messages may repeat."""
