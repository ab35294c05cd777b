import pickle

from caspipe.typesystem import Cas, MedicalTerm, Sentence, TermGroup, Token, View


class Maker:
    """Adds two tokens and counts how often it was asked to."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, view: View) -> None:
        self.calls += 1
        view.add_spans(Token, [0, 4], [3, 8], "cutter")


def document() -> tuple[Cas, Maker]:
    cas, maker = Cas("Low back pain"), Maker()
    cas.view().add_lazily(Token, maker)
    return cas, maker


def test_nothing_is_made_until_somebody_looks_and_then_once() -> None:
    cas, maker = document()
    view = cas.view()
    view.add(Sentence(0, 13))
    assert len(view.select(Sentence)) == 1
    assert maker.calls == 0
    assert [(t.begin, t.end, t.source, t.covered_text) for t in view.select(Token)] == [
        (0, 3, "cutter", "Low"),
        (4, 8, "cutter", "back"),
    ]
    assert view.tokens.forms == ["Low", "back"]
    assert view.count(Token) == 2
    assert maker.calls == 1


def test_counts_types_and_everything_see_them() -> None:
    assert document()[0].view().count(Token) == 2
    assert document()[0].view().types() == [Token]
    assert len(list(document()[0].view())) == 2
    assert document()[0].view().spans(Token) == ([0, 4], [3, 8])
    assert document()[0].view().columns(Token) == ([0, 4], [3, 8], "cutter")


def test_a_document_is_pickled_and_copied_before_somebody_looks() -> None:
    for again in (pickle.loads(pickle.dumps(document()[0])), document()[0].copy()):
        assert [(t.begin, t.end) for t in again.select(Token)] == [(0, 3), (4, 8)]


def test_they_can_be_added_to_removed_and_withdrawn() -> None:
    cas, _ = document()
    cas.add(Token(9, 13))
    assert [t.covered_text for t in cas.select(Token)] == ["Low", "back", "pain"]
    cas, _ = document()
    cas.view().remove_from_source([Token], "cutter")
    assert cas.select(Token) == []


def test_where_there_are_some_already_they_are_added_at_once() -> None:
    cas = Cas("Low back pain")
    cas.add(MedicalTerm(0, 13, group=TermGroup.SIGN_SYMPTOM))
    cas.view().add_lazily(MedicalTerm, lambda view: view.add_all([MedicalTerm(4, 13, group=TermGroup.SIGN_SYMPTOM)]))
    assert [(t.begin, t.end) for t in cas.select(MedicalTerm)] == [(0, 13), (4, 13)]
