"""Consumer that writes a review project for INCEpTION: layers, tag sets, guidelines, and documents that its import accepts."""

from __future__ import annotations

import hashlib
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, Literal

from ...pipeline.contract.component import Scope, TwoPhaseConsumer, component
from ...pipeline.contract.output import Locate, Output
from ...pipeline.storage.file_names import FileNames, safe_parts
from ...pipeline.storage.files import AtomicFile, make_folder, restricted_folder
from ...pipeline.storage.release_place import place_in
from ...typesystem import Cas, CaspipeWarning
from ...typesystem.json_cas.writer import write_jsoncas
from ...typesystem.review_layers import CANDIDATE_LAYER, PHI_LAYER, Mode, layers, review_types, review_types_xml
from ...typesystem.xmi.writer import write_xmi
from ..files.annotated import AnnotatedOptions
from ..files.content import Content
from ..files.released import encodable
from ..files.slices import slice_of
from . import settings
from .document import ReviewDocument, ReviewDocumentBuilder
from .pdf import text_to_pdf
from .zipped import ZipWriter, unzipped

_SUFFIX = {"xmi": ".xmi", "jsoncas": ".json"}
_REFUSED = str.maketrans(dict.fromkeys("#%&{}$!:@+'`=<>\"/\\|?*", "_"))
"""Characters that INCEpTION does not accept in names of documents (`ValidationUtils.java`)."""


