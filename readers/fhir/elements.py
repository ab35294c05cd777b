"""What the elements of FHIR R4 hold: people, numbers, places, dates, free text. Source: HL7 FHIR R4 (4.0.1), datatypes and
resource definitions, https://hl7.org/fhir/R4/.
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
"""Resource types that are about people: the kind of their names, and whose they are."""

NAMED: dict[str, PhiKind] = {
    "Organization": PhiKind.ORGANIZATION,
    "CareTeam": PhiKind.ORGANIZATION,
    "Location": PhiKind.LOCATION_HOSPITAL,
    "HealthcareService": PhiKind.LOCATION_DEPARTMENT,
    "Endpoint": PhiKind.ORGANIZATION,
    "Group": PhiKind.ORGANIZATION,
}
"""Resource types whose `name` and `alias` are plain text that identifies."""

IDENTIFIERS: dict[str, PhiKind] = {
    "MR": PhiKind.ID_MEDICAL_RECORD,
    "PI": PhiKind.ID_MEDICAL_RECORD,
    "PT": PhiKind.ID_MEDICAL_RECORD,
    "SS": PhiKind.ID_SSN,
    "SB": PhiKind.ID_SSN,
    "NI": PhiKind.ID_SSN,
    "NNUSA": PhiKind.ID_SSN,
    "DL": PhiKind.ID_LICENSE,
    "PPN": PhiKind.ID_PASSPORT,
    "MB": PhiKind.ID_HEALTH_PLAN,
    "SN": PhiKind.ID_DEVICE,
    "HC": PhiKind.ID_HEALTH_PLAN,
    "MA": PhiKind.ID_HEALTH_PLAN,
    "MC": PhiKind.ID_HEALTH_PLAN,
    "AN": PhiKind.ID_ACCOUNT,
    "BA": PhiKind.ID_BANK_ACCOUNT,
    "CC": PhiKind.ID_CARD,
    "VN": PhiKind.ID_ENCOUNTER,
    "EI": PhiKind.ID_EMPLOYEE,
    "EN": PhiKind.ID_EMPLOYEE,
    "NPI": PhiKind.ID_LICENSE,
    "DEA": PhiKind.ID_LICENSE,
    "MD": PhiKind.ID_LICENSE,
    "LN": PhiKind.ID_LICENSE,
    "UDI": PhiKind.ID_DEVICE,
}
"""Codes of `Identifier.type` (HL7 table 0203)."""

NUMBERED: dict[str, PhiKind] = {
    "Encounter": PhiKind.ID_ENCOUNTER,
    "EpisodeOfCare": PhiKind.ID_ENCOUNTER,
    "Device": PhiKind.ID_DEVICE,
    "ResearchSubject": PhiKind.ID_STUDY,
    "ResearchStudy": PhiKind.ID_STUDY,
    "Coverage": PhiKind.ID_HEALTH_PLAN,
    "Account": PhiKind.ID_ACCOUNT,
    "AdverseEvent": PhiKind.ID_CASE,
}
"""Kinds of identifiers without a type, by resource type; ID elsewhere."""

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
    "serialNumber": PhiKind.ID_DEVICE,
    "deviceIdentifier": PhiKind.ID_DEVICE,
    "carrierHRF": PhiKind.ID_DEVICE,
    "carrierAIDC": PhiKind.ID_DEVICE,
    "distinctIdentifier": PhiKind.ID_DEVICE,
    "subscriberId": PhiKind.ID_HEALTH_PLAN,
    "latitude": PhiKind.LOCATION_COORDINATES,
    "longitude": PhiKind.LOCATION_COORDINATES,
    "altitude": PhiKind.LOCATION_COORDINATES,
}
"""Elements of one value that identify, whatever resource they stand in."""

CODED = frozenset(
    "resourceType id reference system code use status type version versionId profile language mode url fullUrl linkId "
    "unit comparator unitOfTime contentType hash rank relationship intent priority gender severity criticality category "
    "clinicalStatus verificationStatus period fhirVersion implicitRules kind title-code lang class size valueCode valueUri "
    "valueCanonical valueUrl valueId valueOid valueUuid valueInstant valueInteger valueDecimal valueBoolean method etag "
    "ifMatch relation currency source instantiatesUri instantiatesCanonical xmlns unitCode docStatus aggregation".split()
)
"""Elements whose strings are codes, ids and references by definition of the standard: they hold no free text."""

SUBJECTS = ("subject", "patient", "beneficiary", "individual", "for", "candidate", "policyHolder", "subscriber")
"""Elements that say whom a resource is about, in this order."""

DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?")
PARTIAL = re.compile(r"\d{4}(?:-\d{2})?")
DATED = re.compile(
    r"(?:^|[a-z])(?:[Dd]ate|[Dd]ateTime|[Tt]ime|start|end|issued|recorded|authored|onset|abatement|period|when)"
)
"""Names of elements in which a year, or year and month, is a date and no number."""

AGES: dict[str, str] = {"a": "years", "mo": "months", "wk": "weeks", "d": "days", "h": "hours", "min": "minutes"}
"""UCUM units of ages."""
AGE_CODES = frozenset(("30525-0", "21612-7", "29553-5", "63900-5"))
"""LOINC codes of observations that are ages."""

TYPE_NAME = re.compile(r"[A-Z][A-Za-z]{1,63}")
PROPERTY = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]{0,63}")
