"""Colors of labels in annotation tools: a hue for each first-level kind, as on our own pages."""

from __future__ import annotations

import colorsys
import re
from functools import lru_cache

from ...typesystem import PhiKind
from ..pages.rendering import read_static

_HUES = {
    name: int(hue)
    for selector, hue in re.findall(r"^((?:\.k-[A-Z]+,? ?)+)\{ --h: (\d+);", read_static("page.css"), re.MULTILINE)
    for name in re.findall(r"\.k-([A-Z]+)", selector)
}
_GRAY = "#d5d8dc"


@lru_cache(maxsize=1024)
def label_color(label: str, scheme: str = "") -> str:
    """Return the color (`#rrggbb`, light enough for black text) of a label of a scheme, or of a kind; gray for others."""
    try:
        kind = PhiKind.of_scheme(scheme, label) if scheme else PhiKind.of(label)
    except ValueError:
        return _GRAY
    hue = _HUES.get("OWN" if kind.top.own else kind.top.name)
    if hue is None or kind.top.name in ("OTHER", "PHOTO"):
        return _GRAY
    parts = colorsys.hls_to_rgb(hue / 360, 0.82, 0.75)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)
