"""Write `component_index.json`: the module that declares each component and part of caspipe.

    python scripts/build_component_index.py

The registry reads it so that a command imports only the modules it needs.
"""

from __future__ import annotations

import json
from collections import defaultdict

from caspipe.pipeline.contract import registry


def component_index() -> dict[str, list[str]]:
    """Import every component and part and return `component NAME` or `part NAME` -> modules, sorted."""
    registry.import_package("caspipe.pipeline.application.experiment.studies")
    found: dict[str, set[str]] = defaultdict(set)
    for cls in registry.components():
        found[f"component {cls.name}"].add(cls.__module__)
    for cls in registry.all_parts():
        found[f"part {cls.name}"].add(cls.__module__)
    return {name: own for name in sorted(found) if (own := sorted(m for m in found[name] if m.startswith("caspipe.")))}


def text() -> str:
    """Return the index as JSON, one name a line."""
    return json.dumps(component_index(), indent=1) + "\n"


if __name__ == "__main__":
    registry.INDEX.write_text(text(), encoding="utf-8")
