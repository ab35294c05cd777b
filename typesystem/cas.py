"""The common analysis structure: one document and its views."""

from __future__ import annotations

import copy as _copy
from typing import TYPE_CHECKING, Any, TypeVar

from .annotation import FeatureStructure
from .errors import CasError
from .text import Sofa, shown
from .types import KnownPhi
from .view import View

if TYPE_CHECKING:
    from .origin import Origin
    from .typesystem import TypeSystem

F = TypeVar("F", bound=FeatureStructure)

INITIAL_VIEW = "_InitialView"
GOLD_VIEW = "gold"
DEIDENTIFIED_VIEW = "deidentified"


class Cas:
    """A document: its id, metadata and views.

    `_InitialView` holds the original text, `gold` reference annotations, `deidentified` the masked text. Can be pickled.
    """

    __slots__ = ("_origin", "_views", "id", "metadata", "typesystem")

    def __init__(self, text: str | None = None, *, id: str = "", typesystem: TypeSystem | None = None) -> None:
        self.id = id
        """Name of the document; may itself be PHI, so it never reaches released files unless asked for."""
        self.metadata: dict[str, str] = {}
        self.typesystem = typesystem
        """Types beyond caspipe's own, as read from a file."""
        self._origin: Origin | None = None
        self._views: dict[str, View] = {}
        if text is not None:
            self.create_view(INITIAL_VIEW, text)

    def create_view(
        self,
        name: str,
        text: str | None,
        *,
        mime: str = "text/plain",
        uri: str | None = None,
        array: FeatureStructure | None = None,
    ) -> View:
        """A new view over `text`, or over data at `uri` or in `array`.

        Raises CasError where the name is taken or the text is no string.
        """
        if name in self._views:
            raise CasError(f"document {self.id or '(no id)'} has a view {name} already")
        if text is not None and not isinstance(text, str):
            raise CasError(f"view {name}: expected text as str, got {type(text).__name__}")
        view = View(Sofa(name, text, mime, uri, array), self.typesystem)
        self._views[name] = view
        return view

    def view(self, name: str = INITIAL_VIEW) -> View:
        """The view called `name`. Raises CasError that lists the views there are."""
        try:
            return self._views[name]
        except KeyError:
            there = ", ".join(map(shown, self._views)) or "none"
            raise CasError(f"document {self.id or '(no id)'} has no view {name}; views: {there}") from None

    def has_view(self, name: str) -> bool:
        return name in self._views

    def drop_view(self, name: str) -> None:
        """Removes a view and all it holds. Raises CasError where there is none."""
        self.view(name)
        del self._views[name]

    @property
    def views(self) -> list[View]:
        """All views, the initial one first, then in order of creation."""
        return sorted(self._views.values(), key=lambda v: v.name != INITIAL_VIEW)

    @property
    def text(self) -> str:
        """Text of the initial view."""
        return self.view().text

    def add(self, item: F) -> F:
        """Short for `cas.view().add(item)`."""
        return self.view().add(item)

    def remove(self, item: FeatureStructure) -> None:
        """Short for `cas.view().remove(item)`."""
        self.view().remove(item)

    def select(self, type_: Any, **where: Any) -> list[Any]:
        """Short for `cas.view().select(...)`."""
        return self.view().select(type_, **where)

    @property
    def known_phi(self) -> list[KnownPhi]:
        """What the record says about the person."""
        return self.view().select(KnownPhi) if self.has_view(INITIAL_VIEW) else []

    @property
    def deidentified(self) -> str:
        """The masked text. Raises CasError where no masker ran."""
        return self.view(DEIDENTIFIED_VIEW).text

    def copy(self) -> Cas:
        """A deep copy: feature structures are new, references among them kept, texts and types shared."""
        return _copy.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Cas:
        import pickle

        state = {**self.__getstate__(), "typesystem": None}
        made = Cas.__new__(Cas)
        made.__setstate__(pickle.loads(pickle.dumps(state, protocol=5)))  # its own bytes: nothing foreign is loaded
        made.adopt(self.typesystem)
        return made

    def adopt(self, typesystem: TypeSystem | None) -> None:
        """Makes a type system the document's own. It must know every type the document holds."""
        self.typesystem = typesystem
        for view in self._views.values():
            view._typesystem = typesystem
            view._merged.clear()

    def __getstate__(self) -> dict[str, Any]:
        from .packing import pack

        state = {s: getattr(self, s) for s in self.__slots__}
        packed = pack(self._views.values(), self._origin)
        return state if packed is None else {**state, "_views": packed, "_origin": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        if isinstance(self._views, tuple):
            from .packing import unpack

            self._views, self._origin = unpack(self._views)
        self.adopt(self.typesystem)

    def __repr__(self) -> str:
        return f"<Cas {len(self._views)} views: {', '.join(self._views) or 'none'}>"
