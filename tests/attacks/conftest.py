"""Fixtures of the attack suite."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from caspipe.pipeline.assembly.dependencies import PLUGIN


@pytest.fixture(scope="module")
def no_plugins() -> Iterator[None]:
    """Hide the plug-ins that other tests loaded into this process: a bundle would contain them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in sys.modules if name.startswith(PLUGIN)]:
            patch.delitem(sys.modules, name)
        yield
