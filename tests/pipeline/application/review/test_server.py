"""The server of the page: who may talk to it, what it never says, and that no confirmed decision is lost."""

from __future__ import annotations

import http.client
import random
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from review_corpus import Corpus, Server

from caspipe.pipeline.application.review.store import parse
from caspipe.typesystem import read_xmi

pytestmark = pytest.mark.server

pytest.importorskip("fastapi", reason="needs the extra `server`")
pytest.importorskip("uvicorn", reason="needs the extra `server`")


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    made = Server(folder, "--annotator", "anna")
    yield made
    made.close()


def asked(server: Server, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """A request without any header of the page's."""
    host, _, port = server.origin.removeprefix("http://").partition(":")
    line = http.client.HTTPConnection(host, int(port), timeout=60)
    line.putrequest("GET", path, skip_host=True)
    for name, value in {"Host": f"{host}:{port}", **{k.replace("_", "-"): v for k, v in headers.items()}}.items():
        line.putheader(name, value)
    line.endheaders()
    answer = line.getresponse()
    found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    line.close()
    return found


def test_without_the_token_there_is_nothing(server: Server) -> None:
    for path in ("/", "/?token=wrong", "/?once=wrong", "/static/review.js", "/api/start", "/api/doc/0", "/nowhere"):
        status, _, body = asked(server, path)
        assert (status, body) == (403, b"Not allowed. Open the address that `caspipe review` printed.\n")
    assert server.call("/api/doc/0", token=False)[0] == 403
    assert server.call("/api/doc/0")[0] == 200


def test_the_cookie_opens_the_empty_page_only(server: Server) -> None:
    status, headers, _ = asked(server, f"/?token={server.token}")
    cookie = headers["set-cookie"]
    assert status == 200
    assert server.token not in cookie
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    kept = cookie.partition(";")[0]
    assert asked(server, "/", cookie=kept)[0] == 200
    assert asked(server, "/static/review.js", cookie=kept)[0] == 200
    assert asked(server, "/api/doc/0", cookie=kept)[0] == 403


def test_a_foreign_name_for_this_machine_gets_nothing(server: Server) -> None:
    port = server.origin.rpartition(":")[2]
    for host in (f"evil.example:{port}", "127.0.0.1", f"127.0.0.1.evil.example:{port}", ""):
        assert asked(server, f"/?token={server.token}", Host=host)[0] in (400, 403)
    assert asked(server, f"/?token={server.token}", Host=f"localhost:{port}")[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_other_pages_can_change_nothing(server: Server, headers: dict[str, str]) -> None:
    body = {"key": "k" * 16, "op": "done", "doc": 0}
    assert server.call("/api/decide", body, headers)[0] == 403
    assert server.call("/api/decide", body, {"Origin": server.origin})[0] == 200


def test_pages_keep_to_themselves(server: Server) -> None:
    _, headers, body = asked(server, f"/?token={server.token}")
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers
    assert b"http" not in body.replace(b"http-equiv", b"")


def test_errors_hold_nothing_that_was_sent(server: Server) -> None:
    secret = "Tom Berg"
    status, answer = server.call(
        "/api/decide", {"key": "k" * 16, "op": "add", "doc": 0, "kind": secret, "begin": 0, "end": 4}
    )
    assert (status, answer) == (409, {"error": "no PHI kind has that name"})
    for body in (
        {"key": secret},
        {"key": "k" * 16, "op": "add", "doc": secret},
        {"key": "k" * 16, "op": "move", "doc": 0, secret: 1},
    ):
        status, answer = server.call("/api/decide", body)
        assert status == 422
        assert secret not in answer["error"]
    status, answer = server.call(
        "/api/decide", {"key": "k" * 16, "op": "add", "doc": 1, "kind": "DATE", "begin": 1, "end": 3}
    )
    assert (status, answer) == (409, {"error": "1:3 is not a span of the text (0:60 in UTF-16 code units)"})
    assert server.call("/api/doc/99") == (409, {"error": "no document 99; the review has 3"})
    assert server.call("/static/..%2Fapp.py", token=True)[0] in (403, 404)
    said = server.stop()
    for words in ("Tom", "Berg", "Ana", "Lund", "Traceback", server.token):
        assert words not in said


def test_the_page_counts_utf_16_and_the_journal_code_points(server: Server, folder: Path) -> None:
    _, shown = server.call("/api/doc/1")
    text = shown["text"].encode("utf-16-le")
    words = [text[2 * s["b"] : 2 * s["e"]].decode("utf-16-le") for s in sorted(shown["spans"], key=lambda s: s["b"])]
    assert words == ["Tom Berg", "555-0100", "4 May 2020"]
    begin = len(shown["text"][: shown["text"].rindex("Tom Berg")].encode("utf-16-le")) // 2
    _, answer = server.call(
        "/api/decide",
        {"key": "k" * 16, "op": "add", "doc": 1, "shown": 1, "kind": "PERSON", "begin": begin, "end": begin + 8},
    )
    made = answer["delta"]["spans"][answer["span"]]
    assert (made["b"], made["e"]) == (begin, begin + 8)
    path = folder / "review" / "anna.jsonl"
    entries, _ = parse(path.read_bytes(), path)
    original = read_xmi(folder / "b.xmi").text
    (span,) = entries[-1]["docs"]["b"]["set"].values()
    assert original[span[0] : span[1]] == "Tom Berg"


def test_why_it_won_is_told(server: Server) -> None:
    _, shown = server.call("/api/doc/0")
    span = next(s for s in shown["spans"] if s["k"] == "DATE")
    _, why = server.call(f"/api/doc/0/why?span={span['id']}")
    assert ["Why", "won: no other candidate here"] in why["facts"]
    assert [(v["src"], v["rule"]) for v in why["voices"]] == [("rules/dates", "by hand")]


def test_a_second_server_for_the_same_annotator_is_refused(server: Server, folder: Path) -> None:
    with pytest.raises(AssertionError, match="another review is open for this annotator"):
        Server(folder, "--annotator", "anna")


def test_killed_in_the_middle_nothing_confirmed_is_lost(folder: Path) -> None:
    """Three rounds: a client decides as fast as it can, the server is killed at a moment nobody chose."""
    confirmed: dict[str, int] = {}
    dice = random.Random(4)
    address = ""
    for round_ in range(3):
        server = Server(folder, "--annotator", "anna")
        if address:
            assert server.address == address, "after a crash the page finds it where it was"
        address = server.address
        stop = threading.Event()

        def decide(server: Server = server, stop: threading.Event = stop, round_: int = round_) -> None:
            n = 0
            while not stop.is_set():
                n += 1
                key = f"round-{round_}-{n:06}"
                body: dict[str, Any] = {"key": key, "op": ("reject", "accept")[n % 2], "doc": 0, "span": "p8-18-DATE"}
                try:
                    status, _ = server.call("/api/decide", body)
                except (OSError, http.client.HTTPException):
                    return
                if status == 200:
                    confirmed[key] = n

        client = threading.Thread(target=decide)
        client.start()
        wanted = len(confirmed) + dice.randint(5, 25)
        while len(confirmed) < wanted and client.is_alive():
            time.sleep(dice.random() * 0.004)
        server.kill()
        stop.set()
        client.join()
    path = folder / "review" / "anna.jsonl"
    entries, _ = parse(path.read_bytes(), path)
    written = [e["key"] for e in entries[1:]]
    assert len(confirmed) >= 15
    assert len(written) == len(set(written))
    assert [k for k in confirmed if k not in written] == []
    assert len(written) - len(confirmed) <= 3, "at most the one that was under way when it was killed"
    again = Corpus(folder)
    assert [e["n"] for e in entries[1:]] == list(range(1, len(written) + 1))
    last = entries[-1]["docs"]["a"]["set"]["p8-18-DATE"]
    assert list(again.session.opened(0).table.spans["p8-18-DATE"]) == last
    again.close()


@pytest.mark.attack("signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_tidily(folder: Path, number: int) -> None:
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("the tests run below `nohup`")
    server = Server(folder)
    server.process.send_signal(number)
    _, said = server.process.communicate(timeout=60)
    assert server.process.returncode == 0
    assert not (folder / "review" / "reviewer.address").exists()
    assert "Traceback" not in said


def test_the_folder_may_be_the_current_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    server = Server(Path(), "--annotator", "anna")
    server.call("/api/decide", {"key": "k" * 16, "op": "done", "doc": 0})
    found = server.call("/api/export", {})
    server.stop()
    assert found == (200, {"folder": str(folder.parent / "xmi-gold-anna"), "documents": 1, "failed": []})


def test_documents_that_cannot_be_exported_are_told(server: Server, folder: Path) -> None:
    for number in (0, 1):
        server.call("/api/decide", {"key": f"done-000{number}", "op": "done", "doc": number})
    (folder / "b.xmi").write_text("<x>Tom Berg")
    status, found = server.call("/api/export", {})
    assert (status, found["documents"], [name for name, _ in found["failed"]]) == (200, 1, ["b"])
    assert "Berg" not in str(found)


def test_an_answer_is_sent_at_once(server: Server) -> None:
    """Head and body are two writes: with Nagle's algorithm the second waits for the page's delayed acknowledgement."""
    host, _, port = server.origin.removeprefix("http://").partition(":")
    line = http.client.HTTPConnection(host, int(port), timeout=60)
    took = []
    for _ in range(30):
        began = time.perf_counter()
        line.request("GET", "/api/rows", headers={"X-Caspipe-Token": server.token})
        line.getresponse().read()
        took.append(time.perf_counter() - began)
    line.close()
    assert sorted(took)[15] < 0.035


def test_the_address_is_another_one_after_it_ended_by_itself(folder: Path) -> None:
    first = Server(folder)
    first.stop()
    assert not (folder / "review" / "reviewer.address").exists()
    second = Server(folder)
    assert second.token != first.token
    second.stop()
