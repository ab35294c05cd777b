"""State and steps that all readers of documents share: ids, Sofas with their offsets, references, views, and notes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable
from operator import attrgetter
from typing import Any, ClassVar

from ..annotation import Annotation, AnnotationBase, FeatureStructure
from ..arrays import ArrayBase, ListBase, ListNode
from ..cas import Cas
from ..description import nearest
from ..errors import CasError, FormatError, TypeSystemError
from ..origin import Origin
from ..text import Sofa, Utf16, shown
from ..typesystem import TypeSystem
from ..view import View
from .builtin_features import document_id, read_records
from .collector import Collector
from .decode import IdInUse, MissingId, RowFault, UnknownFeature, ValueFault
from .plan import Field, Plan, plan_for

Anchor = tuple[Sofa | None, int, Callable[[int, int], tuple[int, int]] | None]
"""A Sofa, the length of its text in the units of the file, and the converter of offsets to code points, if they differ."""

_sofa_of = attrgetter("_sofa")
_MOST_NOTES = 1000
"""Further notes are only counted."""


class CasBuilder(ABC):
    """Builds one document. `given` are the types beyond caspipe's own, or None."""

    id_name: ClassVar[str] = "xmi:id"
    """The name of ids in this format, for messages."""
    renumbered: ClassVar[bool] = False
    """True if the format assigns new ids instead of keeping those that the document was read with."""
    notes_key: ClassVar[str] = "xmi:notes"
    """The key of the metadata entry for the notes of lenient reading."""

    def __init__(self, types: TypeSystem, given: TypeSystem | None, lenient: bool) -> None:
        self.types, self.given, self.lenient = types, given, lenient
        self.notes: list[str] = []
        self.by_id: dict[int, Any] = {0: None}
        """Feature structures by id; Sofas too while reading."""
        self.references: list[tuple[Any, Field, Any]] = []
        """Features to set when all feature structures are known: the feature structure, the field, the id or ids."""
        self.absorbed: set[int] = set()
        """`id()` of POS annotations that became `Token.pos`."""
        self.sofas: dict[Any, Anchor] = {}
        """By the value that refers to a Sofa in this format."""
        self.sofa_ids: dict[int, Sofa] = {}
        self.row = 0
        """The current row."""
        self._anchors: dict[int, Anchor] = {}
        """By `id()` of a Sofa."""
        self._ids: dict[int, int] | None = None
        """`id()` of a feature structure to its id in the file, computed once."""

    # -- messages ------------------------------------------------------------------------------------------------

    @abstractmethod
    def place(self, row: int) -> str:
        """Return the position of a row in the file, for messages."""

    @abstractmethod
    def current_type(self) -> str:
        """Return the type of the current row."""

    @abstractmethod
    def safe_name(self, name: str) -> str:
        """Return the name of a type or feature as messages may show it."""

    @abstractmethod
    def row_with_id(self, number: int) -> int:
        """Return the row of a feature structure, for messages."""

    def fault(self, message: str, row: int | None = None) -> FormatError:
        return FormatError(f"{self.place(self.row if row is None else row)}: {message}")

    def note(self, message: str) -> None:
        self.notes.append(message)

    def fault_or_note(self, message: str) -> None:
        """Raise FormatError, or add a note if reading is lenient."""
        if not self.lenient:
            raise self.fault(message)
        self.note(message)

    def check_reused_id(self, number: int) -> int:
        """Return an id that is used again: a fault, or a note, and then the later element counts.

        A Sofa and another element may have the same id, as cassis writes it: references to a Sofa are unambiguous.
        """
        if number <= 0:
            raise self.fault(f"{self.id_name} 0 means null; expected a number above it")
        if number not in self.sofa_ids or self.by_id[number] is not self.sofa_ids[number]:
            self.fault_or_note(
                f"{self.id_name} {number} is used twice{', the later element counts' if self.lenient else ''}"
            )
        return number

    # -- Sofas ---------------------------------------------------------------------------------------------------

    def add_sofa(
        self, cas: Cas, key: Any, number: int, name: str, text: str | None, mime: str, uri: str | None, array: Any
    ) -> None:
        """Add a Sofa and its view. Annotations refer to it by `key`."""
        if number in self.sofa_ids or not number > 0 or cas.has_view(name):
            raise self.fault(f"two Sofas with the same {self.id_name} or sofaID")
        view = cas.create_view(name, text, mime=mime, uri=uri, array=array)
        self.sofa_ids[number] = view.sofa
        self.by_id.setdefault(number, view.sofa)  # its own array may have the id already
        self.sofas[key] = self._anchor(view.sofa)

    def complete_sofas(self, absent: Any, null: Any) -> None:
        """Assign annotations that name no Sofa (`absent`, or `null` as UIMA for C++ writes it) to the only Sofa, or to none."""
        if len(self.sofas) == 1:
            self.sofas[absent] = next(iter(self.sofas.values()))
        else:  # UIMA accepts such an annotation as long as no view lists it
            self.sofas[absent] = None, 2**31, self._converter(Utf16(""), 2**31) if self.lenient else None
        self.sofas.setdefault(null, self.sofas[absent])

    def _anchor(self, sofa: Sofa) -> Anchor:
        anchor = self._anchors.get(id(sofa))
        if anchor is None:
            units = Utf16(sofa.text or "")
            limit = 2**31 if sofa.text is None else units.length
            anchor = sofa, limit, self._converter(units, limit) if units or self.lenient else None
            self._anchors[id(sofa)] = anchor
        return anchor

    def _converter(self, units: Utf16, limit: int) -> Callable[[int, int], tuple[int, int]]:
        """Return a function that checks a pair of UTF-16 offsets and converts it to code points."""

        def convert(begin: int, end: int) -> tuple[int, int]:
            if not 0 <= begin <= end <= limit:
                if not self.lenient:
                    raise ValueFault(f"offsets {begin}:{end} lie outside the text (0:{limit} in UTF-16 code units)")
                self.note(f"{self.current_type()} {begin}:{end} moved into the text (0:{limit})")
                begin, end = max(0, min(begin, end, limit)), min(limit, max(begin, end, 0))
            if not units:
                return begin, end
            if units.splits_pair(begin) or units.splits_pair(end):
                if not self.lenient:
                    raise ValueFault(f"offsets {begin}:{end} (UTF-16 code units) divide a character of two units")
                self.note(f"{self.current_type()} {begin}:{end} widened to whole characters")
            return units.from_utf16(begin), units.from_utf16(end, up=True)

        return convert

    # -- feature structures --------------------------------------------------------------------------------------

    def plan_named(self, name: str) -> Plan:
        """Return the plan of a type of the document."""
        try:
            return plan_for(self.types[name], self.types)
        except TypeSystemError:
            raise self.fault(f"no type {self.safe_name(name)} in the type system{nearest(name, self.types)}") from None
        except CasError as e:
            raise self.fault(str(e)) from None

    def decode_rows(self, plan: Plan, decode: Callable[[int], int], i: int) -> int:
        """Decode rows from `i` on and return the first row that was not decoded. The current row is row `i`.

        An id that is in use is released if reading is lenient; other faults of a row are raised with its position.
        """
        offset = self.row - i
        while True:
            try:
                return decode(i) + offset
            except RowFault as e:
                i, self.row, cause = e.row, e.row + offset, e.__cause__
                if isinstance(cause, IdInUse):
                    del self.by_id[self.check_reused_id(cause.args[0])]
                elif isinstance(cause, ValueFault):
                    if self.repair_row(plan):
                        return self.row
                    raise self.fault(f"{plan.name}: {cause}") from None
                elif isinstance(cause, UnknownFeature):
                    hint = nearest(cause.feature, [f.name for f in plan.fields])
                    raise self.fault(f"{plan.name} has no feature {self.safe_name(cause.feature)}{hint}") from None
                elif isinstance(cause, MissingId):
                    raise self.fault(f"{plan.name} without {self.id_name}") from None
                elif isinstance(cause, ValueError | OverflowError):
                    raise self.fault(f"{plan.name}: a number of too many digits") from None
                else:
                    raise self.fault(f"{plan.name}{self.sofa_fault()}") from None

    def repair_row(self, plan: Plan) -> bool:
        """Repair the current row if reading is lenient. Return whether it should be decoded again."""
        return False

    def sofa_fault(self) -> str:
        """Return why the Sofa of the current row is not known."""
        return ": its sofa is not in the document"

    def mismatch(self, item: Any, f: Field, number: Any, target: Any) -> None:
        """Report a reference to nothing (None), or to a feature structure of another type: a fault, or a note."""
        message = f"{type(item).uima_name}: feature {f.name} refers to {self.id_name} {number}"
        if target is None:
            message += ", which is not in the document"
        else:
            actual = "uima.cas.Sofa" if isinstance(target, Sofa) else type(target).uima_name
            message += f": expected {f.range}, got {actual}"
        self.fault_or_note_of(item, message)

    def fault_or_note_of(self, item: Any, message: str) -> None:
        """Raise FormatError with the position of a feature structure, or add a note if reading is lenient."""
        if not self.lenient:
            number = next((n for n, x in self.by_id.items() if x is item), 0)
            raise self.fault(message, self.row_with_id(number))
        self.note(message)

    # -- views and the end ---------------------------------------------------------------------------------------

    def fill(self, view: View, members: list[int]) -> None:
        """Index the members of a view."""
        by_id, sofa = self.by_id, view.sofa
        if len(set(members)) < len(members):
            members = list(dict.fromkeys(members))
        items: list[Any] = list(map(by_id.get, members))
        if self.absorbed:
            items = [m for m in items if id(m) not in self.absorbed]
        groups: dict[Any, list[Any]] = defaultdict(list)
        for item in items:
            groups[item.__class__].append(item)
        for cls, group in groups.items():
            if issubclass(cls, AnnotationBase):
                if set(map(_sofa_of, group)) != {sofa}:
                    groups[cls] = [m for m in group if m._sofa is sofa or self._adopt(m, view)]
            elif not issubclass(cls, FeatureStructure):
                groups[cls] = []
                for number in (
                    members if cls is not Sofa else ()
                ):  # UIMA accepts a Sofa as a member, but does not index it
                    if by_id.get(number) is None:
                        self.fault_or_note(
                            f"View {shown(view.name)}: member {number} is not a feature structure of the document"
                        )
        for cls, group in groups.items():
            view.fill(cls, group)

    def _adopt(self, item: Any, view: View) -> bool:
        """Assign an annotation without a Sofa to the view that lists it, if reading is lenient."""
        if self._ids is None:
            self._ids = {id(x): n for n, x in self.by_id.items()}
        member = f"View {shown(view.name)}: member {self._ids[id(item)]} ({type(item).uima_name})"
        if item._sofa is not None:
            self.fault_or_note(f"{member} belongs to another Sofa")
            return False
        self.fault_or_note(f"{member} names no Sofa")
        item._sofa, _, convert = self._anchor(view.sofa)
        if isinstance(item, Annotation) and convert is not None:
            item._begin, item._end = convert(item._begin, item._end)
        return True

    def finish(self, cas: Cas, name: str, with_records: bool) -> Cas:
        """Set the origin, id and metadata of the document, once all views are filled."""
        absorbed = [n for n, x in self.by_id.items() if id(x) in self.absorbed] if self.absorbed else []
        for number in (0, *absorbed):
            del self.by_id[number]
        shared = {n for n, sofa in self.sofa_ids.items() if self.by_id.get(n, sofa) is not sofa}
        for number in self.sofa_ids.keys() - shared:
            self.by_id.pop(number, None)
        if self.by_id and not 0 < min(self.by_id) <= max(self.by_id) < 2**31:
            raise self.fault(f"expected {self.id_name}s from 1 to 2147483647", 0)
        cas.origin = Origin(self.by_id, {s.name: 0 if n in shared else n for n, s in self.sofa_ids.items()})
        if with_records:
            read_records(cas, self.by_id, self.fault, renumbered=self.renumbered)
        cas.id = name or document_id(cas)
        if len(self.by_id) > sum(view.count(FeatureStructure) for view in cas.views):  # some are in no view
            reached = Collector(cas, self.types).reached()
            cas.origin.unreached = [x for x in self.by_id.values() if id(x) not in reached and not _is_list_end(x)]
        if self.notes:
            more = len(self.notes) - _MOST_NOTES
            notes = [*self.notes[:_MOST_NOTES], f"and {more} more"] if more > 0 else self.notes
            cas.metadata[self.notes_key] = "; ".join(notes)
        return cas


def _is_list_end(item: Any) -> bool:
    """Return whether a feature structure is the end of a list, which carries no information."""
    return isinstance(item, ListBase) and not isinstance(item, ListNode | ArrayBase)
