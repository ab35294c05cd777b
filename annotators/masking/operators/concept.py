"""`concept`: the code of a medical term, as in Berman's concept match."""

from __future__ import annotations

from typing import Literal

from ....pipeline.contract.component import part
from ....typesystem import MedicalTerm
from ..operator import Context, Fallback, Mention, Operator, Outcome


@part("concept")
class Concept(Operator):
    """Writes the code of the medical term that has the mention's span (component `terms`), for the masker's parameter `terms`.

    Of several terminologies, the first code in alphabetical order is written. Berman replaced the terms that he kept by their
    codes (2003, Arch Pathol Lab Med 127:680), so that nothing of the original wording remains but stop words.
    """

    write: Literal["code", "name"] = "code"
    """The concept's code, or its preferred name. If a term has no code, its name is written, and the reverse."""

    def mask(self, mention: Mention, context: Context) -> Outcome:
        terms = context.remember(self, "terms", lambda: _by_span(context))
        found = terms.get((mention.begin, mention.end), [])
        codes, names = (sorted({t for t in texts if t}) for texts in zip(*found, strict=True)) if found else ([], [])
        best = [*codes, *names] if self.write == "code" else [*names, *codes]
        return best[0] if best else Fallback("no medical term with a code or name")


def _by_span(context: Context) -> dict[tuple[int, int], list[tuple[str, str]]]:
    """Return code and preferred name of the terms of the document, by span."""
    found: dict[tuple[int, int], list[tuple[str, str]]] = {}
    for term in context.cas.view().select(MedicalTerm):
        found.setdefault((term.begin, term.end), []).append((term.concept_id, term.preferred_name))
    return found
