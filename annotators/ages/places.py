"""Text around a number that makes it the age of a person: names, relatives, events, birth dates, columns; and measures."""

from __future__ import annotations

import re

from ...pipeline.storage.lazy_regex import lazy_regex
from ..dates.windows import Ending, Endings, expand_lists

_C = "A-ZÀ-ÖØ-ÞĀĂĆČĎĐĒĘĚĞĢĪĶŁĻŃŅŇŌŐŘŚŞŠŤŪŮŰŹŻŽİḤṢ"
_L = "a-zß-öø-ÿāăćčďđēęěğģīıķłļńņňōőřśşšťūůűźżžạảấầẩậắằặẹẻẽếềểệỉịọỏốồổộớờởợụủứừửựỳỵỷỹơư"
_WORD = rf"[{_C}][{_L}{_C}'’-]*[{_L}{_C}]"
_NAME = rf"(?:{_WORD}|[{_C}]\.?)"
KIN = (
    "mother father mom mum mam mama dad daddy sister brother son daughter wife husband hubby aunt auntie aunty uncle cousin "
    "niece nephew grand(?:mother|father|ma|pa|son|daughter|child|dtr) (?:half|step)-?(?:sister|brother|son) spouse partner "
    "fianc[eé]e? sib sibling twins? child(?:ren)? kids? boys? girls? lads? sons daughters sisters brothers dtr gma gpa mgm "
    "mgf pgm pgf nana nan koro moko girlfriend boyfriend neighbou?r friend baby infant proband carer caregiver tatay nanay "
    "hija hijo tio t[ií]a abuel[ao] roommate decedent resident eldest youngest lady gentleman bub"
)
_KIN = "(?:(?:" + KIN.replace(" ", "|") + ")(?:-in-law)?)"
_TITLE = r"(?:Mr|Mrs|Ms|Miss|Mx|Mdm|Mme|Madam|Smt|Shri|Sri|Mst|Md|Herr|Frau|Oom|Tannie|Opanyin|Chief|Sra?|Don|Do[nñ]a)"
_ROLE = (
    r"(?:pt|pts|patient|patients|name|re|child|young person|client|ct|resident|decedent|mother|father|veteran|inmate|"
    r"subject|caller|pat|nok|ptn|deceased|case|proband|donor|signora?)"
)
CUE = lazy_regex(rf"\b(?:{_ROLE}|{_KIN})\b[:.,]?[ ]{{0,3}}(?:is[ ]|was[ ])?[~(]?\Z", re.IGNORECASE)
_JOINT = r"(?:[ ]{0,3}[,(/|;–—-]{1,2}[ ~]{0,4}|[ ]{1,8}~?|['\"”’)]{1,2}[ ,(]{1,5})(?:now[ ]|about[ ]|age[ ])?"
_NOT_NAMES = (
    "(?:Grade|Stage|Type|Class|Day|Week|Month|Year|Room|Rm|Bed|Bay|Ward|Level|Unit|Page|Gleason|Score|Dose|Lot|Visit|Cycle|"
    "Phase|Step|Group|Part|Section|Table|Fig|Figure|Item|Items|Chapter|Box|Line|Bottle|Apgar|Berg|Barthel|Total|Temp|Pulse|"
    "Sats?|BP|HR|RR|WBC|Hgb|Hb|Plt|Na|Cl|Ca|Cr|BUN|Glucose|INR|GCS|MMSE|MoCA|PHQ|GAD|BMI|EF|Wt|Ht|Weight|Height|Units?|"
    "January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|"
    "Sept?|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun|Lasix|Zoloft|Clinic|Hospital|Street|St|Road|Rd|Ave|Lane|Way|Drive|Apt|"
    "Suite|Ext|Extension|Phone|Tel|Fax|Code|No|Nr|Number|CPT|ICD|Medicaid|Medicare|Score|Scale|Index|Rev|Version|Protocol|"
    "Highway|Hwy|Route|Floor|Pager|Bleep|Theatre|Lane|Court|Block|Lot|Unit|House|Flat|Gauge|Size|Vol|Age|AGE)"
)
_FULL = Ending(
    rf"(?:\b{_TITLE}\.?[ ]+(?:{_NAME}[ ]+){{0,3}}|\b{_NAME}[ ]+(?:[a-z]{{1,3}}[ ]+)?(?:{_NAME}[ ]+){{0,2}}|"
    rf"\b{_WORD}[ ]?,[ ]?(?:Dr\.?[ ])?(?:{_NAME}[ ]+){{0,2}})(?:[\"“'‘(][\w '’]{{2,14}}[\"”'’)][ ]+(?:{_NAME}[ "
    rf"]+){{0,2}})?(?P<last>{_WORD}"
    rf"|(?<=,)[ ]?[{_C}]\.?|(?<=[ ])[{_C}]\.?)"
    rf"(?:,?[ ](?:Jr|Sr|II|III)\.?)?(?:[ ]{{1,2}}[(\"“][^()\n]{{2,24}}[)\"”])?(?P<joint>{_JOINT})\Z"
)
"""A titled name, two or more capitalised words, or `Last, First`, at the end of the window."""
_STRONG_JOINT = lazy_regex(r"[,(|]|[ ][-–—;/][ ]")
_NEAR_KIN = Ending(
    rf"\b(?i:{_KIN}|{_ROLE})[,:.]?(?:[ ](?:of[ ])?(?:\w+[ ])?|[ ]{{1,4}})\(?(?P<last>{_WORD})"
    rf"(?:[ ](?:and|&|\+)[ ](?P<more>{_WORD}))?{_JOINT}\Z"
)
_LISTED = Ending(
    rf"\b(?i:{_KIN})\b[^\n;.]{{0,40}}(?:\d|\(\d{{1,2}}\))[^\n;.\d]{{0,14}}(?:,|and|&|\+)[ ](?:baby[ ])?"
    rf"(?P<last>[\w'’-]{{2,14}})[ ]?[ (]\Z"
)
"""The next of several relatives with their ages: `Jaxon (9) and Emory (`."""
_LINE = lazy_regex(
    rf"\A[ \t>*#-]*(?:\d{{1,2}}[.)]?[ ])?(?:{_ROLE}[:.]?[ ]{{1,4}})?(?P<last>[\w'’-]+(?:,?[ ][\w'’\"-]+){{1,4}}){_JOINT}\Z",
    re.IGNORECASE,
)
_ROLE_AT_LINE = Ending(
    rf"\A[ \t>*#-]*(?:{_ROLE})\b[.:]?[ ]{{1,6}}[\w'’\". -]{{2,40}}(?:[,(/"
    rf"|]|[ ]{{1,6}})[ (~]*\Z",
    re.IGNORECASE,
)
_NAMED = Endings(_FULL, _NEAR_KIN, _LISTED)
_EXCLUDED = lazy_regex(rf"\b{_NOT_NAMES}\Z")


