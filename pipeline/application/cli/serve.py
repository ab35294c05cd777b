"""`caspipe serve`: the pipeline as an HTTP service, and as an external recommender of INCEpTION."""

from __future__ import annotations

import logging
import os
import socket
from pathlib import Path
from typing import Annotated

import typer

from ...assembly.shipped import locate
from ...errors import ConfigError, ConsumerError, Fault, ResourceError
from ...running.withheld_output import WithheldOutput
from ...storage.secrets import read_secret
from ..http_server import is_loopback, listen, stopped_by_signals
from ..service.settings import MEBIBYTE, Settings, Spec
from .command import EXIT_FAILED, CommandApp, complain, require_extra
from .options import Config, Plugin, Set, SiteFile, Surrogates, Trust, Verify, overrides_of, say_trusted

app = CommandApp()

KEY_VARIABLE = "CASPIPE_API_KEY"
MIN_KEY = 16
"""Least number of characters of a key."""

Host = Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all addresses of this machine.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free one.")]
Workers = Annotated[
    int,
    typer.Option(
        min=0,
        max=256,
        help="Processes with a pipeline each; 0 to process in the server itself, but then no document can be stopped.",
    ),
]
Queue = Annotated[int, typer.Option(min=0, help="Requests that may wait; more are rejected with 429.")]
Timeout = Annotated[float, typer.Option(help="Seconds a document may take.")]
MaxBody = Annotated[float, typer.Option(metavar="MIB", help="Size of a request, and of a line of a batch.")]
MaxBatch = Annotated[
    float, typer.Option(metavar="MIB", help="Size of a batch as JSON array; read-ahead of a batch of lines.")
]
MaxTraining = Annotated[float, typer.Option(metavar="MIB", help="Size of a recommender's training request.")]
MaxCharacters = Annotated[int, typer.Option(min=1, help="Code points of a document.")]
ApiKeyFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help=f"File with the key that requests must send; default: {KEY_VARIABLE}."),
]
Cors = Annotated[
    list[str] | None,
    typer.Option(metavar="ORIGIN", help="Origin whose pages may call the service; repeatable."),
]
State = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Keep trained recommenders here; they hold words of the texts."),
]
AutoAccept = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="INCEpTION accepts suggestions of at least this score when a document is opened."),
]
QuietLog = Annotated[bool, typer.Option("--quiet", "-q", help="No line for each request.")]


@app.command(
    epilog="Examples: `caspipe serve` | `caspipe serve my.yaml --port 9000 --workers 4` | "
    "`CASPIPE_API_KEY=... caspipe serve --host 0.0.0.0` | `caspipe serve --state recommenders --auto-accept 0.95`; then "
    "`curl -H 'Content-Type: text/plain' --data-binary @note.txt http://127.0.0.1:8000/v1/process`"
)
def serve(
    config: Config = "deidentify",
    set_: Set = None,
    site: SiteFile = None,
    plugin: Plugin = None,
    verify: Verify = None,
    trust: Trust = False,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: Workers = 1,
    queue: Queue = 32,
    timeout: Timeout = 30.0,
    max_body: MaxBody = 10.0,
    max_batch: MaxBatch = 32.0,
    max_training: MaxTraining = 256.0,
    max_characters: MaxCharacters = 1_000_000,
    api_key_file: ApiKeyFile = None,
    cors: Cors = None,
    state: State = None,
    auto_accept: AutoAccept = None,
    surrogates: Surrogates = False,
    quiet: QuietLog = False,
) -> None:
    """Serve a pipeline over HTTP: documents in, masked documents out; suggestions for INCEpTION."""
    require_extra("serve", "server", "fastapi", "uvicorn")
    key = read_key(api_key_file)
    file = locate(config)
    say_trusted(file, verify, trust)
    spec = Spec(
        config=str(file),
        overrides=tuple(overrides_of(set_, site=site, surrogates=surrogates)),
        verify=str(verify.resolve()) if verify else "",
        trust=trust,
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
            local=not key and is_loopback(host),
        )
    except ValueError as error:
        raise ConfigError([Fault("serve", str(error))]) from None
    _configure_logging(quiet)
    if not key and not is_loopback(host):
        complain(
            f"warning: listening on {host} without a key: anyone who reaches this port can use the service; "
            f"set {KEY_VARIABLE} or give --api-key-file"
        )
    raise typer.Exit(run(spec, settings, host, port))


def run(spec: Spec, settings: Settings, host: str, port: int) -> int:
    """Serve until SIGTERM or SIGINT, finish the requests in progress, and return the exit code. Raises CaspipeError."""
    import uvicorn

    from ..http_protocol import TimedProtocol
    from ..service.app import Service

    reasons: list[str] = []

    def fail(reason: str) -> None:
        reasons.append(reason)
        server.should_exit = True

    service = Service(spec, settings, fail)
    with listening_socket(host, port) as listening:
        server = uvicorn.Server(
            uvicorn.Config(
                service,
                log_config=None,
                access_log=False,
                server_header=False,
                lifespan="on",
                http=TimedProtocol,
                ws="none",
                timeout_graceful_shutdown=round(settings.seconds) + 5,
            )
        )
        with stopped_by_signals(server):
            address, bound_port = listening.getsockname()[:2]
            name = f"[{address}]" if ":" in address else address
            typer.echo(
                f"caspipe serve: http://{name}:{bound_port} ({Path(spec.config).name}); Ctrl-C ends it", err=True
            )
            server.run(sockets=[listening])
    for reason in reasons:
        complain(reason)
    return EXIT_FAILED if reasons or not server.started else 0


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises ConsumerError."""
    try:
        return listen(host, port)
    except OSError as error:
        raise ConsumerError(f"cannot listen on {host}:{port}: {error.strerror or type(error).__name__}") from None


def read_key(file: Path | None) -> str:
    """Return the key from a file or from the environment; empty if there is neither.

    Raises ConfigError for an invalid key, and for a file that others than its owner may use.
    """
    try:
        key = read_secret(file).decode("utf-8", "replace") if file else os.environ.get(KEY_VARIABLE, "").strip()
    except ResourceError as error:
        raise ConfigError([Fault("--api-key-file", str(error))]) from None
    if (file is not None or key) and (len(key) < MIN_KEY or not key.isascii() or not key.isprintable()):
        source = f"--api-key-file {file}" if file is not None else KEY_VARIABLE
        raise ConfigError([Fault(source, f"expected a key of at least {MIN_KEY} printable ASCII characters")])
    return key


def _configure_logging(quiet: bool) -> None:
    """Send the service's own log to standard error, but not that of libraries, which may quote what a client sent."""
    handler = logging.StreamHandler(WithheldOutput().visible_stderr())
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%dT%H:%M:%S"))
    log = logging.getLogger("caspipe.service")
    log.handlers[:] = [handler]
    log.propagate = False
    log.setLevel(logging.WARNING if quiet else logging.INFO)
    logging.getLogger().addHandler(logging.NullHandler())
