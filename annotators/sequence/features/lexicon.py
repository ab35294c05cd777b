"""Words that are in a lexicon: known from the form alone, without an earlier annotator."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import ClassVar

from ....pipeline.contract.component import part
from ....typesystem import FormTable
from ...lexicon import Lexicon
from ...lexicon.normalization import key_of, tokens_of
from ..feature import FormFeature
from ..tidy import label, tidy

_KEY: FormTable[str] = FormTable(lambda form: key_of(tokens_of(form)))
"""The dictionary key of every form: many lists are asked about one."""


@part("lexicon")
class InLexicon(FormFeature):
    """The form is an entry of a lexicon, regardless of case. The value says how it is written: `XX` all in capitals, `X`
    with a capital, `x` otherwise; and what a column of the list says. Of single words only; `list` finds phrases, too.

    Example: with `lexicon:surnames` the form `Smith` gives `lexicon:surnames=X`; with `column: share` and `steps: [0.01, 0.5]`
    `lexicon:surnames:share=X2`, since its share is above the second step.

    Source: gazetteers as features, Ratinov and Roth 2009 (CoNLL); classes of frequency after the lists of Neamatullah et al. 2008
    (BMC Med Inform Decis Mak 8:32), who keep names that are also words apart.
    """

    argument: ClassVar[str] = "lexicon"

    lexicon: Lexicon
    """A list of the pack, or a file of yours."""
    column: str = ""
    """A column of the list whose value is added: `kind` of a title, `share` of a name, `tier` of a word."""
    steps: list[float] = field(default_factory=list)
    """Classes of a column of numbers, ascending: how many of these the number reaches. Empty: the column as it stands."""

    def __post_init__(self) -> None:
        if self.steps and not self.column:
            raise ValueError("steps: expected a column to take the number from")
        if self.steps != sorted(dict.fromkeys(self.steps)):
            raise ValueError("steps: expected ascending numbers, each once")

    @property
    def label(self) -> str:
        given: object = self.lexicon
        name = given.name if isinstance(given, Lexicon) else str(given)
        return label(self.name, Path(name).stem, self.column)

    def of(self, form: str) -> str | tuple[str, ...] | None:
        key, lexicon = _KEY[form], self.lexicon
        if not key or key not in lexicon.compiled.trie:  # so for most forms: nothing to read, and nothing to remember
            return None
        found = lexicon.entries(form)
        if not found:
            return None
        written = "XX" if form.isupper() and len(form) > 1 else "X" if form[:1].isupper() else "x"
        if not self.column:
            return written
        if not self.steps:
            return tuple(sorted({written + tidy(entry.columns.get(self.column, "")) for entry in found}))
        number = max(entry.number(self.column) for entry in found)
        return f"{written}{sum(number >= step for step in self.steps)}"
