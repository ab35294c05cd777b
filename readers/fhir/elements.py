"""Contents of FHIR R4 elements: people, numbers, places, dates, free text. Source: HL7 FHIR R4 (4.0.1), datatypes and
resource definitions, https://hl7.org/fhir/R4/.

For values that the standard does not define (extensions, answers, parameters), the PHI kind is guessed by the name of the
element, the URL of the extension or the question of the form: `mothersMaidenName`, `Your phone number?`.
"""

from __future__ import annotations

import re

from ...typesystem import PhiKind

PEOPLE: dict[str, tuple[PhiKind, str]] = {
    "Patient": (PhiKind.PERSON_PATIENT, "patient"),
    "Practitioner": (PhiKind.PERSON_DOCTOR, "doctor"),
    "PractitionerRole": (PhiKind.PERSON_DOCTOR, "doctor"),
    "RelatedPerson": (PhiKind.PERSON_RELATIVE, "relative"),
    "Person": (PhiKind.PERSON, ""),
}
"""Resource types of people: PHI kind of their names, and role."""

NAMED: dict[str, PhiKind] = {
    "Organization": PhiKind.ORGANIZATION,
    "CareTeam": PhiKind.ORGANIZATION,
    "Location": PhiKind.LOCATION_HOSPITAL,
    "HealthcareService": PhiKind.LOCATION_DEPARTMENT,
    "Endpoint": PhiKind.ORGANIZATION,
    "Group": PhiKind.ORGANIZATION,
}
"""Resource types whose `name` and `alias` are identifying plain text."""

IDENTIFIERS: dict[str, PhiKind] = {
    **dict.fromkeys(("MR", "PI", "PT"), PhiKind.ID_MEDICAL_RECORD),
    **dict.fromkeys(("SS", "SB", "NI", "NNUSA"), PhiKind.ID_SSN),
    **dict.fromkeys(("DL", "NPI", "DEA", "MD", "LN"), PhiKind.ID_LICENSE),
    "PPN": PhiKind.ID_PASSPORT,
    **dict.fromkeys(("MB", "HC", "MA", "MC"), PhiKind.ID_HEALTH_PLAN),
    **dict.fromkeys(("SN", "UDI"), PhiKind.ID_DEVICE),
    "AN": PhiKind.ID_ACCOUNT,
    "BA": PhiKind.ID_BANK_ACCOUNT,
    "CC": PhiKind.ID_CARD,
    "VN": PhiKind.ID_ENCOUNTER,
    **dict.fromkeys(("EI", "EN"), PhiKind.ID_EMPLOYEE),
}
"""Codes of `Identifier.type` (HL7 table 0203)."""

NUMBERED: dict[str, PhiKind] = {
    **dict.fromkeys(("Encounter", "EpisodeOfCare"), PhiKind.ID_ENCOUNTER),
    "Device": PhiKind.ID_DEVICE,
    **dict.fromkeys(("ResearchSubject", "ResearchStudy"), PhiKind.ID_STUDY),
    "Coverage": PhiKind.ID_HEALTH_PLAN,
    "Account": PhiKind.ID_ACCOUNT,
    "AdverseEvent": PhiKind.ID_CASE,
}
"""PHI kinds of identifiers without a type, by resource type; ID for others."""

TELECOM: dict[str, PhiKind] = {
    "phone": PhiKind.PHONE,
    "fax": PhiKind.FAX,
    "email": PhiKind.EMAIL,
    "pager": PhiKind.PHONE_PAGER,
    "url": PhiKind.URL,
    "sms": PhiKind.PHONE,
}

ADDRESS: dict[str, PhiKind] = {
    "text": PhiKind.LOCATION_STREET,
    "line": PhiKind.LOCATION_STREET,
    "city": PhiKind.LOCATION_CITY,
    "district": PhiKind.LOCATION_COUNTY,
    "state": PhiKind.LOCATION_STATE,
    "postalCode": PhiKind.LOCATION_ZIP,
    "country": PhiKind.LOCATION_COUNTRY,
}

PLAIN: dict[str, PhiKind] = {
    **dict.fromkeys(
        ("serialNumber", "deviceIdentifier", "carrierHRF", "carrierAIDC", "distinctIdentifier"), PhiKind.ID_DEVICE
    ),
    "subscriberId": PhiKind.ID_HEALTH_PLAN,
    **dict.fromkeys(("latitude", "longitude", "altitude"), PhiKind.LOCATION_COORDINATES),
}
"""Identifying elements with one value, in any resource."""

