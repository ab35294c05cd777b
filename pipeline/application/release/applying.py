"""Applies a verdict to a document: the Phi become those of the review; the masked text of the run is removed."""

from __future__ import annotations

import dataclasses
import warnings
from typing import ClassVar

from ....annotators.resolving.candidates import VETOED, has_content
from ....typesystem import DEIDENTIFIED_VIEW, Cas, CaspipeWarning, Phi, PhiCandidate, PhiKind
from ...contract.component import AnalysisEngine
from .decisions import Verdict

SOURCE = "review/"
"""Begin of the source of what the review made: `review/anna`."""


class MaskedAgainWarning(CaspipeWarning):
    """The leak gate masked what reviewers had rejected."""


def without_masked_text(cas: Cas) -> Cas:
    """Remove the masked text, which is older than the decisions."""
    if cas.has_view(DEIDENTIFIED_VIEW):
        cas.drop_view(DEIDENTIFIED_VIEW)
    return cas


def apply_verdict(cas: Cas, verdict: Verdict) -> None:
    """Make the Phi of a document those of the verdict. Phi that stay are not changed, so that they are masked as before.

    A rejected span gets a vetoed candidate, as from a veto of the pipeline: the leak gate then accepts matches of rules there.
    """
    view, source = cas.view(), f"{SOURCE}{verdict.by.replace(' ', '-')}"
    wanted = dict.fromkeys(verdict.spans)
    removed: list[Phi] = []
    for phi in view.select(Phi):
        bounds = (phi.begin, phi.end, phi.kind.name)
        if bounds in wanted:
            del wanted[bounds]  # a second one with the same bounds is removed
        elif phi.begin < phi.end:
            removed.append(phi)
    added = [Phi(b, e, kind=PhiKind.of(k), reason=f"decided by {verdict.by}").set_source(source) for b, e, k in wanted]
    for phi in removed:
        view.remove(phi)
    view.add_all(added)
    gone = {id(phi) for phi in removed}
    for candidate in view.select(PhiCandidate):
        if candidate.winner is not None and id(candidate.winner) in gone:
            over = view.select(Phi, overlapping=candidate)
            candidate.winner = over[0] if over else None
            if not over:
                candidate.reason = f"{VETOED}: rejected by {verdict.by}"
    for begin, end in sorted({*verdict.rejected, *((p.begin, p.end) for p in removed)}):
        if has_content(cas.text[begin:end]) and not view.select(Phi, overlapping=(begin, end)):
            mark = PhiCandidate(begin, end, kind=PhiKind.OTHER, reason=f"{VETOED}: rejected by {verdict.by}")
            view.add(mark.set_source(source))


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class RejectionCheck(AnalysisEngine):
    """Warns of rejected spans that the leak gate masked again, since the same value is masked elsewhere in the document, the
    record contains it about the person. It is the last engine of a release."""

    name: ClassVar[str] = "release"

    def process(self, cas: Cas) -> None:
        view = cas.view()
        again = [
            f"{mark.begin}:{mark.end}"
            for mark in view.select(PhiCandidate)
            if mark.source.startswith(SOURCE) and view.select(Phi, overlapping=mark)
        ]
        if again:
            many = f"{len(again)} rejected span{'s are' if len(again) > 1 else ' is'}"
            warnings.warn(
                f"document {cas.id}: {many} masked again ({', '.join(again[:12])}{' ...' if len(again) > 12 else ''}): the same "
                "value is masked elsewhere in the document, or known from its record. To release it, reject every occurrence",
                MaskedAgainWarning,
                stacklevel=2,
            )
