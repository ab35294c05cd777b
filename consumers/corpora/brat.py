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
    """Writes a `.txt` and an `.ann` file for each document, and `annotation.conf` and `visual.conf` for all: a folder to be put
    into brat's data folder.

    Offsets are code points. brat bears no line end inside an annotation: such a span is written in fragments, one a line.
    SpanAttributes become attributes, normalisations and notes again; spans that share the attribute `fragments` one annotation.
    Format: brat.nlplab.org/standoff.html.
    """

    folder: Path = Path("restricted/brat")
    carriage_returns: Literal["keep", "blank"] = "keep"
    """Carriage returns, behind which brat counts offsets wrong (nlplab/brat#853): as they are, or a blank for each, so that no
    offset can shift."""

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

    def noted(self, state: dict[str, Any]) -> None:
        for name, values in state.get("attributes", {}).items():
            self._written.attributes.setdefault(name, set()).update(values)
        self._written.lost += state.get("lost", 0)

    def content(self, cas: Cas) -> Content:
        text, spans = self.annotated(cas)
        if "\r" in text:
            if self.carriage_returns == "blank":
                text = without_returns(text)
            else:
                told = "texts hold carriage returns, which brat counts otherwise"
                hint = "`carriage_returns: blank` keeps spans in their places"
                warnings.warn(f"{self.id}: {told}; {hint}", CaspipeWarning, stacklevel=2)
        written = Written()
        lines = [f"{line}\n" for line in annotation_lines(text, spans, written)]
        state = {"attributes": {n: sorted(values) for n, values in written.attributes.items()}, "lost": written.lost}
        return Content(text.encode(), ((".ann", "".join(lines).encode()),), state)

    def close(self) -> None:
        """Writes the configuration again where attributes were there, and warns of what brat cannot hold."""
        if self._files is not None and self._written.attributes:
            self._configure()
        if self._written.lost:
            told = f"{self.id}: {self._written.lost} spans of nothing but line ends were left out"
            warnings.warn(told, CaspipeWarning, stacklevel=2)
        super().close()

    def _configure(self) -> None:
        conf = annotation_conf(self.labels(), self._written.attributes, self.scheme)
        self.files.add("annotation.conf", conf.encode())
