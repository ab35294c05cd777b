"""The manifest of a release and its signature: everything that was changed afterwards is found."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from audited_run import audit, fill, make_run

from caspipe.pipeline.storage.file_names import pseudonym


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "out", 6, quarantined=(2,), as_jsonl=True)


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    pytest.importorskip("cryptography", reason="needs the extra `sign`")
    from caspipe.pipeline.storage.signing import new_key

    new_key(tmp_path / "our.key", tmp_path / "our.pub")
    return tmp_path / "our.key", tmp_path / "our.pub"


def told(run: Path) -> dict[str, Any]:
    return json.loads((run / "release" / "manifest.json").read_bytes())


def test_every_file_is_listed_with_its_digest_and_the_counts(run: Path) -> None:
    out = audit("manifest", run)
    assert "6 files, 5 of 6 documents released" in out and "not signed" in out
    made = told(run)
    assert made["documents"] == {"read": 6, "released": 5, "quarantined": 1, "skipped": 0}
    assert [f["path"] for f in made["files"]] == ["documents.jsonl", *(f"text/note-{n}.txt" for n in (1, 3, 4, 5, 6))]
    for file in made["files"]:
        data = (run / "release" / file["path"]).read_bytes()
        assert (file["bytes"], file["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
    assert made["run"] == {
        "name": "ward-7",
        "started": "2026-11-20T08:00:00Z",
        "ended": "2026-11-20T08:05:00Z",
        "state": "done",
        "code": "0.1.0",
        "fingerprint": "f" * 64,
    }
    assert made["audit"] is None


def test_the_same_release_has_the_same_manifest(run: Path) -> None:
    audit("manifest", run)
    first = (run / "release" / "manifest.json").read_bytes()
    audit("manifest", run)
    assert first == (run / "release" / "manifest.json").read_bytes()


def test_the_bound_of_the_largest_audit_of_this_release_is_in_it(run: Path, tmp_path: Path) -> None:
    for size in (2, 4):
        audit("sample", run, "-n", size)
        made = json.loads((run / f"restricted/audit/n{size}-seed0/sample.json").read_bytes())
        findings = fill(run / f"restricted/audit/n{size}-seed0/findings.csv", made, {0: "DATE"}, reader="anna")
        audit("bound", run, "--findings", findings, "--sample", findings.parent)
    audit("manifest", run)
    found = told(run)["audit"]
    assert (found["read"], found["population"], found["bounds"]["any leak"]["found"]) == (4, 5, 1)
    assert "anna" not in (run / "release" / "manifest.json").read_text(encoding="utf-8")


def test_audits_of_another_release_are_left_out(run: Path, tmp_path: Path) -> None:
    other = make_run(tmp_path / "other", 7)
    audit("sample", other, "-n", 3)
    folder = other / "restricted/audit/n3-seed0"
    audit("bound", other, "-f", fill(tmp_path / "f.csv", json.loads((folder / "sample.json").read_bytes())))
    (run / "restricted" / "audit").mkdir(mode=0o700)
    folder.rename(run / "restricted" / "audit" / "n3-seed0")
    assert "this release has no audit" in audit("manifest", run)
    assert told(run)["audit"] is None


def test_ids_in_file_names_are_warned_of_and_pseudonyms_are_not(run: Path, tmp_path: Path) -> None:
    remedy = (
        "file names in release/ are document ids, which can identify people; `run: {names: pseudonym}` replaces them"
    )
    assert f"warning: 5 {remedy}" in audit("manifest", run)
    other = make_run(tmp_path / "pseudonyms", 4, names=lambda n: pseudonym(f"note-{n}", "secret"))
    assert remedy not in audit("manifest", other)


def test_files_of_an_earlier_run_are_warned_of(run: Path) -> None:
    (run / "release" / "text" / "note-2.txt").write_text("released last week, in quarantine now", encoding="utf-8")
    assert "1 files in release/ belong to no document of this run" in audit("manifest", run)


def test_outputs_that_are_not_what_the_run_wrote_are_refused(run: Path) -> None:
    (run / "release" / "text" / "note-4.txt").write_text("x", encoding="utf-8")
    (run / "release" / "text" / "note-6.txt").unlink()
    told = "outputs of 2 documents are missing or have changed since the run: documents 4, 6"
    assert told in audit("manifest", run, code=4)
    assert not (run / "release" / "manifest.json").exists()


def test_links_and_temporary_files_are_no_release(run: Path) -> None:
    link = run / "release" / "link.txt"
    link.symlink_to("/etc/hostname")
    assert "expected plain files and folders in a release, found a link or device" in audit("manifest", run, code=4)
    link.unlink()
    for before in (".", ".staged-"):
        left = run / "release" / f"{before}{'0' * 16}.tmp"
        left.write_bytes(b"")
        assert "left by an interrupted run" in audit("manifest", run, code=4)
        left.unlink()
    audit("manifest", run)


def test_a_signed_release_is_verified_as_delivered(run: Path, keys: tuple[Path, Path], tmp_path: Path) -> None:
    private, public = keys
    assert "signed by the key" in audit("manifest", run, "--sign", private)
    assert "6 files, all as in the manifest" in audit("verify", run, "--key", public)
    (run / "release").rename(tmp_path / "delivered")
    assert "6 files, all as in the manifest" in audit("verify", tmp_path / "delivered", "--key", public)


def append(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" ")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda r: append(r / "text/note-1.txt"), "changed: text/note-1.txt"),
        (lambda r: (r / "text/note-1.txt").unlink(), "missing: text/note-1.txt"),
        (lambda r: (r / "text/more.txt").write_text("x", encoding="utf-8"), "extra: text/more.txt"),
        (lambda r: append(r / "manifest.json"), "changed after it was signed"),
        (lambda r: (r / "manifest.json.sig").unlink(), "the manifest is not signed"),
        (lambda r: (r / "manifest.json.sig").write_text("{}", encoding="utf-8"), "expected an ed25519 signature"),
    ],
    ids=["changed", "missing", "extra", "manifest", "unsigned", "no-signature"],
)
def test_whatever_is_changed_is_found(
    run: Path, keys: tuple[Path, Path], change: Callable[[Path], object], said: str
) -> None:
    audit("manifest", run, "--sign", keys[0])
    change(run / "release")
    assert said in audit("verify", run, "--key", keys[1], code=1)


def test_another_key_is_refused(run: Path, keys: tuple[Path, Path], tmp_path: Path) -> None:
    from caspipe.pipeline.storage.signing import new_key

    new_key(tmp_path / "other.key", tmp_path / "other.pub")
    audit("manifest", run, "--sign", tmp_path / "other.key")
    assert "signed by the key" in audit("verify", run, "--key", keys[1], code=1)


def test_a_key_that_others_can_read_is_refused_and_nothing_is_written(run: Path, keys: tuple[Path, Path]) -> None:
    os.chmod(keys[0], 0o644)  # noqa: PTH101 - what a user would do
    audit("manifest", run, "--sign", keys[0], code=4)
    assert not (run / "release" / "manifest.json").exists()


def test_a_new_manifest_without_a_key_takes_the_old_signature_away(run: Path, keys: tuple[Path, Path]) -> None:
    audit("manifest", run, "--sign", keys[0])
    audit("manifest", run)
    assert not (run / "release" / "manifest.json.sig").exists()
    assert "signature not checked" in audit("verify", run)


def test_a_manifest_that_is_none_is_told(run: Path) -> None:
    assert "manifest.json: No such file" in audit("verify", run, code=4)
    (run / "release" / "manifest.json").write_text('{"files": []}', encoding="utf-8")
    assert "expected a manifest written by `caspipe audit manifest`" in audit("verify", run, code=4)
