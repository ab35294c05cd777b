"""The component `augment`: ids, metadata, repeatability, failures, and the parameter that is a component."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from augmented_notes import NOTE, OFF, Documents, document, spans

from caspipe.pipeline.assembly.schema import pipeline_schema
from caspipe.pipeline.contract.conformance import check_component
from caspipe.pipeline.errors import ConfigError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.readers.augmentation import AugmentReader
from caspipe.readers.synthetic import SyntheticReader
from caspipe.typesystem import GOLD_VIEW, Cas, Phi, SpanAttribute

YAML = """
reader:
  augment:
    reader: {READER}
    copies: 2
    seed: 7
engines: [segmenter]
"""


def read(*texts: str, **given: Any) -> list[Cas]:
    reader = AugmentReader(reader=Documents(texts=list(texts)), **given)
    reader.failed = []
    reader.open()
    return list(reader)


def test_each_copy_has_an_id_and_names_its_document() -> None:
    found = read(NOTE, "Seen [[DATE|3/4]].", copies=2)
    assert [c.id for c in found] == ["d0", "d0~1", "d0~2", "d1", "d1~1", "d1~2"]
    assert found[1].metadata == {"site": "north", "augmented_from": "d0"}
    assert "augmented_from" not in found[0].metadata
    assert [c.id for c in read(NOTE, copies=1, originals=False)] == ["d0~1"]


def test_a_copy_depends_on_seed_and_id_only() -> None:
    first = {c.id: (c.text, spans(c)) for c in read(NOTE, NOTE, "x", copies=3, pool=0)}
    again = {c.id: (c.text, spans(c)) for c in read(NOTE, copies=2, pool=0)}
    assert all(first[name] == content for name, content in again.items())
    assert first["d0~1"] != first["d0~2"] != first["d1~2"]
    other = {c.id: c.text for c in read(NOTE, copies=1, pool=0, seed=2)}
    assert other["d0~1"] != first["d0~1"][0]


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})\n"
        "from augmented_notes import NOTE, Documents\nfrom caspipe.readers.augmentation import AugmentReader\n"
        "import hashlib\n"
        "r = AugmentReader(reader=Documents(texts=[NOTE] * 5), copies=4, pool=0.5)\n"
        "print(hashlib.sha256(repr([c.text for c in r]).encode()).hexdigest())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1


def test_attributes_of_spans_are_kept() -> None:
    copy = read(NOTE, copies=1, originals=False, **{k: v for k, v in OFF.items() if k != "substitute"})[0]
    gold = copy.view(GOLD_VIEW)
    optional = [a.of for a in gold.select(SpanAttribute) if a.name == "optional"]
    assert [p.kind.name for p in optional] == ["PROFESSION"]
    assert optional[0] is next(p for p in gold.select(Phi) if p.kind.name == "PROFESSION")


def test_without_transformations_a_copy_is_equal() -> None:
    original, copy = read(NOTE, copies=1, **OFF)
    assert (copy.text, spans(copy)) == (original.text, spans(original))


def test_documents_that_cannot_be_read_are_reported_once() -> None:
    reader = AugmentReader(reader=Documents(texts=["!", NOTE, "!"]), copies=1, pool=0.5)
    reader.failed = []
    reader.open()
    assert [c.id for c in reader] == ["d1", "d1~1"]
    assert [name for name, _ in reader.failed] == ["d0", "d2"]
    assert [c.id for c in reader] == ["d1", "d1~1"]


def test_a_document_whose_spans_overlap_has_no_copies() -> None:
    cas = document("Seen [[DATE|3/4]] by Smith.")
    cas.view(GOLD_VIEW).add(Phi(6, 9, kind=cas.view(GOLD_VIEW).select(Phi)[0].kind))

    class One(Documents):
        def __iter__(self) -> Any:
            yield cas

    reader = AugmentReader(reader=One(texts=[]), copies=2)
    reader.failed = []
    assert [c.id for c in reader] == ["one"]
    assert [(n, str(e)) for n, e in reader.failed] == [
        ("one~1", "gold span 6:9 begins before 8, the end of the one before it")
    ]


def test_a_document_without_gold_spans_has_no_copies() -> None:
    class Bare(Documents):
        def __iter__(self) -> Any:
            yield Cas("Seen by Smith.", id="bare")

    reader = AugmentReader(reader=Bare(texts=[]), copies=2)
    reader.failed = []
    assert [c.id for c in reader] == ["bare"]
    assert [str(e) for _, e in reader.failed] == ["expected reference annotations in the view gold, found no such view"]


def test_it_keeps_the_contract() -> None:
    findings = check_component(AugmentReader, reader=SyntheticReader(documents=3), copies=2)
    assert not [f"{f.check}: {f.fault}" for f in findings if f.fault]
    assert not [f.note for f in findings if f.note]


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"copies": 0}, "copies: expected a number from 1 to 1000, got 0"),
        ({"substitute": 1.5}, "substitute: expected a share from 0 to 1, got 1.5"),
    ],
)
def test_parameters_out_of_range_are_refused(given: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=re.escape(fault)):
        AugmentReader(reader=Documents(texts=[]), **given)


def pipeline(tmp_path: Path, reader: str) -> Pipeline:
    file = tmp_path / "pipeline.yaml"
    file.write_text(YAML.replace("{READER}", reader), encoding="utf-8")
    return Pipeline.load(file)


def test_a_nested_reader_is_written_as_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    record = {"id": "a", "text": "Seen 3/4.", "spans": [{"begin": 5, "end": 8, "kind": "DATE"}]}
    (tmp_path / "notes" / "a.jsonl").write_text(json.dumps(record), encoding="utf-8")
    made = pipeline(tmp_path, "{jsonl: {folder: notes, spans_field: spans, id: mine}}")
    reader = made.reader
    assert isinstance(reader, AugmentReader)
    assert reader.reader.id == "mine"
    reader.failed = []
    reader.open()
    assert [c.id for c in reader] == ["a", "a~1", "a~2"]


@pytest.mark.parametrize(
    ("reader", "faults"),
    [
        ("{jsnol: {}}", ["augment.reader.jsnol: no reader called 'jsnol'; did you mean jsonl?"]),
        ("segmenter", ["augment.reader: segmenter is a engine: it goes under engines"]),
        ("[jsonl]", ["augment.reader: expected a reader: a name, or name: {parameters}; got a list"]),
        (
            "{synthetic: {noise: 3, documets: 4, seed: x}}",
            [
                "augment.reader.synthetic.documets: no such parameter; did you mean documents?",
                "augment.reader.synthetic.seed: expected whole number, got 'x'",
            ],
        ),
    ],
)
def test_faults_in_a_nested_reader_have_their_line(tmp_path: Path, reader: str, faults: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        pipeline(tmp_path, reader)
    assert [f"{f.where}: {f.what}" for f in caught.value.faults] == faults
    assert {f.line for f in caught.value.faults} == {4}


def test_the_schema_accepts_any_reader() -> None:
    definitions = pipeline_schema()["definitions"]
    augment = next(o for o in definitions["reader"]["anyOf"] if "properties" in o)["properties"]["augment"]
    assert augment["properties"]["reader"]["allOf"] == [{"$ref": "#/definitions/reader"}]
    assert augment["required"] == ["reader"]
