"""Metadata that show what was masked in the same document are withheld; metadata that show nothing are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract import registry
from caspipe.pipeline.contract.masked_words import MaskedWords
from caspipe.typesystem import PhiKind

WITHHELD = "contains what was masked in the document, or what its record knows of people: not written"


@pytest.fixture(autouse=True)
def _person_finder() -> None:
    registry.load_file(str(Path(__file__).with_name("people_plugin.py")))


def released(tmp_path: Path, consumer: str, **options: Any) -> tuple[list[Any], list[str]]:
    """Return what a consumer wrote of a table, and the warnings of the run."""
    source = tmp_path / "visits.csv"
    source.write_text(
        "id,mrn,ward,author,bed,visit,text\n"
        'v1,4471203,7 North,Q. Zorblatt,12,follow-up,"Patient Quillon Zorblatt, record 4471203, came."\n'
        'v2,44 71 321,Vantongeren ward,staff,13,first,"Patient Ysolde Vantongeren, record 4471321, came."\n',
        encoding="utf-8",
    )
    metadata = ["mrn", "ward", "author", "bed", "visit"]
    config = {
        "reader": {"csv": {"files": str(source), "id_field": "id", "metadata": metadata}},
        "engines": ["people_of_the_test", "masker"],
        "consumers": [{consumer: {"fields": ["text", "metadata"], **options}}],
        "run": {"output": str(tmp_path / "out"), "workers": 0},
    }
    report = Pipeline.parse(json.dumps(config)).run()
    (file,) = [p for p in (tmp_path / "out/release").rglob("*") if p.is_file() and p.name != "manifest.json"]
    if consumer == "jsonl":
        found = [json.loads(line)["metadata"] for line in file.read_text(encoding="utf-8").splitlines()]
    else:
        pq = pytest.importorskip("pyarrow.parquet")
        found = [dict(row["metadata"]) for row in pq.read_table(file).to_pylist()]
    return [{k: v for k, v in entry.items() if k != "encoding"} for entry in found], report.warnings


@pytest.mark.attack("metadata")
@pytest.mark.parametrize("consumer", ["jsonl", "parquet"])
def test_columns_beside_a_masked_value_do_not_show_it(tmp_path: Path, consumer: str) -> None:
    found, warnings = released(tmp_path, consumer)
    assert found == [
        {"bed": "12", "visit": "follow-up", "ward": "7 North"},
        {"author": "staff", "bed": "13", "visit": "first"},
    ]
    assert warnings == [f"{consumer}: metadata {name} {WITHHELD}" for name in ("mrn", "author", "ward")]


SHOWN = [
    ("PERSON", "Quillon Zorblatt", "zorblatt"),
    ("PERSON", "Quillon Zorblatt", "Q_ZORBLATT.txt"),
    ("PERSON", "Quillon Zorblatt", "quillonzorblatt1"),
    ("PERSON", "Zorblatt, Quillon", "seen by Quillon"),
    ("PERSON", "Xi Ng", "Xi Ng"),
    ("PERSON", "Düsterhöft", "dusterhoft"),
    ("PERSON", "Dusterhoft", "DÜSTERHÖFT"),
    ("PERSON", "Anna Lee", "ward of Mrs. Lee"),
    ("ID", "MRN 4471203", "4471203"),
    ("ID", "4471203", "44-71-203"),
    ("ID", "447-12-03", "No. 4471203/2"),
    ("ID", "A-17", "A-17 A17"),
    ("PHONE", "+1 (617) 555-0134", "5550134"),
    ("EMAIL", "q.zorblatt@example.org", "q.zorblatt"),
    ("LOCATION_CITY", "Quellmore", "QUELLMORE clinic"),
    ("ORGANIZATION", "Quellmore General Hospital", "Quellmore"),
    ("AGE", "94 years", "94"),
    ("DATE", "4 May", "seen 4 May"),
]
NOT_SHOWN = [
    ("PERSON", "Anna Lee", "sleepless"),
    ("PERSON", "Anna Lee", "Hannah"),
    ("PERSON", "Dr. van der Berg", "Dr. van"),
    ("PERSON", "Xi Ng", "ng-tube"),
    ("ID", "12", "ward 3, bed 412"),
    ("ID", "4471203", "44"),
    ("PHONE", "555-0134", "0135"),
    ("AGE", "72 years", "bed 72"),
    ("AGE", "94 years", "bed 194"),
    ("DATE", "May", "may"),
    ("LOCATION_CITY", "Quellmore", "cardiology"),
    ("ORGANIZATION", "Quellmore Surgery", "surgery"),
    ("PERSON", "Zorblatt", ""),
]


@pytest.mark.attack("metadata")
@pytest.mark.parametrize(("kind", "value", "text"), SHOWN)
def test_a_value_is_recognized(kind: str, value: str, text: str) -> None:
    assert MaskedWords(iter([(PhiKind.of(kind), value)]), "after surgery").occur_in(text)


@pytest.mark.attack("metadata")
@pytest.mark.parametrize(("kind", "value", "text"), NOT_SHOWN)
def test_what_shows_nothing_stays(kind: str, value: str, text: str) -> None:
    assert not MaskedWords(iter([(PhiKind.of(kind), value)]), "after surgery").occur_in(text)
