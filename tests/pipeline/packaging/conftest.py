"""Fixtures of the tests of bundles."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def none_loaded() -> Iterator[None]:
    """Plug-in files that tests of other folders loaded into this process are no part of what is packed here."""
    before = {name: module for name, module in sys.modules.items() if name.startswith("caspipe_plugin_")}
    for name in before:
        del sys.modules[name]
    yield
    sys.modules.update(before)
