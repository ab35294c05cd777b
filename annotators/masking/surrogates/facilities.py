"""Surrogates of organizations, facilities, wards, rooms and streets: words for the type of place stay."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from ....pipeline.storage.lazy_regex import lazy_regex
from ....typesystem import PhiKind
from ..date_format import match_case
from ..operator import KEPT, Context, KeyedHash, Mention, Outcome
from . import pools
from .draws import Draws
from .shapes import same_shape

Known = Callable[[str, str], str | None]
"""Returns the surrogate of a place that occurs in a name, or None."""

_RUN = lazy_regex(r"\d+(?i:st|nd|rd|th)\b|\d+[^\W\d_]?\b|[^\W\d_]+(?:['’][^\W\d_]+)*|\d+|[\W_]+")
_ORDINAL = lazy_regex(r"(?i)(\d+)(st|nd|rd|th)")
_FUNCTION_WORDS = frozenset("of the and for at in on de la du des y na am im der die das van".split())
_SAINT = frozenset({"st", "saint", "sankt"})
_FEMALE_SAINT = frozenset({"santa", "ste", "sainte"})
_MALE_SAINT = frozenset({"san", "santo", "sint"})
_GENERIC = frozenset(
    (
        "hospital hospitals clinic clinics infirmary hospice medical center centre ctr health healthcare care "  # english: ok
        "system systems service services network group associates practice surgery surgical general regional memorial "
        "community county city national royal district central children children's childrens women women's veterans "
        "veteran's university college school academy institute department dept department's ward wards unit suite "
        "office building bldg wing floor lab laboratory pharmacy drug drugs store stores nursing home homes house rehab "
        "rehabilitation assisted living senior skilled facility behavioral mental primary family urgent emergency walk "
        "birth birthing maternity cancer heart eye dental imaging dialysis oncology north south east west northern "
        "southern eastern western upper lower great trust nhs foundation va plan insurance assurance company co inc ltd "
        "llc plc corp church elementary middle high public day red cross library police fire station court park mall "
        "lake river mount mt point hall tower campus manor lodge villa council association society union club bank "
        "market team state program programme project transitional extended acute sciences science inst ambulance "
        "paramedic naval shipyard township temple mosque convent chemist chemists hub garden gardens foods meats bakery "
        "restaurant cafe partners division region authority baby mother newborn child pvt pte gmbh ag "
        "outpatient inpatient intensive icu ed er opd theatre"
    ).split()
)
"""Words in the names of organizations that do not identify one."""
_GENERIC_ABROAD = frozenset(
    (
        "krankenhaus klinik klinikum spital praxis apotheke pflegeheim altenheim seniorenheim schule gymnasium universität "
        "hochschule versicherung krankenkasse abteilung medizinisches versorgungszentrum zentrum stiftung verein "
        "hôpital hopital hôpitaux clinique centre hospitalier hospitalière universitaire régional maison santé retraite "
        "pharmacie école ecole lycée collège université laboratoire cabinet médical "
        "hospital clínica clinica clínico centro salud residencia farmacia escuela primaria colegio instituto universidad "
        "universitario provincial laboratorio ayuntamiento fundación "
        "ospedale ospedaliera civile policlinico azienda casa cura clinica farmacia scuola liceo università istituto "
        "ziekenhuis umc zorgcentrum verpleeghuis huisartsenpraktijk apotheek basisschool universiteit kliniek stichting "
        "sjukhus sjukhuset lasarett vårdcentral vårdcentralen apoteket skolan universitetssjukhus sygehus sykehus hospitalet "
        "hospitais centro saúde clínica farmácia escola universidade szpital przychodnia apteka szkoła uniwersytet "
        "ysbyty meddygfa fferyllfa ysgol gynradd prifysgol canolfan iechyd "
        "base provincial tertiary district taluk taluka infusion homecare maternity paediatric pediatric"
    ).split()
)
"""The same in German, French, Spanish, Italian, Dutch, Scandinavian languages, Portuguese, Polish and Welsh."""
_COMPOUND = lazy_regex(
    "(?i)(?:kreis|universitäts|kinder|bezirks|landes|fach|reha|tages|poli|augen|frauen|zahn|pflege|alten|senioren|grund|"
    "haupt|real|berufs|hoch|kranken|unfall|stadt|kantons|akut)(?:krankenhaus|klinik|klinikum|spital|heim|schule|versicherung|"
    "kasse|praxis|zentrum)"
)
"""German words for types of places that consist of two: `Kreiskrankenhaus`."""
_FACILITY_ENDS = frozenset(
    "hospital clinic infirmary hospice rehab pharmacy surgery practice nursing temple school university hospitals".split()
)
_TYPE_LETTERS = frozenset(
    "GH DGH MPS HCS CHC VA MC NHS HSE HS GP OPD ICU ED UK USA US MD PC LLP LLC PLC RN EMS VNA VAMC".split()
)
"""Abbreviations in names that say what an organization is."""
_ADJECTIVES = frozenset(
    "general regional memorial community royal central north south east west northern southern eastern western".split()
)
_STREET_WORDS = frozenset(
    "no nr door plot lot ext house near block the at opp opposite behind above flat village post".split()
)
_POST_OFFICE_BOX = lazy_regex(r"(?i)\bp\.?\s?o\.?\s?box")
_ROOM_WORDS = frozenset(
    "room bed ward floor suite bay unit level block wing rm bldg cubicle side theatre".split()  # english: ok
)
_SAINTS_M = (
    "Anselm Bernard Clement Cuthbert Edmund Gregory Jerome Leo Matthias Ambrose Basil Benedict Dominic Hugh Vincent"
).split()
_SAINTS_F = (
    "Agatha Agnes Brigid Cecilia Helena Hilda Lucy Monica Ursula Winifred Bridget Clare Martha Irene Rita".split()
)
_FIRST = "Ash Brook Cedar Clear Eagle Elm Fair Glen Green Hazel High Lake Maple Oak Pine Rose Silver Stone Willow Wood".split()
_SECOND = "brook bridge dale field ford gate haven hurst mead mont ridge stead view wood crest bury".split()
_NAMES = tuple(f"{a}{b}" for a in _FIRST for b in _SECOND if a.casefold() != b)
_LAST_NAMES = (
    "Grove Hollow Springs Glen Falls Landing Terrace Meadows Orchard Harbor Heights Crossing Bluff Valley Prairie"
).split()
_HOLY = (
    "Good Samaritan", "Sacred Heart", "Holy Cross", "Good Shepherd", "Holy Family", "Mercy", "Providence", "Trinity",
    "Resurrection",
    "Our Lady of Grace", "Our Lady of Lourdes", "Immaculate Heart", "Mount Carmel", "Holy Spirit",
)  # fmt: skip
_HOLY_NAME = lazy_regex(rf"(?i)\bour lady(?: of (?:the )?[^\W\d_]+)?\b|\b(?:{'|'.join(_HOLY)})\b")
_FACILITIES = (PhiKind.LOCATION_HOSPITAL, PhiKind.LOCATION_CLINIC, PhiKind.LOCATION_FACILITY)


def is_named_place(kind: PhiKind) -> bool:
    """Return whether a kind is that of an organization or a facility."""
    return kind in _FACILITIES or kind.top is PhiKind.ORGANIZATION


class Facilities:
    """The surrogates of one document's organizations and facilities.

    Each proper word has one surrogate, so short forms agree with full names; an abbreviation in capitals becomes that of
    the surrogate of the name that it abbreviates; towns and states in names are replaced as elsewhere.
    """

    def __init__(self, draws: Draws, context: Context, known: Known) -> None:
        self._draws = draws
        self._known = known
        self._names = list(dict.fromkeys(m.text for m in context.mentions if is_named_place(m.kind)))
        self._by_initials: dict[str, str] = {}
        for name in self._names:
            letters = "" if _is_abbreviation(name) else _initials(name)
            for length in range(2, len(letters) + 1):
                self._by_initials.setdefault(letters[:length], name)

    def name(self, mention: Mention, salt: str) -> str | None:
        """Return another organization or facility of the same type."""
        text = mention.text
        if _is_abbreviation(text):
            return self._abbreviation(text, salt)
        holy = _HOLY_NAME.search(text)
        if holy is not None:
            name = holy.group().casefold()
            pool = [h for h in _HOLY if h.casefold() != name]
            new = self._draws.pick(pool, f"holy {name}", salt) or pool[0]
            rest = (text[: holy.start()], text[holy.end() :])
            kept = [replaced_words(part, self._draws, self._known, salt) or part for part in rest]
            return kept[0] + match_case(new, holy.group()) + kept[1]
        replaced = replaced_words(text, self._draws, self._known, salt)
        return replaced or self._new_name(text, mention.kind, salt)

    def department(self, mention: Mention, salt: str) -> Outcome | None:
        """Return another ward; `KEPT` for words that name only the type of department, as `Dept. of Cardiology` does."""
        words = [w for w in _RUN.findall(mention.text) if w[0].isalnum()]
        if words and all(_is_generic(w) or w.casefold() in _FUNCTION_WORDS or _is_specialty(w) for w in words):
            return KEPT
        return replaced_words(mention.text, self._draws, self._known, salt, _is_specialty)

    def slug(self, words: list[str]) -> str:
        """Return the name of a host for these words of an address, that of the surrogate of the organization they name."""
        joined = "".join(words)
        for name in self._names:
            plain = re.sub(r"[^a-z]", "", name.casefold())
            if (
                len(joined) > 3
                and (joined in plain or plain in joined)
                and (new := replaced_words(name, self._draws, self._known, ""))
            ):
                return re.sub(r"[^a-z]", "", new.casefold())
        return (self._draws.pick(_NAMES, f"host {joined}") or "host").lower()

    def _abbreviation(self, text: str, salt: str) -> str | None:
        letters = "".join(c for c in text if c.isalpha())
        name = self._by_initials.get(letters)
        if name is not None:
            new = _initials(replaced_words(name, self._draws, self._known, salt) or "")[: len(letters)]
            if len(new) == len(letters) and new != letters:
                made = iter(new)
                return "".join(next(made) if c.isalpha() else c for c in text)
        return self._draws.retry(lambda choices: same_shape(text, choices, f"letters{salt}"))

    def _new_name(self, text: str, kind: PhiKind, salt: str) -> str | None:
        """Return a full name for one that has only words for the type of place: `the General Hospital`."""
        article = re.match(r"(?i)the\s+", text)
        words = text.split()
        last = words[-1].casefold().strip(".,")
        if len(words) - bool(article) > 1 and _is_generic(last) and last not in _ADJECTIVES:
            first = self._draws.pick(_NAMES, f"name {text.casefold()}", salt)
            return f"{article.group() if article else ''}{match_case(first or 'Northside', text)} {words[-1]}"
        if kind.top is PhiKind.ORGANIZATION:
            return None
        kinds = [
            t for t in ("Hospital", "Medical Center", "Clinic", "Health Center") if t.casefold() not in text.casefold()
        ]
        if not any(c.isalpha() for c in text) or not kinds:
            return None
        first = self._draws.pick(_NAMES, f"name {text.casefold()}", salt)
        return f"{article.group() if article else ''}{match_case(f'{first} {kinds[0]}', text)}"


def names_a_type(text: str) -> bool:
    """Return whether a word of a name says what the place is, or a number is in it: `Usilampatti GH`, `Ward 7`."""
    runs = [run for run in _RUN.findall(text) if run[0].isalnum()]
    return any(r[0].isdecimal() or _is_generic(r) or (r.isupper() and r in _TYPE_LETTERS) for r in runs)


def is_facility(text: str) -> bool:
    """Return whether a name, marked as a place, ends as that of a facility does: `Usilampatti GH`, `Torhampton Clinic`."""
    first, _, last = text.strip(" .").rpartition(" ")
    return bool(first) and (last in _TYPE_LETTERS - {"UK", "USA", "US"} or last.casefold() in _FACILITY_ENDS)


def other_street(text: str, draws: Draws, salt: str) -> str | None:
    """Return another street, with other numbers; the type of street, directions and units stay."""
    box = _POST_OFFICE_BOX.search(text) is not None

    def kept(word: str) -> bool:
        return word.casefold() in _STREET_WORDS or (box and word in ("P", "O"))

    return replaced_words(text, draws, lambda words, salt: None, salt, kept, cues="street_words")


def other_room(text: str, draws: Draws, salt: str) -> str | None:
    return replaced_words(
        text, draws, lambda words, salt: None, salt, lambda w: w.casefold() in _ROOM_WORDS, cues="street_words"
    )


def replaced_words(
    text: str,
    draws: Draws,
    known: Known,
    salt: str,
    also_kept: Callable[[str], bool] = lambda word: False,
    cues: str = "",
) -> str | None:
    """Return the text with its numbers and proper words replaced, or None if it has none."""
    runs = _RUN.findall(text)
    kept = [_is_kept(runs, i, cues, text) or also_kept(run) for i, run in enumerate(runs)]
    new: list[str] = []
    index = 0
    while index < len(runs):
        if kept[index]:
            new.append(runs[index])
            index += 1
            continue
        end = _run_end(runs, kept, index)
        new.append(_replace_run(runs, index, end, draws, known, salt, bool(cues)))
        index = end
    made = "".join(new)
    return made if made != text else None


def _run_end(runs: list[str], kept: list[bool], index: int) -> int:
    """Return the end of the proper words that follow each other after single spaces."""
    end = index + 1
    while (
        end + 1 < len(runs)
        and runs[end] == " "
        and not kept[end + 1]
        and runs[end + 1][0].isalpha()
        and runs[index][0].isalpha()
    ):
        end += 2
    return end


def _replace_run(runs: list[str], begin: int, end: int, draws: Draws, known: Known, salt: str, street: bool) -> str:
    words = "".join(runs[begin:end])
    if not words[0].isalpha():
        return _other_number(words, draws, salt)
    if (place := known(words, salt)) is not None:
        return place
    before = runs[begin - 2].casefold().rstrip(".") if begin >= 2 else ""
    capitals = "".join(runs).isupper() and not street
    made = [
        _other_word(w, draws, salt, before if not i else "", i > 0, street, capitals)
        for i, w in enumerate(words.split(" ")[:2])
    ]
    return " ".join(made)


def _other_number(text: str, draws: Draws, salt: str) -> str:
    ordinal = _ORDINAL.fullmatch(text)
    if ordinal is not None:
        number = draws.retry(lambda choices: same_shape(ordinal.group(1), choices, f"number{salt}")) or ordinal.group(1)
        return f"{number}{match_case(_ordinal_ending(int(number)), ordinal.group(2))}"
    return draws.retry(lambda choices: same_shape(text, choices, f"number{salt}")) or text


def _ordinal_ending(number: int) -> str:
    return "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _other_word(word: str, draws: Draws, salt: str, before: str, later: bool, street: bool, capitals: bool) -> str:
    possessive = word[-2:] if word.lower().endswith(("'s", "’s")) else ""
    bare = word[: len(word) - len(possessive)]
    key = bare.casefold()
    if len(bare) == 1 or (len(bare) <= 4 and bare.isupper() and not capitals):

        def shaped(choices: KeyedHash) -> str | None:
            return same_shape(bare, choices, f"letters{salt}")

        return (draws.retry(shaped) or bare) + possessive
    pool: tuple[str, ...] | list[str] = _NAMES
    if before in _SAINT | _FEMALE_SAINT | _MALE_SAINT:
        female = before in _FEMALE_SAINT or (before in _SAINT and _sex(key) == "F")
        pool = _SAINTS_F if female else _SAINTS_M
    elif later:
        pool = _LAST_NAMES
    elif street or possessive:
        pool = pools.surnames()
    new = (
        draws.pick(pool, f"proper word {key}", salt)
        or draws.pick(pools.surnames(), f"proper word {key}", salt)
        or "Northside"
    )
    return match_case(new, bare) + possessive


def _is_kept(runs: list[str], index: int, cues: str, text: str) -> bool:
    """Return whether a run only names the type of place. Followed by another word, it is a name in a street: Orchard Street."""
    run = runs[index]
    if not run[0].isalnum() or run.casefold() in _FUNCTION_WORDS or (run == "A" and not index):
        return True
    if run[0].isdecimal():
        return False
    if cues != "street_words":
        low = run.casefold()
        if low in _SAINT | _FEMALE_SAINT | _MALE_SAINT:
            name = next((r for r in runs[index + 1 :] if r[0].isalnum()), "")
            return name[:1].isalpha() and not _is_generic(name)
        if run.upper() in _TYPE_LETTERS and run.isupper():
            return True
        return _is_generic(run) or _is_specialty(run) or (run.islower() and not text.islower() and _is_plain_word(run))
    entry = pools.lexicon(cues).entry(run)
    if entry is None or (len(run) == 2 and run.isupper() and index and "," in runs[index - 1]):  # Omaha, NE
        return False
    following = runs[index + 2] if index + 2 < len(runs) and runs[index + 1].isspace() else ""
    after = pools.lexicon(cues).entry(following)
    return entry.kind != "type" or not following.isalpha() or (after is not None and after.kind != "type")


def _is_generic(word: str) -> bool:
    low = word.casefold()
    return low in _GENERIC or low in _GENERIC_ABROAD or low in _cue_words() or bool(_COMPOUND.fullmatch(word))


@cache
def _cue_words() -> frozenset[str]:
    """Return the words of which the cues of hospitals, pharmacies, schools and companies consist."""
    forms = [
        form
        for kind in ("hospital", "pharmacy", "school", "company")
        for form in pools.named("organization_cues", "kind", kind)
    ]
    return frozenset(word.casefold() for form in forms for word in form.split() if len(word) > 1) - {"mill", "rose"}


@cache
def _specialty_words() -> frozenset[str]:
    forms = pools.named("medical_specialties", "kind", "specialty")
    return frozenset(word.casefold() for form in forms for word in re.split(r"[ /]", form) if len(word) > 1)


def _is_specialty(word: str) -> bool:
    return word.casefold() in _specialty_words()


def _is_plain_word(word: str) -> bool:
    has = [pools.lexicon(name).has(word.title()) for name in ("given_names", "surnames")]
    return pools.lexicon("common_words").has(word) and not any(has)


def _sex(key: str) -> str:
    entry = pools.lexicon("given_names").entry(key.title())
    return entry.columns.get("sex", "") if entry else ""


def _is_abbreviation(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    return 1 < len(letters) <= 6 and text.isupper() and " " not in text.strip() and not any(c.isdecimal() for c in text)


def _initials(name: str) -> str:
    words = [w for w in _RUN.findall(name) if w[0].isalpha() and w.casefold() not in _FUNCTION_WORDS]
    return "".join(w[0].upper() for w in words)
