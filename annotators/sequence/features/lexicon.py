"""Words of a lexicon, looked up by the form alone, without an earlier annotator."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field
from typing import ClassVar

from ....pipeline.contract.component import part
from ...lexicon import Entry, Lexicon
from ..feature import FormFeature, capitals, make_label, normalize, resource_stem


@part("lexicon")
class InLexicon(FormFeature):
    """The form is an entry of a lexicon, ignoring case. The value is its capitalization (`XX` all capitals, `X` with an initial
    capital, `x` otherwise) and, optionally, a column of the list. Only for single words; `list` finds phrases, too.

    Example: with `lexicon:surnames` the form `Smith` gives `lexicon:surnames=X`; with `column: share` and `steps: [0.01, 0.5]`
    `lexicon:surnames:share=X2`, since its share is above the second step.

    Source: gazetteers as features, Ratinov and Roth 2009 (CoNLL); classes of frequency after the lists of Neamatullah et al. 2008
    (BMC Med Inform Decis Mak 8:32), who distinguish names that are also common words.
    """

    argument: ClassVar[str] = "lexicon"

    lexicon: Lexicon
    """A list of the pack, or the path of a list."""
    column: str = ""
    """A column of the list whose value is added: `kind` of a title, `share` of a name, `tier` of a word."""
    steps: list[float] = field(default_factory=list)
    """Ascending thresholds for a column of numbers: the value is the number of thresholds reached. Empty: the column as it is."""

    def __post_init__(self) -> None:
        if self.steps and not self.column:
            raise ValueError("steps: expected a column with numbers")
        if self.steps != sorted(dict.fromkeys(self.steps)):
            raise ValueError("steps: expected ascending numbers, each once")

    @property
    def label(self) -> str:
        return make_label(self.name, resource_stem(self.lexicon), self.column)

    @property
    def words_of(self) -> Lexicon | None:
        return self.lexicon if isinstance(self.lexicon, Lexicon) else None

    @property
    def is_uniform(self) -> bool:
        return not self.column

    def of(self, form: str) -> str | tuple[str, ...] | None:
        lexicon = self.lexicon
        if not self.column:
            return capitals(form) if lexicon.has(form) else None
        if self.steps:
            return self._reached(form, lexicon.greatest(form, self.column))
        return self._of_entries(form, lexicon.entries(form))

    def of_word(self, form: str, key: str) -> str | tuple[str, ...] | None:
        if not self.column:
            return capitals(form)
        if self.steps:
            return self._reached(form, self.lexicon.greatest_of_key(key, self.column))
        return self._of_entries(form, self.lexicon.entries_of_key(key))

    def _reached(self, form: str, number: float | None) -> str | None:
        return None if number is None else f"{capitals(form)}{bisect_right(self.steps, number)}"

    def _of_entries(self, form: str, entries: tuple[Entry, ...]) -> tuple[str, ...] | None:
        case = capitals(form)
        return tuple(sorted({case + normalize(entry.columns.get(self.column, "")) for entry in entries})) or None
