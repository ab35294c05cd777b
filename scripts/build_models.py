"""Trains the shipped models on open corpora and writes their bundles, one command for each family.

    python scripts/build_models.py es --corpora CORPORA              # both Spanish models, about ten minutes
    python scripts/build_models.py es --corpora FOLDER --only es-phi-svm --output models
    python scripts/build_models.py en --corpora CORPORA              # configs/models/en-phi-crf and en-phi-svm

A model is a training configuration (`configs/training/`), scored on documents that it has not seen; the figures go into its
bundle and card. A further family is one entry in `FAMILIES`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import english_corpora

from caspipe.annotators.sequence.card import model_card
from caspipe.annotators.sequence.linear_model import LinearModel, write_linear_model
from caspipe.consumers.scoring import Pair, at_level, score
from caspipe.pipeline.application.evaluation.documents import found_by
from caspipe.pipeline.assembly.shipped import folder
from caspipe.pipeline.pipeline import Pipeline

MODELS = Path(__file__).resolve().parents[1] / "configs" / "models"
LARGEST = 5_000_000
"""Bytes of a bundle at most."""


@dataclass(frozen=True)
class Test:
    """What a model is scored on."""

    corpus: str
    """As the card calls it."""
    pipeline: str
    """YAML of reader and engines, with `{model}`, `{corpus}` and `{shipped}`, the folder of the shipped configurations."""
    scheme: str = ""
    """Scheme of a shared task to score by; empty: our own criteria, at the first level."""
    source: str = ""
    """Score the candidates of this component instead of what the pipeline settles on."""
    kinds: tuple[str, ...] = ()
    """First-level kinds that the corpus knows; empty: all."""


@dataclass(frozen=True)
class Model:
    """How one bundle is made."""

    name: str
    training: str
    """Name of the shipped training configuration; its trainer's `model` is the bundle's name."""
    tests: tuple[Test, ...]


@dataclass(frozen=True)
class Family:
    """Models that are made together."""

    variable: str
    """Environment variable by which the training configurations find the corpus."""
    corpus: str
    """Its folder below `--corpora`."""
    models: tuple[Model, ...]
    prepare: Callable[[Path, Path], None] | None = None
    """Makes what the training configurations and tests read, from the corpora in an empty folder."""


def _meddocan_dev(component: str) -> tuple[Test, ...]:
    pipeline = """
reader: {{i2b2: {{folder: "{corpus}/dev"}}}}
engines:
  - include: "{shipped}/evidence-es.yaml"
  - COMPONENT: {{model: "{model}"}}
  - resolver: {{priority: [COMPONENT, patterns], merge: []}}
