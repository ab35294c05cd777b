"""What people decided comes out as gold that every reader, evaluation and consumer understands."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from review_corpus import Corpus

from caspipe.consumers.scoring import pair_of
from caspipe.pipeline.application.review.export import export_gold
from caspipe.pipeline.application.review.state import ReviewError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.readers.uima.cas_files import XmiReader
from caspipe.typesystem import GOLD_VIEW, Cas, Phi

pytestmark = pytest.mark.server


def gold(folder: Path) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for cas in XmiReader(folder=folder):
        spans: list[Phi] = cas.view(GOLD_VIEW).select(Phi)
        found[cas.id] = [(p.covered_text, p.kind.name) for p in spans]
    return found


@pytest.fixture
def reviewed(corpus: Corpus) -> Corpus:
    corpus.do("reject", span=corpus.sid("44"))
    corpus.do("add", kind="PERSON_DOCTOR", **corpus.at("Ana Ruiz", nth=1))
    corpus.do("kind", span=corpus.sid("Lund"), kind="LOCATION")
    corpus.do("done")
    corpus.do("add", number=1, kind="PERSON", **corpus.at("Tom Berg", 1, nth=1))
    return corpus


A = [
    ("3 May 2020", "DATE"),
    ("Ana Ruiz", "PERSON_DOCTOR"),
    ("Lund", "LOCATION"),
    ("Ana Ruiz", "PERSON_DOCTOR"),
    ("Tom Berg", "PERSON"),
]


def test_only_what_is_done_is_written(reviewed: Corpus, tmp_path: Path) -> None:
    found = export_gold(reviewed.session, tmp_path / "gold", "anna")
    assert (found.written, found.skipped, found.failed) == (1, 2, [])
    assert gold(tmp_path / "gold") == {"a": A}


def test_everything_if_asked_for(reviewed: Corpus, tmp_path: Path) -> None:
    found = export_gold(reviewed.session, tmp_path / "gold", "anna", everything=True)
    assert (found.written, found.skipped) == (3, 0)
    b = [("Tom Berg", "PERSON"), ("555-0100", "PHONE"), ("Tom Berg", "PERSON"), ("4 May 2020", "DATE")]
    assert gold(tmp_path / "gold") == {"a": A, "b": b, "c": [("May", "DATE")]}
    status = {cas.id: cas.metadata["review_status"] for cas in XmiReader(folder=tmp_path / "gold")}
    assert status == {"a": "done", "b": "open", "c": "open"}


def test_what_is_reopened_is_gold_no_more(reviewed: Corpus, tmp_path: Path) -> None:
    export_gold(reviewed.session, tmp_path / "gold", "anna", everything=True)
    reviewed.do("reopen")
    reviewed.do("done", number=2)
    export_gold(reviewed.session, tmp_path / "gold", "anna")
    assert gold(tmp_path / "gold") == {"c": [("May", "DATE")]}


def test_who_decided_what_is_written(reviewed: Corpus, tmp_path: Path) -> None:
    export_gold(reviewed.session, tmp_path / "gold", "anna")
    (cas,) = XmiReader(folder=tmp_path / "gold")
    spans: list[Phi] = cas.view(GOLD_VIEW).select(Phi)
    assert [(p.source, p.reason) for p in spans] == [
        ("review/anna", "accepted as found by anna"),
        ("review/anna", "accepted as found by anna"),
        ("review/anna", "changed by anna"),
        ("review/anna", "added by anna"),
        ("review/anna", "accepted as found by anna"),
    ]
    assert cas.metadata["review_annotator"] == "anna"


@pytest.mark.skipif(not hasattr(stat, "S_IMODE"), reason="modes are POSIX")
def test_gold_is_for_its_owner_only(reviewed: Corpus, tmp_path: Path) -> None:
    export_gold(reviewed.session, tmp_path / "gold", "anna")
    assert stat.S_IMODE((tmp_path / "gold").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "gold" / "a.xmi").stat().st_mode) == 0o600


def test_gold_among_the_documents_is_refused(reviewed: Corpus) -> None:
    for target in (reviewed.folder, reviewed.folder / "gold", reviewed.folder / "review" / "gold"):
        with pytest.raises(ReviewError, match="is among the documents under review"):
            export_gold(reviewed.session, target, "anna")


def test_what_was_found_is_scored_against_it(reviewed: Corpus, tmp_path: Path) -> None:
    export_gold(reviewed.session, tmp_path / "gold", "anna")
    (cas,) = XmiReader(folder=tmp_path / "gold")
    pair = pair_of(cas)
    assert (len(pair.gold), len(pair.system)) == (5, 5)


def test_any_consumer_writes_it(reviewed: Corpus, tmp_path: Path) -> None:
    export_gold(reviewed.session, tmp_path / "gold", "anna")
    Pipeline.parse(
        f"reader: {{xmi: {{folder: {tmp_path / 'gold'}}}}}\n"
        f"engines: []\nconsumers: [brat: {{annotations: gold}}]\nrun: {{output: {tmp_path / 'out'}}}"
    ).run()
    (written,) = (tmp_path / "out").glob("**/a.ann")
    found = [line.split("\t") for line in written.read_text().splitlines() if line.startswith("T")]
    assert [(words, place.split()[0]) for _, place, words in found] == A


def test_it_can_be_reviewed_again(reviewed: Corpus, tmp_path: Path) -> None:
    from caspipe.pipeline.application.review.catalogue import Catalogue

    export_gold(reviewed.session, tmp_path / "gold", "anna")
    catalogue = Catalogue([tmp_path / "gold"], view=GOLD_VIEW)
    document = catalogue.document(0)
    assert [(document.text[s.begin : s.end], s.kind) for s in document.base.values()] == A


def test_a_pipeline_reads_it_and_keeps_the_gold(reviewed: Corpus, tmp_path: Path) -> None:
    export_gold(reviewed.session, tmp_path / "gold", "anna")
    pipeline = Pipeline.parse("engines: [segmenter, dates, resolver]")
    (cas,) = XmiReader(folder=tmp_path / "gold")
    done: Cas = pipeline.process(cas)
    assert len(done.view(GOLD_VIEW).select(Phi)) == 5
