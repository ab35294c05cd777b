"""`caspipe train`: what a person sees of a training, and every way in which it does not come about."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.application.cli.training_progress import describe, show_training

WARD = "Dr. {} saw the patient on {}/4/2020 in Oslo ."
NAMES = "Smith Jones Lee Garcia Novak Olsen Rossi Silva Kim Haddad".split()


def caspipe(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result.output


def line(i: int) -> dict[str, Any]:
    text = WARD.format(NAMES[i % len(NAMES)], i % 28 + 1)
    spans = [
        {"begin": 4, "end": text.index(" saw"), "kind": "PERSON_DOCTOR"},
        {"begin": text.index(" on ") + 4, "end": text.index(" in "), "kind": "DATE"},
    ]
    return {"id": f"n{i}", "text": text, "spans": spans}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    lines = [json.dumps(line(i)) for i in range(24)]
    (tmp_path / "notes.jsonl").write_text("\n".join(lines), encoding="utf-8")
    path = tmp_path / "ward.yaml"
    path.write_text(
        f"""\
reader: {{jsonl: {{files: notes.jsonl, spans_field: spans}}}}
engines: [segmenter]
consumers:
  - crf_trainer: {{model: models/ward, features: [lower, shape, suffix2], max_iterations: 15}}
run: {{output: {tmp_path / "out"}}}
""",
        encoding="utf-8",
    )
    return path


def test_it_trains_and_says_where_the_model_is_and_what_it_learnt_from(config: Path) -> None:
    out = caspipe("train", str(config))
    place = config.parent / "out" / "models" / "ward"
    made = LinearModel.load(str(place))
    assert f"crf_trainer: {place} (" in out.replace("\n", "")
    assert f"{made.weights.active:,} active features, {len(made.labels)} labels" in out
    assert "24 documents, " in out and "48 gold spans" in out
    assert "24 documents read" in out
    assert "Smith" not in out


def test_the_model_is_applied_by_its_path(config: Path, tmp_path: Path) -> None:
    caspipe("train", str(config), "-q")
    use = tmp_path / "use.yaml"
    use.write_text("engines: [segmenter, crf: {model: out/models/ward}]\n", encoding="utf-8")
    found = json.loads(caspipe("annotate", "--json", "-c", str(use), WARD.format("Meyer", 7)))
    assert [s["kind"] for s in found["spans"]] == ["PERSON_DOCTOR", "DATE"]
    assert all(0.5 < s["confidence"] < 1 for s in found["spans"])


def test_parameters_are_set_on_the_command_line_and_options_may_come_first(config: Path) -> None:
    out = caspipe("train", "--set", "crf_trainer.model=other.zip", "--set", "run.limit=5", str(config))
    assert "5 documents, " in out
    assert (config.parent / "out" / "other.zip").is_file()


def test_quiet_says_nothing(config: Path) -> None:
    assert caspipe("train", str(config), "--quiet") == ""


def test_gold_that_does_not_fit_tokens_is_told(config: Path) -> None:
    notes = config.parent / "notes.jsonl"
    first = line(0)
    first["spans"][0]["end"] -= 1
    notes.write_text("\n".join(map(json.dumps, [first, *map(line, range(1, 9))])), encoding="utf-8")
    assert "gold spans that do not fit tokens: 1 widened" in caspipe("train", str(config))


def test_a_configuration_without_a_trainer_is_told_what_to_add() -> None:
    out = caspipe("train", "deidentify", code=2).replace("\n", " ")
    assert "deidentify.yaml: consumers: a training pipeline needs a trainer among its consumers" in out
    assert "crf_trainer, " in out and "svm_trainer" in out


def test_a_feature_of_what_nothing_makes_is_told_with_place_feature_and_maker(config: Path) -> None:
    out = caspipe("train", str(config), "--set", "crf_trainer.features=[lower, list:countries, pos]", code=2)
    assert (
        "ward.yaml:4: crf_trainer: needs ListHit (feature list:countries), which no earlier component creates; " in out
    )
    assert "lists" in out
    assert (
        "ward.yaml:4: crf_trainer: needs Token:pos (feature pos), which no earlier component sets; tagger would set it"
        in out
    )


def test_an_unknown_configuration_or_parameter_is_told(config: Path) -> None:
    assert "no configuration 'wrad.yaml'" in caspipe("train", "wrad.yaml", code=2)
    out = caspipe("train", str(config), "--set", "crf_trainer.max_iteration=1", code=2)
    assert "crf_trainer.max_iteration: no such parameter; did you mean max_iterations?" in out


def test_a_corpus_without_gold_spans_is_told(config: Path) -> None:
    notes = config.parent / "notes.jsonl"
    notes.write_text("\n".join(json.dumps(line(i) | {"spans": []}) for i in range(5)), encoding="utf-8")
    out = caspipe("train", str(config), code=4)
    assert "crf_trainer: nothing to learn: no gold spans on tokens in 5 documents (view gold)" in out
    assert not (config.parent / "out" / "models").exists()


def test_a_document_that_fails_is_left_out_and_told(config: Path) -> None:
    notes = config.parent / "notes.jsonl"
    broken = line(3)
    broken["spans"][0]["end"] = 999
    notes.write_text("\n".join(map(json.dumps, [broken, *map(line, range(4, 12))])), encoding="utf-8")
    out = caspipe("train", str(config), code=3)
    assert "9 documents read, 1 failed and not learned from" in out
    assert "8 documents, " in out


def test_a_run_that_stops_at_an_error_trains_nothing(config: Path) -> None:
    notes = config.parent / "notes.jsonl"
    broken = line(9)
    broken["spans"][0]["end"] = 999
    notes.write_text("\n".join(map(json.dumps, [*map(line, range(8)), broken, line(10)])), encoding="utf-8")
    out = caspipe("train", str(config), "--set", "run.on_error=stop", code=4)
    assert "crf_trainer: no model was written" in out and "ended early" in out
    assert not (config.parent / "out" / "models").exists()


@pytest.mark.slow
@pytest.mark.parametrize("when", ["reading", "training"])
def test_an_interrupt_leaves_no_model(config: Path, when: str, tmp_path: Path) -> None:
    plugin = tmp_path / "slow.py"
    plugin.write_text(
        """\
