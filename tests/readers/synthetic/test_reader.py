"""The component `synthetic`, and the formats its documents are written in."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from caspipe.pipeline.errors import ConfigError, ReaderError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.readers.corpora.brat import BratReader
from caspipe.readers.corpora.i2b2 import I2b2Reader
from caspipe.readers.synthetic import Document, Maker, SyntheticReader, formats
from caspipe.readers.synthetic.document import STAFF
from caspipe.readers.synthetic.story import ascii_letters
from caspipe.readers.tables.json_records import JsonlReader
from caspipe.typesystem import GOLD_VIEW, Cas, KnownPhi, Phi, PhiKind

MAKER = Maker(seed=11, noise=0.6)
DOCUMENTS = [MAKER.document(n) for n in range(80)]


def gold(cas: Cas) -> list[tuple[int, int, str]]:
    return [(p.begin, p.end, p.kind.name) for p in cas.view(GOLD_VIEW).select(Phi)]


def test_documents_have_their_spans_in_the_gold_view() -> None:
    reader = SyntheticReader(documents=80, seed=11, noise=0.6)
    assert len(reader) == 80
    assert [(c.id, c.text, gold(c)) for c in reader] == [(d.id, d.text, d.spans) for d in DOCUMENTS]
    assert {c.metadata["layout"] for c in reader} == {d.layout for d in DOCUMENTS}
    assert all(c.select(Phi) == [] for c in reader)


def test_several_readers_share_the_work() -> None:
    parts = [c.text for first in (0, 30) for c in SyntheticReader(documents=30, first=first, seed=11, noise=0.6)]
    assert parts == [d.text for d in DOCUMENTS[:60]]


def test_the_record_stands_beside_the_same_documents() -> None:
    reader = SyntheticReader(documents=80, seed=11, noise=0.6, known=True)
    found = list(reader)
    assert [(c.id, c.text, gold(c)) for c in found] == [(d.id, d.text, d.spans) for d in DOCUMENTS]
    assert not any(c.select(KnownPhi) for c in SyntheticReader(documents=3, seed=11))
    again = [[(k.kind.name, k.value, k.role, k.provenance) for k in c.select(KnownPhi)] for c in reader]
    assert again == [[(k.kind.name, k.value, k.role, k.provenance) for k in c.select(KnownPhi)] for c in found]
    for cas in found:
        kinds = [k.kind.name for k in cas.select(KnownPhi)]
        assert kinds.count("PERSON_PATIENT") == 1
        assert kinds.count("PERSON_DOCTOR") >= STAFF
        assert kinds.count("DATE_BIRTH") == 1


def test_the_record_names_the_patient_and_most_doctors_of_the_document_and_none_of_the_relatives() -> None:
    named: dict[str, list[bool]] = {}
    for cas in SyntheticReader(documents=150, seed=3, noise=0, known=True):
        known: dict[str, set[str]] = {}
        for k in cas.select(KnownPhi):
            known.setdefault(k.kind.name, set()).update(re.findall(r"\w{3,}", ascii_letters(k.value).casefold()))
        for phi in cas.view(GOLD_VIEW).select(Phi):
            words = re.findall(r"\w{3,}", ascii_letters(phi.covered_text).casefold())
            if words and phi.kind.top is PhiKind.PERSON:
                listed = known.get(phi.kind.name, set())
                named.setdefault(phi.kind.name, []).append(any(w in listed for w in words))
    share = {kind: sum(held) / len(held) for kind, held in named.items()}
    assert share["PERSON_PATIENT"] > 0.8  # the others are other patients
    assert 0.6 < share["PERSON_DOCTOR"] < 0.99  # some practise elsewhere
    assert share["PERSON_RELATIVE"] == 0


def test_a_reader_of_no_documents_is_still_a_reader() -> None:
    assert SyntheticReader(documents=0)
    assert list(SyntheticReader(documents=0)) == []


def test_a_pipeline_reads_them() -> None:
    pipeline = Pipeline.parse(
        "reader: {synthetic: {documents: 3, layouts: {email: 1}}}\nengines: [segmenter, dates]\nconsumers: []\n"
    )
    assert pipeline.reader is not None
    assert [c.metadata["layout"] for c in pipeline.stream(pipeline.reader)] == ["email"] * 3


def test_wrong_parameters_are_configuration_errors() -> None:
    with pytest.raises(ConfigError, match="noise: expected a number from 0 to 1, got 2"):
        Pipeline.parse("reader: {synthetic: {noise: 2}}\nengines: [segmenter]")
    with pytest.raises(ConfigError, match="documents: expected 0 or more, got -1"):
        Pipeline.parse("reader: {synthetic: {documents: -1}}\nengines: [segmenter]")


def test_an_unknown_layout_is_reported_when_the_reader_opens() -> None:
    with pytest.raises(ReaderError, match="reader synthetic: layouts: no layout 'emial'; did you mean email"):
        SyntheticReader(layouts={"emial": 1}).open()


def test_json_lines_are_read_back(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"".join(map(formats.jsonl, DOCUMENTS)))
    reader = JsonlReader(folder=tmp_path, spans_field="spans")
    assert [(c.id, c.text, gold(c)) for c in reader] == [(d.id, d.text, d.spans) for d in DOCUMENTS]
    assert reader.failed == []
    assert set(json.loads(formats.jsonl(DOCUMENTS[0]))) == {"id", "text", "spans", "layout", "language"}


def test_stand_off_files_are_read_back(tmp_path: Path) -> None:
    for d in DOCUMENTS:
        (tmp_path / f"{d.id}.txt").write_bytes(formats.text(d))
        (tmp_path / f"{d.id}.ann").write_bytes(formats.brat(d))
    reader = BratReader(folder=tmp_path)
    assert [(c.id, c.text, gold(c)) for c in reader] == [(d.id, d.text, d.spans) for d in DOCUMENTS]
    assert reader.failed == []


def test_i2b2_xml_is_read_back_as_far_as_the_scheme_goes(tmp_path: Path) -> None:
    odd = Document("odd", "en", "x", "<A> & \"B\"\n'C'\tD", [(0, 3, "PERSON_PATIENT"), (6, 13, "LOCATION_STREET")])
    for d in (*DOCUMENTS, odd):
        (tmp_path / f"{d.id}.xml").write_bytes(formats.i2b2(d))
    reader = I2b2Reader(folder=tmp_path)
    read = {c.id: c for c in reader}
    assert reader.failed == []
    for d in (*DOCUMENTS, odd):
        cas = read[d.id]
        assert cas.text == d.text
        scheme = [(b, e, PhiKind.of(k).in_scheme("i2b2-2014-sub")) for b, e, k in d.spans]
        assert [(b, e, PhiKind.of(k).in_scheme("i2b2-2014-sub")) for b, e, k in gold(cas)] == scheme
