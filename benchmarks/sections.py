"""Sections of benchmarks/RESULTS.md: one is replaced, or those of benchmarks that were not run are kept."""

from __future__ import annotations

import re
from collections.abc import Collection

_HEAD = re.compile(r"^## (\S+)[^\n]*\n", re.MULTILINE)


def split(page: str) -> tuple[str, dict[str, str]]:
    """What stands before the first section, and each section by the first word of its head."""
    heads = list(_HEAD.finditer(page))
    if not heads:
        return page, {}
    ends = [h.start() for h in heads[1:]] + [len(page)]
    return page[: heads[0].start()], {h[1]: page[h.start() : end] for h, end in zip(heads, ends, strict=True)}


def replaced(page: str, name: str, body: str) -> str:
    """The page with a section instead of the one of that name, or behind the others."""
    top, parts = split(page)
    parts[name] = f"## {name}\n\n{body.strip()}\n"
    return "\n".join(part.rstrip() + "\n" for part in (top, *parts.values()) if part.strip())


def kept(page: str, rewritten: Collection[str]) -> str:
    """The sections that are not among those written anew."""
    return "\n".join(part.rstrip() + "\n" for name, part in split(page)[1].items() if name not in rewritten)
