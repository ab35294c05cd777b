"""What risk needs of a document: how many identifiers of each kind it holds, and how many of them can still be read.

An *identifier* is a text of a kind in a document: a name said six times is one. It has leaked if one letter or digit of one of
its mentions lies in no system span, whatever the kinds, as in the criterion `documents`. Texts are compared without case, blanks
and punctuation; nothing of them is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ...typesystem import PhiKind
from .criteria import Spans, by_kind, distinct
from .document import Mark, Pair
from .leaks import merged, uncovered


class Identifiers(NamedTuple):
    """The identifiers of one kind."""

    values: int = 0
    leaked: int = 0
    """Those of which a mention can be read, in whole or in part."""
    unseen: int = 0
    """Those of which no mention shares a code point with a system span."""

    def plus(self, other: Identifiers) -> Identifiers:
        return Identifiers(*(a + b for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True, slots=True)
class Profile:
    """The identifiers of one document, or of all documents of a patient, by kind."""

    kinds: Mapping[str, Identifiers]
    group: str = ""

    def leaked(self, *, direct: bool) -> int:
        """How many direct (or else indirect) identifiers have leaked."""
        return sum(found.leaked for kind, found in self.kinds.items() if is_direct(kind) is direct)

    def holds(self, *, direct: bool) -> bool:
        """Whether there is a direct (or else an indirect) identifier at all."""
        return any(found.values for kind, found in self.kinds.items() if is_direct(kind) is direct)


def is_direct(kind: str) -> bool:
    """Whether a kind points to one person on its own. A label that is no kind of ours does: there is no telling."""
    try:
        return PhiKind.of(kind).direct
    except ValueError:
        return True


def profile_of(pair: Pair) -> Profile:
    """The identifiers of a document that the reference knows, and what the system left of them."""
    system = merged(distinct(pair.system))
    cover = Spans(system)
    made: dict[str, Identifiers] = {}
    for kind, marks in by_kind(pair.gold).items():
        leaked: dict[str, bool] = {}
        seen: dict[str, bool] = {}
        for begin, end in distinct(marks):
            value = folded(pair.text[begin:end])
            read = (c.isalnum() for b, e in uncovered([(begin, end)], system) for c in pair.text[b:e])
            leaked[value] = any(read) or leaked.get(value, False)
            seen[value] = cover.overlap((begin, end)) or seen.get(value, False)
        unseen = sum(leaked[value] and not seen[value] for value in leaked)
        made[kind] = Identifiers(len(leaked), sum(leaked.values()), unseen)
    return Profile(made, pair.group)


def found_profile(text: str, marks: Iterable[Mark], group: str = "") -> Profile:
    """The identifiers that a system found in a document without reference: how many, of each kind."""
    return Profile(
        {
            kind: Identifiers(len({folded(text[b:e]) for b, e in distinct(of_it)}))
            for kind, of_it in by_kind(marks).items()
        },
        group,
    )


def by_patient(profiles: Iterable[Profile]) -> list[Profile]:
    """The documents of each patient as one; a document of nobody known stays by itself.

    An identifier that stands in two documents counts twice, since its text is not kept.
    """
    made: list[Profile] = []
    places: dict[str, int] = {}
    for profile in profiles:
        if not profile.group or profile.group not in places:
            places[profile.group] = len(made)
            made.append(profile)
            continue
        first = made[places[profile.group]]
        both = {**first.kinds, **profile.kinds}
        kinds = {k: first.kinds.get(k, _NONE).plus(profile.kinds.get(k, _NONE)) for k in both}
        made[places[profile.group]] = Profile(kinds, profile.group)
    return made


def folded(text: str) -> str:
    """A text as identifiers are compared: letters and digits alone, without case; a text without any is itself."""
    return "".join(c for c in text.casefold() if c.isalnum()) or text


_NONE = Identifiers()
