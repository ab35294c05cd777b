"""Documents to score, written as one line marked twice: by the reference and by the system."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from caspipe.consumers.scoring import Mark, Pair
from caspipe.typesystem.tokenize import token_spans

MakePair = Callable[..., Pair]
_TAG = re.compile(r"<(/?)([\w/-]+)>")


def marked(line: str) -> tuple[str, list[Mark]]:
    """The text of `Seen on <DATE>3/4/2020</DATE>.` and its spans, which may overlap."""
    text, marks, opened, at = "", [], [], 0
    for tag in _TAG.finditer(line):
        text, at = text + line[at : tag.start()], tag.end()
        if not tag[1]:
            opened.append((tag[2], len(text)))
            continue
        kind, begin = next(o for o in reversed(opened) if o[0] == tag[2])
        opened.remove((kind, begin))
        marks.append(Mark(begin, len(text), kind))
    assert not opened, "a tag is not closed"
    return text + line[at:], sorted(marks, key=lambda m: (m.begin, -m.end))


def make(gold: str, system: str = "", id: str = "d", **given: object) -> Pair:
    text, reference = marked(gold)
    same, found = marked(system or text)
    assert same == text, "the two lines differ in more than their marks"
    begins, ends = token_spans(text)
    return Pair(id, text, reference, found, (list(begins), list(ends)), **given)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def pair() -> MakePair:
    """`pair(gold, system)`: a document; without a system line, a system that found nothing."""
    return make
