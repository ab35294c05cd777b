"""Train the shipped models and write them, one command for each family.

    python scripts/build_models.py en                                # the English network and CRF, from this repository alone
    python scripts/build_models.py en --corpora CORPORA              # the same, also with MTSamples; and en-phi-svm
    python scripts/build_models.py es --corpora CORPORA              # the Spanish network, CRF and SVM, about an hour
    python scripts/build_models.py es --corpora FOLDER --only es-phi-svm --output models

A model is defined by a training configuration (`configs/training/`) and scored on documents outside its training set; the scores
go into the model and its card. To add a family, add an entry to `FAMILIES`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import english_corpora
import yaml

from caspipe.annotators.sequence.card import model_card
from caspipe.annotators.sequence.model_files import read_description, update_description
from caspipe.consumers.scoring import Pair, at_level, score
from caspipe.pipeline.application.evaluation.documents import pipeline_pairs
from caspipe.pipeline.assembly.shipped import folder
from caspipe.pipeline.pipeline import Pipeline

MODELS = Path(__file__).resolve().parents[1] / "configs" / "models"
CRITERIA = ("strict", "overlapping")
LARGEST = 8_000_000
"""Maximum size of a model in bytes."""


@dataclass(frozen=True)
class Test:
    """Documents and pipeline for scoring a model."""

    corpus: str
    """Name in the card."""
    pipeline: str
    """YAML of reader and engines, with `{model}`, `{corpus}` and `{shipped}`, the folder of the shipped configurations."""
    scheme: str = ""
    """Scheme of a shared task to score by; empty: our own criteria for first-level kinds."""
    source: str = ""
    """Score the candidates of this component instead of the pipeline's spans."""
    kinds: tuple[str, ...] = ()
    """First-level kinds that the corpus annotates; empty: all."""


@dataclass(frozen=True)
class Addition:
    """A corpus to learn from beside those of the training configuration."""

    reader: dict[str, Any]
    """Reader of the corpus, with `{corpus}` for the folder of the corpora."""
    card_line: str
    """Line of the model card about the corpus."""


@dataclass(frozen=True)
class Model:
    """Training configuration and tests of a model."""

    name: str
    training: str
    """Name of the shipped training configuration, whose trainer has the same `model` name."""
    tests: tuple[Test, ...]
    alone: bool = False
    """True if the model can be trained from the repository alone."""
    added: Addition | None = None
    """Corpus that is added if the corpora are given."""
    added_at_last: Addition | None = None
    """Corpus that the scores are measured on. The shipped model is trained again with it, after the scores were measured."""


@dataclass(frozen=True)
class Family:
    """Models that are trained together."""

    variable: str
    """Environment variable of the corpus folder in the training configurations."""
    corpus: str
    """Its folder below `--corpora`."""
    models: tuple[Model, ...]
    prepare: Callable[[Path, Path], None] | None = None
    """Converts the corpora to the files that the training configurations and tests read, in an empty folder."""


def _meddocan_dev(component: str) -> tuple[Test, ...]:
    pipeline = """
reader: {{i2b2: {{folder: "{corpus}/dev"}}}}
engines:
  - include: "{shipped}/evidence-es.yaml"
  - COMPONENT: {{model: "{model}"}}
  - resolver: {{priority: [COMPONENT, patterns], merge: []}}
"""
    return (Test("MEDDOCAN dev, with patterns", pipeline.replace("COMPONENT", component), "meddocan"),)


_MEDDOCAN_DEV = Addition(
    {"i2b2": {"folder": "{corpus}/dev"}},
    "MEDDOCAN 2019, dev part: 250 cases of the same kind. The scores are those of the same training without it.",
)
_NAMES = ("PERSON", "LOCATION", "ORGANIZATION")
_HELD_OUT = '{{conll: {{folder: "{corpus}/NAME", pattern: "*.conll*", kinds: {{MISC: null}}}}}}'
_MTSAMPLES = Addition(
    {"jsonl": {"folder": "{corpus}/mtsamples", "pattern": "*.jsonl", "spans_field": "spans"}},
    "MTSamples (mtsamples.com, collected by T. Boyle; CC0): transcribed reports, for words that are not PHI; slots of removed "
    "names are filled with invented ones, dates and ages marked by rules.",
)


