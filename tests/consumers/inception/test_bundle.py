"""The bundle for INCEpTION: what is in it, and that its documents are made as the import checks want them."""

from __future__ import annotations

import json
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from review_exports import documents, entries, make_bundle, member

from caspipe.consumers.inception import InceptionConsumer
from caspipe.consumers.inception.document import clean
from caspipe.pipeline.application.cli.doctor import examine
from caspipe.pipeline.errors import ComponentError
from caspipe.typesystem import (
    GOLD_VIEW,
    Cas,
    CaspipeWarning,
    DocumentAnnotation,
    Phi,
    PhiKind,
    Sentence,
    Token,
    TypeSystem,
    View,
    read_xmi,
)
from caspipe.typesystem.review_layers import CANDIDATE_LAYER, NAMED_ENTITY, PHI_LAYER, Mode, trimmed

Make = Callable[..., Cas]
MODES: list[Mode] = ["phi-layer", "named-entity"]


def written(path: Path) -> dict[str, View]:
    """The documents of a bundle, by their file, read strictly with the type system of the bundle."""
    types = TypeSystem.from_xml(member(path, "TypeSystem.xml"))
    with zipfile.ZipFile(path) as archive:
        names = [n for n in archive.namelist() if n.startswith("documents/")]
        return {n.removeprefix("documents/"): read_xmi(archive.read(n), types).view() for n in names}


def note(text: str, *spans: tuple[str, str], id: str = "note") -> Cas:
    cas = Cas(text, id=id)
    for words, kind in spans:
        begin = text.index(words)
        cas.add(Phi(begin, begin + len(words), kind=PhiKind.of(kind)))
    return cas


def values(view: View, layer: str, *features: str) -> list[tuple[Any, ...]]:
    return [(a.covered_text, *(a[f] for f in features)) for a in view.select(layer)]


def test_a_bundle_holds_layers_tag_sets_guidelines_and_documents(tmp_path: Path, make: Make) -> None:
    path = make_bundle(tmp_path, [make("ward/note-1"), make("ward/note-2")], candidates=True)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [
            "documents/ward__note-1.xmi",
            "documents/ward__note-2.xmi",
            "README.md",
            "TypeSystem.xml",
            "documents.json",
            "guidelines.md",
            "guidelines.pdf",
            "layers/Candidate.json",
            "layers/PHI.json",
            "tagsets/kinds.json",
            "tagsets/status.json",
        ]
    view = written(path)["ward__note-1.xmi"]
    assert values(view, PHI_LAYER, "label", "status", "confidence", "source", "rule", "reason") == [
        ("Ivy Featherstone", "PERSON_DOCTOR", "found", 1.0, "regex/names", "title_name", "won: rules come first"),
        ("3/4/2020", "DATE", "found", 1.0, "regex/dates", "numeric", "won: rules come first"),
        ("41", "AGE", "found", 1.0, "regex/ages", "aged", "won: rules come first"),
    ]
    assert values(view, CANDIDATE_LAYER, "label", "confidence", "reason")[1] == (
        "Featherstone", "PERSON", 0.75, "lost: rules come first"
    )  # fmt: skip
    assert len(view.select(DocumentAnnotation)) == 1
    assert not examine([path]).findings


def test_named_entities_need_no_layer_of_ours_and_tokens_end_where_they_do(tmp_path: Path) -> None:
    cas = note("Seen in Springfield15.", ("Springfield", "LOCATION_CITY"))
    cas.view().add_all([Token(0, 4), Token(5, 7), Token(8, 21), Token(21, 22), Sentence(0, 22)])
    path = make_bundle(tmp_path, [cas], mode="named-entity")
    assert not [n for n in zipfile.ZipFile(path).namelist() if n.startswith("layers/")]
    view = written(path)["note.xmi"]
    assert values(view, NAMED_ENTITY, "value") == [("Springfield", "LOCATION_CITY")]
    assert [t.covered_text for t in view.select(Token)] == ["Seen", "in", "Springfield", "15", "."]
    assert entries(path)[0]["changes"]["tokens cut at spans"] == 1


def test_the_labels_are_those_of_the_scheme(tmp_path: Path) -> None:
    path = make_bundle(tmp_path, [note("Seen on 3/4/2020", ("3/4/2020", "DATE"))], scheme="meddocan")
    assert values(written(path)["note.xmi"], PHI_LAYER, "label") == [("3/4/2020", "FECHAS")]
    tags = json.loads(member(path, "tagsets/kinds.json"))
    assert "FECHAS" in [tag["tag_name"] for tag in tags["tags"]]
    assert all(tag["tag_description"] for tag in tags["tags"])
    assert tags["create_tag"] is False


