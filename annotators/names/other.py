"""What a run of capitalised words is instead of a person: a chemical symbol, a sized device, a score, a microbe."""

from __future__ import annotations

from . import words as w
from .cues import listed
from .shape import CAPITAL, LETTER, SHOUT
from .sheet import Sheet

_SYMBOLS = listed(
    "Na Ka Ca Mg Cl Fe Zn Cu Li Pb Al Se Mn Cr Co Hg As Au Ag Ni Si Br Ba Cs Cd Tl Bi Ti Pt He Ne Ra Ga Gd Tc Sr Sm Lu Po"
)
"""Chemical symbols of two letters that laboratory lists, tracers and poisons are written with."""
_SIGNS = frozenset(["+", "++", ":", "=", "<", ">", "/", "(", "↑", "↓", "-", "–", "~", "≤", "≥"])
_UNITS = listed("f fr french g ga gauge mm cm inch")
_ROMAN = listed("II III IV V VI IIa IIb IIc IIIa IIIb IIIc Ia Ib Ic IVa IVb IIA IIB IIC IIIA IIIB IIIC IA IB IVA IVB")
_SCALES = listed("bristol toronto seattle boston edmonton copenhagen edinburgh montreal")
_GRADED = listed("grade stage class classification criteria consensus guidelines definition type category score scale")
_AGES = listed("y yo yr yrs year years m f month months week weeks day days yo y/o / - : am pm")
_HAVE_EPONYMS = listed(
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


def is_other(sheet: Sheet, first: int, last: int, names: list[int]) -> bool:
    """Whether a run without a strong cue before it is no person, by its words and by what stands beside it."""
    return (
        _is_chemistry(sheet, first, last)
        or _is_score(sheet, last, names)
        or _is_part(sheet, first, names)
        or _is_microbe(sheet, first, names)
    )


def _is_chemistry(sheet: Sheet, first: int, last: int) -> bool:
    """`Na 140`, `Serum Fe`, `Al Cl Se`: a symbol that many people are called by too needs a figure or a sign after it."""
    run = sheet.forms[first:last]
    if not all(form in _SYMBOLS for form in run):
        return False
    after = sheet.form(last)
    if len(run) > 1 or after in _SIGNS or after[:1].isdigit():
        return True
    return not sheet.facts(first) & w.OFTEN


def is_sized(sheet: Sheet, first: int, names: list[int]) -> bool:
    """Whether a run is a device after its size: `18 F Foley`, `16 Fr. Foley`, `20 French Coude`, `6.0 mm Shiley`."""
    k = first - 1 if sheet.lowers[first] not in _UNITS else first
    if k > 1 and sheet.forms[k] == ".":
        k -= 1
    if k < 1 or sheet.lowers[k] not in _UNITS or not sheet.forms[k - 1][-1:].isdigit():
        return False
    facts = [sheet.facts(i) for i in names if i != k]  # `45 F Smith` is a woman
    return any(f & (w.EPONYM | w.UNKNOWN) for f in facts) or not any(f & w.OFTEN for f in facts)


def _is_score(sheet: Sheet, last: int, names: list[int]) -> bool:
    """`Braden 18`, `Wagner 2`, `Forrest IIa`: one eponym and its figure, which is no age and no date."""
    facts = sheet.facts(names[0])
    if len(names) > 1 or not facts & w.EPONYM:
        return False
    after = sheet.form(last)
    if after in _ROMAN:
        return True
    return after.isdigit() and len(after) < 3 and sheet.form(last + 1).lower() not in _AGES


def is_scale(sheet: Sheet, last: int, eponym: bool) -> bool:
    """Whether a place before token `last` names criteria: `Rome IV`, `Los Angeles grade B`, `Prague C2M4`, `Glasgow 15`."""
    after = sheet.form(last)
    eponym = eponym or sheet.lowers[last - 1] in _SCALES
    if after in _ROMAN or after.lower() in _GRADED or (len(after) == 1 and sheet.form(last + 1).lower() in _DEVICES):
        return True
    if after.isdigit() and len(after) == 4 and sheet.form(last + 1).lower() in _GRADED:
        return True
    if after[:1].isupper() and after[1:2].isdigit() and len(after) < 6:
        return True
    return eponym and after.isdigit() and len(after) < 3 and sheet.form(last + 1).lower() not in _AGES


def _is_part(sheet: Sheet, first: int, names: list[int]) -> bool:
    """`circle of Willis`, `sphincter of Oddi`, `factor V Leiden`, `Christmas Eve`, `German Shepherd`, `St. Jude ICD`."""
    if sheet.form(first - 1).lower() == "factor" and sheet.forms[first] == "V":
        return True
    if sheet.forms[first] == "Eve" and sheet.facts(first - 1 - (sheet.form(first - 1) == "'s")) & (w.MONTH | w.BLOCKED):
        return True
    if sheet.facts(first) & w.DEMONYM and sheet.lowers[names[-1]] in _BREEDS:
        return True
    if sheet.forms[first] == "St" and is_product(sheet, names[-1] + 1):
        return True
    return len(names) == 1 and sheet.form(first - 1) == "of" and sheet.form(first - 2).lower() in _HAVE_EPONYMS


def _is_microbe(sheet: Sheet, first: int, names: list[int]) -> bool:
    """`E. Coli`, `K Pneumoniae`, `B. Burgdorferi`: an initial and a species, known or by its Latin ending."""
    if not sheet.bits[first] & LETTER or len(names) != 1 or not sheet.bits[names[0]] & (CAPITAL | SHOUT):
        return False
    low = sheet.lowers[names[0]]
    return low in _SPECIES or (bool(sheet.facts(names[0]) & w.UNKNOWN) and low.endswith(_LATIN))


def is_product(sheet: Sheet, last: int) -> bool:
    """Whether a device or a part of one stands at token `last`: `St. Jude ICD`."""
    return sheet.lowers[last] in _PRODUCTS if last < sheet.size else False


_PRODUCTS = listed(
    "icd crt crt-d medical valve pacemaker pacer defibrillator device lead leads generator loop stent graft"
)
_NEVER_OWNED = listed("antigen antigens antibody antibodies hose stocking stockings salad")
"""What no person owns by name: the word before is a blood group, a brand, a recipe."""
_DEVICES = listed(
    "antigen antigens antibody antibodies lift collar scissors retractor forceps clamp speculum needle cannula trocar stent "
    "pacemaker prosthesis splint brace screw rod robot frame stand criteria classification grade grading staging score "
    "scale"
)
_OPERATIONS = ("ectomy", "otomy", "ostomy", "oplasty", "orrhaphy", "opexy", "odesis")


def owns(sheet: Sheet, names: list[int], k: int) -> bool:
    """Whether the word at token k is a device, an operation or a scale that is called after the run before it."""
    low = sheet.form(k).lower()
    if low.endswith(_OPERATIONS) or low in _NEVER_OWNED:
        return True
    return low in _DEVICES and (not sheet.facts(names[0]) & w.OFTEN_GIVEN or bool(sheet.facts(names[0]) & w.CITY))
