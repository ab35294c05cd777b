"""Looking words up, asking for neighbours, writing."""

from __future__ import annotations

import json
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.neural.vectors import WordVectors
from caspipe.annotators.neural.vectors.word_vectors import refuse_foreign
from caspipe.pipeline.contract import resources
from caspipe.pipeline.errors import ConsumerError, ResourceError

from .vector_files import GLOVE, fasttext

WORDS = st.lists(
    st.text(st.characters(exclude_categories=("Cs", "Zs", "Zl", "Zp", "Cc")), min_size=1, max_size=8),
    min_size=1,
    max_size=12,
    unique=True,
)


def vectors(*words: str, **meta: object) -> WordVectors:
    return WordVectors(words, np.arange(2 * len(words), dtype=np.float32).reshape(-1, 2) + 1, meta=meta)


def test_a_form_is_looked_up_as_it_is_then_in_lower_case() -> None:
    found = vectors("us", "US", "fever")
    assert [found.row(form) for form in ("US", "us", "Us", "FEVER", "chill", "")] == [1, 0, 0, 2, -1, -1]
    assert "Fever" in found
    assert "chill" not in found
    assert found.vector("FEVER").tolist() == [5, 6]  # type: ignore[union-attr]
    assert found.vector("chill") is None


def test_digits_are_replaced_where_the_words_have_theirs_replaced() -> None:
    zeros = vectors("0000", "00", "0.0", "b00")
    assert [zeros.row(form) for form in ("1987", "42", "2.5", "B12", "٤٢", "123")] == [0, 1, 2, 3, 1, -1]
    news = vectors("####", "9", "##th", "the")
    assert [news.row(form) for form in ("1987", "9", "15th", "15TH", "7")] == [0, 1, 2, 2, -1]
    plain = vectors("00", "17", "x")
    assert [plain.row(form) for form in ("17", "42")] == [1, -1]
    assert vectors("7", "0", digits=True).row("5") == 1  # the file says so itself


@given(WORDS, st.text(max_size=6))
def test_every_word_is_found_in_its_own_row(words: list[str], other: str) -> None:
    found = vectors(*words)
    assert [found.row(word) for word in words] == list(range(len(words)))
    assert found.row(other) in range(-1, len(words))
    assert (found.vector(other) is None) == (found.row(other) < 0)


@given(WORDS, st.sampled_from(["npz", "word2vec"]))
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, words: list[str], format: str) -> None:
    made = vectors(*words)
    path = tmp_path_factory.getbasetemp() / "written"
    made.write(path, format)  # type: ignore[arg-type]
    again = WordVectors.load(str(path))
    assert again.words == made.words
    assert np.array_equal(again.matrix, made.matrix)


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
def test_numbers_survive_word2vec_text_to_the_bit(tmp_path_factory: pytest.TempPathFactory, row: list[float]) -> None:
    made = WordVectors(["a"], np.array([row], dtype=np.float32))
    path = tmp_path_factory.getbasetemp() / "numbers"
    made.write(path, "word2vec")
    assert WordVectors.load(str(path)).matrix.tobytes() == made.matrix.tobytes()


def test_our_own_file_can_be_opened_by_numpy_and_says_what_it_is(tmp_path: Path) -> None:
    made = vectors("a", "é", digits=True)
    assert made.to_bytes() == vectors("a", "é", digits=True).to_bytes()
    made.write(tmp_path / "sub" / "v.npz")
    with np.load(tmp_path / "sub" / "v.npz", allow_pickle=False) as found:
        assert found["matrix"].tolist() == [[1, 2], [3, 4]]
        assert found["words"].tobytes().decode() == "aé"
        assert found["ends"].tolist() == [1, 3]
    with zipfile.ZipFile(tmp_path / "sub" / "v.npz") as archive:
        meta = json.loads(archive.read("meta.json"))
    assert (meta["type"], meta["format"], meta["words"], meta["dim"], meta["digits"]) == ("word vectors", 1, 2, 2, True)
    assert WordVectors.load(str(tmp_path / "sub" / "v.npz")).meta["digits"] is True


