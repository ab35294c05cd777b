"""Type hints of dataclass fields."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeVar, cast

UNIONS = (typing.Union, types.UnionType)
"""Origins of the hints `X | Y`."""

F = TypeVar("F", bound=Callable[..., Any])


def cached(function: F) -> F:
    """Cache a function without limit. Unlike `lru_cache`, keep its signature for type checkers."""
    return cast(F, lru_cache(maxsize=None)(function))


@cached
def hints(cls: type[Any]) -> dict[str, Any]:
    """Return the type hints of a class's dataclass fields."""
    return typing.get_type_hints(cls)


def inner_classes(hint: Any) -> Iterator[type[Any]]:
    """Yield every class named in a type hint."""
    if isinstance(hint, type) and not typing.get_args(hint):
        yield hint
    for argument in typing.get_args(hint):
        yield from inner_classes(argument)
