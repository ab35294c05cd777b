"""The lists that come with caspipe: well-formed, sourced, small, and right where it matters."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.lexicon.delimited_files import numbered
from caspipe.annotators.lexicon.lexicon import COMBINED, PACK, pack_files
from caspipe.annotators.lexicon.loaders.pack import read, read_header
from caspipe.annotators.lexicon.term import GROUPS
from caspipe.pipeline.errors import ResourceError

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
@pytest.mark.parametrize("name", pack_files())
def test_a_list_is_sorted_unique_and_sourced(name: str) -> None:
    file = pack_files()[name]
    header, columns = read_header(file)
    assert header["name"] == name
    assert {"title", "source", "licence", "date"} <= header.keys()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", header["date"])
    rows = [line.split("\t") for _, line in numbered(file) if not line.startswith("# ")]
    assert rows == sorted(rows)
    assert all(len(row) == len(columns) and row[0] == row[0].strip() != "" for row in rows)
    assert len({tuple(row) for row in rows}) == len(rows)
    assert {row[columns.index("ambiguous")] for row in rows} <= {"0", "1"} if "ambiguous" in columns else True


@pytest.mark.parametrize("name", COMBINED["medical"])
def test_medical_lists_use_the_five_groups(name: str) -> None:
    assert {term.group for term in read(pack_files()[name], {}).terms} <= GROUPS


def test_the_pack_is_small_and_its_licences_are_there() -> None:
    assert sum(file.stat().st_size for file in PACK.iterdir()) < 2_500_000
    licences = (PACK / "LICENSES.md").read_text(encoding="utf-8")
    derived = [n for n, f in pack_files().items() if "same as caspipe" not in read_header(f)[0]["licence"]]
    assert derived and not [name for name in derived if f"`{name}`" not in licences]
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in licences
    assert "Copyright 2000-2011 by Kevin Atkinson" in (PACK / "SCOWL-COPYRIGHT.txt").read_text(encoding="utf-8")


MEMBERS = {
    "given_names": "Mary; José; Jose; Anneliese; Giovanni; Priya",
    "surnames": "Smith; O'Brien; Müller; McDonald; Nguyen; Kowalski; Garcia; Patel",
    "cities": "Boston; Paris; Uppsala; Málaga; Malaga; St. Louis; New York; Worcester; Munich; Ann Arbor",
    "countries": "France; Swedish; USA; United States; Ivory Coast; Dutch",
    "us_states": "MA; Massachusetts; Mass; N.Y.; District of Columbia",
    "common_words": "the; patient; walked; colour; color",
    "stop_words": "the; of; and; was; with",
    "holidays": "Christmas; Thanksgiving; Labor Day; 4th of July; Yom Kippur; Diwali",
    "weekdays": "Monday; Tues; Sundays",
    "months": "January; Sept; May",
    "person_titles": "Dr; Mrs; MD; PharmD; Jr; Professor",
    "eponyms": "Parkinson; Crohn; Guillain-Barré; Bell; Creutzfeldt-Jakob; Babinski; Apgar; Foley",
    "organization_cues": "Hospital; Clinic; Medical Center; Pharmacy; University; Inc; LLC; School of Medicine",
    "organizations": "Walgreens; CVS; Walmart; Mayo Clinic; Massachusetts General Hospital; Blue Cross",
    "not_organizations": "Pfizer; Moderna; Janssen; FDA; CDC; Shingrix; Pfizer-BioNTech; EMA",
    "street_words": "Street; Ave; Blvd; Apt; P.O. Box",
    "drug_names": "atorvastatin; acetaminophen; warfarin; clavulanate potassium",
    "drug_stems": "vastatin; prazole; mab",
    "lab_procedures": "MRI; CBC; CT scan; chest x-ray; complete blood count",
    "symptoms": "headache; dyspnea; shortness of breath; injection site pain",
    "diseases": "diabetes; Bell's palsy; Guillain-Barre syndrome; COPD",
    "anatomical_sites": "arm; left deltoid; abdomen",
    "medications": "Tylenol; flu shot; Tdap; beta blocker",
    "provinces": "Ontario; Bavaria; New South Wales; County Cork",
    "us_counties": "Middlesex County; Orleans Parish",
    "tui_groups": "T047; T184",
    "es_cities": "Getafe; Málaga; Malaga; Rosario",
    "es_countries": "España; Marruecos; EE.UU.; Perú; Peru",
    "es_demonyms": "boliviana; marroquí; español",
    "es_given_names": "Antonio; Lucía; Lucia",
    "es_surnames": "García; Garcia; Fernández",
    "es_holidays": "Navidad; Semana Santa; verano",
    "es_months": "enero; septiembre; dic",
    "es_number_words": "ocho; veintidós; cuarenta y cinco; tercera",
    "es_organization_cues": "Hospital; Centro de Salud; Universidad; Servicio",
    "es_person_titles": "Dra; Don; Srta",
    "es_person_words": "lactante; viuda; raza",
    "es_professions": "albañil; ama de casa; enfermera",
    "es_regions": "Cuenca; País Vasco; Jalisco; Londres",
    "es_relatives": "madre; abuela materna; progenitores",
    "es_sexes": "varón; niña",
    "es_stop_words": "de; para; sin",
    "es_street_words": "Calle; Avda; s/n; piso",
    "es_time_units": "años; semanas; edad",
    "es_weekdays": "lunes; sábado",
    "wordnet_terms": "appendicitis; femur; vitamin C",
    "wordnet_senses": "nurse; boston; monday; mice; walk",
    "medical_specialties": "cardiology; oncologist; infectious disease; GP",
    "professions": "teacher; truck driver; firefighters; policewoman",
    "surname_prefixes": "van der; de la; O'; Mc",
    "world_names": "Nasreen; Achieng; Wojciechowski; Okonkwo; Tuiasosopo; Bui",
    "products": "Vicryl; Steri-Strips; Kerlix; Betadine; Zosyn; K-wire",
    "clinical_words": "Wt; Disch; Anaes; Pseudomonas; Hemostasis",
    "temporal_words": "summer; tomorrow; a few; twenty-three; midnight",
}


@pytest.mark.parametrize("name", MEMBERS)
def test_lists_hold_what_they_are_for(name: str) -> None:
    lexicon = Lexicon.load(name)
    assert not [member for member in MEMBERS[name].split("; ") if not lexicon.has(member)]


def test_every_list_is_sampled_above() -> None:
    assert set(MEMBERS) == set(pack_files())


@pytest.mark.parametrize(
    ("name", "absent"),
    [
        ("not_organizations", "Walgreens Hospital Boston"),
        ("organizations", "Pfizer FDA"),
        ("medical", "back adam sits water honey dose"),
        ("common_words", "Boston Mary xyzzy"),
        ("stop_words", "patient pain"),
        ("drug_names", "the it-4 gold-50 water iron"),
    ],
)
def test_lists_leave_out_what_would_mislead(name: str, absent: str) -> None:
    lexicon = Lexicon.load(name)
    assert not [word for word in absent.split() if lexicon.has(word)]


def test_names_that_are_everyday_words_are_flagged() -> None:
    surnames, given, cities = map(Lexicon.load, ("surnames", "given_names", "cities"))
    assert all(surnames.entry(w).ambiguous for w in ("Long", "Day", "March", "Land"))  # type: ignore[union-attr]
    assert all(given.entry(w).ambiguous for w in ("Will", "Art", "May"))  # type: ignore[union-attr]
    assert not any(surnames.entry(w).ambiguous for w in ("Johnson", "Nguyen"))  # type: ignore[union-attr]
    assert cities.entry("Mobile").tier > 0  # type: ignore[union-attr]


@pytest.mark.slow
def test_drug_names_that_are_names_of_people_are_flagged() -> None:
    drugs, names = Lexicon.load("drug_names"), Lexicon.load("names")
    single = [e for e in drugs.all_entries() if " " not in e.form]
    assert all(e.ambiguous for e in single if names.has(e.form))


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_lexicon_pack", ROOT / "scripts" / "build_lexicon_pack.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")  # as when it is run
        spec.loader.exec_module(module)
    return module


def test_the_build_script_accepts_the_lists_written_by_hand(script: ModuleType, tmp_path: Path) -> None:
    script.check_authored(PACK)
    (tmp_path / "x.tsv").write_text("# columns: form\tkind\nb\t1\na\t1\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"x\.tsv:3: not sorted, or repeated"):
        script.check_authored(tmp_path)
    (tmp_path / "x.tsv").write_text("# columns: form\tkind\na\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"x\.tsv:2: expected 2 columns"):
        script.check_authored(tmp_path)


def test_the_build_script_writes_the_same_bytes_for_the_same_rows(script: ModuleType, tmp_path: Path) -> None:
    written = []
    for rows in ([("b", "1"), ("a", "2")], [("a", "2"), ("b", "1"), ("a", "2")]):
        script.write(tmp_path, "x", {"title": "t"}, rows, "form kind")
        written.append((tmp_path / "x.tsv.gz").read_bytes())
    assert written[0] == written[1]
    assert [t.form for t in read(tmp_path / "x.tsv.gz", {}).terms] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# name: x\na\tb\n", r"expected a header line '# columns: form<TAB>\.\.\.' before the rows"),
        ("# columns: form\tkind\na\n", r"x\.tsv:2: expected 2 columns \(form, kind\), found 1"),
        ("# columns: form\tgroup\na\tDRUG\n", r"x\.tsv:2: expected a group, one of ANATOMICAL_SITE"),
    ],
)
def test_a_ragged_list_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(ResourceError, match=message):
        list(read(tmp_path / "x.tsv", {}).terms)
