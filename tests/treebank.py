"""A small treebank of made-up sentences, tagged by their pattern, as text and as CoNLL-U."""

from __future__ import annotations

import itertools

from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.pipeline.contract.apply import apply
from caspipe.typesystem import GOLD_VIEW, Cas, Sentence, Token

NOUNS = "fever rash headache nausea vaccine doctor patient tablet swelling arm nurse clinic".split()
VERBS = "developed reported had noticed took received".split()
ADJECTIVES = "severe mild painful red new long".split()
Sentences = list[list[tuple[str, str]]]


def sentences(count: int = 120) -> Sentences:
    """Sentences of (word, tag) pairs, always the same."""
    found: Sentences = []
    for noun, verb, adjective, other in itertools.product(NOUNS, VERBS, ADJECTIVES, NOUNS[:3]):
        n = len(found)
        who = [("She", "PRP")] if n % 3 else [("Dr.", "NNP"), ("Almgren", "NNP")]
        found.append([*who, (verb, "VBD"), ("a", "DT"), (adjective, "JJ"), (noun, "NN"), (".", ".")])
        if n % 2:
            found[-1][-1:] = [("and", "CC"), ("two", "CD"), (f"{other}s", "NNS"), (".", ".")]
    step = len(found) // count
    return found[::step][:count]


def conllu(some: Sentences) -> str:
    lines = []
    for sentence in some:
        for i, (word, tag) in enumerate(sentence, 1):
            last = "SpaceAfter=No" if i == len(sentence) - 1 else "_"
            lines.append("\t".join([str(i), word, "_", "_", tag, "_", "_", "_", "_", last]))
        lines.append("")
    return "\n".join([*lines, ""])


def tagged(some: Sentences, segmented: bool = True) -> Cas:
    """A document with the words, tags and sentences in view `gold`, and our own tokens."""
    text, words, tags, spans = "", [], [], []
    for sentence in some:
        start = len(text)
        for word, tag in sentence:
            gap = "" if word == "." or not text or text.endswith("\n") else " "
            words.append((len(text) + len(gap), len(text) + len(gap) + len(word)))
            tags.append(tag)
            text += gap + word
        spans.append((start, len(text)))
        text += "\n"
    cas = Cas(text, id=f"document of {len(some)}")
    gold = cas.create_view(GOLD_VIEW, text)
    gold.add_spans(Token, [b for b, _ in words], [e for _, e in words])
    gold.set_feature(Token, "pos", tags)
    gold.add_spans(Sentence, [b for b, _ in spans], [e for _, e in spans])
    if segmented:
        apply(Segmenter(newline_breaks="line"), cas)
    return cas
