"""The PHI kinds: a two-level taxonomy, their categories in other schemes, and the policies that define what is masked.

Sources: HIPAA Safe Harbor, 45 CFR 164.514(b)(2)(i)(A)-(R); i2b2/UTHealth 2014 (Stubbs & Uzuner 2015, J Biomed Inform 58);
the seven kinds of the VigiBase system (Person, Date, Age, Location, Organization, IdNumber, Phone); MEDDOCAN (Marimon
et al. 2019); the eight of i2b2 2006 (Uzuner, Luo & Szolovits 2007, J Am Med Inform Assoc 14:550).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_REGISTRY: dict[str, PhiKind] = {}
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_OWN = re.compile(r"[A-Z][A-Z0-9_]*")
_NOT_A_NAME = "expected a name of capitals, digits and _ that begins with a letter and is not O"
_CANONICAL: dict[str, dict[str, PhiKind]] = {}
"""The kind of each label, by scheme and label."""


class _Kinds(type):
    """Provides `PhiKind.DATE` and `for kind in PhiKind` for the extensible registry of kinds."""

    def __getattr__(cls, name: str) -> PhiKind:
        if name in _REGISTRY:
            return _REGISTRY[name]
        raise AttributeError(unknown_kind(name) if name.isupper() else name)

    def __iter__(cls) -> Iterator[PhiKind]:
        return iter(list(_REGISTRY.values()))


@dataclass(frozen=True, slots=True, eq=False)
class PhiKind(metaclass=_Kinds):
    """A kind of identifying information: `DATE`, or below it `DATE_BIRTH`. There is one object per name in a process.

    `hipaa` is the letter of the Safe Harbor identifier, empty for kinds outside HIPAA. `direct` marks kinds that identify
    a person on their own; others do so in combination (quasi-identifiers).
    """

    name: str
    parent: PhiKind | None = None
    hipaa: str = ""
    direct: bool = False
    description: str = ""
    schemes: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The category in `i2b2-2014`, `i2b2-2014-sub`, `vigibase`, `meddocan`, `i2b2-2006`; `PhiKind.of_scheme` is the inverse."""

    @property
    def own(self) -> bool:
        """True for a label of a corpus (`of_label`), false for the kinds of the taxonomy and those defined below them."""
        return self.parent is None and not self.schemes

    @property
    def top(self) -> PhiKind:
        """The kind at the first level: `DATE` for `DATE_BIRTH`."""
        return self if self.parent is None else self.parent

    def is_a(self, other: PhiKind) -> bool:
        """Return whether this kind is `other` or below it."""
        return self is other or self.parent is other

    def in_scheme(self, scheme: str) -> str:
        """Return the category of this kind in another scheme, by default that of its parent."""
        if scheme in self.schemes:
            return self.schemes[scheme]
        return self.parent.in_scheme(scheme) if self.parent else "OTHER"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"PhiKind.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.name, self.parent, self.hipaa, self.direct, self.description, dict(self.schemes))

    @staticmethod
    def of(name: str) -> PhiKind:
        """Return the kind called `name`. Raises ValueError, which suggests the nearest kind."""
        if name in _REGISTRY:
            return _REGISTRY[name]
        raise ValueError(unknown_kind(name))

    @staticmethod
    def of_label(label: str) -> PhiKind:
        """Return the kind called `label`; if there is none, define it at the first level, as a label of a corpus: `NORP`, `MONEY`.

        Such a kind has no category in any scheme and no HIPAA letter, and is masked unless a policy names it. Raises ValueError for a
        label that is not a letter followed by letters, digits and _ . / - (ASCII), or that is `O`.
        """
        if label in _REGISTRY:
            return _REGISTRY[label]
        if label == "O" or not _LABEL.fullmatch(label):  # not repeated in the message: it may be document text
            raise ValueError("expected a label of letters, digits and _ . / - that begins with a letter and is not O")
        return _REGISTRY.setdefault(label, PhiKind(label))

    @staticmethod
    def of_scheme(scheme: str, label: str) -> PhiKind:
        """Return the kind of a label of another scheme; its `schemes[scheme]` is that label again.

        If several kinds have the label, this is the most general one with exactly that meaning. Raises ValueError, which
        suggests the nearest label or lists the schemes.
        """
        labels = PhiKind.labels(scheme)
        if label not in _CANONICAL[scheme]:
            folded = {known.upper(): known for known in labels}
            near = difflib.get_close_matches(str(label).upper(), folded, 1, 0.4)
            hint = f"; did you mean {folded[near[0]]}?" if near else f"; expected one of {', '.join(sorted(labels))}"
            raise ValueError(f"no label called {label!r} in scheme {scheme}{hint}")
        return _CANONICAL[scheme][label]

    @staticmethod
    def labels(scheme: str) -> list[str]:
        """Return the labels of another scheme, in the order of their kinds. Raises ValueError, which lists the schemes."""
        if scheme not in _CANONICAL:
            raise ValueError(f"no scheme called {scheme!r}; expected one of {', '.join(_CANONICAL)}")
        return list(_CANONICAL[scheme])

    @staticmethod
    def define(
        name: str,
        *,
        parent: str,
        hipaa: str = "",
        direct: bool = False,
        description: str = "",
        schemes: Mapping[str, str] | None = None,
    ) -> PhiKind:
        """Define a kind below a first-level kind: `ID_BADGE` below `ID`. Raises ValueError if it is defined already, otherwise."""
        parent_kind = PhiKind.of(parent)
        if parent_kind.parent is not None:
            raise ValueError(f"kind {name}: expected a first-level kind as its parent, like {parent_kind.top.name}")
        if not _OWN.fullmatch(name) or name == "O":
            raise ValueError(_NOT_A_NAME)
        known = _REGISTRY.get(name)
        if known is not None and (known.description != description or known.parent is not parent_kind):
            raise ValueError(f"kind {name} is defined already")
        return _register(PhiKind(name, parent_kind, hipaa, direct, description, dict(schemes or {})))

    @staticmethod
    def declare(name: str, below: str = "", description: str = "") -> PhiKind:
        """Return a kind of one's own, defined now unless it is known with the same parent and description.

        `below` is a first-level kind: policies, operators and measures treat the new kind as they treat that one. Without it the
        new kind is at the first level, has no category in any scheme and no HIPAA letter, and is masked. Raises ValueError for a
        name that is not in capitals, for the name of another kind, and for a parent that does not exist or has one itself.
        """
        if not _OWN.fullmatch(name) or name == "O":
            raise ValueError(_NOT_A_NAME)
        parent = PhiKind.of(below) if below else None
        if parent is not None and parent.parent is not None:
            raise ValueError(
                f"expected a first-level kind, which {parent.name} is not; did you mean {parent.top.name}?"
            )
        known = _REGISTRY.get(name)
        if known is None:
            hipaa, direct = (parent.hipaa, parent.direct) if parent is not None else ("", False)
            return _register(PhiKind(name, parent, hipaa, direct, description))
        if known.schemes:
            raise ValueError(f"{name} is a kind of caspipe already")
        if known.parent is not parent or (description and known.description and known.description != description):
            where = f"below {known.parent.name}" if known.parent else "at the first level"
            raise ValueError(f"{name} is defined already, {where}")
        return known