def test_sentences_are_joined_where_a_span_crosses_their_border_and_only_there(tmp_path: Path) -> None:
    text = "Dr. Ivy Fern came. She left. It rained."
    cas = note(text, ("Ivy Fern came. She", "PERSON"))
    cas.view().add_all([Sentence(0, 3), Sentence(4, 18), Sentence(19, 28), Sentence(29, 39)])
    view = written(make_bundle(tmp_path, [cas]))["note.xmi"]
    assert [s.covered_text for s in view.select(Sentence)] == ["Dr.", "Ivy Fern came. She left.", "It rained."]
    assert values(view, PHI_LAYER, "label") == [("Ivy Fern came. She", "PERSON")]


def test_spans_lose_blank_edges_and_empty_ones_are_left_out(tmp_path: Path) -> None:
    cas = note("Seen  by \u200bFern\n on", (" by ", "PERSON"), ("\u200bFern\n", "PERSON"), ("  ", "DATE"))
    path = make_bundle(tmp_path, [cas])
    assert [v[0] for v in values(written(path)["note.xmi"], PHI_LAYER)] == ["by", "Fern"]
    changes = entries(path)[0]["changes"]
    assert (changes["spans trimmed"], changes["spans of blanks left out"]) == (2, 1)


def test_characters_that_xml_cannot_carry_are_replaced_and_recorded(tmp_path: Path) -> None:
    path = make_bundle(tmp_path, [note("\ufeffA\x00b\x0c😀\ud800 Fern", ("Fern", "PERSON"))])
    view = written(path)["note.xmi"]
    assert view.text == " A\ufffdb 😀\ufffd Fern"
    assert entries(path)[0]["lost"] == [[0, 0xFEFF], [2, 0], [4, 12], [6, 0xD800]]
    assert clean("plain") == ("plain", [])


def test_documents_without_text_are_left_out_with_a_warning(tmp_path: Path) -> None:
    with pytest.warns(CaspipeWarning, match="2 documents were left out of the review project: it has no text"):
        path = make_bundle(tmp_path, [Cas("", id="a"), Cas(" \n\u200b", id="b"), note("x", id="c")])
    assert [e.get("skipped", "") != "" for e in entries(path)] == [True, True, False]
    assert list(written(path)) == ["c.xmi"]
    assert "2 could not be reviewed" in member(path, "README.md").decode()


def test_documents_beyond_the_limits_of_inception_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caspipe.consumers.inception.document.MAX_SENTENCES", 2)
    with pytest.warns(CaspipeWarning, match="it has 3 sentences: INCEpTION accepts 2 at most"):
        make_bundle(tmp_path, [note("a\nb\nc", id="long"), note("a\nb", id="short")])


def test_names_are_ones_that_inception_takes(tmp_path: Path) -> None:
    ids = ["a#b%c&d{e}$!@+'`=", "-x", ".y", "ward/z", "", "é中", "../up"]
    path = make_bundle(tmp_path, [note("x", id=i) for i in ids])
    names = [e["file"] for e in entries(path)]
    assert names == [
        "a_b_c_d_e________.xmi", "x.xmi", "y.xmi", "ward__z.xmi", "document.xmi", "é中.xmi", "__up.xmi"
    ]  # fmt: skip
    assert [e["id"] for e in entries(path)] == ids


def test_masked_documents_show_replacements(tmp_path: Path, make: Make) -> None:
    path = make_bundle(tmp_path, [make("000001")], annotations="masked")
    assert entries(path)[0]["id"] == "000001"
    (view,) = written(path).values()
    assert values(view, PHI_LAYER, "label")[0] == ("[PERSON]", "PERSON_DOCTOR")


def test_reference_annotations_go_before_what_was_found_and_borrow_its_tokens(tmp_path: Path) -> None:
    cas = note("Seen by Fern.", ("Seen", "DATE"))
    cas.view().add_all([Token(0, 4), Token(5, 13), Sentence(0, 13)])
    cas.view().add(DocumentAnnotation(0, 13, language="en"))
    cas.create_view(GOLD_VIEW, cas.text).add(Phi(8, 12, kind=PhiKind.PERSON))
    view = written(make_bundle(tmp_path, [cas]))["note.xmi"]
    assert values(view, PHI_LAYER, "label", "status") == [("Fern", "PERSON", "accepted")]
    assert [t.covered_text for t in view.select(Token)] == ["Seen", "by Fern."]
    assert view.select(DocumentAnnotation)[0].language == "en"
    with pytest.raises(ComponentError, match="expected a view deidentified"):
        make_bundle(tmp_path, [cas], annotations="masked")


