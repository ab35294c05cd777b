"""Reader of what was reviewed in INCEpTION: its export layouts, whose annotations count, and the way back to the exact text."""

from __future__ import annotations

import io
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from review_exports import (
    SENTENCE,
    TOKENS,
    TYPES,
    documents,
    exported,
    make_bundle,
    member,
    span,
    type_xml,
    types_xml,
    xmi,
    zipped,
)

from caspipe.pipeline.errors import ReaderError
from caspipe.readers.uima.inception import InceptionReader
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
    read_xmi,
    write_xmi,
)
from caspipe.typesystem.review_layers import PHI_LAYER, Mode, trimmed

Gold = list[tuple[str, str]]


def doc(*annotations: str, types: bytes = TYPES, name: str = "x") -> bytes:
    """A document exported as a zip."""
    return exported(name, xmi(SENTENCE + TOKENS + "".join(annotations)), types)


NAME = span(9, "review:PHI", 12, 20, label="PERSON")
DOCTOR = span(9, "review:PHI", 8, 20, label="PERSON_DOCTOR")


def read(path: Path, **parameters: Any) -> tuple[dict[str, Gold], dict[str, str]]:
    """The reference annotations of each document, and what could not be read."""
    reader = InceptionReader(files=path, **parameters)
    reader.open()
    found = {c.id: [(p.covered_text, p.kind.name) for p in c.view(GOLD_VIEW).select(Phi)] for c in reader}
    failed = {id_: str(error).replace(f"{path}", "PATH") for id_, error in reader.failed}
    reader.close()
    return found, failed


def project(tmp_path: Path, files: dict[str, bytes]) -> Path:
    path = tmp_path / "export.zip"
    path.write_bytes(zipped({"exportedproject.json": b"{}", "log/project.log": b"", **files}))
    return path


def test_a_project_gives_the_curated_version_of_each_document(tmp_path: Path) -> None:
    path = project(tmp_path, {
        "source/one.xmi": b"<not read/>",
        "annotation/one.xmi/INITIAL_CAS.zip": doc(),
        "annotation/one.xmi/anna.zip": doc(NAME),
        "annotation/one.xmi/bert.zip": doc(),
        "annotation_ser/one.xmi/anna.ser": b"java",
        "curation/one.xmi/CURATION_USER.zip": doc(DOCTOR),
        "annotation/two.xmi/INITIAL_CAS.zip": doc(),
        "annotation/two.xmi/anna.zip": doc(NAME),
    })  # fmt: skip
    assert read(path) == ({"one": [("Dr. Ivy Fern", "PERSON_DOCTOR")], "two": [("Ivy Fern", "PERSON")]}, {})


def test_without_curation_each_reviewer_has_a_document_or_the_one_asked_for(tmp_path: Path) -> None:
    path = project(tmp_path, {
        "annotation/one.xmi/anna.zip": doc(NAME),
        "annotation/one.xmi/bert.zip": doc(DOCTOR),
        "annotation/two.xmi/bert.zip": doc(),
    })  # fmt: skip
    assert read(path)[0] == {
        "one/anna": [("Ivy Fern", "PERSON")], "one/bert": [("Dr. Ivy Fern", "PERSON_DOCTOR")], "two": []
    }  # fmt: skip
    found, failed = read(path, user="anna")
    assert found == {"one": [("Ivy Fern", "PERSON")]}
    assert failed == {"two": "document two: no annotations by the requested user; there are those of bert"}
    assert set(read(path, user="CURATION_USER")[1]) == {"one", "two"}


def test_documents_that_nobody_annotated_are_left_out_with_a_warning(tmp_path: Path) -> None:
    path = project(tmp_path, {
        "annotation/one.xmi/INITIAL_CAS.zip": doc(), "annotation/two.xmi/anna.zip": doc()
    })  # fmt: skip
    with pytest.warns(CaspipeWarning, match="a document of the project without annotations: left out"):
        assert read(path) == ({"two": []}, {})


