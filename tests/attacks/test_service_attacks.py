"""Slow clients, pages of other origins, and the page of the service."""

from __future__ import annotations

import contextlib
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from caspipe.pipeline.application.cli.serve import listening_socket
from caspipe.pipeline.application.service.settings import Settings, Spec

httpx = pytest.importorskip("httpx")
uvicorn = pytest.importorskip("uvicorn", reason="needs the extra `server`")
pytest.importorskip("fastapi", reason="needs the extra `server`")
TimedProtocol = pytest.importorskip("caspipe.pipeline.application.http_protocol").TimedProtocol
Service = pytest.importorskip("caspipe.pipeline.application.service.app").Service

pytestmark = [pytest.mark.server, pytest.mark.attack("service")]


class Quick(TimedProtocol):  # type: ignore[misc,valid-type]
    """Waits for half a second."""

    head_seconds = 0.5
    body_seconds = 1.0


@contextlib.contextmanager
def served(tmp_path: Path, **settings: object) -> Iterator[str]:
    config = tmp_path / "rules.yaml"
    config.write_text("engines: [segmenter, dates, identifiers, names, resolver, {masker: {default: placeholder}}]\n")
    service = Service(Spec(config=str(config)), Settings(**{"workers": 0, **settings}))  # type: ignore[arg-type]
    with listening_socket("127.0.0.1", 0) as listening:
        server = uvicorn.Server(
            uvicorn.Config(service, http=Quick, log_config=None, access_log=False, ws="none", lifespan="on")
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not service.pool.ready:
            time.sleep(0.02)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(30)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("service"), origins=("https://app.example",)) as url:
        yield url


def trickled(url: str, head: bytes, first: bytes = b"") -> tuple[bytes, float]:
    """Send a byte every 50 ms after `first`; return the answer and how long the connection lasted."""
    host, port = url.removeprefix("http://").split(":")
    began, answer = time.monotonic(), b""
    with socket.create_connection((host, int(port))) as peer:
        peer.sendall(first)
        peer.settimeout(0.05)
        for byte in head:
            if time.monotonic() - began > 15:
                break
            try:
                peer.sendall(bytes([byte]))
                with contextlib.suppress(TimeoutError):
                    data = peer.recv(1000)
                    if not data:
                        break
                    answer += data
            except OSError:
                break
    return answer, time.monotonic() - began


def test_a_client_that_sends_its_headers_slowly_is_closed(url: str) -> None:
    answer, seconds = trickled(url, b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X-Slow: y\r\n" * 100)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert 0.4 < seconds < 10


def test_a_client_that_sends_nothing_is_closed(url: str) -> None:
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as peer:
        peer.settimeout(10)
        assert peer.recv(100).startswith(b"HTTP/1.1 408 ")
        assert peer.recv(100) == b""


def test_later_requests_of_a_connection_are_timed_too(url: str) -> None:
    first = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer, seconds = trickled(url, b"GET /health HTTP/1.1\r\n" + b"X-Slow: y\r\n" * 100, first)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 408 " in answer
    assert seconds < 10


def test_a_slow_body_is_not_waited_for(url: str) -> None:
    first = b"POST /v1/process HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 4000\r\n\r\n"
    _, seconds = trickled(url, b"x" * 4000, first)
    assert seconds < 10


def test_a_body_that_nobody_reads_does_not_hold_the_connection(url: str) -> None:
    first = b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 4000\r\n\r\n"
    answer, seconds = trickled(url, b"x" * 4000, first)
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert seconds < 10


def test_a_connection_is_used_again_and_a_slow_document_is_not_cut_off(url: str) -> None:
    with httpx.Client(base_url=url) as client:
        for n in range(3):
            answer = client.post("/v1/process", json={"text": f"Seen on 3/4/202{n} by Dr. Smith. " * 300})
            assert answer.status_code == 200
            time.sleep(0.7)  # longer than the time for a head


POSTS = ["/v1/process", "/v1/batch", "/recommender/phi/predict", "/recommender/phi/train"]


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://localhost:1", "Sec-Fetch-Site": "same-site"},  # another program on this machine
        {"Origin": "http://localhost:1"},
        {"Origin": "https://app.example.evil.example"},
        {"Origin": "http://["},
    ],
    ids=lambda h: ", ".join(h.values()),
)
@pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded", "application/json"])
def test_a_page_of_another_origin_cannot_post(url: str, path: str, headers: dict[str, str], media: str) -> None:
    answer = httpx.post(url + path, content=b"Seen on 3/4/2020.", headers={"Content-Type": media, **headers})
    assert (answer.status_code, answer.json()["code"]) == (403, "cross-origin")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://app.example", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "SELF", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "SELF"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "https://deid.hospital.example", "Sec-Fetch-Site": "same-origin"},  # the own page behind a proxy
    ],
    ids=lambda h: ", ".join(h.values()) or "a program",
)
def test_programs_the_own_page_and_permitted_origins_can_post(url: str, headers: dict[str, str]) -> None:
    own = {name: value.replace("SELF", url) for name, value in headers.items()}
    text = httpx.post(f"{url}/v1/process", content=b"Seen on 3/4/2020.", headers={"Content-Type": "text/plain", **own})
    assert (text.status_code, text.text) == (200, "Seen on [DATE].")
    asked = {
        "metadata": {
            "projectId": 1,
            "layer": "l",
            "feature": "f",
            "crossSentence": True,
            "anchoringMode": "characters",
        },
        "document": {"userId": "u", "documentId": 1, "xmi": "<x/>"},
        "typeSystem": "<x/>",
    }
    assert httpx.post(f"{url}/recommender/phi/predict", json=asked, headers=own).status_code == 422  # it was read


