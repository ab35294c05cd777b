"""Read XMI, UIMA's XML format for documents.

bytes -> parse -> rows -> [rename, infer types, repair] -> decode -> resolve references -> index -> document
         parse.py         repair.py, inference.py          decode.py       (only lenient reading does the stages in brackets)
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ..arrays import ARRAYS, ArrayBase, linked
from ..cas import INITIAL_VIEW, Cas
from ..description import STRING, TOP
from ..errors import FormatError
from ..garbage_collection import garbage_collection_paused
from ..markup.safe_xml import read_bytes
from ..text import Sofa
from ..typesystem import TypeSystem, own_types
from .builtin_features import RECORDS, lost_texts_of, resolve_pos_links
from .decode import ValueFault, decoder, list_of
from .inference import extend_types
from .parse import NULL, SOFA, VIEW, Child, parse, type_name
from .plan import Field, Plan
from .repair import rename, repair
from .xmi_builder import XmiBuilder, xmi_id


def read_xmi(
    source: bytes | str | Path, typesystem: TypeSystem | None = None, *, lenient: bool = False, id: str = ""
) -> Cas:
    """Return the document of XMI: bytes, or the path of a file.

    `typesystem`: the types beyond caspipe's own. `id`: name of the document; by default that of its DocumentMetaData.
    Strict reading refuses everything that does not conform. Lenient reading keeps unknown types and features (they are written
    again), sets dangling references to null and moves offsets into the text, each with a note in `metadata["xmi:notes"]`.

    Raises FormatError, which names file, line and column, and OSError. Messages contain no text of the document.
    """
    data, where = read_bytes(source)
    with garbage_collection_paused():
        rows = parse(data, where, lenient=lenient)
        types = typesystem or own_types()
        if lenient:
            if rows.elements and not any(name.startswith("http:///uima/cas.ecore") for name, _ in rows.elements):
                raise FormatError(f"{rows.place(0)}: no element of UIMA's own in this document: another kind of XMI")
            rename(rows)
            types = extend_types(types, rows)
            typesystem = types if types is not own_types() else None
            repair(rows, types)
        return _Reader(rows, types, typesystem, lenient).read(id)


class _Reader(XmiBuilder):
    def read(self, name: str) -> Cas:
        cas = Cas(typesystem=self.given)
        names = [element for element, _ in self.rows.elements]
        with_records = not RECORDS.isdisjoint(names)
        lost = lost_texts_of(self.rows) if with_records else {}
        self.read_sofas(cas, [i for i, element in enumerate(names) if element == SOFA], lost)
        self._decode()
        self._resolve()
        self._fill_views(cas, [i for i, element in enumerate(names) if element == VIEW])
        return self.finish(cas, name, with_records)

    # -- feature structures --------------------------------------------------------------------------------------

    def _decode(self) -> None:
        elements, children = self.rows.elements, self.rows.children
        plans: dict[str, Plan] = {}
        with_children = iter(children)  # in the order of rows
        stop = next(with_children, len(elements))
        i = 0
        while i < len(elements):
            self.row = i
            name, attributes = elements[i]
            while stop < i:
                stop = next(with_children, len(elements))
            if name in (SOFA, VIEW, NULL):
                i += 1
                continue
            plan = plans.get(name) or plans.setdefault(name, self._plan(name))
            if issubclass(plan.cls, ArrayBase):
                if i not in self.array_ids:
                    self.read_array(plan.cls, i)
                i += 1
            elif i == stop:
                attributes, collections = self._with_children(plan, attributes, children[i])
                self._decode_rows(plan, [(name, attributes)], 0, 1)
                item = next(reversed(self.by_id.values()))
                self.references += [(item, f, value) for f, value in collections]
                i += 1
            else:
                i = self._decode_rows(plan, elements, i, stop)

    def _decode_rows(self, plan: Plan, rows: list[tuple[str, dict[str, str]]], i: int, stop: int) -> int:
        """Decode rows from `i` on with the same name; return the first row that was not decoded."""
        name = rows[i][0]
        decode = decoder(plan, self.rows.id_name, self.lenient)
        add = self.references.append
        return self.decode_rows(
            plan, lambda i: decode(rows, i, stop, name, self.by_id, self.sofas, self.floats, add), i
        )

    def _plan(self, element: str) -> Plan:
        name = type_name(element)
        if name is None:
            raise self.fault(
                f"element {element.rpartition(' ')[2]}: its namespace is not one of UIMA's (http:///....ecore)"
            )
        plan = self.plan_named(name)
        if plan.unfit or (issubclass(plan.cls, ArrayBase) and name not in ARRAYS):
            raise self.fault(plan.unfit or f"{name}: expected one of the arrays below it")
        return plan

    def _with_children(
        self, plan: Plan, attributes: dict[str, str], children: list[Child]
    ) -> tuple[dict[str, str], list[tuple[Field, Any]]]:
        """Return the attributes with the features written as elements, and separately the collections of strings."""
        fields = {f.name: f for f in plan.fields}
        grouped: dict[str, list[Child]] = {}
        for child in children:
            grouped.setdefault(child.feature, []).append(child)
        attributes = dict(attributes)
        collections: list[tuple[Field, Any]] = []
        for name, several in grouped.items():
            f = fields.get(name)
            texts = [c.value for c in several]
            if f is not None and f.kind == "array" and f.element == STRING:
                collections.append((f, [None if c.null else c.text for c in several]))
            elif f is not None and f.kind == "array":
                is_bytes = f.element == "uima.cas.Byte"
                attributes[name] = self.hexadecimal(texts, plan.name) if is_bytes else " ".join(texts)
            elif f is not None and f.kind == "shared" and self.lenient:
                collections.append((f, texts))
            elif len(several) > 1:
                raise self.fault(f"{plan.name}: feature {name} is given {len(several)} times")
            elif not several[0].null:
                attributes[name] = texts[0]
        return attributes, collections

    # -- references ----------------------------------------------------------------------------------------------

    def _resolve(self) -> None:
        """Set the features that refer to other feature structures."""
        by_id = self.by_id
        links = [(item, text, f) for item, f, text in self.references if f.kind == "pos" and text not in ("", "0")]
        if links:
            others = [text for _, f, text in self.references if f.kind != "pos" and isinstance(text, str)]
            targets = [(token, xmi_id(text), self._target(text, token, f)) for token, text, f in links]
            known = [(token, n) for token, n, target in targets if target is not None and n is not None]
            self.absorbed = resolve_pos_links(by_id, known, others)
        for item, f, text in self.references:
            if f.kind == "ref" or f.kind == "shared":
                if text:
                    number = int(text) if text.__class__ is str and text.isdecimal() and len(text) < 11 else 0
                    target = by_id.get(number)
                    if target is None or not isinstance(target, f.target):
                        target = self._target(text, item, f)
                    setattr(item, f.attribute, target)
            elif isinstance(text, list):
                setattr(item, f.attribute, text)
            elif f.kind == "elements":
                item.extend(self._targets(text, item, f))
            elif f.kind != "pos":
                setattr(item, f.attribute, self._targets(text, item, f))

    def _targets(self, text: str, item: Any, f: Field) -> list[Any]:
        by_id, ids = self.by_id, text.split()
        targets = [by_id.get(int(t)) if t.isdecimal() and len(t) < 11 else None for t in ids]
        return [self._target(t, item, f) for t in ids] if None in targets else targets

    def _target(self, text: Any, item: Any, f: Field) -> Any:
        """Return the feature structure with an id, or None for 0.

        A dangling id, or one of another type, is a fault, or null with a note. In lenient reading, a feature of a run-time
        class keeps a feature structure of another type, and a shared array may be written inline.
        """
        if text in ("0", ""):
            return None
        number = xmi_id(text) if isinstance(text, str) else None
        target = (self.sofa_ids if f.target is Sofa else self.by_id).get(number or 0)
        if target is not None and isinstance(target, f.target):
            return target
        if self.lenient and f.kind == "shared" and (array := self._inline_array(text, item, f)) is not None:
            self.note(f"{type(item).uima_name}: feature {f.name} holds its {f.range} inline")
            return array
        if number == 0:
            return None
        if number is None:
            self.fault_or_note_of(item, f"{type(item).uima_name}: feature {f.name}: expected one xmi:id")
        else:
            self.mismatch(item, f, number, target)
        kept = f.kind == "pos" or (f.kind == "ref" and f.python is object)
        return target if kept and not isinstance(target, Sofa) else None

    def _inline_array(self, text: str | list[str], item: Any, f: Field) -> Any:
        """Return the array or list that was written in place of its id, or None if the text is not one."""
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

    # -- views ---------------------------------------------------------------------------------------------------

    def _fill_views(self, cas: Cas, rows: list[int]) -> None:
        for self.row in rows:
            attributes = self.attributes(self.row)
            for feature in ("deleted_members", "reindexed_members"):
                if attributes.get(feature):
                    self.fault_or_note(f"View with {feature}: expected a whole document, not the changes to one")
            number = attributes.get("sofa", "0")
            if number in ("0", ""):
                view = cas.view() if cas.has_view(INITIAL_VIEW) else cas.create_view(INITIAL_VIEW, None, mime="")
            elif (sofa := self.sofa_with_id(number)) is not None:
                view = cas.view(sofa.name)
            else:
                self.fault_or_note("View of a Sofa that is not in the document")
                continue
            members = f"{attributes.get('members', '')} {attributes.get('added_members', '')}".split()
            self.fill(view, [int(m) if m.isdecimal() and len(m) < 11 else self._member(m, view.name) for m in members])

    def _member(self, text: str, view: str) -> int:
        number = xmi_id(text)
        if number is None:
            self.fault_or_note(f"View {view}: expected members as xmi:ids")
        return -1 if number is None else number
