"""XML whose parts know where they stand: what is put in changes, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from caspipe.typesystem import FormatError
from caspipe.typesystem.markup.xml_source import Element, XmlSource, xml_attribute, xml_content

TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=20
)
NAMES = st.sampled_from(["a", "b", "x:c", "Größe"])


@st.composite
def elements(draw: st.DrawFn, depth: int = 3) -> str:
    """An element with attributes, text, comments, CDATA and elements in it."""
    name = draw(NAMES)
    quote = draw(st.sampled_from(["'", '"']))
    tag = name
    for key in draw(st.lists(st.sampled_from(["k", "x:l", "m"]), unique=True)):
        value = (
            draw(TEXT).replace("&", "&amp;").replace("<", "&lt;").replace(quote, "&#39;" if quote == "'" else "&quot;")
        )
        tag += f"{draw(st.sampled_from([' ', '  ', chr(10)]))}{key}{draw(st.sampled_from(['=', ' = ']))}{quote}{value}{quote}"
    if draw(st.booleans()):
        return f"<{tag}{draw(st.sampled_from(['', ' ']))}/>"
    parts = []
    for kind in draw(st.lists(st.sampled_from(["text", "element", "comment", "cdata"]), max_size=4)):
        if kind == "element":
            parts.append(draw(elements(depth - 1)) if depth else "<d/>")
        elif kind == "text":
            parts.append(draw(TEXT).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
        else:
            inside = draw(TEXT).replace("-", "").replace("]", "")
            parts.append(f"<!--{inside}-->" if kind == "comment" else f"<![CDATA[{inside}]]>")
    return f"<{tag}>{''.join(parts)}</{name} >"


def files(element: str, encoding: str) -> bytes:
    declared = {"utf-8-sig": "utf-8"}.get(encoding, encoding)
    text = f'<?xml version="1.0" encoding="{declared}"?>\n<root xmlns:x="urn:x">{element}</root>\n'
    return text.encode(encoding, "xmlcharrefreplace")


@given(elements(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_every_element_is_where_it_says(element: str, encoding: str) -> None:
    data = files(element, encoding)
    places = XmlSource.read(data)
    assert places.spliced([]) == data
    theirs = etree.fromstring(data)
    ours = list(places.root.walk())
    assert [e.name for e in ours] == [etree.QName(e).localname for e in theirs.iter(etree.Element)]
    for mine, other in zip(ours, theirs.iter(etree.Element), strict=True):
        assert places.find(mine.path()) is mine
        assert mine.text == "".join(other.itertext(etree.Element))
        assert list(mine.attributes.values()) == list(other.attrib.values())
        assert places.data[mine.begin : mine.open_end].startswith(b"<")
        assert places.data[mine.begin : mine.end].endswith(b">")
        spans = places.attributes(mine)
        assert [n.rpartition(":")[2] for n in spans if not n.startswith("xmlns")] == list(mine.attributes)
        for name, (begin, end) in spans.items():
            assert places.data[begin:end].strip().startswith(name.encode())
    assert len(places.comments) == len(list(theirs.iter(etree.Comment)))


@given(elements(), TEXT, st.sampled_from(["utf-8", "utf-16", "iso-8859-1"]), st.integers(0, 50))
def test_text_that_is_put_in_comes_out_and_the_rest_stays(element: str, new: str, encoding: str, which: int) -> None:
    if encoding == "iso-8859-1":
        element = element.replace("Größe", "g").encode("ascii", "ignore").decode()
    places = XmlSource.read(files(element, encoding))
    full: list[Element] = [e for e in places.root.walk() if not places.empty(e)]
    chosen = full[which % len(full)]
    out = places.spliced([(chosen.open_end, chosen.close, xml_content(new))])
    again = XmlSource.read(out)
    assert again.find(chosen.path()).text == new
    assert again.data[: chosen.open_end] == places.data[: chosen.open_end]
    assert again.data[len(again.data) - (len(places.data) - chosen.close) :] == places.data[chosen.close :]


@given(TEXT, st.sampled_from(["\n", "\r", "\t", '"', "&", "<", ""]))
def test_attributes_come_out_as_they_went_in(value: str, more: str) -> None:
    written = b"<a" + xml_attribute("k", value + more) + b"/>"
    assert XmlSource.read(written).root.attributes == {"k": value + more}


def test_an_edit_within_another_is_dropped() -> None:
    places = XmlSource.read(b"<a><b>x</b></a>")
    a, b = places.root.walk()
    assert places.spliced([(b.open_end, b.close, b"y"), (a.open_end, a.close, b"z")]) == b"<a>z</a>"


def test_line_ends_can_be_those_of_the_file() -> None:
    assert xml_content("a\nb\r\n<&>", "\r\n") == b"a\r\nb&#13;\r\n&lt;&amp;&gt;"


def test_paths_that_lead_nowhere_are_named_by_their_last_element() -> None:
    places = XmlSource.read(b"<a><b/></a>")
    for path in ("/a[1]/b[2]", "/b[1]", "/a[2]", "/a[1]/c[1]/b[1]"):
        with pytest.raises(FormatError, match=r"^expected an element [ab] at its path, found none$"):
            places.find(path)
    for path in ("", "/a", "a[1]", "/a[1]/@b", "/a[0]", "//b[1]"):
        with pytest.raises(FormatError, match=r"^expected a path like"):
            places.find(path)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "iso-8859-15", "windows-1252", "shift_jis", "gb18030", "euc-kr", "utf-16", "koi8-r"]
)
def test_encodings_come_back_as_they_were(encoding: str) -> None:
    sample = {"shift_jis": "発熱", "gb18030": "发热", "euc-kr": "발열", "koi8-r": "жар"}.get(encoding, "Fièvre")
    data = f'<?xml version="1.0" encoding="{encoding}"?><a>{sample}</a>'.encode(encoding)
    places = XmlSource.read(data)
    assert places.root.text == sample
    out = places.spliced([(places.root.open_end, places.root.close, xml_content("☃"))])
    assert XmlSource.read(out).root.text == "☃"
    assert out.startswith(data[:30])
