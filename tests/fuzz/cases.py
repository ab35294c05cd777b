"""How many cases there are, and how Hypothesis draws one: as a few numbers, each of which names a change."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

SOAK = int(os.environ.get("CASPIPE_SOAK", "0"))
"""`make soak` sets it: a tenth of it are the cases of every test."""

EDITS = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4)


def cases(count: int) -> settings:
    """Settings for so many cases, or for as many as a soak wants."""
    return settings(max_examples=max(count, SOAK // 10), deadline=None, suppress_health_check=list(HealthCheck))


@contextmanager
def case(**numbers: Any) -> Iterator[None]:
    """Says of an error which case it was, so that it can be made again and become a test of its own."""
    try:
        yield
    except Exception as error:
        error.add_note("case: " + ", ".join(f"{name}={value!r}" for name, value in numbers.items()))
        raise
