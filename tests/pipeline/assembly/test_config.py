"""Configurations: every fault at once, with its file, line and the nearest right name."""

from __future__ import annotations

from pathlib import Path

import parts
import pytest

from caspipe.pipeline.errors import ConfigError
from caspipe.pipeline.pipeline import Pipeline


def faults(path: Path, *overrides: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        Pipeline.load(path, overrides)
    return [str(f).replace(f"{path}:", "") for f in caught.value.faults]


def write(folder: Path, text: str, name: str = "p.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_all_faults_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """\
readr: t_reader
engines:
  - t_numbrs
  - t_lexicon:
      group: DRUG
      min_lenght: 3
      hue: {shade: {depth: deep, height: 2}}
      words: nowhere.txt
  - t_consumer
  - t_numbers: 7
  - [t_numbers]
run: {on_error: quaratine, worker: 2}
""",
    )
    assert faults(path) == [
        "1: readr: no such section; did you mean reader?",
        "3: engines: no engine called 't_numbrs'; did you mean t_numbers?",
        "5: t_lexicon.group: expected one of SIGN_SYMPTOM, DISEASE_DISORDER, MEDICATION, ANATOMICAL_SITE, LAB_PROCEDURE, "
        "got 'DRUG'",
        "6: t_lexicon.min_lenght: no such parameter; did you mean min_length?",
        "7: t_lexicon.hue.shade.depth: expected whole number, got 'deep'",
        "7: t_lexicon.hue.shade.height: no such parameter; expected one of depth",
        "8: t_lexicon.words: no word list or file called 'nowhere.txt'",
        "9: engines: t_consumer is a consumer: it goes under consumers",
        "10: engines.3.t_numbers: expected parameters as a mapping",
        "11: engines.4: expected a component: its name, or name: {parameters}",
        "12: run.on_error: expected one of stop, skip or quarantine, got 'quaratine'; did you mean quarantine?",
        "12: run.worker: no such parameter; did you mean workers?",
    ]


def test_a_missing_required_parameter_is_told_at_its_component(tmp_path: Path) -> None:
    path = write(tmp_path, "engines:\n  - t_lexicon: {min_length: 4}\n")
    assert faults(path) == [
        "2: t_lexicon: parameter group is missing: one of SIGN_SYMPTOM, DISEASE_DISORDER, MEDICATION, ANATOMICAL_SITE, "
        "LAB_PROCEDURE"
    ]


def test_malformed_yaml_is_told_with_its_line(tmp_path: Path) -> None:
    assert faults(write(tmp_path, "engines:\n  - a: [1, 2\nrun: {}\n")) == [
        "3: malformed YAML: did not find expected ',' or ']' while parsing a flow sequence"
    ]


def test_wrong_indentation_is_guessed_at(tmp_path: Path) -> None:
    path = write(tmp_path, "engines:\n  - t_lexicon:\n    group: MEDICATION\n")
    assert faults(path) == [
        "2: engines.0: expected a component: its name, or name: {parameters}; found 2 keys (t_lexicon, group): "
        "is the indentation right?"
    ]


def test_a_missing_file_names_its_neighbours(tmp_path: Path) -> None:
    write(tmp_path, "", "deidentify.yaml")
    assert faults(tmp_path / "deidentfy.yaml") == [" no such file; the folder holds deidentify.yaml"]


def test_invalid_utf8_is_told_by_its_byte(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_bytes(b"name: \xff\n")
    assert faults(path) == [" expected UTF-8, found an invalid byte at 6"]


def test_a_key_given_twice_is_told(tmp_path: Path) -> None:
    assert faults(write(tmp_path, "engines: []\nengines: []\n")) == ["2: engines: key engines is given twice"]


@pytest.mark.slow
def test_aliases_that_multiply_are_refused(tmp_path: Path) -> None:
    bomb = "a: &a [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
        f"{n}: &{n} [{', '.join([f'*{m}'] * 10)}]\n" for m, n in zip("abcdef", "bcdefg", strict=True)
    )
    assert "more than 100000 values" in faults(write(tmp_path, bomb))[0]


def test_an_input_nobody_makes_names_both_sides(tmp_path: Path) -> None:
    path = write(tmp_path, "engines:\n  - t_lexicon: {group: MEDICATION}\n")
    found = faults(path)
    assert len(found) == 1
    assert found[0].startswith("2: t_lexicon: needs Sentence, which no earlier component creates; ")
    assert "segmenter" in found[0]
    assert faults(write(tmp_path, "engines: [t_crash, t_numbers]\n")) == [
        "1: t_crash: needs PhiCandidate, which no earlier component creates; t_numbers creates it, but comes later"
    ]


def test_aggregates_and_includes_give_their_ids_as_prefix(tmp_path: Path) -> None:
    write(tmp_path, "id: inner\nengines:\n  - t_numbers: {id: few, least: 2}\n", "inner.yaml")
    path = write(
        tmp_path,
        """\
engines:
  - aggregate:
      id: rules
      engines:
        - t_numbers
        - include: inner.yaml
  - t_numbers
  - t_numbers
  - t_phi
""",
    )
    pipeline = Pipeline.load(path, ["rules.inner.few.least=3", "t_numbers-2.least=4"])
    assert [e.id for e in pipeline.engines] == [
        "rules/t_numbers",
        "rules/inner/few",
        "t_numbers",
        "t_numbers-2",
        "t_phi",
    ]
    assert [getattr(e, "least", None) for e in pipeline.engines] == [1, 3, 1, 4, None]


def test_a_cyclic_include_is_told_with_its_circle(tmp_path: Path) -> None:
    write(tmp_path, "- include: b.yaml\n", "a.yaml")
    write(tmp_path, "- include: a.yaml\n", "b.yaml")
    found = faults(write(tmp_path, "engines:\n  - include: a.yaml\n"))
    assert [f.split(": ", 2)[-1] for f in found] == ["cyclic include: a.yaml -> b.yaml -> a.yaml"]


def test_faults_of_an_included_file_name_that_file(tmp_path: Path) -> None:
    write(tmp_path, "engines:\n  - t_numbers: {lest: 1}\n", "inner.yaml")
    found = faults(write(tmp_path, "engines:\n  - include: inner.yaml\n  - include: missing.yaml\n"))
    assert found[0].startswith("3: engines.1.include: include missing.yaml: no such file")
    assert found[1] == f"{tmp_path / 'inner.yaml'}:2: t_numbers.lest: no such parameter; did you mean least?"


def test_overrides_reach_components_by_name_and_id(tmp_path: Path) -> None:
    path = write(tmp_path, "reader: t_reader\nengines:\n  - t_numbers: {id: n}\n  - t_phi\n")
    pipeline = Pipeline.load(path, ["n.least=3", "reader.t_reader.broken=2", "run.output=there", "name=mine"])
    assert pipeline.engines[0].least == 3  # type: ignore[attr-defined]
    assert pipeline.reader is not None
    assert pipeline.reader.broken == 2  # type: ignore[attr-defined]
    assert (pipeline.options.output, pipeline.name) == (Path("there"), "mine")


def test_wrong_overrides_are_told(tmp_path: Path) -> None:
    path = write(tmp_path, "engines: [t_numbers, t_phi]\n")
    assert faults(path, "t_numbres.least=2", "t_numbers", "t_numbers=3", "t_numbers.least=x") == [
        "--set t_numbres.least: no component called 't_numbres'; did you mean t_numbers?",
        "--set t_numbers: expected NAME.PARAMETER=VALUE",
        "--set t_numbers: expected a parameter after the component",
        "--set: t_numbers.least: expected whole number, got 'x'",
    ]


def test_environment_variables_are_put_in_and_missing_ones_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAST", "5")
    path = write(
        tmp_path,
        'engines:\n  - t_numbers: {least: "${LEAST}", id: a}\n  - t_numbers: {least: "${NONE:-7}", id: b}\n  - t_phi\n',
    )
    assert [e.least for e in Pipeline.load(path).engines[:2]] == [5, 7]  # type: ignore[attr-defined]
    monkeypatch.delenv("LEAST")
    assert (
        faults(path)[0]
        == "2: engines.0.t_numbers.least: environment variable LEAST is not set; give a default as ${LEAST:-...}"
    )


def test_paths_are_relative_to_the_file_and_resources_are_loaded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "words.txt").write_text("a b", encoding="utf-8")
    path = write(
        tmp_path,
        """\
resources: {mine: words.txt}
engines:
  - segmenter
  - t_lexicon: {group: MEDICATION, words: words.txt}
  - t_lexicon: {group: MEDICATION, words: mine}
""",
    )
    monkeypatch.chdir("/")
    before = parts.Wordlist.loads
    with Pipeline.load(path) as pipeline:
        first, second = pipeline.engines[1:]
        assert first.words.words == ["a", "b"]  # type: ignore[attr-defined]
        assert first.words is second.words  # type: ignore[attr-defined]
    assert parts.Wordlist.loads == before + 1


def test_a_pipeline_that_names_no_resolver_gets_the_default_one() -> None:
    pipeline = Pipeline.parse("engines: [t_numbers]")
    assert [e.id for e in pipeline.engines] == ["t_numbers", "resolver"]


def test_a_misspelt_component_in_a_priority_list_is_told(tmp_path: Path) -> None:
    text = "engines:\n  - aggregate: {id: rules, engines: [t_numbers]}\n  - resolver:\n      priority: [known_phi, ruels]\n"
    assert faults(write(tmp_path, text)) == [
        "4: resolver.priority: no component or aggregate called 'ruels'; did you mean rules?"
    ]
    assert Pipeline.load(write(tmp_path, text.replace("ruels", "rules"))).engines


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: &a [*a]\n", "nested more than 100 deep"),
        ("engines: " + "[" * 1500 + "]" * 1500 + "\n", "nested more than 100 deep"),
        ("resources: [1]\n", "1: resources: expected a mapping of names to files"),
        ("resources: {a: 1}\n", "1: resources.a: expected a file or the name of a resource"),
        ("engines: [':']\n", "1: engines: cannot import a module without name"),
        ("name: {a: b}\n", "1: name: expected a string"),
        ("engines:\n  - t_numbers: {id: [a]}\n", "2: t_numbers.id: expected a string without slash"),
        ("engines:\n  - t_numbers: {id: a/b}\n", "2: t_numbers.id: expected a string without slash"),
        ("engines: !foo [t_numbers]\n", "1: engines: unknown tag !foo"),
        (
            f"engines:\n  - t_numbers: {{least: {'9' * 5000}}}\n",
            "2: t_numbers.least: expected whole number",
        ),
        ("run: 5\n", "1: run: expected a mapping"),
    ],
)
def test_odd_configurations_are_faults_not_crashes(tmp_path: Path, text: str, fault: str) -> None:
    assert any(fault in f for f in faults(write(tmp_path, text)))


def test_odd_overrides_are_faults_not_crashes(tmp_path: Path) -> None:
    path = write(tmp_path, "engines: [t_numbers, t_phi]\n")
    assert faults(path, "run=5") == ["--set run: no component called 'run'"]
    assert "expected" in faults(path, f"run.limit={'9' * 5000}")[0]


def test_a_misspelt_resource_names_the_nearest(tmp_path: Path) -> None:
    path = write(tmp_path, "engines:\n  - segmenter\n  - terms: {lexicon: medicl}\n")
    assert faults(path) == ["3: terms.lexicon: no lexicon or file called 'medicl'; did you mean medical?"]


def test_what_a_variable_holds_is_read_by_the_type_of_its_parameter_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("T_KEY", "12345678-87654321")
    text = """\
engines:
  - t_numbers
  - t_phi
  - masker:
      DATE:
        shift:
          key: ${T_KEY}
          days: [1, 2]
      AGE:
        pseudonym:
          key: ${T_NONE:-}
"""
    pipeline = Pipeline.load(write(tmp_path, text))
    assert "12345678-8" not in repr(pipeline.describe())
    wrong = faults(write(tmp_path, text.replace("days: [1, 2]", "keys: ${T_KEY}")))
    assert wrong == ["8: masker.DATE.shift.keys: no such parameter; did you mean key?"]
    assert "12345678-8" not in str(faults(write(tmp_path, text.replace("key: ${T_KEY}", "key: [1, '${T_KEY}']"))))


@pytest.mark.parametrize("setting", ["masker.DAET", "masker.DAET.shift", "masker.DAET.shift.days"])
def test_an_unknown_kind_is_reported_at_the_file_that_sets_it(tmp_path: Path, setting: str) -> None:
    """Not at the line of the masker in the included file."""
    write(tmp_path, "engines:\n  - masker:\n      DATE: placeholder\n", "base.yaml")
    path = write(tmp_path, f"include: base.yaml\n\nset:\n  {setting}: keep\n")
    assert faults(path) == ["4: masker.DAET: no PHI kind called 'DAET'; did you mean DATE?"]
    on_top = write(tmp_path, "include: base.yaml\n", "top.yaml")
    assert faults(on_top, f"{setting}=keep") == ["--set: masker.DAET: no PHI kind called 'DAET'; did you mean DATE?"]
