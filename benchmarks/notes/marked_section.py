"""Replace the parts of a Markdown page between `<!-- begin: NAME -->` and `<!-- end: NAME -->`."""

from __future__ import annotations

import re
from pathlib import Path


def put(page: Path, name: str, body: str) -> None:
    """Write the part of a page. Raises ValueError if the page does not have both markers, in order."""
    text = page.read_text(encoding="utf-8")
    page.write_text(replaced(text, name, body, page.name), encoding="utf-8")


def replaced(text: str, name: str, body: str, where: str = "page") -> str:
    """Return a page with the part `name` replaced. Raises ValueError as `put`."""
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    pattern = re.compile(f"{re.escape(begin)}\n.*?{re.escape(end)}", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise ValueError(f"{where}: expected one line {begin} and after it {end}")
    return pattern.sub(lambda _: f"{begin}\n\n{body.strip()}\n\n{end}", text)
