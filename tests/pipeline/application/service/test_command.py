"""`caspipe serve` as a process: it says where it listens, finishes what it began, and ends with code 0."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from serving import CANARY
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.application.cli.serve import listening_socket, read_key
from caspipe.pipeline.errors import ConfigError, ConsumerError

pytestmark = pytest.mark.server

PROGRAM = """
from caspipe.pipeline.application.cli.main import app
app()
"""
SLOW = """
import time
from caspipe.pipeline.contract.component import AnalysisEngine, component

@component('slow_for_command')
class Slow(AnalysisEngine):
    '''Takes a second.'''
    def process(self, cas):
        time.sleep(1)
"""


@contextmanager
def process(*arguments: str, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`caspipe serve` on a free port; its URL and the process."""
    command = [sys.executable, "-c", PROGRAM, "serve", "--port", "0", *arguments]
    env = {k: v for k, v in os.environ.items() if k != "CASPIPE_API_KEY"} | environment
    running = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=env)
    try:
        assert running.stderr is not None
        said = ""
        while not (found := re.search(r"http://\S+", said)):
            line = running.stderr.readline()
            assert line, said
            said += line
        yield found[0], running
    finally:
        running.kill()
        running.communicate()


@contextmanager
def ready(url: str) -> Iterator[httpx.Client]:
    """A client of a service that has loaded its models."""
    with httpx.Client(base_url=url, timeout=30) as client:
        for _ in range(600):
            if client.get("/ready").status_code == 200:
                break
            threading.Event().wait(0.1)
        else:
            raise AssertionError("not ready in time")
        yield client


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_it_finish_and_ends_it_with_code_0(tmp_path: Path, number: int) -> None:
    plugin, config = tmp_path / "slow.py", tmp_path / "slow.yaml"
    plugin.write_text(SLOW)
    config.write_text("engines: [segmenter, slow_for_command, dates, masker]\n")
    with process(str(config), "--plugin", str(plugin)) as (url, running), ready(url) as client:
        answers: list[httpx.Response] = []
        asking = threading.Thread(
            target=lambda: answers.append(client.post("/v1/process", json={"text": f"{CANARY} 3/4/2020", "id": CANARY}))
        )
        asking.start()
        threading.Event().wait(0.5)
        running.send_signal(number)
        _, said = running.communicate(timeout=30)
        asking.join()
        assert answers[0].json()["masked"]["text"] == f"{CANARY} [DATE]"
        assert running.returncode == 0
        assert "POST /v1/process 200" in said
        assert CANARY not in said
        with pytest.raises(httpx.ConnectError):
            client.get("/health")


def test_a_signal_right_after_the_address_is_not_lost(rules: Path) -> None:
    with process(str(rules), "--workers", "0") as (_, running):
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=30)
        assert running.returncode == 0


def test_nothing_of_a_document_is_printed(rules: Path) -> None:
    with process(str(rules)) as (url, running), ready(url) as client:
        for given in (
            {"json": {"text": CANARY, "id": CANARY}}, {"json": {"xmi": f"<{CANARY}/>"}}, {"content": CANARY},
            {"json": {CANARY: 1}},
        ):  # fmt: skip
            client.post(f"/v1/process?{CANARY}", **given)  # type: ignore[arg-type]
        client.post(f"/{CANARY}")
        with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))) as peer:
            peer.sendall(f"POST /v1/process HTTP/1.1\r\nContent-Length: {CANARY}\r\n\r\n{CANARY}".encode())
            assert CANARY.encode() not in peer.recv(1000)
        running.terminate()
        _, said = running.communicate(timeout=30)
    assert CANARY not in said
    assert "warning" not in said


def test_a_key_from_the_environment_is_asked_for_and_never_shown(rules: Path) -> None:
    key = "a-secret-of-sixteen-or-more"
    with process(str(rules), "--workers", "0", CASPIPE_API_KEY=key) as (url, running), ready(url) as client:
        assert client.post("/v1/process", json={"text": "x"}).status_code == 401
        assert client.post("/v1/process", json={"text": "x"}, headers={"X-API-Key": key}).status_code == 200
        assert key not in Path(f"/proc/{running.pid}/cmdline").read_text() if Path("/proc").is_dir() else True
        running.terminate()
        _, said = running.communicate(timeout=30)
    assert key not in said


def test_listening_to_all_without_a_key_is_warned_of(rules: Path) -> None:
    with process(str(rules), "--workers", "0", "--host", "0.0.0.0", "--quiet") as (url, running):
        assert httpx.get(f"{url.replace('0.0.0.0', '127.0.0.1')}/health").status_code == 200
        running.terminate()
    command = [sys.executable, "-c", PROGRAM, "serve", str(rules), "--host", "0.0.0.0", "--port", "0"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, "CASPIPE_API_KEY": ""}
    ) as warned:
        assert warned.stderr is not None
        assert warned.stderr.readline() == (
            "warning: listening on 0.0.0.0 without a key: anyone who reaches this port can use the service; "
            "set CASPIPE_API_KEY or give --api-key-file\n"
        )
        warned.kill()


