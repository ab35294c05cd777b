"""Names of released files, rows and ids: nothing of a person's name leaves through them, whatever wrote them."""

from __future__ import annotations

import csv
import io
import json
import stat
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from attacks.search_bytes import found_below

from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract import registry
from caspipe.typesystem import Cas, PhiCandidate, PhiKind, Token
from caspipe.typesystem.xmi.writer import write_xmi

PEOPLE = [
    ("Quillon", "Zorblatt", "4471203"), ("Ysolde", "Vantongeren", "4471321"), ("Bartleby", "Okonjoweh", "4471439"),
    ("Thessaly", "Drumgoole", "4471557"), ("Ignatius", "Pfefferling", "4471675"), ("Wilhelmina", "Brzezicki", "4471793"),
    ("Osgood", "Trevanion", "4471811"), ("Philippa", "Nakashidze", "4471929"), ("Lysander", "Quackenbush", "4472047"),
    ("Araminta", "Featherstone", "4472165"), ("Cuthbert", "Wojtyniak", "4472283"), ("Hepzibah", "Ravensdale", "4472301"),
    ("Mortimer", "Szczypior", "4472419"), ("Clementine", "Ollerenshaw", "4472537"), ("Balthasar", "Heffernan", "4472655"),
    ("Drusilla", "Kowalewska", "4472773"), ("Peregrine", "Ashdownley", "4472891"), ("Millicent", "Thorgrimsen", "4472909"),
    ("Octavian", "Bellweather", "4473027"), ("Rosamund", "Düsterhöft", "4473145"),
]  # fmt: skip
VALUES = [value for person in PEOPLE for value in person]
CONSUMERS: list[Any] = [
    "text",
    {"jsonl": {"fields": ["id", "text", "spans", "counts", "metadata"]}},
    {"jsonl": {"id": "single", "folder": "release/json", "fields": ["id", "text", "metadata"]}},
    {"csv": {"text": True}},
    {"parquet": {"fields": ["id", "text", "spans", "counts", "metadata"]}},
    {"parquet": {"id": "parquet_spans", "rows": "spans", "file": "release/spans.parquet"}},
    {"sql": {"url": "sqlite:///release/notes.db", "fields": ["id", "text", "spans", "metadata"]}},
    {"marked": {"annotations": "masked", "file": "release/marked.txt"}},
    {"conll": {"annotations": "masked", "file": "release/documents.conll", "overlaps": "longest"}},
    *({name: {"annotations": "masked", "folder": f"release/{name}"}} for name in ("brat", "i2b2")),
    *({name: {"annotations": "masked", "file": f"release/{name}/tasks.json", "overlaps": "longest"}}
      for name in ("doccano", "prodigy", "label_studio")),
    {"inception": {"annotations": "masked", "file": "release/inception.zip"}},
    *({name: {"views": ["deidentified"], "folder": f"release/{name}"}} for name in ("xmi", "jsoncas")),
    {"utility": {}},
    "html",
    "report",
    {"xmi": {"id": "originals"}},
]  # fmt: skip
NOT_HERE = {"fhir", "e2b", "scorer", "breakdown", "errors", "crf_trainer"}
"""Consumers that need records, references or models; those of records are tested below."""


@pytest.fixture(autouse=True)
def _person_finder() -> None:
    registry.load_file(str(Path(__file__).with_name("people_plugin.py")))


def note(person: tuple[str, str, str]) -> str:
    given, family, number = person
    return f"Patient {given} {family}, record {number}, came with a cough.\nNo fever. Seen on 3/4/2020.\n"


