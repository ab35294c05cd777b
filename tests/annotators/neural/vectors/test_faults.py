"""What is wrong with a file is said with its place, and never with what stands there."""

from __future__ import annotations

import gzip
import io
import json
import re
import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.neural.vectors import WordVectors
from caspipe.pipeline.errors import ResourceError

from .vector_files import GLOVE, ROWS, WORD2VEC, binary, fasttext

OWN = WordVectors(list(ROWS), np.array(list(ROWS.values()), dtype=np.float32)).to_bytes()
MODEL = fasttext(["ab", "cd"], [[1.0, 2.0]] * 6)
CHANGED = "its content does not match its description: damaged or changed"


def zipped(members: dict[str, bytes], how: int = zipfile.ZIP_STORED) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", how) as made:
        for name, data in members.items():
            made.writestr(name, data)
    return into.getvalue()


def members(data: bytes = OWN) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def told_by(**changed: object) -> bytes:
    """Our own file with something else in its description."""
    found = members()
    found["meta.json"] = json.dumps({**json.loads(found["meta.json"]), **changed}).encode()
    return zipped(found)


FAULTS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "the file is empty"),
    "white space": (b" \n\n", "the file is empty"),
    "prose": (
        b"Zyqqvander saw the patient\non Monday\n",
        "line 1: expected a word and its numbers; word vectors are read from GloVe, word2vec, fastText and caspipe",
    ),
    "prose whose lines end in numbers": (
        b"Zyqqvander came on May 3\nand left on May 4.\n",
        "line 1: expected a word and its numbers; word vectors are read from GloVe, word2vec, fastText and caspipe",
    ),
    "a column too few": (b"a 1 2 3\nZyqq 1 2\nc 1 2 3\n", "line 2: expected a word and 3 numbers, found 2"),
    "a column too many": (b"a 1 2 3\nZyqq 1 2 3 4\nc 1 2 3\n", "line 2: expected a word and 3 numbers, found 4"),
    "no word": (b"a 1 2 3\n 1 2 3\nc 1 2 3\n", "line 2: expected a word and 3 numbers, found 2"),
    "a word for a number": (b"a 1 2 3\nb 1 Zyqq 3\nc 1 2 3\n", "line 2: expected a word and 3 numbers, found 1"),
    "a number only Python knows": (b"a 1 2\nb 1_0 2\nc 1 2\n", "line 2: expected a word and 2 numbers, found 1"),
    "two lines that differ": (b"a 1 2 3\nb 1 2\n", "line 1: expected a word and 2 numbers, found 3"),
    "NaN": (b"a 1 2\nb nan 2\n", "line 2: a number is infinite or NaN"),
    "infinite": (b"a 1 2\nb 1 inf\n", "line 2: a number is infinite or NaN"),
    "too large for 32 bits": (b"a 1 2\nb 1 1e99\n", "line 2: a number is infinite or NaN"),
    "Latin-1": (
        b"a 1 2\ncaf\xe9 1 2\nb 1 2\n",
        "line 2: the word is not UTF-8, as in 1 of 3 rows: convert the file",
    ),
    "a line without end": (
        b"a 1 2\n" + b"x" * 1_100_000,
        "line 2: longer than 1,048,576 bytes: these are not word vectors",
    ),
    "a word without end": (
        b"a 1 2\n" + b"x" * 5_000 + b" 1 2\n",
        "line 2: its word is longer than 4,096 bytes: these are not word vectors",
    ),
    "text cut off": (b"9 2\na 1 2\n", "the header states 9 words, the file ends after 1: cut off"),
    "text cut off in a line": (WORD2VEC[:-5], "line 4: expected a word and 3 numbers, found 2"),
    "more text than promised": (b"1 2\na 1 2\nb 1 2\n", "the header states 1 words, but more rows follow: damaged"),
    "a header only": (b"5 3\n", "the header states 5 words, the file ends after 0: cut off"),
    "a header of nothing": (b"0 3\n", "it contains no rows"),
    "no dimensions": (b"3 0\na\nb\nc\n", "line 1: expected 1 to 10,000 dimensions, found 0"),
    "too many dimensions": (b"3 99999999999\na 1\n", "line 1: expected 1 to 10,000 dimensions, found 99,999,999,999"),
    "binary cut off": (binary()[:-6], "row 3 of 3: the file ends in it: cut off"),
    "binary cut off between rows": (binary()[:-17], "the header states 3 words, the file ends after 2: cut off"),
    "binary rows missing": (
        binary().replace(b"3 3\n", b"7 3\n", 1),
        "the header states 7 words, the file ends after 3: cut off",
    ),
    "more binary than promised": (
        binary().replace(b"3 3\n", b"2 3\n", 1),
        "the header states 2 words, but more data follow: damaged",
    ),
    "binary word without end": (b"2 3\n" + b"\x01" * 9_000, "row 1 of 2: no space after its word: damaged"),
    "binary NaN": (
        binary({"a": [1.0, 2.0], "b": [1.0, float("nan")]}),
        "row 2 of 2: a number is infinite or NaN",
    ),
    "a header that lies": (
        b"999999999999999999 3\n" + b"a " + struct.pack("<3f", 1, 2, 3),
        "the header states 999,999,999,999,999,999 words, the file ends after 1: cut off",
    ),
    "bzip2": (b"BZh91AY&SY", "packed with bzip2: unpack it; only gzip is supported"),
    "gzip cut off": (gzip.compress(GLOVE * 100)[:-12], "the gzip data are damaged or cut off"),
    "gzip of nothing": (gzip.compress(b""), "the file is empty"),
    "a foreign zip": (
        zipped({"glove.6B.50d.txt": GLOVE}),
        "a zip archive that caspipe did not write: unpack it, and use the file of vectors in it",
    ),
    "own, a byte changed": (OWN.replace(b"fever", b"never"), CHANGED),
    "own, cut off": (OWN[:-40], CHANGED),
    "own, a member missing": (zipped({k: v for k, v in members().items() if k != "words.npy"}), CHANGED),
    "own, packed": (zipped(members(), zipfile.ZIP_DEFLATED), CHANGED),
    "own, no JSON": (zipped({**members(), "meta.json": b"{"}), "meta.json is not valid JSON: damaged"),
    "own, of another type": (
        told_by(type="crf"),
        "meta.json does not describe word vectors: another type of file, or damaged",
    ),
    "own, newer": (told_by(format=2), "made by a newer caspipe, in format 2; this one reads formats up to 1"),
    "own, another checksum": (told_by(sha256="00"), CHANGED),
    "fasttext quantised": (
        fasttext(["ab"], [[1.0, 2.0]] * 5, quantised=True),
        "a quantized model of fastText (.ftz) without vectors: use the .bin or .vec file",
    ),
    "fasttext of another version": (
        fasttext(["ab"], [[1.0]] * 5, version=13),
        "a model of fastText in format 13: expected 11 or 12",
    ),
    "fasttext, cut off in its header": (MODEL[:50], "the file ends in its header: cut off"),
    "fasttext, cut off in its words": (MODEL[:100], "the file ends in its words: cut off"),
    "fasttext, cut off in its matrix": (MODEL[:160], "the file ends in its matrix: cut off"),
    "fasttext, too few rows": (
        fasttext(["ab", "cd"], [[1.0, 2.0]] * 5),
        "the shape of its matrix does not fit its words and n-grams: damaged",
    ),
    "fasttext, other width": (
        fasttext(["ab"], [[1.0, 2.0]] * 5, dim=3),
        "the shape of its matrix does not fit its words and n-grams: damaged",
    ),
    "fasttext, pruned beyond": (
        fasttext(["ab"], [[1.0, 2.0]] * 2, pruned=[(0, 7)]),
        "the shape of its matrix does not fit its words and n-grams: damaged",
    ),
    "fasttext, pruned before": (
        fasttext(["ab"], [[1.0, 2.0]] * 5, pruned=[(0, -7)]),
        "the shape of its matrix does not fit its words and n-grams: damaged",
    ),
    "fasttext, huge n-grams": (
        fasttext(["ab"], [[1.0, 2.0]] * 5, longest=2_000_000),
        "header: lengths of n-grams or number of buckets out of range: damaged",
    ),
    "fasttext, NaN in a word": (
        fasttext(["ab"], [[float("nan"), 2.0], *[[1.0, 2.0]] * 4]),
        "word 1: a number is infinite or NaN",
    ),
    "fasttext, NaN in n-grams": (
        fasttext(["ab"], [[1.0, 2.0], *[[float("inf"), 2.0]] * 4]),
        "a number of its n-grams is infinite or NaN",
    ),
    "fasttext, words do not end": (
        MODEL[:92] + b"x" * 9_000,
        "word 1: has no end: damaged",
    ),
    "fasttext, numbers of words": (
        MODEL[:64] + struct.pack("<iii", 5, 2, 0) + MODEL[76:],
        "header: inconsistent numbers of words: damaged",
    ),
    "fasttext, a label among words": (
        MODEL.replace(b"ab\0" + struct.pack("<qb", 7, 0), b"ab\0" + struct.pack("<qb", 7, 1)),
        "word 1: expected words first, then labels: damaged",
    ),
    "fasttext, gzipped": (
        gzip.compress(MODEL),
        "a compressed model of fastText: unpack it",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_its_place_and_without_text(name: str, tmp_path: Path) -> None:
    data, told = FAULTS[name]
    path = tmp_path / "v"
    path.write_bytes(data)
    with pytest.raises(ResourceError) as caught:
        WordVectors.load(str(path))
    assert str(caught.value) == f"vectors {path}: {told}"


def test_a_missing_file_is_told_with_the_nearest_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "glove-50.txt").write_bytes(GLOVE)
    (tmp_path / "notes.md").write_text("no vectors")
    monkeypatch.setenv("CASPIPE_VECTORS", str(tmp_path))
    assert WordVectors.names() == ["glove-50"]
    assert WordVectors.load("glove-50").words == list(ROWS)
    assert WordVectors.load("glove-50?limit=1").words == ["fever"]
    assert WordVectors.check("glove-50") is None
    with pytest.raises(ResourceError, match=r"^no vectors or file called 'glove-500'; did you mean glove-50\?$"):
        WordVectors.load("glove-500")
    assert WordVectors.check("glove-500") == "no vectors or file called 'glove-500'; did you mean glove-50?"
    with pytest.raises(ResourceError, match=f"^vectors {re.escape(str(tmp_path))}: expected a file$"):
        WordVectors.load(str(tmp_path))
    with pytest.raises(ResourceError, match=r": limit: expected 1 or more, got 0$"):
        WordVectors.load("glove-50", limit=0)


