"""`annotate`: the same as in this process, failures as rows, secrets nowhere but in the executors."""

from __future__ import annotations

import io
import shutil
import zipfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from caspipe.pipeline import Pipeline
from caspipe.pipeline.errors import ConfigError, ResourceError
from caspipe.pipeline.packaging.packing import pack
from caspipe.pipeline.running.runners.spark import annotate, engine
from caspipe.pipeline.running.runners.spark.annotating import TYPES
from caspipe.pipeline.running.runners.spark.shipping import ship
from caspipe.pipeline.storage.hashing import PACKAGE
from caspipe.typesystem import Cas, KnownPhi, MaskedSpan, PhiKind

from .conftest import EXECUTOR_KEY, KEY

pytestmark = pytest.mark.spark

RULES = """\
engines:
  - segmenter
  - known_phi
  - dates
  - identifiers
  - names
  - resolver
  - masker: {DATE: {shift: {days: [-365, 365], key: "${CASPIPE_KEY:-}"}}, default: placeholder}
"""
TROUBLE = """\
engines: [segmenter, dates, names, t_spark_trouble, resolver, masker]
run: {limits: {component_seconds: 4}}
"""
SITE = """\
engines:
  - segmenter
  - terms: {lexicon: medical}
  - lists: {lists: [wards.txt]}
  - dates
  - ages
  - identifiers
  - names
  - crf: {model: models/ours}
  - t_spark_trouble
  - resolver
  - masker
"""
TEXTS = {
    "plain": "Seen on 3/4/2020 by Dr. John Smith, call 617-555-0134.",
    "emoji": "\U0001f600 Seen by Dr. Smith \U0001f468\u200d\U0001f469 on 3/4/2020.",
    "accents": "Vu le 3/4/2020 par Dr. Jos\u00e9 \u00c5ngstr\u00f6m: \u00e9puis\u00e9e; \u65e5\u672c\u8a9e.",
    "empty": "",
    "blanks": " \n\t ",
    "nothing": "No findings.",
}


def frame(spark: Any, rows: list[tuple[Any, ...]], schema: str = "id string, text string") -> Any:
    return spark.createDataFrame(rows, schema)


