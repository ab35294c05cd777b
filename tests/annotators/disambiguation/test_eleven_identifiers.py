"""The eleven identifiers that the PHI scrubber leaves to patterns: `identifiers` finds each of them as its source would."""

from __future__ import annotations

import pytest
from marked_spans import unmark

from caspipe.annotators.identifiers import IdentifierAnnotator
from caspipe.typesystem import Cas, PhiKind

CASES = {
    "telephone": "Phone: <PHONE>(415) 555-0132</PHONE>. Home <PHONE>415.555.0177</PHONE>, work <PHONE>+1 415 555 0188</PHONE>.",
    "fax": "Fax: <FAX>(415) 555-0133</FAX>. Fax number is <FAX>415-555-0134</FAX>.",
    "e-mail": "Write to <EMAIL>pat.lee_77@mail.example.org</EMAIL>.",
    "social security": "SSN: <ID>219-09-9999</ID>. Social security number <ID>219 09 9998</ID>.",
    "medical record": "MRN: <ID>00482913</ID>. Medical record number <ID>A-482913</ID>. Chart # <ID>482914</ID>.",
    "health plan": "Member ID: <ID>XQH448201937</ID>. Policy number <ID>H-448201</ID>. Medicare number <ID>1EG4-TE5-MK73</ID>.",
    "account": "Account number: <ID>4482-0193-77</ID>. Acct # <ID>44820193</ID>.",
    "certificate or licence": "License number: <ID>MD448201</ID>. Driver's license <ID>D4482019</ID>. DEA <ID>BL4482013</ID>.",
    "vehicle": "VIN <ID>1M8GDM9AXKP042788</ID>. License plate: <ID>7ABC123</ID>.",
    "device": "Pacemaker serial number <ID>PJN448201H</ID>. S/N: <ID>QX-4482-019</ID>.",
    "web address": "See <URL>https://www.example.org/notes?id=7</URL> or <URL>www.example.com</URL>.",
    "IP address": "Sent from <IP>203.0.113.77</IP> and <IP>2001:db8::7334</IP>.",
}


@pytest.fixture(scope="module")
def identifiers() -> IdentifierAnnotator:
    made = IdentifierAnnotator()
    made.open()
    return made


@pytest.mark.parametrize("name", CASES)
def test_an_identifier_of_the_source_is_found(identifiers: IdentifierAnnotator, name: str) -> None:
    case = unmark(CASES[name], name)
    found = [(c.begin, c.end, c.kind) for c in identifiers.annotate(Cas(case.text).view())]
    missed = [
        (begin, end, kind)
        for begin, end, kind in case.spans
        if not any(b == begin and e == end and k.is_a(PhiKind.of(kind)) for b, e, k in found)
    ]
    assert not missed
    assert len(found) == len(case.spans)


@pytest.mark.parametrize(
    "text",
    [
        "BP 120/80, pulse 72, WBC 11.2, platelets 250000.",
        "Took 12.5 mg at 10:30, 3-4 times in 24 hours.",
        "Lot 448201 of the vaccine; ICD-10 I25.10; CPT 99213.",
        "Version 2.0.11.4 of the software, see section 3.1.2.4.",
    ],
)
def test_figures_of_a_note_are_none(identifiers: IdentifierAnnotator, text: str) -> None:
    assert not list(identifiers.annotate(Cas(text).view()))
