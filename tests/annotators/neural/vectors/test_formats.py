"""Every format is read, by its content alone, and gives the same words and numbers."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from caspipe.annotators.neural.vectors import WordVectors

from .vector_files import GLOVE, ROWS, WORD2VEC, binary, fasttext, fnv

MATRIX = np.array(list(ROWS.values()), dtype=np.float32)
FILES = {
    "glove": GLOVE,
    "glove with tabs": GLOVE.replace(b" ", b"\t"),
    "glove with CRLF and a mark": b"\xef\xbb\xbf" + GLOVE.replace(b"\n", b"\r\n"),
    "glove without a last line end": GLOVE[:-1],
    "word2vec text": WORD2VEC,
    "fasttext vec, blanks at line ends": WORD2VEC.replace(b"\n", b" \n"),
    "word2vec binary": binary(),
    "word2vec binary without line ends": binary(line_ends=False),
    "fasttext bin without n-grams": fasttext(list(ROWS), list(ROWS.values()), longest=0),
    "own": WordVectors(list(ROWS), MATRIX).to_bytes(),
}
Write = Callable[[bytes], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def made(data: bytes) -> str:
        (tmp_path / "some.file").write_bytes(data)
        return str(tmp_path / "some.file")

    return made


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_words_and_numbers(name: str, write: Write) -> None:
    found = WordVectors.load(write(FILES[name]))
    assert found.words == ["fever", "émeute", "mg"]
    assert found.matrix.dtype == np.float32
    assert np.array_equal(found.matrix, MATRIX)
    assert (found.dim, len(found), found.duplicates, found.undecodable, found.subwords) == (3, 3, 0, 0, False)


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("fasttext bin")])
def test_a_gzipped_file_is_read_as_it_is(name: str, write: Write) -> None:
    assert np.array_equal(WordVectors.load(write(gzip.compress(FILES[name]))).matrix, MATRIX)


@pytest.mark.parametrize("name", FILES)
def test_a_limit_reads_the_first_rows_only(name: str, write: Write) -> None:
    path = write(FILES[name])
    assert WordVectors.load(path, limit=2).words == ["fever", "émeute"]
    assert WordVectors.load(f"{path}?limit=1").words == ["fever"]
    assert WordVectors.check(f"{path}?limit=1") is None
    assert WordVectors.load(path, limit=9).words == list(ROWS)


@pytest.mark.parametrize("name", FILES)
def test_only_the_words_that_are_needed_are_kept(name: str, write: Write) -> None:
    found = WordVectors.load(write(FILES[name]), only={"MG", "Fever", "absent"})
    assert found.words == ["fever", "mg"]
    assert np.array_equal(found.matrix, MATRIX[[0, 2]])
    assert len(WordVectors.load(write(FILES[name]), only={"absent"})) == 0


def test_words_may_hold_blanks_as_in_glove(write: Write) -> None:
    found = WordVectors.load(write(b". . . 0.5 1 2\nat name@domain.example 1 2 3\nthe 4 5 6\n"))
    assert found.words == [". . .", "at name@domain.example", "the"]
    assert found.matrix[0].tolist() == [0.5, 1, 2]


def test_words_that_are_numbers_or_no_break_spaces_are_words(write: Write) -> None:
    found = WordVectors.load(write("7 0.5 1\n\u00a0 1 2\n_1 4 1e2\n".encode()))
    assert found.words == ["7", "\u00a0", "_1"]
    assert found.matrix[2].tolist() == [4, 100]


def test_of_a_word_that_stands_there_twice_the_first_row_counts(write: Write) -> None:
    for data in (b"a 1 2\nb 3 4\na 5 6\n", b"3 2\na 1 2\nb 3 4\na 5 6\n"):
        found = WordVectors.load(write(data))
        assert (found.words, found.duplicates) == (["a", "b"], 1)
        assert found.matrix.tolist() == [[1, 2], [3, 4]]


def test_a_few_words_in_another_encoding_are_left_out_and_counted(write: Write) -> None:
    rows = b"".join(b"w%d %d 1\n" % (i, i) for i in range(150))
    found = WordVectors.load(write(b"caf\xe9 9 9\n" + rows))
    assert (len(found), found.undecodable, found.words[0]) == (150, 1, "w0")
    data = {f"w{i}".encode(): [i, 1] for i in range(150)}
    found = WordVectors.load(write(binary({**data, b"caf\xe9": [9, 9]})))  # type: ignore[arg-type]
    assert (len(found), found.undecodable) == (150, 1)


@pytest.mark.slow
def test_many_rows_are_read_in_blocks(write: Write) -> None:
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(3_000, 300)).astype(np.float32)
    words = [f"w{i}" for i in range(3_000)]
    text = "".join(f"{w} {' '.join(f'{x:.9g}' for x in row)}\n" for w, row in zip(words, matrix.tolist(), strict=True))
    for data in (text.encode(), binary(dict(zip(words, matrix.tolist(), strict=True)))):  # type: ignore[arg-type]
        found = WordVectors.load(write(data))
        assert found.words == words
        assert np.array_equal(found.matrix, matrix)


def test_floats_that_look_like_text_are_still_binary(write: Write) -> None:
    row = [12.078431129455566] * 3  # AAAA
    found = WordVectors.load(write(binary({"a": row, "b": [0.0, 1.0, 2.0]})))  # type: ignore[arg-type]
    assert found.matrix[0].tolist() == row


NGRAMS = [[0.0, 8.0], [16.0, 0.0], [32.0, 4.0], [64.0, 2.0]]


def mean_of(word: str, own: list[list[float]], shortest: int = 2, longest: int = 3) -> list[float]:
    """What fastText gives a word: the mean of its own row and those of its n-grams, `<` and `>` being letters."""
    letters = f"<{word}>"
    grams = [
        letters[i : i + n] for i in range(len(letters)) for n in range(shortest, longest + 1) if i + n <= len(letters)
    ]
    grams = [g for g in grams if g not in "<>"]
    rows = own + [NGRAMS[fnv(g) % 4] for g in grams]
    return np.mean(np.array(rows, dtype=np.float32), axis=0).tolist()


def test_fasttext_adds_the_n_grams_of_a_word(write: Write) -> None:
    model = fasttext(["pain", "né"], [[1.0, 2.0], [3.0, 4.0], *NGRAMS], labels=["__label__x"])
    found = WordVectors.load(write(model))
    assert found.words == ["pain", "né"]
    assert found.subwords
    assert np.allclose(found.matrix[0], mean_of("pain", [[1.0, 2.0]]))
    assert np.allclose(found.matrix[1], mean_of("né", [[3.0, 4.0]]))


def test_fasttext_gives_unknown_words_a_vector_of_their_n_grams(write: Write) -> None:
    found = WordVectors.load(write(fasttext(["pain"], [[1.0, 2.0], *NGRAMS])))
    for word in ("painful", "Ünkel", "\U0001f600"):
        assert found.row(word) == -1
        vector = found.vector(word)
        assert vector is not None
        assert vector.dtype == np.float32
        assert np.allclose(vector, mean_of(word, []))
    assert found.vector("x" * 1_001) is None  # no text can keep it busy
    assert found.vector("\ud800") is not None


def test_single_letters_at_the_ends_are_no_n_grams(write: Write) -> None:
    found = WordVectors.load(write(fasttext(["a"], [[1.0, 2.0], *NGRAMS], shortest=1, longest=1)))
    assert np.allclose(found.vector("b"), [NGRAMS[fnv("b") % 4]])
    assert np.allclose(found.matrix[0], mean_of("a", [[1.0, 2.0]], 1, 1))
    assert found.vector("") is None


def test_the_end_of_a_sentence_has_no_n_grams(write: Write) -> None:
    found = WordVectors.load(write(fasttext(["</s>"], [[1.0, 2.0], *NGRAMS])))
    assert found.matrix.tolist() == [[1.0, 2.0]]


def test_pruned_n_grams_have_new_places_or_none(write: Write) -> None:
    kept = fnv("<b") % 4
    found = WordVectors.load(write(fasttext(["a"], [[1.0, 2.0], [5.0, 6.0]], pruned=[(kept, 0)])))
    grams = [g for g in ("<b", "<b>", "b>") if fnv(g) % 4 == kept]
    assert grams
    assert found.vector("b").tolist() == [5.0, 6.0]  # type: ignore[union-attr]
    none = WordVectors.load(write(fasttext(["a"], [[1.0, 2.0]], pruned=[])))
    assert none.matrix.tolist() == [[1.0, 2.0]]
    assert none.vector("b") is None


def test_classifiers_of_the_old_format_have_no_n_grams_of_letters(write: Write) -> None:
    found = WordVectors.load(write(fasttext(["a"], [[1.0, 2.0], *NGRAMS], version=11, model=3)))
    assert found.matrix.tolist() == [[1.0, 2.0]]
    assert not found.subwords


def test_fasttext_words_of_many_blocks(write: Write) -> None:
    words = [f"w{i}" for i in range(2_500)]
    found = WordVectors.load(write(fasttext(words, [[float(i), 0.0] for i in range(2_500)] + NGRAMS)))
    for i in (0, 999, 1_000, 2_499):
        assert np.allclose(found.matrix[i], mean_of(words[i], [[float(i), 0.0]]))
