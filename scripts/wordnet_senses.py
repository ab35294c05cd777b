"""Words of WordNet with the lexicographer files, classes of hypernyms, and number of their senses, and their base form.

Part of `build_lexicon_pack.py`; reads the database files `index.*`, `data.*` and `*.exc` (wndb(5WN), lexnames(5WN), morphy(7WN)).
"""

from __future__ import annotations

import collections
import re
from collections.abc import Iterator
from pathlib import Path

from wordnet_nouns import closure, read_wordnet

PARTS = ("noun", "verb", "adj", "adv")
"""Parts of speech in the order of their senses in the list."""

_FILES = """
adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body noun.cognition
noun.communication noun.event noun.feeling noun.food noun.group noun.location noun.motive noun.object noun.person
noun.phenomenon noun.plant noun.possession noun.process noun.quantity noun.relation noun.shape noun.state noun.substance
noun.time verb.body verb.change verb.cognition verb.communication verb.competition verb.consumption verb.contact
verb.creation verb.emotion verb.motion verb.perception verb.possession verb.social verb.stative verb.weather adj.ppl
"""
FILES = tuple(_FILES.split())
"""The lexicographer files by number: lexnames(5WN)."""

CLASSES: dict[str, tuple[str, ...]] = {
    "person": ("person 1",),
    "health_professional": ("health_professional 1", "medical_practitioner 1", "medical_scientist 1", "therapist 1"),
    "worker": ("worker 1",),
    "professional": ("professional 1", "expert 1"),
    "leader": ("leader 1",),
    "relative": ("relative 1", "spouse 1"),
    "inhabitant": ("inhabitant 1",),
    "ethnic_group": ("ethnic_group 1",),
    "organization": ("organization 1",),
    "institution": ("institution 1", "institution 2"),
    "company": ("company 1", "business 1"),
    "medical_building": ("medical_building 1", "clinic 3"),
    "school": ("school 1", "school 2", "university 2"),
    "building": ("building 1",),
    "dwelling": ("dwelling 1",),
    "road": ("road 1", "thoroughfare 1"),
    "location": ("location 1",),
    "region": ("region 3", "region 1"),
    "country": ("country 2", "country 1"),
    "state": ("state 1", "american_state 1"),
    "city": ("city 1", "town 1", "village 2"),
    "body_of_water": ("body_of_water 1",),
    "time_period": ("time_period 1",),
    "time_unit": ("time_unit 1",),
    "weekday": ("day_of_the_week 1",),
    "month": ("calendar_month 1",),
    "season": ("season 2",),
    "time_of_day": ("hour 2", "day 4", "night 1", "clock_time 1"),
    "holiday": ("holiday 2", "feast_day 1", "day 3"),
    "number": ("number 2", "integer 1"),
    "unit": ("unit_of_measurement 1",),
    "communication": ("communication 2",),
    "document": ("document 1", "written_record 1"),
    "disease": ("ill_health 1", "disease 1"),
    "symptom": ("symptom 1",),
    "body_part": ("body_part 1",),
    "medicine": ("medicine 2", "drug 1"),
    "procedure": ("medical_procedure 1", "diagnostic_test 1", "medical_care 1"),
    "substance": ("substance 1",),
    "food": ("food 1", "food 2"),
    "animal": ("animal 1",),
    "plant": ("plant 2",),
    "vehicle": ("vehicle 1",),
    "device": ("device 1",),
    "occupation": ("occupation 1",),
    "science": ("science 1", "medicine 1"),
    "language": ("language 1",),
    "religion": ("religion 1",),
}
"""Classes of nouns: senses (lemma and sense number) whose hyponyms and instances form each class."""

_WORD = re.compile(r"[a-z][a-z'-]*[a-z]")
_WHOLE_FIELD = 2


def senses(folder: Path) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield (form, lexicographer files, classes, number of senses, base form) of every single word.

    Files are in the order of the senses, each once, nouns first. Base forms come from the exception lists only.
    """
    order, _, hyponyms = read_wordnet(folder)
    members = {name: closure(roots, order, hyponyms) for name, roots in CLASSES.items()}
    _check(order)
    files: dict[str, list[str]] = collections.defaultdict(list)
    classes: dict[str, set[str]] = collections.defaultdict(set)
    count: collections.Counter[str] = collections.Counter()
    for part in PARTS:
        named = dict(_numbers(folder / f"data.{part}"))
        for lemma, synsets in _index(folder / f"index.{part}"):
            files[lemma] += [FILES[named[s]] for s in synsets]
            count[lemma] += len(synsets)
            if part == "noun":
                classes[lemma].update(name for name, inside in members.items() if not inside.isdisjoint(synsets))
    base: dict[str, str] = {}
    for part in PARTS:
        for line in (folder / f"{part}.exc").read_text(encoding="ascii").splitlines():
            fields = line.split()
            if len(fields) >= _WHOLE_FIELD and fields[1] in files and fields[0] != fields[1]:
                base.setdefault(fields[0], fields[1])
    for form in sorted(files.keys() | base.keys()):
        if _WORD.fullmatch(form):
            unique = tuple(dict.fromkeys(files.get(form, ())))
            named_ = " ".join(sorted(classes.get(form, ())))
            yield form, " ".join(unique), named_, str(count[form] or ""), base.get(form, "")


def _check(order: dict[str, list[str]]) -> None:
    """Raise SystemExit for a class with a sense that WordNet does not have."""
    for name, roots in CLASSES.items():
        for root in roots:
            lemma, number = root.split()
            if len(order.get(lemma, ())) < int(number):
                raise SystemExit(f"class {name}: WordNet has no noun sense {root}")


def _index(file: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield lemmas of one word with their synsets in the order of senses."""
    for line in file.read_text(encoding="ascii").splitlines():
        if not line.startswith(" "):
            fields = line.split()
            if "_" not in fields[0]:
                yield fields[0], fields[-int(fields[2]) :]


def _numbers(file: Path) -> Iterator[tuple[str, int]]:
    """Yield the synsets with the numbers of their lexicographer files."""
    for line in file.read_text(encoding="ascii").splitlines():
        if not line.startswith(" "):
            yield line[:8], int(line[9:11])