def test_layers_forbid_overlaps_unless_a_document_has_some(tmp_path: Path) -> None:
    apart = note("Ivy Fern", ("Ivy", "PERSON"), ("Fern", "PERSON"), id="apart")
    across = note("Ivy Fern", ("Ivy Fern", "PERSON"), ("Fern", "PERSON"), id="across")
    modes = []
    for name, documents_ in (("one.zip", [apart]), ("two.zip", [apart, across, apart])):
        (layer,) = json.loads(member(make_bundle(tmp_path, documents_, name), "layers/PHI.json"))
        modes.append((layer["overlap_mode"], layer["allow_stacking"]))
        assert (layer["name"], layer["type"], layer["anchoring_mode"]) == (PHI_LAYER, "span", "CHARACTERS")
        assert [f["name"] for f in layer["features"] if f["tag_set"]] == ["label", "status"]
    assert modes == [("NO_OVERLAP", False), ("ANY_OVERLAP", True)]


def test_a_bundle_is_its_owners_only_and_the_same_bytes_each_time(tmp_path: Path, make: Make) -> None:
    one = make_bundle(tmp_path, [make()], "one.zip")
    two = make_bundle(tmp_path, [make()], "two.zip")
    assert one.read_bytes() == two.read_bytes()
    assert one.stat().st_mode & 0o777 == 0o600
    assert one.parent.stat().st_mode & 0o777 == 0o700


def test_large_bundles_have_64_bit_places(tmp_path: Path, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zipfile.ZIP64_LIMIT", 100)
    monkeypatch.setattr("zipfile.ZIP_FILECOUNT_LIMIT", 2)
    path = make_bundle(tmp_path, [make("a"), make("b"), make("c")])
    assert b"PK\x06\x06" in path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert len(archive.namelist()) == 11
    assert set(written(path)) == {"a.xmi", "b.xmi", "c.xmi"}


def test_what_is_rolled_back_is_not_in_the_bundle(tmp_path: Path) -> None:
    made = InceptionConsumer()
    made.output = tmp_path
    made.open()
    kept, gone = note("Ivy Fern", id="kept"), note("Ivy Fern", ("Ivy Fern", "PERSON"), ("Fern", "PERSON"), id="gone")
    made.process(kept)
    made.process(gone)
    made.rollback(gone.id)
    made.rollback(gone.id)
    made.rollback(kept.id)
    made.process(note("more", id="more"))
    made.close()
    path = tmp_path / "restricted/inception.zip"
    assert [e["id"] for e in entries(path)] == ["kept", "more"]
    assert list(written(path)) == ["kept.xmi", "more.xmi"]
    assert json.loads(member(path, "layers/PHI.json"))[0]["overlap_mode"] == "NO_OVERLAP"


def test_a_run_that_broke_down_leaves_the_old_bundle(tmp_path: Path, make: Make) -> None:
    path = make_bundle(tmp_path, [make()])
    before = path.read_bytes()
    made = InceptionConsumer()
    made.output = tmp_path
    made.process(make("other"))
    made.abort()
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["inception.zip"]


def test_guidelines_name_every_kind_as_text_and_as_pdf(tmp_path: Path, make: Make) -> None:
    path = make_bundle(tmp_path, [make()])
    text = member(path, "guidelines.md").decode()
    assert not [k.name for k in PhiKind if f"`{k.name}`" not in text]
    pdf = member(path, "guidelines.pdf")
    assert pdf.startswith(b"%PDF-1.4")
    assert pdf.rstrip().endswith(b"%%EOF")
    pages = [zlib.decompress(stream) for stream in re.findall(rb"stream\n(.*?)\nendstream", pdf, re.DOTALL)]
    assert len(pages) == pdf.count(b"/Type /Page/") > 1
    assert not [k.name for k in PhiKind if f"`{k.name}`".encode() not in b"".join(pages)]


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@given(cas=documents())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_document_passes_the_checks_and_keeps_its_spans(cas: Cas, mode: Mode, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaspipeWarning)  # documents without text
        path = make_bundle(tmp_path, [cas], mode=mode)
    assert not examine([path]).findings
    text = clean(cas.text)[0]
    view = cas.view(GOLD_VIEW if cas.has_view(GOLD_VIEW) else "_InitialView")
    spans = [(*trimmed(text, p.begin, p.end), p.kind.name) for p in view.select(Phi)]
    for made in written(path).values():
        layer, feature = (PHI_LAYER, "label") if mode == "phi-layer" else (NAMED_ENTITY, "value")
        assert made.text == text
        assert sorted((a.begin, a.end, a[feature]) for a in made.select(layer)) == sorted(
            s for s in spans if s[0] < s[1]
        )
        for span in made.select(layer):
            assert made.select(Sentence, covering=span)
            if mode == "named-entity":
                inside = made.select(Token, overlapping=span)
                assert all(span.begin <= t.begin and t.end <= span.end for t in inside)
