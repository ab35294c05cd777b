"""Cluster files and embeddings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caspipe.annotators.sequence.features.cluster import Cluster, Clusters
from caspipe.annotators.sequence.features.embedding import Embedding, Vectors
from caspipe.pipeline.errors import ResourceError

BROWN = "0110\tsmith\t12\n0110111\tJones\t5\n10\t,\t99\n\n"


def written(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return str(path)


def test_brown_clusters_give_prefixes_of_their_path(tmp_path: Path) -> None:
    feature = Cluster(file=Clusters.load(written(tmp_path, "names.txt", BROWN)))
    assert feature.of("Jones") == ("0110", "011011", "0110111")
    assert feature.of("smith") == feature.of("SMITH") == ("0110",)
    assert feature.of("jones") == feature.of("unknown") == ()
    assert feature.label == "cluster:names"
    assert Cluster(file=feature.file, prefixes=[2]).of("Jones") == ("01",)


def test_other_clusters_are_taken_whole(tmp_path: Path) -> None:
    feature = Cluster(file=Clusters.load(written(tmp_path, "k.tsv", "smith\t17\r\nJosé\t4\r\n")))
    assert feature.of("Smith") == ("17",)
    assert feature.of("Jose\u0301") == ("4",)


def test_the_label_is_the_same_before_and_after_the_file_is_read(tmp_path: Path) -> None:
    place = written(tmp_path, "my=names.txt", BROWN)
    named = Cluster(file=place)  # type: ignore[arg-type]  # as a name, which is what YAML gives
    assert named.label == Cluster(file=Clusters.load(place)).label == "cluster:my_names"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "expected a word on every line, found none"),
        ("0110 smith 12\n", ":1: expected path<TAB>word<TAB>count or word<TAB>cluster on every line, got 1 columns"),
        (BROWN + "a\tb\n", ":5: expected path<TAB>word<TAB>count or word<TAB>cluster on every line, got 2 columns"),
        ("0120\tsmith\t1\n", ":1: expected a path of 0 and 1 in the first column"),
        (b"01\tsm\xff\t1\n", "expected UTF-8"),
    ],
)
def test_cluster_files_made_otherwise_are_named(tmp_path: Path, content: str | bytes, message: str) -> None:
    place = written(tmp_path, "names.txt", content)
    with pytest.raises(ResourceError) as told:
        Clusters.load(place)
    assert str(told.value).startswith(f"cluster file {place}") and str(told.value).endswith(message)


def test_missing_files_are_named(tmp_path: Path) -> None:
    for cls in (Clusters, Vectors):
        with pytest.raises(ResourceError, match=r"No such file or directory$"):
            cls.load(str(tmp_path / "none.txt"))


@pytest.mark.parametrize("prefixes", [[], [0, 4], [6, 4], [4, 4]])
def test_prefixes_must_ascend(prefixes: list[int]) -> None:
    with pytest.raises(ValueError, match=r"^prefixes: expected ascending whole numbers of at least 1$"):
        Cluster(file=Clusters({}, True, "x"), prefixes=prefixes)


VECTORS = "smith 1.0 -0.2 0\njones 3.0 -0.6 0\nthe 0.5 2.0 0\n"  # means: + 1.5, 2, -; - none, -0.4, none


def test_vectors_become_signs_of_their_outstanding_dimensions(tmp_path: Path) -> None:
    feature = Embedding(file=Vectors.load(written(tmp_path, "v.txt", "3 3\n" + VECTORS)))
    assert feature.of("Jones") == ("1+", "2-")
    assert feature.of("smith") == ()
    assert feature.of("the") == ("2+",)
    assert feature.of("unknown") == ()
    assert Embedding(file=feature.file, dimensions=1).of("jones") == ("1+",)
    assert [feature.label, Embedding(file=feature.file, dimensions=1).label] == ["embedding:v", "embedding:v:1"]
    with pytest.raises(ValueError, match=r"^dimensions: expected a whole number of at least 0, got -1$"):
        Embedding(file=feature.file, dimensions=-1)


def test_npz_vectors_are_the_same_as_text(tmp_path: Path) -> None:
    rows = np.array([[1.0, -0.2, 0], [3.0, -0.6, 0], [0.5, 2.0, 0]])
    np.savez(tmp_path / "v.npz", words=np.array(["smith", "jones", "the"]), vectors=rows)
    packed, text = Vectors.load(str(tmp_path / "v.npz")), Vectors.load(written(tmp_path, "v.txt", VECTORS))
    assert packed.row == text.row and (packed.matrix == text.matrix).all()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "expected one vector for each word, found 0 words"),
        ("smith\n", ":1: expected a word and 0 numbers"),
        ("smith 1 x\n", ":1: expected a word and 2 numbers"),
        ("smith 1 2\njones 1\n", ":2: expected a word and 2 numbers"),
        ("smith 1 nan\n", "expected finite numbers"),
        ("smith 1 1e99\n", "expected finite numbers"),
        (b"sm\xff 1 2\n", "expected UTF-8"),
    ],
)
def test_vector_files_made_otherwise_are_named(tmp_path: Path, content: str | bytes, message: str) -> None:
    place = written(tmp_path, "v.txt", content)
    with pytest.raises(ResourceError) as told:
        Vectors.load(place)
    assert str(told.value).startswith(f"vector file {place}") and str(told.value).endswith(message)


@pytest.mark.parametrize("name", ["text", "lacking", "objects", "truncated"])
def test_npz_files_made_otherwise_are_named_and_no_pickle_is_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / "v.npz"
    if name == "text":
        path.write_text("smith 1 2\n")
    elif name == "lacking":
        np.savez(path, vectors=np.ones((1, 2)))
    elif name == "objects":
        np.savez(path, words=np.array(["a"], dtype=object), vectors=np.ones((1, 2)))
    else:
        np.savez(path, words=np.array(["a"]), vectors=np.ones((1, 2)))
        path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ResourceError) as told:
        Vectors.load(str(path))
    assert str(told.value).endswith("with the arrays words (strings) and vectors (numbers)")


def test_words_with_blanks_in_text_vectors_keep_their_numbers(tmp_path: Path) -> None:
    assert Vectors.load(written(tmp_path, "v.txt", "a 1 2\nnew york 3 4\n")).row == {"a": 0, "new york": 1}
