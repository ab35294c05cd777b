"""The input of a GLiNER graph: the labels as a prompt, then the words of a window of the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .gliner_folder import GlinerConfig
from .pieces import replace_surrogates
from .windows import Window, pad_rows

_WORD = re.compile(r"\w+(?:[-_]\w+)*|\S")
"""The word splitter `whitespace` of gliner_config.json."""


@dataclass(slots=True)
class WordPieces:
    """The words of a text: the begin and end of each in code points, and its pieces."""

    begins: list[int]
    ends: list[int]
    pieces: list[list[int]]

    def __len__(self) -> int:
        return len(self.begins)


class Prompt:
    """Labels and texts as piece ids. The prompt is the same for every window, so it is created once.

    Raises ValueError if the labels leave too few pieces for text.
    """

    def __init__(self, tokenizer: Any, config: GlinerConfig, labels: Sequence[str]) -> None:
        self._tokenizer = tokenizer
        self._config = config
        words = [word for label in labels for word in (config.entity_token, label)] + [config.separator_token]
        encoding = tokenizer.encode([*words, config.separator_token], is_pretokenized=True)
        ids, numbers = list(encoding.ids), list(encoding.word_ids)
        text_begin = numbers.index(
            len(words)
        )  # the second separator, which is always a piece, marks the position of the text
        text_end = len(numbers) - numbers[::-1].index(len(words))
        self.before: list[int] = ids[:text_begin]
        self.after: list[int] = ids[text_end:]
        self.capacity = config.max_pieces - len(self.before) - len(self.after)
        self.classes = len(labels)
        pad = tokenizer.token_to_id("[PAD]")
        self._pad = int(pad if pad is not None else tokenizer.token_to_id("<pad>") or 0)
        if self.capacity < len(self.before) // 4 + 4:
            raise ValueError(
                f"{len(labels)} labels take {len(self.before)} of the {config.max_pieces} pieces the model reads at a time"
            )

    def words(self, text: str) -> WordPieces:
        """Return the words of a text with their pieces. A word with more pieces than the capacity keeps its first ones."""
        matches = list(_WORD.finditer(text))
        begins, ends = [m.start() for m in matches], [m.end() for m in matches]
        pieces: list[list[int]] = [[] for _ in matches]
        if matches:
            forms = [replace_surrogates(m.group()) for m in matches]
            encoding = self._tokenizer.encode(forms, is_pretokenized=True, add_special_tokens=False)
            for piece, word in zip(encoding.ids, encoding.word_ids, strict=True):
                if word is not None and len(pieces[word]) < self.capacity:
                    pieces[word].append(piece)
        return WordPieces(begins, ends, pieces)

    def windows(self, words: WordPieces, max_words: int, overlap: int) -> list[Window]:
        """Return windows of at most `max_words` words and `capacity` pieces. Neighbors share `overlap` words, at most half.

        Words of many pieces make windows shorter.
        """
        lengths = [len(p) for p in words.pieces]
        windows: list[Window] = []
        first = 0
        while True:
            last, used = first, 0
            while last < len(lengths) and last - first < max_words and used + lengths[last] <= self.capacity:
                used += lengths[last]
                last += 1
            if not windows or last > windows[-1][1]:
                windows.append((first, last))
            if last == len(lengths):
                return windows
            first = last - min(overlap, (last - first) // 2)

    def feed(self, words: WordPieces, windows: Sequence[Window], spans: bool) -> dict[str, npt.NDArray[Any]]:
        """Return the inputs of the graph for a batch of windows."""
        rows, masks = [], []
        for first, last in windows:
            row, mask = list(self.before), [0] * len(self.before)
            for number, pieces in enumerate(words.pieces[first:last], 1):
                row += pieces
                mask += self._word_mask(number, len(pieces))
            rows.append(row + self.after)
            masks.append(mask + [0] * len(self.after))
        ids, attention = pad_rows(rows, self._pad)
        lengths = np.array([[last - first] for first, last in windows], dtype=np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": attention,
            "words_mask": pad_rows(masks, 0)[0],
            "text_lengths": lengths,
        }
        if spans:
            inputs |= _span_inputs(lengths, self._config.max_span)
        return inputs

    def _word_mask(self, number: int, pieces: int) -> list[int]:
        if self._config.pooling in ("mean", "max"):
            return [number] * pieces
        marked = 0 if self._config.pooling == "first" else pieces - 1
        return [number if i == marked else 0 for i in range(pieces)]


def _span_inputs(lengths: npt.NDArray[np.int64], max_span: int) -> dict[str, npt.NDArray[Any]]:
    """Return every span of up to `max_span` words of the longest row, and a mask of the spans within each row."""
    longest = int(lengths.max())
    firsts = np.repeat(np.arange(longest, dtype=np.int64), max_span)
    lasts = firsts + np.tile(np.arange(max_span, dtype=np.int64), longest)
    inside = lasts[None, :] < lengths
    both = np.stack([firsts, lasts], axis=1)
    return {"span_idx": np.where(inside[..., None], both[None], 0), "span_mask": inside}
