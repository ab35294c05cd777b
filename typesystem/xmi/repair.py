"""Repair the rows of a document before lenient reading decodes them, with a note for each change.

Notes contain types, features and numbers, but no text of the document.
"""

from __future__ import annotations

import unicodedata
from collections import Counter

from ..annotation import AnnotationBase
from ..arrays import ARRAYS, ELEMENTS, ArrayBase
from ..cas import INITIAL_VIEW
from ..description import STRING, TOP
from ..errors import CasError, TypeSystemError
from ..typesystem import TypeSystem
from .decode import FloatCache, ValueFault, enumeration, list_of, one
from .graph import unused_ids
from .parse import NULL, SOFA, VIEW, Rows, package_uri, type_name
from .plan import Field, Plan, plan_for
from .xmi_builder import OLD_VIEW, SOFA_FEATURES, xmi_id

_PLACE = ("sofa", "begin", "end")


def rename(rows: Rows) -> None:
    """Rename the types and features whose names UIMA does not allow, with a note."""
    elements: dict[str, str] = {}
    features: dict[str, str] = {}
    for i, (element, attributes) in enumerate(rows.elements):
        if element not in elements:
            elements[element] = _legal_element(element)
        for key in attributes:
            if key not in features:
                features[key] = key if " " in key else _legal(key)
        if elements[element] != element or any(features[k] != k for k in attributes):
            rows.elements[i] = elements[element], {features[k]: v for k, v in attributes.items()}
    for several in rows.children.values():
        for child in several:
            child.feature = features.setdefault(child.feature, _legal(child.feature))
    for before, after in [*elements.items(), *features.items()]:
        if before != after:
            rows.notes.append(
                f"{before.rpartition(' ')[2]}: UIMA does not allow this name: read as {after.rpartition(' ')[2]}"
            )


def _legal_element(element: str) -> str:
    name = type_name(element)
    parts = [_legal(p) for p in (name or element.rpartition(" ")[2]).split(".") if p]
    if name == ".".join(parts):
        return element
    return f"{package_uri('.'.join(parts[:-1]))} {parts[-1]}"


def _legal(name: str) -> str:
    kept = "".join(
        c
        if c == "_" or (c <= "\uffff" and (unicodedata.category(c)[0] == "L" or unicodedata.category(c) == "Nd"))
        else "_"
        for c in name
    )
    return kept if unicodedata.category(kept[0])[0] == "L" else f"x{kept}"


def repair(rows: Rows, types: TypeSystem) -> None:
    """Change the rows so that strict reading accepts them, except for references and offsets. Add notes to `rows.notes`."""
    _Repair(rows, types).run()


