"""Regression tests for the findings of the fuzz tests, each as a minimal case."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from damage_zip import packed
from format_samples import lines, reviewed
from laws import Read, read
from secret import SECRET
from seeds import BARE, BARE_SPANS

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.lexicon.compiled import compile_terms
from caspipe.annotators.lexicon.term import Term, TermSource
from caspipe.annotators.patterns.rule_file import RuleFile
from caspipe.annotators.sequence.arrays import unpack
from caspipe.annotators.sequence.features.embedding import Vectors
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.pipeline import Pipeline
from caspipe.pipeline.application.experiment.reading import read_plan
from caspipe.pipeline.assembly import shipped
from caspipe.pipeline.errors import ConfigError, ResourceError

pytestmark = pytest.mark.slow


def of(reader: str, folder: Path, name: str, data: bytes, **options: object) -> Read:
    (folder / name).write_bytes(data)
    return read(reader, {"folder": folder, **options}, folder)


def only(found: Read, folder: Path) -> str:
    (said,) = found.failed
    assert found.documents == []
    return said.replace(str(folder), "")


# -- readers ---------------------------------------------------------------------------------------------------------


def test_an_exported_document_whose_first_byte_is_lost_has_failed(tmp_path: Path) -> None:
    found = of("inception", tmp_path, "a.zip", reviewed(BARE, BARE_SPANS)[1:])
    assert "damaged or cut off" in only(found, tmp_path)


def test_a_member_whose_name_is_in_no_encoding_is_damaged(tmp_path: Path) -> None:
    data = packed([("é.txt", BARE.encode())], zipfile.ZIP_STORED).replace("é".encode(), b"\xff\xff", 1)
    (tmp_path / "a.zip").write_bytes(data)
    found = read("text", {"folder": tmp_path / "a.zip"}, tmp_path)
    assert only(found, tmp_path) == "/a.zip!/é.txt: its data in the archive are damaged or cut off"


def test_an_age_of_5000_digits_is_known_of_nobody(tmp_path: Path) -> None:
    data = f"VAERS_ID,STATE,AGE_YRS,SYMPTOM_TEXT\r\n1,OH,{'9' * 5000},Well.\r\n".encode()
    found = of("vaers", tmp_path, "2026VAERSDATA.csv", data)
    assert (found.ids, found.failed) == (["1/SYMPTOM_TEXT"], [])


def test_words_of_conll_u_are_counted_from_one(tmp_path: Path) -> None:
    found = of("conll", tmp_path, "a.conllu", b"0\tIvy\t_\t_\t_\t_\t_\t_\t_\t_\n", format="conllu")
    assert only(found, tmp_path) == "/a.conllu, line 1: expected a number from 1 on as ID"


def test_columns_that_a_file_names_are_reported_only_where_they_are_no_text(tmp_path: Path) -> None:
    found = of("conll", tmp_path, "a.conllu", f"# global.columns = ID {SECRET}\n1\tIvy\tx\n".encode(), format="conllu")
    assert only(found, tmp_path) == "/a.conllu: no column called FORM; columns: ID"


def test_a_value_of_fhir_may_be_of_any_type(tmp_path: Path) -> None:
    for n, extra in enumerate(({"x": {"value": "1", "system": {"a": 1}}}, {"code": {"coding": [{"code": [1]}]}})):
        found = of("fhir", tmp_path, f"{n}.json", json.dumps({"resourceType": "Patient", "id": "a", **extra}).encode())
        assert found.raised == ""
    found = of("fhir", tmp_path, "2.json", b'{"resourceType": ["Patient"], "a": {"resourceType": "Patient"}}')
    assert found.raised == ""


def test_fhir_nested_beyond_all_measure_has_failed(tmp_path: Path) -> None:
    deep = '{"extension":[' * 400 + "{}" + "]}" * 400
    data = f'{{"resourceType": "Patient", "id": "a", "extension": [{deep}]}}'.encode()
    assert "nested too deeply" in only(of("fhir", tmp_path, "a.json", data), tmp_path)


def test_lines_of_json_without_end_are_reported_one_by_one(tmp_path: Path) -> None:
    found = of("jsonl", tmp_path, "a.jsonl", lines(b"[" * 50_000, {"id": "a", "text": "Well."}))
    assert (found.ids, len(found.failed)) == (["a"], 1)


# -- configurations ----------------------------------------------------------------------------------------------------

SET = {
    "run.limit=!!bool x": "run.limit",
    "run.limit=!!timestamp x": "run.limit",
    "run.limit=!!binary ===": "run.limit",
    f"models.crf.model={'x' * 5_000}": "models/crf.model",
}


@pytest.mark.parametrize("override", SET, ids=[n[:25] for n in SET])
def test_what_is_set_to_something_odd_is_reported_of(override: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Pipeline.load(shipped.locate("deidentify"), [override])
    assert [f.where for f in caught.value.faults] == [SET[override]]


ODD = {
    "engines: ['..segmenter:X']": "cannot import ..segmenter: TypeError",
    "engines: ['this_breaks:X']": "cannot import this_breaks: ZeroDivisionError",
    "engines: ['this_looks_for_more:X']": "cannot import this_looks_for_more: AttributeError",
    'engines: [include: "a\\0b.yaml"]': "expected the name of a YAML file",
    "engines: [include: /dev/zero]": "expected at most 10,000,000 bytes, found more",
    f"resources: {{a: {'x' * 5_000}}}": "cannot look for a file of that name: File name too long",
}


@pytest.mark.parametrize("text", ODD, ids=[n[:30].replace("\\", "") for n in ODD])
def test_an_odd_name_in_a_configuration_is_reported_with_its_line(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "this_breaks.py").write_text("1 / 0\n")
    (tmp_path / "this_looks_for_more.py").write_text("import sys\nsys.no_such_thing\n")
    (tmp_path / "p.yaml").write_text(f"name: a\n{text}\n")
    with pytest.raises(ConfigError) as caught:
        Pipeline.load(tmp_path / "p.yaml")
    (fault,) = caught.value.faults
    assert ODD[text] in fault.what
    assert (fault.file, fault.line) == (str(tmp_path / "p.yaml"), 2)


def test_a_secret_in_the_place_of_a_name_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASPIPE_KEY", SECRET)
    text = "engines: [segmenter, {veto: {sources: [segmenter, '${CASPIPE_KEY}']}}]\n"
    with pytest.raises(ConfigError) as caught:
        Pipeline.parse(text)
    assert "veto.sources: no component or aggregate called the value of CASPIPE_KEY" in str(caught.value)
    assert SECRET not in str(caught.value)


# -- resources and experiments ---------------------------------------------------------------------------------------------


def _lexicon(name: str, data: bytes) -> Callable[[Path], object]:
    def load(folder: Path) -> object:
        (folder / name).write_bytes(data)
        return Lexicon.load(str(folder / name))

    return load


def _ragged(folder: Path) -> object:
    (folder / "v.txt").write_text("fever 1 2 3\nmg 1\n")
    return Vectors.load(str(folder / "v.txt"))


def _odd_header(folder: Path) -> object:
    with zipfile.ZipFile(folder / "v.npz", "w") as archive:
        archive.writestr("words.npy", b"\x93NUMPY\x01\x00\x02\x00{(")
    return Vectors.load(str(folder / "v.npz"))


def _wrong_lzma(folder: Path) -> object:
    data = packed([("model.json", b"{}" * 50)], zipfile.ZIP_LZMA)
    at = data.index(b"model.json") + len(b"model.json") + 4 + 5
    (folder / "m.zip").write_bytes(data[:at] + b"\xff" * 6 + data[at + 6 :])
    return LinearModel.load(str(folder / "m.zip"))


def _not_an_array(folder: Path) -> object:
    path = folder / "network.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", b"no array")
    try:
        return unpack(path.read_bytes())
    except ValueError as error:
        raise ResourceError(f"{path}: {error}") from error


def _odd_lexicon(name: str, data: bytes) -> Callable[[Path], object]:
    def load(folder: Path) -> object:
        compile_terms([TermSource("ours", iter([Term("ill")]))], "ours").save(folder)
        (folder / name).write_bytes(data)
        return Lexicon.load(str(folder))

    return load


def _rules(text: str) -> Callable[[Path], object]:
    def load(folder: Path) -> object:
        (folder / "r.yaml").write_text(text)
        return RuleFile.load(str(folder / "r.yaml"))

    return load


def _experiment(text: str) -> Callable[[Path], object]:
    def load(folder: Path) -> object:
        (folder / "e.yaml").write_text(text)
        return read_plan(folder / "e.yaml")

    return load


NO_LEXICON = ": not a compiled lexicon ("
_MODELS = "models: {a: {trainer: {crf_trainer: {kinds: [DATE], features: [5]}}, annotator: crf}}\n"
_CORPORA = "corpora: {a: {reader: {synthetic: {documents: 5}}, engines: [segmenter]}}\n"
DAMAGED: dict[str, tuple[Callable[[Path], object], str]] = {
    "a term with a NUL": (_lexicon("t.txt", b"ill\nfe\0ver\n"), "/t.txt:2: expected text, found a NUL character"),
    "a cell with a NUL": (
        _lexicon("t.csv", b'term,code\n"a, b",C1\nfe\0ver,C2\n'),
        "/t.csv:3: expected text, found a NUL character",
    ),
    "a column that no row has": (
        _lexicon("t.csv", b'term,"gro\nup"\nfever,C1\n'),
        "/t.csv:1: expected a header with term, gro; no gro",
    ),
    "vectors of different lengths": (_ragged, "/v.txt:2: expected a word and 3 numbers"),
    "an array with an odd header": (_odd_header, "/v.npz: expected an npz archive with the arrays words"),
    "a zipped model with damaged LZMA": (_wrong_lzma, "/m.zip: expected a folder or a zip archive: damaged"),
    "a network with a file that is not an array": (_not_an_array, "/network.npz: weights: expected numbers"),
    "a compiled lexicon with an odd header": (_odd_lexicon("rows.npy", b"\x93NUMPY\x01\x00\x02\x00{("), NO_LEXICON),
    "a compiled lexicon that describes itself otherwise": (_odd_lexicon("lexicon.json", b"[1]"), NO_LEXICON),
    "a compiled lexicon of lists without names": (
        _odd_lexicon("lexicon.json", b'{"version": 3, "terms": 1, "lists": [{}]}'),
        NO_LEXICON,
    ),
    "rules with a tag that does not fit": (_rules("rules: !!bool x\n"), "/r.yaml:1: invalid YAML: not a valid !!bool"),
    "rules with a day that is none": (
        _rules("rules:\n- 2020-99-99\n"),
        "/r.yaml:2: invalid YAML: not a valid !!timest",
    ),
    "rules whose aliases multiply": (
        _rules("a: &a [x, x]\n" + "".join(f"{b}: &{b} [{f'*{a}, ' * 10}]\n" for a, b in pairwise("abcdefg"))),
        "/r.yaml: invalid YAML: more than 100000 values: do aliases (*name) multiply?",
    ),
    "rules nested beyond all measure": (
        _rules("[" * 90_000 + "]" * 90_000),
        "/r.yaml: invalid YAML: nested too deeply",
    ),
    "an experiment nested beyond all measure": (
        _experiment("- " * 90_000 + "a"),
        "/e.yaml: nested more than 100 deep",
    ),
    "an experiment without corpora": (
        _experiment("experiment: ranking\n" + _MODELS.replace("[5]", "[lower]")),
        "/e.yaml:1: corpora: expected at least one corpus",
    ),
    "an ablation of a number": (
        _experiment("experiment: ablation\n" + _CORPORA + _MODELS),
        "/e.yaml:3: crf_trainer.features.0: expected a feature",
    ),
    "an ablation of a value that is not a list": (
        _experiment("experiment: ablation\n" + _CORPORA + _MODELS.replace("[5]", "5")),
        "/e.yaml:3: crf_trainer.features: expected list of feature, got a whole number",
    ),
    "an ablation of a feature that is written otherwise": (
        _experiment("experiment: ablation\n" + _CORPORA + _MODELS.replace("[5]", "[{}, {list: x}]")),
        "/e.yaml:3: crf_trainer.features.0: expected a feature",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_what_is_damaged_is_refused_by_the_name_of_its_file(name: str, tmp_path: Path) -> None:
    load, message = DAMAGED[name]
    with pytest.raises((ResourceError, ConfigError)) as caught:
        load(tmp_path)
    assert f"{tmp_path}{message}" in str(caught.value)


def test_a_term_with_a_nul_that_a_program_gives_is_refused_by_the_name_of_its_list() -> None:
    with pytest.raises(ResourceError, match=r"^ours: term 2: expected text, found a NUL character$"):
        Lexicon.of(TermSource("ours", iter([Term("ill"), Term("fe\0ver")])))
