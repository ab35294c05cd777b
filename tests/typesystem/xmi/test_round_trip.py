"""What is written comes back: random documents through our XMI and through cassis, with every kind of feature."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys

import cassis
import pytest
from documents import WIDE, documents
from graphs import graph
from hypothesis import HealthCheck, given, settings

from caspipe.typesystem import (
    Cas,
    CasError,
    DocumentAnnotation,
    DocumentMetaData,
    Phi,
    PhiKind,
    Sentence,
    Token,
    from_cassis,
    read_xmi,
    to_cassis,
    write_xmi,
)

SLOW = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], max_examples=150
)


@SLOW
@given(documents())
def test_a_document_comes_back_from_xmi_as_it_was(cas: Cas) -> None:
    cas.id = ""  # an id comes back as a document annotation too: tested below
    before = graph(cas)
    data = write_xmi(cas, offset_map=True)
    assert graph(cas) == before, "writing changed the document"
    again = read_xmi(data, WIDE)
    assert graph(again) == before
    assert write_xmi(again, offset_map=True) == write_xmi(
        read_xmi(write_xmi(again, offset_map=True), WIDE), offset_map=True
    )


@SLOW
@given(documents())
def test_the_id_comes_back_in_one_document_annotation(cas: Cas) -> None:
    again = read_xmi(write_xmi(cas), WIDE)
    assert again.id == cas.id
    found = [d for v in again.views for d in v.select(DocumentMetaData)]
    assert len(found) == bool(cas.id)


@SLOW
@given(documents())
def test_pretty_printing_changes_nothing(cas: Cas) -> None:
    assert graph(read_xmi(write_xmi(cas, pretty=True), WIDE)) == graph(read_xmi(write_xmi(cas), WIDE))


@pytest.mark.slow
@SLOW
@given(documents())
def test_copies_and_pickles_write_the_same_bytes(cas: Cas) -> None:
    data = write_xmi(cas)
    assert write_xmi(cas.copy()) == data
    assert write_xmi(pickle.loads(pickle.dumps(cas))) == data


@pytest.mark.slow
@SLOW
@given(documents(empty_strings=False))
def test_a_document_comes_back_from_cassis_as_from_xmi(cas: Cas) -> None:
    cas.id = ""
    try:
        there = to_cassis(cas)
    except CasError as e:
        assert "cassis does not support a feature with such a name" in str(e)
        return
    assert graph(from_cassis(there)) == graph(read_xmi(write_xmi(cas, offset_map=True), WIDE))


@pytest.mark.slow
@SLOW
@given(documents(odd=False, empty_strings=False, cassis=True))
def test_cassis_reads_our_xmi_and_we_read_its(cas: Cas) -> None:
    cas.id = ""
    ours = write_xmi(cas, offset_map=True)
    expected = graph(read_xmi(ours, WIDE))
    there = to_cassis(cas)
    assert graph(from_cassis(cassis.load_cas_from_xmi(io.BytesIO(ours), there.typesystem))) == expected
    theirs = there.to_xmi().encode()
    assert graph(read_xmi(theirs, from_cassis(there).typesystem)) == expected


@SLOW
@given(documents(odd=False))
def test_lenient_reading_of_what_is_right_is_strict_reading(cas: Cas) -> None:
    data = write_xmi(cas)
    assert graph(read_xmi(data, WIDE, lenient=True)) == graph(read_xmi(data, WIDE))


@SLOW
@given(documents(odd=False))
def test_without_its_type_system_a_document_survives_lenient_reading(cas: Cas) -> None:
    data = write_xmi(cas, offset_map=True)
    loose = read_xmi(data, lenient=True)
    again = write_xmi(loose, offset_map=True)
    strict, kept = read_xmi(data, WIDE), read_xmi(again, WIDE)
    assert graph(kept) == graph(strict)


def test_bytes_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "import sys; from caspipe.typesystem import *\n"
        "cas = Cas('Seen on 3/4/2020 by Dr. Smith', id='d'); v = cas.view()\n"
        "ts = TypeSystem(); R = ts.create_type('t.R', Annotation, {'to': 'uima.cas.TOP', 'z': 'uima.cas.String'})\n"
        "cas.set_typesystem(ts)\n"
        "p = [Phi(8, 16, kind=PhiKind.DATE), Token(8, 16, pos='CD'), Sentence(0, 29), R(8, 16, to=Token(0, 4, pos='VBN'))]\n"
        "v.add_all(p); v.add(PhiCandidate(8, 16, kind=PhiKind.DATE, winner=p[0])); cas.metadata = {'b': '1', 'a': '2'}\n"
        "sys.stdout.buffer.write(write_xmi(cas) + ts.to_xml())\n"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(seen) == 1


def test_xmi_ids_stay_when_a_document_is_changed() -> None:
    cas = Cas("one two three")
    cas.view().add_all([Token(0, 3), Token(4, 7)])
    first = read_xmi(write_xmi(cas))
    one, two = first.select(Token)
    assert first.origin is not None
    ids = {id(x): n for n, x in first.origin.items.items()}
    first.add(Token(8, 13))
    first.remove(one)
    second = read_xmi(write_xmi(first))
    assert second.origin is not None
    kept = {(x.begin, x.end): n for n, x in second.origin.items.items() if isinstance(x, Token)}
    assert kept == {(4, 7): ids[id(two)], (8, 13): max(ids.values()) + 1}


@pytest.mark.parametrize("name", ["_InitialView", "other"])
def test_a_document_without_text_stays_one(name: str) -> None:
    cas = Cas()
    cas.create_view(name, None, mime="")
    assert graph(read_xmi(write_xmi(cas))) == graph(cas)


def test_only_the_types_asked_for_are_written() -> None:
    cas = Cas("Ann came", id="d")
    cas.view().add_all([Token(0, 3, pos="NNP"), Sentence(0, 8), Phi(0, 3, kind=PhiKind.PERSON)])
    again = read_xmi(write_xmi(cas, types=[Token]))
    assert [type(x).__name__ for x in again.view()] == ["DocumentMetaData", "Token"]
    assert again.select(Token)[0].pos == "NNP"


def test_there_is_one_document_annotation_in_each_view() -> None:
    cas = Cas("abc", id="d")
    plain = cas.add(DocumentAnnotation(0, 3, language="de"))
    again = read_xmi(write_xmi(cas))
    (document,) = again.select(DocumentAnnotation)
    assert (type(document), document.language, document.documentId) == (DocumentMetaData, "de", "d")
    cas.add(DocumentMetaData(0, 3, documentTitle="t"))
    (document,) = read_xmi(write_xmi(cas)).select(DocumentAnnotation)
    assert (document.documentTitle, document.documentId) == ("t", "d")
    assert plain in cas.select(DocumentAnnotation)
    kept = Cas("abc", id="reader's")
    kept.add(DocumentMetaData(0, 3, documentId="own"))
    assert read_xmi(write_xmi(kept)).select(DocumentMetaData)[0].documentId == "own"