def _restore(
    name: str, parent: PhiKind | None, hipaa: str, direct: bool, description: str, schemes: dict[str, str]
) -> PhiKind:
    if parent is None and not schemes and not description:
        return PhiKind.of_label(name)
    return _REGISTRY.get(name) or _register(PhiKind(name, parent, hipaa, direct, description, schemes))


def _register(kind: PhiKind) -> PhiKind:
    first = _REGISTRY.setdefault(kind.name, kind)
    for scheme, label in first.schemes.items():
        _CANONICAL.setdefault(scheme, {}).setdefault(label, first)
    setattr(PhiKind, kind.name, first)  # a plain class attribute: as fast to read as an enumeration's member
    return first


def first_level(name: str) -> str:
    """Return the name of the first-level kind of a kind, or of what looks like the name of one: `DATE` for `DATE_BIRTH`."""
    kind = _REGISTRY.get(name)
    return kind.top.name if kind is not None else name.partition("_")[0]


def unknown_kind(name: str) -> str:
    near = difflib.get_close_matches(str(name).upper(), _REGISTRY, 1, 0.4)
    hint = (
        f"; did you mean {near[0]}?"
        if near
        else f"; expected one of {', '.join(k.name for k in _REGISTRY.values() if k.parent is None)}"
    )
    return f"no PHI kind called {name!r}{hint}"


