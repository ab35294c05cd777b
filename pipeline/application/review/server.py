"""Runs the review server: on this machine only, until Ctrl-C; after a crash it comes back at the same address."""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import secrets
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...errors import ConfigError, Fault, ResourceError
from ...storage.files import write_atomic
from .export import export_gold
from .guard import Guard
from .session import Session
from .store import FOLDER

HOST = "127.0.0.1"


def serve(
    session: Session,
    *,
    annotator: str,
    port: int = 0,
    browser: bool = True,
    threshold: float = 0.8,
    gold: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Serves until it is told to stop. `gold`: the folder that the page's export button writes to.

    Raises ResourceError where the extra `server` is not installed, ConfigError for a port that cannot be had.
    """
    try:
        import uvicorn

        from .app import make_app
    except ImportError:
        raise ResourceError("caspipe review needs FastAPI and uvicorn: pip install 'caspipe[server]'") from None
    home = session.catalogue.home
    address = home / FOLDER / f"{annotator}.address"
    before = _address(address)
    bound = _bind(port, before.get("port", 0))
    port = bound.getsockname()[1]
    token = before["token"] if before.get("port") == port else secrets.token_urlsafe(24)
    write_atomic(address, json.dumps({"port": port, "token": token}).encode(), private=True)
    whole = home.resolve()
    target = gold if gold is not None else whole.with_name(f"{whole.name}-gold-{annotator}")
    settings = {
        "annotator": annotator,
        "home": str(home),
        "gold": str(target),
        "threshold": threshold,
        "two": [session.two.left, session.two.right] if session.two is not None else None,
    }
    app = make_app(session, settings, lambda: (target, export_gold(session, target, annotator)))
    guard = Guard(app, token, port)
    server = uvicorn.Server(
        uvicorn.Config(guard, log_level="critical", access_log=False, server_header=False, lifespan="off")
    )
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # its messages may quote what an exception quotes

    def end(*_: object) -> None:
        server.should_exit = True

    # A signal that comes before uvicorn listens for it must not be lost, as a KeyboardInterrupt can be where it is raised; and
    # uvicorn raises it again when it is done: without a handler the process would end before it has tidied up
    before_us = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    stopped = threading.Event()
    reading = threading.Thread(target=_read_all, args=(session, stopped), daemon=True)
    try:
        reading.start()
        say(f"http://{HOST}:{port}/?token={token}")
        if browser:
            with contextlib.suppress(webbrowser.Error):
                webbrowser.open(f"http://{HOST}:{port}/?once={guard.once()}")
        server.run(sockets=[bound])
    finally:
        for number, handler in before_us.items():
            signal.signal(number, handler)
        stopped.set()
        address.unlink(missing_ok=True)
        bound.close()


def _read_all(session: Session, stopped: threading.Event) -> None:
    session.scan(stopped.is_set)
    gc.collect()
    gc.freeze()  # what was read stays: looking through it for garbage again and again takes seconds with large documents


def _address(path: Path) -> dict[str, Any]:
    """Where a server was that did not end by itself."""
    try:
        found = json.loads(path.read_bytes())
        return {"port": int(found["port"]), "token": str(found["token"])}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _bind(port: int, before: int) -> socket.socket:
    """A socket at `port`; without one, where it was before, else anywhere. Raises ConfigError."""
    for wanted in [port] if port else [before, 0] if before else [0]:
        # TCP by name: asyncio turns Nagle's algorithm off only then, with which each answer waits 40 ms for the page's ACK
        bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((HOST, wanted))
            bound.listen(128)  # whoever reads the address can connect at once
        except OSError as error:
            bound.close()
            reason = error.strerror or type(error).__name__
        else:
            return bound
    raise ConfigError([Fault("--port", f"cannot listen at {port}: {reason}")])
