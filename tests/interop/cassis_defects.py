"""Where dkpro-cassis 0.12 is known to damage a document or to refuse it, one predicate for each defect that XMI can meet.

The names are those of the project's list of defects (numbers, and B numbers for the comparison with UIMA). What is on the
list and not here cannot be met by a document that we wrote: the order of `select` (1, 2), wrong values and offsets (7, 8, B7
to B10, B20, B24, B25), unknown types and features (9 to 11, B22), characters that XML lacks (4, 5, B19: we replace them),
imports (13, B15), features as elements (14), pickling and changed offsets (16, 17), huge texts (B21), a null without
cas:NULL (6, B4, B5).
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator
from typing import Any

from caspipe.typesystem import Annotation, Cas, FeatureStructure, Sofa
from caspipe.typesystem.annotation import AnnotationBase
from caspipe.typesystem.arrays import ArrayBase, ListBase
from caspipe.typesystem.xmi.plan import plan_for


def everything(cas: Cas) -> list[Any]:
    """All feature structures of a document that was read."""
    assert cas.origin is not None
    return list(cas.origin.items.values())


def _values(cas: Cas) -> Iterator[tuple[Any, str, Any]]:
    assert cas.typesystem is not None
    for item in everything(cas):
        if isinstance(item, ArrayBase):
            yield from ((item, "elements", v) for v in item)  # type: ignore[attr-defined]
            continue
        for f in plan_for(type(item), cas.typesystem).fields:
            value = getattr(item, f.attribute)
            yield item, f.name, value
            if isinstance(value, list) and not isinstance(value, FeatureStructure):
                yield from ((item, f.name, v) for v in value)


def unindexed_in_astral_text(cas: Cas) -> bool:  # 3, B1, B2
    indexed = {id(x) for view in cas.views for x in view}
    return any(
        isinstance(x, Annotation)
        and id(x) not in indexed
        and x._sofa is not None
        and max(x._sofa.text or " ") > "\uffff"
        for x in everything(cas)
    )


def empty_string_in_a_collection(cas: Cas) -> bool:  # B3
    strings = ("uima.cas.StringArray", "uima.cas.StringList")
    types: Any = cas.typesystem
    for item in everything(cas):
        if isinstance(item, ArrayBase) and item.uima_name in strings and "" in item:  # type: ignore[operator]
            return True
        if isinstance(item, ArrayBase | ListBase):
            continue
        for f in plan_for(type(item), types).fields:
            value = getattr(item, f.attribute)
            if f.kind == "array" and f.range in strings and value is not None and "" in value:
                return True
    return False


def string_subtype(cas: Cas) -> bool:  # 12, B14
    types: Any = cas.typesystem
    return any(
        value is not None and types.describe(types.features(item.uima_name)[name].range).supertype == "uima.cas.String"
        for item, name, value in _values(cas)
        if name in types.features(item.uima_name) and not isinstance(item, ArrayBase)
    )


def sofa_that_is_not_text(cas: Cas) -> bool:  # 15, B6
    return any(v.sofa.uri is not None or v.sofa.array is not None for v in cas.views)


def no_initial_view(cas: Cas) -> bool:  # B11: the one it makes takes a number that is there
    return not cas.has_view("_InitialView")


def keyword_for_a_feature(cas: Cas) -> bool:  # B17
    types: Any = cas.typesystem
    return any(keyword.iskeyword(n) or n == "xmiID" for x in everything(cas) for n in types.features(x.uima_name))


def offsets_of_a_record(cas: Cas) -> bool:  # B18
    types: Any = cas.typesystem
    return any(
        {"begin", "end", "sofa"} & set(types.features(x.uima_name))
        for x in everything(cas)
        if not isinstance(x, AnnotationBase)
    )


def reference_to_a_sofa(cas: Cas) -> bool:  # found here: KeyError on reading
    return any(isinstance(value, Sofa) for _, _, value in _values(cas))


def empty_list_of_strings(cas: Cas) -> bool:  # found here: comes back as null
    types: Any = cas.typesystem
    return any(
        value == [] and types.features(item.uima_name)[name].range == "uima.cas.StringList"
        for item, name, value in _values(cas)
        if isinstance(value, list) and not isinstance(item, ArrayBase) and name in types.features(item.uima_name)
    )


DEFECTS: tuple[Callable[[Cas], bool], ...] = (
    unindexed_in_astral_text,
    empty_string_in_a_collection,
    string_subtype,
    sofa_that_is_not_text,
    no_initial_view,
    keyword_for_a_feature,
    offsets_of_a_record,
    reference_to_a_sofa,
    empty_list_of_strings,
)


def defects(cas: Cas) -> list[str]:
    """The known defects that a document, just read, would meet."""
    return [d.__name__ for d in DEFECTS if d(cas)]
