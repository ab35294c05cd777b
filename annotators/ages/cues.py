"""Words around a number that speak for or against an age: things, pregnancies, durations, counts, temperatures."""

from __future__ import annotations

import re

from ..dates.cues import after, before

THING = after(
    r"[- ]{0,2}(?:[a-z]+[- ]){0,2}?(?:histor(?:y|ies)|habit|scars?|devices?|pacemaker|icd|cars?|vehicle|houses?|homes?|buildings?|fractures?|"
    r"injur(?:y|ies)|lesions?|grafts?|stents?|mi|cva|tia|dvt|infarction|implants?|valves?|prosthes[ie]s|specimens?|samples?|data|records?|stud(?:y|ies)|trials?|"
    r"scans?|x-?rays?|ct|mri|images?|prescriptions?|bottle|vials?|company|program(?:me)?|tradition|problem|issue|wounds?|burns?|"
    r"ulcers?|infarcts?|strokes?|bleed|clots?|rash(?:es)?|bruis(?:e|es)|bites?|incisions?|surgery|survival|follow-?up|pack|ppd|"
    r"machine|equipment|computer|phone|mattress|shoes|milk|food|cultures?|tattoos?|piercing|dogs?|cats?|kittens?|pupp(?:y|ies)|horses?|"
    r"mice|mouse|rats?|symptoms?|cough|headaches?|abscess|bandage|dressing|sutures?|catheter|battery|generator|filter|mesh|"
    r"medications?|pills?|tablets?|news|photo|picture|video|article|marriage|relationship|contract|lease|debt|wine|whisk(?:e)?y|trees?)\b"
)
"""Things that have an age too."""
PREGNANCY_AFTER = after(
    r"[ ,(-]{0,3}(?:and \d[ ]days? |\+? ?\d ?(?:days?|/7) )?(?:pregnan|gestation|of gestation|gest\b|ga\b|ega\b|into (?:my|her|the) pregnan|"
    r"fetus|foetus|iup\b|of pregnancy|amenorrh|post ?partum|post ?op|along\b|embryo)"
)
PREGNANCY_BEFORE = before(
    r"(?:gestation(?:al)?|gest\.?|\bga|\bega|\bbone|f(?:o)?etal|conceptional|menstrual|pregnancy|vintage|device|storage)"
    r"[ :,(-]{0,3}(?:age )?(?:of |is |was |at |: ?)?"
)
DURATION_BEFORE = before(
    r"\b(?:for|over|in|last|past|within|after|since|every|x|times|about|approximately|around|nearly|almost|next|previous|first|"
    r"additional|another|more than|less than|up to|per|q|of|to|during|through|until|by|at|lasting|lasted|took|than|some)[ ](?:the |a )?|[~≥>≤<×][ ]?"
)
DURATION_AFTER = after(
    r"[ ,]{0,2}(?:ago|later|earlier|before|after|prior|previously|history|hx|h/o|duration|follow|post|s/p|since|of (?!age)|in remission|"
    r"experience|survival|course|sentence|period|from now|back\b|apart|per\b)"
)
PERSON_BEFORE = before(
    r"(?:^|\n)[ \t]{0,3}|[.;:!?(\[\"'•*,-][ \t]{0,3}|\b(?:an?|this|is|was|patient|pt|subject|consumer|concern(?:s|ed|ing)|who|am|i['’]m|"
    r"unfortunate|pleasant|healthy|obese|pregnant|old|are|as|male|female|age|aged)[ ]"
)
ARTICLE_BEFORE = before(
    r"(?:^|\n)[ \t]{0,3}|[.;:!?(\[\"'•*][ \t]{0,3}|\b(?:an?|this|is|was|patient|pt|consumer|concern(?:s|ed|ing)|am|pleasant|healthy|hpi|cc)[:,]?[ ]"
)
PATIENT_BEFORE = before(
    r"\b(?:an?|this|is|was|patient|pt|consumer|concern(?:s|ed|ing)|am|pleasant|healthy|hpi|cc|id)[:,]?[ ]"
)
OPENING = before(r"(?:^|\n|[.;:!?(\[\"'•*])[ \t]{0,3}")
CLINICAL_AFTER = after(
    r",?[ ](?:with|who|w/|pt\b|patient|present\w*|admitted|h/o|hx|s/p|c/o|pmh|here|seen|referred|transferred|found|brought|complain\w*|status|"
    r"no pmh|g\dp\d|received|had|has|was|is|developed|reports?)"
)
HEAT_BEFORE = before(
    r"\b(?:temp(?:erature)?s?|fever(?:ish)?s?|febrile|tmax|degrees?|thermometer|chills|heat|grade|max|high|peak(?:ed)?)\b[^.\n]{0,28}"
)
HEAT_AFTER = after(r"[ ,]{0,2}(?:fever|temp|chills|degree|heat|weather|that night|with chills|at \d|\d|[/]|or higher)")
AMOUNT_AFTER = after(
    r"[ ]?(?:dollar|usd|users?|people|fund|company|investment|loan|budget|distance|race|sprint|solution|urea|nacl|hcl)"
)
PLURAL_AFTER = after(
    r"[ ]?[a-z]*?(?:patients|subjects|participants|rats|mice|volunteers|controls|cases|students|workers|adults|children|infants|to female|and \d|/)"
)
COUNTED = after(
    r"[ -]{0,2}(?:%|°|º|mg|mcg|ml|cm|mm|kg|lbs?|pounds?|feet|ft|inch(?:es)?|degrees?|times|minutes?|mins?|hours?|hrs?|days?|weeks?|wks?|"
    r"months?|pages?|pills?|doses?|tablets?|out of|of \d|/\d|bpm|patients|participants|subjects|people|cases|controls|vaccines?|shots?)(?![a-z])|%|°"
)
BOUNDARY = after(
    r"[ ]?(?:[.,;:)\]!?](?!\d)|$|\n|[ ](?:with|who|presented|presents|presenting|was|is|has|had|received|seen|and|c/o|h/o|s/p|w/|pt|patient|admitted|years?|yrs?))"
)
TURN_AFTER = after(
    r"[ ]?(?:[.,;!?)](?!\d)|$|\n|[ ](?:and|in|on|last|this|next|today|yesterday|tomorrow|but|so|when|the|a few|that|just|i|he|she|"
    r"before|after|during|recently|at|with|or|were|was|are|is|who|should|can|may|must|have|had)\b)"
)
OWNER = before(
    r"(?:\b(?:his|her|their|my|your|our)|\b(?:m[ae]n|wom[ae]n|males?|females?|lady|ladies|gentlem[ae]n|persons?|people|adults?|someone|"
    r"somebody|patients?|consumer),? (?:(?:who )?(?:is|was|are|were) )?(?:all )?in(?:to)?(?: the| his| her| their)?)"
    r"[ ](?:(?:very )?(?:early|mid|middle|late|upper|lower)(?:[ -]to[ -](?:mid|late))?[ -]{0,2})?"
)
"""Whose decade it is."""
INTO = before(
    r"\b(?:in|into|of|and|to|from|through(?:out)?|until|since|during|by|entering|reach(?:ed|ing)?|past|both|at)[ ](?:the[ ])?"
    r"(?:(?:his|her|their|my|your|our)[ ])?(?:(?:very )?(?:early|mid|middle|late|upper|lower)(?:[ -]to[ -](?:mid|late))?[ -]{0,2})?"
)
QUALIFIED = before(r"\b(?:early|mid|middle|late)[- ]{1,2}(?:to[ -](?:mid|late)[- ])?")
GENDER_AFTER = after(
    r"[- ,]{1,2}(?:year[- ]?old[ ])?(?:[a-z]+[ ])?(?:male|female|man|woman|lady|gentleman|patient|adult|person)\b"
)
VITAL = before(
    r"\b(?:hr|heart|pulse|bp|b/p|pressure|systolics?|diastolics?|sats?|satting|spo2|o2|oxygen|rates?|temp(?:erature)?s?|sugars?|glucose|bpm|"
    r"rr|map|readings?|saturations?|beats)\b[^.\n]{0,24}"
)
WORD = re.compile(r"[^\W\d_]+")
