"""Classes made at run time for the types of a file; equal descriptions give the same class within a process."""

from __future__ import annotations

import copyreg
import unicodedata
from dataclasses import replace
from typing import Any, NamedTuple, cast
from weakref import WeakValueDictionary

from .annotation import Annotation, AnnotationBase, Feature, FeatureStructure
from .types import Token

ZERO: dict[str, Any] = {
    "uima.cas.Boolean": False,
    "uima.cas.Byte": 0,
    "uima.cas.Short": 0,
    "uima.cas.Integer": 0,
    "uima.cas.Long": 0,
    "uima.cas.Float": 0.0,
    "uima.cas.Double": 0.0,
}
"""The default values of features of primitive range in UIMA."""


class ClassSpec(NamedTuple):
    """The description of a run-time class."""

    name: str
    bases: tuple[Any, ...]
    """Declared classes, or specs of other run-time classes."""
    features: tuple[Feature, ...]
    extensible: bool
    """True if values are in a `__dict__`, so that a declared class can be combined with this one."""


_MADE: WeakValueDictionary[ClassSpec, type[FeatureStructure]] = WeakValueDictionary()
"""Classes in use by a type system or a document."""


def make_class(spec: ClassSpec) -> type[FeatureStructure]:
    """Return the class for a spec, made at the first call.

    Features are attributes of the same name, with an underscore if the bases have that attribute already (`source` of an
    annotation, `pos` of Token); `fs["source"]` is the feature.
    """
    cls = _MADE.get(spec)
    if cls is None:
        cls = _MADE.setdefault(spec, _make(spec))
    return cls


def class_count() -> int:
    """Return the number of classes in use."""
    return len(_MADE)


def _make(spec: ClassSpec) -> type[FeatureStructure]:
    bases = tuple(make_class(b) if isinstance(b, ClassSpec) else b for b in spec.bases)
    main: Any = bases[0]
    inherited: dict[str, Feature] = {}
    for base in reversed(bases):
        inherited.update(base.features)
    names = {f.name for f in spec.features}
    own: list[Feature] = []
    taken: set[str] = set()
    for feature in spec.features:
        attribute = _identifier(feature.name)
        while (
            any(hasattr(b, attribute) for b in bases)
            or attribute in taken
            or (attribute != feature.name and attribute in names)
        ):
            attribute += "_"
        taken.add(attribute)
        default = ZERO.get(feature.range)
        own.append(
            Feature(
                feature.name, feature.range, feature.element, feature.multiple, object, default,
                feature.description, attribute if attribute != feature.name else "",
            )
        )  # fmt: skip
    slots = tuple(f.attribute or f.name for f in own)
    link = issubclass(main, Token) and not hasattr(
        main, "_pos_link"
    )  # keeps the POS annotation of a token that came with one
    body: dict[str, Any] = {
        "uima_name": spec.name,
        "_spec": spec,
        "own_features": tuple(own),
        "features": {**inherited, **{f.name: f for f in own}},
        "__init__": _initialize,
        "__module__": __name__,
        "_defaults": {**getattr(main, "_defaults", {}), **{f.attribute or f.name: f.default for f in own}},
        "_plain": [
            *((f.attribute or f.name, f.default) for f in _beyond(main, bases, own)),
            *([("_pos_link", None)] if issubclass(main, Token) else []),
        ],
        "_ours": _nearest_declared(main),
    }
    if spec.extensible:
        body.update({f.attribute or f.name: f.default for f in own})  # class attributes, as defaults
        if link:
            body["_pos_link"] = None
    else:
        body["__slots__"] = (*slots, *["_pos_link"] * link, *["_grown"] * (not hasattr(main, "_grown")))
    return cast(type[FeatureStructure], ForeignType(spec.name.rpartition(".")[2], bases, body))


def _identifier(name: str) -> str:
    """Return the name of a feature as a Python identifier: other tools' names may contain hyphens."""
    plain = unicodedata.normalize("NFKC", name)
    if plain.isidentifier():
        return plain
    kept = "".join(c if f"a{c}".isidentifier() else "_" for c in plain)
    return kept if kept.isidentifier() else f"f_{kept}"


def _nearest_declared(cls: Any) -> Any:
    return next(c for c in cls.__mro__ if "_spec" not in c.__dict__)


def _beyond(main: Any, bases: tuple[Any, ...], own: list[Feature]) -> list[Feature]:
    """Return the features that the nearest declared class does not initialize."""
    ours = _nearest_declared(main).features
    features: dict[str, Feature] = {}
    for base in reversed(bases):
        features.update((n, f) for n, f in base.features.items() if n not in ours)
    features.update((f.name, f) for f in own)
    return list(features.values())


