"""The features of the feature-augmented network on marked-up lines: every family of its Table 1, with near misses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from marked_spans import Marked, unmark

from caspipe.annotators.sequence.extraction import FeatureSet
from caspipe.annotators.sequence.feature import Feature, TokenFeature, Words, as_tuple
from caspipe.annotators.sequence.features.ehr import HealthRecord
from caspipe.pipeline.contract import params
from caspipe.typesystem import KnownPhi, PhiKind

CASES = Path(__file__).resolve().parents[3] / "cases"
_ITEM = re.compile(r"(?P<kind>[A-Z_]+) = (?P<value>[^(]+?)(?: \((?P<role>\w+)\))?(?: @(?P<field>\w+))?")


def sections(file: str) -> Iterator[tuple[str, str, Marked]]:
    """(what the last `# parts:` line says, what the last `##` line says, case) for every case of a file."""
    parts = head = ""
    for number, line in enumerate((CASES / file).read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("## "):
            head = line[3:]
        elif line.startswith("# parts: "):
            parts = line[9:]
        elif line.strip() and not line.startswith("#"):
            yield parts, head, unmark(line, f"line-{number}")


def feature(declared: str) -> TokenFeature:
    def refuse(at: object, what: str) -> None:
        raise AssertionError(f"{at}: {what}")

    made: Any = params.convert(Feature, yaml.safe_load(declared), refuse, ())
    FeatureSet([made]).open()
    assert isinstance(made, TokenFeature)
    return made


def disagreement(case: Marked, words: Words, made: TokenFeature) -> str:
    """Tokens whose values are not those marked: none, more, or others."""
    faults = []
    for form, begin, end, value in zip(words.forms, words.begins, words.ends, made.column(words), strict=True):
        found = {_shown(v, made.name) for v in as_tuple(value)}
        marked = {kind for b, e, kind in case.spans if b < end and begin < e and not _only_sign(form, b, begin)}
        if found != marked:
            faults.append(f"{form!r} has {sorted(found)}, not {sorted(marked)}")
    return "; ".join(faults)


def _shown(value: str, name: str) -> str:
    value = re.sub(r"^[BI]-", "", value) if name == "regex" else value
    return (value or "holds").upper().replace("-", "_")


def _only_sign(form: str, begin: int, at: int) -> bool:
    """Whether a token is the apostrophe before a year, which a mark includes but a feature does not."""
    return form in "'’" and begin == at


@pytest.mark.parametrize(
    ("declared", "case"), [pytest.param(head, case, id=case.name) for _, head, case in sections("features.txt")]
)
def test_tokens_have_the_values_marked_and_no_others(declared: str, case: Marked, words: Any) -> None:
    assert disagreement(case, words(case.text), feature(declared)) == ""


def record(head: str) -> list[KnownPhi]:
    found = []
    for item in head.split("; "):
        match = _ITEM.fullmatch(item)
        assert match, item
        kind = PhiKind.of(match["kind"])
        found.append(
            KnownPhi(kind=kind, value=match["value"], role=match["role"] or "", provenance=match["field"] or "")
        )
    return found


@pytest.mark.parametrize(
    ("parts", "head", "case"), [pytest.param(*item, id=item[2].name) for item in sections("features_record.txt")]
)
def test_tokens_repeat_what_the_record_says(parts: Any, head: str, case: Marked, words: Any) -> None:
    made = HealthRecord(parts=parts) if parts else HealthRecord()
    assert disagreement(case, words(case.text, *record(head)), made) == ""


def test_every_family_of_the_source_s_table_can_be_declared() -> None:
    table = """
    - ehr
    - morphology
    - lexicon:stop_words
    - supersense
    - hypernym
    - lemma
    - sense_count
    - temporal
    - gazetteer:person_titles
    - gazetteer:medical_specialties
    - gazetteer:given_names
    - gazetteer:surnames
    - gazetteer:surname_prefixes
    - gazetteer:street_words
    - gazetteer:cities
    - gazetteer:us_states
    - gazetteer:countries
    - gazetteer:organizations
    - gazetteer:professions
    - regex
    """
    declared = yaml.safe_load(table)
    made = params.convert(list[Feature], declared, lambda at, what: pytest.fail(f"{at}: {what}"), ())
    assert len({f.label for f in made}) == len(declared)
    assert FeatureSet(made).needs() == ()  # nothing upstream but tokens
