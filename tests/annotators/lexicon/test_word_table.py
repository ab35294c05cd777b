"""The table of the words of all lists of the pack."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caspipe.annotators.lexicon.lexicon import COMBINED, Lexicon, pack_files
from caspipe.annotators.lexicon.normalization import NORMAL, key_of
from caspipe.annotators.lexicon.word_table import NONE, Lists, WordTable, compile_lists, word_table
from caspipe.pipeline.errors import ResourceError

WORDS = (
    "Smith smith Boston York New the aspirin Zorblatt Crohn O'Brien mercy hospital st march 12 ' José Łódź May ALL all NY MS CA"
).split()


@pytest.mark.parametrize("word", WORDS)
def test_the_table_agrees_with_every_list(word: str) -> None:
    table, normal = word_table(), NORMAL[word]
    found = table[normal]
    for name in [*pack_files(), *COMBINED]:
        compiled, bits = Lexicon.load(name).compiled, table.bits(name)
        assert bool(found.inside & bits) == (normal in compiled.words), name
        assert bool(found.whole & bits) == (key_of([word]) in compiled.trie), name
        entries = Lexicon.load(name).entries_of_key(key_of([word]))
        assert bool(found.cased & bits) == any(entry.exact or entry.capitals for entry in entries), name
        assert bool(found.longer & bits) == (compiled.longest(normal) > 1), name


def test_forms_have_the_lists_of_their_words() -> None:
    table = word_table()
    table.of_form.clear()
    assert table.of_forms(WORDS) == [table[NORMAL[word]] for word in WORDS] == [table.of_form[word] for word in WORDS]


@pytest.mark.parametrize(
    ("name", "column"), [("given_names", "share"), ("surnames", "share"), ("common_words", "tier"), ("names", "share")]
)
def test_the_greatest_number_of_a_word_is_that_of_its_entries(name: str, column: str) -> None:
    lexicon = Lexicon.load(name)
    for word in WORDS:
        numbers = [entry.number(column) for entry in lexicon.entries_of_key(key_of([word]))]
        assert lexicon.greatest_of_key(key_of([word]), column) == max(numbers, default=None)


def test_a_word_of_no_list_is_in_none() -> None:
    assert word_table()["zorblatt"] is NONE == Lists(0, 0, 0, 0)


def test_every_word_of_a_list_is_in_the_table() -> None:
    table = compile_lists(["months", "countries"])
    assert table.names == ["months", "countries"]
    for i, name in enumerate(table.names):
        assert all(table[word].inside >> i & 1 for word in Lexicon.load(name).compiled.words)
    assert len(table) == len({w for name in table.names for w in Lexicon.load(name).compiled.words})


def test_bits_of_a_combination_are_those_of_its_lists() -> None:
    table = word_table()
    assert table.bits("names") == table.bits("given_names") | table.bits("surnames")
    with pytest.raises(KeyError):
        table.bits("no_list")


def test_a_saved_table_is_the_same(tmp_path: Path) -> None:
    table = compile_lists(["months", "weekdays"])
    table.save(tmp_path)
    again = WordTable.open(tmp_path)
    assert again.names == table.names
    assert all(again[word] == table[word] for word in ("may", "march", "monday", "zorblatt"))


@pytest.mark.parametrize("damage", ["short", "range", "names", "missing"])
def test_a_damaged_table_is_not_read(tmp_path: Path, damage: str) -> None:
    compile_lists(["months"]).save(tmp_path)
    classes = np.load(tmp_path / "classes.npy")
    if damage == "short":
        np.save(tmp_path / "classes.npy", classes[:-1])
    elif damage == "range":
        np.save(tmp_path / "classes.npy", classes + 999)
    elif damage == "names":
        (tmp_path / "word_table.json").write_text("{}")
    else:
        (tmp_path / "words.marisa").unlink()
    with pytest.raises(ResourceError, match="not a word table"):
        WordTable.open(tmp_path)
