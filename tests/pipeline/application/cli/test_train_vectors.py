"""`caspipe train vectors` as a person meets it."""

from __future__ import annotations

import gzip
import json
import random
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caspipe.annotators.neural.vectors import WordVectors
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.application.training import vectors as vectors_training
from caspipe.pipeline.application.training.vectors import train_vectors
from caspipe.pipeline.errors import ReaderError


def note(seed: int) -> str:
    chance = random.Random(seed)
    words = [chance.choice("fever chills nausea rash cough pain aspirin".split()) for _ in range(40)]
    return " ".join(f"She reports {a} and {b} on day {i}." for i, (a, b) in enumerate(pairwise(words)))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of notes, one of them gzipped, one in another encoding."""
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text(note(1), encoding="utf-8")
    (folder / "sub" / "b.txt.gz").write_bytes(gzip.compress(note(2).encode()))
    (folder / "c.txt").write_text(note(3) + " café", encoding="cp1252")
    return folder


def train(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["train", "vectors", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_it_learns_and_says_from_what(notes: Path, tmp_path: Path) -> None:
    out = train(notes, "--output", tmp_path / "out" / "v.npz", "--dim", 5, "--min-count", 2)
    found = WordVectors.load(str(tmp_path / "out" / "v.npz"))
    meta = found.meta["training"]
    size = (tmp_path / "out" / "v.npz").stat().st_size
    assert f"v.npz: {len(found)} words, 5 dimensions, {size / 1e6:.2f} MB\n" in out
    share = meta["covered"] / meta["tokens"]
    assert f"learned from {meta['tokens']:,} tokens in 3 texts; {share:.1%} of the tokens have a vector; " in out
    assert "fever" in found
    assert "Day" in found
    assert "café" not in found  # it occurs once
    assert found.row("37") == found.row("00") >= 0


def test_a_training_pipeline_may_train_vectors_alone(notes: Path, tmp_path: Path) -> None:
    config = tmp_path / "vectors.yaml"
    config.write_text(
        f"reader: {{text: {{folder: {notes}}}}}\nengines: [segmenter]\n"
        f"consumers: [vectors_trainer: {{vectors: v.npz, dim: 5, min_count: 2}}]\nrun: {{output: {tmp_path / 'out'}}}\n",
        encoding="utf-8",
    )
    done = CliRunner().invoke(app, ["train", str(config)])
    assert done.exit_code == 0, done.output
    found = WordVectors.load(str(tmp_path / "out" / "v.npz"))
    assert f"vectors_trainer: {tmp_path / 'out' / 'v.npz'}: {len(found)} words, 5 dimensions, " in done.output
    assert f"  learned from {found.meta['training']['tokens']:,} tokens in 3 texts; " in done.output
    assert "no model was written" not in done.output


def test_every_way_of_giving_text_gives_the_same_vectors(notes: Path, tmp_path: Path) -> None:
    texts = [note(1), note(3) + " café", note(2)]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps({"note": text}) + "\n" for text in texts))
    (tmp_path / "r.csv.gz").write_bytes(gzip.compress(("note\n" + "".join(f'"{text}"\n' for text in texts)).encode()))
    both = json.dumps({"a": texts[0], "b": texts[1]}) + "\n" + json.dumps({"a": texts[2], "b": ""}) + "\n"
    (tmp_path / "two.jsonl").write_text(both)
    ways = {
        "folder": [notes],
        "files": [notes / "a.txt", notes / "c.txt", notes / "sub" / "b.txt.gz"],
        "jsonl": [tmp_path / "r.jsonl", "--text", "note"],
        "csv": [tmp_path / "r.csv.gz", "--text", "note"],
        "two fields": [tmp_path / "two.jsonl", "--text", "a", "--text", "b"],
    }
    for name, way in ways.items():
        assert train(*way, "-o", tmp_path / f"{name}.npz", "--dim", 5, "--min-count", 2, "--quiet") == ""
    found = {name: WordVectors.load(str(tmp_path / f"{name}.npz")) for name in ways}
    for name in ways:
        assert found[name].words == found["folder"].words
        assert (found[name].matrix == found["folder"].matrix).all()


def test_options_reach_the_training(notes: Path, tmp_path: Path) -> None:
    options = [
        "--case",
        "--digits",
        "--window",
        2,
        "--epochs",
        2,
        "--max-words",
        12,
        "--context",
        "document",
        "--format",
        "word2vec",
    ]
    train(notes, "-o", tmp_path / "v.npz", "--dim", 5, *options)
    found = WordVectors.load(str(tmp_path / "v.npz"))
    assert len(found) == 12
    assert found.words[0] != found.words[0].lower() or "She" in found.words
    assert (tmp_path / "v.npz").read_bytes().startswith(b"12 5\n")


def test_a_big_file_is_read_in_pieces_cut_between_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors_training, "_BLOCK", 64)
    texts = {"lines": "fièvre und Husten\n" * 90, "one line": "fièvre und Husten " * 90, "one word": "é" * 500}
    from caspipe.pipeline.storage.archives.open_archives import opened

    for name, text in texts.items():
        file = tmp_path / f"{name}.txt"
        file.write_bytes(text.encode())
        pieces = list(vectors_training._pieces(str(file), opened)) if name != "one word" else []
        assert "".join(pieces) == (text if pieces else "")
        assert all(len(piece) < 200 for piece in pieces)
        assert all(piece[-1].isspace() for piece in pieces)
    wide = tmp_path / "wide.txt"
    wide.write_bytes(texts["lines"].encode("utf-16"))
    assert "".join(vectors_training._pieces(str(wide), opened)) == texts["lines"]
    made = train_vectors([tmp_path / "lines.txt"], tmp_path / "v.npz", dim=2)
    assert (made.words, made.tokens) == (3, 270)


@pytest.mark.parametrize("name", ["absent.txt", "absent.jsonl", "absent"])
def test_a_file_that_is_not_there_is_told_before_anything_is_read(notes: Path, tmp_path: Path, name: str) -> None:
    out = train(notes, tmp_path / name, "-o", tmp_path / "v.npz", code=4)
    assert name in out
    assert not (tmp_path / "v.npz").exists()


def test_what_cannot_be_read_is_told_without_its_text_and_nothing_is_written(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"text": "fine"}\n{"text": Zyqqvander\n')
    out = train(notes, tmp_path / "r.jsonl", "-o", tmp_path / "v.npz", code=4)
    assert "r.jsonl, line 2: " in out
    assert "Zyqqvander" not in out
    assert not (tmp_path / "v.npz").exists()
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(note(1).encode())[:-9])
    assert "cut.txt.gz: the gzip data are damaged or cut off" in train(tmp_path / "cut.txt.gz", code=4)


def test_too_little_text_and_foreign_files_are_told(notes: Path, tmp_path: Path) -> None:
    assert "no word occurs 999 times or more" in train(notes, "-o", tmp_path / "v.npz", "--min-count", 999, code=4)
    out = train(notes, "-o", notes / "a.txt", code=4)
    assert "a.txt: exists and does not contain word vectors: choose another name" in out
    assert (notes / "a.txt").read_text(encoding="utf-8") == note(1)


def test_wrong_choices_are_told_with_the_nearest(notes: Path) -> None:
    out = train(notes, "--context", "sentense", "--format", "bin", code=2)
    assert "context: expected one of sentence, document, got sentense; did you mean sentence?" in out
    assert "format: expected one of auto, npz, word2vec, got bin" in out
    assert "greater than or equal to 1" in train(notes, "--dim", 0, code=2).replace("\n", " ")


def test_ctrl_c_leaves_nothing(notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("caspipe.annotators.neural.vectors.trainer.VectorsTrainer._skip_gram", interrupted)
    out = train(notes, "-o", tmp_path / "v.npz", "--dim", 5, code=130)
    assert "interrupted: no vectors were written" in out
    assert not (tmp_path / "v.npz").exists()


def test_faults_of_readers_abort_the_training(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a\x00" * 40)
    with pytest.raises(ReaderError, match="it looks like utf-16-le without a byte-order mark"):
        train_vectors([tmp_path / "a.txt"], tmp_path / "v.npz", dim=2)
    assert not (tmp_path / "v.npz").exists()


def test_help_gives_examples() -> None:
    assert "caspipe train vectors notes/" in train("--help").replace("\n", " ")
