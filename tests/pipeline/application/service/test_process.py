"""`POST /v1/process`: what goes in, what comes out, in which unit, and what never does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from serving import CANARY

from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas, Phi, TypeSystem, read_xmi, write_xmi

pytestmark = pytest.mark.server

TEXT = "Seen on 3/4/2020 by Dr. Smith. \U0001f600 Tel. 617-555-0100; Muñoz was born 5 May 1950."


def ask(client: httpx.Client, **message: Any) -> dict[str, Any]:
    response = client.post("/v1/process", json=message)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def test_the_answer_holds_masked_text_and_its_spans_and_nothing_of_the_original(client: httpx.Client) -> None:
    found = ask(client, text=TEXT, id="7")
    assert set(found) == {"id", "offsets", "masked"}
    assert found["id"] == "7"
    assert found["offsets"] == "codepoint"
    text = found["masked"]["text"]
    assert "Smith" not in text
    assert "617-555-0100" not in text
    for span in found["masked"]["spans"]:
        assert set(span) == {"begin", "end", "kind", "operator"}
        assert text[span["begin"] : span["end"]].startswith("[")


def test_the_service_finds_what_the_pipeline_finds(client: httpx.Client, rules: Path) -> None:
    cas = Pipeline.load(rules).process(TEXT)
    found = ask(client, text=TEXT, output=["masked", "annotations"])
    assert found["masked"]["text"] == cas.deidentified
    assert [(a["begin"], a["end"], a["kind"], a["source"], a["reason"]) for a in found["annotations"]] == [
        (p.begin, p.end, p.kind.name, p.source, p.reason) for p in cas.select(Phi)
    ]


@pytest.mark.parametrize(
    ("unit", "cut"),
    [
        ("codepoint", lambda text, b, e: text[b:e]),
        ("utf16", lambda text, b, e: text.encode("utf-16-le")[2 * b : 2 * e].decode("utf-16-le")),
        ("utf8", lambda text, b, e: text.encode()[b:e].decode()),
    ],
)
def test_offsets_count_in_the_unit_that_was_asked_for(client: httpx.Client, unit: str, cut: Any) -> None:
    found = ask(client, text=TEXT, offsets=unit, output=["masked", "annotations", "candidates"])
    plain = ask(client, text=TEXT, output=["annotations"])["annotations"]
    assert found["offsets"] == unit
    assert [cut(TEXT, a["begin"], a["end"]) for a in found["annotations"]] == [
        TEXT[a["begin"] : a["end"]] for a in plain
    ]
    assert all(cut(found["masked"]["text"], s["begin"], s["end"])[0] == "[" for s in found["masked"]["spans"])
    assert found["annotations"][-1]["begin"] > plain[-1]["begin"] or unit == "codepoint"


def test_spans_come_without_their_text(client: httpx.Client) -> None:
    found = client.post(
        "/v1/process",
        json={"text": f"Dr. {CANARY} saw Dr. {CANARY} on 3/4/2020.", "output": ["annotations", "candidates"]},
    )
    assert found.json()["annotations"]
    assert CANARY not in found.text
    assert "2020" not in found.text  # nor a normalised date


def test_a_candidate_names_the_annotation_that_took_its_place(client: httpx.Client) -> None:
    found = ask(client, text=TEXT, output=["annotations", "candidates"])
    for candidate in found["candidates"]:
        winner = found["annotations"][candidate["winner"]]
        assert winner["begin"] < candidate["end"]
        assert candidate["begin"] < winner["end"]
        assert candidate["rule"]


def test_known_phi_is_looked_for(rules: Path, tmp_path: Path, serve: Any) -> None:
    config = tmp_path / "known.yaml"
    config.write_text("engines: [segmenter, known_phi, masker]\n")
    client = serve(config=config).client
    known = [{"kind": "PERSON_PATIENT", "value": "Okonkwo", "role": "patient"}]
    assert ask(client, text="okonkwo is well.", known_phi=known)["masked"]["text"] == "[PERSON] is well."
    refused = client.post(
        "/v1/process", json={"text": "x", "known_phi": [{"kind": "PERSON_PATIENTS", "value": CANARY}]}
    )
    assert refused.status_code == 422
    assert refused.json()["detail"] == "#/known_phi/0/kind: no such PHI kind; did you mean PERSON_PATIENT?"


def test_xmi_goes_in_and_out(client: httpx.Client) -> None:
    cas = Cas(TEXT, id="x")
    found = ask(client, xmi=write_xmi(cas).decode(), output=["xmi", "typesystem"])
    back = read_xmi(found["xmi"].encode(), TypeSystem.from_xml(found["typesystem"].encode()))
    assert back.text == TEXT
    assert back.deidentified.startswith("Seen on [DATE]")
    assert "sofaString" in found["xmi"]
    masked = read_xmi(ask(client, xmi=write_xmi(cas).decode(), output=["xmi"], views=["deidentified"])["xmi"].encode())
    assert [view.name for view in masked.views] == ["deidentified"]


def test_types_of_others_pass_through(client: httpx.Client) -> None:
    types = TypeSystem()
    badge = types.create_type("org.example.Badge", features={"number": "uima.cas.String"})
    cas = Cas(TEXT, typesystem=types)
    cas.add(badge(0, 4, number="A12"))
    for given in ({"typesystem": types.to_xml().decode()}, {}):
        found = ask(client, xmi=write_xmi(cas).decode(), output=["xmi", "typesystem"], **given)
        back = read_xmi(found["xmi"].encode(), TypeSystem.from_xml(found["typesystem"].encode()))
        assert [(b.begin, b.end, b["number"]) for b in back.select("org.example.Badge")] == [(0, 4, "A12")]


def test_json_cas_goes_in_and_out(client: httpx.Client) -> None:
    pytest.importorskip("caspipe.typesystem.json_cas.reader")
    import json

    from caspipe.typesystem.json_cas.writer import write_jsoncas

    given = json.loads(write_jsoncas(Cas(TEXT)))
    found = ask(client, jsoncas=given, output=["masked", "jsoncas"])
    assert found["masked"]["text"].startswith("Seen on [DATE]")
    again = ask(client, jsoncas=found["jsoncas"])
    assert again["masked"]["text"] == found["masked"]["text"]


def test_plain_text_in_gives_masked_text_out(client: httpx.Client) -> None:
    response = client.post("/v1/process", content=TEXT.encode(), headers={"Content-Type": "text/plain; charset=utf-8"})
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.text.startswith("Seen on [DATE] by Dr. [PERSON]")
    latin = client.post(
        "/v1/process",
        content="Señor 3/4/2020".encode("latin-1"),
        headers={"Content-Type": "text/plain; charset=ISO-8859-1"},
    )
    assert latin.text == "Señor [DATE]"


def test_xmi_as_body_gives_xmi_back(client: httpx.Client) -> None:
    response = client.post(
        "/v1/process", content=write_xmi(Cas(TEXT)), headers={"Content-Type": "application/vnd.xmi+xml"}
    )
    assert response.headers["content-type"] == "application/vnd.xmi+xml"
    assert read_xmi(response.content).has_view("deidentified")


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        ("application/json", "application/json"),
        ("text/*", "text/plain; charset=utf-8"),
        ("application/vnd.xmi+xml;q=0.9, text/plain;q=0.1", "application/vnd.xmi+xml"),
        ("*/*", "text/plain; charset=utf-8"),
        ("text/plain;q=0, */*;q=0.1", "application/json"),
    ],
)
def test_the_client_says_what_it_takes(client: httpx.Client, accept: str, media: str) -> None:
    response = client.post(
        "/v1/process", content=b"On 3/4/2020.", headers={"Content-Type": "text/plain", "Accept": accept}
    )
    assert response.headers["content-type"] == media


REFUSED: list[tuple[str, dict[str, Any], int, str]] = [
    ("no document", {"json": {}}, 422, "#: expected exactly one of text, xmi and jsoncas"),
    ("two documents", {"json": {"text": CANARY, "xmi": CANARY}}, 422, "#: expected exactly one of text, xmi and jsoncas"),
    ("a field too many", {"json": {"text": "x", "outputs": []}}, 422, "#/(name): no such field; did you mean output?"),
    ("a field named by a person", {"json": {"text": "x", CANARY: 1}}, 422, "#/(name): no such field"),
    ("a wrong type", {"json": {"text": 7}}, 422, "#/text: Input should be a valid string"),
    ("a wrong value", {"json": {"text": "x", "metadata": {CANARY: [1]}}}, 422,
     "#/metadata/(name): Input should be a valid string"),
    ("a view that is not there", {"json": {"text": "x", "output": ["xmi"], "views": [CANARY]}}, 422,
     "#/views/0: no such view; the document has _InitialView, deidentified"),
    ("damaged JSON", {"content": b'{"text": "' + CANARY.encode(), "headers": {"Content-Type": "application/json"}}, 422,
     "#: damaged JSON: EOF while parsing a string at line 1 column 24"),
    ("damaged XMI", {"json": {"xmi": f"<{CANARY}"}}, 422, "xmi:1:1: damaged XML: unclosed token"),
    ("a bomb", {"json": {"xmi": '<!DOCTYPE x [<!ENTITY a "b">]><x/>'}}, 422,
     "xmi:1:13: document type declarations and entities are not read; expected XML without <!DOCTYPE"),
    ("a type system that is none", {"json": {"xmi": write_xmi(Cas("x")).decode(), "typesystem": CANARY}}, 422,
     "type system:1:1: damaged XML: syntax error"),
    ("XMI without text", {"json": {"xmi": write_xmi(Cas()).decode()}}, 422,
     "expected a document with a text in view _InitialView, found none"),
    ("too many characters", {"json": {"text": "x" * 20_001}}, 413,
     "expected at most 20000 code points in a document, found 20001"),
    ("wrong bytes", {"content": b"a\xff", "headers": {"Content-Type": "text/plain"}}, 422,
     "expected utf-8, found an invalid byte at 1"),
    ("an unknown charset", {"content": b"a", "headers": {"Content-Type": f"text/plain; charset={CANARY}"}}, 415,
     "expected a charset of ascii, iso-8859-1, latin-1, us-ascii, utf-16, utf-16le, utf-8, utf8, windows-1252"),
    ("another media type", {"content": b"a", "headers": {"Content-Type": f"application/{CANARY}"}}, 415,
     "Content-Type: expected application/json or text/plain or application/vnd.xmi+xml"),
    ("no media type", {"content": b"a"}, 415, "Content-Type: expected application/json or text/plain or application/vnd.xmi+xml"),
    ("another answer", {"json": {"text": "x"}, "headers": {"Accept": f"image/{CANARY}"}}, 406,
     "Accept: expected application/json or text/plain or application/vnd.xmi+xml"),
    ("a compressed body", {"content": b"a", "headers": {"Content-Type": "text/plain", "Content-Encoding": "gzip"}}, 415,
     "expected a body without Content-Encoding"),
]  # fmt: skip


@pytest.mark.parametrize(("request_", "status", "detail"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_what_cannot_be_served_is_told_without_quoting_it(
    client: httpx.Client, request_: dict[str, Any], status: int, detail: str
) -> None:
    response = client.post("/v1/process", **request_)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    found = response.json()
    assert found["detail"] == detail
    assert (found["type"], found["status"]) == ("about:blank", status)
    assert found["title"]
    assert found["code"]
    assert CANARY not in response.text


def test_a_pipeline_without_masker_gives_no_masked_text(tmp_path: Path, serve: Any) -> None:
    config = tmp_path / "finding.yaml"
    config.write_text("engines: [segmenter, dates]\n")
    client = serve(config=config).client
    assert "annotations" in ask(client, text="On 3/4/2020.")
    refused = client.post("/v1/process", json={"text": f"{CANARY} 3/4/2020", "output": ["masked"]})
    assert (refused.status_code, refused.json()["code"]) == (422, "no-masker")
    plain = client.post("/v1/process", content=CANARY, headers={"Content-Type": "text/plain"})
    assert (plain.status_code, plain.json()["code"]) == (422, "no-masker")
    assert CANARY not in plain.text


def test_masked_text_that_the_leak_gate_refuses_goes_out_in_no_form(tmp_path: Path, serve: Any) -> None:
    config = tmp_path / "leaking.yaml"
    config.write_text("engines: [segmenter, dates, masker, leak_gate: {repair: false}]\n")
    client = serve(config=config).client
    text = "Seen on 3/4/2020, call 617-555-0134."
    ways: list[dict[str, Any]] = [
        {"output": [form], "views": views}
        for form in ("xmi", "jsoncas")
        for views in (["deidentified"], ["_InitialView", "deidentified"])
    ]
    for more in ({}, *ways):
        refused = client.post("/v1/process", json={"text": text, **more})
        assert (refused.status_code, refused.json()["code"]) == (422, "leak"), more
        assert refused.json()["detail"] == (
            "the leak gate refused the document: its masked text is still readable at 1 place (rules PHONE 1)"
        )
        assert refused.json()["leaks"] == [{"begin": 23, "end": 35, "kind": "PHONE", "check": "rules"}]
        assert "0134" not in refused.text
    asked = {"json": {"text": text, "views": ["deidentified"]}, "headers": {"Accept": "application/vnd.xmi+xml"}}
    assert client.post("/v1/process", **asked).status_code == 422
    assert ask(client, text=text, output=["xmi"])["xmi"].count("0134") == 2  # the original was asked for


@pytest.mark.attack("gate-refusals")
@pytest.mark.parametrize(("unit", "begin"), [("codepoint", 25), ("utf16", 26), ("utf8", 28)])
def test_a_refusal_names_the_document_and_the_places_in_the_unit_of_the_client(
    unit: str, begin: int, tmp_path: Path, serve: Any
) -> None:
    config = tmp_path / "leaking.yaml"
    config.write_text("engines: [segmenter, dates, masker, leak_gate: {repair: false}]\n")
    client = serve(config=config).client
    text = "\U0001f600 Seen on 3/4/2020, call 617-555-0134."
    refused = client.post("/v1/process", json={"text": text, "id": "note-7", "offsets": unit})
    assert refused.status_code == 422
    place = {"begin": begin, "end": begin + 12, "kind": "PHONE", "check": "rules"}
    members = {name: refused.json()[name] for name in ("document", "offsets", "leaks")}
    assert members == {"document": "note-7", "offsets": unit, "leaks": [place]}
    lines = "\n".join(json.dumps({"text": t, "id": n}) for t, n in ((text, "a"), ("Seen on 3/4/2020.", "b")))
    batch = client.post("/v1/batch", content=lines, headers={"Content-Type": "application/x-ndjson"})
    first, second = map(json.loads, batch.text.splitlines())
    assert (first["index"], first["error"]["status"], first["error"]["code"]) == (0, 422, "leak")
    assert (first["error"]["document"], second["masked"]["text"]) == ("a", "Seen on [DATE].")
    plain = client.post("/v1/process", content=text.encode(), headers={"Content-Type": "text/plain; charset=utf-8"})
    assert (plain.status_code, plain.json()["document"]) == (422, None)
    assert not any("0134" in answer.text for answer in (refused, batch, plain))


def test_a_component_that_fails_says_nothing_of_the_document(tmp_path: Path, serve: Any) -> None:
    plugin = tmp_path / "failing.py"
    plugin.write_text(
        "from caspipe.pipeline.contract.component import AnalysisEngine, component\n"
        "@component('failing_for_service')\n"
        "class Failing(AnalysisEngine):\n"
        "    '''Fails.'''\n"
        "    def process(self, cas):\n"
        "        raise ValueError(cas.text + cas.id)\n"
    )
    config = tmp_path / "failing.yaml"
    config.write_text("engines: [segmenter, failing_for_service]\n")
    client = serve(config=config, spec={"plugins": (str(plugin),)}).client
    response = client.post("/v1/process", json={"text": CANARY, "id": CANARY})
    assert response.status_code == 500
    assert response.json()["detail"] == "component failing_for_service failed on the document (ValueError)"
    assert CANARY not in response.text
