"""Credit: who found what alone, together, and what nobody found; counted by hand."""

from __future__ import annotations

import csv
import io
import json

import pytest

from caspipe.consumers.scoring.credit import Credit, credit_of
from caspipe.consumers.scoring.document import Mark, Pair
from caspipe.pipeline.errors import ConsumerError


def example() -> Pair:
    """Four gold spans: found by the rules alone, by rules and CRF, by the CRF alone and lost on the way, by nobody."""
    gold = [Mark(0, 4, "DATE"), Mark(10, 20, "PERSON_DOCTOR"), Mark(30, 40, "PERSON_PATIENT"), Mark(50, 54, "ID")]
    candidates = [
        Mark(0, 4, "DATE", "regex/dates"),
        Mark(10, 20, "PERSON", "regex/names"),
        Mark(15, 20, "PERSON", "models/crf"),
        Mark(10, 20, "PERSON", "models/svm"),
        Mark(30, 38, "PERSON", "models/crf", 0.6),
        Mark(60, 64, "DATE", "models/crf"),
        Mark(50, 54, "PHONE", "models/svm"),
    ]
    return Pair("a", "x" * 80, gold, [Mark(0, 4, "DATE"), Mark(10, 20, "PERSON")], ([], []), candidates)


def test_combinations_counted_by_hand() -> None:
    assert credit_of([example()]).combinations == [
        ((), 1, 1),
        (("models",), 1, 1),
        (("models", "regex"), 1, 0),
        (("regex",), 1, 0),
    ]


def test_shares_counted_by_hand() -> None:
    models, regex = credit_of([example(), example()]).shares
    assert (models.source, models.proposed, models.right, models.found, models.alone) == ("models", 10, 6, 4, 2)
    assert (regex.source, regex.proposed, regex.right, regex.found, regex.alone) == ("regex", 4, 4, 4, 2)
    assert (models.precision, models.recall) == (0.6, 0.5)


def test_two_components_against_each_other() -> None:
    made = credit_of([example()], by="path")
    assert made.sources == ["models/crf", "models/svm", "regex/dates", "regex/names"]
    assert made.two("models/crf", "models/svm") == {"models/crf only": 1, "models/svm only": 0, "both": 1, "neither": 2}


def test_groups_name_components_anew() -> None:
    made = credit_of([example()], by="path", groups={"rules": ["regex"], "crf": ["models/crf"], "lists": ["lists"]})
    assert made.sources == ["crf", "lists", "models/svm", "rules"]
    assert made.two("rules", "crf") == {"rules only": 1, "crf only": 1, "both": 1, "neither": 1}
    assert (made.shares[1].precision, made.shares[1].recall) == (None, 0.0)


def test_a_group_does_not_take_components_with_a_longer_name() -> None:
    assert Credit(groups={"rules": ["regex"]}).name("regexes/dates") == "regexes"


def test_the_criterion_decides_what_found_means() -> None:
    sets = {c: credit_of([example()], criterion=c).combinations for c in ("strict", "covering")}  # type: ignore[arg-type]
    assert sets["strict"] == sets["covering"] == [((), 2, 2), (("models", "regex"), 1, 0), (("regex",), 1, 0)]


def test_kinds_count_unless_told_otherwise() -> None:
    assert credit_of([example()], level="kind").combinations[0] == ((), 3, 3)
    assert credit_of([example()], level="any").combinations[0] == (("models",), 2, 2)


def test_an_unknown_component_is_told_with_the_nearest() -> None:
    with pytest.raises(ConsumerError) as error:
        credit_of([example()]).two("regexp", "models")
    assert str(error.value) == "no candidate comes from 'regexp'; from: models, regex; did you mean regex?"


def test_all_forms_say_the_same() -> None:
    made = credit_of([example()])
    rows = list(csv.DictReader(io.StringIO(made.to_csv())))
    assert [{**r, "gold": int(r["gold"]), "lost": int(r["lost"])} for r in rows] == made.table
    assert {"kind": "ID", "found_by": "(nobody)", "gold": 1, "lost": 1} in made.table
    data = json.loads(made.to_json())
    assert data["gold"] == sum(r["gold"] for r in data["table"]) == sum(r["gold"] for r in data["combinations"]) == 4
    assert data["shares"][0] == {
        "source": "models",
        "proposed": 5,
        "right": 3,
        "found": 2,
        "alone": 1,
        "precision": 0.6,
        "recall": 0.5,
    }
    lines = str(made).splitlines()
    assert lines[1].split() == ["models", "5", "0.6000", "2", "0.5000", "1"]
    assert lines[7].split() == ["models", "+", "regex", "1", "0.2500", "0"]


def test_nothing_found_and_nothing_to_find_is_undefined() -> None:
    made = credit_of([Pair("a", "xx", [], [], ([], []), [])], groups={"rules": ["regex"]})
    assert (made.shares[0].precision, made.shares[0].recall, made.combinations) == (None, None, [])
    assert "undefined" in str(made)
