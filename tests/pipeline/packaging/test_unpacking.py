"""A bundle that was changed, is incomplete or means harm is refused, and the message says what was expected of which file."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caspipe.pipeline.errors import CaspipeError, ResourceError
from caspipe.pipeline.packaging.manifest import safe
from caspipe.pipeline.packaging.packing import pack
from caspipe.pipeline.packaging.unpacking import is_bundle, unpacked
from caspipe.pipeline.pipeline import Pipeline
from caspipe.pipeline.storage import signing
from caspipe.pipeline.storage.signing import SignatureError

pytestmark = pytest.mark.filterwarnings("ignore:.*not signed by a key you trust:UserWarning")

CONFIG = """\
name: small
engines:
  - segmenter
  - patterns: {rules: rules.yaml}
  - masker
"""
RULES = "rules: [{name: code, kind: ID, pattern: 'WX-[0-9]{4}'}]\n"
MASKED = "code [ID]"


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A signed bundle, beside its public key `k.pub`."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.yaml").write_text(CONFIG, encoding="utf-8")
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    signing.new_key(folder / "k", folder / "k.pub")
    return pack(folder / "small.yaml", folder / "small.zip", sign=folder / "k").path


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CASPIPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "bundles"


def rewritten(packed: Path, to: Path, change: Callable[[dict[str, bytes]], None], **info: Mapping[str, Any]) -> Path:
    """The bundle with other members; `info`: attributes of ZipInfo by member."""
    with zipfile.ZipFile(packed) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(to, "w") as archive:
        for name, data in members.items():
            made = zipfile.ZipInfo(name)
            made.external_attr = 0o100600 << 16
            for key, value in info.get(name, {}).items():
                setattr(made, key, value)
            archive.writestr(made, data)
    return to


def adjusted(members: dict[str, bytes], change: Callable[[dict[str, Any]], None]) -> None:
    """Changes the manifest, as one who wants the hashes to fit."""
    told = json.loads(members["manifest.json"])
    change(told)
    members["manifest.json"] = json.dumps(told).encode()


def listed(members: dict[str, bytes], name: str, data: bytes) -> None:
    members[name] = data
    entry = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    adjusted(members, lambda told: told["files"].update({name: entry}))


def files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()) if folder.exists() else []


@pytest.mark.slow
def test_it_works_unchanged(packed: Path, cache: Path) -> None:
    loaded = Pipeline.load(packed, verify=packed.with_name("k.pub"))
    assert loaded.process("code WX-1234").deidentified == MASKED
    [folder] = cache.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert files(folder) == ["TypeSystem.xml", "pipeline.yaml", "requirements.txt", "resources/01/rules.yaml"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()} == {0o600}


def test_one_changed_byte_anywhere_is_found(packed: Path, tmp_path: Path) -> None:
    data = packed.read_bytes()
    places = [*range(0, len(data), 997), data.index(b"WX-[0-9]"), data.index(b"segmenter"), data.index(b'"sha256"')]
    found = 0
    for at in places:
        damaged = tmp_path / "damaged.zip"
        damaged.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        try:
            manifest, folder = unpacked(damaged, packed.with_name("k.pub"))
        except CaspipeError as error:
            assert str(damaged) in str(error)
            found += 1
        else:  # a byte that means nothing: a date, a version number of the archive
            assert (folder / "resources/01/rules.yaml").read_text(encoding="utf-8") == RULES
            assert manifest.name == "small"
    assert found > len(places) * 0.9


def test_a_changed_file_is_told_with_what_was_expected(packed: Path, tmp_path: Path) -> None:
    def change(members: dict[str, bytes]) -> None:
        members["resources/01/rules.yaml"] = RULES.replace("WX", "XW").encode()

    made = rewritten(packed, tmp_path / "b.zip", change)
    expected, other = (hashlib.sha256(t.encode()).hexdigest() for t in (RULES, RULES.replace("WX", "XW")))
    with pytest.raises(ResourceError) as caught:
        Pipeline.load(made)
    assert (
        str(caught.value) == f"{made}: resources/01/rules.yaml was changed: expected SHA-256 {expected}, found {other}"
    )


def test_a_change_is_found_also_where_the_cache_is_sound(packed: Path, tmp_path: Path) -> None:
    Pipeline.load(packed)
    made = rewritten(
        packed, tmp_path / "b.zip", lambda m: m.update({"resources/01/rules.yaml": RULES.replace("WX", "XW").encode()})
    )
    with pytest.raises(ResourceError, match="was changed"):
        Pipeline.load(made)


def test_a_cache_that_was_changed_is_mended(packed: Path, cache: Path) -> None:
    Pipeline.load(packed)
    [folder] = cache.iterdir()
    whole = files(folder)
    rules = folder / "resources/01/rules.yaml"
    rules.write_text(RULES.replace("WX", "XW"), encoding="utf-8")
    (folder / "resources/01/__pycache__").mkdir()
    (folder / "resources/01/__pycache__/rules.pyc").write_bytes(b"x")
    (folder / "sneaked.py").write_text("1/0", encoding="utf-8")
    (folder / "pipeline.yaml").unlink()
    assert Pipeline.load(packed).process("code WX-1234").deidentified == MASKED
    assert files(folder) == whole
    assert rules.read_text(encoding="utf-8") == RULES


def test_a_link_in_the_cache_is_not_followed(packed: Path, cache: Path, tmp_path: Path) -> None:
    Pipeline.load(packed)
    [folder] = cache.iterdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/rules.yaml").write_text("mine", encoding="utf-8")
    (folder / "resources/01/rules.yaml").unlink()
    (folder / "resources/01").rmdir()
    (folder / "resources/01").symlink_to(tmp_path / "elsewhere")
    Pipeline.load(packed)
    assert (tmp_path / "elsewhere/rules.yaml").read_text(encoding="utf-8") == "mine"
    assert not (folder / "resources/01").is_symlink()


def test_a_cache_folder_that_others_can_write_to_is_not_used(packed: Path, cache: Path) -> None:
    Pipeline.load(packed)
    [folder] = cache.iterdir()
    folder.chmod(0o777)
    with pytest.raises(ResourceError, match="expected a folder that only you can write to"):
        Pipeline.load(packed)


def test_without_a_cache_a_temporary_folder_serves(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("CASPIPE_CACHE", str(tmp_path / "file"))
    assert Pipeline.load(packed).process("code WX-1234").deidentified == MASKED


def test_a_missing_file_is_named(packed: Path, tmp_path: Path) -> None:
    made = rewritten(packed, tmp_path / "b.zip", lambda m: m.pop("resources/01/rules.yaml") and None)
    with pytest.raises(
        ResourceError, match=r"b\.zip: lacks resources/01/rules\.yaml, which manifest\.json lists: incomplete"
    ):
        Pipeline.load(made)


def test_a_file_more_is_named(packed: Path, tmp_path: Path) -> None:
    made = rewritten(packed, tmp_path / "b.zip", lambda m: m.update({"resources/extra.txt": b"x"}))
    with pytest.raises(ResourceError, match=r"holds resources/extra\.txt, which manifest\.json does not list: changed"):
        Pipeline.load(made)


def test_a_file_of_another_size_is_named(packed: Path, tmp_path: Path) -> None:
    made = rewritten(packed, tmp_path / "b.zip", lambda m: m.update({"resources/01/rules.yaml": b"x"}))
    with pytest.raises(ResourceError, match=rf"resources/01/rules\.yaml has 1 bytes, expected {len(RULES)}: changed"):
        Pipeline.load(made)


def test_without_its_manifest_it_is_no_bundle(packed: Path, tmp_path: Path) -> None:
    made = rewritten(packed, tmp_path / "b.zip", lambda m: m.pop("manifest.json") and None)
    with pytest.raises(ResourceError, match=r"holds no manifest\.json: not a bundle, or incomplete"):
        Pipeline.load(made)
    assert not is_bundle(made)
    assert is_bundle(packed)


def test_an_archive_cut_off_or_something_else_is_told(packed: Path, tmp_path: Path) -> None:
    for data in (packed.read_bytes()[:-40], b"", b"name: small\n"):
        (tmp_path / "b.zip").write_bytes(data)
        with pytest.raises(ResourceError, match=r"b\.zip: expected a bundle: damaged, cut off or something else"):
            Pipeline.load(tmp_path / "b.zip")
    with pytest.raises(ResourceError, match=r"absent\.zip: No such file"):
        Pipeline.load(tmp_path / "absent.zip")


# -- signatures ----------------------------------------------------------------------------------------------------------


def test_hashes_made_to_fit_do_not_help_where_it_is_signed(packed: Path, tmp_path: Path) -> None:
    made = rewritten(packed, tmp_path / "b.zip", lambda m: listed(m, "resources/01/rules.yaml", b"rules: []\n"))
    Pipeline.load(made)  # nobody asked who made it
    with pytest.raises(SignatureError, match=r"b\.zip: the signature by the key \w{16} does not fit"):
        Pipeline.load(made, verify=packed.with_name("k.pub"))


def test_a_bundle_that_nobody_signed_is_refused_where_a_key_is_given(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = rewritten(packed, tmp_path / "b.zip", lambda m: m.pop("manifest.sig") and None)
    Pipeline.load(made)
    monkeypatch.setenv("CASPIPE_VERIFY", str(packed.with_name("k.pub")))
    with pytest.raises(SignatureError, match=r"b\.zip: holds no manifest\.sig: expected one by the key in .*k\.pub"):
        Pipeline.load(made)


def test_a_bundle_that_somebody_else_signed_is_refused(packed: Path, tmp_path: Path, cache: Path) -> None:
    signing.new_key(tmp_path / "o", tmp_path / "o.pub")
    with pytest.raises(SignatureError, match=r"small\.zip: signed by the key \w{16}, expected \w{16}"):
        Pipeline.load(packed, verify=tmp_path / "o.pub")
    assert files(cache) == []  # nothing was unpacked before


def test_a_key_that_is_not_there_is_told(packed: Path, tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"public key .*absent\.pub: No such file"):
        Pipeline.load(packed, verify=tmp_path / "absent.pub")


# -- archives that mean harm ---------------------------------------------------------------------------------------------

OUTSIDE = [
    "../evil.txt",
    "/tmp/evil.txt",
    "a/../../evil.txt",
    "a//b",
    "./a",
    "C:/evil.txt",
    "a\\..\\b",
    "x/.",
    "nul\n",
    "a./b",
    "a ",
]


@pytest.mark.parametrize("name", range(len(OUTSIDE)))
def test_no_name_leads_out(packed: Path, tmp_path: Path, name: int, cache: Path) -> None:
    made = rewritten(packed, tmp_path / "b.zip", lambda m: listed(m, OUTSIDE[name], b"evil"))
    with pytest.raises(ResourceError, match=r"b\.zip: member \d+ has a file name that"):
        Pipeline.load(made)
    assert files(cache) == []
    assert not list(tmp_path.rglob("evil.txt"))


def test_no_name_in_the_manifest_leads_out(packed: Path, tmp_path: Path) -> None:
    made = rewritten(
        packed,
        tmp_path / "b.zip",
        lambda m: adjusted(m, lambda told: told["files"].update({"../x": told["files"]["pipeline.yaml"]})),
    )
    with pytest.raises(ResourceError, match=r"manifest\.json: damaged: a file name that leads out of its folder"):
        Pipeline.load(made)


@pytest.mark.parametrize(
    ("info", "what"),
    [
        ({"external_attr": 0o120777 << 16}, "is a link or no plain file"),
        ({"external_attr": 0o010600 << 16}, "is a link or no plain file"),
        ({"compress_type": zipfile.ZIP_DEFLATED}, "is compressed"),
    ],
)
def test_links_and_compressed_members_are_refused(
    packed: Path, tmp_path: Path, info: dict[str, Any], what: str
) -> None:
    name = "resources/01/rules.yaml"
    made = rewritten(packed, tmp_path / "b.zip", lambda m: None, **{name: info})
    with pytest.raises(ResourceError, match=f"b.zip: {name} {what}: expected plain files"):
        Pipeline.load(made)


def test_a_bomb_is_refused_before_it_swells(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b" " * (50 << 20))
    assert (tmp_path / "b.zip").stat().st_size < 100_000
    with pytest.raises(ResourceError, match=r"manifest\.json is compressed"):
        Pipeline.load(tmp_path / "b.zip")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_name_twice_is_refused_also_in_other_letters(packed: Path, tmp_path: Path) -> None:
    made = rewritten(packed, tmp_path / "b.zip", lambda m: listed(m, "resources/01/Rules.yaml", b"x"))
    with pytest.raises(ResourceError, match=r"resources/01/Rules\.yaml occurs twice"):
        Pipeline.load(made)
    with zipfile.ZipFile(made, "a") as archive:
        archive.writestr("pipeline.yaml", "name: evil")
    with pytest.raises(ResourceError, match="occurs twice"):
        Pipeline.load(made)


def test_members_that_overlap_are_refused(packed: Path, tmp_path: Path) -> None:
    """The central directory names one piece of the archive many times over, as some bombs do."""
    data = packed.read_bytes()
    with zipfile.ZipFile(packed) as archive:
        info = max(archive.infolist(), key=lambda i: i.file_size)
        central, offset = archive.start_dir, info.header_offset
    entries = b""
    for n in range(50):
        name = f"x{n}".encode()
        entries += struct.pack(
            "<4s4B4HL2L5H2L", b"PK\x01\x02", 20, 3, 20, 0, 0, 0, 0, 33, info.CRC, info.file_size, info.file_size,
            len(name), 0, 0, 0, 0, 0o100600 << 16, offset,
        ) + name  # fmt: skip
    old = data[central : data.index(b"PK\x05\x06", central)]
    with zipfile.ZipFile(packed) as archive:
        count = len(archive.infolist()) + 50
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(old) + len(entries), central, 0)
    (tmp_path / "b.zip").write_bytes(data[:central] + old + entries + end)
    with pytest.raises(ResourceError, match="its files are larger than it is itself: they overlap"):
        Pipeline.load(tmp_path / "b.zip")


# -- manifests -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (
            lambda told: told.update(format=2),
            r"made by a newer caspipe \(\S+\), in format 2; this one reads formats up to 1",
        ),
        (lambda told: told.update(what="x"), "expected the manifest of a caspipe bundle"),
        (lambda told: told.pop("requirements"), r"manifest\.json: damaged"),
        (lambda told: told["files"]["pipeline.yaml"].update(size=-1), "damaged: expected a size in bytes"),
        (lambda told: told["files"]["pipeline.yaml"].update(sha256="ab"), "damaged: expected a SHA-256"),
        (lambda told: told["files"].pop("pipeline.yaml"), r"manifest\.json lists no pipeline\.yaml: incomplete"),
        (lambda told: told.update(plugins=["plugins/01/x.py"]), r"lists no plugins/01/x\.py: incomplete"),
        (lambda told: told.update(plugins="x"), "lists no x: incomplete"),
    ],
)
def test_a_manifest_of_another_form_is_refused(
    packed: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None], what: str
) -> None:
    made = rewritten(packed, tmp_path / "b.zip", lambda m: adjusted(m, change))
    with pytest.raises(ResourceError, match=what):
        Pipeline.load(made)


def test_what_caspipe_must_ship_is_checked(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("engines: [segmenter, {lists: {lists: [weekdays]}}]", encoding="utf-8")
    pack(tmp_path / "p.yaml", tmp_path / "p.zip")

    def change(told: dict[str, Any]) -> None:
        told["shipped"][0]["files"]["configs/lexicons/weekdays.tsv"] = "0" * 64

    made = rewritten(tmp_path / "p.zip", tmp_path / "b.zip", lambda m: adjusted(m, change))
    with pytest.raises(
        ResourceError,
        match=r"needs weekdays as caspipe \S+ ships it: configs/lexicons/weekdays\.tsv: expected",
    ):
        Pipeline.load(made)


@given(st.text(max_size=30))
def test_a_safe_name_stays_below_its_folder(name: str) -> None:
    try:
        safe(name)
    except ValueError:
        return
    path = os.path.normpath(os.path.join("/folder", name))  # noqa: PTH118
    assert path.startswith("/folder/")
    assert path == f"/folder/{name}"


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(st.data())
def test_no_damage_does_anything_but_a_told_error(packed: Path, tmp_path: Path, data: st.DataObject) -> None:
    whole = bytearray(packed.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at] = data.draw(st.integers(0, 255))
    (tmp_path / "d.zip").write_bytes(whole[: data.draw(st.integers(len(whole) // 2, len(whole)))])
    try:
        _, folder = unpacked(tmp_path / "d.zip", packed.with_name("k.pub"))
    except CaspipeError:
        return
    assert (folder / "resources/01/rules.yaml").read_text(encoding="utf-8") == RULES
