"""URLs of databases: what of them is shown, and which passwords in them are told to be in clear."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import pytest

from caspipe.pipeline.assembly.dependencies import fingerprint, secrets
from caspipe.pipeline.assembly.effective import effective
from caspipe.pipeline.errors import ConfigError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.pipeline.storage.secrets import SecretWarning, in_clear, without_secrets

QUERY = "a query that may hold a password"
TEXT = "reader: {sql: {url: '${NOTES_DB}', table: notes}}\nengines: []\nconsumers: [sql: {url: '${NOTES_DB}'}]\n"
TOLD = [
    ("postgresql://db.example/notes?user=u&password=hunter2", "postgresql://db.example/notes?(secret)", QUERY),
    ("postgresql://db.example/notes;password=hunter2", "postgresql://db.example/notes?(secret)", QUERY),
    ("mssql+pyodbc:///?odbc_connect=UID%3Du%3BPWD%3Dhunter2", "mssql+pyodbc:///?(secret)", QUERY),
    ("jdbc:postgresql://db/notes?password=hunter2", "jdbc:postgresql://db/notes?(secret)", QUERY),
    ("https://db.example?hunter2", "https://db.example?(secret)", QUERY),
    ("postgresql://u:hunter2@db:5432/notes?sslmode=require", "postgresql://(secret)@db:5432/notes?(secret)", "a password"),
    ("postgresql://u:hun?ter2@db/notes", "postgresql://(secret)@db/notes", "a password"),
    ("postgresql://u:hun ter@2/x@db/notes", "postgresql://(secret)@db/notes", "a password"),
    ("${NOTES_DB:-postgresql://u:hunter2@db/notes}", "", "a password"),
    ("postgresql://u:${PASSWORD:-hunter2}@db/notes", "", "a password"),
    ("postgresql://db/notes?password=${PASSWORD:-hunter2}", "", QUERY),
    ("postgresql://u@db/notes", "postgresql://(secret)@db/notes", ""),
    ("postgresql://db/notes?sslmode=require", "postgresql://db/notes?(secret)", ""),
    ("postgresql://u:${PASSWORD}@db/notes?user=${USER:-}&password=${PASSWORD}", "", ""),
    ("postgresql://db/notes?${QUERY}", "", ""),
    ("${NOTES_DB:-sqlite:///notes.db}", "", ""),
    ("postgresql://[::1]:5432/notes", "postgresql://[::1]:5432/notes", ""),
    ("http://example.org/path/a@b", "http://example.org/path/a@b", ""),
    ("s3a://bucket/notes", "s3a://bucket/notes", ""),
    ("who: see notes://? No.", "who: see notes://? No.", ""),
    ("seen? yes; a@b", "seen? yes; a@b", ""),
]  # fmt: skip
"""A text of a configuration, how it is shown, and what is in clear in it."""


@pytest.mark.parametrize(("text", "shown", "clear"), TOLD)
def test_what_of_a_url_is_shown_and_what_is_in_clear(text: str, shown: str, clear: str) -> None:
    assert in_clear(text) == clear
    if shown:
        assert without_secrets(text)[0] == shown
        assert (without_secrets(text)[1] == "") == (shown == text)


def test_a_password_in_the_query_of_a_url_stays_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for password in ("hunter22", "hunter33"):
        monkeypatch.setenv("NOTES_DB", f"postgresql://db.example/notes?user=u&password={password}")
        pipeline = Pipeline.parse(TEXT)
        assert password not in json.dumps(pipeline.describe())
        assert "db.example/notes" in json.dumps(pipeline.describe())
        told = effective(pipeline.consumers[0])
        assert password not in json.dumps(told.data)
        (secret,) = told.secrets
        assert secret[0] == "url" and password.encode() in secret[1]()
        made.append((fingerprint(pipeline), secrets(pipeline)))
    assert made[0][0] == made[1][0], "a hash without salt must not tell of it"
    assert made[0][1] != made[1][1], "another password is another pipeline to a resumed run"


def test_a_password_in_the_query_of_a_url_is_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTES_DB", "postgresql://db.example/notes?password=hunter2")
    file = tmp_path / "pipeline.yaml"
    file.write_text(TEXT)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Pipeline.load(file)
    file.write_text(TEXT.replace("${NOTES_DB}", os.environ["NOTES_DB"]))
    with pytest.warns(SecretWarning) as caught:
        Pipeline.load(file)
    what = f"{QUERY} in clear: write ${{VARIABLE}} in its place, or as the whole URL"
    assert {str(w.message) for w in caught} == {f"{file}:{line}: {what}" for line in (1, 3)}


def test_a_url_at_a_wrong_place_is_told_without_its_password() -> None:
    with pytest.raises(ConfigError, match=r"got 'db://\(secret\)@h'") as caught:
        Pipeline.parse("engines: []\nconsumers: [jsonl: {annotations: 'db://u:hunter2@h'}]\n")
    assert "hunter2" not in str(caught.value)