def _initialize(self: Any, /, *span: int, **values: Any) -> None:
    """Initialize `T(begin, end, feature=value ...)`, by UIMA names; other features are null, numbers 0.

    Raises TypeError for a feature the type does not have.
    """
    cls = type(self)
    ours = cls._ours
    given = {k: values.pop(k) for k in list(values) if k in ours.features}
    if issubclass(cls, Annotation):
        if len(span) > 2:
            raise TypeError(f"{cls.uima_name}: expected begin and end, got {len(span)} offsets")
        offsets = dict(zip(("begin", "end"), span, strict=False))
        for edge in ("begin", "end"):
            if edge in values and edge not in cls.features:
                offsets[edge] = values.pop(edge)
        if ours is Annotation:
            Annotation.__init__(self, offsets.get("begin", 0), offsets.get("end", 0))
        else:
            ours.__init__(self, offsets.get("begin", 0), offsets.get("end", 0), **given)
    elif span:
        raise TypeError(f"{cls.uima_name} is not an annotation: it has no offsets")
    elif ours is AnnotationBase:
        AnnotationBase.__init__(self)
    elif ours is not FeatureStructure:
        ours.__init__(self, **given)
    for attribute, default in cls._plain:
        setattr(self, attribute, default)
    for name, value in values.items():
        if name not in cls.features:
            raise TypeError(
                f"{cls.uima_name} has no feature {name}; features: {', '.join(sorted(cls.features)) or 'none'}"
            )
        feature = cls.features[name]
        setattr(self, feature.attribute or name, value)


class ForeignType(type):
    """The metaclass of run-time classes, which are pickled as their description.

    An instance that was made before its type grew counts as an instance of the class that the type has now.
    """

    def __subclasscheck__(cls, other: type) -> bool:
        return super().__subclasscheck__(other) or any(
            isinstance(spec := c.__dict__.get("_spec"), GrownSpec) and issubclass(spec.now, cls) for c in other.__mro__
        )

    def __instancecheck__(cls, instance: Any) -> bool:
        return issubclass(type(instance), cls)


class GrownSpec(NamedTuple):
    """The description of a class for instances that were made before their type grew."""

    made_as: type[Any]
    now: type[Any]


class _GrownFeature:
    """A feature that instances got after they were made: its value is not in a slot of its own."""

    def __init__(self, name: str, default: Any) -> None:
        self.name, self.default = name, default

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        values = getattr(instance, "_grown", None) or {}
        if self.name not in values and isinstance(self.default, list):
            self.__set__(instance, list(self.default))  # each instance has its own
            return instance._grown[self.name]
        return values.get(self.name, self.default)

    def __set__(self, instance: Any, value: Any) -> None:
        instance._grown = {
            **(getattr(instance, "_grown", None) or {}),
            self.name: value,
        }  # copies may share the old one


_GROWN: WeakValueDictionary[GrownSpec, type[Any]] = WeakValueDictionary()


def grown_class(made_as: type[Any], now: type[Any]) -> type[Any]:
    """Return a subclass of `made_as` with the features of `now` as well, or `made_as` itself if it has them all.

    Instances of `made_as` can become instances of it: their layout in memory is the same.
    """
    missing = [f for name, f in now.features.items() if name not in made_as.features]
    if not missing:
        return made_as
    spec = GrownSpec(made_as, now)
    cls = _GROWN.get(spec)
    if cls is None:
        cls = _GROWN.setdefault(spec, _grow(spec, missing))
    return cls


def _grow(spec: GrownSpec, missing: list[Feature]) -> type[Any]:
    made_as, now = spec
    added: list[Feature] = []
    body: dict[str, Any] = {
        "__slots__": (),
        "__module__": made_as.__module__,
        "__qualname__": made_as.__qualname__,
        "_spec": spec,
        "uima_name": made_as.uima_name,
        "description": now.description,
    }
    for feature in missing:
        attribute = feature.attribute or feature.name
        while hasattr(made_as, attribute) or attribute in body:
            attribute += "_"
        body[attribute] = _GrownFeature(attribute, feature.default)
        added.append(replace(feature, attribute=attribute if attribute != feature.name else ""))
    features = {**made_as.features, **{f.name: f for f in added}}
    body.update(own_features=tuple(added), features={n: features[n] for n in (*now.features, *features)})
    return cast(type[Any], ForeignType(made_as.__name__, (made_as,), body))


def _reduce(cls: Any) -> tuple[Any, ...]:
    return (grown_class, tuple(cls._spec)) if isinstance(cls._spec, GrownSpec) else (make_class, (cls._spec,))


copyreg.pickle(ForeignType, _reduce)
