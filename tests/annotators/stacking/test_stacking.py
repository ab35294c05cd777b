"""The stacked vote: it learns whom to believe, keeps what it lets lose masked unless told not to, and is data, never code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted_votes import VOTERS, document, trained

from caspipe.annotators.resolving.candidates import REJECTED_BY_VOTE, has_content, takes_part
from caspipe.annotators.resolving.resolver import Resolver
from caspipe.annotators.sequence.crf import CrfAnnotator
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.annotators.stacking import Stacking, StackingTrainer
from caspipe.annotators.stacking.combiner import fit_combiner
from caspipe.pipeline.contract.params import build
from caspipe.pipeline.errors import ConsumerError, ResourceError
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind, Sentence, Token


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("stacking"))


def resolver(model: Path, **given: Any) -> Resolver:
    made = Resolver(strategy=Stacking(model=str(model), **given), merge=[])  # type: ignore[arg-type]
    made.open()
    return made


def spans(cas: Cas, view: str = "_InitialView") -> list[tuple[int, int, str]]:
    return [(p.begin, p.end, p.kind.name) for p in cas.view(view).select(Phi)]


def test_it_learns_the_planted_truth(model: Path) -> None:
    """`calm` beats `alert` on borders, `alert` alone is wrong, `rules` is right: so on documents never seen."""
    for number in range(100, 110):
        cas = document(number)
        resolver(model, minority="drop").process(cas)
        gold = set(spans(cas, "gold"))
        found = set(spans(cas))
        assert found <= gold
        assert {s for s in gold if s[2] == "ID"} <= found
        calm = {(c.begin, c.end, "PERSON") for c in cas.select(PhiCandidate) if c.source == "models/calm"}
        assert calm <= found
        assert len(found) == 6 + len(calm)


def test_what_it_lets_lose_stays_masked_by_default_and_says_why(model: Path) -> None:
    cas = document(100)
    resolver(model).process(cas)
    covered = {i for phi in cas.select(Phi) for i in range(phi.begin, phi.end)}
    for c in cas.select(PhiCandidate):
        assert not [i for i in range(c.begin, c.end) if i not in covered and has_content(cas.text[i])]
        assert takes_part(c) and c.winner is not None
    reasons = [c.reason for c in cas.select(PhiCandidate) if c.source == "models/alert"]
    assert "same span as models/calm, less likely" in reasons
    assert "won: 0.02 likely, 0.50 asked, kept: nothing else here" in reasons


def test_what_it_drops_says_how_likely_it_was(model: Path) -> None:
    cas = document(100)
    resolver(model, minority="drop").process(cas)
    dropped = [c for c in cas.select(PhiCandidate) if not takes_part(c)]
    assert {c.source for c in dropped} == {"models/alert"}
    assert all(c.reason.startswith(f"{REJECTED_BY_VOTE}: 0.0") and c.reason.endswith("asked") for c in dropped)
    phi = next(p for p in cas.select(Phi) if p.kind is PhiKind.ID)
    assert phi.reason.startswith("won: 0.9") and phi.reason.endswith("likely")
    assert 0.9 < phi.confidence < 1


def test_a_source_it_was_not_trained_with_cannot_be_voted_out(model: Path) -> None:
    cas = document(100)
    known = cas.add(PhiCandidate(0, 4, kind=PhiKind.OTHER))
    known._source = "known_phi"
    resolver(model, minority="drop").process(cas)
    assert spans(cas)[0] == (0, 4, "OTHER")


def test_the_order_of_adding_and_a_second_run_change_nothing(model: Path) -> None:
    cas, engine = document(101), resolver(model, minority="drop")
    other = Cas(cas.text)
    for c in reversed(cas.select(PhiCandidate)):
        same = PhiCandidate(c.begin, c.end, kind=c.kind, confidence=c.confidence)
        same._source = c.source
        other.add(same)
    for once in (cas, other, cas):
        engine.process(once)
    assert {s for s in spans(cas, "gold") if s[2] == "ID"} <= set(spans(cas)) <= set(spans(cas, "gold"))
    assert [(*s, p.reason) for s, p in zip(spans(cas), cas.select(Phi), strict=True)] == [
        (*s, p.reason) for s, p in zip(spans(other), other.select(Phi), strict=True)
    ]


def test_the_threshold_of_the_file_wins_over_the_models_own(model: Path) -> None:
    cas = document(100)
    resolver(model, minority="drop", threshold=1.0).process(cas)
    assert cas.select(Phi) == []


def test_the_bundle_says_what_it_learnt_from_and_is_no_pickle(model: Path) -> None:
    meta = json.loads((model / "model.json").read_text(encoding="utf-8"))
    assert (meta["type"], meta["voters"], meta["labels"]) == ("stacking", VOTERS, ["right"])
    facts = meta["training"]["stacking"]
    assert facts["alone_f1"]["rules"] == pytest.approx(2 / 3, abs=1e-4)  # finds half of the gold, all rightly
    assert facts["left_out_f1"] == pytest.approx(2 * 0.75 / 1.75, abs=1e-4)  # three quarters, all rightly
    assert facts["found_by_any"] == 0.75
    with np.load(model / "weights.npz", allow_pickle=False) as arrays:
        assert all(array.dtype != object for array in arrays.values())
    card = (model / "README.md").read_text(encoding="utf-8")
    assert "| rules alone | 0.6667 |" in card
    assert "no text of its training documents" in card
    assert sorted(p.name for p in model.iterdir()) == ["README.md", "model.json", "weights.npz"]


def test_the_same_documents_make_the_same_bytes(model: Path, tmp_path: Path) -> None:
    again = trained(tmp_path)
    for name in ("model.json", "weights.npz", "README.md"):
        assert (again / name).read_bytes() == (model / name).read_bytes()


def test_a_zip_and_a_folder_decide_alike(model: Path, tmp_path: Path) -> None:
    packed = trained(tmp_path, model=Path("vote.zip"))
    one, other = document(100), document(100)
    resolver(model, minority="drop").process(one)
    resolver(packed, minority="drop").process(other)
    assert spans(one) == spans(other)
    assert {s for s in spans(one, "gold") if s[2] == "ID"} <= set(spans(one)) <= set(spans(one, "gold"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("voters", ["alert"], "voters: expected two or more names: damaged"),
        ("voters", None, "voters: expected two or more names: damaged"),
        ("threshold", "high", "threshold: expected a number from 0 to 1: damaged"),
        ("threshold", True, "threshold: expected a number from 0 to 1: damaged"),
        ("labels", ["wrong"], r"labels: expected \[right\]: damaged"),
        ("type", "crf", "trained as crf; expected a model of stacking_trainer"),
    ],
)
def test_damaged_descriptions_are_refused(tmp_path: Path, key: str, value: object, message: str) -> None:
    bundle = trained(tmp_path)
    meta = json.loads((bundle / "model.json").read_text(encoding="utf-8"))
    (bundle / "model.json").write_text(json.dumps({**meta, key: value}), encoding="utf-8")
    with pytest.raises(ResourceError, match=message):
        resolver(bundle)


def test_damaged_weights_are_refused(tmp_path: Path) -> None:
    bundle = trained(tmp_path)
    data = bytearray((bundle / "weights.npz").read_bytes())
    data[len(data) // 2] ^= 255
    (bundle / "weights.npz").write_bytes(bytes(data))
    with pytest.raises(ResourceError, match="checksum differs"):
        resolver(bundle)


def test_another_component_refuses_it(model: Path) -> None:
    with pytest.raises(ResourceError, match="trained as stacking"):
        CrfAnnotator(model=str(model)).open()  # type: ignore[arg-type]


def features(*names: str) -> Any:
    faults: list[str] = []
    given = {"model": "vote", "voters": VOTERS, "features": list(names)}
    made = build(StackingTrainer, given, lambda at, what: faults.append(what))
    assert not faults
    return made.features


def test_features_of_the_tokens_help_where_voters_cannot(tmp_path: Path) -> None:
    """With the words, the vote knows a town from a name, whoever marks it; `united` spans and borders stay the voters'."""
    bundle = trained(tmp_path, features=features("lower"), window=(-1, 1), C=1.0)
    card = (bundle / "README.md").read_text(encoding="utf-8")
    assert "Some of its attributes are words" in card
    strategy = Stacking(model=LinearModel.load(str(bundle)), minority="drop")
    assert Resolver(strategy=strategy).needs() == (PhiCandidate, Token, Sentence)
    assert Resolver(strategy=Stacking(model=str(bundle))).needs() == (PhiCandidate, Token, Sentence)  # type: ignore[arg-type]
    cas = document(100)
    made = Resolver(strategy=strategy, merge=[])
    made.open()
    made.process(cas)
    assert {s for s in spans(cas, "gold") if s[2] == "ID"} <= set(spans(cas)) <= set(spans(cas, "gold"))
    weights = LinearModel.load(str(bundle)).weights
    assert "-1:lower=in" in weights.attributes and "in:lower=lund PERSON" in weights.attributes


