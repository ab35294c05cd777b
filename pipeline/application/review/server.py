"""The review server, which listens on this machine only. After a crash it uses the same address again."""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ...errors import ConfigError, Fault
from ...storage.files import write_atomic
from ..http_protocol import TimedProtocol
from ..http_server import listen, stopped_by_signals
from .app import make_app
from .export import export_gold
from .guard import Guard
from .session import Session
from .store import FOLDER

HOST = "127.0.0.1"


class ReviewProtocol(TimedProtocol):
    """Connections of the review server, whose requests are small."""

    body_seconds = 30.0


def serve(
    session: Session,
    *,
    annotator: str,
    port: int,
    browser: bool,
    threshold: float,
    say: Callable[[str], None],
) -> None:
    """Serve until a signal stops the server. `say` is called with the address. The export button of the page writes to a folder
    next to the documents. Raises ConfigError if the port cannot be used.
    """
    import uvicorn

    home = session.catalogue.home
    address_file = home / FOLDER / f"{annotator}.address"
    previous = _previous_address(address_file)
    listening = _listen(port, previous.get("port", 0))
    port = listening.getsockname()[1]
    token = previous["token"] if previous.get("port") == port else secrets.token_urlsafe(24)
    write_atomic(address_file, json.dumps({"port": port, "token": token}).encode(), private=True)
    target = home.resolve().with_name(f"{home.resolve().name}-gold-{annotator}")
    settings = {
        "annotator": annotator,
        "home": str(home),
        "gold": str(target),
        "threshold": threshold,
        "two": [session.pair.left, session.pair.right] if session.pair is not None else None,
    }
    guard = Guard(make_app(session, settings, lambda: (target, export_gold(session, target, annotator))), token, port)
    server = uvicorn.Server(
        uvicorn.Config(
            guard, http=ReviewProtocol, log_level="critical", access_log=False, server_header=False, lifespan="off"
        )
    )
    logging.getLogger("asyncio").setLevel(
        logging.CRITICAL
    )  # its messages contain those of exceptions, which may quote text
    try:
        with stopped_by_signals(server), _reading_all(session):
            say(f"http://{HOST}:{port}/?token={token}")
            if browser:
                with contextlib.suppress(webbrowser.Error):
                    webbrowser.open(f"http://{HOST}:{port}/?once={guard.once()}")
            server.run(sockets=[listening])
    finally:
        address_file.unlink(missing_ok=True)
        listening.close()


@contextlib.contextmanager
def _reading_all(session: Session) -> Iterator[None]:
    """Read every document in the background, for the list."""
    stopped = threading.Event()

    def read() -> None:
        session.scan(stopped.is_set)
        gc.collect()
        gc.freeze()  # repeated garbage collection over large cached documents would take seconds

    threading.Thread(target=read, daemon=True).start()
    try:
        yield
    finally:
        stopped.set()


def _previous_address(path: Path) -> dict[str, Any]:
    """Return port and token of a server that did not stop normally, else an empty mapping."""
    try:
        address = json.loads(path.read_bytes())
        return {"port": int(address["port"]), "token": str(address["token"])}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _listen(port: int, previous: int) -> socket.socket:
    """Return a socket at `port`; if `port` is 0, at the previous or any free port. Raises ConfigError."""
    for wanted in [port] if port else [previous, 0] if previous else [0]:
        try:
            return listen(HOST, wanted)
        except OSError as error:
            reason = error.strerror or type(error).__name__
    raise ConfigError([Fault("--port", f"cannot listen at {port}: {reason}")])
