"""Colours of labels in annotation tools: a hue for each kind of the first level, as on our own pages."""

from __future__ import annotations

import colorsys
import re
from functools import lru_cache

from ...typesystem import PhiKind
from ..pages.style import STYLE

_HUES = {
    name: int(hue)
    for selector, hue in re.findall(r"^((?:\.k-[A-Z]+,? ?)+)\{ --h: (\d+);", STYLE, re.MULTILINE)
    for name in re.findall(r"\.k-([A-Z]+)", selector)
}
_GREY = "#d5d8dc"


@lru_cache(maxsize=1024)
def colour(label: str, scheme: str = "") -> str:
    """The colour (`#rrggbb`, light enough for black text) of a label of a scheme, or of a kind; grey for others."""
    try:
        kind = PhiKind.of_scheme(scheme, label) if scheme else PhiKind.of(label)
    except ValueError:
        return _GREY
    hue = _HUES.get(kind.top.name)
    if hue is None or kind.top.name in ("OTHER", "PHOTO"):
        return _GREY
    parts = colorsys.hls_to_rgb(hue / 360, 0.82, 0.75)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)