def test_no_header_makes_us_take_memory(tmp_path: Path) -> None:
    path = tmp_path / "v"
    for name in ("a header that lies", "too many dimensions", "fasttext, huge n-grams", "fasttext, numbers of words"):
        path.write_bytes(FAULTS[name][0])
        tracemalloc.start()
        with pytest.raises(ResourceError):
            WordVectors.load(str(path))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 8_000_000


SOUND = {"glove": GLOVE, "text": WORD2VEC, "binary": binary(), "own": OWN, "model": MODEL, "gzip": gzip.compress(GLOVE)}


@given(st.sampled_from(sorted(SOUND)), st.data())
def test_damaged_bytes_give_vectors_or_a_resource_error(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    sound = bytearray(SOUND[name])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(sound) - 1))
        if data.draw(st.booleans()):
            sound[at] = data.draw(st.integers(0, 255))
        else:
            del sound[at : at + data.draw(st.integers(1, 9))]
        if not sound:
            break
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(bytes(sound))
    try:
        found = WordVectors.load(str(path))
    except ResourceError as error:
        assert str(error).startswith(f"vectors {path}: ")
        assert str(error).isascii() or "émeute" not in str(error)
    else:
        assert found.matrix.shape == (len(found.words), found.dim)
        assert np.isfinite(found.matrix).all()


@pytest.mark.slow
@given(st.binary(max_size=300))
def test_any_bytes_give_vectors_or_a_resource_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    for lead in (b"", b"2 2\n", MODEL[:8], OWN[:30], b"\x1f\x8b"):
        path.write_bytes(lead + data)
        try:
            WordVectors.load(str(path))
        except ResourceError as error:
            assert str(error).startswith(f"vectors {path}: ")
