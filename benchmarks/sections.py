"""Edit the sections of benchmarks/RESULTS.md: replace one, or keep those of benchmarks that were not run."""

from __future__ import annotations

import re
from collections.abc import Collection

_HEAD = re.compile(r"^## (\S+)[^\n]*\n", re.MULTILINE)


def split(page: str) -> tuple[str, dict[str, str]]:
    """Return the text before the first section, and each section by the first word of its heading."""
    heads = list(_HEAD.finditer(page))
    if not heads:
        return page, {}
    ends = [h.start() for h in heads[1:]] + [len(page)]
    return page[: heads[0].start()], {h[1]: page[h.start() : end] for h, end in zip(heads, ends, strict=True)}


def replaced(page: str, name: str, body: str) -> str:
    """Return the page with a section replaced; a new section is added at the end."""
    top, parts = split(page)
    parts[name] = f"## {name}\n\n{body.strip()}\n"
    return "\n".join(part.rstrip() + "\n" for part in (top, *parts.values()) if part.strip())


def kept(page: str, rewritten: Collection[str]) -> str:
    """Return the sections that are not rewritten."""
    return "\n".join(part.rstrip() + "\n" for name, part in split(page)[1].items() if name not in rewritten)