KIN_WORDS = frozenset(re.findall(r"[a-zíñé]+", KIN.replace("[eé]", "e").replace("[ií]", "i"))) | frozenset(
    "sisters brothers sons daughters stepsister stepbrother stepson halfsister halfbrother grandmother grandfather grandma "
    "grandpa grandson granddaughter grandchild granddtr children neighbor neighbour mrs mr ms kids grandkids".split()
)


def named(before: str, *, sure: bool = False, listed: bool = False) -> bool:
    """Return True if the text ends with the name of a person and a joint: `Rosa Diaz, `, `son Eli (`, `DIAZ, ROSA   `.

    `sure`: a sex or a unit follows, so that a space is joint enough and the name may be in capitals. `listed`: a record
    number or a birth date follows.
    """
    if not before.islower() and _NAMED.may_match(before) and _ends_with_name(before, sure, listed):
        return True
    return sure and _ROLE_AT_LINE.search(before) is not None


def _ends_with_name(before: str, sure: bool, listed: bool) -> bool:
    match = _FULL.search(before)
    if match and not _EXCLUDED.search(match["last"]):
        last = match["last"].strip(" .")
        lower = not last.isupper() or "," in match[0].removesuffix(match["joint"])
        titled = re.match(rf"(?:{_TITLE}|MRS|MISS|HERR|FRAU)\b", match[0]) is not None
        alone = _LINE_OPENS.match(before[: match.start()]) and (match["joint"].startswith("  ") or listed)
        if sure or ((lower or titled or listed) and (titled or alone or _STRONG_JOINT.search(match["joint"]))):
            return True
    for pattern in (_NEAR_KIN, _LISTED):
        match = pattern.search(before)
        if match and not _EXCLUDED.search(match["last"]):
            return True
    return False