STRICT = frozenset(
    "resourceType system code use status type version linkId language mode unit comparator unitOfTime durationUnit periodUnit "
    "contentType rank relationship intent priority gender severity criticality category clinicalStatus verificationStatus "
    "fhirVersion kind lang class method relation currency xmlns docStatus aggregation valueCode action outcome requestor "
    "conditional requirement sigFormat targetFormat dayOfWeek daysOfWeek knowledge compositionStatus "
    "resourceStatus".split()
)
"""Elements whose strings the standard defines as codes; they are never changed."""

NAMES = frozenset(
    "id uid reference profile protocol versionId url fullUrl implicitRules source valueUri valueCanonical valueUrl valueId "
    "valueOid valueUuid etag ifMatch ifNoneMatch ifNoneExist criteria instantiatesUri instantiatesCanonical location "
    "questionnaire policy policyRule uri authority definition definitionUri definitionCanonical valueSet "
    "answerValueSet derivedFrom replaces library structure import when format compliesWith sourceUri targetUri "
    "sourceCanonical targetCanonical baseDefinition operationDefinition".split()
)
"""Elements with logical ids, references or URIs. They are kept unless `of_uri` returns a PHI kind."""

REPLACED = frozenset("id uid reference fullUrl versionId".split())
"""Elements with ids and references, which the consumer replaces."""
TELLING_ID = re.compile(r"(?=.*\d)[A-Za-z0-9.\-]{6,64}", re.ASCII)
"""Ids that are searched for in the texts: shorter ones, and words, occur by chance."""
KEPT_UNKNOWN = frozenset("url system resourceType contentType xmlns".split())
"""Elements that stay in extensions that no standard defines."""

DEFINITIONS = frozenset(
    "StructureDefinition ValueSet CodeSystem ConceptMap SearchParameter OperationDefinition CapabilityStatement Questionnaire "
    "Library Measure PlanDefinition ActivityDefinition ImplementationGuide GraphDefinition MessageDefinition NamingSystem "
    "TestScript TestReport EventDefinition ResearchDefinition ResearchElementDefinition ObservationDefinition "
    "SpecimenDefinition ChargeItemDefinition DeviceDefinition CompartmentDefinition ExampleScenario StructureMap "
    "TerminologyCapabilities Evidence EvidenceVariable RiskEvidenceSynthesis EffectEvidenceSynthesis Contract".split()
)
"""Resource types that define things; their own `name` is an identifier for programs."""

THINGS = frozenset(
    "medicationreference medication reasonreference reason basedon replaces detail item evidence finding itemreference problem "
    "condition diagnosis contentreference what relevanthistory supportinginformation supportinginfo result derivedfrom "
    "hasmember specimen entry goal addresses outcomereference plannedactivity activity context encounter episodeofcare "
    "appointment product productreference study insurance consent report request event focus prescription claim "
    "reaction procedure indication substance ingredient imagingstudy media".split()
)
"""Elements whose references lead to things; their display is text."""

PARTIES: dict[str, PhiKind] = {
    **dict.fromkeys(("subject", "patient", "beneficiary", "for", "candidate", "subscriber"), PhiKind.PERSON_PATIENT),
    **dict.fromkeys(
        "performer requester recorder asserter author practitioner provider generalpractitioner attester party".split(),
        PhiKind.PERSON_DOCTOR,
    ),
    **dict.fromkeys(
        "organization managingorganization serviceprovider custodian payor insurer coverage assigner issuer owner "
        "manufacturer".split(),
        PhiKind.ORGANIZATION,
    ),
    "location": PhiKind.LOCATION_HOSPITAL,
}
"""PHI kind of the targets of references without a type, by element."""

CODINGS = frozenset(("coding", "valuecoding", "tag", "security", "class", "answercoding"))

PLACEHOLDERS = frozenset(
    "unknown unk none anonymous anonymized anonymised masked privacy confidential withheld redacted na n/a nil self test "
    "patient doctor home work hospital clinic other".split()
)
"""Values that do not identify a person and are not searched for in the texts."""

SUBJECTS = ("subject", "patient", "beneficiary", "individual", "for", "candidate", "policyHolder", "subscriber")
"""Elements that refer to the patient of a resource, in order of preference."""

DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?")
PARTIAL = re.compile(r"\d{4}(?:-\d{2})?")
NO_DATES = frozenset("display lotNumber partNumber modelNumber number text value".split())
"""Elements in which four digits are not a year."""

DATED = re.compile(r"(?:^|[a-z])(?:date|Date|DateTime|Instant)$")
"""Suffixes of the names of elements that the standard defines as dates."""
YEARS = range(1850, 2200)
BASE64 = re.compile(r"[A-Za-z0-9+/_-]{200,}={0,2}")
"""Long data in place of text."""
SAMPLES = re.compile(r"[0-9.EUL+\- ]*")
"""SampledData.data. Source: FHIR R4, datatypes, SampledDataDataType."""

