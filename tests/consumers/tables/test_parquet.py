"""Consumer of Parquet tables."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.consumers.tables.parquet import ParquetConsumer
from caspipe.pipeline.errors import ComponentError, ConsumerError, ResourceError
from caspipe.readers.tables.parquet import ParquetReader
from caspipe.typesystem import GOLD_VIEW, Cas, Phi

pa = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'caspipe[parquet]'")
pq = pytest.importorskip("pyarrow.parquet")

Make = Callable[..., Cas]
Listing = Callable[[Path], list[str]]
FILE = "release/documents.parquet"


def consumer(output: Path, **parameters: Any) -> ParquetConsumer:
    made = ParquetConsumer(**parameters)
    made.output = output
    made.open()
    return made


def written(c: ParquetConsumer, *documents: Cas) -> list[dict[str, Any]]:
    for cas in documents:
        c.process(cas)
    c.close()
    return pq.read_table(c.output / c.file).to_pylist(maps_as_pydicts="strict")  # type: ignore[no-any-return]


def test_each_document_is_a_row_without_original_text_or_offsets(tmp_path: Path, make: Make) -> None:
    one, two = written(consumer(tmp_path), make(), make("b"))
    assert one == {
        "id": "ward/note-1",
        "text": "Dr. [PERSON] saw her on [DATE], aged 41.\r\nParkinson disease.",
        "spans": [
            {"begin": 4, "end": 12, "kind": "PERSON_DOCTOR", "operator": "placeholder", "fallback": None},
            {"begin": 24, "end": 30, "kind": "DATE", "operator": "shift", "fallback": "no key"},
        ],
    }
    assert two["id"] == "b"
    assert b"Featherstone" not in (tmp_path / FILE).read_bytes()
    column = pq.ParquetFile(tmp_path / FILE).metadata.row_group(0).column(1)
    assert column.compression == "ZSTD"


def test_every_field_has_its_column(tmp_path: Path, make: Make) -> None:
    cas = make()
    cas.metadata.update(b="2", a="1")
    c = consumer(
        tmp_path,
        fields=["id", "text", "spans", "counts", "metadata"],
        include=["original", "phi", "offsets"],
        file=Path(FILE),
    )
    (row,) = written(c, cas)
    assert list(row) == ["id", "text", "spans", "counts", "original", "phi", "metadata"]
    assert row["counts"] == {"DATE": 1, "PERSON_DOCTOR": 1}
    assert list(row["metadata"]) == ["a", "b"]
    assert row["original"].startswith("Dr. Ivy Featherstone")
    assert row["spans"][0]["original_end"] == 20
    assert row["phi"][0] == {
        "begin": 4,
        "end": 20,
        "kind": "PERSON_DOCTOR",
        "confidence": 1.0,
        "source": "regex/names",
        "reason": "won: rules come first",
    }
    assert (c.output / c.file).stat().st_mode & 0o777 == 0o600


def test_a_row_for_each_span(tmp_path: Path, make: Make) -> None:
    rows = written(consumer(tmp_path, rows="spans", include=["offsets"], file=Path(FILE)), make(), make("b"))
    assert len(rows) == 4
    assert rows[1] == {
        "document": "ward/note-1",
        "begin": 24,
        "end": 30,
        "kind": "DATE",
        "operator": "shift",
        "fallback": "no key",
        "original_begin": 32,
        "original_end": 40,
    }


def test_no_documents_make_an_empty_table_with_its_columns(tmp_path: Path) -> None:
    assert written(consumer(tmp_path)) == []
    assert pq.read_table(tmp_path / FILE).column_names == ["id", "text", "spans"]


@pytest.mark.slow
def test_row_groups_are_bounded_by_rows_and_by_size(tmp_path: Path, make: Make) -> None:
    written(consumer(tmp_path, row_group=3), *[make(str(n)) for n in range(8)])
    groups = pq.ParquetFile(tmp_path / FILE).metadata
    assert [groups.row_group(n).num_rows for n in range(groups.num_row_groups)] == [3, 3, 2]
    big = []
    for n in range(8):
        cas = Cas("x", id=str(n))
        cas.create_view("deidentified", "y" * 9_000_000)
        big.append(cas)
    written(consumer(tmp_path), *big)
    groups = pq.ParquetFile(tmp_path / FILE).metadata
    assert [groups.row_group(n).num_rows for n in range(groups.num_row_groups)] == [4, 4]
    written(consumer(tmp_path, rows="spans", row_group=1), make(), make("b"))
    assert pq.ParquetFile(tmp_path / FILE).metadata.num_row_groups == 4


def test_the_same_documents_make_the_same_bytes(tmp_path: Path, make: Make) -> None:
    options: dict[str, Any] = {"fields": ["id", "text", "spans", "counts", "metadata"], "row_group": 2}
    written(consumer(tmp_path / "a", **options), *[make(str(n)) for n in range(5)])
    written(consumer(tmp_path / "b", **options), *[make(str(n)) for n in range(5)])
    assert (tmp_path / "a" / FILE).read_bytes() == (tmp_path / "b" / FILE).read_bytes()


def test_the_file_appears_when_the_run_ends_and_not_at_all_when_it_breaks_down(
    tmp_path: Path, make: Make, listing: Listing
) -> None:
    c = consumer(tmp_path, row_group=1)
    for n in range(3):
        c.process(make(str(n)))
    assert FILE not in listing(tmp_path)
    c.abort()
    assert listing(tmp_path) == []
    c = consumer(tmp_path)
    c.process(make())
    c.close()
    c.close()
    assert listing(tmp_path) == [FILE]


@pytest.mark.parametrize("rows", ["documents", "spans"])
@pytest.mark.parametrize("row_group", [1, 2, 3, 4, 100])
def test_a_rolled_back_document_leaves_no_row(tmp_path: Path, make: Make, rows: Any, row_group: int) -> None:
    c = consumer(tmp_path, rows=rows, row_group=row_group)
    c.rollback("never")
    c.process(make("a"))
    c.process(make("b"))
    c.rollback("b")
    c.rollback("a")  # written before the last: it was released
    ids = [row.get("id", row.get("document")) for row in written(c, make("c"), make("d"))]
    assert sorted(set(ids)) == ["a", "c", "d"]


def test_a_document_that_was_not_masked_is_refused(tmp_path: Path, make: Make) -> None:
    c = consumer(tmp_path)
    with pytest.raises(ComponentError, match="expected a view deidentified, found none"):
        c.process(make(mask=False))
    assert written(c) == []


def test_lone_surrogates_and_nul_come_out_one_for_one(tmp_path: Path) -> None:
    cas = Cas("x", id="a\ud800")
    cas.create_view("deidentified", "\ud83d\ude00 \U0001f600\u2028\x00")
    (row,) = written(consumer(tmp_path, fields=["id", "text", "metadata"]), cas)
    assert row == {
        "id": "a\ufffd",
        "text": "\ufffd\ufffd \U0001f600\u2028\x00",
        "metadata": {"lone_surrogates_replaced": "2"},
    }


def _full(fd: int, data: bytes) -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_while_writing_costs_the_document(
    tmp_path: Path, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    c = consumer(tmp_path, row_group=1)
    c.process(make("a"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", _full)
        with pytest.raises(ConsumerError, match="cannot write: No space left on device"):
            c.process(make("b"))
        c.rollback("b")
    assert [row["id"] for row in written(c, make("c"))] == ["a", "c"]


def test_a_full_disk_at_the_end_leaves_the_file_that_was_there(
    tmp_path: Path, make: Make, monkeypatch: pytest.MonkeyPatch, listing: Listing
) -> None:
    written(consumer(tmp_path), make())
    before = (tmp_path / FILE).read_bytes()
    c = consumer(tmp_path, row_group=1)
    c.process(make("a"))
    monkeypatch.setattr(os, "write", _full)
    with pytest.raises(ConsumerError, match="cannot write: No space left on device"):
        c.close()
    assert listing(tmp_path) == [FILE]
    assert (tmp_path / FILE).read_bytes() == before


def test_what_is_written_comes_back_with_its_spans(tmp_path: Path, make: Make) -> None:
    texts = ["", "a\x00b\r\n", "\U0001f600\u2028", "x" * 100_000]
    documents = []
    for n, text in enumerate(texts):
        cas = Cas("x", id=f"ward/{n}")
        cas.create_view("deidentified", text)
        documents.append(cas)
    written(consumer(tmp_path, fields=["id", "text", "spans", "metadata"]), *documents, make("last"))
    reader = ParquetReader(folder=tmp_path / "release", spans_field="spans")
    *read, last = reader
    assert [(c.id, c.text) for c in read] == [(f"ward/{n}", text) for n, text in enumerate(texts)]
    found = [(p.begin, p.end, p.kind.name) for p in last.view(GOLD_VIEW).select(Phi)]
    assert found == [(4, 12, "PERSON_DOCTOR"), (24, 30, "DATE")]
    assert reader.failed == []


def test_faults_of_parameters() -> None:
    with pytest.raises(ValueError, match="row_group: expected 1 or more, got 0"):
        ParquetConsumer(row_group=0)
    with pytest.raises(ValueError, match="include: expected offsets only, for rows: spans"):
        ParquetConsumer(rows="spans", include=["original"])
    with pytest.raises(ValueError, match="fields: expected at least one"):
        ParquetConsumer(fields=[])


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ResourceError, match=r"the consumer parquet needs pyarrow: pip install 'caspipe\[parquet\]'"):
        consumer(tmp_path)
