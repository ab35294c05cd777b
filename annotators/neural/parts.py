"""The named parts of a network that is defined in YAML. PyTorch is imported when a part is built.

neural_trainer:
  tokens: {random: {dim: 100}}
  characters: {char_lstm: {dim: 25, width: 25}}
  encoder: {lstm: {width: 100}}
  decoder: crf
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ...pipeline.contract.component import Part, part
from .arrays.attributes import AttributeNetwork
from .arrays.characters import CharacterCnn, CharacterLstm
from .arrays.context import IteratedCnn, StackedLstm, WindowLstm
from .arrays.weights import Weights
from .extras import torch_module
from .vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    import torch


def check_positive(**parameters: float) -> None:
    """Raise ValueError if a number is not positive."""
    for name, value in parameters.items():
        if value <= 0:
            raise ValueError(f"{name}: expected a number above 0, got {value:g}")


def check_share(**parameters: float) -> None:
    """Raise ValueError if a number is not from 0 to below 1."""
    for name, value in parameters.items():
        if not 0 <= value < 1:
            raise ValueError(f"{name}: expected a number from 0 to below 1, got {value:g}")


def check_gap(post_space: int) -> None:
    """Raise ValueError if the number of characters after a token is not from 0 to 20."""
    if not 0 <= post_space <= 20:
        raise ValueError(f"post_space: expected a number of characters from 0 to 20, got {post_space}")


class TokenEmbedding(Part):
    """A vector for every word form."""

    min_count: int
    lower: bool
    dim: int
    unknown: float
    rare: int
    train = True

    def words(self, counts: dict[str, int]) -> list[str]:
        """Return the forms with their own vectors, in order; all others share one. `counts` are the frequencies of forms."""
        return sorted(form for form, n in counts.items() if n >= self.min_count)

    def unknown_share(self, count: int) -> float:
        """Return the probability of replacing a form of this frequency by the unknown word in training."""
        if not self.unknown or count > self.rare:
            return 0.0
        return self.unknown / (self.unknown + count * (1 - self.unknown))

    def start(self, words: list[str]) -> dict[str, Any]:
        """Return the initial vectors of words, arrays of shape (dim,). Words without one are initialized at random."""
        return {}


@part("random")
class RandomEmbedding(TokenEmbedding):
    """Vectors that are initialized at random and learned in training. Forms that do not occur in training share one vector."""

    dim: int = 100
    """Length of a vector."""
    min_count: int = 2
    """Forms that occur less often in training count as unknown. Copies of a document by `augment` do not count."""
    lower: bool = False
    """True if `Boston` and `boston` have one vector."""
    unknown: float = 0.5
    """Probability of replacing a form that occurs once by the unknown word in training, so that its vector is learned and the
    network does not rely on rare words (Lample et al. 2016). Copies of a document by `augment` do not count."""
    rare: int = 1
    """Forms that occur up to this number of times are replaced too; at n times, the odds are divided by n (similar to Kiperwasser
    & Goldberg 2016)."""

    def __post_init__(self) -> None:
        check_positive(dim=self.dim, min_count=self.min_count)
        check_share(unknown=self.unknown)


@part("vectors")
class PretrainedEmbedding(TokenEmbedding):
    """Pretrained vectors: GloVe, word2vec, fastText (text or binary), or the output of `caspipe train vectors`.

    The model contains the vectors of words that occur in training, and of up to `keep` others.
    """

    argument: ClassVar[str] = "file"

    file: Path
    """The file of vectors."""
    train: bool = True
    """True if they are changed in training."""
    keep: int = 20_000
    """Maximum number of words to keep that do not occur in training, in the order of the file."""
    lower: bool = False
    """True if `Boston` and `boston` have one vector."""
    min_count: int = 1
    """Forms that are not in the file and occur less often in training count as unknown."""
    unknown: float = 0.5
    """Probability of replacing a form that occurs once by the unknown word in training."""
    rare: int = 1
    """Forms that occur up to this number of times are replaced too; at n times, the odds are divided by n."""

    def __post_init__(self) -> None:
        check_positive(min_count=self.min_count)
        check_share(unknown=self.unknown)
        if self.keep < 0:
            raise ValueError(f"keep: expected 0 or more, got {self.keep}")

    @cached_property
    def _vectors(self) -> WordVectors:
        return WordVectors.load(str(self.file))

    @property
    def dim(self) -> int:  # type: ignore[override]
        return self._vectors.dim

    def words(self, counts: dict[str, int]) -> list[str]:
        own = [f for f, n in counts.items() if n >= self.min_count or self._vectors.row(f) >= 0]
        others = [w for w in self._vectors.words[: self.keep] if w not in counts]
        return sorted({*own, *(w.lower() if self.lower else w for w in others)})

    def start(self, words: list[str]) -> dict[str, Any]:
        return {word: vector for word in words if (vector := self._vectors.vector(word)) is not None}


class CharacterEncoder(Part):
    """A vector for every form, from its characters."""

    dim: int
    post_space: int
    lower: bool
    min_count: int

    def build(self, characters: int) -> torch.nn.Module:
        """Return the module for this number of different characters. Its attribute `size` is the length of its output."""
        raise TypeError(f"{type(self).__name__} must define build(characters)")

    def in_arrays(self, weights: Weights, characters: int) -> Any:
        """Return the same module in NumPy, with these weights."""
        raise TypeError(f"{type(self).__name__} must define in_arrays(weights, characters)")


@part("char_lstm")
class CharLstm(CharacterEncoder):
    """The final states of a bidirectional LSTM over the characters of a token (Lample et al. 2016)."""

    dim: int = 25
    """Length of a character's vector."""
    width: int = 25
    """Units of the LSTM, in each direction."""
    post_space: int = 0
    """Number of characters after a token, up to the next one with a letter or digit, that count as part of it: spaces, line ends
    and symbols (3 in the inverse hybrid system, §4.3.4)."""
    lower: bool = False
    """True if `B` and `b` have one vector."""
    min_count: int = 2
    """Characters that occur less often in training count as unknown."""

    def __post_init__(self) -> None:
        check_positive(dim=self.dim, width=self.width, min_count=self.min_count)
        check_gap(self.post_space)

    def build(self, characters: int) -> torch.nn.Module:
        return torch_module("characters").CharacterLstm(characters, self.dim, self.width)

    def in_arrays(self, weights: Weights, characters: int) -> CharacterLstm:
        return CharacterLstm(weights, characters, self.dim, self.width)


