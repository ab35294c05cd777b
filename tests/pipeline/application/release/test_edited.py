"""Documents that were edited in another program reach the release."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from releasing import CONFIG, LETTERS, caspipe, holding, make_run, released

cassis = pytest.importorskip("cassis")


def edit(folder: Path, document: str, change: Any) -> None:
    """Edit a document with dkpro-cassis."""
    with (folder / "TypeSystem.xml").open("rb") as file:
        types = cassis.load_typesystem(file)
    path = folder / f"{document}.xmi"
    with path.open("rb") as file:
        cas = cassis.load_cas_from_xmi(file, typesystem=types)
    change(cas, types.get_type("caspipe.Phi"), lambda words: phi_at(cas, words))
    cas.to_xmi(str(path))


def phi_at(cas: Any, words: str) -> Any:
    return next(p for p in cas.select("caspipe.Phi") if p.get_covered_text() == words)


def add(cas: Any, kind: Any, words: str, name: str) -> None:
    begin = cas.sofa_string.index(words)
    cas.add(kind(begin=begin, end=begin + len(words), kind=name))


@pytest.fixture
def edited(run: Path, tmp_path: Path) -> Path:
    """A copy of the XMI of the run."""
    return Path(shutil.copytree(run / "restricted" / "xmi", tmp_path / "edited"))


@pytest.mark.attack("review-xmi")
def test_edits_with_cassis_reach_the_release(run: Path, edited: Path) -> None:
    before = released(run)
    edit(edited, "b", lambda cas, kind, at: cas.remove(at("617-555-0134")))
    edit(edited, "c", lambda cas, kind, at: add(cas, kind, "quellmore", "PERSON"))

    def rename(cas: Any, kind: Any, at: Any) -> None:
        at("Ana Ruiz").kind = "PROFESSION"

    edit(edited, "a", rename)
    result = caspipe("release", run, "--xmi", edited)
    assert result.exit_code == 3, result.output  # `d` is in quarantine
    assert released(run) == [
        before[0].replace("Dr. [PERSON]", "Dr. [PROFESSION]"),
        before[1].replace("[PHONE]", "617-555-0134"),
        before[2].replace("quellmore", "[PERSON]"),
    ]
    assert caspipe("audit", "verify", run).exit_code == 0
    assert "edited: 3; 1 spans added, 1 removed, 1 changed\n" in result.output
    assert "\nreviewed: " not in result.output


@pytest.mark.attack("review-xmi")
def test_documents_without_an_edit_are_counted_apart(run: Path, edited: Path) -> None:
    before = released(run)
    result = caspipe("release", run, "--xmi", edited)
    assert "edited: 0\nnot edited: 3; their spans are those of the run\n" in result.output
    assert "\nreviewed: " not in result.output
    assert released(run) == before

    def shorten(cas: Any, kind: Any, at: Any) -> None:
        phi = at("Ana Ruiz")
        phi.begin += len("Ana ")

    edit(edited, "a", shorten)
    (edited / "b.xmi").unlink()
    result = caspipe("release", run, "--xmi", edited)
    assert "edited: 1; 0 spans added, 0 removed, 1 changed\nnot edited: 1; their spans are" in result.output
    assert "not reviewed: 1; released as the run left them" in result.output


@pytest.mark.attack("review-xmi")
def test_missing_and_strange_documents_are_reported(run: Path, edited: Path) -> None:
    before = released(run)
    (edited / "a.xmi").unlink()
    shutil.copy(edited / "b.xmi", edited / "other.xmi")
    result = caspipe("release", run, "--xmi", edited)
    assert "not reviewed: 1; released as the run left them" in result.output
    assert "warning: 1 reviewed documents are not of this run, and are ignored: other" in result.output
    assert released(run) == before


@pytest.mark.attack("review-xmi")
def test_a_document_with_another_text_is_refused_alone(run: Path, edited: Path) -> None:
    before = released(run)
    path = edited / "b.xmi"
    path.write_bytes(path.read_bytes().replace(b"Dr. Tom Berg", b"Dr. Tim Berg"))
    result = caspipe("release", run, "--xmi", edited)
    assert result.exit_code == 3
    assert (
        "document b: its text is not the one of the edited document (edited documents): the decisions are refused"
        in result.output
    )
    assert released(run) == [before[0], before[2]]


@pytest.mark.attack("review-xmi")
def test_files_without_any_phi_are_refused_since_everything_would_be_released(run: Path, edited: Path) -> None:
    before = released(run)

    def clear(cas: Any, kind: Any, at: Any) -> None:
        for phi in list(cas.select("caspipe.Phi")):
            cas.remove(phi)

    for document in "abc":
        edit(edited, document, clear)
    result = caspipe("release", run, "--xmi", edited)
    assert result.exit_code == 4
    assert "no document has an annotation of PHI (caspipe.Phi), so everything would be released" in result.stderr
    assert released(run) == before


@pytest.mark.attack("review-xmi")
def test_a_document_without_any_phi_among_others_is_held_back(run: Path, edited: Path) -> None:
    """One file whose annotations another program dropped must not uncover a document."""

    def clear(cas: Any, kind: Any, at: Any) -> None:
        for phi in list(cas.select("caspipe.Phi")):
            cas.remove(phi)

    edit(edited, "a", clear)
    result = caspipe("release", run, "--xmi", edited)
    assert result.exit_code == 3
    assert "document a: the edited document has no annotation of PHI, the run found 4: it is withheld" in result.output
    assert holding(run, "Zorblatt") == []


@pytest.mark.attack("review-xmi")
def test_annotations_of_other_types_are_ignored_with_a_note(run: Path, edited: Path) -> None:
    before = released(run)
    types = edited / "TypeSystem.xml"
    with types.open("rb") as file:
        system = cassis.load_typesystem(file)
    own = system.create_type("my.Finding", supertypeName="uima.tcas.Annotation")
    with (edited / "a.xmi").open("rb") as file:
        cas = cassis.load_cas_from_xmi(file, typesystem=system)
    cas.add(own(begin=0, end=4))
    cas.to_xmi(str(edited / "a.xmi"))
    system.to_xml(str(types))
    result = caspipe("release", run, "--xmi", edited)
    assert "warning: 1 edited documents have annotations of other types, which are ignored" in result.output
    assert released(run) == before


@pytest.mark.attack("review-xmi")
def test_damaged_files_stop_the_release(run: Path, edited: Path) -> None:
    before = released(run)
    (edited / "b.xmi").write_bytes((edited / "b.xmi").read_bytes()[:-200])
    result = caspipe("release", run, "--xmi", edited)
    assert result.exit_code == 4
    assert "1 edited document cannot be read; the first is b: " in result.stderr
    assert "Berg" not in result.stderr
    assert released(run) == before


@pytest.mark.attack("review-xmi")
def test_json_cas_and_view_gold_are_read_too(run: Path, tmp_path: Path) -> None:
    before = released(run)
    folder = tmp_path / "json"
    converted = caspipe("convert", run / "restricted" / "xmi", folder, "--from", "xmi", "--to", "jsoncas")
    assert converted.exit_code == 0, converted.output
    result = caspipe("release", run, "--xmi", folder)
    assert result.exit_code == 3, result.output
    assert released(run) == before


@pytest.mark.attack("review-xmi")
@pytest.mark.parametrize("mode", ["phi-layer", "named-entity"])
def test_an_inception_round_trip_reaches_the_release(mode: str, tmp_path: Path) -> None:
    """The documents of a review project come back as INCEpTION exports them: XMI beside their types, in a zip."""
    import io
    import zipfile

    run = make_run(tmp_path, LETTERS, CONFIG.replace("run:", f"  - inception: {{mode: {mode}}}\nrun:"))
    before = released(run)
    bundle = next((run / "restricted").glob("*.zip"))
    export = tmp_path / "export.zip"
    with zipfile.ZipFile(bundle) as project, zipfile.ZipFile(export, "w") as out:
        types = cassis.load_typesystem(project.read("TypeSystem.xml").decode())
        for name in project.namelist():
            if not (name.startswith("documents/") and name.endswith(".xmi")):
                continue
            cas = cassis.load_cas_from_xmi(io.BytesIO(project.read(name)), typesystem=types)
            layer, feature = (
                ("caspipe.review.PHI", "label")
                if mode == "phi-layer"
                else ("de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity", "value")
            )
            if "quellmore" in cas.sofa_string:
                begin = cas.sofa_string.index("quellmore")
                cas.add(types.get_type(layer)(begin=begin, end=begin + 9, **{feature: "PERSON"}))
            for item in list(cas.select(layer)):
                if item.get_covered_text() == "617-555-0134":
                    cas.remove(item)
            stem = name.removeprefix("documents/")
            inner = io.BytesIO()
            with zipfile.ZipFile(inner, "w") as zipped:
                zipped.writestr("CURATION_USER.xmi", cas.to_xmi())
                zipped.writestr("TypeSystem.xml", project.read("TypeSystem.xml"))
            out.writestr(f"curation/{stem}/CURATION_USER.zip", inner.getvalue())
    result = caspipe("release", run, "--xmi", export)
    assert result.exit_code == 3, result.output
    assert released(run) == [
        before[0],
        before[1].replace("[PHONE]", "617-555-0134"),
        before[2].replace("quellmore", "[PERSON]"),
    ]
