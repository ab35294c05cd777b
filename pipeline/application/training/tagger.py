"""Training and scoring a tagger from CoNLL-U files: the pipeline behind `caspipe train tagger`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ....annotators.sequence.linear_model import LinearModel
from ....annotators.sequence.model_files import read_description, update_description
from ....annotators.sequence.realign import transfer_tags
from ....annotators.sequence.tag_scores import TagScores
from ....annotators.sequence.tagger_trainer import TaggerTrainer, record_scores
from ....annotators.tagging.tagger import Tagger
from ....readers.corpora.conll import ConllReader
from ....typesystem import GOLD_VIEW, Token
from ...errors import ReaderError
from ...pipeline import Pipeline

Files = Sequence[Path]

BLOCK = 50
"""Sentences in a document: tags depend on their own sentence only."""


@dataclass(slots=True)
class TaggerScores:
    """How right a tagger is on a corpus: on our own tokens, and on those of the corpus."""

    corpus: str
    own: TagScores
    given: TagScores

    def rows(self) -> list[dict[str, Any]]:
        """Return the scores for the description of a model."""
        return [self.own.row(self.corpus, "ours", tags=True), self.given.row(self.corpus, "the corpus's", tags=False)]


@dataclass(slots=True)
class TrainedTagger:
    """The result of `train_tagger`."""

    path: Path
    tokens: int
    tags: int
    weights: int
    size: int
    """Bytes on disk."""
    carried: dict[str, int] = field(default_factory=dict)
    """How words of the corpus became tokens of ours (`annotators.sequence.realign.TransferredTags`)."""
    scores: list[TaggerScores] = field(default_factory=list)


def train_tagger(
    files: Files,
    output: Path,
    *,
    dev: Files = (),
    test: Files = (),
    column: str = "XPOS",
    **parameters: Any,
) -> TrainedTagger:
    """Train a tagger on CoNLL-U files, write it to `output` (a folder, or a file that ends in `.zip`) and score it.

    `column` has the tags; `parameters` are those of `tagger_trainer`. Scores on `dev` and `test` go into the model's card.
    Raises ReaderError for files that cannot be read, ConsumerError if there is nothing to learn from.
    """
    path = output.absolute()
    trainer = TaggerTrainer(model=path, **parameters)
    for name, wanted in (("dev", dev), ("test", test)):
        if wanted:
            _reader(wanted, column, name).sources()  # report a wrong name before the training, not after it
    _learn(trainer, _reader(files, column, "train"))
    meta = read_description(str(path))
    trained = TrainedTagger(
        path,
        tokens=meta["training"]["tokens"],
        tags=len(meta["labels"]),
        weights=meta["active_features"],
        size=_size(path),
        carried=meta["training"]["carried"],
    )
    for name, wanted in (("dev", dev), ("test", test)):
        if wanted:
            trained.scores.append(score_tagger(str(path), wanted, column=column, corpus=f"{name}: {_names(wanted)}"))
    if trained.scores:
        record_scores(path, [row for s in trained.scores for row in s.rows()])
    return trained


def _learn(trainer: TaggerTrainer, reader: ConllReader) -> None:
    """Train like a run of reader, segmenter and trainer, but learn nothing if a file cannot be read completely."""
    pipeline = _tokens()
    reader.open()
    trainer.open()
    for cas in reader:
        trainer.process(pipeline.process(cas))
    if reader.failed:
        trainer.abort()
        raise ReaderError("; ".join(str(error) for _, error in reader.failed))
    trainer.close()
    update_description(trainer.model, {"preprocessing": pipeline.describe()["engines"]})


def score_tagger(model: str, files: Files, *, column: str = "XPOS", corpus: str = "") -> TaggerScores:
    """Return the accuracy of a tagger (path or name) on CoNLL-U files. Raises ReaderError for files that cannot be read."""
    tagger = Tagger(model=LinearModel.load(model))
    tagger.open()
    pipeline = _tokens()
    scores = TaggerScores(corpus or _names(files), TagScores(), TagScores())
    reader = _reader(files, column, "scores")
    reader.open()
    for cas in reader:
        pipeline.process(cas)
        gold, view = cas.view(GOLD_VIEW), cas.view()
        tags, words = gold.tokens.pos, gold.spans(Token)
        carried = transfer_tags(view.text, words, tags, view.spans(Token), tagger.model.labels)
        scores.own.add(carried.tags, tagger.tags(view))
        scores.given.add(tags, tagger.tags(gold))
    if reader.failed:
        raise ReaderError("; ".join(str(error) for _, error in reader.failed))
    if not scores.given.tokens:
        raise ReaderError(f"{_names(files)}: no tags in column {column}")
    return scores


def _reader(files: Files, column: str, name: str) -> ConllReader:
    reader = ConllReader(
        files=list(files), format="conllu", tokens=True, pos=column, documents="sentences", sentences=BLOCK
    )
    reader.set_id(name)
    return reader


def _tokens() -> Pipeline:
    """Return the pipeline that makes tokens. Every sentence of the corpus is a line; our rules may find several in it."""
    return Pipeline.parse("engines: [{segmenter: {newline_breaks: line}}]")


def _names(files: Files) -> str:
    return ", ".join(file.name for file in files)


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else sum(file.stat().st_size for file in path.iterdir())