def test_words_that_a_format_cannot_hold_are_told_without_them(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    with pytest.raises(ConsumerError) as caught:
        vectors(". .", "a\tb", "", "fine").write(path, "word2vec")
    assert (
        str(caught.value)
        == f"{path}: 3 words are empty or contain white space, which word2vec's text format does not support: use npz"
    )
    assert not list(tmp_path.iterdir())
    vectors(". .", "").write(tmp_path / "v.npz")
    assert WordVectors.load(str(tmp_path / "v.npz")).words == [". .", ""]
    with pytest.raises(ConsumerError, match=r"^vectors: a word contains a lone surrogate, which files cannot contain$"):
        vectors("\ud800").to_bytes()


def test_the_nearest_words_come_first_and_not_the_word_itself() -> None:
    found = WordVectors(["a", "b", "c", "zero"], np.array([[1, 0], [1, 1], [-2, 0], [0, 0]], dtype=np.float32))
    near = found.nearest("A", 2)
    assert [word for word, _ in near] == ["b", "zero"]
    assert near[0][1] == pytest.approx(0.5**0.5)
    assert [word for word, _ in found.nearest("a")] == ["b", "zero", "c"]
    for unknown in ("zero", "Zyqqvander"):
        with pytest.raises(ValueError, match=r"^no vector: the word is not among the 4 words$"):
            found.nearest(unknown)


def test_vectors_are_read_only_and_tell_no_words() -> None:
    found = vectors("Zyqqvander")
    with pytest.raises(ValueError, match="read-only"):
        found.matrix[0] = 3
    assert repr(found) == "<WordVectors 1 x 2>"
    assert bool(WordVectors([], np.zeros((0, 2), dtype=np.float32)))


@pytest.mark.parametrize(
    ("words", "shape"), [(["a"], (2, 2)), (["a", "a"], (2, 2)), (["a"], (1,))], ids=["rows", "twice", "flat"]
)
def test_words_and_rows_must_fit(words: list[str], shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"^expected one row for each word, and different words$"):
        WordVectors(words, np.zeros(shape, dtype=np.float32))


def test_they_can_be_pickled(tmp_path: Path) -> None:
    made = pickle.loads(pickle.dumps(vectors("a", "b", digits=True)))
    assert (made.words, made.meta) == (["a", "b"], {"digits": True})
    (tmp_path / "v.bin").write_bytes(fasttext(["ab"], [[1.0, 2.0]] * 5))
    loaded = pickle.loads(pickle.dumps(WordVectors.load(str(tmp_path / "v.bin"), limit=1, only={"ab"})))
    assert loaded.words == ["ab"]
    assert loaded.vector("unknown") is not None


def test_a_file_written_again_is_not_served_from_memory(tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    vectors("a").write(path)
    assert resources.load(WordVectors, str(path)).words == ["a"]
    assert resources.load(WordVectors, f"{path}?limit=1").words == ["a"]
    vectors("b").write(path)
    assert resources.load(WordVectors, str(path)).words == ["b"]
    assert resources.load(WordVectors, f"{path}?limit=1").words == ["b"]


def test_nothing_but_vectors_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Seen on Monday.\n")
    (tmp_path / "some.zip").write_bytes(b"PK\x03\x04")
    (tmp_path / "glove.txt").write_bytes(GLOVE)
    vectors("a").write(tmp_path / "v.txt", "word2vec")
    (tmp_path / "empty").write_bytes(b"")
    vectors("a").write(tmp_path / "v.npz")
    for name in ("notes.txt", "some.zip", "glove.txt", "."):
        with pytest.raises(ResourceError) as caught:
            refuse_foreign(tmp_path / name)
        assert str(caught.value) == f"{tmp_path / name}: exists and does not contain word vectors: choose another name"
    for name in ("v.txt", "empty", "v.npz", "absent"):
        refuse_foreign(tmp_path / name)


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConsumerError, match=r"is a file$"):
        vectors("a").write(tmp_path / "file" / "v.npz")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(GLOVE)
    (tmp_path / "v").chmod(0)
    with pytest.raises(ResourceError, match=r"cannot read: Permission denied$"):
        WordVectors.load(str(tmp_path / "v"))
