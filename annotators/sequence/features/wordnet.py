"""WordNet: the senses of a word, their hypernyms, their number, and its base form."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from ....pipeline.contract.component import part
from ...lexicon import Entry, Lexicon
from ..feature import FormFeature
from ..tidy import LONGEST, label, tidy

DEFAULT = "wordnet_senses"
_NAMED = cast(Lexicon, DEFAULT)  # a name until it is loaded
_DETACHED = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
)  # fmt: skip
"""Endings and what takes their place: the rules of detachment of WordNet's morphy(7WN), for all parts of speech together."""
_SHORTEST = 2
"""Letters that must be left of a word."""


@dataclass(kw_only=True, eq=False, repr=False)
class _WordNet(FormFeature):
    lexicon: Lexicon = _NAMED
    """A list with the columns `senses`, `classes`, `count` and `lemma`; another one for another language."""

    @property
    def label(self) -> str:
        given: object = self.lexicon
        name = given.name if isinstance(given, Lexicon) else str(given)
        return label(self.name, "" if name == DEFAULT else Path(name).stem)

    def _bases(self, form: str) -> Iterator[Entry]:
        """Yield the entries that a form may be a form of, the form's own first, each once."""
        form = tidy(form[:LONGEST]).lower()
        own = self.lexicon.entry(form)
        found = dict.fromkeys([form] if own is not None and own.columns.get("senses") else ())
        irregular = own.columns.get("lemma", "") if own is not None else ""
        if irregular:
            found.setdefault(irregular)
        if not found:
            for ending, instead in _DETACHED:
                if form.endswith(ending) and len(form) - len(ending) >= _SHORTEST:
                    found.setdefault(form[: len(form) - len(ending)] + instead)
        for base in found:
            entry = self.lexicon.entry(base)
            if entry is not None and entry.form == base and entry.columns.get("senses"):
                yield entry

    def _values(self, form: str, column: str, most: int = 0) -> tuple[str, ...]:
        values = (v for entry in self._bases(form) for v in entry.columns.get(column, "").split())
        found = tuple(dict.fromkeys(map(tidy, values)))
        return found[:most] if most else found


@part("supersense")
class Supersense(_WordNet):
    """The lexicographer files of the word's senses in WordNet: noun.person, noun.location, noun.time, verb.motion ... Inflected
    forms are looked up by their base form.

    Example: `nurses` gives `supersense=noun.person` and, among others, `supersense=verb.body`.

    Source: Lee et al. 2016 (ClinicalNLP), Table 1, senses; Ciaramita and Johnson 2003 (EMNLP) for the files as classes of senses.
    """

    most: int = 0
    """How many files are used, in the order of senses, nouns first; 0: all."""

    def __post_init__(self) -> None:
        if self.most < 0:
            raise ValueError(f"most: expected 0 or more, got {self.most}")

    @property
    def label(self) -> str:
        return label(super().label, str(self.most) if self.most else "")

    def of(self, form: str) -> tuple[str, ...]:
        return self._values(form, "senses", self.most)


@part("hypernym")
class Hypernym(_WordNet):
    """Classes of nouns in WordNet that a sense of the word is under: person, health_professional, city, country, month,
    holiday, disease ...; the list is in scripts/wordnet_senses.py.

    Example: `Boston` gives `hypernym=city`, `hypernym=location` and `hypernym=region`.

    Source: Lee et al. 2016 (ClinicalNLP), Table 1, hypernyms; after Filannino and Nenadic 2015 (Data Knowl Eng 100:19).
    """

    def of(self, form: str) -> tuple[str, ...]:
        return self._values(form, "classes")


@part("lemma")
class Lemma(_WordNet):
    """The base forms that WordNet has for the form; nothing for words it does not know.

    Example: `mice` gives `lemma=mouse`, `left` gives `lemma=left` and `lemma=leave`.

    Source: Lee et al. 2016 (ClinicalNLP), Table 1, lemma names; morphy(7WN) for how endings are detached.
    """

    def of(self, form: str) -> tuple[str, ...]:
        return tuple(entry.form for entry in self._bases(form))


@part("sense_count")
class SenseCount(_WordNet):
    """How many senses WordNet knows of the word, as a class: names and technical words have few. A word it does not know is 0;
    forms without a letter have no value.

    Example: with `steps: [1, 2, 4, 8]` the word `aspirin`, which has one sense, gives `sense_count=1`, `left` `sense_count=4`.

    Source: Filannino and Nenadic 2015 (Data Knowl Eng 100:19), number of senses, used again by Lee et al. 2016 (ClinicalNLP).
    """

    steps: list[int] = field(default_factory=lambda: [1, 2, 4, 8])
    """Lower ends of the classes; the value is the number of steps reached."""

    def __post_init__(self) -> None:
        if not self.steps or self.steps[0] < 1 or self.steps != sorted(dict.fromkeys(self.steps)):
            raise ValueError("steps: expected ascending whole numbers of at least 1")

    @property
    def label(self) -> str:
        return label(super().label, "-".join(map(str, self.steps)) if self.steps != [1, 2, 4, 8] else "")

    def of(self, form: str) -> str | None:
        if not any(map(str.isalpha, tidy(form))):
            return None
        most = max((int(entry.number("count")) for entry in self._bases(form)), default=0)
        return str(bisect_right(self.steps, most))
