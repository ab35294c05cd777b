"""The text between tags, and masked text put back between them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.typesystem.markup.xhtml import Xhtml

PIECES = [
    "<p>",
    "</p>",
    "<br/>",
    '<a href="x">',
    "</a>",
    "&amp;",
    "&#233;",
    "&nbsp;",
    "Anna",
    " ",
    "é",
    "𝔸",
    "\n",
    "<td>",
    "<",
    "&",
]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<div><p>Seen by <b>Anna</b>.</p><p>Well.</p></div>", "Seen by Anna.\nWell.\n"),
        ("one<br/>two<br/><br/>three", "one\ntwo\n\nthree"),
        ("<tr><td>Name</td><td>Anna</td></tr>", "Name\tAnna\n"),
        ("a &lt; b &amp; c&nbsp;d &#xE9; &unknown; & e", "a < b & c\xa0d é &unknown; & e"),
        ("<!-- seen by Anna --><?x Anna?>Well<![CDATA[ <3 ]]>", "Well <3 "),
        ('<img alt="a > b"/>x', "x"),
        ("", ""),
    ],
)
def test_the_text_is_what_a_reader_sees(source: str, text: str) -> None:
    assert Xhtml(source).text == text


@pytest.mark.parametrize(
    ("source", "covered", "expected"),
    [
        ("<p>Seen by <b>Anna</b>.</p>", "Anna", "<p>Seen by <b>[X]</b>.</p>"),
        ("<p>Seen by An<b>na</b>.</p>", "Anna", "<p>Seen by [X]<b></b>.</p>"),
        ("<p>M&uuml;ller &amp; Co</p>", "Müller", "<p>[X] &amp; Co</p>"),
        ("<p>Anna</p><p>Berg</p>", "Anna\nBerg", "<p>[X]</p><p></p>"),
        ("<![CDATA[Dr. Anna]]>", "Anna", "<![CDATA[Dr. [X]]]>"),
    ],
)
def test_a_replacement_stands_where_its_text_began(source: str, covered: str, expected: str) -> None:
    page = Xhtml(source)
    begin = page.text.index(covered)
    assert page.replaced([(begin, begin + len(covered), "[X]")]) == expected


def test_what_nobody_looked_at_goes() -> None:
    source = '<!-- Anna --><p class="n" title="Anna">x <a href="mailto:a@example.org">mail</a> <img src=\'a\' alt="Anna"/></p>'
    out = Xhtml(source).replaced([])
    assert out == '<p class="n" title="">x <a href="">mail</a> <img src=\'\' alt=""/></p>'


def test_a_replacement_is_escaped() -> None:
    assert Xhtml("<p>Anna</p>").replaced([(0, 4, "<AGE > 89> & so")]) == "<p>&lt;AGE &gt; 89&gt; &amp; so</p>"


@given(st.lists(st.sampled_from(PIECES), max_size=20), st.integers(0, 30), st.integers(0, 30))
def test_what_is_replaced_is_gone_and_the_rest_stays(pieces: list[str], begin: int, length: int) -> None:
    page = Xhtml("".join(pieces))
    text = page.text
    begin = min(begin, len(text))
    end = min(begin + length, len(text))
    if begin == end:
        return
    again = Xhtml(page.replaced([(begin, end, "XYZ")])).text
    kept = (text[:begin] + "XYZ" + text[end:]).translate({10: None, 9: None})
    if any(s.is_entity and (s.begin < begin < s.end or s.begin < end < s.end) for s in page.segments):
        return  # half an entity of two characters
    assert again.translate({10: None, 9: None}).replace(" ", "") == kept.replace(" ", "")


@pytest.mark.parametrize(
    ("source", "text", "written"),
    [
        ("Dr. Fell <fell@example.org>", "Dr. Fell <fell@example.org>", "Dr. Fell &lt;fell@example.org>"),
        ("<Fell>x</Fell>", "<Fell>x</Fell>", "&lt;Fell>x&lt;/Fell>"),
        ("<head><title>A</title></head><body>B</body>", "A\nB\n", "<head><title>A</title></head><body>B</body>"),
        ("<p id='Fell' class='c'>x</p>", "x\n", "<p class='c'>x</p>"),
        ("<p title=Fell lang=en>x</p>", "x\n", '<p title="" lang=en>x</p>'),
        ("<b Fell aria-label='Fell'>x</b>", "x", "<b>x</b>"),
        (
            "<h:p xmlns:h='http://x.example' h:alt='Fell'>x</h:p>",
            "x\n",
            "<h:p xmlns:h='http://x.example' h:alt=''>x</h:p>",
        ),
        ("<td style='background:url(http://x.example/Fell)'>x</td>", "x", "<td>x</td>"),
        ("<IMG SRC='Fell' WIDTH=3/>", "", "<IMG SRC='' WIDTH=3/>"),
    ],
)
def test_tags_that_html_does_not_know_are_text_and_attributes_say_nothing(source: str, text: str, written: str) -> None:
    page = Xhtml(source)
    assert page.text == text
    assert page.replaced([]) == written


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["<p ", "<!", "<p '", '<p "', "<p a='", "&a", "<a:"])
def test_what_never_closes_costs_no_more_than_its_length(piece: str) -> None:
    started = time.process_time()
    page = Xhtml(piece * 50_000)
    assert Xhtml(page.replaced([])).text == page.text
    assert time.process_time() - started < 10  # by the square of the length it takes minutes