@pytest.fixture(autouse=True)
def _log() -> Iterator[None]:
    """The command sets the service's log up for a process of its own."""
    log = logging.getLogger("caspipe.service")
    before = log.handlers[:], log.propagate, log.level
    yield
    log.handlers[:], log.propagate = before[0], before[1]
    log.setLevel(before[2])


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["serve", *arguments])


def test_a_wrong_configuration_ends_it_before_it_listens(tmp_path: Path) -> None:
    config = tmp_path / "wrong.yaml"
    config.write_text("engines: [segmentor]\n")
    result = invoke(str(config), "--port", "0")
    assert result.exit_code == 2
    assert "did you mean segmenter?" in result.stderr
    assert invoke(str(config), "--port", "0", "--workers", "0").exit_code == 2


def test_a_pipeline_that_cannot_be_opened_ends_it_with_the_reason(tmp_path: Path) -> None:
    plugin, config = tmp_path / "closed.py", tmp_path / "closed.yaml"
    plugin.write_text(
        "from caspipe.pipeline.contract.component import AnalysisEngine, component\n"
        "from caspipe.pipeline.errors import ResourceError\n"
        "@component('closed_for_command')\n"
        "class Closed(AnalysisEngine):\n"
        "    '''Cannot be opened.'''\n"
        "    def open(self):\n"
        "        raise ResourceError('model x: not there')\n"
    )
    config.write_text("engines: [closed_for_command]\n")
    command = [sys.executable, "-c", PROGRAM, "serve", str(config), "--plugin", str(plugin), "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 4
    assert done.stderr.endswith("worker: model x: not there\n")


def test_a_port_that_is_taken_is_told(rules: Path) -> None:
    with listening_socket("127.0.0.1", 0) as taken:
        taken.listen()
        with pytest.raises(ConsumerError, match=r"^cannot listen on 127.0.0.1:\d+: Address already in use$"):
            listening_socket("127.0.0.1", taken.getsockname()[1])


def test_keys_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "key"
    monkeypatch.setenv("CASPIPE_API_KEY", "")
    assert read_key(None) == ""
    file.touch(0o600)
    file.write_text("0123456789abcdef\n")
    assert read_key(file) == "0123456789abcdef"
    for wrong in ("short", "0123456789abcde\u00fc", "0123456789abcde\ufffd"):
        file.write_text(wrong, encoding="utf-8")
        with pytest.raises(ConfigError, match="expected a key of at least 16 printable ASCII characters") as caught:
            read_key(file)
        assert "short" not in str(caught.value)
    file.write_bytes(b"0123456789abcde\xff")
    with pytest.raises(ConfigError, match="printable ASCII"):
        read_key(file)
    file.write_text("")
    with pytest.raises(ConfigError, match=r"^--api-key-file: key file .*/key: expected a secret, found nothing"):
        read_key(file)
    with pytest.raises(ConfigError, match=r"^--api-key-file: key file .*/absent: No such file or directory"):
        read_key(tmp_path / "absent")
    monkeypatch.setenv("CASPIPE_API_KEY", " 0123456789abcdef ")
    assert read_key(None) == "0123456789abcdef"
    monkeypatch.setenv("CASPIPE_API_KEY", "0123456789abcde\u00fc")
    with pytest.raises(ConfigError, match="printable ASCII"):
        read_key(None)


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes here")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_key_file_that_others_may_use_is_refused(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "key"
    file.write_text("0123456789abcdef\n")
    file.chmod(mode)
    with pytest.raises(
        ConfigError, match=rf"^--api-key-file: key file .*/key: others .* \(mode {mode:04o}\): expected 0600"
    ):
        read_key(file)


def test_the_command_tells_of_a_key_file_that_others_may_use(rules: Path, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("0123456789abcdef\n")
    file.chmod(0o644)
    result = invoke(str(rules), "--api-key-file", str(file))
    assert result.exit_code == 2
    assert result.stderr == (
        f"--api-key-file: key file {file}: others than its owner may use it (mode 0644): expected 0600, as after chmod 600\n"
    )


def test_limits_that_make_no_sense_are_refused(rules: Path) -> None:
    result = invoke(str(rules), "--timeout", "0")
    assert result.exit_code == 2
    assert result.stderr == "serve: seconds: expected a number above 0, got 0\n"


def test_help_says_what_there_is() -> None:
    result = invoke("--help")
    assert result.exit_code == 0
    for option in ("--api-key-file", "--workers", "--state", "--auto-accept", "--cors"):
        assert option in result.output