"""
    told = "MEDDOCAN dev, with patterns"
    return (Test(told, pipeline.replace("COMPONENT", component), "meddocan"),)


_NAMES = ("PERSON", "LOCATION", "ORGANIZATION")
_HELD = '{{conll: {{folder: "{corpus}/NAME", pattern: "*.conll*", kinds: {{MISC: null}}}}}}'


def _english(component: str) -> tuple[Test, ...]:
    engines = 'engines: [include: "{shipped}/evidence-en.yaml", COMPONENT: {{model: "{model}"}}]'.replace(
        "COMPONENT", component
    )

    def test(corpus: str, reader: str, kinds: tuple[str, ...]) -> Test:
        return Test(f"{corpus}; the model alone", f"reader: {reader}\n{engines}", source=component, kinds=kinds)

    synthetic = "{{synthetic: {{documents: 300, seed: 99}}}}"
    return (
        test("Wikigold, every tenth document, held back", _HELD.replace("NAME", "held/wikigold"), _NAMES),
        test("Broad Twitter Corpus, every tenth document, held back", _HELD.replace("NAME", "held/btc"), _NAMES),
        test("synthetic narratives of another seed", synthetic, (*_NAMES, "PROFESSION", "AGE", "ID")),
    )


FAMILIES = {
    "en": Family(
        "CORPORA",
        "",
        (
            Model("en-phi-crf", "training/en-phi-crf", _english("crf")),
            Model("en-phi-svm", "training/en-phi-svm", _english("svm")),
        ),
        english_corpora.prepare,
    ),
    "es": Family(
        "MEDDOCAN",
        "meddocan",
        (
            Model("es-phi-crf", "training/es-phi-crf", _meddocan_dev("crf")),
            Model("es-phi-svm", "training/es-phi-svm", _meddocan_dev("svm")),
        ),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=sorted(FAMILIES))
    parser.add_argument("--corpora", type=Path, required=True, help="folder of the open corpora")
    parser.add_argument("--only", nargs="*", help="names of models; default: all of the family")
    parser.add_argument("--output", type=Path, default=MODELS, help="folder that the bundles go into")
    given = parser.parse_args()
    family = FAMILIES[given.family]
    known = [m.name for m in family.models]
    wrong = [name for name in given.only or () if name not in known]
    if wrong:
        parser.error(f"no model {wrong[0]}; known: {', '.join(known)}")
    corpus = (given.corpora / family.corpus).resolve()
    if not corpus.is_dir():
        parser.error(f"no folder {corpus}: put the corpus there")
    with tempfile.TemporaryDirectory() as prepared:
        if family.prepare:
            family.prepare(corpus, Path(prepared))
            corpus = Path(prepared)
        os.environ[family.variable] = str(corpus)
        for model in family.models:
            if model.name in (given.only or known):
                build(model, corpus, given.output)


def build(model: Model, corpus: Path, output: Path) -> None:
    """Trains, scores and writes one bundle; what was there is replaced at the end."""
    started = time.perf_counter()
    config = folder() / f"{model.training}.yaml"
    with tempfile.TemporaryDirectory() as made:
        report = Pipeline.load(config, [f"run.output={made}"]).run()
        if report.exit_code:
            raise SystemExit(f"{model.name}: training failed")
        place = Path(made) / model.name
        trained = time.perf_counter() - started
        scores = [row for test in model.tests for row in measured(place, corpus, test)]
        record(place, scores)
        size = sum(file.stat().st_size for file in place.iterdir())
        if size > LARGEST:
            raise SystemExit(f"{model.name}: {size:,} bytes, more than {LARGEST:,}")
        output.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(output / model.name, ignore_errors=True)
        shutil.copytree(place, output / model.name)
    print(f"{model.name}: trained in {trained:.0f} s, {size / 1e6:.2f} MB")
    for row in scores:
        if row["kind"] == "micro" and row["f1"] is not None:
            print(f"  {row['criterion']} F1 {row['f1']:.4f} ({row['corpus']})")


def measured(model: Path, corpus: Path, test: Test) -> list[dict[str, Any]]:
    """Rows for the card: what the test's pipeline finds with the model."""
    pipeline = Pipeline.parse(test.pipeline.format(model=model, corpus=corpus, shipped=folder()))
    if test.scheme:
        found = score(found_by(pipeline), scheme=test.scheme)
    else:
        found = score((_proposed(pair, test) for pair in found_by(pipeline)), ("strict", "overlapping"))
    return [
        {
            "corpus": test.corpus,
            "criterion": row.criterion,
            "kind": row.kind,
            "precision": row.precision,
            "recall": row.recall,
            "f1": row.f1,
        }
        for row in found.table
        if "f1" in row.applies
    ]


def _proposed(pair: Pair, test: Test) -> Pair:
    """The document with what the component alone proposed, kinds at the first level."""
    system = [c for c in pair.candidates if c.source == test.source] if test.source else pair.system
    level = at_level(replace(pair, system=system, candidates=[]), "top")
    gold, system = (
        [m for m in marks if not test.kinds or m.kind in test.kinds] for marks in (level.gold, level.system)
    )
    return replace(level, gold=gold, system=system)


def record(path: Path, scores: list[dict[str, Any]]) -> None:
    """Adds the scores to the bundle at `path`, description and card."""
    found = LinearModel.load(str(path))
    meta = {**found.meta, "scores": scores}
    write_linear_model(path, meta, found.weights, model_card(meta))


if __name__ == "__main__":
    main()
