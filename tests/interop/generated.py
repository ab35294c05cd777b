"""Documents made from a number: every kind of feature, reference and view that UIMA has, the same for the same number.

`document(n)` is what failed when a test names number n.
"""

from __future__ import annotations

import math
from random import Random
from typing import Any

from documents import COLLECTIONS, PRIMITIVES, wide_types

from caspipe.typesystem import (
    Annotation,
    Cas,
    DocumentAnnotation,
    DocumentMetaData,
    Feature,
    KnownPhi,
    OffsetMap,
    Phi,
    PhiCandidate,
    PhiKind,
    Sentence,
    Token,
    TypeSystem,
)
from caspipe.typesystem.arrays import ARRAYS, LISTS, ByteArray, FSArray, ListNode, StringArray, linked

DKPRO = "de.tudarmstadt.ukp.dkpro.core.api"
_PLAIN = "ab xyz,.\n\t\r<>&\"'\u00e9\u00df\u4e2d\u2028\x85\ufeff\u0301\u05d0"
_ASTRAL = "\U0001f600\U0001d50a\U0010ffff\U00020000"
_ILLEGAL = "\x00\x01\x0b\x0c\x1f\ufffe\uffff\ud800\udfff"
_KINDS = [PhiKind.of(k) for k in ("DATE", "AGE", "PERSON_DOCTOR", "LOCATION_HOSPITAL", "OTHER")]


def _foreign_types() -> TypeSystem:
    """What other tools' type systems look like: DKPro's tokens, layers of WebAnno with slots and chains, list values."""
    types = TypeSystem()
    types.create_type(
        "uima.tcas.DocumentAnnotation", "uima.tcas.Annotation", {"site": "uima.cas.String", "n": "uima.cas.Long"}
    )
    pos = f"{DKPRO}.lexmorph.type.pos"
    types.create_type(f"{pos}.POS_NOUN", f"{pos}.POS")
    types.create_type(f"{DKPRO}.segmentation.type.Lemma", Annotation, {"value": "uima.cas.String"})
    more = {"lemma": f"{DKPRO}.segmentation.type.Lemma", "order": "uima.cas.Integer", "parent": "uima.tcas.Annotation"}
    types.create_type(f"{DKPRO}.segmentation.type.Token", Annotation, more)
    links = {
        "Governor": f"{DKPRO}.segmentation.type.Token",
        "Dependent": f"{DKPRO}.segmentation.type.Token",
        "flavor": "uima.cas.String",
    }
    types.create_type(f"{DKPRO}.syntax.type.dependency.Dependency", Annotation, links)
    types.create_type(
        "webanno.custom.SlotLink", "uima.cas.TOP", {"role": "uima.cas.String", "target": "uima.tcas.Annotation"}
    )
    slots = Feature("slots", "uima.cas.FSArray", "webanno.custom.SlotLink")
    types.create_type("webanno.custom.Slot", Annotation, [slots, Feature("value", "uima.cas.String")])
    types.create_type("webanno.custom.CorefLink", Annotation, {"referenceType": "uima.cas.String"})
    types.create_type("webanno.custom.CorefLink", Annotation, {"next": "webanno.custom.CorefLink"})
    types.create_type("webanno.custom.CorefChain", "uima.cas.AnnotationBase", {"first": "webanno.custom.CorefLink"})
    types.create_type("org.xmi.Passed", Annotation, {"id": "uima.cas.String"})
    types.create_type("custom.Slot", "uima.cas.TOP", {"next": "custom.Slot", "where": "uima.cas.Sofa"})
    types.create_type("Plain", "custom.Slot", {"self": "uima.cas.String", "type": "uima.cas.Double"})
    return types


WIDE = wide_types()
FOREIGN = _foreign_types()


