"""XMI as it is met in the wild: strictly where UIMA would, leniently always, without silent loss."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from graphs import graph
from raw import losses
from test_uima import types_of, zoo
from uima import Uima
from wild import CASES, TYPES

from caspipe.typesystem import FormatError, TypeSystem, infer_types, read_xmi, write_xmi

pytestmark = pytest.mark.java


def kept(data: bytes, types: TypeSystem | None, *, lenient: bool) -> list[str]:
    """Reads, writes and reads again: the same document, and what of the file is not in it."""
    cas = read_xmi(data, types, lenient=lenient)
    written = write_xmi(cas)
    again = read_xmi(written, cas.typesystem, lenient=lenient)
    for one in (cas, again):
        one.metadata.pop("xmi:notes", None)
    assert graph(again) == graph(cas)
    return losses(data, written)


@pytest.mark.parametrize("case", CASES)
def test_what_is_met_is_read_strictly_or_leniently_and_kept(case: str) -> None:
    one = CASES[case]
    if one.strict:
        found = kept(one.data, TYPES, lenient=False)
        assert all(loss.startswith(one.lost) for loss in found), found
        assert bool(found) == bool(one.lost)
    else:
        with pytest.raises(FormatError) as e:
            read_xmi(one.data, TYPES)
        assert not re.search("Zebulon|Quux", str(e.value))
    if case == "a document type":  # never
        with pytest.raises(FormatError, match="document type declarations and entities are not read"):
            read_xmi(one.data, TYPES, lenient=True)
        return
    cas = read_xmi(one.data, TYPES, lenient=True)
    assert one.strict or "xmi:notes" in cas.metadata or cas.typesystem != TYPES or not one.lost
    for types in (TYPES, None):
        found = kept(one.data, types, lenient=True)
        assert all(loss.startswith(one.lost) for loss in found), found


def test_strict_reading_is_that_of_java_but_for_what_is_told(java: Uima) -> None:
    answers = java.check([(one.data, TYPES.to_xml()) for one in CASES.values()])
    for (name, one), answer in zip(CASES.items(), answers, strict=True):
        assert ("error" not in answer) == (one.strict if one.java is None else one.java), (name, answer.get("error"))


def test_lenient_reading_takes_what_java_takes_leniently(java: Uima) -> None:
    answers = java.check([(one.data, TYPES.to_xml()) for one in CASES.values()], lenient=True)
    for (name, one), answer in zip(CASES.items(), answers, strict=True):
        if "error" not in answer and name != "a document type":
            read_xmi(one.data, TYPES, lenient=True)


def test_the_zoo_keeps_everything_with_its_types_without_and_with_those_of_others(shared: Path) -> None:
    files = zoo(shared)
    types: list[Any] = [TypeSystem.load(types_of(p)) for p in files]
    for i, path in enumerate(files):
        data = path.read_bytes()
        for given, lenient in ((types[i], False), (types[i], True), (None, True), (infer_types(data), False)):
            assert not kept(data, given, lenient=lenient), (path.name, lenient)
        if len(data) < 100_000:
            for other in (types[i - 1], types[i - 5], types[i - 11]):
                assert not kept(data, other, lenient=True), path.name
