"""Consumer of JSON CAS: what it writes comes back, and what must stay private does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.consumers.uima.jsoncas import JsonCasConsumer
from caspipe.pipeline.errors import CasError, ComponentError
from caspipe.readers.uima.cas_files import JsonCasReader
from caspipe.typesystem import DEIDENTIFIED_VIEW, Cas, MaskedSpan, Phi, PhiCandidate
from caspipe.typesystem.typesystem import TypeSystem

Make = Callable[..., Cas]
Listing = Callable[[Path], list[str]]


def consumer(output: Path, **parameters: Any) -> JsonCasConsumer:
    made = JsonCasConsumer(**parameters)
    made.output = output
    made.open()
    return made


def spans(cas: Cas, view: str, type_: Any) -> list[tuple[int, int]]:
    return [(a.begin, a.end) for a in cas.view(view).select(type_)]


def test_documents_come_back_with_what_xml_cannot_carry(tmp_path: Path, make: Make, listing: Listing) -> None:
    c = consumer(tmp_path)
    cas = make()
    cas.metadata["ward"] = "W\x0b\ud800"
    c.process(cas)
    c.process(make("b"))
    c.close()
    folder = tmp_path / "restricted/jsoncas"
    assert listing(folder) == ["b.json", "ward/note-1.json"]
    r = JsonCasReader(folder=folder)
    b, back = r
    assert r.failed == []
    assert (b.id, back.id, back.metadata["ward"]) == ("b", "ward/note-1", "W\x0b\ud800")
    assert (back.text, back.deidentified) == (cas.text, cas.deidentified)
    for type_ in (Phi, PhiCandidate):
        assert spans(back, "_InitialView", type_) == spans(cas, "_InitialView", type_)
    assert spans(back, DEIDENTIFIED_VIEW, MaskedSpan) == spans(cas, DEIDENTIFIED_VIEW, MaskedSpan)


def test_folder_and_files_are_private_unless_told_otherwise(tmp_path: Path, make: Make) -> None:
    consumer(tmp_path).process(make("a"))
    folder = tmp_path / "restricted/jsoncas"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {p.stat().st_mode & 0o777 for p in folder.iterdir()} == {0o600}


def test_masked_text_alone_holds_nothing_of_the_original(tmp_path: Path, make: Make) -> None:
    cas = make("a")
    consumer(tmp_path, folder=Path("release/json"), views=[DEIDENTIFIED_VIEW]).process(cas)
    (path,) = (tmp_path / "release/json").iterdir()
    document = json.loads(path.read_bytes())
    assert [s["sofaID"] for s in document["%FEATURE_STRUCTURES"] if s["%TYPE"] == "uima.cas.Sofa"] == [
        DEIDENTIFIED_VIEW
    ]
    masked = [s for s in document["%FEATURE_STRUCTURES"] if s["%TYPE"] == MaskedSpan.uima_name]
    assert masked
    assert {(s["original_begin"], s["original_end"]) for s in masked} == {(0, 0)}
    assert any(s.original_end for s in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan))  # the document itself keeps them


def test_only_some_types_and_no_type_system(tmp_path: Path, make: Make) -> None:
    consumer(tmp_path, types=["caspipe.Phi"], type_system="none").process(make("a"))
    document = json.loads((tmp_path / "restricted/jsoncas/a.json").read_bytes())
    assert "%TYPES" not in document
    assert "caspipe.PhiCandidate" not in {s["%TYPE"] for s in document["%FEATURE_STRUCTURES"]}


def test_a_document_without_a_listed_view_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match="expected a view deidentified, found none"):
        consumer(tmp_path, views=[DEIDENTIFIED_VIEW]).process(Cas("abc", id="a"))


def test_what_cannot_be_written_leaves_no_file(tmp_path: Path, listing: Listing) -> None:
    types = TypeSystem()
    made = types.create_type("my.T", features={"n": "uima.cas.Integer"})
    cas = Cas("abc", id="a", typesystem=types)
    cas.add(made(0, 1, n="Featherstone"))
    c = consumer(tmp_path)
    with pytest.raises(CasError, match=r"document a: my\.T: feature n") as e:
        c.process(cas)
    assert "Feather" not in str(e.value)
    assert listing(tmp_path / "restricted/jsoncas") == []


def test_a_rolled_back_document_is_taken_back(tmp_path: Path, make: Make, listing: Listing) -> None:
    c = consumer(tmp_path)
    cas = make("a")
    c.rollback(cas.id)
    c.process(cas)
    c.rollback(cas.id)
    c.close()
    assert listing(tmp_path / "restricted/jsoncas") == []
