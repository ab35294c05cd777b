"""`caspipe doctor`: files, folders, archives; table, JSON, exit codes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from review_exports import SENTENCE, TOKENS, TYPES, exported, make_bundle, span, type_xml, types_xml, xmi, zipped
from typer.testing import CliRunner

from caspipe.pipeline import Pipeline
from caspipe.pipeline.application.cli.doctor import examine
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.assembly.shipped import folder, locate
from caspipe.readers.synthetic import SyntheticReader
from caspipe.typesystem import Cas

GOOD = xmi(SENTENCE + TOKENS + span(9, "review:PHI", 8, 20))
BAD = xmi(SENTENCE + TOKENS + span(9, "review:PHI", 7, 20))


def run(*arguments: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["doctor", *map(str, arguments)], env={"COLUMNS": "300"})
    return done.exit_code, done.output


def put(folder_: Path, **files: bytes) -> Path:
    for name, data in files.items():
        path = folder_ / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder_


def checks(*paths: Path) -> list[tuple[str, str]]:
    return [(f.file.rpartition("/")[2], f.check) for f in examine(list(paths)).findings]


def test_a_document_with_its_type_system_is_fine(tmp_path: Path) -> None:
    put(tmp_path, a_dot_xmi=GOOD, TypeSystem_dot_xml=TYPES)
    assert run(tmp_path) == (0, "1 documents, 1 type systems: 0 errors, 0 warnings\n")
    assert run(tmp_path / "a.xmi") == (0, "1 documents, 0 type systems: 0 errors, 0 warnings\n")


def test_errors_are_told_with_their_place_and_end_with_3(tmp_path: Path) -> None:
    put(tmp_path, a_dot_xmi=BAD, TypeSystem_dot_xml=TYPES)
    code, output = run(tmp_path)
    assert code == 3
    assert output.splitlines() == [
        f"{tmp_path}/a.xmi",
        "  error AllAnnotationsStartAndEndWithCharacters PHI #9 7:20: begins with a blank",
        "1 documents, 1 type systems: 1 errors, 0 warnings",
    ]
    assert "Fern" not in output
    code, output = run(tmp_path, "--json")
    assert code == 3
    assert json.loads(output) == {
        "documents": 1, "typesystems": 1, "errors": 1, "warnings": 0,
        "findings": [{
            "file": f"{tmp_path}/a.xmi", "severity": "error", "check": "AllAnnotationsStartAndEndWithCharacters",
            "message": "begins with a blank", "type": "caspipe.review.PHI", "id": 9,
            "begin": 7, "end": 20, "utf16_begin": 7, "utf16_end": 20,
        }],
    }  # fmt: skip


def test_json_keeps_offsets_of_0(tmp_path: Path) -> None:
    put(tmp_path, a_dot_xmi=xmi(SENTENCE + TOKENS + span(9, "review:PHI", 0, 5)), TypeSystem_dot_xml=TYPES)
    (finding,) = json.loads(run(tmp_path, "--json")[1])["findings"]
    assert (finding["begin"], finding["utf16_begin"]) == (0, 0)


def test_archives_are_looked_into_also_those_inside_others(tmp_path: Path) -> None:
    inner = exported("anna", BAD)
    (tmp_path / "export.zip").write_bytes(zipped({"annotation/note.xmi/anna.zip": inner}))
    (finding,) = examine([tmp_path / "export.zip"]).findings
    assert finding.file == f"{tmp_path}/export.zip!/annotation/note.xmi/anna.zip!/anna.xmi"


def test_packed_documents_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.xmi.gz").write_bytes(gzip.compress(BAD))
    put(tmp_path, TypeSystem_dot_xml=TYPES)
    assert checks(tmp_path) == [("a.xmi.gz", "AllAnnotationsStartAndEndWithCharacters")]
    (tmp_path / "a.xmi.gz").write_bytes(gzip.compress(BAD)[:-9])
    assert checks(tmp_path) == [("a.xmi.gz", "Readable")]


def test_a_type_system_is_found_made_up_or_given(tmp_path: Path) -> None:
    put(tmp_path, docs__a_dot_xmi=GOOD, types__t_dot_xml=TYPES)
    code, output = run(tmp_path / "docs")
    assert code == 0
    assert "no type system beside it" in output
    assert run(tmp_path / "docs", "--typesystem", tmp_path / "types/t.xml")[1] == (
        "1 documents, 0 type systems: 0 errors, 0 warnings\n"
    )
    assert run(tmp_path / "docs", "--typesystem", tmp_path / "none.xml") == (
        4, f"{tmp_path}/none.xml: cannot read: No such file or directory\n"
    )  # fmt: skip


TYPE_SYSTEMS: list[tuple[str, bytes, list[tuple[str, str]]]] = [
    ("imports", TYPES.replace(b"<types>", b'<imports><import location="x.xml"/></imports><types>', 1), [
        ("TypeSystem.xml", "SelfContained")
    ]),
    ("an undefined range", types_xml(type_xml("w.A", ("x", "w.B"))), [("TypeSystem.xml", "Readable")]),
    ("damaged", TYPES[:300], [("TypeSystem.xml", "Readable")]),
]  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), [t[1:] for t in TYPE_SYSTEMS], ids=[t[0] for t in TYPE_SYSTEMS])
def test_type_systems_are_examined(data: bytes, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    put(tmp_path, TypeSystem_dot_xml=data)
    assert checks(tmp_path) == expected
    put(tmp_path, a_dot_xmi=GOOD)
    assert ("TypeSystem.xml", expected[0][1]) in checks(tmp_path)
    alone = {f for f in checks(tmp_path / "a.xmi") if f[0] == "TypeSystem.xml"}
    assert alone == {f for f in expected if f[1] == "Readable"}


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.xmi", GOOD[:400], "damaged XML"),
        ("a.xmi", b"<CAS/>", "this is XCAS"),
        ("a.json", b'{"%FEATURE_STRUCTURES" 1}', "damaged JSON"),
        ("a.zip", b"PK nonsense", "the archive is damaged or cut off"),
    ],
)
def test_damaged_files_are_told_and_the_others_examined(name: str, data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    put(tmp_path, z_dot_xmi=BAD, TypeSystem_dot_xml=TYPES)
    found = {f.file.removeprefix(f"{tmp_path}/"): f.message for f in examine([tmp_path]).findings}
    assert message in found.pop(name)
    assert list(found) == ["z.xmi"]


def test_hostile_archives_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"../a.xmi": GOOD, "b.xmi": b"<" * 60_000_000}))
    found = {f.file.rpartition("!/")[2]: f.message for f in examine([tmp_path]).findings}
    assert found == {
        "../a.xmi": "its path leads out of the archive",
        "b.xmi": "it unpacks to more than 200 times its size: unpack it yourself if you trust it",
    }


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    assert run(tmp_path / "none") == (4, f"{tmp_path}/none: expected a file or a folder, found none\n")
    assert run(tmp_path, "--severity", "odd")[0] == 2


def test_nothing_to_examine_is_no_success(tmp_path: Path) -> None:
    put(tmp_path, a_dot_txt=b"Well.")
    said = "expected XMI, JSON CAS or type systems, found none"
    assert run(tmp_path) == (4, f"{tmp_path}: {said}\n")
    assert run(tmp_path / "a.txt", "--json") == (4, f"{tmp_path}/a.txt: {said}\n")


def test_units_of_the_file_are_told_where_they_differ(tmp_path: Path) -> None:
    body = span(2, "seg:Sentence", 0, 23) + span(3, "seg:Token", 0, 6) + span(9, "review:PHI", 9, 22)
    put(tmp_path, TypeSystem_dot_xml=TYPES, a_dot_xmi=xmi(body, "😀Seen by Dr. Ivy Fern."))
    assert "PHI #9 8:21 (UTF-16 9:22): begins with a blank" in run(tmp_path)[1]


def test_many_findings_of_a_kind_are_cut_short(tmp_path: Path) -> None:
    many = "".join(span(100 + n, "review:PHI", 7, 20) for n in range(30))
    put(tmp_path, a_dot_xmi=xmi(SENTENCE + TOKENS + many), TypeSystem_dot_xml=TYPES)
    output = run(tmp_path, "--most", "2")[1]
    assert output.count("begins with a blank") == 2
    assert "28 more of the same kinds" in output
    assert "30 errors" in output


@pytest.fixture(scope="module")
def samples() -> list[Cas]:
    """The shipped samples, run through the default pipelines."""
    made = []
    for config, where in (("deidentify", "samples"), ("deidentify-es", "samples-es")):
        pipeline = Pipeline.load(locate(config), ["masker.DATE.shift.key=doctor"])
        for path in sorted((folder() / where).glob("*.txt")):
            cas = pipeline.process(path.read_text(encoding="utf-8"))
            cas.id = f"{where}/{path.stem}"
            made.append(cas)
    return made


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"candidates": True},
        {"mode": "named-entity"},
        {"mode": "named-entity", "candidates": True, "scheme": "vigibase"},
        {"annotations": "masked"},
        {"format": "jsoncas", "candidates": True},
    ],
    ids=str,
)
def test_the_doctor_has_nothing_to_say_of_our_bundles(
    parameters: dict[str, Any], samples: list[Cas], tmp_path: Path
) -> None:
    report = examine([make_bundle(tmp_path, samples, **parameters)])
    assert report.documents == len(samples) == 12
    assert not report.findings


@pytest.mark.parametrize("mode", ["phi-layer", "named-entity"])
def test_the_doctor_has_nothing_to_say_of_synthetic_documents(mode: str, tmp_path: Path) -> None:
    engines = Pipeline.load(locate("deidentify"), ["masker.DATE.shift.key=doctor"])
    made = [engines.process(cas) for cas in SyntheticReader(documents=40, seed=7)]
    assert len(made) == 40
    report = examine([make_bundle(tmp_path, made, mode=mode, annotations="found")])
    assert (report.documents, report.findings) == (40, [])
