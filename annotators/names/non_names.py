"""Recognizes capitalized words that are not a person: a chemical symbol, a sized device, a score, a microbe."""

from __future__ import annotations

from . import words
from .cues import CAPITAL, LETTER, SHOUT, listed
from .token_context import TokenContext

_SYMBOLS = listed(
    "Na Ka Ca Mg Cl Fe Zn Cu Li Pb Al Se Mn Cr Co Hg As Au Ag Ni Si Br Ba Cs Cd Tl Bi Ti Pt He Ne Ra Ga Gd Tc Sr Sm Lu Po"
)
"""Chemical symbols of two letters in laboratory lists, tracers and poisons."""
_SIGNS = frozenset(["+", "++", ":", "=", "<", ">", "/", "(", "↑", "↓", "-", "–", "~", "≤", "≥"])
_UNITS = listed("f fr french g ga gauge mm cm inch")
_ROMAN = listed("II III IV V VI IIa IIb IIc IIIa IIIb IIIc Ia Ib Ic IVa IVb IIA IIB IIC IIIA IIIB IIIC IA IB IVA IVB")
_SCALES = listed("bristol toronto seattle boston edmonton copenhagen edinburgh montreal")
_GRADED = listed("grade stage class classification criteria consensus guidelines definition type category score scale")
_AGES = listed("y yo yr yrs year years m f month months week weeks day days yo y/o / - : am pm")
_PARTS_WITH_EPONYMS = listed(
    "circle ligament sphincter tetralogy pentalogy trilogy triad islet islets foramen foramina ampulla canal duct crypt crypts "
    "loop angle valve valves pouch triangle space node fissure aqueduct organ bands fossa tunnel hiatus cave arcade membrane "
    "isthmus vein artery bundle glands gland bodies body plexus cells sign"
)
_SPECIES = listed(
    "coli diff difficile pylori aureus albicans pneumoniae pneumo jirovecii carinii burgdorferi meningitidis gonorrhoeae "
    "tuberculosis leprae avium bovis kansasii marinum pallidum lamblia intestinalis histolytica cereus anthracis subtilis "
    "perfringens tetani botulinum faecalis faecium pyogenes agalactiae viridans mitis bovis epidermidis saprophyticus "
    "lugdunensis aeruginosa cepacia maltophilia marcescens cloacae aerogenes mirabilis vulgaris freundii oxytoca baumannii "
    "influenzae pertussis parapertussis jejuni typhi enteritidis flexneri sonnei cholerae vulnificus parahaemolyticus pestis "
    "enterocolitica henselae quintana trachomatis psittaci hominis urealyticum genitalium burnetii rickettsii chaffeensis "
    "vaginalis acnes israelii fragilis nucleatum monocytogenes corrodens canis multocida hominis glabrata krusei tropicalis "
    "parapsilosis auris fumigatus flavus niger neoformans gattii capsulatum immitis dermatitidis schenckii falciparum vivax "
    "malariae ovale gondii parvum cruzi donovani saginata solium mansoni haematobium japonicum stercoralis vermicularis"
)
_BREEDS = listed(
    "shepherd bulldog terrier spaniel mastiff collie hound retriever rottweiler pointer longhair shorthair"
)
_LATIN = ("iae", "itidis", "ensis", "icola", "ococcus", "bacter", "orum", "isii")


def is_other(doc: TokenContext, first: int, last: int, names: list[int]) -> bool:
    """Return True if a run without a strong cue before it is not a person, by its words and the words next to it."""
    return (
        _is_chemistry(doc, first, last)
        or _is_score(doc, last, names)
        or _is_part(doc, first, names)
        or _is_microbe(doc, first, names)
        or _is_dosed(doc, last, names)
        or _is_classified(doc, last, names)
    )


def _is_chemistry(doc: TokenContext, first: int, last: int) -> bool:
    """Recognize `Na 140`, `Serum Fe`, `Al Cl Se`. A symbol that is also a frequent name needs a number or a sign after it."""
    run = doc.forms[first:last]
    if not all(form in _SYMBOLS for form in run):
        return False
    after = doc.form(last)
    if len(run) > 1 or after in _SIGNS or after[:1].isdigit():
        return True
    return not doc.facts(first) & words.OFTEN


def is_sized(doc: TokenContext, first: int, names: list[int]) -> bool:
    """Return True for a device after its size: `18 F Foley`, `16 Fr. Foley`, `20 French Coude`, `6.0 mm Shiley`."""
    k = first - 1 if doc.lowers[first] not in _UNITS else first
    if k > 1 and doc.forms[k] == ".":
        k -= 1
    if k < 1 or doc.lowers[k] not in _UNITS or not doc.forms[k - 1][-1:].isdigit():
        return False
    facts = [doc.facts(i) for i in names if i != k]  # `45 F Smith` is a woman
    return any(f & (words.EPONYM | words.UNKNOWN) for f in facts) or not any(f & words.OFTEN for f in facts)


