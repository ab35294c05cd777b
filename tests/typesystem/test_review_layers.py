"""What INCEpTION takes for a blank, and the types of a review."""

from __future__ import annotations

import pytest

from caspipe.typesystem import TypeSystem
from caspipe.typesystem.review_layers import (
    CANDIDATE_LAYER,
    NAMED_ENTITY,
    PHI_LAYER,
    Mode,
    is_blank,
    review_types_xml,
    trimmed,
)


@pytest.mark.parametrize(
    ("text", "span", "expected"),
    [
        ("ab", (0, 2), (0, 2)),
        (" a b ", (0, 5), (1, 4)),
        ("a\n", (0, 2), (0, 1)),
        ("   ", (0, 3), (0, 0)),
        ("   ", (1, 3), (1, 1)),
        ("\u200ba\u00a0", (0, 3), (1, 2)),
        ("x😀 ", (1, 3), (1, 2)),
        ("a\x85", (0, 2), (0, 2)),
        ("a\ufeff", (0, 2), (0, 2)),
        ("a", (1, 1), (1, 1)),
    ],
)
def test_edges_of_a_span_lose_their_blanks(text: str, span: tuple[int, int], expected: tuple[int, int]) -> None:
    assert trimmed(text, *span) == expected


def test_blanks_are_those_of_java_and_of_trimutils() -> None:
    java = [
        9,
        10,
        11,
        12,
        13,
        28,
        29,
        30,
        31,
        0x20,
        0x1680,
        0x205F,
        0x3000,
        *range(0x2000, 0x2007),
        *range(0x2008, 0x200B),
    ]
    more = [0xA0, 0x2007, *range(0x200B, 0x2010), *range(0x2028, 0x2030), *range(0x2060, 0x2070)]
    assert [c for c in range(0x11000) if is_blank(chr(c))] == sorted({*java, *more})


@pytest.mark.parametrize("mode", ["phi-layer", "named-entity"])
@pytest.mark.parametrize("candidates", [False, True])
def test_the_types_of_a_review_stand_by_themselves(mode: Mode, candidates: bool) -> None:
    types = TypeSystem.from_xml(review_types_xml(mode, candidates))
    ours = {PHI_LAYER if mode == "phi-layer" else NAMED_ENTITY, *([CANDIDATE_LAYER] if candidates else [])}
    layers = {t.name for t, _ in types.foreign()}
    assert ours <= layers
    assert {PHI_LAYER, CANDIDATE_LAYER, NAMED_ENTITY} & layers == ours
    for name in ours:
        described = types.describe(name)
        assert described.supertype == "uima.tcas.Annotation"
        assert {f.range for f in described.features} <= {"uima.cas.String", "uima.cas.Float"}
