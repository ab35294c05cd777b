"""The masker against its case file."""

from __future__ import annotations

import pytest
import yaml
from overlap_cases import Case, made, read_cases, read_marked

from caspipe.annotators.masking.masker import Masker
from caspipe.typesystem import Cas, Phi, PhiKind


@pytest.mark.parametrize("case", read_cases("masking.txt"), ids=lambda case: f"line-{case.line}")
def test_the_masked_text_is_what_the_case_file_says(case: Case) -> None:
    text, spans = read_marked(case["text"])
    cas = Cas(text, id="document")
    cas.metadata.update(yaml.safe_load(case["metadata"] or "{}"))
    for begin, end, kind in spans:
        cas.add(Phi(begin, end, kind=PhiKind.of(kind)))
    made(Masker, case["masker"]).process(cas)
    assert cas.deidentified == case.expected