# ruff: noqa: E501
# name | HIPAA letter | direct | i2b2-2014 category/sub-category | VigiBase kind | MEDDOCAN | description
# A star marks the kind of a label if that is not the first kind with the label.
_TABLE = """
DATE                   | C | - | DATE/DATE               | Date          | FECHAS                           | calendar dates, parts of dates, weekdays, holidays, seasons
DATE_BIRTH             | C | - | DATE/DATE               | Date          | FECHAS                           | date of birth
DATE_DEATH             | C | - | DATE/DATE               | Date          | FECHAS                           | date of death
DATE_WEEKDAY           |   | - | DATE/DATE               | Date          | FECHAS                           | a weekday by name, alone
DATE_HOLIDAY           | C | - | DATE/DATE               | Date          | FECHAS                           | a named holiday
DATE_YEAR              |   | - | DATE/DATE               | Date          | FECHAS                           | a year alone (Safe Harbor lets years stand)
AGE                    |   | - | AGE/AGE                 | Age           | EDAD_SUJETO_ASISTENCIA           | age up to 89
AGE_OVER_89            | C | - | AGE/AGE                 | Age           | EDAD_SUJETO_ASISTENCIA           | age over 89
PERSON                 | A | + | NAME/PATIENT            | Person        | NOMBRE_SUJETO_ASISTENCIA         | names and initials of people
PERSON_PATIENT         | A | + | NAME/PATIENT*           | Person        | NOMBRE_SUJETO_ASISTENCIA*        | the patient
PERSON_DOCTOR          | A | + | NAME/DOCTOR             | Person        | NOMBRE_PERSONAL_SANITARIO        | medical staff
PERSON_RELATIVE        | A | + | NAME/PATIENT            | Person        | FAMILIARES_SUJETO_ASISTENCIA     | relatives and household members
PERSON_REPORTER        | A | + | NAME/DOCTOR             | Person        | NOMBRE_PERSONAL_SANITARIO        | who reported the case
PERSON_INITIALS        | A | + | NAME/PATIENT            | Person        | NOMBRE_SUJETO_ASISTENCIA         | initials of a person
PERSON_USERNAME        | R | + | NAME/USERNAME           | Person        | OTROS_SUJETO_ASISTENCIA          | user names and handles
LOCATION               | B | - | LOCATION/LOCATION-OTHER | Location      | TERRITORIO                       | places
LOCATION_STREET        | B | + | LOCATION/STREET         | Location      | CALLE                            | street addresses
LOCATION_CITY          | B | - | LOCATION/CITY           | Location      | TERRITORIO                       | cities, towns, villages
LOCATION_COUNTY        | B | - | LOCATION/LOCATION-OTHER | Location      | TERRITORIO                       | counties, districts
LOCATION_ZIP           | B | - | LOCATION/ZIP            | Location      | TERRITORIO                       | postal codes
LOCATION_STATE         |   | - | LOCATION/STATE          | Location      | TERRITORIO                       | states and provinces
LOCATION_COUNTRY       |   | - | LOCATION/COUNTRY        | Location      | PAIS                             | countries
LOCATION_HOSPITAL      | B | - | LOCATION/HOSPITAL       | Organization  | HOSPITAL                         | hospitals and other care sites
LOCATION_CLINIC        | B | - | LOCATION/HOSPITAL       | Organization  | CENTRO_SALUD*                    | health centers and other places of primary care
LOCATION_DEPARTMENT    |   | - | LOCATION/DEPARTMENT     | Organization  | CENTRO_SALUD                     | departments and wards
LOCATION_ROOM          | B | - | LOCATION/ROOM           | Location      | CALLE                            | rooms and beds
LOCATION_FACILITY      | B | - | LOCATION/LOCATION-OTHER | Location      | INSTITUCION                      | buildings, parks, landmarks
LOCATION_COORDINATES   | B | + | LOCATION/LOCATION-OTHER | Location      | TERRITORIO                       | geographic coordinates
ORGANIZATION           |   | - | LOCATION/ORGANIZATION   | Organization* | INSTITUCION*                     | organizations that can locate a person
ORGANIZATION_EMPLOYER  | A | - | LOCATION/ORGANIZATION   | Organization  | INSTITUCION                      | employers
ORGANIZATION_SCHOOL    |   | - | LOCATION/ORGANIZATION   | Organization  | INSTITUCION                      | schools and universities
ORGANIZATION_PHARMACY  |   | - | LOCATION/ORGANIZATION   | Organization  | INSTITUCION                      | pharmacies and stores
PROFESSION             |   | - | PROFESSION/PROFESSION   | Other         | PROFESION                        | professions and job titles
ID                     | R | + | ID/IDNUM                | IdNumber      | OTRO_NUMERO_IDENTIF              | numbers and codes that identify
ID_SSN                 | G | + | ID/SSN                  | IdNumber      | ID_ASEGURAMIENTO                 | social security and national identity numbers
ID_MEDICAL_RECORD      | H | + | ID/MEDICALRECORD        | IdNumber      | ID_SUJETO_ASISTENCIA             | medical record numbers
ID_ENCOUNTER           | R | + | ID/IDNUM                | IdNumber      | ID_CONTACTO_ASISTENCIAL          | numbers of visits, admissions and episodes of care
ID_HEALTH_PLAN         | I | + | ID/HEALTHPLAN           | IdNumber      | NUMERO_BENEF_PLAN_SALUD          | health plan beneficiary numbers
ID_ACCOUNT             | J | + | ID/ACCOUNT              | IdNumber      | OTRO_NUMERO_IDENTIF              | account numbers
ID_BANK_ACCOUNT        | J | + | ID/ACCOUNT              | IdNumber      | OTRO_NUMERO_IDENTIF              | bank accounts (IBAN and others)
ID_CARD                | J | + | ID/ACCOUNT              | IdNumber      | OTRO_NUMERO_IDENTIF              | payment cards
ID_LICENSE             | K | + | ID/LICENSE              | IdNumber      | ID_TITULACION_PERSONAL_SANITARIO | certificate and license numbers
ID_EMPLOYEE            | R | + | ID/IDNUM                | IdNumber      | ID_EMPLEO_PERSONAL_SANITARIO     | employee and staff numbers
ID_PASSPORT            | K | + | ID/LICENSE              | IdNumber      | ID_SUJETO_ASISTENCIA             | passports
ID_VEHICLE             | L | + | ID/VEHICLE              | IdNumber      | IDENTIF_VEHICULOS_NRSERIE_PLACAS | vehicle identifiers and plates
ID_DEVICE              | M | + | ID/DEVICE               | IdNumber      | IDENTIF_DISPOSITIVOS_NRSERIE     | device identifiers and serial numbers
ID_BIOMETRIC           | P | + | ID/BIOID                | IdNumber      | IDENTIF_BIOMETRICOS              | biometric identifiers
ID_CASE                | R | + | ID/IDNUM                | IdNumber      | OTRO_NUMERO_IDENTIF              | case and report numbers
ID_STUDY               | R | + | ID/IDNUM                | IdNumber      | OTRO_NUMERO_IDENTIF              | study and subject numbers
PHONE                  | D | + | CONTACT/PHONE           | Phone         | NUMERO_TELEFONO                  | telephone numbers
PHONE_PAGER            | D | + | CONTACT/PHONE           | Phone         | NUMERO_TELEFONO                  | pagers and beepers
FAX                    | E | + | CONTACT/FAX             | Phone         | NUMERO_FAX                       | fax numbers
EMAIL                  | F | + | CONTACT/EMAIL           | IdNumber      | CORREO_ELECTRONICO               | e-mail addresses
URL                    | N | + | CONTACT/URL             | IdNumber      | URL_WEB                          | web addresses
IP                     | O | + | CONTACT/IPADDR          | IdNumber      | DIREC_PROT_INTERNET              | internet protocol addresses
IP_MAC                 | M | + | ID/DEVICE               | IdNumber      | IDENTIF_DISPOSITIVOS_NRSERIE     | hardware (MAC) addresses
PHOTO                  | Q | + | PHI/OTHER               | Other         | OTROS_SUJETO_ASISTENCIA          | references to full-face photographs
OTHER                  | R | - | PHI*/OTHER*             | Other*        | OTROS_SUJETO_ASISTENCIA*         | anything else that identifies
OTHER_SEX              |   | - | PHI/OTHER               | Other         | SEXO_SUJETO_ASISTENCIA           | the sex of a person
OTHER_RELATIVE         |   | - | PHI/OTHER               | Other         | FAMILIARES_SUJETO_ASISTENCIA*    | words for relatives, no names: `mother`, `two sons`
"""

