"""Numbers that are not PHI: `{n 2-9}`, `{x 3.5-5.1}`, and random digits and letters for identifiers."""

from __future__ import annotations

import re

from ..pools import Pools
from ..story import Story
from ..template import Slot

_RANGE = re.compile(r"(\d+)(?:\.(\d+))?-(\d+)(?:\.(\d+))?")
_CHARACTERS = {
    "digits": "0123456789",
    "letters": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "small": "abcdefghijklmnopqrstuvwxyz",
    "hex": "0123456789abcdef",
    "mixed": "0123456789ABCDEFGHJKLMNPRSTUVWXYZ",
}


def limits(argument: str) -> tuple[int, int]:
    """Return the two integers of `2-9`. Raises ValueError for anything else."""
    match = _RANGE.fullmatch(argument)
    if match is None or match[2] or match[4] or int(match[1]) > int(match[3]):
        raise ValueError(f"expected a range like 2-9, got {argument or 'nothing'}")
    return int(match[1]), int(match[3])


def slot(name: str, argument: str, pools: Pools) -> Slot | None:
    if name == "n":
        low, high = limits(argument)
        return Slot(lambda story: story.out.append((str(story.draws.between(low, high)), "")))
    if name == "x":
        return _decimal(argument)
    if name in _CHARACTERS:
        return _characters(_CHARACTERS[name], argument)
    return None


def _decimal(argument: str) -> Slot:
    match = _RANGE.fullmatch(argument)
    if match is None or not match[2]:
        raise ValueError(f"x: expected a range like 3.5-5.1, got {argument or 'nothing'}")
    places = len(match[2])
    low, high = (float(number) for number in argument.split("-"))

    def run(story: Story) -> None:
        story.out.append((f"{low + story.draws.unit() * (high - low):.{places}f}", ""))

    return Slot(run)


def _characters(alphabet: str, argument: str) -> Slot:
    if not argument.isdecimal() or not 0 < int(argument) <= 64:
        raise ValueError(f"expected a number of characters, 1 to 64, got {argument or 'nothing'}")
    count = int(argument)

    def run(story: Story) -> None:
        story.out.append(("".join([story.draws.pick(alphabet) for _ in range(count)]), ""))

    return Slot(run)
