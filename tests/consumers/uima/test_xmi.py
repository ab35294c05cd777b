"""Consumer of XMI: what it writes comes back, and what must stay private does."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.consumers.uima.xmi import XmiConsumer
from caspipe.pipeline.errors import CasError, ComponentError, ConsumerError
from caspipe.readers.uima.cas_files import XmiReader
from caspipe.typesystem import DEIDENTIFIED_VIEW, Annotation, Cas, MaskedSpan, Phi, PhiCandidate, TypeSystemError
from caspipe.typesystem.typesystem import TypeSystem

Make = Callable[..., Cas]
Listing = Callable[[Path], list[str]]


def consumer(output: Path, **parameters: Any) -> XmiConsumer:
    made = XmiConsumer(**parameters)
    made.output = output
    made.open()
    return made


def spans(cas: Cas, view: str, type_: type[Annotation]) -> list[tuple[int, int]]:
    return [(a.begin, a.end) for a in cas.view(view).select(type_)]


def test_documents_and_type_system_come_back(tmp_path: Path, make: Make, listing: Listing) -> None:
    c = consumer(tmp_path)
    cas = make()
    cas.metadata["ward"] = "W"
    c.process(cas)
    c.process(make("b"))
    c.close()
    folder = tmp_path / "restricted/xmi"
    assert listing(folder) == ["TypeSystem.xml", "b.xmi", "ward/note-1.xmi"]
    r = XmiReader(folder=folder)
    b, back = r
    assert r.failed == []
    assert (b.id, back.id, back.metadata["ward"]) == ("b", "ward/note-1", "W")
    assert (back.text, back.deidentified) == (cas.text, cas.deidentified)
    for type_ in (Phi, PhiCandidate):
        assert spans(back, "_InitialView", type_) == spans(cas, "_InitialView", type_)
    assert spans(back, DEIDENTIFIED_VIEW, MaskedSpan) == spans(cas, DEIDENTIFIED_VIEW, MaskedSpan)


def test_folder_and_files_are_private_unless_told_otherwise(tmp_path: Path, make: Make) -> None:
    c = consumer(tmp_path)
    c.process(make("a"))
    folder = tmp_path / "restricted/xmi"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {p.stat().st_mode & 0o777 for p in folder.iterdir()} == {0o600}
    c = consumer(tmp_path, folder=Path("release/xmi"), views=[DEIDENTIFIED_VIEW])
    c.process(make("a"))
    assert (tmp_path / "release/xmi").stat().st_mode & 0o077


def test_masked_text_alone_holds_nothing_of_the_original(tmp_path: Path, make: Make) -> None:
    cas = make("a")
    cas.metadata["patient"] = "Featherstone"
    c = consumer(tmp_path, views=[DEIDENTIFIED_VIEW])
    c.process(cas)
    data = (tmp_path / "restricted/xmi/a.xmi").read_text()
    assert "[PERSON]" in data
    for word in ("Featherstone", "Ivy", "3/4/2020"):
        assert word not in data
    (back,) = XmiReader(folder=tmp_path / "restricted/xmi")
    assert [(m.original_begin, m.original_end) for m in back.view(DEIDENTIFIED_VIEW).select(MaskedSpan)] == [(0, 0)] * 2
    assert cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan)[0].original_begin == 4


def test_the_offset_map_is_written_only_where_it_is_asked_for(tmp_path: Path, make: Make) -> None:
    for wanted in (False, True):
        out = tmp_path / str(wanted)
        c = consumer(out, views=[DEIDENTIFIED_VIEW], offset_map=wanted)
        c.process(make("a"))
        (back,) = XmiReader(folder=out / "restricted/xmi")
        assert (back.view(DEIDENTIFIED_VIEW).offset_map is not None) is wanted
        assert bool(back.view(DEIDENTIFIED_VIEW).select(MaskedSpan)[0].original_begin) is wanted


def test_a_document_without_a_listed_view_is_refused(tmp_path: Path, make: Make, listing: Listing) -> None:
    c = consumer(tmp_path, views=[DEIDENTIFIED_VIEW])
    with pytest.raises(ComponentError, match="expected a view deidentified, found none; no masker ran"):
        c.process(make(mask=False))
    assert listing(tmp_path) == ["restricted/xmi/TypeSystem.xml"]


def test_only_the_listed_types_are_written(tmp_path: Path, make: Make) -> None:
    c = consumer(tmp_path, types=["caspipe.Phi"])
    c.process(make("a"))
    (back,) = XmiReader(folder=tmp_path / "restricted/xmi")
    assert len(back.select(Phi)) == 3
    assert back.select(PhiCandidate) == []
    with pytest.raises(TypeSystemError, match=r"caspipe\.Phy.*caspipe\.Phi"):
        consumer(tmp_path, types=["caspipe.Phy"]).process(make("a"))


def test_foreign_types_are_in_the_type_system_of_all(tmp_path: Path, make: Make) -> None:
    c = consumer(tmp_path)
    c.process(make("a"))
    for name in ("Badge", "Ward"):
        types = TypeSystem()
        types.create_type(
            f"org.example.{name}", supertype="uima.tcas.Annotation", features={"number": "uima.cas.String"}
        )
        cas = Cas("badge 17", id=name, typesystem=types)
        cas.add(types[f"org.example.{name}"](6, 8, number="17"))
        c.process(cas)
    c.close()
    back = {cas.id: cas for cas in XmiReader(folder=tmp_path / "restricted/xmi")}
    assert [(b.begin, b.number) for b in back["Ward"].select("org.example.Ward")] == [(6, "17")]
    assert back["Badge"].select("org.example.Badge")[0].covered_text == "17"


def test_types_that_contradict_those_before_lie_beside_their_document(tmp_path: Path, listing: Listing) -> None:
    c = consumer(tmp_path)
    values = {"ward/0": "17", "ward/1": 17, "ward/2": 4}
    for name, value in values.items():
        types = TypeSystem()
        range_ = "uima.cas.String" if isinstance(value, str) else "uima.cas.Integer"
        made = types.create_type("org.example.Pass", Annotation, {"number": range_})
        cas = Cas("x", id=name, typesystem=types)
        cas.add(made(0, 1, number=value))
        c.process(cas)
    c.rollback(cas.id)
    c.close()
    assert listing(tmp_path / "restricted/xmi") == [
        "TypeSystem.xml",
        "ward/0.xmi",
        "ward/1.typesystem.xml",
        "ward/1.xmi",
    ]
    back = {cas.id: cas.select("org.example.Pass")[0].number for cas in XmiReader(folder=tmp_path / "restricted/xmi")}
    assert back == {"ward/0": "17", "ward/1": 17}


def test_text_that_xml_cannot_carry(tmp_path: Path) -> None:
    cas = Cas("a\x00b\ud800\U0001f600\r\n<&>\"'", id="a")
    consumer(tmp_path).process(cas)
    (back,) = XmiReader(folder=tmp_path / "restricted/xmi")
    assert len(back.text) == len(cas.text)
    assert back.text.endswith("\U0001f600\r\n<&>\"'")
    with pytest.raises(CasError) as caught:
        consumer(tmp_path, on_illegal="error").process(Cas("Featherstone\x00", id="b"))
    assert "Feather" not in str(caught.value)


def test_a_full_disk_leaves_nothing_half_written(
    tmp_path: Path, make: Make, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    c = consumer(tmp_path)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(ConsumerError, match=r"restricted/xmi: cannot write: No space left on device"):
            c.process(make("a"))
    assert listing(tmp_path / "restricted/xmi") == ["TypeSystem.xml"]


def test_a_rolled_back_document_is_gone(tmp_path: Path, make: Make, listing: Listing) -> None:
    c = consumer(tmp_path)
    c.process(make("a"))
    c.rollback("a")
    assert listing(tmp_path / "restricted/xmi") == ["TypeSystem.xml"]
