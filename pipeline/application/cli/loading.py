"""The pipeline that a command's arguments name."""

from __future__ import annotations

from pathlib import Path

from ...assembly.shipped import locate
from ...pipeline import Pipeline
from ...storage.secrets import warn_of_command_line
from .options import load_plugins


def load(config: str, overrides: list[str] | None, plugins: list[Path] | None, verify: Path | None = None) -> Pipeline:
    """Load a pipeline from a file or by the name of a shipped one."""
    load_plugins(plugins)
    pipeline = Pipeline.load(locate(config), overrides or [], verify=verify)
    warn_of_command_line([*pipeline.engines, *pipeline.consumers])
    return pipeline
