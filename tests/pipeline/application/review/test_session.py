"""Decisions in a folder of documents: what they change, that they are kept, and what the list says."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from review_corpus import Corpus, document, make_folder, masked_text

from caspipe.pipeline.application.review.catalogue import Catalogue
from caspipe.pipeline.application.review.document import Refusal
from caspipe.pipeline.application.review.history import History
from caspipe.pipeline.application.review.state import ReviewError
from caspipe.pipeline.application.review.store import read_journal
from caspipe.typesystem import save_xmi

pytestmark = pytest.mark.server


def masked(corpus: Corpus, number: int = 0) -> str:
    return masked_text(corpus.session.opened(number))


def test_the_documents_own_masking_stands_until_something_changes(corpus: Corpus) -> None:
    for number in range(3):
        assert masked(corpus, number) == corpus.catalogue.cas(number).deidentified


def test_the_masked_text_follows_every_decision(corpus: Corpus) -> None:
    corpus.do("reject", span=corpus.sid("3 May 2020"))
    corpus.do("kind", span=corpus.sid("Lund"), kind="ORGANIZATION")
    corpus.do("add", kind="PERSON_DOCTOR", **corpus.at("Ana Ruiz", nth=1))
    assert masked(corpus) == (
        "Seen on 3 May 2020 by Dr. [PERSON] in [ORGANIZATION].\n[PERSON] called [PERSON], aged [AGE]. Parkinson signs."
    )


def test_a_candidate_that_was_taken_out_can_be_revived(corpus: Corpus) -> None:
    assert ("Parkinson", "PERSON", "suggested") in corpus.spans()
    corpus.do("accept", span=corpus.sid("Parkinson"))
    assert ("Parkinson", "PERSON", "accepted") in corpus.spans()
    assert masked(corpus).endswith("[PERSON] signs.")


def test_words_that_are_masked_elsewhere_are_pointed_at_until_somebody_decides(corpus: Corpus) -> None:
    opened = corpus.session.opened(0)
    (leak,) = opened.leaks
    assert (opened.document.text[leak.begin : leak.end], leak.begin, leak.kind) == (
        "Ana Ruiz",
        corpus.at("Ana Ruiz", nth=1)["begin"],
        "PERSON_DOCTOR",
    )
    corpus.do("reject", span=leak.sid)
    assert opened.leaks == []
    corpus.undo()
    outcome = corpus.do("accept", span=leak.sid)
    assert opened.leaks == []
    assert corpus.spans().count(("Ana Ruiz", "PERSON_DOCTOR", "accepted")) == 1
    assert outcome.span in opened.table.spans


def test_the_same_words_get_the_same_in_all_documents_in_one_step(corpus: Corpus) -> None:
    corpus.do("accept", span=corpus.sid("Tom Berg"))
    assert corpus.session.preview(0, corpus.sid("Tom Berg")) == {
        "here": {"added": 0, "changed": 0, "left": 0, "documents": 0},
        "all": {"added": 1, "changed": 1, "left": 0, "documents": 1},
    }
    outcome = corpus.do("same", span=corpus.sid("Tom Berg"), scope="all")
    assert outcome.message == "2 occurrences in 1 document changed"
    assert [s for s in corpus.spans(1) if s[0] == "Tom Berg"] == [("Tom Berg", "PERSON", "accepted")] * 2
    corpus.undo()
    assert [s for s in corpus.spans(1) if s[0] == "Tom Berg"] == [("Tom Berg", "PERSON", "open")]
    corpus.undo(redo=True)
    assert len([s for s in corpus.spans(1) if s[0] == "Tom Berg"]) == 2


def test_the_same_words_are_rejected_where_they_were_found_as_that_kind(corpus: Corpus) -> None:
    corpus.do("reject", span=corpus.sid("Tom Berg", 1), number=1)
    corpus.do("same", number=1, span=corpus.sid("Tom Berg", 1), scope="all")
    assert ("Tom Berg", "PERSON", "rejected") in corpus.spans(0)


def test_words_inside_a_longer_span_stay(corpus: Corpus) -> None:
    corpus.do("add", number=1, kind="LOCATION", **corpus.at("Tom Berg came on", 1))
    assert corpus.session.preview(0, corpus.sid("Tom Berg"))["all"] == {
        "added": 0,
        "changed": 1,
        "left": 1,
        "documents": 1,
    }


def test_done_accepts_what_is_open_and_is_taken_back_as_one(corpus: Corpus) -> None:
    corpus.do("reject", span=corpus.sid("44"))
    outcome = corpus.do("done")
    assert outcome.message == "4 open spans accepted; 1 possible leak stays readable"
    assert {s[2] for s in corpus.spans() if s[0] != "Parkinson"} == {"accepted", "rejected"}
    assert corpus.session.rows()[0]["done"]
    corpus.undo()
    assert not corpus.session.rows()[0]["done"]
    assert [s[2] for s in corpus.spans()].count("open") == 4


def test_a_place_that_the_gate_refused_is_a_possible_leak_where_no_span_covers_it(corpus: Corpus) -> None:
    opened = corpus.session.opened(0)
    span = opened.table.spans[corpus.sid("Tom Berg")]
    opened.document.refusals = (Refusal(span.begin, span.end + 6, "PERSON", "values"),)
    leaks = [opened.document.text[k.begin : k.end] for k in opened.leaks]
    assert leaks == ["Ana Ruiz", "aged"]


def test_done_counts_the_possible_leaks_that_nobody_decided(corpus: Corpus) -> None:
    (leak,) = corpus.session.opened(0).leaks
    corpus.do("reject", span=leak.sid)
    assert corpus.do("done").message == "5 open spans accepted"


def test_the_list_counts(corpus: Corpus) -> None:
    corpus.session.scan()
    first, second, _ = corpus.session.rows()
    assert first == {
        "i": 0,
        "id": "a",
        "size": 95,
        "quarantined": "",
        "live": 5,
        "open": 5,
        "low": 0.6,
        "disputed": 0,
        "suggested": 1,
        "leaks": 1,
        "kinds": {"AGE": 1, "DATE": 1, "LOCATION_CITY": 1, "PERSON": 1, "PERSON_DOCTOR": 1},
        "done": False,
        "differ": 0,
    }
    assert second["leaks"] == 1
    version = corpus.session.version
    corpus.do("accept", number=2, span=corpus.sid("May", 2))
    assert [(r["id"], r["open"]) for r in corpus.session.rows(version)] == [("c", 0)]


def test_candidates_of_other_kinds_or_bounds_dispute_a_span(tmp_path: Path) -> None:
    folder = tmp_path / "xmi"
    make_folder(folder, {"x": "<PERSON><LOCATION>Berg</LOCATION> Tom</PERSON> and <PERSON>Ann</PERSON>."})
    corpus = Corpus(folder)
    corpus.session.scan()
    assert corpus.session.rows()[0]["disputed"] == 2
    corpus.close()


def test_decisions_are_there_after_a_restart(corpus: Corpus) -> None:
    corpus.do("reject", span=corpus.sid("44"))
    corpus.do("add", number=1, kind="PERSON", **corpus.at("Tom Berg", 1, nth=1))
    corpus.do("done", number=2)
    corpus.undo()
    before, depth = corpus.everything(), corpus.session.history.depth
    corpus.close()
    again = Corpus(corpus.folder)
    assert (again.everything(), again.session.history.depth) == (before, depth)
    again.undo()
    again.undo()
    assert again.everything() == {}
    again.close()


def test_a_request_that_comes_again_is_not_carried_out_again(corpus: Corpus) -> None:
    place = corpus.at("Ana Ruiz", nth=1)
    corpus.session.decide("add", 0, "key-00000001", kind="PERSON", **place)
    corpus.session.decide("reject", 0, "key-00000002", span=corpus.sid("44"))
    again = corpus.session.decide("add", 0, "key-00000001", kind="PERSON", **place)
    assert not again.known
    assert corpus.session.history.number == 2
    corpus.session.undo("key-00000003", 0)
    corpus.session.undo("key-00000003", 0)
    assert corpus.session.history.depth == (1, 1)


def test_a_document_whose_text_changed_is_left_alone(corpus: Corpus) -> None:
    corpus.do("reject", span=corpus.sid("44"))
    corpus.close()
    save_xmi(document("a", "Another text of <DATE>3 May 2020</DATE>."), corpus.folder / "a.xmi")
    again = Corpus(corpus.folder)
    again.session.scan()
    told = "document a: its text has changed since the review; its decisions are not applied"
    assert again.session.rows()[0] == {"i": 0, "id": "a", "fault": told}
    with pytest.raises(ReviewError, match=told):
        again.do("done")
    again.do("done", number=1)
    again.close()


def test_a_file_that_cannot_be_read_is_told_and_the_rest_goes_on(corpus: Corpus) -> None:
    (corpus.folder / "a.xmi").write_bytes((corpus.folder / "a.xmi").read_bytes()[:300])
    again = Corpus(corpus.folder, "ben")
    again.session.scan()
    first, second, _ = again.session.rows()
    assert "a.xmi" in first["fault"] and "May" not in first["fault"]
    assert second["open"] == 3
    again.close()


def test_the_journal_holds_no_text(corpus: Corpus) -> None:
    corpus.do("reject", span=corpus.sid("Tom Berg"))
    corpus.do("add", kind="PERSON", **corpus.at("Ana Ruiz", nth=1))
    corpus.do("same", span=corpus.sid("Ana Ruiz", nth=1), scope="all")
    corpus.do("done")
    written = corpus.journal.path.read_text()
    for words in ("Tom", "Berg", "Ana", "Ruiz", "Lund", "May", "Parkinson"):
        assert words not in written


def test_after_a_new_run_decisions_stand_and_what_it_found_over_them_is_only_suggested(corpus: Corpus) -> None:
    corpus.do("add", number=2, kind="LOCATION_CITY", **corpus.at("Lund", 2))
    corpus.do("done", number=2)
    corpus.close()
    save_xmi(document("c", "Nothing here but <DATE>May</DATE> <PERSON>and Lund</PERSON>."), corpus.folder / "c.xmi")
    again = Corpus(corpus.folder)
    assert again.spans(2) == [
        ("May", "DATE", "accepted"),
        ("and Lund", "PERSON", "suggested"),
        ("Lund", "LOCATION_CITY", "accepted"),
    ]
    again.close()


def test_several_files_can_be_reviewed(folder: Path) -> None:
    catalogue = Catalogue([folder / "b.xmi", folder / "a.xmi"])
    assert (catalogue.ids, catalogue.home) == (["b", "a"], folder)


def test_a_folder_without_xmi_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReviewError, match=r"no file matches \*\.xmi"):
        Catalogue([tmp_path])


OPS = st.lists(
    st.tuples(
        st.sampled_from(["accept", "reject", "kind", "move", "add", "done", "reopen", "same", "undo", "redo"]),
        st.integers(0, 2),
        st.integers(0, 20),
        st.integers(1, 12),
    ),
    max_size=14,
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(OPS)
def test_what_the_journal_says_is_what_was_done(
    tmp_path_factory: pytest.TempPathFactory, folder: Path, ops: list[tuple[str, int, int, int]]
) -> None:
    copy = tmp_path_factory.mktemp("r") / "xmi"
    shutil.copytree(folder, copy)
    corpus = Corpus(copy)
    for op, number, at, length in ops:
        ids = sorted(corpus.session.opened(number).table.spans)
        sid = ids[at % len(ids)]
        try:
            if op in ("undo", "redo"):
                corpus.undo(op == "redo", number)
            else:
                corpus.do(op, number, span=sid, kind="ID", begin=at, end=at + length, scope="all")
        except ReviewError:
            continue
        read = History(read_journal(corpus.journal.path)[1])
        assert {n: (d.own, d.done) for n, d in read.documents.items()} == {
            n: (d.own, d.done) for n, d in corpus.session.history.documents.items()
        }
        assert read.depth == corpus.session.history.depth
        for n in range(3):
            live = corpus.session.opened(n).table.live
            assert all(one[1] <= other[0] for one, other in pairwise(live))
    while corpus.session.history.depth[0]:
        corpus.undo()
    assert corpus.everything() == {}
    corpus.close()


def test_possible_leaks_are_never_stale(corpus: Corpus) -> None:
    corpus.do("add", kind="DATE", **corpus.at("Ana Ruiz", nth=1))
    opened = corpus.session.opened(0)
    first, second = corpus.sid("Ana Ruiz", nth=0), corpus.sid("Ana Ruiz", nth=1)
    corpus.do("kind", span=first, kind="DATE")
    corpus.do("reject", span=second)
    assert opened.leaks == [], "dates say nothing about a person"
    corpus.undo()
    corpus.do("reject", span=first)
    corpus.undo()
    corpus.do("move", span=second, begin=opened.table.spans[second].begin, end=opened.table.spans[second].begin + 3)
    assert opened.leaks == []
    corpus.do("kind", span=first, kind="PERSON")
    assert [(opened.document.text[k.begin : k.end]) for k in opened.leaks] == ["Ruiz"]


def test_a_list_that_is_counted_while_somebody_decides_does_not_go_back(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = corpus.session
    count = type(session)._count
    sid = corpus.sid("Lund")
    decided = False

    def slow(self: object, number: int) -> object:
        nonlocal decided
        found = count(session, number)
        if not decided:  # a decision comes between the count and its entry
            decided = True
            corpus.do("reject", span=sid)
        return found

    monkeypatch.setattr(type(session), "_count", slow)
    session.scan()
    assert [r["open"] for r in session.rows() if r["i"] == 0] == [4]
