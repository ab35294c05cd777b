"""However the path of a consumer is written, the release scanner and the configuration know whether it leads to release/."""

from __future__ import annotations

from pathlib import Path

import pytest
from attacks.scanning import ANN, BOB, STANDING, manifest, pipeline, released, run

from caspipe.pipeline.errors import ConfigError
from caspipe.pipeline.running.ledger import merging
from caspipe.pipeline.storage.release_place import place_in

pytestmark = pytest.mark.attack("release-scanner")

WAYS = {
    "absolute": "{out}/release/x",
    "dots": "release/../release/x",
    "dots of a missing folder": "missing/../release/x",
    "dots to the folder of the output": "../out/release/x",
    "link": "aside/x",
    "absolute link": "{out}/aside/x",
    "link to the output": "{link}/release/x",
    "dots through a link": "aside/../release/x",
}
CONSUMERS = {
    "text": "text: {{folder: '{path}'}}",
    "jsonl": "jsonl: {{file: '{path}/a.jsonl', fields: [text]}}",
    "records": "jsonl: {{folder: '{path}', fields: [text]}}",
    "xmi": "xmi: {{folder: '{path}', views: [deidentified]}}",
    "parquet": "parquet: {{file: '{path}/a.parquet', fields: [text]}}",
    "sql": "sql: {{url: 'sqlite:///{path}/a.db', fields: [id, text]}}",
    "conll": "conll: {{file: '{path}/a.conll', annotations: masked}}",
    "inception": "inception: {{file: '{path}/a.zip', annotations: masked}}",
}


def placed(tmp_path: Path, way: str) -> str:
    """Return a path that leads to `release/x`, and make the links that it needs."""
    out = tmp_path / "out"
    (out / "release").mkdir(parents=True)
    (out / "aside").symlink_to("release")
    (tmp_path / "link").symlink_to("out")
    (out / "missing").mkdir(exist_ok=True)
    return WAYS[way].format(out=out, link=tmp_path / "link")


CASES = [(way, name) for way in WAYS for name in CONSUMERS if name in ("text", "jsonl") or way in ("absolute", "link")]


@pytest.mark.parametrize(("way", "consumer"), CASES)
def test_values_of_the_own_document_are_found(tmp_path: Path, way: str, consumer: str) -> None:
    path = placed(tmp_path, way)
    given = CONSUMERS[consumer].format(path=path)
    report = run(tmp_path / "out", {"a": STANDING, "b": BOB}, f"[{given}]")
    assert [(f.document, f.reason) for f in report.failures] == [("a", "scan")]
    assert " in release/x" in report.failures[0].message
    assert b"Quellmore" not in released(tmp_path / "out")
    assert not any("outside" in what for what in report.scan.not_checked)


@pytest.mark.attack("originals-under-release")
@pytest.mark.parametrize("way", WAYS)
def test_originals_are_refused_there(tmp_path: Path, way: str) -> None:
    path = placed(tmp_path, way)
    with pytest.raises(ConfigError, match="is in release/"):
        pipeline(tmp_path / "out", {"a": ANN}, f"[xmi: {{folder: '{path}'}}]")


@pytest.mark.parametrize("way", ["absolute", "dots to the folder of the output"])
def test_shards_refuse_a_path_that_all_of_them_would_write(tmp_path: Path, way: str) -> None:
    path = placed(tmp_path, way)
    consumers = f"[jsonl: {{file: '{path}/a.jsonl'}}]"
    with pytest.raises(
        ConfigError, match=r"^consumers/jsonl.file: .* is not in the folder of part 1/2: expected a path"
    ):
        run(tmp_path / "out", {"a": ANN, "b": BOB}, consumers, "run.shard=1/2")


def test_shards_with_relative_paths_merge_as_before(tmp_path: Path) -> None:
    out, consumers = tmp_path / "out", "[text: {folder: x/../release/t}, jsonl: {file: ./release/a.jsonl}]"
    for n in (1, 2):
        (out / f"shards/{n}-of-2/x").mkdir(parents=True)
        run(out, {"a": STANDING, "b": BOB}, consumers, f"run.shard={n}/2")
    (out / "x").mkdir(exist_ok=True)
    report = merging.merge(pipeline(out, {}, consumers))
    assert [f.document for f in report.failures] == ["a"] and b"Quellmore" not in released(out)


