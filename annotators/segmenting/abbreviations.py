"""Abbreviations that do not end a sentence, and words that begin one: data for the sentence rules.

Written for caspipe from general knowledge of English and clinical usage, with the commonest Spanish, German and French
forms; no third-party list was copied. Forms are in lower case, without the last full stop, with inner ones: `e.g`.
"""

from __future__ import annotations


def _forms(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEVER_LAST = _forms(
    # titles: a name follows
    "dr drs mr mrs ms messrs prof rev fr hon gov pres sen rep gen col maj capt cpt lt sgt cpl cmdr adm supt insp "
    "dra sra srta dª dña lic lda ldo ing hr frau mme mlle "
    # parts of addresses: a name follows
    "ave av avd avda c/ cra ctra carr gral nnal pza plza pº sta sto urb edif "
    # the next words belong to them
    "e.g eg i.e ie viz cf vs v.s approx ca incl excl esp aka a.k.a p.ej ej aprox z.b bzw d.h u.a ggf evtl par.ex env"
)
"""A sentence never ends after these."""

NAME_PARTS = _forms(
    "st ste mt ft blvd rd ln hwy pl sq c dept univ bros inc ltd co corp llc plc gmbh jr sr "
    "u.s u.k u.s.a e.u ee.uu d.c n.y l.a ph.d m.d d.o r.n p.a b.s m.s b.a m.a d.d.s pharm.d o.d "
    "fig figs vol pp pag pág chap tel tfno tlf fax apt rm bldg lot ref"
)
"""Parts of names, addresses and references: a sentence ends after them only before one of the `BEGINNERS`."""

BEFORE_NUMBER = _forms("no nos nr núm num nº n° p pg ch sec sect tab tbl art eq ext ex par item id exp ver v km")
"""Abbreviations before a digit; otherwise often ordinary words (`She said no. Nothing ...`)."""

SOMETIMES_LAST = _forms(
    # times, doses, units
    "a.m p.m am pm etc al i.v iv i.m im s.c sc s.q p.o po p.r pr s.l p.r.n prn b.i.d bid t.i.d tid q.i.d qid q.d qd h.s qhs "
    "q.o.d a.c p.c stat n.p.o npo y.o yo y/o mg mcg µg μg ug kg g gm gms gr ml l dl cc cm cms mm in lb lbs oz h hrs min mins "
    "secs wk wks mo mos yr yrs d gtt tabs cap caps "
    # months, days
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri ene abr ago dic "
    # shortened words of clinical notes
    "abd admin appt appr assoc avg bilat cert clin conc cont contd consult diag diff dist equiv est exam fam freq gest gyn "
    "hosp hx immun inf inj int intl lab lat mat max mech med meds misc mod neg neuro nml norm occas op ord orig path perf phys "
    "pos postop preop prelim prev prob proc psych pt pts recd rec'd rehab rel resp rpt rx rxn sched sev sig spec surg susp sx "
    "sys temp tmt trt tx unk vac vacc vax w wnl yrs comp"
)
"""A sentence ends after these before a capital, never before a lower-case letter or a digit."""

BEGINNERS = _forms(
    "the a an this that these those there here it he she they we you i his her its their our my your "  # english: ok
    "patient patients pt on in at during after before since when while although though if because as upon "  # english: ok
    "within following until by from with "
    "without for to due per under over among between despite given prior "
    "no not none and but or so then thus however therefore also additionally furthermore moreover meanwhile "
    "overall finally subsequently later today yesterday currently initially "
    "what who where why how which was is were did does do has had have "
    "el la los las un una se su en al por para con sin tras ante desde según durante "
    "der die das ein eine er sie es wir im bei nach vor seit mit ohne le les il elle ils elles ce cette"
)
"""Words that, if capitalized, begin a sentence even after a stop that could belong to an initial."""

LETTERED = _forms(
    "vitamin vitamins hepatitis hep type group grade phase class stage influenza factor protein category "  # english: ok
    "part point strep schedule section ward wing arm cohort plan option probe panel ° º"
)
"""A single capital after these is not an initial: `vitamin C. Symptoms ...`."""

SHORT_WORDS = _forms(
    "it up go me he so do us on to at by is as we be my her him day arm leg eye ear off out all old new ago hot low red "
    "bad too now yet she and one two six ten"
)
"""Words of two or three letters that end sentences in text without capitals."""

FILE_ENDINGS = _forms(
    "com org net edu gov pdf doc docx txt rtf csv xls xlsx xml htm html json jpg jpeg png gif tif tiff zip exe php asp aspx"
)
"""Words after a full stop inside addresses and file names."""
