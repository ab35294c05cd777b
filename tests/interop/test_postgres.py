"""The reader and the consumer `sql` against a real PostgreSQL server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from postgres import PASSWORD, Postgres, why_not

from caspipe.consumers.tables.sql import SqlConsumer
from caspipe.pipeline.contract.report import RunReport
from caspipe.pipeline.errors import ConsumerError, ReaderError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.readers.tables.sql import SqlReader
from caspipe.typesystem import GOLD_VIEW, Cas, MaskedSpan, Phi, PhiKind

pytestmark = pytest.mark.server

NAME = "Featherstone"


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    if why_not():
        pytest.skip(why_not())
    made = Postgres()
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def url(server: Postgres) -> Iterator[str]:
    """A schema of the test's own."""
    with server.schema() as made:
        yield made


def do(url: str, *statements: str) -> list[Any]:
    """Runs statements as their user would, in psql; returns the rows of the last."""
    import psycopg

    with psycopg.connect(url.replace("+psycopg", "", 1), autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement)  # type: ignore[call-overload]
        return cursor.fetchall() if cursor.description else []


def notes(url: str, count: int) -> None:
    text = f"'{NAME} ' || i || ' seen on 3/4/2020. ' || repeat('Nothing else. ', 50)"
    do(
        url,
        "CREATE TABLE notes (id bigint PRIMARY KEY, text text)",
        f"INSERT INTO notes SELECT i, {text} FROM generate_series(1, {count}) i",
    )


def masked(name: str, text: str = "seen on [DATE].") -> Cas:
    cas = Cas("seen on 3/4/2020.", id=name)
    view = cas.create_view("deidentified", text)
    if len(text) > 14:
        view.add(MaskedSpan(8, 14, kind=PhiKind.DATE, operator="placeholder", original_begin=8, original_end=16))
    return cas


def consumer(url: str, tmp_path: Path, **options: Any) -> SqlConsumer:
    made = SqlConsumer(url=url, **options)
    made.output = tmp_path
    made.open()
    return made


def reasons(reader: SqlReader) -> list[tuple[str, str]]:
    assert NAME not in repr(reader.failed)
    return [(document, str(error).rpartition(": ")[2]) for document, error in reader.failed]


def test_columns_of_every_type_become_documents_metadata_and_known_phi(url: str) -> None:
    do(
        url,
        """CREATE TABLE visits (id uuid, text text, patient jsonb, born date, seen timestamptz, weight numeric, tags text[],
           spans jsonb)""",
        f"""INSERT INTO visits VALUES ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'Ivy \U0001f600', '{{"name": "{NAME}"}}',
           '1960-03-04', '2020-03-04 05:06:07+00', 70.50, '{{a,b}}', '[{{"begin": 0, "end": 3, "kind": "PERSON"}}]')""",
    )
    r = SqlReader(
        url=url,
        query="SELECT id, text, patient, born, seen AT TIME ZONE 'UTC' AS seen, weight, tags, spans FROM visits",
        metadata=["seen", "weight", "tags"],
        known_phi={"patient.name": PhiKind.PERSON_PATIENT, "born": PhiKind.DATE_BIRTH},
        spans_field="spans",
    )
    (cas,) = r
    assert cas.id == "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    assert cas.text == "Ivy \U0001f600"
    assert cas.metadata == {"seen": "2020-03-04T05:06:07", "weight": "70.50", "tags": '["a","b"]'}
    assert [(k.kind.name, k.value) for k in cas.known_phi] == [("PERSON_PATIENT", NAME), ("DATE_BIRTH", "1960-03-04")]
    assert [(p.begin, p.end) for p in cas.view(GOLD_VIEW).select(Phi)] == [(0, 3)]
    assert r.failed == []


def test_faulty_rows_fail_alone_and_large_texts_are_read(url: str) -> None:
    do(
        url,
        "CREATE TABLE notes (id text, text text)",
        f"INSERT INTO notes VALUES ('1', repeat('x', 5000000)), ('2', NULL), ('3', '{NAME}'), ('3', '{NAME}'), (NULL, '{NAME}')",
    )
    r = SqlReader(url=url, table="notes")
    assert [(c.id, len(c.text)) for c in r] == [("1", 5_000_000), ("3", len(NAME))]
    assert reasons(r) == [
        ("2", "expected text, found nothing"),
        ("3", "an earlier document has the same id"),
        ("notes/5", "expected a document id, found nothing"),
    ]


def test_the_server_sends_rows_as_they_are_asked_for(url: str, server: Postgres) -> None:
    notes(url, 20_000)
    r = SqlReader(url=url, query="SELECT id, text FROM notes", batch=10)
    documents = iter(r)
    next(documents)
    (state,) = do(server.url, "SELECT query FROM pg_stat_activity WHERE query LIKE 'FETCH%' OR query LIKE '%CURSOR%'")[
        :1
    ]
    assert "FETCH" in state[0] or "CURSOR" in state[0]
    documents.close()  # type: ignore[attr-defined]


