"""GLiNER against the library's own results, over long texts, and where folders are damaged. Needs ONNX Runtime only.

The folders gliner_span and gliner_token were made by make_gliner_models.py with the gliner library itself.
"""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("onnxruntime", reason="needs ONNX Runtime: pip install 'caspipe[gliner]'")
pytest.importorskip("tokenizers", reason="needs tokenizers: pip install 'caspipe[gliner]'")

from caspipe.annotators.pretrained import GlinerAnnotator
from caspipe.annotators.pretrained.gliner import PROMPTS
from caspipe.annotators.pretrained.gliner_spans import decode_span_scores, decode_token_scores, select_disjoint
from caspipe.pipeline.contract.conformance import LONG, TEXTS, check_component
from caspipe.pipeline.errors import ResourceError
from caspipe.typesystem import Cas, PhiKind

HERE = Path(__file__).parent
FORMS = ["gliner_span", "gliner_token"]
KINDS: dict[PhiKind, str | list[str]] = {
    PhiKind.PERSON: "person name",
    PhiKind.DATE: "date",
    PhiKind.LOCATION: "location",
}


def opened(folder: Path | str, **given: Any) -> GlinerAnnotator:
    made = GlinerAnnotator(model=str(HERE / folder), **{"kinds": dict(KINDS), "threshold": 0.5, **given})  # type: ignore[arg-type]
    made.open()
    return made


