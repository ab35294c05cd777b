"""Reader of XCAS: file names, type systems, and faulty files that fail alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from caspipe.pipeline.errors import ReaderError
from caspipe.readers.uima.cas_files import XcasReader
from caspipe.typesystem import CaspipeWarning, Feature, TypeSystem

BADGE = "org.hospital.Badge"
DOCUMENT = (
    '<CAS version="2"><uima.cas.Sofa _indexed="0" _id="1" sofaNum="1" sofaID="_InitialView" sofaString="badge 17"/>'
    f'<{BADGE} _indexed="1" _id="2" _ref_sofa="1" begin="6" end="8" number="17"/></CAS>'
).encode()


def badge_types() -> bytes:
    types = TypeSystem()
    types.create_type(BADGE, "uima.tcas.Annotation", [Feature("number", "uima.cas.String")])
    return types.to_xml()


def numbers(reader: XcasReader) -> list[tuple[str, list[object]]]:
    return [(cas.id, [b.number for b in cas.select(BADGE)]) for cas in reader]


def test_files_are_read_with_the_type_system_beside_them(tmp_path: Path) -> None:
    (tmp_path / "a.xcas").write_bytes(DOCUMENT)
    (tmp_path / "b.xml").write_bytes(DOCUMENT)
    (tmp_path / "TypeSystem.xml").write_bytes(badge_types())
    assert numbers(XcasReader(folder=tmp_path)) == [("a", ["17"])]
    assert numbers(XcasReader(files=[tmp_path / "a.xcas", tmp_path / "b.xml"])) == [("a", ["17"]), ("b", ["17"])]


def test_without_any_the_types_are_made_up_with_a_warning_or_the_document_has_failed(tmp_path: Path) -> None:
    (tmp_path / "a.xcas").write_bytes(DOCUMENT)
    with pytest.warns(CaspipeWarning, match="some documents have no type system"):
        assert numbers(XcasReader(folder=tmp_path)) == [("a", [17])]
    r = XcasReader(folder=tmp_path, infer=False)
    assert list(r) == []
    assert BADGE in str(r.failed[0][1])


FAULTY = {
    "nothing": b"",
    "a word": b"Featherstone",
    "a cut": DOCUMENT[:-30].replace(b"badge", b"Featherstone"),
    "XMI": b'<xmi:XMI xmlns:xmi="http://www.omg.org/XMI">Featherstone</xmi:XMI>',
    "an entity": b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><CAS>&e;</CAS>',
    "another encoding": DOCUMENT.replace(b"badge", b"Featherst\xf6ne"),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_a_faulty_file_has_failed_without_quoting_it_and_the_next_is_read(tmp_path: Path, fault: str) -> None:
    (tmp_path / "a.xcas").write_bytes(FAULTY[fault])
    (tmp_path / "b.xcas").write_bytes(DOCUMENT)
    (tmp_path / "TypeSystem.xml").write_bytes(badge_types())
    r = XcasReader(folder=tmp_path)
    assert numbers(r) == [("b", ["17"])]
    ((document, error),) = r.failed
    assert document == "a"
    assert str(error).startswith(f"{tmp_path}/a.xcas: ")
    assert "Feather" not in str(error)


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReaderError, match=r"no file matches \*\.xcas"):
        XcasReader(folder=tmp_path).open()
