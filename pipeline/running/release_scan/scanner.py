"""The search of a release: the outputs of every document, and what all documents share."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ...contract.component import TwoPhaseConsumer
from ...contract.output import Output
from ...storage.files import TEMPORARY
from ...storage.release_place import RELEASE, place_in
from ..ledger.reader import LedgerReader
from ..ledger.schema import Row
from ..release_manifest import MANIFEST
from ..released_names import ReleasedNames
from .encodings import Piece, byte_length, text_pieces
from .outcome import Hit, Outcome, Part, Shared, add
from .pieces import is_zip, names_of, pieces_of, rest_of_zip
from .readings import readings
from .search_pool import search_in_order
from .tokens import NUMBER, FormTable, Hasher, Place, Tokens, forms_array
from .values import ALL, KINDS, OWN, ScanValues, key_id

BATCH = 4_000_000
"""Values that are searched for at the same time in all documents, to limit memory: 9 bytes each."""
_CROWDED = 1_000
"""Numbers are searched for in all documents only while a run has fewer than one in this many of the numbers of that length."""
_LONG_NUMBER = 8
"""Digits that a number needs to be searched for in names of files, which may be numbers of documents."""
_FEW_FILES = 200
"""Files that are searched in this process, since copies of it take longer."""
_Owners = dict[str, dict[int, ScanValues]]
_NO_FORMS = FormTable(forms_array(()))


class _Own:
    """Tables, permitted forms and reach of the values of the documents of a file."""

    def __init__(self, owners: Mapping[int, ScanValues], searched: bool) -> None:
        self.permitted = {(d, s) for v in owners.values() for d, s, *_ in v.permitted.tolist()}
        self.tables = [(n, v.key, FormTable(v.forms)) for n, v in owners.items()] if searched else []
        self.reach = {(d, s): r for v in owners.values() for d, s, _, r in v.forms.tolist()}


class ReleaseScanner:
    """Searches `release/` of a run, in several processes if it has many documents. `keys`: keys of the hashes by id."""

    def __init__(
        self,
        output: Path,
        ledger: LedgerReader,
        consumers: Sequence[TwoPhaseConsumer],
        keys: Iterable[bytes],
        names: ReleasedNames,
        batch: int = BATCH,
        processes: int = 1,
    ) -> None:
        self.output = output
        self.names = names
        self.ledger = ledger
        self.consumers = {c.id: c for c in consumers}
        self.hashers = {key_id(key): Hasher(key) for key in keys}
        self.batch = batch
        self.processes = processes
        self._known: set[str] = set()
        self._shared: dict[str, Shared] = {}
        self._of: tuple[Mapping[int, ScanValues], _Own] | None = None

    def scan(self) -> Outcome:
        """Search everything once for every batch of values."""
        self.outcome = outcome = Outcome()
        self._shared = {}
        files = self._files()
        outcome.searched, outcome.size = len(files), sum(size for _, size in files)
        others = list(self._names())
        try:
            for n, tables in enumerate(self._batches()):
                self.tables, self.first, self._of = tables, n == 0, None
                self._unreadable = outcome.unreadable if n == 0 else Counter()
                attributed: set[str] = set()
                rows = ((row, self._together(row)) for row in self.ledger.rows("released"))
                for part in search_in_order(rows, self._documents, self._processes()):
                    attributed.update(part.attributed)
                    outcome.add(part)
                    self._unreadable.update(part.unreadable)
                    for path, shared in part.shared.items():
                        self._shared.setdefault(path, Shared(shared.consumer, [])).bounds.extend(shared.bounds)
                self._common([path for path, _ in files if path not in attributed])
                for path in others:
                    self._name(path, 0, {})
        finally:
            for consumer in self.consumers.values():
                if _reads_back(consumer):
                    consumer.abort()  # what it opened for reading
        return outcome

    def _files(self) -> list[tuple[str, int]]:
        """Return path and size of every file of the release."""
        every = sorted((self.output / RELEASE).rglob("*"))
        files = [p for p in every if p.is_file() and not p.is_symlink() and not TEMPORARY.fullmatch(p.name)]
        found = ((path.relative_to(self.output).as_posix(), path.stat().st_size) for path in files)
        return [(path, size) for path, size in found if path not in MANIFEST]

    def _names(self) -> Iterator[str]:
        """Yield links, whose names are searched but not what they lead to, and empty folders."""
        for path in sorted((self.output / RELEASE).rglob("*")):
            if path.is_symlink():
                self.outcome.unreadable["a link"] += 1
            elif not path.is_dir() or any(path.iterdir()):
                continue
            yield path.relative_to(self.output).as_posix()

    # -- values ----------------------------------------------------------------------------------------------------

    def _batches(self) -> Iterator[dict[str, FormTable]]:
        """Yield tables, by key, of the values that are searched for everywhere; the first may be empty."""
        gathered: dict[str, list[Any]] = {}
        waiting, batches = 0, 0
        for row in self.ledger.rows("released"):
            values = values_of(row)
            if values is None or values.key not in self.hashers:
                self.outcome.unknown += 1
                continue
            self.outcome.forms += len(values.forms)
            self.outcome.not_searched.update(values.not_searched)
            forms = values.forms[values.forms["reach"] == ALL]
            gathered.setdefault(values.key, []).append(forms)
            waiting += len(forms)
            if waiting >= self.batch:
                yield self._tables(gathered)
                gathered, waiting, batches = {}, 0, batches + 1
        if waiting or not batches:
            yield self._tables(gathered)

    def _tables(self, gathered: Mapping[str, list[Any]]) -> dict[str, FormTable]:
        return {key: FormTable(self._uncrowded(np.unique(np.concatenate(parts)))) for key, parts in gathered.items()}

    def _uncrowded(self, forms: Any) -> Any:
        """Leave out numbers of a length of which there are so many that others would often equal one by chance."""
        for size in np.unique(forms["size"]).tolist():
            if size & NUMBER:
                rows = forms["size"] == size
                if (count := int(rows.sum())) * _CROWDED > 10 ** (size - NUMBER):
                    self.outcome.not_searched["crowded"] += count
                    forms = forms[~rows]
        return forms

    # -- documents -------------------------------------------------------------------------------------------------

    def _processes(self) -> int:
        """Return the number of processes that search documents: one if tables are read back with a connection of this one."""
        reads_back = any(map(_reads_back, self.consumers.values()))
        return 1 if reads_back or self.outcome.searched < _FEW_FILES else self.processes

    def _documents(self, rows: Iterable[tuple[Row, _Owners]]) -> Part:
        """Search the outputs of some documents, and leave the scanner as it was."""
        before = self.outcome, self._unreadable, self._shared
        self.outcome, self._unreadable, self._shared = Outcome(), Counter(), {}
        try:
            attributed = [path for row, together in rows for path in self._document(row, together)]
            return Part(self.outcome.documents, self.outcome.files, self._unreadable, self._shared, attributed)
        finally:
            self.outcome, self._unreadable, self._shared = before

    def _document(self, row: Row, together: _Owners) -> Iterator[str]:
        """Search the outputs of a document, and yield their paths if they belong to it alone."""
        values = values_of(row)
        for output in row.outputs:
            path = self._place(output.path)
            if not path.startswith(f"{RELEASE}/"):
                continue
            owners = {row.number: values} if values is not None else {}
            if output.whole:
                owners |= together.get(output.consumer, {})
                yield path
                self._name(path, row.number, owners)
                pieces = self._readable(pieces_of(self.output / path, self._unreadable))
                self._search(pieces, path, row.number, owners)
            else:
                self._slice(output, path, row, owners)

    def _place(self, path: str) -> str:
        """Return where an output is. A plug-in may have recorded it as it was given."""
        folder, slash, name = path.rpartition("/")
        return f"{_folder(self.output, folder)}/{name}" if slash else path

    def _together(self, row: Row) -> _Owners:
        """Return the values of all documents that share a file with this one, by consumer and number."""
        together: _Owners = {}
        for output in row.outputs:
            group = row.together(output.consumer) if output.whole else None
            if group is not None and output.consumer not in together:
                rows = self.ledger.around(row, group[1] - 1)
                found = {r.number: values_of(r) for r in rows if r.together(output.consumer) == group}
                together[output.consumer] = {n: values for n, values in found.items() if values is not None}
        return together

    def _readable(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """Yield pieces as far as they can be read."""
        try:
            yield from pieces
        except OSError:
            self._unreadable["a file that cannot be read"] += 1

    def _slice(self, output: Output, path: str, row: Row, owners: Mapping[int, ScanValues]) -> None:
        shared = self._shared.setdefault(path, Shared(output.consumer, []))
        if self.first:
            shared.bounds.extend((output.begin, output.begin + output.length))
        consumer = self.consumers.get(output.consumer)
        data = (
            consumer.written(self.names.name_for(consumer, row.number, row.id), output)
            if consumer is not None
            else None
        )
        if data is None:
            self._unreadable["a document in a file or table that many share"] += 1
            return
        self._search(text_pieces(io.BytesIO(data), begin=output.begin), path, row.number, owners)

    def _name(self, path: str, number: int, owners: Mapping[int, ScanValues]) -> None:
        self._search([Piece(path.partition("/")[2], 0, "name")], path, number, owners)

    # -- common ----------------------------------------------------------------------------------------------------

    def _common(self, paths: list[str]) -> None:
        """Search what belongs to no document: names, headers and footers, and files of unknown origin."""
        for path in paths:
            self._name(path, 0, {})
            shared = self._shared.get(path)
            consumer = self.consumers.get(shared.consumer) if shared is not None else None
            if shared is None or consumer is None:
                pieces = self._readable(pieces_of(self.output / path, self._unreadable))
            elif is_zip(self.output / path):
                pieces = self._readable(rest_of_zip(self.output / path, set(shared.bounds[::2]), self._unreadable))
            elif not _reads_back(consumer):
                pieces = self._readable(_between(self.output / path, shared.bounds))
            else:  # a table, whose rows were searched with their documents
                pieces = self._readable(names_of(self.output / path, self._unreadable))
            self._search(pieces, path, 0, {})

    # -- search ----------------------------------------------------------------------------------------------------

    def _search(self, pieces: Iterable[Piece], path: str, number: int, owners: Mapping[int, ScanValues]) -> None:
        """Search pieces of a file: for the values of their documents, and for those of the run."""
        if self._of is None or self._of[0] is not owners:  # the name of a file, then its text
            self._of = owners, _Own(owners, self.first)
        permitted, own, reach = self._of[1].permitted, self._of[1].tables, self._of[1].reach
        for piece in pieces:
            is_name = piece.member.endswith("name")
            for text, to_old in readings(piece.text):
                for place, owner in self._places(text, own):
                    form = place.digest, place.size
                    if owner and not is_name and reach[form] < OWN:
                        continue
                    if owner and len(owners) > 1 and KINDS[place.kind] == "DATE":
                        continue  # the shifted date of another document may be the same day
                    if not owner and (form in permitted or (is_name and _is_short_number(place))):
                        continue
                    self._hit(_hit(piece, to_old, place, path, owner), number)

    def _places(self, text: str, own: Iterable[tuple[int, str, FormTable]]) -> Iterator[tuple[Place, int]]:
        """Yield what is found in a text, with the number of the document whose value it is, or 0."""
        for key, hasher in self.hashers.items():
            tokens = Tokens(text, hasher)
            for number, of, table in own:
                if of == key:
                    yield from ((place, number) for place in tokens.find(table) if not tokens.touches(place))
            for place in tokens.find(self.tables.get(key, _NO_FORMS)):
                if not tokens.touches(place):
                    yield place, 0

    def _hit(self, hit: Hit, number: int) -> None:
        by: dict[Any, dict[Hit, None]] = self.outcome.documents if number else self.outcome.files
        add(by.setdefault(hit.owner or number or hit.path, {}), [hit])

    def is_shared(self, path: str) -> bool:
        """Return whether documents share a file, so that it is right again without some of them."""
        return path in self._shared

    def owners_of(self, hits: Iterable[Hit]) -> set[int]:
        """Return the documents that have one of these values."""
        wanted = {(hit.digest, hit.size) for hit in hits}
        return {
            row.number
            for row in self.ledger.rows("released")
            if (values := values_of(row)) is not None
            and not wanted.isdisjoint(map(tuple, values.forms[["digest", "size"]].tolist()))
        }


@lru_cache(maxsize=1024)
def _folder(output: Path, folder: str) -> str:
    return place_in(output, Path(folder or "/"))


def values_of(row: Row) -> ScanValues | None:
    """Return the values of a document; None if they are not known."""
    plain = (row.states or {}).get("", [])
    return ScanValues.of(plain[-1]) if len(plain) == PLAIN_FIELDS and plain[-1] else None


def _reads_back(consumer: TwoPhaseConsumer) -> bool:
    """Return whether the outputs of a consumer are not slices of a file."""
    return type(consumer).written is not TwoPhaseConsumer.written


PLAIN_FIELDS = 6
"""Length of `Found.to_plain()`, whose last item are the values."""


def _is_short_number(place: Place) -> bool:
    return bool(place.size & NUMBER) and place.size - NUMBER < _LONG_NUMBER


def _hit(piece: Piece, to_old: Callable[[int], int], place: Place, path: str, owner: int) -> Hit:
    if piece.member == "name":
        at = "name"
    elif piece.member.endswith(("row", "names")):
        at = f"{piece.member} {piece.begin}".strip()
    else:
        begin = piece.begin + byte_length(piece.text[: to_old(place.begin)], piece.encoding)
        at = f"{piece.member} byte {begin}".strip()
    return Hit(path, at, KINDS[place.kind], owner, place.size, place.digest)


def _between(path: Path, bounds: list[int]) -> Iterator[Piece]:
    """Yield what is before, between and after the slices of a file."""
    pairs = np.array(bounds, np.int64).reshape(-1, 2)
    pairs = pairs[np.argsort(pairs[:, 0])]
    begins, ends = [0, *pairs[:, 1].tolist()], [*pairs[:, 0].tolist(), path.stat().st_size]
    seen: set[bytes] = set()
    with path.open("rb") as file:
        for begin, end in zip(begins, ends, strict=True):
            if end <= begin:
                continue
            file.seek(begin)
            if end - begin < 100:  # separators are the same between all documents
                data = file.read(end - begin)
                if (digest := hashlib.sha256(data).digest()) in seen:
                    continue
                seen.add(digest)
                yield Piece(data.decode("utf-8", "replace"), begin, "")
            else:
                yield from text_pieces(file, length=end - begin)
