"""Agreement, against numbers counted by hand and against scikit-learn."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from review_corpus import Corpus, make_folder

from caspipe.pipeline.application.review.agreement import agreement, compare, f1, kappa
from caspipe.typesystem.tokenize import token_spans

pytestmark = pytest.mark.server


def test_counted_by_hand() -> None:
    #       0123456789
    text = "aaaa bbbbb"
    score = compare(text, [(0, 4, "DATE")], [(0, 3, "DATE"), (5, 10, "ID")])
    assert (score.left, score.right, score.same, score.left_hit, score.right_hit) == (1, 2, 0, 1, 1)
    figures = score.figures()
    assert figures["strict_f1"] == 0
    assert figures["overlapping_f1"] == pytest.approx(2 / 3)
    # 3 characters DATE/DATE, 1 DATE/-, 1 -/-, 5 -/ID: p_o = 4/10, p_e = (4*3 + 6*2 + 0*5)/100 = 0.24
    assert figures["kappa_characters"] == pytest.approx((0.4 - 0.24) / 0.76)
    # tokens: DATE/DATE and -/ID: p_o = 1/2, p_e = (1*1 + 1*0)/4
    assert figures["kappa_tokens"] == pytest.approx((0.5 - 0.25) / 0.75)


def test_what_is_undefined_is_none() -> None:
    assert f1(0, 0, 0, 0) is None
    assert f1(0, 3, 0, 0) == 0
    assert compare("", [], []).figures()["kappa_characters"] is None
    assert compare("abc", [], []).figures()["kappa_tokens"] is None


SPANS = st.lists(st.tuples(st.integers(0, 39), st.integers(1, 8), st.sampled_from(["DATE", "ID"])), max_size=8)


def disjoint(raw: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    made: list[tuple[int, int, str]] = []
    for begin, length, kind in sorted(raw):
        if not made or begin >= made[-1][1]:
            made.append((begin, min(begin + length, 40), kind))
    return made


@given(SPANS, SPANS)
def test_kappa_is_scikit_learns_and_everything_is_symmetric(
    one: list[tuple[int, int, str]], other: list[tuple[int, int, str]]
) -> None:
    from sklearn.metrics import cohen_kappa_score

    text = "ab cde f, ghij kl mno pq rst uv wxy z 12"
    left, right = disjoint(one), disjoint(other)

    def labels(spans: list[tuple[int, int, str]]) -> list[str]:
        return [next((k for b, e, k in spans if b <= i < e), "") for i in range(40)]

    def token_labels(spans: list[tuple[int, int, str]]) -> list[str]:
        places = zip(*token_spans(text), strict=True)
        return [next((k for b, e, k in spans if b < end and begin < e), "") for begin, end in places]

    score, mirrored = compare(text, left, right), compare(text, right, left)
    for made, ours, theirs in (
        (score.characters, labels(left), labels(right)),
        (score.tokens, token_labels(left), token_labels(right)),
    ):
        if len({*ours, *theirs}) > 1:
            assert kappa(made) == pytest.approx(cohen_kappa_score(ours, theirs))
        else:
            assert kappa(made) is None
    for name in ("strict_f1", "overlapping_f1", "kappa_characters", "kappa_tokens"):
        assert score.figures()[name] == pytest.approx(mirrored.figures()[name])


def test_over_a_folder_by_kind_and_document(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "xmi")
    decided = []
    for name in ("anna", "ben"):
        corpus = Corpus(folder, name)
        if name == "ben":
            corpus.do("kind", span=corpus.sid("Lund"), kind="LOCATION")
            corpus.do("reject", number=1, span=corpus.sid("555-0100", 1))
        for number in (0, 1):
            corpus.do("done", number=number)
        decided.append(corpus.session.history.documents)
        corpus.close()
    found = agreement(corpus.catalogue, ("anna", "ben"), (decided[0], decided[1]))
    assert list(found.documents) == ["a", "b"], "c is not done"
    assert found.documents["a"].figures()["strict_f1"] == 1, "at the first level both say LOCATION"
    assert found.documents["b"].figures()["strict_f1"] == pytest.approx(2 * (2 / 3) * 1 / (2 / 3 + 1))
    assert found.kinds["PHONE"].figures()["strict_f1"] == 0
    assert found.kinds["PHONE"].figures()["kappa_characters"] == 0
    assert found.kinds["DATE"].figures() == {
        "left": 2,
        "right": 2,
        "strict_f1": 1,
        "overlapping_f1": 1,
        "kappa_characters": 1,
        "kappa_tokens": 1,
    }
    precise = agreement(corpus.catalogue, ("anna", "ben"), (decided[0], decided[1]), top=False)
    assert precise.kinds["LOCATION_CITY"].figures()["strict_f1"] == 0
