"""Fixtures with running services."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra `server`")
pytest.importorskip("uvicorn", reason="needs the extra `server`")
sys.path.insert(0, str(Path(__file__).parent))

import httpx
from serving import CANARY, RULES, Running, served

from caspipe.pipeline.application.service.app import Service
from caspipe.pipeline.application.service.settings import Settings, Spec


@pytest.fixture(scope="session")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration of rules alone."""
    path = tmp_path_factory.mktemp("configs") / "rules.yaml"
    path.write_text(RULES, encoding="utf-8")
    return path


@pytest.fixture
def serve(rules: Path) -> Iterator[Callable[..., Running]]:
    """Starts services with settings of the test's own; they end with it."""
    with ExitStack() as stack:

        def start(
            *, config: Path = rules, spec: dict[str, Any] | None = None, ready: bool = True, **settings: Any
        ) -> Running:
            service = Service(Spec(config=str(config), **(spec or {})), Settings(**{"workers": 0, **settings}))
            url = stack.enter_context(served(service, ready=ready))
            return Running(service, url, stack.enter_context(httpx.Client(base_url=url, timeout=60)))

        yield start


@pytest.fixture(scope="module")
def running(rules: Path) -> Iterator[Running]:
    """One service for the tests of a module that change nothing of it."""
    service = Service(Spec(config=str(rules), max_characters=20_000), Settings(workers=0, max_body=200_000))
    with served(service) as url, httpx.Client(base_url=url, timeout=60) as client:
        yield Running(service, url, client)


@pytest.fixture
def client(running: Running) -> httpx.Client:
    return running.client


@pytest.fixture(autouse=True)
def _nothing_quoted(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No log of a test may hold the word that tests put into documents."""
    caplog.set_level(logging.DEBUG)
    yield
    for record in caplog.records:
        if not record.name.startswith(("httpx", "httpcore", "hypothesis", "uvicorn.access")):
            assert CANARY not in record.getMessage()
            assert CANARY not in str(record.exc_info)
