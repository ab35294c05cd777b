"""The inverse hybrid system with real, very small networks: trained, applied, compared, fine-tuned. All text is made up."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs PyTorch: pip install 'caspipe[neural]'")

from caspipe.pipeline import Pipeline
from caspipe.pipeline.application.experiment import ExperimentRunner, Result, experiment_of, read_plan
from caspipe.pipeline.application.experiment.shipped import locate
from caspipe.pipeline.errors import ConfigError
from caspipe.typesystem import DEIDENTIFIED_VIEW, PhiCandidate, Token, TokenScore, TokenVerdict

pytestmark = pytest.mark.neural

SYSTEMS = Path(__file__).resolve().parents[3] / "configs" / "systems"
SMALL = [
    "neural_trainer.epochs=25",
    "neural_trainer.held_out=0",
    "neural_trainer.threads=1",
    "neural_trainer.tokens.random.dim=32",
    "neural_trainer.encoder.lstm.width=32",
]
NETWORK = [
    *("tokens.random.dim=8", "encoder.lstm.width=8", "characters.char_lstm.dim=4", "characters.char_lstm.width=4"),
    *("epochs=2", "held_out=0"),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network of `s2_quick`, smaller, but trained until it opens safe words."""
    out = tmp_path_factory.mktemp("s2")
    small = [*SMALL, "synthetic.documents=40", f"run.output={out}"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # spans that do not fit tokens
        report = Pipeline.load(SYSTEMS / "s2_quick.yaml", small).run()
    assert not report.failures
    return out / "s2-quick"


def test_the_network_scores_every_token_and_what_is_not_safe_is_masked(model: Path) -> None:
    given = [f"neural.model={model}", "run.output=out"]
    pipeline = Pipeline.load(SYSTEMS / "s2_apply.yaml", given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no key for dates
        cas = pipeline.process("Mr. Zyqqvander came on 3 March 2021 with a fever.")
    assert cas.view().count(TokenScore) == cas.view().count(TokenVerdict) == cas.view().count(Token)
    assert all(0 <= s.score <= 1 for s in cas.select(TokenScore))
    masked = cas.view(DEIDENTIFIED_VIEW).text
    assert "Zyqqvander" not in masked
    assert "2021" not in masked
    assert "PHI" in masked
    assert masked.endswith("with a fever."), "a network that masks everything is not enough"
    chance = {(s.begin, s.end): s.score for s in cas.select(TokenScore)}
    asked = {"safe": 0.9, "unknown": 0.95, "unsafe": 0.95}
    covered = [c for c in cas.select(PhiCandidate) if c.source == "adaptive_threshold"]
    for v in cas.select(TokenVerdict):
        if any(map(str.isalnum, cas.text[v.begin : v.end])):
            opened = v.verdict in asked and 1 - chance[v.begin, v.end] > asked[v.verdict]
            assert opened != any(c.begin <= v.begin and v.end <= c.end for c in covered), (v.begin, v.verdict)


@pytest.mark.parametrize("name", ["s2_quick", "s2_inverse_hybrid", "s2_crf", "s2_source"])
def test_the_trainings_load_anywhere(name: str) -> None:
    pipeline = Pipeline.load(SYSTEMS / f"{name}.yaml")
    assert [c.name for c in pipeline.consumers] == ["neural_trainer"]


def test_fine_tuning_goes_on_from_the_network(model: Path, tmp_path: Path) -> None:
    (tmp_path / "narratives.jsonl").write_text(
        '{"id": "1", "text": "Seen on 3 March by Dr. Zyqq.", "spans": [{"begin": 8, "end": 15, "kind": "DATE"}]}\n'
        '{"id": "2", "text": "Fever since 7 May.", "spans": [{"begin": 12, "end": 17, "kind": "DATE"}]}\n',
        encoding="utf-8",
    )
    given = [f"neural_trainer.start_from={model}", f"jsonl.folder={tmp_path}", f"run.output={tmp_path / 'out'}"]
    report = Pipeline.load(SYSTEMS / "s2_fine_tune.yaml", [*given, "neural_trainer.epochs=1"]).run()
    assert not report.failures
    tuned = tmp_path / "out" / "s2-fine-tuned"
    with Pipeline.parse(f"engines: [segmenter, neural: {{model: {tuned}}}]") as network:
        cas = network.process("Mr. Zyqqvander came on 3 March 2021 with a fever.")
    marked = {i for c in cas.select(PhiCandidate) for i in range(c.begin, c.end)}
    dates = range(cas.text.index("3 March"), cas.text.index(" with"))
    assert sum(i in marked for i in dates) > 6, "it still marks the date"
    assert not marked & set(range(cas.text.index("with"), len(cas.text))), "and not everything"


def run(name: str, folder: Path, models: list[str], *given: str) -> Result:
    small = [f"models.{m}.trainer.{p}" for m in models for p in NETWORK]
    plan = read_plan(locate(name), [*small, *given])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return experiment_of(plan).run(ExperimentRunner(plan, folder))


def test_pairs_of_thresholds_with_a_softmax_and_a_chain(tmp_path: Path) -> None:
    documents = ["corpora.narratives.reader.documents=25", "corpora.fresh.reader.documents=6"]
    learned = ("tokens.random.dim=24", "encoder.lstm.width=24", "optimizer.adam.rate=0.01", "dropout=0.2", "epochs=12")
    more = [f"models.{m}.trainer.{p}" for m in ("softmax", "chain") for p in learned]
    result = run("s2-thresholds", tmp_path, ["softmax", "chain"], *documents, *more)
    whole = [r for r in result.records if r["criterion"] == "masking" and r["kind"] == "OVERALL"]
    assert {r["system"] for r in whole} == {"adaptive-softmax", "adaptive-chain"}
    for system in ("adaptive-softmax", "adaptive-chain"):
        alone = [r for r in whole if r["system"] == system and r["decides"] == "deep"]
        recalls = [r["recall"] for r in sorted(alone, key=lambda r: r["high"])]  # type: ignore[arg-type, return-value]
        assert recalls == sorted(recalls), "a higher threshold never masks less"  # type: ignore[type-var]
        both = [(r["recall"], r["precision"]) for r in alone if r["precision"] is not None]
        good = [r for r, p in both if r > 0.6 and p > 0.4]  # type: ignore[operator]
        assert good, f"a network that masks everything is right in a fifth of the tokens: {both}"


def test_fine_tuning_is_compared_with_what_was_there_before(tmp_path: Path) -> None:
    documents = ["corpora.notes.reader.documents=8", "corpora.reports.reader.documents=6", "folds=2"]
    result = run("s2-fine-tuning", tmp_path / "one", ["network"], *documents, "keep_models=true")
    assert [row[0] for row in result.tables[0].rows] == [
        *("lower, not fine-tuned", "lower, 1 epoch", "lower, 2 epochs"),
        *("higher, not fine-tuned", "higher, 1 epoch", "higher, 2 epochs"),
        *("s1-rules", "s1-crf", "s1-svm", "s1-combined"),
    ]
    assert [t.title for t in result.tables[1:3]] == [
        "Table 5.8: recall and precision",
        "Table 5.9: recall by kind, 2 epochs, lower thresholds",
    ]
    networks = {file.read_bytes() for file in (tmp_path / "one" / "bundles").glob("*/model/network.npz")}
    assert len(networks) == 5, "one before, and in each of two folds one of one and one of two epochs"
    again = run("s2-fine-tuning", tmp_path / "two", ["network"], *documents)
    assert again.records == result.records
    assert not (tmp_path / "two" / "bundles").exists(), "networks are removed once they were tested"


def test_systems_beside_the_fine_tuned_ones_must_exist() -> None:
    with pytest.raises(ConfigError) as error:
        read_plan(locate("s2-fine-tuning"), ["experiment.fine_tuning.beside=[s1-rules, s1-crv]"])
    assert "no model called 's1-crv'; expected one of network, lower, higher, s1-rules, s1-crf" in str(error.value)
