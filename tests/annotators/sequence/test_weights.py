"""Weights as data: the same bytes for the same weights, and nothing that is not weights is read as such."""

from __future__ import annotations

import io
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.sequence.arrays import joined
from caspipe.annotators.sequence.weights import Names, Weights

SMALL = Weights.of(
    ["O", "B-A"],
    {
        ("0:lower=a", "B-A"): 2.0,
        ("0:lower=a", "O"): -1.0,
        ("-1:bos", "O"): 0.5,
        ("0:lower=\N{GREEK SMALL LETTER ALPHA}", "O"): -3,
    },
    {("O", "B-A"): 0.25},
)


def archive(**changes: Any) -> bytes:
    """The archive of SMALL with other arrays."""
    with np.load(io.BytesIO(SMALL.to_npz())) as found:
        arrays = {name: found[name] for name in found.files}
    into = io.BytesIO()
    np.savez(into, **(arrays | changes))
    return into.getvalue()


@given(st.dictionaries(st.tuples(st.text(max_size=5), st.sampled_from("ABC")), st.floats(-1e9, 1e9)))
def test_weights_come_back_as_they_were(state: dict[tuple[str, str], float]) -> None:
    made = Weights.of("ABC", state, {("A", "B"): 1.5})
    again = Weights.from_npz(made.to_npz(), "ABC")
    assert again.attributes == made.attributes and again.labels == ["A", "B", "C"]
    for name in ("rows", "columns", "values", "transitions"):
        assert (getattr(again, name) == getattr(made, name)).all()
    assert again.bias is None


@given(st.lists(st.text(alphabet="ab:-1\u00e9\ud800", max_size=6)))
def test_names_are_a_list_that_is_decoded_when_it_is_read(names: list[str]) -> None:
    made = Names(*joined(names))
    assert made == names and len(made) == len(names) and made[:2] == names[:2]
    assert [made[i] for i in range(-len(names), len(names))] == names * 2
    which, after = made.split(["-1", "1"])
    assert [name.partition(":")[2].encode("utf-8", "surrogatepass") for name in names] == after
    heads = [name.partition(":")[0] for name in names]
    assert which.tolist() == [{"-1": 0, "1": 1}.get(head, -1) for head in heads]


@pytest.mark.parametrize("ends", [[1, 3], [2, 1, 4], [1, 2], [2, 5]])
def test_names_that_do_not_fill_their_bytes_or_divide_a_character_are_refused(ends: list[int]) -> None:
    blob, _ = joined(["a\u20ac"])
    with pytest.raises(ValueError, match=r"fill their bytes|within a character"):
        Names(blob, np.array(ends))


def test_the_same_weights_give_the_same_bytes_whatever_their_order() -> None:
    state = {(f"0:a={i}", label): i + 0.5 for i in range(50) for label in "AB"}
    mixed = list(state.items())
    random.Random(1).shuffle(mixed)
    assert Weights.of("AB", state).to_npz() == Weights.of("AB", dict(mixed)).to_npz()


def test_bias_and_absent_transitions_come_back_too() -> None:
    made = Weights.of_matrix("AB", ["x", "y"], np.array([[1.0, 0.0], [0.0, 0.0]]), bias=np.array([0.5, -0.5]))
    again = Weights.from_npz(made.to_npz(), "AB")
    assert again.attributes == ["x"] and again.transitions is None
    assert again.bias is not None and again.bias.tolist() == [0.5, -0.5]


def test_small_weights_are_pruned() -> None:
    dense = np.array([[0.1, -2.0], [0.05, 0.01], [-0.2, 0.0]])
    made = Weights.of_matrix("AB", ["x", "y", "z"], dense, 0.1)
    assert made.attributes == ["x", "z"]
    assert made.values.tolist() == [-2.0, -0.2] and made.active == 2


def test_active_counts_weights_and_pairs_of_labels() -> None:
    assert SMALL.active == 5


