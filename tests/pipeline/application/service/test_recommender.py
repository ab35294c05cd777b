"""INCEpTION's external recommender: suggestions as it takes them, and models that learn from its documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import inception_requests as inc
import pytest
from serving import CANARY, Running, until

from caspipe.pipeline.application.service.labels import TagMap, kind_of
from caspipe.typesystem import PhiKind, TypeSystem, read_xmi, write_xmi

pytestmark = pytest.mark.server

TEXT = "Dr. Smith saw her. \U0001f600 She came back on 3/4/2020 and called 617-555-0100."


def ask(client: httpx.Client, request: dict[str, Any]) -> dict[str, Any]:
    response = client.post("/recommender/phi/predict", json=request)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def covered(client: httpx.Client, cas: Any, **given: Any) -> list[tuple[str, str]]:
    return [(s.covered_text, s[inc.FEATURE]) for s in inc.suggestions(ask(client, inc.predict(cas, **given)), cas)]


def test_suggestions_carry_label_score_and_reason(client: httpx.Client) -> None:
    cas = inc.document(TEXT, [(0, 3, "PERSON")])
    found = inc.suggestions(ask(client, inc.predict(cas)), cas)
    assert [(s.covered_text, s["label"]) for s in found] == [
        ("Smith", "PERSON_DOCTOR"),
        ("3/4/2020", "DATE"),
        ("617-555-0100", "PHONE"),
    ]
    assert all(0 < s["label_score"] <= 1 for s in found)
    assert found[1]["label_score_explanation"] == "rules/dates (d/m/y): won: no other candidate here"
    assert {s["label_auto_accept"] for s in found} == {None}


def test_kinds_become_tags_of_the_project(client: httpx.Client) -> None:
    cas = inc.document(TEXT)
    assert covered(client, cas, tags=["PERSON", "DATE"]) == [("Smith", "PERSON"), ("3/4/2020", "DATE")]
    assert covered(client, cas, tags=["DOCTOR", "PHONE", "something"]) == [
        ("Smith", "DOCTOR"),
        ("617-555-0100", "PHONE"),
    ]
    assert covered(client, cas, tags=["PER", "LOC", "ORG", "MISC"]) == [("Smith", "PER")]
    metrics = client.get("/metrics").text
    assert 'caspipe_suggestions_skipped_total{reason="no tag"} 4' in metrics


def test_a_layer_of_several_labels_gets_a_list(client: httpx.Client) -> None:
    cas = inc.document(TEXT, ts=inc.types(array=True))
    assert covered(client, cas)[1] == ("3/4/2020", ["DATE"])


def test_only_what_lies_in_the_range_is_suggested(client: httpx.Client) -> None:
    cas = inc.document(TEXT)
    begin = len(TEXT[: TEXT.index("3/4")].encode("utf-16-le")) // 2
    assert covered(client, cas, range={"begin": begin, "end": begin + 8}) == [("3/4/2020", "DATE")]
    assert covered(client, cas, range={"begin": begin + 1, "end": begin + 8}) == []
    assert covered(client, cas, range={"begin": -5, "end": 10**9})[0] == ("Smith", "PERSON_DOCTOR")
    assert len(covered(client, cas, range=None)) == 3


@pytest.mark.parametrize(
    ("mode", "cross", "expected"),
    [
        ("characters", True, ["14 May\n2020"]),
        ("characters", False, ["14 May", "2020"]),
        ("tokens", True, ["14 May\n2020"]),
        ("tokens", False, ["14 May", "2020"]),
        ("singleToken", False, ["14", "May", "2020"]),
        ("sentences", False, ["Seen 14 May", "2020 in town."]),
        ("sentences", True, ["Seen 14 May\n2020 in town."]),
    ],
)
def test_spans_are_anchored_as_the_layer_asks(
    client: httpx.Client, mode: str, cross: bool, expected: list[str]
) -> None:
    from caspipe.typesystem import Cas, Sentence, Token

    ts = inc.types()
    cas = Cas("Seen 14 May\n2020 in town.", typesystem=ts)
    for type_, spans in {
        Sentence: [(0, 11), (12, 25)],
        Token: [(0, 4), (5, 7), (8, 11), (12, 16), (17, 19), (20, 24), (24, 25)],
    }.items():
        cas.view().add_all([ts[type_.uima_name](b, e) for b, e in spans])
    assert [text for text, _ in covered(client, cas, anchoringMode=mode, crossSentence=cross)] == expected


def test_tokens_of_the_project_are_never_cut(client: httpx.Client) -> None:
    from caspipe.typesystem import Cas, Sentence, Token

    ts = inc.types()
    cas = Cas("On 3/4/2020-ish.", typesystem=ts)
    cas.view().add_all([ts[Sentence.uima_name](0, 16), ts[Token.uima_name](0, 2), ts[Token.uima_name](3, 16)])
    assert covered(client, cas) == [("3/4/2020-ish.", "DATE")]
    bare = Cas("On 3/4/2020.", typesystem=ts)
    assert covered(client, bare) == []
    assert covered(client, bare, anchoringMode="characters") == [("3/4/2020", "DATE")]


def test_features_that_are_not_declared_are_left_out(client: httpx.Client) -> None:
    ts = TypeSystem()
    ts.create_type(inc.LAYER, features={inc.FEATURE: "uima.cas.String", inc.PREDICTED: "uima.cas.Boolean"})
    assert covered(client, inc.document(TEXT, ts=ts))[1] == ("3/4/2020", "DATE")


def test_a_layer_made_from_our_own_types_works_as_well(client: httpx.Client) -> None:
    ts = inc.types()
    ts.create_type("caspipe.Phi", features={inc.PREDICTED: "uima.cas.Boolean", "kind_score": "uima.cas.Double"})
    request = inc.predict(inc.document(TEXT, ts=ts), layer="caspipe.Phi", feature="kind")
    back = read_xmi(ask(client, request)["document"].encode(), ts)
    found = [(p.covered_text, p.kind.name, p[inc.PREDICTED], p["kind_score"]) for p in back.select("caspipe.Phi")]
    assert found[1] == ("3/4/2020", "DATE", True, 1.0)


def test_sure_suggestions_are_accepted_at_once_where_asked_for(serve: Callable[..., Running]) -> None:
    client = serve(spec={"auto_accept": 0.96}).client
    cas = inc.document(TEXT)
    found = inc.suggestions(ask(client, inc.predict(cas)), cas)
    assert [(s["label_score"] >= 0.96, s["label_auto_accept"]) for s in found] == [
        (True, "on-first-access"),
        (True, "on-first-access"),
        (False, None),
    ]


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a layer that is not there": ({"metadata": {"layer": CANARY}}, "#/metadata/layer: the type system has no such type"),
    "a feature that is not there": ({"metadata": {"feature": CANARY}}, "#/metadata/feature: the layer has no such feature"),
    "a layer without spans": ({"metadata": {"layer": "uima.cas.TOP"}},
                              "#/metadata/layer: expected a type of annotations (spans)"),
    "a feature of numbers": ({"metadata": {"feature": "label_score"}}, "#/metadata/feature: expected a feature of strings"),
    "no type system": ({"typeSystem": CANARY}, "type system:1:1: damaged XML: syntax error"),
    "no XMI": ({"document": {"xmi": CANARY}}, "xmi:1:1: damaged XML: syntax error"),
    "no metadata": ({"metadata": None}, "#/metadata: Input should be an object"),
    "another anchoring": ({"metadata": {"anchoringMode": CANARY}},
                          "#/metadata/anchoringMode: Input should be 'characters', 'singleToken', 'tokens' or 'sentences'"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_requests_that_do_not_fit_are_refused(client: httpx.Client, name: str) -> None:
    changes, detail = BAD[name]
    request = inc.predict(inc.document(TEXT))
    for part, change in changes.items():
        request[part] = {**request[part], **change} if isinstance(change, dict) else change
    response = client.post("/recommender/phi/predict", json=request)
    assert response.status_code == 422
    assert response.json()["detail"] == detail
    assert CANARY not in response.text


def test_a_layer_that_inception_did_not_prepare_is_refused(client: httpx.Client) -> None:
    response = client.post(
        "/recommender/phi/predict", json=inc.predict(inc.document(TEXT, ts=inc.types(prepared=False)))
    )
    assert response.json()["detail"] == f"the layer has no feature {inc.PREDICTED}; INCEpTION adds it to what it sends"


@pytest.mark.parametrize("path", ["/recommender/a%20b/predict", f"/recommender/{'x' * 65}/train", "/recommender/ä"])
def test_names_are_plain(client: httpx.Client, path: str) -> None:
    response = client.request("POST" if path.count("/") == 3 else "GET", path, json={})
    assert response.status_code == 422
    assert response.json()["detail"] == "expected a name of 1 to 64 letters, digits, _ . and -"


def test_a_document_that_inception_itself_wrote(client: httpx.Client, shared: Path) -> None:
    zoo = shared / "xmi_zoo"
    ts = TypeSystem.load(zoo / "inception__simple_relation_test.typesystem.xml")
    cas = read_xmi(zoo / "inception__simple_relation_test.xmi", ts)
    layer = "webanno.custom.MyRelationBase"
    features = {inc.PREDICTED: "uima.cas.Boolean", **{f"value{s}": r for s, r in inc.SUFFIXES.items()}}
    ts = ts.merge()
    from caspipe.typesystem import Feature

    ts.create_type(layer, features=[Feature(n, r) for n, r in features.items()])
    request = {
        "metadata": inc.metadata(layer=layer, feature="value"),
        "document": {"xmi": write_xmi(cas).decode(), "documentId": 1, "userId": "admin"},
        "typeSystem": ts.to_xml().decode(),
    }
    back = read_xmi(ask(client, request)["document"].encode(), ts)
    assert back.text == cas.text
    before = [(x.begin, x.end, x["value"]) for x in cas.select(layer)]
    assert [(x.begin, x.end, x["value"]) for x in back.select(layer) if not x[inc.PREDICTED]] == before
    assert all(x["value"] and x["value_score"] > 0 for x in back.select(layer) if x[inc.PREDICTED])


# -- labels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("DATE_BIRTH", "DATE_BIRTH"), ("date", "DATE"), ("PER", "PERSON"), ("Loc", "LOCATION"),
        ("MEDICALRECORD", "ID_MEDICAL_RECORD"),
        ("MISC", "OTHER"), ("NOMBRE_SUJETO_ASISTENCIA", "PERSON_PATIENT"), ("LOCATION-OTHER", "LOCATION"), ("Person", "PERSON"),
    ],
)  # fmt: skip
def test_labels_mean_kinds(label: str, kind: str) -> None:
    assert kind_of(label) is PhiKind.of(kind)


def test_labels_that_mean_nothing() -> None:
    assert kind_of(CANARY) is None
    assert TagMap([CANARY]).tag(PhiKind.DATE) is None


def test_an_exact_tag_comes_before_one_that_means_the_same() -> None:
    assert TagMap(["PER", "PERSON"]).tag(PhiKind.PERSON_DOCTOR) == "PERSON"
    assert TagMap(None).tag(PhiKind.PERSON_DOCTOR) == "PERSON_DOCTOR"


# -- training ---------------------------------------------------------------------------------------------------------

WARDS = ("Falcon", "Osprey", "Kestrel", "Merlin", "Harrier", "Goshawk", "Buzzard", "Condor")


def lessons() -> list[Any]:
    """Documents in which people marked what no rule knows: the names of wards."""
    lines = [
        f"Moved to ward <LOCATION_ROOM>{w}</LOCATION_ROOM> at noon. Slept well in ward <LOCATION_ROOM>{w}</LOCATION_ROOM> too."
        for w in WARDS
    ]
    return [inc.document(*inc.marked(line)) for line in lines]


def trained(running: Running, request: dict[str, Any], name: str = "phi") -> httpx.Response:
    response = running.client.post(f"/recommender/{name}/train", json=request)
    until(lambda: not running.client.get(f"/recommender/{name}").json()["training"])
    return response


@pytest.mark.parametrize("workers", [0, 1])
def test_it_learns_from_what_people_marked_and_keeps_it(
    serve: Callable[..., Running], tmp_path: Path, workers: int
) -> None:
    state = tmp_path / "state"
    running = serve(state=state, workers=workers)
    cas = inc.document("Moved to ward Gyrfalcon on 3/4/2020.")
    assert covered(running.client, cas) == [("3/4/2020", "DATE")]
    response = trained(running, inc.train(lessons()))
    assert (response.status_code, response.content) == (204, b"")
    after = [("Gyrfalcon", "LOCATION_ROOM"), ("3/4/2020", "DATE")]
    assert covered(running.client, cas) == after
    assert covered(running.client, cas, user="ben") == [("3/4/2020", "DATE")]  # who marked nothing
    (status,) = running.client.get("/recommender/phi").json()["models"]
    assert {k: status[k] for k in ("documents", "failed", "spans")} == {
        "documents": 8,
        "failed": 0,
        "spans": {"LOCATION_ROOM": 16},
    }
    assert running.client.get("/recommender/other").json() == {"name": "other", "training": False, "models": []}
    metrics = running.client.get("/metrics").text
    assert 'caspipe_trainings_total{outcome="done"} 1' in metrics
    again = serve(state=state)  # another service, on the same folder
    assert covered(again.client, cas) == after
    assert not list(state.rglob("draft-*"))
    assert all(p.stat().st_mode & 0o077 == 0 for p in state.iterdir())
    for file in state.rglob("*"):
        assert "anna" not in str(file)


def test_learning_again_replaces_the_model(serve: Callable[..., Running], tmp_path: Path) -> None:
    running = serve(state=tmp_path / "state")
    for count in (4, 6, 8):
        assert trained(running, inc.train(lessons()[:count])).status_code == 204
        assert [m["documents"] for m in running.client.get("/recommender/phi").json()["models"]] == [count]
    (place,) = (tmp_path / "state").iterdir()
    assert sorted(p.name for p in place.glob("model-*")) == ["model-2", "model-3"]


def test_one_training_at_a_time(serve: Callable[..., Running]) -> None:
    running = serve()
    assert running.client.post("/recommender/phi/train", json=inc.train(lessons())).status_code == 204
    for name in ("phi", "other"):
        busy = running.client.post(f"/recommender/{name}/train", json=inc.train(lessons()))
        assert (busy.status_code, busy.json()["code"]) == (429, "training")
        assert busy.headers["retry-after"] == "10"
    assert covered(running.client, inc.document(TEXT))  # suggestions go on meanwhile


def test_what_cannot_be_learnt_is_left_out_and_counted(serve: Callable[..., Running]) -> None:
    running = serve()
    documents = [*lessons(), inc.document("Nobody looked at this."), inc.document("A strange one.", [(2, 9, CANARY)])]
    own = inc.document("Dr. Smith.", [(0, 3, "PERSON")])
    own.select(inc.LAYER)[0][inc.PREDICTED] = True
    assert trained(running, inc.train([*documents, own])).status_code == 204
    (status,) = running.client.get("/recommender/phi").json()["models"]
    assert (status["documents"], status["documents_without_annotations"], status["labels_unknown"]) == (8, 3, 1)


def test_nothing_to_learn_is_no_failure(serve: Callable[..., Running]) -> None:
    running = serve()
    for documents in ([], [inc.document("Nobody looked at this.")]):
        assert trained(running, inc.train(documents)).status_code == 204
    assert running.client.get("/recommender/phi").json()["models"] == []
    assert 'caspipe_trainings_total{outcome="nothing to learn"} 2' in running.client.get("/metrics").text


def test_a_training_that_does_not_fit_is_refused(serve: Callable[..., Running]) -> None:
    running = serve()
    for change in (
        {"typeSystem": CANARY},
        {"documents": [{"xmi": f"<{CANARY}"}]},
        {"documents": CANARY},
        {"metadata": {"layer": "x", "feature": "y"}},
    ):
        response = trained(running, {**inc.train(lessons()[:1]), **change})
        assert response.status_code == 422
        assert CANARY not in response.text


def test_a_model_that_is_damaged_leaves_the_rules(serve: Callable[..., Running], tmp_path: Path) -> None:
    state = tmp_path / "state"
    running = serve(state=state)
    trained(running, inc.train(lessons()))
    for weights in state.rglob("weights.npz"):
        weights.write_bytes(b"no weights")
    assert covered(running.client, inc.document("Ward Gyrfalcon on 3/4/2020.")) == [("3/4/2020", "DATE")]
    assert 'caspipe_suggestions_skipped_total{reason="model unusable"} 1' in running.client.get("/metrics").text
