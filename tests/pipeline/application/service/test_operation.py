"""What those who run the service see: health, metrics, configuration, description; and who may ask."""

from __future__ import annotations

import json
import logging
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from serving import CANARY, Running, until

from caspipe.typesystem import TypeSystem

pytestmark = pytest.mark.server

KEY = "0123456789abcdef-key"


def test_health_and_readiness(client: httpx.Client) -> None:
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/ready").json() == {"status": "ready"}


def exposition(text: str) -> dict[str, dict[str, float]]:
    """Samples by name and labels, as the parser of Prometheus reads OpenMetrics 1.0."""
    found: dict[str, dict[str, float]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sorted(sample.labels.items()))
            found.setdefault(sample.name, {})[labels] = sample.value
    return found


def test_metrics_are_open_metrics_and_count(serve: Callable[..., Running]) -> None:
    client = serve().client
    for text in ("Dr. Smith on 3/4/2020.", "x"):
        client.post("/v1/process", json={"text": text})
    client.post("/v1/process", json={"text": 3})
    client.get(f"/{CANARY}")
    response = client.get("/metrics")
    assert response.headers["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert CANARY not in response.text
    found = exposition(response.text)
    assert found["caspipe_requests_total"]['method="POST",route="/v1/process",status="200"'] == 2
    assert found["caspipe_requests_total"]['method="POST",route="/v1/process",status="422"'] == 1
    assert found["caspipe_requests_total"]['method="GET",route="(none)",status="404"'] == 1
    assert found["caspipe_documents_total"] == {'outcome="invalid"': 1, 'outcome="ok"': 2}
    assert found["caspipe_characters_total"][""] == 23
    assert found["caspipe_phi_total"] == {'kind="DATE"': 1, 'kind="PERSON_DOCTOR"': 1}
    assert found["caspipe_in_flight"][""] == 1
    assert found["caspipe_ready"][""] == 1
    buckets = [v for k, v in found["caspipe_request_seconds_bucket"].items() if k.endswith('route="/v1/process"')]
    assert buckets == sorted(buckets)
    assert buckets[-1] == found["caspipe_request_seconds_count"]['route="/v1/process"'] == 3


def test_requests_are_logged_without_what_they_say(
    serve: Callable[..., Running], caplog: pytest.LogCaptureFixture
) -> None:
    def told() -> list[str]:
        return [re.sub(r"\d+ ms", "N ms", r.getMessage()) for r in caplog.records if r.name == "caspipe.service"]

    client = serve().client
    with caplog.at_level(logging.INFO, "caspipe.service"):
        client.post("/v1/process", json={"text": CANARY})
        client.post(f"/recommender/{CANARY}/predict?{CANARY}", json={})
        client.get(f"/v1/{CANARY}?{CANARY}")
        until(lambda: len(told()) >= 4)  # a request is logged after its answer was sent
    assert told() == [
        "ready",
        "POST /v1/process 200 N ms",
        "POST /recommender/{name}/predict 422 N ms",
        "GET (none) 404 N ms",
    ]


def test_the_configuration_is_told_without_secrets(
    serve: Callable[..., Running], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "keyed.yaml"
    monkeypatch.setenv("CASPIPE_KEY", f"{CANARY} of a sufficient length")
    config.write_text('engines: [segmenter, dates, masker: {DATE: {shift: {days: [-9, 9], key: "${CASPIPE_KEY}"}}}]\n')
    response = serve(config=config, api_key=KEY).client.get("/v1/config", headers={"X-API-Key": KEY})
    found = response.json()
    assert [e["component"] for e in found["pipeline"]["engines"]] == ["segmenter", "dates", "resolver", "masker"]
    assert found["limits"]["max_body_bytes"] == 10_485_760
    assert CANARY not in response.text
    assert KEY not in response.text


def test_the_type_system_is_there(client: httpx.Client) -> None:
    assert "caspipe.Phi" in TypeSystem.from_xml(client.get("/v1/typesystem").content)


def test_the_description_is_whole_and_its_page_needs_nothing_from_elsewhere(client: httpx.Client) -> None:
    found = client.get("/openapi.json").json()
    assert found["openapi"].startswith("3.1")
    refs = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(found)))
    assert refs <= set(found["components"]["schemas"])
    assert "HTTPValidationError" not in json.dumps(found)
    for path, operations in found["paths"].items():
        for method, operation in operations.items():
            assert operation["responses"], (path, method)
            assert method == "get" or operation["requestBody"]["content"]
    page = client.get("/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert not re.findall(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", page.text)
    assert "<script" not in page.text
    assert all(path in page.text for path in found["paths"])