def test_the_ranking_begins_with_the_largest_weight() -> None:
    assert SMALL.ranking("O", 2) == [("0:lower=\N{GREEK SMALL LETTER ALPHA}", -3.0), ("0:lower=a", -1.0)]
    assert SMALL.ranking("B-A") == [("0:lower=a", 2.0)]
    with pytest.raises(ValueError, match=r"^no label B-B; did you mean B-A\?; labels: O, B-A$"):
        SMALL.ranking("B-B")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"values": np.array([1.0, np.nan, 0, 0])}, "weights: values hold numbers that are not finite"),
        ({"transitions": np.full((2, 2), np.inf)}, "weights: transitions hold numbers that are not finite"),
        ({"transitions": np.zeros((3, 2))}, "weights: transitions have shape (3, 2), expected (2, 2)"),
        ({"bias": np.zeros(3)}, "weights: bias has shape (3,), expected (2,)"),
        ({"rows": np.array([0, 1, 2, 9])}, "weights: rows name attributes that are not there"),
        ({"columns": np.array([0, 1, 2, 0])}, "weights: columns name labels that are not there (there are 2)"),
        ({"values": np.zeros(3)}, "weights: rows, columns and values differ in length"),
        (
            {"values": np.zeros((4, 1))},
            "weights: rows, columns and values: expected lists of numbers, got arrays of other shapes",
        ),
        ({"name_ends": np.array([2, 1, 900])}, "weights cannot be read (ValueError)"),
        ({"values": np.array(["a"] * 4)}, "weights cannot be read (ValueError)"),
    ],
)
def test_arrays_that_are_no_weights_are_told(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError) as error:
        Weights.from_npz(archive(**changes), SMALL.labels)
    assert str(error.value) == fault


class _Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return pytest.fail, ("a pickle was loaded",)


def test_pickles_inside_the_archive_are_refused() -> None:
    bomb = np.empty(4, dtype=object)
    bomb[:] = [_Bomb()] * 4
    with pytest.raises(ValueError, match=r"^weights cannot be read \(ValueError\)$"):
        Weights.from_npz(archive(values=bomb), SMALL.labels)
    with pytest.raises(ValueError, match=r"^weights cannot be read \("):
        Weights.from_npz(pickle.dumps({"values": 1}), SMALL.labels)


def test_labels_must_differ_and_be_there() -> None:
    for labels in ([], ["O", "O"]):
        with pytest.raises(ValueError, match="expected different labels, at least one"):
            Weights.from_npz(SMALL.to_npz(), labels)


def test_damaged_archives_are_told_whatever_the_damage() -> None:
    data, chance = SMALL.to_npz(), random.Random(4)
    for cut in range(0, len(data), 37):
        with pytest.raises(ValueError):
            Weights.from_npz(data[:cut], SMALL.labels)
    for _ in range(150):
        changed = bytearray(data)
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        try:
            Weights.from_npz(bytes(changed), SMALL.labels).verify()
        except ValueError:
            continue


def test_blocks_hold_the_weights_of_a_base_for_every_distance() -> None:
    made = Weights.of("AB", {("-1:x=1", "A"): 1.0, ("0:x=1", "B"): 2.0, ("5:x=1", "B"): 9.0, ("0:y", "A"): 3.0})
    blocks = made.blocks(range(-1, 1))
    limits = [blocks.limits[i : i + 2].tolist() for i in range(len(blocks.limits) - 1)]
    found = {
        base: dict(zip(blocks.places[a:b].tolist(), blocks.values[a:b].tolist(), strict=True))
        for base, (a, b) in ((base, limits[i]) for base, i in blocks.numbers.items())
    }
    assert limits[0] == [0, 0]  # that of a base without weights
    assert found == {"x=1": {0: 1.0, 3: 2.0}, "y": {2: 3.0}}  # what no feature looks at from there is left out
