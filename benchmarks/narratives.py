"""Generate narratives for benchmarks: sentences of the bundled samples in random order, with random numbers. Seeded."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

SAMPLES = Path(__file__).resolve().parent.parent / "configs" / "samples"


def narratives(count: int, size: int = 2000, seed: int = 1) -> Iterator[str]:
    """Yield `count` texts of about `size` characters. The same seed gives the same texts."""
    random_ = random.Random(seed)
    text = "\n".join(p.read_text(encoding="utf-8") for p in sorted(SAMPLES.glob("*.txt")))
    sentences = [s for s in re.split(r"(?<=[.!?])\s+|\n", text) if len(s) > 20]
    for _ in range(count):
        parts: list[str] = []
        length = 0
        while length < size:
            sentence = re.sub(r"(?<=\d)\d", lambda m: random_.choice("0123456789"), random_.choice(sentences))
            parts.append(sentence)
            length += len(sentence) + 1
        yield " ".join(parts)
