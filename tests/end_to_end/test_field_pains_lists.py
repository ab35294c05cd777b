"""What hurts the users of other de-identifiers: lists and configuration that are taken otherwise than meant.

The numbers behind the tests are those of our list of 25 complaints, gathered from the issues of such programs.
Texts are synthetic.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from caspipe.pipeline import Pipeline
from caspipe.pipeline.errors import ConfigError
from caspipe.typesystem import Phi

pytestmark = pytest.mark.filterwarnings("ignore:.*has no key:UserWarning")

SITE = """
rules:
  - {name: bed, kind: ID, pattern: '[0-9]{4}', context: [{before: [ward, tel], within: 2}]}
deny:
  - {name: staff, kind: PERSON, strings: ["Zyqq O'Vandermeulen", "Straße 9", "A+B (x)", "Łódź"]}
allow:
  strings: ["Ward 1234", "code 7777"]
"""


@pytest.fixture
def site(tmp_path: Path) -> Pipeline:
    (tmp_path / "site.yaml").write_text(SITE, encoding="utf-8")
    return Pipeline.parse(f"engines: [segmenter, {{patterns: {{rules: {tmp_path / 'site.yaml'}}}}}]").open()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ZYQQ O’VANDERMEULEN came", "ZYQQ O’VANDERMEULEN"),
        ("to zyqq\no'vandermeulen.", "zyqq\no'vandermeulen"),
        ("(Zyqq\u00a0 O'Vandermeulen)", "Zyqq\u00a0 O'Vandermeulen"),
        ("Zyqq O'Vandermeulen's", "Zyqq O'Vandermeulen"),
        ("in STRASSE 9.", "STRASSE 9"),
        ("ŁÓDŹ", "ŁÓDŹ"),
        ("XZyqq O'Vandermeulen", ""),
        ("STRASSE 99", ""),
    ],
)
def test_deny_lists_match_in_any_case_and_spacing_and_whole_words_only(
    site: Pipeline, text: str, expected: str
) -> None:
    assert [p.covered_text for p in site.process(text).select(Phi)] == ([expected] if expected else [])  # 19


@pytest.mark.parametrize("text", ["Łódź", "Müller"])
def test_deny_lists_match_decomposed_letters(tmp_path: Path, text: str) -> None:  # 19
    (tmp_path / "d.yaml").write_text(f"deny:\n  - {{name: d, kind: PERSON, strings: [{text}]}}\n", encoding="utf-8")
    pipeline = Pipeline.parse(f"engines: [{{patterns: {{rules: {tmp_path / 'd.yaml'}}}}}]")
    decomposed = unicodedata.normalize("NFD", text)
    assert [p.covered_text for p in pipeline.process(f"by {decomposed} here").select(Phi)] == [decomposed]


def test_a_deny_list_takes_its_strings_literally(site: Pipeline) -> None:  # 19
    assert len(site.process("the A+B (x) trial").select(Phi)) == 1
    assert site.process("AAB x, AAAB(x)").select(Phi) == []


def test_an_allow_list_takes_hits_away_in_any_case(site: Pipeline) -> None:  # 19
    assert [p.covered_text for p in site.process("ward 1235, WARD 1234, tel 4321").select(Phi)] == ["1235", "4321"]


@pytest.mark.parametrize("text", ["hotel 1234", "Wardlow 1234", "forward 1234", "stewards 1234", "telephoned 1234"])
def test_context_words_are_whole_words(site: Pipeline, text: str) -> None:  # 20
    assert site.process(text).select(Phi) == []


def test_context_words_in_a_rule_file_work(site: Pipeline) -> None:  # 20
    assert [p.covered_text for p in site.process("Tel 4321; tel no 8765; ward. 1111").select(Phi)] == [
        "4321",
        "8765",
        "1111",
    ]


def test_dead_keys_are_errors_wherever_they_stand(tmp_path: Path) -> None:  # 20
    (tmp_path / "site.yaml").write_text(SITE.replace("within: 2", "withn: 2"), encoding="utf-8")
    wrong = f"""
readers: {{text: {{folder: x}}}}
engines:
  - dates: {{langages: [en]}}
  - patterns: {{rules: {tmp_path / "site.yaml"}}}
  - resolver: {{priorities: [dates]}}
  - masker: {{DATE: {{shift: {{dayz: [1, 2]}}}}, AEG: keep}}
consumers:
  - text: {{directory: x}}
run: {{outputs: x}}
"""
    with pytest.raises(ConfigError) as caught:
        Pipeline.parse(wrong)
    said = str(caught.value)
    dead = "readers dates.langages withn resolver.priorities masker.DATE.shift.dayz AEG text.directory outputs"
    assert [key for key in dead.split() if key not in said] == []
