"""Training and test documents: folds, holdouts and subsets that depend on the seed and the documents only.

scikit-learn divides the documents (`GroupKFold`, with strata `StratifiedGroupKFold`). The order in which it places groups follows
from the seed and from no random generator of a library.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from typing import TypeVar

T = TypeVar("T")


def shuffled(items: Sequence[T], *labels: object) -> list[T]:
    """Return the items in an order that follows from the labels (a seed, the number of a repetition ...)."""
    text = "/".join(map(str, labels))
    shuffled_items = list(items)
    random.Random(hashlib.sha256(text.encode()).digest()).shuffle(shuffled_items)
    return shuffled_items


def parts(groups: Sequence[Hashable], n: int, seed: int, strata: Sequence[str] = ()) -> list[list[int]]:
    """Return the indexes of documents in `n` parts of about equal size, without dividing groups.

    `groups` gives the group of each document, `strata`, if any, a property of each that every part should have in the same
    proportion; strata with fewer documents than parts are added to the largest. The largest groups are placed first; equal ones
    in an order that follows from the seed. Raises ValueError if there are fewer groups than parts.
    """
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    members = _members(groups)
    if len(members) < n:
        raise ValueError(f"expected at least {n} documents or groups of documents for {n} parts, got {len(members)}")
    numbers = [0] * len(groups)
    largest_first = sorted(shuffled(members, "parts", seed), key=len, reverse=True)
    for number, indexes in enumerate(largest_first if strata else reversed(largest_first)):
        for i in indexes:
            numbers[i] = number  # of equal groups, GroupKFold places the last one first, StratifiedGroupKFold the first
    by_group = StratifiedGroupKFold(n) if strata else GroupKFold(n)
    return [test.tolist() for _, test in by_group.split(numbers, _large_strata(strata, n) or None, numbers)]


def folds(
    groups: Sequence[Hashable], n: int, seed: int, strata: Sequence[str] = ()
) -> list[tuple[list[int], list[int]]]:
    """Return (train, test) indexes of an `n`-fold cross-validation. Raises ValueError as `parts`."""
    test_parts = parts(groups, n, seed, strata)
    return [(sorted(i for other in test_parts if other is not part for i in other), part) for part in test_parts]


def holdout(
    groups: Sequence[Hashable], share: float, seed: int, strata: Sequence[str] = ()
) -> tuple[list[int], list[int]]:
    """Return (train, test) indexes, with about `share` of the documents in the test part and no group in both.

    With strata, the test part is one of as many folds as its share allows. Raises ValueError if there are fewer than two groups.
    """
    members = _members(groups)
    if len(members) < 2:
        raise ValueError(f"expected at least 2 documents or groups of documents to hold some back, got {len(members)}")
    wanted = max(1, round(share * len(groups)))
    if strata:
        divided = parts(groups, max(2, min(len(members), round(len(groups) / wanted))), seed, strata)
        held = set(divided[0])
    else:
        held = _taken(shuffled(members, "holdout", seed), wanted)
    return [i for i in range(len(groups)) if i not in held], sorted(held)


def held_out(groups: Sequence[Hashable], share: float, seed: str, least: int = 1) -> set[int]:
    """Return the indexes of the documents of a random share of the groups, at least `least` groups; none if `share` is 0."""
    order = list(dict.fromkeys(groups))
    random.Random(seed).shuffle(order)
    held = set(order[: max(least, round(len(order) * share))]) if share else set()
    return {i for i, group in enumerate(groups) if group in held}


def subset(items: Sequence[T], share: float, *labels: object) -> list[T]:
    """Return a random share of the items, at least one, in order. With the same labels, larger shares include smaller ones."""
    if share >= 1:
        return list(items)
    if share <= 0:
        return []
    chosen = set(shuffled(range(len(items)), "subset", *labels)[: max(1, round(share * len(items)))])
    return [item for i, item in enumerate(items) if i in chosen]


def rarest(contents: Sequence[Collection[str]]) -> list[str]:
    """Return, of what each document contains, that which fewest documents contain; empty for a document without contents.

    As strata, these spread documents with rare contents over all parts.
    """
    counts = Counter(name for names in contents for name in set(names))
    return [min(names, key=lambda name: (counts[name], name), default="") for names in contents]


def _members(groups: Sequence[Hashable]) -> list[list[int]]:
    """Return the indexes of each group, in order of first appearance."""
    members: dict[Hashable, list[int]] = {}
    for i, group in enumerate(groups):
        members.setdefault(group, []).append(i)
    return list(members.values())


def _taken(order: Sequence[Sequence[int]], wanted: int) -> set[int]:
    """Return the documents of the first groups, about as many as wanted, at least one group and not all."""
    taken: set[int] = set()
    for indexes in order[:-1]:
        if taken and len(taken) + len(indexes) > wanted:
            break
        taken.update(indexes)
    return taken


def _large_strata(strata: Sequence[str], n: int) -> list[str]:
    """Return the stratum of each document, the largest one for those in strata of fewer than `n` documents."""
    counts = Counter(strata)
    largest = max(counts, key=lambda name: (counts[name], name), default="")
    return [name if counts[name] >= n else largest for name in strata]
