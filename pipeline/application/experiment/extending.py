"""Experiment files that extend another one, so that corpora and models are written once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import ConfigError
from ...storage.yaml_source import Source, read

EXTENDS = "extends"
ADDED = "models"
"""The section to which a file adds entries. Its other sections replace those of the file that it extends."""


def read_extended(path: Path, shown: str, opened: Sequence[Path] = ()) -> tuple[Source, str]:
    """Return an experiment file as data, with what it takes from the file that it `extends`, and the texts of both.

    Raises ConfigError if a file cannot be read or extends itself.
    """
    source = read(path, shown)
    text = path.read_text(encoding="utf-8-sig")
    if not isinstance(source.data, dict) or EXTENDS not in source.data:
        return source, text
    target = source.data.pop(EXTENDS)
    if not isinstance(target, str):
        raise ConfigError([source.fault((EXTENDS,), "expected the name of an experiment file")])
    opened = [*opened, path.resolve()]
    other = source.base / target
    if other.resolve() in opened:
        chain = " -> ".join(p.name for p in [*opened, other])
        raise ConfigError([source.fault((EXTENDS,), f"cyclic: {chain}")])
    try:
        base, more = read_extended(other, str(Path(shown).parent / target), opened)
    except ConfigError as error:
        raise ConfigError([source.fault((EXTENDS,), f"{target}: {f.what}") for f in error.faults]) from None
    _merge(source, base)
    return source, f"{text.rstrip()}\n\n# {target}:\n\n{more}"


def _merge(source: Source, base: Source) -> None:
    """Add to a file what it does not have itself."""
    source.faults[:0] = base.faults
    if not isinstance(base.data, Mapping):
        return
    own: dict[str, Any] = source.data
    kept: set[tuple[str, ...]] = {(key,) for key in base.data if key not in own}
    source.data = {**base.data, **own}
    if isinstance(base.data.get(ADDED), Mapping) and isinstance(own.get(ADDED), Mapping):
        kept |= {(ADDED, name) for name in base.data[ADDED] if name not in own[ADDED]}
        source.data[ADDED] = {**base.data[ADDED], **own[ADDED]}
    for keys, place in base.lines.items():
        if keys[:1] in kept or keys[:2] in kept:
            source.lines[keys] = place
