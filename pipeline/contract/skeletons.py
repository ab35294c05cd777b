"""`caspipe new`: a plug-in to start from, with its test."""

from __future__ import annotations

from pathlib import Path

from ..errors import ConfigError, Fault, nearest

_ANNOTATOR = '''"""Finds {words} numbers."""

import re
from collections.abc import Iterator

from caspipe.pipeline.contract.component import Annotator, component
from caspipe.typesystem import PhiCandidate, PhiKind, View


@component("{name}", outputs=[PhiCandidate])
class {cls}Annotator(Annotator):
    """Marks {words} numbers: a prefix and digits."""

    prefix: str = "{prefix}-"
    """What such a number begins with."""

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        for match in re.finditer(rf"\\b{{re.escape(self.prefix)}}\\d{{{{3,12}}}}\\b", view.text):
            yield PhiCandidate(match.start(), match.end(), kind=PhiKind.ID, rule="{name}")
'''
_ANNOTATOR_TEST = """from caspipe.pipeline.contract.conformance import check_component
from caspipe.pipeline.pipeline import Pipeline
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

from caspipe.pipeline.contract.component import CollectionReader, component
from caspipe.typesystem import Cas


@component("{name}")
class {cls}Reader(CollectionReader):
    """Reads every *.{name} file of a folder, one document each."""

    folder: Path
    """Where the files lie."""

    def __iter__(self) -> Iterator[Cas]:
        for path in sorted(self.folder.glob("*.{name}")):
            try:
                yield Cas(path.read_text(encoding="utf-8"), id=path.stem)
            except (OSError, UnicodeDecodeError) as error:
                self.failed.append((path.stem, error))  # kept aside and counted; the run goes on
'''
_READER_TEST = """from pathlib import Path

from caspipe.pipeline.contract.conformance import check_component
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

from caspipe.pipeline.contract.component import CasConsumer, component
from caspipe.typesystem import Cas, Phi


@component("{name}", inputs=[Phi])
class {cls}Consumer(CasConsumer):
    """Writes one line per document: how many spans of PHI it had. Never their text."""

    file: Path = Path("{name}.tsv")
    """File below `run.output`."""

    def open(self) -> None:
        super().open()
        path = self.output / self.file
        path.parent.mkdir(parents=True, exist_ok=True)
        self._stream = path.open("w", encoding="utf-8")

    def process(self, cas: Cas) -> None:
        self._stream.write(f"{{cas.id}}\\t{{len(cas.select(Phi))}}\\n")

    def close(self) -> None:
        self._stream.close()
'''
_CONSUMER_TEST = """from pathlib import Path

from caspipe.pipeline.contract.conformance import check_component
from caspipe.typesystem import Cas, Phi, PhiKind
from {name} import {cls}Consumer


def test_spans_are_counted(tmp_path: Path) -> None:
    consumer = {cls}Consumer()
    consumer.output = tmp_path
    consumer.open()
    cas = Cas("Seen by Smith.", id="1")
    cas.add(Phi(8, 13, kind=PhiKind.PERSON))
    consumer.process(cas)
    consumer.close()
    assert (tmp_path / "{name}.tsv").read_text(encoding="utf-8") == "1\\t1\\n"


def test_it_keeps_the_contract() -> None:
    assert not [finding for finding in check_component({cls}Consumer) if finding.fault]
"""
KINDS = {
    "annotator": (_ANNOTATOR, _ANNOTATOR_TEST),
    "reader": (_READER, _READER_TEST),
    "consumer": (_CONSUMER, _CONSUMER_TEST),
}


def write(kind: str, name: str, into: Path) -> list[Path]:
    """Writes `name.py` and `test_name.py`; returns their paths.

    Raises ConfigError for an unknown kind, a name that is no identifier, or files that are there already.
    """
    if kind not in KINDS:
        hint = nearest(kind, KINDS) or f"; expected one of {', '.join(KINDS)}"
        raise ConfigError([Fault("", f"no kind of component {kind!r}{hint}")])
    if not name.isidentifier() or name != name.lower():
        raise ConfigError([Fault("", f"name {name!r}: expected lower-case letters, digits and underscores")])
    paths = [into / f"{name}.py", into / f"test_{name}.py"]
    there = [p for p in paths if p.exists()]
    if there:
        raise ConfigError([Fault("", f"{p} is there already") for p in there])
    into.mkdir(parents=True, exist_ok=True)
    words = name.replace("_", " ")
    fields = {"name": name, "cls": words.title().replace(" ", ""), "words": words, "prefix": name[:2].upper()}
    for path, template in zip(paths, KINDS[kind], strict=True):
        path.write_text(template.format(**fields), encoding="utf-8")
    return paths