def test_what_nobody_foresaw_is_told_by_class_and_place(
    serve: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    running = serve()

    def fails(ready: bool) -> str:
        raise ValueError(CANARY)

    monkeypatch.setattr(running.service.metrics, "text", fails)
    response = running.client.get("/metrics")
    assert response.status_code == 500
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["cache-control"] == "no-store"
    assert re.fullmatch(r"service: ValueError at test_operation.py:\d+", response.json()["detail"])


def test_a_client_that_leaves_is_counted(serve: Callable[..., Running]) -> None:
    running = serve()
    host, port = running.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as peer:
        peer.sendall(
            b"POST /v1/process HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nabc"
        )
    sample = 'caspipe_requests_total{method="POST",route="/v1/process",status="499"} 1.0'
    until(lambda: sample in running.client.get("/metrics").text)


@pytest.mark.parametrize("path", ["/redoc", "/docs/oauth2-redirect", "/v2/process", "/%00", "/home.html"])
def test_there_is_nothing_else(client: httpx.Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert response.json()["detail"] == "no such path; /openapi.json lists them"


def test_another_method_is_told_which_there_are(client: httpx.Client) -> None:
    response = client.get("/v1/process")
    assert response.status_code == 405
    assert response.headers["allow"] == "POST"
    assert response.headers["content-type"] == "application/problem+json"


def test_nothing_is_kept_in_caches(client: httpx.Client) -> None:
    for path in ("/health", "/docs", "/nothing"):
        assert client.get(path).headers["cache-control"] == "no-store"
        assert client.get(path).headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"X-API-Key": KEY}, 200),
        ({"Authorization": f"Bearer {KEY}"}, 200),
        ({"Authorization": f"bearer {KEY}"}, 200),
        ({"Authorization": f"Basic {KEY}"}, 401),
        ({"X-API-Key": KEY[:-1]}, 401),
        ({"X-API-Key": KEY + "\u00ff"}, 401),
        ({"X-API-Key": ""}, 401),
    ],
)
def test_a_service_with_a_key_asks_for_it(serve: Callable[..., Running], headers: dict[str, str], status: int) -> None:
    client = serve(api_key=KEY).client
    sent: Any = {k: v.encode("latin-1") for k, v in headers.items()}
    for method, path, given in (
        ("POST", "/v1/process", {"json": {"text": CANARY}}),
        ("POST", "/v1/batch", {"json": []}),
        ("GET", "/metrics", {}),
        ("GET", "/v1/config", {}),
    ):
        response = client.request(method, path, headers=sent, **given)  # type: ignore[arg-type]
        assert response.status_code == status, path
        if status == 401:
            assert response.headers["www-authenticate"] == "Bearer"
            assert CANARY not in response.text
    assert client.get("/health").status_code == 200
    assert client.get("/ready").status_code == 200


def test_pages_of_other_origins_may_not_ask_unless_told(serve: Callable[..., Running]) -> None:
    asked = {"Origin": "https://review.example", "Access-Control-Request-Method": "POST"}
    closed = serve().client.options("/v1/process", headers=asked)
    assert "access-control-allow-origin" not in closed.headers
    client = serve(origins=("https://review.example",), api_key=KEY).client
    assert (
        client.options("/v1/process", headers=asked).headers["access-control-allow-origin"] == "https://review.example"
    )
    other = client.options("/v1/process", headers={**asked, "Origin": "https://elsewhere.example"})
    assert "access-control-allow-origin" not in other.headers
