"""A hospital's own pipeline as files: rules with lists, a lexicon, a model, a plug-in, a key from outside. All made up."""

from __future__ import annotations

import shutil
from pathlib import Path

from caspipe.pipeline.storage.hashing import PACKAGE

NOTES = {
    "a.txt": "Seen on 3/4/2020 by Dr. John Smith in Room Heron; code WX-1234.\n",
    "b.txt": "Anna Berg, aged 94, called 617-555-1234. Ward Kestrel, badge ER-2041.\n",
    "c.txt": "\U0001f600 No findings.\n",
}

CONFIG = """\
# how our site does it
name: site
resources:
  ours: models/ward-crf
reader:
  text: {folder: notes}
engines:
  - segmenter
  - lists: {lists: [lists/wards.txt, weekdays]}
  - terms: {lexicon: "terms.csv::csv?group=SYMPTOM"}
  - aggregate:
      id: rules
      engines:
        - patterns: {rules: rules/site.yaml}
        - include: parts/more.yaml
  - crf: {model: ours, kinds: [PERSON, LOCATION]}
  - resolver: {priority: [rules, crf]}
  - masker:
      DATE: {shift: {days: [-365, 365], key: "${CASPIPE_KEY:-}"}}
      default: placeholder
consumers:
  - text: {folder: release/text}
  - jsonl: {file: release/documents.jsonl}
run: {output: out, names: id}
"""

MORE = """\
engines:
  - dates
  - names
"""

RULES = """\
include: ../common/fragments.yaml
rules:
  - {name: code, kind: ID, pattern: '{letters}-[0-9]{4}'}
deny:
  - {name: staff, kind: PERSON_DOCTOR, files: ../common/staff.txt}
"""

PLUGIN = '''\
"""Badges."""
import re
from caspipe.pipeline.contract.component import Annotator, component
from caspipe.typesystem import PhiCandidate, PhiKind


@component("t_bundle_badges", outputs=[PhiCandidate])
class Badges(Annotator):
    """Marks badge numbers."""

    departments: list[str]
    """Codes of departments."""

    def annotate(self, view):
        for found in re.finditer(f"(?:{'|'.join(self.departments)})-[0-9]+", view.text):
            yield PhiCandidate(found.start(), found.end(), kind=PhiKind.ID)
'''

BADGES = "  - t_bundle_badges: {id: badges, departments: [ER]}\n"


def site(folder: Path) -> Path:
    """Writes the files; returns the configuration."""
    for name, text in {
        "site.yaml": CONFIG,
        "parts/more.yaml": MORE,
        "rules/site.yaml": RULES,
        "common/fragments.yaml": "fragments:\n  letters: '[A-Z]{2}'\n",
        "common/staff.txt": "Anna Berg\n",
        "lists/wards.txt": "Heron\nKestrel\n",
        "terms.csv": "term,code\nheadache,1\nnausea,2\n",
        "badge.py": PLUGIN,
        **{f"notes/{name}": text for name, text in NOTES.items()},
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    shutil.copytree(PACKAGE / "configs" / "models" / "en-phi-crf", folder / "models" / "ward-crf")
    return folder / "site.yaml"


def with_plugin(config: Path) -> Path:
    """The same with a component of the plug-in badge.py."""
    text = config.read_text(encoding="utf-8").replace("  - resolver", f"{BADGES}  - resolver")
    made = config.with_name("with_plugin.yaml")
    made.write_text(text, encoding="utf-8")
    return made