import os, signal, logging
from caspipe.pipeline.contract.component import AnalysisEngine, component

@component("t_interrupts")
class Interrupts(AnalysisEngine):
    '''Interrupts at the fifth document, or at the second iteration.'''

    when: str = "reading"
    '''When.'''

    def open(self):
        super().open()
        self.seen = 0
        if self.when == "training":
            class Handler(logging.Handler):
                def emit(self, record):
                    if record.__dict__.get("iteration") == 2:
                        os.kill(os.getpid(), signal.SIGINT)
            logging.getLogger("caspipe.training").addHandler(Handler())

    def process(self, cas):
        self.seen += 1
        if self.seen == 5 and self.when == "reading":
            os.kill(os.getpid(), signal.SIGINT)
""",
        encoding="utf-8",
    )
    text = config.read_text(encoding="utf-8").replace("[segmenter]", f"[segmenter, t_interrupts: {{when: {when}}}]")
    config.write_text(text, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "caspipe.pipeline.application.cli.main",
        "train",
        str(config),
        "--plugin",
        str(plugin),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 130, done.stderr
    assert "interrupted: no model was written" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (config.parent / "out" / "models").exists()


def record(message: str, **said: Any) -> logging.LogRecord:
    made = logging.LogRecord("caspipe.training", logging.INFO, "", 0, message, (), None)
    made.__dict__.update(said)
    return made


def test_progress_is_told_as_people_say_it() -> None:
    assert describe(record("iteration", iteration=7, of=1000, loss=1234.56)) == "iteration 7 of 1,000, loss 1,234.6"
    assert describe(record("iteration", iteration=20, of=0, loss=None)) == "iteration 20"
    assert (
        describe(record("iteration", iteration=1, of=2, accuracy=0.5))
        == "iteration 1 of 2, 50.00% of held-out labels right"
    )
    assert describe(record("matrix", tokens=1200, attributes=30)) == "1,200 tokens, 30 attributes"
    epoch = {"epoch": 2, "of": 30, "loss": 0.1234, "seconds": 4.6}
    assert describe(record("epoch", **epoch)) == "epoch 2 of 30, loss 0.123, 5 s"
    scores = {"f1": 0.5, "token_recall": 0.75, "token_accuracy": 0.9}
    told = "epoch 2 of 30, loss 0.123, held-out F1 50.00%, token recall 75.00%, accuracy 90.00%, 5 s"
    assert describe(record("epoch", **epoch, **scores)) == told
    assert describe(record("written", path="x")) == ""


def test_lines_come_at_most_every_ten_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with show_training(quiet=False):
        log = logging.getLogger("caspipe.training")
        for i in range(1, 31):
            now[0] += 1
            log.info("iteration", extra={"iteration": i, "of": 30, "loss": 1.0})
    assert capsys.readouterr().err.splitlines() == [
        "training: iteration 10 of 30, loss 1.0, 10 s",
        "training: iteration 20 of 30, loss 1.0, 20 s",
        "training: iteration 30 of 30, loss 1.0, 30 s",
    ]
    assert not logging.getLogger("caspipe.training").handlers


def test_bars_are_drawn_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from caspipe.pipeline.contract.report import RunReport

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    report = RunReport(name="x", started="", versions={}, config={})
    report.documents.read = 3
    with show_training(quiet=False) as progress:
        assert progress is not None
        progress(report, 10)
        logging.getLogger("caspipe.training").info("iteration", extra={"iteration": 2, "of": 9, "loss": 5.0})
    assert signal.getsignal(signal.SIGINT) is not None and os.getpid()
    assert capsys.readouterr().out == ""


def test_help_names_both_ways_to_train() -> None:
    out = caspipe("train", "--help")
    assert "caspipe train CONFIG" in out and "tagger" in out and "pipeline" in out
    assert "--set" in caspipe("train", "pipeline", "--help")
