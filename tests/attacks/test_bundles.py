"""A bundle that nobody trusted has signed: it says so, and cannot reveal, read or write what its user did not name."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from caspipe.pipeline.errors import CaspipeError, ConfigError, ResourceError
from caspipe.pipeline.packaging.loading import BundleWarning
from caspipe.pipeline.packaging.packing import pack
from caspipe.pipeline.pipeline import Pipeline
from caspipe.pipeline.storage import signing

SECRET = "Swordfish-0123456789-Swordfish"
CONFIG = """\
name: small
reader: {text: {folder: notes}}
engines:
  - segmenter
  - patterns: {rules: rules.yaml}
  - identifiers
  - resolver
  - masker: {DATE: {shift: {key: "${CASPIPE_KEY:-}"}}}
consumers:
  - text: {folder: release/text}
run: {output: out, workers: 0}
"""
RULES = "rules: [{name: code, kind: ID, pattern: 'WX-[0-9]{4}'}]\n"
SAID = (
    "not signed by a key you trust: it runs confined; --verify PUBLIC checks a signature, --trust lifts the confinement"
)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CASPIPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CASPIPE_KEY", SECRET)
    monkeypatch.delenv("CASPIPE_VERIFY", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("code WX-1234, SSN 219-09-9999")
    return tmp_path


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory, no_plugins: None) -> Path:
    """A signed bundle beside its public key `k.pub`."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.yaml").write_text(CONFIG, encoding="utf-8")
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    signing.new_key(folder / "k", folder / "k.pub")
    return pack(folder / "small.yaml", folder / "small.zip", sign=folder / "k").path


pytestmark = pytest.mark.usefixtures("no_plugins")


def forged(packed: Path, to: Path, text: str, **more: bytes) -> Path:
    """A bundle with another configuration and further files, whose hashes fit."""
    with zipfile.ZipFile(packed) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if name != "manifest.sig"}
    members |= {"pipeline.yaml": text.encode(), **{name.replace("__", "/"): data for name, data in more.items()}}
    manifest = json.loads(members.pop("manifest.json"))
    manifest["files"] = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)} for name, data in sorted(members.items())
    }
    with zipfile.ZipFile(to, "w") as archive:
        for name, data in [("manifest.json", json.dumps(manifest).encode()), *members.items()]:
            info = zipfile.ZipInfo(name)
            info.external_attr = 0o100600 << 16
            archive.writestr(info, data)
    return to


def quietly(bundle: Path, *overrides: str, **options: bool) -> Pipeline:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BundleWarning)
        return Pipeline.load(bundle, overrides, **options)  # type: ignore[arg-type]


