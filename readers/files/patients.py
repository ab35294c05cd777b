"""Find the patient of a document: by a pattern over its id, or in a table of files and patients."""

from __future__ import annotations

import csv
import dataclasses
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

from ...pipeline.contract.component import CollectionReader
from ...pipeline.contract.report import NO_PATIENT, PATIENT_STATE
from ...pipeline.errors import ReaderError
from ...typesystem import Cas, KnownPhi, PhiKind
from .selection import document_id

PATIENT = "patient_id"
"""Name of the metadata with the identifier of the patient, which decides about shifts and pseudonyms."""
_LEAST = 5
"""Shorter identifiers are not searched for in the text (letters and digits): they would be found everywhere."""


class PatientError(ReaderError):
    """It is not known whose document it is."""

    reason = "patient"


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class PatientOptions(CollectionReader):
    """The parameter that decides about documents of which no patient is known."""

    without_patient: Literal["quarantine", "document"] = "quarantine"
    """A document for which `patient`, `patients` or `patient_field` gives no patient: it is not released (`quarantine`), or it
    has shifts and pseudonyms of its own (`document`), and the run says how many there were."""

    def give_patient(self, cas: Cas, patient: str, fault: str) -> Cas:
        """Return the document with its patient. Raises PatientError with `fault` if there is none and that is not allowed."""
        patient = patient.strip()
        if patient:
            cas.metadata[PATIENT] = patient
            if sum(map(str.isalnum, patient)) >= _LEAST and not _is_known(cas, patient):
                cas.add(KnownPhi(kind=PhiKind.ID_MEDICAL_RECORD, value=patient, provenance="patient", role="patient"))
        elif self.without_patient == "quarantine":
            raise PatientError(fault)
        else:
            cas.metadata.pop(PATIENT, None)
            cas.metadata[PATIENT_STATE] = NO_PATIENT
        return cas


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class PatientsOfFiles(PatientOptions):
    """Parameters that tell whose document a file is."""

    patient: str = ""
    """Regular expression with a group `patient`, searched for in the document id: `"(?P<patient>[^/]+)/"` for a folder for each
    patient. The documents of a patient share shifts and pseudonyms, and the identifier is masked wherever a text contains it."""
    patients: Path | None = None
    """Table (CSV, or TSV by its suffix) with the columns `file` and `patient`, instead of `patient`. A file is its path below
    `folder`, with or without its suffix, or a document id."""

    suffixes: ClassVar[tuple[str, ...]] = ()

    def check_patients(self) -> None:
        """Raise ValueError if both parameters are given or the expression has no group `patient`."""
        if self.patient and self.patients:
            raise ValueError("patient: expected either patient or patients, got both")
        if self.patient and "patient" not in self._expression.groupindex:
            raise ValueError("patient: expected a group (?P<patient>...) in the regular expression, found none")

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        try:
            return re.compile(self.patient)
        except re.error as error:
            raise ValueError(f"patient: not a regular expression: {error.msg} at {error.pos}") from None

    @cached_property
    def _table(self) -> dict[str, str]:
        return {} if self.patients is None else read_patients(self.patients, self.suffixes)

    def open_patients(self) -> None:
        """Read the table. Raises ReaderError with its lines."""
        _ = self._table

    def with_patient(self, cas: Cas, path: str = "") -> Cas:
        """Return a document with its patient, unless nothing tells whose it is. Raises PatientError that names the file."""
        where = f"{path}: " if path else ""
        if self.patient:
            found = self._expression.search(cas.id)
            patient = (found["patient"] or "") if found else ""
            return self.give_patient(cas, patient, f"{where}the expression in `patient` does not match its document id")
        if self.patients is not None:
            fault = f"{where}{self.patients.name} has no row with its document id"
            return self.give_patient(cas, self._table.get(cas.id, ""), fault)
        return cas


def read_patients(path: Path, suffixes: Sequence[str]) -> dict[str, str]:
    """Return the patient of each document id in a table. Raises ReaderError with file and line, without any value."""
    patients: dict[str, str] = {}
    lines: dict[str, int] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",", strict=True)
            missing = [name for name in ("file", "patient") if name not in (rows.fieldnames or ())]
            if missing:
                raise ReaderError(f"{path}:1: expected the columns file and patient; no {' and no '.join(missing)}")
            for row in rows:
                name, patient = ((row[column] or "").strip() for column in ("file", "patient"))
                if not name or not patient:
                    raise ReaderError(f"{path}:{rows.line_num}: expected a file and a patient, found an empty cell")
                for key in dict.fromkeys((name, document_id(name, suffixes))):
                    if patients.setdefault(key, patient) != patient:
                        raise ReaderError(f"{path}:{rows.line_num}: the file has another patient in line {lines[key]}")
                    lines.setdefault(key, rows.line_num)
    except OSError as error:
        raise ReaderError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ReaderError(f"{path}: expected UTF-8") from None
    except csv.Error as error:
        raise ReaderError(f"{path}:{rows.line_num}: {error}") from None
    return patients


def _is_known(cas: Cas, patient: str) -> bool:
    return any(known.value.strip() == patient for known in cas.known_phi)
