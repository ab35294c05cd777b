"""Reader of JSON CAS: its own types, those beside it, and faulty files that fail alone."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from caspipe.pipeline.errors import ReaderError
from caspipe.readers.uima.cas_files import JsonCasReader
from caspipe.typesystem import Cas, CaspipeWarning, TypeSystem, write_jsoncas
from caspipe.typesystem.json_cas.writer import Mode

BADGE = "org.hospital.Badge"


def badge_types() -> TypeSystem:
    types = TypeSystem()
    types.create_type(BADGE, supertype="uima.tcas.Annotation", features={"number": "uima.cas.String"})
    return types


def badge(mode: Mode = "minimal") -> bytes:
    types = badge_types()
    cas = Cas("badge 17", typesystem=types)
    cas.add(types[BADGE](6, 8, number="17"))
    return write_jsoncas(cas, mode=mode)


def numbers(reader: JsonCasReader) -> list[tuple[str, list[object]]]:
    return [(cas.id, [b.number for b in cas.select(BADGE)]) for cas in reader]


def reasons(reader: JsonCasReader) -> list[tuple[str, str]]:
    return [(document, str(error)) for document, error in reader.failed]


def test_a_document_brings_its_types(tmp_path: Path) -> None:
    (tmp_path / "ward").mkdir()
    (tmp_path / "ward/a.json").write_bytes(badge())
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(badge()))
    (tmp_path / "TypeSystem.xml").write_bytes(b"<x")  # not asked
    r = JsonCasReader(folder=tmp_path)
    assert numbers(r) == [("b", ["17"]), ("ward/a", ["17"])]
    assert len(r) == 2


def test_where_it_does_not_the_type_system_beside_it_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(badge("none"))
    (tmp_path / "TypeSystem.xml").write_bytes(badge_types().to_xml())
    assert numbers(JsonCasReader(folder=tmp_path)) == [("a", ["17"])]


def test_without_any_the_types_are_made_up_with_a_warning_or_the_document_has_failed(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(badge("none"))
    with pytest.warns(CaspipeWarning, match="some documents have no type system"):
        assert numbers(JsonCasReader(folder=tmp_path)) == [("a", ["17"])]
    r = JsonCasReader(folder=tmp_path, infer=False)
    assert list(r) == []
    ((document, reason),) = reasons(r)
    assert (document, BADGE in reason) == ("a", True)


def test_archives_are_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "corpus.zip", "w") as archive:
        archive.writestr("x/a.json", badge("none"))
        archive.writestr("x/a.typesystem.xml", badge_types().to_xml())
    assert numbers(JsonCasReader(folder=tmp_path / "corpus.zip")) == [("x/a", ["17"])]


FAULTY = {
    "nothing": b"",
    "a word": b"Featherstone",
    "a cut": b'{"%TYPES":{},"%FEATURE_STRUCTURES":[{"sofaString":"Feather',
    "other JSON": b'{"Feather": "stone"}',
    "another encoding": '{"Feather": "stöne"}'.encode("latin-1"),
    "depth": b"[" * 200_000,
}


@pytest.mark.parametrize("fault", FAULTY)
def test_a_faulty_file_has_failed_without_quoting_it_and_the_next_is_read(tmp_path: Path, fault: str) -> None:
    (tmp_path / "a.json").write_bytes(FAULTY[fault])
    (tmp_path / "b.json").write_bytes(badge())
    r = JsonCasReader(folder=tmp_path)
    assert numbers(r) == [("b", ["17"])]
    ((document, reason),) = reasons(r)
    assert document == "a"
    assert reason.startswith(f"{tmp_path}/a.json: ")
    assert "Feather" not in reason


def test_unknown_features_are_passed_through_where_reading_is_lenient(tmp_path: Path) -> None:
    data = badge().replace(b'"number":"17"}', b'"number":"17","more":"x","@to":99}')
    assert data != badge()
    (tmp_path / "a.json").write_bytes(data)
    r = JsonCasReader(folder=tmp_path)
    assert list(r) == []
    assert "no feature" in reasons(r)[0][1]
    (cas,) = JsonCasReader(folder=tmp_path, lenient=True)
    assert [b.more for b in cas.select(BADGE)] == ["x"]
    assert "refers to %ID 99" in cas.metadata["jsoncas:notes"]


def test_a_named_type_system_that_is_damaged_stops_the_reader(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(badge())
    (tmp_path / "types.xml").write_bytes(b"<x")
    with pytest.raises(ReaderError, match=r"reader jsoncas: .*types\.xml"):
        JsonCasReader(folder=tmp_path, typesystem=tmp_path / "types.xml").open()


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReaderError, match=r"no file matches \*\.json"):
        JsonCasReader(folder=tmp_path).open()