_I2B2_2006 = {
    **dict.fromkeys("PATIENT DOCTOR HOSPITAL DATE AGE PHONE".split()),
    **dict.fromkeys("DEPARTMENT ROOM".split(), "HOSPITAL"),
    **dict.fromkeys("LOCATION-OTHER STREET CITY ZIP STATE COUNTRY ORGANIZATION".split(), "LOCATION"),
    **dict.fromkeys("IDNUM SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID".split(), "ID"),
    **dict.fromkeys("USERNAME EMAIL URL IPADDR".split(), "ID"),
    "FAX": "PHONE",
}
"""The category of 2006 by sub-category of 2014; None: the same. Professions and `OTHER` had none."""


def _of_2006(name: str, sub: str) -> dict[str, str]:
    """Return the category of i2b2 2006 for a row of the table."""
    sub = sub.rstrip("*")
    if sub not in _I2B2_2006:
        return {}
    return {"i2b2-2006": (_I2B2_2006[sub] or sub) + "*" * (name in ("PERSON_PATIENT", "ID"))}


def _load() -> None:
    for line in _TABLE.strip().splitlines():
        name, hipaa, direct, i2b2, vigibase, meddocan, description = (cell.strip() for cell in line.split("|"))
        category, sub = i2b2.split("/")
        cells = {"i2b2-2014": category, "i2b2-2014-sub": sub, "vigibase": vigibase, "meddocan": meddocan}
        cells |= _of_2006(name, sub)
        schemes = {scheme: label.rstrip("*") for scheme, label in cells.items()}
        parent = _REGISTRY.get(name.partition("_")[0]) if "_" in name else None
        kind = _register(PhiKind(name, parent, hipaa, direct == "+", description, schemes))
        for scheme, label in cells.items():
            if label.endswith("*"):
                _CANONICAL[scheme][schemes[scheme]] = kind


