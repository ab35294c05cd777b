"""Makes the folders gliner_span and gliner_token: tiny GLiNER models of random weights, as the gliner library exports them.

    python make_gliner_models.py

in an environment of its own with gliner 0.2.29, torch, onnx and onnxruntime (the library asks for transformers below 5.17). What
the library itself finds in a few made-up sentences is kept beside each graph, so that the tests can compare without it.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import onnx
import torch
from gliner import GLiNER
from gliner.config import GLiNERConfig
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, PreTrainedTokenizerFast

HERE = Path(__file__).parent
LABELS = ["person name", "date", "location"]
SENTENCES = [
    "Seen Mr Smith on 3/4 of Boston.",
    "Mr. Smith the 2nd, of Boston-on-the-hill, was seen 1 2 3 . The names of dates: abc.",
    "boston",
    "Zoë saw\r\nO'Brien \U0001f600 at 10:30, room B12_4; naïve étude.",
]
THRESHOLD = 0.5
FORMS = {"gliner_span": ("markerV0", 0.25, 3), "gliner_token": ("token_level", 0.5, 2)}


def tokenizer() -> PreTrainedTokenizerFast:
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    words = "[PAD] [UNK] [CLS] [SEP] [MASK] person name date location mr smith on boston the of / - . , : ; _ '".split()
    words += [*letters, *(f"##{c}" for c in letters)]
    made = Tokenizer(models.WordPiece({w: i for i, w in enumerate(dict.fromkeys(words))}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    marks = {f"{mark}_token": f"[{mark.upper()}]" for mark in ("unk", "pad", "cls", "sep", "mask")}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=128, **marks)


def model(folder: Path, form: str, spread: float, seed: int) -> Any:
    pieces = tokenizer()
    pieces.save_pretrained(folder)
    encoder = BertConfig(
        vocab_size=len(pieces),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=128,
    ).to_dict() | {"model_type": "bert"}
    config = GLiNERConfig(
        model_name=str(folder),
        encoder_config=encoder,
        max_width=5,
        max_len=40,
        hidden_size=8,
        dropout=0.0,
        num_rnn_layers=1,
        span_mode=form,
        vocab_size=len(pieces) + 2,
    )
    torch.manual_seed(seed)
    made = GLiNER.from_config(config, backbone_from_pretrained=False).eval()
    for weights in made.parameters():
        if weights.dim() > 1:
            torch.nn.init.normal_(weights, std=spread)
        elif form == "token_level" and weights.shape == (3,):
            weights.data += 0.4
    return made


def main() -> None:
    for name, (form, spread, seed) in FORMS.items():
        with tempfile.TemporaryDirectory() as temporary:
            folder, target = Path(temporary), HERE / name
            made = model(folder, form, spread, seed)
            made.export_to_onnx(folder)
            target.mkdir(exist_ok=True)
            graph = onnx.load(folder / "model.onnx")
            for node in graph.graph.node:  # names of files on the machine that made it
                node.doc_string = ""
                del node.metadata_props[:]
            onnx.save(graph, target / "model.onnx")
            shutil.copy(folder / "tokenizer.json", target)
            config = json.loads((folder / "gliner_config.json").read_text()) | {"model_name": "tiny"}
            (target / "gliner_config.json").write_text(json.dumps(config, indent=1, sort_keys=True) + "\n")
            found = [
                [
                    [e["start"], e["end"], e["label"], round(e["score"], 6)]
                    for e in made.predict_entities(text, LABELS, threshold=THRESHOLD)
                ]
                for text in SENTENCES
            ]
            cases = {"labels": LABELS, "threshold": THRESHOLD, "sentences": SENTENCES, "found": found}
            (target / "found.json").write_text(json.dumps(cases, indent=1) + "\n")
            print(name, [len(spans) for spans in found])


if __name__ == "__main__":
    main()