_LINE_OPENS = lazy_regex(rf"[ \t>*#-]*(?:\d{{1,2}}[.)]?[ ])?(?:{_ROLE}[:.]{{0,2}}[ \t]*)?\Z", re.IGNORECASE)
RECORD_AFTER = lazy_regex(
    r"[ ]{1,4}\(?(?:dob|mrn|mr#?|ur|urn|umrn|nhs|nhi|hrn|chi|fin"
    r"|unit|tel|id|ward|bed|bay|rm|room|s\d)\b|[ ]{1,4}\d{3}[ -]\d{3}",
    re.IGNORECASE,
)
"""A record number or birth date after an age."""
LOWER_KIN = Ending(
    rf"\b(?:{_KIN}|mrs|mr|ms)[ ](?:[a-z'’-]{{2,}}[ ]){{1,3}}\(\Z|\b(?:kids|children|sons|daughters"
    rf"|boys|girls|grandkids)[ ]?[(:]?[ ]?(?:[\w'’-]+[ ]\d{{1,2}},[ ]){{0,4}}[\w'’-]{{2,}}[ (]{{1,2}}\Z"
    rf"|\b(?:koro|nana|nan|baby|lad|infant|child|grandson)[ ][\w'’-]{{2,}}[ ]\Z",
    re.IGNORECASE,
)
SOMEONE_AFTER = lazy_regex(
    expand_lists(
        r",[ ]<<retired an?\b who from lives living works? working married single widow\w* divorced student domiciled "
        r"sober in_the "
        "is_ was_ has_ known picks unemployed never farmer teacher police tourist au_pair previously born_in "
        "right-handed left-handed>>"
    )
)
"""Text after a bare age between commas that only people have."""
NAME_COMMA = lazy_regex(rf"(?:^|[a-z.:;][ ]|[(\t]|[ ]{{2}})(?!{_NOT_NAMES}\b)[{_C}][{_L}’'-]{{2,}},[ ]\Z")
COMMA_ENDS = lazy_regex(r",[ ](?!\d)(?![A-Z])|[;)]|\.[ \n]|\.?\Z|\n")
ONE_NAME = lazy_regex(
    rf"(?:[{_C}][{_L}’'-]{{2,}}|alone|\d|patient|gentleman|lady)(?:,[ ](?:about[ ]|now[ ])?|[ ][-–][ ])\Z"
)
YEARS_BEFORE = lazy_regex(
    rf"(?:(?:[{_C}][\w'’.-]*|\d[\w-]*|[)\"”*]|\b(?:fe)?male|\b(?-i:[a-z]) [a-z])[ ]?,[ ](?:about[ ]"
    rf"|approx[ .]{{1,2}}|now[ ])?|\b[A-Z](?:\.\d[\w]*){{1,4}}[ ]|[ ]{{2}}|\|[ ]?|/[ ]|(?:\A|[.;:(])[ •*>-]*)\Z"
)
YEARS_AFTER = lazy_regex(r"[ ]?(?:[.,;)|/]|$|\n)|[ ]{2}|[ ](?:at[ ]diag|F\b|M\b|primip|gravid|G\dP)", re.MULTILINE)
_BRACKET = lazy_regex(rf"(?:^|[\s/])(?P<last>[{_C}][{_L}’'-]{{2,}})[ ]\(\Z")
_BRACKET_ENDS = lazy_regex(
    r"\)(?:[ ](?:is|was|has|had|gave|sleeps|helps|who|came|came|says"
    r"|lives|and|are|at|in|calls|works|works|will|on)\b|,?[ ](?:and[ ])?"
    rf"[{_C}][{_L}’'-]{{2,}}[ ]\(\d{{1,3}}[,)])|,[ ](?!\d)"
)


def bracketed(before: str, after: str) -> bool:
    """Return True for `Eli (9), Hugo (5)`, `Eli (14) helps`: a name before the bracket, a list of them or a verb after it."""
    match = _BRACKET.search(before)
    if match is None or _EXCLUDED.search(match["last"]):
        return False
    listed = re.search(rf"[{_C}][{_L}’'-]{{2,}}[ ]\(\d{{1,3}}[,)]", before[: match.start()]) is not None
    kin = re.search(rf"\b{_KIN}\b", before, re.IGNORECASE) is not None
    return listed or kin or after.startswith((")", ", ")) or _BRACKET_ENDS.match(after) is not None


