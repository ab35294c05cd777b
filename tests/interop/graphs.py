"""Documents as plain data, so that two of them can be compared: ours in their own order, ours and UIMA's by xmi:id."""

from __future__ import annotations

import math
import struct
from enum import Enum
from typing import Any

from caspipe.typesystem import Annotation, Cas, FeatureStructure, PhiKind, Sofa
from caspipe.typesystem.annotation import AnnotationBase
from caspipe.typesystem.arrays import ArrayBase, ByteArray, linked
from caspipe.typesystem.markup.xml_text import replace_illegal
from caspipe.typesystem.text import Utf16
from caspipe.typesystem.xmi.plan import Field, plan_for

Value = Any


def graph(cas: Cas, *, single: bool = False, by_number: bool = False) -> dict[str, Any]:
    """The whole document: views with what they index, in index order, and every feature structure with its values.

    Feature structures are numbered as they are met, so equal documents give equal data whatever their xmi:ids. `single`:
    floats of 32 bits as what those bits mean, since Java knows no other. `by_number`: what has no offsets in the order of
    its xmi:ids, since in UIMA it has none.
    """
    return _Walk(cas, single, by_number).document()


class _Walk:
    def __init__(self, cas: Cas, single: bool, by_number: bool) -> None:
        self.cas, self.single = cas, single
        origin = cas.origin if by_number else None
        self.rank = {} if origin is None else {id(x): n for n, x in origin.items.items()}
        self.types = cas.typesystem or _own()
        self.numbers: dict[int, int] = {}
        self.all: list[Any] = []
        self.keep: list[Any] = []

    def document(self) -> dict[str, Any]:
        views = []
        for view in self.cas.views:
            sofa = view.sofa
            segments = None if view.offset_map is None else view.offset_map.segments()
            array = None if sofa.array is None else self.number(sofa.array)
            indexed = sorted(view, key=lambda x: self.rank.get(id(x), 0) if not isinstance(x, Annotation) else 2**32)
            members = [self.number(x) for x in indexed]
            views.append((view.name, sofa.text, sofa.mime, sofa.uri, array, segments, members))
        values: list[Any] = []
        while len(values) < len(self.all):
            values.append(self.values(self.all[len(values)]))
        return {"id": self.cas.id, "metadata": dict(self.cas.metadata), "views": views, "fs": values}

    def number(self, item: Any) -> int:
        if id(item) not in self.numbers:
            self.numbers[id(item)] = len(self.all)
            self.all.append(item)
        return self.numbers[id(item)]

    def values(self, item: Any) -> Any:
        if isinstance(item, ByteArray):
            return item.uima_name, bytes(item)
        if isinstance(item, ArrayBase):
            floats = self.single and item.uima_name == "uima.cas.FloatArray"
            return item.uima_name, [self.value(_single(v) if floats else v) for v in item]  # type: ignore[attr-defined]
        found: dict[str, Any] = {}
        if isinstance(item, AnnotationBase):
            found["@sofa"] = None if item._sofa is None else item._sofa.name
        if isinstance(item, Annotation):
            found["@span"] = item.begin, item.end
        for f in plan_for(type(item), self.types).fields:
            if f.kind == "pos":
                found["pos"] = item.pos
                found["@link"] = self.value(getattr(item, "_pos_link", None))
            else:
                found[f.name] = self.field(f, getattr(item, f.attribute))
        return item.uima_name, found

    def field(self, f: Field, value: Any) -> Value:
        if self.single and value is not None and "uima.cas.Float" in (f.range, f.element) and f.kind != "shared":
            value = _single(value) if f.kind == "number" else [_single(v) for v in value]
        if f.kind == "shared" and isinstance(value, list) and not isinstance(value, FeatureStructure):
            from caspipe.typesystem.arrays import ARRAYS

            value = ARRAYS[f.range](value) if f.range in ARRAYS else linked(f.range, value)
            self.keep.append(value)
        elif f.kind == "array" and value is not None and not isinstance(value, bytes):
            return [self.value(v) for v in value] if f.element != "uima.cas.Byte" else bytes(b & 0xFF for b in value)
        return self.value(value)

    def value(self, value: Any) -> Value:
        if isinstance(value, FeatureStructure):
            return "fs", self.number(value)
        if isinstance(value, Sofa):
            return "sofa", value.name
        if isinstance(value, float):
            return "NaN" if math.isnan(value) else value
        if isinstance(value, Enum | PhiKind):
            return value.name
        return value


