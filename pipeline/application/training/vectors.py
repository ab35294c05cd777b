"""Word vectors from files of text: the pipeline behind `caspipe train vectors`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ....annotators.neural.vectors.trainer import TrainedVectors, VectorsTrainer
from ....readers.files.decoding import decode, mark, unmarked
from ....readers.files.file_reader import FileReader
from ....readers.files.text import TextReader
from ....readers.tables.csv import CsvReader
from ....readers.tables.json_records import JsonlReader
from ....typesystem import Cas
from ...errors import ReaderError
from ...pipeline import Pipeline
from ...storage.archives.open_archives import opened

RECORDS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv"}
"""Endings of files that hold a document a record, and the reader of each; all others are plain text."""

_BLOCK = 1 << 20
_WHITE = (b"\n", b" ")


def train_vectors(
    files: Sequence[Path],
    output: Path,
    *,
    text: str | list[str] = "text",
    progress: Callable[[int], None] | None = None,
    **parameters: Any,
) -> TrainedVectors:
    """Learn word vectors from files and write them to `output`.

    Text files of any size are read piece by piece, a folder means the text files in it; `.jsonl` and `.csv` hold the
    text in the field or fields `text`. `parameters` are those of `vectors_trainer`. `progress` gets the number of texts so
    far. Raises ReaderError for files that cannot be read whole, ConsumerError if there is too little to learn from.
    """
    trainer = VectorsTrainer(vectors=output.absolute(), **parameters)
    pipeline = Pipeline.parse("engines: [segmenter]")
    readers = [_reader(file, text) for file in files]
    for reader in readers:
        reader.open()  # report a wrong name before anything is read
    trainer.open()
    try:
        done = 0
        for reader in readers:
            for cas in _documents(reader):
                trainer.process(pipeline.process(cas))
                done += 1
                if progress is not None:
                    progress(done)
            if reader.failed:
                raise ReaderError("; ".join(str(error) for _, error in reader.failed[:5]))
            reader.close()
    except BaseException:
        trainer.abort()
        raise
    trainer.close()
    assert trainer.trained is not None
    return trainer.trained


def _reader(file: Path, text: str | list[str]) -> FileReader:
    if file.is_dir():
        return TextReader(folder=file)
    kind = RECORDS.get(Path(file.name.removesuffix(".gz")).suffix)
    if kind == "jsonl":
        return JsonlReader(files=file, text_field=text, id_field=None)
    if kind == "csv":
        return CsvReader(files=file, text_field=text, id_field=None)
    return TextReader(files=file)


def _documents(reader: FileReader) -> Iterator[Cas]:
    if not isinstance(reader, TextReader):
        yield from reader
        return
    for source in reader.readable():
        for number, piece in enumerate(_pieces(source.path, opened), 1):
            yield Cas(piece, id=f"{source.id}/{number}")


def _pieces(path: str, opened: Any) -> Iterator[str]:
    """Yield a text file of any size, about a megabyte at a time, cut at a line end or, without one, at a space."""
    with opened(path) as file:
        data = file.read(_BLOCK)
        if mark(data).startswith(("utf-16", "utf-32")) or unmarked(data):
            data += file.read()  # every character may have line ends in its bytes
        while data:
            more = file.read(_BLOCK)
            end = len(data)
            if more:
                end = next((at + 1 for white in _WHITE if (at := data.rfind(white)) >= 0), len(data))
            try:
                text, _ = decode(data[:end])
            except ReaderError as error:
                raise ReaderError(f"{path}: {error}") from None
            yield text
            data = data[end:] + more
