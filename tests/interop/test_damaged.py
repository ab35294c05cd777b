"""Damaged XMI: only our own errors, none with text of the document, and none that takes long.

CASPIPE_SOAK is how many there are for either way of reading (2,000).
"""

from __future__ import annotations

import os
import re
import time
from random import Random

import pytest
from generated import FOREIGN, WIDE, document
from wild import CASES

from caspipe.typesystem import CaspipeError, FormatError, TypeSystem, read_xmi, write_xmi

pytestmark = pytest.mark.java

COUNT = int(os.environ.get("CASPIPE_SOAK", "2000"))
SECRET = "Zebulon\u00e9 Quux"
_ATTRIBUTE = re.compile(rb'([\w:]+)="([^"]*)"')
_VALUES = [
    b"", b"0", b"-1", b"99999999999", b"9" * 5000, b"x", b"1 2 3", b" ", b"NaN", b"&#1;", b"&lt;", b"2147483648", b"1",
    "\U0001f600".encode(), b"true", b"&#xD83D;", b"\x00", b"http:///a/b.ecore",
]  # fmt: skip


def mutated(random: Random, data: bytes) -> bytes:
    """One change: cut off, flip a byte, change, swap, drop or rename attributes, drop a piece, move or double elements."""
    kind = random.randrange(9)
    at = random.randrange(len(data) or 1)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
    if kind == 2:
        return data[:at] + data[at + random.randrange(200) :]
    if kind >= 7:
        elements = re.findall(rb"<[^>]*>", data) or [b""]
        i, j = random.randrange(len(elements)), random.randrange(len(elements))
        if kind == 7:
            elements.insert(i, elements[j])
        else:
            elements[i], elements[j] = elements[j], elements[i]
        return b"".join(elements)
    found = list(_ATTRIBUTE.finditer(data))
    if not found:
        return data
    one, two = sorted(random.choices(found, k=2), key=lambda m: m.start())
    if kind == 3:
        return data[: one.start(2)] + random.choice(_VALUES) + data[one.end(2) :]
    if kind == 4:
        return data[: one.start()] + data[one.end() :]
    if kind == 5:
        return data[: one.start(1)] + two.group(1) + data[one.end(1) :]
    if one.start() == two.start():
        return data
    return data[: one.start(2)] + two.group(2) + data[one.end(2) : two.start(2)] + one.group(2) + data[two.end(2) :]


def sources() -> list[tuple[bytes, TypeSystem]]:
    made: list[tuple[bytes, TypeSystem]] = []
    for n in range(40):
        cas = document(n)
        cas.create_view("secret", SECRET)  # what every message is searched for
        made.append((write_xmi(cas), cas.typesystem or WIDE))
    return made + [(case.data, case.types()) for case in CASES.values()]


@pytest.mark.parametrize("lenient", [False, True])
def test_damage_is_told_by_our_own_errors_without_text(lenient: bool) -> None:
    random, valid = Random(20261121), sources()
    longest, read = 0.0, 0
    for n in range(COUNT):
        data, types = random.choice(valid)
        for _ in range(random.choice([1, 1, 1, 2, 4])):
            data = mutated(random, data)
        types = types if not lenient or random.random() < 0.6 else random.choice([WIDE, FOREIGN])
        started = time.perf_counter()
        try:
            cas = read_xmi(data, types, lenient=lenient)
            read += 1
            again = write_xmi(cas)
            read_xmi(again, cas.typesystem, lenient=lenient)
        except CaspipeError as e:
            assert "Zebulon" not in str(e), n
            assert "Quux" not in str(e), n
            told = str(e)
            if lenient and isinstance(e, FormatError):  # what lenient reading cannot take is no XMI of UIMA's at all
                assert re.search(r"damaged XML|as root|document type|older form|encoding|no element of UIMA", told), (
                    n,
                    told,
                )
        longest = max(longest, time.perf_counter() - started)
    assert longest < 5.0
    assert read > COUNT * (0.25 if lenient else 0.1)


BOMBS = {
    "a million nested elements": b"<a:b xmlns:a='http:///a.ecore'>"
    + b"<c>" * 1_000_000
    + b"</c>" * 1_000_000
    + b"</a:b>",
    "a million nested types": b"<a:b xmlns:a='http:///a.ecore'>" * 100_000 + b"</a:b>" * 100_000,
    "an attribute of 30 MB": b'<a:b xmlns:a="http:///a.ecore" xmi:id="3" v="' + b"&lt;12345" * 3_500_000 + b'"/>',
    "a million attributes": b'<a:b xmlns:a="http:///a.ecore" xmi:id="3"'
    + b"".join(b' a%d="1"' % i for i in range(100_000))
    + b"/>",
    "an element of 10 MB in pieces": b'<a:b xmlns:a="http:///a.ecore" xmi:id="3"><v>'
    + b"x&amp;" * 2_000_000
    + b"</v></a:b>",
    "ten thousand types": b"".join(
        b'<a:T%d xmlns:a="http:///a.ecore" xmi:id="%d"/>' % (i, i + 3) for i in range(3_000)
    ),
}


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("lenient", [False, True])
def test_bombs_do_not_take_long(bomb: str, lenient: bool) -> None:
    data = b'<xmi:XMI xmlns:xmi="http://www.omg.org/XMI">' + BOMBS[bomb] + b"</xmi:XMI>"
    started = time.perf_counter()
    try:
        read_xmi(data, lenient=lenient)
    except CaspipeError as e:
        assert len(str(e)) < 500
    assert time.perf_counter() - started < 30
