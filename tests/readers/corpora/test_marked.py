"""Reader of marked text: ids, metadata, kinds, optional marks. All texts are our own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caspipe.pipeline import Pipeline
from caspipe.pipeline.errors import ConfigError, DuplicateError
from caspipe.pipeline.storage.shipped_corpora import corpora
from caspipe.readers.corpora.marked import MarkedReader
from caspipe.typesystem import GOLD_VIEW, OPTIONAL, Cas, Phi, PhiKind, SpanAttribute

NAME = "Featherstone"
SMALL = (
    f"=====\n#id: n-1  #genre: ED note\nBy [[PERSON|{NAME}]] on [[?DATE_WEEKDAY|Tue]] [[DATE|3 May]].\n"
    "=====\n#genre: letter\nWell.\n"
)


def reader(tmp_path: Path, text: str | bytes = SMALL, name: str = "notes.txt", **options: Any) -> MarkedReader:
    (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return MarkedReader(files=tmp_path / name, **options)


def gold(cas: Cas) -> list[tuple[str, str]]:
    return [(p.covered_text, p.kind.name) for p in cas.view(GOLD_VIEW).select(Phi)]


def optional(cas: Cas) -> list[str]:
    attributes = [a for a in cas.view(GOLD_VIEW).select(SpanAttribute) if a.name == OPTIONAL]
    return [a.of.covered_text for a in attributes if isinstance(a.of, Phi)]


def only(reader: MarkedReader) -> str:
    """The one reason, with no text in it."""
    list(reader)
    ((_, error),) = reader.failed
    assert NAME not in repr(reader.failed)
    return str(error).removeprefix(str(reader.files))


def test_documents_have_ids_metadata_and_marks(tmp_path: Path) -> None:
    first, second = reader(tmp_path)
    assert (first.id, first.text) == ("n-1", f"By {NAME} on Tue 3 May.")
    assert first.metadata == {"genre": "ED note", "file": "notes", "encoding": "utf-8"}
    assert gold(first) == [(NAME, "PERSON"), ("Tue", "DATE_WEEKDAY"), ("3 May", "DATE")]
    assert optional(first) == ["Tue"]
    assert (second.id, second.text) == ("notes/2", "Well.")
    assert second.metadata["genre"] == "letter"
    assert gold(second) == []


def test_kinds_translate_and_drop_labels(tmp_path: Path) -> None:
    text = "=====\n#id: a\n[[STAFF|Ivy]] [[JOB|nurse]] [[?JOB|cook]] [[?STAFF|Ann]]\n"
    kinds = {"STAFF": PhiKind.of("PERSON_DOCTOR"), "JOB": PhiKind.of("PROFESSION"), "?JOB": None}
    (cas,) = reader(tmp_path, text, kinds=kinds)
    assert gold(cas) == [("Ivy", "PERSON_DOCTOR"), ("nurse", "PROFESSION"), ("Ann", "PERSON_DOCTOR")]
    assert optional(cas) == ["Ann"]


def test_labels_of_a_scheme_are_read(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path, "=====\n#id: a\n[[LOCATION-OTHER|Lund]]\n", scheme="i2b2-2014-sub")
    assert gold(cas) == [("Lund", "LOCATION")]


def test_an_unknown_kind_is_told_with_its_place_and_the_nearest(tmp_path: Path) -> None:
    assert only(reader(tmp_path, "=====\n#id: a\nx\n [[ID_MRNS|1]]\n")).startswith(
        ", line 4, column 2: no PHI kind called 'ID_MRNS'; did you mean "
    )
    assert only(reader(tmp_path, f"=====\n#id: a\n[[Persn|{NAME}]]\n")) == (
        ", line 3, column 1: expected the name of a PHI kind, found another word; did you mean PERSON?; "
        "`kinds` can translate or drop it"
    )
    assert only(reader(tmp_path, f"=====\n#id: a\n[[{NAME.upper()}|x]]\n")) == (
        ", line 3, column 1: expected the name of a PHI kind, found another word; `kinds` can translate or drop it"
    )


def test_a_damaged_document_leaves_the_others(tmp_path: Path) -> None:
    made = reader(tmp_path, SMALL.replace("]]", "]", 1))
    assert [cas.id for cas in made] == ["notes/2"]
    assert [document for document, _ in made.failed] == ["n-1"]


def test_a_repeated_id_fails_as_a_duplicate_in_every_pass(tmp_path: Path) -> None:
    made = reader(tmp_path, "=====\n#id: a\none\n=====\n#id: a\ntwo\n")
    for _ in range(2):
        made.failed = []
        assert [cas.text for cas in made] == ["one"]
        ((document, error),) = made.failed
        assert (document, type(error)) == ("a", DuplicateError)
        assert str(error).endswith("notes.txt, line 5: an earlier document has the same id")


def test_a_file_without_documents_fails(tmp_path: Path) -> None:
    assert only(reader(tmp_path, "\n")) == ": expected documents, each after a line =====, found none"


# -- what ships ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_document_of_the_shipped_corpora_is_read() -> None:
    counts = {}
    for name, folder in corpora().items():
        made = MarkedReader(folder=folder)
        counts[name] = sum(1 for _ in made)
        assert made.failed == []
    assert counts == {"phi-notes": 2805, "phi-notes-dev": 136, "phi-notes-train": 2669}


def test_a_shipped_corpus_is_named_in_yaml_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pipeline = Pipeline.parse("reader: {marked: {folder: shipped:phi-notes-train, pattern: part13.txt}}")
    assert pipeline.reader is not None
    documents = list(pipeline.reader)
    assert (len(documents), pipeline.reader.failed) == (41, [])
    assert documents[0].metadata["file"] == "part13"
    again = Pipeline.parse("reader: {marked: {}}", ["marked.folder=shipped:phi-notes-dev"])
    assert again.reader is not None
    assert again.reader.folder == corpora()["phi-notes-dev"]  # type: ignore[attr-defined]


def test_a_wrong_name_of_a_shipped_corpus_is_told_with_the_nearest() -> None:
    with pytest.raises(ConfigError) as caught:
        Pipeline.parse("reader: {marked: {folder: shipped:phi-note-dev}}")
    assert "no shipped corpus 'phi-note-dev'; did you mean phi-notes-dev?" in str(caught.value)
