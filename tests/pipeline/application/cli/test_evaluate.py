"""`caspipe evaluate` as a person meets it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app

NOTE = "Seen on 3/4/2020 by Dr. Featherstone, aged 65 years."
GOLD = [(8, 16, "DATE"), (24, 36, "PERSON_DOCTOR"), (43, 51, "AGE")]


def evaluate(*arguments: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["evaluate", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.output


def collection(path: Path, spans: list[tuple[int, int, str]], ids: str = "abcd") -> Path:
    listed = [{"begin": b, "end": e, "kind": k} for b, e, k in spans]
    lines = [json.dumps({"id": i, "text": NOTE, "spans": listed}) for i in ids]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return collection(tmp_path / "gold.jsonl", GOLD)


@pytest.fixture
def system(tmp_path: Path) -> Path:
    return collection(tmp_path / "system.jsonl", [(8, 16, "DATE"), (20, 36, "PERSON")])


def rows(path: Path) -> dict[tuple[str, str, str], dict[str, object]]:
    return {(r["scheme"], r["criterion"], r["kind"]): r for r in json.loads(path.read_text())["rows"]}


def line(output: str, *begins: str) -> list[str]:
    return next(cells for cells in map(str.split, output.splitlines()) if cells[: len(begins)] == list(begins))


def test_two_collections_are_compared_document_by_document(gold: Path, system: Path, tmp_path: Path) -> None:
    out = evaluate(
        "--gold",
        gold,
        "--system",
        system,
        "--reader",
        "jsonl",
        "--json",
        tmp_path / "s.json",
        "--csv",
        tmp_path / "s.csv",
    )
    assert "criteria, 4 documents" in out
    assert line(out, "strict", "AGE") == ["strict", "AGE", "4", "0", "0", "0", "4", "undefined", "0.000", "undefined"]
    found = rows(tmp_path / "s.json")
    assert found["", "strict", "micro"]["recall"] == 1 / 3
    assert found["", "covering", "PERSON"]["recall"] == 1
    assert found["", "documents", "micro"]["score"] == 0
    with (tmp_path / "s.csv").open() as file:
        assert len(list(csv.DictReader(file))) == len(found)
    for text in (out, (tmp_path / "s.json").read_text(), (tmp_path / "s.csv").read_text()):
        assert "Featherstone" not in text


def test_schemes_levels_and_criteria_can_be_chosen(gold: Path, system: Path, tmp_path: Path) -> None:
    both = ("--gold", gold, "--system", system, "--reader", "jsonl", "--json", tmp_path / "s.json")
    evaluate(*both, "--scheme", "i2b2-2014", "--scheme", "meddocan")
    found = rows(tmp_path / "s.json")
    assert found["i2b2-2014", "strict", "DATE"]["f1"] == 1
    assert found["meddocan", "leak", "micro"]["score"] == 8 / 4  # one sentence each, counted by the segmenter
    assert not [key for key in found if not key[0]]
    evaluate(*both, "--criterion", "overlapping", "--level", "kind")
    found = rows(tmp_path / "s.json")
    assert {criterion for _, criterion, _ in found} == {"overlapping"}
    assert found["", "overlapping", "micro"]["recall"] == 1 / 3


def test_sentences_can_be_counted_in_files_beside(gold: Path, system: Path, tmp_path: Path) -> None:
    (tmp_path / "split").mkdir()
    for name in "abc":
        (tmp_path / "split" / f"{name}.ann").write_text("one\ntwo\n", encoding="utf-8")
    given = (
        "--gold",
        gold,
        "--system",
        system,
        "--reader",
        "jsonl",
        "--scheme",
        "meddocan",
        "--sentences",
        tmp_path / "split",
    )
    assert "d.ann: sentences cannot be counted: No such file or directory" in evaluate(*given, code=4)
    (tmp_path / "split" / "d.ann").write_text("one\ntwo\n", encoding="utf-8")
    evaluate(*given, "--json", tmp_path / "s.json")
    assert rows(tmp_path / "s.json")["meddocan", "leak", "micro"]["score"] == 1


def test_sentences_are_found_where_meddocans_script_has_them(
    gold: Path, system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = tmp_path / "gold" / "dev"
    corpus.mkdir(parents=True)
    gold = gold.rename(corpus / gold.name)
    given = (
        "--gold",
        gold,
        "--system",
        system,
        "--reader",
        "jsonl",
        "--scheme",
        "meddocan",
        "--json",
        tmp_path / "s.json",
    )
    assert "leak: misses per sentence; sentences of the segmenter" in evaluate(*given)
    folder = tmp_path / "annotated_corpora" / "sentence_splitted"
    folder.mkdir(parents=True)
    for name in "abc":
        (folder / f"{name}.ann").write_bytes(b"one\ntwo\r\nthree\rfour\n")
    assert f"sentences of {folder}" in evaluate(*given)
    assert rows(tmp_path / "s.json")["meddocan", "leak", "micro"]["score"] is None  # as for the script, that says NA
    (folder / "d.ann").write_bytes(b"one\ntwo\nthree\nfour")
    out = evaluate(*given)
    assert rows(tmp_path / "s.json")["meddocan", "leak", "micro"]["score"] == 8 / 16
    assert "0.5000" in out  # schemes are printed with as many digits as their scripts do
    monkeypatch.chdir(tmp_path)
    assert "sentences of annotated_corpora" in evaluate(*given)


def test_missing_documents_are_counted_and_named(gold: Path, tmp_path: Path) -> None:
    fewer = collection(tmp_path / "fewer.jsonl", GOLD, "cdxyz")
    out = evaluate("--gold", gold, "--system", fewer, "--reader", "jsonl", code=4)
    assert f"2 of 4 documents of {gold} are not in {fewer}: a, b" in out
    assert f"3 of 5 documents of {fewer} are not in {gold}: x, y, z" in out


def test_documents_that_cannot_be_read_are_an_error(gold: Path, tmp_path: Path) -> None:
    damaged = collection(tmp_path / "damaged.jsonl", [(8, 99, "DATE")])
    out = evaluate("--gold", gold, "--system", damaged, "--reader", "jsonl", code=4)
    assert "4 documents could not be read; the first is a: " in out
    assert "Featherstone" not in out
    one = collection(tmp_path / "one.jsonl", [(8, 99, "DATE")], "a")
    assert "document a could not be read: " in evaluate("--gold", one, "--system", gold, "--reader", "jsonl", code=4)


def test_no_documents_have_no_figures(tmp_path: Path) -> None:
    empty = collection(tmp_path / "empty.jsonl", [], "")
    out = evaluate("--gold", empty, "--system", empty, "--reader", "jsonl", code=4)
    assert "no documents to score" in out


def test_overlapping_spans_of_a_system_count_as_it_gave_them_and_those_of_a_reference_are_an_error(
    gold: Path, tmp_path: Path
) -> None:
    twice = collection(tmp_path / "twice.jsonl", [(8, 16, "DATE"), (8, 12, "DATE"), (8, 16, "ID")])
    json_file = ("--json", tmp_path / "s.json")
    schemes = ("--scheme", "i2b2-2014", "--scheme", "meddocan")
    evaluate("--gold", gold, "--system", twice, "--reader", "jsonl", *schemes, *json_file)
    found = rows(tmp_path / "s.json")
    assert [found["i2b2-2014", "strict", "micro"][n] for n in ("tp", "fp", "fn")] == [4, 8, 8]
    assert [found["meddocan", "spans", "micro"][n] for n in ("tp", "fp", "fn")] == [4, 4, 8]
    swapped = ("--gold", twice, "--system", gold, "--reader", "jsonl")
    assert "overlap; `overlaps` can say which to keep" in evaluate(*swapped, code=4)
    evaluate(*swapped, "--set", "reader.jsonl.overlaps=keep", "--criterion", "strict", *json_file)
    assert rows(tmp_path / "s.json")["", "strict", "micro"]["gold"] == 12


def test_two_documents_of_one_id_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "twins.py").write_text(
        "from caspipe.pipeline.contract.component import CollectionReader, component\n"
        "from caspipe.typesystem import Cas\n"
        "@component('twins')\n"
        "class Twins(CollectionReader):\n"
        "    folder: str = ''\n"
        "    def __iter__(self):\n"
        "        for _ in range(2):\n"
        "            cas = Cas('x', id='a')\n"
        "            cas.create_view('gold', 'x')\n"
        "            yield cas\n",
        encoding="utf-8",
    )
    given = ("--gold", tmp_path, "--system", tmp_path, "--reader", "twins", "--plugin", tmp_path / "twins.py")
    assert f"{tmp_path}: two documents have the id a" in evaluate(*given, code=4)


def test_chunks_of_conll_files_are_of_the_files_own_tokens(tmp_path: Path) -> None:
    for name, second in (("gold", "B-LOC"), ("system", "O")):
        (tmp_path / name).mkdir()
        lines = f"can't O\n1/2/3@x B-PER\nNew-York {second}\n. O\n"
        (tmp_path / name / "part.conll").write_text(lines, encoding="utf-8")
    given = ("--gold", tmp_path / "gold", "--system", tmp_path / "system", "--reader", "conll", "--scheme", "conll")
    evaluate(*given, "--json", tmp_path / "s.json")
    found = rows(tmp_path / "s.json")
    assert found["conll", "accuracy", "micro"]["gold"] == 4
    assert found["conll", "accuracy", "micro"]["score"] == 3 / 4
    assert found["conll", "chunk", "micro"]["recall"] == 1 / 2


def test_labels_can_be_mapped_and_dropped(tmp_path: Path) -> None:
    gold = collection(tmp_path / "gold.jsonl", [(8, 16, "TIME"), (24, 36, "PERSON")])
    given = ("--gold", gold, "--system", gold, "--reader", "jsonl")
    assert "no PHI kind called 'TIME'" in evaluate(*given, code=4)
    evaluate(*given, "--kinds", "TIME=DATE", "--json", tmp_path / "s.json")
    assert ("", "strict", "DATE") in rows(tmp_path / "s.json")
    assert "--kinds TIME: expected LABEL=KIND" in evaluate(*given, "--kinds", "TIME", code=2)


def test_intervals_are_drawn_from_the_seed(gold: Path, system: Path, tmp_path: Path) -> None:
    given = ("--gold", gold, "--system", system, "--reader", "jsonl", "--bootstrap", "50", "--criterion", "strict")
    out = evaluate(*given, "--json", tmp_path / "s.json")
    assert "0.333 [0.333, 0.333]" in out
    assert rows(tmp_path / "s.json")["", "strict", "micro"]["recall_low"] == pytest.approx(1 / 3)
    assert evaluate(*given) == out
    assert evaluate(*given, "--by-group") == out
    assert "0.333 [0.138, 0.609]" in evaluate(*given, "--wilson")


def test_two_systems_are_tested_against_each_other(gold: Path, system: Path, tmp_path: Path) -> None:
    out = evaluate(
        "--gold",
        gold,
        "--system",
        system,
        "--compare",
        gold,
        "--reader",
        "jsonl",
        "--criterion",
        "strict",
        "--json",
        tmp_path / "s.json",
    )
    assert "second system less the first" in out
    assert line(out, "strict", "micro", "recall")[3:6] == ["0.333", "1.000", "+0.667"]
    found = json.loads((tmp_path / "s.json").read_text())["comparisons"]
    one = next(c for c in found if (c["kind"], c["figure"]) == ("micro", "recall"))
    assert one["difference"] == pytest.approx(2 / 3)
    assert 0.05 < one["p"] < 0.3  # four documents are few


def test_a_pipeline_is_scored_on_what_its_reader_brings(gold: Path, tmp_path: Path) -> None:
    config = tmp_path / "p.yaml"
    config.write_text(
        f"reader: {{jsonl: {{files: {gold}, spans_field: spans}}}}\n"
        "engines: [segmenter, dates, ages, masker]\n"
        "consumers: [{text: {folder: release}}]\n"
        f"run: {{output: {tmp_path / 'out'}, limit: 3}}\n",
        encoding="utf-8",
    )
    out = evaluate(config, "--json", tmp_path / "s.json")
    assert "criteria, 3 documents" in out
    found = rows(tmp_path / "s.json")
    assert found["", "strict", "DATE"]["f1"] == found["", "overlapping", "AGE"]["f1"] == 1
    assert found["", "strict", "PERSON"]["recall"] == 0
    assert not (tmp_path / "out").exists()
    assert "no view gold" in evaluate(config, "--set", "reader.jsonl.spans_field=none", code=4)


def test_tabs_own_files_are_read(tmp_path: Path) -> None:
    mention = {
        "entity_type": "DATETIME",
        "entity_id": "e1",
        "identifier_type": "QUASI",
        "start_offset": 8,
        "end_offset": 16,
    }
    document = {"doc_id": "001", "text": NOTE, "annotations": {"annotator1": {"entity_mentions": [mention]}}}
    (tmp_path / "gold.json").write_text(json.dumps([document]), encoding="utf-8")
    (tmp_path / "masked.json").write_text(json.dumps({"001": [[8, 16], [43, 51]]}), encoding="utf-8")
    given = (
        "--gold",
        tmp_path / "gold.json",
        "--system",
        tmp_path / "masked.json",
        "--reader",
        "tab",
        "--scheme",
        "tab",
    )
    evaluate(*given, "--json", tmp_path / "s.json")
    found = rows(tmp_path / "s.json")
    assert found["tab", "entity", "QUASI"]["recall"] == 1
    assert found["tab", "mention", "micro"]["precision"] == 1 / 2
    assert found["tab", "entity", "DIRECT"]["recall"] is None
    (tmp_path / "masked.json").write_text(json.dumps({"002": []}), encoding="utf-8")
    assert "1 of 1 documents of" in evaluate(*given, code=4)
    (tmp_path / "gold.json").write_text(json.dumps([document, document]), encoding="utf-8")
    assert "gold.json: two documents have the id 001" in evaluate(*given, code=4)
    (tmp_path / "gold.json").write_text(json.dumps([document]), encoding="utf-8")
    (tmp_path / "masked.json").write_text(json.dumps({"001": [[8, 999]]}), encoding="utf-8")
    assert "document 1: masked span 1: 8:999 is not a span of the text (0:52)" in evaluate(*given, code=4)
    (tmp_path / "masked.json").write_text('{"001": [[8, 16', encoding="utf-8")
    assert "masked.json: not valid JSON" in evaluate(*given, code=4)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ([], "expected a CONFIG, or --gold and --system; --gold and --system missing"),
        (["--gold", "g"], "expected a CONFIG, or --gold and --system; --system missing"),
        (["p.yaml", "--gold", "g", "--system", "s"], "expected a CONFIG, or --gold and --system; got both"),
        (["p.yaml", "--gold", "g", "--reader", "tab"], "--reader: tab goes with --gold and --system"),
        (
            ["p.yaml", "--gold", "shipped:phi-notes-def"],
            "--gold: no shipped corpus 'phi-notes-def'; did you mean phi-notes-dev?",
        ),
        (["deidentify", "--scheme", "i2b2-2012"], "no scheme called 'i2b2-2012'; did you mean i2b2-2014?"),
        (["deidentify", "--criterion", "lax"], "no criterion called 'lax'; expected one of strict, covering"),
        (["deidentify", "--level", "tops"], "no level called 'tops'; did you mean top?"),
        (["deidentify", "--kinds", "A=DATE"], "--kinds: goes with --gold; a pipeline's reader has a parameter `kinds`"),
        (["--gold", "g", "--system", "s", "--reader", "i2b3"], "no reader called 'i2b3'; did you mean i2b2?"),
    ],
)
def test_wrong_usage_is_told_at_once(arguments: list[str], what: str) -> None:
    assert what in evaluate(*arguments, code=2)


def test_help_has_examples() -> None:
    out = evaluate("--help")
    assert "Examples:" in out
    assert "--compare" in out
