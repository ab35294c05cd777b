"""Marked text: what is written is read as it was, and what is damaged says where. All texts are our own."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caspipe.typesystem.markup.marked_text import Mark, MarkedDocument, parse, write

NAME = "Featherstone"
_WORDS = (
    "[ ] [[ ]] [[[ ]]] | ? = ===== [[DATE|3\u00a0May]] [[U+005B]] U+005B #id: # a Zé 😀 \r\n \n \r \u2028 \x85 \t \x00 "
    "\x1f \ufeff \\ & < \ud800"
)
PIECES = st.sampled_from([*_WORDS.split(" "), " ", "\n=====\n", "\n=====  \r\n", "=====\r"])
TEXTS = st.lists(PIECES, max_size=20).map("".join)
LABELS = st.sampled_from(["DATE", "PERSON_PATIENT", "LOCATION-OTHER", "a.b/c"])


def one(content: str) -> MarkedDocument:
    (document,) = parse(content)
    return document


def spans(document: MarkedDocument) -> list[tuple[str, str, bool]]:
    return [(document.text[m.begin : m.end], m.label, m.optional) for m in document.marks]


def fault(content: str) -> str:
    made = next(d for d in parse(content) if d.fault)
    assert NAME not in made.fault
    return made.fault


def test_marks_and_fields_are_read() -> None:
    document = one("=====\n#id: n-1  #genre: ED note\nBy [[PERSON|Ivy]] on [[?DATE_WEEKDAY|Tue]].\n")
    assert document.fault == ""
    assert document.header == {"id": "n-1", "genre": "ED note"}
    assert document.text == "By Ivy on Tue."
    assert spans(document) == [("Ivy", "PERSON", False), ("Tue", "DATE_WEEKDAY", True)]
    assert [m.place for m in document.marks] == ["line 3, column 4", "line 3, column 22"]


@pytest.mark.parametrize(
    ("body", "text", "marked"),
    [
        ("[[[DATE|3 May]]]", "[3 May]", "3 May"),
        ("[[[[DATE|3 May]]", "[[3 May", "3 May"),
        ("[[DATE|3\nMay]] ]", "3\nMay ]", "3\nMay"),
        ("[[ID|a|b]]", "a|b", "a|b"),
        ("[[ID|[[U+005B]]1[[U+5D]]]]]", "[1]]", "[1]"),
        ("[[U+005B]][[U+005B]]x[[ID|1]]", "[[x1", "1"),
        ("[ ] U+E [x] ==== ===== x [[ID|1]]", "[ ] U+E [x] ==== ===== x 1", "1"),
        ("[[U+1F600]][[ID|1]]", "😀1", "1"),
    ],
)
def test_brackets_beside_and_in_marks(body: str, text: str, marked: str) -> None:
    document = one(f"=====\n#id: a\n{body}\n")
    assert (document.fault, document.text) == ("", text)
    assert [covered for covered, _, _ in spans(document)] == [marked]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_line_end_before_the_next_document_is_not_text(end: str) -> None:
    lines = ["=====", "#id: a", "one", "", "=====  ", "#id: b", "", "=====", "#id: c", "two"]
    assert [d.text for d in parse(end.join(lines))] == [f"one{end}", "", "two"]
    assert [d.text for d in parse(end.join(lines) + end)] == [f"one{end}", "", "two"]


def test_a_file_without_documents_has_none() -> None:
    assert list(parse("")) == list(parse(" \n\n")) == []


def test_a_value_may_hold_a_number_sign_and_brackets() -> None:
    assert one("=====\n#id: n#1  #genre: note #2 [x]\t#x.y:\nx").header == {
        "id": "n#1",
        "genre": "note #2 [x]",
        "x.y": "",
    }


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"\n{NAME}\n=====\n#id: a\nx", "line 2: expected a line =====, found another line"),
        (f"{NAME}", "line 1: expected a line =====, found another line"),
        (f"=====\n{NAME}\n", "line 2: expected a header like `#id: note-1`, found another line"),
        ("=====", "line 1: expected a header like `#id: note-1`, found another line"),
        (f"=====\n{NAME} #id: a\n", "line 2: expected a header like `#id: note-1`, found another line"),
        ("=====\n#id: a  #id: b\n", "line 2: expected each field of the header once, found one twice"),
        (
            f"=====\n#id: a\nx\n=====\n#id: b\nx\ny [[{NAME} x",
            "line 7, column 3: expected a mark like [[DATE|3 May]], found [[ before something else; "
            "[[ in a text is written [[U+005B]][[U+005B]], and every bracket in a mark so",
        ),
        (
            f"=====\n#id: a\nx [[ID|1\n2]]]] {NAME}",
            "line 4, column 4: expected [[ before ]], found none; ]] in a text is written [[U+005D]][[U+005D]]",
        ),
        (f"=====\n#id: a\n[[ID|{NAME}", "line 3, column 1: expected a mark like"),
        (f"=====\n#id: a\n[[ID|{NAME}]x]]", "line 3, column 1: expected a mark like"),
        (f"=====\n#id: a\n[[ID|[{NAME}]]", "line 3, column 1: expected a mark like"),
        (f"=====\n#id: a\n[[A|x [[B|{NAME}]]]]", "line 3, column 1: expected a mark like"),
        ("=====\n#id: a\n[[ID|]]", "line 3, column 1: expected a mark like"),
        (f"=====\n#id: a\n[[{NAME} {NAME}|x]]", "line 3, column 1: expected a mark like"),
        ("=====\n#id: a\n[[U+110000]]", "line 3, column 1: expected a mark like"),
        ("=====\n#id: a\n[[U+005b]]", "line 3, column 1: expected a mark like"),
    ],
)
def test_a_fault_says_where_and_what_was_expected(content: str, expected: str) -> None:
    assert fault(content).startswith(expected)


def test_a_damaged_document_leaves_the_others() -> None:
    documents = list(parse("=====\n#id: a\n[[\n=====\n#id: b\ntwo\n"))
    assert [(d.header.get("id"), bool(d.fault)) for d in documents] == [("a", True), ("b", False)]
    assert documents[1].text == "two"


def test_what_is_written_has_this_form() -> None:
    text = "By [Ivy] on [[x]]\n=====\nok"
    made = write({"id": "n#1", "a b": " x"}, text, [Mark(3, 8, "PERSON"), Mark(24, 26, "ID", True)])
    assert made == (
        "=====\n#id: n[[U+0023]]1  #a[[U+0020]]b: [[U+0020]]x\n"
        "By [[PERSON|[[U+005B]]Ivy[[U+005D]]]] on [[U+005B]][[U+005B]]x[[U+005D]][[U+005D]]\n[[U+003D]]====\n[[?ID|ok]]\n"
    )


@settings(max_examples=100)
@given(data=st.data())
def test_every_text_comes_back(data: st.DataObject) -> None:
    made = []
    for n in range(data.draw(st.integers(1, 3))):
        text = data.draw(TEXTS)
        cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
        marks = [
            Mark(b, e, data.draw(LABELS), data.draw(st.booleans())) for b, e in zip(cuts[::2], cuts[1::2], strict=False)
        ]
        names = data.draw(st.sets(TEXTS.filter(bool), max_size=2))
        made.append(({"id": f"{n}"} | {name: data.draw(TEXTS) for name in sorted(names)}, text, marks))
    found = list(parse("".join(write(*one) for one in made)))
    assert [d.fault for d in found] == [""] * len(made)
    assert [(d.header, d.text, [m._replace(place="") for m in d.marks]) for d in found] == made


@pytest.mark.parametrize(
    ("header", "marks", "reason"),
    [
        ({}, [], "expected one field of the header or more, got none"),
        ({"": "x"}, [], "expected names of header fields, got an empty one"),
        ({"id": "a"}, [Mark(0, 2, "ID"), Mark(1, 3, "ID")], "1:3: expected marks in order that do not overlap"),
        ({"id": "a"}, [Mark(1, 1, "ID")], "1:1: expected marks in order that do not overlap"),
        ({"id": "a"}, [Mark(0, 9, "ID")], "0:9: expected marks in order that do not overlap"),
        ({"id": "a"}, [Mark(0, 1, "A B")], "expected labels without white space, brackets and |"),
        ({"id": "a"}, [Mark(0, 1, "?A")], "expected labels without white space, brackets and |"),
    ],
)
def test_what_cannot_be_written_is_refused(header: dict[str, str], marks: list[Mark], reason: str) -> None:
    with pytest.raises(ValueError, match="expected") as caught:
        write(header, "text", marks)
    assert str(caught.value) == reason
