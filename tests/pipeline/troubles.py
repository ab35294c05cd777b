"""A plug-in that makes trouble where a text asks for it: `do=exits`. For the tests of runs."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from caspipe.pipeline.contract.component import Annotator, CasConsumer, TwoPhaseConsumer, component
from caspipe.typesystem import Cas, PhiCandidate, PhiKind, View

SECRET = "Featherstone"
_ASKED = re.compile(r"\bdo=([a-z]+)")


class Quoting(BaseException):
    """No Exception: nobody catches it by accident."""


def fails() -> None:
    raise ValueError(SECRET)


def exits() -> None:
    raise SystemExit(SECRET)


def interrupts() -> None:
    raise KeyboardInterrupt(SECRET)


def finishes() -> None:
    raise GeneratorExit(SECRET)


def quotes() -> None:
    raise Quoting(SECRET)


def dies() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dawdles() -> None:
    time.sleep(0.3)


DEEDS: dict[str, Callable[[], None]] = {
    f.__name__: f for f in (fails, exits, interrupts, finishes, quotes, dies, dawdles)
}


@component("trouble", outputs=[PhiCandidate])
class Trouble(Annotator):
    """Marks digits, and does what the text asks for."""

    mark: str = ""
    """File that is made before the first deed; where it is there, nothing is done any more: the second time all goes well."""
    least: int = 1
    """Fewest digits."""

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        for m in re.finditer(rf"[0-9]{{{self.least},}}", view.text):
            yield PhiCandidate(m.start(), m.end(), kind=PhiKind.ID, rule="digits", confidence=1.0)
        asked = _ASKED.search(view.text)
        if asked is None or (self.mark and Path(self.mark).exists()):
            return
        if self.mark:
            Path(self.mark).touch()
        DEEDS[asked[1]]()


@component("ids")
class Ids(CasConsumer):
    """Notes the ids of documents in a file of its own, in one process."""

    def open(self) -> None:
        super().open()
        self.seen: list[str] = []

    def process(self, cas: Cas) -> None:
        self.seen.append(cas.id)

    def rollback(self, document_id: str) -> None:
        if self.seen[-1:] == [document_id]:
            self.seen.pop()

    def close(self) -> None:
        self.output.mkdir(parents=True, exist_ok=True)
        (self.output / "ids").write_text("\n".join(map(ascii, self.seen)))


@component("halves")
class Halves(TwoPhaseConsumer):
    """A consumer that breaks down in one of its halves."""

    fail_in: str = ""
    """prepare or commit."""
    on: str = ""
    """Id of the document."""

    def prepare(self, cas: Cas) -> str:
        self._fail("prepare", cas.id)
        return cas.id

    def commit(self, document_id: str, prepared: str) -> list[object]:  # type: ignore[override]
        self._fail("commit", document_id)
        return []

    def adopt_previous(self, *_: object) -> list[object]:  # type: ignore[override]
        return []

    def _fail(self, where: str, document: str) -> None:
        if self.fail_in == where and self.on == document:
            raise ValueError(SECRET)
