"""Words around an expression that exclude a date: measures, scores, counts, clock times, verbs, names."""

from __future__ import annotations

from .windows import after, anywhere, before

_THINGS = """
    patients pts people persons subjects participants cases controls deaths cells steps calories kcals? copies women men males
    females children infants adults samples volunteers individuals residents employees reports records events episodes visits
    occasions attempts doses injections tablets pills capsules drops puffs sprays units times points beats breaths miles feet
    inches stitches sutures staples bottles cans glasses cups dollars euros pounds kilos grams students nurses doctors vaccines
    vaccinations vaccinees genes mutations species bases hospitals centers centres families lesions nodules nodes stools seizures
    falls shots jabs others items questions pages words lines joules centigrays?
"""
_TIMES = "seconds? secs? minutes? mins? hours? hrs? nights? days? weeks? wks? months? mos? years? yrs? yo y/o"
_MEASURES = """
    mg mgs mcg µg μg ug ng pg kg kgs gm gms grams? ml mls cc ccs dl lit(?:er|re)s? iu meq mmol mol mm mmhg cm cms km lbs? oz bpm
    gauge ga degrees? deg celsius fahrenheit percent pct rpm mph hz khz mhz kda bp kb mb gy cgy watts? volts? kj cal kcal h psi
    ppm fps amps? gtts? tabs? caps? u/ g/ l/ mile foot inch units?
"""
COUNTED = after(rf"[ \t\xa0-]{{0,2}}(?:(?:%|°|º|℃|℉)|<<{_MEASURES} {_THINGS} {_TIMES}>>(?![\w/]|-old))")
"""The number before counts or measures something: `mg`, `patients`, `days`, `%`."""
CLOCK = after(r"[ \t\xa0]?(?:[:.]\d|(?:a|p)\.?m\b|[ap]\b(?!\.\w)|o['’]?clock|h\b|hrs?\b|hours?\b|noon\b)")
"""The number before is an hour: `7am`, `10:30`, `1930 hrs`."""
LISTED = after(r"[ ]?(?:,|&|and|or)[ ]?\d")
"""More days of the same month follow: `January 6, 13 and 20`."""
SCORE = before(
    r"\b<<scales? scor(?:e[ds]?|ing) rat(?:ed?|es|ing) grad(?:e[ds]?|ing) stages? class apgars? gcs mmse moca gds "
    r"nihss phq-?\d? gad-?7? strength motor power mrs reflex(?:es)? dtrs? pulses? murmurs? acuity vision snellen va "
    r"a1c hba1c ratio dilution titers? titres? bp b/p b\.p\. pressure systolic sats saturation lot batch no\. "
    r"number # nodes? lns? orientation oriented mallampati nyha asa birads bi-rads gleason karnofsky ecog version v\. "
    r"page pg pp?\. section chapter figure fig\.? table part cycle week x every another half lead box items? "
    "questions? channel ports? bipap cpap bpap nippv ps psv pc ipap niv insight ishihara timi twist barthel berg borg rpe "
    "heart_score katz cage audit pc-ptsd(?:-5)? sem esm psm apex vas nrs pgsi bcva ph waddell(?:_signs)? ehl ta tof luria "
    "serial_7s adductors quads deltoids? biceps triceps grips? thenar ulnar iliopsoas dorsiflexion hip_flexors? fried "
    "sppb joints? tender swollen reasoning understanding appreciation copies naming levine holosystolic pansystolic "
    " levels? ribs? digits? toes? fingers? cranial_nerves? cn wbcs? rbcs? hgb hct plts? bun "
    r"cr creat(?:inine)? inr esr crp abg vbg alt ast session module round phase vol(?:ume)?\.? hydrocodone norco "
    r"ihds hds hads epds amts? 4at cfs mrc mmrc centor panss ymrs fim rass waterlow braden q?sofa ace-iii "
    r"percocet vicodin lotrel vytorin advair symbicort exforge benicar hctz>>[ \t:=(-]{0,3}(?:<<is_ was_ were_ of_ "
    "at_ as_ an?_ now_ about_ around_ still_ up_ to_ with_ r_ l_ ou_ od_ os_>>|[-–,] ?){0,3}"
)
"""Scores, gradings, ratios, pressures, counts: the digits after them are not a date."""
DENOMINATORS = frozenset({7, 12, 24, 40, 52})
"""Days of a week, months, hours, weeks of a pregnancy and of a year: `4/7` is four days, `8/12` eight months."""
DURATION_BEFORE = before(
    r"\b<<for in at x over past last first next within every further another total course complete history lasting "
    "about than up_to recall rest off work cert ros fasted npo nbm nil bno tds qds qid nocte prn supply hx rv review leave>>"
    r"[ \t:,(]{1,3}(?:another |further |the |last |first |next |past )?|[<>~≥≤][ ]?"
)
"""Words before a duration in fractions, which a date seldom follows."""
DURATION_AFTER = after(
    r"[ \t,]{0,2}<<hx\b history ago\b of\b back\b supply then\b pregnant gestation weeks? days? months? wkly weekly "
    r"total course max please post_?op into_(?:the_)?therapy at_home r\b l\b off\b>>"
)
"""Words after a duration in fractions."""
TREATED_BEFORE = before(
    r"\b<<with then off abx antibiotics vanc vancomycin fluclox flucloxacillin tazocin augmentin pred prednisolone steroids "
    r"reduce_from wean_over stop_after repeat recheck>>[ \t:,(]{1,3}"
)
"""Words before a duration of treatment or complaints, after which a date is as likely without other signs."""
TREATED_AFTER = after(
    r"[ \t]<<confusion cough fevers? rigors vomiting diarrhoea diarrhea headaches? sob dyspnoea dyspnea malaise lethargy "
    r"jaundice rash constipation weakness>>\b"
)
PAIN = anywhere(
    "<<pain severity intensity discomfort scale rat(?:e[ds]?|ing) headache migraine soreness ache cramp(?:s|ing)? "
    "itch(?:ing)? tenderness strength>>"
)
_SHARE = r"\(\d{1,3}(?:\.\d+)?[ ]?%"
WEIGHTY_AFTER = after(
    r"[ \t-]{0,2}<<of_(?:the|a|an|his|her|my|all|normal|them|patients)\b tab tsp tbsp cup pill cap\b caps strength sets\b "
    rf"bottles?\b sem\b inch hours? nodes?\b lns?\b lymph patients subjects cases {_SHARE} % mg mcg ml\b mm kg units? qd qhs bid "
    r"tid prn po\b daily (?:[a-z]+_){0,4}murmur>>"
)
"""Text that follows a fraction, a score or a dose, and never a date."""
FRACTION_AFTER = after(
    r"[ \t-]{0,2}<<of\b out_of the\b an?_ tab tsp tbsp tea cup bottle pill cap dose strength murmur systolic sem\b "
    r"hsm\b inch way hour hr day week month year mile pack ppd amp normal ns\b pint glass size full empty time done "
    r"thick life lives strong positive neg node ln\b lymph patient subject case step stage bilat through "
    r"in_(?:all|both|upper|lower) pain severity intensity ratio dilution daily qd qhs q\d bid tid prn po\b pulses? "
    rf"edema pitting reflexes? {_SHARE} % \+ lb kg mg mcg g\b ml mm>>"
)
"""Text that follows a fraction or a score, and occasionally a date."""
PAIR_BEFORE = before(r"\d{1,3}/\d{1,3}(?:,| and| or|,? then| now| to|;|[ ]?->)?[ ]{1,2}")
"""Another pair of numbers that was not a date: `vision 20/40 and`."""
NUMBER_OF = before(
    "(?<![a-z/])<<case report ref reference ids? nos? number num nr lot batch mrn chart account acct serial ssn "
    "phone tel telephone fax pager cell code zip ndc icd pmid nct doi isbn patent claim policy order invoice "
    "specimen accession sample study protocol trial subject control model device catalog cat part rx script room rm "
    "bed suite ste unit apt apartment building bldg box floor flight bus route highway hwy ext extension section iso "
    "iec astm rfc cfr version ver release pages? line item article pp? pg vol volume form docket ticket badge "
    "employee member group plan license licence plate lipofectamine windows office server npi dea vin imei udi gtin "
    r"kit vial build firmware software python #>>"
    r"(?: (?:no|nos|number|num|nr|id|code|#))?[.:#=]{0,2}[ \t]{0,2}(?:is |was |of |are )?[-#:(]{0,2}|#[ ]?|[№§$€£¥][ ]?"
)
"""Words before the number of a case, lot, room or chart, which is never a date."""
CODE_OF = before(
    "<<code no number # lot batch serial ssn account acct id mrn ref phone tel fax build version ver release "
    r"firmware software python>>[.:#]{0,2}[ \t]{0,2}(?:is |was |no\.? |number )?[#:]?[ ]?"
)
"""Words before numbers that are not a date even if they have the form of day, month and year."""
AROUND_BEFORE = before(r"\b(?:around|about|approximately|approx\.?|by|until|till|before|after|from|to)[ ]")
STREET_BEFORE = before(
    r"\b(?:rua|rue|via|calle|avenida|av|carrera|plaza|piazza|corso|viale)\.?[ ](?:[^\W\d_]+\.?[ ]){1,4}|[^\W\d_]{3,}"
    r"(?:straße|strasse|str\.|gasse|weg|allee|platz|gatan|vägen|straat|laan|vej|utca|plein)[ ]"
)
STREET_AFTER = after(
    r"[ \t]{1,2}(?:\d{1,4}[ ])?(?:[NSEW]\.?[ ])?(?:[A-Z][a-z]+\.?[ ]){1,2}<<St Street Ave Avenue Rd Road Blvd "
    r"Dr Drive Ln Lane Ct Court Pl DateContext Way Pkwy Hwy>>\b"
)
HOURS_BEFORE = before(r"(?:@|\bat(?: approximately| approx\.?| about| around)?|\bhours?|\btime:?|\btimed?)[ ]{0,2}")
HOURS_AFTER = after(
    r"[ \t]{0,2}(?:hrs?\b|hours?\b|h\b|[ap]\.?m\b|on \d|tonight|today|(?:that|last|the same) (?:night|evening|day)|on "
    r"(?:the )?(?:same|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))"
)
"""Text after four digits that are a clock time: `1730 on 4/7`."""
PULSE_AFTER = after(r"[ ,]{0,2}(?:on\b|systolic|/|%|bpm|degrees|and was|at rest|with exertion|to |-)")

