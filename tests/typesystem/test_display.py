"""Views drawn for notebooks."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from caspipe.typesystem import Cas, ListHit, Phi, PhiKind, Sentence, Token

SECRET = "<b>Zebulon</b> & co"


def plain(html: str) -> str:
    """The text that a reader sees, without labels."""
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"<span[^>]*>.*?</span>", "", html)))


def test_spans_are_marked_and_everything_is_escaped() -> None:
    cas = Cas(SECRET)
    phi = cas.add(Phi(3, 10, kind=PhiKind.PERSON))
    phi._source = 'a"b<c>'
    html = cas.view().show()._repr_html_()
    assert plain(html) == SECRET
    assert "<b>" not in html
    assert ">Zebulon<span" in html
    assert 'title="PERSON 3:10 (a&quot;b&lt;c&gt;)"' in html
    assert ">PERSON</span>" in html


def test_the_repr_holds_no_text() -> None:
    cas = Cas(SECRET)
    cas.add(Phi(3, 10, kind=PhiKind.PERSON))
    assert repr(cas.view().show()) == "<Display of view _InitialView: 1 spans of Phi>"
    assert repr(cas.view().show(Token, Sentence)) == "<Display of view _InitialView: 0 spans of Token, Sentence>"


def test_overlapping_spans_share_a_stretch() -> None:
    cas = Cas("abcdef")
    cas.view().add_all([Phi(0, 4, kind=PhiKind.DATE), Phi(2, 6, kind=PhiKind.AGE), ListHit(1, 1, list="l")])
    html = cas.view().show(Phi, ListHit)._repr_html_()
    assert re.findall(r'title="([^"]*)"', html) == [
        "DATE 0:4",
        "ListHit 1:1",
        "DATE 0:4",
        "DATE 0:4, AGE 2:6",
        "AGE 2:6",
    ]
    assert plain(html) == "abcdef"


SPAN = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(sorted)


@given(st.text(alphabet="ab<&>\n 😀", min_size=12, max_size=12), st.lists(SPAN, max_size=6))
def test_the_text_is_drawn_once_whatever_overlaps(text: str, spans: list[list[int]]) -> None:
    cas = Cas(text)
    cas.view().add_all([Phi(b, e, kind=PhiKind.DATE) for b, e in spans])
    html = cas.view().show()._repr_html_()
    assert plain(html) == text
    assert html.count("<mark") == html.count("</mark>")


def test_a_view_without_spans_is_its_text() -> None:
    assert plain(Cas("a\nb").view().show(Token)._repr_html_()) == "a\nb"
