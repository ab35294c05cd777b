"""The decisions of reviewers reach the release."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from releasing import CONFIG, KEY, caspipe, holding, make_run, manifest, released, reviewer


@pytest.mark.attack("review-decisions")
def test_a_release_has_exactly_the_decisions(run: Path) -> None:
    before = released(run)
    with reviewer(run) as anna:
        anna.add("c", "quellmore")
        anna.reject("b", "617-555-0134")
        anna.do("kind", "a", span=anna.sid("a", "Ana Ruiz"), kind="PROFESSION")
        anna.do("move", "b", span=anna.sid("b", "Tom Berg"), begin=0, end=12)
        for document in "abc":
            anna.done(document)
    result = caspipe("release", run, "--review", "anna")
    assert result.exit_code == 3, result.output  # `d` is in quarantine
    a, b, c = released(run)
    assert a == before[0].replace("Dr. [PERSON]", "Dr. [PROFESSION]")
    assert b == before[1].replace("Dr. [PERSON]", "[PERSON]").replace("[PHONE]", "617-555-0134")
    assert c == before[2].replace("quellmore", "[PERSON]")
    assert holding(run, "quellmore") == []
    assert "3 documents released, 1 withheld" in result.output
    assert "reviewed: 3; 1 spans added, 1 rejected, 2 changed" in result.output
    assert caspipe("audit", "verify", run).exit_code == 0
    assert manifest(run)["documents"] == {"read": 4, "released": 3, "quarantined": 1, "skipped": 0}


@pytest.mark.attack("review-decisions")
def test_documents_that_nobody_reviewed_stay_as_the_run_left_them(run: Path) -> None:
    before = released(run)
    with reviewer(run) as anna:
        anna.add("c", "quellmore")
        anna.done("c")
    result = caspipe("release", run, "--review", "anna")
    assert released(run)[:2] == before[:2]
    assert "not reviewed: 2; released as the run left them (--only-reviewed leaves them out)" in result.output
    result = caspipe("release", run, "--review", "anna", "--only-reviewed")
    assert released(run) == [before[2].replace("quellmore", "[PERSON]")]
    assert "1 documents released, 1 withheld, 2 not reviewed and left out" in result.output
    assert (
        result.output.count("its review is not completed") == 1
    )  # of the one in quarantine, not of those left out on purpose


@pytest.mark.attack("review-decisions")
def test_the_names_of_the_documents_stay_if_others_are_left_out(run: Path) -> None:
    names = {p.read_text(): p.name for p in (run / "release" / "text").glob("*")}
    with reviewer(run) as anna:
        anna.done("b")
    caspipe("release", run, "--review", "anna", "--only-reviewed")
    (left,) = (run / "release" / "text").glob("*")
    assert names[left.read_text()] == left.name


@pytest.mark.attack("review-decisions")
def test_decisions_of_a_review_that_is_not_completed_count(run: Path) -> None:
    with reviewer(run) as anna:
        anna.add("c", "quellmore")
    result = caspipe("release", run, "--review", "anna")
    assert holding(run, "quellmore") == []
    assert "begun and not completed: 1; their decisions so far count" in result.output


@pytest.mark.attack("review-decisions")
def test_a_second_release_takes_back_what_was_undone(run: Path) -> None:
    before = released(run)
    with reviewer(run) as anna:
        anna.add("c", "quellmore")
        anna.reject("a", "Zorblatt")
        anna.done("a")
    caspipe("release", run, "--review", "anna")
    assert released(run)[0] == before[0].replace("Mr. [PERSON]", "Mr. Zorblatt")
    with reviewer(run) as anna:
        anna.accept("a", "Zorblatt")
    caspipe("release", run, "--review", "anna")
    assert released(run) == [*before[:2], before[2].replace("quellmore", "[PERSON]")]


@pytest.mark.attack("review-decisions")
def test_a_rejected_span_is_masked_again_if_its_value_is_masked_elsewhere(tmp_path: Path) -> None:
    letters = {"a": "Mr. Zorblatt came on 3 May 2020. Then Mr. Zorblatt left."}
    config = "  - leak_gate: {repair: false}\n"
    run = make_run(tmp_path, letters, CONFIG.replace(config, "  - leak_gate\n"))
    before = released(run)
    with reviewer(run) as anna:
        anna.reject("a", "Zorblatt")  # the first of two
        anna.done("a")
    result = caspipe("release", run, "--review", "anna")
    assert released(run) == before
    assert (
        "warning: document a: 1 rejected span is masked again (4:12): the same value is masked elsewhere in the document, or "
        "known from its record. To release it, reject every occurrence"
    ) in result.output
    with reviewer(run) as anna:
        second = [s for s in anna.session.opened(0).table.spans.values() if s.begin > 12 and s.kind == "PERSON"]
        anna.do("reject", "a", span=f"p{second[0].begin}-{second[0].end}-PERSON")
    result = caspipe("release", run, "--review", "anna")
    assert released(run)[0].count("Zorblatt") == 2
    assert "masked again" not in result.output


@pytest.mark.attack("review-decisions")
def test_a_rejected_span_without_repair_holds_the_document_back(tmp_path: Path) -> None:
    run = make_run(tmp_path, {"a": "Mr. Zorblatt came on 3 May 2020. Then Mr. Zorblatt left."})
    with reviewer(run) as anna:
        anna.reject("a", "Zorblatt")
        anna.done("a")
    result = caspipe("release", run, "--review", "anna")
    assert result.exit_code == 3
    assert holding(run, "Zorblatt") == [] == released(run)
    assert "1 leak: values PERSON 1; in the original text at PERSON 4:12" in result.output


@pytest.mark.attack("review-decisions")
@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_release_is_the_same_with_any_number_of_workers(workers: str, run: Path) -> None:
    before = released(run)
    with reviewer(run) as anna:
        anna.add("c", "quellmore")
        anna.done("c")
    caspipe("release", run, "--review", "anna", "--workers", workers)
    assert released(run) == [*before[:2], before[2].replace("quellmore", "[PERSON]")]


# -- several reviewers -----------------------------------------------------------------------------------------------


def two_reviewers(run: Path) -> None:
    """Anna rejects the telephone number and finds a name; Ben finds another part, and gives a doctor another kind."""
    with reviewer(run, "anna") as anna:
        anna.reject("b", "617-555-0134")
        anna.add("c", "quellmore")
        for document in "bc":
            anna.done(document)
    with reviewer(run, "ben") as ben:
        ben.add("c", "a talk with quellmore", "ORGANIZATION")
        for document in "bc":
            ben.done(document)


@pytest.mark.attack("review-decisions")
def test_what_nobody_adjudicated_is_masked_on_both_sides(run: Path) -> None:
    before = released(run)
    two_reviewers(run)
    result = caspipe("release", run, "--review", "anna", "--review", "ben")
    assert released(run)[1] == before[1]
    assert holding(run, "quellmore") == [] == holding(run, "talk")
    assert result.exit_code == 3


@pytest.mark.attack("review-decisions")
@pytest.mark.parametrize("names", [["anna", "ben"], ["eva"]])
def test_the_decisions_of_an_adjudicator_count(names: list[str], run: Path) -> None:
    before = released(run)
    two_reviewers(run)
    with reviewer(run, "eva", ("anna", "ben")) as eva:
        eva.do("choose", "b", difference=0, side="left")
        eva.do("choose", "c", difference=0, side="left")
        eva.done("b")
        eva.done("c")
    caspipe("release", run, *(part for name in names for part in ("--review", name)))
    assert released(run)[1] == before[1].replace("[PHONE]", "617-555-0134")
    assert released(run)[2] == before[2].replace("quellmore", "[PERSON]")


@pytest.mark.attack("review-decisions")
def test_an_unfinished_review_adds_to_a_finished_one_and_takes_nothing_away(run: Path) -> None:
    with reviewer(run, "anna") as anna:
        anna.reject("b", "617-555-0134")
        for document in "bc":
            anna.done(document)
    with reviewer(run, "ben") as ben:
        ben.add("c", "quellmore")
    caspipe("release", run, "--review", "anna", "--review", "ben")
    assert "617-555-0134" in released(run)[1]
    assert holding(run, "quellmore") == []


# -- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.attack("review-decisions")
def test_another_key_is_refused(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = released(run)
    with reviewer(run) as anna:
        anna.done("c")
    for key, message in (
        ("another key of the same length", "is not the key of the run: shifts, pseudonyms and names would differ"),
        ("", "the run had a key here, now there is none: set it again, as in CASPIPE_KEY, or with --set as file:PATH"),
    ):
        monkeypatch.setenv("RELEASE_KEY", key)
        result = caspipe("release", run, "--review", "anna")
        assert result.exit_code == 2
        assert f"masker.kinds.DATE.key: {message}" in result.stderr
    assert released(run) == before
    assert KEY not in (run / "restricted" / "ledger.configuration.json").read_text()


@pytest.mark.attack("review-decisions")
def test_a_key_in_clear_is_not_kept_and_must_be_given_again(tmp_path: Path) -> None:
    secret = "a-secret-in-clear-0123456789"
    with pytest.warns(UserWarning, match="a secret in clear"):
        run = make_run(tmp_path, config=CONFIG.replace("${RELEASE_KEY:-}", secret))
    before = released(run)
    with reviewer(run) as anna:
        anna.done("c")
    assert not any(secret.encode() in p.read_bytes() for p in run.rglob("*") if p.is_file())
    assert "masker.kinds.DATE.key: the run had a key here" in caspipe("release", run, "--review", "anna").stderr
    file = tmp_path / "key"
    file.write_text(secret)
    file.chmod(0o600)
    given = caspipe("release", run, "--review", "anna", "--set", f"masker.DATE.shift.key=file:{file}")
    assert given.exit_code == 3, given.output
    assert released(run) == before


@pytest.mark.attack("review-decisions")
def test_errors_name_what_is_there(run: Path, tmp_path: Path) -> None:
    with reviewer(run, "anna") as anna:
        anna.done("c")
    cases = [
        (
            ["release", tmp_path / "uot", "--review", "anna"],
            4,
            "uot: no such folder: expected the output folder of a run; did you mean out?",
        ),
        (
            ["release", tmp_path / "notes", "--review", "anna"],
            2,
            "--review: 'anna' has reviewed nothing here; there are: none",
        ),
        (["release", run, "--review", "ana"], 2, "--review: 'ana' has reviewed nothing here; did you mean anna?"),
        (["release", run], 2, "--review: expected a reviewer, or edited documents as --xmi"),
        (["release", run, "--review", "anna", "--xmi", "x"], 2, "--xmi: does not go with --review"),
        (["release", run, "--review", "anna", "--from", "xmi"], 2, "--from: goes with --xmi"),
        (["release", run, "--xmi", tmp_path / "edits"], 4, "edits: no such file or folder: expected edited documents"),
    ]
    for arguments, code, message in cases:
        result = caspipe(*arguments)
        assert message in result.stderr, result.output
        assert result.exit_code == code
    (run / "restricted" / "ledger.configuration.json").unlink()
    assert (
        "the run kept no configuration: expected a run of a YAML file with a masker"
        in caspipe("release", run, "--review", "anna").stderr
    )


@pytest.mark.attack("review-decisions")
def test_decisions_about_another_text_are_refused(run: Path) -> None:
    with reviewer(run) as anna:
        anna.add("c", "quellmore")
        anna.done("c")
    notes = run.parent / "notes"
    (notes / "c.txt").write_text("Another text, with quellmore, on 6 June 2020.")
    make_run(run.parent, {})
    result = caspipe("release", run, "--review", "anna")
    assert holding(run, "quellmore") == []
    assert "document c: its text is not the one of the review by anna: the decisions are refused" in result.output
    assert result.exit_code == 3


@pytest.mark.attack("review-decisions")
def test_an_original_that_was_edited_in_place_is_refused(run: Path) -> None:
    with reviewer(run) as anna:
        anna.done("c")
    xmi = run / "restricted" / "xmi" / "b.xmi"
    xmi.write_bytes(xmi.read_bytes().replace(b"PHONE", b"OTHER"))
    result = caspipe("release", run, "--review", "anna")
    assert (
        "b.xmi has changed since the run wrote it: restore it, or copy the edited files to another folder"
        in result.output
    )
    assert len(released(run)) == 2


@pytest.mark.attack("review-decisions")
def test_a_changed_file_of_the_masker_is_refused(run: Path) -> None:
    before = released(run)
    with reviewer(run) as anna:
        anna.done("c")
    kept = run / "restricted" / "ledger.configuration.json"
    data = json.loads(kept.read_bytes())
    data["files"]["masker"] = {"names.txt": "0" * 64}
    kept.write_text(json.dumps(data))
    result = caspipe("release", run, "--review", "anna")
    assert (result.exit_code, result.stderr.strip()) == (
        2,
        "masker: names.txt: changed since the run: restore it, or run again",
    )
    assert released(run) == before


@pytest.mark.attack("review-decisions")
def test_a_consumer_that_leaves_the_output_folder_does_not_run_again(tmp_path: Path) -> None:
    away = tmp_path / "away"
    run = make_run(tmp_path, config=CONFIG.replace("consumers:", f"consumers:\n  - text: {{id: far, folder: {away}}}"))
    before = sorted((p.name, p.read_bytes()) for p in away.glob("*"))
    with reviewer(run) as anna:
        anna.add("c", "quellmore")
        anna.done("c")
    result = caspipe("release", run, "--review", "anna")
    assert sorted((p.name, p.read_bytes()) for p in away.glob("*")) == before
    assert "consumer far writes outside of the output folder, which a release does not replace" in result.output