def _single(value: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def _own() -> Any:
    from caspipe.typesystem.typesystem import own_types

    return own_types()


# -- against UIMA for Java ---------------------------------------------------------------------------------------


def from_java(answer: dict[str, Any]) -> dict[str, Any]:
    """What UIMA found, by xmi:id: views and feature structures; arrays and lists without an id as plain lists."""
    fs = answer["fs"]

    def value(v: Any) -> Any:
        if isinstance(v, dict) and "sofa" in v:
            return "sofa", v["sofa"]
        if isinstance(v, dict):
            return reference(v["ref"])
        return v

    def reference(i: int) -> Any:
        target = fs[i]
        if target["id"] is not None:
            return "fs", int(target["id"])
        if "elements" in target:
            return [value(e) for e in target["elements"]]
        heads = []
        while "head" in target["features"]:
            heads.append(value(target["features"]["head"]))
            target = fs[target["features"]["tail"]["ref"]]
        return heads

    found: dict[int, Any] = {}
    for item in fs:
        if item["id"] is None:
            continue
        if "elements" in item:
            found[int(item["id"])] = item["type"], [value(e) for e in item["elements"]], None
        else:
            values = {k: value(v) for k, v in item["features"].items()}
            found[int(item["id"])] = item["type"], values, item.get("covered")
    views = {
        v["name"]: (v["text"], v["mime"], v["uri"], sorted(int(fs[m]["id"] or 0) for m in v["members"]))
        for v in answer["views"]
    }
    return {"views": views, "fs": found}


def for_java(cas: Cas) -> dict[str, Any]:
    """A document that was just read, as UIMA must see it: offsets in UTF-16, absent numbers 0, no character XML lacks."""
    assert cas.origin is not None
    types = cas.typesystem or _own()
    numbers = {id(x): n for n, x in cas.origin.items.items()}
    found: dict[int, Any] = {}

    def value(v: Any, range_: str) -> Any:
        if isinstance(v, FeatureStructure):
            return "fs", numbers[id(v)]
        if isinstance(v, Sofa):
            return "sofa", v.name
        if isinstance(v, Enum | PhiKind):
            return v.name
        if isinstance(v, float):
            return _java_float(v, range_)
        if isinstance(v, str):
            return replace_illegal(v)[0]
        if v is None or isinstance(v, bool | int):
            return v
        return str(v)

    for number, item in cas.origin.items.items():
        if isinstance(item, ByteArray):
            found[number] = item.uima_name, [b - 256 if b > 127 else b for b in item], None
            continue
        if isinstance(item, ArrayBase):
            element = types.describe(item.uima_name) and item.uima_name.replace("Array", "")
            found[number] = item.uima_name, [value(v, element) for v in item], None  # type: ignore[attr-defined]
            continue
        values: dict[str, Any] = {}
        covered = None
        if isinstance(item, AnnotationBase):
            values["sofa"] = None if item._sofa is None else ("sofa", item._sofa.name)
        if isinstance(item, Annotation):
            units = Utf16(item._sofa.text or "") if item._sofa is not None else Utf16("")
            values["begin"], values["end"] = units.to_utf16(item.begin), units.to_utf16(item.end)
            covered = (
                replace_illegal(item._sofa.text[item.begin : item.end])[0]
                if item._sofa is not None and item._sofa.text is not None
                else None
            )
        for f in plan_for(type(item), types).fields:
            if f.kind == "pos":
                values["pos"] = value(getattr(item, "_pos_link", None), "")
                values["tag"] = replace_illegal(item.pos)[0] if values["pos"] is None else ""
                continue
            v = getattr(item, f.attribute)
            if v is None or (f.omit_empty and v == ""):
                values[f.name] = None
            elif f.element == "uima.cas.Byte" and f.kind == "array":
                values[f.name] = [b - 256 if b > 127 else b for b in v]
            elif f.kind == "array":
                values[f.name] = [value(x, f.element) for x in v]
            else:
                values[f.name] = value(v, f.range)
            if v is None and f.kind == "number":
                values[f.name] = {"uima.cas.Boolean": False}.get(f.range, 0)
        found[number] = item.uima_name, values, covered
    views = {}
    for view in cas.views:
        members = sorted(numbers[id(x)] for x in view if not isinstance(x, ArrayBase))
        text = None if view.sofa.text is None else replace_illegal(view.sofa.text)[0]
        views[view.name] = text, view.sofa.mime or None, view.sofa.uri, members
    return {"views": views, "fs": found}


def _java_float(v: float, range_: str) -> Any:
    if math.isnan(v):
        return "NaN"
    if math.isinf(v):
        return "Infinity" if v > 0 else "-Infinity"
    if range_ == "uima.cas.Float":
        return _single(v)
    return v


def differences(ours: dict[str, Any], java: dict[str, Any]) -> list[str]:
    """Where UIMA sees another document than we do, by xmi:id, type and feature. What only we index (arrays) is passed over."""
    found: list[str] = []
    for name in sorted({*ours["views"], *java["views"]}):
        a, b = ours["views"].get(name), java["views"].get(name)
        if a is None or b is None:
            if name == "_InitialView" and a is None:
                continue  # UIMA always has one
            found.append(f"view {name} is only on one side")
            continue
        if a[:3] != b[:3]:
            found.append(f"view {name}: text, mime or uri differ")
        made = {n for n in b[3] if n not in ours["fs"]}
        theirs = [n for n in b[3] if n not in made]
        if a[3] != theirs:
            found.append(f"view {name}: members {a[3]} are {theirs}")
    for number in sorted({*ours["fs"], *java["fs"]}):
        a, b = ours["fs"].get(number), java["fs"].get(number)
        if a is None or b is None:
            continue
        if a[0] != b[0]:
            found.append(f"{number}: {a[0]} is {b[0]}")
        elif isinstance(a[1], list):
            if not _same(a[1], b[1]):
                found.append(f"{number} {a[0]}: other elements")
        else:
            for feature in b[1]:
                if feature == "pos" and a[1].get("tag"):  # made for the file: judged by its tag
                    link = java["fs"].get((b[1]["pos"] or ("fs", 0))[1])
                    if link is None or link[1]["PosValue"] != a[1]["tag"] or link[2] != b[2]:
                        found.append(f"{number} {a[0]}.pos is not the annotation of its tag")
                elif not _same(a[1].get(feature), b[1][feature]):
                    found.append(f"{number} {a[0]}.{feature}")
            if a[2] is not None and a[2] != b[2]:
                found.append(f"{number} {a[0]}: other covered text")
    return found


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    if a is None and (b == "" or b == 0 or b is False):  # UIMA has no null in arrays of strings, nor for numbers
        return True
    return bool(a == b)
