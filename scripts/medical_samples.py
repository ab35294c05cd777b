"""Prepare MTSamples as training text: fill the slots of removed names, and annotate what rules find with high confidence.

MTSamples (mtsamples.com, collected by T. Boyle, CC0) are transcribed reports whose contributors replaced names by `Dr. X`, `ABCD
General Hospital`. They contain few names and many words that look like names, so a model learns from them what is not PHI.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from caspipe.pipeline import Pipeline
from caspipe.pipeline.assembly.shipped import folder
from caspipe.readers.synthetic.draws import Draws
from caspipe.readers.synthetic.names import names
from caspipe.typesystem import Phi

SEED = 13
CONFIDENT = 0.8
"""Minimum confidence of the rules' spans that count as annotated."""
BLANK = r"(?:ABCD?|XYZ|X{1,4}|[AXYZ])\b(?!['’]?-)"
SLOTS = re.compile(
    rf"\b(?P<title>(?:Dr|Mr|Mrs|Ms)\. )(?P<surname>{BLANK})"
    r"|\b(?P<hospital>ABCD?|XYZ)(?= (?:General|Hospital|Medical|Radiology|Preoperative|preoperative))"
    r"|\b(?P<employer>(?<=[Ww]orks at )ABC)\b"
    r"|\b(?P<person>(?<=\bby )XYZ|(?<=\bseen )ABC|(?<=\bfrom )XYZ|(?<=\bto )XYZ|XYZ(?= is a ))\b"
    r"|\b(?P<age>XX(?=-year-old))"
)
KIND_OF = {
    "surname": "PERSON_DOCTOR",
    "person": "PERSON",
    "hospital": "LOCATION_HOSPITAL",
    "employer": "ORGANIZATION",
    "age": "AGE",
}
FACILITIES = (
    *("Bayside", "Marlow", "St. Brigid's", "Three Rivers", "Northfield"),
    *("Kestrel Valley", "Ashdown", "Lakemont", "Good Hope", "Harrow Hill"),
)
EMPLOYERS = ("Tolland Freight", "Grayson Mills", "Pinecrest Foods", "the Dunmore Hotel", "Halvorsen Tool", "Brightway")
ENGINES = "engines: [include: '{folder}/evidence-en.yaml', resolver: {{threshold: {confident}}}]"


def records(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the documents of a gzipped file of JSON Lines with `id` and `text`, as documents with spans."""
    rules = Pipeline.parse(ENGINES.format(folder=folder(), confident=CONFIDENT))
    for number, line in enumerate(gzip.decompress(file.read_bytes()).decode("utf-8").splitlines()):
        record = json.loads(line)
        text, spans = _filled(record["text"], Draws(SEED, number, "slots"))
        found = [{"begin": p.begin, "end": p.end, "kind": p.kind.name} for p in rules.process(text).select(Phi)]
        spans += [f for f in found if not any(f["begin"] < s["end"] and s["begin"] < f["end"] for s in spans)]
        yield {"id": str(record["id"]), "text": text, "spans": sorted(spans, key=lambda s: s["begin"])}


def _filled(text: str, draws: Draws) -> tuple[str, list[dict[str, Any]]]:
    """Return the text with invented names in its slots, and their spans. Equal slots get equal names."""
    pieces: list[str] = []
    spans: list[dict[str, Any]] = []
    given: dict[tuple[str, str], str] = {}
    length = last = 0
    for slot in SLOTS.finditer(text):
        group = slot.lastgroup or ""
        key = (group, slot[group])
        if key not in given:
            given[key] = _value(group, draws)
        before = text[last : slot.start(group)]
        pieces += [before, given[key]]
        length += len(before)
        end = length + len(given[key])
        phrase = re.match(r" (?:General Hospital|Hospital|Medical Center|General|Radiology)", text[slot.end(group) :])
        extra = len(phrase[0]) if group == "hospital" and phrase else 0
        extra += 9 if group == "age" else 0
        spans.append({"begin": length, "end": end + extra, "kind": KIND_OF[group]})
        length, last = end, slot.end(group)
    return "".join(pieces) + text[last:], spans


def _value(group: str, draws: Draws) -> str:
    if group == "surname":
        return names().surname(draws)
    if group == "person":
        person = names().person(draws, "doctor", "female", 0.2)
        return f"{person.first} {person.last}"
    if group == "age":
        return str(draws.between(18, 97))
    return draws.pick(FACILITIES if group == "hospital" else EMPLOYERS)
