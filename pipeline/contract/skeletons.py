"""Templates of `caspipe new`: a plug-in to start from, with its test."""

from __future__ import annotations

from pathlib import Path

from ..errors import ConfigError, Fault, nearest
from . import registry

_ANNOTATOR = '''"""Finds {words} numbers."""

import re
from collections.abc import Iterator

from caspipe.pipeline import Annotator, component
from caspipe.typesystem import PhiCandidate, PhiKind, View


@component("{name}", outputs=[PhiCandidate])
class {cls}Annotator(Annotator):
    """Marks {words} numbers: a prefix and digits."""

    prefix: str = "{prefix}-"
    """Prefix of the numbers."""

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        for match in re.finditer(rf"\\b{{re.escape(self.prefix)}}\\d{{{{3,12}}}}\\b", view.text):
            yield PhiCandidate(match.start(), match.end(), kind=PhiKind.ID, rule="{name}")
'''
_ANNOTATOR_TEST = """from caspipe.pipeline import Pipeline, check_component
from caspipe.typesystem import Phi
from {name} import {cls}Annotator


def test_a_number_is_found() -> None:
    cas = Pipeline([{cls}Annotator()]).process("Entered with {prefix}-123456 today.")
    assert [phi.covered_text for phi in cas.select(Phi)] == ["{prefix}-123456"]


def test_it_keeps_the_contract() -> None:
    assert not [finding for finding in check_component({cls}Annotator) if finding.fault]
"""
_READER = '''"""Reads {words} files."""

from collections.abc import Iterator
from pathlib import Path

from caspipe.pipeline import CollectionReader, component
from caspipe.typesystem import Cas


@component("{name}")
class {cls}Reader(CollectionReader):
    """Reads every *.{name} file of a folder as one document."""

    folder: Path
    """Folder with the files."""

    def __iter__(self) -> Iterator[Cas]:
        for path in sorted(self.folder.glob("*.{name}")):
            try:
                yield Cas(path.read_text(encoding="utf-8"), id=path.stem)
            except (OSError, UnicodeDecodeError) as error:
                self.failed.append((path.stem, error))  # quarantined and counted; the run continues
'''
_READER_TEST = """from pathlib import Path

from caspipe.pipeline import check_component
from {name} import {cls}Reader


def test_every_file_becomes_a_document(tmp_path: Path) -> None:
    (tmp_path / "a.{name}").write_text("One.", encoding="utf-8")
    (tmp_path / "b.{name}").write_bytes(b"\\xff")
    reader = {cls}Reader(folder=tmp_path)
    reader.failed = []
    assert [cas.text for cas in reader] == ["One."]
    assert [name for name, _ in reader.failed] == ["b"]


def test_it_keeps_the_contract() -> None:
    assert not [finding for finding in check_component({cls}Reader) if finding.fault]
"""
_CONSUMER = '''"""Writes {words} files."""

from pathlib import Path

from caspipe.pipeline import AtomicFile, CasConsumer, Scope, component, make_folder
from caspipe.typesystem import Cas, Phi


@component("{name}", inputs=[Phi])
class {cls}Consumer(CasConsumer):
    """Writes one line per document: the number of spans of PHI, but never their text."""

    file: Path = Path("release/{name}.tsv")
    """The file, under the output folder of the run. It appears there when the run ends."""

    scope = Scope.RUN  # valid for any part of the documents; COLLECTION if it needs all of them, as a score does

    def writes_original(self) -> bool:
        return False  # numbers only: it may write below release/, and `cas.id` is the released name of the document

    def open(self) -> None:
        super().open()
        path = self.output / self.file
        make_folder(path.parent)
        self._file = AtomicFile(path)
        self._last: tuple[str, int] | None = None

    def process(self, cas: Cas) -> None:
        self._last = None
        begin = self._file.offset
        line = f"{{cas.id}}\\t{{len(cas.select(Phi))}}\\n"
        self._file.write(line.encode("utf-8", "replace"))
        self._last = (cas.id, begin)

    def rollback(self, document_id: str) -> None:
        # The document failed in another consumer after it was written here.
        if self._last is not None and self._last[0] == document_id:
            self._file.truncate(self._last[1])
            self._last = None

    def abort(self) -> None:
        self._file.discard()  # a file of an earlier run stays as it was

    def close(self) -> None:
        self._file.commit()
        super().close()
'''
_CONSUMER_TEST = """from pathlib import Path

import pytest
from caspipe.pipeline import check_component
from caspipe.typesystem import Cas, Phi, PhiKind
from {name} import {cls}Consumer


def document(name: str) -> Cas:
    cas = Cas("Seen by Smith.", id=name)
    cas.add(Phi(8, 13, kind=PhiKind.PERSON))
    return cas


@pytest.fixture
def consumer(tmp_path: Path) -> {cls}Consumer:
    consumer = {cls}Consumer()
    consumer.output = tmp_path
    consumer.open()
    return consumer


def test_spans_are_counted(consumer: {cls}Consumer) -> None:
    consumer.process(document("1"))
    consumer.close()
    assert (consumer.output / consumer.file).read_text(encoding="utf-8") == "1\\t1\\n"


def test_a_document_that_failed_is_not_in_the_file(consumer: {cls}Consumer) -> None:
    consumer.process(document("1"))
    consumer.process(document("2"))
    consumer.rollback("2")
    consumer.rollback("1")  # not the last document: it was released
    consumer.close()
    assert (consumer.output / consumer.file).read_text(encoding="utf-8") == "1\\t1\\n"


def test_an_aborted_run_leaves_no_file(consumer: {cls}Consumer) -> None:
    consumer.process(document("1"))
    consumer.abort()
    assert list(consumer.output.rglob("*.tsv")) == []


def test_it_keeps_the_contract() -> None:
    assert not [finding for finding in check_component({cls}Consumer) if finding.fault]
"""
KINDS = {
    "annotator": (_ANNOTATOR, _ANNOTATOR_TEST),
    "reader": (_READER, _READER_TEST),
    "consumer": (_CONSUMER, _CONSUMER_TEST),
}


def write(kind: str, name: str, into: Path) -> list[Path]:
    """Write `name.py` and `test_name.py` and return their paths.

    Raises ConfigError for an unknown kind, a name that is not an identifier or that another component has, or if the files exist.
    """
    if kind not in KINDS:
        hint = nearest(kind, KINDS) or f"; expected one of {', '.join(KINDS)}"
        raise ConfigError([Fault("", f"no kind of component {kind!r}{hint}")])
    if not name.isidentifier() or name != name.lower():
        raise ConfigError([Fault("", f"name {name!r}: expected lower-case letters, digits and underscores")])
    paths = [into / f"{name}.py", into / f"test_{name}.py"]
    existing = [p for p in paths if p.exists()]
    if existing:
        raise ConfigError([Fault("", f"{p} already exists") for p in existing])
    role = "engine" if kind == "annotator" else kind
    if any(c.name == name and c.role == role for c in registry.components()):
        raise ConfigError([Fault("", f"name {name!r}: another {role} has this name")])
    into.mkdir(parents=True, exist_ok=True)
    words = name.replace("_", " ")
    fields = {"name": name, "cls": words.title().replace(" ", ""), "words": words, "prefix": name[:2].upper()}
    for path, template in zip(paths, KINDS[kind], strict=True):
        path.write_text(template.format(**fields), encoding="utf-8")
    return paths
