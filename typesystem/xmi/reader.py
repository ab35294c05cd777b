"""Reads XMI, UIMA's XML form of documents: strictly, or keeping what it does not know."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..arrays import ARRAYS, ArrayBase, linked
from ..cas import INITIAL_VIEW, Cas
from ..description import STRING, TOP, nearest
from ..errors import CasError, FormatError, TypeSystemError
from ..markup.safe_xml import read_bytes
from ..text import Sofa
from ..typesystem import TypeSystem, own_types
from .builtin_features import RECORDS, lost_texts, settle_tags
from .decode import RowFault, Taken, UnknownFeature, ValueFault, decoder, list_of
from .inference import extended
from .parse import NULL, SOFA, VIEW, Child, parse, type_name
from .plan import Field, Plan, plan_for
from .repair import rename, repair
from .xmi_builder import Reading, xmi_id


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
        rows = parse(data, where, lenient=lenient)
        types = typesystem or own_types()
        if lenient:
            if rows.elements and not any(name.startswith("http:///uima/cas.ecore") for name, _ in rows.elements):
                raise FormatError(f"{rows.place(0)}: no element of UIMA's own in this document: another kind of XMI")
            rename(rows)
            types = extended(types, rows)
            typesystem = types if types is not own_types() else None
            repair(rows, types)
        return _Reader(rows, types, typesystem, lenient).read(id)
    finally:
        if collecting:
            gc.enable()


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
        return self.finish(cas, name, with_records)

    # -- feature structures --------------------------------------------------------------------------------------

    def _instances(self) -> None:
        elements, children = self.rows.elements, self.rows.children
        plans: dict[str, Plan] = {}
        with_children = iter(children)  # in the order of rows
        stop = next(with_children, len(elements))
        i = 0
        while i < len(elements):
            self.at = i
            name, x = elements[i]
            while stop < i:
                stop = next(with_children, len(elements))
            if name in (SOFA, VIEW, NULL):
                i += 1
                continue
            plan = plans.get(name) or plans.setdefault(name, self._plan(name))
            if issubclass(plan.cls, ArrayBase):
                if i not in self.row_of:
                    self.read_array(plan.cls, i)
                i += 1
            elif i == stop:
                flat, late = self._with_children(plan, x, children[i])
                self._make(plan, [(name, flat)], 0, 1)
                item = next(reversed(self.by_id.values()))
                self.fixes += [(item, f, value) for f, value in late]
                i += 1
            else:
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
                else:
                    raise self.fault(f"{plan.name}: its sofa is not in the document") from None

    def _plan(self, element: str) -> Plan:
        name = type_name(element)
        if name is None:
            raise self.fault(
                f"element {element.rpartition(' ')[2]}: its namespace is not one of UIMA's (http:///....ecore)"
            )
        try:
            plan = plan_for(self.types[name], self.types)
        except TypeSystemError:
            hint = nearest(name, self.types)
            raise self.fault(f"no type {name} in the type system{hint}") from None
        except CasError as e:
            raise self.fault(str(e)) from None
        if plan.unfit or (issubclass(plan.cls, ArrayBase) and name not in ARRAYS):
            raise self.fault(plan.unfit or f"{name}: expected one of the arrays below it")
        return plan

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
            elif f is not None and f.kind == "shared" and self.lenient:
                late.append((f, texts))
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
                    number = int(text) if text.__class__ is str and text.isdecimal() and len(text) < 11 else 0
                    target = by_id.get(number)
                    if target is None or not isinstance(target, f.target):
                        target = self._target(text, item, f)
                    setattr(item, f.attribute, target)
            elif isinstance(text, list):
                setattr(item, f.attribute, text)
            elif f.kind != "pos":
                found = self._targets(text, item, f)
                if f.kind == "elements":
                    item.extend(found)
                else:
                    setattr(item, f.attribute, found)

    def _targets(self, text: str, item: Any, f: Field) -> list[Any]:
        by_id, ids = self.by_id, text.split()
        found = [by_id.get(int(t)) if t.isdecimal() and len(t) < 11 else None for t in ids]
        return [self._target(t, item, f) for t in ids] if None in found else found

    def _known_links(self, links: list[tuple[Any, str, Field]]) -> list[tuple[Any, int]]:
        found = [(token, xmi_id(text), self._target(text, token, f)) for token, text, f in links]
        return [(token, number) for token, number, target in found if target is not None and number is not None]

    def _target(self, text: Any, item: Any, f: Field) -> Any:
        """What an id stands for: None for 0. A dangling one is a fault, or null with a note; so is one of another type.

        Leniently, a feature of a run-time class keeps what is of another type, and a shared array may stand inline.
        """
        if text in ("0", ""):
            return None
        of = type(item).uima_name
        number = xmi_id(text) if isinstance(text, str) else None
        target = (self.sofa_ids if f.target is Sofa else self.by_id).get(number or 0)
        if target is not None and isinstance(target, f.target):
            return target
        if self.lenient and f.kind == "shared" and (array := self._inline(text, item, f)) is not None:
            self.note(f"{of}: feature {f.name} holds its {f.range} inline")
            return array
        if number == 0:
            return None
        message = (
            f"{of}: feature {f.name}: expected one xmi:id" if number is None else self.misfit(of, f, number, target)
        )
        if not self.lenient:
            raise self.fault(message, self._row_of(item))
        self.note(message)
        kept = f.kind == "pos" or (f.kind == "ref" and f.python is object)
        return target if kept and not isinstance(target, Sofa) else None

    def _inline(self, text: str | list[str], item: Any, f: Field) -> Any:
        """An array or list that should be an element of its own, as it stands in the place of its id; None if it is none."""
        try:
            if f.element == STRING:
                values: Any = text if isinstance(text, list) else text.split()
            else:
                text = " ".join(text) if isinstance(text, list) else text
                values = self._targets(text, item, replace(f, kind="ref", target=object)) if f.element == TOP else None
                values = list_of(text, f.element, self.floats) if values is None else values
        except ValueFault:
            return None
        return ARRAYS[f.range](values) if f.range in ARRAYS else linked(f.range, values)

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
                    self.stray(f"View with {feature}: expected a whole document, not the changes to one")
            number = attributes.get("sofa", "0")
            if number in ("0", ""):
                view = cas.view() if cas.has_view(INITIAL_VIEW) else cas.create_view(INITIAL_VIEW, None, mime="")
            elif (sofa := self.sofa_of(number)) is not None:
                view = cas.view(sofa.name)
            else:
                self.stray("View of a Sofa that is not in the document")
                continue
            members = f"{attributes.get('members', '')} {attributes.get('added_members', '')}".split()
            self.fill(view, [int(m) if m.isdecimal() and len(m) < 11 else self._member(m, view.name) for m in members])

    def _member(self, text: str, view: str) -> int:
        number = xmi_id(text)
        if number is None:
            self.stray(f"View {view}: expected members as xmi:ids")
        return -1 if number is None else number
