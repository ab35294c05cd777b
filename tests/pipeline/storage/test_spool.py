"""A file whose first bytes are known last."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from caspipe.pipeline.errors import ConsumerError
from caspipe.pipeline.storage.spool import Spool

PIECES = [b"a" * 10, b"", b"bc", b"d" * 25, b"e"]


@pytest.mark.parametrize("in_memory", [0, 11, 20, 1_000])
def test_the_file_is_the_head_and_the_body(tmp_path: Path, in_memory: int) -> None:
    spool = Spool(tmp_path, private=True, in_memory=in_memory)
    for piece in PIECES:
        spool.write(piece)
    staged = spool.stage(b"head ")
    expected = b"head " + b"".join(PIECES)
    path = Path(staged.temporary)
    assert path.read_bytes() == expected
    assert (staged.length, staged.digest) == (len(expected), hashlib.sha256(expected).hexdigest())
    assert path.stat().st_mode & 0o777 == 0o600
    assert [*tmp_path.iterdir()] == [path]


def test_a_body_that_is_not_wanted_leaves_nothing(tmp_path: Path) -> None:
    spool = Spool(tmp_path, in_memory=0)
    spool.write(b"a")
    (body,) = tmp_path.iterdir()
    assert body.stat().st_mode & 0o777 == 0o600
    spool.discard()
    spool.discard()
    assert not [*tmp_path.iterdir()]


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "gone", in_memory=0)
    with pytest.raises(ConsumerError, match="gone: cannot write: No such file"):
        spool.write(b"a")
    with pytest.raises(ConsumerError, match="gone: cannot write: No such file"):
        Spool(tmp_path / "gone").stage(b"a")
