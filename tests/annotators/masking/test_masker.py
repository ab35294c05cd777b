"""The masker as an engine: its view, its spans, what it carries, law 3, and what it never tells."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import pytest
from overlap_cases import candidates, document, made, read_marked

from caspipe.annotators.masking import MissingKeyWarning
from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.resolving.resolver import Resolver
from caspipe.pipeline.errors import CasError, ResourceError
from caspipe.typesystem import (
    DEIDENTIFIED_VIEW,
    Cas,
    Chunk,
    DocumentMetaData,
    KnownPhi,
    MaskedSpan,
    MedicalTerm,
    Phi,
    PhiKind,
    Sentence,
    TermGroup,
    Token,
)


def masked(marked: str, parameters: str = "{}", id: str = "document") -> Cas:
    cas = document(marked, id=id)
    Resolver().process(cas)
    made(Masker, parameters).process(cas)
    return cas


def spans(cas: Cas) -> list[tuple[str, PhiKind, str, int, int, str]]:
    return [
        (m.covered_text, m.kind, m.operator, m.original_begin, m.original_end, m.fallback)
        for m in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan)
    ]


def test_masked_spans_tell_kind_operator_and_place_but_no_text() -> None:
    cas = masked("<PERSON>Berg</PERSON> on <DATE>the other day</DATE>", "{DATE: {shift: {key: k}}}")
    assert spans(cas) == [
        ("[PERSON]", PhiKind.PERSON, "placeholder", 0, 4, ""),
        ("[DATE]", PhiKind.DATE, "shift", 8, 21, "date not read"),
    ]
    assert [m.source for m in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan)] == ["masker", "masker"]


def test_the_view_keeps_its_map_to_the_original() -> None:
    cas = masked("Dr <PERSON>Lindqvist</PERSON> came on <DATE>3/4/2020</DATE>, late.")
    view = cas.view(DEIDENTIFIED_VIEW)
    assert view.offset_map is not None
    for begin, end, new_begin, new_end in view.offset_map.segments():
        assert view.offset_map.to_new(begin, end) == (new_begin, new_end)
        assert view.offset_map.to_old(new_begin, new_end) == (begin, end)
    late = view.text.index("late")
    assert cas.text[slice(*view.offset_map.to_old(late, late + 4))] == "late"


def test_running_twice_replaces_the_view() -> None:
    cas = masked("<PERSON>Berg</PERSON> came")
    Masker(default=made(Masker, "{default: redact}").default).process(cas)
    assert (cas.deidentified, len(spans(cas))) == ("**** came", 1)


def test_overlapping_spans_are_refused_and_nothing_stale_stays() -> None:
    cas = Cas("Anna Berg")
    Masker().process(cas)
    cas.add(Phi(0, 9, kind=PhiKind.PERSON))
    cas.add(Phi(5, 9, kind=PhiKind.LOCATION))
    with pytest.raises(CasError) as refused:
        Masker().process(cas)
    assert str(refused.value) == "<Phi 0:9> and <Phi 5:9> overlap: a resolver must run before the masker"
    assert not cas.has_view(DEIDENTIFIED_VIEW)


# -- law 3 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("winner", "loser", "parameters", "expected"),
    [
        ("aged <AGE>65</AGE> or so", "aged <ID>65</ID> or so", "{AGE: age}", "aged [ID] or so"),
        ("aged <AGE>65</AGE> or so", "aged <AGE>65</AGE> or so", "{AGE: age}", "aged 65 or so"),
        ("aged <AGE>65</AGE> or so", "aged <ID>65 or</ID> so", "{AGE: age}", "aged [ID] [ID] so"),
        ("<PROFESSION>baker Berg</PROFESSION>", "baker <PERSON>Berg</PERSON>", "{PROFESSION: keep}", "baker [PERSON]"),
        ("in <DATE_YEAR>2019</DATE_YEAR>", "in <DATE>2019</DATE>", "{policy: hipaa-safe-harbor}", "in [DATE]"),
        ("in <DATE_YEAR>2019</DATE_YEAR>", "in <DATE_YEAR>2019</DATE_YEAR>", "{policy: hipaa-safe-harbor}", "in 2019"),
    ],
)
def test_what_would_stay_readable_yields_to_a_masked_kind(
    winner: str, loser: str, parameters: str, expected: str
) -> None:
    cas = document(winner, "known_phi")
    candidates(cas, loser, "crf")
    Resolver().process(cas)
    made(Masker, parameters).process(cas)
    assert cas.deidentified == expected


def test_the_span_says_that_it_overruled_a_readable_one() -> None:
    cas = document("<PROFESSION>baker Berg</PROFESSION>", "known_phi")
    candidates(cas, "baker <PERSON>Berg</PERSON>", "crf")
    Resolver().process(cas)
    made(Masker, "{PROFESSION: keep}").process(cas)
    assert spans(cas) == [("[PERSON]", PhiKind.PERSON, "placeholder", 6, 10, "over a readable PROFESSION")]


@pytest.mark.parametrize("reason", ["vetoed: a disease", "below threshold 0.5"])
def test_candidates_that_do_not_count_overrule_nothing(reason: str) -> None:
    cas = Cas("aged 65")
    cas.add(Phi(5, 7, kind=PhiKind.AGE))
    (candidate,) = candidates(cas, "aged <ID>65</ID>")
    candidate.reason = reason
    made(Masker, "{AGE: age}").process(cas)
    assert cas.deidentified == "aged 65"


def test_overlapping_candidates_over_a_readable_span_become_one_placeholder() -> None:
    cas = Cas("a b c d e")
    cas.add(Phi(0, 9, kind=PhiKind.PROFESSION))
    candidates(cas, "a <PERSON>b c</PERSON> d e")
    candidates(cas, "a b <LOCATION>c d e</LOCATION>")
    made(Masker, "{PROFESSION: keep}").process(cas)
    assert cas.deidentified == "a [LOCATION]"


# -- what is carried over ----------------------------------------------------------------------------------------------


def whole() -> Cas:
    text = "Dr Lindqvist saw her. Aspirin on 3/4/2020."
    cas = Cas(text)
    view = cas.view()
    view.add(DocumentMetaData(0, len(text), language="en", documentTitle="Lindqvist"))
    view.add_spans(Sentence, [0, 22], [21, 42])
    for begin, end, pos in ((0, 2, "NNP"), (3, 12, "NNP"), (13, 16, "VBD"), (33, 41, "CD"), (41, 42, ".")):
        view.add(Token(begin, end, pos=pos))
    view.add(Chunk(0, 12, tag="NP"))
    view.add(Chunk(5, 16, tag="VP"))
    view.add(MedicalTerm(22, 29, group=TermGroup.MEDICATION, preferred_name="aspirin"))
    view.add(MedicalTerm(3, 12, group=TermGroup.DISEASE_DISORDER))
    view.add(KnownPhi(kind=PhiKind.PERSON, value="Lindqvist"))
    view.add(Phi(3, 12, kind=PhiKind.PERSON, value="lindqvist"))
    view.add(Phi(33, 41, kind=PhiKind.DATE, value="2020-03-04"))
    return cas


def test_annotations_are_carried_over_outside_masked_text() -> None:
    cas = whole()
    Masker().process(cas)
    view = cas.view(DEIDENTIFIED_VIEW)
    assert view.text == "Dr [PERSON] saw her. Aspirin on [DATE]."
    assert [s.covered_text for s in view.select(Sentence)] == ["Dr [PERSON] saw her.", "Aspirin on [DATE]."]
    assert [(t.covered_text, t.pos) for t in view.select(Token)] == [("Dr", "NNP"), ("saw", "VBD"), (".", ".")]
    assert [(c.covered_text, c.tag) for c in view.select(Chunk)] == [("Dr [PERSON]", "NP")]
    assert [(t.covered_text, t.preferred_name) for t in view.select(MedicalTerm)] == [("Aspirin", "aspirin")]
    (language,) = view.select("uima.tcas.DocumentAnnotation")
    assert (language.language, language.end, type(language).__name__) == ("en", len(view.text), "DocumentAnnotation")
    assert view.count(Phi) == view.count(KnownPhi) == view.count(DocumentMetaData) == 0


def test_no_feature_of_the_view_holds_masked_text() -> None:
    cas = whole()
    made(Masker, "{carry: [Token, Sentence, caspipe.Phi, DocumentMetaData]}").process(cas)
    view = cas.view(DEIDENTIFIED_VIEW)
    held = [str(getattr(fs, name)) for fs in view for name in type(fs).features]
    assert held
    assert not [value for value in held if "indqvist" in value or "2020" in value]
    assert [(p.kind, p.value) for p in view.select(Phi)] == [(PhiKind.PERSON, ""), (PhiKind.DATE, "")]


def test_carrying_can_be_turned_off_or_limited() -> None:
    cas = whole()
    made(Masker, "{carry: false}").process(cas)
    assert [t.__name__ for t in cas.view(DEIDENTIFIED_VIEW).types()] == ["MaskedSpan"]
    made(Masker, "{carry: [Token, org.example.Unknown]}").process(cas)
    names = [t.__name__ for t in cas.view(DEIDENTIFIED_VIEW).types()]
    assert names == ["DocumentAnnotation", "MaskedSpan", "Token"]


def test_two_sentences_that_end_in_one_span_stay_disjoint() -> None:
    cas = Cas("He is J. Berg now.")
    cas.view().add_spans(Sentence, [0, 9], [8, 18])
    cas.add(Phi(6, 13, kind=PhiKind.PERSON))
    Masker().process(cas)
    view = cas.view(DEIDENTIFIED_VIEW)
    assert [s.covered_text for s in view.select(Sentence)] == ["He is [PERSON]", "now."]


# -- secrets -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operator", ["shift", "pseudonym", "surrogate"])
def test_without_a_key_there_are_placeholders_and_one_warning(operator: str) -> None:
    masker = made(Masker, {"DATE": operator, "default": "placeholder"})
    with pytest.warns(MissingKeyWarning) as told:
        for _ in range(3):
            cas = document("on <DATE>3/4/2020</DATE> and <DATE>3/5/2020</DATE>")
            Resolver().process(cas)
            masker.process(cas)
            assert cas.deidentified == "on [DATE] and [DATE]"
            assert [s[5] for s in spans(cas)] == ["no key", "no key"]
    assert [str(w.message) for w in told] == [
        f"masker: {operator} has no key: placeholders are written instead of DATE; set CASPIPE_KEY if the configuration "
        "says ${CASPIPE_KEY:-}, or give key: file:PATH"
    ]


def test_the_secret_shows_nowhere(tmp_path: Path) -> None:
    secret = "correct-horse-battery-staple"
    masker = made(
        Masker,
        {
            "DATE": {"shift": {"key": secret}},
            "PERSON": {"surrogate": {"key": secret}},
            "default": {"pseudonym": {"key": secret}},
        },
    )
    cas = document("<PERSON>Anna Berg</PERSON> on <DATE>3/4/2020</DATE>, no <ID>77-12</ID>")
    Resolver().process(cas)
    masker.open()
    masker.process(cas)
    shown = [repr(masker), str(vars(masker)), cas.deidentified, repr(cas), repr(cas.view(DEIDENTIFIED_VIEW))]
    shown += [repr(vars(part)["secret"]) for part in (*masker.kinds.values(), masker.default) if "secret" in vars(part)]
    assert not [text for text in shown if secret in text]
    assert secret.encode() not in pickle.dumps(cas)


def test_a_key_file_is_read_when_the_masker_opens(tmp_path: Path) -> None:
    file = tmp_path / "key"
    masker = made(Masker, {"DATE": {"shift": {"key": f"file:{file}"}}})
    with pytest.raises(ResourceError) as missing:
        masker.open()
    assert str(missing.value) == f"key file {file}: No such file or directory"
    file.write_text("\n")
    file.chmod(0o600)
    with pytest.raises(ResourceError) as empty:
        masker.open()
    assert str(empty.value) == f"key file {file}: expected a secret, found nothing"
    file.write_text("a secret of this test\n")
    masker.open()
    cas = document("on <DATE>3/4/2020</DATE>")
    Resolver().process(cas)
    masker.process(cas)
    by_file = cas.deidentified
    made(Masker, {"DATE": {"shift": {"key": "a secret of this test"}}}).process(cas)
    assert cas.deidentified == by_file


def test_known_keys_give_known_bytes() -> None:
    """Pinned: equal on every machine, worker count and hash seed, and from version to version."""
    cas = masked(
        "<PERSON>Anna Berg</PERSON> on <DATE>3/4/2020</DATE>, no <ID>77-12</ID>",
        "{DATE: {shift: {key: k}}, PERSON: {pseudonym: {key: k}}, ID: {surrogate: {key: k}}}",
    )
    assert cas.deidentified == "[PERSON be5kavlm] on 13 Nov 2020, no 23-78"


# -- parameters --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "fault"),
    [
        ({"policy": "hipaa"}, "no policy called 'hipaa'; expected one of hipaa-safe-harbor, i2b2-2014, everything"),
        ({"DATE": {"shift": {"days": [5, -5]}}}, "days: expected the lower end first, got 5 and -5"),
        ({"DATE": {"shift": {"days": [0, 0]}}}, "days: expected an offset of 1 days or more between 0 and 0"),
        ({"DATE": {"shift": {"min_days": 0}}}, "min_days: expected 1 or more, got 0"),
        (
            {"DATE": {"shift": {"key": 1234}}},
            'DATE.shift.key: expected secret in quotes: "${VARIABLE}", or file:PATH; got a whole number',
        ),
        ({"AGE": {"age": {"threshold": -1}}}, "threshold: expected 0 or more, got -1"),
        (
            {"default": {"placeholder": {"format": "{text}"}}},
            "format: expected text with {kind} in it; write {{ and }}",
        ),
        ({"default": {"placeholder": {"format": " "}}}, "format: expected text, in which {kind} is the place of"),
        ({"default": {"redact": {"char": "x"}}}, "char: expected one character that is not a letter, digit or space"),
        ({"default": {"pseudonym": {"length": 2}}}, "length: expected 4 to 51 characters, got 2"),
        ({"LOCATION_ZIP": {"zip3": {"restricted": ["36"]}}}, "restricted: expected three digits in quotes, got '36'"),
        ({"default": {"surrogate": {"switch": 2}}}, "switch: expected a number from 0 to 1, got 2"),
        ({"DATE": "shfit"}, "no operator called 'shfit'; did you mean shift?"),
        ({"DAET": "shift"}, "no PHI kind called 'DAET'; did you mean DATE?"),
        ({"surogates": True}, "surogates: no such parameter; did you mean surrogates?"),
        ({"defualt": "redact"}, "defualt: no such parameter; did you mean default?"),
        ({"Surrogates": True}, "Surrogates: no such parameter; did you mean surrogates?"),
        ({"polcy": "everything"}, "polcy: no such parameter; did you mean policy?"),
        (
            {"person_patent": "redact"},
            "person_patent: no PHI kind called 'person_patent'; did you mean PERSON_PATIENT?",
        ),
        ({"PERSONS": "redact"}, "PERSONS: no PHI kind called 'PERSONS'; did you mean PERSON?"),
        ({"kinds": {"DATE": "shift"}}, "kinds: expected the kinds themselves here, without kinds, as in `DATE: ...`"),
        ({"quux_zzzz": "redact"}, "quux_zzzz: no PHI kind called 'quux_zzzz'"),
        ({"policy": {"mask": ["DATE"]}}, "policy: expected kinds to keep; everything that is not kept is masked"),
        ({"policy": {"keep": ["DAET"]}}, "policy.keep.0: no PHI kind called 'DAET'; did you mean DATE?"),
    ],
)
def test_wrong_parameters_are_told_when_the_pipeline_is_assembled(parameters: dict[str, object], fault: str) -> None:
    with pytest.raises(AssertionError) as told:
        made(Masker, parameters)
    assert fault in str(told.value)


def test_documents_without_text_or_phi_pass_through() -> None:
    for cas in (Cas(), Cas("")):
        Masker().process(cas)
    assert cas.deidentified == ""
    cas = Cas("nothing here")
    Masker().process(cas)
    assert (cas.deidentified, spans(cas)) == ("nothing here", [])


def test_masking_warns_of_nothing_else() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_marked(masked("<PERSON>Berg</PERSON> came").deidentified)[0] == "[PERSON] came"