ENDS = lazy_regex(
    r"[ ]?[.,;:!?)\]|/](?!\d)|[ ]{2}|\t|[ ]?\r?$|[ ]?\r?\n|[ ]?[(–—&+@]|[ ]-|[ ]@|[ ][LR][ ]"
    r"|[ ]\d{3}[ -]\d{3}|[ ]{0,3}(?:[/,|][ ]?)?(?:[MFmf]|male|female|MALE|FEMALE|Male|Female)\b|"
    + expand_lists(
        "[ ]<<and or with w/ who has had was is in of on at for from when but because due years? yrs? presents? "
        "admitted seen "
        "s/p c/o h/o pt ur urn mrn hrn nhi nhs dob tel unit btw the to now wt lives works by nearly as not per while "
        "so then again alive old>>(?![a-z])"
    ),
    re.MULTILINE | re.IGNORECASE,
)
"""Text after an age that no unit follows."""
SEX_BEFORE = lazy_regex(
    r"(?:(?<![/-])(?<!\d[ ])(?<!and[ ])(?:\b|(?<=\())[MF]|(?<=[a-z][ ])[mf]|\b(?:male"
    r"|female|MALE|FEMALE|Male|Female|boy|girl|man|woman|wahine|Sexo?[ :]{1,2}[MF]))"
    r"(?:[ ]of[ ]|[ ]{0,3}[/,|(][ ]{0,3}|[ ]{1,5})(?:\(|~|about[ ])?\Z"
)
KIN_BEFORE = Ending(
    rf"\b(?:{_KIN})[ ]?(?:[(,:]?[ ]?|is[ ]|are[ ]|aged?[ ])(?:(?:\d{{1,2}}(?:[ ]?m"
    rf"|[ ]?f)?(?:,|[ ]and|[ ]&|,[ ]and)[ ]){{1,4}})?\Z",
    re.IGNORECASE,
)
RELATIVE = Endings(KIN_BEFORE, LOWER_KIN)
AT = frozenset("at @ from since until till til by past around onset dx".split())
"""Words before the age at an event."""
EVENT = lazy_regex(
    expand_lists(
        r"\b<<died death dead d\. ca crc hcc cancer carcinoma mi cabg stroke cva dx t1dm t1 t2 diagnos\w* onset menarche "
        "menopause attack seizures? fits? tumou?r clot meningitis hodgkin['’]?s lymphoma leuk\\w* hanged valve defib\\w* "
        "break smok\\w* drink\\w* gambl\\w* betting cannabis walk\\w* words? sat talk\\w* toilet bumping wheelchair repaired "
        "bicillin penicillin cane migraines? inhaler killed ran_away married fhx? fh family unaffected ovarian breast colon "
        "kidney crisis psych\\w* depress\\w* score hcv rna treated gpa_at raised>>\\b[^\\n]{0,44}\\Z"
    )
    + rf"|\b{_KIN}\b[^.;\n]{{0,44}}\Z",
    re.IGNORECASE,
)
CLOCK = lazy_regex(
    r"\b(?:seen|arriv\w*|called|woke|given|rounds?|due|starts?|shut|up"
    r"|bed|home|back|dose|dosed|appt|meet\w*|ate|slept)\b[^.;\n]{0,24}\Z",
    re.IGNORECASE,
)
FAMILY_EVENT = Ending(
    rf"\b(?:{_KIN})\b[^.;\d\n]{{0,30}}\b(?:died|d\.|dead|alive|living|deceased|mi|cva|stroke|ca|cancer|crc|hcc|dm|htn|cad|death|tnbc|suicide)"
    r"[ ,(:]{1,2}\Z|\bd\.[ ]\Z",
    re.IGNORECASE,
)
IS = lazy_regex(
    rf"(?:(?<![{_C}])\b[{_C}][{_L}]{{2,}}[ ](?:is|was|are|turns|turned)|\b(?i:i['’]?m"
    rf"|i[ ]am|am|he['’]?s|she['’]?s|who[ ]is|now|have[ ]been|been|[Ss]o|reckons he is|"
    r"child is|is now|nearly|almost))[ ](?:now[ ]|nearly[ ]|almost[ ]|only[ ]|about[ ]|just[ ])?\Z"
)
BORN = lazy_regex(
    r"(?i:\b\d{1,2}[./ -](?:\d{1,2}|[A-Za-z]{3,9})[./ "
    r"-](?P<y>(?:19|20)\d\d)|\b(?P<z>(?:19|20)\d\d)[./-]\d{1,2}[./-]\d{1,2})\)?"
    r"(?:[ ]{0,3}[,/(|;][ (~]{0,3}|[ ]{1,8}(?:(?:Sex[ ])?[MF][ ]{0,2})?\(?|[ ]+aged?:?[ ])\Z"
    r"|\b(?:dob|born|[mf])[ :]{1,2}(?P<x>\d{1,2}[/.-]\d{1,2}[/.-](?:\d\d)?\d\d)[ ]{1,3}\(?\Z"
)