class Maker:
    """Makes one document."""

    def __init__(self, number: int) -> None:
        self.random = random = Random(number)
        self.odd = random.random() < 0.25
        """With characters that XML cannot carry, and null strings in arrays."""
        self.types = random.choice([WIDE, WIDE, FOREIGN])
        self.cas = Cas(id="" if random.random() < 0.8 else f"d{number}", typesystem=self.types)
        self.letters = _PLAIN + (_ASTRAL if random.random() < 0.5 else "") + (_ILLEGAL if self.odd else "")
        self.pool: list[Any] = []
        self.view_of: dict[int, str] = {}
        self.small = random.random() < 0.4
        """Without what UIMA has and other libraries lack."""

    def text(self, most: int = 6) -> str:
        return "".join(self.random.choices(self.letters, k=self.random.randint(0, most)))

    def maybe(self, value: Any, chance: float = 0.3) -> Any:
        return None if self.random.random() < chance else value

    def document(self) -> Cas:
        random, cas = self.random, self.cas
        names = (
            ["_InitialView"]
            if self.small
            else random.choice([["_InitialView"], ["_InitialView", "gold"], ["b", "_InitialView", "a b"], ["x"]])
        )
        for name in names:
            cas.create_view(name, self.text(random.choice([0, 10, 40])))
        if random.random() < 0.3:
            cas.metadata = {self.text(4): self.text(4) for _ in range(2)}
        for _ in range(random.randint(0, 9)):
            self.item()
        for item in list(self.pool):
            self.fill(item)
        self.data()
        for item in self.pool:
            if self.small or random.random() < 0.7:
                cas.view(self.view_of[id(item)]).add(item)
        self.everywhere()
        if len(names) > 1 and random.random() < 0.3:
            cas.view(names[1]).offset_map = OffsetMap([(0, 2, 5), (3, 3, 1)])
        return cas

    # -- feature structures ----------------------------------------------------------------------------------------

    def item(self) -> None:
        random = self.random
        view = random.choice([v.name for v in self.cas.views])
        size = len(self.cas.view(view).text)
        b = random.randint(0, size)
        e = random.choice([b, random.randint(b, size), size])
        made = self.own(b, e, size) if random.random() < 0.3 else self.foreign(b, e)
        for one in (made, getattr(made, "winner", None)):
            if one is not None and hasattr(one, "_sofa"):
                one._sofa = self.cas.view(view).sofa  # as if it had been indexed and taken out again
        self.pool.append(made)
        self.view_of[id(made)] = view

    def own(self, b: int, e: int, size: int) -> Any:
        random = self.random
        kind = random.choice(_KINDS)
        which = random.randint(0, 5)
        if which == 0:
            return Sentence(b, e, id=self.text(3))
        if which == 1:
            phi = Phi(
                b, e, kind=kind, confidence=random.choice([0.0, 1.0, 0.1, math.nan, math.inf]), value=self.text(4)
            )
            phi._source = random.choice(["", "re"])
            return phi
        if which == 4 and self.types is WIDE:
            return Token(b, e, pos=random.choice(["", "NN", "IN", "-LRB-", "odd<tag"]))
        if which == 2:
            return PhiCandidate(
                b, e, kind=kind, rule="r", winner=None if self.small else self.maybe(Phi(b, e, kind=kind))
            )
        if which == 3:
            return KnownPhi(kind=kind, value=self.text(4), role="patient")
        name = random.choice(["uima.tcas.DocumentAnnotation", DocumentMetaData.uima_name])
        if any(isinstance(x, DocumentAnnotation) for x in self.pool):  # writing makes one of several that we made
            return Sentence(b, e)
        return self.types[name](0, size, language="de")  # UIMA corrects any other span

    def foreign(self, b: int, e: int) -> Any:
        random = self.random
        if self.types is WIDE:
            kinds = ["t.Span", "t.Sub", "t.Record"]
            name = random.choice(kinds if self.small else [*kinds, "other.t.Odd", "Unnamed", "t.Value"])
        else:
            name = random.choice(
                [
                    n
                    for n in self.types
                    if n.startswith(
                        ("webanno", "custom", "org.xmi", "Plain", DKPRO + ".se", DKPRO + ".sy", DKPRO + ".l")
                    )
                ]
            )
        cls = self.types[name]
        if issubclass(cls, Token):
            return cls(b, e)
        return cls(b, e) if issubclass(cls, Annotation) else cls()

    def fill(self, item: Any) -> None:
        cls = type(item)
        if cls.uima_name.startswith("caspipe.") or isinstance(item, Sentence):
            return
        names = sorted(n for n in cls.features if n not in ("pos", "documentId", "language"))
        for name in self.random.sample(names, min(len(names), self.random.randint(0, 7))):
            item[name] = self.value(cls.features[name])

    def value(self, f: Feature) -> Any:
        random, range_ = self.random, f.range
        if range_ == "t.Lab":
            return self.maybe(random.choice(["high", "low"]))
        if self.types.range_kind(range_) == "uima.cas.String":
            return self.maybe(self.text())
        if range_.removeprefix("uima.cas.") in PRIMITIVES:
            return self.number(range_.removeprefix("uima.cas."))
        if range_ in ARRAYS or range_ in LISTS:
            return self.maybe(self.collection(range_, bool(f.multiple)), 0.2)
        if range_ == "uima.cas.Sofa":
            return self.maybe(random.choice(self.cas.views).sofa)
        if range_ == "uima.cas.TOP":
            return self.anything()
        fitting = [x for x in self.pool if isinstance(x, self.types[range_])]
        return self.maybe(random.choice(fitting)) if fitting else None

    def anything(self) -> Any:
        random = self.random
        if self.small:
            return random.choice([None, *self.pool])
        array = FSArray([*self.pool[:2], None])
        nested = FSArray([array, ARRAYS["uima.cas.LongArray"]([1]), FSArray()])
        if random.random() < 0.3:
            nested.append(nested)
        strings = linked("uima.cas.StringList", ["x", self.text(2) or "y"])
        return random.choice(
            [None, *self.pool, array, nested, strings, linked("uima.cas.FSList", self.pool[:1]), self.cas.views[0].sofa]
        )

    def number(self, kind: str) -> Any:
        random = self.random
        bits = {"Byte": 7, "Short": 15, "Integer": 31, "Long": 63}.get(kind)
        if bits:
            return random.choice([-(2**bits), 2**bits - 1, 0, random.randint(-(2**bits), 2**bits - 1)])
        if kind == "Boolean":
            return random.random() < 0.5
        special = [
            0.0,
            -0.0,
            1.0,
            math.inf,
            -math.inf,
            math.nan,
            1.5e-45 if kind == "Float" else 5e-324,
            random.uniform(-1e9, 1e9),
        ]
        return random.choice(special)

    def collection(self, range_: str, shared: bool) -> Any:
        random = self.random
        kind = range_.removeprefix("uima.cas.").removesuffix("Array").removesuffix("List")
        if kind == "Byte":
            data = random.randbytes(random.randint(0, 4))
            return ByteArray(data) if shared else data
        n = random.randint(0, 3)
        if kind == "FS":
            choices = [*self.pool, *([None] if range_.endswith("Array") and not self.small else [])]
            values = random.choices(choices, k=n) if choices else []
        elif kind == "String":
            values = [self.text() or ("x" if self.small else "") for _ in range(n)]
            if self.odd and range_.endswith("Array"):
                values.append(None)
            if self.small and not values:
                values = ["x"]
        else:
            values = [self.number(kind) for _ in range(n)]
        if not shared:
            return values
        if range_ not in ARRAYS:
            made: Any = linked(range_, values)
            if isinstance(made, ListNode) and not self.small and random.random() < 0.1:
                made.tail = made  # a list that runs in a circle
            return made
        array = ARRAYS[range_](values)
        for other in self.pool:  # now and then the array that another one has
            for f in type(other).features.values():
                if f.range == range_ and f.multiple and random.random() < 0.2 and other[f.name] is not None:
                    return other[f.name]
        return array

    # -- views -------------------------------------------------------------------------------------------------------

    def data(self) -> None:
        random = self.random
        if self.small or random.random() < 0.8:
            return
        if random.random() < 0.5:
            self.cas.create_view("picture", None, mime="image/png", uri="file:/x y.png")
        else:
            self.cas.create_view("sound", None, mime="audio/wav", array=ByteArray(b"\x00\xff"))

    def everywhere(self) -> None:
        """Feature structures without a place of their own in several views, and arrays in one."""
        random = self.random
        loose = [x for x in self.pool if not hasattr(x, "_sofa")]
        if self.small or not loose or random.random() < 0.5:
            return
        for view in self.cas.views:
            if loose[0] not in view and random.random() < 0.7:
                view.add(loose[0])
        if random.random() < 0.3:
            self.cas.views[0].add(StringArray(["x", "y z"]))
            self.cas.views[-1].add(FSArray([loose[0]]))


def document(number: int) -> Cas:
    """The document of a number."""
    return Maker(number).document()


__all__ = ["COLLECTIONS", "FOREIGN", "WIDE", "document"]
