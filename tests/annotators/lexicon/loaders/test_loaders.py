"""Terminologies in their own formats, on small files of invented content."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from caspipe.annotators.lexicon.term import LexiconAddress, Term, TermSource, formats
from caspipe.pipeline.errors import ResourceError

FIXTURES = Path(__file__).parents[1] / "fixtures"


def read(place: str, folder: Path = FIXTURES) -> TermSource:
    address = LexiconAddress.parse(str(folder / place))
    return address.format.read(address.path, dict(address.options))


def rows(place: str, folder: Path = FIXTURES) -> list[tuple[str, str, str, str, str, str]]:
    return [(t.form, t.group, t.concept, t.preferred, t.case, t.columns) for t in read(place, folder).terms]


def forms(place: str) -> list[str]:
    return [term.form for term in read(place).terms]


DETECTED = {
    "META": "umls",
    "rxnorm": "rxnorm",
    "rxnorm/RXNCONSO.RRF": "rxnorm",
    "RF2": "snomed",
    "MedAscii": "meddra",
    "whodrug_b3": "whodrug_b3",
    "whodrug_c3": "whodrug_c3",
    "d2099.bin": "mesh",
    "desc2099.xml": "mesh_xml",
    "joints.obo": "obo",
    "product.txt": "ndc",
    "Loinc.csv": "loinc",
    "cities99.txt": "geonames",
    "wobble.bsv": "bsv",
    "wards.txt": "text",
    "badges.csv": "csv",
    "census.tsv": "csv",
}


@pytest.mark.parametrize("place", DETECTED)
def test_a_format_is_recognised_by_what_is_in_it(place: str) -> None:
    assert LexiconAddress.parse(str(FIXTURES / place)).format.name == DETECTED[place]


def test_every_format_has_a_fixture() -> None:
    assert set(formats()) - {"caspipe"} == set(DETECTED.values())


def test_umls_takes_one_term_per_group_and_leaves_out_what_no_note_says() -> None:
    sign, disease, drug, clinical = "SIGN_SYMPTOM", "DISEASE_DISORDER", "MEDICATION", "C9100005"
    name = "Wobbling of the knees"
    assert rows("META") == [
        (name, disease, "C9100001", name, "auto", "TESTV"),
        (name, sign, "C9100001", name, "auto", "TESTV"),
        ("wobbly knees", disease, "C9100001", name, "auto", "TESTV"),
        ("wobbly knees", sign, "C9100001", name, "auto", "TESTV"),
        ("WK", disease, "C9100001", name, "exact", "OTHER"),
        ("WK", sign, "C9100001", name, "exact", "OTHER"),
        ("mirthazole", drug, "C9100002", "mirthazole", "auto", "TESTV"),
        ("elbow bubble test", sign, "C9100003", "elbow bubble test", "auto", "TESTV"),
        ("mirthazole tablet", drug, clinical, "mirthazole tablet", "auto", "TESTV"),
    ]


def test_umls_options_choose_groups_language_and_sources() -> None:
    groups = {row[1] for row in rows("META::umls?tuis=current") if row[2] == "C9100003"}
    assert groups == {"LAB_PROCEDURE"}
    assert forms("META::umls?language=FRE") == ["genoux vacillants"] * 2
    assert forms("META::umls?sources=OTHER") == ["WK"] * 2


def test_rxnorm_keeps_ingredients_and_brands() -> None:
    assert rows("rxnorm") == [
        ("mirthazole", "MEDICATION", "9910001", "mirthazole", "any", "IN"),
        ("Mirthex", "MEDICATION", "9910002", "Mirthex", "any", "BN"),
        ("mirthazole sodium", "MEDICATION", "9910005", "mirthazole sodium", "any", "PIN"),
    ]
    assert forms("rxnorm::rxnorm?types=SCD") == ["mirthazole 5 MG Oral Tablet"]


def test_snomed_takes_the_group_from_the_semantic_tag_and_splits_abbreviations() -> None:
    assert rows("RF2") == [
        ("Knee wobble", "SIGN_SYMPTOM", "7001", "Knee wobble", "auto", ""),
        ("Knee wobble", "SIGN_SYMPTOM", "7001", "Knee wobble", "auto", ""),
        ("Bubble disease", "DISEASE_DISORDER", "7002", "Bubble disease", "auto", ""),
        ("BD", "DISEASE_DISORDER", "7002", "Bubble disease", "exact", ""),
        ("Bubble disease", "DISEASE_DISORDER", "7002", "Bubble disease", "auto", ""),
    ]


def test_meddra_codes_lowest_level_terms_to_preferred_terms_and_groups_by_primary_soc() -> None:
    assert rows("MedAscii") == [
        ("Knee wobble", "SIGN_SYMPTOM", "98000001", "Knee wobble", "auto", "98000001"),
        ("Wobbly kneé", "SIGN_SYMPTOM", "98000001", "Knee wobble", "auto", "98000002"),
        ("Bubble test", "LAB_PROCEDURE", "98000011", "Bubble test", "auto", "98000011"),
    ]
    assert read("MedAscii").header["date"] == "MedDRA 98.1 English"
    assert "Wobble obsolete" in forms("MedAscii::meddra?currency=all")
    assert {row[1] for row in rows("MedAscii::meddra?group=DISEASE_DISORDER")} == {"DISEASE_DISORDER"}


def test_whodrug_b3_reads_fixed_width_records() -> None:
    assert rows("whodrug_b3") == [
        ("Mirthazole", "MEDICATION", "98000101001", "Mirthazole", "any", "Z98AA"),
        ("MIRTHEX", "MEDICATION", "98000101002", "Mirthazole", "any", "Z98AB"),
        ("Mirthazole sodium", "MEDICATION", "98000102001", "Mirthazole", "any", ""),
    ]


def test_whodrug_c3_reads_quoted_csv() -> None:
    assert rows("whodrug_c3") == [
        ("Mirthazole", "MEDICATION", "98000101001", "Mirthazole", "any", "11\tZ98AA"),
        ("Mirthex, coated", "MEDICATION", "98000101002", "Mirthazole", "any", "12\t"),
    ]


def test_mesh_groups_by_semantic_type_or_by_tree_and_turns_inverted_headings() -> None:
    assert rows("d2099.bin") == [
        ("Bubble Disease", "DISEASE_DISORDER", "D998001", "", "auto", ""),
        ("Bubble Syndrome", "DISEASE_DISORDER", "D998001", "Bubble Disease", "auto", ""),
        ("Disease, Bubble", "DISEASE_DISORDER", "D998001", "Bubble Disease", "auto", ""),
        ("Bubble Disease", "DISEASE_DISORDER", "D998001", "Bubble Disease", "auto", ""),
        ("BD", "DISEASE_DISORDER", "D998001", "Bubble Disease", "exact", ""),
        ("Elbow Measuring", "LAB_PROCEDURE", "D998002", "", "auto", ""),
    ]


def test_mesh_xml_skips_permuted_terms() -> None:
    assert rows("desc2099.xml") == [
        ("Bubble Disease", "DISEASE_DISORDER", "D998001", "Bubble Disease", "auto", ""),
        ("BD", "DISEASE_DISORDER", "D998001", "Bubble Disease", "exact", ""),
        ("Bubble Disease", "SIGN_SYMPTOM", "D998001", "Bubble Disease", "auto", ""),
        ("BD", "SIGN_SYMPTOM", "D998001", "Bubble Disease", "exact", ""),
    ]


def test_mesh_xml_expands_no_entity(tmp_path: Path) -> None:
    text = (FIXTURES / "desc2099.xml").read_text(encoding="utf-8").replace("<String>BD<", "<String>&e;<")
    (tmp_path / "desc.xml").write_text(text, encoding="utf-8")
    assert "expanded" not in [row[0] for row in rows("desc.xml", tmp_path)]


def test_obo_keeps_live_terms_and_exact_synonyms() -> None:
    assert rows("joints.obo") == [
        ("Knee wobble", "SIGN_SYMPTOM", "HP:9900001", "Knee wobble", "auto", "C9100001"),
        ('Wobbly "trick" knee', "SIGN_SYMPTOM", "HP:9900001", "Knee wobble", "auto", "C9100001"),
        ("KW", "SIGN_SYMPTOM", "HP:9900001", "Knee wobble", "exact", "C9100001"),
    ]
    assert "Joint trouble" in forms("joints.obo::obo?scopes=EXACT,BROAD")


def test_ndc_gives_brands_generic_names_and_substances() -> None:
    assert forms("product.txt") == ["Mirthéx", "mirthazole sodium", "MIRTHAZOLE SODIUM", "FLUMBINE", "Mirthéx Forte"]


def test_loinc_reads_active_names_by_header() -> None:
    assert forms("Loinc.csv") == ["Flumbine [Mass/volume] in Serum", "Flumbine, serum", "Flumbine SerPl-mCnc"]


def test_geonames_gives_names_with_population_country_and_state() -> None:
    assert rows("cities99.txt") == [
        ("Flumbürg", "cities", "981", "Flumbürg", "auto", "16000\tDE\t"),
        ("Flumburg", "cities", "981", "Flumbürg", "auto", "16000\tDE\t"),
        ("Wobbleton", "cities", "982", "Wobbleton", "auto", "21000\tUS\tOH"),
    ]
    assert "Flumville" in forms("cities99.txt::geonames?alternates=yes")


def test_ctakes_dictionaries_have_two_three_or_four_fields() -> None:
    assert rows("wobble.bsv") == [
        ("wobbly knees", "SIGN_SYMPTOM", "C9100001", "Wobbling", "auto", ""),
        ("mirthazole", "MEDICATION", "C9100002", "", "auto", ""),
        ("just text", "wobble", "C9100003", "", "auto", ""),
    ]


def test_plain_text_and_tables() -> None:
    assert forms("wards.txt") == ["East Wing", "Ward 7B", "4-North"]
    assert rows("badges.csv") == [
        ("blue badge", "LAB_PROCEDURE", "B1", "badge", "auto", "blue"),
        ("badge, red", "SIGN_SYMPTOM", "B2", "", "auto", "red"),
    ]
    assert read("census.tsv").columns == ("rank", "count")
    chosen = rows("badges.csv::csv?term=colour&group=hues&case=any")
    assert chosen[0] == ("blue", "hues", "B1", "badge", "any", "blue badge\tLAB_PROCEDURE")


def test_gzipped_files_are_read_as_they_are(tmp_path: Path) -> None:
    for name in ("wards.txt", "d2099.bin", "desc2099.xml", "joints.obo"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((FIXTURES / name).read_bytes()))
        assert rows(f"{name}.gz", tmp_path)
        assert [r[0] for r in rows(f"{name}.gz", tmp_path)] == forms(name)


SECRET = "Zyqqvandermeulen"
BROKEN = {
    "META/MRCONSO.RRF": (f"C1|ENG|{SECRET}\n", "META", "MRCONSO.RRF:1: expected 18 columns (CUI, LAT, TS"),
    "META/MRSTY.RRF": (
        f"C1|{SECRET}\n",
        "META",
        "MRSTY.RRF:1: expected 6 columns (CUI, TUI, STN, STY, ATUI, CVF), found 2",
    ),
    "rxnorm/RXNCONSO.RRF": (f"1|{SECRET}\n", "rxnorm", "RXNCONSO.RRF:1: expected 18 columns (RXCUI"),
    "MedAscii/llt.asc": (f"1${SECRET}$\n", "MedAscii", "llt.asc:1: expected 11 columns (llt_code"),
    "MedAscii/mdhier.asc": (f"1${SECRET}$\n", "MedAscii", "mdhier.asc:1: expected 12 columns (pt_code"),
    "whodrug_b3/DD.txt": (f"{SECRET}\n", "whodrug_b3", "DD.txt:1: expected DRN, Seq1 and Seq2 (11 digits)"),
    "whodrug_c3/MP.csv": (f"1,{SECRET}\n", "whodrug_c3", "MP.csv:1: expected 22 columns (Record_Id"),
    "d2099.bin": (f"*NEWRECORD\nMH = x\n{SECRET}\n", "d2099.bin", "d2099.bin:3: expected KEY = VALUE or *NEWRECORD"),
    "desc2099.xml": (
        f"<DescriptorRecordSet><DescriptorRecord>{SECRET}</b>",
        "desc2099.xml",
        "desc2099.xml:1: expected well-formed MeSH descriptor XML",
    ),
    "joints.obo": (
        f"format-version: 1.2\n[Term]\nid: A:1\nname: x\nsynonym: {SECRET}\n",
        "joints.obo",
        'joints.obo:5: expected synonym: "text" SCOPE [xrefs]',
    ),
    "product.txt": (
        f"PRODUCTID\tPRODUCTNDC\t{SECRET}\n",
        "product.txt::ndc",
        "product.txt:1: expected a header with PRODUCTNDC, PROPRIETARYNAME",
    ),
    "Loinc.csv": (
        f"LOINC_NUM,STATUS,SHORTNAME,LONG_COMMON_NAME\n1,{SECRET}\n",
        "Loinc.csv",
        "Loinc.csv:2: expected 4 columns (LOINC_NUM, STATUS, SHORTNAME, LONG_COMMON_NAME), found 2",
    ),
    "cities99.txt": (f"1\t{SECRET}\n", "cities99.txt::geonames", "cities99.txt:1: expected 19 columns (geonameid"),
    "wobble.bsv": (f"C1\n{SECRET}\n", "wobble.bsv", "wobble.bsv:1: expected CUI|Text, CUI|TUI|Text or"),
    "badges.csv": (f"{SECRET},b\n1,2\n", "badges.csv::csv", "badges.csv:1: expected a column form, term, name"),
    "census.tsv": (
        f"name\tgroup\nx\t{SECRET}\n",
        "census.tsv",
        "census.tsv:2: expected a group, one of ANATOMICAL_SITE, DISEASE_DISORDER",
    ),
}


@pytest.mark.parametrize("file", BROKEN)
def test_a_broken_file_is_named_with_its_line_and_never_quoted(file: str, tmp_path: Path) -> None:
    text, place, message = BROKEN[file]
    folder = tmp_path / "x"
    shutil.copytree(FIXTURES, folder)
    (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(ResourceError) as caught:
        rows(place, folder)
    told = str(caught.value)
    assert message in told
    assert SECRET not in told


def test_bytes_that_are_no_text_are_an_error_with_a_line(tmp_path: Path) -> None:
    (tmp_path / "wards.txt").write_bytes(b"East Wing\nWard \xff\xfe\n")
    with pytest.raises(ResourceError, match=r"wards\.txt:\d+: expected text in utf-8"):
        rows("wards.txt", tmp_path)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("nowhere.txt", "no lexicon or file called"),
        ("wards.txt::txet", "no lexicon format called 'txet'; did you mean text?"),
        ("META::umls?tius=current", "format umls has no option 'tius'; did you mean tuis?"),
        ("META::umls?tuis=new", "option tuis: expected classic or current, got 'new'"),
        ("MedAscii::meddra?currency=maybe", "option currency: expected current or all, got 'maybe'"),
        ("whodrug_b3/DDA.txt::mesh_xml?x=1", "format mesh_xml has no option 'x'; expected none"),
        ("MedAscii::umls", "expected a folder with MRCONSO.RRF and MRSTY.RRF; no MRCONSO.RRF"),
        ("META::snomed", "expected an RF2 Snapshot folder; no sct2_Description_Snapshot"),
        ("META::meddra", "expected a MedDRA folder (MedAscii); no llt.asc"),
        ("META::whodrug_b3", "expected a WHODrug B3 folder; no DD.txt"),
        ("META::whodrug_c3", "expected a WHODrug C3 folder; no MP.csv"),
        ("META::rxnorm", "expected RXNCONSO.RRF or its folder"),
        ("badges.csv::csv?term=hue", "no column 'hue'; the header has term, id, preferred_name, group, colour"),
        ("joints.obo::obo?group=DRUG", "option group: expected one of ANATOMICAL_SITE"),
    ],
)
def test_what_cannot_be_read_is_said_with_the_nearest_right_name(place: str, message: str) -> None:
    with pytest.raises(ResourceError) as caught:
        address = LexiconAddress.parse(str(FIXTURES / place))
        address.format.files(address.path)
        list(address.format.read(address.path, dict(address.options)).terms)
    assert message in str(caught.value)


def test_a_file_of_no_known_format_names_the_formats(tmp_path: Path) -> None:
    (tmp_path / "x.dat").write_bytes(b"\x00\x01")
    with pytest.raises(ResourceError, match=r"not a format that is recognized; say which one with .*::<bsv\|"):
        LexiconAddress.parse(str(tmp_path / "x.dat"))


def test_a_table_that_fits_two_formats_asks_which(tmp_path: Path) -> None:
    shutil.copy(FIXTURES / "META" / "MRCONSO.RRF", tmp_path)
    shutil.copy(FIXTURES / "rxnorm" / "RXNCONSO.RRF", tmp_path)
    with pytest.raises(ResourceError, match=r"could be rxnorm, umls; say which one with .*::rxnorm"):
        LexiconAddress.parse(str(tmp_path))


def test_the_terminologies_beside_the_checkout_are_read(shared: Path) -> None:
    folder = shared / "formats" / "terminologies"
    counts = {}
    for place in ("META", "MedAscii", "RF2", "whodrug_b3", "whodrug_c3", "rrf", "ctakes/dict.bsv", "mesh/d9999.bin"):
        counts[place] = len(list(read(place, folder).terms))
    for place in ("mesh/desc9999.xml", "ndc/product.txt", "obo/mini.obo"):
        counts[place] = len(list(read(place, folder).terms))
    assert counts == {
        "META": 7,
        "MedAscii": 2,
        "RF2": 5,
        "whodrug_b3": 3,
        "whodrug_c3": 2,
        "rrf": 2,
        "ctakes/dict.bsv": 2,
        "mesh/d9999.bin": 7,
        "mesh/desc9999.xml": 2,
        "ndc/product.txt": 4,
        "obo/mini.obo": 2,
    }


def test_terms_are_made_once_and_lazily() -> None:
    source = read("wards.txt")
    assert isinstance(next(source.terms), Term)
    assert len(list(source.terms)) == 2
