"""The service asked from its own description, with what fits it and what does not: the same questions each time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import inception_requests as inc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from serving import CANARY, Running, served

from caspipe.pipeline.application.service.app import Service
from caspipe.pipeline.application.service.settings import Settings, Spec
from caspipe.typesystem import Cas, write_xmi

pytestmark = pytest.mark.server

schemathesis = pytest.importorskip("schemathesis", reason="makes questions from the OpenAPI description")
schemathesis.checks.load_all_checks()

STEADY = settings(derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
PATHS = [
    "GET /health", "GET /ready", "GET /metrics", "GET /v1/config", "GET /docs", "GET /v1/typesystem", "POST /v1/process",
    "POST /v1/batch", "GET /recommender/{name}", "POST /recommender/{name}/predict", "POST /recommender/{name}/train",
]  # fmt: skip
CONFORMANCE = [
    schemathesis.checks.CHECKS.get_one(name)
    for name in (
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
    )
]


@pytest.fixture(scope="module")
def fuzzed(rules: Path) -> Iterator[Running]:
    """A service with small limits, so that they are met."""
    limits = Settings(workers=0, max_body=20_000, max_batch=40_000, max_training=20_000, body_seconds=5)
    service = Service(Spec(config=str(rules), max_characters=2_000), limits)
    with served(service) as url, httpx.Client(base_url=url, timeout=60) as client:
        yield Running(service, url, client)


@pytest.fixture(scope="module")
def operations(fuzzed: Running) -> dict[str, Any]:
    schema = schemathesis.openapi.from_dict(fuzzed.service.app.openapi())
    found = [result.ok() for result in schema.get_all_operations()]
    return {f"{operation.method.upper()} {operation.path}": operation for operation in found}


def test_every_route_is_asked(operations: dict[str, Any]) -> None:
    assert sorted(operations) == sorted(PATHS)


ASKED = [(path, mode) for path in PATHS for mode in ("positive", "negative") if "{" in path or "GET" not in path] + [
    (path, "positive") for path in PATHS if "{" not in path and "GET" in path
]
"""What fits the description, and what does not where anything can be wrong."""


@pytest.mark.parametrize(("path", "mode"), ASKED)
def test_whatever_is_asked_the_answer_is_as_described(
    fuzzed: Running, operations: dict[str, Any], path: str, mode: str
) -> None:
    count = 4 if path.endswith("/train") or ("{" not in path and "GET" in path) else 40
    strategy = operations[path].as_strategy(generation_mode=schemathesis.GenerationMode(mode))

    @settings(STEADY, max_examples=count)
    @given(case=strategy)
    def ask(case: Any) -> None:
        case.call_and_validate(base_url=fuzzed.url, checks=CONFORMANCE)

    ask()


# -- what a client says never comes back in an error -----------------------------------------------------------------

_PROCESS = {
    "text": f"{CANARY} on 3/4/2020",
    "id": CANARY,
    "known_phi": [{"kind": "DATE", "value": CANARY}],
    "metadata": {"a": CANARY},
    "output": ["annotations"],
}
_XMI = write_xmi(Cas(f"{CANARY} came."), pretty=True).decode()
_TYPES = inc.types().to_xml().decode()
_PREDICT = json.dumps(inc.predict(inc.document(f"{CANARY} came.", [(0, 5, CANARY)])))


@st.composite
def spoilt(draw: st.DrawFn, whole: str) -> bytes:
    """A message with some pieces cut out, doubled, or replaced."""
    text = whole
    for _ in range(draw(st.integers(1, 3))):
        a, b = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        b = min(b, a + draw(st.sampled_from((1, 5, 50))))
        middle = draw(
            st.sampled_from(("", text[a:b] * 2, "word", '"', "<", "\\ud800", "\x00", "]", "9" * 30, "null", "&#0;"))
        )
        text = text[:a] + middle + text[b:]
    return text.encode("utf-8", "surrogatepass")


MESSAGES = {
    "process": ("/v1/process", "application/json", json.dumps(_PROCESS)),
    "xmi": ("/v1/process", "application/vnd.xmi+xml", _XMI),
    "xmi in JSON": ("/v1/process", "application/json", json.dumps({"xmi": _XMI, "typesystem": _TYPES})),
    "batch": ("/v1/batch", "application/x-ndjson", f'{{"text": "{CANARY}"}}\n{{"xmi": "<x>{CANARY}</x>"}}\n'),
    "array": ("/v1/batch", "application/json", json.dumps([{"text": CANARY}, {"xmi": _XMI}])),
    "predict": ("/recommender/x/predict", "application/json", _PREDICT),
}  # fmt: skip


@pytest.mark.parametrize("name", MESSAGES)
def test_spoilt_messages_are_refused_without_quoting_them(fuzzed: Running, name: str) -> None:
    path, media, whole = MESSAGES[name]

    @settings(STEADY, max_examples=60)
    @given(body=spoilt(whole))
    def ask(body: bytes) -> None:
        response = fuzzed.client.post(path, content=body, headers={"Content-Type": media})
        assert response.status_code in (200, 413, 422), response.text
        if response.status_code != 200:
            assert CANARY not in response.text
            assert response.headers["content-type"] == "application/problem+json"
        elif path == "/v1/batch":
            failed = [line for line in response.text.splitlines() if '"error"' in line[:30]]
            assert not any(CANARY in line or json.loads(line)["error"]["status"] >= 500 for line in failed)

    ask()


@settings(STEADY, max_examples=80)
@given(
    st.sampled_from(("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH")),
    st.text("/abcdev1%7Eé.{}\\?&=;:@ ", max_size=30),
    st.dictionaries(
        st.sampled_from(
            ("Content-Type", "Accept", "Content-Encoding", "X-API-Key", "Authorization", "Origin", "Range")
        ),
        st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30).map(str.strip),
        max_size=4,
    ),
)
def test_no_path_method_or_header_makes_it_stumble(
    fuzzed: Running, method: str, path: str, headers: dict[str, str]
) -> None:
    response = fuzzed.client.request(
        method,
        httpx.URL(fuzzed.url).copy_with(raw_path=b"/" + path.encode("ascii", "replace").replace(b" ", b"+")),
        headers=headers,
        content=b"x" if method == "POST" else None,
    )
    assert response.status_code < 500
    assert response.status_code == 200 or response.headers["content-type"] == "application/problem+json"


def test_it_still_serves_after_all_that(fuzzed: Running) -> None:
    assert fuzzed.client.post("/v1/process", json={"text": "On 3/4/2020."}).json()["masked"]["text"] == "On [DATE]."
    assert CANARY not in fuzzed.client.get("/metrics").text
    assert 'outcome="failed"' not in fuzzed.client.get("/metrics").text.split("caspipe_trainings")[0]
