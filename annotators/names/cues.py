"""The words around names (titles, credentials, roles, labels, verbs of people), and the shape of words: capitals and script."""

from __future__ import annotations

from collections.abc import Mapping


def listed(words: str) -> frozenset[str]:
    """Return the words of a string as a set."""
    return frozenset(words.split())


# Bits of a lower-case form in `CUES`.
TITLE = 1 << 0  # `Dr`, `Mr`: a person follows
WEAK_TITLE = 1 << 1  # `nurse`, `sister`, `general`: a title only before a known name
DOCTOR = 1 << 2  # the title or credential of medical staff
CREDENTIAL = 1 << 3  # `MD`, `RN` after a name, in this case
UNSURE_CREDENTIAL = 1 << 4  # `PA`, `MS`, `DO`: also a state, a disease, a verb
RELATIVE = 1 << 5  # `husband`, `mother`
PATIENT = 1 << 6  # `patient`, `pt`
LABEL = 1 << 7  # `name`, `attending`, `reporter` before a colon
REPORTER = 1 << 8
BY = 1 << 9  # `by`, `with`, `from`, `to`: a name may follow
PERSON_VERB = 1 << 10  # `said`, `reported`: a name may come before
GREETING = 1 << 11
NAMED = 1 << 12  # `named`, `called`: a name follows
PARTICLE = 1 << 13
GENERATION = 1 << 14
IN = 1 << 15  # `in`, `near`: a place may follow
FOLLOWS_EPONYM = 1 << 16  # `disease`, `syndrome`, `sign`: the name before it is not a person here
NOT_INITIALS = 1 << 17  # an abbreviation that looks like initials
FOLLOWS_BRAND = 1 << 18  # `vaccine`, `tablets`: the name before it is a product
NEVER = 1 << 19  # a clinical abbreviation that is capitalized like a name

