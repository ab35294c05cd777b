"""From text to the pieces a model reads, each with its place in the text in code points: the tokenizer of a model folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...pipeline.errors import ResourceError
from ..neural.extras import installed, need
from .folder import read_json

_SURROGATE = re.compile("[\ud800-\udfff]")
_VOCABULARIES = ("vocab.txt", "vocab.json", "spm.model", "spiece.model", "tokenizer.model", "sentencepiece.bpe.model")
_PROBES = ("a", "1", ".")


@dataclass(slots=True)
class Pieces:
    """The pieces of a text, in order, without the model's special ones.

    `begins` and `ends` are code points of the text, without white space at either side; a piece of nothing else has
    `begin == end`. `words` numbers the words of the tokenizer's own pre-tokenizer.
    """

    ids: list[int]
    begins: list[int]
    ends: list[int]
    words: list[int]

    def __len__(self) -> int:
        return len(self.ids)


class PieceTokenizer:
    """A fast tokenizer with what the model wants around each sequence: `before`, `after`, and `pad` to fill rows."""

    def __init__(self, tokenizer: Any, place: str, pad: int = 0) -> None:
        self._tokenizer = tokenizer
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.pad = pad
        self.before, self.after = self._around(place)
        self._special = _written_marks(tokenizer)

    def _around(self, place: str) -> tuple[list[int], list[int]]:
        for probe in _PROBES:
            encoding = self._tokenizer.encode(probe)
            mask = encoding.special_tokens_mask
            if 0 in mask:
                first = mask.index(0)
                last = len(mask) - mask[::-1].index(0)
                return list(encoding.ids[:first]), list(encoding.ids[last:])
        raise ResourceError(f"{place}: its tokenizer makes nothing of plain letters: damaged")

    def size(self) -> int:
        """How many pieces the vocabulary has, without added ones."""
        return int(self._tokenizer.get_vocab_size(with_added_tokens=False))

    def pieces(self, text: str) -> Pieces:
        """Return all pieces of a text of any length."""
        given = encodable(text)
        if self._special is not None:
            given = self._special.sub(lambda mark: f"({mark.group()[1:]}", given)
        encoding = self._tokenizer.encode(given, add_special_tokens=False)
        begins, ends = [], []
        for begin, end in encoding.offsets:
            while begin < end and text[begin].isspace():
                begin += 1
            while begin < end and text[end - 1].isspace():
                end -= 1
            begins.append(begin)
            ends.append(end)
        words = [-1 if word is None else word for word in encoding.word_ids]
        return Pieces(list(encoding.ids), begins, ends, words)


def _written_marks(tokenizer: Any) -> re.Pattern[str] | None:
    """Return a pattern for the names of special pieces: `[SEP]` or `</s>` written in a note is text, not the end of a sequence.

    Vocabularies of some models hold these names as ordinary pieces, so telling the tokenizer to leave them alone is not enough.
    """
    added = tokenizer.get_added_tokens_decoder().values()
    names = [t.content for t in added if t.special and len(t.content) > 1 and not t.content[0].isalnum()]
    return re.compile("|".join(map(re.escape, sorted(names, key=lambda n: (-len(n), n))))) if names else None


def encodable(text: str) -> str:
    """Return the text with every lone surrogate replaced, one code point for one: UTF-8, which tokenizers work on, has none."""
    return _SURROGATE.sub("\ufffd", text)


def load_tokenizer(folder: Path, who: str, extra: str) -> Any:
    """Return the fast tokenizer of a folder: tokenizer.json, else what transformers makes of the vocabulary files.

    Raises ResourceError if a library is missing, a file is damaged, or the model has no fast tokenizer.
    """
    tokenizers = need("tokenizers", extra, who)
    path = folder / "tokenizer.json"
    if path.is_file():
        try:
            return _as_configured(tokenizers.Tokenizer.from_file(str(path)), folder, tokenizers)
        except ResourceError:
            raise
        except Exception:  # the library raises plain Exception
            raise ResourceError(f"{path}: damaged: expected a tokenizer of Hugging Face tokenizers") from None
    # without a vocabulary transformers makes a tokenizer without words, without a warning
    if installed("transformers") and any((folder / name).is_file() for name in _VOCABULARIES):
        transformers = need("transformers", extra, who)
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                str(folder), local_files_only=True, trust_remote_code=False
            )
        except Exception:  # reported below
            tokenizer = None
        backend = getattr(tokenizer, "backend_tokenizer", None)
        if backend is not None:
            return backend
    raise ResourceError(
        f"{folder}: has no fast tokenizer: expected tokenizer.json, the only type that gives the offsets of pieces"
    )


def _as_configured(tokenizer: Any, folder: Path, tokenizers: Any) -> Any:
    """Apply what the configuration says of lower case: if the files of a BERT folder differ, transformers follows this one."""
    path = folder / "tokenizer_config.json"
    normalizer = tokenizer.normalizer
    if not path.is_file() or not isinstance(normalizer, tokenizers.normalizers.BertNormalizer):
        return tokenizer
    lower = read_json(path).get("do_lower_case")
    if isinstance(lower, bool) and lower != normalizer.lowercase:
        normalizer.lowercase = lower
        tokenizer.normalizer = normalizer
    return tokenizer


def longest(folder: Path) -> int | None:
    """Return the longest sequence of tokenizer_config.json, special pieces included; None if it has none."""
    path = folder / "tokenizer_config.json"
    length = read_json(path).get("model_max_length") if path.is_file() else None
    return int(length) if isinstance(length, int | float) and 0 < length < 1_000_000 else None
