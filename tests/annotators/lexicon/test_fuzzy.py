"""The index of misspellings against a comparison with every word."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA, Levenshtein

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.lexicon.fuzzy import FuzzyIndex, Metric
from caspipe.annotators.lexicon.term import Term, TermSource

WORD = st.text("abc", min_size=4, max_size=7)


def lexicon(words: list[str]) -> Lexicon:
    return Lexicon.of(TermSource("own", iter([Term(word) for word in words])))


@pytest.mark.parametrize("metric", ["levenshtein", "osa"])
@given(words=st.lists(WORD, min_size=1, max_size=30), query=WORD)
def test_the_index_finds_every_word_one_edit_away(metric: Metric, words: list[str], query: str) -> None:
    distance = OSA.distance if metric == "osa" else Levenshtein.distance
    expected = sorted({w for w in words if w[0] == query[0] and distance(w, query) == 1})
    assert list(FuzzyIndex(lexicon(words).compiled, metric).near(query)) == expected


def test_a_swap_is_one_edit_for_osa_only() -> None:
    compiled = lexicon(["pneumonia"]).compiled
    assert FuzzyIndex(compiled, "osa").near("pnuemonia") == ("pneumonia",)
    assert FuzzyIndex(compiled, "levenshtein").near("pnuemonia") == ()


def test_short_words_codes_and_the_word_itself_are_left_out() -> None:
    index = FuzzyIndex(lexicon(["arm", "B12a", "fever"]).compiled, "osa")
    assert index.near("arms") == index.near("b12") == index.near("fever") == index.near("") == ()
    assert index.near("fevers") == ("fever",)


def test_the_index_is_kept_beside_the_compiled_lexicon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASPIPE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "words.txt").write_text("headache\nfever\n", encoding="utf-8")
    own = Lexicon.load(str(tmp_path / "words.txt"))
    assert own.compiled.folder is not None
    FuzzyIndex(own.compiled, "osa")
    kept = sorted(file.name for file in own.compiled.folder.glob("near_*"))
    assert kept == ["near_checksums.npy", "near_words.npy"]
    assert FuzzyIndex(own.compiled, "osa").near("hedache") == ("headache",)
    (own.compiled.folder / kept[0]).write_bytes(b"damaged")
    assert FuzzyIndex(own.compiled, "osa").near("hedache") == ("headache",)
