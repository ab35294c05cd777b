"""Values in tables: columns and rows of pipe, tab and comma separated text whose heading says what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind


class Cell(NamedTuple):
    """A value with its kind: code points `begin:end` of the text."""

    begin: int
    end: int
    kind: PhiKind
    rule: str


_HEADINGS = """
ID_MEDICAL_RECORD: mrn, mr, mr no, mrno, medical record, record, record no, hosp no, hospital no, hospital number, uhid,
  urn, ur, ur no, nhs, nhs no, nhs number, chi, nhi, pid, patient id, pt id, chart, chart no, unit no, folder, folder no,
  reg no, crn, hrn, hn, mpi, op no, ip no
ID_SSN: ssn, ss, social security, national id, id no, nric, aadhaar, cnic, nid, ppsn, nino, sin, tfn
ID_HEALTH_PLAN: policy, policy no, member id, member no, member, insurance id, insurance no, medicare, medicaid, group,
  group no, phn, hcn, medicare no, dva
ID_ACCOUNT: acct, account, account no, acct no, fin, csn, guarantor
ID_DEVICE: serial, serial no, serial number, sn, s/n, serial nr
ID: id, case, case no, case id, sender id, accession, acc, acc no, accession no, specimen, specimen no, lab no, lab id, unos
  id, encounter, visit no, order, order no, req, req no, claim, claim no, ref no, reference, subject, subject id, subject
  no, badge, donor id, staff id, employee id, barcode, study id
PERSON: name, patient, patient name, pt, pt name, full name, last, first, last name, first name, surname, forename, given
  name, family name, lname, fname, attending, attg, provider, doctor, physician, surgeon, consultant, nurse, nok, next of
  kin, contact name, mother, father, reporter, anaesthetist
PHONE: phone, tel, telephone, mobile, mob, cell, phone no, contact no, contact number, home phone, work phone, fax, pager,
  ext
