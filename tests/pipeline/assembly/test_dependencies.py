"""What a pipeline depends on, and the one hash over it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bundled_site import CONFIG, PLUGIN, site, with_plugin

from caspipe.annotators.lexicon import Lexicon
from caspipe.pipeline.assembly.dependencies import Dependency, code_version, dependencies, fingerprint, secrets
from caspipe.pipeline.contract import registry
from caspipe.pipeline.contract.component import is_resumable
from caspipe.pipeline.errors import ResourceError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.pipeline.storage import hashing

KEY = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CASPIPE_KEY", raising=False)
    return site(tmp_path / "here")


def of(path: Path, *overrides: str) -> str:
    return fingerprint(Pipeline.load(path, overrides))


def sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def only(found: list[Dependency], component: str, parameter: str) -> Dependency:
    [one] = [d for d in found if (d.component, d.parameter) == (component, parameter)]
    return one


def test_every_file_behind_a_parameter_is_named_with_its_hash(config: Path) -> None:
    found = dependencies(Pipeline.load(config))
    here = config.parent
    rules = only(found, "rules/patterns", "rules")
    assert rules.kind == "resource"
    assert rules.files == (
        ("site.yaml", sha(here / "rules/site.yaml")),
        ("../common/fragments.yaml", sha(here / "common/fragments.yaml")),
        ("../common/staff.txt", sha(here / "common/staff.txt")),
    )
    assert rules.root == here / "rules"
    assert only(found, "lists", "lists.0").files == (("wards.txt", sha(here / "lists/wards.txt")),)
    assert [name for name, _ in only(found, "lists", "lists.1").files] == ["weekdays.tsv"]
    assert only(found, "terms", "lexicon").files == (("terms.csv", sha(here / "terms.csv")),)
    assert [d.name for d in found if d.component == "terms" and d.parameter.startswith("known")] == [
        "common_words",
        "names",
    ]


def test_a_model_brings_the_lists_that_its_features_look_into(config: Path) -> None:
    found = [d for d in dependencies(Pipeline.load(config)) if d.component == "crf"]
    model, *lists = found
    folder = config.parent / "models/ward-crf"
    assert model.files == tuple((path.name, sha(path)) for path in sorted(folder.iterdir()))
    assert "surnames" in {d.name for d in lists}
    assert all(len(d.files) == 1 for d in lists)


def test_rules_that_a_component_ships_with_are_named_without_a_parameter() -> None:
    found = dependencies(Pipeline.parse("engines: [identifiers]"))
    assert "phone.yaml" in [name for name, _ in only(found, "identifiers", "").files]


def test_a_folder_of_a_foreign_model_is_named_file_by_file(tmp_path: Path) -> None:
    given = Path(__file__).parents[2] / "annotators/pretrained/gliner_span"
    folder = shutil.copytree(given, tmp_path / "model")
    (folder / "onnx").mkdir()
    (folder / "onnx/extra.json").write_text("{}", encoding="utf-8")
    (folder / ".git").mkdir()
    (folder / ".git/config").write_text("", encoding="utf-8")
    (tmp_path / "p.yaml").write_text("engines: [segmenter, {gliner: {model: model}}]", encoding="utf-8")
    names = [name for name, _ in only(dependencies(Pipeline.load(tmp_path / "p.yaml")), "gliner", "model").files]
    assert names == ["found.json", "gliner_config.json", "model.onnx", "onnx/extra.json", "tokenizer.json"]


def test_a_missing_file_is_told_with_its_component(config: Path) -> None:
    pipeline = Pipeline.load(config)
    (config.parent / "common/staff.txt").unlink()
    with pytest.raises(ResourceError, match=r"^rules/patterns: .*staff\.txt: cannot be read: No such file"):
        dependencies(pipeline)


def test_a_plug_in_is_named_by_its_source(config: Path) -> None:
    registry.load_file(str(config.parent / "badge.py"))
    found = [d for d in dependencies(Pipeline.load(with_plugin(config))) if d.component == "badges"]
    assert [(d.kind, d.name, d.files) for d in found] == [
        ("plugin", "caspipe_plugin_badge", (("badge.py", sha(config.parent / "badge.py")),))
    ]


def test_nothing_is_loaded_for_it(config: Path) -> None:
    pipeline = Pipeline.load(config)
    before = fingerprint(pipeline)
    assert isinstance(pipeline.engines[1].lists[0], str)  # type: ignore[attr-defined]
    with pipeline:
        assert isinstance(pipeline.engines[1].lists[0], Lexicon)  # type: ignore[attr-defined]
        assert fingerprint(pipeline) == before  # and an open pipeline has the same


def test_the_place_the_order_of_keys_comments_and_run_options_do_not_count(config: Path, tmp_path: Path) -> None:
    before = of(config)
    shutil.copytree(config.parent, tmp_path / "elsewhere" / "deeper")
    moved = tmp_path / "elsewhere" / "deeper" / "site.yaml"
    (tmp_path / "elsewhere/deeper/models/ward-crf").rename(tmp_path / "elsewhere/deeper/models/renamed")
    text = CONFIG.replace("models/ward-crf", "models/renamed").replace("# how our site does it\n", "")
    text = text.replace(
        "{model: ours, kinds: [PERSON, LOCATION]}", "{kinds: [PERSON, LOCATION], model: models/renamed}"
    )
    text = text.replace("days: [-365, 365], key:", "key:").replace(
        '"${CASPIPE_KEY:-}"', '"${CASPIPE_KEY:-}", days: [-365, 365]'
    )
    moved.write_text(text, encoding="utf-8")
    assert of(moved) == before
    assert of(config, "run.output=there", "run.on_error=skip", "reader.text.folder=other", "name=x") == before


def test_a_consumer_that_cannot_resume_does_not_count(config: Path) -> None:
    before = of(config)
    config.write_text(CONFIG.replace("run:", "  - scorer\nrun:"), encoding="utf-8")
    assert not is_resumable(Pipeline.load(config).consumers[-1])
    assert of(config) == before


@pytest.mark.parametrize(
    "override",
    [
        "crf.kinds=[PERSON]",
        "terms.min_length=3",
        "lists.title_pattern=false",
        "lists.lists=[weekdays]",
        "rules.names.mode=recall",
        "resolver.priority=[crf, rules]",
        "masker.DATE.shift.days=[-300, 365]",
        "masker.DATE.shift.season=true",
        "masker.AGE=redact",
        "masker.default=redact",
        "rules.dates.view=gold",
        "consumers.text.folder=release/other",
        "terms.lexicon=terms.csv::csv?group=DISEASE",
    ],
)
def test_every_parameter_counts(config: Path, override: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(config.parent)
    assert of(config, override) != of(config)


@pytest.mark.parametrize(
    "file", ["rules/site.yaml", "common/fragments.yaml", "common/staff.txt", "lists/wards.txt", "terms.csv"]
)
def test_every_byte_of_rules_and_lists_counts(config: Path, file: str) -> None:
    before = of(config)
    with (config.parent / file).open("ab") as more:
        more.write(b"\n")
    assert of(config) != before


@pytest.mark.parametrize("file", ["model.json", "weights.npz"])
def test_every_byte_of_a_model_counts(config: Path, file: str) -> None:
    pipeline = Pipeline.load(config)
    before = fingerprint(pipeline)
    path = config.parent / "models/ward-crf" / file
    data = bytearray(path.read_bytes())
    data[data.index(b"en" if file == "model.json" else b"PK")] ^= 0x20
    os.utime(
        path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns - 10**9)
    )  # it must not be taken for the same file
    path.write_bytes(data)
    assert fingerprint(pipeline) != before


def test_more_engines_other_ids_and_another_order_count(config: Path) -> None:
    seen = {of(config)}
    for text in (
        CONFIG.replace("  - crf:", "  - ages\n  - crf:"),
        CONFIG.replace("id: rules", "id: regex").replace("[rules, crf]", "[regex, crf]"),
        CONFIG.replace("        - include: parts/more.yaml\n", "").replace(
            "  - crf:", "  - names\n  - dates\n  - crf:"
        ),
        CONFIG.replace("        - include: parts/more.yaml\n", "").replace(
            "  - crf:", "  - dates\n  - names\n  - crf:"
        ),
    ):
        config.write_text(text, encoding="utf-8")
        seen.add(of(config))
    assert len(seen) == 5


def test_every_byte_of_a_plug_in_counts(config: Path) -> None:
    plugin = config.parent / "badge.py"
    registry.load_file(str(plugin))
    pipeline = Pipeline.load(with_plugin(config))
    before = fingerprint(pipeline)
    plugin.write_text(PLUGIN + "# changed\n", encoding="utf-8")
    assert fingerprint(pipeline) != before
    plugin.write_text(PLUGIN, encoding="utf-8")
    assert fingerprint(pipeline) == before


def test_of_a_secret_only_its_being_there_counts(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without = of(config)
    monkeypatch.setenv("CASPIPE_KEY", KEY)
    first = of(config)
    monkeypatch.setenv("CASPIPE_KEY", KEY[::-1])
    assert of(config) == first != without


def test_a_table_of_offsets_is_a_secret_too(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("p1,17\n", encoding="utf-8")
    (tmp_path / "p.yaml").write_text(
        "engines: [dates, {masker: {DATE: {shift: {table: table.csv}}}}]", encoding="utf-8"
    )
    pipeline = Pipeline.load(tmp_path / "p.yaml")
    before = fingerprint(pipeline)
    assert secrets(pipeline) == [("masker", "kinds.DATE.table", b"p1,17\n")]
    assert not [d for d in dependencies(pipeline) if d.component == "masker"]
    (tmp_path / "table.csv").write_text("p1,18\n", encoding="utf-8")
    assert fingerprint(pipeline) == before


def test_secrets_tell_what_the_hash_leaves_out(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASPIPE_KEY", KEY)
    assert secrets(Pipeline.load(config)) == [("masker", "kinds.DATE.key", KEY.encode())]


def test_the_version_of_the_code_is_the_version_and_a_hash() -> None:
    version, _, digest = code_version().partition("+sha256.")
    assert version == hashing.caspipe_version()
    assert len(digest) == 64
    names = [name for name, _ in hashing._code()]
    assert names == sorted(names)
    assert {"pipeline/storage/hashing.py", "configs/lexicons/weekdays.tsv", "typesystem/cas.py"} <= set(names)
    assert not [name for name in names if "__pycache__" in name]


def test_the_code_is_hashed_in_a_moment() -> None:
    code_version()
    best = min(_seconds() for _ in range(5))
    assert best < 0.5  # 0.04 s on a quiet machine


def _seconds() -> float:
    code_version.cache_clear()
    started = time.perf_counter()
    code_version()
    return time.perf_counter() - started


def test_changed_code_is_another_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in hashing.FOLDERS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(hashing, "PACKAGE", tmp_path)
    versions = []
    for text in ("x = 1\n", "x = 2\n", "x = 1\n"):
        (tmp_path / "readers" / "a.py").write_text(text, encoding="utf-8")
        (tmp_path / "readers" / "notes.md").write_text(text * 2, encoding="utf-8")
        code_version.cache_clear()
        versions.append(code_version())
    code_version.cache_clear()
    assert versions[0] == versions[2] != versions[1]


@pytest.mark.slow
def test_the_hash_is_the_same_in_another_process_with_another_hash_seed(config: Path) -> None:
    code = (
        "import sys; from caspipe.pipeline.pipeline import Pipeline; from caspipe.pipeline.assembly.dependencies import *;"
        "import json; p = Pipeline.load(sys.argv[1]); print(json.dumps([fingerprint(p), [d.name for d in dependencies(p)]]))"
    )
    told = []
    for seed in ("1", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code, str(config)], capture_output=True, text=True, check=True, env=environment
        )
        told.append(json.loads(done.stdout))
    assert told[0] == told[1]
