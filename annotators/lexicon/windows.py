"""The windows of a dictionary look-up: sentences, or phrases, as ranges of tokens within which a term must lie."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence

from ...typesystem import Annotation, Chunk, Sentence, View

Window = tuple[int, int]
"""Index of the first token, and of the first token after the window."""

_NOUNS, _JOINT = "NP", "PP"


def sentence_windows(view: View) -> list[Window]:
    """Return the tokens of each sentence, as in the fast dictionary look-up of cTAKES."""
    return _joined([*map(view.tokens.at, view.spans(Sentence)[0])], _ends(view, Sentence))


def chunk_windows(view: View, tags: Collection[str]) -> list[Window]:
    """Return the tokens of each phrase whose tag is in `tags`, disjoint and in order.

    Noun phrases that follow each other directly, and those that a prepositional phrase connects (NP PP NP PP NP), make one
    window, as after the two chunk adjusters of the cTAKES pipeline: `shortness of breath` is one term. A window does not continue
    in the next sentence.
    """
    chunks = view.select(Chunk)
    firsts, lasts = [view.tokens.at(c.begin) for c in chunks], _ends(view, Chunk)
    sentences = frozenset(map(view.tokens.at, view.spans(Sentence)[0]))
    phrases: list[Window] = []
    reach, nouns = -1, False  # end of the last noun phrase and of the prepositional phrase after it
    for chunk, first, last in zip(chunks, firsts, lasts, strict=True):
        follows = nouns and first == reach and first not in sentences
        if chunk.tag == _NOUNS and chunk.tag in tags and follows:
            phrases[-1] = (phrases[-1][0], last)
        elif chunk.tag == _JOINT and follows:
            if chunk.tag in tags:
                phrases[-1] = (phrases[-1][0], last)
            reach = last
            continue
        elif chunk.tag in tags:
            phrases.append((first, last))
        else:
            continue
        reach, nouns = last, chunk.tag == _NOUNS
    return _joined([first for first, _ in phrases], [last for _, last in phrases])


def _ends(view: View, type_: type[Annotation]) -> list[int]:
    """Return for each annotation the index of the first token that begins at or after its end."""
    begins = view.tokens.begins
    return [bisect_left(begins, end) for end in view.spans(type_)[1]]


def _joined(firsts: Sequence[int], lasts: Sequence[int]) -> list[Window]:
    """Return sorted ranges without the empty ones; ranges that overlap, as nested phrases of other tools, become one."""
    windows: list[Window] = []
    for first, last in zip(firsts, lasts, strict=True):
        if windows and first < windows[-1][1]:
            windows[-1] = (windows[-1][0], max(windows[-1][1], last))
        elif first < last:
            windows.append((first, last))
    return windows
