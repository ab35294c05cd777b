"""`caspipe evaluate --risk` as a person meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app

NOTE = "Seen on 3/4/2020 by Dr. Featherstone, aged 65 years."
GOLD = [(8, 16, "DATE"), (24, 36, "PERSON_DOCTOR"), (43, 51, "AGE")]


def evaluate(*arguments: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["evaluate", "-q", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.output


def collection(path: Path, spans: list[tuple[int, int, str]], ids: str = "abcd") -> Path:
    listed = [{"begin": b, "end": e, "kind": k} for b, e, k in spans]
    lines = [json.dumps({"id": i, "text": NOTE, "spans": listed, "patient": "pq"[n % 2]}) for n, i in enumerate(ids)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def compared(tmp_path: Path) -> list[str | Path]:
    """Every name is found, every date and age is missed."""
    gold = collection(tmp_path / "gold.jsonl", GOLD)
    system = collection(tmp_path / "system.jsonl", [(20, 36, "PERSON")])
    return ["--gold", gold, "--system", system, "--reader", "jsonl", "--criterion", "documents"]


def test_risk_stands_below_the_scores_and_in_the_json(compared: list[str | Path], tmp_path: Path) -> None:
    made = evaluate(*compared, "--risk", "--json", tmp_path / "s.json")
    assert "risk of re-identification, 4 scored documents" in made
    risk = json.loads((tmp_path / "s.json").read_text())["risk"]
    # four documents, none leaks a name: the rule of three; all leak a date and an age
    assert risk["observed"]["direct"] == {
        "holding": 4,
        "leaking": 0,
        "share": {"value": 0.0, "low": 0.0, "high": pytest.approx(1 - 0.05**0.25), "at_most": None},
    }
    assert risk["observed"]["indirect"]["share"]["value"] == 1.0
    assert [k["kind"] for k in risk["kinds"]] == ["PERSON_DOCTOR", "AGE", "DATE"]
    assert risk["absent"][:2] == ["ID", "PHONE"]
    assert "Featherstone" not in made + json.dumps(risk)


def test_three_indirect_identifiers_are_more_than_there_are(compared: list[str | Path], tmp_path: Path) -> None:
    evaluate(*compared, "--risk", "--risk-at-least", "3", "--json", tmp_path / "s.json")
    observed = json.loads((tmp_path / "s.json").read_text())["risk"]["observed"]
    assert observed["indirect"]["share"]["value"] == 0.0


def test_patients_are_counted_where_asked_for(compared: list[str | Path]) -> None:
    keep = ["--set", "jsonl.metadata=[patient]"]
    made = evaluate(*compared, *keep, "--risk", "--by-group")
    assert "risk of re-identification, 2 scored patients" in made
    assert "4 scored documents" in evaluate(*compared, *keep, "--risk")


def test_densities_come_from_a_pipeline_from_files_and_from_a_run(compared: list[str | Path], tmp_path: Path) -> None:
    config = tmp_path / "ward.yaml"
    config.write_text(
        "reader: {synthetic: {documents: 3, seed: 1}}\nengines: [segmenter, names]\n"
        "consumers: [{xmi: {folder: restricted/xmi}}]\n",
        encoding="utf-8",
    )
    from caspipe.pipeline.pipeline import Pipeline

    Pipeline.load(config, [f"run.output={tmp_path / 'run'}"]).run()
    found = collection(tmp_path / "found.jsonl", [(20, 36, "PERSON_DOCTOR")], "xyz")
    corpora = [config, tmp_path / "run", found]
    made = [a for corpus in corpora for a in ("--risk-densities", corpus)]
    evaluate(*compared, "--risk", *made, "--json", tmp_path / "s.json")
    scored, *others = json.loads((tmp_path / "s.json").read_text())["risk"]["expected"]
    assert scored["documents"] == 4
    assert [(c["name"], c["documents"]) for c in others] == [(str(c), 3) for c in corpora]
    assert others[0]["found"] == others[1]["found"], "a run's XMI holds what its pipeline finds"
    assert others[2]["found"] == {"PERSON_DOCTOR": [3, 3]}
    assert others[2]["assumed"] == ["AGE", "DATE"], "of which the system saw nothing"


def test_the_page_and_the_picture_are_written(compared: list[str | Path], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs matplotlib: pip install 'caspipe[plots]'")
    page, plot = tmp_path / "r" / "risk.html", tmp_path / "r" / "risk.svg"
    evaluate(*compared, "--risk", "--risk-html", page, "--risk-plot", plot)
    assert "Share of documents at risk" in page.read_text(encoding="utf-8")
    assert plot.read_text(encoding="utf-8").lstrip().startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--risk-densities", "x.yaml"], "--risk-densities: goes with --risk"),
        (["--risk-html", "x.html"], "--risk-html: goes with --risk"),
        (["--risk", "--risk-hidden", "PERSONS=0.5"], "no PHI kind called 'PERSONS'; did you mean PERSON?"),
        (["--risk", "--risk-hidden", "most"], "expected SHARE or KIND=SHARE, a share from 0 to below 1"),
        (["--risk", "--risk-hidden", "1"], "--risk: expected a share of hidden leaks from 0 to below 1, got 1"),
        (["--risk", "--risk-at-least", "0"], "--risk: expected 1 to 20 indirect identifiers that must leak, got 0"),
    ],
)
def test_options_that_make_no_sense_are_refused(compared: list[str | Path], arguments: list[str], said: str) -> None:
    assert said in " ".join(evaluate(*compared, *arguments, code=2).split())


def test_a_corpus_without_documents_is_an_error(compared: list[str | Path], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    made = evaluate(*compared, "--risk", "--risk-densities", tmp_path / "empty", code=4)
    assert "no file matches *.jsonl" in made
