"""The names under which documents are released, and the map from their ids to these names."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ...typesystem import Cas
from ...typesystem.source_record import ROW
from ..assembly.assemble import RunOptions
from ..assembly.assembly import Assembly
from ..contract.component import CasConsumer
from ..errors import ReaderError
from ..storage.file_names import pseudonym
from ..storage.files import AtomicFile, restricted_folder
from ..storage.secrets import Secret

MAP = Path("restricted") / "names.csv"
"""The map, under the output folder of a run."""
IN_CLEAR = "documents are released under their own ids, which can identify people (run.names is id)"
_HEADER = ["id", "name"]


@dataclass(frozen=True, slots=True)
class ReleasedNames:
    """Names for documents: keyed hashes of their ids, their numbers in reading order without a key, or their ids."""

    clear: bool
    """True if the names are the ids."""
    key: Secret

    @classmethod
    def of(cls, options: RunOptions) -> Self:
        """Return the names that the options ask for. The key is read at first use."""
        return cls(options.names == "id", Secret.of(options.key))

    @property
    def numbered(self) -> bool:
        """True if a name depends on the position of the document only."""
        return not self.clear and not self.key

    @property
    def policy(self) -> str:
        """The kind of names, for the manifest of a release."""
        return "id" if self.clear else "keyed hash" if self.key else "number"

    def name(self, number: int, document: str) -> str:
        """Return the released name of a document. A document without id is named by its number. Raises ResourceError if the key
        cannot be read."""
        if self.clear:
            return document
        return pseudonym(document, self.key) if self.key and document else f"{number:06d}"

    def name_for(self, consumer: CasConsumer, number: int, document: str) -> str:
        """Return the name under which a consumer knows a document: its id if the consumer writes original text."""
        return document if consumer.writes_original() else self.name(number, document)

    @contextlib.contextmanager
    def applied(self, consumer: CasConsumer, cas: Cas, number: int) -> Iterator[None]:
        """Give a document the name under which a consumer knows it. Its metadata `record` becomes a keyed hash; without a key it
        is hidden."""
        if self.clear or consumer.writes_original():
            yield
            return
        document, metadata = cas.id, cas.metadata
        shown = {k: v if k != ROW else pseudonym(v, self.key) for k, v in metadata.items() if k != ROW or self.key}
        cas.id, cas.source_id, cas.metadata = self.name(number, document), document, shown
        try:
            yield
        finally:
            metadata.update((k, v) for k, v in shown.items() if k != ROW)  # consumers note there what they replaced
            cas.id, cas.source_id, cas.metadata = document, "", metadata


class NameMap:
    """Writes `restricted/names.csv`: id and released name of each document that a run read, in that order.

    The file gets its name at the end of the run, also of one that stopped. A run in which no consumer needs names writes none;
    one with names in clear removes it.
    """

    def __init__(self, assembly: Assembly, names: ReleasedNames) -> None:
        self.names = names
        self.path = assembly.output / MAP
        self._output = assembly.output
        self._needed = any(not consumer.writes_original() for consumer in assembly.consumers)
        self._file: AtomicFile | None = None

    def __enter__(self) -> Self:
        """Create the file. Raises ConsumerError if that fails, ResourceError if the key of the names cannot be read."""
        if self._needed and not self.names.clear:
            self.names.key.open()
            restricted_folder(self.path.parent, self._output)
            self._file = AtomicFile(self.path, private=True)
            self._file.write(_line(_HEADER))
        return self

    @property
    def warning(self) -> str:
        """The warning about names in clear at the end of a run; empty if there are none."""
        return IN_CLEAR if self._needed and self.names.clear else ""

    def add(self, number: int, document: str) -> None:
        """Add a document. Raises ConsumerError if it cannot be written."""
        if self._file is not None:
            self._file.write(_line([document, self.names.name(number, document)]))

    def __exit__(self, *_: object) -> None:
        file, self._file = self._file, None
        if file is not None:
            with file:
                pass
        elif self._needed:
            with contextlib.suppress(OSError):
                self.path.unlink(missing_ok=True)


def read_names(output: Path) -> dict[str, str]:
    """Return the released name of each document of a run by its id; empty if the run has no map. Raises ReaderError."""
    path = output / MAP
    try:
        with path.open(encoding="utf-8", errors="surrogatepass", newline="") as file:
            rows = list(csv.reader(file))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, csv.Error) as error:
        raise ReaderError(f"{path}: cannot read the map of names: {type(error).__name__}") from None
    if rows[:1] != [_HEADER] or any(len(row) != len(_HEADER) for row in rows):
        raise ReaderError(f"{path}: expected the columns id and name")
    return dict(rows[1:])


def _line(values: list[str]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(values)
    return out.getvalue().encode("utf-8", "surrogatepass")
