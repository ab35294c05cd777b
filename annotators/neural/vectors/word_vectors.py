"""Word vectors as a resource: read from the common formats, looked up by the forms of tokens."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from ....pipeline.contract import resources
from ....pipeline.contract.resources import Resource
from ....pipeline.errors import ConsumerError, ResourceError, nearest
from ....pipeline.storage.files import AtomicFile, make_folder, write_atomic
from ....pipeline.storage.hashing import caspipe_version
from ....pipeline.storage.lazy_regex import lazy_regex
from .fasttext_format import read_fasttext
from .own_format import encode_vectors, meta_of, read_own
from .reading import HEAD, Content, DamagedVectors, Floats32, detect_format, open_vectors, spellings
from .text_format import read_glove, read_word2vec
from .word2vec_binary import read_binary

FOLDER_VARIABLE = "CASPIPE_VECTORS"
"""The environment variable with the folders of named vectors, separated as in PATH."""

_ENDS = (".gz", ".npz", ".txt", ".vec", ".bin")
_BLANK = lazy_regex(r"[\s\0\ud800-\udfff]", re.ASCII)
_OPTION = lazy_regex(r"(.+)\?limit=(\d{1,12})", re.DOTALL)


class WordVectors(Resource):
    """Words and their vectors: row i of `matrix`, 32-bit floats of shape (n, dim), is the vector of `words[i]`.

    Formats: GloVe, word2vec (text and binary), fastText (`.vec` and `.bin`) and caspipe's own; text and word2vec's binary files
    also gzipped. The format is detected from the content. `load("glove.txt?limit=100000")` reads only the first rows.
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
        """Create vectors. `meta`: plain data for the file; `digits: true` in it means that digits are replaced by 0 in the words.

        Raises ValueError if words and matrix do not match."""
        self.words = list(words)
        self.matrix = np.ascontiguousarray(matrix, dtype=np.float32).view()
        self.matrix.flags.writeable = False
        self.meta = dict(meta or {})
        self.place = place
        self.duplicates = 0
        """Number of rows left out because an earlier row has the same word."""
        self.undecodable = 0
        """Number of rows left out because their word is not UTF-8."""
        self._compose = compose
        self._origin: tuple[str, int | None, frozenset[str] | None] | None = None
        self._rows = {word: i for i, word in enumerate(self.words)}
        if self.matrix.ndim != 2 or len(self.matrix) != len(self.words) or len(self._rows) != len(self.words):
            raise ValueError("expected one row for each word, and different words")

    @classmethod
    def load(cls, name: str, *, limit: int | None = None, only: Iterable[str] | None = None) -> Self:
        """Read vectors by path, or by name from the folders of `CASPIPE_VECTORS`.

        `limit`: number of rows to read; `only`: forms that will be looked up, other words are left out. Raises ResourceError,
        without content of the file, if it is missing, damaged, cut off or of another type.
        """
        path, option = locate_vectors(name)
        if limit is None:
            limit = option
        if limit is not None and limit < 1:
            raise ResourceError(f"vectors {path}: limit: expected 1 or more, got {limit}")
        forms = None if only is None else frozenset(only)
        content = _read(path, limit, forms)
        vectors = cls(content.words, content.matrix, meta=content.meta, compose=content.compose, place=str(path))
        vectors.duplicates, vectors.undecodable = content.duplicates, content.undecodable
        vectors._origin = (str(path), limit, forms)
        return vectors

    @classmethod
    def names(cls) -> list[str]:
        return sorted(named_files())

    @classmethod
    def check(cls, name: str) -> str | None:
        return super().check(cls.address(name)[0])

    @classmethod
    def address(cls, name: str) -> tuple[str, str]:
        option = _OPTION.fullmatch(name)
        return (option[1], name[len(option[1]) :]) if option and not Path(name).exists() else (name, "")

    @classmethod
    def files(cls, name: str) -> list[Path]:
        return [locate_vectors(name)[0]]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        if self._origin is not None:
            path, limit, only = self._origin
            return partial(type(self).load, limit=limit, only=only), (path,)
        return partial(type(self), meta=self.meta), (self.words, self.matrix)

    def __repr__(self) -> str:
        return f"<WordVectors {len(self.words)} x {self.dim}>"

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.words)

    def __bool__(self) -> bool:
        return True

    def __contains__(self, form: str) -> bool:
        return self.row(form) >= 0

    @property
    def dim(self) -> int:
        """Dimensions of a vector."""
        return int(self.matrix.shape[1])

    @property
    def subwords(self) -> bool:
        """Return whether unknown words get a vector from their n-grams (binary models of fastText)."""
        return self._compose is not None

    def row(self, form: str) -> int:
        """Return the row of a form, -1 if it is unknown. Tries the form unchanged, then in lower case, then with its digits
        replaced, if those of the words are (`0000` or, as in Google News, `####`)."""
        row = self._rows.get(form)
        if row is not None:  # without the analysis of digits
            return row
        return next((self._rows[s] for s in spellings(form, self._digits) if s in self._rows), -1)

    def vector(self, form: str) -> Floats32 | None:
        """Return the vector of a form, shape (dim,): its row, else computed from its n-grams if supported, else None."""
        row = self.row(form)
        if row >= 0:
            vector: Floats32 = self.matrix[row]
            return vector
        return self._compose(form) if self._compose is not None else None

    def nearest(self, form: str, n: int = 10) -> list[tuple[str, float]]:
        """Return the `n` other words with the most similar vectors and their cosine similarity, most similar first.

        Raises ValueError for a form without a vector.
        """
        vector = self.vector(form)
        if vector is None or not (length := float(np.linalg.norm(vector))):
            raise ValueError(f"no vector: the word is not among the {len(self.words):,} words")
        lengths = np.where(self._lengths > 0, self._lengths, 1)
        cosine = self.matrix @ (vector / np.float32(length)) / lengths
        own = self.row(form)
        best = [int(i) for i in np.argsort(-cosine, kind="stable")[: n + 1] if i != own]
        return [(self.words[i], float(cosine[i])) for i in best[:n]]

    def to_bytes(self) -> bytes:
        """Return the vectors in caspipe's format: a NumPy archive without pickles, with a checksum. Reproducible.

        N-grams are not included. Raises ConsumerError for words that are not Unicode text.
        """
        meta = {**self.meta, "words": len(self.words), "dim": self.dim, "caspipe": caspipe_version()}
        try:
            return encode_vectors(self.words, self.matrix, meta)
        except UnicodeEncodeError:
            raise ConsumerError("vectors: a word contains a lone surrogate, which files cannot contain") from None

    def write(self, path: Path, format: Literal["npz", "word2vec"] = "npz") -> None:
        """Write a file atomically, in caspipe's format or word2vec's text format for other tools.

        Raises ConsumerError if the path is not writable or a word is invalid in the format.
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
                f"{path}: {faulty:,} words are empty or contain white space, "
                "which word2vec's text format does not support: use npz"
            )
        row = "%s " + " ".join(["%.9g"] * self.dim) + "\n"  # nine digits distinguish all 32-bit floats
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


def named_files() -> dict[str, Path]:
    """Return the files in the folders of `CASPIPE_VECTORS`, by name without extension."""
    files: dict[str, Path] = {}
    for folder in [Path(p) for p in os.environ.get(FOLDER_VARIABLE, "").split(os.pathsep) if p]:
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            name = path.name.removesuffix(".gz")
            if path.is_file() and path.name.endswith(_ENDS) and not name.startswith("."):
                files[name.rsplit(".", 1)[0] if name.endswith(_ENDS) else name] = path
    return files


def locate_vectors(name: str) -> tuple[Path, int | None]:
    """Return the file of a name, and the limit in the name (`?limit=1000`), if any. Raises ResourceError."""
    limit = None
    if not Path(name).exists() and (option := _OPTION.fullmatch(name)):
        name, limit = option[1], int(option[2])
    path = Path(name)
    if not path.exists():
        named = named_files()
        if name not in named:
            raise ResourceError(f"no vectors or file called {name!r}{nearest(name, named)}")
        path = named[name]
    if not path.is_file():
        raise ResourceError(f"vectors {path}: expected a file")
    return path, limit


def _read(path: Path, limit: int | None, only: frozenset[str] | None) -> Content:
    with open_vectors(path) as file:
        head = file.read(HEAD)
        format_ = detect_format(head)
        if format_ == "fasttext":
            if isinstance(file, gzip.GzipFile):
                raise DamagedVectors("a compressed model of fastText: unpack it")
            return read_fasttext(path, limit, only)
        file.seek(0)
        if format_ == "npz":
            return read_own(file, limit, only)
        readers: Mapping[str, Any] = {
            "glove": read_glove,
            "word2vec text": read_word2vec,
            "word2vec binary": read_binary,
        }
        content: Content = readers[format_](file, head, limit, only)
        return content


def refuse_foreign(path: Path) -> None:
    """Raise ResourceError if the path exists and is not a file in a format of `WordVectors.write`."""
    if not path.exists():
        return
    try:
        if not path.is_file():
            raise ResourceError("")
        if path.stat().st_size:
            with open_vectors(path) as file:
                format_ = detect_format(file.read(HEAD))
                file.seek(0)
                if format_ == "npz":
                    meta_of(file)
                elif format_ != "word2vec text":
                    raise ResourceError("")
    except ResourceError:
        raise ResourceError(f"{path}: exists and does not contain word vectors: choose another name") from None


def _forget(path: Path) -> None:
    """Remove the vectors of this path from the cache, because the file has changed."""

    def has_path(cls: type[resources.Resource], name: str) -> bool:
        option = _OPTION.fullmatch(name)
        return cls is WordVectors and Path(option[1] if option else name).resolve() == path.resolve()

    resources.forget(has_path)
