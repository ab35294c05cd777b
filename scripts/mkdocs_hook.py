"""MkDocs hook: add the pages that are generated from the code, and the tables inside hand-written ones."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from reference_pages import feature_tables, pages  # noqa: E402  the folder is not a package

FEATURE_TABLES = "<!-- feature tables -->"
OUTSIDE = "../../benchmarks/RESULTS.md"
NOT_RUN = re.compile(r"^( *```.*) not-run$", re.MULTILINE)
"""The mark of code blocks that the tests do not run."""


def on_files(files: Files, config: Any) -> Files:
    """Add the generated reference and the pages kept outside `docs/`."""
    for path, content in pages().items():
        files.append(File.generated(config, path, content=content))
    for path in ("CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/RESULTS.md"):
        text = (ROOT / path).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, Path(path).name.lower(), content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Fill in the tables of features, remove marks for the tests, and point links to the benchmarks at their generated page."""
    markdown = NOT_RUN.sub(r"\1", markdown)
    if FEATURE_TABLES in markdown:
        markdown = markdown.replace(FEATURE_TABLES, feature_tables())
    return markdown.replace(OUTSIDE, "../results.md")


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Raise PluginError if a code block of the page was not recognized."""
    if "```" in output:
        raise PluginError(f"{page.file.src_uri}: a code block is not closed, or its first line is not understood")
    return output
