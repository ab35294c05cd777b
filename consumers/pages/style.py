"""Style sheets of the pages as constants; `rendering.render_page` inlines them by name."""

from __future__ import annotations

from .rendering import read_static

STYLE = read_static("page.css")
REPORT = read_static("report.css")
