"""The profile of a document for risk: the number of its identifiers of each kind, and of those that can still be read.

An *identifier* is a text of a kind in a document: a name that occurs six times is one. It has leaked if one letter or digit of
one of its mentions is in no system span of any kind, as in the criterion `documents`. Texts are compared without case, spaces
and punctuation; they are not kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...typesystem import PhiKind
from .criteria import by_kind, distinct
from .document import Mark, Pair
from .leaks import merged, uncovered
from .spans import Spans


class Identifiers(NamedTuple):
    """The identifiers of one kind."""

    values: int = 0
    leaked: int = 0
    """Those with a mention that can be read, completely or in part."""
    unseen: int = 0
    """Those without a mention that shares a code point with a system span."""

    def plus(self, other: Identifiers) -> Identifiers:
        return Identifiers(*(a + b for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True, slots=True)
class Profile:
    """The identifiers of one document, or of all documents of a patient, by kind."""

    kinds: Mapping[str, Identifiers]
    group: str = ""

    def leaked(self, *, direct: bool) -> int:
        """Return the number of direct (or else indirect) identifiers that leaked."""
        return sum(figures.leaked for kind, figures in self.kinds.items() if is_direct(kind) is direct)

    def holds(self, *, direct: bool) -> bool:
        """Return whether there is a direct (or else an indirect) identifier."""
        return any(figures.values for kind, figures in self.kinds.items() if is_direct(kind) is direct)


def is_direct(kind: str) -> bool:
    """Return whether a kind identifies one person on its own. A label that is not a kind does, to be safe."""
    try:
        return PhiKind.of(kind).direct
    except ValueError:
        return True


def profile_of(pair: Pair) -> Profile:
    """Return the identifiers of a document in the reference, and what the system left readable of them."""
    system = merged(distinct(pair.system))
    cover = Spans(system)
    result: dict[str, Identifiers] = {}
    for kind, marks in by_kind(pair.gold).items():
        leaked: dict[str, bool] = {}
        seen: dict[str, bool] = {}
        for begin, end in distinct(marks):
            value = folded(pair.text[begin:end])
            read = (c.isalnum() for b, e in uncovered([(begin, end)], system) for c in pair.text[b:e])
            leaked[value] = any(read) or leaked.get(value, False)
            seen[value] = cover.overlap((begin, end)) or seen.get(value, False)
        unseen = sum(leaked[value] and not seen[value] for value in leaked)
        result[kind] = Identifiers(len(leaked), sum(leaked.values()), unseen)
    return Profile(result, pair.group)


def found_profile(text: str, marks: Iterable[Mark], group: str = "") -> Profile:
    """Return the number of identifiers of each kind that a system found in a document without reference."""
    return Profile(
        {
            kind: Identifiers(len({folded(text[b:e]) for b, e in distinct(of_it)}))
            for kind, of_it in by_kind(marks).items()
        },
        group,
    )


def by_patient(profiles: Iterable[Profile]) -> list[Profile]:
    """Return the documents of each patient as one; a document without patient stays separate.

    An identifier that occurs in two documents counts twice, since its text is not kept.
    """
    result: list[Profile] = []
    places: dict[str, int] = {}
    for profile in profiles:
        if not profile.group or profile.group not in places:
            places[profile.group] = len(result)
            result.append(profile)
            continue
        first = result[places[profile.group]]
        both = {**first.kinds, **profile.kinds}
        kinds = {k: first.kinds.get(k, _NONE).plus(profile.kinds.get(k, _NONE)) for k in both}
        result[places[profile.group]] = Profile(kinds, profile.group)
    return result


def design_effect(profiles: Sequence[Profile]) -> float:
    """Return how many times more the number of leaks varies between documents than if identifiers leaked independently.

    Source: Kish 1965, Survey Sampling.

    1 if leaks do not cluster, or nothing leaked; never below 1. All kinds together: a document in an unusual layout leaks
    several kinds at once.
    """
    sums: dict[str, list[int]] = {}
    for profile in profiles:
        for kind, found in profile.kinds.items():
            both = sums.setdefault(kind, [0, 0])
            both[0] += found.values
            both[1] += found.leaked
    share = {kind: leaked / values for kind, (values, leaked) in sums.items() if values}
    alone = sum(values * share[kind] * (1 - share[kind]) for kind, (values, _) in sums.items() if values)
    documents = len(profiles)
    if documents < 2 or alone <= 0:
        return 1.0
    off = [sum(f.leaked - f.values * share.get(k, 0.0) for k, f in p.kinds.items()) for p in profiles]
    return max(1.0, sum(e * e for e in off) * documents / (documents - 1) / alone)


def folded(text: str) -> str:
    """Return a text in the form in which identifiers are compared: letters and digits only, without case; a text without any is
    unchanged."""
    return "".join(c for c in text.casefold() if c.isalnum()) or text


_NONE = Identifiers()
