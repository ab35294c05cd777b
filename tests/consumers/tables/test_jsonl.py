"""Consumer of JSON Lines."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.consumers.tables.jsonl import JsonlConsumer
from caspipe.pipeline.errors import ComponentError, ConsumerError
from caspipe.typesystem import Cas, Phi, PhiKind

Make = Callable[..., Cas]
Listing = Callable[[Path], list[str]]
FILE = "release/documents.jsonl"


def consumer(output: Path, **parameters: Any) -> JsonlConsumer:
    made = JsonlConsumer(**parameters)
    made.output = output
    made.open()
    return made


def written(c: JsonlConsumer, *documents: Cas, file: str = FILE) -> list[dict[str, Any]]:
    for cas in documents:
        c.process(cas)
    c.close()
    return [json.loads(line) for line in (c.output / file).read_bytes().splitlines()]


def test_each_document_is_a_line_without_original_text_or_offsets(tmp_path: Path, make: Make) -> None:
    one, two = written(consumer(tmp_path), make(), make("b"))
    assert one == {
        "id": "ward/note-1",
        "text": "Dr. [PERSON] saw her on [DATE], aged 41.\r\nParkinson disease.",
        "spans": [
            {"begin": 4, "end": 12, "kind": "PERSON_DOCTOR", "operator": "placeholder"},
            {"begin": 24, "end": 30, "kind": "DATE", "operator": "shift", "fallback": "no key"},
        ],
    }
    assert one["text"][4:12] == "[PERSON]"
    assert two["id"] == "b"
    raw = (tmp_path / FILE).read_bytes()
    assert b"Featherstone" not in raw
    assert b"original" not in raw


def test_fields_can_be_chosen(tmp_path: Path, make: Make) -> None:
    cas = make()
    cas.metadata.update(b="2", a="1")
    (line,) = written(consumer(tmp_path, fields=["counts", "metadata"]), cas)
    assert line == {"counts": {"DATE": 1, "PERSON_DOCTOR": 1}, "metadata": {"a": "1", "b": "2"}}
    assert list(line["metadata"]) == ["a", "b"]


def test_the_original_is_written_only_where_it_is_asked_for_and_privately(tmp_path: Path, make: Make) -> None:
    c = consumer(tmp_path, file=Path("restricted/all.jsonl"), include=["original", "phi", "offsets"])
    (line,) = written(c, make(), file="restricted/all.jsonl")
    assert line["original"].startswith("Dr. Ivy Featherstone")
    assert line["spans"][0]["original_begin"] == 4
    assert line["phi"][0] == {
        "begin": 4,
        "end": 20,
        "kind": "PERSON_DOCTOR",
        "confidence": 1.0,
        "source": "regex/names",
        "reason": "won: rules come first",
    }
    assert (tmp_path / "restricted").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "restricted/all.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_document_that_was_not_masked_is_refused(tmp_path: Path, make: Make) -> None:
    c = consumer(tmp_path)
    with pytest.raises(ComponentError, match="expected a view deidentified, found none"):
        c.process(make(mask=False))
    assert written(c) == []


def test_the_file_appears_when_the_run_ends(tmp_path: Path, make: Make, listing: Listing) -> None:
    c = consumer(tmp_path)
    c.process(make())
    assert FILE not in listing(tmp_path)
    c.close()
    assert listing(tmp_path) == [FILE]
    c.close()


def test_a_rolled_back_document_leaves_no_line(tmp_path: Path, make: Make) -> None:
    c = consumer(tmp_path)
    c.rollback("never")
    c.process(make("a"))
    c.process(make("b"))
    c.rollback("b")
    c.rollback("a")  # written before the last: it was released
    c.process(make("c"))
    assert [line["id"] for line in written(c)] == ["a", "c"]


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    c = consumer(tmp_path)
    c.process(make("a"))
    write = os.write

    def full(fd: int, data: bytes) -> int:
        if len(data) < 100:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(fd, data[: len(data) // 2])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(ConsumerError) as caught:
            c.process(make("b"))
    assert str(caught.value) == f"{tmp_path}/{FILE}: cannot write: No space left on device"
    c.rollback("b")
    assert [line["id"] for line in written(c, make("c"))] == ["a", "c"]


def test_lone_surrogates_become_u_fffd_one_for_one(tmp_path: Path) -> None:
    cas = Cas("x", id="a\ud800")
    cas.create_view("deidentified", "\ud83d\ude00 \U0001f600\u2028\x00")
    (line,) = written(consumer(tmp_path, fields=["id", "text", "metadata"]), cas)
    assert line == {
        "id": "a\ufffd",
        "text": "\ufffd\ufffd \U0001f600\u2028\x00",
        "metadata": {"lone_surrogates_replaced": "2"},
    }


def test_one_file_for_each_document(tmp_path: Path, make: Make, listing: Listing) -> None:
    c = consumer(tmp_path, folder=Path("release/json"))
    c.process(make())
    c.process(make("b"))
    c.rollback("b")
    c.close()
    assert listing(tmp_path) == ["release/json/ward/note-1.json"]
    assert json.loads((tmp_path / "release/json/ward/note-1.json").read_bytes())["id"] == "ward/note-1"


def test_faults_of_parameters() -> None:
    with pytest.raises(ValueError, match="fields: expected at least one"):
        JsonlConsumer(fields=[])


def test_a_folder_that_cannot_be_made_is_an_error_before_the_first_document(tmp_path: Path) -> None:
    (tmp_path / "release").write_text("")
    with pytest.raises(ConsumerError, match=r"expected a folder, but .*release is a file"):
        consumer(tmp_path)


def test_reviewed_documents_can_be_written_with_their_original_text(tmp_path: Path) -> None:
    cas = Cas("Seen by Anna.", id="a")
    cas.create_view("gold", cas.text).add(Phi(8, 12, kind=PhiKind.PERSON))
    (line,) = written(consumer(tmp_path, annotations="auto"), cas, file="restricted/documents.jsonl")
    assert line["text"] == "Seen by Anna."
    assert line["spans"] == [{"begin": 8, "end": 12, "kind": "PERSON", "confidence": 1.0, "source": ""}]
    assert (tmp_path / "restricted/documents.jsonl").stat().st_mode & 0o77 == 0


def test_what_is_said_of_the_original_is_not_mixed_with_the_masked_text() -> None:
    with pytest.raises(ValueError, match="include: goes with annotations: masked, not with gold"):
        JsonlConsumer(annotations="gold", include=["original"])


def test_files_of_its_own_are_brought_onto_the_disk_with_those_of_others(tmp_path: Path, make: Make) -> None:
    own = consumer(tmp_path, folder=Path("release/json"))
    prepared = own.prepare(make())
    (file,) = own.staged(prepared)
    assert Path(file.temporary).parent == tmp_path / "release/json"
    own.discard(prepared)
    assert not Path(file.temporary).exists()
    lines = consumer(tmp_path)
    assert list(lines.staged(lines.prepare(make()))) == []
    lines.abort()
