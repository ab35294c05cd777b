"""Type system files: imports, places, the network."""

from __future__ import annotations

from pathlib import Path

import pytest
from type_descriptions import a_type, described

from caspipe.typesystem import (
    TypeSystem,
    TypeSystemError,
)

# -- imports -----------------------------------------------------------------------------------------------------


def test_imports_are_followed_by_location_and_name_in_circles_too(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "path" / "org").mkdir(parents=True)
    (tmp_path / "main.xml").write_text(
        described(
            a_type("a.Main", "a.Sub"),
            imports='<imports><import location="sub/b%20c.xml"/><import name="org.Named"/></imports>',
        )
    )
    (tmp_path / "sub" / "b c.xml").write_text(
        described(
            a_type("a.Sub", "a.Named"),
            imports='<imports><import location="../main.xml"/><import location="b c.xml"/></imports>',
        )
    )
    (tmp_path / "path" / "org" / "Named.xml").write_text(described(a_type("a.Named")))
    ts = TypeSystem.load(tmp_path / "main.xml", search=[tmp_path / "path"])
    assert ts.subsumes("a.Named", "a.Main")
    assert ts.where("a.Sub").endswith("b c.xml:1")
    with pytest.raises(TypeSystemError, match=r"main\.xml: import by name 'org\.Named': no org/Named\.xml in "):
        TypeSystem.load(tmp_path / "main.xml")


@pytest.mark.parametrize(
    "location", ["http://example.org/t.xml", "https://example.org/t.xml", "//host/t.xml", "ftp://x/t.xml"]
)
def test_imports_never_reach_for_the_network(tmp_path: Path, location: str) -> None:
    path = tmp_path / "t.xml"
    path.write_text(described(imports=f'<imports><import location="{location}"/></imports>'))
    with pytest.raises(TypeSystemError, match="only files are read, never the network"):
        TypeSystem.load(path)


def test_a_missing_import_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.xml"
    path.write_text(described(imports='<imports><import location="gone.xml"/></imports>'))
    with pytest.raises(TypeSystemError, match=r"t\.xml: import by location 'gone\.xml': no file .*gone\.xml"):
        TypeSystem.load(path)


def test_contradictions_between_files_name_both_files(tmp_path: Path) -> None:
    for name, range_ in (("one", "uima.cas.String"), ("two", "uima.cas.Integer")):
        (tmp_path / f"{name}.xml").write_text(described(a_type("a.T", v=range_)))
    one, two = TypeSystem.load(tmp_path / "one.xml"), TypeSystem.load(tmp_path / "two.xml")
    with pytest.raises(
        TypeSystemError,
        match=r"feature a\.T:v: range is uima.cas.String in .*one\.xml:1, but uima.cas.Integer in .*two\.xml:1",
    ):
        one.merge(two)
    assert one.merge(one) == one
