"""Keys of a component that are parameters or kinds of PHI, as those of the masker: the nearest name for an unknown one."""

from __future__ import annotations

from collections.abc import Sequence

from ...typesystem import PhiKind

_FAR = 0.5
"""Share of the characters of a key that may differ from the name that was meant."""


def unknown_key(key: str, parameters: Sequence[str], mapping: str) -> str:
    """Return the message for a key that is neither a parameter nor a kind, with the nearest of both; empty if it is a kind.

    At the same distance, parameters come before kinds, and both in the order of their definition. `mapping`: the name of the
    parameter whose keys are the kinds.
    """
    try:
        PhiKind.of(key)
    except ValueError as error:
        if key == mapping:
            return f"expected the kinds themselves here, without {mapping}, as in `DATE: ...`"
        return _nearest(key, parameters) or str(error)
    return ""


def _nearest(key: str, parameters: Sequence[str]) -> str:
    from rapidfuzz.distance import OSA

    names = [*((name, key.lower()) for name in parameters), *((kind.name, key.upper()) for kind in PhiKind)]
    distance, at = min((OSA.distance(given, name), n) for n, (name, given) in enumerate(names))
    if distance > _FAR * len(key):
        return ""
    what = "no such parameter" if at < len(parameters) else f"no PHI kind called {key!r}"
    return f"{what}; did you mean {names[at][0]}?"
