"""Consumer that writes brat standoff: a text file for each document, an .ann file beside it, and brat's configuration."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Literal

from ...pipeline.contract.component import component
from ...typesystem import Cas, CaspipeWarning
from ..files.annotated import AnnotatedOptions, without_returns
from ..files.content import Content
from ..files.folder import FolderConsumer
from .brat_lines import Written, annotation_conf, annotation_lines, visual_conf


@component("brat")
class BratConsumer(AnnotatedOptions, FolderConsumer):
    """Writes a `.txt` and an `.ann` file for each document, and `annotation.conf` and `visual.conf` for all: a folder for brat's
    data folder.

    Offsets are code points. brat does not allow a line end inside an annotation: such a span is written in fragments, one for
    each line. SpanAttributes become attributes, normalisations and notes again; spans with the same attribute `fragments` become
    one annotation. Format: brat.nlplab.org/standoff.html.
    """

    folder: Path = Path("restricted/brat")
    carriage_returns: Literal["keep", "blank"] = "keep"
    """Carriage returns, after which brat counts offsets incorrectly (nlplab/brat#853): unchanged (`keep`), or a space for each
    (`blank`), so that no offset can shift."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_scheme()
        self._written = Written()

    def open(self) -> None:
        super().open()
        self._written = Written()
        self.open_folder(".txt", restricted=self.original, reserved=["annotation.conf", "visual.conf"])
        self.files.add("visual.conf", visual_conf(self.labels(), self.scheme).encode())
        self._configure()

    def open_worker(self, *, shares_disk: bool = True) -> None:
        self._shares_disk = shares_disk
        self.open_resources()
        self.open_folder(".txt", restricted=self.original)

    def add_state(self, state: dict[str, Any]) -> None:
        for name, values in state.get("attributes", {}).items():
            self._written.attributes.setdefault(name, set()).update(values)
        self._written.lost += state.get("lost", 0)

    def content(self, cas: Cas) -> Content:
        text, spans = self.annotated(cas)
        if "\r" in text:
            if self.carriage_returns == "blank":
                text = without_returns(text)
            else:
                problem = "texts contain carriage returns, which brat counts differently"
                hint = "`carriage_returns: blank` prevents shifted spans"
                warnings.warn(f"{self.id}: {problem}; {hint}", CaspipeWarning, stacklevel=2)
        written = Written()
        lines = [f"{line}\n" for line in annotation_lines(text, spans, written)]
        state = {"attributes": {n: sorted(values) for n, values in written.attributes.items()}, "lost": written.lost}
        return Content(text.encode(), ((".ann", "".join(lines).encode()),), state)

    def close(self) -> None:
        """Write the configuration again if there were attributes, and warn of what brat cannot store."""
        if self._files is not None and self._written.attributes:
            self._configure()
        if self._written.lost:
            message = f"{self.id}: {self._written.lost} spans that consist of line ends were left out"
            warnings.warn(message, CaspipeWarning, stacklevel=2)
        super().close()

    def _configure(self) -> None:
        conf = annotation_conf(self.labels(), self._written.attributes, self.scheme)
        self.files.add("annotation.conf", conf.encode())
