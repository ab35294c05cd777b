"""Properties of readers that must hold for any input."""

from __future__ import annotations

import pickle
import traceback
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from secret import tells
from watch import MEGABYTES, watched

from caspipe.pipeline.contract import registry
from caspipe.pipeline.contract.component import CollectionReader
from caspipe.typesystem import Annotation, Cas, CaspipeError, CaspipeWarning, write_xmi


@dataclass
class Read:
    """The documents and messages of a reader."""

    documents: list[Cas] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    raised: str = ""
    """The traceback of the exception; empty if none was raised."""
    warned: list[str] = field(default_factory=list)

    @property
    def ids(self) -> list[str]:
        return [cas.id for cas in self.documents]


def read(name: str, parameters: Mapping[str, Any], folder: Path, megabytes: int = MEGABYTES) -> Read:
    """Reads a folder with a reader and holds it to every law. Raises AssertionError that says which was broken."""
    cls = registry.find(name, "reader")
    before = {p: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
    found = Read()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with watched(folder, megabytes):
            made: Any = cls(**parameters)
            try:
                _all(made, found)
            except CaspipeError as error:
                found.raised = "".join(traceback.format_exception_only(error)) + _chain(error)
            finally:
                made.close()
    found.failed = [str(error) + _chain(error) for _, error in made.failed]
    assert all(isinstance(error, CaspipeError) for _, error in made.failed), "a failure that is not a CaspipeError"
    strange = [w for w in told if not issubclass(w.category, CaspipeWarning)]
    assert not strange, f"a {strange[0].category.__name__} from {Path(strange[0].filename).name}:{strange[0].lineno}"
    found.warned = [str(w.message) for w in told]
    place = str(folder)
    for said in (found.raised, *found.failed, *found.warned):
        assert not tells(said.replace(place, "")), f"text in a message: {said.replace(place, '')}"
        assert len(said) < 20_000, f"a message of {len(said)} characters: {said[:300]}"
    twice = [n for n, count in Counter(found.ids).items() if count > 1]
    assert not twice, f"{len(twice)} document ids that several documents have"
    for cas in found.documents:
        check(cas)
    after = {p: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
    assert after == before, "a file of the folder was written, or one came or went"
    return found


def _all(made: CollectionReader, found: Read) -> None:
    made.open()
    for cas in made:
        found.documents.append(cas)
        assert len(found.documents) < 100_000, "documents without end"


def _chain(error: BaseException) -> str:
    """Return the traceback text of the chained exceptions."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "" if before is None else f"\n{type(before).__name__}: {before}{_chain(before)}"


def check(cas: Cas) -> None:
    """A document must hold together: offsets in the text, strings for text and id, the same after pickling, fit to be written."""
    assert isinstance(cas.id, str)
    assert cas.id
    assert all(isinstance(k, str) and isinstance(v, str) for k, v in cas.metadata.items()), (
        "metadata that is not a string"
    )
    for view in cas.views:
        assert isinstance(view.text, str)
        size = (
            len(view.text) if view.sofa.text is not None else 2**31
        )  # the size of a text in another file is unknown here
        for a in view.select(Annotation):
            assert 0 <= a.begin <= a.end <= size, f"{type(a).__name__} {a.begin}:{a.end} outside its text of {size}"
    again: Cas = pickle.loads(pickle.dumps(cas))
    assert _content(again) == _content(cas), "another document after pickling"
    try:
        write_xmi(cas)
    except CaspipeError as error:  # names that XML has no way to write, for one
        assert not tells(str(error)), "text in what the writer says"


def _content(cas: Cas) -> list[Any]:
    return [cas.id, dict(cas.metadata)] + [
        (v.name, v.text, [(type(a).__name__, a.begin, a.end) for a in v.select(Annotation)]) for v in cas.views
    ]
