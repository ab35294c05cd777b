"""Generated documents through our XMI, through dkpro-cassis and through Apache UIMA for Java: three times the same document.

CASPIPE_SOAK is how many documents there are (2,000; `make soak` takes 10,000). The documents are the same every time.
"""

from __future__ import annotations

import io
import os
import warnings
from collections import Counter
from typing import Any

import cassis
import pytest
from cassis_defects import defects
from generated import FOREIGN, WIDE, document
from graphs import differences, for_java, from_java, graph
from raw import losses
from test_uima import without_made
from uima import Uima

from caspipe.typesystem import Cas, read_xmi, write_xmi

pytestmark = pytest.mark.java

COUNT = int(os.environ.get("CASPIPE_SOAK", "2000"))
BATCH = 500


def batches() -> list[range]:
    return [range(i, min(i + BATCH, COUNT)) for i in range(0, COUNT, BATCH)]


def as_written(cas: Cas) -> dict[str, Any]:
    """What must come back: the id comes back by way of a document annotation, so it is left out here."""
    cas.id = ""
    return graph(cas)


@pytest.mark.parametrize("numbers", batches(), ids=lambda r: f"{r.start}-{r.stop - 1}")
def test_ours_is_read_as_it_was_with_its_types_and_without(numbers: range) -> None:
    for n in numbers:
        cas = document(n)
        before = as_written(cas)
        data = write_xmi(cas, offset_map=True)
        read = read_xmi(data, cas.typesystem)
        assert graph(read) == before, n
        assert write_xmi(read, offset_map=True) == write_xmi(
            read_xmi(write_xmi(read, offset_map=True), cas.typesystem), offset_map=True
        ), n
        if n % 4:
            continue
        loose = read_xmi(data, lenient=True)
        kept = read_xmi(write_xmi(loose, offset_map=True), cas.typesystem, lenient=True)
        kept.metadata.pop("xmi:notes", None)
        assert graph(kept) == before, n
        alien = read_xmi(data, FOREIGN if cas.typesystem is WIDE else WIDE, lenient=True)
        assert not losses(data, write_xmi(alien, offset_map=True)), n


@pytest.mark.parametrize("numbers", batches(), ids=lambda r: f"{r.start}-{r.stop - 1}")
def test_java_sees_what_we_see_and_gives_it_back(java: Uima, numbers: range) -> None:
    made = [document(n) for n in numbers]
    written = [write_xmi(cas, offset_map=True) for cas in made]
    types = {id(ts): ts.to_xml() for ts in (WIDE, FOREIGN)}
    answers = java.check(
        [(data, types[id(cas.typesystem)]) for data, cas in zip(written, made, strict=True)], again=True
    )
    for n, cas, data, answer in zip(numbers, made, written, answers, strict=True):
        assert "error" not in answer, (n, answer.get("error"))
        read = read_xmi(data, cas.typesystem)
        assert not differences(for_java(read), from_java(answer)), n
        again = without_made(read_xmi(answer["again"], cas.typesystem), read)
        assert graph(again, single=True, by_number=True) == graph(read, single=True, by_number=True), n


def test_cassis_reads_what_we_read_and_gives_it_back() -> None:
    types = {id(ts): loaded(ts.to_xml()) for ts in (WIDE, FOREIGN)}
    met: Counter[str] = Counter()
    for n in range(COUNT):
        cas = document(n)
        data = write_xmi(cas, offset_map=True)
        read = read_xmi(data, cas.typesystem)
        known = defects(read)
        met.update(known or ["none"])
        if known:
            continue
        theirs = cassis.load_cas_from_xmi(io.BytesIO(data), types[id(cas.typesystem)])
        again = read_xmi(theirs.to_xmi().encode(), cas.typesystem)
        assert graph(again, by_number=True) == graph(read, by_number=True), n
    assert met["none"] > COUNT * 0.4, met
    assert len(met) == 10 or COUNT < 1000, f"a defect that no document meets is no reason to pass it over: {met}"


def loaded(data: bytes) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # cassis tells of features named `self` and `type`, which it renames
        return cassis.load_typesystem(io.BytesIO(data))
