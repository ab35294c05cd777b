"""The common analysis structure: one document and its views."""

from __future__ import annotations

import copy as _copy
import pickle
from typing import Any, TypeVar
from weakref import WeakSet

from .annotation import FeatureStructure
from .errors import CasError
from .origin import Origin
from .packing import pack, unpack
from .text import Sofa, shown
from .types import KnownPhi
from .typesystem import TypeSystem
from .view import View

F = TypeVar("F", bound=FeatureStructure)

INITIAL_VIEW = "_InitialView"
GOLD_VIEW = "gold"
DEIDENTIFIED_VIEW = "deidentified"


class Cas:
    """A document: its id, metadata and views.

    `_InitialView` has the original text, `gold` the reference annotations, `deidentified` the masked text. Can be pickled.
    """

    __slots__ = ("_typesystem", "_views", "id", "metadata", "origin", "source_id")

    def __init__(self, text: str | None = None, *, id: str = "", typesystem: TypeSystem | None = None) -> None:
        self.id = id
        """Name of the document. It may itself be PHI: consumers that write no original text find the released name here."""
        self.source_id = ""
        """The id that the reader gave, while `id` is the released name; else empty."""
        self.metadata: dict[str, str] = {}
        """Facts about the document: `patient_id` (its dates are shifted by one offset), `language`, `encoding` ..."""
        self._typesystem = typesystem
        self.origin: Origin | None = None
        """The ids of the file that the document was read from."""
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
        """Create a view over `text`, or over data at `uri` or in `array`.

        Raises CasError if the name is taken or the text is not a string.
        """
        if name in self._views:
            raise CasError(f"document {self.id or '(no id)'} has a view {name} already")
        if text is not None and not isinstance(text, str):
            raise CasError(f"view {name}: expected text as str, got {type(text).__name__}")
        view = View(Sofa(name, text, mime, uri, array), self._typesystem)
        self._views[name] = view
        self._join()
        return view

    def view(self, name: str = INITIAL_VIEW) -> View:
        """Return the view called `name`. Raises CasError, which lists the views of the document."""
        try:
            return self._views[name]
        except KeyError:
            names = ", ".join(map(shown, self._views)) or "none"
            raise CasError(f"document {self.id or '(no id)'} has no view {name}; views: {names}") from None

    def has_view(self, name: str) -> bool:
        return name in self._views

    def drop_view(self, name: str) -> None:
        """Remove a view and everything indexed in it. Raises CasError if the document has no such view."""
        self.view(name).join(None)
        del self._views[name]
        self._join()

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
        """The facts about the person in the source record."""
        return self.view().select(KnownPhi) if self.has_view(INITIAL_VIEW) else []

    @property
    def deidentified(self) -> str:
        """The masked text. Raises CasError if no masker ran."""
        return self.view(DEIDENTIFIED_VIEW).text

    def copy(self) -> Cas:
        """Return a deep copy: feature structures and references are copied, texts and types are shared."""
        return _copy.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Cas:
        state = {**self.__getstate__(), "_typesystem": None}
        copied = Cas.__new__(Cas)
        copied.__setstate__(pickle.loads(pickle.dumps(state, protocol=5)))  # its own bytes: loads nothing foreign
        copied.set_typesystem(self._typesystem)
        return copied

    @property
    def typesystem(self) -> TypeSystem | None:
        """The types of the file that the document was read from; None if they are caspipe's own."""
        return self._typesystem

    def set_typesystem(self, typesystem: TypeSystem | None) -> None:
        """Set the type system of the document, for example a union (`TypeSystem.merge`). It must know every type in the document.

        Feature structures of the document get the features that their types have in it.
        """
        self._typesystem = typesystem
        for view in self._views.values():
            view.indexes.set_typesystem(typesystem)

    def __getstate__(self) -> dict[str, Any]:
        state = {s: getattr(self, s) for s in self.__slots__}
        packed = pack(self._views.values(), self.origin)
        return state if packed is None else {**state, "_views": packed, "origin": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        if isinstance(self._views, tuple):
            self._views, self.origin = unpack(self._views)
        self._join()
        self.set_typesystem(self._typesystem)

    def _join(self) -> None:
        """Let the views know each other."""
        siblings = WeakSet(self._views.values()) if len(self._views) > 1 else None
        for view in self._views.values():
            view.join(siblings)

    def __repr__(self) -> str:
        return f"<Cas {len(self._views)} views: {', '.join(self._views) or 'none'}>"
