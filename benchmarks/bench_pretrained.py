"""Measure the speed of the `transformer` annotator: a BERT of base size with random weights, in PyTorch and ONNX Runtime.

    python -m benchmarks.bench_pretrained
    python -m benchmarks.bench_pretrained --documents 4 --threads 2 --layers 6

Random weights are as fast as trained ones. The vocabulary is learned from the narratives, so that pieces are about as long as
those of a real model. CPU seconds include all threads; on a busy machine use them instead of the wall-clock time.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from benchmarks.narratives import narratives
from caspipe.annotators.pretrained import TransformerAnnotator
from caspipe.typesystem import Cas

LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


def tokenizer(texts: list[str]) -> Tokenizer:
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made.train_from_iterator(
        texts, trainers.WordPieceTrainer(vocab_size=3000, special_tokens=special, show_progress=False)
    )
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return made


def folder(where: Path, pieces: Tokenizer, layers: int) -> Any:
    """Write a model with random weights to a folder, and return the model."""
    import torch
    from transformers import BertConfig, BertForTokenClassification

    torch.manual_seed(0)
    config = BertConfig(vocab_size=30522, num_hidden_layers=layers, id2label=dict(enumerate(LABELS)))
    model = BertForTokenClassification(config).eval()
    model.save_pretrained(where)
    pieces.save(str(where / "tokenizer.json"))
    return model


def export(model: Any, where: Path) -> None:
    """Export the model as an ONNX graph for sequences of any length."""
    import torch

    class Logits(torch.nn.Module):
        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            return model(input_ids=input_ids, attention_mask=attention_mask).logits

    wrapped = Logits()
    wrapped.model = model
    ids = torch.ones((2, 16), dtype=torch.long)
    axes = {0: torch.export.Dim("rows", max=512), 1: torch.export.Dim("pieces", min=2, max=512)}
    torch.onnx.export(
        wrapped.eval(),
        (ids, ids),
        str(where / "model.onnx"),
        input_names=["input_ids", "attention_mask"],
        output_names=["logits"],
        dynamic_shapes={"input_ids": axes, "attention_mask": axes},
        dynamo=True,
        verbose=False,
    )


def measure(where: Path, backend: str, threads: int, texts: list[str]) -> tuple[float, float, int]:
    """Return wall-clock seconds, CPU seconds and the number of pieces for all texts."""
    annotator = TransformerAnnotator(model=str(where), backend=backend, threads=threads)  # type: ignore[arg-type]
    annotator.open()
    list(annotator.annotate(Cas(texts[0]).view()))
    pieces = sum(len(annotator._tokenizer.pieces(text)) for text in texts)
    clock, cpu = time.perf_counter(), time.process_time()
    for text in texts:
        list(annotator.annotate(Cas(text).view()))
    return time.perf_counter() - clock, time.process_time() - cpu, pieces


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    arguments.add_argument("--documents", type=int, default=10, help="of about 2,000 characters each")
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--layers", type=int, default=12, help="12: the base size")
    given = arguments.parse_args()
    whole = " ".join(narratives(200))
    texts = [whole[i * 2000 : (i + 1) * 2000] for i in range(given.documents)]
    with tempfile.TemporaryDirectory() as temporary:
        where = Path(temporary)
        model = folder(where, tokenizer([whole]), given.layers)
        export(model, where)
        print(
            f"{given.documents} documents of 2,000 characters, {given.threads} thread(s), {given.layers} layers of 768"
        )
        for backend in ("torch", "onnx"):
            clock, cpu, pieces = measure(where, backend, given.threads, texts)
            n = len(texts)
            print(
                f"{backend:6} {n / clock:6.2f} documents/s {n / cpu:6.2f} documents per second of CPU "
                f"{pieces / n:6.0f} pieces in a document"
            )


if __name__ == "__main__":
    main()
