"""Feature structures and annotations: typed, slotted values with identity, and the decorator that makes a class a UIMA type."""

from __future__ import annotations

import inspect
import keyword
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

from .text import Sofa

T = TypeVar("T", bound="FeatureStructure")
REQUIRED: Any = object()
"""The default of a field that must be given."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature of a type: its name, its UIMA range and, for arrays and lists, the element type.

    `python` is the range as a Python type for declared classes, `object` for types made at run time.
    """

    name: str
    range: str
    element: str | None = None
    multiple: bool | None = None
    """`multipleReferencesAllowed`: whether feature structures share the array or list, which then keeps its identity."""
    python: Any = object
    default: Any = None
    description: str = ""
    attribute: str = ""
    """The Python attribute of the feature if `name` is not available; empty means `name`."""


class FeatureStructure:
    """`uima.cas.TOP`: a record with identity. Feature structures with equal values are still different."""

    __slots__ = ()
    uima_name: ClassVar[str] = "uima.cas.TOP"
    own_features: ClassVar[tuple[Feature, ...]] = ()
    features: ClassVar[Mapping[str, Feature]] = {}
    """Every feature by name, inherited ones first."""
    description: ClassVar[str] = ""

    def __getitem__(self, feature: str) -> Any:
        """Return the value of a feature by its UIMA name: `fs["class"]`. Raises KeyError."""
        return getattr(self, _attribute(type(self), feature))

    def __setitem__(self, feature: str, value: Any) -> None:
        """Set a feature by its UIMA name. Raises KeyError for an unknown one, AttributeError for begin, end and sofa."""
        setattr(self, _attribute(type(self), feature), value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"  # never a value: values can be text of the document


def _attribute(cls: type[FeatureStructure], feature: str) -> str:
    known = cls.features.get(feature)
    if known is not None:
        return known.attribute or feature
    if (feature == "sofa" and issubclass(cls, AnnotationBase)) or (
        feature in ("begin", "end") and issubclass(cls, Annotation)
    ):
        return feature
    raise KeyError(f"{cls.uima_name} has no feature {feature}; features: {', '.join(cls.features) or 'none'}")


class AnnotationBase(FeatureStructure):
    """`uima.cas.AnnotationBase`: belongs to the Sofa of one view, which may be text, audio or an image."""

    __slots__ = ("_grown", "_sofa")
    uima_name: ClassVar[str] = "uima.cas.AnnotationBase"
    _grown: dict[str, Any]
    """The values of features that the type got after the instance was made; unset for most."""
    _sofa: Sofa | None

    def __init__(self) -> None:
        self._sofa = None

    if typing.TYPE_CHECKING:

        @property
        def sofa(self) -> Sofa | None: ...

    else:  # attrgetter as getter stays in C: no Python frame for each read
        sofa = property(attrgetter("_sofa"), doc="The Sofa it belongs to; None until it is in a view.")


def _field(*, init: bool = True, kw_only: bool = True) -> Any:
    """Describe an attribute for type checkers; does nothing at run time."""


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(_field,))
def _typed(cls: type[T]) -> type[T]:
    """Tell type checkers that `begin` and `end` are the first arguments of annotations."""
    return cls