def may_follow_date(before: str) -> bool:
    """Return False if the text cannot end with a birth date, a fast test for `BORN`."""
    last = before.rstrip(" ,/(|;~)")[-1:]
    return (last.isdigit() or last in ("M", "F", "e", "d", "E", "D", ":")) and any(map(str.isdigit, before[-20:]))


LOWER_WORDS = frozenset(
    [
        *AT,
        *"is was are i'm im am he's she's who now been so turned nearly almost age aged female male boy girl man woman "
        "and m f d. died alive dead living deceased ca mi cva stroke cancer dm htn death".split(),
    ]
)
"""Words in lower case after which a bare number can be an age."""
_AGE_LABEL = lazy_regex(
    r"(?<!gestational )(?<!gest )(?<!bone )(?<!for )\b(?:age|idade|edad"
    r"|alder)\b[^\n:;,.\d]{0,16}[.: ]{1,12}(?:[\w,'’ -]{0,30}/[ ]?)?\Z",
    re.IGNORECASE,
)


def age_label(before: str) -> bool:
    """Return True if the text ends with a label for the age: `Age/Sex: `."""
    low = before.lower()
    if "age" not in low and "dad" not in low and "lder" not in low:
        return False  # in hardly any line, so that the pattern is rarely searched
    return _AGE_LABEL.search(before) is not None


SPENT = lazy_regex(
    r"\b(?:smok|hx|history|x|for|duration|exposure|married|worked"
    r"|retired|dm|htn|pack|sober|service)\w*[^.;\n]{0,16}\Z",
    re.IGNORECASE,
)
"""Words before the duration of an illness, a habit or work."""
WORD_BEFORE = lazy_regex(
    r"(?<!walk)(?<!walks)(?<!ran)(?<!amb)(?<!about)(?<!within)(?<!for)(?<![ ]of)(?<=[A-Za-z.])[ ]\Z", re.IGNORECASE
)
MEASURES = frozenset(
    "hr bp rr pulse spo2 sat sats temp bpm ef wt weight ht bmi cr na hb hgb wbc plt inr gcs moca mmse phq gad score "
    "scale stage "
    "grade gr level lvl room rm bed bay ward dose qty by pod day wk week cycle lot no nr number npo peep fio2 map cvp "
    "tv vt rate flow icp esr crp alt ast ldh ck bnp trop lab page pg item step ga ph po2 pco2 hco3 ana psa tsh hba1c ldl hdl "
    "fr french size gauge ext pager bleep unit apt suite flat box route hwy ecog nyha asa kps pps iq mac pgy aspects fim eid "
    "nihss epds braden waterlow news rtc rvsp tapse gfr bgl iop amplatz prevnar hit apgar apgars berg q10 op mrs cap "
    "icd cv chromosome "
    "ct mri category cat tanner dol hd days seat below".split()
)
"""Last words before a number that measures, scores or counts something."""
_SIGNED = lazy_regex(r"(?:[<>≤≥+=^±×%][ ]?|(?<=[A-Z\d])[-–]|(?<![,.][ ])\b[TCLSGPED][ ])\Z")


def measured(before: str, word: str) -> bool:
    """Return True if the number is a score, a vital sign, a room: by the word or the sign before it."""
    return word.lower() in MEASURES or _SIGNED.search(before[-4:]) is not None


