"""Checks that rule files refer to by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

Check = Callable[[str], bool]
_DIGIT = re.compile(r"[0-9]")


@dataclass(frozen=True, slots=True)
class NamedCheck:
    """A named check of the text of a match."""

    name: str
    check: Check
    description: str


def registrar(registry: dict[str, NamedCheck], sort: str) -> Callable[[str], Callable[[Check], Check]]:
    """Return a decorator that registers a check under a name. It raises ValueError if another check has the name."""

    def named(name: str) -> Callable[[Check], Check]:
        def enter(check: Check) -> Check:
            other = registry.get(name)
            if other and (other.check.__module__, other.check.__qualname__) != (check.__module__, check.__qualname__):
                raise ValueError(
                    f"{sort} {name} is claimed twice: by {other.check.__module__} and by {check.__module__}"
                )
            registry[name] = NamedCheck(name, check, (check.__doc__ or "").strip().split("\n")[0])
            return check

        return enter

    return named


def digits(text: str) -> str:
    """Return the ASCII digits of a text."""
    return "".join(_DIGIT.findall(text))