def test_nothing_is_ever_written(url: str) -> None:
    notes(url, 3)
    r = SqlReader(url=url, query="WITH gone AS (DELETE FROM notes RETURNING id, text) SELECT * FROM gone")
    with pytest.raises(ReaderError, match=r"\((25006|0A000)\)$|\(42601\)$"):
        r.open()
    r = SqlReader(url=url, query="SELECT setval('s', 1) AS id, 'x' AS text")
    do(url, "CREATE SEQUENCE s")
    with pytest.raises(ReaderError, match=r"the query would write, and this reader only reads \(25006\)"):
        list(r)
    assert do(url, "SELECT count(*) FROM notes") == [(3,)]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT id, text FROM note", "there is no such table (42P01)"),
        (f"SELECT id, txt AS text FROM notes WHERE text = '{NAME}'", "there is no such column (42703)"),
        ("SELECT id text FROM notes WHERE", "a syntax error in the query (42601)"),
        ("SELECT id, text::int AS text FROM notes", "a value does not fit its column (22P02)"),
    ],
)
def test_what_the_database_refuses_is_said_by_its_code(url: str, query: str, said: str) -> None:
    notes(url, 3)
    with pytest.raises(ReaderError) as caught:
        SqlReader(url=url, query=query).open()
    assert str(caught.value).endswith(f": {said}")
    assert NAME not in str(caught.value)
    assert PASSWORD not in str(caught.value)


def test_a_fault_of_the_data_on_the_way_says_after_which_row(url: str) -> None:
    notes(url, 1000)
    r = SqlReader(
        url=url, query="SELECT id, CASE WHEN id > 700 THEN (text::int)::text ELSE text END AS text FROM notes", batch=50
    )
    read = 0
    with pytest.raises(ReaderError) as caught:
        for _ in r:
            read += 1
    assert 650 <= read <= 700  # a batch comes whole or not at all
    assert str(caught.value).endswith(f"after row {read}: a value does not fit its column (22P02)")
    assert NAME not in str(caught.value)


def test_user_password_and_database_are_refused_without_being_repeated(url: str) -> None:
    for wrong, said in (
        (url.replace(PASSWORD, "Zyqqwrong"), "OperationalError"),
        (url.replace("/postgres?", "/nosuch?"), "OperationalError"),
    ):
        if wrong == url:
            pytest.skip("the server that is given has another kind of URL")
        for made in (SqlReader(url=wrong, table="notes"), SqlConsumer(url=wrong)):
            with pytest.raises((ReaderError, ConsumerError)) as caught:
                made.open()
            assert said in str(caught.value)
            assert "Zyqqwrong" not in str(caught.value)
            assert PASSWORD not in str(caught.value)


def test_the_table_has_typed_columns_and_an_index(url: str, tmp_path: Path) -> None:
    c = consumer(url, tmp_path, fields=["id", "text", "spans", "counts", "metadata"])
    for n in range(450):
        c.process(masked(str(n)))
    assert do(url, "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema") == [(0,)]
    c.close()
    assert do(url, "SELECT count(*), min(text) FROM documents") == [(450, "seen on [DATE].")]
    assert do(url, "SELECT spans, counts FROM documents WHERE id = '7'") == [
        ([{"begin": 8, "end": 14, "kind": "DATE", "operator": "placeholder"}], {"DATE": 1})
    ]
    types = "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'documents'"
    assert dict(do(url, f"{types} AND table_schema = current_schema")) == {
        "id": "text",
        "text": "text",
        "spans": "json",
        "counts": "json",
        "metadata": "json",
    }
    assert do(url, "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema") == [("ix_documents_id",)]


def test_nul_lone_surrogates_and_large_texts(url: str, tmp_path: Path) -> None:
    c = consumer(url, tmp_path, fields=["id", "text", "metadata"])
    cas = masked("a\0b", "\x00\ud83d \U0001f600\x00" + "y" * 5_000_000)
    cas.metadata["odd"] = "\0"
    c.process(cas)
    c.process(masked("c", "\0"))
    c.rollback("c")
    c.close()
    ((name, text, metadata),) = do(url, "SELECT id, text, metadata FROM documents")
    assert name == "a\ufffdb"
    assert text == "\ufffd\ufffd \U0001f600\ufffd" + "y" * 5_000_000
    assert metadata == {"lone_surrogates_replaced": "1", "nul_replaced": "4", "odd": "\ufffd"}


def test_documents_that_are_there_already(url: str, tmp_path: Path) -> None:
    c = consumer(url, tmp_path)
    for name in "ab":
        c.process(masked(name))
    c.close()
    c = consumer(url, tmp_path)
    with pytest.raises(ConsumerError, match="id is in the table already; `existing` can say replace or append"):
        c.process(masked("a"))
    c.process(masked("c"))
    c.close()
    c = consumer(url, tmp_path, existing="replace")
    c.process(masked("a", "new"))
    c.process(masked("b", "new"))
    c.rollback("b")
    c.close()
    assert do(url, "SELECT id, length(text) FROM documents ORDER BY id") == [("a", 3), ("b", 15), ("c", 15)]
    c = consumer(url, tmp_path, existing="append", rows="spans", table="spans")
    c.process(masked("a"))
    c.process(masked("a"))
    c.abort()
    assert do(url, "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema") == [(1,)]