def by_id(df: Any) -> dict[str | None, dict[str, Any]]:
    found = [row.asDict(recursive=True) for row in df.collect()]
    assert len({row["id"] for row in found}) == len(found)
    return {row["id"]: row for row in found}


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_rows_are_what_the_pipeline_makes_of_the_texts_here(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASPIPE_KEY", KEY)
    config = written(tmp_path / "rules.yaml", RULES)
    found = by_id(annotate(frame(spark, list(TEXTS.items())), config))
    with Pipeline.load(config) as pipeline:
        for name, text in TEXTS.items():
            masked = pipeline.process(Cas(text, id=name)).view("deidentified")
            row = found[name]
            assert (row["status"], row["reason"], row["text"]) == ("released", None, masked.text)
            assert row["spans"] == [
                {"begin": s.begin, "end": s.end, "kind": s.kind.name, "operator": s.operator}
                for s in masked.select(MaskedSpan)
            ]
            assert sum(row["counts"].values()) == len(row["spans"])
    assert found["plain"]["text"].endswith("by Dr. [PERSON], call [PHONE].")
    assert found["plain"]["counts"] == {"DATE": 1, "PERSON_DOCTOR": 1, "PHONE": 1}
    assert len({row["fingerprint"] for row in found.values()}) == 1


def test_the_result_has_the_columns_that_were_asked_for(spark: Any, tmp_path: Path) -> None:
    config = written(tmp_path / "rules.yaml", RULES)
    df = frame(spark, [("a", "Dr. Smith")])
    whole = annotate(df, config)
    assert {field.name: field.dataType.simpleString() for field in whole.schema} == TYPES
    some = annotate(df, config, columns=["text", "id"])
    assert some.columns == ["text", "id"]
    assert [tuple(row) for row in some.collect()] == [("Dr. [PERSON]", "a")]


def test_what_is_no_document_is_a_row_with_its_reason(spark: Any, tmp_path: Path) -> None:
    config = written(tmp_path / "rules.yaml", RULES)
    rows = [("good", "Dr. Smith"), ("null", None), ("  ", "Dr. Smith"), (None, "Dr. Smith"), ("bytes", "Dr. Smith")]
    df = frame(spark, rows).selectExpr("id", "if(id = 'bytes', cast(unhex('44722EFF') as string), text) as text")
    found = by_id(annotate(df, config))
    assert {name: (row["status"], row["reason"]) for name, row in found.items()} == {
        "good": ("released", None),
        "null": ("quarantined", "unreadable"),
        "  ": ("quarantined", "unreadable"),
        None: ("quarantined", "unreadable"),
        "bytes": ("quarantined", "unreadable"),
    }
    assert found["null"]["message"].endswith("field text: expected text, found nothing")
    assert found["bytes"]["message"].endswith("a value that cannot be read: expected UTF-8")
    assert found["null"]["text"] is None
    assert found["null"]["spans"] is None


def test_a_document_that_fails_is_a_row_and_the_job_goes_on(spark: Any, tmp_path: Path, trouble: Path) -> None:
    config = written(tmp_path / "trouble.yaml", TROUBLE)
    whats = ["raises", "recurses", "hogs", "exits", "sleeps"]
    rows = [(what, f"Dr. Smith, trouble={what}.") for what in whats] + [(f"good{n}", "Dr. Smith") for n in range(20)]
    found = by_id(annotate(frame(spark, rows).coalesce(1), config))
    assert {what: (found[what]["reason"], found[what]["cause"]) for what in whats} == {
        "raises": ("error", "KeyError"),
        "recurses": ("error", "RecursionError"),
        "hogs": ("memory", "MemoryError"),
        "exits": ("crash", "SystemExit"),
        "sleeps": ("time", "TimeLimitError"),
    }
    for what in whats:
        row = found[what]
        assert (row["status"], row["component"], row["text"]) == ("quarantined", "t_spark_trouble", None)
        assert "Smith" not in str(row)
    assert all(found[f"good{n}"]["text"] == "Dr. [PERSON]" for n in range(20))


def test_a_pipeline_that_masks_nothing_releases_nothing(spark: Any, tmp_path: Path) -> None:
    config = written(tmp_path / "bare.yaml", "engines: [segmenter, names]\n")
    (row,) = annotate(frame(spark, [("a", "Dr. Smith")]), config).collect()
    assert (row.status, row.text) == ("quarantined", None)
    assert "no masker ran" in row.message


def test_what_the_leak_gate_refuses_is_quarantined(spark: Any, tmp_path: Path) -> None:
    config = written(tmp_path / "leaking.yaml", "engines: [segmenter, dates, masker, leak_gate: {repair: false}]\n")
    texts = [("a", "Seen on 3/4/2020, call 617-555-0134."), ("b", "Seen on 3/4/2020.")]
    found = by_id(annotate(frame(spark, texts), config))
    assert (found["b"]["status"], found["b"]["text"]) == ("released", "Seen on [DATE].")
    row = found["a"]
    assert (row["status"], row["reason"], row["component"]) == ("quarantined", "leak", "leak_gate")
    assert (row["text"], row["spans"], row["counts"]) == (None, None, None)
    assert row["message"].startswith("leak_gate: LeakError: 1 leak: rules PHONE 1; in the original text at PHONE ")


def test_metadata_and_known_phi_come_from_columns(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASPIPE_KEY", KEY)
    config = written(tmp_path / "rules.yaml", RULES)
    text = "wolkenstein came on 3/4/2020."
    df = frame(
        spark, [("a", text, "p1", "Wolkenstein")], "id string, `the text` string, patient string, `p.name` string"
    )
    given = annotate(df, config, text="the text", metadata=["patient"], known={"p.name": "PERSON_PATIENT"})
    (row,) = given.collect()
    with Pipeline.load(config) as pipeline:
        cas = Cas(text, id="a")
        cas.metadata["patient"] = "p1"
        cas.add(KnownPhi(kind=PhiKind.PERSON_PATIENT, value="Wolkenstein", provenance="p.name", role="patient"))
        assert row.text == pipeline.process(cas).deidentified
    assert row.text.startswith("[PERSON] came on ")
    assert "3/4/2020" not in row.text


def test_columns_that_are_missing_are_told_at_once(spark: Any, tmp_path: Path) -> None:
    config = written(tmp_path / "rules.yaml", RULES)
    with pytest.raises(ConfigError) as told:
        annotate(frame(spark, [("a", "b")]), config, text="texts", metadata=["ward"], columns=["id", "spam"])
    assert str(told.value).splitlines() == [
        "annotate.columns: no such column 'spam'; did you mean spans?",
        "annotate: the DataFrame has no column texts; did you mean text?",
        "annotate: the DataFrame has no column ward",
    ]
    with pytest.raises(ConfigError, match="known_phi"):
        annotate(frame(spark, [("a", "b")]), config, known={"id": "PERSONN"})


def test_empty_partitions_make_no_rows(spark: Any, tmp_path: Path) -> None:
    config = written(tmp_path / "rules.yaml", RULES)
    assert annotate(frame(spark, []), config).collect() == []
    one = frame(spark, [("a", "Dr. Smith")]).repartition(4)
    assert [row.text for row in annotate(one, config).collect()] == ["Dr. [PERSON]"]


def test_the_key_of_this_process_gets_to_the_executors_and_nowhere_else(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = written(tmp_path / "rules.yaml", RULES)
    df = frame(spark, [("a", TEXTS["plain"])])
    monkeypatch.setenv("CASPIPE_KEY", KEY)
    out = annotate(df, config, columns=["text"])
    with Pipeline.load(config) as pipeline:
        expected = pipeline.process(Cas(TEXTS["plain"], id="a")).deidentified
    assert "[DATE]" not in expected
    monkeypatch.delenv("CASPIPE_KEY")
    plan = io.StringIO()
    with redirect_stdout(plan):
        out.explain(True)
    assert "MapInArrow" in plan.getvalue()
    told = [plan.getvalue(), str(out._jdf.queryExecution().toString()), str(spark.sparkContext.getConf().getAll())]
    files = [Path(name) for name in spark.sparkContext.listFiles]
    assert files
    for file in files:
        with zipfile.ZipFile(str(file).removeprefix("file:")) as archive:
            told += [archive.read(name).decode("latin-1") for name in archive.namelist()]
    assert not [text for text in told if KEY in text]
    assert [row.text for row in out.collect()] == [expected]


def test_the_key_may_be_in_the_environment_of_the_executors_only(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = written(tmp_path / "rules.yaml", RULES.replace("CASPIPE_KEY", "CASPIPE_EXECUTOR_KEY"))
    (row,) = annotate(frame(spark, [("a", TEXTS["plain"])]), config).collect()
    monkeypatch.setenv("CASPIPE_EXECUTOR_KEY", EXECUTOR_KEY)
    with Pipeline.load(config) as pipeline:
        assert row.text == pipeline.process(Cas(TEXTS["plain"], id="a")).deidentified
    assert "[DATE]" not in row.text


def test_models_lists_and_plug_ins_travel(spark: Any, tmp_path: Path, trouble: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(PACKAGE / "configs" / "models" / "en-phi-crf", site / "models" / "ours")
    written(site / "wards.txt", "Heron\n")
    config = written(site / "site.yaml", SITE)
    text = "Anna Berg, in Heron."
    with Pipeline.load(config) as pipeline:
        expected = pipeline.process(text).deidentified
        assert "Berg" not in expected
        out = annotate(frame(spark, [("a", text)]), pipeline)
    shutil.rmtree(site)
    assert [row.text for row in out.collect()] == [expected]


@pytest.mark.filterwarnings("ignore:.*not signed by a key you trust:UserWarning")
@pytest.mark.usefixtures("no_plugins")
def test_a_bundle_is_shipped_as_it_is(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = pack(written(tmp_path / "rules.yaml", RULES), tmp_path / "rules.zip")
    out = annotate(frame(spark, [("a", "Dr. Smith")]), packed.path, columns=["text"])
    assert any(packed.digest[:32] in name for name in spark.sparkContext.listFiles)
    assert [row.text for row in out.collect()] == ["Dr. [PERSON]"]


def test_another_bundle_in_its_place_is_refused(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ticket = ship(spark, written(tmp_path / "rules.yaml", RULES))
    other = ship(spark, written(tmp_path / "other.yaml", RULES + "  - leak_gate\n"))
    import pyspark

    monkeypatch.setattr(
        pyspark.SparkFiles, "get", staticmethod(lambda name, get=pyspark.SparkFiles.get: get(other.file))
    )
    with pytest.raises(ResourceError, match=f"expected a manifest with SHA-256 {ticket.digest}, found {other.digest}"):
        engine.load_assembly(ticket)
