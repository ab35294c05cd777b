"""Rule files for the tests of this folder."""

from __future__ import annotations

import textwrap
from pathlib import Path

from caspipe.annotators.patterns import RuleFile
from caspipe.annotators.patterns.engine import RuleMatch


def rule_file(folder: Path, text: str, name: str = "site.yaml") -> RuleFile:
    """Return a rule file with this content. Raises ResourceError with its faults."""
    path = folder / name
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return RuleFile.load(str(path))


def faults(folder: Path, text: str, name: str = "site.yaml") -> list[str]:
    """Return the faults of a rule file with this content, without the folder."""
    path = folder / name
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    made, found = RuleFile.read(str(path))
    assert (made is None) == bool(found)
    return [str(fault).replace(f"{folder}/", "") for fault in found]


def covered(text: str, hits: list[RuleMatch]) -> list[str]:
    """Return the covered texts of matches."""
    return [text[h.begin : h.end] for h in hits]
