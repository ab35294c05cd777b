"""File names for document ids: safe everywhere, inside the folder, never twice."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.pipeline.storage.file_names import FileNames, pseudonym


def names(*ids: str, suffix: str = ".txt", **options: object) -> list[str]:
    made = FileNames(suffix, **options)  # type: ignore[arg-type]
    return [str(made.next(i)) for i in ids]


@pytest.mark.parametrize(
    ("document_id", "name"),
    [
        ("note-1", "note-1.txt"),
        ("ward/note 1.v2", "ward/note 1.v2.txt"),
        ("Müller/été", "Müller/été.txt"),
        ("../../etc/passwd", "_/_/etc/passwd.txt"),
        ("/etc/passwd", "etc/passwd.txt"),
        ("a/./b//c", "a/b/c.txt"),
        ("..", "_.txt"),
        (".hidden", "_hidden.txt"),
        ("", "document.txt"),
        ("/", "document.txt"),
        ("C:\\Users\\x", "C__Users_x.txt"),
        ("a\x00b\nc\td", "a_b_c_d.txt"),
        ("a\u202eb\ud800c", "a_b_c.txt"),
        ('<>:"|?*', "_______.txt"),
        ("CON", "_CON.txt"),
        ("com1.notes/a", "_com1.notes/a.txt"),
        ("trailing. . ", "trailing.txt"),
    ],
)
def test_an_id_becomes_a_safe_name(document_id: str, name: str) -> None:
    assert names(document_id) == [name]


def test_collisions_are_numbered_in_the_order_of_documents() -> None:
    assert names("a", "a", "a-2", "A", "a?", "a*") == ["a.txt", "a-2.txt", "a-2-2.txt", "A-3.txt", "a_.txt", "a_-2.txt"]


def test_names_that_differ_in_normalisation_only_collide() -> None:
    composed, decomposed = unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")
    assert names(composed, decomposed) == [f"{composed}.txt", f"{decomposed}-2.txt"]


def test_a_folder_and_a_file_do_not_meet() -> None:
    assert names("a.txt/b", "a") == ["a.txt/b.txt", "a-2.txt"]
    assert names("a", "a.txt/b") == ["a.txt", "a.txt_b.txt"]


def test_a_name_that_was_released_is_free_again() -> None:
    made = FileNames(".txt")
    given = []
    for i in ("a/b", "a", "a/b", "a.txt/c"):
        wrong = made.next(i)
        made.release_last()
        given.append(made.next(i))
        assert wrong == given[-1]
    assert [str(name) for name in given] == ["a/b.txt", "a.txt", "a/b-2.txt", "a.txt_c.txt"]
    made.next("d.txt/e")
    made.release_last()
    assert str(made.next("d")) == "d.txt"


def test_reserved_names_are_not_given() -> None:
    assert names("index", "Index", suffix=".html", reserved=["index.html"]) == ["index-2.html", "Index-3.html"]


def test_long_names_stay_apart_and_short_enough() -> None:
    one, two = names("x" * 5000 + "1", "x" * 5000 + "2")
    assert one != two
    assert len(one.encode()) <= 255
    assert len(names("é" * 200)[0].encode()) <= 255
    deep = names("/".join("abc" for _ in range(3000)))[0]
    assert "/" not in deep
    assert len(deep.encode()) <= 255


def test_pseudonyms_depend_on_the_key_and_say_nothing() -> None:
    one, again, other = (pseudonym("Featherstone/1", key) for key in ("k1", "k1", "k2"))
    assert one == again != other
    assert len(one) == 24
    assert "Feather" not in one
    assert pseudonym("a\ud800", "k") != pseudonym("a\ud801", "k")


# HMAC-SHA256 of 'caspipe document id' NUL 'note-1' under 'key', counted with: openssl dgst -sha256 -hmac key
def test_a_pseudonym_is_hmac_sha256() -> None:
    assert pseudonym("note-1", "key") == "14c32c46f79b0c4da9fa66c9"


@given(st.lists(st.text(max_size=40), max_size=12))
def test_names_stay_inside_differ_and_are_the_same_again(ids: list[str]) -> None:
    made = names(*ids)
    assert made == names(*ids)
    folded = [unicodedata.normalize("NFC", n.casefold()) for n in made]
    assert len(set(folded)) == len(folded)
    for name in made:
        path = PurePosixPath(name)
        assert not path.is_absolute()
        assert name.endswith(".txt")
        assert all(p not in ("", ".", "..") and not p.startswith(".") and len(p.encode()) <= 255 for p in path.parts)
        assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in name)
    folders = {str(parent) for name in folded for parent in PurePosixPath(name).parents}
    assert not folders & set(folded)
