"""Transfer of tags from the tokenization of a treebank to that of caspipe.

A tagger should be trained on the tokenization that it is applied to. Most tokens are the same in both; for the others:

* If a word is split into several tokens (`U.S.`, `11/28/2000`, `RanBP2`), they have its tag, except for punctuation, which has
  its own tag (`.` `:` `,` `HYPH` ...), numbers without letters (`CD`) and clitics (`POS`, or `RB` for `n't`), if the tag set has
  these tags. All parts of a web or mail address (`ADD`) and of a run of punctuation (`:)`) have its tag.
* If several words are one token (`wild - type`), it has the tag of the last word, its head. A participle (`VBN`, `VBG`) after a
  hyphen becomes `JJ`, as in the Penn Treebank (Santorini 1990, "Part-of-Speech Tagging Guidelines", on hyphenated modifiers).
  A possessive without its apostrophe (`the doctors_POS office`) is part of its noun.
* If boundaries cross, a token has the tag of the word at its last character.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass

_MARKS = {
    **dict(zip(".,:()[]{}", (".", ",", ":", "-LRB-", "-RRB-", "-LRB-", "-RRB-", "-LRB-", "-RRB-"), strict=True)),
    **dict.fromkeys("-‐‑–", "HYPH"),
    **dict.fromkeys("/+=<>~", "SYM"),
    "...": ":",
    ";": ":",
    "&": "CC",
    "%": "NN",
    "$": "$",
}
_CLITICS = {"'s": "POS", "’s": "POS", "n't": "RB", "n’t": "RB"}
_ADDRESS, _HYPHEN, _POSSESSIVE = "ADD", "HYPH", "POS"
_PARTICIPLES = ("VBN", "VBG")


@dataclass(slots=True)
class TransferredTags:
    """Tags of tokens, empty if no word gives one, and counts of how they were derived."""

    tags: list[str]
    same: int = 0
    """Tokens that are the same in both."""
    cut: int = 0
    """Words that were cut into several tokens."""
    joined: int = 0
    """Tokens that hold several words."""
    crossed: int = 0
    """Groups of tokens and words whose borders cross."""
    untagged: int = 0
    """Tokens without a tag."""


def transfer_tags(
    text: str,
    words: tuple[Sequence[int], Sequence[int]],
    tags: Sequence[str],
    tokens: tuple[Sequence[int], Sequence[int]],
    tagset: Collection[str],
) -> TransferredTags:
    """Return the tags of words for tokens over the same text. Both are begins and ends in code points, sorted and disjoint.

    `tagset` are the tags that there are; parts of words get no others.
    """
    word_begins, word_ends = words
    begins, ends = tokens
    found = TransferredTags([""] * len(begins))
    i = j = 0
    while i < len(word_begins) and j < len(begins):
        if word_ends[i] <= begins[j]:
            i += 1
            continue
        if ends[j] <= word_begins[i]:
            j += 1
            continue
        first, start = i, j
        i, j = i + 1, j + 1
        while True:  # all that hangs together, up to a border that both have
            reach = max(word_ends[i - 1], ends[j - 1])
            if i < len(word_begins) and word_begins[i] < reach:
                i += 1
            elif j < len(begins) and begins[j] < reach:
                j += 1
            else:
                break
        given = tags[first:i]
        if not all(given):
            continue
        if i - first == j - start == 1:
            found.same += 1
            found.tags[start] = given[0]
        elif j - start == 1:
            found.joined += 1
            found.tags[start] = _head(given)
        elif i - first == 1:
            found.cut += 1
            found.tags[start:j] = _parts(given[0], [text[begins[k] : ends[k]] for k in range(start, j)], tagset)
        else:
            found.crossed += 1
            for k in range(start, j):
                found.tags[k] = tags[min(bisect_left(word_ends, ends[k], first), i - 1)]
    found.untagged = found.tags.count("")
    return found


def _head(tags: Sequence[str]) -> str:
    """Return the tag of a token that holds words with these tags."""
    if tags[-1] == _POSSESSIVE:
        return tags[-2]
    return "JJ" if tags[-1] in _PARTICIPLES and tags[-2] == _HYPHEN else tags[-1]


def _parts(tag: str, forms: Sequence[str], tagset: Collection[str]) -> list[str]:
    """Return the tags of the tokens that a word was cut into."""
    if tag == _ADDRESS or not any(c.isalnum() for form in forms for c in form):
        return [tag] * len(forms)
    found = []
    for place, form in enumerate(forms):
        if any(map(str.isalpha, form)):
            special = _CLITICS.get(form.lower(), tag) if place else tag
        elif any(map(str.isalnum, form)):
            special = "CD"
        else:
            special = _MARKS.get(form, tag)
        found.append(special if special in tagset else tag)
    return found
