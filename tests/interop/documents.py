"""Random documents over every kind of feature UIMA has, for properties: what is written must come back."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from caspipe.typesystem import (
    Annotation,
    Cas,
    Chunk,
    Feature,
    KnownPhi,
    MedicalTerm,
    OffsetMap,
    Phi,
    PhiCandidate,
    PhiKind,
    Sentence,
    TermGroup,
    Token,
    TypeSystem,
)
from caspipe.typesystem.arrays import ARRAYS, FSArray, linked

PRIMITIVES = ("String", "Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double")
COLLECTIONS = (*(f"{p}Array" for p in PRIMITIVES), "FSArray", "StringList", "IntegerList", "FloatList", "FSList")
_ODD = ("self", "type", "class", "from", "in", "features", "description", "source", "element")


def wide_types() -> TypeSystem:
    """A type system with a feature of every range, plain and shared, on a record and on an annotation, and odd names."""
    types = TypeSystem()
    features = [Feature(f"a{p}", f"uima.cas.{p}") for p in PRIMITIVES]
    for shared in (False, True):
        features += [Feature(f"{'m' if shared else 'i'}{c}", f"uima.cas.{c}", None, shared) for c in COLLECTIONS]
    features += [Feature("top", "uima.cas.TOP"), Feature("span", "uima.tcas.Annotation")]
    types.create_type("t.Record", "uima.cas.TOP", features)
    types.create_type("t.Span", Annotation, features)
    types.create_type("t.Sub", "t.Span", {"more": "uima.cas.String"})
    types.create_type("other.t.Odd", Annotation, dict.fromkeys(_ODD, "uima.cas.String"))
    types.create_type(
        "Unnamed", "uima.cas.TOP", {"begin": "uima.cas.String", "end": "uima.cas.Integer", "sofa": "uima.cas.Double"}
    )
    types.create_type("t.Lab", "uima.cas.String", allowed_values=["high", "low"])
    types.create_type("t.Value", Annotation, {"lab": "t.Lab"})
    return types


WIDE = wide_types()
_PLAIN = "ab xyz,.\n\t\r<>&\"'éß中\u2028\x85\ufeff😀𝔊"
_ILLEGAL = "\x00\x01\x0b\x0c\x1f\ufffe\uffff\ud800\udfff"


def texts(odd: bool, size: int = 12) -> st.SearchStrategy[str]:
    """Texts; `odd`: also with characters that XML cannot carry."""
    return st.text(alphabet=_PLAIN + (_ILLEGAL if odd else ""), max_size=size)


def numbers(range_: str) -> st.SearchStrategy[Any]:
    """Values of a primitive range."""
    bits = {"Byte": 7, "Short": 15, "Integer": 31, "Long": 63}.get(range_)
    if bits:
        return st.one_of(st.integers(-(2**bits), 2**bits - 1), st.sampled_from([-(2**bits), 2**bits - 1, 0]))
    if range_ == "Boolean":
        return st.booleans()
    return st.floats(width=32 if range_ == "Float" else 64)


@st.composite
def documents(draw: st.DrawFn, *, odd: bool = True, empty_strings: bool = True, cassis: bool = False) -> Cas:
    """A document with several views and feature structures that refer to each other, indexed or only reached.

    `odd`: with characters XML cannot carry, and null strings in arrays; `empty_strings`: with empty ones there; `cassis`:
    nothing that cassis is known to damage.
    """
    names = draw(st.sampled_from([["_InitialView"], ["_InitialView", "gold"], ["b", "_InitialView", "a"], ["x"]]))
    if cassis and names == ["x"]:
        names = ["_InitialView"]
    cas = Cas(id=draw(texts(odd, 4)), typesystem=WIDE)
    cas.metadata = draw(st.dictionaries(texts(odd, 4), texts(odd, 4), max_size=2))
    for name in names:
        cas.create_view(name, draw(texts(odd, 30)))
    if draw(st.booleans()) and len(names) > 1:
        cas.view(names[1]).offset_map = OffsetMap(draw(st.sampled_from([[], [(0, 2, 5), (3, 3, 1)]])))
    pool = [draw(_items(cas, cassis)) for _ in range(draw(st.integers(0, 8)))]
    wide = [
        (item, view)
        for item, view in pool
        if type(item).uima_name.startswith("t.") and "aString" in type(item).features
    ]
    for item, _ in wide:
        _fill(draw, item, [x for x, _ in pool], odd, empty_strings, cassis)
    for item, view in pool:
        if cassis or draw(st.sampled_from([True, True, False])):
            cas.view(view).add(item)
        if cassis and getattr(item, "winner", None) is not None:
            cas.view(view).add(item.winner)
    shared = [x for x, _ in pool if not isinstance(x, Annotation)]
    if (
        not cassis
        and len(names) > 1
        and shared
        and draw(st.booleans())
        and all(x not in cas.view(names[1]) for x in shared[:1])
    ):
        cas.view(names[1]).add(shared[0])
    return cas


def _span(draw: st.DrawFn, cas: Cas, view: str) -> tuple[int, int]:
    n = len(cas.view(view).text)
    begin = draw(st.integers(0, n))
    return begin, draw(st.integers(begin, n))


@st.composite
def _items(draw: st.DrawFn, cas: Cas, cassis: bool) -> tuple[Any, str]:
    view = draw(st.sampled_from([v.name for v in cas.views]))
    b, e = _span(draw, cas, view)
    kind = draw(st.sampled_from(["DATE", "AGE", "PERSON_DOCTOR", "LOCATION_HOSPITAL"]))
    known = PhiKind.of(kind)
    which = draw(st.integers(0, 11).filter(lambda n: not (cassis and n in (4, 5))))
    made: Any
    if which <= 1:
        made = WIDE["t.Span"](b, e)
    elif which == 2:
        made = WIDE["t.Sub"](b, e, more=draw(st.none() | texts(False, 3)))
    elif which == 3:
        made = WIDE["t.Record"]()
    elif which == 4:
        made = WIDE["other.t.Odd"](b, e, **{n: draw(st.none() | texts(False, 3)) for n in _ODD})
    elif which == 5:
        made = WIDE["Unnamed"](begin=draw(st.none() | texts(False, 3)), end=draw(numbers("Integer")), sofa=1.5)
    elif which == 6:
        made = WIDE["t.Value"](b, e, lab=draw(st.sampled_from([None, "high", "low"])))
    elif which == 7:
        made = Token(b, e, pos=draw(st.sampled_from(["", "NN", "IN", "-LRB-", "odd<tag"])))
    elif which == 8:
        made = Phi(b, e, kind=known, confidence=draw(numbers("Double")), value=draw(texts(False, 4)))
        made._source = draw(st.sampled_from(["", "re"]))
    elif which == 9:
        won = Phi(*_span(draw, cas, view), kind=known) if draw(st.booleans()) else None
        made = PhiCandidate(b, e, kind=known, rule="r", winner=won)
    elif which == 10:
        made = KnownPhi(kind=known, value=draw(texts(False, 4)), role="patient")
    else:
        made = draw(
            st.sampled_from(
                [
                    Sentence(b, e, id="s"),
                    Chunk(b, e, tag="NP"),
                    MedicalTerm(b, e, group=TermGroup.MEDICATION),
                    Sentence(b, e),
                ]
            )
        )
    for item in (made, getattr(made, "winner", None)):
        if isinstance(item, Annotation):
            item._sofa = cas.view(view).sofa  # as if it had been indexed and taken out again
    return made, view


def _fill(draw: st.DrawFn, item: Any, pool: list[Any], odd: bool, empty_strings: bool, cassis: bool) -> None:
    strings = texts(odd, 5) if empty_strings else texts(odd, 5).filter(bool)
    names = draw(st.lists(st.sampled_from(sorted(type(item).features)), unique=True, max_size=6))
    for name in names:
        f = type(item).features[name]
        range_ = f.range.removeprefix("uima.cas.")
        if range_ == "String":
            item[name] = draw(st.none() | texts(odd, 6))
        elif range_ in PRIMITIVES:
            item[name] = draw(numbers(range_))
        elif range_ == "TOP":
            item[name] = draw(
                st.sampled_from([None, *pool, FSArray([*pool[:2], None]), ARRAYS["uima.cas.IntegerArray"]([1])])
            )
        elif f.range == "uima.tcas.Annotation":
            item[name] = draw(st.sampled_from([None, *(x for x in pool if isinstance(x, Annotation))]))
        elif name != "more":
            item[name] = _collection(draw, f, range_, pool, strings, odd, cassis)


def _collection(
    draw: st.DrawFn, f: Feature, range_: str, pool: list[Any], strings: Any, odd: bool, cassis: bool
) -> Any:
    if range_ == "ByteArray":
        data = draw(st.binary(max_size=4))
        return ARRAYS[f.range](data) if f.multiple else data
    element = range_.removesuffix("Array").removesuffix("List")
    if element == "FS":
        nulls = [None] if range_ == "FSArray" else []
        values = draw(st.lists(st.sampled_from([*pool, *nulls]), max_size=3)) if [*pool, *nulls] else []
    elif element == "String":
        one = st.none() | strings if odd and range_ == "StringArray" else strings
        values = draw(
            st.lists(one, min_size=cassis and range_ == "StringList", max_size=3)
        )  # cassis drops an empty one
    else:
        values = draw(st.lists(numbers(element), max_size=3))
    if not f.multiple:
        return values
    return ARRAYS[f.range](values) if f.range in ARRAYS else linked(f.range, values)
