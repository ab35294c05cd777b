"""The texts: each name of names.txt in each sentence of sentences.txt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
NAMES, SENTENCES = HERE / "names.txt", HERE / "sentences.txt"
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Case:
    """One name in one sentence."""

    origin: str
    context: str
    text: str = field(repr=False)
    begin: int
    end: int


def sections(path: Path) -> dict[str, list[str]]:
    """Return the lines of a file by the heading in brackets above them. Raises ValueError for a line before the first."""
    result: dict[str, list[str]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            lines = result.setdefault(line[1:-1], [])
        elif not result:
            raise ValueError(f"{path.name}: line {number}: expected a heading in brackets")
        else:
            lines.append(line)
    return result


def names(path: Path = NAMES) -> dict[str, list[tuple[str, str]]]:
    """Return given names and surnames by origin."""
    result = {}
    for origin, lines in sections(path).items():
        pairs = [line.partition("\t") for line in lines]
        if any(not given or not surname for given, _, surname in pairs):
            raise ValueError(f"{path.name}: {origin}: expected given name, tab, surname in each line")
        result[origin] = [(given, surname) for given, _, surname in pairs]
    return result


def filled(sentence: str, given: str, surname: str) -> tuple[str, int, int]:
    """Return a sentence with a name in it, and the offsets of the name. Raises ValueError unless it has one slot."""
    sentence = sentence.replace("\\n", "\n").replace("\\t", "\t")
    slots = list(_SLOT.finditer(sentence))
    forms = {"name": f"{given} {surname}", "given": given, "surname": surname}
    forms |= {key.upper(): form.upper() for key, form in forms.items()}
    forms["last_first"] = f"{surname}, {given}"
    forms |= {f"{key}_lower": forms[key].lower() for key in ("name", "given", "surname")}
    if len(slots) != 1 or slots[0][1] not in forms:
        raise ValueError(f"expected one slot of {', '.join(forms)}")
    begin, value = slots[0].start(), forms[slots[0][1]]
    return sentence[:begin] + value + sentence[slots[0].end() :], begin, begin + len(value)


def cases() -> Iterator[Case]:
    """Yield all names in all sentences."""
    sentences = sections(SENTENCES)
    for origin, people in names().items():
        for context, lines in sentences.items():
            for given, surname in people:
                for line in lines:
                    yield Case(origin, context, *filled(line, given, surname))
