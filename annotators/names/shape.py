"""The shape of a form: its capitals, its script, and the cue or credential it is."""

from __future__ import annotations

from . import cues
from .cues import CREDENTIALS, CUES

# Bits of `shape`, above the bits of the cues.
CAPITAL = 1 << 20  # a capital, then at least one lower-case letter: `Smith`, `McDonald`, `O'Neil`, `Jean-Pierre`
SHOUT = 1 << 21  # two capitals or more and no lower-case letter
LETTER = 1 << 22  # a single capital
SMALL = 1 << 23  # a word that does not begin with a capital
CASELESS = 1 << 24  # a word in a script without capitals, such as Chinese or Arabic; also has `SMALL`
HOT = 1 << 25  # a rule can begin at the form: by its shape, by its cue, or because a list contains it in lower case
SHOWN = CAPITAL | SHOUT | LETTER
HOT_SHAPE = SHOWN | CASELESS | cues.TITLE | cues.WEAK_TITLE | cues.RELATIVE | cues.NAMED | cues.GREETING


def shape(form: str) -> int:
    """Return the bits of a form: its shape and its cues in `CUES` and `CREDENTIALS`."""
    bits = CUES.get(form.lower(), 0) | CREDENTIALS.get(form, 0)
    first = form[:1]  # tokens of other tools may be empty
    if not first.isalpha():
        return bits
    if not all(c.isalpha() or c in "-'’‐‑–\u200b\u00ad" or "\u0300" <= c <= "\u036f" for c in form):
        return bits
    if not first.isupper():
        return bits | SMALL | (0 if first.islower() else CASELESS)
    if len(form) == 1:
        return bits | LETTER
    if form.isupper():
        return bits | SHOUT
    ups = sum(c.isupper() for c in form)
    return bits | CAPITAL if ups <= 1 + form.count("-") + (len(form) > 4) else bits