def test_another_name_for_this_machine_is_refused(tmp_path: Path) -> None:
    with served(tmp_path, local=True) as url:
        headers = {"Host": "evil.example", "Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"}
        for answer in (httpx.get(url, headers=headers), httpx.post(f"{url}/v1/process", headers=headers)):
            assert (answer.status_code, answer.json()["code"]) == (421, "host")


def test_the_page_says_what_it_is_and_loads_nothing_from_elsewhere(url: str) -> None:
    page = httpx.get(url + "/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert "masks them" in page.text
    loaded = re.findall(r"(?:src|href)=\"([^\"]*)\"", page.text)
    assert loaded and not [name for name in loaded if ":" in name or name.startswith("/")]
    assert "<script>" not in page.text and "onclick" not in page.text and "style=" not in page.text
    for name in loaded:
        assert httpx.get(f"{url}/{name}").status_code == 200


def test_the_page_needs_no_key_and_documents_do(tmp_path: Path) -> None:
    with served(tmp_path, api_key="0123456789abcdef") as url:
        assert [httpx.get(url + path).status_code for path in ("/", "/home.js", "/home.css", "/docs")] == [200] * 3 + [
            401
        ]
        assert httpx.post(f"{url}/v1/process", content=b"x").status_code == 401


@pytest.mark.browser
def test_the_page_masks_what_is_typed(url: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    pytest.importorskip("selenium", reason="needs selenium")
    sys.path.insert(0, str(Path(__file__).parent.parent / "pipeline" / "application" / "review"))
    from browser import open_browser

    driver = open_browser(tmp_path_factory.mktemp("chromium"))
    try:
        driver.get(url + "/")
        driver.find_element("id", "text").clear()
        driver.find_element("id", "text").send_keys(
            "<img src=x onerror=alert(1)> \U0001d400 Seen on 3/4/2020 by Dr. Smith."
        )
        driver.find_element("id", "send").click()
        end = time.monotonic() + 30
        while "masked" not in driver.find_element("id", "state").text and time.monotonic() < end:
            time.sleep(0.05)
        shown = driver.find_element("id", "masked")
        assert shown.text == "<img src=x onerror=alert(1)> \U0001d400 Seen on [DATE] by Dr. [PERSON]."
        assert [m.text for m in shown.find_elements("tag name", "mark")] == ["[DATE]", "[PERSON]"]
        assert driver.get_log("browser") == []
        driver.set_window_size(1000, 1300)
        driver.save_screenshot(str(tmp_path / "page.png"))
    finally:
        driver.quit()