_load()

HIPAA = {
    "A": "names",
    "B": "geographic subdivisions smaller than a state",
    "C": "elements of dates except the year, and ages over 89",
    "D": "telephone numbers",
    "E": "fax numbers",
    "F": "electronic mail addresses",
    "G": "social security numbers",
    "H": "medical record numbers",
    "I": "health plan beneficiary numbers",
    "J": "account numbers",
    "K": "certificate and license numbers",
    "L": "vehicle identifiers and serial numbers, including license plates",
    "M": "device identifiers and serial numbers",
    "N": "web universal resource locators",
    "O": "internet protocol addresses",
    "P": "biometric identifiers",
    "Q": "full-face photographs and comparable images",
    "R": "any other unique identifying number, characteristic or code",
}
"""The 18 identifiers of 45 CFR 164.514(b)(2)(i)."""


def counts_for_hipaa(label: str) -> bool:
    """Return whether spans with a label count in measures of HIPAA's identifiers: kinds with a HIPAA letter.

    A label that is not a kind counts too: it may be any of them.
    """
    kind = _REGISTRY.get(label)
    return kind is None or bool(kind.hipaa)


@dataclass(frozen=True, slots=True)
class Policy:
    """The kinds that are masked. A kind that is not named follows its parent; kinds are masked by default."""

    name: str
    keep: frozenset[str] = frozenset()
    """Names of kinds that stay readable; a first-level name includes all kinds below it unless `mask` names them."""
    mask: frozenset[str] = frozenset()

    def masks(self, kind: PhiKind) -> bool:
        """Return whether spans of this kind are masked."""
        for k in (kind, kind.top):
            if k.name in self.mask:
                return True
            if k.name in self.keep:
                return False
        return True

    @staticmethod
    def of(name: str) -> Policy:
        """Return a shipped policy by name. Raises ValueError, which lists the policies."""
        if name not in POLICIES:
            raise ValueError(f"no policy called {name!r}; expected one of {', '.join(POLICIES)}")
        return POLICIES[name]


def _safe_harbor() -> Policy:
    """Keep kinds without a HIPAA letter readable, except weekdays: these would reveal a date shift modulo seven."""
    outside = {k.name for k in _REGISTRY.values() if not k.hipaa and k.name != "DATE_WEEKDAY"}
    inside = {k.name for k in _REGISTRY.values() if k.hipaa}
    return Policy("hipaa-safe-harbor", keep=frozenset(outside), mask=frozenset(inside))


_I2B2 = Policy("i2b2-2014", keep=frozenset({"PHOTO", "OTHER_SEX", "OTHER_RELATIVE"}))
POLICIES = {p.name: p for p in (_safe_harbor(), _I2B2, Policy("everything"))}
"""Shipped policies. `i2b2-2014` masks every category of that guideline: all ages, professions, organizations, states, countries."""
