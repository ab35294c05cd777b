"""Consumer of pages to look at: what they show, and that nothing in them can act or load."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from caspipe.consumers.pages.document_page import MOST_DETAILED, document_page, shown_spans
from caspipe.consumers.pages.html import HtmlConsumer
from caspipe.consumers.pages.rendering import escape, kind_class, render_page
from caspipe.pipeline.errors import ConsumerError
from caspipe.typesystem import GOLD_VIEW, Cas, MaskedSpan, Phi, PhiCandidate, PhiKind

Make = Callable[..., Cas]
Listing = Callable[[Path], list[str]]
Tree = Any


def tree(data: bytes) -> Tree:
    return html.fromstring(data.decode())


def text_of(data: bytes, column: str) -> str:
    return "".join(tree(data).xpath(f"//section[@id='{column}']/div//text()"))


def marks(data: bytes, column: str) -> list[tuple[str, str, str]]:
    found = tree(data).xpath(f"//section[@id='{column}']//mark")
    return [(m.get("class"), m.get("data-d"), m.text_content()) for m in found]


def test_original_and_masked_text_stand_side_by_side_with_every_span(make: Make) -> None:
    cas = make()
    data = document_page(cas)
    assert text_of(data, "original").replace("\r", "") == cas.text.replace("\r", "")
    assert text_of(data, "masked").replace("\r", "") == cas.deidentified.replace("\r", "")
    assert marks(data, "original") == [
        ("masked k-PERSON", "1", "Ivy Featherstone"),
        ("masked k-DATE", "2", "3/4/2020"),
        ("kept k-AGE", "3", "41"),
        ("vetoed k-PERSON", "4", "Parkinson"),
    ]
    assert marks(data, "masked") == [
        ("masked k-PERSON", "1", "[PERSON]"),
        ("masked k-DATE", "2", "[DATE]"),
        ("kept k-AGE", "3", "41"),
    ]


def test_details_tell_source_rule_reason_operator_and_every_candidate(make: Make) -> None:
    (detail,) = tree(document_page(make())).xpath("//article[@id='d1']")
    facts = dict(
        zip(
            [dt.text_content() for dt in detail.xpath(".//dt")],
            [dd.text_content() for dd in detail.xpath(".//dd")],
            strict=True,
        )
    )
    assert facts == {
        "Offsets": "4–20",
        "Outcome": "masked",
        "Source": "regex/names",
        "Rule": "title_name",
        "Confidence": "1.00",
        "Reason": "won: rules come first",
        "Operator": "placeholder",
    }
    rows = [[c.text_content() for c in row] for row in detail.xpath(".//tbody/tr")]
    assert rows == [
        ["PERSON_DOCTOR", "Ivy Featherstone", "regex/names", "title_name", "1.00", "won: rules come first"],
        ["PERSON", "Featherstone", "models/crf", "NAME", "0.75", "lost: rules come first"],
    ]
    fallback = tree(document_page(make())).xpath("//article[@id='d2']//dd/text()")
    assert "no key" in fallback
    vetoed = tree(document_page(make())).xpath("//article[@id='d4']")[0].text_content()
    assert "vetoed: a disease" in vetoed


def test_reference_spans_that_nobody_found_are_marked(make: Make) -> None:
    cas = make()
    gold = cas.create_view(GOLD_VIEW, cas.text)
    begin = cas.text.index("disease")
    gold.add(Phi(begin, begin + 7, kind=PhiKind.OTHER))
    gold.add(Phi(4, 7, kind=PhiKind.PERSON))
    assert [(s.state, s.kind) for s in shown_spans(cas)][-1] == ("missed", "OTHER")
    assert len(shown_spans(cas)) == 5
    assert ("missed k-OTHER", "5", "disease") in marks(document_page(cas), "masked")


def test_a_document_that_was_not_masked_shows_what_was_found(make: Make) -> None:
    data = document_page(make(mask=False))
    assert marks(data, "original")[0] == ("found k-PERSON", "1", "Ivy Featherstone")
    assert "No masker ran" in text_of(data, "masked")


def test_a_masked_span_without_phi_and_overlapping_ones_are_shown_once() -> None:
    cas = Cas("abcdefghij", id="x")
    for begin, end in ((0, 4), (2, 6)):
        cas.add(Phi(begin, end, kind=PhiKind.ID))
    for begin, end in ((6, 8), (7, 9), (9, 10)):
        cas.add(PhiCandidate(begin, end, kind=PhiKind.DATE))
    view = cas.create_view("deidentified", "####efghi_")
    for begin, end, old in ((0, 4, (0, 4)), (9, 10, (9, 10))):
        view.add(MaskedSpan(begin, end, kind=PhiKind.ID, operator="x", original_begin=old[0], original_end=old[1]))
    assert [(s.begin, s.end, s.state) for s in shown_spans(cas)] == [
        (0, 4, "masked"),
        (6, 9, "vetoed"),
        (9, 10, "masked"),
    ]
    assert [m[2] for m in marks(document_page(cas), "masked")] == ["####", "_"]


@pytest.mark.parametrize("evil", ["<script>alert(1)</script>", "\"' onmouseover=x", "</div></body>&amp;", "]]><!--"])
def test_text_cannot_become_markup(evil: str) -> None:
    cas = Cas(f"{evil} and {evil}", id=evil)
    made = PhiCandidate(0, len(evil), kind=PhiKind.ID, rule=evil, value=evil)
    made._source = evil
    cas.add(made)
    phi = Phi(0, len(evil), kind=PhiKind.ID, value=evil, reason=evil)
    phi._source, made.winner, made.reason = evil, phi, evil
    cas.add(phi)
    data = document_page(cas)
    parsed = tree(data)
    assert len(parsed.xpath("//script")) == 1
    assert text_of(data, "original") == cas.text
    assert parsed.xpath("//h1")[0].text_content() == evil
    assert not [a for e in parsed.iter() if isinstance(e.tag, str) for a in e.attrib if a.startswith("on")]


def test_a_page_lets_nothing_load_and_only_its_own_script_act(make: Make) -> None:
    data = document_page(make())
    parsed = tree(data)
    policy = parsed.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        source = re.search(rf"<{tag}>(.*?)</{tag}>", data.decode(), re.DOTALL)
        assert source is not None
        digest = base64.b64encode(hashlib.sha256(source[1].encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    assert not parsed.xpath("//link | //img | //iframe | //*[@src] | //*[@style]")
    assert all(not href.startswith(("http", "//")) for href in parsed.xpath("//@href"))
    assert b"http" not in data.replace(b"http-equiv", b"")
    plain = render_page("document_list.html.j2", title="t", rows="", documents=0)
    assert "script-src" not in plain.decode()


def test_controls_and_surrogates_can_be_seen() -> None:
    assert escape("a\x00b\x1b\x7f\ud800\t\n") == "a\u2400b\u241b\u2421\ufffd\t\n"
    cas = Cas("a\x00b\ud800\x0c\U0001f600", id="\ud800")
    assert text_of(document_page(cas), "original") == "a\u2400b\ufffd\u240c\U0001f600"


offsets = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=8)


@pytest.mark.slow
@given(st.text(min_size=12, max_size=12), offsets, offsets)
def test_any_spans_over_any_text_leave_the_text_whole(
    text: str, finals: list[tuple[int, int]], candidates: list[tuple[int, int]]
) -> None:
    cas = Cas(text, id="x")
    for begin, end in finals:
        cas.add(Phi(min(begin, end), max(begin, end), kind=PhiKind.ID))
    for begin, end in candidates:
        cas.add(PhiCandidate(min(begin, end), max(begin, end), kind=PhiKind.DATE))
    spans = shown_spans(cas)
    assert all(a.end <= b.begin for a, b in itertools.pairwise(spans))
    assert [s.number for s in spans] == list(range(1, len(spans) + 1))
    covered = {i for b, e in [*finals, *candidates] for i in range(min(b, e), max(b, e))}
    assert bool(spans) is bool(covered)
    shown = "".join("".join(tree(document_page(cas)).xpath("//section[@id='original']/div//text()")))
    assert re.sub(r"[\r\n]+", "", shown) == re.sub(r"[\r\n]+", "", text.translate(page_controls()))


def page_controls() -> dict[int, str]:
    """What the page shows for characters that cannot be seen."""
    return {c: escape(chr(c)) for c in [*range(32), 127, *range(0xD800, 0xE000)]}


def test_every_kind_has_a_colour() -> None:
    assert {kind_class(k.name) for k in PhiKind if k.top.name != "OTHER"} == {f"k-{k.top.name}" for k in PhiKind} - {
        "k-OTHER"
    }
    assert kind_class("BADGE") == kind_class("<x>") == "k-OTHER"


def consumer(output: Path, **parameters: Any) -> HtmlConsumer:
    made = HtmlConsumer(**parameters)
    made.output = output
    made.open()
    return made


def test_pages_and_their_list_are_private_and_link_each_other(tmp_path: Path, make: Make, listing: Listing) -> None:
    c = consumer(tmp_path)
    c.process(make())
    c.process(make("index"))
    c.process(make("gone"))
    c.rollback("gone")
    c.close()
    folder = tmp_path / "restricted/html"
    assert listing(folder) == ["index-2.html", "index.html", "ward/note-1.html"]
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all((folder / name).stat().st_mode & 0o777 == 0o600 for name in listing(folder))
    index = tree((folder / "index.html").read_bytes())
    assert index.xpath("//tbody//a/@href") == ["ward/note-1.html", "index-2.html"]
    row = [cell.text_content() for cell in index.xpath("//tbody/tr[1]/*")]
    assert row == ["ward/note-1", "70", "2", "1", "1", "0", "DATE 1PERSON 1"]
    assert index.xpath("//main/p/text()") == ["2 documents"]
    assert tree((folder / "ward/note-1.html").read_bytes()).xpath("//a/@href") == ["../index.html"]


def test_links_are_quoted(tmp_path: Path, make: Make) -> None:
    c = consumer(tmp_path)
    c.process(make("a b#c%20é&x"))
    c.close()
    index = tree((tmp_path / "restricted/html/index.html").read_bytes())
    assert index.xpath("//tbody//a/@href") == ["a%20b%23c%2520%C3%A9%26x.html"]


def test_the_same_document_gives_the_same_page(make: Make) -> None:
    assert document_page(make()) == document_page(make())


def test_a_document_without_text_has_a_page(tmp_path: Path) -> None:
    c = consumer(tmp_path)
    c.process(Cas(id="a"))
    c.process(Cas("", id="b"))
    c.close()
    assert "None." in (tmp_path / "restricted/html/a.html").read_text()


def test_a_file_in_place_of_the_folder_is_an_error_before_the_first_document(tmp_path: Path) -> None:
    (tmp_path / "restricted").write_text("")
    with pytest.raises(ConsumerError, match="restricted is a file"):
        consumer(tmp_path)


@pytest.mark.attack("cost")
def test_a_page_explains_a_limited_number_of_spans_and_marks_all() -> None:
    sizes = []
    for count in (MOST_DETAILED, 2 * MOST_DETAILED, 3 * MOST_DETAILED):
        cas = Cas("Ann " * count)
        cas.view().add_all([Phi(4 * n, 4 * n + 3, kind=PhiKind.PERSON) for n in range(count)])
        page = document_page(cas)
        assert (page.count(b"<article"), page.count(b"<mark class=")) == (MOST_DETAILED, count)
        sizes.append(len(page))
    assert f"{2 * MOST_DETAILED:,} further spans are marked in the text only.".encode() in page
    assert sizes[2] - sizes[1] == pytest.approx(sizes[1] - sizes[0], rel=0.01)
    assert (sizes[1] - sizes[0]) / MOST_DETAILED < 60  # bytes for a span without explanation
