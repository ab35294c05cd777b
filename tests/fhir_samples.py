"""Made-up FHIR resources."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

NOTE = "Mrs. Ansgarde Tollivant (MRN 00417732) fell on 3 April 2026. Dr. Obren Fessenmark saw her on 5 April 2026."


def data(text: str, charset: str = "utf-8") -> str:
    return base64.b64encode(text.encode(charset)).decode()


def patient(id_: str = "p1", family: str = "Tollivant", given: str = "Ansgarde", **more: Any) -> dict[str, Any]:
    return {
        "resourceType": "Patient",
        "id": id_,
        "identifier": [{"type": {"coding": [{"code": "MR"}]}, "system": "urn:oid:2.999.1", "value": "00417732"}],
        "name": [{"use": "official", "given": [given, "Maud"], "family": family}],
        "telecom": [{"system": "phone", "value": "555-0199"}],
        "gender": "female",
        "birthDate": "1961-03-12",
        "address": [{"line": ["9 Oak Rd"], "city": "Dunmere", "country": "US"}],
        "contact": [{"name": {"text": "Lyle Tollivant"}}],
        **more,
    }


PRACTITIONER: dict[str, Any] = {
    "resourceType": "Practitioner",
    "id": "d1",
    "name": [{"prefix": ["Dr."], "given": ["Obren"], "family": "Fessenmark"}],
}


def document(text: str = NOTE, subject: str = "Patient/p1", **attachment: Any) -> dict[str, Any]:
    return {
        "resourceType": "DocumentReference",
        "id": "x1",
        "status": "current",
        "subject": {"reference": subject, "display": "Ansgarde Tollivant"},
        "date": "2026-04-05T10:15:00+02:00",
        "content": [{"attachment": {"contentType": "text/plain", "data": data(text), **attachment}}],
    }


def bundle(*resources: dict[str, Any]) -> dict[str, Any]:
    entries = [{"fullUrl": f"urn:uuid:{n}", "resource": r} for n, r in enumerate(resources)]
    return {"resourceType": "Bundle", "type": "collection", "entry": entries}


def write(path: Path, root: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "\n".join(json.dumps(r) for r in root) + "\n" if path.suffix == ".ndjson" else json.dumps(root, indent=1)
    path.write_text(lines, encoding="utf-8")
    return path