@part("char_cnn")
class CharCnn(CharacterEncoder):
    """Convolutions over the characters of a token, with max pooling (Ma and Hovy 2016)."""

    dim: int = 25
    """Length of a character's vector."""
    filters: int = 30
    """Filters of each width."""
    widths: list[int] = field(default_factory=lambda: [3])
    """Widths of the filters in characters, odd numbers."""
    post_space: int = 0
    """Number of characters after a token, up to the next one with a letter or digit, that count as part of it: spaces, line ends
    and symbols (3 in the inverse hybrid system, §4.3.4)."""
    lower: bool = False
    """True if `B` and `b` have one vector."""
    min_count: int = 2
    """Characters that occur less often in training count as unknown."""

    def __post_init__(self) -> None:
        check_positive(dim=self.dim, filters=self.filters, min_count=self.min_count)
        check_gap(self.post_space)
        if not self.widths or any(w < 1 or w % 2 == 0 for w in self.widths):
            raise ValueError(f"widths: expected odd numbers of at least 1, got {self.widths}")

    def build(self, characters: int) -> torch.nn.Module:
        return torch_module("characters").CharacterCnn(characters, self.dim, self.filters, self.widths)

    def in_arrays(self, weights: Weights, characters: int) -> CharacterCnn:
        return CharacterCnn(weights, characters, self.dim, self.filters, self.widths)


class AttributeEncoder(Part):
    """A vector for the features of a token."""

    min_count: int

    def build(self, attributes: int, numbers: int) -> torch.nn.Module:
        """Return the module for these numbers of binary and real-valued attributes."""
        raise TypeError(f"{type(self).__name__} must define build(attributes, numbers)")

    def in_arrays(self, weights: Weights, attributes: int, numbers: int) -> Any:
        """Return the same module in NumPy, with these weights."""
        raise TypeError(f"{type(self).__name__} must define in_arrays(weights, attributes, numbers)")


@part("feed_forward")
class FeedForward(AttributeEncoder):
    """A feed-forward network over the vector of binary features (Lee et al. 2016, S4)."""

    widths: list[int] = field(default_factory=lambda: [100])
    """Units of each layer, in order."""
    min_count: int = 1
    """Attributes that occur less often in training are left out."""
    dropout: float = 0.0
    """Share of attributes that are dropped at random in training, to prevent reliance on single ones."""

    def __post_init__(self) -> None:
        if not self.widths or min(self.widths) < 1:
            raise ValueError(f"widths: expected at least one number of at least 1, got {self.widths}")
        check_positive(min_count=self.min_count)
        check_share(dropout=self.dropout)

    def build(self, attributes: int, numbers: int) -> torch.nn.Module:
        return torch_module("attributes").AttributeNetwork(attributes, numbers, self.widths, self.dropout)

    def in_arrays(self, weights: Weights, attributes: int, numbers: int) -> AttributeNetwork:
        return AttributeNetwork(weights, attributes, numbers, self.widths)