def config(url: str, tmp_path: Path, *, to: str = "", limit: str = "") -> Pipeline:
    sql = f"  - sql: {{url: {json.dumps(to)}, table: released}}\n" if to else ""
    return Pipeline.parse(
        f"reader:\n  sql: {{url: {json.dumps(url)}, table: notes, batch: 10}}\n"
        "engines: [segmenter, dates, resolver, masker]\n"
        f"consumers:\n  - jsonl\n{sql}run: {{output: {tmp_path}/out{limit}}}\n"
    )


def test_a_whole_run_from_table_to_table(url: str, tmp_path: Path) -> None:
    notes(url, 250)
    report = config(url, tmp_path, to=url).run()
    assert (report.documents.read, report.documents.released, report.stopped) == (250, 250, "")
    assert do(url, "SELECT count(*) FROM released WHERE text LIKE '% seen on [DATE]. %'") == [(250,)]


def test_a_connection_that_is_cut_while_reading_ends_the_run_and_what_was_read_stays(
    url: str, server: Postgres, tmp_path: Path
) -> None:
    notes(url, 2000)
    seen = 0

    def cut(report: Any, total: Any) -> None:
        nonlocal seen
        seen += 1
        if seen == 100:
            assert server.cut() == 1

    report = config(url, tmp_path).run(cut)
    assert 100 <= report.documents.released < 2000
    assert report.documents.released == report.documents.read
    assert f", after row {report.documents.read}: " in report.stopped
    assert "the server was shut down (57P01)" in report.stopped
    assert NAME not in report.stopped
    lines = (tmp_path / "out/release/documents.jsonl").read_text().splitlines()
    assert len(lines) == report.documents.released


def test_a_server_that_dies_while_writing_leaves_nothing_half_written(
    url: str, server: Postgres, tmp_path: Path
) -> None:
    c = consumer(url, tmp_path)
    for n in range(300):
        c.process(masked(str(n)))
    if server.private:
        server.kill()
        server.start()
    else:
        server.cut()
    failed = 0
    for n in range(300, 600):
        try:
            c.process(masked(str(n)))
        except ConsumerError as error:
            c.rollback(str(n))
            failed += 1
            assert str(error).endswith("; nothing of this run is written")
            assert NAME not in str(error)
    assert failed == 200  # from the second batch of 200 on
    with pytest.raises(ConsumerError, match="nothing of this run is written"):
        c.close()
    assert do(url, "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema") == [(0,)]
    c = consumer(url, tmp_path)
    c.process(masked("again"))
    c.close()
    assert do(url, "SELECT id FROM documents") == [("again",)]


def test_a_connection_that_breaks_at_the_very_end_is_told(url: str, server: Postgres, tmp_path: Path) -> None:
    c = consumer(url, tmp_path)
    c.process(masked("a"))
    assert server.cut() == 1
    with pytest.raises(ConsumerError, match=r"the server was shut down \(57P01\); nothing of this run is written"):
        c.close()
    assert do(url, "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema") == [(0,)]


@pytest.mark.parametrize("existing", ["error", "replace", "append"])
def test_a_resumed_run_leaves_rows_that_are_as_they_were_written(url: str, tmp_path: Path, existing: str) -> None:
    notes(url, 20)
    do(url, "UPDATE notes SET text = 'a' || chr(1) || text WHERE id = 7")

    def run(*overrides: str) -> RunReport:
        given = {
            "url": url,
            "table": "released",
            "existing": existing,
            "fields": ["id", "text", "spans", "counts", "metadata"],
        }
        return Pipeline.parse(
            f"reader: {{sql: {{url: '{url}', table: notes}}}}\nengines: [segmenter, dates, resolver, masker]\n"
            f"consumers: [{{sql: {json.dumps(given)}}}]\nrun: {{output: {tmp_path}/out, workers: 0, names: id}}\n",
            ["run.resume=true", *overrides],
        ).run()

    def rows() -> list[Any]:
        return do(
            url, "SELECT id, text, spans::text, counts::text, metadata::text, ctid::text FROM released ORDER BY id"
        )

    assert run("run.limit=15").documents.released == 15
    assert run().reused == 15
    before = rows()
    assert run().reused == 20
    assert rows() == before
    do(url, "UPDATE notes SET text = 'Seen on 4/5/2021.' WHERE id = 3", "DELETE FROM notes WHERE id = 9")
    assert run().reused == 18
    left = [r for r in rows() if r[0] != "3"]
    assert left == [r for r in before if r[0] != "3" and (existing == "append" or r[0] != "9")]
    assert [r[1] for r in rows() if r[0] == "3"] == ["Seen on [DATE]."]
    do(url, "UPDATE released SET text = 'other' WHERE id = '5'")
    assert run().reused == 18
