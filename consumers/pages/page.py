"""The frame of caspipe's HTML pages: one style, no outside assets, nothing in them can run but their own script."""

from __future__ import annotations

import base64
import hashlib
import html
import re

from ...typesystem import PhiKind
from .style import STYLE

_HUES = set(re.findall(r"\.k-([A-Z]+)", STYLE))
_CONTROLS = {c: 0x2400 + c for c in range(32) if chr(c) not in "\t\n\r"} | {
    127: 0x2421,
    **dict.fromkeys(range(0xD800, 0xE000), 0xFFFD),
}
_SPECIAL = re.compile("[&<>\"'\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""What cannot stand in HTML as it is: most strings have none of it, and looking costs less than replacing."""


def page(title: str, body: str, *, style: str = "", script: str = "") -> bytes:
    """A whole page. `body` is HTML already; the policy lets nothing load and only this style and script act."""
    css = STYLE + style
    scripts = f"<script>{script}</script>" if script else ""
    policy = f"default-src 'none';style-src '{_hash(css)}';base-uri 'none';form-action 'none'"
    policy += f";script-src '{_hash(script)}'" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer">'
        f"<title>{esc(title)}</title><style>{css}</style></head>\n<body>\n{body}\n{scripts}</body></html>\n"
    ).encode()


def esc(value: object) -> str:
    """Text made safe for HTML. Control characters show as their pictures, lone surrogates as U+FFFD."""
    text = str(value)
    return html.escape(text.translate(_CONTROLS)) if _SPECIAL.search(text) else text


def kind_class(kind: str) -> str:
    """CSS class of a PHI kind, by its first level; kinds made elsewhere look like OTHER."""
    top = kind.partition("_")[0]
    return f"k-{top}" if top in _HUES else "k-OTHER"


def chip(kind: str, count: int | None = None) -> str:
    """A PHI kind as a coloured label, with a number behind it if given."""
    number = "" if count is None else f" <b>{count:,}</b>"
    described = next((k.description for k in PhiKind if k.name == kind), "")
    title = f' title="{esc(described)}"' if described else ""
    return f'<span class="chip {kind_class(kind)}"{title}>{esc(kind)}{number}</span>'


def bar(share: float, css: str = "") -> str:
    """A bar chart's cell: `share` of the longest bar, 0 to 1. The number stands beside it in the table."""
    width = round(100 * min(max(share, 0.0), 1.0), 2)
    return (
        '<td class="bar"><svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        f'<rect class="back" width="100" height="10" rx="1"/><rect class="front{css and f" kind {css}"}" width="{width:g}" '
        'height="10" rx="1"/></svg></td>'
    )


def table(caption: str, columns: list[str], rows: list[str]) -> str:
    """A table; columns beginning with `#` hold numbers. `rows` are HTML. One without rows says so."""
    head = "".join(
        f'<th scope="col"{" class=n" if c.startswith("#") else ""}>{esc(c.lstrip("#"))}</th>' for c in columns
    )
    body = (
        "".join(f"<tr>{row}</tr>" for row in rows) or f'<tr><td colspan="{len(columns)}" class="muted">none</td></tr>'
    )
    told = f"<caption>{esc(caption)}</caption>" if caption else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{esc(caption or columns[0].lstrip("#"))}"><table>{told}'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def cell(value: object, *, head: bool = False) -> str:
    """A table cell; numbers are aligned to the right."""
    if head:
        return f'<th scope="row">{esc(value)}</th>'
    number = isinstance(value, int | float)
    shown = f"{value:,}" if isinstance(value, int) else f"{value:.3g}" if isinstance(value, float) else esc(value)
    return f"<td{' class=n' if number else ''}>{shown}</td>"


def _hash(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
