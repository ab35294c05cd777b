"""A document is written in pieces, so that the strings of all its annotations never exist together; the bytes are the same."""

from __future__ import annotations

from typing import Any

import pytest

from caspipe.typesystem import Cas, PhiCandidate, PhiKind, Sentence, Token
from caspipe.typesystem.tokenize import token_spans
from caspipe.typesystem.xmi import graph_writer, writer
from caspipe.typesystem.xmi.reader import read_xmi
from caspipe.typesystem.xmi.writer import write_xmi

TEXT = "Dr. Müller \N{GRINNING FACE} saw\x00 Smith & Söhne. " * 7


def document(*, tags: bool) -> Cas:
    """Tokens as columns or, with tags, as objects; an original and a masked view; a character that XML cannot express."""
    cas = Cas(TEXT, id="one")
    cas.metadata["ward"] = "3"
    for view in (cas.view(), cas.create_view("masked", TEXT.upper())):
        begins, ends = token_spans(view.text)
        view.add_spans(Token, begins, ends)
        view.add_spans(Sentence, [0], [len(view.text)])
        if tags:
            view.set_feature(Token, "pos", ["NN" if n % 3 else "" for n in range(len(begins))])
        for number, (begin, end) in enumerate(zip(begins[::3], ends[::3], strict=True)):
            view.add(PhiCandidate(begin, end, kind=PhiKind.PERSON, rule=f"rule\x01{number}", confidence=number / 100))
    return cas


@pytest.mark.attack("cost")
@pytest.mark.parametrize("tags", [False, True])
@pytest.mark.parametrize("rows", [1, 2, 7])
def test_a_document_in_pieces_has_the_same_bytes(rows: int, tags: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = write_xmi(document(tags=tags))
    held = list[int]()
    flush: Any = writer._Writer.flush

    def counted(self: Any) -> None:
        held.append(len(self.out))
        flush(self)

    monkeypatch.setattr(graph_writer, "ROWS", rows)
    monkeypatch.setattr(writer, "ROWS", rows)
    monkeypatch.setattr(writer._Writer, "flush", counted)
    assert write_xmi(document(tags=tags)) == whole
    assert len(held) > 20 and max(held) <= rows + 10  # a piece, and the Sofas and metadata between pieces
    assert read_xmi(whole).view().text == TEXT  # restored from the record of losses, which all pieces share