def test_exports_of_curated_documents_of_single_documents_and_folders_are_read(tmp_path: Path) -> None:
    curated = tmp_path / "curated.zip"
    curated.write_bytes(zipped({"curation/one.xmi/CURATION_USER.zip": doc(NAME)}))
    assert read(curated) == ({"one": [("Ivy Fern", "PERSON")]}, {})
    single = tmp_path / "single.zip"
    single.write_bytes(doc(NAME, name="note"))
    assert read(single) == ({"note": [("Ivy Fern", "PERSON")]}, {})
    folder = tmp_path / "folder"
    (folder / "ward").mkdir(parents=True)
    (folder / "ward/a.xmi").write_bytes(xmi(SENTENCE + NAME))
    (folder / "b.zip").write_bytes(doc(DOCTOR, name="b"))
    (folder / "TypeSystem.xml").write_bytes(TYPES)
    (folder / "notes.json").write_text("{}")
    assert read(folder) == ({"b": [("Dr. Ivy Fern", "PERSON_DOCTOR")], "ward/a": [("Ivy Fern", "PERSON")]}, {})
    assert read(folder / "ward/a.xmi")[1] != {}  # its type system lies above
    assert read(folder, pattern="*.xmi")[0] == {"ward/a": [("Ivy Fern", "PERSON")]}
    unpacked = tmp_path / "unpacked"
    (unpacked / "annotation/one.xmi").mkdir(parents=True)
    (unpacked / "annotation/one.xmi/anna.zip").write_bytes(doc(NAME))
    assert read(unpacked) == ({"one": [("Ivy Fern", "PERSON")]}, {})


def test_sentences_tokens_language_and_reviewer_are_kept(tmp_path: Path) -> None:
    meta = span(20, "meta:DocumentMetaData", 0, 21, language="en")
    reader = InceptionReader(files=project(tmp_path, {"annotation/one.xmi/anna.zip": doc(NAME, meta)}))
    (cas,) = reader
    assert cas.metadata == {"annotator": "anna"}
    assert [(t.begin, t.end) for t in cas.select(Token)] == [(0, 4), (5, 7)]
    assert [(s.begin, s.end) for s in cas.select(Sentence)] == [(0, 21)]
    assert [d.language for d in cas.select(DocumentAnnotation)] == ["en"]
    assert cas.view(GOLD_VIEW).text == cas.text == "Seen by Dr. Ivy Fern."
    assert cas.typesystem is None


def test_rejected_annotations_are_no_reference(tmp_path: Path) -> None:
    rejected = NAME.replace('label="PERSON"', 'label="PERSON" status="rejected"')
    unsure = span(8, "review:PHI", 0, 4, label="DATE", status="unsure")
    assert read(project(tmp_path, {"annotation/a.xmi/u.zip": doc(rejected, unsure)}))[0] == {"a": [("Seen", "DATE")]}


CUSTOM = type_xml("webanno.custom.Priv", ("kind", "uima.cas.String"), ("note", "uima.cas.String"))
OTHER = type_xml("webanno.custom.Other", ("remark", "uima.cas.String"))
ENTITY = type_xml("de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity", ("value", "uima.cas.String"))


def bare(*types: str) -> bytes:
    """A type system without our layer."""
    start = TYPES.index(b"    <typeDescription>\n      <name>caspipe.review.PHI")
    end = TYPES.index(b"</typeDescription>", start) + len(b"</typeDescription>")
    return (TYPES[:start] + TYPES[end:]).replace(b"</types>", "".join(types).encode() + b"</types>")


