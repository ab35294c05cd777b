"""Train the shipped tagger `en-tagger`. The result is reproducible on one platform.

    python scripts/build_tagger.py CORPORA            writes configs/models/en-tagger
    python scripts/build_tagger.py CORPORA --output FOLDER

Requires `ud_ewt/en_ewt-ud-{train,dev}.conllu.gz` and `craft_pos/craft-200k.conllu.gz` in the folder. First trains without the
last fifth of CRAFT and scores on that fifth, then trains the model on everything except the dev part of EWT: about five minutes
on one core.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import tempfile
from pathlib import Path
from typing import Any

from caspipe.annotators.sequence.tagger_trainer import record_scores
from caspipe.pipeline.application.training.tagger import TrainedTagger, score_tagger, train_tagger

HERE = Path(__file__).resolve().parent
NAME = "en-tagger"
HELD_OUT = 5
"""Number of parts of CRAFT, of which the last one is held out."""

PARAMETERS: dict[str, Any] = {
    "algorithm": "ap",
    "max_iterations": 8,
    "runs": 4,
    "min_count": 2,
    "prune": 0.3,
    "language": "en",
    "licence": "CC BY-SA 4.0",
    "title": "Penn Treebank tags for English: web text and biomedical articles.",
    "command": "python scripts/build_tagger.py CORPORA",
    "corpora": [
        "Universal Dependencies English Web Treebank (EWT) 2.15, train part: web logs, news groups, mail, reviews, answers. "
        "Annotations (c) Stanford University, CC BY-SA 4.0. This model is derived from it and has the same licence.",
        "Colorado Richly Annotated Full-Text corpus (CRAFT), 200,000 tokens of biomedical articles. Annotations (c) University "
        "of Colorado, CC BY 3.0.",
    ],
    "limits": "Trained on edited and web English and on biomedical articles, not on clinical notes: expect more errors "
    "on telegraphic style, abbreviations and lists. Tags are those of the Penn Treebank as EWT has them, with HYPH, NFP, ADD, GW "
    "and AFX; full stops are separate tokens, also after abbreviations, with the tag `.`; hyphenated words are one token "
    "with the tag of their last part (participles behind a hyphen: JJ).",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path, help="folder of the open corpora")
    parser.add_argument("--output", type=Path, default=HERE.parent / "configs" / "models" / NAME)
    given = parser.parse_args()
    train = given.corpora / "ud_ewt" / "en_ewt-ud-train.conllu.gz"
    dev = given.corpora / "ud_ewt" / "en_ewt-ud-dev.conllu.gz"
    craft = given.corpora / "craft_pos" / "craft-200k.conllu.gz"
    with tempfile.TemporaryDirectory() as folder:
        rest, held = split(craft, Path(folder))
        trial = train_tagger([train, rest], Path(folder) / "trial", **{**PARAMETERS, "runs": 1})
        show("without the last fifth of CRAFT", trial)
        biomedical = score_tagger(
            str(trial.path), [held], corpus="CRAFT, last fifth (by a single training without that fifth)"
        )
        fresh = Path(folder) / NAME
        trained = train_tagger([train, craft], fresh, dev=[dev], **PARAMETERS)
        trained.scores[0].corpus = "EWT, dev part"
        record_scores(fresh, [row for scores in (*trained.scores, biomedical) for row in scores.rows()])
        shutil.rmtree(given.output, ignore_errors=True)
        shutil.copytree(fresh, given.output)
    show(str(given.output), trained)
    for scores in (*trained.scores, biomedical):
        print(f"{scores.corpus}: {scores.own.accuracy:.4f} on our tokens, {scores.given.accuracy:.4f} on the corpus's")


def split(file: Path, folder: Path) -> tuple[Path, Path]:
    """Split a CoNLL-U file between sentences into the first four fifths and the last fifth."""
    sentences = gzip.decompress(file.read_bytes()).decode("utf-8").strip("\n").split("\n\n")
    cut = len(sentences) - len(sentences) // HELD_OUT
    paths = folder / "rest.conllu", folder / "held.conllu"
    for path, some in zip(paths, (sentences[:cut], sentences[cut:]), strict=True):
        path.write_text("\n\n".join(some) + "\n\n", encoding="utf-8", newline="\n")
    return paths


def show(name: str, tagger: TrainedTagger) -> None:
    print(
        f"{name}: {tagger.tokens:,} tokens, {tagger.weights:,} weights, {tagger.size / 1e6:.2f} MB; {tagger.carried}",
        flush=True,
    )


if __name__ == "__main__":
    main()
