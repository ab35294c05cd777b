"""Where blanks stand between the tokens of a file that does not say."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NO_BLANK_BEFORE = re.compile(
    r"""[.,;:!?…]+ | [%)\]}»”]+ | '' | -RRB- | -RSB- | -RCB-
      | ['’`´](?:s|S|m|M|d|D|ll|LL|re|RE|ve|VE) | n['’]t | N['’]T""",
    re.VERBOSE,
)
"""Closing marks, and the clitics that the Penn Treebank cuts off."""
_NO_BLANK_AFTER = re.compile(r"[(\[{«“¿¡$€£]+|``|-LRB-|-LSB-|-LCB-")
_SIGNS = frozenset("#@")
"""They belong to a word or number directly behind them."""
_QUOTES = frozenset("\"'")
_SPLICES = frozenset(["/"])
_APOSTROPHES = frozenset("'’´`")
_CLITICS = frozenset("s m d ll re ve t".split())


def smart(forms: Sequence[str], tags: Sequence[str] = ()) -> list[bool]:
    """For each token of a sentence, whether a blank stands behind it, after the manners of English print.

    No blank stands before closing marks and clitics, behind opening marks, around a slash, inside quotes, nor around what
    `tags` (Penn tags) call a hyphen (`HYPH`) or a possessive (`POS`). A lone hyphen without a tag keeps its blanks.
    """
    blanks = [True] * len(forms)
    opened: set[str] = set()
    for i, form in enumerate(forms):
        tag = tags[i] if i < len(tags) else ""
        before = forms[i - 1] if i else ""
        after = forms[i + 1] if i + 1 < len(forms) else ""
        left = right = False
        if form in _APOSTROPHES and after.lower() in _CLITICS:  # cut in three: `It`, `'`, `s`
            left = right = True
        elif form in _QUOTES:
            closes = form in opened or tag == "POS" or (form == "'" and before[-1:] in "sS" and before != "")
            opened ^= {form} if form in opened or not closes else set()
            left, right = closes, not closes
        elif form in _SPLICES or tag == "HYPH":
            left = right = True
        elif form in _SIGNS:
            right = after[:1].isalnum()
        elif _NO_BLANK_BEFORE.fullmatch(form) or tag == "POS":
            left = True
        elif _NO_BLANK_AFTER.fullmatch(form):
            right = True
        if left and i:
            blanks[i - 1] = False
        if right:
            blanks[i] = False
    return blanks