class _Repair:
    def __init__(self, rows: Rows, types: TypeSystem) -> None:
        self.rows, self.types = rows, types
        self.id_name = rows.id_name
        self.notes: Counter[str] = Counter()
        self.floats = FloatCache()
        self.plans: dict[str, Plan | None] = {}
        self.fit: dict[tuple[str, str, str], bool] = {}
        self.known: dict[str, set[str]] = {}
        self.sofas: set[str] = set()

    def run(self) -> None:
        self._numbers()
        self._sofas()
        for i, (name, attributes) in enumerate(self.rows.elements):
            if name not in (SOFA, VIEW, NULL):
                self._row(i, name, attributes)
        self.rows.notes += [f"{note} ({n} times)" if n > 1 else note for note, n in self.notes.items()]

    # -- xmi:ids ---------------------------------------------------------------------------------------------------

    def _numbers(self) -> None:
        """Give every element an xmi:id of its own. Of two with the same id, the later keeps it, as in UIMA; of Sofas, the first.

        A Sofa and another element may have the same id: references to a Sofa are unambiguous.
        """
        elements = self.rows.elements
        instances: dict[int, int] = {}
        sofas: dict[int, int] = {}
        without_id: list[int] = []
        order = [i for i, (name, _) in enumerate(elements) if name not in (SOFA, VIEW, NULL)]
        order += [i for i in reversed(range(len(elements))) if elements[i][0] == SOFA]
        for i in order:
            owners = sofas if elements[i][0] == SOFA else instances
            number = xmi_id(elements[i][1].get(self.id_name, ""))
            if number is None or number <= 0:
                self.notes["an element without an xmi:id that can be used was given one"] += 1
                without_id.append(i)
                continue
            if number in owners:
                self.notes[f"xmi:id {number} is used twice, the later element counts"] += 1
                without_id.append(owners[number])
            owners[number] = i
        for i, number in zip(sorted(without_id), unused_ids({*instances, *sofas}), strict=False):
            elements[i][1][self.id_name] = str(number)

    # -- Sofas ---------------------------------------------------------------------------------------------------

    def _sofas(self) -> None:
        names: set[str] = set()
        for i, (element, attributes) in enumerate(self.rows.elements):
            if element != SOFA:
                continue
            self.sofas.add(attributes.get(self.id_name) or "")
            for key in [k for k in attributes if k not in SOFA_FEATURES and k != self.id_name]:
                self.notes[f"uima.cas.Sofa has no feature {key.rpartition(' ')[2]}: its value is not kept"] += 1
                del attributes[key]
            if i in self.rows.children:
                self.rows.children[i] = [c for c in self.rows.children[i] if c.feature in SOFA_FEATURES]
            given = attributes.get("sofaID")
            first = INITIAL_VIEW if given in (None, "", OLD_VIEW) else given
            name, n = first, 1
            while name in names:
                n += 1
                name = f"{first}_{n}"
            if name != given and not any(c.feature == "sofaID" for c in self.rows.children.get(i, ())):
                if given != OLD_VIEW or name != first:
                    self.notes["a Sofa without a sofaID of its own was given one"] += 1
                attributes["sofaID"] = name
            names.add(name)

    # -- feature structures --------------------------------------------------------------------------------------

    def _row(self, i: int, element: str, attributes: dict[str, str]) -> None:
        plan = self._plan(element)
        if plan is None:
            self.notes[f"{type_name(element) or element.rpartition(' ')[2]}: no such feature structures; not kept"] += 1
            self.rows.elements[i] = NULL, {}
            self.rows.children.pop(i, None)
            return
        if issubclass(plan.cls, ArrayBase):
            self._array(plan, attributes)
            return
        known = self._known(plan)
        for key in [k for k in attributes if k not in known]:  # of UIMA's own types, or in another namespace
            self.notes[f"{plan.name} has no feature {key.rpartition(' ')[2]}: its value is not kept"] += 1
            del attributes[key]
        children = self.rows.children.get(i, [])
        if any(c.feature not in known for c in children):
            self.notes[f"{plan.name}: elements that are none of its features are not kept"] += 1
            self.rows.children[i] = [c for c in children if c.feature in known]
        if issubclass(plan.cls, AnnotationBase):
            self._check_position(i, plan)
        given = {*attributes, *(c.feature for c in self.rows.children.get(i, ()))}
        for f in plan.fields:
            if f.name in given and not (
                f.kind in ("text", "ref") and f.python is object and i not in self.rows.children
            ):
                self._check_value(i, plan, f)

    def _plan(self, element: str) -> Plan | None:
        if element not in self.plans:
            try:
                plan = plan_for(self.types[type_name(element) or ""], self.types)
                usable = not issubclass(plan.cls, ArrayBase) or plan.name in ARRAYS
                self.plans[element] = plan if usable and not plan.unfit else None
            except (TypeSystemError, CasError):
                self.plans[element] = None
        return self.plans[element]

    def _known(self, plan: Plan) -> set[str]:
        if plan.name not in self.known:
            self.known[plan.name] = {self.id_name, *plan.names()}
        return self.known[plan.name]

    def _check_position(self, i: int, plan: Plan) -> None:
        """Drop a Sofa that is not in the document, and offsets that are not numbers."""
        attributes = self.rows.elements[i][1]
        self._flatten(i, _PLACE if plan.span else ("sofa",))
        sofa = attributes.get("sofa")
        if sofa is not None and sofa not in self.sofas and sofa not in ("", "0"):
            number = str(xmi_id(sofa))
            if number in self.sofas:
                attributes["sofa"] = number
            else:
                self.notes[f"{plan.name}: its sofa is not in the document"] += 1
                del attributes["sofa"]
        for edge in ("begin", "end") if plan.span else ():
            text = attributes.get(edge)
            if text is None or (text.isdecimal() and len(text) < 10):
                continue
            if not self._fits(f"@{edge}", text, Field(edge, edge, "number", "uima.cas.Integer")):
                self.notes[f"{plan.name}: {edge} is not a number: taken as 0"] += 1
                del attributes[edge]

    def _flatten(self, i: int, place: tuple[str, ...]) -> None:
        """Turn the Sofa and the offsets into attributes if they are elements; the last of several counts."""
        attributes = self.rows.elements[i][1]
        children = self.rows.children.get(i, ())
        for child in children:
            if child.feature in place:
                attributes[child.feature] = child.value
        if any(c.feature in place for c in children):
            self.rows.children[i] = [c for c in children if c.feature not in place]

    def _check_value(self, i: int, plan: Plan, f: Field) -> None:
        """Drop a value that does not fit its feature, if the range of the feature could not be changed."""
        attributes = self.rows.elements[i][1]
        text = attributes.get(f.name)
        if text is not None and not self._fits(plan.name, text, f):
            self.notes[f"{plan.name}: a value of feature {f.name} does not fit and is not kept"] += 1
            del attributes[f.name]
        children = self.rows.children.get(i, [])
        if not children:
            return
        values = [c for c in children if c.feature == f.name]
        many = f.kind in ("array", "shared")
        wrong = len(values) > 1 and not many
        wrong = wrong or any(
            c.href is None and not c.null and not self._fits(plan.name, c.text, f, True) for c in values
        )
        if wrong:
            self.notes[f"{plan.name}: a value of feature {f.name} does not fit and is not kept"] += 1
            self.rows.children[i] = [c for c in children if c.feature != f.name]

    def _fits(self, of: str, text: str, f: Field, child: bool = False) -> bool:
        key = (of, f"{f.name}{child}", text)
        result = self.fit.get(key)
        if result is None:
            result = self.fit[key] = fits(text, f, self.floats, child)
        return result

    def _array(self, plan: Plan, attributes: dict[str, str]) -> None:
        element = ELEMENTS[plan.name]
        for key in [k for k in attributes if k not in ("elements", self.id_name)]:
            self.notes[f"{plan.name} has no feature {key.rpartition(' ')[2]}: its value is not kept"] += 1
            del attributes[key]
        text = attributes.get("elements") or ""
        if element not in (TOP, STRING) and not fits(text, Field("", "", "array", plan.name, element), self.floats):
            self.notes[f"{plan.name}: elements that do not fit are not kept"] += 1
            del attributes["elements"]


def fits(text: str, f: Field, floats: FloatCache, child: bool = False) -> bool:
    """Return whether a value fits a feature. `child`: whether the value is an element of its own."""
    try:
        if f.kind == "text":
            if f.python is not object and f.python is not str:
                enumeration(f.python, text)
        elif f.kind == "number":
            one(text, f.range, floats)
        elif f.kind == "array" and f.element not in (TOP, STRING):
            if child and f.element == "uima.cas.Byte":
                return -128 <= int(text) <= 255
            list_of(text, f.element, floats)
    except (ValueFault, ValueError):
        return False
    return True