@_typed
class Annotation(AnnotationBase):
    """`uima.tcas.Annotation`: a span of one view's text.

    `begin` and `end` are offsets in Unicode code points, half-open, immutable. `source` is the id of the component that made
    the annotation; the engine sets it. `sofa` is the text it belongs to, set when it is added to a view.
    """

    __slots__ = ("_begin", "_end", "_source")
    uima_name: ClassVar[str] = "uima.tcas.Annotation"
    _copy: ClassVar[Callable[[Any, int, int], Any]]

    def __init__(self, begin: int, end: int) -> None:
        self._begin = begin
        self._end = end
        self._sofa = None
        self._source = ""

    if typing.TYPE_CHECKING:
        begin: int = _field(kw_only=False)
        end: int = _field(kw_only=False)
        _begin: int = _field(init=False)
        _end: int = _field(init=False)
        _source: str = _field(init=False)

        @property
        def source(self) -> str: ...

    else:
        begin = property(attrgetter("_begin"), doc="First code point of the span.")
        end = property(attrgetter("_end"), doc="First code point after the span.")
        source = property(attrgetter("_source"), doc="Id of the component that made it.")

    def set_source(self, source: str) -> Self:
        """Set the id of the component that made the annotation, and return the annotation. For engines and readers."""
        self._source = source
        return self

    @property
    def covered_text(self) -> str:
        """The text of the span. Raises ValueError if the annotation is not in a view."""
        if self._sofa is None or self._sofa.text is None:
            raise ValueError(f"{self!r} belongs to no view with text: add it to a view first")
        return self._sofa.text[self._begin : self._end]

    def moved(self, begin: int, end: int) -> Self:
        """Return a copy with other offsets that is not in a view yet; features are shared, not copied."""
        cls = type(self)
        if "_copy" not in cls.__dict__:
            cls._copy = _copier(cls)
        copied: Self = cls._copy(self, begin, end)
        return copied

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._begin}:{self._end}>"


TYPES: dict[str, type[FeatureStructure]] = {
    "uima.cas.TOP": FeatureStructure,
    "uima.cas.AnnotationBase": AnnotationBase,
    "uima.tcas.Annotation": Annotation,
}
"""Every type declared by a class in this process, by UIMA name. Types read from files live in a `TypeSystem`."""

_RANGES: dict[Any, str] = {
    str: "uima.cas.String",
    int: "uima.cas.Integer",
    float: "uima.cas.Double",
    bool: "uima.cas.Boolean",
    bytes: "uima.cas.ByteArray",
}
_ARRAYS = {
    str: "uima.cas.StringArray",
    int: "uima.cas.IntegerArray",
    float: "uima.cas.DoubleArray",
    bool: "uima.cas.BooleanArray",
}


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(_field,))
def uima_type(name: str) -> Callable[[type[T]], type[T]]:
    """Declare a class as the UIMA type `name`; its annotated fields become features and keyword arguments.

    `str, int, float, bool, bytes`, enumerations, other types, and `list[...]` of these map to UIMA ranges; anything else
    is stored as its `str` (it must come back from `type(value)(text)`). A field without a default is required.

        @uima_type("org.example.Badge")
        class Badge(Annotation):
            number: str
    """

    def wrap(cls: type[T]) -> type[T]:
        if name in TYPES and (TYPES[name].__module__, TYPES[name].__qualname__) != (cls.__module__, cls.__qualname__):
            raise ValueError(f"type {name} is declared twice: by {TYPES[name].__module__} and by {cls.__module__}")
        declared = slotted(cls)
        declared.uima_name = name
        TYPES[name] = declared
        return declared

    return wrap


def slotted(cls: type[T]) -> type[T]:
    """Return the class with a slot for each annotated field of its own and an `__init__` over all fields."""
    own = [field for field, hint in inspect.get_annotations(cls).items() if "ClassVar" not in str(hint)]
    body = {k: v for k, v in cls.__dict__.items() if k not in own and k not in ("__dict__", "__weakref__")}
    defaults = {k: cls.__dict__[k] for k in own if k in cls.__dict__}
    body["__slots__"] = tuple(own) if hasattr(cls, "_grown") else (*own, "_grown")
    body["_defaults"] = {**getattr(cls, "_defaults", {}), **{k: defaults.get(k, REQUIRED) for k in own}}
    metaclass: Any = type(cls)
    new_class: Any = metaclass(cls.__name__, cls.__bases__, body)
    new_class.__qualname__ = cls.__qualname__
    new_class.__init__ = _initializer(new_class)
    new_class.description = (cls.__doc__ or "").strip().split("\n")[0]
    new_class.own_features = _Lazy(lambda: tuple(_feature(new_class, field) for field in own), "own_features")
    new_class.features = _Lazy(lambda: _all_features(new_class), "features")
    return typing.cast(type[T], new_class)


def required(cls: type[FeatureStructure]) -> set[str]:
    """Return the attributes that must be given to make an instance."""
    return {name for name, default in getattr(cls, "_defaults", {}).items() if default is REQUIRED}


