"""The loop: a run, its review outside, the corrections back as a reference, a model that learnt from them, fewer errors."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from pathlib import Path

import pytest
from cassis import load_cas_from_xmi, load_typesystem
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app
from caspipe.typesystem import read_xmi

NAMES = ["Anne Dupont", "Luc Morel", "Jean Petit", "Zoé Lefèvre", "Noël Garnier", "Inès Roux 😀"]
TEMPLATES = [
    "Patient: {name} né le 03/04/1961.",
    "Vue par le Dr {name} le 12/05/2020.",
    "{name} habite seul depuis mai.",
    "Le patient prend du paracétamol. Revu par {name}.",
]
LAYER = "caspipe.review.PHI"


def call(*arguments: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def notes(folder: Path) -> dict[str, tuple[str, str]]:
    """Notes in a language that the rules know little of: (text, name in it) by id."""
    folder.mkdir()
    made = {}
    for number in range(24):
        name = NAMES[number % len(NAMES)].removesuffix(" 😀")
        text = ("😀 " if number % 5 == 0 else "") + TEMPLATES[number % len(TEMPLATES)].format(name=name)
        made[f"note{number:02d}"] = text, name
        (folder / f"note{number:02d}.txt").write_text(text, encoding="utf-8")
    return made


def configuration(path: Path, folder: Path, engines: str) -> Path:
    path.write_text(
        f"reader: {{text: {{folder: {folder}}}}}\n"
        f"engines: [segmenter, dates{engines}, masker]\n"
        "consumers:\n"
        "  - xmi: {folder: restricted/xmi}\n"
        "  - inception: {file: restricted/inception.zip}\n"
        f"run: {{output: {path.with_suffix('')}}}\n",
        encoding="utf-8",
    )
    return path


def corrected(bundle: Path, made: dict[str, tuple[str, str]], target: Path) -> None:
    """What a curator exports: every document with the names that were missed, written by another program than ours."""
    with zipfile.ZipFile(bundle) as packed, zipfile.ZipFile(target, "w") as export:
        types = packed.read("TypeSystem.xml")
        export.writestr("exportedproject.json", "{}")
        for member in packed.namelist():
            if not member.startswith("documents/"):
                continue
            typesystem = load_typesystem(io.BytesIO(types))
            cas = load_cas_from_xmi(io.BytesIO(packed.read(member)), typesystem=typesystem)
            name = made[Path(member).stem][1]
            begin = cas.sofa_string.index(name)
            phi = typesystem.get_type(LAYER)
            cas.add(phi(begin=begin, end=begin + len(name), label="PERSON", status="accepted"))
            inner = io.BytesIO()
            with zipfile.ZipFile(inner, "w") as document:
                document.writestr("CURATION_USER.xmi", cas.to_xmi())
                document.writestr("TypeSystem.xml", typesystem.to_xml())
            export.writestr(f"curation/{Path(member).name}/CURATION_USER.zip", inner.getvalue())


def errors(reviewed: Path, run: Path, tmp_path: Path) -> dict[str, int]:
    call("diff", reviewed, run / "restricted/xmi", "--level", "top", "--json", tmp_path / "diff.json", "-q")
    found = json.loads((tmp_path / "diff.json").read_text())
    assert found["documents"] == 24 and not found["only_first"] and not found["other_text"]
    return {"changes": sum(found["changes"].values()), "leaks": found["new_leaks"]}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::caspipe.typesystem.CaspipeWarning")
def test_what_reviewers_correct_makes_the_next_run_better(tmp_path: Path) -> None:
    made = notes(tmp_path / "notes")
    call("run", configuration(tmp_path / "run1.yaml", tmp_path / "notes", ""), "-q")
    run1, export, reviewed = tmp_path / "run1", tmp_path / "export.zip", tmp_path / "reviewed"
    call("doctor", run1 / "restricted/inception.zip")

    with warnings.catch_warnings():  # of cassis, about types it knows otherwise
        warnings.simplefilter("ignore")
        corrected(run1 / "restricted/inception.zip", made, export)
    bundle = f"reader.inception.bundle={run1 / 'restricted/inception.zip'}"
    call("convert", export, reviewed, "--from", "inception", "--to", "xmi", "--set", bundle, "-q")
    for name, (text, person) in made.items():
        gold = read_xmi(reviewed / f"{name}.xmi", lenient=True).view("gold")
        assert gold.text == text
        assert person in [p.covered_text for p in gold]

    before = errors(reviewed, run1, tmp_path)
    assert before["leaks"] >= len(made)
    call("diff", reviewed, run1 / "restricted/xmi", "--fail-on", "new-leak", "-q", code=1)

    trained = [
        "--set",
        f"reader.xmi.folder={reviewed}",
        "--set",
        "crf_trainer.model=ours",
        "--set",
        f"run.output={tmp_path}",
    ]
    call("train", "training/phi-crf", *trained, "-q")
    call(
        "run",
        configuration(tmp_path / "run2.yaml", tmp_path / "notes", f", {{crf: {{model: {tmp_path / 'ours'}}}}}"),
        "-q",
    )
    after = errors(reviewed, tmp_path / "run2", tmp_path)
    assert after["leaks"] == 0 and after["changes"] < before["changes"]
    call("diff", run1 / "restricted/xmi", tmp_path / "run2/restricted/xmi", "--fail-on", "new-leak", "-q")

    scores = tmp_path / "scores.json"
    call(
        "evaluate",
        "--gold",
        reviewed,
        "--system",
        tmp_path / "run2/restricted/xmi",
        "--reader",
        "xmi",
        "--json",
        scores,
        "-q",
    )
    rows = json.loads(scores.read_text())["rows"]
    (row,) = [r for r in rows if (r["criterion"], r["kind"]) == ("strict", "PERSON")]
    assert row["recall"] > 0.9
