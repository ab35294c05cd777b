"""Words around a number that suggest or exclude an age: people, things, pregnancies, durations, counts, temperatures."""

from __future__ import annotations

from ..dates.windows import after, before

KIN = "mother father mom dad sister brother son daughter wife husband aunt uncle cousin grandmother grandfather".split()
_JOINING = r"(?:with|w|who|whose|has|had|having|is|was|and|on|in|for|from|here|patient|pt|post|present\w*|complain\w*|underwent)"
"""Words that are not followed by the thing that is old or sized."""
THING = after(
    rf"[- ]{{0,2}}(?:(?!{_JOINING}\b)[a-z]+[- ]){{0,2}}?<<histor(?:y|ies) habit scars? devices? pacemaker icd cars? "
    "vehicle houses? homes? buildings? fractures? injur(?:y|ies) lesions? grafts? stents? mi cva tia dvt infarction "
    "implants? valves? prosthes[ie]s specimens? samples? data records? stud(?:y|ies) trials? scans? x-?rays? ct mri "
    "images? prescriptions? bottle vials? company program(?:me)? tradition problem issue wounds? burns? ulcers? "
    "infarcts? strokes? bleed clots? rash(?:es)? bruis(?:e|es) bites? incisions? surgery survival follow-?up pack "
    "ppd machine equipment computer phone mattress shoes milk food cultures? tattoos? piercing dogs? cats? kittens? "
    "pupp(?:y|ies) horses? mice mouse rats? symptoms? cough headaches? abscess bandage dressing sutures? catheter "
    "battery generator filter mesh medications? pills? tablets? news photo picture video article marriage "
    r"relationship contract lease debt wine whiske?y trees?>>\b"
)
"""Things that also have an age."""
PREGNANCY_AFTER = after(
    r"[ ,(-]{0,3}(?:and \d[ ]days? |\+? ?\d ?(?:days?|/7) )?<<pregnan gestation of_gestation gest\b e?ga\b "
    r"into_(?:my|her|the)_pregnan fo?etus iup\b of_pregnancy amenorrh post_?partum post_?op along\b embryo>>"
)
PREGNANCY_BEFORE = before(
    r"<<gestation(?:al)? gest\.? \be?ga \bbone fo?etal conceptional menstrual pregnancy vintage device storage>>"
    r"[ :,(-]{0,3}(?:age )?(?:of |is |was |at |: ?)?"
)
DURATION_BEFORE = before(
    r"\b<<for over in last past within after since every x times about approximately around nearly almost next "
    "previous first additional another more_than less_than up_to per q of to during through until by at lasting "
    "lasted took than some>>[ ](?:the |a )?|[~≥>≤<×][ ]?"
)
DURATION_AFTER = after(
    "[ ,]{0,2}<<ago later earlier before after prior previously history hx h/o duration follow post s/p since "
    r"of_(?!age) in_remission experience survival course sentence period from_now back\b apart per\b>>"
)
PERSON_BEFORE = before(
    r"(?:^|\n)[ \t]{0,3}|[.;:!?(\[\"'•*,-][ \t]{0,3}|\b<<an? this is was patient pt subject consumer "
    "concern(?:s|ed|ing) who am i['’]m unfortunate pleasant healthy obese pregnant old are as male female age aged>>"
    "[ ]"
)
OPENING = before(r"(?:^|\n|[.;:!?(\[\"'•*])[ \t]{0,3}")
"""The start of a line, a sentence or a bracket."""
PATIENT_BEFORE = before(
    r"\b<<an? this is was patient pt consumer concern(?:s|ed|ing) am pleasant healthy hpi cc id>>[:,]?[ ]|\b<<elderly "
    "obese unfortunate frail>>[ ]"
)
SUMMARY_BEFORE = before(
    r"(?:^|\n)[ \t]{0,3}(?:[-–#>+]|\d{1,2}[.)])[ \t]{1,3}|\b<<briefly in_brief in_short in_summary>>,?[ ]"
)
"""The start of a list item, or of a case in one sentence."""
RELATIVE_BEFORE = before(rf"\b(?:{'|'.join(KIN)})(?:[ ]\(|,[ ])")
CLINICAL_AFTER = after(
    r",?[ ]<<with who w/ pt\b patient present\w* admitted h/o hx s/p c/o pmh here seen referred transferred found "
    r"brought complain\w* status no_pmh g\dp\d received had has was is developed reports? p/w w\b c/b pmhx "
    r"bib(?:a|ems)?\b underwent previously otherwise (?:non-?)?smoker restrained unrestrained helmeted "
    "on_(?:hd|dialysis|warfarin|coumadin|chemo)>>"
)
HEAT_BEFORE = before(
    r"\b<<temp(?:erature)?s? fever(?:ish)?s? febrile tmax degrees? thermometer chills heat grade max high peak(?:ed)?>>"
    r"\b[^.\n]{0,28}"
)
HEAT_AFTER = after(
    r"[ ,]{0,2}<<fever temp chills degree heat weather that_night with_(?:rain|snow|sun) at_\d \d / or_higher "
    "outside indoors outdoors in_the_(?:room|shade|water|house)>>"
)
FEVERISH_AFTER = after("[ ,]{0,2}with[ ](?:chills|fever)")
"""Text that follows a temperature as well as a patient."""
_IS = r"(?:[ ](?:is|was)|['’]s)[ ](?:(?:about|only|around|almost|over)[ ])?"
AIR_BEFORE = before(rf"\b<<room weather water air house outside>>{_IS}")
IT_BEFORE = before(rf"\b<<it this that which there>>{_IS}")
AMOUNT_AFTER = after(
    "[ ]?<<dollar usd euros? users? people fund company investment loan budget distance race sprint solution urea "
    r"nacl hcl cells copies units iu\b dash\b>>"
)
PLURAL_AFTER = after(
    "[ ]?[a-z]*?<<patients subjects participants rats mice volunteers controls cases students workers adults "
    r"children infants to_female and_\d />>"
)
COUNTED = after(
    "[ -]{0,2}(?:%|°|º|<<mg mcg ml cm mm kg lbs? pounds? feet ft inch(?:es)? degrees? times minutes? mins? hours? "
    r"hrs? days? weeks? wks? months? pages? pills? doses? tablets? out_of of_\d /\d bpm patients participants "
    "subjects people cases controls vaccines? shots?>>(?![a-z]))"
)
BOUNDARY = after(
    r"[ ]?(?:[.,;:)\]!?](?!\d)|$|\n|[ ]<<with who presented presents presenting was is has had received seen and c/o "
    "h/o s/p w/ pt patient admitted years? yrs?>>)"
)
TURN_AFTER = after(
    r"[ ]?(?:[.,;!?)](?!\d)|$|\n|[ ]<<and in on last this next today yesterday tomorrow but so when the a_few that from "
    r"just i he she before after during recently at with or were was are is who should can may must have had>>\b)"
)
_OWN = "(?:his|her|their|my|your|our)"
_STAGE = r"(?:(?:very )?(?:early|mid|middle|late|upper|lower)(?:[ -]to[ -](?:mid|late))?[ -]{0,2})?"
OWNER = before(
    rf"(?:\b{_OWN}|\b<<m[ae]n wom[ae]n males? females? lady ladies gentlem[ae]n persons? people "  # english: ok
    "adults? someone somebody patients? consumer>>,? (?:(?:who )?(?:is|was|are|were) )?(?:all )?in(?:to)?(?: the| his| her|"
    f" their)?)[ ]{_STAGE}"
)
"""The person whose decade it is."""
INTO = before(
    r"\b<<in into of and to from through(?:out)? until since during by entering reach(?:ed|ing)? past both at>>"
    rf"[ ](?:the[ ])?(?:{_OWN}[ ])?{_STAGE}"
)
QUALIFIED = before(r"\b(?:early|mid|middle|late)[- ]{1,2}(?:to[ -](?:mid|late)[- ])?")
GENDER_AFTER = after(
    r"[- ,]{1,2}(?:year[- ]?old[ ])?(?:[a-z]+[ ])?(?:male|female|man|woman|lady|gentleman|patient|adult|person)\b"
)
VITAL = before(
    r"\b<<hr heart pulse bp b/p pressure systolics? diastolics? sats? satting spo2 o2 oxygen rates? "
    r"temp(?:erature)?s? sugars? glucose bpm rr map interpretations? saturations? beats>>\b[^.\n]{0,24}"
)

FRENCH_AFTER = after(
    rf"[ ]?(?:(?!{_JOINING}\b)[a-z0-9-]+[ ]){{0,2}}?<<foley coude catheters? cath sheaths? stents? tubes? drains? "
    "cannulas? introducers? chest_tube nasogastric ngt? pigtail peg malecot picc lumen thoracostomy nephrostomy "
    r"dilator bougie>>\b|[ ]was[ ](?:inserted|exchanged|upsized|advanced|deployed)"
)
"""Devices sized in French (`18 F Foley`), three times the diameter in millimetres: not an age and a woman."""
