"""From spans of ours to spans that a layer of INCEpTION's may have: whole tokens, one token, sentences, inside sentences.

INCEpTION drops suggestions without a whole token, and those of several tokens if only one is allowed, so they
are widened and cut here (SuggestionExtraction.getOffsets).
"""

from __future__ import annotations

from collections.abc import Iterator

from ....typesystem import Sentence, Token, View


def anchored(view: View, begin: int, end: int, mode: str, cross_sentence: bool) -> Iterator[tuple[int, int]]:
    """Yield the spans that replace one of ours, in code points; none if it touches no token or sentence of the view."""
    if mode == "sentences":
        hit = view.select(Sentence, overlapping=(begin, end))
        if hit and cross_sentence:
            yield hit[0].begin, hit[-1].end
        else:
            yield from ((s.begin, s.end) for s in hit)
        return
    for b, e in [(begin, end)] if cross_sentence else _cut(view, begin, end):
        if mode == "characters":
            b, e = _trimmed(view.text, b, e)
            if b < e:
                yield b, e
            continue
        tokens = view.select(Token, overlapping=(b, e))
        if mode == "singleToken":
            yield from ((t.begin, t.end) for t in tokens)
        elif tokens:
            yield tokens[0].begin, tokens[-1].end


def _cut(view: View, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts inside sentences; the whole span where the document has no sentences."""
    if not view.count(Sentence):
        yield begin, end
    for sentence in view.select(Sentence, overlapping=(begin, end)):
        yield max(begin, sentence.begin), min(end, sentence.end)


def _trimmed(text: str, begin: int, end: int) -> tuple[int, int]:
    while begin < end and text[begin].isspace():
        begin += 1
    while begin < end and text[end - 1].isspace():
        end -= 1
    return begin, end
