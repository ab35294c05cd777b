"""The ids in a FHIR file: logical ids, references, addresses of resources, UIDs of DICOM, and what replaces them.

Source: HL7 FHIR R4 (4.0.1): Resource.id, Element.id, References (literal, logical, contained, conditional), Bundle, RESTful API
(URLs `[base]/[type]/[id]/_history/[vid]`), ImagingStudy. Canonical URLs of profiles, code systems and questionnaires stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from .record_ids import RecordIds, is_standard

TYPES = frozenset(
    """Account ActivityDefinition AdverseEvent AllergyIntolerance Appointment AppointmentResponse AuditEvent Basic Binary
    BiologicallyDerivedProduct BodyStructure Bundle CapabilityStatement CarePlan CareTeam CatalogEntry ChargeItem
    ChargeItemDefinition Claim ClaimResponse ClinicalImpression CodeSystem Communication CommunicationRequest
    CompartmentDefinition Composition ConceptMap Condition Consent Contract Coverage CoverageEligibilityRequest
    CoverageEligibilityResponse DetectedIssue Device DeviceDefinition DeviceMetric DeviceRequest DeviceUseStatement
    DiagnosticReport DocumentManifest DocumentReference EffectEvidenceSynthesis Encounter Endpoint EnrollmentRequest
    EnrollmentResponse EpisodeOfCare EventDefinition Evidence EvidenceVariable ExampleScenario ExplanationOfBenefit
    FamilyMemberHistory Flag Goal GraphDefinition Group GuidanceResponse HealthcareService ImagingStudy Immunization
    ImmunizationEvaluation ImmunizationRecommendation ImplementationGuide InsurancePlan Invoice Library Linkage List Location
    Measure MeasureReport Media Medication MedicationAdministration MedicationDispense MedicationKnowledge MedicationRequest
    MedicationStatement MedicinalProduct MedicinalProductAuthorization MedicinalProductContraindication
    MedicinalProductIndication MedicinalProductIngredient MedicinalProductInteraction MedicinalProductManufactured
    MedicinalProductPackaged MedicinalProductPharmaceutical MedicinalProductUndesirableEffect MessageDefinition MessageHeader
    MolecularSequence NamingSystem NutritionOrder Observation ObservationDefinition OperationDefinition OperationOutcome
    Organization OrganizationAffiliation Parameters Patient PaymentNotice PaymentReconciliation Person PlanDefinition
    Practitioner PractitionerRole Procedure Provenance Questionnaire QuestionnaireResponse RelatedPerson RequestGroup
    ResearchDefinition ResearchElementDefinition ResearchStudy ResearchSubject RiskAssessment RiskEvidenceSynthesis Schedule
    SearchParameter ServiceRequest Slot Specimen SpecimenDefinition StructureDefinition StructureMap Subscription Substance
    SubstanceNucleicAcid SubstancePolymer SubstanceProtein SubstanceReferenceInformation SubstanceSourceMaterial
    SubstanceSpecification SupplyDelivery SupplyRequest Task TerminologyCapabilities TestReport TestScript ValueSet
    VerificationResult VisionPrescription""".split()
)
"""Resource types of FHIR R4."""
_DEFINITIONS = frozenset(("StructureDefinition", "OperationDefinition", "ImplementationGuide", "CapabilityStatement"))
"""Resources whose inner ids are names of the elements that they define."""

_LITERAL = re.compile(
    r"""
    (?: (?P<base> https?://[^?\#|]+ ) / )?
    (?P<type> [A-Z][A-Za-z]{1,40} ) / (?P<id> [^/?\#|]+ )
    (?: /_history/ (?P<version> [^/?\#|]+ ) )?
    (?P<operation> /\$[a-z-]{1,40} )?
    (?: \# (?P<inside> .+ ) )?
    """,
    re.VERBOSE,
)
_CONDITIONAL = re.compile(r"(?P<path>(?:[A-Z][A-Za-z]{1,40}\?)?)(?P<name>identifier|_id)=(?P<value>[^&,]+)")
_ETAG = re.compile(r'(W/)?"([^"]*)"')
_REQUEST = re.compile(
    r"/?(?:metadata|_history|\$[a-z-]{1,40}|[A-Z][A-Za-z]{1,40}(?:/\$[a-z-]{1,40}|/_history|/_search)?)?"
)
_URN = re.compile(r"urn:uuid:[^\s]+", re.IGNORECASE)
_FREE = ("code", "system", "display", "div")


def reference(value: str, ids: RecordIds) -> str:
    """Return the replacement of a reference or the address of a resource, in every form that FHIR has."""
    if value.startswith("#"):
        return f"#{ids.id(value[1:])}"
    literal = _LITERAL.fullmatch(value)
    if literal is not None and literal["type"] in TYPES:
        base, version, inside = (literal[name] for name in ("base", "version", "inside"))
        return "".join(
            (
                f"{ids.server(base)}/" if base else "",
                f"{literal['type']}/{ids.id(literal['id'])}",
                f"/_history/{ids.id(version)}" if version else "",
                literal["operation"] or "",
                f"#{ids.id(inside)}" if inside else "",
            )
        )
    return conditional(value, ids) or ids.uri(value)


def conditional(value: str, ids: RecordIds) -> str | None:
    """Return the replacement of a search for one identifier or id (`Patient?identifier=SYSTEM|VALUE`), else None."""
    search = _CONDITIONAL.fullmatch(value)
    if search is None or (search["path"] and search["path"][:-1] not in TYPES):
        return None
    system, bar, sought = unquote(search["value"]).rpartition("|")
    return f"{search['path']}{search['name']}={system}{bar}{ids.id(sought)}"


def is_address(value: str) -> bool:
    """Return whether a URL is that of a resource."""
    literal = _LITERAL.fullmatch(value)
    return literal is not None and literal["type"] in TYPES


def replaced_ids(root: Any, ids: RecordIds) -> Iterator[tuple[str, str]]:
    """Yield (JSON pointer, replacement) of every id, reference, address and UID of a file."""
    yield from _Walk(ids).values(root, "", "", "", "")


class _Walk:
    def __init__(self, ids: RecordIds) -> None:
        self.ids = ids
        self.contained: frozenset[str] = frozenset()

    def values(self, value: Any, path: str, key: str, owner: str, name: str) -> Iterator[tuple[str, str]]:
        """`owner`: type of the resource; `name`: the element with the object in which the value is; both may be empty."""
        if isinstance(value, list):
            for n, item in enumerate(value):
                yield from self.values(item, f"{path}/{n}", key, owner, name)
        elif isinstance(value, dict):
            kind = value.get("resourceType")
            if isinstance(kind, str):
                inner = value.get("contained")
                of_contained = [c.get("id") for c in inner if isinstance(c, dict)] if isinstance(inner, list) else []
                self.contained |= frozenset(f"#{i}" for i in of_contained if isinstance(i, str))
                owner, key = kind, ""
            for inner_key, item in value.items():
                yield from self.values(item, f"{path}/{inner_key}", inner_key, owner, key)
        elif isinstance(value, str) and value:
            new = self._string(value, key, owner, name)
            if new is not None and new != value:
                yield path, new

    def _string(self, value: str, key: str, owner: str, name: str) -> str | None:
        """Return the replacement of a string; None if it stays."""
        ids = self.ids
        if key == "id":
            return None if owner in _DEFINITIONS and name else ids.id(value)
        if key in ("reference", "fullUrl") or (key == "location" and owner == "Bundle"):
            return reference(value, ids)
        if key == "url" and owner == "Bundle" and name in ("link", "request", "entry"):
            return value if self._is_request(value) else reference(value, ids)
        if key in ("versionId", "uid", "valueId", "valueUuid"):
            return None if is_standard(value.removeprefix("urn:oid:")) else ids.id(value)
        if key in ("etag", "ifMatch", "ifNoneMatch"):
            return (
                _ETAG.sub(lambda m: f'{m[1] or ""}"{ids.id(m[2])}"', value) if _ETAG.fullmatch(value) else ids.id(value)
            )
        if key == "source" and name == "meta":
            return reference(value, ids)
        if key == "valueOid" or (key in ("valueUri", "valueUrl") and value.lower().startswith("urn:oid:")):
            return None if is_standard(value.removeprefix("urn:oid:")) else ids.id(value)
        if key in ("valueUri", "valueUrl") and is_address(value):
            return reference(value, ids)
        if key not in _FREE and (_URN.fullmatch(value) or value in self.contained):
            return reference(value, ids)
        return None

    def _is_request(self, value: str) -> bool:
        """Return whether the URL of a request names a type or an operation, and no resource."""
        match = _REQUEST.fullmatch(value)
        kind = re.match(r"/?([A-Z][A-Za-z]*)", value)
        return match is not None and (kind is None or kind[1] in TYPES)