MEASURE_AFTER = lazy_regex(
    expand_lists(
        r"[ -]{0,2}<<mg mcg ml cc kg lbs? cm mm m2 units? iu meq mmol % bpm mmhg hours? hrs? min(?:ute)?s? secs? "
        "days? weeks? wks? months? mos? times tabs? caps? pills? doses? puffs? drops? beers? drinks? cigs? cigarettes "
        "pack ppd pk pints feet ft inch(?:es)? degrees? deg percent patients participants subjects cores nodes joints "
        "stairs steps reps sets items points people visits sessions episodes floors miles km metres? meters? [ap]\\.?m "
        "o['’]?clock mph french fr ga gauge st nd rd th ago prn po iv im sc od bd tds qds qid tid bid daily qhs "
        "q\\dh>>(?![a-z])"
    )
    + r"|[ ]?(?-i:[glhdwxu])(?![\w/])",
    re.IGNORECASE,
)
DEVICE_BEFORE = lazy_regex(
    r"\b(?:foley|coude|catheter|cath|sheath|stent|tube|drain|amplatz|ngt?|pigtail|peg|picc|scope|temps?|tmax|fever|degrees)\b[^.\n]{0,14}\Z",
    re.IGNORECASE,
)
DEVICE_AFTER = lazy_regex(
    r"[ ]?(?:\S+[ ]){0,2}?(?:foley|coude|catheters?|cath|sheaths?"
    r"|stents?|tubes?|drains?|cannulas?|introducers?|pigtail|malecot|peg|"
    r"picc|lumen|dilators?|bougies?|ngt?|fever|temp)\b",
    re.IGNORECASE,
)
MOVED = lazy_regex(r"\b(?:walk|ran|amb|swim|swam|dash|run|cycl|climb)\w*[ ](?:about[ ]|for[ ])?\Z", re.IGNORECASE)
PLURAL_AFTER = lazy_regex(
    r"[ ](?:patients|subjects|participants|rats|mice|volunteers"
    r"|controls|cases|students|workers|adults|children|infants)\b",
    re.IGNORECASE,
)
WARM_AFTER = lazy_regex(
    r"[ ,]{0,2}(?:fever|temp|chills|degree|heat|weather|that night|with (?:rain"
    r"|snow|sun)|outside|indoors|outdoors|in the (?:room|shade|water))",
    re.IGNORECASE,
)
SEXES = frozenset("m f male female boy girl man woman wahine sexo".split())
AMOUNT_AFTER = lazy_regex(
    r"[ ]?(?:dollars?|usd|euros?|cells|copies|reads"
    r"|nacl|urea|hcl|units|iu|dash|race|away)\b",
    re.IGNORECASE,
)
DURATION_AFTER = lazy_regex(
    r"[ ,]{0,2}(?:pregnan|gestation|old gestation|ago|later|earlier|before"
    r"|after|prior|history|hx|since|post|s/p|of\b|to go|left|supply|duration)",
    re.IGNORECASE,
)

_HEADER = lazy_regex(
    r"^(?P<row>[^\n]*(?:^|[|,;\t])[ ]*age(?:[ ]?/[ ]?sex)?[ ]*(?=[|,;\t])[^\n]*)$", re.IGNORECASE | re.MULTILINE
)
_CELL = lazy_regex(r'"[^"\n]*"|[^|,;\t"\n]+')


def age_columns(text: str) -> list[tuple[int, int]]:
    """Return the spans of the cells below a heading `age`, in lines with the heading's delimiter; a blank line ends "
    "a table."""
    spans: list[tuple[int, int]] = []
    for header in _HEADER.finditer(text) if "age" in text.lower() else ():
        row = header["row"]
        sign = next((s for s in "|\t;," if s in row), ",")
        names = [cell.strip().lower() for cell in row.split(sign)]
        column = next((i for i, name in enumerate(names) if re.sub(" ", "", name) in ("age", "age/sex")), -1)
        if len(names) < 3 or column < 0:
            continue
        offset = header.end() + 1
        for line in text[offset:].split("\n"):
            if not line.strip():
                break
            cells = _split(line, sign)
            if len(cells) > column:
                begin, end = cells[column]
                spans.append((offset + begin, offset + end))
            offset += len(line) + 1
    return spans


def _split(line: str, sign: str) -> list[tuple[int, int]]:
    """Return the spans of the cells of a line; a delimiter between quotes is text."""
    cells, begin, quoted = [], 0, False
    for offset, character in enumerate(line):
        if character == '"':
            quoted = not quoted
        elif character == sign and not quoted:
            cells.append((begin, offset))
            begin = offset + 1
    return [*cells, (begin, len(line))]


def year_named(text: str, year: int) -> bool:
    """Return True if the document names the year, or the year before or after it."""
    years = {int(y) for y in re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", text)}
    short = {2000 + int(y) for y in re.findall(r"[/.-](\d\d)(?!\d)", text)}
    return bool({year, year + 1} & (years | short))
