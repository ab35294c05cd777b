"""Bad files that every format knows: cut off, empty, packed wrongly, in no encoding, no files at all.

Each holds the word CANARY where its text is, so that a message, a report or a released file that shows text of it shows that.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

CANARY = "Quizzlethorpe"
NOISE = (bytes(range(256)) * 4 + CANARY.encode() + bytes(range(255, -1, -1))).translate(None, b"\r\n")

Bad = tuple[Any, ...]
"""Content of a file (bytes, or what a function does with its path), and a part of each reason that the run must give for it."""


def _outside(path: Path) -> None:
    there = path.parent.parent / "outside.txt"
    there.write_text(CANARY, encoding="utf-8")
    path.symlink_to(there)


def _sealed(path: Path) -> None:
    path.write_text(CANARY, encoding="utf-8")
    path.chmod(0)


_IN_THE_WAY: dict[str, tuple[Callable[[Path], None], tuple[str, ...]]] = {
    "pipe": (os.mkfifo, ("expected a regular file, found another kind",)),
    "outside": (_outside, ("a symbolic link that leaves the folder is not followed",)),
    "nowhere": (lambda path: path.symlink_to(path.parent / CANARY), ("cannot read: No such file or directory",)),
    "loop": (lambda path: path.symlink_to(path), ("cannot read: Too many levels of symbolic links",)),
    "folder": (Path.mkdir, ()),
}
if os.geteuid() != 0:  # nothing is closed to root
    _IN_THE_WAY["sealed"] = _sealed, ("cannot read: Permission denied",)

_PACKED = ("the gzip data are damaged or cut off",)


def in_the_way(suffix: str, reasons: Mapping[str, str] | None = None) -> dict[str, Bad]:
    """What is called like a file and is none; `reasons` for those that a reader says of otherwise."""
    told = {
        name: (reasons[name],) if reasons and name in reasons else usual for name, (_, usual) in _IN_THE_WAY.items()
    }
    return {f"bad-{name}{suffix}": (make, *told[name]) for name, (make, _) in _IN_THE_WAY.items()}


def packed(make: Callable[[str], bytes], suffix: str, *, stream: bool) -> dict[str, Bad]:
    """Files that are gzipped wrongly. `make(id)` makes a good one. `stream`: what stands before the fault is read, so only those
    that hold nothing before it."""
    data = gzip.compress(make("p"), mtime=0)
    whole = {"packed-cut": data[:-5], "packed-crc": data[:-8] + b"12345678", "packed-more": data + NOISE}
    made = {"packed-none": b"", "packed-not": make("n"), **({} if stream else whole)}
    return {f"bad-{name}{suffix}.gz": (content, *_PACKED) for name, content in made.items()}


def spoilt(make: Callable[[str], bytes], suffix: str, **reasons: str) -> dict[str, Bad]:
    """Good files, which `make(id)` makes, with CANARY in their text, spoilt in the ways that `reasons` names."""
    made = {}
    for name, reason in reasons.items():
        good = make(name)
        at = good.index(CANARY.encode()) + 3
        content = {
            "cut": good[:at],
            "empty": b"",
            "blank": b" \r\n\r\n",
            "noise": NOISE,
            "nul": good[:at] + b"\0" + good[at:],
            "latin": good[:at] + b"\x81\xff" + good[at:],
            "utf16": good.decode().encode("utf-16-le"),
            "bom16": b"\xff\xfe" + b"x" * (len(good) % 2 == 0) + good,
        }[name]
        made[f"bad-{name}{suffix}"] = content, reason
    return made
