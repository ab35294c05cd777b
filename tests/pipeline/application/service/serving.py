"""Services on a socket of this machine, in a thread of the test's own process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn

from caspipe.pipeline.application.cli.serve import listening_socket
from caspipe.pipeline.application.service.app import Service

CANARY = "Quetzalcoatlus"
"""A word that may only come back where a document's own text is asked for."""

RULES = """
name: rules
engines:
  - segmenter
  - aggregate: {id: rules, engines: [dates, ages, identifiers, names]}
  - resolver: {priority: [rules]}
  - masker: {default: placeholder}
"""
"""A pipeline that opens quickly."""


@contextmanager
def served(service: Service, *, ready: bool = True) -> Iterator[str]:
    """The service at a URL."""
    with listening_socket("127.0.0.1", 0) as listening:
        server = uvicorn.Server(uvicorn.Config(service, log_config=None, access_log=False, ws="none", lifespan="on"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        try:
            until(lambda: server.started)
            if ready:
                until(lambda: service.pool.ready)
            yield url
        finally:
            server.should_exit = True
            thread.join(30)
            assert not thread.is_alive()


def until(condition: Callable[[], Any], seconds: float = 60) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not so within {seconds:g} s"
        time.sleep(0.02)


class Running:
    """A service, and a client for it."""

    def __init__(self, service: Service, url: str, client: httpx.Client) -> None:
        self.service, self.url, self.client = service, url, client