def cases(form: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / form / "found.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("form", FORMS)
def test_spans_and_probabilities_are_those_of_the_library(form: str) -> None:
    told = cases(form)
    annotator = opened(form)
    compared = 0
    for text, expected in zip(told["sentences"], told["found"], strict=True):
        words = annotator._prompt.words(text)
        found = [
            (words.begins[a], words.ends[b], told["labels"][c], p)
            for a, b, c, p in select_disjoint(annotator.scored_spans(words))
        ]
        if form == "gliner_span":
            assert [f[:3] for f in found] == [tuple(e[:3]) for e in expected]
            assert [f[3] for f in found] == pytest.approx([e[3] for e in expected], abs=1e-5)
        for (
            begin,
            end,
            _,
            chance,
        ) in expected:  # token form: of spans equally likely ours is the longest, not the shortest
            best = max((f[3] for f in found if f[0] <= begin and end <= f[1]), default=0.0)
            assert best >= chance - 1e-4
        compared += len(expected)
    assert compared > 15


@pytest.mark.parametrize("form", FORMS)
def test_other_windows_in_a_batch_change_no_score(form: str) -> None:
    annotator = opened(form, window=9)
    words = annotator._prompt.words(cases(form)["sentences"][1])
    windows = [(0, 9), (3, 5), (4, 13), (12, 13)]
    together = annotator._session.run(["logits"], annotator._prompt.feed(words, windows, annotator._by_spans))[0]
    for window, row in zip(windows, together, strict=True):
        n = window[1] - window[0]
        alone = annotator._session.run(["logits"], annotator._prompt.feed(words, [window], annotator._by_spans))[0]
        inside = np.add.outer(np.arange(n), np.arange(5)) < n if annotator._by_spans else np.ones((n,), dtype=bool)
        assert row[:n][inside] == pytest.approx(alone[0][inside], abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("batch", [1, 2, 8])
def test_batches_change_nothing_over_a_long_text(form: str, batch: int) -> None:
    text = " ".join(cases(form)["sentences"] * 4)
    one, other = (opened(form, window=24, stride=8, batch=b) for b in (3, batch))
    words = one._prompt.words(text)
    assert len(one._prompt.windows(words, 24, 8)) >= 8
    expected, found = (sorted(a.scored_spans(words)) for a in (one, other))
    assert [f[:3] for f in found] == [e[:3] for e in expected]
    assert [f[3] for f in found] == pytest.approx([e[3] for e in expected], abs=1e-5)
    assert max(f[1] for f in found) > len(words) - 8


def test_a_window_as_long_as_the_text_gives_what_no_window_gives() -> None:
    text = cases("gliner_span")["sentences"][1]
    words = opened("gliner_span")._prompt.words(text)
    assert len(words) < 40
    wide, exact = opened("gliner_span"), opened("gliner_span", window=len(words), stride=5)
    assert wide.scored_spans(words) == exact.scored_spans(words) != []


@given(st.lists(st.integers(0, 9), min_size=1, max_size=120), st.integers(1, 30), st.integers(1, 30))
def test_windows_hold_every_word_and_every_span_that_fits(lengths: list[int], most: int, overlap: int) -> None:
    prompt = opened("gliner_span")._prompt
    words = prompt.words(" ".join("w" for _ in lengths))
    words.pieces = [[7] * n for n in lengths]
    prompt.capacity = 12
    windows = prompt.windows(words, most, overlap)
    assert sorted({i for a, b in windows for i in range(a, b)}) == list(range(len(lengths)))
    assert all(0 < b - a <= most and sum(lengths[a:b]) <= 12 for a, b in windows)
    assert all(a < c and b < d and c <= b for (a, b), (c, d) in pairwise(windows))


def test_every_span_of_the_models_width_lies_whole_in_some_window() -> None:
    prompt = opened("gliner_span")._prompt
    words = prompt.words("seen mr smith on the " * 50)
    windows = prompt.windows(words, 40, 10)
    assert len(windows) >= 5
    for first in range(len(words) - 4):
        assert any(a <= first and first + 5 <= b for a, b in windows)


def test_a_word_longer_than_the_model_reads_is_cut_and_nothing_after_it_is_lost() -> None:
    annotator = opened("gliner_span", threshold=0.01)
    words = annotator._prompt.words(f"seen {'-'.join(['mr'] * 500)} smith")
    assert [len(p) for p in words.pieces] == [4, annotator._prompt.capacity, 1]
    assert {f[0] for f in annotator.scored_spans(words)} == {0, 1, 2}


def test_offsets_are_code_points_and_spans_whole_tokens() -> None:
    text = "\U0001f600\U0001f468\u200d\U0001f469 Zoe\u0301\r\nO'Brien \ud800 na\u00efve  Boston-on-the-hill"
    words = opened("gliner_span")._prompt.words(text)
    assert [text[b:e] for b, e in zip(words.begins, words.ends, strict=True)][-2:] == [
        "na\u00efve",
        "Boston-on-the-hill",
    ]
    cas = Cas(text)
    found = list(opened("gliner_span", threshold=0.05).annotate(cas.view()))
    assert found
    borders = {
        0,
        *(i for i in range(len(text) + 1) if text[i - 1 : i + 1] != text[i - 1 : i + 1].strip() or i == len(text)),
    }
    assert all(c.begin < c.end <= len(text) for c in found)
    assert all(c.end in borders for c in found if text[c.begin : c.end].endswith("Zoe"))
    assert not any(text[c.begin : c.end].endswith("Zoe") for c in found)  # the accent belongs to the name


def test_an_empty_text_has_nothing() -> None:
    assert list(opened("gliner_span").annotate(Cas("").view())) == []
    assert list(opened("gliner_token").annotate(Cas(" \n").view())) == []


def test_several_labels_of_a_kind_and_the_label_as_rule() -> None:
    annotator = opened("gliner_span", kinds={PhiKind.PERSON: ["person name", "date"], PhiKind.LOCATION: "location"})
    found = list(annotator.annotate(Cas(cases("gliner_span")["sentences"][1]).view()))
    assert {(c.rule, c.kind.name) for c in found} <= {
        ("person name", "PERSON"),
        ("date", "PERSON"),
        ("location", "LOCATION"),
    }
    assert found


def test_the_shipped_labels_are_different_and_fit() -> None:
    labels = [label for said in PROMPTS.values() for label in ([said] if isinstance(said, str) else said)]
    assert len(labels) == len(set(labels)) <= 25


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_the_contract_is_kept(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TEXTS, "a line of 1 MB", TEXTS["a line of 1 MB"][: LONG + 1])
    findings = check_component(
        GlinerAnnotator, model=str(HERE / form), kinds={"PERSON": "name", "DATE": ["date", "day"]}
    )
    assert not [f"{f.check}: {f.fault}" for f in findings if f.fault]
    assert {f"survives {name}" for name in TEXTS} <= {f.check for f in findings}


def copy(form: str, where: Path, **config: Any) -> Path:
    shutil.copytree(HERE / form, where, dirs_exist_ok=True)
    if config:
        file = where / "gliner_config.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), **config}))
    return where


def refusal(folder: Path, **given: Any) -> str:
    with pytest.raises(ResourceError) as caught:
        opened(folder, **given)
    return str(caught.value).replace(str(folder), "F")


def test_damaged_folders_are_named(tmp_path: Path) -> None:
    folder = copy("gliner_span", tmp_path / "a")
    (folder / "model.onnx").write_bytes((folder / "model.onnx").read_bytes()[:1000])
    assert refusal(folder) == "F/model.onnx: ONNX Runtime cannot load it: damaged, or for a later version"
    (folder / "model.onnx").unlink()
    assert refusal(folder).startswith("F: has no model.onnx or onnx/model.onnx: export the model first")
    (folder / "tokenizer.json").write_text("{}")
    assert refusal(copy("gliner_span", tmp_path / "b", ent_token="<<X>>")).endswith(
        "do not belong together: no piece <<X>>"
    )
    assert "<<ENT>> is not piece 7" in refusal(copy("gliner_span", tmp_path / "c", class_token_index=7))
    damaged = copy("gliner_span", tmp_path / "d")
    (damaged / "tokenizer.json").write_text("{}")
    assert refusal(damaged) == "F/tokenizer.json: damaged: expected a tokenizer of Hugging Face tokenizers"


def test_a_graph_of_another_width_is_told_apart(tmp_path: Path) -> None:
    annotator = opened(copy("gliner_span", tmp_path / "w", max_width=4))
    with pytest.raises(Exception, match=r"shape|Reshape|logits") as caught:
        list(annotator.annotate(Cas("Seen on the").view()))
    assert "Seen" not in str(caught.value)


def test_sizes_that_lose_spans_are_refused(tmp_path: Path) -> None:
    folder = copy("gliner_span", tmp_path / "a")
    assert refusal(folder, window=50) == "gliner F: window 50: the model takes 40 words at most"
    assert refusal(folder, stride=3) == "gliner F: stride 3: must be 4 or more, or spans of 5 words get lost"
    assert refusal(folder, window=10, stride=10) == "gliner F: stride 10: must be below the window, 10 words"
    many: dict[PhiKind, str | list[str]] = {PhiKind.OTHER: [f"label {i}" for i in range(20)]}
    assert "gliner F: 20 labels take" in refusal(folder, kinds=many)


def test_of_spans_that_overlap_the_likelier_stays_and_of_equal_ones_the_longer() -> None:
    found = [
        (0, 1, 0, 0.6),
        (1, 3, 1, 0.9),
        (3, 4, 0, 0.8),
        (5, 6, 0, 0.7),
        (5, 8, 1, 0.7),
        (9, 9, 1, 0.5),
        (9, 9, 0, 0.5),
    ]
    assert list(select_disjoint(found)) == [(1, 3, 1, 0.9), (5, 8, 1, 0.7), (9, 9, 0, 0.5)]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6), st.integers(0, 2), st.floats(0.1, 1)), max_size=30))
