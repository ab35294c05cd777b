"""Documents in which it is known whom to believe: `alert` sees all names and takes towns for names, `calm` has the right borders.

`alert` marks every name with the blank and the word behind it, and every town as a name; `calm` marks names rightly, but only
every second one; `rules` marks numbers rightly.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from caspipe.annotators.stacking import StackingTrainer
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind, Sentence
from caspipe.typesystem import Token as TokenType
from caspipe.typesystem.tokenize import token_spans

VOTERS = ["alert", "calm", "rules"]
NAMES = "Rose Hill Stone Marsh Field Brook Wood Lake".split()
TOWNS = "Lund Oslo Ulm Gent Bern".split()


def document(number: int, gold: bool = True) -> Cas:
    """Document `number`: the same every time."""
    chance = random.Random(number)
    text, marks, found = "", [], []
    for n in range(6):
        name, town, ward = chance.choice(NAMES), chance.choice(TOWNS), str(chance.randrange(10, 99))
        at = len(text) + len("Seen ")
        after = at + len(name)
        text += f"Seen {name} again in {town} on {ward} . "
        marks += [(at, after, PhiKind.PERSON), (text.rindex(ward), text.rindex(ward) + 2, PhiKind.ID)]
        place = text.rindex(town)
        found += [("alert", at, after + len(" again"), PhiKind.PERSON, 0.95)]
        found += [("alert", place, place + len(town), PhiKind.PERSON, 0.9), ("rules", *marks[-1], 1.0)]
        if n % 2:
            found.append(("calm", at, after, PhiKind.PERSON, 0.6))
    cas = Cas(text, id=f"d{number}")
    view = cas.view()
    view.add_spans(TokenType, *token_spans(text))
    view.add(Sentence(0, len(text)))
    for source, begin, end, kind, sure in found:
        candidate = PhiCandidate(begin, end, kind=kind, confidence=sure)
        candidate._source = f"models/{source}" if source != "rules" else source
        view.add(candidate)
    if gold:
        cas.create_view("gold", text).add_all([Phi(b, e, kind=k) for b, e, k in marks])
    return cas


def trained(folder: Path, **given: Any) -> Path:
    """A vote trained on thirty documents."""
    trainer = StackingTrainer(**{"model": Path("vote"), "voters": VOTERS, **given})
    trainer.output = folder
    trainer.open()
    for number in range(30):
        trainer.process(document(number))
    trainer.close()
    return folder / trainer.model
