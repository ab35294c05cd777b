"""Rule files: all faults together, each with file and line; includes, words, fragments and names."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from caspipe.annotators.patterns import RuleFile
from caspipe.annotators.patterns.rule import unmark
from caspipe.pipeline.errors import ResourceError

from .rule_files import covered, faults, rule_file


def test_all_faults_of_a_file_are_reported_together_with_their_lines(tmp_path: Path) -> None:
    assert faults(
        tmp_path,
        """\
        fragmets: {}
        words:
          cues: [no]
        fragments:
          x: '{y}'
        rules:
          - name: one
            kind: IDD
            patern: 'a'
          - name: two
            kind: ID
            pattern: '(?<=a)b'
            validator: lun
            filter: luhn
            context: {befor: [x], within: 4}
          - name: two
            kind: ID
            pattern: 'a'
            group: 3
            boundary: words
            confidence: 2
            examples: [abc, 'x <PHONE>1</PHONE>']
        """,
    ) == [
        "site.yaml:1: no such key 'fragmets'; did you mean fragments?",
        "site.yaml:3: words.cues: expected a word or phrase, got true or false (quote it) (quote words such as 'no')",
        "site.yaml:5: fragments.x: no fragment called y",
        "site.yaml:7: one: expected either `pattern` or `patterns`",
        "site.yaml:8: one: kind: no PHI kind called 'IDD'; did you mean ID?",
        "site.yaml:9: one: no such key 'patern'; did you mean pattern?",
        "site.yaml:12: two: look-behind `(?<=` is not supported: mark a `group` and write what precedes in front of it, "
        "or use `before` context",
        "site.yaml:13: two: validator: no validator called 'lun'; did you mean luhn?",
        "site.yaml:14: two: filter: luhn is a validator, and a failed checksum never vetoes masking: write `validator: luhn`",
        "site.yaml:15: two: context: expected one of before, after, near, not_before, not_after, not_near "
        "with a list of words",
        "site.yaml:15: two: no such key 'befor'; did you mean before?",
        "site.yaml:16: rules.two: the name is taken (first in site.yaml:10)",
        "site.yaml:19: two: group: the pattern has 0 groups, got 3",
        "site.yaml:20: two: boundary: expected one of word, joined, none, got 'words'; did you mean word?",
        "site.yaml:21: two: confidence: expected a number from 0 to 1, got 2",
        "site.yaml:22: two: examples: expected a marked-up line: `see <ID>123</ID>`",
        "site.yaml:22: two: examples: marked as PHONE, but the rule marks ID",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "- a",
            "site.yaml:1: expected a mapping with description, include, automaton, words, fragments, rules, deny,",
        ),
        ("rules: {a: 1}", "site.yaml:1: rules: expected a list, got a mapping"),
        (
            "rules: [5]",
            "site.yaml:1: rules[0]: expected a mapping with name, description, kind, list, pattern, patterns, group,",
        ),
        ("words: [a]", "site.yaml:1: words: expected a mapping of names to lists of words, got a list"),
        ("words: {a: b}", "site.yaml:1: words.a: no word list called 'b'; write a list, or name one under `words`"),
        ("fragments: 5", "site.yaml:1: fragments: expected a mapping of names to patterns, got a whole number"),
        ("fragments: {a: 5}", "site.yaml:1: fragments.a: expected a pattern as a string, got a whole number"),
        ("fragments: {a: 'x{b}', b: '{a}'}", "site.yaml:1: fragments.a: fragment a contains itself: a > b > a"),
        ("allow: [a]", "site.yaml:1: allow: expected a mapping with strings, files, patterns, got a list"),
        ("allow: {patterns: ['a(']}", "site.yaml:1: allow.patterns: missing ): "),
        (
            "deny: [a]",
            "site.yaml:1: deny[0]: expected a mapping with name, kind, strings, files, confidence, got a string",
        ),
        ("deny: [{kind: ID}]", "site.yaml:1: deny[0]: expected `strings` or `files`"),
        ("deny: [{strings: [a]}]", "site.yaml:1: deny[0]: kind is missing: expected the name of a PHI kind"),
        (
            "deny: [{kind: ID, files: no.txt}]",
            "site.yaml:1: deny[0]: files: expected a UTF-8 text file with one entry a line",
        ),
        ("include: sit.yaml", "site.yaml:1: include: no rule file called 'sit.yaml'; did you mean site.yaml?"),
        (
            "rules: [{name: 5, kind: ID, pattern: a}]",
            "site.yaml:1: rules: expected a name of letters, digits, _ and -, got 5",
        ),
        ("rules: [{name: a, kind: ID, pattern: 'a*'}]", "site.yaml:1: a: the pattern matches the empty text"),
        ("rules: [{name: a, kind: ID, patterns: []}]", "site.yaml:1: a: patterns: expected at least one pattern"),
        (
            "rules: [{name: a, kind: ID, pattern: 5}]",
            "site.yaml:1: a: pattern: expected a pattern as a string, got a whole",
        ),
        (
            "rules: [{name: a, kind: ID, pattern: '(?P<hit>a)', group: hut}]",
            "site.yaml:1: a: group: no group called 'hut' in",
        ),
        (
            "rules: [{name: a, list: b, kind: ID, pattern: a}]",
            "site.yaml:1: a: list: expected the name of a list without",
        ),
        (
            "rules: [{name: a, kind: ID, pattern: a, otherwise: ID}]",
            "site.yaml:1: a: otherwise: expected a `validator` too",
        ),
        (
            "rules: [{name: a, kind: ID, pattern: a, context: {near: [b], within: 0}}]",
            "site.yaml:1: a: context: within: exp",
        ),
        (
            "rules: [{name: a, kind: ID, pattern: a, context: {not_near: [b], adds: 1}}]",
            "site.yaml:1: a: context: `adds` has no effect with not_near",
        ),
        (
            "rules: [{name: a, kind: ID, pattern: a, counter_examples: ['<ID>a</ID>']}]",
            "site.yaml:1: a: counter_examples: ",
        ),
        (
            "rules: [{name: a, kind: ID, pattern: a, validator: stdnum.no.such}]",
            "site.yaml:1: a: validator: python-stdnum has",
        ),
        ("rules:\n - name: a\n   name: b", "site.yaml:3: name: key is given twice (first in line 2)"),
        ("a: [", "site.yaml:2: invalid YAML: did not find expected node content"),
        ("a: !!python/name:os.system x", "site.yaml:1: invalid YAML"),
    ],
)
def test_faults_are_named(tmp_path: Path, text: str, told: str) -> None:
    found = faults(tmp_path, text)
    assert any(fault.startswith(told) for fault in found), found


def test_a_missing_file_and_a_binary_file_are_reported(tmp_path: Path) -> None:
    assert RuleFile.check(str(tmp_path / "none.yaml")) == f"no rule file or file called '{tmp_path / 'none.yaml'}'"
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    assert str(RuleFile.check(str(tmp_path / "bytes.yaml"))).endswith(
        "expected a rule file in YAML; it is not UTF-8 text"
    )
    with pytest.raises(ResourceError, match="no such rule file"):
        RuleFile.load(str(tmp_path / "none.yaml"))


def test_a_valid_file_has_no_faults_and_an_empty_one_finds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "empty.yaml"
    path.write_text("", encoding="utf-8")
    assert RuleFile.check(str(path)) is None
    assert RuleFile.load(str(path)).matcher.find("617-555-0199") == []


def test_included_files_share_words_and_fragments_and_names(tmp_path: Path) -> None:
    (tmp_path / "shared.yaml").write_text("fragments: {digits: '[0-9]{4}'}\nwords: {cues: [badge]}\n", encoding="utf-8")
    file = rule_file(
        tmp_path,
        """\
        include: [shared.yaml, shared.yaml]
        rules:
          - {name: badge, kind: ID, pattern: 'B{digits}', context: {before: cues, within: 2}}
        """,
    )
    text = "badge B1234, other things and B5678"
    assert covered(text, file.matcher.find(text)) == ["B1234"]
    assert faults(tmp_path, "include: shared.yaml\nfragments: {digits: a}", "second.yaml") == [
        "second.yaml:2: fragments.digits: the name is taken (first in shared.yaml:1)"
    ]


def test_files_may_include_one_another(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text("include: site.yaml\nfragments: {x: a}\n", encoding="utf-8")
    assert len(rule_file(tmp_path, "include: other.yaml\nrules: [{name: a, kind: ID, pattern: '{x}'}]").rules) == 1


def test_shipped_files_are_known_by_name_and_can_be_included(tmp_path: Path) -> None:
    assert {"identifiers", "phone", "web"} <= set(RuleFile.names())
    file = rule_file(tmp_path, "include: web\nrules: [{name: badge, kind: ID, pattern: 'B[0-9]{4}'}]")
    text = "B1234 wrote to jane@example.org"
    assert covered(text, file.matcher.find(text)) == ["B1234", "jane@example.org"]


def test_examples_and_counter_examples_are_the_tests_of_a_rule(tmp_path: Path) -> None:
    file = rule_file(
        tmp_path,
        """\
        rules:
          - name: badge
            kind: ID
            pattern: 'B[0-9]{4}'
            examples:
              - has <ID>B1234</ID>
              - has <ID>B12345</ID>
            counter_examples:
              - none here
              - but B9876
        """,
    )
    assert [str(f).partition("site.yaml:")[2] for f in file.faults()] == [
        "7: badge: example: expected ID 4:10, found nothing",
        "10: badge: counter-example: expected nothing, found ID 4:9",
    ]


def test_a_rule_file_pickles_by_its_path(tmp_path: Path) -> None:
    file = rule_file(tmp_path, "rules: [{name: a, kind: ID, pattern: 'B[0-9]{4}'}]")
    again = pickle.loads(pickle.dumps(file))
    assert [h.end for h in again.matcher.find("B1234")] == [5]
    assert repr(again) == "<RuleFile site.yaml: 1 rules>"
    assert [r.name for r in again.rules] == ["a"]


def test_marks_are_read_with_their_spans() -> None:
    assert unmark("a <ID>1</ID> and <ID_SSN>2</ID_SSN><x>") == ("a 1 and 2<x>", [(2, 3, "ID"), (8, 9, "ID_SSN")])


def test_a_rule_file_is_parsed_once_for_all_that_ask_for_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("include: [network]\ndeny:\n  - {kind: PERSON, files: [names.txt]}\n", encoding="utf-8")
    first = RuleFile.files(str(path)), list(RuleFile.uses(str(path)))
    monkeypatch.setattr("yaml.load", None)
    assert (RuleFile.files(str(path)), list(RuleFile.uses(str(path)))) == first
    assert first[0] == [path, tmp_path / "names.txt"]
