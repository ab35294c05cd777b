"""Values in HL7 version 2 segments, and in XML elements and JSON members inside a note."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind
from .tables import Cell

_SEGMENT = lazy_regex(r"^[> \t]*(?P<name>PID|NK1|PV1|IN1|GT1|OBR|ORC|EVN)\|(?P<fields>[^\r\n]*)", re.MULTILINE)
_FIELDS = """
PID: 2 id, 3 id, 4 id, 5 person, 6 person, 7 date, 9 person, 11 address, 13 phone, 14 phone, 18 account, 19 ssn, 20 licence, 21 id
NK1: 2 person, 4 address, 5 phone, 6 phone, 30 person, 31 phone
PV1: 5 order, 7 staff, 8 staff, 9 staff, 17 staff, 19 order, 50 order
IN1: 2 plan, 3 plan, 4 company, 5 address, 6 person, 7 phone, 8 plan, 16 person, 18 date, 19 address, 36 plan, 49 plan
GT1: 2 id, 3 person, 5 address, 6 phone, 7 phone, 8 date, 12 ssn
OBR: 2 order, 3 order, 10 staff, 16 staff, 17 phone, 28 staff, 32 staff
ORC: 2 order, 3 order, 4 order, 10 staff, 11 staff, 12 staff, 14 phone
EVN: 5 staff
"""
"""HL7 version 2.5.1, chapters 2 to 6: numbers of the fields, and what they contain."""

_PLACES = {row[:3]: dict(p.split() for p in row[5:].split(", ")) for row in _FIELDS.strip().splitlines()}
_IDS = {
    "id": PhiKind.ID_MEDICAL_RECORD,
    "account": PhiKind.ID_ACCOUNT,
    "ssn": PhiKind.ID_SSN,
    "licence": PhiKind.ID_LICENSE,
    "plan": PhiKind.ID_HEALTH_PLAN,
    "order": PhiKind.ID,
    "phone": PhiKind.PHONE,
    "date": PhiKind.DATE,
}
_ADDRESS = {
    0: PhiKind.LOCATION_STREET,
    1: PhiKind.LOCATION_STREET,
    2: PhiKind.LOCATION_CITY,
    3: PhiKind.LOCATION_STATE,
    4: PhiKind.LOCATION_ZIP,
}
_ELEMENT = lazy_regex(
    r"<(?P<tag>[A-Za-z]+:)?(?P<xml>[A-Za-z_]+)(?: [^<>\n]{0,80})?>(?P<text>[^<>\n]{1,80})</|"
    r"\"(?P<json>[A-Za-z_]{2,20})\"[ ]?:[ ]?\"(?P<string>[^\"\n]{1,80})\""
)
_NAMES = """
PERSON: given family first last firstname lastname first_name last_name surname forename fullname patientname patient_name
DATE: dob birthdate birth_date dateofbirth date_of_birth
PHONE: phone telephone tel mobile fax telecom cell phone_number
LOCATION_STREET: street addr address addressline streetaddressline line address1
LOCATION_CITY: city town
LOCATION_ZIP: zip postalcode postcode postal_code zipcode
ID_MEDICAL_RECORD: mrn patientid patient_id nhsnumber chi nhi
ID_SSN: ssn
ID_ACCOUNT: account acct fin
ID: accession caseid case_id orderid order_id identifier
PERSON_USERNAME: username user login
"""
_KINDS = {
    name: PhiKind.of(row.split(":")[0]) for row in _NAMES.strip().splitlines() for name in row.split(": ")[1].split()
}


def segment_values(text: str) -> Iterator[Cell]:
    """Yield the values of HL7 segments by the number of their field, and of XML elements and JSON members by their name."""
    if "|" in text:
        for segment in _SEGMENT.finditer(text):
            yield from _fields(segment["name"], segment["fields"], segment.start("fields"))
    if "</" in text or '": "' in text or '":"' in text:
        for element in _ELEMENT.finditer(text):
            group = "text" if element["xml"] else "string"
            kind = _KINDS.get((element["xml"] or element["json"]).lower())
            yield from _whole(element[group], element.start(group), kind, "element")


def _whole(value: str, begin: int, kind: PhiKind | None, rule: str) -> Iterator[Cell]:
    stripped = value.strip()
    if kind is not None and any(c.isalnum() for c in stripped):
        start = begin + value.index(stripped)
        yield Cell(start, start + len(stripped), kind, rule)


def _fields(name: str, fields: str, begin: int) -> Iterator[Cell]:
    for number, field in enumerate(fields.split("|"), 1):
        what = _PLACES[name].get(str(number))
        if what and len(field) <= 400:
            offset = begin
            for repetition in field.split("~"):
                yield from _repetition(what, repetition, offset)
                offset += len(repetition) + 1
        begin += len(field) + 1


def _repetition(what: str, field: str, begin: int) -> Iterator[Cell]:
    """Yield the values of one repetition of a field; its components are separated by `^`."""
    parts = field.split("^")
    if what in _IDS:
        if any(c.isdigit() for c in parts[0]) and len(parts[0]) > 2:
            yield from _whole(parts[0], begin, _IDS[what], "hl7_field")
    elif what == "address":
        for i, part in enumerate(parts):
            if i in _ADDRESS:
                yield from _whole(part, begin, _ADDRESS[i], "hl7_field")
            begin += len(part) + 1
    elif what == "company":
        yield from _whole(parts[0], begin, PhiKind.ORGANIZATION, "hl7_field")
    else:
        first = 0
        if what == "staff" and len(parts) > 1:
            yield from _whole(
                parts[0],
                begin,
                PhiKind.ID_LICENSE if any(c.isdigit() for c in parts[0]) else PhiKind.PERSON,
                "hl7_field",
            )
            first = 1
        elif what == "staff":
            yield from _whole(parts[0], begin, PhiKind.PERSON_USERNAME, "hl7_field")
            return
        name = "^".join(parts[first : first + 3]).rstrip("^")
        yield from _whole(name, begin + (len(parts[0]) + 1 if first else 0), PhiKind.PERSON, "hl7_field")