_TABLE: tuple[tuple[int, str], ...] = (
    (TITLE, "mr mrs ms mx mister missus mme mlle monsieur madame frau herr fräulein señora señorita senora dame messrs "
            "signor signora senhor senhora rev reverend sra srta"),
    (TITLE | DOCTOR, "dr drs prof dra docteur doktor dottore dottoressa"),
    (WEAK_TITLE, "fr miss sir lady lord madam father brother mother sister aunt uncle cousin grandma grandpa judge officer "
                 "captain capt sergeant sgt lieutenant lt colonel col major general gen corporal private pastor rabbi bishop "
                 "deacon chaplain imam detective sheriff deputy senator governor mayor president minister justice attorney "
                 "inspector constable señor senor"),
    (WEAK_TITLE | DOCTOR, "doctor professor nurse physician surgeon pharmacist paramedic midwife resident attending intern "
                          "fellow consultant registrar matron therapist technician cardiologist neurologist oncologist "
                          "dermatologist pediatrician paediatrician psychiatrist gynecologist urologist radiologist "
                          "pathologist internist gp pcp obstetrician anesthesiologist hospitalist dentist practitioner"),
    (RELATIVE, "husband wife spouse partner fiance fiancé fiancee fiancée boyfriend girlfriend father dad daddy mother mom mum "
               "mommy parent son daughter child baby toddler brother sister sibling twin grandfather grandmother grandma "
               "grandpa grandson granddaughter grandchild niece nephew aunt uncle cousin stepfather stepmother stepson "
               "stepdaughter friend neighbor neighbour roommate caregiver carer guardian ex-husband ex-wife infant newborn "
               "father-in-law mother-in-law son-in-law daughter-in-law brother-in-law sister-in-law"),
    (PATIENT, "patient pt client subject resident vaccinee victim"),
    (LABEL, "name names patient pt client reporter attending provider physician doctor pcp nurse signed "
    "signature signer author "
            "dictated from to cc attn attention contact surgeon consultant referring guardian mother father parent prescriber "
            "pharmacist vaccinator administrator practitioner technician interpreter witness recipient surname firstname "
            "lastname forename initials dear sincerely regards transcribed dictator md gp"),
    (REPORTER, "reporter sender informant initiator"),
    (BY, "by with from to at per via for and saw see seen told ask asked contact contacted call called phoned "
    "notified informed "
         "consulted spoke met meet visit visited says said tells asks"),
    (PERSON_VERB, "said says say reported reports states stated told tells asked asks called calls was is has "
    "had denies denied "
                  "complained complains presented presents took received felt feels went came noted notes noticed "
                  "experienced developed reports endorses endorsed describes described informed advised recommended "
                  "prescribed diagnosed ordered examined saw gave administered wrote thinks thought believes explained "
                  "suggested agreed arrived returned died lives works does did will would thanked who whose mentioned "
                  "answered replied confirmed consented signed contacted phoned spoke needs wants"),
    (GREETING, "hi hey hello dear thanks thank bye goodbye sincerely regards cheers"),
    (NAMED, "named called alias aka nee née name names surname"),
    (PARTICLE, "van von de der den del della di da das dos du des la las le los el al ter ten zu zum zur bin ibn bint abu af "
               "av st o d san santa y e ben"),
    (GENERATION, "jr sr ii iii iv jnr snr"),
    (IN, "in near at from to of around outside visiting visited toward towards through via into for"),
    (FOLLOWS_EPONYM, "disease diseases syndrome syndromes disorder palsy sign signs test tests phenomenon reaction lymphoma "
                     "sarcoma tumor tumour reflex procedure operation maneuver manoeuvre position criteria score scale "
                     "classification index stain node nodes nodule nodules cell cells body bodies tube catheter fracture "
                     "contracture thyroiditis encephalopathy dystrophy anemia anaemia esophagus oesophagus cyst gland "
                     "glands canal duct tendon ligament space pouch triangle loop line lines forceps clamp clip drain "
                     "dressing bandage splint brace boot stocking hose pump port filter ring spots spot ulcer hernia "
                     "murmur law rule equation formula stage grade type method virus fever agar chorea ataxia angina "
                     "arthropathy nephropathy retinopathy vasculitis purpura arteritis granulomatosis stroke "
                     "needle needles elevator elevators dissector dissectors drains stitch stitches sutures "
                     "suture pin pins wires wire taper gait "
                     "plate plates screws blade blades rasp knife table headrest headrests frame bed silk saw "
                     "osteotome curette "
                     "curettes rongeur rongeurs tenaculum dilator dilators sound sounds probe hook hooks tip "
                     "suction speculum gag "
                     "stand brush biopsies flap flaps graft grafts valves stem cup hip bunionectomy osteotomy "
                     "fixation tongs table "
                     "anastomosis pouches hemostat hemostats clamps catheters tubes device devices implant "
                     "implants system systems "
                     "implantation triad pentad rules line's respiration breathing pulse facies area chart "
                     "monitor biopsy smear medium solution "
                     "fluid bacillus organism vaccine program stimulation culture block anesthesia approach technique "
                     "chromosome flu measles level incision repair resection shunt study trial protocol regimen diet "
                     "exercise exercises coma outcome prognostic protein proteins proteinuria albumin albuminuria surgery"),
    (FOLLOWS_BRAND, "vaccine vaccines vaccination vaccinations shot shots dose doses covid booster jab jabs injection "
                    "injections tablet tablets pill pills capsule capsules cream lotion spray gel ointment mg ml patch inhaler "
                    "syrup drops"),
    (NEVER, "vit vits res eval epi ok im ive pts hx dx rx tx sx appt appts med meds temp temps resp sat sats neuro cardio derm "
            "rehab onc peds gyn psych surg ortho hosp dept recs labs info misc approx mom moms dad dads hrs mins wks mos yrs "
            "info abd ext gen skin heent cont tid vs vss fam pneumo hep tet flu covid vax vaxx jab mod pfiz bp hr "
            "alk phos bili trop alb hgb hct plt glu trig chol dimer prot fib "
            "hispanic hispanics latino latina latinx carbo neurosurg "
            "märz jänner février août décembre março"),
    (NOT_INITIALS, "us uk usa uae eu un am pm ie eg ad bc md do pa rn np ma ms dc po iv im sc sq id er ed icu ob gi gu ent ct "
                   "mri ecg ekg bp hr rr o2 wbc rbc prn bid tid qid qd hs ac pc op or ip sa ph pt ot st rt lt lue rle aka "
                   "etc vs al no nr la de el le st mt ft ave tv pc dna rna hiv aids tb uti uri dvt pe mi cva tia chf copd "
                   "cad htn dm gerd bmi iud nsaid otc ppe pcr covid fda cdc who ems ama aed cpr dob ssn mrn ba bs bsc msc "
                   "phd mph mba jd esq inc ltd co llc plc jr sr ii iii fl oz mg ml kg lb lbs cm mm ft "
                   "ra sob npo nka nkda rom wnl cns csf loc lmp hpi ros pmh dnr dni ama etoh perrl ntnd nad "
                   "ruq luq rlq llq qhs "
                   "qod dtr sle"),
)  # fmt: skip


