"""Checks of what is passed to the estimators. Messages give the place, what was expected and what was found, never any text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from ...pipeline.errors import nearest
from ...typesystem import PhiKind
from ..sequence.labels import Span

Column = npt.NDArray[np.object_]
"""An array with one object for each text or sequence."""


def check_fitted(estimator: Any, attribute: str) -> None:
    """Raise NotFittedError of scikit-learn if an estimator has not been trained."""
    name = type(estimator).__name__
    check_is_fitted(
        estimator, attribute, msg=f"This {name} instance is not fitted yet: call fit or load a model first."
    )


def check_given(where: str, y: Any) -> None:
    """Raise ValueError if y is missing."""
    if y is None:
        raise ValueError(f"{where}: requires y to be passed, but the target y is None")


def listed(where: str, values: Any, of: str) -> list[Any]:
    """Return the elements of a list, a NumPy array or a pandas Series. Raise ValueError for anything else."""
    shape = getattr(values, "shape", None)
    if issparse(values):
        raise ValueError(f"{where}: expected a list of {of}, found a sparse matrix: sparse data are not supported")
    if shape is not None and len(shape) != 1:
        raise ValueError(f"{where}: expected a list of {of}, found an array of shape {tuple(shape)}. Reshape your data")
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ValueError(f"{where}: expected a list of {of}, found {_found(values)}")
    return list(values)


def column(values: Iterable[Any]) -> Column:
    """Return lists as the elements of an array: scikit-learn joins the arrays of several folds (`cross_val_predict`)."""
    elements = list(values)
    array = np.empty(len(elements), dtype=object)
    for i, element in enumerate(elements):
        array[i] = element
    return array


def check_window(where: str, window: Any) -> tuple[int, int]:
    """Return a window. Raise ValueError if it is not two whole numbers on both sides of 0."""
    given = tuple(window) if isinstance(window, tuple | list) else ()
    if len(given) != 2 or not all(isinstance(x, Integral) for x in given) or not -20 <= given[0] <= 0 <= given[1] <= 20:
        raise ValueError(f"{where}: window: expected (from, to) with from in -20..0 and to in 0..20, found {window!r}")
    return int(given[0]), int(given[1])


def check_texts(where: str, X: Any) -> list[str]:
    """Return texts as a list of str. Raise ValueError for anything else."""
    texts = listed(f"{where}: X", X, "texts")
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"{where}: X[{i}]: expected a str, found {_found(text)}")
    return [str(text) for text in texts]


def check_spans(where: str, y: Any, texts: list[str]) -> list[list[Span]]:
    """Return the spans of each text, sorted, as (begin, end, name of a PHI kind).

    Raises ValueError for a number of lists other than that of the texts, and for spans that are malformed, of an unknown kind,
    outside their text or overlapping.
    """
    lists = listed(f"{where}: y", y, "lists of spans")
    _check_length(where, lists, texts, "lists of spans", "text")
    result = []
    for i, (spans, text) in enumerate(zip(lists, texts, strict=True)):
        at = f"{where}: y[{i}]"
        checked = [_span(f"{at}[{j}]", span, len(text)) for j, span in enumerate(listed(at, spans, "spans"))]
        checked.sort()
        for a, b in pairwise(checked):
            if b[0] < a[1]:
                raise ValueError(
                    f"{at}: expected disjoint spans, found {a[2]} at {a[0]}:{a[1]} and {b[2]} at {b[0]}:{b[1]}"
                )
        result.append(checked)
    return result


def _span(where: str, span: Any, length: int) -> Span:
    """Return a span that was given as (begin, end, kind)."""
    if not isinstance(span, tuple | list) or len(span) != 3:
        size = f" of length {len(span)}" if isinstance(span, tuple | list) else ""
        raise ValueError(f"{where}: expected (begin, end, kind), found {_found(span)}{size}")
    begin, end, kind = span
    for name, offset in (("begin", begin), ("end", end)):
        if isinstance(offset, bool) or not isinstance(offset, Integral):
            raise ValueError(f"{where}: {name}: expected a whole number of code points, found {_found(offset)}")
    begin, end = int(begin), int(end)
    if not 0 <= begin < end <= length:
        raise ValueError(f"{where}: expected a span of the text (0:{length}), found {begin}:{end}")
    if isinstance(kind, PhiKind):
        return begin, end, kind.name
    if not isinstance(kind, str):
        raise ValueError(f"{where}: kind: expected the name of a PHI kind, found {_found(kind)}")
    names = {known.name for known in PhiKind}
    if kind not in names:
        hint = nearest(kind, names)
        raise ValueError(f"{where}: kind: expected the name of a PHI kind, found another str{hint}")
    return begin, end, kind


def check_sequences(where: str, X: Any) -> tuple[list[list[Any]], bool]:
    """Return sequences, and whether they consist of tokens (str) rather than of items (feature dicts or lists of names).

    Raises ValueError for anything else, and for sequences of both.
    """
    sequences = listed(f"{where}: X", X, "sequences")
    tokens: bool | None = None
    result: list[list[Any]] = []
    for i, sequence in enumerate(sequences):
        elements = listed(f"{where}: X[{i}]", sequence, "tokens or feature dicts")
        for j, element in enumerate(elements):
            if not isinstance(element, str | Mapping | list | set | tuple):
                raise ValueError(
                    f"{where}: X[{i}][{j}]: expected a token (str) or a feature dict, found {_found(element)}"
                )
            if tokens is None:
                tokens = isinstance(element, str)
            elif tokens != isinstance(element, str):
                expected = "a token (str)" if tokens else "a feature dict"
                raise ValueError(f"{where}: X[{i}][{j}]: expected {expected} as before, found {_found(element)}")
            if isinstance(element, str) and not element:
                raise ValueError(f"{where}: X[{i}][{j}]: expected a token, found an empty str")
        result.append(elements)
    return result, bool(tokens)


def check_items(where: str, sequences: list[list[Any]]) -> None:
    """Raise ValueError for a value of a feature dict that CRFsuite does not take."""
    for i, sequence in enumerate(sequences):
        for j, item in enumerate(sequence):
            if isinstance(item, Mapping):
                _check_values(f"{where}: X[{i}][{j}]", item)


def _check_values(where: str, item: Mapping[str, Any]) -> None:
    for value in item.values():
        if isinstance(value, Mapping):
            _check_values(where, value)
        elif not isinstance(value, str | bytes | list | set):
            if not isinstance(value, Real):
                raise ValueError(
                    f"{where}: expected values that are str, numbers, dicts, lists or sets, found {_found(value)}"
                )
            if not isfinite(value):
                raise ValueError(f"{where}: expected finite numbers, found {float(value)}")


def check_labels(where: str, y: Any, sequences: list[Any]) -> list[list[str]]:
    """Return the labels of each sequence. Raise ValueError if there is not one str for each element."""
    lists = listed(f"{where}: y", y, "label sequences")
    _check_length(where, lists, sequences, "label sequences", "sequence")
    result = []
    for i, (labels, sequence) in enumerate(zip(lists, sequences, strict=True)):
        labels = listed(f"{where}: y[{i}]", labels, "labels")
        if len(labels) != len(sequence):
            raise ValueError(
                f"{where}: y[{i}]: expected {len(sequence)} labels, one for each element, found {len(labels)}"
            )
        for j, label in enumerate(labels):
            if not isinstance(label, str) or not label:
                raise ValueError(f"{where}: y[{i}][{j}]: expected a label (str), found {_found(label)}")
        result.append([str(label) for label in labels])
    return result


def _check_length(where: str, lists: list[Any], of: list[Any], what: str, one: str) -> None:
    if len(lists) != len(of):
        raise ValueError(f"{where}: y: expected {len(of)} {what}, one for each {one}, found {len(lists)}")


def _found(value: Any) -> str:
    """Return the type of a value, never the value: it may be text of a document."""
    if value is None:
        return "None"
    empty = isinstance(value, str | bytes) and not value
    return f"an empty {type(value).__name__}" if empty else type(value).__name__
