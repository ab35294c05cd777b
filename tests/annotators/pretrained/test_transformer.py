"""The transformer annotator with tiny models: windows, offsets, words, labels, and what PyTorch and ONNX Runtime agree on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch", reason="needs PyTorch: pip install 'caspipe[neural]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'caspipe[transformers]'")

from caspipe.annotators.pretrained import TransformerAnnotator
from caspipe.annotators.pretrained.windows import pad_rows
from caspipe.pipeline.contract.conformance import LONG, check_component
from caspipe.pipeline.contract.conformance import TEXTS as CONTRACT
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind, Token

from .tiny_models import IOB, TEXTS, TOKENIZERS, export, folder, planted

pytestmark = pytest.mark.neural

SORTS = {"word-piece": "bert", "byte-level": "roberta", "unigram": "deberta-v2"}
LONG_TEXT = " ".join(TEXTS)


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder for each sort of tokenizer, with random weights."""
    where = tmp_path_factory.mktemp("models")
    return {name: folder(where / name, make(), sort=SORTS[name]) for name, make in TOKENIZERS.items()}


@pytest.fixture(scope="session")
def graphs(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same models as ONNX folders without PyTorch weights."""
    pytest.importorskip("onnxruntime", reason="needs ONNX Runtime: pip install 'caspipe[onnx]'")
    pytest.importorskip("onnxscript", reason="exporting needs onnxscript: pip install 'caspipe[neural]'")
    where = tmp_path_factory.mktemp("graphs")
    return {name: export(path, where / name) for name, path in models.items()}


@pytest.fixture(scope="session")
def smith(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that knows five words and nothing of context."""
    words = {"maria": "B-PER", "smith": "I-PER", "smith-": "O", "boston": "B-LOC", "new": "B-LOC", "york": "I-LOC"}
    return planted(tmp_path_factory.mktemp("planted") / "m", words)


def opened(model: Path, **given: Any) -> TransformerAnnotator:
    made = TransformerAnnotator(model=str(model), **{"threads": 1, **given})  # type: ignore[arg-type]
    made.open()
    return made


def spans(
    annotator: TransformerAnnotator, text: str, tokens: list[tuple[int, int]] | None = None
) -> list[tuple[str, str]]:
    cas = Cas(text)
    for begin, end in tokens or ():
        cas.add(Token(begin, end))
    return [(text[c.begin : c.end], c.kind.name) for c in annotator.annotate(cas.view())]


# -- where pieces stand -----------------------------------------------------------------------------------------------

ODD = [
    "Zoe\u0301 Nu\u0303n\u0303ez",  # combining characters, which BERT's normaliser takes out
    "\U0001f600 Maria \U0001f468\u200d\U0001f469\u200d\U0001f467 Smith\U0001f1e9\U0001f1ea",
    "a\r\nb\r\n\r\nMaria\tSmith\u00a0x\u2028y",
    "\ufb01nal \u2460 \u33a1 \uff2d\uff41\uff52\uff49\uff41",  # NFKC makes them longer or shorter
    "x\x00y\x07z \ufffe",
    "\ud800Maria\udfff \ud83d",
    "   Maria   Smith   ",
    "\u4e2d\u6587Maria",
]


@pytest.mark.parametrize("name", TOKENIZERS)
@pytest.mark.parametrize("number", range(len(ODD)))
def test_pieces_stand_in_order_on_code_points_without_blanks(models: dict[str, Path], name: str, number: int) -> None:
    text = ODD[number]
    pieces = opened(models[name])._tokenizer.pieces(text)
    shown = [(b, e) for b, e in zip(pieces.begins, pieces.ends, strict=True) if b < e]
    assert shown == sorted(shown)
    assert all(text[b:e] == text[b:e].strip() for b, e in shown)
    covered = {i for b, e in shown for i in range(b, e)}
    assert {i for i, c in enumerate(text) if c.isascii() and c.isalnum()} <= covered


@pytest.mark.parametrize("name", TOKENIZERS)
@settings(max_examples=40)
@given(text=st.text(alphabet=st.characters(exclude_categories=()), max_size=60))
def test_any_text_has_places(models: dict[str, Path], name: str, text: str) -> None:
    annotator = opened(models[name])
    pieces = annotator._tokenizer.pieces(text)
    assert all(0 <= b <= e <= len(text) for b, e in zip(pieces.begins, pieces.ends, strict=True))
    for found in annotator.annotate(Cas(text).view()):
        assert 0 <= found.begin < found.end <= len(text)


def test_byte_level_pieces_keep_the_blank_before_them_out_of_the_span(models: dict[str, Path]) -> None:
    text = "by Dr. Maria"
    pieces = opened(models["byte-level"])._tokenizer.pieces(text)
    assert {text[b:e] for b, e in zip(pieces.begins, pieces.ends, strict=True)} >= {"by", "Dr"}
    assert all(not text[b:e].startswith(" ") for b, e in zip(pieces.begins, pieces.ends, strict=True))


@pytest.mark.parametrize(("name", "mark"), [("word-piece", "[SEP]"), ("byte-level", "</s>"), ("unigram", "[SEP]")])
def test_a_special_piece_written_in_a_note_is_text(models: dict[str, Path], name: str, mark: str) -> None:
    tokenizer = opened(models[name])._tokenizer
    special = {*tokenizer.before, *tokenizer.after}
    assert special
    assert not special & set(tokenizer.pieces(f"Maria {mark} Smith").ids)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_pieces_and_what_is_around_them_are_those_of_transformers(models: dict[str, Path], name: str) -> None:
    from transformers import PreTrainedTokenizerFast

    theirs = PreTrainedTokenizerFast(tokenizer_file=str(models[name] / "tokenizer.json"))
    ours = opened(models[name])._tokenizer
    for text in TEXTS:
        assert [*ours.before, *ours.pieces(text).ids, *ours.after] == theirs(text)["input_ids"]


# -- windows ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TOKENIZERS)
@pytest.mark.parametrize("merge", ["weighted", "max_context"])
def test_a_window_as_long_as_the_text_gives_what_no_window_gives(
    models: dict[str, Path], name: str, merge: str
) -> None:
    wide = opened(models[name], merge=merge)
    pieces = wide._tokenizer.pieces(TEXTS[2])
    exact = opened(models[name], merge=merge, window=len(pieces) + 2, stride=1)
    assert len(pieces) + 2 <= 62
    rows, mask = pad_rows([[*wide._tokenizer.before, *pieces.ids, *wide._tokenizer.after]], 0)
    plain = wide._network.logits(rows, mask)[0, 1:-1]
    assert (exact.scores(pieces) == plain).all()
    assert (wide.scores(pieces) == plain).all()


def test_five_windows_cover_a_long_document_and_merge_what_each_says(models: dict[str, Path]) -> None:
    annotator = opened(models["word-piece"], window=40, stride=10)
    tokenizer, pieces = annotator._tokenizer, opened(models["word-piece"])._tokenizer.pieces(LONG_TEXT)
    pieces.ids = pieces.ids[: 4 * 28 + 38]
    scores = annotator.scores(pieces)
    assert len(scores) == 150
    assert np.isfinite(scores).all()
    total, weight = np.zeros((150, len(IOB))), np.zeros(150)
    for first in range(0, 113, 28):  # by hand: 38 pieces of text each, ten shared
        row = [*tokenizer.before, *pieces.ids[first : first + 38], *tokenizer.after]
        said = annotator._network.logits(np.array([row]), np.ones((1, 40), dtype=np.int64))[0, 1:-1]
        for i in range(38):
            left = 39 if first == 0 else i + 1
            right = 39 if first == 112 else 38 - i
            total[first + i] += said[i] * min(left, right)
            weight[first + i] += min(left, right)
    assert scores == pytest.approx(total / weight[:, None], abs=1e-5)


@pytest.mark.parametrize("window", [None, 8, 12, 40])
@pytest.mark.parametrize("merge", ["weighted", "max_context"])
def test_names_are_found_wherever_windows_fall(smith: Path, window: int | None, merge: str) -> None:
    text = " ".join(f"word {i} Maria Smith of Boston," for i in range(40))
    found = spans(opened(smith, window=window, merge=merge), text)
    assert found == [("Maria Smith", "PERSON"), ("Boston", "LOCATION")] * 40


@pytest.mark.parametrize("name", TOKENIZERS)
@settings(max_examples=30)
@given(rows=st.lists(st.lists(st.integers(5, 40), min_size=1, max_size=20), min_size=1, max_size=5))
def test_padding_and_other_rows_never_change_a_score(models: dict[str, Path], name: str, rows: list[list[int]]) -> None:
    annotator = opened(models[name])
    network, pad = annotator._network, annotator._tokenizer.pad
    together = network.logits(*pad_rows(rows, pad))
    for row, found in zip(rows, together, strict=True):
        assert found[: len(row)] == pytest.approx(network.logits(*pad_rows([row], pad))[0], abs=2e-5)


@pytest.mark.parametrize("batch", [1, 2, 3, 50])
def test_batches_change_no_span(models: dict[str, Path], batch: int) -> None:
    one, other = opened(models["unigram"], window=16, batch=8), opened(models["unigram"], window=16, batch=batch)
    pieces = one._tokenizer.pieces(LONG_TEXT)
    assert other.scores(pieces) == pytest.approx(one.scores(pieces), abs=2e-5)


# -- PyTorch and ONNX -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TOKENIZERS)
@pytest.mark.parametrize("window", [None, 20])
def test_pytorch_and_onnx_agree(
    models: dict[str, Path], graphs: dict[str, Path], name: str, window: int | None
) -> None:
    by_torch, onnx = (opened(place[name], window=window) for place in (models, graphs))
    assert type(by_torch._network).__name__ == "TorchNetwork"
    assert type(onnx._network).__name__ == "OnnxNetwork"
    for text in [*TEXTS, LONG_TEXT]:
        pieces = by_torch._tokenizer.pieces(text)
        expected, found = by_torch.scores(pieces), onnx.scores(pieces)
        assert found == pytest.approx(expected, abs=1e-4)
        assert (found.argmax(axis=1) == expected.argmax(axis=1)).all()
        both = [[(c.begin, c.end, c.kind) for c in a.annotate(Cas(text).view())] for a in (by_torch, onnx)]
        assert both[0] == both[1]
        assert both[0]


def test_the_onnx_way_imports_neither_torch_nor_transformers(graphs: dict[str, Path]) -> None:
    import subprocess
    import sys

    program = (
        "import sys\n"
        "from caspipe.annotators.pretrained import TransformerAnnotator\n"
        "from caspipe.typesystem import Cas\n"
        f"a = TransformerAnnotator(model={str(graphs['word-piece'])!r}); a.open()\n"
        f"print(len(list(a.annotate(Cas({TEXTS[0]!r}).view()))), 'torch' in sys.modules, 'transformers' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    count, *imported = done.stdout.split()
    assert int(count) > 0
    assert imported == ["False", "False"]


@settings(max_examples=30)
@given(rows=st.lists(st.lists(st.integers(5, 40), min_size=1, max_size=20), min_size=1, max_size=5))
def test_padding_never_changes_a_score_of_the_graph(graphs: dict[str, Path], rows: list[list[int]]) -> None:
    network = opened(graphs["word-piece"])._network
    together = network.logits(*pad_rows(rows, 0))
    for row, found in zip(rows, together, strict=True):
        assert found[: len(row)] == pytest.approx(network.logits(*pad_rows([row], 0))[0], abs=2e-5)


# -- words and spans --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("aggregation", ["simple", "first", "average", "max"])
def test_spans_are_those_of_the_hugging_face_pipeline(models: dict[str, Path], aggregation: str) -> None:
    from transformers import AutoModelForTokenClassification, PreTrainedTokenizerFast, pipeline

    where = models["word-piece"]
    theirs = pipeline(
        "token-classification",
        model=AutoModelForTokenClassification.from_pretrained(where),
        tokenizer=PreTrainedTokenizerFast(
            tokenizer_file=str(where / "tokenizer.json"), unk_token="[UNK]", pad_token="[PAD]"
        ),
        aggregation_strategy=aggregation,
    )
    text = "Seen on by Maria Garcia at the unit in Boston"  # words without marks: both agree on what a word is
    expected = [(e["start"], e["end"], e["entity_group"]) for e in theirs(text)]
    found = [(c.begin, c.end, c.rule) for c in opened(where, aggregation=aggregation).annotate(Cas(text).view())]
    assert found
    if aggregation == "simple":  # ours are whole tokens
        expected = [(text.rfind(" ", 0, b) + 1, (text + " ").find(" ", e), k) for b, e, k in expected]
        both = [{(i, k) for b, e, k in spans for i in range(b, e)} for spans in (expected, found)]
        assert both[0] == both[1]
    else:
        assert found == expected


def test_a_name_loses_no_letter_where_the_model_knows_only_part_of_the_token(smith: Path) -> None:
    # one token for us, three words for the model, which knows the middle one only
    assert spans(opened(smith), "by O'Maria-X.") == [("O'Maria-X", "PERSON")]
    assert spans(opened(smith), "xNewYork", [(0, 8)]) == []
    assert spans(opened(smith), "xx Boston-xx", [(0, 2), (3, 12)]) == [("Boston-xx", "LOCATION")]
    assert spans(opened(smith), "xx Boston-xx", [(0, 2), (3, 9), (9, 10), (10, 12)]) == [("Boston", "LOCATION")]


def test_spans_are_the_same_with_our_tokens_and_without(smith: Path) -> None:
    text = "Maria Smith-Jones (Boston), New York's Maria."
    from caspipe.typesystem.tokenize import token_spans

    tokens = list(zip(*token_spans(text), strict=True))
    expected = [("Maria Smith-Jones", "PERSON"), ("Boston", "LOCATION"), ("New York", "LOCATION"), ("Maria", "PERSON")]
    assert spans(opened(smith), text) == expected
    assert spans(opened(smith), text, tokens) == expected


def test_offsets_survive_emoji_accents_and_line_ends(smith: Path) -> None:
    text = "\U0001f600\U0001f468\u200d\U0001f469 Mari\u0301a Smith\r\n\ud800 BOSTON\u00a0x \U0001f1e9\U0001f1ea New\r\nYork"
    assert spans(opened(smith), text) == [
        ("Mari\u0301a Smith", "PERSON"),
        ("BOSTON", "LOCATION"),
        ("New\r\nYork", "LOCATION"),
    ]


def test_an_empty_text_has_nothing(smith: Path) -> None:
    assert spans(opened(smith), "") == []
    assert spans(opened(smith), " \r\n\t") == []
    assert spans(opened(smith), "\x00") == []


@pytest.mark.parametrize(
    ("labels", "maria", "smith"),
    [
        (["O", "B-PER", "I-PER"], "B-PER", "I-PER"),
        (["O", "I-PER", "B-PER"], "I-PER", "I-PER"),
        (["B-PER", "I-PER", "L-PER", "U-PER", "O"], "B-PER", "L-PER"),
        (["O", "S-PER", "B-PER", "E-PER", "I-PER"], "B-PER", "E-PER"),
        (["PER", "O"], "PER", "PER"),
    ],
    ids=["iob2", "iob1", "bilou", "bioes", "io"],
)
def test_every_scheme_of_labels_gives_the_same_span(tmp_path: Path, labels: list[str], maria: str, smith: str) -> None:
    where = planted(tmp_path / "m", {"maria": maria, "smith": smith}, labels)
    assert spans(opened(where), "x Maria Smith y") == [("Maria Smith", "PERSON")]


def test_confidence_is_the_probability_of_the_kind(smith: Path) -> None:
    [found] = opened(smith).annotate(Cas("Maria Smith").view())
    annotator = opened(smith)
    scores = annotator.scores(annotator._tokenizer.pieces("Maria Smith")).astype(np.float64)
    chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    of_person = chances[:, [1, 2]].sum(axis=1)
    assert found.confidence == pytest.approx(of_person.mean(), abs=1e-6)
    [least] = opened(smith, confidence="min").annotate(Cas("Maria Smith").view())
    assert least.confidence == pytest.approx(of_person.min(), abs=1e-6)
    assert list(opened(smith, min_confidence=found.confidence + 1e-4).annotate(Cas("Maria Smith").view())) == []
    assert len(list(opened(smith, min_confidence=found.confidence - 1e-4).annotate(Cas("Maria Smith").view()))) == 1


def test_a_bias_finds_more_and_leaves_confidences_alone(models: dict[str, Path]) -> None:
    covered = []
    for bias in (-2.0, 0.0, 2.0, 50.0):
        found = list(opened(models["word-piece"], outside_bias=bias).annotate(Cas(LONG_TEXT).view()))
        covered.append(sum(c.end - c.begin for c in found))
        assert all(0 <= c.confidence <= 1 for c in found)
    assert covered == sorted(covered)
    assert covered[0] < covered[1] < covered[2]
    assert covered[3] >= len(LONG_TEXT.replace(" ", ""))


def test_labels_are_mapped_as_the_pipeline_says(smith: Path) -> None:
    cas = Pipeline.parse(
        f"engines: [segmenter, {{transformer: {{model: {smith}, labels: {{PER: PERSON_PATIENT, LOC: null}}}}}}]"
    ).process("Seen Maria Smith of Boston.")
    assert [(c.covered_text, c.kind.name, c.rule) for c in cas.select(PhiCandidate)] == [
        ("Maria Smith", "PERSON_PATIENT", "PER")
    ]
    assert [(p.covered_text, p.kind, p.source) for p in cas.select(Phi)] == [
        ("Maria Smith", PhiKind.PERSON_PATIENT, "transformer")
    ]


def test_two_steps_with_one_folder_load_it_once(smith: Path) -> None:
    one, other = opened(smith), opened(smith, labels={"LOC": None})
    assert one._network is other._network
    assert spans(other, "Maria Smith of Boston") == [("Maria Smith", "PERSON")]


def test_threads_are_given_back(smith: Path) -> None:
    import torch

    before = torch.get_num_threads()
    assert spans(opened(smith, threads=1), "Maria Smith") == [("Maria Smith", "PERSON")]
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("name", TOKENIZERS)
def test_the_contract_is_kept(models: dict[str, Path], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONTRACT, "a line of 1 MB", CONTRACT["a line of 1 MB"][: LONG + 1])
    findings = check_component(TransformerAnnotator, model=str(models[name]), threads=1, batch=64)
    assert not [f"{f.check}: {f.fault}" for f in findings if f.fault]
    assert {f"survives {text}" for text in CONTRACT} <= {f.check for f in findings}
