"""Documents of one patient share shifts and pseudonyms, wherever it is written whose they are."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caspipe.pipeline import Pipeline
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.contract.report import RunReport
from caspipe.pipeline.errors import CaspipeError, ConfigError

KEY = "attack-key-0123456789-0123456789-0123456789"
DATED = "Seen on 03/14/2020. MRN: {mrn}. Well."
PEOPLE = {"4471902/a": "4471902", "4471902/b": "4471902", "8830017/c": "8830017"}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASPIPE_KEY", KEY)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    for name, mrn in PEOPLE.items():
        file = tmp_path / "notes" / f"{name}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(DATED.format(mrn=mrn), encoding="utf-8")
    return tmp_path / "notes"


def run(tmp_path: Path, reader: str, masker: str = "", workers: int = 0) -> tuple[RunReport, dict[str, int]]:
    """Run a pipeline. Returns the report, and the shift in days of each document by its id."""
    out = tmp_path / "out"
    shutil.rmtree(out, ignore_errors=True)
    pipeline = Pipeline.parse(
        f"reader: {reader}\nengines: [segmenter, known_phi, dates, identifiers, resolver, "
        "masker: {DATE: {shift: {days: [-365, 365], key: '${CASPIPE_KEY}'}}, "
        f"ID: {{pseudonym: {{key: '${{CASPIPE_KEY}}', scope: patient}}}}{masker}}}, leak_gate]\n"
        "consumers: [text: {folder: release/text}, xmi: {folder: restricted/xmi}]\n"
        f"run: {{output: {out}, workers: {workers}}}"
    )
    report = pipeline.run()
    shifts = {}
    for file in sorted((out / "restricted" / "xmi").rglob("*.xmi")):
        read = Pipeline.parse(f"reader: {{xmi: {{files: {file}}}}}\nengines: []").reader
        assert read is not None
        read.open()
        cas = next(iter(read))
        shown = re.search(r"\d{1,2} [A-Z][a-z]{2} \d{4}", cas.deidentified)
        assert shown and "03/14/2020" in cas.text, cas.deidentified
        days = (datetime.strptime(shown[0], "%d %b %Y") - datetime(2020, 3, 14)).days  # no times
        shifts[cas.id] = days
    return report, shifts


def ends(shifts: dict[str, int]) -> dict[str, int]:
    return {name.rpartition("/")[2]: days for name, days in shifts.items()}


def agree(shifts: dict[str, int]) -> bool:
    found = ends(shifts)
    return found["a"] == found["b"] != found["c"]


@pytest.mark.attack("patients")
@pytest.mark.parametrize("workers", [0, 2])
def test_a_pattern_over_the_path_tells_the_patient(tmp_path: Path, notes: Path, workers: int) -> None:
    report, shifts = run(tmp_path, f"{{text: {{folder: {notes}, patient: '(?P<patient>[^/]+)/'}}}}", workers=workers)
    assert report.documents.released == 3 and agree(shifts)
    _, alone = run(tmp_path, f"{{text: {{folder: {notes}}}}}")
    assert len(set(alone.values())) == 3  # what the option is for


@pytest.mark.attack("patients")
def test_a_table_tells_the_patient_with_and_without_suffix(tmp_path: Path, notes: Path) -> None:
    table = tmp_path / "patients.csv"
    table.write_text("file,patient\n4471902/a.txt,P-1\n4471902/b,P-1\n8830017/c.txt,P-2\n", encoding="utf-8")
    report, shifts = run(tmp_path, f"{{text: {{folder: {notes}, patients: {table}}}}}")
    assert report.documents.released == 3 and agree(shifts)


@pytest.mark.attack("patients")
@pytest.mark.parametrize("workers", [0, 2])
def test_the_number_in_the_text_tells_the_patient(tmp_path: Path, notes: Path, workers: int) -> None:
    (notes / "4471902" / "b.txt").write_text("MRN: 447-1902. Seen on 03/14/2020.", encoding="utf-8")
    report, shifts = run(tmp_path, f"{{text: {{folder: {notes}}}}}", ", patient: text", workers)
    assert agree(shifts) and report.odd == {}


@pytest.mark.attack("patients")
def test_a_text_with_two_numbers_or_none_stands_alone_and_is_counted(tmp_path: Path, notes: Path) -> None:
    (notes / "4471902" / "b.txt").write_text("MRN: 4471902, mother's MRN: 8830017. On 03/14/2020.", encoding="utf-8")
    (notes / "4471902" / "d.txt").write_text("Seen on 03/14/2020 by nobody.", encoding="utf-8")
    report, shifts = run(tmp_path, f"{{text: {{folder: {notes}}}}}", ", patient: text")
    assert len(set(shifts.values())) == 4
    assert report.odd == {"no patient": 1, "several patients": 1}
    told = "\n".join(report.warnings)
    assert "1 released document with no patient: their shifts and pseudonyms agree with no other document" in told
    assert "1 released document with several medical record numbers: their shifts" in told


@pytest.mark.attack("patients")
@pytest.mark.parametrize("option", ["patient: '^(?P<patient>44[^/]+)/'", "patients: {table}"])
def test_a_document_without_a_patient_is_quarantined_unless_told_otherwise(
    tmp_path: Path, notes: Path, option: str
) -> None:
    table = tmp_path / "patients.csv"
    table.write_text("file,patient\n4471902/a.txt,P-1\n4471902/b.txt,P-1\n", encoding="utf-8")
    option = option.format(table=table)
    report, _ = run(tmp_path, f"{{text: {{folder: {notes}, {option}}}}}")
    assert report.documents.quarantined == 1 and report.reasons == {"patient": 1}
    assert "P-1" not in report.failures[0].message
    report, shifts = run(tmp_path, f"{{text: {{folder: {notes}, {option}, without_patient: document}}}}")
    assert report.documents.released == 3 and report.odd == {"no patient": 1} and agree(shifts)


@pytest.mark.attack("patients")
def test_the_identifier_of_the_path_is_masked_in_the_text_and_stands_in_no_log(tmp_path: Path, notes: Path) -> None:
    text = "Seen on 03/14/2020, see folder Quell-99x/1."
    (notes / "Quell-99x").mkdir()
    (notes / "Quell-99x" / "n.txt").write_text(text, encoding="utf-8")
    run(tmp_path, f"{{text: {{folder: {notes}, patient: '(?P<patient>[^/]+)/'}}}}")
    released = "".join(f.read_text() for f in (tmp_path / "out" / "release" / "text").rglob("*.txt"))
    assert "Quell" not in released and "99x" not in released
    assert "4471902" not in released


@pytest.mark.attack("patients")
@pytest.mark.parametrize("form", ["csv", "jsonl", "sql"])
def test_a_column_tells_the_patient(tmp_path: Path, form: str) -> None:
    rows = [(name[-1], mrn, DATED.format(mrn="-")) for name, mrn in PEOPLE.items()]
    if form == "csv":
        file = tmp_path / "notes.csv"
        file.write_text("id,pid,text\n" + "".join(f"{i},{p},{t}\n" for i, p, t in rows), encoding="utf-8")
        source = f"files: {file}"
    elif form == "jsonl":
        file = tmp_path / "notes.jsonl"
        file.write_text(
            "".join(json.dumps({"id": i, "pid": p, "text": t}) + "\n" for i, p, t in rows), encoding="utf-8"
        )
        source = f"files: {file}"
    else:
        pytest.importorskip("sqlalchemy")
        with sqlite3.connect(tmp_path / "notes.db") as database:
            database.execute("create table notes (id text, pid text, text text)")
            database.executemany("insert into notes values (?, ?, ?)", rows)
        database.close()
        source = f"url: 'sqlite:///{tmp_path / 'notes.db'}', table: notes"
    report, shifts = run(tmp_path, f"{{{form}: {{{source}, patient_field: pid}}}}")
    assert report.documents.released == 3, report.failures
    assert agree(shifts)


@pytest.mark.attack("patients")
def test_a_row_without_a_patient_is_quarantined(tmp_path: Path) -> None:
    file = tmp_path / "notes.csv"
    file.write_text("id,pid,text\n1,,Seen on 03/14/2020.\n2,77123,Seen on 03/14/2020.\n", encoding="utf-8")
    report, _ = run(tmp_path, f"{{csv: {{files: {file}, patient_field: pid}}}}")
    assert report.reasons == {"patient": 1}
    assert report.failures[0].message.endswith("row 1 (line 2): field pid: expected a patient, found nothing")


@pytest.mark.attack("patients")
@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("file,person\na,1\n", "patients.csv:1: expected the columns file and patient; no patient"),
        ("file,patient\na,P1\nb,P2\na.txt,P9\n", "patients.csv:4: the file has another patient in line 2"),
        ("file,patient\na,\n", "patients.csv:2: expected a file and a patient, found an empty cell"),
    ],
)
def test_faults_of_the_table_have_lines_and_no_values(tmp_path: Path, notes: Path, table: str, told: str) -> None:
    (tmp_path / "patients.csv").write_text(table, encoding="utf-8")
    with pytest.raises(CaspipeError) as raised:
        run(tmp_path, f"{{text: {{folder: {notes}, patients: {tmp_path / 'patients.csv'}}}}}")
    assert told in str(raised.value) and "P9" not in str(raised.value)


@pytest.mark.attack("patients")
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("patient: '[^/]+/'", "patient: expected a group (?P<patient>...) in the regular expression, found none"),
        ("patient: '(?P<patient>'", "patient: not a regular expression: "),
        ("patient: '(?P<patient>x)', patients: t.csv", "patient: expected either patient or patients, got both"),
    ],
)
def test_faults_of_the_pattern_are_told_when_the_pipeline_is_built(notes: Path, given: str, told: str) -> None:
    with pytest.raises(ConfigError) as raised:
        Pipeline.parse(f"reader: {{text: {{folder: {notes}, {given}}}}}\nengines: []")
    assert told in str(raised.value)


@pytest.mark.attack("patients")
def test_the_command_line_says_how_many_documents_have_no_patient(tmp_path: Path, notes: Path) -> None:
    (notes / "4471902" / "d.txt").write_text("Seen on 03/14/2020 by nobody.", encoding="utf-8")
    done = CliRunner().invoke(
        app,
        f"run deidentify-fast --set reader.text.folder={notes} --set masker.patient=text -w 0 "
        f"--set run.output={tmp_path / 'out'}".split(),
    )
    assert done.exit_code == 0, done.output
    assert "1 released document with no patient" in " ".join(done.output.split())
    assert "4471902" not in done.output
