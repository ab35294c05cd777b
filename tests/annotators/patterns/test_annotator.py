"""The component `patterns`."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from caspipe.annotators.patterns import PatternAnnotator, RuleFile
from caspipe.typesystem import Cas, ListHit, PhiCandidate, PhiKind, Sentence

from .rule_files import rule_file

RULES = """\
rules:
  - name: badge
    kind: ID
    pattern: '[bB][0-9]{4}'
    context: {near: [badge], within: sentence, adds: 0.4}
    examples: ['<ID>B1234</ID>']
  - name: ward
    list: wards
    pattern: 'Ward [0-9]'
    value: lower
    examples: ['<WARDS>Ward 5</WARDS>']
"""


def annotator(folder: Path, rules: str = RULES, **parameters: float) -> PatternAnnotator:
    rule_file(folder, rules)
    made = PatternAnnotator(rules=str(folder / "site.yaml"), **parameters)  # type: ignore[arg-type]
    made.open()
    return made


def test_rules_become_candidates_and_list_hits(tmp_path: Path) -> None:
    view = Cas("b1234 in Ward 5").view()
    view.add_all(annotator(tmp_path).annotate(view))
    (candidate,) = view.select(PhiCandidate)
    assert (candidate.begin, candidate.end, candidate.kind) == (0, 5, PhiKind.ID)
    assert (candidate.rule, candidate.value, candidate.confidence) == ("badge", "B1234", 0.5)
    (hit,) = view.select(ListHit)
    assert (hit.list, hit.entry, hit.covered_text) == ("wards", "ward 5", "Ward 5")


def test_sentences_of_the_view_bound_the_context(tmp_path: Path) -> None:
    view = Cas("Her badge\nis B1234. Then B5678.").view()
    without = [a.confidence for a in annotator(tmp_path).annotate(view) if isinstance(a, PhiCandidate)]
    view.add_spans(Sentence, [0, 20], [19, 31])
    with_sentences = [a.confidence for a in annotator(tmp_path).annotate(view) if isinstance(a, PhiCandidate)]
    assert (without, with_sentences) == ([0.5, 0.5], [0.9, 0.5])


def test_uncertain_matches_can_be_dropped(tmp_path: Path) -> None:
    made = annotator(tmp_path, min_confidence=0.8)
    assert [a.begin for a in made.annotate(Cas("badge B1234. But B5678.").view())] == [6]
    with pytest.raises(ValueError, match=r"min_confidence: expected a number from 0 to 1, got 1\.5"):
        PatternAnnotator(rules="identifiers", min_confidence=1.5)  # type: ignore[arg-type]


def test_check_reports_the_faults_of_the_file_and_of_its_examples(tmp_path: Path) -> None:
    made = annotator(tmp_path)
    assert [str(f).rpartition(": ")[2] for f in made.check()] == []
    path = tmp_path / "wrong.yaml"
    path.write_text("rules: [{name: a, kind: ID, pattern: b, examples: ['<ID>a</ID>']}]", encoding="utf-8")
    wrong = PatternAnnotator(rules=str(path))  # type: ignore[arg-type]
    assert [f.what for f in wrong.check()] == ["example: expected ID 0:1, found nothing"]
    path.write_text("rule: []", encoding="utf-8")
    assert [f.what for f in wrong.check()] == ["no such key 'rule'; did you mean rules?"]


def test_the_rule_file_is_loaded_once_and_the_component_pickles_before(tmp_path: Path) -> None:
    rule_file(tmp_path, RULES)
    made = PatternAnnotator(rules=str(tmp_path / "site.yaml"))  # type: ignore[arg-type]
    again = pickle.loads(pickle.dumps(made))
    made.open()
    again.open()
    assert isinstance(made.rules, RuleFile) and made.rules is again.rules
