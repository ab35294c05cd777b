"""Properties of all transformations: spans stay exact, and what is outside them stays unless a transformation changes it."""

from __future__ import annotations

from typing import Any

from augmented_notes import NOTE, OFF, Documents, pieces
from hypothesis import given, settings
from hypothesis import strategies as st

from caspipe.readers.augmentation import AugmentReader
from caspipe.readers.augmentation.options import Case, Noise, Structure, Wrap
from caspipe.readers.augmentation.pieces import Mark, Piece, document_of, merged, pieces_of, text_of
from caspipe.readers.augmentation.substitution.corpus import Corpus
from caspipe.typesystem import PhiKind

KINDS = [k for k in PhiKind if "BADGE" not in k.name]
FORMS = """Anna Reyes|REYES, ANNA M.|van der Berg|J. O'Brien-Smith Jr.|JKL|3/4/22|12-14 March|Tue
90s|72 y/o|PO Box 118|St. Brigid's|SJH
14 Rue de la Paix|CA|SW16 9QQ|+44 7700 900981 ext 4|a.b@c.org|10.0.0.1|\u5f35\u570b\u5049
E.\u015e.|s m i t h|\u0130stanbul|Stra\u00dfe|\u00bd
-|O'|'s|^|St.|van|,|Mr|Vlachou M|Lily T.|@jreyes_91|https://a.example/x1""".replace("\n", "|").split("|")
VALUES = st.one_of(st.sampled_from(FORMS), st.text(min_size=1, max_size=15).filter(lambda t: t.strip() == t and t))
PLAIN = st.one_of(
    st.sampled_from([" by Dr. ", "\nPatient: ", "\nMRN: ", ", ", "\n", " | DOB: ", "\n\n"]), st.text(max_size=20)
)
MARKS = st.builds(Mark, st.sampled_from(KINDS), st.sampled_from([(), (("optional", "true"),)]))


@st.composite
def notes(draw: Any) -> list[Piece]:
    found: list[Piece] = []
    for _ in range(draw(st.integers(0, 6))):
        found += [(draw(PLAIN), None), (draw(VALUES), draw(MARKS))]
    return merged([*found, (draw(PLAIN), None)])


def corpus(parts: list[Piece]) -> Corpus:
    seen = Corpus()
    seen.add(parts)
    seen.add(pieces(NOTE))
    return seen


def changed(parts: list[Piece], seed: int, **given: Any) -> list[Piece]:
    reader = AugmentReader(reader=Documents(texts=[]), seed=seed, **{**OFF, **given})
    return reader.changed(parts, "name", corpus(parts))


def marks(parts: list[Piece]) -> list[Mark]:
    return [mark for _, mark in parts if mark is not None]


def plain(parts: list[Piece]) -> list[str]:
    """Return the plain texts between the spans, also empty ones."""
    found = [""]
    for text, mark in parts:
        if mark is None:
            found[-1] += text
        else:
            found.append("")
    return found


@settings(max_examples=60, deadline=None)
@given(notes(), st.integers(0, 10_000))
def test_every_transformation_keeps_the_spans(parts: list[Piece], seed: int) -> None:
    full = {
        "substitute": 1.0,
        "pool": 0.5,
        "case": Case(lower=0.4, upper=0.3, lower_names=0.1, upper_names=0.1),
        "wrap": Wrap(share=0.7, widths=[20, 40], cut=0.4, indent=0.4),
        "noise": Noise(typos=0.5, names=0.5, ocr=0.5, spaces=0.5, accents=0.5),
        "structure": Structure(share=0.8),
    }
    found = changed(parts, seed, **full)
    assert marks(found) == marks(parts)
    assert all(text and text.strip() == text for text, mark in found if mark is not None)
    cas = document_of(found, "copy")
    assert cas.text == text_of(found)
    assert pieces_of(cas) == merged(found)


@settings(max_examples=60, deadline=None)
@given(notes(), st.integers(0, 10_000), st.floats(0, 1))
def test_substitution_changes_nothing_outside_spans(parts: list[Piece], seed: int, share: float) -> None:
    found = changed(parts, seed, substitute=share, pool=0.5)
    assert plain(found) == plain(parts)
    assert marks(found) == marks(parts)


@settings(max_examples=60, deadline=None)
@given(notes(), st.integers(0, 10_000))
def test_structure_changes_no_span(parts: list[Piece], seed: int) -> None:
    found = changed(parts, seed, structure=Structure(share=1))
    assert [p for p in found if p[1] is not None] == [p for p in parts if p[1] is not None]


@settings(max_examples=40, deadline=None)
@given(notes(), st.integers(0, 10_000))
def test_wrapping_changes_white_space_only(parts: list[Piece], seed: int) -> None:
    found = changed(parts, seed, wrap=Wrap(share=1, widths=[20, 30], cut=0.4, indent=0.4))
    assert "".join(text_of(found).split()) == "".join(text_of(parts).split())


@settings(max_examples=40, deadline=None)
@given(notes(), st.integers(0, 10_000))
def test_case_changes_case_only(parts: list[Piece], seed: int) -> None:
    found = changed(parts, seed, case=Case(lower=0.5, upper=0.5, lower_names=0, upper_names=0))
    assert text_of(found).casefold().casefold() in (
        text_of(parts).casefold(),
        text_of(parts).upper().casefold(),
        text_of(parts).lower().casefold(),
    )
