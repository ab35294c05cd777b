"""Consumer that scores: figures kept, files written, nothing of any text in them, and what it refuses."""

from __future__ import annotations

import csv
import json
import pickle
from pathlib import Path

import pytest

from caspipe.consumers.evaluation.scorer import Scorer
from caspipe.pipeline.contract.conformance import check_component
from caspipe.pipeline.errors import ConfigError, ConsumerError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas, CasError, Phi, PhiKind

TEXT = "Seen on 3/4/2020 by Dr. Featherstone."


def document(id: str = "ward/7", *found: tuple[int, int, str]) -> Cas:
    cas = Cas(TEXT, id=id)
    for begin, end, kind in found:
        cas.add(Phi(begin, end, kind=PhiKind.of(kind)))
    gold = cas.create_view("gold", TEXT)
    gold.add(Phi(8, 16, kind=PhiKind.DATE))
    gold.add(Phi(24, 36, kind=PhiKind.PERSON_DOCTOR))
    return cas


def scored(output: Path, *documents: Cas, **parameters: object) -> Scorer:
    scorer = Scorer(**parameters)
    scorer.output = output
    scorer.open()
    for cas in documents:
        scorer.process(cas)
    scorer.close()
    return scorer


BOTH = (8, 16, "DATE"), (24, 36, "PERSON")
HALF = ((8, 16, "DATE"),)


def test_the_figures_are_there_after_close_and_in_the_file(tmp_path: Path) -> None:
    scorer = scored(tmp_path, document("a", *BOTH), document("b", *HALF))
    assert scorer.scores.value("strict", "micro", "recall") == 3 / 4
    assert scorer.scores.value("strict", "PERSON", "recall") == 1 / 2  # at the first level a doctor is a person
    assert scorer.scores.documents == ["a", "b"]
    data = json.loads((tmp_path / "release/scores.json").read_text())
    row = next(r for r in data["rows"] if (r["criterion"], r["kind"]) == ("strict", "micro"))
    assert (data["documents"], row["recall"], row["tp"], row["fn"]) == (2, 0.75, 3, 1)


def test_kinds_are_compared_as_they_are_where_that_is_asked_for(tmp_path: Path) -> None:
    assert scored(tmp_path, document("a", *BOTH), level="kind").scores.value("strict") == 1 / 2


def test_schemes_stand_beside_criteria_in_every_format(tmp_path: Path) -> None:
    files = [Path("s.json"), Path("s.csv"), Path("s.txt")]
    scorer = scored(
        tmp_path,
        document("a", *BOTH),
        schemes=["i2b2-2014", "meddocan"],
        criteria=["documents"],
        files=files,
        bootstrap=20,
    )
    assert scorer.scheme_scores["i2b2-2014"].value("binary-strict") == 1
    assert scorer.scheme_scores["i2b2-2014"].value("strict", "DATE") == 1
    with (tmp_path / "s.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {r["scheme"] for r in rows} == {"", "i2b2-2014", "meddocan"}
    assert next(r for r in rows if r["criterion"] == "leak")["score"] == "undefined"
    assert next(r for r in rows if r["criterion"] == "binary-strict")["f1_low"] == "1.0"
    for file_name in files:
        assert "Featherstone" not in (tmp_path / file_name).read_text()
        assert "ward" not in (tmp_path / file_name).read_text()


def test_a_document_that_failed_after_all_is_taken_back(tmp_path: Path) -> None:
    scorer = Scorer()
    scorer.output = tmp_path
    for cas in (document("a", *BOTH), document("b", *HALF)):
        scorer.process(cas)
    scorer.rollback("c")
    scorer.rollback("b")
    scorer.rollback("b")
    scorer.close()
    assert scorer.scores.documents == ["a"]
    assert scorer.scores.value("strict", "micro", "recall") == 1


def test_a_document_without_reference_fails_and_counts_nowhere(tmp_path: Path) -> None:
    scorer = Scorer()
    scorer.output = tmp_path
    scorer.process(document("a", *BOTH))
    with pytest.raises(CasError, match="document x has no view gold"):
        scorer.process(Cas(TEXT, id="x"))
    scorer.rollback("x")
    scorer.close()
    assert scorer.scores.documents == ["a"]


def test_no_scores_before_the_end_and_none_of_a_run_that_broke_down(tmp_path: Path) -> None:
    scorer = Scorer()
    scorer.output = tmp_path
    scorer.process(document())
    with pytest.raises(ConsumerError, match="no scores: not closed yet"):
        _ = scorer.scores
    scorer.abort()
    assert not (tmp_path / "release/scores.json").exists()


def test_a_scorer_can_be_used_again_and_be_pickled(tmp_path: Path) -> None:
    scorer = scored(tmp_path, document("a"))
    scorer.open()
    scorer.process(document("b", *BOTH))
    scorer.close()
    assert scorer.scores.documents == ["b"]
    assert pickle.loads(pickle.dumps(Scorer(schemes=["conll"]))).schemes == ["conll"]
    assert not [f for f in check_component(Scorer) if f.fault]


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ("criteria: [strikt]", "no criterion called 'strikt'; did you mean strict?"),
        ("schemes: [medocan]", "no scheme called 'medocan'; did you mean meddocan?"),
        ("criteria: []", "expected criteria or schemes, got neither"),
        ("files: [scores.xls]", "expected a file name that ends in one of .json, .csv, .txt, got .xls"),
        ("bootstrap: -1", "bootstrap: expected 0 or more, got -1"),
        ("level: tops", "expected one of kind, top, vigibase, i2b2-2014, i2b2-2014-sub or meddocan, got 'tops'"),
    ],
)
def test_wrong_parameters_are_told_at_assembly(parameters: str, what: str) -> None:
    with pytest.raises(ConfigError) as error:
        Pipeline.parse(f"consumers: [{{scorer: {{{parameters}}}}}]")
    assert what in str(error.value)


def test_it_works_in_a_run(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(
        '{"id": "1", "text": "Seen on 3/4/2020.", "spans": [{"begin": 8, "end": 16, "kind": "DATE"}]}\n',
        encoding="utf-8",
    )
    pipeline = Pipeline.parse(
        f"reader: {{jsonl: {{files: {tmp_path}/in.jsonl, spans_field: spans}}}}\n"
        f"engines: [segmenter, dates]\nconsumers: [scorer]\nrun: {{output: {tmp_path}/out}}\n"
    )
    assert pipeline.run().exit_code == 0
    scorer = pipeline.consumers[0]
    assert isinstance(scorer, Scorer)
    assert scorer.scores.value("strict", "DATE") == 1
