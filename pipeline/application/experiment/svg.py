"""A drawing that stands inside a page: no styles of its own, so that the page's policy can forbid all but its own."""

from __future__ import annotations

import html
import re

_STYLE = re.compile(r'\sstyle="([^"]*)"')
_SHEET = re.compile(r"<style.*?</style>", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_REFERENCES = re.compile(r'(\bid="|xlink:href="#|\bhref="#|url\(#)')


def inline(svg: str, name: str, label: str) -> str:
    """Return an SVG file as an element of a page. `name` goes before every id in it, `label` is what a screen reader says.

    Style attributes become presentation attributes, which mean the same (SVG 1.1, §6.4) and need no permission.
    """
    drawing = svg[svg.index("<svg") :].strip()
    drawing = _METADATA.sub("", _SHEET.sub("", drawing))
    drawing = _STYLE.sub(lambda m: _attributes(m[1]), drawing)
    drawing = _REFERENCES.sub(lambda m: f"{m[1]}{name}-", drawing)
    frame = f'<svg role="img" aria-label="{html.escape(label)}" stroke-linejoin="round" stroke-linecap="butt" '
    return frame + drawing.removeprefix("<svg").lstrip()


def _attributes(style: str) -> str:
    found = {}
    for declaration in style.split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            found[name.strip()] = value.strip()
    return "".join(f' {name}="{value}"' for name, value in found.items())