@component("inception")
class InceptionConsumer(AnnotatedOptions, TwoPhaseConsumer):
    """Writes all documents as one review project (zip) for INCEpTION: the documents, the layers and tag sets to import first,
    guidelines made from the definitions of the kinds, and a README with the steps.

    The documents pass INCEpTION's import checks: sentences are joined if a span crosses their border, spaces at the edges of
    spans are removed, characters that XML forbids are replaced one for one. Offsets stay the same. Documents without text are
    left out, with a warning.
    """

    scope = Scope.RUN

    file: Path = Path("restricted/inception.zip")
    """The review project, under the run's output folder. It gets its name when the run ends."""
    mode: Mode = "phi-layer"
    """`phi-layer`: a separate layer with kind, status, confidence, source, rule and reason. `named-entity`: INCEpTION's built-in
    layer for named entities with the kind as `value`; nothing needs to be imported before the documents."""
    format: Literal["xmi", "jsoncas"] = "xmi"
    """Format of the documents."""
    candidates: bool = False
    """True if a second layer shows what each source proposed, and why it won or lost."""

    def __post_init__(self) -> None:
        self.check_scheme()
        self._file: AtomicFile | None = None
        self._place = ""
        self._builder = ReviewDocumentBuilder(self.mode, self.candidates)

    def open(self) -> None:
        """Create the folder and the temporary file. Raises ConsumerError if that fails."""
        super().open()
        path, self._place = self.output / self.file, place_in(self.output, Path(self.file))
        if self.original:
            restricted_folder(path.parent, self.output)
        else:
            make_folder(path.parent)
        self._file = AtomicFile(path, private=self.original)
        self._zip = ZipWriter(self._file)
        self._names = FileNames(_SUFFIX[self.format])
        self._index: list[dict[str, Any]] = []
        self._overlapping = False
        self._last: tuple[str, bool, bool] | None = None
        self._named: str | None = None

    def prepare(self, cas: Cas) -> Content:
        """Return the document with a mark after its title: the number that may follow is known only in `commit`."""
        annotated = self.annotated(cas)
        stem = self._stem(cas.id)
        mark = hashlib.sha256(f"{stem}\0{annotated.text}".encode("utf-8", "surrogatepass")).hexdigest()
        reviewed = self._builder.build(cas, self.annotated_view(cas), annotated.spans, self.label, stem + mark)
        data = self._serialized(reviewed.cas) if reviewed.cas is not None else b""
        return Content(
            data, state={"entry": self._entry(cas, reviewed), "overlapping": reviewed.overlapping}, extra=(stem, mark)
        )

    def resume_state(self, prepared: Content) -> Any:
        return prepared.state

    def commit(self, document_id: str, prepared: Content) -> list[Output]:
        self._last = self._named = None
        name = self._name(document_id)
        if not prepared.data:
            return self._add_entry(document_id, name, prepared.state, b"")
        stem, mark = prepared.extra
        ending = name.removesuffix(_SUFFIX[self.format]).removeprefix(stem)
        data = prepared.data.replace(mark.encode(), ending.encode())
        return self._add_entry(document_id, name, prepared.state, self._zip.add(f"documents/{name}", data))

    def adopt_previous(
        self, document_id: str, outputs: list[Output], state: Any, locate: Locate
    ) -> list[Output] | None:
        """Copy a document from an earlier run's project; its title is its name there."""
        self._last = self._named = None
        name = self._name(document_id)
        if "skipped" in state["entry"]:
            return self._add_entry(document_id, name, state, b"")
        written = slice_of(locate(outputs[0]), outputs[0]) if outputs else None
        if written is None or not self._zip.copy(f"documents/{name}", written):
            self._names.release_last()  # the document is processed again and gets the name then
            return None
        return self._add_entry(document_id, name, state, written)

    def written(self, document_id: str, output: Output) -> bytes | None:
        """Return name and content of a document's member of the project."""
        data = output.read(self.output)
        return None if data is None else unzipped(data)

    def shared_files(self) -> dict[str, Path]:
        return {} if self._file is None else {self._place: self._file.temporary}

    def _stem(self, document: str) -> str:
        """Return the name of a document if no other document has it."""
        return safe_parts(_flat(document))[0]

    def _name(self, document: str) -> str:
        if self._file is None:
            self.open()
        self._named = document
        return self._names.next(_flat(document)).as_posix()

    def _add_entry(self, document: str, name: str, state: Any, written: bytes) -> list[Output]:
        """Record a document whose bytes in the project are `written`."""
        assert self._file is not None
        self._index.append({"file": name, **state["entry"]})
        self._last = document, bool(written), self._overlapping
        self._overlapping |= state["overlapping"]
        if not written:
            return []
        begin, digest = self._file.offset - len(written), hashlib.sha256(written).hexdigest()
        return [Output(self.id, self._place, begin, len(written), digest, False)]

    def _serialized(self, cas: Cas) -> bytes:
        types = review_types(self.mode, self.candidates)
        if self.format == "jsoncas":
            return write_jsoncas(cas, typesystem=types)
        return write_xmi(cas, typesystem=types)

    def _entry(self, cas: Cas, reviewed: ReviewDocument) -> dict[str, Any]:
        """Return the record of a document: its id, what was changed, and what restores its text."""
        entry: dict[str, Any] = {"id": encodable(cas.id, cas)}
        if reviewed.skipped:
            return {**entry, "skipped": reviewed.skipped}
        entry["text_sha256"] = hashlib.sha256(reviewed.text.encode()).hexdigest()
        if reviewed.lost:
            entry["lost"] = [[offset, code] for offset, code in reviewed.lost]
        return {**entry, "changes": reviewed.notes}

    def rollback(self, document_id: str) -> None:
        if self._file is not None and self._named == document_id:
            self._names.release_last()  # as in a resumed run, in which a failed document gets no name
        self._named = None
        if self._file is None or self._last is None or self._last[0] != document_id:
            return
        _, written, self._overlapping = self._last
        if written:
            self._zip.remove_last()
        self._index.pop()
        self._last = None

    def abort(self) -> None:
        """Keep the earlier project."""
        file, self._file = self._file, None
        if file is not None:
            file.discard()

    def close(self) -> None:
        """Add the files that accompany the documents, and give the project its name."""
        file, self._file = self._file, None
        if file is not None:
            with file:
                self._finish()
            self._warn()
        super().close()

    def _finish(self) -> None:
        files = self._settings()
        shown = [name for name in layers(self.mode, self.candidates) if name in (PHI_LAYER, CANDIDATE_LAYER)]
        ours = {f"{name.rpartition('.')[2]}.json": name for name in shown}
        for file, name in ours.items():
            layer = settings.layer(name, self.scheme, overlaps=self._overlapping)
            files[f"layers/{file}"] = settings.as_json(layer)
        skipped = sum("skipped" in entry for entry in self._index)
        readme = settings.readme(self.mode, self.format, list(ours), len(self._index) - skipped, skipped)
        files["README.md"] = readme.encode()
        for name, data in sorted(files.items()):
            self._zip.add(name, data)
        self._zip.finish()

    def _settings(self) -> dict[str, bytes]:
        guidelines = settings.guidelines(self.scheme, self.mode)
        files = {
            "TypeSystem.xml": review_types_xml(self.mode, self.candidates),
            "tagsets/kinds.json": settings.as_json(settings.kinds_set(self.scheme)),
            "guidelines.md": guidelines.encode(),
            "guidelines.pdf": text_to_pdf(guidelines, "What to annotate"),
            "documents.json": settings.as_json({"mode": self.mode, "scheme": self.scheme, "documents": self._index}),
        }
        if self.mode == "phi-layer":
            files["tagsets/status.json"] = settings.as_json(settings.status_set())
        return files

    def _warn(self) -> None:
        for reason, count in Counter(entry["skipped"] for entry in self._index if "skipped" in entry).items():
            what = "a document was" if count == 1 else f"{count:,} documents were"
            warnings.warn(f"{self.id}: {what} left out of the review project: {reason}", CaspipeWarning, stacklevel=3)


def _flat(document_id: str) -> str:
    """Return a document id as a name that INCEpTION accepts: no folders, none of the characters it refuses."""
    flat = document_id.replace("/", "__").translate(_REFUSED).strip(" .-")
    return flat or "document"