def write_inputs(folder: Path) -> list[Any]:
    """Write the twenty notes into five kinds of sources and return the readers."""
    folders = folder / "ward of Zorblatt"
    for given, family, number in PEOPLE[:8]:
        path = folders / f"{family}" / f"{family}_{given}_MRN{number}.txt"
        path.parent.mkdir(parents=True)
        path.write_text(note((given, family, number)), encoding="utf-8")
    with (folder / "Okonjoweh.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["note_id", "mrn", "ward", "author", "text"])
        for given, family, number in PEOPLE[8:12]:
            rows.writerow(
                [f"{family}-{number}", number, f"7 {family}", f"{given[0]}. {family}", note((given, family, number))]
            )
    with zipfile.ZipFile(folder / "Szczypior.zip", "w") as archive:
        for person in PEOPLE[12:14]:
            archive.writestr(f"{person[1]}/{person[0]}.txt", note(person))
    with tarfile.open(folder / "Heffernan.tar.gz", "w:gz") as tar:
        for person in PEOPLE[14:16]:
            info = tarfile.TarInfo(f"{person[1]}/{person[2]}.txt")
            info.size = len(note(person).encode())
            tar.addfile(info, io.BytesIO(note(person).encode()))
    (folder / "xmi").mkdir()
    for given, family, number in PEOPLE[16:]:
        cas = Cas(note((given, family, number)), id=f"{family}, {given}")
        cas.metadata.update(patient=family, ward=f"{given}'s", number=number)
        begin = cas.text.index(family)
        found = PhiCandidate(begin, begin + len(family), kind=PhiKind.PERSON, confidence=0.9, rule=f"list of {family}")
        cas.add(found.set_source(f"staff/{family}"))
        begin = cas.text.index("fever")  # it is not masked, so the masked view can receive its annotations
        found = PhiCandidate(begin, begin + 5, kind=PhiKind.AGE, confidence=0.0, rule=f"not {family}", value=given)
        cas.add(found.set_source(f"staff/{family}"))
        cas.add(Token(begin, begin + 5, pos=family).set_source(given))
        (folder / "xmi" / f"{family}.xmi").write_bytes(write_xmi(cas))
    return [
        {"text": {"folder": str(folders)}},
        {"csv": {"files": str(folder / "Okonjoweh.csv"), "id_field": "note_id", "metadata": ["mrn", "ward", "author"]}},
        {"text": {"folder": str(folder / "Szczypior.zip")}},
        {"text": {"folder": str(folder / "Heffernan.tar.gz")}},
        {"xmi": {"folder": str(folder / "xmi")}},
    ]


def pipeline(tmp_path: Path, out: Path, **options: Any) -> Pipeline:
    source = tmp_path / "in"
    readers = write_inputs(source) if not source.exists() else json.loads((tmp_path / "readers.json").read_text())
    (tmp_path / "readers.json").write_text(json.dumps(readers))
    config = {
        "reader": readers,
        "engines": ["segmenter", "dates", "people_of_the_test", {"masker": {"carry": True}}, "leak_gate"],
        "consumers": CONSUMERS,
        "run": {"output": str(out), "workers": 0, **options},
    }
    return Pipeline.parse(json.dumps(config))


@pytest.mark.attack("names-of-files")
@pytest.mark.parametrize("key", ["", "a key of this test 0123456789"])
def test_nothing_of_a_name_is_anywhere_below_release(tmp_path: Path, key: str) -> None:
    out = tmp_path / "out"
    report = pipeline(tmp_path, out, key=key).run()
    assert (report.documents.released, report.failures) == (len(PEOPLE), [])
    assert found_below(out / "release", VALUES) == []
    assert {p.suffix for p in (out / "release").rglob("*") if p.is_file()} >= {
        ".txt", ".json", ".jsonl", ".csv", ".parquet", ".db", ".conll", ".ann", ".xml", ".zip", ".xmi"
    }  # fmt: skip
    with (out / "restricted/names.csv").open(newline="", encoding="utf-8") as file:
        names = dict(list(csv.reader(file))[1:])
    assert len(names) == len(set(names.values())) == len(PEOPLE)
    assert names.keys() >= {"Zorblatt/Zorblatt_Quillon_MRN4471203", "Bellweather"}
    assert stat.S_IMODE((out / "restricted/names.csv").stat().st_mode) == 0o600
    assert {f"{name}.txt" for name in names.values()} == {p.name for p in (out / "release/text").iterdir()}
    assert found_below(out / "restricted", VALUES)  # the search finds what is there


@pytest.mark.attack("names-of-files")
def test_every_shipped_consumer_is_searched() -> None:
    used = {next(iter(c)) if isinstance(c, dict) else c for c in CONSUMERS}
    shipped = {c.name for c in registry.components() if c.role == "consumer" and "consumers" in c.__module__}
    assert shipped - used - NOT_HERE == set()


@pytest.mark.attack("names-of-files")
def test_names_in_clear_are_asked_for_and_said(tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = pipeline(tmp_path, out, names="id", scan=False).run()  # the scanner would withdraw them
    assert (out / "release/text/Zorblatt/Zorblatt_Quillon_MRN4471203.txt").is_file()
    assert "documents are released under their own ids, which can identify people (run.names is id)" in report.warnings
    assert "20 released documents with an id, written in clear, that shows what was masked in them" in report.warnings
    assert not (out / "restricted/names.csv").exists()


@pytest.mark.attack("names-of-files")
@pytest.mark.parametrize(("suffix", "reader"), [(".json", "fhir"), (".xml", "e2b")])
def test_files_of_records_are_not_named_after_what_was_read(tmp_path: Path, suffix: str, reader: str) -> None:
    from e2b_files import r3
    from fhir_samples import bundle, document, patient

    (tmp_path / "in/Vantongeren").mkdir(parents=True)
    data = r3() if reader == "e2b" else json.dumps(bundle(patient(), document())).encode()
    (tmp_path / f"in/Vantongeren/Zorblatt{suffix}").write_bytes(data)
    config = {
        "reader": {reader: {"folder": str(tmp_path / "in")}},
        "engines": ["segmenter", "known_phi", "dates", "masker"],
        "consumers": [reader, "jsonl"],
        "run": {"output": str(tmp_path / "out"), "workers": 0},
    }
    Pipeline.parse(json.dumps(config)).run()
    (file,) = (tmp_path / "out/release" / reader).iterdir()
    assert file.name == f"000001{suffix}"
    assert found_below(tmp_path / "out/release", ["Zorblatt", "Vantongeren"]) == []
