"""Tiny models with random or planted weights, made on the spot: what the tests of pretrained models run on."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TEXTS = [
    "Seen on 3/4/2020 by Dr. Maria Garcia-Lopez at St. Mary's Hospital, Boston.",
    "The patient, a 65-year-old man, takes aspirin 100 mg; MRN 00123456, phone 617-555-0134.",
    "Visto por el Dr. Ñuñez en la unidad; naïve façade, résumé and Zoë.",
]
CHARS = sorted(set("".join(TEXTS)) - {" "})
IOB = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


def word_piece(vocabulary: Sequence[str] = (), lower: bool = True) -> Tokenizer:
    """As BERT's: normalised (control characters go, accents too where the case is lowered), cut at blanks and punctuation."""
    low = sorted({c.lower() for c in CHARS} | set("abcdefghijklmnopqrstuvwxyz0123456789.,;:/-'()") | set(CHARS))
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *vocabulary, *low, *(f"##{c}" for c in low)]
    made = Tokenizer(models.WordPiece({w: i for i, w in enumerate(dict.fromkeys(words))}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=lower)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    made.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    return made


def byte_level() -> Tokenizer:
    """As RoBERTa's: bytes, with the blank before a word in its first piece."""
    made = Tokenizer(models.BPE(unk_token=None))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=330,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(TEXTS, trainer)
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=False)
    return made


def unigram() -> Tokenizer:
    """As DeBERTa-v3's: sentence pieces over the whole text after NFKC, words cut at blanks only, unknown characters whole."""
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(" {2,}", " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    trainer = trainers.UnigramTrainer(
        vocab_size=120, special_tokens=["[PAD]", "[CLS]", "[SEP]", "[UNK]"], unk_token="[UNK]", show_progress=False
    )
    made.train_from_iterator(TEXTS * 3, trainer)
    made.add_special_tokens([AddedToken("[MASK]", special=True)])
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return made


TOKENIZERS = {"word-piece": word_piece, "byte-level": byte_level, "unigram": unigram}


def folder(
    where: Path,
    tokenizer: Tokenizer | None = None,
    labels: Sequence[str] = IOB,
    *,
    positions: int = 64,
    sort: str = "bert",
    seed: int = 0,
    **config: Any,
) -> Path:
    """A folder with a tiny PyTorch model (BERT, RoBERTa or DeBERTa-v2) of random weights that has opinions."""
    import torch
    from transformers import AutoConfig, AutoModelForTokenClassification

    tokenizer = tokenizer or word_piece()
    where.mkdir(parents=True, exist_ok=True)
    sizes = {
        "vocab_size": tokenizer.get_vocab_size(),
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": positions,
        "type_vocab_size": 2,
    }
    pad = {"roberta": 1}.get(sort, 0)
    made = AutoConfig.for_model(sort, **{**sizes, "pad_token_id": pad, "id2label": dict(enumerate(labels)), **config})
    torch.manual_seed(seed)
    model = AutoModelForTokenClassification.from_config(made).eval()
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.normal_(std=0.25)
    model.save_pretrained(where)
    tokenizer.save(str(where / "tokenizer.json"))
    return where


def planted(where: Path, words: dict[str, str], labels: Sequence[str] = IOB, **more: Any) -> Path:
    """A BERT that looks at each piece alone: pieces of `words` get their label, all others `O`."""
    import torch
    from transformers import AutoModelForTokenClassification

    tokenizer = more.pop("tokenizer", None) or word_piece(list(words))
    folder(where, tokenizer, labels, **more)
    model = AutoModelForTokenClassification.from_pretrained(where)
    with torch.no_grad():
        for weights in model.parameters():
            weights.zero_()
        embedded = model.bert.embeddings
        embedded.LayerNorm.weight.fill_(1)
        for layer in model.bert.encoder.layer:
            layer.attention.output.LayerNorm.weight.fill_(1)
            layer.output.LayerNorm.weight.fill_(1)
        outside = labels.index("O")
        embedded.word_embeddings.weight[:, outside] = 1  # one direction for each label
        for word, label in words.items():
            number = tokenizer.token_to_id(word)
            embedded.word_embeddings.weight[number, outside] = 0
            embedded.word_embeddings.weight[number, labels.index(label)] = 1
        for i in range(len(labels)):
            model.classifier.weight[i, i] = 0.8
    model.save_pretrained(where)
    return where


def export(where: Path, target: Path, *, dynamic: bool = True) -> Path:
    """The PyTorch model of a folder as an ONNX folder: model.onnx, config.json, tokenizer.json."""
    import torch
    from transformers import AutoModelForTokenClassification

    class Logits(torch.nn.Module):
        def __init__(self, model: Any) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            return self.model(input_ids=input_ids, attention_mask=attention_mask).logits

    target.mkdir(parents=True, exist_ok=True)
    model = AutoModelForTokenClassification.from_pretrained(where, attn_implementation="eager").eval()
    ids = torch.tensor([[5, 6, 7, 8, 9, 10, 11], [5, 6, 7, 8, 0, 0, 0]])
    mask = torch.tensor([[1] * 7, [1, 1, 1, 1, 0, 0, 0]])
    axes = {0: torch.export.Dim("rows", min=1, max=512), 1: torch.export.Dim("pieces", min=2, max=60)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Logits(model),
            (ids, mask),
            str(target / "model.onnx"),
            input_names=["input_ids", "attention_mask"],
            output_names=["logits"],
            dynamic_shapes={"input_ids": axes, "attention_mask": axes} if dynamic else None,
            dynamo=True,
            external_data=False,
            verbose=False,
        )
    for file in ("config.json", "tokenizer.json"):
        (target / file).write_bytes((where / file).read_bytes())
    return target


def change(file: Path, **values: Any) -> None:
    """Sets properties of a JSON file; None takes one out."""
    data = json.loads(file.read_text(encoding="utf-8"))
    data |= {key: value for key, value in values.items() if value is not None}
    for key, value in values.items():
        if value is None:
            data.pop(key, None)
    file.write_text(json.dumps(data), encoding="utf-8")