def _english(component: str) -> tuple[Test, ...]:
    engines = 'engines: [include: "{shipped}/evidence-en.yaml", COMPONENT: {{model: "{model}"}}]'.replace(
        "COMPONENT", component
    )

    def test(corpus: str, reader: str, kinds: tuple[str, ...] = ()) -> Test:
        return Test(f"{corpus}; the model alone", f"reader: {reader}\n{engines}", source=component, kinds=kinds)

    if component != "svm":
        return (test("phi_notes, dev part", '{{marked: {{folder: "shipped:phi-notes-dev"}}}}'),)
    return (
        test("Wikigold, every tenth document, held out", _HELD_OUT.replace("NAME", "held/wikigold"), _NAMES),
        test("Broad Twitter Corpus, every tenth document, held out", _HELD_OUT.replace("NAME", "held/btc"), _NAMES),
    )


FAMILIES = {
    "en": Family(
        "CORPORA",
        "",
        (
            Model("en-phi-network", "training/en-phi-network", _english("neural"), alone=True, added=_MTSAMPLES),
            Model("en-phi-crf", "training/en-phi-crf", _english("crf"), alone=True, added=_MTSAMPLES),
            Model("en-phi-svm", "training/en-phi-svm", _english("svm")),
        ),
        english_corpora.prepare,
    ),
    "es": Family(
        "MEDDOCAN",
        "meddocan",
        (
            *(
                Model(
                    f"es-phi-{name}", f"training/es-phi-{name}", _meddocan_dev(component), added_at_last=_MEDDOCAN_DEV
                )
                for name, component in (("network", "neural"), ("crf", "crf"), ("svm", "svm"))
            ),
        ),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=sorted(FAMILIES))
    parser.add_argument(
        "--corpora", type=Path, help="folder of the open corpora; needed by all but the English network and CRF"
    )
    parser.add_argument("--only", nargs="*", help="names of models; default: all that can be trained")
    parser.add_argument("--output", type=Path, default=MODELS, help="folder for the models")
    parser.add_argument(
        "--scored", type=Path, help="folder for the models as they were scored, without a corpus that is added at last"
    )
    given = parser.parse_args()
    family = FAMILIES[given.family]
    known = [m.name for m in family.models]
    wrong = [name for name in given.only or () if name not in known]
    if wrong:
        parser.error(f"no model {wrong[0]}; known: {', '.join(known)}")
    chosen = [m for m in family.models if m.name in (given.only or known)]
    if given.corpora is None:
        needing = [m.name for m in chosen if not m.alone]
        chosen = [m for m in chosen if m.alone]
        if not chosen or (given.only and needing):
            parser.error(f"{needing[0]}: needs open corpora: --corpora FOLDER")
    elif not (given.corpora / family.corpus).is_dir():
        parser.error(f"no folder {given.corpora / family.corpus}: put the corpus there")
    with tempfile.TemporaryDirectory() as prepared:
        corpus = (given.corpora / family.corpus).resolve() if given.corpora else None
        if corpus and family.prepare:
            family.prepare(corpus, Path(prepared))
            corpus = Path(prepared)
        if corpus:
            os.environ[family.variable] = str(corpus)
        for model in chosen:
            build(model, corpus, given.output, given.scored)


def build(model: Model, corpus: Path | None, output: Path, scored: Path | None) -> None:
    """Train, score and write one model; an existing one is replaced at the end. `scored`: folder for the scored one."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as output_folder:
        trained_model = train(model, [model.added], corpus, Path(output_folder))
        scores = [row for test in model.tests for row in measured(trained_model, corpus, test)]
        record(trained_model, scores)
        if scored:
            replace_folder(scored / model.name, trained_model)
        if model.added_at_last:
            trained_model = train(model, [model.added, model.added_at_last], corpus, Path(output_folder) / "last")
        seconds = time.perf_counter() - started
        record(trained_model, scores)
        size = sum(file.stat().st_size for file in trained_model.iterdir())
        if size > LARGEST:
            raise SystemExit(f"{model.name}: {size:,} bytes, more than {LARGEST:,}")
        replace_folder(output / model.name, trained_model)
    print(f"{model.name}: trained in {seconds:.0f} s, {size / 1e6:.2f} MB")
    for row in scores:
        if row["kind"] == "micro" and row["f1"] is not None:
            print(f"  {row['criterion']} F1 {row['f1']:.4f} ({row['corpus']})")


def replace_folder(folder: Path, source: Path) -> None:
    """Copy `source` to `folder`, which it replaces."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder)


def train(model: Model, additions: Sequence[Addition | None], corpus: Path | None, output: Path) -> Path:
    """Train a model in a folder. Return its path."""
    output.mkdir(exist_ok=True)
    config = training_configuration(model, [a for a in additions if a], corpus, output)
    if Pipeline.load(config, [f"run.output={output}"]).run().exit_code:
        raise SystemExit(f"{model.name}: training failed")
    return output / model.name


def training_configuration(
    model: Model, additions: Sequence[Addition], corpus: Path | None, folder_for_copy: Path
) -> Path:
    """Return the training configuration; with additions, a copy that also reads them and names them in the card."""
    config = folder() / f"{model.training}.yaml"
    if corpus is None or not additions:
        return config
    settings = yaml.safe_load(config.read_text(encoding="utf-8"))
    readers = settings["reader"] if isinstance(settings["reader"], list) else [settings["reader"]]
    (trainer,) = settings["consumers"][0].values()
    for addition in additions:
        ((name, parameters),) = addition.reader.items()
        readers.append({name: {**parameters, "folder": parameters["folder"].format(corpus=corpus)}})
        trainer["corpora"].append(addition.card_line)
    settings["reader"] = readers
    for engine in settings["engines"]:
        if "include" in engine:
            engine["include"] = str((config.parent / engine["include"]).resolve())
    copy = folder_for_copy / config.name
    copy.write_text(yaml.safe_dump(settings, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return copy


def measured(model: Path, corpus: Path | None, test: Test) -> list[dict[str, Any]]:
    """Return the scores of a model on a test, as rows of the card."""
    pipeline = Pipeline.parse(test.pipeline.format(model=model, corpus=corpus, shipped=folder()))
    if test.scheme:
        scores = score(pipeline_pairs(pipeline), scheme=test.scheme)
    else:
        scores = score((_proposed(pair, test) for pair in pipeline_pairs(pipeline)), CRITERIA)
    return [
        {
            "corpus": test.corpus,
            "criterion": row.criterion,
            "kind": row.kind,
            "precision": row.precision,
            "recall": row.recall,
            "f1": row.f1,
        }
        for row in scores.table
        if "f1" in row.applies
    ]


def _proposed(pair: Pair, test: Test) -> Pair:
    """Return the document with the candidates of the tested component, at first-level kinds."""
    system = [c for c in pair.candidates if c.source == test.source] if test.source else pair.system
    level = at_level(replace(pair, system=system, candidates=[]), "top")
    gold, system = (
        [m for m in marks if not test.kinds or m.kind in test.kinds] for marks in (level.gold, level.system)
    )
    return replace(level, gold=gold, system=system)


def record(path: Path, scores: list[dict[str, Any]]) -> None:
    """Add the scores to the description and card of the model at `path`."""
    meta = {**read_description(str(path)), "scores": scores}
    update_description(path, {"scores": scores}, model_card(meta))


if __name__ == "__main__":
    main()
