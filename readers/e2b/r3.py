"""ICSR E2B(R3), an HL7 V3 message (`MCCI_IN200100UV01`). Fields have the numbers of the ICH Implementation Guide.

Source: ICH E2B(R3) Implementation Guide and data elements, with FDA's regional elements; OIDs of namespaces from there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ...typesystem import PhiKind
from ...typesystem.markup.xml_source import Element
from ...typesystem.source_record import ValueLocation
from .dates import age, iso, looks_like_date
from .standard import Rule, Standard, Table, Value

_REPORTER = "relatedInvestigation/subjectOf2/controlActEvent/author/assignedEntity"
_SENDER = "investigationEvent/subjectOf1/controlActEvent/author/assignedEntity"
_DRUG = "substanceAdministration/outboundRelationship2"
_HISTORY = "subjectOf2/organizer{code=1}/component/observation"
_COMMENT = "outboundRelationship2/observation{code=10}/value"
_OID = "2.16.840.1.113883.3.989.2.1"

_TABLE = """
H.1           | text 100000          | | investigationEvent/text
H.2           | text 20000           | | component1/observationEvent{code=10}{author/assignedEntity/code=3}/value
H.4           | text 20000           | | component1/observationEvent{code=10}{author/assignedEntity/code=1}/value
H.5.r.1a      | text 100000          | | component/observationEvent{code=36}/value
D.7.2         | text 10000           | | primaryRole/HISTORY{code=18}/value
D.7.1.r.5     | text 2000            | | primaryRole/HISTORY/COMMENT
D.10.7.2      | text 10000           | | role/HISTORY{code=18}/value
D.10.7.1.r.5  | text 2000            | | role/HISTORY/COMMENT
D.9.2.r.2     | term 250             | | observation{code=32}/value/originalText
D.9.4.r.2     | term 250             | | observation{code=8}/value/originalText
E.i.1.1a      | term 250             | | observation{code=29}/value/originalText
E.i.1.2       | term 250             | | observation{code=30}/value
F.r.2.1       | term 250             | | organizer{code=3}/component/observation/code/originalText
F.r.3.4       | text 2000            | | organizer{code=3}/component/observation/value
F.r.6         | text 2000            | | organizer{code=3}/component/observation/COMMENT
G.k.4.r.8     | text 2000            | | DRUG/substanceAdministration/text
G.k.4.r.9.1   | term 60              | | formCode/originalText
G.k.4.r.10.1  | term 60              | | routeCode/originalText
G.k.4.r.11.1  | term 60              | | observation{code=28}/value/originalText
G.k.7.r.1     | term 250             | | inboundRelationship/observation{code=19}/value/originalText
G.k.9.i.2.r.1 | text 60              | | causalityAssessment/author/assignedEntity/code/originalText
G.k.9.i.2.r.2 | term 60              | | causalityAssessment/methodCode/originalText
G.k.9.i.2.r.3 | term 60              | | causalityAssessment/value
G.k.11        | text 2000            | | DRUG/observation{code=2}/value
C.1.6.1.r.1   | text 2000            | | document/title
C.1.11.2      | text 2000            | | investigationCharacteristic{code=4}/value/originalText
C.4.r.1       | text 500             | | document/bibliographicDesignationText
C.5.2         | text 2000            | | researchStudy/title
D.1           | PERSON_PATIENT       | patient  | player1/name
D.1           | PERSON_PATIENT       | | player1/name/prefix
D.1           | PERSON_PATIENT       | patient  | player1/name/given
D.1           | PERSON_PATIENT       | patient  | player1/name/family
D.1.1.1       | ID_MEDICAL_RECORD    | patient  | asIdentifiedEntity{code=1}/id/@extension
D.1.1.2       | ID_MEDICAL_RECORD    | patient  | asIdentifiedEntity{code=2}/id/@extension
D.1.1.3       | ID_MEDICAL_RECORD    | patient  | asIdentifiedEntity{code=3}/id/@extension
D.1.1.4       | ID_STUDY             | patient  | asIdentifiedEntity{code=4}/id/@extension
D.1.1         | ID_MEDICAL_RECORD    | patient  | asIdentifiedEntity/id/@extension
D.2.2         | AGE                  | patient  | primaryRole/subjectOf2/observation{code=3}/value/@value
D.10.1        | PERSON_RELATIVE      | relative | associatedPerson/name
D.10.1        | PERSON_RELATIVE      | | associatedPerson/name/prefix
D.10.1        | PERSON_RELATIVE      | relative | associatedPerson/name/given
D.10.1        | PERSON_RELATIVE      | relative | associatedPerson/name/family
D.10.2.2      | AGE                  | relative | role/subjectOf2/observation{code=3}/value/@value
C.2.r.1       | PERSON_REPORTER      | reporter | REPORTER/assignedPerson/name
C.2.r.1.1     | PERSON_REPORTER      | | REPORTER/assignedPerson/name/prefix
C.2.r.1.2     | PERSON_REPORTER      | reporter | REPORTER/assignedPerson/name/given
C.2.r.1.4     | PERSON_REPORTER      | reporter | REPORTER/assignedPerson/name/family
C.2.r.2.1     | ORGANIZATION         | reporter | REPORTER/representedOrganization/assignedEntity/representedOrganization/name
C.2.r.2.2     | LOCATION_DEPARTMENT  | reporter | REPORTER/representedOrganization/name
C.2.r.2.3     | LOCATION_STREET      | reporter | REPORTER/addr/streetAddressLine
C.2.r.2.4     | LOCATION_CITY        | reporter | REPORTER/addr/city
C.2.r.2.5     | LOCATION_STATE       | reporter | REPORTER/addr/state
C.2.r.2.6     | LOCATION_ZIP         | reporter | REPORTER/addr/postalCode
C.2.r.2.7     | PHONE                | reporter | REPORTER/telecom/@value
C.2.r.3       | LOCATION_COUNTRY     | | REPORTER/assignedPerson/asLocatedEntity/location/code/@code
C.3.3         | PERSON_REPORTER      | sender   | SENDER/assignedPerson/name
C.3.3.2       | PERSON_REPORTER      | | SENDER/assignedPerson/name/prefix
C.3.3.3       | PERSON_REPORTER      | sender   | SENDER/assignedPerson/name/given
C.3.3.5       | PERSON_REPORTER      | sender   | SENDER/assignedPerson/name/family
C.3.2         | ORGANIZATION         | sender   | SENDER/representedOrganization/assignedEntity/representedOrganization/name
C.3.3.1       | LOCATION_DEPARTMENT  | sender   | SENDER/representedOrganization/name
C.3.4.1       | LOCATION_STREET      | sender   | SENDER/addr/streetAddressLine
C.3.4.2       | LOCATION_CITY        | sender   | SENDER/addr/city
C.3.4.3       | LOCATION_STATE       | sender   | SENDER/addr/state
C.3.4.4       | LOCATION_ZIP         | sender   | SENDER/addr/postalCode
C.3.4.5       | LOCATION_COUNTRY     | | SENDER/assignedPerson/asLocatedEntity/location/code/@code
C.3.4.6       | PHONE                | sender   | SENDER/telecom/@value
C.1.1         | ID_CASE              | case     | investigationEvent/id{@root=R.3.1}/@extension
C.1.8.1       | ID_CASE              | case     | investigationEvent/id{@root=R.3.2}/@extension
C.1.9.1.r.1   | ORGANIZATION         | case     | controlActEvent/id/@assigningAuthorityName
C.1.9.1.r.2   | ID_CASE              | case     | controlActEvent/id{@root=R.3.3}/@extension
C.1.10.r      | ID_CASE              | case     | controlActEvent/id{@root=R.3.2}/@extension
C.5.1.r.1     | ID_STUDY             | case     | studyRegistration/id/@extension
C.5.3         | ID_STUDY             | case     | researchStudy/id/@extension
N.1.2         | ID_CASE              | | MCCI_IN200100UV01/id/@extension
N.1.3         | ID                   | sender   | MCCI_IN200100UV01/sender/device/id/@extension
N.2.r.1       | ID_CASE              | case     | PORR_IN049016UV/id/@extension
N.2.r.2       | ID                   | sender   | PORR_IN049016UV/sender/device/id/@extension
N.1.4         | ID                   | | receiver/device/id/@extension
G.k.3.1       | plain                | | approval/id/@extension
E.i.9         | LOCATION_COUNTRY     | | locatedPlace/code/@code
G.k.2.4       | LOCATION_COUNTRY     | | productEvent/performer/assignedEntity/representedOrganization/addr/country
G.k.2.2       | plain                | | kindOfProduct/name
G.k.2.3.r.1   | plain                | | ingredientSubstance/name
G.k.3.3       | plain                | | playingOrganization/name
G.k.4.r.7     | plain                | | lotNumberText
FDA.G.k.12    | plain                | | partProduct/name
FDA.G.k.12    | plain                | | manufacturerOrganization/name
FDA.G.k.12    | plain                | | manufacturerOrganization/addr/streetAddressLine
FDA.G.k.12    | plain                | | manufacturerOrganization/addr/city
FDA.G.k.12    | plain                | | manufacturerOrganization/addr/state
FDA.G.k.12    | plain                | | manufacturerOrganization/addr/postalCode
FDA.G.k.12    | plain                | | manufacturerOrganization/addr/country
name          | PERSON               | | name/given
name          | PERSON               | | name/family
name          | PERSON               | | name/prefix
name          | PERSON               | | name/suffix
address       | LOCATION_STREET      | | streetAddressLine
address       | LOCATION_CITY        | | city
address       | LOCATION_STATE       | | state
address       | LOCATION_ZIP         | | postalCode
address       | LOCATION_COUNTRY     | | country
telecom       | PHONE                | | telecom/@value
telecom       | URL                  | | reference/@value
id            | ID                   | | id/@extension
id            | ORGANIZATION         | | id/@assigningAuthorityName
"""

_STRUCTURE = frozenset(
    """root extension code codeSystem codeSystemVersion codeSystemName displayName classCode moodCode typeCode determinerCode
    nullFlavor unit use mediaType representation language negationInd ITSVersion inclusive operator institutionSpecified
    contextControlCode contextConductionInd updateMode compression integrityCheck integrityCheckAlgorithm independentInd
    inversionInd qualifier lang realmCode currency alignment unsorted value assigningAuthorityName priorityNumber""".split()
)
"""Attributes of HL7 V3 without text. Source: HL7 V3 data types and their XML implementation (ITS)."""
_IDS_OF_THINGS = frozenset(("interactionId", "templateId", "typeId", "profileId", "versionCode"))
_NUMBER_OR_BOOLEAN = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false")

_SCHEMES = {
    "fax": PhiKind.FAX,
    "mailto": PhiKind.EMAIL,
    "http": PhiKind.URL,
    "https": PhiKind.URL,
    "tel": PhiKind.PHONE,
}
_MIDDLE = {"C.2.r.1.2": "C.2.r.1.3", "C.3.3.3": "C.3.3.4"}
_YEARS = {"10.a": 10.0, "a": 1.0, "mo": 1 / 12, "wk": 1 / 52, "d": 1 / 365, "h": 1 / 8760}
_BOUNDS = frozenset({"low", "high", "center", "comp", "phase"})
_NUMBERS = frozenset({"PQ", "IVL_PQ", "INT", "REAL", "RTO", "BL", "MO", "CE", "CD", "CS", "CV", "ST", "ED", "II"})
_SPECIAL = {"birthTime": PhiKind.DATE_BIRTH, "deceasedTime": PhiKind.DATE_DEATH}
_OWNERS = {"player1": ("D.2.1", "patient"), "associatedPerson": ("D.10.2.1", "relative")}


class R3(Standard):
    """E2B(R3)."""

    release = "R3"
    text_form, attachment_form = "r3", "r3-attachment"
    case_fields = ("C.1.8.1", "C.1.1", "N.2.r.1")
    table = Table(
        _TABLE.replace("REPORTER/", f"{_REPORTER}/")
        .replace("SENDER/", f"{_SENDER}/")
        .replace("HISTORY", _HISTORY)
        .replace("DRUG/", f"{_DRUG}/")
        .replace("COMMENT", _COMMENT)
        .replace("@root=R.", f"@root={_OID}.")
    )

    def reports(self, root: Element) -> list[Element]:
        return [c for c in root.children if c.name == "PORR_IN049016UV"]

    def date(self, element: Element) -> Value | None:
        written = element.attributes.get("value", "").strip()
        if not written or "unit" in element.attributes or not (_is_time(element) or _looks_like_date(element, written)):
            return None
        kind = _SPECIAL.get(element.name, PhiKind.DATE)
        owner = element.parent.name if element.parent is not None else ""
        field, role = _OWNERS.get(owner, ("", "")) if kind is not PhiKind.DATE else ("", "")
        field = "D.9.1" if field and kind is PhiKind.DATE_DEATH else field or "date"
        return Value(field, kind, iso(written), ValueLocation(f"{element.path()}/@value", "r3-date"), role)

    def is_transmission(self, element: Element) -> bool:
        owner = element.parent.name if element.parent is not None else ""
        return element.name == "creationTime" or (element.name == "effectiveTime" and owner == "controlActProcess")

    def is_onset(self, element: Element) -> bool:
        if element.name not in ("low", "effectiveTime"):
            return False
        current = element.parent
        while current is not None and current.name in ("effectiveTime", "comp"):
            current = current.parent
        code = current.child("code") if current is not None and current.name == "observation" else None
        return code is not None and code.attributes.get("code") == "29"

    def is_attachment(self, element: Element) -> bool:
        marked = element.attributes.get("representation") == "B64" or "compression" in element.attributes
        return marked or super().is_attachment(element)

    def unlisted_attributes(self, element: Element, done: Collection[str]) -> Iterator[Value]:
        for name, written in element.attributes.items():
            known = name in done or name in _STRUCTURE or name.startswith(("xsi:", "xml:"))
            if name == "value" and name not in done:
                known = _NUMBER_OR_BOOLEAN.fullmatch(written.strip()) is not None
            elif name == "extension" and name not in done:
                known = element.name in _IDS_OF_THINGS
            elif name == "assigningAuthorityName":
                known = name in done or element.name in _IDS_OF_THINGS
            if not known and written.strip():
                form = "r3" if name in ("value", "extension") else "attribute"
                yield Value(
                    f"unlisted.@{name}",
                    PhiKind.OTHER,
                    written.strip(),
                    ValueLocation(f"{element.path()}/@{name}", form),
                )

    def value(self, rule: Rule, element: Element, written: str) -> Value:
        assert rule.kind is not None
        location = ValueLocation(f"{element.path()}/@{rule.attribute}" if rule.attribute else element.path(), "r3")
        field, kind, value = rule.field, rule.kind, written
        if kind is PhiKind.AGE:
            value, location = (
                age(written, _YEARS.get(element.attributes.get("unit", ""))),
                location._replace(form="r3-age"),
            )
        elif element.name == "telecom":
            scheme, colon, rest = written.partition(":")
            if colon and scheme.lower() in _SCHEMES:
                kind, value, location = _SCHEMES[scheme.lower()], rest, location._replace(form="r3-scheme")
        elif element.name == "given" and element.number > 1:
            field = _MIDDLE.get(field, field)
        return Value(field, kind, value, location, rule.role, element)


def _is_time(element: Element) -> bool:
    """Return whether an element is a point in time (TS), by its HL7 data type or its name."""
    kind = element.attributes.get("xsi:type", "").rpartition(":")[2]
    if kind:
        return kind == "TS" or kind.endswith("_TS")
    if element.name.endswith("Time") or element.name == "time":
        return True
    return element.name in _BOUNDS and element.parent is not None and _is_time(element.parent)


def _looks_like_date(element: Element, written: str) -> bool:
    """Return whether a value without a declared type looks like a date."""
    kind = element.attributes.get("xsi:type", "").rpartition(":")[2]
    owner = element.parent.attributes.get("xsi:type", "").rpartition(":")[2] if element.parent is not None else ""
    return kind not in _NUMBERS and owner not in _NUMBERS and element.name != "telecom" and looks_like_date(written)
