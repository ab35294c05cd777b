"""What masking keeps, for any text."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from whole_pipeline import seen

from caspipe.pipeline import Pipeline
from caspipe.pipeline.assembly.shipped import locate
from caspipe.typesystem import Cas, MaskedSpan, Phi, PhiCandidate, PhiKind, Policy

pytestmark = pytest.mark.filterwarnings("ignore:.*has no key:UserWarning")

KEY = "a secret for the tests only, of 32 characters or more"
NO_GATE = "leak_gate.checks=[]"
"""Fragments that grow together (`13Aug2005may`) are no dates: the gate refuses such texts, and here every text is looked at."""

PHI = [
    "3/4/2020",
    "13Aug2005",
    "May 5",
    "July 2019 to August 2020",
    "2020-03-04T12:33:01Z",
    "Dr. Maria Lindqvist",
    "John Smith",
    "Mr. O'Connor-Smith",
    "K.J.",
    "65-year-old",
    "92 y/o",
    "aged 103",
    "617-555-0199",
    "+46 18 611 00 00",
    "123-45-6789",
    "MRN: 00123456",
    "12 Main Street, Springfield, IL 62704",
    "a@b.example.com",
    "http://x.example.com/a?b=1",
    "192.0.2.1",
    "550e8400-e29b-41d4-a716-446655440000",
    "General Hospital",
    "Boston",
]
WORDS = [
    "the",
    "patient",
    "was seen on",
    "by",
    "Mild",
    "Lyme disease",
    "100M",
    "73 20",
    "may",
    "born",
    "DOB:",
    "tel",
    "late",
]
WORDS += ["mid-", "ID", "[DATE]", "\\d", "ward", "her son", "and", "of", "to"]
SIGNS = [
    "😀",
    "👩‍👩‍👧",
    "e\u0301",
    "\u202e",
    "\u200b",
    "\ufeff",
    "\x00",
    "\x1b[31m",
    "\x85",
    "\u2028",
    "\u00a0",
    "ﬁ",
    "İ",
    "٣",
    "３",
]
SIGNS += ["３", "½", "\ud800", "\udc00"]
MARKS = [*" \t\n.,-–/()'’\":_&<%07", " ", " ", "  ", "\r\n", ", ", ""]
FRAGMENTS = st.lists(st.one_of(*map(st.sampled_from, (PHI, WORDS, SIGNS, MARKS, MARKS))), max_size=24).map(
    lambda parts: "".join(p + " " * (i % 3 == 0) for i, p in enumerate(parts))
)
PROPERTY = settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

OPERATORS = {
    "placeholders": [],
    "shift": [f"masker.DATE.shift.key={KEY}", "masker.DATE.shift.season=true"],
    "surrogates": [f"masker.{kind}={{surrogate: {{key: {KEY!r}}}}}" for kind in ("DATE", "AGE", "default")],
    "pseudonyms": [f"masker.default={{pseudonym: {{key: {KEY!r}}}}}", "masker.DATE={relative: {}}"],
    "redaction": ["masker.default=redact", "masker.DATE=redact", "masker.AGE=redact"],
    "safe harbor": ["masker.policy=hipaa-safe-harbor", "masker.DATE=year", "masker.LOCATION_ZIP=zip3"],
}


@pytest.fixture(scope="module")
def masking() -> Callable[[str], Pipeline]:
    made: dict[str, Pipeline] = {}

    def get(name: str) -> Pipeline:
        if name not in made:
            made[name] = Pipeline.load(locate("deidentify"), [*OPERATORS[name], NO_GATE]).open()
        return made[name]

    return get


def check(cas: Cas, policy: Policy) -> None:
    """What must hold of every document, whatever is in it."""
    text, view = cas.text, cas.view("deidentified")
    spans, masked = cas.select(Phi), view.select(MaskedSpan)
    assert all(0 <= p.begin < p.end <= len(text) for p in spans)
    assert all(a.end <= b.begin for a, b in itertools.pairwise(spans)), "final spans never overlap"
    assert view.offset_map is not None
    rebuilt, at = "", 0
    for m in masked:
        rebuilt += text[at : m.original_begin] + view.text[m.begin : m.end]
        at = m.original_end
        assert view.offset_map.to_new(m.original_begin, m.original_end) == (m.begin, m.end)
        assert view.offset_map.to_old(m.begin, m.end) == (m.original_begin, m.original_end)
        original, new = text[m.original_begin : m.original_end].casefold(), view.text[m.begin : m.end].casefold()
        if len(original) >= 4 and original.isalnum() and m.operator not in ("shift", "year", "surrogate"):
            assert original not in new, f"a {m.kind.name} survives its mask"
    assert view.text == rebuilt + text[at:], "the masked text is the text with the masked spans replaced"
    covered = {i for m in masked for i in range(m.original_begin, m.original_end)}
    for phi in spans:
        if masks(policy, phi):
            assert covered.issuperset(range(phi.begin, phi.end)), f"a final {phi.kind.name} is left readable"
    for c in cas.select(PhiCandidate):
        if masks(policy, c) and not c.reason.startswith(("vetoed", "outvoted")) and not said_better(c, spans):
            letters = {i for i in range(c.begin, c.end) if text[i].isalnum()}
            assert letters <= covered, f"a {c.kind.name} of {c.source} is uncovered: {c.reason}"


def said_better(c: PhiCandidate, spans: list[Phi]) -> bool:
    """Whether a final span around it says the same in more detail: LOCATION_STATE of what it calls LOCATION."""
    return any(p.kind.parent is c.kind and p.begin <= c.begin and c.end <= p.end for p in spans)


def masks(policy: Policy, span: Phi | PhiCandidate) -> bool:
    """Whether spans of this kind are masked for certain; of ages up to 89 the number decides."""
    return policy.masks(span.kind) and span.kind is not PhiKind.AGE


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATORS)
def test_masked_text_is_the_text_with_its_phi_replaced_and_nothing_else(
    name: str, masking: Callable[[str], Pipeline]
) -> None:
    pipeline = masking(name)
    policy = Policy.of("hipaa-safe-harbor" if name == "safe harbor" else "everything")

    @PROPERTY
    @given(FRAGMENTS)
    def holds(text: str) -> None:
        cas = pipeline.process(Cas(text, id="a"))
        check(cas, policy)
        assert seen(pipeline.process(Cas(text, id="a"))) == seen(cas), "the same text gives the same again"
        check(pipeline.process(Cas(cas.deidentified, id="a")), policy)

    holds()
