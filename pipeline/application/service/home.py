"""The page of the service: what it is, a box to try it, and where the API is described. It loads nothing from elsewhere."""

from __future__ import annotations

import html
from functools import cache
from importlib.resources import files


@cache
def asset(name: str) -> bytes:
    """Return a file of the page."""
    return files(__package__).joinpath("static", name).read_bytes()


def home_page(version: str) -> bytes:
    """Return the page."""
    return asset("home.html").replace(b"{version}", html.escape(version).encode())
