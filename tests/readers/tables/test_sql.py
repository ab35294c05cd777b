"""Reader of SQL databases, tried on SQLite; tests/interop/test_postgres.py has the same against a server."""

from __future__ import annotations

import json
import sqlite3
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.pipeline.errors import ReaderError, ResourceError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.readers.tables.sql import SqlReader
from caspipe.typesystem import GOLD_VIEW, Phi, PhiKind

pytest.importorskip("sqlalchemy", reason="needs SQLAlchemy: pip install 'caspipe[sql]'")

NAME = "Featherstone"
Make = Callable[..., str]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes a database with a table of notes; returns its URL."""

    def made(rows: list[tuple[Any, ...]], columns: str = "id, text", table: str = "notes") -> str:
        connection = sqlite3.connect(tmp_path / "notes.db")
        with connection:
            connection.execute(f'CREATE TABLE "{table}" ({columns})')
            connection.executemany(f'INSERT INTO "{table}" VALUES ({",".join("?" * len(columns.split(",")))})', rows)
        connection.close()
        return f"sqlite:///{tmp_path}/notes.db"

    return made


def reasons(reader: SqlReader) -> list[tuple[str, str]]:
    assert NAME not in repr(reader.failed)
    return [(document, str(error)) for document, error in reader.failed]


def fault(reader: SqlReader) -> str:
    """Return the message of a reader that cannot be opened."""
    with pytest.raises(ReaderError) as caught:
        reader.open()
    reader.close()
    assert NAME not in str(caught.value)
    assert caught.value.__context__ is None
    return str(caught.value)


def test_each_row_of_a_table_is_a_document_in_order_of_its_id(make: Make) -> None:
    rows = [("b", "two \U0001f600", 1), ("a", "one\x00\r\n", 2), (7, "x" * 5_000_000, 3)]
    url = make(rows, "id, text, other", "odd name")
    r = SqlReader(url=url, table="odd name")
    r.open()
    assert [(c.id, c.text) for c in r] == [("7", "x" * 5_000_000), ("a", "one\x00\r\n"), ("b", "two \U0001f600")]
    r.close()
    assert r.failed == []
    assert [c.id for c in r] == ["7", "a", "b"]


def test_a_query_makes_the_documents_it_selects(make: Make) -> None:
    url = make([(1, "one", "12:30"), (2, "100% :x", "b"), (3, NAME, "c")], "nr, body, t")
    query = """
        -- notes of today
        WITH some AS (SELECT nr AS id, body AS text, t, ':word %s' AS q FROM notes WHERE nr < 3 OR t LIKE '%z%')
        SELECT id, text, t, q FROM some ORDER BY id DESC"""
    r = SqlReader(url=url, query=query, metadata=["t", "q"])
    assert [(c.id, c.text, c.metadata) for c in r] == [
        ("2", "100% :x", {"t": "b", "q": ":word %s"}),
        ("1", "one", {"t": "12:30", "q": ":word %s"}),
    ]


def test_columns_become_metadata_and_known_phi(make: Make) -> None:
    url = make([("1", "a", NAME, "1960-03-04"), ("2", "b", None, None)], "id, text, patient, born")
    r = SqlReader(
        url=url,
        table="notes",
        metadata={"patient_id": "id"},
        known_phi={"patient": PhiKind.PERSON_PATIENT, "born": PhiKind.DATE_BIRTH},
    )
    one, two = r
    assert one.metadata == {"patient_id": "1"}
    assert [(k.kind.name, k.value) for k in one.known_phi] == [("PERSON_PATIENT", NAME), ("DATE_BIRTH", "1960-03-04")]
    assert two.known_phi == []


def test_spans_as_json_are_reference_annotations(make: Make) -> None:
    spans = json.dumps([{"begin": 0, "end": 3, "kind": "PERSON"}])
    r = SqlReader(
        url=make([(1, "Ivy", spans), (2, "Ivy", NAME)], "id, text, spans"), table="notes", spans_field="spans"
    )
    (one,) = r
    assert [(p.begin, p.end) for p in one.view(GOLD_VIEW).select(Phi)] == [(0, 3)]
    assert reasons(r)[0][1].endswith("row 2: field spans: expected a list of spans")


def test_faulty_rows_fail_alone(make: Make, tmp_path: Path) -> None:
    rows = [(1, "a"), (None, NAME), (1, NAME), (4, None), (5, NAME.encode()), (6, 6), (7, "z")]
    r = SqlReader(url=make(rows), query="SELECT id, text FROM notes ORDER BY rowid")
    assert [(c.id, c.text) for c in r] == [("1", "a"), ("7", "z")]
    place = f"sqlite:///{tmp_path}/notes.db, row"
    assert reasons(r) == [
        ("row/2", f"{place} 2: field id: expected a document id, found nothing"),
        ("1", f"{place} 3: an earlier document has the same id"),
        ("4", f"{place} 4: field text: expected text, found nothing"),
        ("5", f"{place} 5: field text: expected text, found bytes"),
        ("6", f"{place} 6: field text: expected text, found a number"),
    ]


def test_text_that_is_no_utf8_fails_its_row_only_and_is_not_quoted(make: Make) -> None:
    url = make([(1, "good")])
    connection = sqlite3.connect(url.removeprefix("sqlite:///"))
    with connection:
        connection.execute("INSERT INTO notes VALUES (2, CAST(x'ff' || ? AS TEXT)), (3, 'fine')", (NAME,))
        connection.execute("INSERT INTO notes VALUES (4, CAST(x'eda080' AS TEXT))")
    connection.close()
    r = SqlReader(url=url, table="notes")
    assert [c.text for c in r] == ["good", "fine"]
    assert [(d, reason.rpartition(": ")[2]) for d, reason in reasons(r)] == [
        ("notes/2", "expected UTF-8, found bytes that are not"),
        ("notes/4", "expected UTF-8, found bytes that are not"),
    ]


def test_several_text_columns_and_rows_without_id(make: Make) -> None:
    url = make([(1, "x", None), (2, "y", "z")], "id, a, b")
    assert [c.id for c in SqlReader(url=url, table="notes", text_field=["a", "b"])] == ["1/a", "2/a", "2/b"]
    assert [c.id for c in SqlReader(url=url, table="notes", text_field="a", id_field=None)] == ["notes/1", "notes/2"]


def test_what_is_missing_is_said_with_the_nearest_there_is(make: Make, tmp_path: Path) -> None:
    url = make([(1, NAME)], "id, texts")
    place = f"reader sql: {url}"
    assert fault(SqlReader(url=url, table="note")) == f"{place}: expected a table note, found none; did you mean notes?"
    assert (
        fault(SqlReader(url=url, table="notes")) == f"{place}: expected a field text, found none; did you mean texts?"
    )
    assert (
        fault(SqlReader(url=url, query="SELECT id, id, texts AS text FROM notes")) == f"{place}: column id occurs twice"
    )
    assert fault(SqlReader(url=url, query="SELECT id FROM notes")) == f"{place}: expected a field text, found none"
    assert (
        fault(SqlReader(url=url, query="SELECT id, txt FROM notes")) == f"{place}: no such column: txt (SQLITE_ERROR)"
    )
    assert fault(SqlReader(url=url, query=f"SELECT '{NAME}' FROM FROM")) == f"{place}: OperationalError (SQLITE_ERROR)"
    other = url.replace("notes.db", "note.db")
    said = f"reader sql: {other}: expected a database file, found none; did you mean notes.db?"
    assert fault(SqlReader(url=other, table="notes")) == said
    assert sorted(p.name for p in tmp_path.iterdir()) == ["notes.db"]
    (tmp_path / "text.db").write_text(NAME * 100)
    assert fault(SqlReader(url=f"sqlite:///{tmp_path}/text.db", table="notes")).endswith(
        "the file is not a database (SQLITE_NOTADB)"  # english: ok
    )


def test_nothing_is_ever_written(make: Make) -> None:
    url = make([(1, "a")])
    path = Path(url.removeprefix("sqlite:///"))
    before = path.read_bytes()
    for query in ("DELETE FROM notes", " INSERT INTO notes VALUES (1, 2)", "/* SELECT */ DROP TABLE notes", "PRAGMA x"):
        with pytest.raises(ValueError, match="query: expected SELECT or WITH at its beginning"):
            SqlReader(url=url, query=query)
    said = fault(SqlReader(url=url, query="WITH a AS (SELECT 1) DELETE FROM notes RETURNING id, text"))
    assert said.endswith("the query would write, and the database is open for reading only (SQLITE_READONLY)")
    assert path.read_bytes() == before


@pytest.mark.slow
def test_memory_stays_flat(make: Make) -> None:
    url = make([(n, f"{n} " + "text " * 400) for n in range(10_000)])
    r = SqlReader(url=url, table="notes")
    tracemalloc.start()
    assert sum(1 for _ in r) == 10_000
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 6_000_000


def test_a_database_that_breaks_on_the_way_says_after_which_row(make: Make) -> None:
    url = make([(n, f"{NAME} {n}") for n in range(1000)])
    query = "SELECT id, CASE WHEN id < 700 THEN text ELSE json_extract(text, '$') END AS text FROM notes"
    r = SqlReader(url=url, query=query, batch=10)
    read = []
    with pytest.raises(ReaderError) as caught:
        read.extend(cas.id for cas in r)
    assert len(read) in (699, 700)  # the driver looks one row ahead, and loses that row with the fault
    assert str(caught.value) == f"reader sql: {url}, after row {len(read)}: OperationalError (SQLITE_ERROR)"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nonsense Zyqqword", "url: expected one like postgresql://user:password@host/database or sqlite:///file.db"),
        ("postgresql://me:Zyqqword@127.0.0.1:1/x?password=Zyqqword", "postgresql+psycopg://me@127.0.0.1:1/x: "),
        (
            "sqlite:////no/such/folder/x.db?password=Zyqqword",
            "sqlite:////no/such/folder/x.db: expected a database file",
        ),
    ],
)
def test_a_password_is_in_no_message(url: str, said: str) -> None:
    if url.startswith("postgresql"):
        pytest.importorskip("psycopg", reason="needs psycopg")
    r = SqlReader(url=url, table="notes")
    told = fault(r)
    assert told.startswith(f"reader sql: {said}")
    assert "Zyqqword" not in told + repr(r)


def test_a_password_is_in_no_report() -> None:
    made = Pipeline.parse(
        "reader: {sql: {url: 'postgresql://me:Zyqqword@h/x?sslpassword=Zyqqword', table: t}}\n"
        "engines: [segmenter]\nconsumers: [{sql: {url: 'postgresql://me:Zyqqword@h/x'}}]\n"
    )
    told = json.dumps(made.describe())
    assert "postgresql://(secret)@h/x" in told
    assert "Zyqqword" not in told


def test_a_driver_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "needs the driver" in fault(SqlReader(url="nosuch://me:Zyqqword@h/x", table="t"))
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert "needs the driver psycopg for postgresql+psycopg: install it" in fault(
        SqlReader(url="postgresql://me:Zyqqword@h/x", table="t")
    )


def test_without_sqlalchemy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    said = r"the reader sql needs SQLAlchemy: pip install 'caspipe\[sql\]'"
    with pytest.raises((ResourceError, ReaderError), match=said):
        SqlReader(url="sqlite:///x.db", table="t").open()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "query: expected a query or a table, got neither"),
        ({"table": "a", "query": "SELECT 1"}, "query: expected a query or a table, got both"),
        ({"table": "a", "batch": 0}, "batch: expected 1 or more, got 0"),
        ({"table": "a", "text_field": []}, "text_field: expected at least one field"),
    ],
)
def test_faults_of_parameters(given: Any, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        SqlReader(url="sqlite:///x.db", **given)
    assert str(caught.value) == said