class Encoder(Part):
    """Turns the vector of each token into one that depends on its context."""

    def build(self, size: int, dropout: float) -> torch.nn.Module:
        """Return the module for token vectors of length `size`."""
        raise TypeError(f"{type(self).__name__} must define build(size, dropout)")

    def in_arrays(self, weights: Weights, size: int) -> Any:
        """Return the same module in NumPy, with these weights."""
        raise TypeError(f"{type(self).__name__} must define in_arrays(weights, size)")


@part("lstm")
class LstmEncoder(Encoder):
    """Stacked bidirectional LSTMs over the whole sequence."""

    width: int = 100
    """Units in each direction."""
    layers: int = 1
    """Number of LSTMs."""

    def __post_init__(self) -> None:
        check_positive(width=self.width, layers=self.layers)

    def build(self, size: int, dropout: float) -> torch.nn.Module:
        return torch_module("context").StackedLstm(size, self.width, self.layers, dropout)

    def in_arrays(self, weights: Weights, size: int) -> StackedLstm:
        return StackedLstm(weights, size, self.width, self.layers)


@part("id_cnn")
class IdCnnEncoder(Encoder):
    """Iterated dilated convolutions (Strubell et al. 2017): a block of layers that is applied repeatedly to its output."""

    filters: int = 300
    """Filters of every layer."""
    width: int = 3
    """Width of the filters in tokens, an odd number."""
    dilations: list[int] = field(default_factory=lambda: [1, 2, 1])
    """Dilation of each layer of the block: the distance of the tokens in a filter."""
    repeats: int = 3
    """Number of applications of the block."""

    def __post_init__(self) -> None:
        check_positive(filters=self.filters, repeats=self.repeats)
        if self.width < 1 or self.width % 2 == 0:
            raise ValueError(f"width: expected an odd number, got {self.width}")
        if not self.dilations or min(self.dilations) < 1:
            raise ValueError(f"dilations: expected at least one number of at least 1, got {self.dilations}")

    def build(self, size: int, dropout: float) -> torch.nn.Module:
        return torch_module("context").IteratedCnn(
            size, self.filters, self.width, self.dilations, self.repeats, dropout
        )

    def in_arrays(self, weights: Weights, size: int) -> IteratedCnn:
        return IteratedCnn(weights, size, self.filters, self.width, self.dilations, self.repeats)


@part("window")
class WindowEncoder(Encoder):
    """A bidirectional LSTM over a window around each token, and dense layers on its states at the token (Anonimatik, S3)."""

    size: int = 9
    """Tokens in the window, an odd number; the token is in the middle."""
    width: int = 256
    """Units in each direction."""
    dense: list[int] = field(default_factory=lambda: [128, 64])
    """Units of the dense layers."""

    def __post_init__(self) -> None:
        check_positive(width=self.width)
        if self.size < 1 or self.size % 2 == 0 or self.size > 51:
            raise ValueError(f"size: expected an odd number from 1 to 51, got {self.size}")
        if any(d < 1 for d in self.dense):
            raise ValueError(f"dense: expected numbers of at least 1, got {self.dense}")

    def build(self, size: int, dropout: float) -> torch.nn.Module:
        return torch_module("context").WindowLstm(size, self.size, self.width, self.dense, dropout)

    def in_arrays(self, weights: Weights, size: int) -> WindowLstm:
        return WindowLstm(weights, size, self.size, self.width, self.dense)


class Decoder(Part):
    """Chooses labels from their scores."""

    chain: ClassVar[bool] = False
    """True if pairs of neighboring labels have scores."""
    constrained = False


@part("softmax")
class Softmax(Decoder):
    """Chooses the most probable label of each token independently."""


@part("crf")
class Crf(Decoder):
    """A linear-chain CRF that chooses the best label sequence (Huang, Xu and Yu 2015)."""

    chain: ClassVar[bool] = True

    constrained: bool = True
    """True if label sequences that are invalid in the encoding (`I-` after `O`) are excluded, in training and application."""
