"""Reader of FHIR R4: bundles, single resources and bulk exports, with known PHI from all files."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError
from ...pipeline.storage.archives.open_archives import opened, read_bounded
from ...typesystem import Cas, KnownPhi, PhiKind, RecordField
from ...typesystem import source_record as record
from ...typesystem.markup.xhtml import Xhtml
from ..files.decoding import decode
from ..files.file_reader import WholeFileReader
from ..files.selection import Source
from ..record_document import KnownValue, add_record_fields, file_metadata, record_document
from .bundles import Group, KnownIndex, People, References, entries_of, group_by_patient, is_bulk_export
from .content import Text, Value
from .latest_dates import LatestDates
from .walk import Walk

_MANY = 64
"""With more known values than this, values of other people than the patient are added only to texts that may contain them;
otherwise the time for large files would grow with the square of their size."""
_CLOSE = ("patient", "relative")
_SEARCHED = ("PERSON", "ID", "PHONE", "FAX", "EMAIL", "URL", "LOCATION", "ORGANIZATION", "DATE", "IP", "OTHER")


@component("fhir", outputs=[KnownPhi, RecordField])
class FhirReader(WholeFileReader):
    """Reads FHIR R4 as JSON: Bundles, single resources, and bulk exports (`.ndjson`, one resource per line).

    Each free text is a document: narratives (`text.div`), notes, conclusions, the text attachments of DocumentReference and
    others; values that the standard defines as codes are not. Names, addresses, numbers and birth dates of Patient,
    Practitioner, RelatedPerson, Organization and others become known PHI of the texts about the same patient. Every identifying
    structured value and every date is a RecordField of the first document about its patient, so that the consumer `fhir` can
    write the file back. URLs are never followed. Attachments without text (PDF, pictures) are counted in the metadata
    `attachments` and removed by the consumer.
    """

    pattern: str = "*json"
    """`*json` matches .json and .ndjson."""

    suffixes = (".json", ".ndjson")

    def __iter__(self) -> Iterator[Cas]:
        self._people, self._latest = People(), LatestDates()
        self._read_other_files()
        yield from super().__iter__()

    def _read_other_files(self) -> None:
        """Remember the people in all files, because texts may be about people in other files, and the latest date of each
        patient, which decides what a birth date tells. Damaged files are skipped here and fail when they are read."""
        sources = [s for s in self.sources() if not s.fault]
        for source in sources if len(sources) > 1 else ():
            with contextlib.suppress(ReaderError), opened(source.path) as file:
                if is_bulk_export(source.path):
                    for line in file:
                        if len(line) <= self.max_bytes:
                            self._remember(line)
                else:
                    self._remember(read_bounded(file, self.max_bytes, source.path))

    def _remember(self, data: bytes) -> None:
        """Remember a file, or a line of one, and ignore damaged data."""
        _remember(data, self._people)
        if data.strip():
            with contextlib.suppress(ReaderError):
                self._latest.remember(decode(data, "utf-8")[0])

    def documents_of(self, source: Source, data: bytes) -> Iterator[Cas]:
        """Return the documents of a file. All errors are raised before it returns."""
        text, _ = decode(data, "utf-8")
        entries = entries_of(text, bulk=is_bulk_export(source.path))
        if not entries:
            raise ReaderError("expected FHIR resources, found none")
        groups = group_by_patient(entries)
        _remove_transmission_dates(groups.values())
        from_other_files: list[list[KnownValue]] = []
        for group in groups.values():
            own = (k for w in group.walks for k in w.content.known)
            from_other_files.append(list(self._people.of(group.subject, group.walks)))
            unique = dict.fromkeys([*own, *from_other_files[-1]])
            group.known = [k for k in unique if k.kind.top.name in _SEARCHED]
        shared = _SharedKnowledge(groups)
        for group in groups.values():
            _mask_kept(group.walks, [KnownIndex(group.known), *shared.indexes(group)])
        texts = sum(sum(len(w.content.texts) for w in g.walks) or 1 for g in groups.values())
        common = file_metadata(source.path, source.id, data, texts)
        if any(from_other_files):
            known = json.dumps([[[k.kind.name, k.value, k.role] for k in known] for known in from_other_files])
            # hashed together with the file, so that names cannot be looked up by their hash
            common[record.KNOWN] = record.digest(data + known.encode())
        return (
            cas
            for number, group in enumerate(groups.values(), 1)
            for cas in _documents(source, number, group, {**common, **self._dated(group)}, shared)
        )

    def _dated(self, group: Group) -> dict[str, str]:
        latest = self._latest.of(group.subject)
        return {record.LATEST: latest} if latest else {}


class _SharedKnowledge:
    """Known PHI of a file that does not belong to one patient, and the known PHI for texts that are not about one."""

    def __init__(self, groups: dict[str, Group]) -> None:
        self._unassigned = groups.get("", Group(""))
        self.known: list[KnownValue] = self._unassigned.known
        self._index = KnownIndex(self.known)
        single = len(groups) == 1 or "" not in groups
        self._everyone = self._index if single else KnownIndex(k for g in groups.values() for k in g.known)

    def indexes(self, group: Group) -> list[KnownIndex]:
        """Return the further known PHI to search for in the texts of a group."""
        return [self._everyone if group is self._unassigned else self._index]


def _mask_kept(walks: Iterable[Walk], indexes: list[KnownIndex]) -> None:
    """Turn names of codes into texts, and URIs into masked values, if they contain known PHI."""
    for content in (w.content for w in walks):
        for text in content.kept:
            if any(index.occurs_in(text.source) for index in indexes):
                if text.form == "plain":
                    content.texts.append(text)
                else:
                    content.add_value(PhiKind.URL, text.path, text.source)


def _remove_transmission_dates(groups: Iterable[Group]) -> None:
    """Replace the dates of `meta.lastUpdated` and of bundles (`timestamp`, `lastModified` ...) by null.

    Many records are exported on the same day. Shifted by each patient's own offset, that day would reveal the differences of the
    offsets.
    """
    for walk in (w for g in groups for w in g.walks):
        bundle = walk.resource.get("resourceType") == "Bundle"
        walk.content.values[:] = [
            Value(PhiKind.OTHER, v.path, "")
            if v.path.endswith("/meta/lastUpdated") or (bundle and v.kind.top is PhiKind.DATE)
            else v
            for v in walk.content.values
        ]


_NO_REFERENCES = References([])


def _remember(data: bytes, people: People) -> None:
    """Add the people in a file, or in a line of one, and ignore damaged data."""
    if not people.may_describe(data):
        return
    with contextlib.suppress(ReaderError):
        for entry in entries_of(decode(data, "utf-8")[0], bulk=False):
            kind = entry.resource.get("resourceType")
            if isinstance(kind, str) and kind in people.TYPES:
                walk = Walk(entry.resource, "", _NO_REFERENCES.type_of).run()
                is_relative = kind == "RelatedPerson"
                subject = _NO_REFERENCES.key(walk.subject) if is_relative else _NO_REFERENCES.name(entry)
                people.remember(subject, walk.content.known)


def _documents(
    source: Source, number: int, group: Group, common: dict[str, str], shared: _SharedKnowledge
) -> Iterator[Cas]:
    """Yield the documents of one patient; if they have no text, one empty document with the structured values."""
    texts = [(w, t) for w in group.walks for t in w.content.texts] or [(group.walks[0], Text("", "plain", ""))]
    known = list(dict.fromkeys([*group.known, *shared.known])) if len(shared.known) <= _MANY else group.known
    always = [k for k in known if len(known) <= _MANY or k.role in _CLOSE]
    indexes = [*shared.indexes(group), *([KnownIndex(known)] if len(always) < len(known) else [])]
    for n, (walk, text) in enumerate(texts):
        inside = text.path.removeprefix(walk.path).strip("/")
        where = f"{walk.path.strip('/').replace('/', '.') or '0'}/{walk.resource['resourceType']}"
        content = Xhtml(text.source).text if text.form.endswith("xhtml") else text.source
        language = walk.resource.get("language")
        metadata = {
            **common,
            record.RECORD: str(number),
            record.FIELD: f"{walk.resource['resourceType']}/{inside}" if inside else "record",
            record.PATH: str(record.ValueLocation(text.path, text.form)) if text.path else "",
            "patient_id": group.subject or source.id,
        }
        cas = record_document(
            f"{source.id}/{where}{f'/{inside}' if inside else ''}",
            content,
            metadata,
            language if isinstance(language, str) and language.strip() else "",
            dict.fromkeys([*always, *(k for index in indexes for k in index.candidates(content))]),
        )
        if n == 0:
            unreadable = [path for w in group.walks for path in w.content.unreadable]
            values = [(v.kind, v.path, v.value) for w in group.walks for v in w.content.values]
            values += [(PhiKind.OTHER, path, "") for path in unreadable]
            add_record_fields(cas, values, len(unreadable))
        yield cas
