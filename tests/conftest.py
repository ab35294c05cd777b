"""Fixtures every test can use."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from caspipe.pipeline.assembly.dependencies import PLUGIN

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"

sys.path.insert(0, str(Path(__file__).parent))  # modules that tests of several folders share


# the same examples every time, so that a green run stays green; HYPOTHESIS_PROFILE=explore looks for new ones
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of open corpora beside the checkout; tests that need it skip where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("needs the open corpora in ../shared, which lie beside the developers' checkouts only")
    return SHARED


@pytest.fixture(scope="module")
def no_plugins() -> Iterator[None]:
    """Hide the plug-ins that other tests loaded into this process: a bundle would contain them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in sys.modules if name.startswith(PLUGIN)]:
            patch.delitem(sys.modules, name)
        yield
