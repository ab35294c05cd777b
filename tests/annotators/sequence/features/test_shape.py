"""Character patterns and shapes."""

from __future__ import annotations

import pytest

from caspipe.annotators.sequence.features.shape import CharPattern, Shape, ShortShape


@pytest.mark.parametrize(
    ("form", "pattern", "shape", "short"),
    [
        ("Ab01", "LuLlNd", "Xxdd", "Xxd"),
        ("J.", "LuPo", "X.", "X."),
        ("Smith-07", "LuLlPdNd", "Xxxxx-dd", "Xx-d"),
        ("McDonald", "LuLlLuLl", "XxXxxxxx", "XxXx"),
        ("3/4/2020", "NdPoNdPoNd", "d/d/dddd", "d/d/d"),
        ("__", "Pc", "__", "_"),
        ("José", "LuLl", "Xxxx", "Xx"),
        ("Jose\u0301", "LuLl", "Xxxx", "Xx"),
        ("x\u0323", "LlMn", "x", "x"),
        ("山田", "Lo", "oo", "o"),
        ("٣", "Nd", "d", "d"),
        ("ǅ", "Lt", "X", "X"),
        ("€5", "ScNd", "€d", "€d"),
        ("a\u200db", "LlCfLl", "x\u200dx", "x\u200dx"),
        ("😀", "So", "😀", "😀"),
        ("\ud800", "So", "\ufffd", "\ufffd"),
        ("", "", "", ""),
    ],
)
def test_patterns_and_shapes(form: str, pattern: str, shape: str, short: str) -> None:
    assert CharPattern().of(form) == pattern
    assert Shape().of(form) == shape
    assert ShortShape().of(form) == short


def test_long_patterns_and_shapes_are_cut() -> None:
    assert CharPattern().of("aB" * 100) == "LlLu" * 16
    assert Shape().of("aB" * 100) == "xX" * 32