@pytest.mark.parametrize(
    ("types", "annotation", "parameters", "expected"),
    [
        (bare(CUSTOM, ENTITY), span(9, "custom:Priv", 12, 20, kind="ID"), {}, "ID"),
        (bare(ENTITY), span(9, "ner:NamedEntity", 12, 20, value="ID"), {}, "ID"),
        (bare(ENTITY), span(9, "ner:NamedEntity", 12, 20, value="PER"), {"kinds": {"PER": PhiKind.PERSON}}, "PERSON"),
        (bare(CUSTOM, OTHER), span(9, "custom:Other", 12, 20, remark="ID"), {"layer": "Other"}, "ID"),
        (bare(CUSTOM), span(9, "custom:Priv", 12, 20, note="ID"), {"feature": "note"}, "ID"),
        (
            types_xml(CUSTOM),
            NAME.replace("PERSON", "NOMBRE_SUJETO_ASISTENCIA"),
            {"scheme": "meddocan"},
            "PERSON_PATIENT",
        ),
        (TYPES, span(9, "review:PHI", 12, 20), {"kinds": {"": PhiKind.OTHER}}, "OTHER"),
    ],
    ids=["custom", "named-entity", "kinds", "layer", "feature", "scheme", "unlabelled"],
)
def test_layer_feature_and_labels_are_found_or_given(
    types: bytes, annotation: str, parameters: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    path = project(tmp_path, {"annotation/a.xmi/u.zip": doc(annotation, types=types)})
    assert read(path, **parameters) == ({"a": [("Ivy Fern", expected)]}, {})


WHERE = "PATH!/annotation/a.xmi/u.zip!/x.xmi"


@pytest.mark.parametrize(
    ("data", "parameters", "message"),
    [
        (doc(span(9, "review:PHI", 12, 20)), {}, f'{WHERE}: PHI 12:20: it has no label; `kinds: {{"": OTHER}}` can give it one'),
        (doc(NAME.replace("PERSON", "PERSONN")), {}, f"{WHERE}: PHI 12:20: no PHI kind called 'PERSONN'; did you mean PERSON?; "
            "`kinds` can translate or drop it"),
        (doc(span(9, "review:PHI", 12, 12, label="ID")), {}, f"{WHERE}: PHI 12:12: 12:12 is not a span of the text (0:21)"),
        (doc(NAME, span(8, "review:PHI", 8, 20, label="ID")), {}, f"{WHERE}: PHI 8:20 and PHI 12:20 overlap; `overlaps` can say "
            "which to keep"),
        (doc(types=bare()), {}, f"{WHERE}: no layer for PHI in its type system; `layer` can name one"),
        (doc(types=bare(CUSTOM, OTHER)), {}, f"{WHERE}: several layers could contain the PHI: webanno.custom.Other, "
            "webanno.custom.Priv; `layer` can select one"),
        (doc(), {"layer": "PHY"}, f"{WHERE}: no layer called PHY in its type system"),
        (doc(), {"feature": "lable"}, f"{WHERE}: layer caspipe.review.PHI has no feature lable of strings; did you mean label?"),
        (zipped({"x.xmi": xmi(NAME)}), {}, "no type caspipe.review.PHI in the type system"),
        (zipped({"x.xmi": xmi(NAME)[:700], "TypeSystem.xml": TYPES}), {}, "u.zip!/x.xmi:1:651: damaged XML: unclosed token"),
        (zipped({"x.xmi": xmi(NAME), "TypeSystem.xml": TYPES[:99]}), {},
            "PATH!/annotation/a.xmi/u.zip!/TypeSystem.xml:2:1: damaged XML"),
        (zipped({"TypeSystem.xml": TYPES}), {}, "PATH!/annotation/a.xmi/u.zip: expected one document in it, found 0"),
        (b"PK\x03\x04", {}, "PATH!/annotation/a.xmi/u.zip: the archive is damaged or cut off"),
        (doc(span(9, "review:PHI", 12, 99, label="ID")), {}, "offsets 12:99 lie outside the text"),
    ],
    ids=["no label", "unknown label", "empty", "overlap", "no layer", "two layers", "layer", "feature", "no types", "cut xml",
         "cut types", "no document", "no zip", "outside"],
)  # fmt: skip
def test_a_document_that_cannot_be_read_fails_alone(
    data: bytes, parameters: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = project(tmp_path, {"annotation/a.xmi/u.zip": data, "annotation/b.xmi/u.zip": doc(NAME)})
    found, failed = read(path, **parameters)
    assert message in failed["a"]
    assert "Fern" not in failed["a"]
    if not parameters:
        assert found == {"b": [("Ivy Fern", "PERSON")]}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\x05\x06", "PATH: the archive is damaged or cut off"),
        (
            zipped({"exportedproject.json": b"{}"}),
            "PATH: expected documents of INCEpTION (XMI or JSON CAS), found none",
        ),
        (
            zipped({"annotation_ser/a.xmi/anna.ser": b"x"}),
            "PATH: it contains only serialized Java objects: export again with the format UIMA CAS XMI or UIMA CAS JSON 0.4.0",
        ),
    ],
    ids=["damaged", "empty", "serialised"],
)
def test_an_export_without_documents_is_reported(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    path.write_bytes(data)
    assert read(path) == ({}, {"export.zip": message})


def test_hostile_members_are_not_read_and_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("annotation/../../a.xmi/u.zip", doc(NAME))
        archive.writestr("annotation/b.xmi/u.zip", b"\x00" * 60_000_000)
        archive.writestr("/annotation/c.xmi/u.zip", doc(NAME))
    path.write_bytes(out.getvalue())
    assert read(path)[0] == {"c": [("Ivy Fern", "PERSON")]}
    assert read(path, max_bytes=100)[1] == {
        "annotation/../../a.xmi/u": "PATH!/annotation/../../a.xmi/u.zip: its path leads out of the archive",
        "b": "PATH!/annotation/b.xmi/u.zip: it unpacks to more than 200 times its size: unpack it yourself if you trust it",
        "c": "PATH!/annotation/c.xmi/u.zip: longer than max_bytes (100 bytes)",
    }


def test_what_lies_in_a_folder_and_cannot_be_read_fails_alone(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "TypeSystem.xml").write_bytes(TYPES)
    (folder / "good.xmi").write_bytes(xmi(SENTENCE + NAME))
    (folder / "damaged.zip").write_bytes(b"PK")
    (folder / "loop.xmi").symlink_to(folder / "loop.xmi")
    (folder / "gone.xmi").symlink_to(folder / "nothing")
    (tmp_path / "outside.xmi").write_bytes(xmi(SENTENCE))
    (folder / "out.xmi").symlink_to(tmp_path / "outside.xmi")
    (folder / "readme.txt").symlink_to(tmp_path / "outside.xmi")
    documents, failed = read(folder)
    assert documents == {"good": [("Ivy Fern", "PERSON")]}
    assert failed == {
        "damaged": "PATH/damaged.zip: the archive is damaged or cut off",
        "gone": "PATH/gone.xmi: expected a regular file, found another kind",
        "loop": "PATH/loop.xmi: expected a regular file, found another kind",
        "out": "PATH/out.xmi: a symbolic link that leaves the folder is not followed",
    }


def test_a_document_whose_archive_holds_it_encrypted_says_so(tmp_path: Path) -> None:
    inner = bytearray(zipped({"x.xmi": xmi(SENTENCE)}))
    at = inner.rindex(b"PK\x01\x02") + 8
    inner[at] |= 1
    path = tmp_path / "export.zip"
    path.write_bytes(zipped({"annotation/a.xmi/u.zip": bytes(inner)}))
    assert read(path) == ({}, {"a": "PATH!/annotation/a.xmi/u.zip!/x.xmi: it is encrypted"})


def test_parameters_are_checked(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="scheme: no scheme called 'x'"):
        InceptionReader(files=tmp_path, scheme="x")
    with pytest.raises(ReaderError, match="reader inception: expected folder or files, got neither"):
        InceptionReader().open()
    with pytest.raises(ReaderError, match="expected a folder or a file, found none at"):
        InceptionReader(files=tmp_path / "none.zip").open()
    (tmp_path / "a.zip").write_bytes(doc())
    with pytest.raises(ReaderError, match=r"expected a review project of caspipe, with documents\.json in it"):
        InceptionReader(files=tmp_path, bundle=tmp_path / "a.zip").open()
    (tmp_path / "b.zip").write_bytes(zipped({"documents.json": b'{"scheme": 1}'}))
    with pytest.raises(ReaderError, match=r"b\.zip!/documents\.json: it is damaged"):
        InceptionReader(files=tmp_path, bundle=tmp_path / "b.zip").open()


# -- there and back --------------------------------------------------------------------------------------------------


def reviewed(bundle: Path, out: Path, format_: str = "xmi") -> Path:
    """The export of a project whose documents were imported and not changed."""
    files = {"exportedproject.json": b"{}"}
    with zipfile.ZipFile(bundle) as archive:
        types = archive.read("TypeSystem.xml")
        for name in [n for n in archive.namelist() if n.startswith("documents/")]:
            file, data = name.removeprefix("documents/"), archive.read(name)
            if format_ == "xmi":
                files[f"annotation/{file}/anna.zip"] = exported("anna", data, types)
            else:
                files[f"annotation/{file}/anna.json"] = data
    path = out / "export.zip"
    path.write_bytes(zipped(files))
    return path


def test_the_bundle_gives_ids_exact_texts_layer_and_scheme_back(tmp_path: Path) -> None:
    cas = Cas("\ufeffSeen\x00by Fern", id="ward/one #1")
    cas.add(Phi(9, 13, kind=PhiKind.PERSON))
    bundle = make_bundle(tmp_path, [cas], mode="named-entity", scheme="i2b2-2014")
    reader = InceptionReader(files=reviewed(bundle, tmp_path), bundle=bundle)
    (back,) = reader
    assert (back.id, back.text) == (cas.id, cas.text)
    assert [(p.covered_text, p.kind.name) for p in back.view(GOLD_VIEW).select(Phi)] == [("Fern", "PERSON")]


def test_a_text_that_is_not_the_reviewed_one_is_refused(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path, [Cas("Seen by Fern", id="one")])
    path = tmp_path / "export.zip"
    path.write_bytes(zipped({"annotation/one.xmi/anna.zip": doc(NAME)}))
    found, failed = read(path, bundle=bundle)
    assert not found
    assert failed["one"].endswith(f"its text is not the one in the review project {bundle}")


def test_corrections_come_back(tmp_path: Path) -> None:
    cas = Cas("Seen by Ivy Fern on 3/4/2020.", id="one")
    cas.view().add_all([Phi(8, 11, kind=PhiKind.PERSON), Phi(20, 28, kind=PhiKind.DATE)])
    bundle = make_bundle(tmp_path, [cas])
    types = TypeSystem.from_xml(member(bundle, "TypeSystem.xml"))
    work = read_xmi(member(bundle, "documents/one.xmi"), types)
    first, second = work.select(PHI_LAYER)
    work.remove(first)
    work.add(types[PHI_LAYER](8, 16, label="PERSON_DOCTOR", status="accepted"))
    second["label"] = "DATE_BIRTH"
    path = tmp_path / "export.zip"
    path.write_bytes(zipped({"curation/one.xmi/CURATION_USER.zip": exported("x", write_xmi(work), types.to_xml())}))
    assert read(path, bundle=bundle) == ({"one": [("Ivy Fern", "PERSON_DOCTOR"), ("3/4/2020", "DATE_BIRTH")]}, {})


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["phi-layer", "named-entity"])
@pytest.mark.parametrize("format_", ["xmi", "jsoncas"])
@given(cas=documents())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_nobody_changed_comes_back_as_it_was(cas: Cas, mode: Mode, format_: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaspipeWarning)
        bundle = make_bundle(tmp_path, [cas], mode=mode, format=format_)
    reader = InceptionReader(files=reviewed(bundle, tmp_path, format_), bundle=bundle, overlaps="keep")
    made = list(reader)
    shown = [n for n in zipfile.ZipFile(bundle).namelist() if n.startswith("documents/")]
    if not shown:
        return
    assert not reader.failed
    assert [(c.id, c.text) for c in made] == [(cas.id, cas.text)]
    source = cas.view(GOLD_VIEW if cas.has_view(GOLD_VIEW) else "_InitialView")
    text = cas.text.translate({0xC: " ", 0x1D: " "})
    text = f" {text[1:]}" if text.startswith("\ufeff") else text
    expected = {(*trimmed(text, p.begin, p.end), p.kind) for p in source.select(Phi)}
    gold = {(p.begin, p.end, p.kind) for p in made[0].view(GOLD_VIEW).select(Phi)}
    assert gold == {e for e in expected if e[0] < e[1]}
