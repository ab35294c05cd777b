"""Kinds that a configuration declares: masking, priorities, training, exports, bundles and other processes know them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caspipe.pipeline import Pipeline
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.errors import CaspipeError, ConfigError
from caspipe.typesystem import PhiKind, phi

KEY = "attack-key-0123456789-0123456789-0123456789"
RULES = """\
rules:
  - {name: ward, kind: WARDCODE, pattern: 'W-[0-9]{3}', confidence: 0.9}
  - {name: arm, kind: STUDY_ARM, pattern: 'ARM-[A-Z]{2}', confidence: 0.9}
"""
KINDS = "kinds: [WARDCODE, {name: STUDY_ARM, below: ID, description: arm of a trial}]\n"
TEXTS = {"one": "Ward W-301, arm ARM-QX. Fine.", "two": "Moved to W-302 from W-301; ARM-QX and ARM-ZZ."}


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the kinds at the end of a test."""
    monkeypatch.setenv("CASPIPE_KEY", KEY)
    monkeypatch.setattr(phi, "_REGISTRY", dict(phi._REGISTRY))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with two notes, a rule file and a pipeline that declares two kinds."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for name, text in TEXTS.items():
        (notes / f"{name}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    (tmp_path / "own.yaml").write_text(configuration(), encoding="utf-8")
    return tmp_path


def configuration(kinds: str = KINDS, consumers: str = "", masker: str = "", resolver: str = "") -> str:
    return (
        f"{kinds}reader: {{text: {{folder: notes}}}}\nengines:\n  - segmenter\n  - patterns: {{rules: rules.yaml}}\n"
        f"  - resolver: {{threshold: {{WARDCODE: 0.5}}, per_kind: {{STUDY_ARM: [patterns]}}{resolver}}}\n"
        f"  - masker: {{ID: {{pseudonym: {{key: '${{CASPIPE_KEY}}'}}}}, WARDCODE: placeholder{masker}}}\n"
        "consumers:\n  - text: {folder: release/text}\n  - xmi: {folder: restricted/xmi}\n" + consumers
    )


def released(out: Path) -> list[str]:
    return [f.read_text(encoding="utf-8") for f in sorted((out / "release" / "text").rglob("*.txt"))]


def in_process(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, in which no kind was declared."""
    code = "from caspipe.pipeline.application.cli.main import app; app()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=cwd, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.attack("own-kinds")
@pytest.mark.parametrize("run", ["workers: 0", "workers: 2, start: fork", "workers: 2, start: spawn"])
def test_own_kinds_are_masked_and_operators_of_their_parent_apply(project: Path, run: str) -> None:
    out = project / "out"
    text = configuration() + f"run: {{output: {out}, {run}}}\n"
    (project / "own.yaml").write_text(text, encoding="utf-8")
    report = Pipeline.load(project / "own.yaml").run()
    assert report.documents.released == 2, report.failures
    one, two = sorted(released(out), key=len)
    assert "[WARDCODE]" in one and two.count("[WARDCODE]") == 2
    assert not any(word in one + two for word in ("W-30", "ARM-", "[STUDY_ARM]"))
    token = one.partition("arm ")[2].partition(".")[0]
    assert token and token in two  # the pseudonym of ID: one value, one token
    assert report.kinds == {"STUDY_ARM": 3, "WARDCODE": 3}


@pytest.mark.attack("own-kinds")
def test_another_process_reads_the_documents_of_a_run_with_own_kinds(project: Path) -> None:
    done = in_process("run", "own.yaml", "--quiet", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "STUDY_ARM" in (project / "out" / "restricted" / "kinds.yaml").read_text(encoding="utf-8")
    document = sorted((project / "out" / "restricted" / "xmi").glob("*.xmi"))[0]
    shown = in_process("view", str(document), cwd=project)
    assert shown.returncode == 0, shown.stderr + shown.stdout
    page = (project / f"{document.name}.html").read_text(encoding="utf-8")
    assert "STUDY_ARM" in page and "k-OWN" in page and "arm of a trial" in page


@pytest.mark.attack("own-kinds")
def test_annotation_tools_get_the_kinds(project: Path) -> None:
    consumers = (
        "  - brat: {folder: restricted/brat}\n  - inception: {file: restricted/inception.zip}\n"
        "  - doccano: {file: restricted/doccano.jsonl}\n  - i2b2: {folder: restricted/i2b2}\n"
        "  - conll: {file: restricted/all.conll}\n"
    )
    text = configuration(consumers=consumers).replace("ID: {pseudonym: {key: '${CASPIPE_KEY}'}}, ", "")
    (project / "own.yaml").write_text(text + f"run: {{output: {project / 'out'}}}\n", encoding="utf-8")
    report = Pipeline.load(project / "own.yaml").run()
    assert report.documents.released == 2, report.failures
    out = project / "out" / "restricted"
    conf = (out / "brat" / "annotation.conf").read_text(encoding="utf-8")
    assert "\nWARDCODE\n" in conf and "\n\tSTUDY_ARM\n" in conf
    colors = dict(
        line.split("\t") for line in (out / "brat" / "visual.conf").read_text().splitlines() if "\tbg" in line
    )
    assert colors["STUDY_ARM"] == colors["ID"] and colors["WARDCODE"] not in (colors["ID"], colors["OTHER"])
    with zipfile.ZipFile(out / "inception.zip") as archive:
        tags = {t["tag_name"]: t["tag_description"] for t in json.loads(archive.read("tagsets/kinds.json"))["tags"]}
    assert tags["STUDY_ARM"] == "arm of a trial" and "WARDCODE" in tags
    labels = {
        span[2] for line in (out / "doccano.jsonl").read_text().splitlines() for span in json.loads(line)["label"]
    }
    assert labels == {"WARDCODE", "STUDY_ARM"}
    assert "WARDCODE" in (out / "all.conll").read_text(encoding="utf-8")
    tags_of = "".join(f.read_text(encoding="utf-8") for f in (out / "i2b2").glob("*.xml"))
    assert tags_of.count("<ID ") == 3 and tags_of.count("<OTHER ") == 3


@pytest.mark.attack("own-kinds")
def test_a_bundle_carries_the_kinds(project: Path) -> None:
    packed = in_process("pack", "own.yaml", "--output", "bundle.zip", cwd=project)
    assert packed.returncode == 0, packed.stderr + packed.stdout
    done = in_process("run", "bundle.zip", "--trust", "--quiet", cwd=project)
    assert done.returncode == 0, done.stderr + done.stdout
    assert not any("W-30" in text or "ARM-" in text for text in released(project / "out"))


@pytest.mark.attack("own-kinds")
def test_a_model_learns_a_kind_that_lies_below_another(project: Path) -> None:
    brat = project / "brat"
    brat.mkdir()
    for i in range(8):
        text, arm = f"Patient {i} went to W-3{i}1 in arm ARM-Q{chr(65 + i)} today .", f"ARM-Q{chr(65 + i)}"
        (brat / f"{i}.txt").write_text(text, encoding="utf-8")
        (brat / f"{i}.ann").write_text(
            f"T1\tWARDCODE {text.index('W-3')} {text.index('W-3') + 5}\tW-3{i}1\n"
            f"T2\tSTUDY_ARM {text.index(arm)} {text.index(arm) + 6}\t{arm}\n",
            encoding="utf-8",
        )
    (project / "train.yaml").write_text(
        f"{KINDS}reader: {{brat: {{folder: brat}}}}\nengines: [segmenter]\n"
        "consumers: [crf_trainer: {model: own, features: [lower, shape, prefix3], max_iterations: 60}]\n"
        "run: {output: out, on_error: stop}\n",
        encoding="utf-8",
    )
    done = in_process("run", "train.yaml", "--quiet", cwd=project)
    assert done.returncode == 0, done.stderr + done.stdout
    (project / "apply.yaml").write_text(
        f"{KINDS}reader: {{brat: {{folder: brat}}}}\nengines: [segmenter, crf: {{model: out/own}}, resolver]\n",
        encoding="utf-8",
    )
    scored = in_process("evaluate", "apply.yaml", "--json", "scores.json", "--level", "kind", cwd=project)
    assert scored.returncode == 0, scored.stderr + scored.stdout
    rows = json.loads((project / "scores.json").read_text(encoding="utf-8"))["rows"]
    strict = {r["kind"]: r for r in rows if r["criterion"] == "strict"}
    assert strict["STUDY_ARM"]["gold"] == 8 and strict["STUDY_ARM"]["f1"] > 0.9 and strict["WARDCODE"]["f1"] > 0.9


@pytest.mark.attack("own-kinds")
def test_an_included_file_declares_kinds_and_a_file_that_is_included_twice_does_so_once(project: Path) -> None:
    (project / "part.yaml").write_text(f"{KINDS}engines: [patterns: {{rules: rules.yaml}}]\n", encoding="utf-8")
    (project / "own.yaml").write_text(
        "kinds: [WARDCODE]\nengines:\n  - segmenter\n  - aggregate: {id: a, include: part.yaml}\n"
        "  - aggregate: {id: b, include: part.yaml}\n  - resolver\n",
        encoding="utf-8",
    )
    cas = Pipeline.load(project / "own.yaml").process(TEXTS["one"])
    assert [p.kind.name for p in cas.select("caspipe.Phi")] == ["WARDCODE", "STUDY_ARM"]


FAULTS = [
    (
        "kinds: [wardcode]\n",
        "own.yaml:1: kinds.0: kind 'wardcode': expected a name of capitals, digits and _ that begins",
    ),
    ("kinds: [PERSON]\n", "own.yaml:1: kinds.0: kind 'PERSON': PERSON is a kind of caspipe already"),
    ("kinds: [{name: PERSON_DOCTOR, below: ID}]\n", "PERSON_DOCTOR is a kind of caspipe already"),
    ("kinds: [A1, A1]\n", "own.yaml:1: kinds.1: A1 is declared already in "),
    ("kinds:\n  - A1\n  - {name: A1, below: ID}\n", "own.yaml:3: kinds.1: A1 is declared already in "),
    ("kinds: [{name: A1, below: IDD}]\n", "no PHI kind called 'IDD'; did you mean ID?"),
    ("kinds: [{name: A1, below: ID_SSN}]\n", "expected a first-level kind, which ID_SSN is not; did you mean ID?"),
    ("kinds: [{name: A1, belwo: ID}]\n", "own.yaml:1: kinds.0.belwo: no such parameter; did you mean below?"),
    ("kinds: WARDCODE\n", "own.yaml:1: kinds: expected a list of kinds: [WARDCODE, {name: STUDY_ARM, below: ID}]"),
    ("kinds: [[A1]]\n", "own.yaml:1: kinds.0: expected a name, or {name: STUDY_ARM, below: ID, description: ...}"),
    ("kinds: [O]\n", "own.yaml:1: kinds.0: kind 'O': expected a name of capitals"),
]


@pytest.mark.attack("own-kinds")
@pytest.mark.parametrize(("kinds", "told"), FAULTS)
def test_faults_have_file_and_line(project: Path, kinds: str, told: str) -> None:
    (project / "own.yaml").write_text(f"{kinds}engines: [segmenter]\n", encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        Pipeline.load(project / "own.yaml")
    assert told in str(raised.value)


@pytest.mark.attack("own-kinds")
def test_a_conflict_with_an_included_file_names_both_places(project: Path) -> None:
    (project / "part.yaml").write_text("kinds: [{name: A1, below: DATE}]\nengines: []\n", encoding="utf-8")
    (project / "own.yaml").write_text("kinds: [A1]\nengines:\n  - include: part.yaml\n", encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        Pipeline.load(project / "own.yaml")
    assert "part.yaml:1: kinds.0: A1 is declared already in " in str(raised.value)
    assert "own.yaml:1, at the first level" in str(raised.value)


@pytest.mark.attack("own-kinds")
def test_without_a_declaration_the_kinds_are_unknown_and_the_nearest_is_named(project: Path) -> None:
    (project / "own.yaml").write_text(configuration(kinds=""), encoding="utf-8")
    with pytest.raises(CaspipeError, match="no PHI kind called 'WARDCODE'"):
        Pipeline.load(project / "own.yaml")
    (project / "own.yaml").write_text(configuration().replace("{WARDCODE: 0.5}", "{WARDCOD: 0.5}"), encoding="utf-8")
    with pytest.raises(CaspipeError, match="no PHI kind called 'WARDCOD'; did you mean WARDCODE"):
        Pipeline.load(project / "own.yaml")


@pytest.mark.attack("own-kinds")
def test_policies_treat_a_kind_as_its_parent_and_mask_one_of_the_first_level() -> None:
    below = PhiKind.declare("SITE_TRIAL", "ID")
    readable = PhiKind.declare("SITE_TITLE", "PROFESSION")
    first = PhiKind.declare("SITE_WARD")
    policy = phi.Policy.of("hipaa-safe-harbor")
    assert policy.masks(below) and policy.masks(first) and not policy.masks(readable)
    assert (below.hipaa, below.direct, below.in_scheme("i2b2-2014")) == ("R", True, "ID")


@pytest.mark.attack("own-kinds")
def test_the_schema_allows_declared_kinds() -> None:
    shown = CliRunner().invoke(app, ["schema"])
    assert shown.exit_code == 0, shown.output
    schema = json.loads(shown.stdout)
    assert "kinds" in schema["properties"]
    assert (
        "^[A-Z][A-Z0-9_]*$" in schema["definitions"]["engine"]["anyOf"][1]["properties"]["masker"]["patternProperties"]
    )


@pytest.mark.attack("own-kinds")
def test_the_gate_finds_a_value_of_an_own_kind_that_stands_elsewhere(project: Path) -> None:
    (project / "rules.yaml").write_text(
        "rules:\n  - {name: ward, kind: WARDCODE, pattern: 'code (ZQ[0-9]{4}x)', group: 1, confidence: 0.9}\n",
        encoding="utf-8",
    )
    pipeline = Pipeline.parse(
        f"{KINDS}engines: [segmenter, patterns: {{rules: {project / 'rules.yaml'}}}, resolver, masker, leak_gate]"
    )
    cas = pipeline.process("The code ZQ4411x was set. Later ZQ4411x again.")
    assert cas.deidentified == "The code [WARDCODE] was set. Later [WARDCODE] again."


@pytest.mark.attack("own-kinds")
def test_an_audit_of_a_run_knows_its_kinds(project: Path) -> None:
    done = in_process("run", "own.yaml", "--quiet", cwd=project)
    assert done.returncode == 0, done.stderr
    drawn = in_process("audit", "sample", "out", "--size", "2", "--by", "kind", cwd=project)
    assert drawn.returncode == 0, drawn.stderr + drawn.stdout


@pytest.mark.attack("own-kinds")
def test_a_release_after_a_review_keeps_the_kinds(project: Path) -> None:
    assert in_process("run", "own.yaml", cwd=project).returncode == 0
    before = released(project / "out")
    shutil.copytree(project / "out" / "restricted" / "xmi", project / "edited")
    done = in_process("release", "out", "--xmi", "edited", cwd=project)
    assert done.returncode == 0, done.stderr
    assert released(project / "out") == before
