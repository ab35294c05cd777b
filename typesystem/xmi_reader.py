"""Reads XMI, UIMA's XML form of documents: strictly, or keeping what it does not know."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

from .annotation import AnnotationBase, FeatureStructure
from .arrays import ArrayBase
from .cas import INITIAL_VIEW, Cas
from .description import STRING, nearest
from .errors import CasError, TypeSystemError
from .inference import extended
from .origin import Origin
from .safe_xml import read_bytes
from .text import Sofa
from .typesystem import TypeSystem, own_types
from .view import View
from .xmi_decode import RowFault, Taken, UnknownFeature, ValueFault, decoder
from .xmi_edge import RECORDS, document_id, lost_texts, read_records, settle_tags
from .xmi_graph import Collector
from .xmi_ground import Reading
from .xmi_parse import NULL, SOFA, VIEW, Child, parse, type_name
from .xmi_plan import Field, Plan, plan_for


def read_xmi(
    source: bytes | str | Path, typesystem: TypeSystem | None = None, *, lenient: bool = False, id: str = ""
) -> Cas:
    """A document from XMI: bytes, or the path of a file.

    `typesystem`: the types beyond caspipe's own. `id`: name of the document; by default what its DocumentMetaData says.
    Strict reading refuses whatever does not fit. Lenient reading keeps unknown types and features (they are written again),
    lets dangling references be null and moves offsets into the text, each with a note in `metadata["xmi:notes"]`.

    Raises FormatError naming file, line and column, and OSError. Never shows text of the document.
    """
    data, where = read_bytes(source)
    collecting = gc.isenabled()
    gc.disable()  # nothing here is garbage yet: looking for it again and again takes as long as reading a large document
    try:
        rows = parse(data, where)
        types = typesystem or own_types()
        if lenient:
            types = extended(types, rows)
            typesystem = types if types is not own_types() else None
        return _Reader(rows, types, typesystem, lenient).read(id)
    finally:
        if collecting:
            gc.enable()


_sofa_of = attrgetter("_sofa")


class _Reader(Reading):
    def read(self, name: str) -> Cas:
        cas = Cas(typesystem=self.given)
        names = [element for element, _ in self.rows.elements]
        with_records = not RECORDS.isdisjoint(names)
        lost = lost_texts(self.rows) if with_records else {}
        self.read_sofas(cas, [i for i, element in enumerate(names) if element == SOFA], lost)
        self._instances()
        self._resolve()
        self._views(cas, [i for i, element in enumerate(names) if element == VIEW])
        self._forget()
        if self.by_id and not 0 < min(self.by_id) <= max(self.by_id) < 2**31:
            raise self.fault("expected xmi:ids from 1 to 2147483647", 0)
        cas._origin = Origin(self.by_id, {s.name: n for n, s in self.sofa_ids.items()})
        if with_records:
            read_records(cas, self.by_id, self.fault)
        cas.id = name or document_id(cas)
        if self.lenient:
            collector = Collector(cas, self.types, None, None, False)
            collector.collect()
            reached = collector.reached()
            cas._origin.strays = [x for x in self.by_id.values() if id(x) not in reached]
        if self.notes:
            cas.metadata["xmi:notes"] = "; ".join(self.notes)
        return cas

    def _forget(self) -> None:
        """Leaves only feature structures of the document in `by_id`."""
        gone = [n for n, x in self.by_id.items() if id(x) in self.gone] if self.gone else []
        for number in (0, *self.sofa_ids, *gone):
            del self.by_id[number]

    # -- feature structures --------------------------------------------------------------------------------------

    def _instances(self) -> None:
        elements, children = self.rows.elements, self.rows.children
        plans: dict[str, Plan] = {}
        i = 0
        while i < len(elements):
            self.at = i
            name, x = elements[i]
            if name in (SOFA, VIEW, NULL):
                i += 1
                continue
            plan = plans.get(name) or plans.setdefault(name, self._plan(name))
            if issubclass(plan.cls, ArrayBase):
                if i not in self.row_of:
                    self.read_array(plan.cls, i)
                i += 1
            elif i in children:
                flat, late = self._with_children(plan, x, children[i])
                first = len(self.by_id)
                self._make(plan, [(name, flat)], 0, 1)
                item = next(reversed(self.by_id.values())) if len(self.by_id) > first else None
                self.fixes += [(item, f, value) for f, value in late if item is not None]
                i += 1
            else:
                stop = next((c for c in children if c > i), len(elements))
                i = self._make(plan, elements, i, stop)

    def _make(self, plan: Plan, rows: list[tuple[str, list[str]]], i: int, stop: int) -> int:
        """Makes instances of rows alike from `i` on; returns the first row not done."""
        name, x = rows[i]
        make = self._decoder(plan, tuple(x[::2]))
        start = self.at - i
        while True:
            try:
                return make(rows, i, stop, name, self.by_id, self.sofas, self.floats, self.fixes.append)
            except RowFault as e:
                i = e.row
                self.at = start + i
                cause = e.__cause__
                if isinstance(cause, Taken):
                    del self.by_id[self.twice(cause.args[0])]
                elif isinstance(cause, ValueFault):
                    raise self.fault(f"{plan.name}: {cause}") from None
                elif isinstance(cause, ValueError):
                    raise self.fault(f"{plan.name}: a number of too many digits") from None
                elif self.sofas and "sofa" not in rows[i][1][::2]:
                    raise self.fault(f"{plan.name} without sofa, in a document with several") from None
                else:
                    raise self.fault(f"{plan.name}: its sofa is not in the document") from None

    def _plan(self, element: str) -> Plan:
        name = type_name(element)
        if name is None:
            raise self.fault(
                f"element {element.rpartition(' ')[2]}: its namespace is not one of UIMA's (http:///....ecore)"
            )
        try:
            return plan_for(self.types[name], self.types)
        except TypeSystemError:
            hint = nearest(name, self.types)
            raise self.fault(f"no type {name} in the type system{hint}") from None
        except CasError as e:
            raise self.fault(str(e)) from None

    def _decoder(self, plan: Plan, keys: tuple[str, ...]) -> Callable[..., int]:
        if self.rows.id_name not in keys:
            raise self.fault(f"{plan.name} without xmi:id")
        try:
            return decoder(plan, keys, self.rows.id_name, self.lenient)
        except UnknownFeature as e:
            hint = nearest(e.feature, [f.name for f in plan.fields])
            raise self.fault(f"{plan.name} has no feature {e.feature.rpartition(' ')[2]}{hint}") from None

    def _with_children(
        self, plan: Plan, x: list[str], children: list[Child]
    ) -> tuple[list[str], list[tuple[Field, Any]]]:
        """Attributes with the features that came as elements; string collections are set afterwards."""
        fields = {f.name: f for f in plan.fields}
        grouped: dict[str, list[Child]] = {}
        for child in children:
            grouped.setdefault(child.feature, []).append(child)
        x = list(x)
        late: list[tuple[Field, Any]] = []
        for name, several in grouped.items():
            f = fields.get(name)
            texts = [c.href if c.href is not None else c.text for c in several]
            if f is not None and f.kind == "array" and f.element == STRING:
                late.append((f, [None if c.null else c.text for c in several]))
            elif f is not None and f.kind == "array" and f.element == "uima.cas.Byte":
                x += [name, self.hexadecimal(texts, plan.name)]
            elif f is not None and f.kind == "array":
                x += [name, " ".join(texts)]
            elif len(several) > 1:
                raise self.fault(f"{plan.name}: feature {name} is given {len(several)} times")
            elif not several[0].null:
                x += [name, texts[0]]
        return x, late

    # -- references ----------------------------------------------------------------------------------------------

    def _resolve(self) -> None:
        """Sets what refers to other feature structures."""
        by_id = self.by_id
        links = [(item, text, f) for item, f, text in self.fixes if f.kind == "pos" and text not in ("", "0")]
        if links:
            others = [text for _, f, text in self.fixes if f.kind != "pos" and isinstance(text, str)]
            self.gone = settle_tags(by_id, self._known_links(links), others)
        for item, f, text in self.fixes:
            if f.kind == "ref" or f.kind == "shared":
                if text:
                    target = by_id.get(int(text)) if text.isdecimal() else None
                    if target is None or not isinstance(target, f.target):
                        target = self._target(text, item, f)
                    setattr(item, f.attribute, target)
            elif isinstance(text, list):
                setattr(item, f.attribute, text)
            elif f.kind != "pos":
                found = [by_id.get(int(t)) if t.isdecimal() else None for t in text.split()]
                if None in found:
                    found = [self._target(t, item, f) for t in text.split()]
                if f.kind == "elements":
                    item.extend(found)
                else:
                    setattr(item, f.attribute, found)

    def _known_links(self, links: list[tuple[Any, str, Field]]) -> list[tuple[Any, int]]:
        return [(token, int(text)) for token, text, f in links if self._target(text, token, f) is not None]

    def _target(self, text: str, item: Any, f: Field) -> Any:
        """What an id stands for: None for 0. A dangling one, or one of another type, is a fault, or null with a note."""
        if text in ("0", ""):
            return None
        of = type(item).uima_name
        if not (text.isdecimal() and text.isascii()):
            raise self.fault(f"{of}: feature {f.name}: expected one xmi:id", self._row_of(item))
        target = self.by_id.get(int(text)) if len(text) <= 10 else None
        if target is not None and isinstance(target, f.target):
            return target
        if target is None:
            message = f"{of}: feature {f.name} refers to xmi:id {text}, which is not in the document"
        else:
            found = "uima.cas.Sofa" if isinstance(target, Sofa) else type(target).uima_name
            message = f"{of}: feature {f.name} refers to xmi:id {text}: expected {f.range}, got {found}"
        if not self.lenient:
            raise self.fault(message, self._row_of(item))
        self.note(message)
        return None

    def _row_of(self, item: Any) -> int:
        number = next((n for n, x in self.by_id.items() if x is item), 0)
        name = self.rows.id_name
        for i, (_, x) in enumerate(self.rows.elements):
            if name in x[::2] and x[2 * x[::2].index(name) + 1] == str(number):
                return i
        return 0

    # -- views ---------------------------------------------------------------------------------------------------

    def _views(self, cas: Cas, found: list[int]) -> None:
        for self.at in found:
            attributes = self.attributes(self.at)
            for feature in ("deleted_members", "reindexed_members"):
                if attributes.get(feature):
                    raise self.fault(f"View with {feature}: expected a whole document, not the changes to one")
            number = attributes.get("sofa", "0")
            if number in ("0", ""):
                view = cas.view() if cas.has_view(INITIAL_VIEW) else cas.create_view(INITIAL_VIEW, None, mime="")
            elif number.isdecimal() and int(number) in self.sofa_ids:
                view = cas.view(self.sofa_ids[int(number)].name)
            else:
                raise self.fault("View of a Sofa that is not in the document")
            self._fill(view, f"{attributes.get('members', '')} {attributes.get('added_members', '')}".split())

    def _fill(self, view: View, members: list[str]) -> None:
        by_id, sofa = self.by_id, view.sofa
        try:
            items: list[Any] = list(map(by_id.get, map(int, members)))
        except ValueError:
            raise self.fault(f"View {view.name}: expected members as xmi:ids") from None
        if self.gone:
            items = [m for m in items if id(m) not in self.gone]
        groups: dict[Any, list[Any]] = defaultdict(list)
        for item in items:
            groups[item.__class__].append(item)
        for cls, group in groups.items():
            if issubclass(cls, AnnotationBase):
                if set(map(_sofa_of, group)) != {sofa}:
                    for m in group:
                        if m._sofa is not sofa:
                            self._stray(members, m, view.name)
                    groups[cls] = [m for m in group if m._sofa is sofa]
            elif not issubclass(cls, FeatureStructure):
                for number in members:
                    if not isinstance(by_id.get(int(number)), FeatureStructure):
                        self._stray([number], None, view.name)
                groups[cls] = []
        for cls, group in groups.items():
            view.fill(cls, group)

    def _stray(self, members: list[str], item: Any, view: str) -> None:
        if item is None:
            message = f"View {view}: member {members[0]} is no feature structure of the document"
        else:
            number = next(m for m in members if self.by_id.get(int(m)) is item)
            message = f"View {view}: member {number} ({type(item).uima_name}) belongs to another Sofa"
        if not self.lenient:
            raise self.fault(message)
        self.note(message)
