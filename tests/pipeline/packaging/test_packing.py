"""A packed pipeline does what the unpacked one does, wherever it is, and carries no secret."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from bundled_site import CONFIG, NOTES, site, with_plugin
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.assembly.dependencies import fingerprint
from caspipe.pipeline.contract import registry
from caspipe.pipeline.errors import ConfigError, ResourceError
from caspipe.pipeline.packaging.loading import BundleWarning
from caspipe.pipeline.packaging.packing import Packed, pack
from caspipe.pipeline.pipeline import Pipeline
from caspipe.pipeline.storage import signing
from caspipe.pipeline.storage.files import cache_folder

pytestmark = pytest.mark.filterwarnings("ignore:.*not signed by a key you trust:UserWarning")

KEY = "0123456789abcdef0123456789abcdef"


@pytest.fixture(autouse=True)
def no_plugins() -> Iterator[None]:
    """Plug-in files that other tests loaded into this process are no part of what is packed here, and the other way round."""
    before = {name: module for name, module in sys.modules.items() if name.startswith("caspipe_plugin_")}
    for name in before:
        del sys.modules[name]
    yield
    for name in [name for name in sys.modules if name.startswith("caspipe_plugin_")]:
        del sys.modules[name]
    sys.modules.update(before)


def fresh_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bundles unpack into a folder of the test's own; the compiled dictionaries are those of everybody."""
    compiled = cache_folder() / "lexicon"
    compiled.mkdir(parents=True, exist_ok=True)
    folder.mkdir()
    (folder / "lexicon").symlink_to(compiled)
    monkeypatch.setenv("CASPIPE_CACHE", str(folder))


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site's configuration."""
    monkeypatch.delenv("CASPIPE_KEY", raising=False)
    fresh_cache(tmp_path / "cache", monkeypatch)
    return site(tmp_path / "site")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Documents in a place of their own."""
    for name, text in NOTES.items():
        (tmp_path / "elsewhere" / "notes" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "elsewhere" / "notes" / name).write_text(text, encoding="utf-8")
    return tmp_path / "elsewhere" / "notes"


def outputs(pipeline: Pipeline) -> dict[str, bytes]:
    assert pipeline.run().exit_code == 0
    folder = pipeline.options.output / "release"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def content(bundle: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.mark.slow
def test_a_bundle_gives_the_same_bytes_with_the_originals_gone(
    config: Path, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASPIPE_KEY", KEY)
    before = Pipeline.load(config, [f"run.output={tmp_path / 'one'}", f"reader.text.folder={notes}"])
    wanted, mark = outputs(before), fingerprint(before)
    pack(config, tmp_path / "site.zip")
    shutil.rmtree(config.parent)
    monkeypatch.chdir(notes.parent)  # the reader's folder is relative to where it runs
    after = Pipeline.load(tmp_path / "site.zip", [f"run.output={tmp_path / 'two'}"], trust=True)
    assert outputs(after) == wanted
    assert fingerprint(after) == mark
    assert "manifest.json" in wanted and len(wanted) == 5, sorted(wanted)
    assert b"Smith" not in b"".join(wanted.values())
    assert b"WX-1234" not in b"".join(wanted.values())
    assert b"Berg" not in b"".join(wanted.values())


@pytest.mark.slow
def test_it_runs_in_a_process_of_its_own_with_another_cache(
    config: Path, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = outputs(Pipeline.load(config, [f"run.output={tmp_path / 'one'}", f"reader.text.folder={notes}"]))
    pack(config, tmp_path / "site.zip")
    shutil.rmtree(config.parent)
    fresh_cache(tmp_path / "another", monkeypatch)
    command = [sys.executable, "-m", "caspipe.pipeline.application.cli.main", "run", str(tmp_path / "site.zip"), "-q"]
    done = subprocess.run(
        [*command, "--trust", "--set", f"run.output={tmp_path / 'two'}"],
        cwd=notes.parent, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "two" / "release"
    assert {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()} == wanted
    assert len(list((tmp_path / "another" / "bundles").iterdir())) == 1


def test_the_manifest_hashes_everything_that_is_in_it(config: Path, tmp_path: Path) -> None:
    made = pack(config, tmp_path / "site.zip")
    files = content(made.path)
    told = json.loads(files.pop("manifest.json"))
    assert {name: e["sha256"] for name, e in told["files"].items()} == {name: sha(data) for name, data in files.items()}
    assert sorted(files) == [
        "TypeSystem.xml",
        "pipeline.yaml",
        "requirements.txt",
        "resources/01/wards.txt",
        "resources/02/terms.csv",
        "resources/03/common/fragments.yaml",
        "resources/03/common/staff.txt",
        "resources/03/rules/site.yaml",
        "resources/04/ward-crf/README.md",
        "resources/04/ward-crf/model.json",
        "resources/04/ward-crf/weights.npz",
    ]
    assert {"weekdays", "english", "common_words", "surnames"} <= {s["name"] for s in told["shipped"]}
    assert "en-phi-crf" not in {s["name"] for s in told["shipped"]}  # the site's own copy is in the bundle
    assert files["requirements.txt"].decode().splitlines() == told["requirements"]
    assert [line.partition("==")[0] for line in told["requirements"]].count("caspipe") == 1
    assert files["TypeSystem.xml"].startswith(b"<?xml")


def test_the_configuration_in_it_is_whole_and_readable(config: Path, tmp_path: Path) -> None:
    made = pack(config, tmp_path / "site.zip", overrides=["terms.min_length=4", "reader.text.folder=inbox"])
    told = yaml.safe_load(content(made.path)["pipeline.yaml"])
    assert told["reader"] == {"text": {"folder": "inbox"}}
    assert told["engines"] == [
        "segmenter",
        {"lists": {"lists": ["bundle:/resources/01/wards.txt", "weekdays"]}},
        {"terms": {"lexicon": "bundle:/resources/02/terms.csv::csv?group=SYMPTOM", "min_length": 4}},
        {
            "aggregate": {
                "id": "rules",
                "engines": [{"patterns": {"rules": "bundle:/resources/03/rules/site.yaml"}}, "dates", "names"],
            }
        },
        {"crf": {"model": "bundle:/resources/04/ward-crf", "kinds": ["PERSON", "LOCATION"]}},
        {"resolver": {"priority": ["rules", "crf"]}},
        {
            "masker": {
                "DATE": {"shift": {"days": [-365, 365], "key": "${CASPIPE_KEY:-}"}},
                "default": "placeholder",
            }
        },
    ]
    assert told["run"] == {"output": "out", "names": "id"}


@pytest.mark.slow
def test_same_input_same_bytes_from_another_folder_at_another_time(config: Path, tmp_path: Path) -> None:
    shutil.copytree(config.parent, tmp_path / "copy")  # new files: other times
    first = pack(config, tmp_path / "1.zip").path.read_bytes()
    assert pack(tmp_path / "copy" / "site.yaml", tmp_path / "2.zip").path.read_bytes() == first
    assert pack(Pipeline.load(config), tmp_path / "3.zip").path.read_bytes() == first


@pytest.mark.slow
def test_a_bundle_packs_again_to_the_same(config: Path, tmp_path: Path) -> None:
    first = pack(config, tmp_path / "1.zip")
    again = pack(first.path, tmp_path / "2.zip")
    assert content(again.path)["pipeline.yaml"] == content(first.path)["pipeline.yaml"]
    assert again.manifest == first.manifest


@pytest.mark.slow
@pytest.mark.parametrize("name", ["deidentify", "deidentify-es"])
def test_a_shipped_pipeline_loads_from_its_bundle_as_from_its_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from caspipe.pipeline.assembly.shipped import locate

    monkeypatch.delenv("CASPIPE_KEY", raising=False)
    bundle = pack(name, tmp_path / "b.zip").path
    monkeypatch.setenv("CASPIPE_CACHE", str(tmp_path / "cache"))
    packed, plain = Pipeline.load(bundle), Pipeline.load(locate(name))
    assert fingerprint(packed) == fingerprint(plain)
    assert [e.id for e in packed.engines] == [e.id for e in plain.engines]
    assert [c.id for c in packed.consumers] == [c.id for c in plain.consumers]


def test_a_secret_in_clear_is_refused_with_its_line(config: Path, tmp_path: Path) -> None:
    line = 1 + CONFIG[: CONFIG.index("${CASPIPE_KEY:-}")].count("\n")
    for secret in (KEY, f"${{CASPIPE_KEY:-{KEY}}}", f"x${{CASPIPE_KEY:-}}{KEY}"):
        config.write_text(CONFIG.replace("${CASPIPE_KEY:-}", secret), encoding="utf-8")
        with pytest.raises(ConfigError) as caught:
            pack(config, tmp_path / "site.zip")
        assert str(caught.value) == (
            f"{config}:{line}: masker.DATE.shift.key: a secret in clear, which no bundle may carry: write "
            '"${CASPIPE_KEY}" or file:PATH'
        )
        assert not (tmp_path / "site.zip").exists()


def test_a_secret_from_the_command_line_is_refused(config: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"masker\.DATE\.shift\.key: a secret in clear"):
        pack(config, tmp_path / "site.zip", overrides=[f"masker.DATE.shift.key={KEY}"])


def test_a_password_in_a_url_is_refused(config: Path, tmp_path: Path) -> None:
    config.write_text(
        CONFIG.replace("run:", "  - sql: {url: 'postgresql://u:hunter22@db/x', table: t}\nrun:"), encoding="utf-8"
    )
    with pytest.raises(ConfigError, match=r":\d+: sql\.url: a password in clear") as caught:
        pack(config, tmp_path / "site.zip")
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize("url", ["postgresql://db/x?password=hunter22", "${NOTES_DB:-postgresql://u:hunter22@db/x}"])
def test_a_password_is_refused_wherever_a_url_holds_it(config: Path, tmp_path: Path, url: str) -> None:
    config.write_text(CONFIG.replace("run:", f"  - sql: {{url: '{url}', table: t}}\nrun:"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r":\d+: sql\.url: .* password in clear, which no bundle may carry") as caught:
        pack(config, tmp_path / "site.zip")
    assert "hunter22" not in str(caught.value)


@pytest.mark.slow
def test_the_value_of_a_variable_is_not_in_the_bundle(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "caspipe.key").write_text(KEY[::-1], encoding="utf-8")
    (tmp_path / "caspipe.key").chmod(0o600)
    text = CONFIG.replace("{folder: notes}", '{folder: "${NOTES:-notes}"}')
    text = text.replace("names: id", f"key: 'file:{tmp_path}/caspipe.key'")
    config.write_text(text, encoding="utf-8")
    monkeypatch.setenv("CASPIPE_KEY", KEY)
    monkeypatch.setenv("NOTES", "/secret/place")
    bundle = pack(config, tmp_path / "site.zip").path
    data = bundle.read_bytes()
    assert KEY.encode() not in data
    assert KEY[::-1].encode() not in data
    assert b"/secret/place" not in data
    assert b"${NOTES:-notes}" in data
    loaded = Pipeline.load(bundle, trust=True)
    assert str(loaded.reader.folder) == "/secret/place"  # type: ignore[union-attr]
    assert loaded.engines[-1].kinds  # type: ignore[attr-defined]


@pytest.mark.slow
def test_packing_needs_no_key(config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = CONFIG.replace("${CASPIPE_KEY:-}", "${CASPIPE_KEY}")
    text = text.replace("default: placeholder", "ID: {pseudonym: {key: 'file:absent.key'}}")
    config.write_text(text, encoding="utf-8")
    bundle = pack(config, tmp_path / "site.zip").path
    with pytest.raises(ConfigError, match="environment variable CASPIPE_KEY is not set"):
        Pipeline.load(bundle, trust=True)
    monkeypatch.setenv("CASPIPE_KEY", KEY)
    Pipeline.load(bundle, trust=True)


def test_what_cannot_be_packed_is_told_with_its_line(config: Path, tmp_path: Path) -> None:
    (config.parent / "common/staff.txt").unlink()
    (config.parent / "rules/site.yaml").write_text("rules: [{name: x, kind: ID, pattern: 'x'}]", encoding="utf-8")
    (config.parent / "lists/wards.txt").unlink()
    with pytest.raises(ConfigError, match=r"site\.yaml:9: lists\.lists\.0: no lexicon or file called"):
        pack(config, tmp_path / "site.zip")


def test_a_model_that_does_not_load_is_not_packed(config: Path, tmp_path: Path) -> None:
    (config.parent / "models/ward-crf/weights.npz").write_bytes(b"PK nothing")
    with pytest.raises(ResourceError, match=r"ward-crf: weights\.npz is not what model\.json says"):
        pack(config, tmp_path / "site.zip")
    assert not (tmp_path / "site.zip").exists()


@pytest.mark.slow
def test_something_else_is_not_overwritten(config: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("note.txt", "mine")
    with pytest.raises(ResourceError, match=r"other\.zip: exists and is no caspipe bundle"):
        pack(config, tmp_path / "other.zip")
    with pytest.raises(ResourceError, match=r"expected a name that ends in \.zip"):
        pack(config, tmp_path / "bundle")
    first = pack(config, tmp_path / "site.zip")
    assert pack(config, tmp_path / "site.zip") == first
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []


def test_a_pipeline_made_in_python_has_nothing_to_pack(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="this one was made by a program"):
        pack(Pipeline([]), tmp_path / "x.zip")


# -- plug-ins ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def signed(config: Path, tmp_path: Path) -> tuple[Packed, Path]:
    """A signed bundle with a plug-in, and the public key."""
    signing.new_key(tmp_path / "k", tmp_path / "k.pub")
    registry.load_file(str(config.parent / "badge.py"))
    return pack(with_plugin(config), tmp_path / "signed.zip", sign=tmp_path / "k"), tmp_path / "k.pub"


@pytest.mark.slow
def test_a_plug_in_travels_and_runs_where_the_signature_holds(signed: tuple[Packed, Path], config: Path) -> None:
    packed, public = signed
    assert packed.manifest.plugins == ("plugins/01/badge.py",)
    assert packed.key == signing.key_id(public)
    wanted = Pipeline.load(with_plugin(config))
    mark = fingerprint(wanted)
    shutil.rmtree(config.parent)
    loaded = Pipeline.load(packed.path, verify=public)
    assert loaded.process("Badge ER-2041.").deidentified == "Badge [ID]."
    assert fingerprint(loaded) == mark
    cached = Path(sys.modules["caspipe_plugin_badge"].__file__ or "")
    assert [p.name for p in cached.parent.iterdir()] == ["badge.py"]  # no bytecode beside it


@pytest.mark.slow
def test_a_plug_in_that_nobody_vouches_for_does_not_run(
    signed: tuple[Packed, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    packed, public = signed
    with pytest.raises(
        ResourceError, match=r"brings plug-ins \(plugins/01/badge\.py\), which are programs: check who signed it"
    ):
        Pipeline.load(packed.path)
    Pipeline.load(packed.path, trust=True)
    monkeypatch.setenv("CASPIPE_VERIFY", str(public))
    Pipeline.load(packed.path)


@pytest.mark.slow
def test_a_module_that_no_distribution_brings_travels(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "lib" / "t_bundle_house"
    package.mkdir(parents=True)
    plugin = (config.parent / "badge.py").read_text(encoding="utf-8")
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "badges.py").write_text(
        plugin.replace("t_bundle_badges", "t_bundle_house")
        .replace("import re", "import re\nfrom .codes import CODE")
        .replace("[0-9]+", "{CODE}"),
        encoding="utf-8",
    )
    (package / "codes.py").write_text("CODE = '[0-9]+'\n", encoding="utf-8")
    text = CONFIG.replace(
        "  - resolver", "  - t_bundle_house.badges:Badges: {id: badges, departments: [ER]}\n  - resolver"
    )
    config.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "lib"))
    packed = pack(config, tmp_path / "house.zip")
    assert packed.manifest.modules == ("t_bundle_house.badges",)
    shutil.rmtree(tmp_path / "lib")
    shutil.rmtree(config.parent)
    code = (
        "import sys; from caspipe.pipeline.pipeline import Pipeline; p = Pipeline.load(sys.argv[1], trust=True);"
        "print(p.process('Badge ER-2041.').deidentified)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(packed.path)], capture_output=True, text=True, check=False)
    assert done.stdout == "Badge [ID].\n", done.stderr


# -- what it needs ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_wheels_of_all_that_is_needed_are_put_in(config: Path, tmp_path: Path) -> None:
    folder = tmp_path / "wheels"
    folder.mkdir()
    lines = pack(config, tmp_path / "site.zip").manifest.requirements
    with pytest.raises(ResourceError, match=r"no wheel of .*caspipe==") as caught:
        pack(config, tmp_path / "site.zip", wheels=folder)
    assert str(caught.value).count("==") == len(lines)
    for line in lines:
        name, _, version = line.partition("==")
        (folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl").write_bytes(line.encode())
    (folder / "unrelated-1.0-py3-none-any.whl").write_bytes(b"")
    packed = pack(config, tmp_path / "site.zip", wheels=folder)
    wheels = sorted(name for name in packed.manifest.files if name.startswith("wheels/"))
    assert len(wheels) == len(lines)
    assert not [name for name in wheels if "unrelated" in name]
    Pipeline.load(packed.path)
    unpacked = next((tmp_path / "cache" / "bundles").iterdir())
    assert not (unpacked / "wheels").exists()  # they are for pip
    with pytest.raises(ResourceError, match=r"--wheels .*nowhere: no such folder"):
        pack(config, tmp_path / "site.zip", wheels=tmp_path / "nowhere")


@pytest.mark.slow
def test_what_a_consumer_needs_is_told(config: Path, tmp_path: Path) -> None:
    plain = pack(config, tmp_path / "site.zip").manifest.requirements
    config.write_text(CONFIG.replace("run:", "  - parquet\nrun:"), encoding="utf-8")
    more = pack(config, tmp_path / "more.zip").manifest.requirements
    assert "pyarrow" in {line.partition("==")[0] for line in more}
    assert set(plain) <= set(more)


# -- the command ---------------------------------------------------------------------------------------------------------


def test_the_command_packs_and_says_what(config: Path, tmp_path: Path) -> None:

    signing.new_key(tmp_path / "k", tmp_path / "k.pub")
    arguments = ["pack", str(config), "-o", str(tmp_path / "site.zip"), "--sign", str(tmp_path / "k")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert f"signed by: {signing.key_id(tmp_path / 'k.pub')}" in done.output
    Pipeline.load(tmp_path / "site.zip", verify=tmp_path / "k.pub")
    failed = CliRunner().invoke(app, ["pack", str(config), "-o", str(tmp_path / "x"), "--set", "masker.key=1"])
    assert failed.exit_code in (2, 4)
    assert not (tmp_path / "x").exists()


def test_only_a_bundle_can_be_verified(config: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="only a bundle is signed, this is none"):
        Pipeline.load(config, verify=tmp_path / "k.pub")


@pytest.mark.slow
def test_another_caspipe_warns(config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = pack(config, tmp_path / "site.zip").path
    monkeypatch.setattr("caspipe.pipeline.packaging.loading.code_version", lambda: "9.9+sha256.feedbeef00")
    with pytest.warns(
        BundleWarning, match=r"packed with caspipe \S+ \(\w{8}\), this is 9\.9 \(feedbeef\): results may differ"
    ):
        Pipeline.load(bundle)


def test_a_type_system_travels_and_a_table_of_offsets_does_not(config: Path, tmp_path: Path) -> None:
    """Data stay where they are, what describes them comes along; a table of offsets undoes shifts as a key does."""
    (config.parent / "types.xml").write_text("<typeSystemDescription/>", encoding="utf-8")
    (config.parent / "offsets.csv").write_text("p1,17\n", encoding="utf-8")
    text = CONFIG.replace("  text: {folder: notes}\n", "  xmi: {folder: notes, typesystem: types.xml}\n")
    config.write_text(text.replace("{shift: {", "{shift: {table: offsets.csv, "), encoding="utf-8")
    packed = pack(config, tmp_path / "site.zip")
    told = yaml.safe_load(content(packed.path)["pipeline.yaml"])
    assert told["reader"] == {"xmi": {"folder": "notes", "typesystem": "bundle:/resources/01/types.xml"}}
    assert told["engines"][-1]["masker"]["DATE"]["shift"]["table"] == "offsets.csv"
    assert b"p1,17" not in packed.path.read_bytes()