def _all_features(cls: type[FeatureStructure]) -> dict[str, Feature]:
    features: dict[str, Feature] = {}
    for base in reversed(cls.__mro__):
        if issubclass(base, FeatureStructure) and "own_features" in base.__dict__:
            features.update((f.name, f) for f in base.own_features)
    return features


class _Lazy:
    """A class attribute computed on first use: type hints may name classes declared later."""

    def __init__(self, compute: Callable[[], Any], name: str) -> None:
        self.compute, self.name = compute, name

    def __get__(self, instance: object, owner: type) -> Any:
        value = self.compute()
        for cls in owner.__mro__:  # cache on the class that declares it
            if cls.__dict__.get(self.name) is self:
                setattr(cls, self.name, value)
        return value


def _initializer(cls: type[FeatureStructure]) -> Callable[..., None]:
    fields: dict[str, Any] = cls._defaults  # type: ignore[attr-defined]
    span = issubclass(cls, Annotation)
    sofa = ["self._sofa = None"] if issubclass(cls, AnnotationBase) else []
    scope: dict[str, Any] = {f"_d{i}": default for i, default in enumerate(fields.values())}
    arguments = ["self", *(["begin", "end"] if span else []), *(["*"] if fields else [])]
    lines = ["self._begin = begin", "self._end = end", *sofa, "self._source = ''"] if span else sofa
    for i, (field, default) in enumerate(fields.items()):
        safe = f"{field}_" if keyword.iskeyword(field) else field
        if default is REQUIRED:
            arguments.append(safe)
        elif isinstance(default, list):
            arguments.append(f"{safe}=None")
            lines.append(f"{safe} = [] if {safe} is None else {safe}")
        else:
            arguments.append(f"{safe}=_d{i}")
        if keyword.iskeyword(field):
            lines.append(f"setattr(self, {field!r}, {safe})")
        else:
            lines.append(f"self.{field} = {safe}")
    exec(f"def __init__({', '.join(arguments)}):\n    " + "\n    ".join(lines or ["pass"]), scope)
    return typing.cast(Callable[..., None], scope["__init__"])


def _copier(cls: type[Annotation]) -> Callable[[Any, int, int], Any]:
    """Compile `Annotation.moved` for one type: a loop over the features takes six times as long."""
    names = [f.attribute or f.name for f in cls.features.values()]
    lines = [
        "made = new(cls)",
        "made._begin = begin",
        "made._end = end",
        "made._sofa = None",
        "made._source = old._source",
    ]
    lines += [
        f"setattr(made, {n!r}, getattr(old, {n!r}))" if keyword.iskeyword(n) else f"made.{n} = old.{n}" for n in names
    ]
    scope: dict[str, Any] = {"cls": cls, "new": cls.__new__}
    exec("def copy(old, begin, end):\n    " + "\n    ".join([*lines, "return made"]), scope)
    return typing.cast(Callable[[Any, int, int], Any], staticmethod(scope["copy"]))


def _feature(cls: type[FeatureStructure], field: str) -> Feature:
    hints = typing.get_type_hints(cls)
    hint = hints[field]
    default = cls._defaults[field]  # type: ignore[attr-defined]
    choices = [a for a in typing.get_args(hint) if a is not type(None)]
    if typing.get_origin(hint) not in (list, tuple) and choices:
        hint = choices[0]
    name, element, multiple = uima_range(hint), None, None
    if typing.get_origin(hint) is list:
        (of,) = typing.get_args(hint)
        if isinstance(of, type) and issubclass(of, FeatureStructure):
            name, element, multiple = "uima.cas.FSArray", of.uima_name, False
        else:
            name, multiple = _ARRAYS.get(of, "uima.cas.StringArray"), False
    return Feature(field, name, element, multiple, hint, None if default is REQUIRED else default)


def uima_range(hint: Any) -> str:
    """Return the UIMA range of a Python type: a primitive, the name of a declared type, otherwise String."""
    if isinstance(hint, type) and issubclass(hint, FeatureStructure):
        return hint.uima_name
    return _RANGES.get(hint, "uima.cas.String")
