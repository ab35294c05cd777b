"""The service as schemathesis sees it: every check and phase over its own description, the same questions each time.

tests/pipeline/application/service/test_fuzz.py asks for particular faults; here the tool explores on its own: examples,
the edges of every schema, and links between operations.
"""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import EDITS, SOAK, case, cases
from damage import damaged
from hypothesis import given
from secret import SECRET, tells

pytest.importorskip("schemathesis", reason="makes questions from the OpenAPI description")
pytest.importorskip("fastapi", reason="needs the extra `server`")
pytest.importorskip("uvicorn", reason="needs the extra `server`")

import httpx
import inception_requests as inc
from serving import RULES, served

from caspipe.pipeline.application.service.app import Service
from caspipe.pipeline.application.service.settings import Settings, Spec
from caspipe.typesystem import Cas, write_jsoncas, write_xmi

pytestmark = pytest.mark.server

EXAMPLES = max(8, SOAK // 100)
KEY = "not-a-secret"


def asked(url: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run schemathesis."""
    program = "import sys; from schemathesis.cli import schemathesis; sys.exit(schemathesis())"
    settings = str(Path(__file__).with_name("schemathesis.toml"))
    arguments = [
        "--config-file", settings, "run", f"{url}/openapi.json", "--checks", "all",
        "--phases", "examples,coverage,fuzzing,stateful", "--max-examples", str(EXAMPLES), "--generation-deterministic",
        "--suppress-health-check", "all", "--no-color",
        "--continue-on-failure", "--exclude-path-regex", "/train$", *options,
    ]  # fmt: skip
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONWARNINGS": "ignore"}
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


LIMITS = Settings(workers=0, max_body=20_000, max_batch=40_000, max_training=20_000, body_seconds=5, api_key=KEY)
"""Small ones, so that they are met."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    config = tmp_path_factory.mktemp("service") / "rules.yaml"
    config.write_text(RULES, encoding="utf-8")
    with served(Service(Spec(config=str(config), max_characters=2_000), LIMITS)) as at:
        yield at


def test_every_check_of_every_phase_is_passed(url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Training is left to tests/pipeline/application/service/test_fuzz.py: every request that fits would start a process."""
    caplog.set_level(logging.INFO)
    found = asked(url, tmp_path, "-H", f"X-API-Key: {KEY}")
    assert found.returncode == 0, _told(found)
    generated = re.search(r"(\d+) generated", found.stdout)
    assert generated, _told(found)
    assert int(generated[1]) > 300
    assert httpx.get(f"{url}/health").status_code == 200


def _told(found: subprocess.CompletedProcess[str]) -> str:
    return "\n".join(line[:300] for line in (found.stdout + found.stderr).splitlines() if line.strip())[-8_000:]


_XMI = write_xmi(Cas(f"{SECRET} came.")).decode()
MESSAGES: dict[str, tuple[str, str, bytes]] = {
    "process": (
        "/v1/process",
        "json",
        json.dumps(
            {
                "text": f"{SECRET} on 3/4/2020",
                "id": "a",
                "metadata": {"a": SECRET},
                "output": ["annotations"],
                "known_phi": [{"kind": "PERSON", "value": SECRET, "role": "patient"}],
            }
        ).encode(),
    ),
    "xmi": ("/v1/process", "xml", _XMI.encode()),
    "jsoncas": (
        "/v1/process",
        "json",
        json.dumps({"jsoncas": json.loads(write_jsoncas(Cas(f"{SECRET} came.")))}).encode(),
    ),
    "batch": (
        "/v1/batch",
        "jsonl",
        b"\n".join(json.dumps(m).encode() for m in ({"text": SECRET}, {"xmi": _XMI}, {"text": SECRET, "id": SECRET})),
    ),
    "predict": (
        "/recommender/x/predict",
        "json",
        json.dumps(inc.predict(inc.document(f"{SECRET} came.", [(0, 5, SECRET)]))).encode(),
    ),
}
"""Path, structure and content of requests; each holds the secret."""
_MEDIA = {"json": "application/json", "jsonl": "application/x-ndjson", "xml": "application/vnd.xmi+xml"}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_spoilt_request_is_answered_or_refused_without_quoting_it(
    name: str, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    path, kind, whole = MESSAGES[name]
    caplog.set_level(logging.DEBUG)
    with httpx.Client(base_url=url, timeout=60, headers={"X-API-Key": KEY, "Content-Type": _MEDIA[kind]}) as client:

        @cases(40)
        @given(edits=EDITS)
        def whatever_is_sent(edits: list[int]) -> None:
            with case(name=name, edits=edits):
                answer = client.post(path, content=damaged(whole, kind, edits))
                assert answer.status_code in (200, 400, 413, 415, 422), answer.status_code
                errors = (
                    [answer.text]
                    if answer.status_code != 200
                    else [t for t in answer.text.splitlines() if '"error"' in t[:40]]
                )
                assert not [error for error in errors if tells(error)], "text in a message"
                assert '"status":5' not in answer.text.replace(" ", "") or answer.status_code == 200

        whatever_is_sent()
    said = [
        r.getMessage() + str(r.exc_info)
        for r in caplog.records
        if not r.name.startswith(("httpx", "httpcore", "hypothesis", "uvicorn.access"))
    ]
    assert not [line for line in said if tells(line)], "text in the log"