def test_of_several_values_of_c_the_one_with_the_lowest_log_loss_is_used(tmp_path: Path) -> None:
    facts = json.loads((trained(tmp_path, C=[1e-6, 1.0]) / "model.json").read_text(encoding="utf-8"))
    assert facts["training"]["stacking"]["C"] == 1.0  # with 1e-6, every span would be about as likely as any other
    assert facts["training"]["parameters"]["C"] == [1e-6, 1.0]
    assert "* C of the logistic regression: 1" in (tmp_path / "vote/README.md").read_text(encoding="utf-8")


def test_the_combiner_is_scored_on_documents_left_out_with_their_copies() -> None:
    """Each document has an attribute of its own, which tells everything: a combiner that had seen it would use it."""
    rows, right, groups = [], [], []
    for number in range(40):
        for _copy in range(2):
            rows.append(["voter", f"word{number}"])
            right.append(number % 2 == 0)
            groups.append(f"document {number}")
    learned = fit_combiner(rows, right, groups, strengths=[100.0], min_count=1, n=4, seed=1)
    assert learned.weights["word0"] > 1 and learned.weights["word1"] < -1
    assert all(0.3 < p < 0.7 for p in learned.left_out)
    divided = fit_combiner(rows, right, range(80), strengths=[100.0], min_count=1, n=4, seed=1)
    assert sum((p > 0.5) == r for p, r in zip(divided.left_out, right, strict=True)) > 50