def _load() -> dict[str, int]:
    table: dict[str, int] = {}
    for bit, words in _TABLE:
        for word in words.split():
            table[word] = table.get(word, 0) | bit
    return table


CUES: Mapping[str, int] = _load()  # the bits of every cue, by lower-case form

_CREDENTIALS = (
    "MD PhD RN NP PharmD DDS DMD DVM APRN ARNP BSN MSN DNP FNP CRNA CNM CRNP LPN LVN RPh PA-C PAC MBBS MBChB "
    "FACP FACC FAAP FACS "
    "FRCP FRCS MRCP LCSW DPM DPT PsyD EdD MPH RRT Pharm FACOG CNA CMA EMT Esq CNP DO-C BPharm MPharm OTR LMFT LICSW"
)
_UNSURE_CREDENTIALS = "DO PA MS MA DC OD PT OT RT RD SLP JD MBA BSc MSc MSW CNS LPC CMA ND"
CREDENTIALS: Mapping[str, int] = {
    **dict.fromkeys(_UNSURE_CREDENTIALS.split(), UNSURE_CREDENTIAL),
    **dict.fromkeys(_CREDENTIALS.split(), CREDENTIAL),
}
"""The bits of a credential, by its form (case-sensitive)."""
MEDICAL_STAFF = listed("MD RN NP PharmD DO PA PA-C PAC APRN ARNP FNP CRNA CNM LPN LVN RPh DDS DMD")


# Bits of `shape`, above the bits of the cues.
CAPITAL = 1 << 20  # a capital, then at least one lower-case letter: `Smith`, `McDonald`, `O'Neil`, `Jean-Pierre`
SHOUT = 1 << 21  # two capitals or more and no lower-case letter
LETTER = 1 << 22  # a single capital
SMALL = 1 << 23  # a word that does not begin with a capital
CASELESS = 1 << 24  # a word in a script without capitals, such as Chinese or Arabic; also has `SMALL`
HOT = 1 << 25  # a rule can begin at the form: by its shape, by its cue, or because a list contains it in lower case
SHOWN = CAPITAL | SHOUT | LETTER
HOT_SHAPE = SHOWN | CASELESS | TITLE | WEAK_TITLE | RELATIVE | NAMED | GREETING


_WITHOUT_MARKS = dict.fromkeys([*map(ord, "-'’‐‑–\u200b\u00ad"), *range(0x300, 0x370)])
"""Removes the signs that may be in a word: hyphens, apostrophes, invisible characters, combining marks."""


def shape(form: str) -> int:
    """Return the bits of a form: its shape and its cues in `CUES` and `CREDENTIALS`."""
    bits = CUES.get(form.lower(), 0) | CREDENTIALS.get(form, 0)
    first = form[:1]  # tokens of other tools may be empty
    if not first.isalpha():
        return bits
    if not form.isalpha() and not form.translate(_WITHOUT_MARKS).isalpha():
        return bits
    if not first.isupper():
        return bits | SMALL | (0 if first.islower() else CASELESS)
    if len(form) == 1:
        return bits | LETTER
    if form.isupper():
        return bits | SHOUT
    if form[1:].islower():
        return bits | CAPITAL
    ups = sum(c.isupper() for c in form)
    return bits | CAPITAL if ups <= 1 + form.count("-") + (len(form) > 4) else bits
