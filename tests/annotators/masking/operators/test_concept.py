"""The operator `concept`, the masker's parameter `terms`, and Berman's scheme from end to end."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from caspipe.annotators.masking import Context, Fallback, Mention
from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.masking.operators.concept import Concept
from caspipe.pipeline import Pipeline
from caspipe.pipeline.errors import ConfigError
from caspipe.typesystem import (
    DEIDENTIFIED_VIEW,
    Cas,
    MaskedSpan,
    MedicalTerm,
    Phi,
    PhiCandidate,
    PhiKind,
    TermGroup,
    TokenVerdict,
)

BERMAN = Path(__file__).resolve().parents[4] / "configs" / "systems" / "s2_berman.yaml"
TEXT = "Ann Fever had fever and type 2 diabetes."


def cas(*terms: tuple[str, str, str], phi: str = "Ann Fever") -> Cas:
    """Return a document with terms (text, code, name) at the last place of their text, and one Phi."""
    made = Cas(TEXT, id="note")
    view = made.view()
    view.add(Phi(TEXT.index(phi), TEXT.index(phi) + len(phi), kind=PhiKind.PERSON))
    for text, code, name in terms:
        begin = TEXT.rindex(text)
        term = MedicalTerm(begin, begin + len(text), group=TermGroup.DISEASE_DISORDER)
        term.concept_id, term.preferred_name = code, name
        view.add(term)
    return made


FEVER, DIABETES = ("fever", "D005334", "Fever"), ("type 2 diabetes", "", "diabetes mellitus, type 2")


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        ("code", "[PERSON] had D005334 and diabetes mellitus, type 2."),
        ("name", "[PERSON] had Fever and diabetes mellitus, type 2."),
    ],
)
def test_terms_become_codes_or_names(write: str, expected: str) -> None:
    made = cas(FEVER, DIABETES)
    Masker(terms=Concept(write=write)).process(made)  # type: ignore[arg-type]
    view = made.view(DEIDENTIFIED_VIEW)
    assert view.text == expected
    assert [(s.kind.name, s.operator) for s in view.select(MaskedSpan)] == [
        ("PERSON", "placeholder"),
        ("OTHER", "concept"),
        ("OTHER", "concept"),
    ]
    assert [t.covered_text for t in view.select(MedicalTerm)] == expected[13:-1].split(" and ")
    assert view.offset_map is not None
    begin = expected.index(" and ")
    assert TEXT[slice(*view.offset_map.to_old(begin, begin + 5))] == " and "


def test_without_the_parameter_terms_stay() -> None:
    made = cas(FEVER, DIABETES)
    Masker().process(made)
    assert made.view(DEIDENTIFIED_VIEW).text == "[PERSON] had fever and type 2 diabetes."


def test_a_term_that_a_phi_touches_is_only_masked() -> None:
    """Even if an operator keeps the Phi readable, it is not a term."""
    made = cas(("fever and type", "D1", ""), DIABETES, phi="fever")
    Masker(terms=Concept()).process(made)
    assert made.view(DEIDENTIFIED_VIEW).text == "Ann Fever had [PERSON] and diabetes mellitus, type 2."


def test_of_overlapping_terms_the_first_and_longest_is_replaced() -> None:
    made = cas(("type 2", "D1", ""), DIABETES, ("diabetes", "D2", ""))
    Masker(terms=Concept()).process(made)
    assert made.view(DEIDENTIFIED_VIEW).text == "[PERSON] had fever and diabetes mellitus, type 2."


def test_a_term_without_code_and_name_or_with_its_own_name_stays() -> None:
    made = cas(("fever", "", ""), ("type 2 diabetes", "", "type 2 diabetes"))
    Masker(terms=Concept()).process(made)
    view = made.view(DEIDENTIFIED_VIEW)
    assert view.text == "[PERSON] had fever and type 2 diabetes."
    assert len(view.select(MaskedSpan)) == 1
    assert [t.covered_text for t in view.select(MedicalTerm)] == ["fever", "type 2 diabetes"]


def test_of_several_codes_the_first_in_order_is_written() -> None:
    made = cas(("fever", "R50", ""), ("fever", "D005334", ""))
    Masker(terms=Concept()).process(made)
    assert made.view(DEIDENTIFIED_VIEW).text == "[PERSON] had D005334 and type 2 diabetes."


def test_a_phi_without_a_term_gets_a_placeholder() -> None:
    made = cas()
    mention = Mention(0, 9, PhiKind.PERSON, "Ann Fever")
    assert Concept().mask(mention, Context(made, [mention])) == Fallback("no medical term with a code or name")
    Masker(default=Concept()).process(made)
    assert made.view(DEIDENTIFIED_VIEW).text == "[PERSON] had fever and type 2 diabetes."


def test_the_masker_needs_terms_where_it_replaces_them() -> None:
    engines = ["segmenter", "dates", "resolver", {"masker": {"terms": "concept"}}]
    with pytest.raises(ConfigError, match="terms"):
        Pipeline.parse(yaml.safe_dump({"engines": engines}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mrs. Zyqqvander had fever on 3 March 2021.", "***. *** had wn30:14365356 on *** *** ***."),
        ("The swollen ankle of Mr. Lee, 64", "The edema wn30:05578442 of ***. ***, ***"),
        ("She took aspirin for type 2 diabetes mellitus.", "She *** DB00945 for diabetes."),
    ],
)
def test_berman_keeps_the_codes_of_terms_and_stop_words(text: str, expected: str) -> None:
    """S2, §2.3.3: terms become their code, stop words stay, "all other words are replaced by three asterisks"."""
    assert Pipeline.load(BERMAN).process(text).view(DEIDENTIFIED_VIEW).text == expected


def test_berman_masks_each_word_alone_and_knows_no_kind() -> None:
    made = Pipeline.load(BERMAN).process("Seen by Ann Lee for a headache.")
    found = [(c.covered_text, c.kind.name) for c in made.view().select(PhiCandidate)]
    assert found == [("Seen", "OTHER"), ("Ann", "OTHER"), ("Lee", "OTHER")]


def test_phrases_are_safe_as_a_whole_only() -> None:
    lists = {"phrases": True, "common": [], "medical": [], "drugs": [], "names": [], "cities": []}
    engines = ["segmenter", "terms", {"safe_lists": lists}]
    made = Pipeline.parse(yaml.safe_dump({"engines": engines})).process("shortness of breath, shortness")
    assert [(v.covered_text, v.verdict) for v in made.view().select(TokenVerdict)] == [
        ("shortness", "safe"),
        ("of", "safe"),
        ("breath", "safe"),
        (",", "safe"),
        ("shortness", "unknown"),
    ]
    with pytest.raises(ConfigError, match="phrases"):
        Pipeline.parse(yaml.safe_dump({"engines": ["segmenter", {"safe_lists": lists}]}))
