"""The search for values finds them in every form that it promises, so that its silence means something."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import lzma
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from attacks.search_bytes import found_below

VALUE = "Zorblatt"
TEXT = b"seen by Zorblatt today"


def zipped(data: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", data)
    return made.getvalue()


def tarred(data: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        info = tarfile.TarInfo("a.txt")
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    return made.getvalue()


def parquet(data: bytes) -> bytes:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    made = io.BytesIO()
    pq.write_table(pa.table({"text": [data.decode()]}), made, compression="zstd")
    return made.getvalue()


def database(data: bytes) -> bytes:
    with sqlite3.connect(":memory:") as made:
        made.execute("CREATE TABLE notes(text)")
        made.execute("INSERT INTO notes VALUES (?)", (data.decode(),))
        made.commit()
        return made.serialize()


def packed_twice(data: bytes) -> bytes:
    return gzip.compress(zipped(bz2.compress(data)))


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "as it is": bytes,
    "small letters": bytes.lower,
    "capitals": bytes.upper,
    "UTF-16": lambda data: data.decode().encode("utf-16-le"),
    "UTF-16 with the high byte first": lambda data: data.decode().encode("utf-16-be"),
    "hexadecimal": lambda data: data.hex().encode(),
    **{f"base64 at {n}": lambda data, n=n: base64.b64encode(b"x" * n + data) for n in range(3)},  # type: ignore[misc]
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zip": zipped,
    "tar": tarred,
    "Parquet": parquet,
    "SQLite": database,
    "packed twice": packed_twice,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_value_is_found_in_every_form(tmp_path: Path, form: str) -> None:
    (tmp_path / "made").write_bytes(FORMS[form](TEXT))
    assert [hit.split(":")[0].rstrip("!").split("!")[0] for hit in found_below(tmp_path, [VALUE])][:1] == ["made"]
    assert found_below(tmp_path, ["Vantongeren"]) == []


def test_a_value_is_found_in_names_and_in_urls(tmp_path: Path) -> None:
    (tmp_path / "ward" / "zorblatt_q").mkdir(parents=True)
    assert found_below(tmp_path, [VALUE]) == ["ward/zorblatt_q (name): value 0 as UTF-8"]
    (tmp_path / "page.html").write_text(quote("Düsterhöft"))
    assert found_below(tmp_path, ["Düsterhöft"]) == ["page.html: value 0 as URL"]
