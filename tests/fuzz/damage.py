"""Ways to spoil a file: its bytes, and the structure of what it holds. A number says which, so a case is a list of numbers.

`damaged(data, kind, edits, other)` is the same for the same numbers on every machine and every hash seed.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Sequence
from random import Random

import damage_csv
import damage_json
import damage_xml
import damage_yaml
import damage_zip

MOST = 65_536
"""Bytes that a damaged file has at most."""

WORDS: tuple[bytes, ...] = (
    b"", b"\0", b"\0" * 9, b"\xff", b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf",
    b"<", b">", b"&", b"&#0;", b"&lt", b"]]>", b"<![CDATA[", b"<!--", b"<?x ?>", b'"', b"'", b"{", b"}", b"[", b"]",
    b",", b":", b"\\", b"\\ud800", b"\\u0000", b"-1", b"0", b"2147483648", b"18446744073709551616", b"9" * 40,
    b"9" * 5000, b"1e999", b"NaN", b"-Infinity", b"null", b"true", b"\t", b"\n", b"\r", b"\r\n", b"\x0c", b"\x1a",
    b"\x85", "\u2028".encode(), b" ", b"%s%n", b"${HOME}", b"../../etc/passwd", b"T1\t", b"-DOCSTART-", b"#",
    b"'; DROP TABLE notes; --", "😀".encode(), "é".encode("latin-1"), "é".encode(), b"[" * 3000, b"{\"a\":" * 3000,
    b"(" * 3000,
)  # fmt: skip
"""Strings with a special meaning in some format."""

_NUMBER = re.compile(rb"-?\d+")


def _at(random: Random, data: bytes) -> int:
    return random.randrange(len(data) + 1)


def _span(random: Random, data: bytes) -> tuple[int, int]:
    begin = _at(random, data)
    return begin, min(len(data), begin + random.choice((1, 1, 2, 4, 16, 100, 1000)))


def _cut(random: Random, data: bytes) -> bytes:
    return data[: _at(random, data)]


def _cut_head(random: Random, data: bytes) -> bytes:
    return data[_at(random, data) :]


def _flip(random: Random, data: bytes) -> bytes:
    at = _at(random, data)
    return data[:at] + bytes(b ^ (1 << random.randrange(8)) for b in data[at : at + 1]) + data[at + 1 :]


def _set(random: Random, data: bytes) -> bytes:
    at = _at(random, data)
    return data[:at] + bytes([random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))]) + data[at + 1 :]


def _delete(random: Random, data: bytes) -> bytes:
    begin, end = _span(random, data)
    return data[:begin] + data[end:]


def _double(random: Random, data: bytes) -> bytes:
    begin, end = _span(random, data)
    return data[:end] + data[begin:end] * random.choice((1, 2, 50)) + data[end:]


def _insert(random: Random, data: bytes) -> bytes:
    at = _at(random, data)
    return data[:at] + random.choice(WORDS) + data[at:]


def _replace(random: Random, data: bytes) -> bytes:
    begin, end = _span(random, data)
    return data[:begin] + random.choice(WORDS) + data[end:]


def _noise(random: Random, data: bytes) -> bytes:
    begin, end = _span(random, data)
    return data[:begin] + random.randbytes(random.choice((1, 8, 200))) + data[end:]


def _swap(random: Random, data: bytes) -> bytes:
    a, b, c, d = sorted(_at(random, data) for _ in range(4))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _number(random: Random, data: bytes) -> bytes:
    found = list(_NUMBER.finditer(data))
    if not found:
        return _insert(random, data)
    one = random.choice(found)
    value = int(one[0][:20])
    other = random.choice(found)[0]
    near = b"%d" % (value + random.choice((-1, 1)))
    new = random.choice((near, near, b"-%d" % abs(value), other, b"0", b"99999999999", b"9" * 5000, b"1.5", b""))
    return data[: one.start()] + new + data[one.end() :]


def _lines(random: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    one, two = random.randrange(len(lines)), random.randrange(len(lines))
    way = random.randrange(5)
    if way == 0:
        del lines[one]
    elif way == 1:
        lines.insert(two, lines[one])
    elif way == 2:
        lines[one], lines[two] = lines[two], lines[one]
    elif way == 3:
        random.shuffle(lines)
    else:
        return random.choice((b"\r", b"\r\n", b"\0", b"\x85", b"\n\n")).join(lines)
    return b"\n".join(lines)


def _encode(random: Random, data: bytes) -> bytes:
    name = random.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "utf-8-sig", "cp037", "latin-1"))
    return data.decode("utf-8", "replace").encode(name, "replace")


def _mark(random: Random, data: bytes) -> bytes:
    marks = (
        b"\xff\xfe",
        b"\xfe\xff",
        b"\xef\xbb\xbf",
        b"\xff\xfe\0\0",
        b"\0\0\xfe\xff",
        b"PK\3\4",
        b"\x1f\x8b",
        b"PAR1",
    )
    return random.choice(marks) + data


def _repeat(random: Random, data: bytes) -> bytes:
    return data * random.choice((2, 3, MOST // (len(data) + 1) + 1))


Way = Callable[[Random, bytes], bytes]

BYTES: tuple[Way, ...] = (
    _cut, _cut_head, _flip, _flip, _set, _set, _delete, _delete, _double, _insert, _insert, _replace, _replace, _noise, _swap,
    _number, _number, _number, _lines, _lines, _encode, _mark, _repeat,
)  # fmt: skip

STRUCTURES: dict[str, tuple[Way, ...]] = {
    "json": damage_json.WAYS,
    "jsonl": damage_json.WAYS_OF_LINES,
    "xml": damage_xml.WAYS,
    "csv": damage_csv.WAYS,
    "zip": damage_zip.WAYS,
    "yaml": damage_yaml.WAYS,
}
"""By the kind of a file: ways that know its structure."""


def _packed(random: Random, data: bytes, kind: str) -> bytes:
    """Damage the compressed content, or the compressed bytes."""
    if random.random() < 0.5:
        return random.choice(BYTES)(random, data)
    try:
        inside = gzip.decompress(data)[:MOST]
    except (OSError, EOFError, zlib.error):
        inside = data
    return gzip.compress(_once(random, inside, kind.removesuffix(".gz"), b""), mtime=0)


def _once(random: Random, data: bytes, kind: str, other: bytes) -> bytes:
    if kind.endswith(".gz"):
        return _packed(random, data, kind)
    if other and random.random() < 0.06:  # the beginning of one and the end of another
        return data[: _at(random, data)] + other[_at(random, other) :]
    ways = STRUCTURES.get(kind)
    return random.choice(ways if ways and random.random() < (0.85 if kind == "yaml" else 0.6) else BYTES)(random, data)


def damaged(data: bytes, kind: str, edits: Sequence[int], other: bytes = b"", most: int = MOST) -> bytes:
    """`data` after these changes, cut at `most` bytes.

    `kind` names its structure (a key of STRUCTURES, perhaps with `.gz` behind; else bytes);
    `other` is a file that a piece can come from."""
    for edit in edits:
        data = _once(Random(edit), data, kind, other)[:most]
    return data


def tokens(text: str, edits: Sequence[int], kind: str = "text") -> str:
    """Damage a string as given on a command line: bytes that are not UTF-8 become lone surrogates."""
    return damaged(text.encode("utf-8", "surrogatepass"), kind, edits).decode("utf-8", "surrogateescape")
