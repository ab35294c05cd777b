"""What all readers of documents know while they read: numbers, Sofas with their offsets, views, what was noted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable
from operator import attrgetter
from typing import Any, ClassVar

from ..annotation import Annotation, AnnotationBase, FeatureStructure
from ..arrays import ArrayBase, ListBase, ListNode
from ..cas import Cas
from ..errors import FormatError
from ..origin import Origin
from ..text import Sofa, shown
from ..typesystem import TypeSystem
from ..utf16 import Utf16
from ..view import View
from .builtin_features import document_id, read_records
from .collector import Collector
from .decode import ValueFault
from .plan import Field

Place = tuple[Sofa | None, int, Callable[[int, int], tuple[int, int]] | None]
"""A Sofa, the length of its text as the file counts, and how its offsets become code points where that is not nothing."""

_sofa_of = attrgetter("_sofa")
_NOTES = 1000
"""More than these are only counted."""


class Ground(ABC):
    """The ground of a document that is read. `given` are the types beyond caspipe's own, None where there are none."""

    number_name: ClassVar[str] = "xmi:id"
    """What the form calls the number of a feature structure."""
    renumbered: ClassVar[bool] = False
    """Whether the form has numbers of its own making, not those that a document was read with."""
    notes_key: ClassVar[str] = "xmi:notes"
    """Where lenient reading leaves its notes in the metadata."""

    def __init__(self, types: TypeSystem, given: TypeSystem | None, lenient: bool) -> None:
        self.types, self.given, self.lenient = types, given, lenient
        self.notes: list[str] = []
        self.by_id: dict[int, Any] = {0: None}
        """What each number stands for; Sofas too while reading."""
        self.gone: set[int] = set()
        """`id()` of POS annotations that became `Token.pos`."""
        self.sofas: dict[Any, Place] = {}
        """By how the form refers to a Sofa."""
        self.sofa_ids: dict[int, Sofa] = {}
        self._number_of: dict[int, int] | None = None
        """`id()` of what `by_id` holds to its number, worked out once."""
        self._places: dict[int, Place] = {}
        """By `id()` of a Sofa."""
        self.at = 0
        """The row that is read."""

    # -- messages ------------------------------------------------------------------------------------------------

    @abstractmethod
    def place(self, row: int) -> str:
        """Where a row stands, for messages."""

    @abstractmethod
    def type_here(self) -> str:
        """The type of the row that is read."""

    def fault(self, message: str, row: int | None = None) -> FormatError:
        return FormatError(f"{self.place(self.at if row is None else row)}: {message}")

    def note(self, message: str) -> None:
        self.notes.append(message)

    def twice(self, number: int) -> int:
        """A number that is used again: a fault, or a note, and the later one counts. A Sofa may share its with something else."""
        name = self.number_name
        if number <= 0:
            raise self.fault(f"{name} 0 means null; expected a number above it")
        if number in self.sofa_ids and self.by_id[number] is self.sofa_ids[number]:
            return number  # cassis and people do so; who refers to a Sofa is not in doubt
        if not self.lenient:
            raise self.fault(f"{name} {number} is used twice")
        self.note(f"{name} {number} is used twice, the later element counts")
        return number

    def misfit(self, of: str, f: Field, number: Any, target: Any) -> str:
        """What is said of a reference to nothing (None), or to something of another type."""
        here = f"{of}: feature {f.name} refers to {self.number_name} {number}"
        if target is None:
            return f"{here}, which is not in the document"
        found = "uima.cas.Sofa" if isinstance(target, Sofa) else type(target).uima_name
        return f"{here}: expected {f.range}, got {found}"

    # -- Sofas ---------------------------------------------------------------------------------------------------

    def add_sofa(
        self, cas: Cas, key: Any, number: int, name: str, text: str | None, mime: str, uri: str | None, array: Any
    ) -> None:
        """A Sofa and its view; `key` is how annotations refer to it."""
        if number in self.sofa_ids or not number > 0 or cas.has_view(name):
            raise self.fault(f"two Sofas with the same {self.number_name} or sofaID")
        view = cas.create_view(name, text, mime=mime, uri=uri, array=array)
        self.sofa_ids[number] = view.sofa
        self.by_id.setdefault(number, view.sofa)  # else its own array has the number
        self.sofas[key] = self._place(view.sofa)

    def settle_sofas(self, absent: Any, null: Any) -> None:
        """What annotations belong to that name no Sofa (`absent`), or `null` as UIMA for C++ writes it: the only one or none."""
        if len(self.sofas) == 1:
            self.sofas[absent] = next(iter(self.sofas.values()))
        else:  # UIMA takes such an annotation as long as no view lists it
            self.sofas[absent] = None, 2**31, self._mover(Utf16(""), 2**31) if self.lenient else None
        self.sofas.setdefault(null, self.sofas[absent])

    def _place(self, sofa: Sofa) -> Place:
        found = self._places.get(id(sofa))
        if found is None:
            units = Utf16(sofa.text or "")
            limit = 2**31 if sofa.text is None else units.length
            found = sofa, limit, self._mover(units, limit) if units or self.lenient else None
            self._places[id(sofa)] = found
        return found

    def _mover(self, units: Utf16, limit: int) -> Callable[[int, int], tuple[int, int]]:
        """Converts a pair of UTF-16 offsets, checked."""

        def move(begin: int, end: int) -> tuple[int, int]:
            if not 0 <= begin <= end <= limit:
                if not self.lenient:
                    raise ValueFault(f"offsets {begin}:{end} lie outside the text (0:{limit} in UTF-16 code units)")
                self.note(f"{self.type_here()} {begin}:{end} moved into the text (0:{limit})")
                begin, end = max(0, min(begin, end, limit)), min(limit, max(begin, end, 0))
            if units and (units.splits_pair(begin) or units.splits_pair(end)):
                if not self.lenient:
                    raise ValueFault(f"offsets {begin}:{end} (UTF-16 code units) divide a character of two units")
                self.note(f"{self.type_here()} {begin}:{end} widened to whole characters")
            if not units:
                return begin, end
            return units.from_utf16(begin), units.from_utf16(end, up=True)

        return move

    # -- views and the end ---------------------------------------------------------------------------------------

    def fill(self, view: View, members: list[int]) -> None:
        """Indexes the members of a view."""
        by_id, sofa = self.by_id, view.sofa
        if len(set(members)) < len(members):
            members = list(dict.fromkeys(members))
        items: list[Any] = list(map(by_id.get, members))
        if self.gone:
            items = [m for m in items if id(m) not in self.gone]
        groups: dict[Any, list[Any]] = defaultdict(list)
        for item in items:
            groups[item.__class__].append(item)
        for cls, group in groups.items():
            if issubclass(cls, AnnotationBase):
                if set(map(_sofa_of, group)) != {sofa}:
                    groups[cls] = [m for m in group if m._sofa is sofa or self._adopted(m, view)]
            elif not issubclass(cls, FeatureStructure):
                groups[cls] = []
                for number in members if cls is not Sofa else ():  # UIMA takes a Sofa for a member, and indexes nothing
                    if by_id.get(number) is None:
                        self.stray(f"View {shown(view.name)}: member {number} is no feature structure of the document")
        for cls, group in groups.items():
            view.fill(cls, group)

    def _adopted(self, item: Any, view: View) -> bool:
        """Leniently, an annotation without a Sofa belongs to the view that lists it."""
        if self._number_of is None:
            self._number_of = {id(x): n for n, x in self.by_id.items()}
        number = self._number_of[id(item)]
        member = f"View {shown(view.name)}: member {number} ({type(item).uima_name})"
        if item._sofa is not None:
            self.stray(f"{member} belongs to another Sofa")
            return False
        self.stray(f"{member} names no Sofa")
        item._sofa, _, convert = self._place(view.sofa)
        if isinstance(item, Annotation) and convert is not None:
            item._begin, item._end = convert(item._begin, item._end)
        return True

    def stray(self, message: str) -> None:
        """A fault, or a note where reading is lenient."""
        if not self.lenient:
            raise self.fault(message)
        self.note(message)

    def finish(self, cas: Cas, name: str, with_records: bool) -> Cas:
        """Gives the document its origin, id and metadata, once everything is in its views."""
        gone = [n for n, x in self.by_id.items() if id(x) in self.gone] if self.gone else []
        for number in (0, *gone):
            del self.by_id[number]
        shared = {n for n, sofa in self.sofa_ids.items() if self.by_id.get(n, sofa) is not sofa}
        for number in self.sofa_ids.keys() - shared:
            self.by_id.pop(number, None)
        if self.by_id and not 0 < min(self.by_id) <= max(self.by_id) < 2**31:
            raise self.fault(f"expected {self.number_name}s from 1 to 2147483647", 0)
        cas.origin = Origin(self.by_id, {s.name: 0 if n in shared else n for n, s in self.sofa_ids.items()})
        if with_records:
            read_records(cas, self.by_id, self.fault, renumbered=self.renumbered)
        cas.id = name or document_id(cas)
        if len(self.by_id) > sum(view.count(FeatureStructure) for view in cas.views):  # some are in no view
            collector = Collector(cas, self.types, None, None, False)
            collector.collect()
            reached = collector.reached()
            cas.origin.unreached = [x for x in self.by_id.values() if id(x) not in reached and not _empty(x)]
        if self.notes:
            more = len(self.notes) - _NOTES
            notes = [*self.notes[:_NOTES], f"and {more} more"] if more > 0 else self.notes
            cas.metadata[self.notes_key] = "; ".join(notes)
        return cas


def _empty(item: Any) -> bool:
    """The end of a list: nothing is lost without it."""
    return isinstance(item, ListBase) and not isinstance(item, ListNode | ArrayBase)