def test_another_way_to_write_the_path_deletes_nothing(tmp_path: Path) -> None:
    """A run that names the same folder differently does not take its own files for those of the run before."""
    out = tmp_path / "out"
    for path in ("release/x", f"{out}/release/x", "release/../release/x", "aside/x"):
        if path == "aside/x":
            (out / "aside").symlink_to("release")
        run(out, {"a": ANN, "b": BOB}, f"[text: {{folder: '{path}'}}, jsonl: {{file: '{path}/all.jsonl'}}]")
        names = sorted(p.name for p in (out / "release/x").iterdir())
        assert names == ["000001.txt", "000002.txt", "all.jsonl"], path


@pytest.mark.parametrize(
    "consumer", ["text: {{folder: '{}'}}", "jsonl: {{file: '{}/a'}}", "leaking_files: {{file: '{}/a'}}"]
)
def test_what_is_written_elsewhere_is_said(tmp_path: Path, consumer: str) -> None:
    """Also by a run that writes nothing to `release/`."""
    there = tmp_path / "there"
    there.mkdir()
    given = consumer.format(there)
    report = run(tmp_path / "out", {"a": ANN}, f"[{given}]")
    name = given.partition(":")[0]
    assert f"what {name} writes outside of release/" in report.scan.not_checked
    assert report.scan.state == "nothing in release/"
    report = run(tmp_path / "out", {"a": ANN}, f"[csv, {given}]")
    assert f"what {name} writes outside of release/" in report.scan.not_checked
    assert f"what {name} writes outside of release/" in manifest(tmp_path / "out")["scan"]["not_checked"]  # type: ignore[index]


def test_links_in_a_release_are_said_and_their_names_searched(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, {"a": ANN})
    (tmp_path / "elsewhere").write_text("x")
    (out / "release/Annabel Quellmore").symlink_to(tmp_path / "elsewhere")
    (out / "release/plain").symlink_to(tmp_path / "elsewhere")
    (out / "release/Quellmore, Annabel").mkdir()
    report = run(out, {"a": ANN})
    assert report.scan.moved == 2 and "a link: 1" in report.scan.not_checked
    assert sorted(p.name for p in (out / "release").iterdir()) == ["manifest.json", "plain", "text"]
    assert (tmp_path / "elsewhere").read_text() == "x"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("release/x", "release/x"),
        ("./release//x", "release/x"),
        ("restricted/x", "restricted/x"),
        ("{out}/release/x", "release/x"),
        ("../out/release/x", "release/x"),
        ("released/x", "released/x"),
        ("release/../restricted/x", "{top}/restricted/x"),
        ("../x", "{top}/x"),
        ("{top}/outside/release/x", "{top}/outside/release/x"),
        ("{top}/there/x", "release/x"),
        ("release/inner/x", "release/inner/x"),
        ("{out}", "."),
    ],
)
def test_places(tmp_path: Path, path: str, place: str) -> None:
    """`release` and a folder in it may be links to elsewhere."""
    out = tmp_path / "out"
    out.mkdir()
    (tmp_path / "there").mkdir()
    (tmp_path / "inner").mkdir()
    (out / "release").symlink_to(tmp_path / "there")
    (out / "release/inner").symlink_to(tmp_path / "inner")
    names = {"out": str(out), "top": str(tmp_path)}
    assert place_in(out, Path(path.format(**names))) == place.format(**names)


_LINES = "y.file: release/documents.jsonl is written by x too"
CLASHES = {
    "[jsonl: {id: x}, jsonl: {id: y, fields: [text]}]": _LINES,
    "[jsonl: {id: x}, csv: {id: y, file: ./release/../release/documents.jsonl}]": _LINES,
    "[text: {id: x}, text: {id: y}]": "y.folder: release/text is written by x too",
    "[text: {id: x}, text: {id: y, folder: '{out}/release/text'}]": "y.folder: release/text is written by x too",
    "[text: {id: x}, jsonl: {folder: release/text}]": "",
    "[jsonl: {id: x, folder: release/a}, jsonl: {id: y, folder: release/b}]": "",
    "[jsonl: {id: x}, parquet: {id: y}, csv: {id: z}, text]": "",
}