AGES: dict[str, str] = {
    **dict.fromkeys(("", "a", "a_j", "a_t", "a_g", "y", "yr", "yrs", "year", "years"), "years"),
    **dict.fromkeys(("10.a", "dec", "decade", "decades"), "decades"),
    **dict.fromkeys(("mo", "mo_j", "mos", "month", "months"), "months"),
    **dict.fromkeys(("wk", "week", "weeks"), "weeks"),
    **dict.fromkeys(("d", "day", "days", "h", "hour", "hours", "min", "minutes"), "days"),
}
"""Units of ages, in UCUM and English -> unit of a RecordField, or decades. Ages in hours or minutes need no masking; ages in
other units are masked."""

LONGEST_FIRST = ("decades", "years", "months", "weeks", "days")
"""The units of ages, longest first."""

FREE = frozenset("text note comment description remark detailed race ethnicity religion nationality language".split())
"""Extensions of people whose strings are free text; strings in other unknown extensions count as identifying."""
AGE_CODES = frozenset(("30525-0", "21612-7", "29553-5", "63900-5"))
"""LOINC codes of observations that are ages."""

TYPE_NAME = re.compile(r"[A-Z][A-Za-z]{1,63}")
PROPERTY = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]{0,63}")


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_CUES: tuple[tuple[PhiKind, frozenset[str]], ...] = tuple(
    (kind, frozenset(words.split()))
    for kind, words in (
        (PhiKind.EMAIL, "email mail"),
        (PhiKind.PHONE, "phone telephone tel mobile fax pager telecom"),
        (PhiKind.ID, "identifier ssn mrn account licence license passport accession requisition arrangement dependent"),
        (PhiKind.LOCATION_STREET, "address street city town village zip postcode postal residence birthplace county"),
        (PhiKind.LOCATION_COORDINATES, "latitude longitude altitude geolocation gps"),
        (
            PhiKind.PERSON,
            "name names surname firstname lastname fullname username nickname maiden alias initials author",
        ),
        (PhiKind.ORGANIZATION, "employer company organization organisation publisher school workplace"),
        (PhiKind.AGE, "age old"),
    )
)
_THINGS = frozenset(
    "product generic trade brand device model formula drug medication test file code color colour".split()
)
"""Words that make a name that of a thing: `product name`, `device identifier`."""
_NUMBERS = frozenset("lot part model sequence version house batch phone".split())


def cue(name: str) -> PhiKind | None:
    """Return the PHI kind of a value with this name, or None.

    `altId` and `preAuthRef` are identifiers; `lotNumber` and `productName` belong to things.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if not words:
        return None
    unique = set(words)
    for kind, cues in _CUES:
        if not unique.isdisjoint(cues):
            return None if kind is PhiKind.PERSON and not unique.isdisjoint(_THINGS) else kind
    if words == ["id"]:
        return PhiKind.ID
    number = len(words) > 1 and words[-1] in ("id", "no", "nr", "number", "ref", "num")
    return PhiKind.ID if number and unique.isdisjoint(_NUMBERS) and unique.isdisjoint(_THINGS) else None


_STANDARD_EXTENSION = re.compile(r"https?://(?:hl7\.org/fhir|terminology\.hl7\.org)/", re.IGNORECASE)
"""URLs of extensions of the standard and of HL7's implementation guides, such as US Core."""


def is_unknown(url: str, parent: bool | None) -> bool:
    """Return whether no standard defines an extension. `parent`: the same of the extension around it, if there is one; a part of
    a complex extension has a relative URL."""
    return parent is not False if ":" not in url else bool(parent) or _STANDARD_EXTENSION.match(url) is None


def of_extension(url: str) -> PhiKind | None:
    """Return the PHI kind of an extension's value, by the last part of its URL."""
    return cue(re.split(r"[/#:|]", url.rstrip("/"))[-1])


_IDENTIFYING = re.compile(
    r"(?:mailto|tel|sms|fax|callto|sip|data|file|blob):|[^?#]*@|[^?]*\?(?!fhir_vs)", re.IGNORECASE
)
_KINDS = (("mailto:", PhiKind.EMAIL), ("tel:", PhiKind.PHONE), ("sms:", PhiKind.PHONE), ("fax:", PhiKind.FAX))


def of_uri(uri: str) -> PhiKind | None:
    """Return the PHI kind of a URI with an e-mail address, a number or a search (`Patient?name=...`); None for others."""
    if _IDENTIFYING.match(uri) is None:
        return None
    lower = uri.lower()
    return next((kind for scheme, kind in _KINDS if lower.startswith(scheme)), PhiKind.URL)
