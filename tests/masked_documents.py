"""Documents of the tests of the leak gate."""

from __future__ import annotations

from caspipe.typesystem import Cas, Phi, PhiKind


def document(text: str, *spans: tuple[str, str]) -> Cas:
    """A text with the first place of each (value, kind) marked as Phi."""
    cas = Cas(text, id="note")
    for value, kind in spans:
        begin = text.index(value)
        cas.add(Phi(begin, begin + len(value), kind=PhiKind.of(kind)))
    return cas