@pytest.mark.parametrize("consumers", CLASHES)
def test_two_consumers_do_not_write_one_output(tmp_path: Path, consumers: str) -> None:
    """The second would replace what the first wrote, without a word."""
    (tmp_path / "out/release").mkdir(parents=True)
    consumers = consumers.replace("{out}", str(tmp_path / "out"))
    if told := CLASHES[consumers.replace(str(tmp_path / "out"), "{out}")]:
        with pytest.raises(ConfigError, match=told):
            pipeline(tmp_path / "out", {"a": ANN}, consumers)
    else:
        assert run(tmp_path / "out", {"a": ANN}, consumers).documents.released == 1


def test_a_table_that_no_consumer_writes_any_more_leaves_the_release(tmp_path: Path) -> None:
    """A resumed run without the consumer cannot remove documents from its table."""
    out, table = tmp_path / "out", "sql: {url: 'sqlite:///release/n.db', fields: [id, text]}"
    run(out, {"a": "Peculiar {PERSON:Quellmore}.", "b": BOB}, f"[text, {table}]")
    report = run(out, {"a": "Peculiar {PERSON:Quellmore}. Quellmore."}, "[text]", "run.resume=true")
    assert [f.document for f in report.failures] == ["a"] and b"Peculiar" not in released(out)
    assert (out / "restricted/withdrawn/n.db").is_file()
    assert any(
        w.startswith("release/n.db was moved to restricted/withdrawn: no consumer of this run") for w in report.warnings
    )
    report = run(out, {}, f"[text, {table}]", "run.resume=true")
    assert (out / "release/n.db").is_file() and b"Peculiar" not in released(out)


@pytest.mark.attack("originals-under-release")
@pytest.mark.parametrize("inside", ["release", "release/deep/out", "../link/release/x"])
def test_no_run_writes_into_the_release_of_another(tmp_path: Path, inside: str) -> None:
    """Its `restricted/` would be part of that release."""
    out = tmp_path / "out"
    run(out, {"a": ANN})
    (tmp_path / "link").symlink_to("out")
    before = sorted(out.rglob("*"))
    with pytest.raises(ConfigError, match=r"^run\.output: .* is in release/ of .*: expected a folder outside of it"):
        pipeline(out, {}, "[xmi]", f"run.output={out / inside}").run()
    assert sorted(out.rglob("*")) == before
    (tmp_path / "release").mkdir()
    assert run(tmp_path / "release/out", {"a": ANN}).documents.released == 1  # not of a run


@pytest.mark.attack("originals-under-release")
@pytest.mark.parametrize("file", ["release/ledger.sqlite", "aside/ledger.sqlite"])
def test_no_ledger_in_a_release(tmp_path: Path, file: str) -> None:
    """It contains the ids of all documents."""
    out = tmp_path / "out"
    (out / "release").mkdir(parents=True)
    (out / "aside").symlink_to("release")
    with pytest.raises(
        ConfigError, match=r"^run\.ledger: .* is in release/, and contains ids: expected another folder"
    ):
        run(out, {"a": ANN}, "[text]", f"run.ledger={out / file}")
    assert run(out, {"a": ANN}, "[text]", f"run.ledger={tmp_path / 'ledger.sqlite'}").documents.released == 1


def test_what_stays_in_the_folders_of_shards_is_said_to_be_withdrawn(tmp_path: Path) -> None:
    out, consumers = tmp_path / "out", "[text, leaking_files: {form: tsv, file: release/own.tsv}]"
    texts = {"a": ANN, "b": "Annabel Quellmore.", "c": BOB}
    for n in (1, 2):
        run(out, texts, consumers, f"run.shard={n}/2")
    report = merging.merge(pipeline(out, texts, consumers))
    assert [f.document for f in report.failures] == ["b"]
    assert (
        "merge: what leaking_files wrote in shards/ contains 1 withdrawn document: do not release it" in report.warnings
    )


def test_a_message_names_no_file_whose_name_shows_a_value(tmp_path: Path) -> None:
    report = run(tmp_path / "out", {"Quellmore": STANDING, "b": BOB}, "[text]", "run.names=id")
    (failure,) = report.failures
    assert "in the name of a file" in failure.message and "in that file at byte 28" in failure.message
    assert "uellmore" not in failure.message
