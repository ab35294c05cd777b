"""Terms, the sources that provide them, and the file formats of terminologies."""

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
    """One entry of a dictionary, as written in its source."""

    form: str
    group: str = ""
    """A `TermGroup` value for medical terms, else the name of the list."""
    concept: str = ""
    """Identifier in the source's own scheme."""
    preferred: str = ""
    """The name of the concept, unless the form is the name."""
    case: str = "auto"
    """`exact`: case must match (the source marks it as an abbreviation); `any`: case is ignored; `auto`: by its form."""
    columns: str = ""
    """Further columns, tab-separated, named in the header."""


@dataclass(slots=True)
class TermSource:
    """A dictionary while it is read: its header, the names of its further columns and its terms (consumed once)."""

    name: str
    terms: Iterator[Term]
    header: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Format:
    """A file format of terminologies. The modules of `loaders/` declare them."""

    name: str
    title: str
    detect: Callable[[Path], bool]
    """Returns whether a file or folder looks like this format, by its name and first bytes."""
    read: Callable[[Path, Mapping[str, str]], TermSource]
    """Reads it with the options after `?`; raises ResourceError with file, line and the expected columns."""
    files: Callable[[Path], list[Path]] = lambda path: [path]
    """Returns the files that the content depends on; they determine the cache key."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Option -> its description with the default."""


@cache
def formats() -> dict[str, Format]:
    """Return every format by name: those that the modules of the package `loaders` declare."""
    by_name: dict[str, Format] = {}
    for info in sorted(pkgutil.iter_modules([str(Path(__file__).with_name("loaders"))]), key=lambda m: m.name):
        module = importlib.import_module(f"{__package__}.loaders.{info.name}")
        by_name |= {entry.name: entry for entry in vars(module).values() if isinstance(entry, Format)}
    return by_name


@dataclass(frozen=True, slots=True)
class LexiconAddress:
    """The address of a lexicon: `path`, `path::format` or `path::format?option=value&option=value`."""

    path: Path
    format: Format
    options: tuple[tuple[str, str], ...]

    @staticmethod
    def parse(text: str) -> LexiconAddress:
        """Raise ResourceError for a missing path, an unknown format or option, or a file of no known format."""
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
        raise ResourceError(f"{path}: not a format that is recognized; say which one with {path}::<{'|'.join(known)}>")
    if len(fitting) > 1:
        names = ", ".join(f.name for f in fitting)
        raise ResourceError(f"{path}: could be {names}; say which one with {path}::{fitting[0].name}")
    return fitting[0]
