"""WordNet: the senses of a word, their hypernyms, their number, and the lemma of the word."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast

from ....pipeline.contract.component import part
from ...lexicon import Entry, Lexicon
from ..feature import MAX_LENGTH, FormFeature, make_label, normalize, resource_stem

DEFAULT = "wordnet_senses"
_NAMED = cast(Lexicon, DEFAULT)  # a name until it is loaded
_DETACHED = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
)  # fmt: skip
"""Endings and their replacements: the rules of detachment of WordNet's morphy(7WN), for all parts of speech."""
_SHORTEST = 2
"""Minimum number of letters before an ending."""


@lru_cache(maxsize=2_000)
def _lemmas_in(lexicon: Lexicon, form: str) -> tuple[Entry, ...]:
    """Return the distinct entries of the possible lemmas of a form; computed once for all features of the same list."""
    form = normalize(form[:MAX_LENGTH]).lower()
    own = lexicon.entry(form)
    lemmas = dict.fromkeys([form] if own is not None and own.columns.get("senses") else ())
    irregular = own.columns.get("lemma", "") if own is not None else ""
    if irregular:
        lemmas.setdefault(irregular)
    if not lemmas:
        for ending, replacement in _DETACHED:
            if form.endswith(ending) and len(form) - len(ending) >= _SHORTEST:
                lemmas.setdefault(form[: len(form) - len(ending)] + replacement)
    entries = [own if lemma == form else lexicon.entry(lemma) for lemma in lemmas]
    return tuple(
        entry
        for entry, lemma in zip(entries, lemmas, strict=True)
        if entry is not None and entry.form == lemma and entry.columns.get("senses")
    )


@dataclass(kw_only=True, eq=False, repr=False)
class _WordNet(FormFeature):
    lexicon: Lexicon = _NAMED
    """A list with the columns `senses`, `classes`, `count` and `lemma`. Other languages need another list."""

    @property
    def label(self) -> str:
        default = getattr(self.lexicon, "name", self.lexicon) == DEFAULT
        return make_label(self.name, "" if default else resource_stem(self.lexicon))

    def _lemmas(self, form: str) -> tuple[Entry, ...]:
        """Return the distinct entries of the possible lemmas of a form, beginning with the form itself."""
        return _lemmas_in(self.lexicon, form)

    def _values(self, form: str, column: str) -> tuple[str, ...]:
        values = (v for entry in self._lemmas(form) for v in entry.columns.get(column, "").split())
        return tuple(dict.fromkeys(map(normalize, values)))


@part("supersense")
class Supersense(_WordNet):
    """The lexicographer files of the senses of the word in WordNet: noun.person, noun.location, noun.time, verb.motion ...
    Inflected forms are looked up by their lemma.

    Example: `nurses` gives `supersense=noun.person` and, among others, `supersense=verb.body`.

    Source: Lee et al. 2016 (ClinicalNLP), Table 1, senses; Ciaramita and Johnson 2003 (EMNLP) for the files as classes of senses.
    """

    most: int = 0
    """Maximum number of files, in the order of senses, nouns first; 0: all."""

    def __post_init__(self) -> None:
        if self.most < 0:
            raise ValueError(f"most: expected 0 or more, got {self.most}")

    @property
    def label(self) -> str:
        return make_label(super().label, str(self.most) if self.most else "")

    def of(self, form: str) -> tuple[str, ...]:
        return self._values(form, "senses")[: self.most or None]


@part("hypernym")
class Hypernym(_WordNet):
    """The hypernyms of the senses of the word, from a fixed list of nouns of WordNet (person, health_professional, city,
    country, month, holiday, disease ...) in scripts/wordnet_senses.py.

    Example: `Boston` gives `hypernym=city`, `hypernym=location` and `hypernym=region`.

    Source: Lee et al. 2016 (ClinicalNLP), Table 1, hypernyms; after Filannino and Nenadic 2015 (Data Knowl Eng 100:19).
    """

    def of(self, form: str) -> tuple[str, ...]:
        return self._values(form, "classes")


@part("lemma")
class Lemma(_WordNet):
    """The lemmas of the form in WordNet; no value for words that are not in WordNet.

    Example: `mice` gives `lemma=mouse`, `left` gives `lemma=left` and `lemma=leave`.

    Source: Lee et al. 2016 (ClinicalNLP), Table 1, lemma names; morphy(7WN) for the detachment of endings.
    """

    def of(self, form: str) -> tuple[str, ...]:
        return tuple(entry.form for entry in self._lemmas(form))


@part("sense_count")
class SenseCount(_WordNet):
    """The number of senses of the word in WordNet, as a class: names and technical words have few. Words that are not in WordNet
    have the value 0, forms without a letter no value.

    Example: with `steps: [1, 2, 4, 8]` the word `aspirin`, which has one sense, gives `sense_count=1`, `left` `sense_count=4`.

    Source: Filannino and Nenadic 2015 (Data Knowl Eng 100:19), number of senses, used again by Lee et al. 2016 (ClinicalNLP).
    """

    steps: list[int] = field(default_factory=lambda: [1, 2, 4, 8])
    """Lower limits of the classes, ascending; the value is the number of limits reached."""

    def __post_init__(self) -> None:
        if not self.steps or self.steps[0] < 1 or self.steps != sorted(dict.fromkeys(self.steps)):
            raise ValueError("steps: expected ascending whole numbers of at least 1")

    @property
    def label(self) -> str:
        return make_label(super().label, "-".join(map(str, self.steps)) if self.steps != [1, 2, 4, 8] else "")

    def of(self, form: str) -> str | None:
        if not any(map(str.isalpha, normalize(form))):
            return None
        senses = max((int(entry.number("count")) for entry in self._lemmas(form)), default=0)
        return str(bisect_right(self.steps, senses))
