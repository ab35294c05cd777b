"""Extraction of attributes of tokens, on which models are trained and by which their weights are looked up.

Attributes are strings as `-1:lower=dr.` (`feature.attribute`). They are made once for each distinct form, or combination of a
token's other values, and each offset of the window; a document is then a matter of look-ups (docs/decisions/006).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ...pipeline.contract.resources import load, resource_class
from ...pipeline.errors import CasError
from ...typesystem import FeatureStructure, FormTable
from .compact import CompactColumn
from .feature import Feature, FormFeature, TokenFeature, ValueFeature, Words, as_tuple
from .form_attributes import FormAttributes, base
from .numbering import DocumentRows, RowNumbering

Context = Literal["sentence", "document"]
Floats = npt.NDArray[np.float64]
S = TypeVar("S", bound=Sized)

BLOCK = 32_768
"""Maximum number of tokens whose scores are computed together: the memory of a model does not grow with the document."""
OUT_BEFORE, OUT_AFTER = "bos", "eos"
"""Attributes of positions before the first and after the last token: `-1:bos`, `1:eos`."""


class FeatureGroup(NamedTuple):
    """Features whose values are cached together: their labels, and a column of values for each of them."""

    labels: tuple[str, ...]
    columns: Sequence[list[Any] | CompactColumn]

    def by_token(self, first: int = 0, last: int | None = None) -> Iterable[Any]:
        """Return the values of each token of a range, as one hashable key."""
        some = [column[first:last] for column in self.columns]
        return some[0] if len(some) == 1 else zip(*some, strict=True)


class Block(NamedTuple):
    """Consecutive sentences of a document: its tokens `first:last`, and the sentences as ranges relative to `first`."""

    first: int
    last: int
    sentences: list[tuple[int, int]]


def blocks_of(sentences: Sequence[tuple[int, int]], most: int) -> Iterator[Block]:
    """Yield blocks of whole sentences of at most `most` tokens; a longer sentence is a block of its own."""
    held: list[tuple[int, int]] = []
    for first, last in sentences:
        if held and last - held[0][0] > most:
            yield _block(held)
            held = []
        held.append((first, last))
    if held:
        yield _block(held)


def _block(sentences: list[tuple[int, int]]) -> Block:
    begin = sentences[0][0]
    return Block(begin, sentences[-1][1], [(first - begin, last - begin) for first, last in sentences])


@dataclass(eq=False)
class DocumentFeatures:
    """The features of a document.

    `forms` are the tokens; `groups` the values of each `TokenFeature`; `numbers` those of each `ValueFeature`, of shape
    (features, tokens).
    """

    forms: list[str]
    groups: list[FeatureGroup]
    numbers: Floats
    sentences: list[tuple[int, int]]
    context: Context

    @cached_property
    def values(self) -> list[list[tuple[str, ...]]]:
        """For each group, the bases (`pos=NN`) of every token."""
        values = []
        for group in self.groups:
            cache = BoundedCache(bases_of(group.labels))
            values.append([cache[key] for key in group.by_token()])
        return values

    def same(self, other: DocumentFeatures) -> bool:
        """Return whether both belong to the same list of tokens and have equal values."""
        return (
            self.forms is other.forms
            and self.sentences == other.sentences
            and self.groups == other.groups
            and np.array_equal(self.numbers, other.numbers)
        )

    @property
    def sequences(self) -> list[tuple[int, int]]:
        """Ranges of token indexes that limit the window."""
        return self.sentences if self.context == "sentence" else [(0, len(self.forms))] if self.forms else []

    def places(self) -> Iterator[tuple[tuple[int, int], int]]:
        """Yield the sequence of every token, and its index."""
        return ((sequence, i) for sequence in self.sequences for i in range(*sequence))

    def blocks(self, most: int | None = None) -> Iterator[Block]:
        """Yield consecutive blocks of whole sentences of at most `most` tokens (default: BLOCK); a longer sentence is a block."""
        yield from blocks_of(self.sentences, BLOCK if most is None else most)


class FeatureSet:
    """The features of a model and their window. Raises ValueError if two features have the same label."""

    def __init__(
        self, features: Sequence[Feature], window: tuple[int, int] = (-3, 3), context: Context = "sentence"
    ) -> None:
        self.features = list(features)
        self.window = window
        self.context: Context = context
        for feature in self.features:
            if feature.window and not -20 <= feature.window[0] <= feature.window[1] <= 20:
                raise ValueError(
                    f"feature {feature.label}: window: expected [from, to] within -20..20, got {list(feature.window)}"
                )
        labels = [f.label for f in self.features]
        for label in labels:
            if labels.count(label) > 1:
                raise ValueError(f"feature {label} is declared twice")
            if not label or "=" in label or not label.isprintable() or label in (OUT_BEFORE, OUT_AFTER):
                raise ValueError(
                    f"feature {label!r}: expected a label of printable characters without '=', other than "
                    f"{OUT_BEFORE} and {OUT_AFTER}, which mean positions outside of the text"
                )
        low = min([window[0], 0, *[f.window[0] for f in self.features if f.window]])
        high = max([window[1], 0, *[f.window[1] for f in self.features if f.window]])
        self.offsets = range(low, high + 1)
        """All offsets in the window of any feature."""
        self.of_form = [f for f in self.features if isinstance(f, FormFeature)]
        self.of_token = [f for f in self.features if isinstance(f, TokenFeature)]
        self.of_value = [f for f in self.features if isinstance(f, ValueFeature)]
        shared = [f for f in self.of_token if not f.varied]
        self._grouped = [shared] if shared else []
        self._grouped += [[f] for f in self.of_token if f.varied]
        self._last: DocumentFeatures | None = None

    def open(self) -> None:
        """Load the resources of the features."""
        for feature in self.features:
            for field in fields(feature):
                cls, value = resource_class(type(feature), field.name), getattr(feature, field.name)
                if cls is not None and isinstance(value, str):
                    setattr(feature, field.name, load(cls, value))
        self.__dict__.pop("_form_attributes", None)

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        """Return the types and UIMA features that earlier components must have added or set."""
        needs: list[Any] = [need for f in self.features for need in (*f.inputs, *f.sets)]
        return tuple(dict.fromkeys(needs))

    def window_of(self, feature: Feature) -> range:
        """Return the offsets in the window of a feature."""
        low, high = feature.window or self.window
        return range(low, high + 1)

    @property
    def group_windows(self) -> list[list[range]]:
        """The windows of the features of each group of values."""
        return [[self.window_of(f) for f in some] for some in self._grouped]

    def bases(self, form: str) -> tuple[str, ...]:
        """Return the bases of a form: its attributes without offset (`lower=dr.`, `hyphen`)."""
        return self.bases_of([form])[0]

    def bases_of(self, forms: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the bases of several forms."""
        return self._form_attributes.bases(forms)

    @cached_property
    def _form_attributes(self) -> FormAttributes:
        return FormAttributes(self.of_form)

    def columns(self, words: Words) -> DocumentFeatures:
        """Return the features of a document; the previous object if it is equal, so that models share its cached rows."""
        kept: Callable[[Any], list[Any] | CompactColumn] = list if len(words) <= BLOCK else CompactColumn
        groups = [
            FeatureGroup(tuple(f.label for f in some), [_whole(f, kept(f.column(words)), words) for f in some])
            for some in self._grouped
        ]
        rows = [_whole(f, f.column(words), words) for f in self.of_value]
        numbers = np.array(rows, dtype=np.float64).reshape(len(rows), len(words))
        if not np.isfinite(numbers).all():
            wrong = next(f for f, row in zip(self.of_value, numbers, strict=True) if not np.isfinite(row).all())
            raise CasError(f"feature {wrong.label} gave a value that is not finite")
        columns, last = DocumentFeatures(words.forms, groups, numbers, words.sentences, self.context), self._last
        if len(words) > BLOCK:  # not kept beyond the document: its rows are not shared
            self._last = None
            return columns
        if last is None or not last.same(columns):
            self._last = last = columns
        return last

    @cached_property
    def numbering(self) -> RowNumbering:
        """The numbers of forms and of combinations of values, shared by all scorers with these features."""
        groups = [_each(bases_of(tuple(f.label for f in some))) for some in self._grouped]
        computes: list[Callable[[Sequence[Any]], list[tuple[str, ...]]]] = [self.bases_of, *groups]
        return RowNumbering(computes, max(-self.offsets[0], self.offsets[-1]))

    def places(self, columns: DocumentFeatures) -> DocumentRows:
        """Return a document of at least one token as row numbers."""
        keys = [columns.forms, *[group.by_token() for group in columns.groups]]
        return self.numbering.places(columns, keys, columns.sequences, len(columns.forms))

    def places_of(self, columns: DocumentFeatures, block: Block | None) -> tuple[DocumentRows, int, int]:
        """Return a block of whole sentences (None: the document) as row numbers, and the first and last + 1 of their tokens.

        If the context is the document, the rows also hold the tokens beyond the block that the window reaches.
        """
        n = len(columns.forms)
        if block is None or block.last - block.first == n:
            return self.places(columns), 0, n
        reach = max(-self.offsets[0], self.offsets[-1]) if columns.context == "document" else 0
        first, last = max(0, block.first - reach), min(n, block.last + reach)
        keys = [columns.forms[first:last], *[group.by_token(first, last) for group in columns.groups]]
        sequences = block.sentences if columns.context == "sentence" else [(0, last - first)]
        return self.numbering.places(None, keys, sequences, last - first), first, last

    @cached_property
    def _names(self) -> AttributeTable:
        """The names of attributes, shared by all documents of a training."""
        return AttributeTable(self, str)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without caches."""
        caches = ("numbering", "_names", "_form_attributes")
        return {**{k: v for k, v in self.__dict__.items() if k not in caches}, "_last": None}

    def attributes(self, columns: DocumentFeatures) -> Iterator[list[str] | dict[str, float]]:
        """Yield the attributes of every token for training: a list of names, or a mapping to numbers if features are numbers."""
        rows = self._names.rows(columns)
        if not self.of_value:
            yield from rows
            return
        named = [(n, d, f"{d}:{f.label}") for n, f in enumerate(self.of_value) for d in self.window_of(f)]
        numbers = columns.numbers.tolist()
        for (first, last), i in columns.places():
            mapping = dict.fromkeys(next(rows), 1.0)
            for n, d, name in named:
                if first <= i + d < last and numbers[n][i + d]:
                    mapping[name] = numbers[n][i + d]
            yield mapping


class AttributeTable:
    """The attributes of tokens, each replaced by `entry(name)` and omitted if that is None.

    The attributes of a form, or of a combination of other values, are computed once for all offsets.
    """

    def __init__(self, features: FeatureSet, entry: Callable[[str], Any]) -> None:
        self._offsets, self._entry = features.offsets, entry
        self._windows = {f.label: features.window_of(f) for f in features.features}
        self.forms: FormTable[list[list[Any]]] = FormTable(lambda form: self._spread(features.bases(form)))
        self.values: dict[Any, list[list[Any]]] = BoundedCache(self._spread)

    def _spread(self, bases: tuple[str, ...]) -> list[list[Any]]:
        spread = [(b, self._windows[b.partition("=")[0]]) for b in bases]
        return [self._known(f"{d}:{b}" for b, window in spread if d in window) for d in self._offsets]

    def _known(self, names: Iterable[str]) -> list[Any]:
        return [entry for entry in map(self._entry, names) if entry is not None]

    def rows(self, columns: DocumentFeatures) -> Iterator[list[Any]]:
        """Yield the binary attributes of every token."""
        before = [self._known([f"{d}:{OUT_BEFORE}"]) for d in self._offsets]
        after = [self._known([f"{d}:{OUT_AFTER}"]) for d in self._offsets]
        for (first, last), i in columns.places():
            row: list[Any] = []
            for k, d in enumerate(self._offsets):
                j = i + d
                if first <= j < last:
                    row += self.forms[columns.forms[j]][k]
                    for column in columns.values:
                        if column[j]:
                            row += self.values[column[j]][k]
                else:
                    row += before[k] if j < first else after[k]
            yield row


class BoundedCache(dict[Any, Any]):
    """A cache of bounded size with hashable keys."""

    def __init__(self, compute: Any, size: int = 30_000) -> None:
        super().__init__()
        self.compute, self.size = compute, size

    def __missing__(self, key: Any) -> Any:
        if len(self) >= self.size:
            self.clear()
        value = self[key] = self.compute(key)
        return value


def _whole(feature: TokenFeature | ValueFeature, column: S, words: Words) -> S:
    """Return the column. Raises CasError if it does not have one value for each token."""
    if len(column) != len(words):
        raise CasError(f"feature {feature.label} gave {len(column)} values for {len(words)} tokens")
    return column


def _each(bases: Callable[[Any], tuple[str, ...]]) -> Callable[[Sequence[Any]], list[tuple[str, ...]]]:
    """Return the function that applies another one to each of several keys."""
    return lambda keys: list(map(bases, keys))


def bases_of(labels: tuple[str, ...]) -> Callable[[Any], tuple[str, ...]]:
    """Return the function from a key of a group of features to its bases."""
    if len(labels) == 1:
        (label,) = labels
        return lambda value: tuple(dict.fromkeys([base(label, v) for v in as_tuple(value)]))

    def together(key: Any) -> tuple[str, ...]:
        return tuple(dict.fromkeys([base(n, v) for n, value in zip(labels, key, strict=True) for v in as_tuple(value)]))

    return together
