"""Consumer of masked text."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.consumers.files.text import TextConsumer
from caspipe.pipeline.errors import ComponentError, ConsumerError
from caspipe.typesystem import Cas

Make = Callable[..., Cas]
Listing = Callable[[Path], list[str]]


def consumer(output: Path, **parameters: Any) -> TextConsumer:
    made = TextConsumer(**parameters)
    made.output = output
    made.open()
    return made


def test_the_masked_text_goes_to_a_file_of_the_same_name_with_its_newlines(
    tmp_path: Path, make: Make, listing: Listing
) -> None:
    c = consumer(tmp_path)
    c.process(make())
    c.process(make("note-2"))
    c.close()
    assert listing(tmp_path) == ["release/text/note-2.txt", "release/text/ward/note-1.txt"]
    data = (tmp_path / "release/text/ward/note-1.txt").read_bytes()
    assert data == b"Dr. [PERSON] saw her on [DATE], aged 41.\r\nParkinson disease."


def test_a_document_that_was_not_masked_is_refused(tmp_path: Path, make: Make, listing: Listing) -> None:
    c = consumer(tmp_path)
    with pytest.raises(ComponentError) as caught:
        c.process(make(mask=False))
    assert str(caught.value).endswith(
        "CasError: expected a view deidentified, found none; no masker ran before this consumer"
    )
    assert listing(tmp_path) == []


def test_another_view_is_for_the_owner_only(tmp_path: Path, make: Make) -> None:
    c = consumer(tmp_path, folder=Path("restricted/original"), view="_InitialView", suffix=".orig")
    c.process(make("a"))
    path = tmp_path / "restricted/original/a.orig"
    assert b"Featherstone" in path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "restricted").stat().st_mode & 0o777 == 0o700
    with pytest.raises(ComponentError, match=r"expected a view gold, found none$"):
        consumer(tmp_path, view="gold").process(make("a"))


def test_lone_surrogates_become_u_fffd_and_the_metadata_says_so(tmp_path: Path) -> None:
    cas = Cas("x", id="a")
    cas.create_view("deidentified", "a\ud800\udc00b\x00\U0001f600")
    consumer(tmp_path).process(cas)
    assert (tmp_path / "release/text/a.txt").read_bytes() == "a\ufffd\ufffdb\x00\U0001f600".encode()
    assert cas.metadata == {"lone_surrogates_replaced": "2"}


def test_an_empty_document_gives_an_empty_file(tmp_path: Path) -> None:
    cas = Cas("", id="a")
    cas.create_view("deidentified", "")
    consumer(tmp_path).process(cas)
    assert (tmp_path / "release/text/a.txt").read_bytes() == b""


def test_documents_of_one_id_get_numbered_files(tmp_path: Path, make: Make, listing: Listing) -> None:
    c = consumer(tmp_path)
    c.process(make("a"))
    c.process(make("a"))
    assert listing(tmp_path) == ["release/text/a-2.txt", "release/text/a.txt"]


def test_a_rolled_back_document_is_gone(tmp_path: Path, make: Make, listing: Listing) -> None:
    c = consumer(tmp_path)
    c.rollback("never")
    c.process(make("a"))
    c.process(make("b"))
    c.rollback("b")
    assert listing(tmp_path) == ["release/text/a.txt"]


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_full_disk_names_the_file_and_leaves_nothing_half_written(
    tmp_path: Path, make: Make, listing: Listing, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    c = consumer(tmp_path)
    c.process(make("a"))

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(ConsumerError) as caught:
            c.process(make("b"))
    assert str(caught.value) == f"{tmp_path}/release/text: cannot write: No space left on device"
    c.rollback("b")
    assert listing(tmp_path) == ["release/text/a.txt"]


def test_a_file_in_place_of_the_folder_is_an_error_before_the_first_document(tmp_path: Path) -> None:
    (tmp_path / "release").write_text("")
    with pytest.raises(ConsumerError, match=r"expected a folder, but .*release is a file"):
        consumer(tmp_path)


def test_nothing_is_made_before_it_is_opened(tmp_path: Path) -> None:
    c = TextConsumer()
    c.output = tmp_path / "out"
    assert list(tmp_path.iterdir()) == []
    c.open()
    assert (tmp_path / "out/release/text").is_dir()


@pytest.mark.parametrize("suffix", ["txt", "./../x", ".a\\b"])
def test_a_suffix_is_a_suffix(suffix: str) -> None:
    with pytest.raises(ValueError, match=r"suffix: expected a suffix like \.txt"):
        TextConsumer(suffix=suffix)