LOCATION_STREET: address, addr, street, home address
LOCATION_CITY: city, town, suburb
LOCATION_ZIP: zip, zip code, postcode, postal code, pin code
DATE: dob, d.o.b, date of birth, birth date, birthdate, born, birth
AGE: age
PERSON_USERNAME: user, login, username, user id
"""
_PATIENT = frozenset("ID_MEDICAL_RECORD DATE AGE PHONE ID_SSN ID_HEALTH_PLAN ID_ACCOUNT".split())
_PERSON_ALONE = frozenset(
    "patient name|pt name|full name|last name|first name|surname|forename|given name|family name".split("|")
)
_NOT_VALUES = frozenset(
    "- -- --- n/a na nil none empty unknown unk pending tbd tba no yes y n m f ? same as above".split()
)
_QUICK = lazy_regex(
    r"(?i)\b(?:mrn|dob|d\.o\.b|birth|name|age|first|last|patient|pt|nhs|nhi|chi|uhid|record|chart|serial|s/n|sn|ssn|acct|account"
    r"|id|case|accession|acc|specimen|hosp|phone|tel|mobile|policy|member|folder|reg|ur|urn|medicare|subject|born|surname)\b"
)
_TABLE = lazy_regex(
    r"(?i)\||\t|[,;]\"?(?:mrn|dob|name|age|first|last|patient|pt|nhs|nhi|phone|id|ssn|account|date of birth)\"?[,;\r\n]"
)
_EDGE = lazy_regex(r"^[\s|:-]+$")
_SEGMENT = lazy_regex(r"[A-Z][A-Z0-9]{2}\|")


@lru_cache(1)
def _headings() -> dict[str, PhiKind]:
    """Return the kinds by heading, in lower case."""
    found = {}
    for kind, names in re.findall(r"^([A-Z_]+): ((?:.|\n  )*)", _HEADINGS, re.MULTILINE):
        found.update({" ".join(name.split()): PhiKind.of(kind) for name in names.split(",")})
    return found


def table_values(text: str) -> Iterator[Cell]:
    """Yield the values of tables by their headings.

    A heading line has two known headings, one of a record or a birth date; a row of a pipe table may begin with its heading.
    A table ends with an empty line or a line without its separator.
    """
    if not _TABLE.search(text):
        return
    kinds: list[PhiKind | None] = []
    separator = ""
    offset = 0
    for line in text.splitlines(keepends=True):
        begin, offset = offset, offset + len(line)
        if len(line) > 2_000 or not line.strip():
            separator = "" if not line.strip() else separator
            continue
        if separator and separator in line and not _EDGE.match(line):
            cells = _cells(line, separator)
            if len(cells) >= len(kinds) - 2 or separator != "|":
                yield from _row(line, begin, cells, kinds)
                continue
        if separator and separator in line:
            continue
        separator, kinds = _heading_line(line)
        if not separator and line.count("|") > 1 and not _SEGMENT.match(line):
            yield from _labelled_row(line, begin)


def _heading_line(line: str) -> tuple[str, list[PhiKind | None]]:
    """Return the separator and the kinds of the columns if the line is a heading line; no separator otherwise."""
    if len(line) > 400 or not _QUICK.search(line):
        return "", []
    for separator in ("|", "\t", ",", ";"):
        if line.count(separator) < 2:
            continue
        names = [_label(line[b:e]) for b, e in _cells(line, separator)]
        kinds = [_headings().get(name) for name in names]
        known = {kind.name for kind in kinds if kind is not None}
        if len([k for k in kinds if k]) < 2 and "ID_DEVICE" not in known:
            continue
        if not known & _PATIENT and not known & {"ID_DEVICE", "ID"}:
            kinds = [k if name in _PERSON_ALONE else None for k, name in zip(kinds, names, strict=True)]
        if any(kinds):
            return separator, kinds
    return "", []


def _label(cell: str) -> str:
    return " ".join(re.sub(r"[\"'*_#.:()]+", " ", cell).lower().split())


def _cells(line: str, separator: str) -> list[tuple[int, int]]:
    """Return begin and end of the cells of a line; separators inside double quotes do not count."""
    cells, begin, quoted = [], 0, False
    body = line.rstrip("\r\n")
    for i, c in enumerate(body):
        if c == '"' and separator != "|":
            quoted = not quoted
        elif c == separator and not quoted:
            cells.append((begin, i))
            begin = i + 1
    return [*cells, (begin, len(body))]


def _row(line: str, begin: int, cells: list[tuple[int, int]], kinds: list[PhiKind | None]) -> Iterator[Cell]:
    for (low, high), kind in zip(cells, kinds, strict=False):
        if kind is not None:
            yield from _value(line, begin, low, high, kind, "table_column")


def _labelled_row(line: str, begin: int) -> Iterator[Cell]:
    """Yield the cells after a first cell that is a heading of numbers: `| MRN | 12345 |`."""
    cells = [(b, e) for b, e in _cells(line, "|") if line[b:e].strip()]
    if len(cells) < 2:
        return
    kind = _headings().get(_label(line[cells[0][0] : cells[0][1]]))
    if kind is not None and kind.name.startswith("ID"):
        for low, high in cells[1:]:
            yield from _value(line, begin, low, high, kind, "table_row")


def _value(line: str, begin: int, low: int, high: int, kind: PhiKind, rule: str) -> Iterator[Cell]:
    """Yield the value between two offsets of the line without blanks, quotes and signs around it, if it can be of its kind."""
    inner = line[low:high]
    value = inner.strip(" \t\"'*_~#")
    if not value or len(value) > 60 or value.lower() in _NOT_VALUES:
        return
    start = begin + low + inner.index(value)
    if kind is PhiKind.AGE:
        age = re.match(r"[0-9]{1,3}(?: ?(?:y(?:rs?|ears?)?(?:[ /]?o(?:ld)?)?|m(?:o|os|onths)?|w(?:ks?)?|d)\b)?", value)
        if age and 0 < int(re.match(r"[0-9]+", value)[0]) < 125:  # type: ignore[index]
            yield Cell(start, start + age.end(), kind, rule)
        return
    letters, has_digit = sum(c.isalpha() for c in value), any(c.isdigit() for c in value)
    if kind is PhiKind.PERSON:
        if letters < 2 or letters < len(value) * 0.6 or len(value.split()) > 6:
            return
    elif (
        kind not in (PhiKind.LOCATION_CITY, PhiKind.LOCATION_STREET, PhiKind.PERSON_USERNAME)
        and (not has_digit or letters > 14)
    ) or (kind.name.startswith("ID") and sum(c.isdigit() for c in value) < 3):
        return
    yield Cell(start, start + len(value), kind, rule)