VERB_AFTER = after(
    r"[ \t]{1,3}<<be have has not need also or_may cause help lead require include occur take get result contain "
    "want experience indicate still consider try repeat return resume start use go do of_been see give represent "
    "reflect suggest develop benefit increase decrease continue become come feel make receive he she i we you they "
    "it the this that well very never even only just to into on in_place out against fracture patient forward back "
    r"ahead up down>>\b"
)
"""`may` or `march` is a verb."""
NAME_AFTER = after(
    r"[ \t]{1,2}<<called said reported says states stated told came went lives works gave took asked thinks feels "
    r"felt denied agreed>>\b"
)
"""The subject is a woman called April or June."""
PERSON_BEFORE = before(
    r"\b<<mr mrs ms miss dr nurse named name_is name: aunt sister daughter wife mother friend dear>>"
    r"\.?[ ,]{1,2}(?:[A-Z][a-z]+[ ])?"
)
SEASON_VETO = after(
    r"[ \t]{1,2}<<asleep down on onto off out from into back risk precautions injury water roll onion loaded "
    r"mattress coil hill field street st park lake valley house branch gardens?>>\b"
)
FALL_EVENT = before(
    r"\b<<a s/p post after from mechanical accidental recent had unwitnessed witnessed level another his her my "
    "due_to with of ground>>[ ]"
)
ORDINAL_VETO = after(
    r"[ \t]{0,2}(?:,|and|or|&|to|-)[ \t]{0,2}(?:the )?\d{1,2}(?:st|nd|rd|th)[ \t]+(?!(?:and|or|of|at|i|he|she|the|"
    r"with|when)\b)[a-z]|[^.;]{0,24}\bcentur"
)
"""A count continues: `the 1st and 2nd dose`, `the 16th or 17th century`."""
FREQUENCY = before(r"(?<![\w-])(?:every(?: other)?|each|per|alternate)[ \t]{1,2}")
WEEKDAY_VETO = after(
    r"[ \t]{0,2}(?:%|\d{2,3}[ ]?%|\d{2}\b(?!st|nd|rd|th)|<<screen exposure burn light block down up "
    "(?:in|on)_(?:the|a|my|his|her) at_(?:the|a) there with for city rays monitor probe>>)"
)
HOLIDAY_VETO = after(
    r"[ \t-]{1,2}<<disease factor trees? islands? lights? seals? bunny eggs? lily cactus carol cards? hospital "
    r"pattern rose sweater>>\b"
)