def _is_score(doc: TokenContext, last: int, names: list[int]) -> bool:
    """Recognize `Braden 18`, `Wagner 2`, `Forrest IIa`: one eponym and its number, which is not an age or a date."""
    facts = doc.facts(names[0])
    if len(names) > 1 or not facts & words.EPONYM:
        return False
    after = doc.form(last)
    if after in _ROMAN:
        return True
    return after.isdigit() and len(after) < 3 and doc.form(last + 1).lower() not in _AGES


def is_scale(doc: TokenContext, last: int, eponym: bool) -> bool:
    """Return True if a place before token `last` is a scale: `Rome IV`, `Los Angeles grade B`, `Prague C2M4`, `Glasgow 15`."""
    after = doc.form(last)
    eponym = eponym or doc.lowers[last - 1] in _SCALES
    if after in _ROMAN or after.lower() in _GRADED or (len(after) == 1 and doc.form(last + 1).lower() in _DEVICES):
        return True
    if after.isdigit() and len(after) == 4 and doc.form(last + 1).lower() in _GRADED:
        return True
    if after[:1].isupper() and after[1:2].isdigit() and len(after) < 6:
        return True
    return eponym and after.isdigit() and len(after) < 3 and doc.form(last + 1).lower() not in _AGES


def _is_part(doc: TokenContext, first: int, names: list[int]) -> bool:
    """Recognize `circle of Willis`, `sphincter of Oddi`, `factor V Leiden`, `Christmas Eve`, `German Shepherd`."""
    if doc.form(first - 1).lower() == "factor" and doc.forms[first] == "V":
        return True
    if doc.forms[first] == "Eve" and doc.facts(first - 1 - (doc.form(first - 1) == "'s")) & (
        words.MONTH | words.BLOCKED
    ):
        return True
    if doc.facts(first) & words.DEMONYM and doc.lowers[names[-1]] in _BREEDS:
        return True
    if doc.forms[first] == "St" and is_product(doc, names[-1] + 1):
        return True
    return len(names) == 1 and doc.form(first - 1) == "of" and doc.form(first - 2).lower() in _PARTS_WITH_EPONYMS


def _is_microbe(doc: TokenContext, first: int, names: list[int]) -> bool:
    """Recognize `E. Coli`, `K Pneumoniae`, `B. Burgdorferi`: an initial and a species, known or with a Latin ending."""
    if not doc.bits[first] & LETTER or len(names) != 1 or not doc.bits[names[0]] & (CAPITAL | SHOUT):
        return False
    low = doc.lowers[names[0]]
    return low in _SPECIES or (bool(doc.facts(names[0]) & words.UNKNOWN) and low.endswith(_LATIN))


def _is_dosed(doc: TokenContext, last: int, names: list[int]) -> bool:
    """Recognize a brand by its dose: `Betah 16 mg`, `T. Dapaglyn 10 od`, `Verio 50 bd`."""
    if len(names) > 1 or not doc.facts(names[0]) & words.UNKNOWN or not doc.form(last)[:1].isdigit():
        return False
    after = doc.form(last).lstrip("0123456789./") or doc.form(last + 1)
    return after.lower() in _DOSES


def _is_classified(doc: TokenContext, last: int, names: list[int]) -> bool:
    """Recognize a class by its letter or Roman number: `Weber C`, `Tanner V`, `Hinchey Ib`."""
    if not doc.facts(names[0]) & words.EPONYM or len(names) > 2:
        return False
    end = doc.forms[last - 1]
    if len(names) == 2:
        return end in _ROMAN
    return end in _ROMAN or (end != doc.forms[names[0]] and len(end) == 1) or doc.form(last) in _ROMAN


def is_product(doc: TokenContext, last: int) -> bool:
    """Return True if a device or a part of one is at token `last`: `St. Jude ICD`."""
    return doc.lowers[last] in _PRODUCTS if last < doc.size else False


_PRODUCTS = listed(
    "icd crt crt-d medical valve pacemaker pacer defibrillator device lead leads generator loop stent graft"
)
_DOSES = listed(
    "mg mcg ug g ml units unit iu u % od bd bid tds tid qid qds prn mane nocte daily qd qhs hs x tab tabs caps "
    "cap puffs mm cm fr mls "
    "po iv im sc amp drops gtt sachet sachets"
)
_NEVER_OWNED = listed("antigen antigens antibody antibodies hose stocking stockings salad")
"""Words that never follow the name of an owner: the word before is a blood group, a brand, a recipe."""
_DEVICES = listed(
    "antigen antigens antibody antibodies lift collar scissors retractor forceps clamp speculum needle cannula trocar stent "
    "pacemaker prosthesis splint brace screw rod robot frame stand criteria classification grade grading staging score "
    "scale"
)
_OPERATIONS = ("ectomy", "otomy", "ostomy", "oplasty", "orrhaphy", "opexy", "odesis")


def owns(doc: TokenContext, names: list[int], k: int) -> bool:
    """Return True if the word at token k is a device, an operation or a scale named after the run before it."""
    low = doc.form(k).lower()
    if low.endswith(_OPERATIONS) or low in _NEVER_OWNED:
        return True
    return low in _DEVICES and (not doc.facts(names[0]) & words.OFTEN_GIVEN or bool(doc.facts(names[0]) & words.CITY))