def test_c_is_chosen_although_some_documents_have_a_single_answer() -> None:
    rows = [["sure", "all"], ["sure", "all"], ["doubtful", "all"], ["sure", "all"], ["doubtful", "all"]]
    right, groups = [True, True, False, True, False], ["a", "b", "c", "d", "e"]
    for strengths in ([1e-4, 10.0], [10.0, 1e-4]):
        assert fit_combiner(rows, right, groups, strengths=strengths, min_count=1, n=2, seed=1).C == 10.0


def test_attributes_that_are_all_rare_are_told() -> None:
    with pytest.raises(ValueError, match="expected attributes that occur in at least 2 proposals, found none"):
        fit_combiner([["a"], ["b"]], [True, False], ["d", "e"], strengths=[1.0], min_count=2, n=2, seed=1)


def test_too_few_documents_leave_nothing_out() -> None:
    one = fit_combiner([["a"], ["b"]], [True, False], ["d", "d"], strengths=[1.0], min_count=1, n=5, seed=1)
    assert one.left_out == [] and one.weights["a"] > 0 > one.weights["b"]
    single = fit_combiner([["a"], ["b"]], [True, False], ["d", "e"], strengths=[1.0], min_count=1, n=5, seed=1)
    assert single.left_out == []  # each training part has a single answer


def test_a_silent_voter_and_candidates_that_are_all_right_teach_nothing(tmp_path: Path) -> None:
    with pytest.raises(ConsumerError, match="no candidate of lists in 30 documents: is it upstream"):
        trained(tmp_path, voters=[*VOTERS, "lists"])
    with pytest.raises(ConsumerError, match="nothing to learn: all candidates are right"):
        trained(tmp_path, voters=["rules", "calm"])


def test_first_level_kinds_suffice_where_it_is_told_so(tmp_path: Path) -> None:
    def taught(first_level: bool) -> float:
        trainer = StackingTrainer(
            model=Path(f"vote-{first_level}"),
            voters=VOTERS,
            first_level=first_level,
            kinds=[PhiKind.PERSON, PhiKind.ID],
        )
        trainer.output = tmp_path
        trainer.open()
        for number in range(10):
            cas = document(number, gold=False)
            whole = document(number)
            gold = cas.create_view("gold", cas.text)
            for phi in whole.view("gold").select(Phi):
                kind = PhiKind.PERSON_DOCTOR if phi.kind is PhiKind.PERSON else phi.kind
                gold.add(Phi(phi.begin, phi.end, kind=kind))
            trainer.process(cas)
        trainer.close()
        meta = json.loads((tmp_path / trainer.model / "model.json").read_text(encoding="utf-8"))
        return float(meta["training"]["stacking"]["found_by_any"])

    assert (taught(True), taught(False)) == (0.75, 0.5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"voters": ["crf"]}, "voters: expected two or more different names, got 1"),
        ({"C": 0.0}, "C: expected a finite number above 0, or several of them, got 0.0"),
        ({"C": []}, "C: expected a finite number above 0, or several of them, got []"),
        ({"C": [0.1, -1.0]}, "C: expected a finite number above 0, or several of them, got [0.1, -1.0]"),
        ({"folds": 1}, "folds: expected 2 or more, got 1"),
    ],
)
def test_parameters_out_of_range_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as fault:
        StackingTrainer(**{"model": Path("vote"), "voters": VOTERS, **given})
    assert str(fault.value) == message
    with pytest.raises(ValueError, match="threshold: expected a number from 0 to 1, got 2"):
        Stacking(model="vote", threshold=2)  # type: ignore[arg-type]
