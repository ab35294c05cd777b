"""Word embeddings as categories: the dimensions in which a word has a large positive or negative number."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from ....pipeline.contract.component import part
from ....pipeline.contract.resources import Resource
from ....pipeline.errors import ResourceError
from ..feature import FormFeature, check_minimum, make_label, normalize, resource_stem

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]


@dataclass(eq=False, repr=False)
class Vectors(Resource):
    """Word vectors: the `row` of each word in `matrix`, of shape (words, dimensions), finite.

    Read from the text format of word2vec and GloVe (a word and its numbers on each line, separated by spaces; a first line of
    two numbers is skipped) or from an `.npz` with the arrays `words` (strings) and `vectors`.
    """

    kind: ClassVar[str] = "word vectors"

    row: dict[str, int]
    matrix: Floats
    place: str

    @classmethod
    def load(cls, name: str) -> Self:
        """Read the file. Raises ResourceError with the file (and the line) if it is missing, damaged or has another format."""
        import numpy as np

        try:
            words, matrix = _from_npz(name) if name.endswith(".npz") else _from_text(name)
        except OSError as error:
            raise ResourceError(f"vector file {name}: {error.strerror or type(error).__name__}") from None
        except UnicodeDecodeError:
            raise ResourceError(f"vector file {name}: expected UTF-8") from None
        if not words or matrix.ndim != 2 or len(matrix) != len(words) or not matrix.shape[1]:
            raise ResourceError(f"vector file {name}: expected one vector for each word, found {len(words)} words")
        if not np.isfinite(matrix).all():
            raise ResourceError(f"vector file {name}: expected finite numbers")
        row: dict[str, int] = {}
        for i, word in enumerate(words):
            row.setdefault(normalize(word), i)
        return cls(row, matrix, name)

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """The mean of the positive and the mean of the negative numbers of each dimension over all words; 0 if there are none."""
        import numpy as np

        matrix = self.matrix
        above = np.maximum(matrix, 0).sum(0, dtype=np.float64) / np.maximum((matrix > 0).sum(0), 1)
        below = np.minimum(matrix, 0).sum(0, dtype=np.float64) / np.maximum((matrix < 0).sum(0), 1)
        return above.astype(np.float32), below.astype(np.float32)

    def __repr__(self) -> str:
        return f"<Vectors {self.place}: {len(self.row)} words>"


def _from_npz(name: str) -> tuple[list[str], Floats]:
    import numpy as np

    try:
        with Path(name).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            words, matrix = arrays["words"], arrays["vectors"]
        if words.dtype.kind != "U" or matrix.dtype.kind not in "fiu":
            raise ValueError
        return words.tolist(), matrix.astype(np.float32)
    except OSError:
        raise
    except Exception:  # damaged archives fail in many ways: headers of arrays are Python, their data zlib or LZMA
        raise ResourceError(
            f"vector file {name}: expected an npz archive with the arrays words (strings) and vectors (numbers)"
        ) from None


def _from_text(name: str) -> tuple[list[str], Floats]:
    import numpy as np

    words: list[str] = []
    rows: list[Floats] = []
    width = 0
    with Path(name).open(encoding="utf-8-sig", newline="\n") as file:
        for number, line in enumerate(file, 1):
            cells = line.split()
            if not cells or (number == 1 and len(cells) == 2 and all(c.isdecimal() for c in cells)):
                continue
            width = width or len(cells) - 1
            word, numbers = " ".join(cells[: len(cells) - width]), cells[len(cells) - width :]
            try:
                if not word or len(numbers) != width or not numbers:
                    raise ValueError
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", RuntimeWarning)  # numbers that overflow are reported as not finite
                    rows.append(np.array(numbers, dtype=np.float64).astype(np.float32))
            except ValueError:
                raise ResourceError(f"vector file {name}:{number}: expected a word and {width} numbers") from None
            words.append(word)
    return words, np.array(rows, dtype=np.float32)


@part("embedding")
class Embedding(FormFeature):
    """The vector of the form in a file, as categories: `3+` if the number in dimension 3 is at least the mean of the positive
    numbers of that dimension, `3-` if it is at most the mean of the negative ones, else no value. If the file does not contain
    the form, the form in lower case is looked up. For clusters of vectors, see the feature `cluster`.

    Example: `Smith` with the vector (0.9, 0.0, -0.8) in glove.txt may give `embedding:glove=1+` and `embedding:glove=3-`.

    Source: Guo et al. 2014 (EMNLP), Revisiting embedding features for simple semi-supervised learning (binarisation).
    """

    argument: ClassVar[str] = "file"

    file: Vectors
    """The vectors: text in the format of word2vec and GloVe, or npz with `words` and `vectors`."""
    dimensions: int = 0
    """Number of dimensions that are used, from the first; 0: all."""

    def __post_init__(self) -> None:
        check_minimum(0, dimensions=self.dimensions)

    @property
    def label(self) -> str:
        return make_label(self.name, resource_stem(self.file), str(self.dimensions) if self.dimensions else "")

    def of(self, form: str) -> tuple[str, ...]:
        vectors = self.file
        form = normalize(form)
        row = vectors.row.get(form, vectors.row.get(form.lower()))
        if row is None:
            return ()
        vector, (above, below) = vectors.matrix[row], vectors.bounds
        values = []
        for i in range(min(self.dimensions or len(vector), len(vector))):
            if vector[i] > 0 and vector[i] >= above[i]:
                values.append(f"{i + 1}+")
            elif vector[i] < 0 and vector[i] <= below[i]:
                values.append(f"{i + 1}-")
        return tuple(values)
