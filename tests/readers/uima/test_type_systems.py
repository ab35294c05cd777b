"""Type systems beside documents: which one is found, imports by location and name, on the disk and in archives."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from caspipe.readers.uima.cas_files import TypeSystemFinder
from caspipe.typesystem import TypeSystem

HEAD = '<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier">'


def importing(how: str, value: str, name: str = "a.Main") -> bytes:
    types = (
        f"<types><typeDescription><name>{name}</name><supertypeName>b.Base</supertypeName></typeDescription></types>"
    )
    return f'{HEAD}<imports><import {how}="{value}"/></imports>{types}</typeSystemDescription>'.encode()


def base() -> bytes:
    ts = TypeSystem()
    ts.create_type("b.Base")
    return ts.to_xml(["b.Base"])


FILES = {
    "beside, by location": {"x/TypeSystem.xml": importing("location", "more/base.xml"), "x/more/base.xml": base()},
    "above, by location": {"x/TypeSystem.xml": importing("location", "../base.xml"), "base.xml": base()},
    "beside, by name": {"x/TypeSystem.xml": importing("name", "org.types.Base"), "x/org/types/Base.xml": base()},
    "above, by name": {"x/TypeSystem.xml": importing("name", "org.types.Base"), "org/types/Base.xml": base()},
    "of the document itself": {"x/d.typesystem.xml": importing("location", "base.xml"), "x/base.xml": base()},
}


def laid(folder: Path, files: dict[str, bytes], packed: bool) -> tuple[Path, str]:
    """The files on the disk or in an archive: the folder to look in, and the path of a document in `x`."""
    if packed:
        path = folder / "corpus.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in {**files, "x/d.xmi": b""}.items():
                archive.writestr(name, data)
        return path, f"{path}!/x/d.xmi"
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder, str(folder / "x/d.xmi")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("place", FILES)
def test_imports_are_followed(tmp_path: Path, place: str, packed: bool) -> None:
    folder, document = laid(tmp_path, FILES[place], packed)
    beside = TypeSystemFinder(None, folder, (".xmi",))
    found = beside.of(document)
    assert isinstance(found, TypeSystem)
    assert "a.Main" in found
    assert "b.Base" in found
    assert beside.of(document) is found


@pytest.mark.parametrize("packed", [False, True])
def test_no_type_system_is_none_and_an_absent_import_is_reported(tmp_path: Path, packed: bool) -> None:
    folder, document = laid(tmp_path, {"x/readme.txt": b""}, packed)
    assert TypeSystemFinder(None, folder, (".xmi",)).of(document) is None
    folder, document = laid(tmp_path, {"x/TypeSystem.xml": importing("location", "absent.xml")}, packed)
    found = TypeSystemFinder(None, folder, (".xmi",)).of(document)
    assert isinstance(found, str)
    assert found.endswith("absent.xml")
    assert "import by location" in found


def test_an_import_does_not_leave_its_archive(tmp_path: Path) -> None:
    (tmp_path / "base.xml").write_bytes(base())
    folder, document = laid(tmp_path, {"x/TypeSystem.xml": importing("location", "../../base.xml")}, packed=True)
    found = TypeSystemFinder(None, folder, (".xmi",)).of(document)
    assert isinstance(found, str)
    assert "(outside the archive)" in found


def test_the_search_ends_at_the_folder_or_with_files_alone_at_theirs(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "TypeSystem.xml").write_bytes(base())
    document = str(tmp_path / "a/b/d.xmi")
    assert TypeSystemFinder(None, tmp_path / "a", (".xmi",)).of(document) is None
    assert TypeSystemFinder(None, None, (".xmi",)).of(document) is None
    assert isinstance(TypeSystemFinder(None, tmp_path, (".xmi",)).of(document), TypeSystem)
    assert isinstance(TypeSystemFinder(tmp_path / "TypeSystem.xml", None, ()).of(document), TypeSystem)


def test_what_is_wrong_with_a_file_is_reported_for_each_of_its_documents(tmp_path: Path) -> None:
    (tmp_path / "TypeSystem.xml").write_bytes(b"<x")
    beside = TypeSystemFinder(None, tmp_path, (".xmi",))
    for name in ("a.xmi", "b.xmi.gz"):
        found = beside.of(str(tmp_path / name))
        assert isinstance(found, str)
        assert found.startswith(f"{tmp_path / 'TypeSystem.xml'}:1:")
