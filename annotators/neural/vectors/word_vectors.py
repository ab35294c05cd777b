"""Vectors of words as a resource: read from any of the usual formats, looked up by the forms of tokens."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from ....pipeline.contract import resources
from ....pipeline.contract.resources import Resource
from ....pipeline.errors import ConsumerError, ResourceError, nearest
from ....pipeline.storage.files import AtomicFile, make_folder, write_atomic
from ....pipeline.storage.hashing import caspipe_version
from .fasttext_format import read_fasttext
from .own_format import meta_of, read_own, written
from .reading import HEAD, Content, Damaged, Floats32, detect_format, opened, spellings
from .text_format import read_glove, read_word2vec
from .word2vec_binary import read_binary

FOLDER_VARIABLE = "CASPIPE_VECTORS"
"""Names folders of files of vectors, separated as in PATH: they are then found by their names."""

_ENDS = (".gz", ".npz", ".txt", ".vec", ".bin")
_BLANK = re.compile(r"[\s\0\ud800-\udfff]", re.ASCII)
_OPTION = re.compile(r"(.+)\?limit=(\d{1,12})", re.DOTALL)


class WordVectors(Resource):
    """Words and their vectors: row i of `matrix`, 32-bit floats of shape (n, dim), belongs to `words[i]`.

    Read from GloVe, word2vec (text and binary), fastText (`.vec` and `.bin`) and caspipe's own files; text and word2vec's binary
    files also gzipped. The content determines the format. `load("glove.txt?limit=100000")` reads only the first rows.
    """

    kind = "vectors"

    def __init__(
        self,
        words: Iterable[str],
        matrix: Floats32,
        *,
        meta: Mapping[str, Any] | None = None,
        compose: Callable[[str], Floats32 | None] | None = None,
        place: str = "",
    ) -> None:
        """Vectors given by a program. `meta`: plain data that the file will carry; `digits: true` in it means that digits
        are written 0 in the words. Raises ValueError if words and matrix do not fit."""
        self.words = list(words)
        self.matrix = np.ascontiguousarray(matrix, dtype=np.float32).view()
        self.matrix.flags.writeable = False
        self.meta = dict(meta or {})
        self.place = place
        self.duplicates = 0
        """Rows of the file left out because an earlier row has their word."""
        self.undecodable = 0
        """Rows of the file left out because their word is not UTF-8."""
        self._compose = compose
        self._again: tuple[Any, ...] | None = None
        self._rows = {word: i for i, word in enumerate(self.words)}
        if self.matrix.ndim != 2 or len(self.matrix) != len(self.words) or len(self._rows) != len(self.words):
            raise ValueError("expected one row for each word, and no word twice")

    @classmethod
    def load(cls, name: str, *, limit: int | None = None, only: Iterable[str] | None = None) -> Self:
        """Read vectors by path, or by name from the folders of `CASPIPE_VECTORS`.

        `limit`: first rows of the file to look at; `only`: keep the words that these forms are looked up as. Raises
        ResourceError for a file that is missing, damaged, cut off or something else; it never quotes the file.
        """
        path, option = located(name)
        if limit is None:
            limit = option
        if limit is not None and limit < 1:
            raise ResourceError(f"vectors {path}: limit: expected 1 or more, got {limit}")
        chosen = None if only is None else frozenset(only)
        content = _read(path, limit, chosen)
        vectors = cls(content.words, content.matrix, meta=content.meta, compose=content.compose, place=str(path))
        vectors.duplicates, vectors.undecodable = content.duplicates, content.undecodable
        vectors._again = (str(path), limit, chosen)
        return vectors

    @classmethod
    def names(cls) -> list[str]:
        return sorted(known())

    @classmethod
    def check(cls, name: str) -> str | None:
        option = _OPTION.fullmatch(name)
        return super().check(option[1] if option and not Path(name).exists() else name)

    @classmethod
    def address(cls, name: str) -> tuple[str, str]:
        option = _OPTION.fullmatch(name)
        return (option[1], name[len(option[1]) :]) if option and not Path(name).exists() else (name, "")

    @classmethod
    def files(cls, name: str) -> list[Path]:
        return [located(name)[0]]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        if self._again is not None:
            return _reload, (type(self), *self._again)
        return _remake, (type(self), self.words, self.matrix, self.meta)

    def __repr__(self) -> str:
        return f"<WordVectors {len(self.words)} x {self.dim}>"

    def __len__(self) -> int:
        """Number of words."""
        return len(self.words)

    def __bool__(self) -> bool:
        return True

    def __contains__(self, form: str) -> bool:
        return self.row(form) >= 0

    @property
    def dim(self) -> int:
        """Numbers in a vector."""
        return int(self.matrix.shape[1])

    @property
    def subwords(self) -> bool:
        """Return whether unknown words get a vector made of their parts (binary models of fastText)."""
        return self._compose is not None

    def row(self, form: str) -> int:
        """The row of a form, -1 for an unknown one: as it is, else in lower case, else with its digits replaced if those
        of the words are (`0000` or, as in Google News, `####`)."""
        found = self._rows.get(form)
        if found is not None:
            return found
        for spelling in spellings(form, self._digits):
            found = self._rows.get(spelling)
            if found is not None:
                return found
        return -1

    def vector(self, form: str) -> Floats32 | None:
        """Return the vector of a form, shape (dim,): its row, else computed from its parts if the model can, else None."""
        row = self.row(form)
        if row >= 0:
            found: Floats32 = self.matrix[row]
            return found
        return self._compose(form) if self._compose is not None else None

    def nearest(self, form: str, n: int = 10) -> list[tuple[str, float]]:
        """Return the words with the most similar vectors and their cosine, most similar first; the word itself is left out.

        Raises ValueError for a form without a vector.
        """
        vector = self.vector(form)
        if vector is None or not (length := float(np.linalg.norm(vector))):
            raise ValueError(f"no vector: the word is none of the {len(self.words):,} there are")
        lengths = np.where(self._lengths > 0, self._lengths, 1)
        cosine = self.matrix @ (vector / np.float32(length)) / lengths
        own = self.row(form)
        best = [int(i) for i in np.argsort(-cosine, kind="stable")[: n + 1] if i != own]
        return [(self.words[i], float(cosine[i])) for i in best[:n]]

    def to_bytes(self) -> bytes:
        """The vectors as a file of caspipe's own: a NumPy archive without pickles, with a checksum; same vectors, same bytes.

        Parts of words are not in it. Raises ConsumerError for words that are not Unicode text.
        """
        meta = {**self.meta, "words": len(self.words), "dim": self.dim, "caspipe": caspipe_version()}
        try:
            return written(self.words, self.matrix, meta)
        except UnicodeEncodeError:
            raise ConsumerError("vectors: a word holds half a surrogate pair, which no file can carry") from None

    def write(self, path: Path, format: Literal["npz", "word2vec"] = "npz") -> None:
        """Write a file, whole or not at all: caspipe's own format, or word2vec's text, which other tools read too.

        Raises ConsumerError if the path cannot be written, or a word cannot in that format.
        """
        make_folder(path.parent)
        if format == "npz":
            write_atomic(path, self.to_bytes(), durable=False)
        else:
            self._write_text(path)
        _forget(path)

    def _write_text(self, path: Path) -> None:
        faulty = sum(not word or _BLANK.search(word) is not None for word in self.words)
        if faulty:
            raise ConsumerError(
                f"{path}: {faulty:,} words are empty or hold blanks, which word2vec's text cannot: use npz"
            )
        row = "%s " + " ".join(["%.9g"] * self.dim) + "\n"  # nine digits tell any two 32-bit floats apart
        with AtomicFile(path, durable=False) as file:
            file.write(f"{len(self.words)} {self.dim}\n".encode())
            for at in range(0, len(self.words), 1_000):
                part = zip(self.words[at : at + 1_000], self.matrix[at : at + 1_000].tolist(), strict=True)
                file.write("".join([row % (word, *numbers) for word, numbers in part]).encode())

    @cached_property
    def _lengths(self) -> Floats32:
        return np.asarray(np.linalg.norm(self.matrix, axis=1), dtype=np.float32)

    @cached_property
    def _digits(self) -> str:
        """The character that replaces digits in the words; empty if digits are kept."""
        if self.meta.get("digits") is True:
            return "0"
        text = " ".join(self.words)
        if "##" in text and not re.search(r"\d\d", text):
            return "#"
        return "0" if "00" in text and not re.search(r"[1-9]", text) else ""


def _reload(cls: type[WordVectors], name: str, limit: int | None, only: frozenset[str] | None) -> WordVectors:
    return cls.load(name, limit=limit, only=only)


def _remake(cls: type[WordVectors], words: list[str], matrix: Floats32, meta: dict[str, Any]) -> WordVectors:
    return cls(words, matrix, meta=meta)


def known() -> dict[str, Path]:
    """Return the files in the folders of `CASPIPE_VECTORS`, by name without ending."""
    files: dict[str, Path] = {}
    for folder in [Path(p) for p in os.environ.get(FOLDER_VARIABLE, "").split(os.pathsep) if p]:
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            name = path.name.removesuffix(".gz")
            if path.is_file() and path.name.endswith(_ENDS) and not name.startswith("."):
                files[name.rsplit(".", 1)[0] if name.endswith(_ENDS) else name] = path
    return files


def located(name: str) -> tuple[Path, int | None]:
    """The file of a name, and the limit that the name may carry (`?limit=1000`). Raises ResourceError with the nearest name."""
    limit = None
    if not Path(name).exists() and (option := _OPTION.fullmatch(name)):
        name, limit = option[1], int(option[2])
    path = Path(name)
    if not path.exists():
        named = known()
        if name not in named:
            raise ResourceError(f"no vectors or file called {name!r}{nearest(name, named)}")
        path = named[name]
    if not path.is_file():
        raise ResourceError(f"vectors {path}: expected a file, found something else")
    return path, limit


def _read(path: Path, limit: int | None, only: frozenset[str] | None) -> Content:
    with opened(path) as file:
        head = file.read(HEAD)
        format_ = detect_format(head)
        if format_ == "fasttext":
            if isinstance(file, gzip.GzipFile):
                raise Damaged("a packed model of fastText: unpack it, for it is not read as a whole")
            return read_fasttext(path, limit, only)
        file.seek(0)
        if format_ == "npz":
            return read_own(file, limit, only)
        readers: Mapping[str, Any] = {
            "glove": read_glove,
            "word2vec text": read_word2vec,
            "word2vec binary": read_binary,
        }
        found: Content = readers[format_](file, head, limit, only)
        return found


def refuse_foreign(path: Path) -> None:
    """Raise ResourceError if writing vectors to the path would overwrite what `WordVectors.write` does not make."""
    if not path.exists():
        return
    try:
        if not path.is_file():
            raise ResourceError("")
        if path.stat().st_size:
            with opened(path) as file:
                format_ = detect_format(file.read(HEAD))
                file.seek(0)
                if format_ == "npz":
                    meta_of(file)
                elif format_ != "word2vec text":
                    raise ResourceError("")
    except ResourceError:
        raise ResourceError(f"{path}: exists and does not contain word vectors: choose another name") from None


def _forget(path: Path) -> None:
    """Drop the vectors that were loaded from this path, because the file has changed."""

    def has_path(cls: type[resources.Resource], name: str) -> bool:
        option = _OPTION.fullmatch(name)
        return cls is WordVectors and Path(option[1] if option else name).resolve() == path.resolve()

    resources.forget(has_path)
