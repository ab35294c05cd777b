"""Ways to spoil XML: attributes and elements changed, lost, moved; document types that do harm; other encodings declared."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

_ATTRIBUTE = re.compile(rb"""([\w:.-]+)=("[^"]*"|'[^']*')""")
_TAG = re.compile(rb"<[^<>]*>")
_TEXT = re.compile(rb">([^<>]+)<")
_VALUES = (
    b"", b"0", b"-1", b"99999999999", b"9" * 5000, b"x", b"1 2 3", b" ", b"NaN", b"&#1;", b"&#xD83D;", b"&lt;", b"&none;", b"\0",
    b"2147483648", b"true", b"http:///a/b.ecore", b"/etc/passwd", b"file:///etc/passwd", "😀".encode(), b"\xff",
)  # fmt: skip
_LAUGHS = b'<!ENTITY a "ha">' + b"".join(
    b'<!ENTITY %c "%s">' % (b, b"&%c;" % a * 10) for a, b in zip(b"abcdefgh", b"bcdefghi", strict=True)
)
_DOCTYPES = (
    b"<!DOCTYPE x [%s]>" % _LAUGHS,
    b'<!DOCTYPE x [<!ENTITY a "' + b"b" * 9000 + b'">]>',
    b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
    b'<!DOCTYPE x [<!ENTITY % a SYSTEM "http://127.0.0.1:9/x.dtd"> %a;]>',
    b'<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">',
    b"<!DOCTYPE x>",
)
_ENCODINGS = (b"utf-16", b"ISO-8859-1", b"windows-1252", b"UTF-7", b"rot13", b"x-unknown", b"cp037", b"utf-32", b"")


def _found(pattern: re.Pattern[bytes], random: Random, data: bytes) -> re.Match[bytes] | None:
    every = list(pattern.finditer(data))
    return random.choice(every) if every else None


def _value(random: Random, data: bytes) -> bytes:
    found = _found(_ATTRIBUTE, random, data)
    if found is None:
        return data[: len(data) // 2]
    return data[: found.start(2) + 1] + random.choice(_VALUES) + data[found.end(2) - 1 :]


def _exchange(random: Random, data: bytes) -> bytes:
    """Values of two attributes change places, or one gets the other's."""
    every = list(_ATTRIBUTE.finditer(data))
    if len(every) < 2:
        return _value(random, data)
    one, two = sorted(random.sample(every, 2), key=lambda m: m.start())
    back = two[2] if random.random() < 0.5 else one[2]
    return data[: one.start(2)] + two[2] + data[one.end(2) : two.start(2)] + back + data[two.end(2) :]


def _attribute(random: Random, data: bytes) -> bytes:
    """An attribute lost, doubled or renamed."""
    found = _found(_ATTRIBUTE, random, data)
    if found is None:
        return data[: len(data) // 2]
    new = random.choice((b"", b" ".join((found[0], found[0])), b"x" + found[0], b"xml:" + found[0], b"n:" + found[0]))
    return data[: found.start()] + new + data[found.end() :]


def _element(random: Random, data: bytes) -> bytes:
    """A tag lost, doubled, moved, renamed, emptied or put a thousand times into itself."""
    found = _found(_TAG, random, data)
    if found is None:
        return data[: len(data) // 2]
    before, tag, after = data[: found.start()], found[0], data[found.end() :]
    way = random.randrange(7)
    if way == 0:
        return before + after
    if way == 1:
        return before + tag * random.choice((2, 300)) + after
    if way == 2:
        return before + tag[:-1] + b"/>" + after
    if way == 3:
        return before + re.sub(rb"^(</?)", rb"\1x", tag) + after
    if way == 4:
        return before + b"<a>" * 2000 + tag + b"</a>" * 2000 + after
    rest = before + after
    at = random.choice([m.end() for m in _TAG.finditer(rest)] or [0])
    return rest[:at] + tag + rest[at:]


def _text(random: Random, data: bytes) -> bytes:
    """Move text to an element, an attribute or another element."""
    found = _found(_TEXT, random, data)
    if found is None:
        return _exchange(random, data)
    before, text, after = data[: found.start(1)], found[1], data[found.end(1) :]
    other = random.choice(list(_TEXT.finditer(data)))[1]
    name = b"a" + re.sub(rb"\W", b"", text)[:40]
    new = random.choice(
        (
            b"",
            other,
            b"<b>" + text + b"</b>",
            b"<%s/>" % name,
            b"<b c='%s'/>" % name,
            b"<![CDATA[" + text + b"]]>",
            b"&amp;" * 500,
        )
    )
    return before + new + after


def _doctype(random: Random, data: bytes) -> bytes:
    head = re.match(rb"(\xef\xbb\xbf)?(<\?xml[^>]*>)?\s*", data)
    at = head.end() if head else 0
    use = data[at:]
    if random.random() < 0.5:
        found = _found(_TEXT, random, use)
        use = use if found is None else use[: found.start(1)] + random.choice((b"&i;", b"&a;")) + use[found.end(1) :]
    return data[:at] + random.choice(_DOCTYPES) + use


def _declared(random: Random, data: bytes) -> bytes:
    body = re.sub(rb"^<\?xml[^>]*>", b"", data)
    version = random.choice((b"1.0", b"1.1", b"2.0", b""))
    return b'<?xml version="%s" encoding="%s"?>' % (version, random.choice(_ENCODINGS)) + body


WAYS: tuple[Callable[[Random, bytes], bytes], ...] = (
    _value, _value, _exchange, _exchange, _attribute, _element, _element, _text, _doctype, _declared,
)  # fmt: skip
