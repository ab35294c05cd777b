"""Score the Spanish pipelines on the dev part of MEDDOCAN, with the figures of the shared task and by readable characters.

    python benchmarks/score_meddocan.py ../shared/corpora/meddocan [--system crf ...] [--models FOLDER] [--part dev] [--kinds]

Systems: `rules` (patterns and the component `identifiers`), `network`, `svm` and `crf` (each with the patterns below it),
`combined` (`configs/deidentify-es.yaml`), `recall` (its recall profile). Models are searched in `--models`, then among the
shipped ones. The shipped ones learned from dev too: `python scripts/build_models.py es --corpora FOLDER --scored MODELS` keeps
those without dev.
Strict, spans and merged are the figures of the organizers' script; characters and documents are figures of caspipe
(`docs/how-to/evaluate.md`). Intervals: bootstrap over documents, 95 %, 1,000 draws.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from caspipe.consumers.scoring import Scores, bootstrap_intervals, score
from caspipe.pipeline.application.evaluation.documents import pipeline_pairs
from caspipe.pipeline.assembly.shipped import folder
from caspipe.pipeline.pipeline import Pipeline

RECALL = (
    "neural.threshold=0.05",
    "crf.threshold=0.05",
    "svm.outside_bias=0.85",
    *(f"resolver.strategy.vote.{setting}" for setting in ("minority=drop", "threshold=0.05", "extent=union")),
)
"""The recall profile of `configs/deidentify-es.yaml`."""
MODELS = {"network": "neural", "svm": "svm", "crf": "crf"}
"""Name of the component by the end of the model's name."""

FIGURES = (
    ("strict", "ner", "f1"),
    ("P", "ner", "precision"),
    ("R", "ner", "recall"),
    ("spans", "spans", "f1"),
    ("merged", "spans-merged", "f1"),
    ("char R", "characters", "recall"),
    ("char P", "characters", "precision"),
    ("documents", "documents", "score"),
)


def pipeline(system: str, corpus: Path, models: Path | None) -> Pipeline:
    """Return the pipeline of a system with a reader of the corpus."""
    shipped = folder()
    evidence = f"{{include: {shipped / 'evidence-es.yaml'}}}"
    own = {
        "rules": f"[{evidence}, identifiers, {{resolver: {{priority: [patterns, identifiers], merge: []}}}}]",
        **{
            name: f"[{evidence}, {{{component}: {{model: {where(models, f'es-phi-{name}')}}}}},"
            f" {{resolver: {{priority: [{component}, patterns], merge: []}}}}]"
            for name, component in MODELS.items()
        },
    }
    if system in own:
        return Pipeline.parse(f"reader: {{i2b2: {{folder: {corpus}}}}}\nengines: {own[system]}")
    overrides = [
        f"reader.i2b2.folder={corpus.resolve()}",
        *(f"{component}.model={where(models, f'es-phi-{name}')}" for name, component in MODELS.items()),
    ]
    return Pipeline.load(shipped / "deidentify-es.yaml", [*overrides, *(RECALL if system == "recall" else ())])


def where(models: Path | None, name: str) -> str:
    """Return the folder of a model, or its name if it is shipped."""
    return str((models / name).resolve()) if models and (models / name).exists() else name


def measure(system: str, corpus: Path, models: Path | None) -> tuple[Scores, Scores, float, int]:
    """Return the figures of the shared task, those of caspipe, seconds and the number of documents."""
    started = time.perf_counter()
    pairs = list(pipeline_pairs(pipeline(system, corpus, models)))
    seconds = time.perf_counter() - started
    return score(pairs, scheme="meddocan"), score(pairs, ("characters", "documents")), seconds, len(pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="folder with the parts of MEDDOCAN")
    parser.add_argument("--system", nargs="*", default=["rules", *MODELS, "combined", "recall"])
    parser.add_argument("--models", type=Path, help="folder with es-phi-network, es-phi-svm and es-phi-crf")
    parser.add_argument("--part", default="dev")
    parser.add_argument("--kinds", action="store_true", help="also print strict figures of every category")
    given = parser.parse_args()
    print(f"{'':10}" + "".join(f"{name:>10}" for name, _, _ in FIGURES) + f"{'seconds':>10}  strict F1, 95 %")
    for system in given.system:
        task, own, seconds, documents = measure(system, given.corpus / given.part, given.models)
        cells = []
        for _, criterion, figure in FIGURES:
            value = (own if criterion in own.criteria else task).value(criterion, "micro", figure)  # type: ignore[arg-type]
            cells.append("undefined" if value is None else f"{value:.4f}")
        low, high = bootstrap_intervals(task, 1000, 1)["ner", "micro", "f1"]
        print(f"{system:10}" + "".join(f"{c:>10}" for c in cells) + f"{seconds:10.1f}  {low:.4f} to {high:.4f}")
        if given.kinds:
            for row in task.table:
                if row.criterion == "ner" and row.kind != "micro":
                    print(f"    {row.kind:36}{row.tp or 0:6}{row.fp or 0:6}{row.fn or 0:6}  {row.shown('f1')}")
    print(f"{documents} documents")


if __name__ == "__main__":
    main()
