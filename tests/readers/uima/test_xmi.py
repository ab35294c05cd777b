"""Reader of XMI: finding the type system, and faulty files that fail alone."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from caspipe.pipeline.errors import ReaderError
from caspipe.readers.uima.cas_files import XmiReader
from caspipe.typesystem import Cas, CaspipeWarning, Sentence
from caspipe.typesystem.typesystem import TypeSystem
from caspipe.typesystem.xmi.writer import write_xmi

BADGE = "org.hospital.Badge"


def badge_types() -> TypeSystem:
    types = TypeSystem()
    types.create_type(BADGE, supertype="uima.tcas.Annotation", features={"number": "uima.cas.String"})
    return types


def write(path: Path, text: str = "badge 17") -> None:
    types = badge_types()
    cas = Cas(text, typesystem=types)
    cas.add(types[BADGE](6, 8, number="17"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(write_xmi(cas))


def numbers(reader: XmiReader) -> list[tuple[str, list[object]]]:
    return [(cas.id, [b.number for b in cas.select(BADGE)]) for cas in reader]


def reasons(reader: XmiReader) -> list[tuple[str, str]]:
    return [(document, str(error)) for document, error in reader.failed]


@pytest.mark.parametrize("place", ["a/b.typesystem.xml", "a/TypeSystem.xml", "a/typesystem.xml", "TypeSystem.xml"])
def test_the_nearest_type_system_is_taken(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "docs"
    write(folder / "a/b.xmi")
    (folder / place).write_bytes(badge_types().to_xml())
    assert numbers(XmiReader(folder=folder)) == [("a/b", ["17"])]


def test_a_type_system_above_the_folder_is_not_looked_at(tmp_path: Path) -> None:
    write(tmp_path / "docs/b.xmi")
    (tmp_path / "TypeSystem.xml").write_bytes(badge_types().to_xml())
    r = XmiReader(folder=tmp_path / "docs", infer=False)
    assert list(r) == []
    ((document, reason),) = reasons(r)
    assert document == "b"
    assert reason.startswith(f"{tmp_path}/docs/b.xmi: ")
    assert BADGE in reason


def test_a_type_system_can_be_named_or_is_made_up_with_a_warning(tmp_path: Path) -> None:
    write(tmp_path / "docs/b.xmi")
    (tmp_path / "types.xml").write_bytes(badge_types().to_xml())
    assert numbers(XmiReader(folder=tmp_path / "docs", typesystem=tmp_path / "types.xml")) == [("b", ["17"])]
    r = XmiReader(folder=tmp_path / "docs")
    with pytest.warns(CaspipeWarning, match="some documents have no type system, so their types were inferred") as told:
        (cas,) = r
    assert len(told) == 1
    assert [b.number for b in cas.select(BADGE)] == [17]
    assert cas.metadata["types"] == "inferred"


def test_own_types_need_no_type_system_and_no_warning(tmp_path: Path) -> None:
    cas = Cas("ab")
    cas.add(Sentence(0, 2))
    (tmp_path / "b.xmi").write_bytes(write_xmi(cas))
    (again,) = XmiReader(folder=tmp_path)
    assert again.typesystem is None
    assert again.metadata == {}


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("place", ["ward/b.typesystem.xml", "ward/TypeSystem.xml", "TypeSystem.xml"])
def test_the_type_system_is_found_in_the_archive(tmp_path: Path, place: str) -> None:
    write(tmp_path / "b.xmi")
    data = (tmp_path / "b.xmi").read_bytes()
    path = zipped(tmp_path / "corpus.zip", {"ward/b.xmi": data, place: badge_types().to_xml()})
    assert numbers(XmiReader(folder=path)) == [("ward/b", ["17"])]
    assert numbers(XmiReader(files=path)) == [("ward/b", ["17"])]


def test_the_type_system_of_an_archive_may_lie_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "b.xmi")
    (tmp_path / "docs").mkdir()
    zipped(tmp_path / "docs/corpus.zip", {"b.xmi": (tmp_path / "b.xmi").read_bytes()})
    (tmp_path / "docs/TypeSystem.xml").write_bytes(badge_types().to_xml())
    r = XmiReader(folder=tmp_path / "docs", files=tmp_path / "docs/corpus.zip")
    assert [found for _, found in numbers(r)] == [["17"]]


def test_unknown_types_are_passed_through_where_reading_is_lenient(tmp_path: Path) -> None:
    write(tmp_path / "b.xmi")
    (cas,) = XmiReader(folder=tmp_path, lenient=True)
    assert BADGE.encode().rpartition(b".")[2] in write_xmi(cas)


def test_gzipped_files_are_read(tmp_path: Path) -> None:
    write(tmp_path / "b.xmi")
    (tmp_path / "c.xmi.gz").write_bytes(gzip.compress((tmp_path / "b.xmi").read_bytes()))
    (tmp_path / "b.xmi").unlink()
    (tmp_path / "c.typesystem.xml").write_bytes(badge_types().to_xml())
    r = XmiReader(files=tmp_path / "c.xmi.gz")
    assert numbers(r) == [("c", ["17"])]
    assert len(r) == 1


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Featherstone",
        b"<xmi:XMI>Featherstone",
        b"<html>Featherstone</html>",
        b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><xmi:XMI xmlns:xmi="http://www.omg.org/XMI">&e;</xmi:XMI>',
        b"\xff\xfe\x00F\x00e",
    ],
)
def test_a_faulty_file_has_failed_without_quoting_it_and_the_next_is_read(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.xmi").write_bytes(data)
    write(tmp_path / "b.xmi")
    (tmp_path / "TypeSystem.xml").write_bytes(badge_types().to_xml())
    r = XmiReader(folder=tmp_path)
    assert numbers(r) == [("b", ["17"])]
    ((document, reason),) = reasons(r)
    assert document == "a"
    assert reason.startswith(f"{tmp_path}/a.xmi: ")
    assert "Feather" not in reason


def test_a_damaged_type_system_fails_its_documents_and_a_named_one_the_reader(tmp_path: Path) -> None:
    write(tmp_path / "docs/b.xmi")
    (tmp_path / "docs/b.typesystem.xml").write_bytes(b"<x")
    r = XmiReader(folder=tmp_path / "docs")
    assert list(r) == []
    assert "b.typesystem.xml" in reasons(r)[0][1]
    with pytest.raises(ReaderError, match=r"reader xmi: .*b\.typesystem\.xml"):
        XmiReader(folder=tmp_path / "docs", typesystem=tmp_path / "docs/b.typesystem.xml").open()
    with pytest.raises(ReaderError, match=r"reader xmi: .*absent\.xml"):
        XmiReader(folder=tmp_path / "docs", typesystem=tmp_path / "absent.xml").open()


def test_a_file_beyond_the_limit_has_failed(tmp_path: Path) -> None:
    write(tmp_path / "b.xmi")
    r = XmiReader(folder=tmp_path, max_bytes=100)
    assert list(r) == []
    assert reasons(r)[0][1].endswith("longer than max_bytes (100 bytes)")


def test_an_unforeseen_error_is_reported_by_its_class_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from caspipe.readers.uima import cas_files

    def broken(*_: object, **__: object) -> Cas:
        raise KeyError("Featherstone")

    write(tmp_path / "b.xmi")
    monkeypatch.setattr(cas_files, "read_xmi", broken)
    r = XmiReader(folder=tmp_path)
    assert list(r) == []
    assert reasons(r) == [("b", f"{tmp_path}/b.xmi: KeyError")]


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReaderError, match=r"no file matches \*\.xmi"):
        XmiReader(folder=tmp_path).open()
