"""Consumer that writes the masked text of each document to a file."""

from __future__ import annotations

from pathlib import Path

from ...pipeline.contract.component import component
from ...typesystem import DEIDENTIFIED_VIEW, Cas
from .folder import FolderConsumer
from .packed import refuse_packed
from .released import encodable, released_view


@component("text")
class TextConsumer(FolderConsumer):
    """Writes the masked text of each document to a UTF-8 file of its own, with its newlines unchanged.

    A document without the view is refused, never written unmasked. Lone surrogates become U+FFFD, one for one, and the metadata
    contain their number.
    """

    folder: Path = Path("release/text")
    suffix: str = ".txt"
    """Suffix of the file names."""
    view: str = DEIDENTIFIED_VIEW
    """View whose text is written. Any view but `deidentified` can contain original text: its folder is readable by its owner
    only."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.suffix.startswith(".") or "/" in self.suffix or "\\" in self.suffix:
            raise ValueError(f"suffix: expected a suffix like .txt, got {self.suffix!r}")
        refuse_packed(self.suffix, "suffix")

    def writes_original(self) -> bool:
        return self.view != DEIDENTIFIED_VIEW

    def open(self) -> None:
        super().open()
        self.open_folder(self.suffix)

    def content(self, cas: Cas) -> bytes:
        view = released_view(self, cas, self.view)
        return encodable(view.text, cas).encode()
