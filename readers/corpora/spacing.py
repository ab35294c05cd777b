"""Guess the spaces between the tokens of a file that does not record them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NO_SPACE_BEFORE = re.compile(
    r"""[.,;:!?…]+ | [%)\]}»”]+ | '' | -RRB- | -RSB- | -RCB-
      | ['’`´](?:s|S|m|M|d|D|ll|LL|re|RE|ve|VE) | n['’]t | N['’]T""",
    re.VERBOSE,
)
"""Closing marks, and the clitics that the Penn Treebank cuts off."""
_NO_SPACE_AFTER = re.compile(r"[(\[{«“¿¡$€£]+|``|-LRB-|-LSB-|-LCB-")
_SIGNS = frozenset("#@")
"""Signs that belong to the word or number after them."""
_QUOTES = frozenset("\"'")
_SPLICES = frozenset(["/"])
_APOSTROPHES = frozenset("'’´`")
_CLITICS = frozenset("s m d ll re ve t".split())


def smart(forms: Sequence[str], tags: Sequence[str] = ()) -> list[bool]:
    """Return for each token of a sentence whether a space follows it, by the conventions of English print.

    No space is inserted before closing marks and clitics, after opening marks, around a slash, inside quotes, and next to
    tokens with the Penn tag of a hyphen (`HYPH`) or a possessive (`POS`). A hyphen without a tag keeps its spaces.
    """
    spaces = [True] * len(forms)
    opened: set[str] = set()
    for i, form in enumerate(forms):
        tag = tags[i] if i < len(tags) else ""
        before = forms[i - 1] if i else ""
        after = forms[i + 1] if i + 1 < len(forms) else ""
        left = right = False
        if form in _APOSTROPHES and after.lower() in _CLITICS:  # split into three tokens: `It`, `'`, `s`
            left = right = True
        elif form in _QUOTES:
            closes = form in opened or tag == "POS" or (form == "'" and before[-1:] in "sS" and before != "")
            opened ^= {form} if form in opened or not closes else set()
            left, right = closes, not closes
        elif form in _SPLICES or tag == "HYPH":
            left = right = True
        elif form in _SIGNS:
            right = after[:1].isalnum()
        elif _NO_SPACE_BEFORE.fullmatch(form) or tag == "POS":
            left = True
        elif _NO_SPACE_AFTER.fullmatch(form):
            right = True
        if left and i:
            spaces[i - 1] = False
        if right:
            spaces[i] = False
    return spaces
