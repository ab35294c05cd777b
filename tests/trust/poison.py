"""A plug-in whose annotator breaks down in every way there is, where a text asks for it. Documents of this corpus only."""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import time
from collections.abc import Callable, Iterator

from caspipe.pipeline.contract.component import Annotator, component
from caspipe.typesystem import PhiCandidate, PhiKind, Sentence, View

_ASKED = re.compile(r"\bpoison=([a-z_]+)")


def raises() -> None:
    raise KeyError("Featherstone is no key")


def recurses() -> None:
    recurses()


def loops() -> None:
    while True:
        pass


def loops_in_c() -> None:
    re.match(r"(a+)+$", "a" * 60 + "b")


def sleeps() -> None:
    time.sleep(13.5)  # longer than the limit and what is allowed beyond it


def segfaults() -> None:
    ctypes.string_at(0)


def aborts() -> None:
    os.abort()


def exits() -> None:
    os._exit(7)


def leaves() -> None:
    raise SystemExit(5)


def hogs() -> None:
    held = []
    while True:
        held.append(bytearray(50 << 20))


def hogs_unseen() -> None:
    """Memory that no limit of the system's own counts: pages shared with nobody."""
    piece = bytes(32 << 20)
    shared = mmap.mmap(-1, 60 * len(piece))
    for n in range(60):
        shared[n * len(piece) : (n + 1) * len(piece)] = piece
    time.sleep(60)


DEEDS: dict[str, Callable[[], None]] = {
    f.__name__: f
    for f in (raises, recurses, loops, loops_in_c, sleeps, segfaults, aborts, exits, leaves, hogs, hogs_unseen)
}


@component("poison", outputs=[PhiCandidate])
class Poison(Annotator):
    """Does what the text asks for: `poison=segfaults`."""

    def annotate(self, view: View) -> Iterator[PhiCandidate | Sentence]:
        asked = _ASKED.search(view.text)
        if asked is None:
            return
        if asked[1] == "lies":
            yield Sentence(0, 1)
        elif asked[1] == "misses":  # marks a name once, though it stands there twice
            at = view.text.index("qwolken")
            yield PhiCandidate(at, at + 7, kind=PhiKind.of("PERSON_PATIENT"), rule="first only", confidence=1.0)
        else:
            DEEDS[asked[1]]()
