"""Ways to spoil zip archives: what their members hold, how they are called, and what the directory says of them."""

from __future__ import annotations

import io
import struct
import warnings
import zipfile
from collections.abc import Callable
from random import Random

Way = Callable[[Random, bytes], bytes]

NAMES = (
    "../../../escaped.txt", "/etc/escaped.txt", "C:\\escaped.txt", "..\\escaped.txt", "a/../../b.txt", "", ".", "..", "a\0b.txt",
    "x" * 300 + ".txt", "inner.zip", "./.hidden.txt", "a//b.txt", "a/", "CON.txt", "\u202etxt.a", "\ud800.txt",
)  # fmt: skip
_ENTRY, _LOCAL = b"PK\x01\x02", b"PK\x03\x04"


def members(data: bytes) -> list[tuple[str, bytes]] | None:
    """Return the members of an archive, None if it cannot be opened."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [(i.filename, archive.read(i)[:65_536]) for i in archive.infolist()[:50] if i.file_size < 1_000_000]
    except Exception:  # damaged bytes raise many kinds of exceptions
        return None


def packed(files: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of these members, names twice and all."""
    into = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(into, "w", method) as archive:
        warnings.simplefilter("ignore")
        for name, data in files:
            info = zipfile.ZipInfo(name.encode("utf-8", "replace").decode(), (2026, 1, 1, 0, 0, 0))
            info.filename = name.encode("utf-8", "replace").decode()  # the constructor cuts at a NUL
            archive.writestr(info, data, method)
    return into.getvalue()


def _inside(random: Random, data: bytes) -> bytes:
    from damage import damaged

    files = members(data)
    if not files:
        return data[: random.randrange(len(data) + 1)]
    at = random.randrange(len(files))
    name, content = files[at]
    files[at] = name, damaged(content, kind_of(content), [random.getrandbits(32)])
    return packed(files)


def kind_of(content: bytes) -> str:
    """The structure of a member by its first bytes."""
    head = content[:80].lstrip()
    for start, kind in ((b"PK", "zip"), (b"<", "xml"), (b"{", "json"), (b"[", "json")):
        if head.startswith(start):
            return kind
    return "text"


def _names(random: Random, data: bytes) -> bytes:
    files = members(data)
    if not files:
        return data[random.randrange(len(data) + 1) :]
    at = random.randrange(len(files))
    name = random.choice((*NAMES, random.choice(files)[0]))
    way = random.randrange(4)
    if way == 0:
        files[at] = name, files[at][1]
    elif way == 1:
        files.append((name, files[at][1]))
    elif way == 2:
        del files[at]
    else:
        files[at] = files[at][0], packed(files)
    return packed(files, random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)))


_FIELDS = (
    (6, "<H"),
    (8, "<H"),
    (10, "<H"),
    (16, "<I"),
    (20, "<I"),
    (24, "<I"),
    (28, "<H"),
    (30, "<H"),
    (32, "<H"),
    (38, "<I"),
    (42, "<I"),
)
"""Of an entry of the directory: version, flags, method, checksum, sizes, lengths, attributes, offset."""


def _directory(random: Random, data: bytes) -> bytes:
    entries = [n for n in range(len(data)) if data.startswith(random.choice((_ENTRY, _ENTRY, _LOCAL)), n)]
    if not entries:
        return data[: random.randrange(len(data) + 1)]
    at, format = random.choice(_FIELDS)
    at += random.choice(entries)
    most = 0xFFFF if format == "<H" else 0xFFFFFFFF
    link = 0xA1FF << 16
    value = random.choice((0, 1, 8, 12, 14, 99, 0x0801, most, most - 1, link, random.randrange(most))) & most
    size = struct.calcsize(format)
    return data[:at] + struct.pack(format, value) + data[at + size :] if at + size <= len(data) else data[:at]


WAYS: tuple[Way, ...] = (_inside, _inside, _inside, _names, _directory)
