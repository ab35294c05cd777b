"""Media types of bodies, and content negotiation."""

from __future__ import annotations

from collections.abc import Sequence

from .problems import Problem


def media_type(header: str, allowed: Sequence[str]) -> tuple[str, str]:
    """Return media type and charset of a body. Raises Problem (415) for one that is not allowed."""
    head, *parameters = (part.strip() for part in header.split(";"))
    if head.lower() not in allowed:
        raise Problem(415, "media-type", f"Content-Type: expected {' or '.join(allowed)}")
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return head.lower(), value.strip().strip('"')
    return head.lower(), ""


def acceptable(header: str, offered: Sequence[str]) -> str:
    """Return the offered media type that the client prefers, the first one without a preference.

    Raises Problem (406) if the client accepts none. RFC 9110, 12.5.1.
    """
    if not header.strip():
        return offered[0]
    best, best_weight = "", 0.0
    for media in offered:
        weight = _weight(media, header)
        if weight > best_weight:
            best, best_weight = media, weight
    if not best:
        raise Problem(406, "not-acceptable", f"Accept: expected {' or '.join(offered)}")
    return best


def _weight(media: str, header: str) -> float:
    """Return the weight of the most specific range that matches; 0 if none does."""
    found: tuple[int, float] = (-1, 0.0)
    for item in header.split(","):
        range_, *parameters = (part.strip().lower() for part in item.split(";"))
        fits = {media: 2, f"{media.partition('/')[0]}/*": 1, "*/*": 0}.get(range_, -1)
        if fits > found[0]:
            found = fits, _quality(parameters)
    return found[1]


def _quality(parameters: Sequence[str]) -> float:
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                return min(max(float(parameter[2:]), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0
