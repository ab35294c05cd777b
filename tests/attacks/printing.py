"""A plug-in that quotes the document in every way a component can without writing a file of its own."""

from __future__ import annotations

import ctypes
import logging
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator

from caspipe.pipeline import Annotator, component
from caspipe.pipeline.contract.component import CasConsumer
from caspipe.typesystem import Cas, PhiCandidate, PhiKind, View

EARLY = sys.stdout
LOG = logging.getLogger("lab")


class Quoting:
    """Quotes when it is freed."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __del__(self) -> None:
        raise ValueError(self.text)


def prints(text: str) -> None:
    print(text)


def writes_to_stderr(text: str) -> None:
    sys.stderr.write(text)


def keeps_a_stream(text: str) -> None:
    EARLY.write(text)


def uses_the_original_stream(text: str) -> None:
    sys.__stdout__.write(text)  # type: ignore[union-attr]


def writes_to_a_descriptor(text: str) -> None:
    os.write(1, text.encode())
    os.write(2, text.encode())


def prints_in_c(text: str) -> None:
    ctypes.CDLL(None).printf(b"%s", text.encode())


def starts_a_program(text: str) -> None:
    subprocess.run(["/bin/echo", text], check=True)


def logs(text: str) -> None:
    LOG.error(text)
    logging.StreamHandler(EARLY).emit(logging.LogRecord("lab", 40, "", 0, text, (), None))


def warns(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=1)
    warnings.warn(text, DeprecationWarning, stacklevel=1)


def warns_by_class(text: str) -> None:
    warnings.warn("x", type(text, (UserWarning,), {}), stacklevel=1)


def raises(text: str) -> None:
    raise KeyError(text)


def raises_by_class(text: str) -> None:
    raise type(text.split()[1], (ValueError,), {})


def raises_in_generated_code(text: str) -> None:
    exec(compile("raise ValueError", text, "exec"))


def fails_in_a_thread(text: str) -> None:
    def fail() -> None:
        raise ValueError(text)

    thread = threading.Thread(target=fail, name=text)
    thread.start()
    thread.join()


def prints_in_a_thread(text: str) -> None:
    thread = threading.Thread(target=print, args=(text,))
    thread.start()
    thread.join()


def fails_when_freed(text: str) -> None:
    Quoting(text)


def fails_at_the_end(text: str) -> None:
    KEPT.append(Quoting(text))


KEPT: list[Quoting] = []
WAYS: dict[str, Callable[[str], None]] = {
    f.__name__: f
    for f in (
        *(prints, writes_to_stderr, keeps_a_stream, uses_the_original_stream, writes_to_a_descriptor, prints_in_c),
        *(starts_a_program, logs, warns, warns_by_class, raises, raises_by_class, raises_in_generated_code),
        *(fails_in_a_thread, prints_in_a_thread, fails_when_freed, fails_at_the_end),
    )
}


@component("quoting", outputs=[PhiCandidate])
class QuotingAnnotator(Annotator):
    """Quote the document."""

    way: str = "prints"
    """How."""

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        yield PhiCandidate(0, len(view.text), kind=PhiKind.ID, rule="all", confidence=1.0)
        WAYS[self.way](view.text)


@component("quoting_consumer")
class QuotingConsumer(CasConsumer):
    """Quote the document, in the process of the run."""

    way: str = "prints"
    """How."""

    def process(self, cas: Cas) -> None:
        WAYS[self.way](cas.text)
