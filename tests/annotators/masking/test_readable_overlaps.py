"""A candidate that says the same in less detail does not overrule what a policy keeps readable."""

from __future__ import annotations

import pytest
from overlap_cases import candidates, made

from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.resolving.resolver import Resolver
from caspipe.typesystem import Cas

POLICY = "{LOCATION_STATE: keep}"


@pytest.mark.parametrize(
    ("model", "masked"),
    [
        ("to <LOCATION>Ohio</LOCATION> in May", "to Ohio in May"),
        ("<LOCATION>to Ohio</LOCATION> in May", "[LOCATION] in May"),
        ("to <PERSON>Ohio</PERSON> in May", "to [PERSON] in May"),
        ("to <LOCATION_CITY>Ohio</LOCATION_CITY> in May", "to [LOCATION] in May"),
    ],
)
def test_only_the_kind_above_within_the_span_yields(model: str, masked: str) -> None:
    cas = Cas("to Ohio in May")
    candidates(cas, "to <LOCATION_STATE>Ohio</LOCATION_STATE> in May", "names")
    candidates(cas, model, "crf")
    Resolver(priority=["names", "crf"]).process(cas)
    made(Masker, POLICY).process(cas)
    assert cas.deidentified == masked
