"""The tokenizer of a model folder: divides a text into pieces and gives their code-point offsets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...pipeline.errors import ResourceError
from ..neural.extras import installed, need
from ..resolving.candidates import trim
from .folder import read_json

_SURROGATE = re.compile("[\ud800-\udfff]")
_VOCABULARIES = ("vocab.txt", "vocab.json", "spm.model", "spiece.model", "tokenizer.model", "sentencepiece.bpe.model")
_PROBES = ("a", "1", ".")


@dataclass(slots=True)
class Pieces:
    """The pieces of a text, in order, without special pieces.

    `begins` and `ends` are code points of the text, without white space at the edges; a piece of white space only has
    `begin == end`. `words` are the word numbers of the pre-tokenizer, -1 for none.
    """

    ids: list[int]
    begins: list[int]
    ends: list[int]
    words: list[int]

    def __len__(self) -> int:
        return len(self.ids)


class PieceTokenizer:
    """A fast tokenizer, and the special pieces of the model: `before` and `after` each sequence, and `pad`."""

    def __init__(self, tokenizer: Any, folder: Path, pad: int = 0) -> None:
        self._tokenizer = tokenizer
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.pad = pad
        self.before, self.after = self._special_pieces(folder)
        self._special_names = _special_names(tokenizer)

    def _special_pieces(self, folder: Path) -> tuple[list[int], list[int]]:
        for probe in _PROBES:
            encoding = self._tokenizer.encode(probe)
            mask = encoding.special_tokens_mask
            if 0 in mask:
                first = mask.index(0)
                last = len(mask) - mask[::-1].index(0)
                return list(encoding.ids[:first]), list(encoding.ids[last:])
        raise ResourceError(f"{folder}: its tokenizer returns no pieces for letters: damaged")

    def vocabulary_size(self) -> int:
        """Return the number of pieces in the vocabulary, without added ones."""
        return int(self._tokenizer.get_vocab_size(with_added_tokens=False))

    def pieces(self, text: str) -> Pieces:
        """Return all pieces of a text of any length."""
        safe = replace_surrogates(text)
        if self._special_names is not None:
            safe = self._special_names.sub(lambda name: f"({name.group()[1:]}", safe)
        encoding = self._tokenizer.encode(safe, add_special_tokens=False)
        begins, ends = [], []
        for offsets in encoding.offsets:
            begin, end = trim(text, *offsets)
            begins.append(begin)
            ends.append(end)
        words = [-1 if word is None else word for word in encoding.word_ids]
        return Pieces(list(encoding.ids), begins, ends, words)


def _special_names(tokenizer: Any) -> re.Pattern[str] | None:
    """Return a pattern for the names of special pieces. `[SEP]` or `</s>` in a document is text, not the end of a sequence.

    Some vocabularies contain these names as ordinary pieces, so an option of the tokenizer does not suffice.
    """
    added = tokenizer.get_added_tokens_decoder().values()
    names = [t.content for t in added if t.special and len(t.content) > 1 and not t.content[0].isalnum()]
    return re.compile("|".join(map(re.escape, sorted(names, key=lambda n: (-len(n), n))))) if names else None


def replace_surrogates(text: str) -> str:
    """Return the text with every lone surrogate replaced by one code point, since tokenizers use UTF-8."""
    return _SURROGATE.sub("\ufffd", text)


def load_tokenizer(folder: Path, who: str, extra: str) -> Any:
    """Return the fast tokenizer of a folder: from tokenizer.json, otherwise converted by transformers from vocabulary files.

    Raises ResourceError if a library is missing, a file is damaged, or the model has no fast tokenizer.
    """
    tokenizers = need("tokenizers", extra, who)
    path = folder / "tokenizer.json"
    if path.is_file():
        try:
            return _apply_configuration(tokenizers.Tokenizer.from_file(str(path)), folder, tokenizers)
        except ResourceError:
            raise
        except Exception:  # the library raises plain Exception
            raise ResourceError(f"{path}: damaged: expected a tokenizer of Hugging Face tokenizers") from None
    # without a vocabulary, transformers returns a tokenizer without words and does not warn
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


def _apply_configuration(tokenizer: Any, folder: Path, tokenizers: Any) -> Any:
    """Apply `do_lower_case` of tokenizer_config.json to a BERT tokenizer. Like transformers, prefer it to tokenizer.json."""
    path = folder / "tokenizer_config.json"
    normalizer = tokenizer.normalizer
    if not path.is_file() or not isinstance(normalizer, tokenizers.normalizers.BertNormalizer):
        return tokenizer
    lower = read_json(path).get("do_lower_case")
    if isinstance(lower, bool) and lower != normalizer.lowercase:
        normalizer.lowercase = lower
        tokenizer.normalizer = normalizer
    return tokenizer


def max_length_of(folder: Path) -> int | None:
    """Return the maximum sequence length of tokenizer_config.json, including special pieces; None if it sets none."""
    path = folder / "tokenizer_config.json"
    length = read_json(path).get("model_max_length") if path.is_file() else None
    return int(length) if isinstance(length, int | float) and 0 < length < 1_000_000 else None
