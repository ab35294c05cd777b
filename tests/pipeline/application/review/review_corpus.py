"""What the tests of the review share: documents, sessions, and running the command as its users do."""

from __future__ import annotations

import atexit
import itertools
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from marked_spans import unmark

from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.resolving.candidates import VETOED
from caspipe.annotators.resolving.resolver import Resolver
from caspipe.pipeline.application.review.catalogue import Catalogue
from caspipe.pipeline.application.review.decisions import OpenDocument
from caspipe.pipeline.application.review.document import Replacement
from caspipe.pipeline.application.review.session import Session
from caspipe.pipeline.application.review.store import Journal, journal_path
from caspipe.pipeline.application.review.wire import replacements
from caspipe.typesystem import Cas, PhiCandidate, PhiKind, TypeSystem, save_xmi

DOCUMENTS = {
    "a": "Seen on <DATE>3 May 2020</DATE> by Dr. <PERSON_DOCTOR>Ana Ruiz</PERSON_DOCTOR> in "
    "<LOCATION_CITY>Lund</LOCATION_CITY>.\nAna Ruiz called <PERSON>Tom Berg</PERSON>, aged <AGE>44</AGE>. Parkinson signs.",
    "b": "\U0001f600 <PERSON>Tom Berg</PERSON> \U0001f600 phoned <PHONE>555-0100</PHONE>; "
    "Tom Berg came on <DATE>4 May 2020</DATE>.",
    "c": "Nothing here but <DATE>May</DATE> and Lund.",
}
SURE = 1.0


def document(name: str, line: str, *, confidence: float = SURE) -> Cas:
    """A document as a run leaves it. `Parkinson` is a candidate that a veto took out; PERSON has a second, longer candidate."""
    marked = unmark(line, name)
    cas = Cas(marked.text, id=name)
    view = cas.view()
    for begin, end, kind in marked.spans:
        made = PhiCandidate(
            begin, end, kind=PhiKind.of(kind), confidence=0.6 if kind == "PERSON" else confidence, rule="by hand"
        )
        made._source = "rules/names" if kind.startswith("PERSON") else "rules/dates"
        view.add(made)
    at = marked.text.find("Parkinson")
    if at >= 0:
        taken = PhiCandidate(at, at + 9, kind=PhiKind.PERSON, confidence=0.5, reason=f"{VETOED}: eponym")
        taken._source = "models/crf"
        view.add(taken)
    Resolver().process(cas)
    Masker().process(cas)
    return cas


def masked_text(opened: OpenDocument) -> str:
    """Return the text as it would be released, from the replacements that the page gets."""
    document, table = opened.document, opened.table
    found = [p for _, _, sid in table.live for p in replacements(document, sid, table.spans[sid])]
    found += [p for p in document.other_masks if not table.over(p.begin, max(p.end, p.begin + 1))]
    parts: list[str] = []
    last = Replacement(0, 0, "")
    for piece in sorted(found):
        if piece.begin >= last.end:
            parts += (document.text[last.end : piece.begin], piece.text)
            last = piece
    return "".join((*parts, document.text[last.end :]))


def make_folder(folder: Path, documents: dict[str, str] | None = None) -> Path:
    folder.mkdir(parents=True)
    for name, line in (documents or DOCUMENTS).items():
        save_xmi(document(name, line), folder / f"{name}.xmi")
    (folder / "TypeSystem.xml").write_bytes(TypeSystem().to_xml())
    return folder


class Corpus:
    """A folder with one annotator at work."""

    def __init__(self, folder: Path, annotator: str = "anna", **options: Any) -> None:
        self.folder = folder
        self.catalogue = Catalogue([folder])
        self.journal = Journal(journal_path(folder, annotator), {"annotator": annotator, "between": None})
        self.session = Session(self.catalogue, self.journal, **options)
        self._keys = itertools.count()

    def close(self) -> None:
        self.journal.close()

    def key(self) -> str:
        return f"key-{next(self._keys):08}-{id(self):x}"

    def do(self, op: str, number: int = 0, **given: Any) -> Any:
        return self.session.decide(op, number, self.key(), **given)

    def undo(self, redo: bool = False, number: int = 0) -> Any:
        return self.session.undo(self.key(), number, redo)

    def spans(self, number: int = 0) -> list[tuple[str, str, str]]:
        """(words, kind, status) of every span in text order."""
        table = self.session.opened(number).table
        found = sorted(table.spans.values())
        return [(table.text[s.begin : s.end], s.kind, s.status) for s in found]

    def live(self, number: int = 0) -> list[tuple[str, str]]:
        return [(words, kind) for words, kind, status in self.spans(number) if status in ("open", "accepted")]

    def sid(self, words: str, number: int = 0, nth: int = 0) -> str:
        table = self.session.opened(number).table
        found = sorted((s.begin, sid) for sid, s in table.spans.items() if table.text[s.begin : s.end] == words)
        return found[nth][1]

    def at(self, words: str, number: int = 0, nth: int = 0) -> dict[str, int]:
        """Offsets of the words."""
        text = self.session.opened(number).document.text
        begin = -1
        for _ in range(nth + 1):
            begin = text.index(words, begin + 1)
        return {"begin": begin, "end": begin + len(words)}

    def everything(self) -> Any:
        """All that is decided, to compare."""
        return {name: (dict(d.own), d.done) for name, d in self.session.history.documents.items() if d.own or d.done}


PROGRAM = """
import json, os, sys, typer, uvicorn
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.application.review import app as _, server, session
line = sys.stdin.readline()
if line:
    folder, arguments = json.loads(line)
    os.chdir(folder)
    app(["review", *arguments])
"""


class Spare:
    """A process that has imported everything and waits for its arguments: the next one starts while a test runs."""

    waiting: subprocess.Popen[str] | None = None

    @classmethod
    def taken(cls) -> subprocess.Popen[str]:
        found = cls.waiting or cls._started()
        cls.waiting = cls._started()
        return found

    @staticmethod
    def _started() -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment
        )

    @classmethod
    def end(cls) -> None:
        if cls.waiting is not None:
            cls.waiting.communicate(timeout=60)  # nothing on standard input: it ends


atexit.register(Spare.end)


class Server:
    """`caspipe review` as a process of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = Spare.taken()
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([str(Path.cwd()), [str(folder), "--no-browser", *arguments]]) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise AssertionError(self.process.communicate(timeout=60)[1])
        self.origin, _, self.token = self.address.partition("/?token=")

    def call(
        self, path: str, body: Any = None, headers: dict[str, str] | None = None, *, token: bool = True
    ) -> tuple[int, Any]:
        """Status and answer."""
        data = None if body is None else json.dumps(body).encode()
        sent = {"X-Caspipe-Token": self.token} if token else {}
        request = urllib.request.Request(self.origin + path, data, {**sent, **(headers or {})})
        if body is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                status, raw = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                status, raw = error.code, error.read()
        try:
            return status, json.loads(raw)
        except ValueError:
            return status, raw

    def kill(self) -> None:
        self.process.kill()
        self.close()

    def stop(self) -> str:
        """Ends it as Ctrl-C does; what it said on the way."""
        import signal

        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=60)
        return str(said)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=60)
