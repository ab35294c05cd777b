"""What every source of terms comes down to: a stream of terms and a header."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ...pipeline.errors import ResourceError, nearest
from ...typesystem import TermGroup

GROUPS = frozenset(g.value for g in TermGroup)


@dataclass(slots=True)
class Term:
    """One entry of a dictionary, as its source writes it."""

    form: str
    group: str = ""
    """A `TermGroup` value for medical terms, else the name of the list."""
    concept: str = ""
    """Identifier in the source's own scheme."""
    preferred: str = ""
    """The name of the concept, empty where the form is the name."""
    case: str = "auto"
    """`exact`: letters must match in case (the source says it is an abbreviation); `any`: never; `auto`: by its looks."""
    columns: str = ""
    """Further columns, tab-separated, named in the header."""


@dataclass(slots=True)
class TermSource:
    """A dictionary being read: its header, the names of its further columns and its terms (consumed once)."""

    name: str
    terms: Iterator[Term]
    header: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Format:
    """A file format of terminologies. Each module of `loaders/` declares one as `FORMAT`."""

    name: str
    title: str
    detect: Callable[[Path], bool]
    """Whether a file or folder looks like this format, from its names and first bytes."""
    read: Callable[[Path, Mapping[str, str]], TermSource]
    """Reads it. Takes the options given after `?`; raises ResourceError naming file, line and the expected columns."""
    files: Callable[[Path], list[Path]] = lambda path: [path]
    """The files that the content depends on: the cache is keyed by them."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Option -> what it does, its default in the text."""


@cache
def formats() -> dict[str, Format]:
    """Every format by name: one per module of the package `loaders`."""
    from . import loaders

    found = {}
    for info in sorted(pkgutil.iter_modules(loaders.__path__), key=lambda m: m.name):
        if not info.name.startswith("_"):
            declared: Format = importlib.import_module(f"{loaders.__name__}.{info.name}").FORMAT
            found[declared.name] = declared
    return found


@dataclass(frozen=True, slots=True)
class LexiconAddress:
    """Where a lexicon comes from: `path`, `path::format` or `path::format?option=value&option=value`."""

    path: Path
    format: Format
    options: tuple[tuple[str, str], ...]

    @staticmethod
    def parse(text: str) -> LexiconAddress:
        """Raises ResourceError for a missing path, an unknown format or option, or a file of no known format."""
        place, _, rest = text.partition("::")
        chosen, _, query = rest.partition("?")
        path = Path(place).expanduser()
        if not path.exists():
            raise ResourceError(f"no lexicon or file called {place!r}")
        known = formats()
        if chosen and chosen not in known:
            hint = nearest(chosen, known) or f"; expected one of {', '.join(known)}"
            raise ResourceError(f"{place}: no lexicon format called {chosen!r}{hint}")
        format = known[chosen] if chosen else _detected(path, known)
        options = []
        for pair in filter(None, query.split("&")):
            key, equals, value = pair.partition("=")
            if not equals or key not in format.options:
                hint = nearest(key, format.options) or f"; expected {', '.join(format.options) or 'none'}"
                raise ResourceError(f"{place}: format {format.name} has no option {key!r}{hint}")
            options.append((key, value))
        return LexiconAddress(path, format, tuple(options))


def _detected(path: Path, known: Mapping[str, Format]) -> Format:
    fitting = [f for f in known.values() if f.detect(path)]
    if not fitting:
        raise ResourceError(f"{path}: not a format that is recognised; say which one with {path}::<{'|'.join(known)}>")
    if len(fitting) > 1:
        names = ", ".join(f.name for f in fitting)
        raise ResourceError(f"{path}: could be {names}; say which one with {path}::{fitting[0].name}")
    return fitting[0]