def test_spans_kept_are_disjoint_and_no_likelier_one_was_dropped_for_nothing(
    raw: list[tuple[int, int, int, float]],
) -> None:
    found = [(first, first + more, label, chance) for first, more, label, chance in raw]
    kept = list(select_disjoint(found))
    assert all(a[1] < b[0] for a, b in pairwise(kept))
    for one in found:
        assert any(k[0] <= one[1] and one[0] <= k[1] and k[3] >= one[3] for k in kept)


def test_spans_of_the_token_form_are_as_sure_as_their_least_sure_place() -> None:
    scores = np.full((5, 1, 3), -9.0, dtype=np.float32)
    scores[1, 0] = [2.0, -9, 1.0]
    scores[2, 0] = [-9, 1.0, 3.0]
    scores[3, 0] = [-9, 4.0, 0.5]
    [short, long] = decode_token_scores([(0, scores[:2]), (2, scores[2:])], 0.5)
    assert short[:3] == (1, 2, 0)
    assert long[:3] == (1, 3, 0)
    assert short[3] == pytest.approx(1 / (1 + np.exp(-1)))
    assert long[3] == pytest.approx(1 / (1 + np.exp(-0.5)))


def test_spans_of_the_span_form_are_numbered_from_the_texts_begin() -> None:
    scores = np.full((2, 2, 2), -9.0, dtype=np.float32)
    scores[1, 0, 1] = 5
    scores[1, 1, :] = np.nan
    assert [f[:3] for f in decode_span_scores([(7, scores)], 0.5)] == [(8, 8, 1)]


def test_a_word_without_pieces_does_not_shift_those_after_it() -> None:
    prompt = opened("gliner_span")._prompt
    words = prompt.words("mr \u0301 smith")  # the tokenizer's clean-up takes accents away
    assert [len(p) for p in words.pieces] == [1, 0, 1]
    mask = prompt.feed(words, [(0, 3)], True)["words_mask"][0].tolist()
    assert [number for number in mask if number] == [1, 3]
