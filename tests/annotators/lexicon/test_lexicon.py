"""The resource: names, paths, entries, the cache."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from caspipe.annotators.lexicon import Entry, Lexicon
from caspipe.annotators.lexicon.compiled import MAX_TOKENS, Compiled, cached, compile_terms, key_of_files, save
from caspipe.annotators.lexicon.term import Term, TermSource
from caspipe.pipeline.contract.resources import load
from caspipe.pipeline.errors import ResourceError
from caspipe.pipeline.storage.files import cache_folder


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CASPIPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "lexicon"


@pytest.fixture
def words(tmp_path: Path) -> Path:
    file = tmp_path / "words.txt"
    file.write_text("East Wing\nMA\nB12\nSt. Vitus\n", encoding="utf-8")
    return file


def own(*terms: Term) -> Lexicon:
    return Lexicon.of(TermSource("own", iter(terms), {}, ("hue", "ambiguous")))


def test_membership_ignores_case_but_for_abbreviations(words: Path, cache: Path) -> None:
    lexicon = Lexicon.load(str(words))
    assert lexicon.has("east wing") and "EAST WING" in lexicon and lexicon.has("St Vitus")
    assert lexicon.has("MA") and not lexicon.has("ma") and not lexicon.has("Ma")
    assert lexicon.has("B12") and not lexicon.has("b12")
    assert not lexicon.has("East") and not lexicon.has("") and not lexicon.has("\ud800")
    assert len(lexicon) == 4


def test_an_entry_gives_its_columns() -> None:
    lexicon = own(Term("Flum", "G", "C1", "flum proper", columns="red\t1"), Term("flum", "H"))
    entry = lexicon.entry("FLUM")
    assert entry == Entry("Flum", "own", "G", "C1", "flum proper", {"hue": "red", "ambiguous": "1"})
    assert entry is not None and entry.ambiguous
    assert [e.group for e in lexicon.entries("flum")] == ["G", "H"]
    assert lexicon.entry("nothing") is None
    assert lexicon.entries("flum")[1].preferred == "flum"


def test_typed_columns_of_names_and_places() -> None:
    mary, smith = Lexicon.load("given_names").entry("mary"), Lexicon.load("surnames").entry("Smith")
    boston = Lexicon.load("cities").entry("Boston")
    assert mary is not None and smith is not None and boston is not None
    assert (mary.sex, mary.share > 2, mary.ambiguous) == ("F", True, False)
    assert (smith.share > 1, smith.ambiguous, smith.tier) == (True, True, 20)
    assert (boston.population > 500_000, boston.columns["country"], boston.columns["state"]) == (True, "US", "MA")
    assert (smith.sex, smith.population, boston.share, smith.kind) == ("", 0, 0.0, "")


def test_depth_is_the_length_of_the_longest_entry_that_begins_so() -> None:
    lexicon = own(Term("left", "G"), Term("left upper arm", "G"))
    assert [lexicon.depth(word) for word in ("LEFT", "upper", "x")] == [3, 0, 0]


def test_terms_longer_than_any_phrase_are_left_out_and_counted() -> None:
    compiled = compile_terms(
        [TermSource("own", iter([Term("a " * (MAX_TOKENS + 1)), Term("   "), Term("a b")]))], "own"
    )
    assert (compiled.meta["terms"], compiled.meta["skipped"], compiled.meta["keys"]) == (3, 2, 1)


def test_an_empty_source_is_an_empty_lexicon(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "none.txt").write_text("# nothing yet\n", encoding="utf-8")
    lexicon = Lexicon.load(str(tmp_path / "none.txt"))
    assert len(lexicon) == 0 and not lexicon.has("x") and list(lexicon.all_entries()) == []


def test_unknown_names_and_paths_name_the_nearest() -> None:
    with pytest.raises(ResourceError, match=r"^no lexicon or file called 'surname'; did you mean surnames\?$"):
        Lexicon.load("surname")
    assert Lexicon.check("surname") == "no lexicon or file called 'surname'; did you mean surnames?"
    assert Lexicon.check("surnames") is Lexicon.check("medical") is None
    assert Lexicon.check(f"{__file__}::txt") == f"{__file__}: no lexicon format called 'txt'; did you mean text?"
    assert Lexicon.check(f"{__file__}::text?group=x") is None


def test_a_lexicon_travels_by_name_and_shows_no_entry() -> None:
    lexicon = load(Lexicon, "weekdays")
    assert pickle.loads(pickle.dumps(lexicon)) is Lexicon.load("weekdays") is lexicon
    assert repr(lexicon) == "<Lexicon weekdays>"


def test_combinations_hold_their_lists() -> None:
    places = Lexicon.load("places")
    assert {e.list for e in places.entries("Georgia")} == {"countries", "us_states"}
    assert {h["name"] for h in Lexicon.load("names").headers} == {"given_names", "surnames"}
    medical = Lexicon.load("medical")
    assert {e.group for name in ("arm", "fever", "MRI", "asthma", "warfarin") for e in medical.entries(name)} == {
        "ANATOMICAL_SITE",
        "SIGN_SYMPTOM",
        "LAB_PROCEDURE",
        "DISEASE_DISORDER",
        "MEDICATION",
    }


def test_all_entries_come_in_order_of_their_keys(words: Path, cache: Path) -> None:
    assert [e.form for e in Lexicon.load(str(words)).all_entries()] == [
        "B12",
        "East Wing",
        "MA",
        "St. Vitus",
        "St. Vitus",
    ]


# -- cache -----------------------------------------------------------------------------------------------------------


def test_a_file_is_compiled_once_and_again_when_it_changes(words: Path, cache: Path) -> None:
    first = Lexicon.load(str(words)).compiled
    assert first.folder is not None and first.folder.parent == cache
    assert Lexicon.load(str(words)).compiled.folder == first.folder
    words.write_text("West Wing\n", encoding="utf-8")
    assert Lexicon.load(str(words)).has("west wing")
    assert len(list(cache.iterdir())) == 2


def test_options_are_part_of_the_key(words: Path, cache: Path) -> None:
    one, two = (Lexicon.load(f"{words}::text?group={g}") for g in ("A", "B"))
    assert [x.entry("MA").group for x in (one, two)] == ["A", "B"]  # type: ignore[union-attr]  # both are there


def test_big_files_are_keyed_by_size_and_time(words: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caspipe.annotators.lexicon.compiled.SMALL", 3)
    before = key_of_files([words])
    assert key_of_files([words]) == before
    os.utime(words, ns=(1, 1))
    assert key_of_files([words]) != before


def test_compiling_twice_gives_the_same_bytes(words: Path, tmp_path: Path, cache: Path) -> None:
    folders = []
    for name in ("a", "b"):
        compiled = compile_terms([TermSource("own", iter([Term("x y", "G"), Term("x", "H"), Term("ÿ")]))], "own")
        save(compiled, tmp_path / name)
        folders.append({f.name: f.read_bytes() for f in sorted((tmp_path / name).iterdir())})
    assert folders[0] == folders[1]


def test_a_damaged_cache_is_built_again(words: Path, cache: Path) -> None:
    Lexicon.load(str(words))
    [folder] = cache.iterdir()
    (folder / "terms.marisa").write_bytes(b"nonsense")
    assert Lexicon.load(str(words)).has("East Wing")
    [folder] = cache.iterdir()
    assert Compiled.open(folder).meta["terms"] == 4


def test_without_a_writable_cache_the_lexicon_stays_in_memory(
    words: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("CASPIPE_CACHE", str(tmp_path / "file"))
    lexicon = Lexicon.load(str(words))
    assert lexicon.has("East Wing") and lexicon.compiled.folder is None


def test_the_cache_lies_where_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CASPIPE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "caspipe"


def test_what_another_process_finished_first_is_kept(cache: Path) -> None:
    mine = compile_terms([TermSource("own", iter([Term("mine")]))], "own")

    def build() -> Compiled:
        save(compile_terms([TermSource("own", iter([Term("theirs")]))], "own"), cache / "key")
        return mine

    made = cached("key", build, Compiled.open)
    assert made.meta["terms"] == 1
    assert [p.name for p in cache.iterdir()] == ["key"]


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("lexicon.json", "{}", "compiled by another version of caspipe"),
        ("lexicon.json", "x", r"not a compiled lexicon \(JSONDecodeError\)"),
        ("words.marisa", "x", "not a compiled lexicon"),
        ("rows.npy", "x", r"not a compiled lexicon \(ValueError\)"),
    ],
)
def test_a_compiled_folder_that_is_not_whole_says_so(tmp_path: Path, file: str, text: str, message: str) -> None:
    save(compile_terms([TermSource("own", iter([Term("x")]))], "own"), tmp_path / "c")
    (tmp_path / "c" / file).write_text(text, encoding="utf-8")
    with pytest.raises(ResourceError, match=message):
        Lexicon.load(str(tmp_path / "c"))


def test_parts_of_two_lexicons_do_not_go_together(tmp_path: Path) -> None:
    for name, terms in (("one", ["x"]), ("two", ["x", "y"])):
        save(compile_terms([TermSource("own", iter(map(Term, terms)))], "own"), tmp_path / name)
    (tmp_path / "one" / "first.npy").write_bytes((tmp_path / "two" / "first.npy").read_bytes())
    with pytest.raises(ResourceError, match="parts of different lexicons"):
        Lexicon.load(str(tmp_path / "one"))
