"""`caspipe serve`: the pipeline as an HTTP service, and as an external recommender of INCEpTION."""

from __future__ import annotations

import ipaddress
import logging
import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import ConfigError, ConsumerError, Fault, ResourceError
from ...storage.secrets import read_secret
from .command import EXIT_FAILED, Config, Plugin, Set, complain, guarded, need

if TYPE_CHECKING:
    from ..service.settings import Settings, Spec

KEY_VARIABLE = "CASPIPE_API_KEY"
MIN_KEY = 16
"""Characters that a key must have."""

EPILOG = (
    "Examples: `caspipe serve` | `caspipe serve my.yaml --port 9000 --workers 4` | "
    "`CASPIPE_API_KEY=... caspipe serve --host 0.0.0.0` | `caspipe serve --state recommenders --auto-accept 0.95`; then "
    "`curl -H 'Content-Type: text/plain' --data-binary @note.txt http://127.0.0.1:8000/v1/process`"
)


def mount(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("serve", epilog=EPILOG)(serve)


@guarded
def serve(
    config: Config = "deidentify",
    set_: Set = None,
    plugin: Plugin = None,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all of this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free one.")] = 8000,
    workers: Annotated[
        int,
        typer.Option(
            min=0, max=256, help="Processes with a pipeline each; 0: none of its own, documents cannot be stopped."
        ),
    ] = 1,
    queue: Annotated[int, typer.Option(min=0, help="Requests that may wait; more are refused with 429.")] = 32,
    timeout: Annotated[float, typer.Option(help="Seconds a document may take.")] = 30.0,
    max_body: Annotated[float, typer.Option(metavar="MIB", help="Size of a request, and of a line of a batch.")] = 10.0,
    max_batch: Annotated[
        float,
        typer.Option(metavar="MIB", help="Size of a batch as JSON array; what is read ahead of a batch of lines."),
    ] = 32.0,
    max_training: Annotated[
        float, typer.Option(metavar="MIB", help="Size of a recommender's training request.")
    ] = 256.0,
    max_characters: Annotated[int, typer.Option(min=1, help="Code points of a document.")] = 1_000_000,
    api_key_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help=f"File with the key that requests must bring; else {KEY_VARIABLE}."),
    ] = None,
    cors: Annotated[
        list[str] | None,
        typer.Option(metavar="ORIGIN", help="Origin whose pages may call the service; may be given again."),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Keeps trained recommenders here; they hold words of the texts."),
    ] = None,
    auto_accept: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="INCEpTION accepts suggestions of at least this score when a document is opened."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No line for each request.")] = False,
) -> None:
    """Serves a pipeline over HTTP: documents in, masked documents out; suggestions for INCEpTION."""
    need("serve", "server", "fastapi", "uvicorn")
    from ...assembly.shipped import locate
    from ..service.settings import MEBIBYTE, Settings, Spec

    key = read_key(api_key_file)
    spec = Spec(
        config=str(locate(config)),
        overrides=tuple(set_ or ()),
        plugins=tuple(str(p.resolve()) for p in plugin or ()),
        max_characters=max_characters,
        auto_accept=auto_accept,
    )
    try:
        settings = Settings(
            max_body=round(max_body * MEBIBYTE),
            max_batch=round(max(max_batch, max_body) * MEBIBYTE),
            max_training=round(max_training * MEBIBYTE),
            seconds=timeout,
            workers=workers,
            queue=queue,
            state=state,
            origins=tuple(cors or ()),
            api_key=key,
            local=not key and _is_loopback(host),
        )
    except ValueError as error:
        raise ConfigError([Fault("serve", str(error))]) from None
    _logging(quiet)
    if not key and not _is_loopback(host):
        complain(
            f"warning: listening on {host} without a key: whoever reaches this port can use the service; "
            f"set {KEY_VARIABLE} or give --api-key-file"
        )
    raise typer.Exit(run(spec, settings, host, port))


def run(spec: Spec, settings: Settings, host: str, port: int) -> int:
    """Serves until SIGTERM or SIGINT, finishes what was begun, and returns the exit code. Raises CaspipeError."""
    import uvicorn

    from ..service.app import Service

    reasons: list[str] = []

    def failed(reason: str) -> None:
        reasons.append(reason)
        server.should_exit = True

    service = Service(spec, settings, failed)
    with bound(host, port) as listening:
        address, number = listening.getsockname()[:2]
        name = f"[{address}]" if ":" in address else address
        server = uvicorn.Server(
            uvicorn.Config(
                service,
                log_config=None,
                access_log=False,
                server_header=False,
                lifespan="on",
                ws="none",
                timeout_graceful_shutdown=round(settings.seconds) + 5,
            )
        )

        def end(*_: object) -> None:
            server.should_exit = True

        # uvicorn takes signals once it runs, and raises them again when it is done: without handlers those before would be lost,
        # and the exit code would be that of a killed process
        before = {n: signal.signal(n, end) for n in (signal.SIGTERM, signal.SIGINT)}
        try:
            typer.echo(f"caspipe serve: http://{name}:{number} ({Path(spec.config).name}); Ctrl-C ends it", err=True)
            server.run(sockets=[listening])
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    for reason in reasons:
        complain(reason)
    return EXIT_FAILED if reasons or not server.started else 0


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises ConsumerError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # TCP by name: asyncio turns Nagle's algorithm off only then, with which each answer waits 40 ms for the client's ACK
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(2048)  # at once: whoever reads the address may connect, and nobody else takes the port meanwhile
    except OSError as error:
        made.close()
        raise ConsumerError(f"cannot listen on {host}:{port}: {error.strerror or type(error).__name__}") from None
    return made


def read_key(file: Path | None) -> str:
    """The key, from a file or from the environment; empty where neither is given.

    Raises ConfigError for what is no key, and for a file that others than its owner may use.
    """
    where = f"--api-key-file {file}" if file is not None else KEY_VARIABLE
    try:
        key = (
            read_secret(file).decode("utf-8", "replace")
            if file is not None
            else os.environ.get(KEY_VARIABLE, "").strip()
        )
    except ResourceError as error:
        raise ConfigError([Fault("--api-key-file", str(error))]) from None
    if (file is not None or key) and (len(key) < MIN_KEY or not key.isascii() or not key.isprintable()):
        raise ConfigError([Fault(where, f"expected a key of at least {MIN_KEY} printable ASCII characters")])
    return key


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _logging(quiet: bool) -> None:
    """The service's own lines go to standard error. Those of libraries do not: they may quote what a client sent."""
    handler: Any = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%dT%H:%M:%S"))
    log = logging.getLogger("caspipe.service")
    log.handlers[:] = [handler]
    log.propagate = False
    log.setLevel(logging.WARNING if quiet else logging.INFO)
    logging.getLogger().addHandler(logging.NullHandler())
