"""The input of a GLiNER graph: the text in words, the labels as a prompt before it, in windows that fit both limits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .gliner_folder import Reading
from .pieces import encodable
from .windows import Window, padded

_WORD = re.compile(r"\w+(?:[-_]\w+)*|\S")
"""The word splitter that GLiNER models were trained with: `whitespace` in gliner_config.json."""


@dataclass(slots=True)
class WordPieces:
    """The words of a text: code points where each begins and ends, and its pieces."""

    begins: list[int]
    ends: list[int]
    pieces: list[list[int]]

    def __len__(self) -> int:
        return len(self.begins)


class Prompt:
    """Labels and texts as piece ids. The prompt is the same for every window, so it is made once.

    Raises ValueError if no room for text is left beside the labels.
    """

    def __init__(self, tokenizer: Any, reading: Reading, labels: Sequence[str]) -> None:
        self._tokenizer = tokenizer
        self._reading = reading
        words = [word for label in labels for word in (reading.entity, label)] + [reading.separator]
        encoding = tokenizer.encode([*words, reading.separator], is_pretokenized=True)
        ids, numbers = list(encoding.ids), list(encoding.word_ids)
        text = numbers.index(len(words))  # where a word after the prompt begins; the separator is a piece for certain
        after = len(numbers) - numbers[::-1].index(len(words))
        self.before: list[int] = ids[:text]
        self.after: list[int] = ids[after:]
        self.room = reading.pieces - len(self.before) - len(self.after)
        self.classes = len(labels)
        pad = tokenizer.token_to_id("[PAD]")
        self._pad = int(pad if pad is not None else tokenizer.token_to_id("<pad>") or 0)
        if self.room < len(self.before) // 4 + 4:
            raise ValueError(
                f"{len(labels)} labels take {len(self.before)} of the {reading.pieces} pieces the model reads at a time"
            )

    def words(self, text: str) -> WordPieces:
        """Return the words of a text with their pieces; a word of more pieces than the model reads keeps its first ones."""
        found = list(_WORD.finditer(text))
        begins, ends = [m.start() for m in found], [m.end() for m in found]
        pieces: list[list[int]] = [[] for _ in found]
        if found:
            written = [encodable(m.group()) for m in found]
            encoding = self._tokenizer.encode(written, is_pretokenized=True, add_special_tokens=False)
            for piece, word in zip(encoding.ids, encoding.word_ids, strict=True):
                if word is not None and len(pieces[word]) < self.room:
                    pieces[word].append(piece)
        return WordPieces(begins, ends, pieces)

    def windows(self, words: WordPieces, most: int, overlap: int) -> list[Window]:
        """Return windows over words, of at most `most` words and the pieces the model takes, that share `overlap` words.

        Words of many pieces make windows shorter; at most half of a window is shared, so that each gets further.
        """
        lengths = [len(p) for p in words.pieces]
        found: list[Window] = []
        first = 0
        while True:
            last, used = first, 0
            while last < len(lengths) and last - first < most and used + lengths[last] <= self.room:
                used += lengths[last]
                last += 1
            if not found or last > found[-1][1]:
                found.append((first, last))
            if last == len(lengths):
                return found
            first = last - min(overlap, (last - first) // 2)

    def feed(self, words: WordPieces, windows: Sequence[Window], spans: bool) -> dict[str, npt.NDArray[Any]]:
        """Return the graph's inputs for some windows."""
        rows, masks = [], []
        for first, last in windows:
            row, mask = list(self.before), [0] * len(self.before)
            for number, word in enumerate(words.pieces[first:last], 1):
                row += word
                mask += self._marked(number, len(word))
            rows.append(row + self.after)
            masks.append(mask + [0] * len(self.after))
        ids, attention = padded(rows, self._pad)
        lengths = np.array([[last - first] for first, last in windows], dtype=np.int64)
        fed = {
            "input_ids": ids,
            "attention_mask": attention,
            "words_mask": padded(masks, 0)[0],
            "text_lengths": lengths,
        }
        if spans:
            fed |= _spans(lengths, self._reading.widest)
        return fed

    def _marked(self, number: int, pieces: int) -> list[int]:
        if self._reading.pooling in ("mean", "max"):
            return [number] * pieces
        at = 0 if self._reading.pooling == "first" else pieces - 1
        return [number if i == at else 0 for i in range(pieces)]


def _spans(lengths: npt.NDArray[np.int64], widest: int) -> dict[str, npt.NDArray[Any]]:
    """Return every span of up to `widest` words of the longest row, and which of them lie within each row."""
    longest = int(lengths.max())
    firsts = np.repeat(np.arange(longest, dtype=np.int64), widest)
    lasts = firsts + np.tile(np.arange(widest, dtype=np.int64), longest)
    inside = lasts[None, :] < lengths
    both = np.stack([firsts, lasts], axis=1)
    return {"span_idx": np.where(inside[..., None], both[None], 0), "span_mask": inside}
