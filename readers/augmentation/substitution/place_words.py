"""The words of which names of places and organizations are made."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files

from ...synthetic.draws import Draws
from ...synthetic.names import Place, Places, names
from ...synthetic.sections import read_sections, root, rows
from .letters import key_of, like

_RUN = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*|\d+|[\W_]")
_FUNCTION = frozenset(
    "of the and for at in on de la du des del las los y e en am im an der die das zum zur auf da do das @ n".split()
)
_SAINTS = frozenset("st saint sint san santa sankt ste".split())


@cache
def words(name: str) -> tuple[str, ...]:
    """Return a list of data/places.txt. The entries of `land` after a space are words of their own."""
    return _lists()[name]


@cache
def _lists() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for section in read_sections(files(__package__.rpartition(".")[0]).joinpath("data", "places.txt")):
        lines = [line.text for line in section.lines]
        is_lines = any("{" in line for line in lines)
        entries = lines if is_lines else [e.strip() for line in lines for e in line.split(",") if e.strip()]
        found[section.name] = tuple(entries)
    return found


@cache
def cue_words() -> frozenset[str]:
    """Return the words, in lower case, that say what kind of organization a name means."""
    listed = {word.lower() for form, _ in rows("organization_cues", "form", "kind") for word in form.split()}
    return frozenset(listed | set(words("institution-word")) | _FUNCTION)


@cache
def towns() -> dict[str, tuple[str, ...]]:
    """Return towns by ISO country letters."""
    found: dict[str, list[str]] = {}
    for form, population, country in rows("cities", "form", "population", "country"):
        if int(population or 0) >= (2_000 if country == "US" else 40_000):
            found.setdefault(country, []).append(form)
    return {country: tuple(forms) for country, forms in found.items()}


@cache
def country_of() -> dict[str, str]:
    """Return the country of the largest town of each name, in lower case."""
    largest: dict[str, tuple[int, str]] = {}
    for form, population, country in rows("cities", "form", "population", "country"):
        entry = (int(population or 0), country)
        low = form.lower()
        if entry > largest.get(low, (-1, "")):
            largest[low] = entry
    return {form: country for form, (_, country) in largest.items()}


@cache
def _places() -> Places:
    return Places(root().joinpath("en", "places.txt"))


def some_place(draws: Draws) -> Place:
    """Return a listed or invented town."""
    return _places().place(draws)


@cache
@cache
def institution_classes() -> dict[str, str]:
    """Return the kind of institution (`school`, `hospital` ...) by the word, in lower case, that says so."""
    return {form.lower(): kind for form, kind in rows("organization_cues", "form", "kind")}


def institution_class(name: str) -> str:
    """Return the kind of institution that a name says; empty if it does not."""
    found = [institution_classes().get(word) for word in re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)*", name.lower())]
    return next((kind for kind in reversed(found) if kind), "")


@cache
def listed(name: str, column: str) -> tuple[tuple[str, str], ...]:
    """Return (form, value of a column) of a shipped list."""
    return tuple((form, value) for form, value in rows(name, "form", column))


def proper_name(draws: Draws) -> str:
    """Return words like those before `Hospital`, `School` or `& Sons`: a surname, a landscape, a town, a saint, a virtue."""
    share = draws.unit()
    if share < 0.3:
        return names().surname(draws, invent=draws.chance(0.4))
    if share < 0.6:
        return landscape(draws)
    if share < 0.78:
        return some_place(draws).city
    if share < 0.9:
        return draws.pick(words("virtue"))
    return draws.pick(words("brand")) + draws.pick(words("brand-end"))


def landscape(draws: Draws) -> str:
    """Return `Cedar Ridge`, `Silverbrook`."""
    first, last = draws.pick(words("nature")), draws.pick(words("land"))
    if first == last or (last.islower() and last.startswith(first[-1:])):
        last = "Springs"
    return f"{first} {last}" if last[0].isupper() else first + last


def area_name(draws: Draws) -> str:
    """Return the name of a neighborhood, a county or a landmark without a word for what it is."""
    share = draws.unit()
    return some_place(draws).city if share < 0.5 else landscape(draws) if share < 0.8 else names().surname(draws)


class ProperWords:
    """Replaces the proper words in names; the same words by the same ones through a document. `make` draws new ones."""

    def __init__(self, draws: Draws, make: Callable[[Draws], str]) -> None:
        self._draws, self._make = draws, make
        self._new: dict[str, str] = {}

    def replaced(self, text: str, kept: frozenset[str]) -> str:
        """Return the text with its runs of proper words replaced; the text itself if it has none."""
        runs = _RUN.findall(text)
        out: list[str] = []
        n = 0
        while n < len(runs):
            end = n
            while end < len(runs) and _is_proper(runs[end], kept):
                end += 2 if end + 2 < len(runs) and runs[end + 1].isspace() and _is_proper(runs[end + 2], kept) else 1
            end = min(end, len(runs))
            if end == n:
                out.append(runs[n])
                n += 1
                continue
            word_before = "".join(out).rstrip(" .").rpartition(" ")[2].lower()
            out.append(self._other("".join(runs[n:end]), word_before in _SAINTS))
            n = end
        return "".join(out)

    def _other(self, old: str, saint: bool) -> str:
        possessive = old[-2:] if old.lower().endswith(("'s", "\u2019s")) else ""
        bare = old[: len(old) - len(possessive)]
        key = key_of(bare)
        if key not in self._new:
            self._new[key] = self._draws.pick(words("saint")) if saint else self._make(self._draws)
        new = self._new[key]
        if "\n" in bare:
            new = new.replace(" ", "\n", 1)
        return like(new, bare) + possessive


def _is_proper(run: str, kept: frozenset[str]) -> bool:
    return run[0].isalpha() and run.lower() not in kept and run.lower() not in _SAINTS and len(run) > 1
