"""Training and test documents: folds, holdouts and subsets that depend on the seed and the documents only.

No random generator of a library is used, so that folds do not depend on installed versions.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Hashable, Sequence
from typing import TypeVar

T = TypeVar("T")


def shuffled(items: Sequence[T], *labels: object) -> list[T]:
    """Return the items in an order that follows from the labels (a seed, the number of a repetition ...)."""
    text = "/".join(map(str, labels))
    shuffled_items = list(items)
    random.Random(hashlib.sha256(text.encode()).digest()).shuffle(shuffled_items)
    return shuffled_items


def parts(groups: Sequence[Hashable], n: int, seed: int) -> list[list[int]]:
    """Return the indexes of documents in `n` parts of about equal size, without dividing groups.

    `groups` gives the group of each document. The largest groups are placed first, each into the smallest part so far;
    equal ones in an order that follows from the seed. Raises ValueError if there are fewer groups than parts.
    """
    members = _members(groups)
    if len(members) < n:
        raise ValueError(f"expected at least {n} documents or groups of documents for {n} parts, got {len(members)}")
    filled: list[list[int]] = [[] for _ in range(n)]
    for indexes in sorted(shuffled(members, "parts", seed), key=len, reverse=True):
        min(filled, key=len).extend(indexes)
    return [sorted(part) for part in filled]


def folds(groups: Sequence[Hashable], n: int, seed: int) -> list[tuple[list[int], list[int]]]:
    """Return (train, test) indexes of an `n`-fold cross-validation. Raises ValueError as `parts`."""
    test_parts = parts(groups, n, seed)
    return [(sorted(i for other in test_parts if other is not part for i in other), part) for part in test_parts]


def holdout(groups: Sequence[Hashable], share: float, seed: int) -> tuple[list[int], list[int]]:
    """Return (train, test) indexes, with about `share` of the documents in the test part and no group in both.

    Raises ValueError if there are fewer than two groups.
    """
    members = _members(groups)
    if len(members) < 2:
        raise ValueError(f"expected at least 2 documents or groups of documents to hold some back, got {len(members)}")
    wanted = max(1, round(share * len(groups)))
    test: list[int] = []
    order = shuffled(members, "holdout", seed)
    for n, indexes in enumerate(order):
        if (test and len(test) + len(indexes) > wanted) or n == len(order) - 1:
            break
        test += indexes
    held = set(test)
    return [i for i in range(len(groups)) if i not in held], sorted(test)


def subset(items: Sequence[T], share: float, *labels: object) -> list[T]:
    """Return a random share of the items, at least one, in order. With the same labels, larger shares include smaller ones."""
    if share >= 1:
        return list(items)
    if share <= 0:
        return []
    chosen = set(shuffled(range(len(items)), "subset", *labels)[: max(1, round(share * len(items)))])
    return [item for i, item in enumerate(items) if i in chosen]


def _members(groups: Sequence[Hashable]) -> list[list[int]]:
    """Return the indexes of each group, in order of first appearance."""
    members: dict[Hashable, list[int]] = {}
    for i, group in enumerate(groups):
        members.setdefault(group, []).append(i)
    return list(members.values())
