"""Consumer that counts how much clinical content survives masking."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from ...pipeline.contract.component import component
from ...pipeline.errors import CasError, ComponentError
from ...pipeline.storage.files import make_folder, write_atomic
from ...typesystem import GOLD_VIEW, INITIAL_VIEW, Cas, MedicalTerm, Phi, PhiKind, View
from ..files.released import released_view
from ..scoring.intervals import Moved, moved
from ..scoring.utility import Narrative, Utility
from .delayed import DelayedConsumer

_FORMS: dict[str, Callable[[Utility], str]] = {".json": Utility.to_json, ".csv": Utility.to_csv, ".txt": str}


@component("utility")
class UtilityConsumer(DelayedConsumer):
    """Counts how many medical terms, doses, lab values, durations and times between dates survive masking.

    Terms are the MedicalTerm annotations, dates the Phi with a known `value`. If the document has a reference, text in its spans
    is PHI and does not count as lost, and masked characters outside of them count as over-masked. Numbers only.
    """

    files: list[Path] = dataclasses.field(default_factory=lambda: [Path("release/utility.json")])
    """Files to write, under the run's output folder, by their suffix: .json, .csv or .txt."""
    gold: str = GOLD_VIEW
    """View with the reference spans; optional."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for file in map(Path, self.files):
            if file.suffix not in _FORMS:
                raise ValueError(f"files: expected names that end in .json, .csv or .txt, got {file.name!r}")
        self.result = Utility()
        """The sums, complete after `close`."""

    def writes_original(self) -> bool:
        return False

    def open(self) -> None:
        super().open()
        for file in self.files:
            make_folder((self.output / file).parent)
        self.result = Utility()

    def result_of(self, cas: Cas) -> Utility:
        return Utility.of(self._narrative(cas))

    def add(self, result: Utility) -> None:
        self.result.add(result)

    def close(self) -> None:
        """Write the files. Raises ConsumerError that names the path."""
        self.add_last()
        for file in self.files:
            write_atomic(self.output / file, _FORMS[file.suffix](self.result).encode())
        super().close()

    def abort(self) -> None:
        """Keep the earlier files."""
        self._last = None

    def _narrative(self, cas: Cas) -> Narrative:
        masked, view = released_view(self, cas), cas.view(INITIAL_VIEW)
        if masked.offset_map is None:
            raise ComponentError(self.id, CasError(f"view {masked.name} has no map to the original text"))
        gold = None
        if cas.has_view(self.gold):
            reference = cas.view(self.gold)
            if reference.text != view.text:
                raise ComponentError(self.id, CasError(f"views {reference.name} and {view.name} differ in text"))
            gold = [(p.begin, p.end) for p in reference.select(Phi)]
        terms = [(t.begin, t.end, t.group.value) for t in view.select(MedicalTerm)]
        return Narrative(view.text, masked.text, masked.offset_map, terms, _dates(view, masked), gold)


def _dates(view: View, masked: View) -> list[Moved]:
    """Return every date with a known value, before and after masking."""
    assert masked.offset_map is not None
    dates: list[Moved] = []
    for phi in view.select(Phi):
        if phi.value and phi.kind.is_a(PhiKind.DATE):
            begin, end = masked.offset_map.to_new(phi.begin, phi.end)
            dates += moved(phi.covered_text, phi.value, masked.text[begin:end])
    return dates
