"""Short and pet forms of English given names: William in the record may be Bill in the text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def nickname_table() -> Mapping[str, tuple[str, ...]]:
    """Return, by folded given name, its other forms, in both directions: `william` -> `bill`, ...; `bill` -> `william`."""
    table: dict[str, dict[str, None]] = {}
    for line in (files("caspipe.configs") / "lexicons" / "nicknames.txt").read_text(encoding="utf-8").splitlines():
        name, _, forms = line.partition(": ")
        for form in () if line.startswith("#") else forms.split():
            table.setdefault(name, {})[form] = None
            table.setdefault(form, {})[name] = None
    return {name: tuple(forms) for name, forms in table.items()}
