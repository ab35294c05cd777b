"""A random word in the text of every seed, and the search for parts of it in messages."""

from __future__ import annotations

import base64

SECRET = "Qwelzathorbixmund Vrokkandelspuhr"
LENGTH = 8
"""Characters of text in a row that nothing may say."""

_PLAIN = {SECRET[n : n + LENGTH].lower() for n in range(len(SECRET) - LENGTH + 1)}
_PACKED = {
    base64.b64encode(b"x" * shift + SECRET.encode())[4:-4].decode()[n : n + 12].lower()
    for shift in range(3)
    for n in range(len(base64.b64encode(SECRET.encode())) - 20)
}


def tells(said: str) -> str:
    """The piece of the secret that a message holds, or an empty string."""
    low = said.lower()
    return next((piece for piece in sorted(_PLAIN | _PACKED) if piece in low), "")
