"""Runs whose finder overlooks values, for tests of the release scanner."""

from __future__ import annotations

import json
from pathlib import Path

from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract import registry
from caspipe.pipeline.contract.report import RunReport

registry.load_file(str(Path(__file__).with_name("leaking.py")))

ANN = "Patient {PERSON:Annabel Quellmore}, MRN {ID:8812-3456}, lives at {LOCATION_STREET:12 Quarrow Street}.\n"
BOB = "Patient {PERSON:Robert Tollivant}, MRN {ID:7712-0001}.\n"
STANDING = "{PERSON:Quellmore} was seen. Quellmore left."
"""Without a leak gate, the second name stands. It is searched for in the outputs of its own document only."""


def run(
    out: Path, texts: dict[str, str], consumers: str = "[text]", *overrides: str, engines: str = "masker"
) -> RunReport:
    return pipeline(out, texts, consumers, *overrides, engines=engines).run()


def pipeline(out: Path, texts: dict[str, str], consumers: str, *overrides: str, engines: str = "masker") -> Pipeline:
    notes = out.with_name(f"{out.name}-notes")
    for name, text in texts.items():
        path = notes / f"{name}.txt"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
    config = (
        f"reader: {{text: {{folder: {json.dumps(str(notes))}}}}}\n"
        f"engines: [leaking_marks, resolver, {engines}]\nconsumers: {consumers}\n"
    )
    return Pipeline.parse(config, [f"run.output={out}", "run.workers=0", *overrides])


def released(out: Path) -> bytes:
    """Return names and bytes of everything in the release but its manifest."""
    files = [p for p in sorted((out / "release").rglob("*")) if p.is_file() and p.name != "manifest.json"]
    return b"".join(str(p.relative_to(out)).encode() + p.read_bytes() for p in files)


def manifest(out: Path) -> dict[str, object]:
    return json.loads((out / "release/manifest.json").read_text())  # type: ignore[no-any-return]