def faults(bundle: Path, *overrides: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        quietly(bundle, *overrides)
    assert SECRET not in str(caught.value)
    return [str(fault) for fault in caught.value.faults]


NOTES = "reader.text.folder=notes"
MASK = "engines: [segmenter, identifiers, masker]\n"


@pytest.mark.attack("bundles")
def test_it_works_confined_and_says_so_at_every_load(packed: Path, place: Path) -> None:
    for _ in range(2):
        with pytest.warns(BundleWarning) as said:
            pipeline = Pipeline.load(packed, [NOTES])
        assert [str(w.message) for w in said] == [f"{packed}: {SAID}"]
    report = pipeline.run()
    assert report.documents.released == 1
    [text] = (place / "out" / "release").rglob("*.txt")
    assert text.read_text() == "code [ID], SSN [ID]"
    written = b"".join(p.read_bytes() for p in (place / "out").rglob("*") if p.is_file())
    assert SECRET.encode() not in written


@pytest.mark.attack("bundles")
def test_a_signature_by_a_trusted_key_or_trust_lifts_it(packed: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Pipeline.load(packed, verify=packed.with_name("k.pub")).name == "small"
        assert Pipeline.load(packed, trust=True).name == "small"


READERS = {
    "folder": ("reader: {text: {folder: /etc}}\n", "choose what is read: --set reader.text.folder=..."),
    "files": ("reader: [{text: {files: [/etc/passwd]}}]\n", "choose what is read: --set reader.text.files.0=..."),
    "database": (
        "reader: {sql: {url: 'sqlite:///x.db', query: SELECT 1}}\n",
        "name a database: --set reader.sql.url=...",
    ),
}


@pytest.mark.attack("bundles")
@pytest.mark.parametrize("what", READERS)
def test_it_reads_only_what_its_user_names(packed: Path, place: Path, what: str) -> None:
    text, expected = READERS[what]
    bundle = forged(packed, place / "bad.zip", text + MASK)
    pipeline = quietly(bundle)
    assert pipeline.process("SSN 219-09-9999").deidentified == "SSN [ID]"  # what its user gives
    with pytest.raises(CaspipeError) as caught:
        pipeline.run()
    said = str(caught.value)
    assert said.startswith(f"pipeline pipeline has no reader: {bundle}!/pipeline.yaml:1: ")
    assert f"an unsigned bundle may not {expected}" in said


VARIABLES = {
    "name": 'name: "${CASPIPE_KEY}"\n' + MASK,
    "default": 'name: "a${CASPIPE_KEY:-x}b"\n' + MASK,
    "file name": MASK + 'consumers: [{text: {folder: "release/${CASPIPE_KEY}"}}]\n',
    "component": 'engines: ["${CASPIPE_KEY}"]\n',
    "id": 'engines: [segmenter, identifiers, {masker: {id: "${CASPIPE_KEY}"}}]\n',
    "parameter": 'engines: [segmenter, {identifiers: {kinds: ["${CASPIPE_KEY}"]}}, masker]\n',
    "number": 'engines: [segmenter, {identifiers: {min_confidence: "${CASPIPE_KEY}"}}, masker]\n',
    "placeholder": 'engines: [segmenter, identifiers, {masker: {default: {placeholder: {format: "${CASPIPE_KEY}"}}}}]\n',
    "placeholder, short": 'engines: [segmenter, identifiers, {masker: {default: "placeholder:${CASPIPE_KEY}"}}]\n',
    "resource": 'engines: [segmenter, {patterns: {rules: "${CASPIPE_KEY}"}}, masker]\n',
    "alias": 'resources: {a: "${CASPIPE_KEY}"}\n' + MASK,
    "run": MASK + 'run: {output: "${CASPIPE_KEY}"}\n',
    "run, wrong": MASK + 'run: {on_error: "${CASPIPE_KEY}"}\n',
    "aggregate": 'engines: [{aggregate: {id: "${CASPIPE_KEY}", engines: [identifiers]}}, masker]\n',
    "secret in more": (
        'engines: [segmenter, dates, resolver, {masker: {DATE: {shift: {offset: "${CASPIPE_KEY}"}}}}]\n'
    ),
}


@pytest.mark.attack("bundles")
@pytest.mark.parametrize("where", VARIABLES)
def test_a_variable_is_not_read_outside_of_secrets(packed: Path, place: Path, where: str) -> None:
    bundle = forged(packed, place / "bad.zip", VARIABLES[where])
    found = faults(bundle, NOTES)
    assert [f for f in found if f.startswith(f"{bundle}!/pipeline.yaml:") and "CASPIPE_KEY" in f], found
    done = subprocess.run(
        [sys.executable, "-m", "caspipe.pipeline.application.cli.main", "run", str(bundle), "--set", NOTES],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert SECRET not in done.stdout + done.stderr
    assert not (place / "out").exists()


REFUSED = {
    "keep": ("engines: [segmenter, identifiers, {masker: {default: keep}}]\n", "keep what was found"),
    "keep, one kind": ("engines: [segmenter, identifiers, {masker: {ID: keep}}]\n", "keep what was found"),
    "keep, long": ("engines: [segmenter, identifiers, {masker: {ID: {keep: {}}}}]\n", "keep what was found"),
    "ages": ("engines: [ages, resolver, {masker: {AGE: {age: {threshold: 150}}}}]\n", "keep ages: expected at most 89"),
    "folder": (MASK + "consumers: [{text: {folder: /tmp/there}}]\n", "write outside of run.output"),
    "parent": (MASK + "consumers: [{text: {folder: release/../../there}}]\n", "write outside of run.output"),
    "backslash": (MASK + "consumers: [{text: {folder: 'release\\..\\..\\there'}}]\n", "write outside of run.output"),
    "drive": (MASK + "consumers: [{jsonl: {file: 'C:/there.jsonl'}}]\n", "write outside of run.output"),
    "output": (MASK + "run: {output: /tmp/there}\n", "write outside of the current folder"),
    "output, parent": (MASK + "run: {output: ../there}\n", "write outside of the current folder"),
    "ledger": (MASK + "run: {ledger: there.sqlite}\n", "choose where this is written: --set run.ledger=FILE"),
    "events": (MASK + "run: {events: there.jsonl}\n", "choose where this is written: --set run.events=FILE"),
    "printing": (MASK + "run: {show_output: true}\n", "show what components print: --show-output"),
    "database": (
        MASK + "consumers: [{sql: {url: 'sqlite:///x.db', table: t}}]\n",
        "name a database: --set sql.url=...",
    ),
    "rules": (
        "engines: [{patterns: {rules: /etc/rules.yaml}}, masker]\n",
        "read outside of it: --set patterns.rules=...",
    ),
    "rules, parent": ("engines: [{patterns: {rules: 'bundle:/../../own.yaml'}}, masker]\n", "read outside of it"),
    "list": ("engines: [{lists: {lists: [own.txt]}}, masker]\n", "read outside of it"),
    "secret file": (
        "engines: [dates, resolver, {masker: {DATE: {shift: {key: 'file:own.txt'}}}}]\n",
        "name a file with a secret: --set masker.DATE.shift.key=...",
    ),
    "secret file, long": (
        "engines: [dates, resolver, {masker: {DATE: {shift: {key: {file: own.txt}}}}}]\n",
        "name a file with a secret",
    ),
    "table": (
        "engines: [dates, resolver, {masker: {DATE: {shift: {table: own.txt}}}}]\n",
        "read outside of it: --set masker.DATE.shift.table=...",
    ),
    "include": ("engines: [{include: /etc/more.yaml}, masker]\n", "include other files"),
    "include, aggregate": ("engines: [{aggregate: {include: ../more.yaml}}, masker]\n", "include other files"),
    "code": ("engines: ['os:system', masker]\n", "load Python code: expected the name of a component"),
    "code, reader": ("reader: {'antigravity:x': {}}\n" + MASK, "load Python code: expected the name of a component"),
    "code, part": (
        "engines: [identifiers, {masker: {default: 'antigravity:x'}}]\n",
        "load Python code: expected a name",
    ),
    "code, part, long": ("engines: [identifiers, {masker: {ID: {'antigravity:x': {}}}}]\n", "load Python code"),
}


@pytest.mark.attack("bundles")
@pytest.mark.parametrize("what", REFUSED)
def test_what_it_must_not_do_is_a_fault_with_its_line(packed: Path, place: Path, what: str) -> None:
    (place / "own.txt").write_text(SECRET)
    (place / "own.yaml").write_text(RULES)
    text, expected = REFUSED[what]
    bundle = forged(packed, place / "bad.zip", text)
    found = faults(bundle)
    assert [
        f
        for f in found
        if re.match(rf"{re.escape(str(bundle))}!/pipeline\.yaml:\d+: .*an unsigned bundle may not ", f)
        and expected in f
    ], found
    assert "antigravity" not in sys.modules


@pytest.mark.attack("bundles")
def test_a_rule_file_inside_reads_nothing_outside(packed: Path, place: Path) -> None:
    (place / "own.yaml").write_text("fragments: {letters: 'WX'}\n")
    rules = f"include: {place / 'own.yaml'}\n{RULES}".encode()
    text = "engines: [{patterns: {rules: 'bundle:/resources/09/r.yaml'}}, masker]\n"
    bundle = forged(packed, place / "bad.zip", text, **{"resources__09__r.yaml": rules})
    assert "read outside of it" in faults(bundle)[0]


@pytest.mark.attack("bundles")
def test_what_the_user_gives_is_not_restricted(packed: Path, place: Path) -> None:
    (place / "key").write_text(SECRET)
    (place / "key").chmod(0o600)
    (place / "own.yaml").write_text(RULES.replace("WX", "XW"))
    given = [
        NOTES,
        f"run.output={place / 'elsewhere' / 'out'}",
        "masker.DATE.shift.key=file:key",
        "masker.default=keep",
        "patterns.rules=own.yaml",
        f"run.ledger={place / 'l.sqlite'}",
        "run.show_output=true",
    ]
    assert quietly(packed, *given).run().documents.released == 1
    assert (place / "l.sqlite").exists()


@pytest.mark.attack("bundles")
def test_trust_lifts_every_restriction_and_the_command_says_so(packed: Path, place: Path) -> None:
    reader = f"reader: {{text: {{folder: {place / 'notes'}}}}}\n"
    text = f'name: "${{CASPIPE_KEY}}"\n{reader}{MASK}run: {{output: {place / "o"}, workers: 0}}\n'
    bundle = forged(packed, place / "bad.zip", text)
    assert quietly(bundle, trust=True).name == SECRET
    done = subprocess.run(
        [sys.executable, "-m", "caspipe.pipeline.application.cli.main", "run", str(bundle), "--trust", "-q"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"warning: {bundle}: not confined because of --trust; it is not signed by a trusted key" in done.stderr


@pytest.mark.attack("bundles")
def test_the_service_confines_it_too(packed: Path, place: Path) -> None:
    pipelines = pytest.importorskip("caspipe.pipeline.application.service.pipelines", reason="needs the extra `server`")
    from caspipe.pipeline.application.service.settings import Spec

    with pytest.warns(BundleWarning, match="runs confined"):
        pipeline = pipelines.service_pipeline(Spec(config=str(packed), overrides=(NOTES,)))
    assert pipeline.process("code WX-1234").deidentified == "code [ID]"
    bundle = forged(packed, place / "bad.zip", VARIABLES["placeholder"])
    with pytest.raises(ConfigError, match="CASPIPE_KEY"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipelines.service_pipeline(Spec(config=str(bundle)))


# -- the whole file -----------------------------------------------------------------------------------------------------


def appended(data: bytes) -> bytes:
    return data + b"more"


def prepended(data: bytes) -> bytes:
    return b"#!/bin/sh\necho hello\n" + data


def commented(data: bytes) -> bytes:
    return data[:-2] + b"\x04\x00more"


def with_a_gap(data: bytes) -> bytes:
    """Bytes between the last member and the directory, with offsets that fit."""
    end = data.rindex(b"PK\x05\x06")
    start = int.from_bytes(data[end + 16 : end + 20], "little")
    return data[:start] + b"hidden" + data[start : end + 16] + (start + 6).to_bytes(4, "little") + data[end + 20 :]


def dated(data: bytes) -> bytes:
    """Another date in the head of the first member."""
    return data[:10] + b"\x01\x02\x03\x04" + data[14:]


def signature_with_more(data: bytes) -> bytes:
    at = data.index(b'{\n "algorithm"')
    return data[: at + 1] + b"\t" + data[at + 2 :]


@pytest.mark.attack("bundles")
@pytest.mark.parametrize("change", [appended, prepended, commented, with_a_gap, dated, signature_with_more])
def test_the_signature_covers_the_whole_file(packed: Path, place: Path, change: Callable[[bytes], bytes]) -> None:
    bad = place / "bad.zip"
    bad.write_bytes(change(packed.read_bytes()))
    for verify in (packed.with_name("k.pub"), None):
        with pytest.raises(CaspipeError, match=rf"^{re.escape(str(bad))}: "), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            Pipeline.load(bad, verify=verify)


@pytest.mark.attack("bundles")
def test_every_byte_is_covered(packed: Path, place: Path) -> None:
    data, bad, kept = packed.read_bytes(), place / "bad.zip", []
    directory = data.index(b"PK\x01\x02")
    places = [*range(200), *range(200, directory, 331), *range(directory, len(data), 3)]
    for at in places:
        bad.write_bytes(data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1 :])
        try:
            Pipeline.load(bad, [NOTES], verify=packed.with_name("k.pub"))
        except CaspipeError:
            continue
        kept.append(at)
    assert kept == []


@pytest.mark.attack("bundles")
@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
@pytest.mark.parametrize("name", ["pipeline.yaml", "PIPELINE.YAML", "extra.txt", "manifest.sig"])
def test_members_twice_and_extra_members_are_refused(packed: Path, place: Path, name: str) -> None:
    bad = place / "bad.zip"
    bad.write_bytes(packed.read_bytes())
    with zipfile.ZipFile(bad, "a") as archive:
        archive.writestr(name, b"engines: []\n")
    with pytest.raises(ResourceError, match=r"occurs twice|not part of any of its files|is damaged|was changed"):
        Pipeline.load(bad, verify=packed.with_name("k.pub"))


@pytest.mark.attack("bundles")
def test_packing_a_bundle_again_keeps_what_it_says(packed: Path, place: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = pack(packed, place / "again.zip", overrides=[NOTES]).path
    with zipfile.ZipFile(again) as archive:
        data = yaml.safe_load(archive.read("pipeline.yaml"))
    assert data["engines"][-1]["masker"]["DATE"]["shift"]["key"] == "${CASPIPE_KEY:-}"
    assert SECRET.encode() not in again.read_bytes()
    assert os.environ["CASPIPE_KEY"] == SECRET
