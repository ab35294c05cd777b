"""Consumer of SQL tables, tried on SQLite; tests/interop/test_postgres.py has the same against a server."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.consumers.tables.sql import SqlConsumer
from caspipe.pipeline.errors import ComponentError, ConsumerError, ResourceError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas

pytest.importorskip("sqlalchemy", reason="needs SQLAlchemy: pip install 'caspipe[sql]'")

Make = Callable[..., Cas]
Listing = Callable[[Path], list[str]]
FILE = "release/notes.db"


def consumer(output: Path, **parameters: Any) -> SqlConsumer:
    made = SqlConsumer(url=f"sqlite:///{FILE}", **parameters)
    made.output = output
    made.open()
    return made


def rows(output: Path, table: str = "documents") -> list[dict[str, Any]]:
    connection = sqlite3.connect(output / FILE)
    connection.row_factory = sqlite3.Row
    found = [dict(row) for row in connection.execute(f"SELECT * FROM {table} ORDER BY rowid")]
    connection.close()
    return found


def ids(output: Path) -> list[str]:
    return [row["id"] for row in rows(output)]


def test_each_document_is_a_row_without_original_text_or_offsets(tmp_path: Path, make: Make) -> None:
    c = consumer(tmp_path, fields=["id", "text", "spans", "counts", "metadata"])
    cas = make()
    cas.metadata.update(b="ü", a="1")
    c.process(cas)
    c.close()
    (row,) = rows(tmp_path)
    assert row["id"] == "ward/note-1"
    assert row["text"] == "Dr. [PERSON] saw her on [DATE], aged 41.\r\nParkinson disease."
    assert json.loads(row["spans"])[0] == {"begin": 4, "end": 12, "kind": "PERSON_DOCTOR", "operator": "placeholder"}
    assert row["counts"] == '{"DATE":1,"PERSON_DOCTOR":1}'
    assert row["metadata"] == '{"a":"1","b":"ü"}'
    assert b"Featherstone" not in (tmp_path / FILE).read_bytes()


def test_a_row_for_each_span(tmp_path: Path, make: Make) -> None:
    c = consumer(tmp_path, rows="spans", table="spans")
    for name in ("a", "b"):
        c.process(make(name))
    c.close()
    found = rows(tmp_path, "spans")
    assert [r["document"] for r in found] == ["a", "a", "b", "b"]
    first = {"document": "a", "begin": 4, "end": 12, "kind": "PERSON_DOCTOR", "operator": "placeholder", "fallback": ""}
    assert found[0] == first


def test_the_original_is_written_only_where_it_is_asked_for_and_privately(tmp_path: Path, make: Make) -> None:
    made = SqlConsumer(url="sqlite:///restricted/all.db", include=["original", "phi", "offsets"])
    made.output = tmp_path
    made.open()
    made.process(make())
    made.close()
    assert (tmp_path / "restricted").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "restricted/all.db").stat().st_mode & 0o777 == 0o600
    connection = sqlite3.connect(tmp_path / "restricted/all.db")
    (phi,) = connection.execute("SELECT phi FROM documents WHERE original LIKE 'Dr. Ivy Featherstone%'").fetchone()
    connection.close()
    assert json.loads(phi)[0]["source"] == "regex/names"


def test_everything_is_one_transaction(tmp_path: Path, make: Make, listing: Listing) -> None:
    c = consumer(tmp_path)
    for n in range(450):  # more than wait in memory
        c.process(make(str(n)))
    other = sqlite3.connect(tmp_path / FILE)
    assert other.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    other.close()
    c.close()
    c.close()
    assert len(ids(tmp_path)) == 450
    c = consumer(tmp_path, existing="replace")
    for n in range(450):
        c.process(make(str(n)))
    c.abort()
    assert ids(tmp_path) == [str(n) for n in range(450)]
    assert listing(tmp_path) == [FILE]


def test_a_run_that_breaks_down_leaves_no_file_that_was_not_there(tmp_path: Path, make: Make, listing: Listing) -> None:
    c = consumer(tmp_path)
    c.process(make())
    c.abort()
    assert listing(tmp_path) == []


@pytest.mark.parametrize("kind", ["documents", "spans"])
@pytest.mark.parametrize("before", [0, 199, 200, 201])
def test_a_rolled_back_document_leaves_no_row(tmp_path: Path, make: Make, kind: Any, before: int) -> None:
    c = consumer(tmp_path, rows=kind)
    c.rollback("never")
    for n in range(before):
        c.process(make(f"{n:03}"))
    c.process(make("x"))
    c.process(make("y"))
    c.rollback("y")
    c.rollback("x")  # written before the last: it was released
    c.process(make("z"))
    c.close()
    found = [row.get("id", row.get("document")) for row in rows(tmp_path)]
    assert sorted(set(found)) == [*(f"{n:03}" for n in range(before)), "x", "z"]


def test_a_rolled_back_document_may_come_again(tmp_path: Path, make: Make) -> None:
    c = consumer(tmp_path)
    c.process(make("a"))
    c.rollback("a")
    c.process(make("a"))
    with pytest.raises(ConsumerError, match=r"the document's id is in the table already$"):
        c.process(make("a"))
    c.close()
    assert ids(tmp_path) == ["a"]


def test_documents_that_are_there_already(tmp_path: Path, make: Make) -> None:
    c = consumer(tmp_path)
    for name in ("a", "b"):
        c.process(make(name))
    c.close()

    c = consumer(tmp_path)
    with pytest.raises(ConsumerError) as caught:
        c.process(make("a"))
    said = f"sqlite:///{tmp_path}/{FILE}, table documents: the document's id is in the table already"
    assert str(caught.value) == f"{said}; `existing` can say replace or append"
    c.rollback("a")
    c.process(make("c"))
    c.close()
    assert ids(tmp_path) == ["a", "b", "c"]

    c = consumer(tmp_path, existing="replace")
    changed = make("a")
    changed.drop_view("deidentified")
    changed.create_view("deidentified", "new")
    c.process(changed)
    c.process(make("d"))
    c.process(make("b"))
    c.rollback("b")
    c.close()
    assert sorted((r["id"], len(r["text"])) for r in rows(tmp_path)) == [("a", 3), ("b", 60), ("c", 60), ("d", 60)]

    c = consumer(tmp_path, existing="append")
    c.process(make("d"))
    c.process(make("d"))
    c.close()
    assert ids(tmp_path).count("d") == 3


def test_a_table_with_other_columns_is_refused_before_the_first_document(tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("CREATE TABLE documents (id TEXT, texts TEXT, spans TEXT)")
    connection.close()
    with pytest.raises(
        ConsumerError, match=r"table documents: expected a column text, found none; did you mean texts\?"
    ):
        consumer(tmp_path)


def test_a_table_with_more_columns_is_filled_as_far_as_we_know_it(tmp_path: Path, make: Make) -> None:
    (tmp_path / "release").mkdir()
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute(
        "CREATE TABLE documents (nr INTEGER PRIMARY KEY, id TEXT, text TEXT, spans TEXT, seen TEXT DEFAULT 'no')"
    )
    connection.close()
    c = consumer(tmp_path)
    c.process(make("a"))
    c.close()
    (row,) = rows(tmp_path)
    assert (row["nr"], row["id"], row["seen"]) == (1, "a", "no")


def test_a_database_that_refuses_loses_the_whole_run_and_says_so(tmp_path: Path, make: Make) -> None:
    (tmp_path / "release").mkdir()
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("CREATE TABLE documents (id TEXT, text TEXT CHECK (length(text) < 5), spans TEXT)")
    connection.close()
    c = consumer(tmp_path)
    for n in range(200):
        c.process(make(str(n)))
    said = "a constraint of the table is violated (SQLITE_CONSTRAINT_CHECK); nothing of this run is written"
    with pytest.raises(ConsumerError) as caught:
        c.process(make("x"))
    assert str(caught.value).endswith(said)
    assert caught.value.__context__ is None
    c.rollback("x")
    with pytest.raises(ConsumerError):
        c.process(make("y"))
    with pytest.raises(ConsumerError) as caught:
        c.close()
    assert str(caught.value).endswith(said)
    assert rows(tmp_path) == []


def test_a_database_that_is_locked_or_none_says_so(tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / FILE).write_text("Featherstone " * 100)
    with pytest.raises(ConsumerError, match=r"the file is not a database \(SQLITE_NOTADB\)"):
        consumer(tmp_path)
    (tmp_path / FILE).unlink()
    other = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    made = SqlConsumer(url=f"sqlite:///{FILE}?timeout=0.1")
    made.output = tmp_path
    with pytest.raises(ConsumerError, match=r"another program has locked the database \(SQLITE_BUSY\)"):
        made.open()
    other.close()


def test_a_document_that_was_not_masked_is_refused(tmp_path: Path, make: Make) -> None:
    c = consumer(tmp_path)
    with pytest.raises(ComponentError, match="expected a view deidentified, found none"):
        c.process(make(mask=False))
    c.close()
    assert rows(tmp_path) == []


def test_lone_surrogates_nul_and_long_texts(tmp_path: Path) -> None:
    cas = Cas("x", id="a\ud800")
    cas.create_view("deidentified", "\ud83d\ude00 \U0001f600\x00" + "y" * 5_000_000)
    c = consumer(tmp_path)
    c.process(cas)
    c.close()
    (row,) = rows(tmp_path)
    assert row["id"] == "a\ufffd"
    assert row["text"] == "\ufffd\ufffd \U0001f600\x00" + "y" * 5_000_000


@pytest.mark.slow
def test_one_run_reads_and_writes_one_database(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    connection = sqlite3.connect(tmp_path / "out" / "notes.db")
    with connection:
        connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
        texts = [(f"Seen on 3/{n % 28 + 1}/2020. " + "Nothing else. " * 200,) for n in range(1500)]
        connection.executemany("INSERT INTO notes (text) VALUES (?)", texts)
    connection.close()
    report = Pipeline.parse(
        f"reader: {{sql: {{url: 'sqlite:///{tmp_path}/out/notes.db', table: notes}}}}\n"
        "engines: [segmenter, dates, resolver, masker]\n"
        f"consumers: [{{sql: {{url: 'sqlite:///notes.db', table: released}}}}]\nrun: {{output: {tmp_path}/out, names: id, "
        f"limit: 1200}}\n"
    ).run()
    assert report.documents.released == 1200
    connection = sqlite3.connect(tmp_path / "out" / "notes.db")
    assert connection.execute("SELECT count(*), min(text) LIKE 'Seen on [DATE]%' FROM released").fetchone() == (1200, 1)
    connection.close()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"table": ""}, "table: expected a name"),
        ({"fields": ["text"]}, "existing: expected append, where no id is written"),
        ({"rows": "spans", "include": ["phi"]}, "include: expected offsets only, for rows: spans"),
    ],
)
def test_faults_of_parameters(given: Any, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        SqlConsumer(url="sqlite:///x.db", **given)
    assert str(caught.value) == said


def test_a_url_that_is_none_is_not_repeated() -> None:
    with pytest.raises(ConsumerError) as caught:
        SqlConsumer(url="Zyqqword").open()
    assert str(caught.value).startswith("consumer sql: url: expected one like ")
    assert "Zyqqword" not in str(caught.value)


def test_without_sqlalchemy_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(
        (ResourceError, ConsumerError), match=r"the consumer sql needs SQLAlchemy: pip install 'caspipe\[sql\]'"
    ):
        consumer(tmp_path)
